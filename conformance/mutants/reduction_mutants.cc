// Defects of reductions, windows, scans and normalisations.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/sums.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kF16, ElementType::kF32, ElementType::kF64;

Opcode RootOf(const Instruction& x) { return x.to_apply()->root()->opcode(); }

// The root of the region is another operation of the same operands.
Defect RegionBecomes(Attr attr, Opcode from, Opcode to) {
  return [attr, from, to](Site& site) -> Instruction* {
    const Computation* callee = site.original().GetComputation(attr);
    if (callee == nullptr || callee->root()->opcode() != from) return nullptr;
    Computation* region = site.EditedCallee(attr, [](Instruction&) {});
    Instruction* root = region->root();
    auto other = std::make_unique<Instruction>(to, root->shape());
    other->set_name("defect");
    other->set_operands(root->operands());
    region->set_root(region->Add(std::move(other)));
    return site.Edited([&](Instruction& x) { x.SetAttribute(attr, region); });
  };
}

// Elements of the first operand that a mask leaves out are `neutral` (of an addition: zero).
using Omitted = std::function<bool(const Instruction& x, absl::Span<const int64_t> index)>;
Defect LeavesOut(Omitted mask) {
  return [mask = std::move(mask)](Site& site) -> Instruction* {
    const Instruction& original = site.original();
    const Shape& shape = original.operand(0)->shape();
    if (RootOf(original) != kAdd || shape.is_dynamic()) return nullptr;
    std::vector<Instruction*> operands = site.operands();
    operands[0] = site.Call(
        {operands[0]}, shape,
        [mask](const Instruction& x, absl::Span<const Literal> values, const CustomCall&) {
          Literal changed = values[0];
          for (int64_t i = 0; i < changed.element_count(); ++i) {
            const Dimensions index = evaluator::IndexAt(i, changed.shape().dimensions());
            if (mask(x, index)) changed.Set(i, Element{});
          }
          return changed;
        });
    return site.Edited([&](Instruction& x) { x.set_operands(operands); });
  };
}

// The initial value of an addition becomes zero, of a maximum or minimum anything.
Defect InitialIsZero() {
  return [](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    const int64_t half = x.operand_count() / 2;
    std::vector<Instruction*> operands = site.operands();
    for (int64_t k = half; k < x.operand_count(); ++k) {
      operands[k] = site.Call({operands[k]}, x.operand(k)->shape(),
                              [](const Instruction&, absl::Span<const Literal> values,
                                 const CustomCall&) { return Literal::Zeros(values[0].shape()); });
    }
    return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
  };
}

Defect SumsIn(ElementType accumulator, std::initializer_list<ElementType> types) {
  return SumBy([accumulator](const std::vector<SumTerm>& terms,
                             ElementType) { return SumForward(terms, accumulator); },
               TypeIs(types));
}

// Of several arrays that are folded together the narrow sums are rounded at every addition.
// Rounding to the bits of the type changes no value of it, and is no addition that golden would sum
// exactly.
Defect NarrowSumsBesideOthers() {
  return [](Site& site) -> Instruction* {
    if (RootOf(site.original()) != kTuple) return nullptr;
    bool changed = false;
    Computation* region = site.EditedCallee(Attr::kToApply, [](Instruction&) {});
    std::vector<Instruction*> parts(region->root()->operands().begin(),
                                    region->root()->operands().end());
    if (absl::flat_hash_set<Instruction*>(parts.begin(), parts.end()).size() < 2) return nullptr;
    absl::flat_hash_map<Instruction*, Instruction*> rounded;
    for (Instruction*& part : parts) {
      const Shape& shape = part->shape();
      if (part->opcode() != kAdd || !IsFloat(shape.element_type())) continue;
      if (Info(shape.element_type()).bits >= 32) continue;
      Instruction*& own = rounded[part];
      if (own == nullptr) {
        auto other = std::make_unique<Instruction>(kReducePrecision, shape);
        other->set_name(absl::StrCat("defect", rounded.size()));
        other->set_operands({part});
        other->SetAttribute(Attr::kExponentBits, 11);
        other->SetAttribute(Attr::kMantissaBits,
                            Info(shape.element_type()).format->significand_bits);
        own = region->Add(std::move(other));
      }
      part = own;
      changed = true;
    }
    if (!changed) return nullptr;
    auto root = std::make_unique<Instruction>(kTuple, region->root()->shape());
    root->set_name("defect");
    root->set_operands(parts);
    region->set_root(region->Add(std::move(root)));
    return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kToApply, region); });
  };
}

// NaNs among what is reduced are left out.
Defect IgnoresNan() {
  return [](Site& site) -> Instruction* {
    const Opcode root = RootOf(site.original());
    if (root != kMaximum && root != kMinimum) return nullptr;
    return OnOperand(0, [root](ElementType type, Element x) {
      if (!IsFloat(type) || !IsNan(type, x.bits)) return x;
      return Element{root == kMaximum ? Lowest(type) : MaxFinite(type), 0};
    })(site);
  };
}

std::vector<Mutant> ReduceMutants() {
  return {
      {"reduce/initial_value_skipped", {kReduce}, "the fold starts from zero", InitialIsZero()},
      {"reduce/last_element_dropped",
       {kReduce},
       "the loop ends one early",
       LeavesOut([](const Instruction& x, evaluator::Index index) {
         for (int64_t d : x.GetInts(Attr::kDimensions)) {
           if (index[d] + 1 != x.operand(0)->shape().dimension(d)) return false;
         }
         return !x.GetInts(Attr::kDimensions).empty();
       })},
      {"reduce/remainder_of_lanes_dropped",
       {kReduce},
       "what 4 lanes do not divide is lost",
       LeavesOut([](const Instruction& x, evaluator::Index index) {
         const absl::Span<const int64_t> dimensions = x.GetInts(Attr::kDimensions);
         if (dimensions.empty()) return false;
         const int64_t size = x.operand(0)->shape().dimension(dimensions.back());
         return size > 4 && index[dimensions.back()] >= size - size % 4;
       })},
      {"reduce/other_dimension",
       {kReduce},
       "a dimension of the same size is reduced",
       EditInts(Attr::kDimensions,
                [](std::vector<int64_t>& x) {
                  if (x.size() == 1) x[0] = x[0] == 0 ? 1 : x[0] - 1;
                })},
      {"reduce/sums_in_bf16", {kReduce}, "sums of bf16 are kept in bf16", SumsIn(kBF16, {kBF16})},
      {"reduce/sums_in_f16", {kReduce}, "sums of f16 are kept in f16", SumsIn(kF16, {kF16})},
      {"reduce/f64_sums_in_f32", {kReduce}, "sums of f64 are kept in f32", SumsIn(kF32, {kF64})},
      {"reduce/sums_narrow_beside_another",
       {kReduce},
       "folded together with another array, a narrow sum is rounded at every addition",
       NarrowSumsBesideOthers()},
      {"reduce/maximum_ignores_nan", {kReduce}, "a NaN does not reach the maximum", IgnoresNan()},
      {"reduce/minimum_is_maximum",
       {kReduce},
       "the reducer is taken for another",
       RegionBecomes(Attr::kToApply, kMinimum, kMaximum)},
      {"reduce/and_is_or",
       {kReduce},
       "all() gives any()",
       RegionBecomes(Attr::kToApply, kAnd, kOr)},
      {"reduce/product_is_sum",
       {kReduce},
       "the reducer is taken for an addition",
       RegionBecomes(Attr::kToApply, kMultiply, kAdd)},
      {"reduce/arguments_exchanged",
       {kReduce},
       "the region gets element and accumulator exchanged",
       [](Site& site) -> Instruction* {
         const int64_t half = site.original().operand_count() / 2;
         return EditRegion(Attr::kToApply, [half](Instruction& x) {
           if (x.opcode() != kParameter) return;
           const int64_t n = x.parameter_number();
           x.set_parameter_number(n < half ? n + half : n - half);
         })(site);
       }},
      {"map/arguments_exchanged",
       {kMap},
       "the function gets its arguments exchanged",
       [](Site& site) -> Instruction* {
         if (site.original().operand_count() != 2) return nullptr;
         return SwapParameters(Attr::kToApply)(site);
       }},
      {"map/last_element_not_mapped",
       {kMap},
       "the loop ends one early",
       OnElements([](const ElementSite& e) {
         const bool last = e.position + 1 == e.instruction.shape().element_count();
         return last && e.types[0] == e.type ? e.x[0] : e.golden;
       })},
  };
}

std::vector<Mutant> WindowMutants() {
  return {
      {"reduce-window/dilation_ignored",
       {kReduceWindow},
       "windows have no interior padding",
       EditWindow([](WindowDimension& d) {
         const int64_t extent = (d.size - 1) * d.window_dilation + 1;
         d.padding_high -= extent - d.size;
         d.window_dilation = 1;
       })},
      {"reduce-window/base_dilation_filled",
       {kReduceWindow},
       "the padding is taken for dilation",
       EditWindow([](WindowDimension& d) {
         if (d.base_dilation == 1) return;
         ++d.padding_low;
         --d.padding_high;
       })},
      {"reduce-window/low_padding_off_by_one",
       {kReduceWindow},
       "windows are shifted by one",
       EditWindow([](WindowDimension& d) { ++d.padding_low, --d.padding_high; })},
      {"reduce-window/padding_sides_exchanged",
       {kReduceWindow},
       "low padding is put at the end",
       EditWindow([](WindowDimension& d) { std::swap(d.padding_low, d.padding_high); })},
      {"reduce-window/stride_rounds_up",
       {kReduceWindow},
       "windows start at the next stride's end",
       EditWindow([](WindowDimension& d) {
         if (d.stride > 1) --d.padding_low, ++d.padding_high;
       })},
      {"reduce-window/window_one_short",
       {kReduceWindow},
       "the last element of a window is left out",
       EditWindow([](WindowDimension& d) {
         if (d.size < 2) return;
         --d.size;
         d.padding_high -= d.window_dilation;
       })},
      {"reduce-window/initial_value_skipped",
       {kReduceWindow},
       "the fold starts from zero",
       InitialIsZero()},
      {"reduce-window/sums_in_bf16",
       {kReduceWindow},
       "sums of bf16 are kept in bf16",
       SumsIn(kBF16, {kBF16})},
      {"reduce-window/sums_narrow_beside_another",
       {kReduceWindow},
       "folded together with another array, a narrow sum is rounded at every addition",
       NarrowSumsBesideOthers()},
      {"reduce-window/maximum_ignores_nan",
       {kReduceWindow},
       "a NaN does not reach the maximum",
       IgnoresNan()},
      {"reduce-window/maximum_is_minimum",
       {kReduceWindow},
       "pooling uses the wrong comparison",
       RegionBecomes(Attr::kToApply, kMaximum, kMinimum)},
      {"select-and-scatter/picks_last_of_equals",
       {kSelectAndScatter},
       "of equal elements the last is selected",
       [](Site& site) -> Instruction* {
         Computation* select = site.EditedCallee(Attr::kSelect, [](Instruction& x) {
           if (x.opcode() != kCompare) return;
           auto direction = x.GetEnum<ComparisonDirection>(Attr::kDirection);
           if (direction == ComparisonDirection::kGe)
             direction = ComparisonDirection::kGt;
           else if (direction == ComparisonDirection::kLe)
             direction = ComparisonDirection::kLt;
           x.SetAttribute(Attr::kDirection, static_cast<int64_t>(direction));
         });
         return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kSelect, select); });
       }},
      {"select-and-scatter/selects_least",
       {kSelectAndScatter},
       "the comparison is the wrong way round",
       SwapParameters(Attr::kSelect)},
      {"select-and-scatter/overlaps_overwrite",
       {kSelectAndScatter},
       "where windows overlap the last one counts",
       [](Site& site) -> Instruction* {
         Computation* region = site.EditedCallee(Attr::kScatter, [](Instruction&) {});
         region->set_root(region->parameters()[0]);
         return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kScatter, region); });
       }},
      {"select-and-scatter/low_padding_off_by_one",
       {kSelectAndScatter},
       "windows are shifted by one",
       EditWindow([](WindowDimension& d) { ++d.padding_low, --d.padding_high; })},
      {"select-and-scatter/initial_value_skipped",
       {kSelectAndScatter},
       "cells start from zero",
       OnOperand(2, [](ElementType, Element) { return Element{}; })},
  };
}

// Leaf `leaf` of batch-norm-training or -grad, scaled by what the number of cells gives.
Defect LeafScaled(size_t leaf, double (*factor)(double cells)) {
  return OnResult([leaf, factor](const Instruction& x, absl::Span<const Literal> operands,
                                 std::vector<Literal>* leaves, const CustomCall&) {
    Literal& out = (*leaves)[leaf];
    if (operands[0].element_count() == 0) return;
    const double cells = static_cast<double>(
        operands[0].element_count() / operands[0].shape().dimension(x.GetInt(Attr::kFeatureIndex)));
    for (int64_t i = 0; i < out.element_count(); ++i) {
      const double value = DecodeFloat(out.element_type(), out.Get(i).bits);
      out.Set(i, {EncodeFloat(out.element_type(), value * factor(cells)), 0});
    }
  });
}

Defect EpsilonIsZero() {
  return Edit([](Instruction& x) { x.SetAttribute(Attr::kEpsilon, 0.0); });
}

std::vector<Mutant> ScanMutants() {
  return {
      {"scan/direction_ignored", {kScan}, "a reverse scan runs forward", Edit([](Instruction& x) {
         x.SetAttribute(Attr::kIsReverse, false);
       })},
      {"scan/runs_backwards", {kScan}, "a forward scan runs from the end", Edit([](Instruction& x) {
         x.SetAttribute(Attr::kIsReverse, true);
       })},
      {"scan/initial_carry_is_zero",
       {kScan},
       "the first carry does not count",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const int64_t carries = x.GetInt(Attr::kNumCarries);
         std::vector<Instruction*> operands = site.operands();
         for (int64_t k = x.operand_count() - carries; k < x.operand_count(); ++k) {
           operands[k] =
               site.Call({operands[k]}, x.operand(k)->shape(),
                         [](const Instruction&, absl::Span<const Literal> values,
                            const CustomCall&) { return Literal::Zeros(values[0].shape()); });
         }
         return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
       }},
      {"scan/first_output_repeated",
       {kScan},
       "outputs are those of the step before",
       OnResult([](const Instruction& x, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         Literal& out = leaves->front();
         const int64_t d = x.GetInt(Attr::kDimension);
         if (out.shape().rank() <= d) return;
         const Literal right = out;
         for (int64_t i = 0; i < out.element_count(); ++i) {
           Dimensions from = evaluator::IndexAt(i, out.shape().dimensions());
           from[d] = std::max<int64_t>(from[d] - 1, 0);
           out.Set(i, right.Get(evaluator::PositionOf(from, out.shape().dimensions())));
         }
       })},
      {"scan/sums_narrow_beside_another",
       {kScan},
       "folded together with another array, a narrow sum is rounded at every addition",
       NarrowSumsBesideOthers()},
      {"scatter/sums_narrow_beside_another",
       {kScatter},
       "folded together with another array, a narrow sum is rounded at every addition",
       NarrowSumsBesideOthers()},
      {"batch-norm-training/unbiased_variance",
       {kBatchNormTraining},
       "the variance is divided by n - 1",
       LeafScaled(2, [](double n) { return n > 1 ? n / (n - 1) : 1; })},
      {"batch-norm-training/sum_for_mean",
       {kBatchNormTraining},
       "the mean is not divided",
       LeafScaled(1, [](double n) { return n; })},
      {"batch-norm-training/epsilon_ignored",
       {kBatchNormTraining},
       "x is divided by sqrt(variance), without epsilon",
       EpsilonIsZero()},
      {"batch-norm-training/scale_and_offset_exchanged",
       {kBatchNormTraining},
       "scale and offset are taken for each other",
       Reorder([](std::vector<Instruction*>& x) { std::swap(x[1], x[2]); })},
      {"batch-norm-inference/epsilon_ignored",
       {kBatchNormInference},
       "x is divided by sqrt(variance), without epsilon",
       EpsilonIsZero()},
      {"batch-norm-inference/mean_and_variance_exchanged",
       {kBatchNormInference},
       "mean and variance are taken for each other",
       Reorder([](std::vector<Instruction*>& x) { std::swap(x[3], x[4]); })},
      {"batch-norm-inference/wrong_feature_dimension",
       {kBatchNormInference},
       "features are counted along a dimension of the same size",
       Edit([](Instruction& x) {
         const int64_t d = x.GetInt(Attr::kFeatureIndex);
         x.SetAttribute(Attr::kFeatureIndex, d == 0 ? x.shape().rank() - 1 : d - 1);
       })},
      {"batch-norm-grad/offset_gradient_averaged",
       {kBatchNormGrad},
       "the sum is divided by n",
       LeafScaled(2, [](double n) { return 1 / n; })},
      {"batch-norm-grad/scale_gradient_negated",
       {kBatchNormGrad},
       "the sign is wrong",
       LeafScaled(1, [](double) { return -1.0; })},
      {"batch-norm-grad/epsilon_ignored",
       {kBatchNormGrad},
       "the variance is taken without epsilon",
       EpsilonIsZero()},
  };
}

}  // namespace

std::vector<Mutant> ReductionMutants() {
  return Joined({ReduceMutants, WindowMutants, ScanMutants});
}

}  // namespace assay::conformance
