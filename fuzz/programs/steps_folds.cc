// Steps that fold, contract, scan and sort.
#include <algorithm>
#include <utility>

#include "fuzz/programs/regions.h"
#include "fuzz/programs/steps.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

// A start value: one that is not neutral as a rule, so that a fold that takes it twice, or not at
// all, is another one.
Instruction* StartThatTells(Sketch& s, ElementType type) {
  static constexpr double kNumbers[] = {1, 2, 3, -1, 0, 5};
  if (s.choices().OneIn(3)) return s.w().ScalarOf(type);
  return s.Number(type, s.choices().Of(kNumbers));
}

Instruction* ReduceStep(Sketch& s, Instruction* x) {
  const int64_t rank = x->shape().rank();
  const Opcode fold = AnyFold(s.w(), s.TypeOf(x));
  if (rank == 0 || !Sketch::Takes(fold, x)) return nullptr;
  const int64_t always = s.choices().Below(rank);
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == always || s.choices().OneIn(3)) dimensions.push_back(d);
  }
  return s.Reduce(x, fold, std::move(dimensions), StartThatTells(s, s.TypeOf(x)));
}

Instruction* FoldOfWindows(Sketch& s, Instruction* x, const Window& window) {
  const ElementType type = s.TypeOf(x);
  const Opcode fold = AnyFold(s.w(), type);
  if (!Sketch::Takes(fold, x)) return nullptr;
  Instruction* const start = StartThatTells(s, type);
  Computation* const region = s.Region(fold, type);
  auto made = s.w().Start(kReduceWindow, {x, start});
  made->SetAttribute(Attr::kWindow, window);
  made->SetAttribute(Attr::kToApply, region);
  return s.w().Finish(std::move(made));
}

Instruction* ReduceWindowStep(Sketch& s, Instruction* x) {
  Choices& choices = s.choices();
  if (x->shape().rank() == 0) return nullptr;
  Window window;
  for (const int64_t size : x->shape().dimensions()) {
    WindowDimension& d = window.dimensions.emplace_back();
    d.size = std::clamp<int64_t>(choices.Between(1, 3), 1, std::max<int64_t>(size, 1));
    d.stride = choices.OneIn(4) ? 2 : 1;
    // A window of the size before, as a rule or by chance.
    if (choices.OneIn(3)) d.padding_low = d.size - 1;
    if (choices.OneIn(4)) d.padding_high = 1;
    if (choices.OneIn(6)) d.window_dilation = 2, d.padding_high += 2;
    if (choices.OneIn(8)) d.base_dilation = 2;
  }
  return FoldOfWindows(s, x, window);
}

// Sums, products or extrema of all elements up to each one, from either end.
Instruction* CumulativeStep(Sketch& s, Instruction* x) {
  if (x->shape().rank() == 0) return nullptr;
  const int64_t along = s.choices().Below(x->shape().rank());
  Window window;
  window.dimensions.resize(x->shape().rank());
  WindowDimension& d = window.dimensions[along];
  d.size = std::max<int64_t>(x->shape().dimension(along), 1);
  (s.choices().OneIn(3) ? d.padding_high : d.padding_low) = d.size - 1;
  return FoldOfWindows(s, x, window);
}

// A product with a new array, on either side. Often the new one has the sizes of the value, so that
// another contracting dimension gives the same shape.
Instruction* DotStep(Sketch& s, Instruction* x) {
  Choices& choices = s.choices();
  const int64_t rank = x->shape().rank();
  if (rank == 0 || !Sketch::Takes(kDot, x)) return nullptr;
  const int64_t batches = rank > 2 ? rank - 2 : 0;
  const int64_t own = batches + choices.Below(rank - batches);
  const int64_t size = x->shape().dimension(own);
  Dimensions other(x->shape().dimensions().begin(), x->shape().dimensions().begin() + batches);
  const int64_t free = choices.OneIn(2) ? size : choices.Between(1, 4);
  const int64_t place = choices.Below(2);
  other.push_back(place == 0 ? size : free);
  other.push_back(place == 0 ? free : size);
  if (CountOf(other) > kStepElements) return nullptr;
  Instruction* const y = ArrayThatTells(s, s.TypeOf(x), other);
  if (choices.OneIn(3)) return s.Dot(y, x, batches + place, own, batches);
  return s.Dot(x, y, own, batches + place, batches);
}

Instruction* ConvolutionStep(Sketch& s, Instruction* x) {
  if (x->shape().rank() < 2 || CountOf(Sketch::SizesOf(x)) > 64) return nullptr;
  return StepByRow(s, kConvolution, x);
}

// By the row of the grammar, or stably and with numbers that tell equal keys apart.
Instruction* SortStep(Sketch& s, Instruction* x) {
  if (x->shape().rank() == 0) return nullptr;
  if (s.choices().OneIn(2)) return StepByRow(s, kSort, x);
  Instruction* const keys = s.choices().OneIn(2) ? s.Op(kSign, {x}) : x;
  if (keys == nullptr) return nullptr;
  const ElementType type = s.AnyOf({ElementType::kS32, ElementType::kF32, ElementType::kU8});
  Instruction* const numbers = s.Iota(type, Sketch::SizesOf(x), x->shape().rank() - 1);
  return s.Sort({keys, numbers}, s.choices().OneIn(2)).back();
}

Instruction* ScanStep(Sketch& s, Instruction* x) {
  return x->shape().rank() == 0 || x->shape().rank() > 3 ? nullptr : StepByRow(s, kScan, x);
}

constexpr Step kFoldSteps[] = {
    {"reduce", ReduceStep}, {"reduce-window", ReduceWindowStep}, {"cumulative", CumulativeStep},
    {"dot", DotStep},       {"convolution", ConvolutionStep},    {"sort", SortStep},
    {"scan", ScanStep},
};

}  // namespace

Instruction* StepByRow(Sketch& s, Opcode opcode, Instruction* x) {
  ProgramWriter& w = s.w();
  if (!Sketch::Takes(opcode, x) || !w.MayWrite(opcode)) return nullptr;
  const int64_t before = w.computation().instruction_count();
  w.WriteOn(opcode, x);
  Instruction* const made = w.LatestOf(opcode, before);
  if (made == nullptr || made->operand(0) != x) return nullptr;
  Instruction* const last = w.LatestValue();
  return last->index() >= made->index() && last->shape().is_array() ? last : nullptr;
}

Instruction* CollectiveStep(Sketch& s, Instruction* x) {
  static constexpr Opcode kCollectives[] = {kAllReduce,     kAllGather, kAllReduce,
                                            kReduceScatter, kAllToAll,  kCollectivePermute};
  if (s.w().devices() == 1) return nullptr;
  return StepByRow(s, s.choices().Of(kCollectives), x);
}

absl::Span<const Step> FoldSteps() { return kFoldSteps; }

}  // namespace assay::fuzz
