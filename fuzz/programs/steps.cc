#include "fuzz/programs/steps.h"

#include <algorithm>

#include "fuzz/programs/edges.h"

namespace assay::fuzz {
namespace {

using conformance::ValueProfile;

// Values that a move to a wrong place shows.
constexpr ValueProfile kDistinctValues[] = {ValueProfile::kAll,      ValueProfile::kUnique,
                                            ValueProfile::kPatterns, ValueProfile::kUnique,
                                            ValueProfile::kBenign,   ValueProfile::kDuplicates};

constexpr ElementType kTypesOfSteps[] = {
    ElementType::kF32, ElementType::kS32,  ElementType::kBF16,     ElementType::kS8,
    ElementType::kU8,  ElementType::kF64,  ElementType::kF32,      ElementType::kS32,
    ElementType::kF16, ElementType::kC64,  ElementType::kF8E4M3FN, ElementType::kU32,
    ElementType::kS16, ElementType::kPred, ElementType::kS64,      ElementType::kS4};

}  // namespace

Instruction* ArrayThatTells(Sketch& s, ElementType type, Sizes sizes) {
  if (s.choices().OneIn(3)) return s.TellingValues(type, sizes);
  conformance::ProfileUse use;
  use.profile = s.choices().Of(kDistinctValues);
  use.seed = s.choices().Byte() + 1;
  if (use.profile == ValueProfile::kAll) use.offset = AnyEdgePattern(type, s.choices());
  if (!conformance::CheckProfile(use, Shape(type, sizes)).ok()) use.profile = ValueProfile::kBenign;
  return s.w().NewArray(type, sizes, use);
}

Instruction* IndicesThatTell(Sketch& s, ElementType type, Sizes sizes, int64_t size) {
  Choices& choices = s.choices();
  if (choices.OneIn(3)) return s.w().IndexArray(type, sizes, -1, size);
  std::vector<int64_t> elements(CountOf(sizes));
  for (int64_t& each : elements) {
    each = choices.OneIn(4) ? choices.Between(-2, size + 1)
                            : choices.Below(std::max<int64_t>(size, 1));
    if (!IsSigned(type)) each = std::max<int64_t>(each, 0);
    each = std::min<int64_t>(each, 7);
  }
  return s.w().IntegerConstant(type, sizes, elements);
}

Dimensions SizesThatTell(Choices& choices) {
  static const auto* const table = new std::vector<Dimensions>{
      {2, 3, 5}, {3, 2},       {3, 2, 4}, {5, 3}, {2, 3},    {3, 3}, {2, 2, 3}, {3, 3, 3},
      {2, 3, 2}, {2, 1, 3},    {4, 1, 2}, {7, 2}, {6},       {9},    {2, 2},    {2, 3, 1, 2},
      {3, 5},    {2, 3, 2, 2}, {1, 4},    {3, 4}, {2, 3, 3}, {4, 4}};
  return choices.Of(*table);
}

Instruction* ValueThatTells(Sketch& s) {
  ProgramWriter& w = s.w();
  const ElementType type = s.OneOf(kTypesOfSteps);
  const Dimensions sizes = SizesThatTell(w.choices());
  if (CountOf(sizes) > w.limits().argument_elements) return nullptr;
  switch (w.choices().Below(12)) {
    case 9:
      return w.PlainSplat(type, sizes);
    case 10:
      return s.Broadcast(w.ScalarOf(type), sizes, {});
    case 11:
      if (!IsPred(type) && !IsComplex(type)) {
        return s.Iota(type, sizes, w.choices().Below(static_cast<int64_t>(sizes.size())));
      }
      break;
    default:
      break;
  }
  return ArrayThatTells(s, type, sizes);
}

const Step& AnyStep(Choices& choices) {
  const absl::Span<const Step> families[] = {MoveSteps(), FoldSteps(), ElementwiseSteps()};
  int64_t count = 0;
  for (const absl::Span<const Step>& family : families) count += std::size(family);
  int64_t at = choices.Below(count);
  for (const absl::Span<const Step>& family : families) {
    const auto own = static_cast<int64_t>(family.size());
    if (at < own) return family[at];
    at -= own;
  }
  return families[0][0];
}

Instruction* WriteStep(Sketch& s, const Step& step, Instruction* x) {
  if (x == nullptr || !x->shape().is_array() || x->shape().is_dynamic()) return nullptr;
  if (CountOf(Sketch::SizesOf(x)) > kStepElements) return nullptr;
  return step.write(s, x);
}

Instruction* WriteAnyStep(Sketch& s, Instruction* x) {
  constexpr int kTries = 6;
  if (x != nullptr && s.w().devices() > 1 && s.choices().OneIn(2)) {
    if (Instruction* const made = CollectiveStep(s, x)) return made;
  }
  for (int tries = 0; tries < kTries; ++tries) {
    const Step& step = AnyStep(s.choices());
    if (Instruction* const made = WriteStep(s, step, x)) return made;
  }
  return nullptr;
}

}  // namespace assay::fuzz
