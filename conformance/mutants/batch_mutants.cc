// Defects of batches and of lists: two batching dimensions, a matrix that spoils its batch, lines
// that are counted on, pairs of one device; and of comparisons of one kind of values.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/rewrites.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using enum ComparisonDirection;
using ElementType::kC64, ElementType::kF8E4M3FN, ElementType::kF8E5M2, ElementType::kS2,
    ElementType::kS4;

bool IsOrder(ComparisonDirection d) { return d != kEq && d != kNe; }

// Comparisons give the other answer where their operands differ and a condition holds.
Defect OrderInverted(bool (*where)(const ElementSite&), std::initializer_list<ElementType> types) {
  return OnElements(
      [where](const ElementSite& e) {
        const bool inverted =
            IsOrder(DirectionOf(e.instruction)) && !(e.x[0] == e.x[1]) && where(e);
        return inverted ? Element{e.golden.bits ^ 1, 0} : e.golden;
      },
      OperandTypeIs(0, types));
}

// The first two dimensions of a list are exchanged.
Defect FirstTwoExchanged(Attr attr) {
  return [attr](Site& site) -> Instruction* {
    if (site.original().GetInts(attr).size() < 2) return nullptr;
    return site.Edited([attr](Instruction& x) {
      const absl::Span<const int64_t> ints = x.GetInts(attr);
      std::vector<int64_t> exchanged(ints.begin(), ints.end());
      std::swap(exchanged[0], exchanged[1]);
      x.SetAttribute(attr, exchanged);
    });
  };
}

// Calls visit(positions) with the positions of every line along dimension d.
void ForEachLine(const Shape& shape, int64_t d,
                 const std::function<void(const std::vector<int64_t>&)>& visit) {
  const absl::Span<const int64_t> sizes = shape.dimensions();
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    Dimensions index = evaluator::IndexAt(i, sizes);
    if (index[d] != 0) continue;
    std::vector<int64_t> positions;
    for (; index[d] < sizes[d]; ++index[d]) {
      positions.push_back(evaluator::PositionOf(index, sizes));
    }
    visit(positions);
  }
}

// Exchanges what belongs to equal keys that are NaN: the last one comes first.
void ReverseNans(const Instruction& sort, std::vector<Literal>* leaves) {
  const Literal keys = leaves->front();
  if (!sort.GetBool(Attr::kIsStable) || !IsFloat(keys.element_type())) return;
  const std::vector<Literal> right = *leaves;
  ForEachLine(keys.shape(), sort.GetInt(Attr::kDimension), [&](const std::vector<int64_t>& line) {
    size_t begin = 0;
    while (begin < line.size()) {
      size_t end = begin;
      while (end < line.size() && IsNan(keys.element_type(), keys.Get(line[end]).bits)) ++end;
      for (size_t k = begin; k < end; ++k) {
        for (size_t leaf = 1; leaf < leaves->size(); ++leaf) {
          (*leaves)[leaf].Set(line[k], right[leaf].Get(line[begin + end - 1 - k]));
        }
      }
      begin = end + 1;
    }
  });
}

bool HasNan(const Literal& values, int64_t begin, int64_t count) {
  const ElementType part = IsComplex(values.element_type()) ? Info(values.element_type()).component
                                                            : values.element_type();
  for (int64_t i = begin; i < begin + count; ++i) {
    if (IsNan(part, values.Get(i).bits)) return true;
  }
  return false;
}

// Where one matrix has no factor, all are NaN.
void SpoilBatch(std::vector<Literal>* leaves) {
  Literal& factors = leaves->front();
  const absl::Span<const int64_t> sizes = factors.shape().dimensions();
  const int64_t count = sizes.back() * sizes.back();
  if (count == 0 || !HasNan(factors, 0, factors.element_count())) return;
  for (int64_t i = 0; i < factors.element_count(); ++i) {
    const uint64_t nan =
        CanonicalNan(IsComplex(factors.element_type()) ? Info(factors.element_type()).component
                                                       : factors.element_type());
    if (!HasNan(factors, i / count * count, count)) factors.Set(i, {nan, 0});
  }
}

// The imaginary part of the last bin of each line is zero, as that of an even length is.
Instruction* LastBinIsReal(Site& site) {
  const Instruction& x = site.original();
  const bool real = x.GetEnum<FftType>(Attr::kFftType) == FftType::kIrfft;
  if (!real || x.GetInts(Attr::kFftLength).back() % 2 == 0) return nullptr;
  Instruction* operand =
      site.Call({site.operand(0)}, x.operand(0)->shape(),
                [](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
                  Literal changed = values[0];
                  const int64_t bins = changed.shape().dimensions().back();
                  for (int64_t i = bins - 1; i < changed.element_count(); i += bins) {
                    changed.Set(i, {changed.Get(i).bits, 0});
                  }
                  return changed;
                });
  return site.Edited([&](Instruction& copy) { copy.set_operands({operand}); });
}

// The lower half of the counter is counted, without a carry into the upper one.
void LoseCarry(const Literal& before, Literal& state, int64_t word) {
  if (state.element_count() <= word || Info(state.element_type()).bits != 64) return;
  constexpr uint64_t kHigh = ~uint64_t{0xffffffff};
  state.Set(word, {(before.Get(word).bits & kHigh) | (state.Get(word).bits & ~kHigh), 0});
}

std::vector<Mutant> BatchMutants() {
  return {
      {"gather/batching_dimensions_exchanged",
       {kGather},
       "two batching dimensions are paired crosswise",
       FirstTwoExchanged(Attr::kStartIndicesBatchingDims)},
      {"scatter/batching_dimensions_exchanged",
       {kScatter},
       "two batching dimensions are paired crosswise",
       FirstTwoExchanged(Attr::kScatterIndicesBatchingDims)},
      {"topk/indices_of_all_lines",
       {kTopK},
       "indices count on from line to line",
       OnResult([](const Instruction& x, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
         Literal& indices = leaves->back();
         const int64_t k = x.GetInt(Attr::kK);
         if (k == 0) return;
         const int64_t size = operands[0].shape().dimensions().back();
         for (int64_t i = 0; i < indices.element_count(); ++i) {
           indices.Set(i, {indices.Get(i).bits + static_cast<uint64_t>(i / k * size), 0});
         }
       })},
      {"sort/nans_not_stable",
       {kSort},
       "a stable sort brings values of NaN keys in the opposite order",
       OnResult([](const Instruction& x, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) { ReverseNans(x, leaves); })},
      {"cholesky/one_failure_for_all",
       {kCholesky},
       "where one matrix of a batch has no factor, all are NaN",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) { SpoilBatch(leaves); })},
      {"cholesky/reads_the_other_triangle",
       {kCholesky},
       "the triangle that does not count is factorised",
       [](Site& site) -> Instruction* {
         const Shape& shape = site.original().shape();
         if (shape.is_dynamic()) return nullptr;
         std::vector<int64_t> dims(shape.rank());
         for (size_t d = 0; d < dims.size(); ++d) dims[d] = static_cast<int64_t>(d);
         std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
         Instruction* transposed =
             site.Make(kTranspose, site.original().operand(0)->shape(), {site.operand(0)},
                       [&](Instruction& x) { x.SetAttribute(Attr::kDimensions, dims); });
         if (transposed == nullptr) return nullptr;
         return site.Edited([&](Instruction& copy) { copy.set_operands({transposed}); });
       }},
      {"fft/odd_length_as_even",
       {kFft},
       "the last bin of a real transform of odd length is taken for real",
       LastBinIsReal},
      {"rng-bit-generator/carry_of_the_counter",
       {kRngBitGenerator},
       "the lower half of the counter does not carry into the upper one",
       OnResult([](const Instruction&, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves,
                   const CustomCall&) { LoseCarry(operands[0], leaves->front(), 1); })},
      {"rng-bit-generator/carry_into_the_third_word",
       {kRngBitGenerator},
       "a counter of 128 bits ends after 64",
       OnResult([](const Instruction&, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
         if (leaves->front().element_count() == 3) leaves->front().Set(2, operands[0].Get(2));
       })},
      {"all-reduce/second_operand_kept",
       {kAllReduce},
       "of several operands the first is reduced",
       OnResult([](const Instruction&, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
         for (size_t k = 1; k < leaves->size(); ++k) (*leaves)[k] = operands[k];
       })},
      {"collective-permute/to_itself_is_zero",
       {kCollectivePermute},
       "a pair of one device does not send",
       Edit([](Instruction& x) {
         auto pairs =
             *x.attributes().Get<std::vector<std::vector<int64_t>>>(Attr::kSourceTargetPairs);
         std::erase_if(pairs, [](const auto& pair) { return pair[0] == pair[1]; });
         x.SetAttribute(Attr::kSourceTargetPairs, pairs);
       })},
  };
}

std::vector<Mutant> KindsOfComparisons() {
  return {
      {"compare/payloads_are_equal",
       {kCompare},
       "in TOTALORDER all NaNs of a sign are equal",
       OnElements([](const ElementSite& e) {
         const std::optional<int64_t> type = e.instruction.FindInt(Attr::kComparisonType);
         if (type != static_cast<int64_t>(ComparisonType::kTotalOrder)) return e.golden;
         if (!e.nan(0) || !e.nan(1) ||
             IsNegative(e.types[0], e.x[0].bits) != IsNegative(e.types[1], e.x[1].bits)) {
           return e.golden;
         }
         const ComparisonDirection d = DirectionOf(e.instruction);
         return Element{d == kEq || d == kLe || d == kGe ? uint64_t{1} : uint64_t{0}, 0};
       })},
      {"compare/f8_by_signed_bits",
       {kCompare},
       "two negative 8-bit floats are compared as integers",
       OrderInverted(
           [](const ElementSite& e) { return !e.nan(0) && !e.nan(1) && e.f(0) < 0 && e.f(1) < 0; },
           {kF8E4M3FN, kF8E5M2})},
      {"compare/s4_as_unsigned",
       {kCompare},
       "negative numbers of two and four bits are larger than positive ones",
       OrderInverted([](const ElementSite& e) { return (e.i(0) < 0) != (e.i(1) < 0); },
                     {kS4, kS2})},
      {"compare/complex_any_part",
       {kCompare},
       "complex numbers of which one part differs are equal",
       OnElements(
           [](const ElementSite& e) {
             const bool one = (e.x[0].bits == e.x[1].bits) != (e.x[0].imag == e.x[1].imag);
             return one ? Element{DirectionOf(e.instruction) == kEq, 0} : e.golden;
           },
           OperandTypeIs(0, {kC64}))},
  };
}

}  // namespace

std::vector<Mutant> ListMutants() {
  return InStandardTier(Joined({BatchMutants, KindsOfComparisons}),
                        {"compare/f8_by_signed_bits", "compare/s4_as_unsigned"});
}

}  // namespace assay::conformance
