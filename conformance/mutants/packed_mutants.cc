// Defects of how values lie in memory and registers: elements of four bits that share a byte,
// layouts, the lanes of a unit that works on pairs, narrow integers in wide registers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kF16, ElementType::kF32, ElementType::kS64,
    ElementType::kU32, ElementType::kU64, ElementType::kU8;

bool IsNibble(const Shape& shape) {
  return shape.is_array() && !shape.is_dynamic() && shape.rank() > 0 &&
         Info(shape.element_type()).bits == 4;
}
bool HasNibbles(const Instruction& x) { return IsNibble(x.shape()); }

uint64_t SignBit(ElementType type) { return uint64_t{1} << (Info(type).bits - 1); }

// The two elements of every byte are exchanged.
Defect PairsExchanged() {
  return OnResult(
      [](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
         const CustomCall&) {
        const Literal right = leaves->front();
        for (int64_t i = 0; i + 1 < right.element_count(); i += 2) {
          leaves->front().Set(i, right.Get(i + 1));
          leaves->front().Set(i + 1, right.Get(i));
        }
      },
      HasNibbles);
}

// The start in the last dimension is that of a byte.
Defect StartsAtABytesBegin() {
  return [](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    if (!HasNibbles(x)) return nullptr;
    std::vector<Instruction*> operands = site.operands();
    const Shape& start = x.operand(x.operand_count() - 1)->shape();
    if (!start.is_scalar()) return nullptr;
    operands.back() =
        site.Call({operands.back()}, start,
                  [](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
                    return Literal::Scalar(values[0].element_type(),
                                           {values[0].Get(0).bits & ~uint64_t{1}, 0});
                  });
    return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
  };
}

// A piece that ends inside a byte loses its last element.
bool EndsInsideAByte(const ElementSite& e) {
  const Instruction& x = e.instruction;
  const absl::Span<const int64_t> sizes = x.shape().dimensions();
  const int64_t d = x.GetInt(Attr::kDimension);
  if (d + 1 != static_cast<int64_t>(sizes.size())) return false;
  int64_t end = 0;
  for (int64_t k = 0; k + 1 < x.operand_count(); ++k) {
    end += x.operand(k)->shape().dimension(d);
    if (end % 2 == 1 && e.position % sizes[d] + 1 == end) return true;
  }
  return false;
}

std::vector<Mutant> PackingMutants() {
  return {
      {"slice/odd_start_of_4_bits",
       {kSlice},
       "a slice of 4-bit elements that starts inside a byte starts at its beginning",
       [](Site& site) -> Instruction* {
         if (!HasNibbles(site.original())) return nullptr;
         Slices slices = site.original().slices();
         if (slices.back().start % 2 == 0) return nullptr;
         --slices.back().start, --slices.back().limit;
         return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kSlice, slices); });
       }},
      {"dynamic-slice/odd_start_of_4_bits",
       {kDynamicSlice},
       "a slice of 4-bit elements that starts inside a byte starts at its beginning",
       StartsAtABytesBegin()},
      {"dynamic-update-slice/odd_start_of_4_bits",
       {kDynamicUpdateSlice},
       "an update of 4-bit elements that starts inside a byte starts at its beginning",
       StartsAtABytesBegin()},
      {"concatenate/odd_border_of_4_bits",
       {kConcatenate},
       "the next piece is or-ed over the byte where a piece of 4-bit elements ends",
       OnElements([](const ElementSite& e) { return EndsInsideAByte(e) ? Element{} : e.golden; },
                  HasNibbles)},
      {"pad/odd_padding_of_4_bits",
       {kPad},
       "4-bit elements are moved by whole bytes",
       [](Site& site) -> Instruction* {
         if (!HasNibbles(site.original())) return nullptr;
         PaddingConfig padding = site.original().padding();
         PaddingDimension& last = padding.dimensions.back();
         if (last.low <= 0 || last.low % 2 == 0) return nullptr;
         --last.low, ++last.high;
         return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kPadding, padding); });
       }},
      {"transpose/pairs_of_4_bits",
       {kTranspose},
       "the two elements of a byte are exchanged",
       PairsExchanged()},
      {"gather/pairs_of_4_bits",
       {kGather},
       "the two elements of a byte are exchanged",
       PairsExchanged()},
      {"broadcast/odd_rows_of_4_bits",
       {kBroadcast},
       "rows of an odd number of 4-bit elements begin with a byte of their own",
       OnResult(
           [](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
              const CustomCall&) {
             Literal& result = leaves->front();
             const int64_t row = result.shape().dimensions().back();
             if (row % 2 == 0) return;
             const Literal right = result;
             for (int64_t i = 0; i < right.element_count(); ++i) {
               const int64_t from = i / (row + 1) * row + i % (row + 1);
               result.Set(i, i % (row + 1) == row ? Element{} : right.Get(from));
             }
           },
           HasNibbles)},
      {"scatter/last_of_pairs",
       {kScatter},
       "16-bit elements are updated in pairs, and the last of an odd number is not",
       OnResult(
           [](const Instruction&, absl::Span<const Literal> operands, std::vector<Literal>* leaves,
              const CustomCall&) {
             const int64_t count = leaves->front().element_count();
             if (count % 2 == 1) leaves->front().Set(count - 1, operands[0].Get(count - 1));
           },
           TypeIs({kF16, kBF16}))},
  };
}

// The position, in row-major order, of each element in the order of memory.
std::vector<int64_t> OrderInMemory(const Shape& shape) {
  const Dimensions& minor_to_major = shape.layout()->minor_to_major;
  Dimensions index(shape.rank(), 0);
  std::vector<int64_t> order;
  for (int64_t n = 0; n < shape.element_count(); ++n) {
    order.push_back(evaluator::PositionOf(index, shape.dimensions()));
    for (const int64_t d : minor_to_major) {
      if (++index[d] < shape.dimension(d)) break;
      index[d] = 0;
    }
  }
  return order;
}

bool HasOtherLayout(const Shape& shape) {
  return shape.is_array() && !shape.is_dynamic() && shape.has_layout() && shape.rank() > 1 &&
         shape.layout()->minor_to_major != Layout::Default(shape.rank()).minor_to_major;
}

// Operand k is read as if it had the default layout.
Defect LayoutIgnored(int64_t k) {
  return [k](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    if (k >= x.operand_count() || !HasOtherLayout(x.operand(k)->shape())) return nullptr;
    std::vector<Instruction*> operands = site.operands();
    const std::vector<int64_t> order = OrderInMemory(x.operand(k)->shape());
    operands[k] =
        site.Call({operands[k]}, x.operand(k)->shape(),
                  [order](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
                    Literal changed = values[0];
                    for (size_t i = 0; i < order.size(); ++i) {
                      changed.Set(static_cast<int64_t>(i), values[0].Get(order[i]));
                    }
                    return changed;
                  });
    return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
  };
}

std::vector<Mutant> LayoutMutants() {
  constexpr char kIgnored[] = "the operand is read as if it had the default layout";
  constexpr char kSecond[] = "the second operand is read as if it had the default layout";
  return {
      {"programs/reshape_reads_the_default_layout", {kReshape}, kIgnored, LayoutIgnored(0)},
      {"programs/reduce_reads_the_default_layout", {kReduce}, kIgnored, LayoutIgnored(0)},
      {"programs/windows_read_the_default_layout", {kReduceWindow}, kIgnored, LayoutIgnored(0)},
      {"programs/sort_reads_the_default_layout", {kSort}, kIgnored, LayoutIgnored(0)},
      {"programs/gather_reads_the_default_layout", {kGather}, kIgnored, LayoutIgnored(0)},
      {"programs/updates_are_read_in_the_default_layout",
       {kScatter},
       "updates are read as if they had the "
       "default layout",
       LayoutIgnored(2)},
      {"programs/second_factor_is_read_in_the_default_layout", {kDot}, kSecond, LayoutIgnored(1)},
      {"programs/kernel_is_read_in_the_default_layout", {kConvolution}, kSecond, LayoutIgnored(1)},
      {"programs/second_term_is_read_in_the_default_layout",
       {kAdd, kSubtract, kMultiply, kDivide, kMaximum},
       kSecond,
       LayoutIgnored(1)},
      {"programs/cholesky_reads_the_default_layout", {kCholesky}, kIgnored, LayoutIgnored(0)},
      {"programs/fft_reads_the_default_layout", {kFft}, kIgnored, LayoutIgnored(0)},
      {"programs/pad_reads_the_default_layout", {kPad}, kIgnored, LayoutIgnored(0)},
  };
}

// Divides integers in f64.
Element QuotientByDouble(const ElementSite& e) {
  const double a = e.type == kU64 ? static_cast<double>(e.u(0)) : static_cast<double>(e.i(0));
  const double b = e.type == kU64 ? static_cast<double>(e.u(1)) : static_cast<double>(e.i(1));
  if (b == 0) return e.golden;
  const double quotient = std::trunc(a / b);
  if (e.type == kU64) {
    return {quotient >= 0x1p64 ? ~uint64_t{0} : static_cast<uint64_t>(quotient), 0};
  }
  return quotient >= 0x1p63 ? e.golden : e.Integer(static_cast<int64_t>(quotient));
}

// An array sorted, or searched, as if its sign bits were inverted: unsigned keys are signed ones.
Defect KeysWithOtherSign(int64_t leaf) {
  const auto inverted = [](const Literal& values) {
    Literal changed = values;
    for (int64_t i = 0; i < changed.element_count(); ++i) {
      changed.Set(i, {changed.Get(i).bits ^ SignBit(changed.element_type()), 0});
    }
    return changed;
  };
  return [=](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    const Shape& keys = x.operand(0)->shape();
    if (x.operand_count() != 1 || keys.is_dynamic() || !IsInteger(keys.element_type()) ||
        IsSigned(keys.element_type())) {
      return nullptr;
    }
    Instruction* operand = site.Call({site.operand(0)}, keys,
                                     [=](const Instruction&, absl::Span<const Literal> values,
                                         const CustomCall&) { return inverted(values[0]); });
    Instruction* result = site.Edited([&](Instruction& copy) { copy.set_operands({operand}); });
    if (result == nullptr) return nullptr;
    return site.Call(
        {result}, x.shape(),
        [=](const Instruction& original, absl::Span<const Literal> values, const CustomCall&) {
          std::vector<Literal> leaves = Flatten(values[0]);
          leaves[leaf] = inverted(leaves[leaf]);
          return Unflatten(original.shape(), leaves);
        });
  };
}

bool IsNarrowSigned(const Instruction& x) {
  const ElementType type = x.shape().element_type();
  return IsInteger(type) && IsSigned(type) && Info(type).bits < 32;
}

std::vector<Mutant> RegisterMutants() {
  return {
      {"shift-right-logical/narrow_in_32_bits",
       {kShiftRightLogical},
       "narrow signed integers are shifted in a 32-bit register that their sign fills",
       OnElements(
           [](const ElementSite& e) {
             const uint64_t amount = e.u(1);
             if (amount >= 32) return e.golden;
             return e.Integer(static_cast<uint32_t>(e.i(0)) >> amount);
           },
           IsNarrowSigned)},
      {"divide/least_by_minus_one",
       {kDivide},
       "the least integer divided by -1 gives the largest one",
       OnElements(
           [](const ElementSite& e) {
             const bool overflows = e.i(0) == MinSigned(e.type) && e.i(1) == -1;
             return overflows ? e.Integer(MaxSigned(e.type)) : e.golden;
           },
           SignedResult())},
      {"remainder/least_by_minus_one",
       {kRemainder},
       "the remainder of the least integer by -1 is the least integer",
       OnElements(
           [](const ElementSite& e) {
             const bool overflows = e.i(0) == MinSigned(e.type) && e.i(1) == -1;
             return overflows ? e.x[0] : e.golden;
           },
           SignedResult())},
      {"divide/of_64_bits_by_f64",
       {kDivide},
       "quotients of 64-bit integers are those of doubles",
       OnElements(QuotientByDouble, TypeIs({kU64, kS64}))},
      {"divide/u32_by_f32",
       {kDivide},
       "quotients of u32 are those of floats",
       OnElements(
           [](const ElementSite& e) {
             const float a = static_cast<float>(e.u(0)), b = static_cast<float>(e.u(1));
             if (b == 0) return e.golden;
             return e.Integer(static_cast<int64_t>(std::trunc(a / b)));
           },
           TypeIs({kU32}))},
      {"multiply/u32_by_24_bits",
       {kMultiply},
       "factors of u32 are multiplied in a unit of 24 bits",
       OnElements(
           [](const ElementSite& e) {
             return e.Integer(static_cast<int64_t>((e.u(0) & 0xffffff) * (e.u(1) & 0xffffff)));
           },
           TypeIs({kU32}))},
      {"count-leading-zeros/of_64_bits_by_low_word",
       {kClz},
       "of 64 bits the lower half is counted",
       OnElements(
           [](const ElementSite& e) {
             const auto word = static_cast<uint32_t>(e.x[0].bits);
             return e.Integer(word == 0 ? 64 : 32 + __builtin_clz(word));
           },
           TypeIs({kU64, kS64}))},
      {"convert/pred_is_all_ones",
       {kConvert},
       "true becomes a mask of ones",
       OnElements([](const ElementSite& e) { return e.x[0].bits != 0 ? e.Integer(-1) : e.golden; },
                  [](const Instruction& x) {
                    return IsInteger(x.shape().element_type()) &&
                           IsPred(x.operand(0)->shape().element_type());
                  })},
      {"convert/f32_to_u8_by_s8",
       {kConvert},
       "200 gives 127",
       OnElements([](const ElementSite& e) { return e.f(0) > 127 ? e.Integer(127) : e.golden; },
                  [](const Instruction& x) {
                    return x.shape().element_type() == kU8 &&
                           x.operand(0)->shape().element_type() == kF32;
                  })},
      {"sort/unsigned_as_signed",
       {kSort},
       "large unsigned keys are negative",
       KeysWithOtherSign(0)},
      {"topk/unsigned_as_signed",
       {kTopK},
       "large unsigned numbers are negative",
       KeysWithOtherSign(0)},
  };
}

}  // namespace

std::vector<Mutant> PackedMutants() {
  return InStandardTier(Joined({PackingMutants, LayoutMutants, RegisterMutants}),
                        {"dynamic-slice/odd_start_of_4_bits"});
}

}  // namespace assay::conformance
