// Defects that show beyond a size alone: of arrays, what lies in the second tile or block; of
// values, what a narrower type on their way does not hold.
#include <algorithm>
#include <cmath>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/sums.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kF16, ElementType::kF32, ElementType::kF64,
    ElementType::kF8E4M3FN, ElementType::kF8E5M2, ElementType::kS32, ElementType::kS64,
    ElementType::kS8, ElementType::kU32, ElementType::kU64;

// Elements beyond an index of the last dimension but so many stay zero.
Defect DropsBeyond(int64_t index, size_t dimensions_behind) {
  return OnElements([=](const ElementSite& e) {
    const Dimensions place = evaluator::IndexAt(e.position, e.instruction.shape().dimensions());
    if (place.size() <= dimensions_behind) return e.golden;
    return place[place.size() - 1 - dimensions_behind] < index ? e.golden : Element{};
  });
}

// Elements beyond a number of them, row major, stay zero.
Defect DropsBlocksBeyond(int64_t count) {
  return OnElements(
      [count](const ElementSite& e) { return e.position < count ? e.golden : Element{}; });
}

Defect SumsFirst(size_t most) {
  return SumBy([most](std::vector<SumTerm> terms, ElementType) {
    if (terms.size() > most) terms.resize(most);
    return SumForward(terms, kF64);
  });
}

std::vector<Mutant> TileMutants() {
  return {
      {"dot/columns_beyond_a_tile", {kDot}, "the second tile is not written", DropsBeyond(64, 0)},
      {"dot/rows_beyond_a_tile", {kDot}, "the second tile is not written", DropsBeyond(64, 1)},
      {"dot/terms_beyond_256", {kDot}, "the contraction ends with a tile", SumsFirst(256)},
      {"transpose/beyond_a_tile",
       {kTranspose},
       "the tiles of the second row are not written",
       DropsBeyond(64, 1)},
      {"transpose/fifth_dimension",
       {kTranspose},
       "loops run over four dimensions",
       DropsBeyond(1, 4)},
      {"concatenate/rows_beyond_a_tile",
       {kConcatenate},
       "the second block of threads does not run",
       DropsBeyond(64, 0)},
      {"gather/slices_beyond_a_block",
       {kGather},
       "the second block of threads does not run",
       DropsBeyond(64, 0)},
      {"reduce/rows_beyond_a_block",
       {kReduce},
       "the second block of threads does not run",
       DropsBeyond(64, 0)},
      {"reduce/terms_beyond_1024",
       {kReduce},
       "the sum of the first block is the result",
       SumsFirst(1024)},
      {"reduce-window/windows_beyond_a_block",
       {kReduceWindow},
       "the second block of threads does not run",
       DropsBeyond(64, 0)},
      {"scan/beyond_a_block", {kScan}, "blocks do not hand on the carry", DropsBlocksBeyond(256)},
      {"sort/rows_beyond_a_block",
       {kSort},
       "the second block of threads does not run",
       DropsBeyond(64, 1)},
      {"convolution/features_beyond_a_tile",
       {kConvolution},
       "the second tile is not written",
       DropsBeyond(64, 0)},
      {"is-finite/beyond_a_block",
       {kIsFinite},
       "only one block of 256 runs",
       DropsBlocksBeyond(256)},
      {"popcnt/beyond_a_block", {kPopcnt}, "only one block of 256 runs", DropsBlocksBeyond(256)},
      {"erf/beyond_a_block", {kErf}, "only one block of 256 runs", DropsBlocksBeyond(256)},
  };
}

Where Converts(ElementType from, ElementType to) {
  return [from, to](const Instruction& x) {
    return x.operand(0)->shape().element_type() == from && x.shape().element_type() == to;
  };
}

// Rounded to another type first.
Defect ConvertsVia(ElementType via, ElementType from, ElementType to) {
  return OnElements(
      [via](const ElementSite& e) {
        return std::isfinite(e.f(0)) ? e.Float(RoundedTo(via, e.f(0))) : e.golden;
      },
      Converts(from, to));
}

// Floats to integers by way of s32, which saturates.
Defect ConvertsViaS32(ElementType from, ElementType to) {
  return OnElements(
      [](const ElementSite& e) {
        if (e.nan(0)) return e.golden;
        const double limit = e.f(0) < 0 ? -0x1p31 : 0x1p31 - 1;
        const double value = std::trunc(std::abs(e.f(0)) < 0x1p31 ? e.f(0) : limit);
        return IsSigned(e.type) || value >= 0 ? e.Integer(static_cast<int64_t>(value)) : e.golden;
      },
      Converts(from, to));
}

std::vector<Mutant> NarrowConversionMutants() {
  return {
      {"convert/f32_to_f8e4m3fn_by_f16",
       {kConvert},
       "the number is rounded to f16 first",
       ConvertsVia(kF16, kF32, kF8E4M3FN)},
      {"convert/f32_to_f8e5m2_by_f16",
       {kConvert},
       "the number is rounded to f16 first",
       ConvertsVia(kF16, kF32, kF8E5M2)},
      {"convert/f64_to_f16_by_f32",
       {kConvert},
       "the number is rounded to f32 first",
       ConvertsVia(kF32, kF64, kF16)},
      {"convert/s32_to_bf16_by_f32",
       {kConvert},
       "the number is rounded to f32 first",
       OnElements(
           [](const ElementSite& e) {
             return e.Float(RoundedTo(kF32, static_cast<double>(e.i(0))));
           },
           Converts(kS32, kBF16))},
      {"convert/u64_to_f32_by_f64",
       {kConvert},
       "the number is rounded to f64 first",
       ConvertsVia(kF64, kU64, kF32)},
      {"convert/f32_to_s64_by_s32", {kConvert}, "1e10 gives 2^31 - 1", ConvertsViaS32(kF32, kS64)},
      {"convert/f64_to_u32_by_s32", {kConvert}, "3e9 gives 2^31 - 1", ConvertsViaS32(kF64, kU32)},
      {"convert/f8e4m3fn_nan_widens_to_480",
       {kConvert},
       "a NaN becomes a number on its way to bf16",
       OnElements([](const ElementSite& e) { return e.nan(0) ? e.Float(480) : e.golden; },
                  Converts(kF8E4M3FN, kBF16))},
      {"convert/f64_denormals_of_f32_rounded_twice",
       {kConvert},
       "the number is cut to 24 bits first",
       OnElements(
           [](const ElementSite& e) {
             return std::abs(e.f(0)) < 0x1p-126 ? e.Float(TruncatedTo(e.f(0), 24)) : e.golden;
           },
           Converts(kF64, kF32))},
      {"convert/s64_to_pred_by_low_word",
       {kConvert},
       "2^63 gives false",
       OnElements(
           [](const ElementSite& e) {
             return Element{(e.x[0].bits & 0xffffffff) != 0, 0};
           },
           Converts(kS64, ElementType::kPred))},
  };
}

// Integers of 64 bits are cut to 32, of either sign, before the operation sees them.
Defect LowWordOf(int64_t operand) {
  return [operand](Site& site) -> Instruction* {
    if (operand >= site.original().operand_count()) return nullptr;  // of a scalar
    const Shape& shape = site.original().operand(operand)->shape();
    if (!shape.is_array() || Info(shape.element_type()).bits != 64) return nullptr;
    return OnOperand(operand, [](ElementType type, Element x) {
      if (!IsInteger(type) || Info(type).bits != 64) return x;
      return Element{static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(x.bits))), 0};
    })(site);
  };
}

Defect ResultByF32(std::initializer_list<ElementType> types) {
  return OnElements(
      [](const ElementSite& e) {
        const double value = e.result();
        return std::isfinite(value) && std::abs(value) < 0x1p127 ? e.Float(RoundedTo(kF32, value))
                                                                 : e.golden;
      },
      TypeIs(types));
}

std::vector<Mutant> NarrowValueMutants() {
  return {
      {"compare/by_sign_of_difference",
       {kCompare},
       "-2^31 LT 1 gives false: the difference overflows",
       OnElements(
           [](const ElementSite& e) {
             const bool less = e.instruction.GetEnum<ComparisonDirection>(Attr::kDirection) ==
                               ComparisonDirection::kLt;
             return less ? Element{static_cast<int32_t>(e.i(0) - e.i(1)) < 0, 0} : e.golden;
           },
           OperandTypeIs(0, {kS32}))},
      {"multiply/u64_by_f64",
       {kMultiply},
       "products have 53 bits",
       OnElements(
           [](const ElementSite& e) {
             const double product = static_cast<double>(e.u(0)) * static_cast<double>(e.u(1));
             return product < 0x1p63 ? e.Integer(static_cast<int64_t>(product)) : e.golden;
           },
           TypeIs({kU64}))},
      {"power/parity_of_large_exponents",
       {kPower},
       "exponents beyond 2^31 count as even",
       OnElements(
           [](const ElementSite& e) {
             const bool large = e.f(0) < 0 && std::abs(e.f(1)) >= 0x1p31 && std::isfinite(e.f(1));
             return large ? e.Float(std::abs(e.result())) : e.golden;
           },
           TypeIs({kF64}))},
      {"floor/f64_by_f32", {kFloor}, "16777217.5 gives 16777216", ResultByF32({kF64})},
      {"constant/f64_by_f32", {kConstant}, "constants have 24 bits", ResultByF32({kF64})},
      {"reduce/s32_by_f32",
       {kReduce},
       "integer sums are exact up to 2^24 only",
       OnElements(
           [](const ElementSite& e) {
             const auto value = static_cast<double>(DecodeSigned(e.type, e.golden.bits));
             return e.Integer(static_cast<int64_t>(RoundedTo(kF32, value)));
           },
           TypeIs({kS32}))},
      {"convolution/s8_sums_saturate_at_16_bits",
       {kConvolution},
       "sums of 8-bit products are kept in 16 bits",
       OnElements(
           [](const ElementSite& e) {
             const int64_t sum = DecodeSigned(e.type, e.golden.bits);
             return e.Integer(std::clamp<int64_t>(sum, INT16_MIN, INT16_MAX));
           },
           [](const Instruction& x) { return TypeIs({kS32})(x) && OperandTypeIs(0, {kS8})(x); })},
      {"gather/index_by_low_word", {kGather}, "2^32 reads the first element", LowWordOf(1)},
      {"scatter/index_by_low_word", {kScatter}, "2^32 updates the first element", LowWordOf(1)},
      {"dynamic-slice/start_by_low_word",
       {kDynamicSlice},
       "2^32 reads from the first element on",
       LowWordOf(1)},
      {"dynamic-update-slice/start_by_low_word",
       {kDynamicUpdateSlice},
       "2^32 updates the first element",
       LowWordOf(2)},
      {"cosh/f64_overflows_early",
       {kCosh},
       "710 gives inf: exp(x) overflows before its half does",
       OnElements(
           [](const ElementSite& e) {
             return std::abs(e.f(0)) > 709.79 ? e.Float(INFINITY) : e.golden;
           },
           TypeIs({kF64}))},
      {"exponential/last_values_before_overflow",
       {kExp},
       "88.5 gives inf: 2^k overflows before the product does",
       OnElements([](const ElementSite& e) { return e.f(0) > 88.4 ? e.Float(INFINITY) : e.golden; },
                  TypeIs({kF32}))},
  };
}

// Of the operands of one shape after the first `kept` each is the first of them.
Defect FirstForAll(size_t kept) {
  return Reorder([kept](std::vector<Instruction*>& x) {
    for (size_t i = kept + 1; i < x.size(); ++i) {
      if (x[i]->shape() == x[kept]->shape()) x[i] = x[kept];
    }
  });
}

std::vector<Mutant> CountMutants() {
  return {
      {"concatenate/beyond_four_operands",
       {kConcatenate},
       "the fifth operand is the first again",
       Reorder([](std::vector<Instruction*>& x) {
         for (size_t i = 4; i < x.size(); ++i) {
           if (x[i]->shape() == x[0]->shape()) x[i] = x[0];
         }
       })},
      {"conditional/operand_of_first_branch",
       {kConditional},
       "every branch gets the operand of the first",
       FirstForAll(1)},
      {"all-gather/first_operand_for_all",
       {kAllGather},
       "of several operands the first is gathered",
       FirstForAll(0)},
      {"opt-barrier/second_of_a_tuple_lost",
       {kOptimizationBarrier},
       "the second array behind the barrier is zero",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         if (leaves->size() > 1) (*leaves)[1] = Literal::Zeros((*leaves)[1].shape());
       })},
      {"sort/third_operand_not_moved",
       {kSort},
       "of three operands two are sorted",
       OnResult([](const Instruction&, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
         if (leaves->size() > 2) (*leaves)[2] = operands[2];
       })},
  };
}

}  // namespace

std::vector<Mutant> SizeMutants() {
  return Joined({TileMutants, NarrowConversionMutants, NarrowValueMutants, CountMutants});
}

}  // namespace assay::conformance
