// Defects of strides beside dilations, of the order of features and batches, of several dimensions
// of indexing; and of state that operations keep from one execution to the next.
#include <numeric>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// Windows of dimensions where a condition holds are shifted by one.
Defect ShiftedWhere(bool (*where)(const WindowDimension&)) {
  return EditWindow([where](WindowDimension& d) {
    if (where(d)) ++d.padding_low, --d.padding_high;
  });
}

// Another order of the indices of one dimension of the result: index i holds what `from(i)` held.
void Permute(Literal* leaf, int64_t d, const std::function<int64_t(int64_t)>& from) {
  const Literal right = *leaf;
  const absl::Span<const int64_t> sizes = right.shape().dimensions();
  int64_t stride = 1;
  for (size_t k = d + 1; k < sizes.size(); ++k) stride *= sizes[k];
  for (int64_t i = 0; i < right.element_count(); ++i) {
    const int64_t index = i / stride % sizes[d];
    leaf->Set(i, right.Get(i + (from(index) - index) * stride));
  }
}

// Features of a group stand beside those of the same number in other groups.
void FeaturesInterleaved(const Instruction& x, absl::Span<const Literal>,
                         std::vector<Literal>* leaves, const CustomCall&) {
  const int64_t groups = x.GetInt(Attr::kFeatureGroupCount);
  const int64_t d = x.convolution_dimensions().output_feature;
  const int64_t each = x.shape().dimension(d) / groups;
  Permute(&leaves->front(), d, [=](int64_t i) { return i % groups * each + i / groups; });
}

// The first index of a batch dimension holds for all, where there are two batch dimensions.
Defect FirstBatchOfTwo(int64_t last) {
  return OnResult([last](const Instruction& x, absl::Span<const Literal>,
                         std::vector<Literal>* leaves, const CustomCall&) {
    if (x.shape().rank() < last + 2) return;
    Permute(&leaves->front(), 0, [](int64_t) { return 0; });
  });
}

// Starts beyond the third do not count.
Defect StartsBeyondThree(int64_t first) {
  return [first](Site& site) -> Instruction* {
    std::vector<Instruction*> operands = site.operands();
    if (static_cast<int64_t>(operands.size()) < first + 4) return nullptr;
    for (size_t k = first + 3; k < operands.size(); ++k) operands[k] = operands[first];
    return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
  };
}

// Padding between elements of a dimension whose beginning is cut off.
Instruction* InteriorBesideNegativeLow(Site& site) {
  PaddingConfig padding = site.original().padding();
  bool shifted = false;
  for (PaddingDimension& d : padding.dimensions) {
    if (d.interior == 0 || d.low >= 0) continue;
    --d.low;
    ++d.high;
    shifted = true;
  }
  if (!shifted) return nullptr;
  return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kPadding, padding); });
}

std::vector<Mutant> WindowMutants() {
  return {
      {"reduce-window/stride_3_and_base_dilation_2",
       {kReduceWindow},
       "windows with both begin between the elements",
       ShiftedWhere([](const WindowDimension& d) {
         return d.base_dilation > 1 && d.stride > 1 && std::gcd(d.base_dilation, d.stride) == 1;
       })},
      {"convolution/stride_3_and_base_dilation_2",
       {kConvolution},
       "windows with both begin between the elements",
       ShiftedWhere([](const WindowDimension& d) {
         return d.base_dilation > 1 && d.stride > 1 && std::gcd(d.base_dilation, d.stride) == 1;
       })},
      {"convolution/stride_and_window_dilation",
       {kConvolution},
       "windows with both begin one later",
       ShiftedWhere(
           [](const WindowDimension& d) { return d.window_dilation > 1 && d.stride > 1; })},
      {"convolution/negative_padding_and_stride",
       {kConvolution},
       "negative padding is rounded to the stride",
       ShiftedWhere([](const WindowDimension& d) { return d.padding_low < 0 && d.stride > 1; })},
      {"convolution/reversal_and_stride",
       {kConvolution},
       "reversed windows with a stride begin one later",
       ShiftedWhere([](const WindowDimension& d) { return d.reversal && d.stride > 1; })},
      {"select-and-scatter/stride_beyond_the_window",
       {kSelectAndScatter},
       "windows that leave elements out begin one later",
       ShiftedWhere([](const WindowDimension& d) { return d.stride > d.size; })},
      {"reduce-window/padding_of_more_than_a_window",
       {kReduceWindow},
       "padding beyond the size of the window is cut",
       ShiftedWhere(
           [](const WindowDimension& d) { return d.padding_low >= d.size && d.size > 1; })},
      {"convolution/depthwise_multiplier",
       {kConvolution},
       "of several features for each group those of one number stand together",
       OnResult(FeaturesInterleaved)},
  };
}

std::vector<Mutant> PlaceMutants() {
  return {
      {"pad/interior_beside_negative_low",
       {kPad},
       "where the beginning is cut, interior padding comes first",
       InteriorBesideNegativeLow},
      {"dynamic-slice/fourth_start", {kDynamicSlice}, "three starts count", StartsBeyondThree(1)},
      {"dynamic-update-slice/fourth_start",
       {kDynamicUpdateSlice},
       "three starts count",
       StartsBeyondThree(2)},
      {"cholesky/first_of_two_batches",
       {kCholesky},
       "the second of two batch dimensions alone counts",
       FirstBatchOfTwo(2)},
      {"triangular-solve/first_of_two_batches",
       {kTriangularSolve},
       "the second of two batch dimensions alone counts",
       FirstBatchOfTwo(2)},
      {"map/third_operand",
       {kMap},
       "the third operand is taken for the second",
       Reorder([](std::vector<Instruction*>& operands) {
         if (operands.size() > 2) operands[1] = operands[2];
       })},
  };
}

std::vector<Mutant> KeptMutants() {
  using enum StateDefect;
  return {
      {"while/first_result_kept", {kWhile}, "a loop is run once", {}, {}, kFirstResultKept},
      {"convolution/accumulator_kept",
       {kConvolution},
       "sums of the execution before are not cleared",
       {},
       {},
       kAccumulatorKept},
      {"cholesky/argument_overwritten",
       {kCholesky},
       "the argument is factorised in place",
       {},
       {},
       kArgumentOverwritten},
      {"fft/first_result_kept", {kFft}, "the plan keeps its result", {}, {}, kFirstResultKept},
  };
}

}  // namespace

std::vector<Mutant> GeometryMutants() {
  return InStandardTier(
      Joined({WindowMutants, PlaceMutants, KeptMutants}),
      {"cholesky/argument_overwritten", "convolution/stride_3_and_base_dilation_2",
       "reduce-window/stride_3_and_base_dilation_2"});
}

}  // namespace assay::conformance
