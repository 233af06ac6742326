#include "fuzz/programs/attribute_changes.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "fuzz/programs/sketch.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

// Two different places below n; n >= 2.
std::pair<int64_t, int64_t> TwoOf(Choices& choices, int64_t n) {
  const int64_t first = choices.Below(n);
  const int64_t step = choices.Between(1, n - 1);
  return {first, (first + step) % n};
}

template <typename T>
bool SwapTwo(Choices& choices, std::vector<T>* list) {
  if (list->size() < 2) return false;
  const auto [a, b] = TwoOf(choices, static_cast<int64_t>(list->size()));
  if ((*list)[a] == (*list)[b]) return false;
  std::swap((*list)[a], (*list)[b]);
  return true;
}

// Changes a value of each kind; false for those that stay as they are.
struct ValueChange {
  Choices& choices;
  const Instruction& x;
  AttrKind kind;

  int64_t Step() const { return choices.OneIn(2) ? -1 : 1; }

  template <typename T>
  bool operator()(T& /*value*/) const {
    return false;
  }
  bool operator()(bool& value) const {
    value = !value;
    return true;
  }
  bool operator()(int64_t& value) const {
    if (IsEnum(kind)) {
      const auto words = static_cast<int64_t>(WordsOf(kind).words.size());
      value = (value + choices.Between(1, words - 1)) % words;
    } else {
      value += Step();
    }
    return value >= 0;
  }
  bool operator()(std::vector<int64_t>& list) const {
    if (list.empty()) return false;
    if (kind != AttrKind::kPrecisions && choices.OneIn(2)) return SwapTwo(choices, &list);
    int64_t& entry = choices.Of(list);
    const int64_t before = entry;
    if (kind == AttrKind::kPrecisions) {
      entry = (entry + 1) % 3;
    } else if (choices.OneIn(2)) {
      entry += Step();
    } else {
      const Shape& wider = x.shape().is_array() && x.shape().rank() > x.operand(0)->shape().rank()
                               ? x.shape()
                               : x.operand(0)->shape();
      entry = choices.Below(std::max<int64_t>(wider.rank(), 1));
    }
    return entry != before && entry >= 0;
  }
  bool operator()(Slices& slices) const {
    if (slices.empty()) return false;
    const int64_t d = choices.Below(static_cast<int64_t>(slices.size()));
    SliceRange& range = slices[d];
    const int64_t size = x.operand(0)->shape().dimension(d);
    switch (choices.Below(4)) {
      case 0:
        // The same number of elements, counted from the other end.
        range = {size - range.limit, size - range.start, range.stride};
        return true;
      case 1:
        range.stride += 1;
        return true;
      default: {
        const int64_t step = Step();
        range.start += step, range.limit += step;
        return range.start >= 0 && range.limit <= size;
      }
    }
  }
  bool operator()(Window& window) const {
    if (window.dimensions.empty()) return false;
    if (choices.OneIn(4)) return SwapTwo(choices, &window.dimensions);
    WindowDimension& d = choices.Of(window.dimensions);
    switch (choices.Below(6)) {
      case 0:
        d.stride += 1;
        return true;
      case 1:
        d.base_dilation = d.base_dilation == 1 ? 2 : 1;
        return x.opcode() != kSelectAndScatter;
      case 2:
        d.window_dilation = d.window_dilation == 1 ? 2 : 1;
        return x.opcode() != kSelectAndScatter;
      case 3:
        d.reversal = !d.reversal;
        return x.opcode() == kConvolution;
      default: {
        const int64_t step = Step();
        d.padding_low += step, d.padding_high -= step;
        return true;
      }
    }
  }
  bool operator()(PaddingConfig& padding) const {
    if (padding.dimensions.empty()) return false;
    if (choices.OneIn(4)) return SwapTwo(choices, &padding.dimensions);
    PaddingDimension& d = choices.Of(padding.dimensions);
    if (choices.OneIn(4)) {
      d.interior = d.interior == 0 ? 1 : 0;
    } else {
      const int64_t step = Step();
      d.low += step, d.high -= step;
    }
    return true;
  }
  bool operator()(Boxed<ConvolutionDimensions>& box) const {
    ConvolutionDimensions& labels = *box;
    switch (choices.Below(4)) {
      case 0:
        std::swap(labels.input_batch, labels.input_feature);
        return true;
      case 1:
        std::swap(labels.kernel_input_feature, labels.kernel_output_feature);
        return true;
      case 2:
        std::swap(labels.output_batch, labels.output_feature);
        return true;
      default:
        return SwapTwo(choices, &labels.kernel_spatial);
    }
  }
};

// What is promised of indices must stay true, and the algorithm of a dot is for certain types.
bool Stays(Attr attr) {
  return attr == Attr::kIndicesAreSorted || attr == Attr::kUniqueIndices ||
         attr == Attr::kAlgorithm;
}

// The combining operations of scalars, of which a region that is one has another in its place.
constexpr Opcode kCombiners[] = {kMaximum, kMinimum, kAdd, kMultiply, kAnd, kOr, kXor, kSubtract};

// A region of two scalars that is one operation.
bool IsFold(const Computation& computation) {
  const Instruction& root = *computation.root();
  return computation.instruction_count() == 3 && root.operand_count() == 2 &&
         root.shape().is_array() && root.opcode() != kCompare &&
         Shape::Compatible(root.shape(), root.operand(0)->shape());
}

// Whether the step of a computation has operands to exchange or a direction to turn.
bool IsTurned(const Instruction& step) {
  return step.operand_count() == 2 && step.operand(0) != step.operand(1) &&
         step.info().family == Family::kElementwise &&
         Shape::Compatible(step.operand(0)->shape(), step.operand(1)->shape());
}

void Turn(Choices& choices, Instruction* step) {
  if (step->opcode() == kCompare && choices.OneIn(2)) {
    using enum ComparisonDirection;
    const auto direction = step->GetEnum<ComparisonDirection>(Attr::kDirection);
    const ComparisonDirection other = direction == kLt   ? kGt
                                      : direction == kGt ? kLt
                                      : direction == kLe ? kGe
                                      : direction == kGe ? kLe
                                                         : direction;
    step->SetAttribute(Attr::kDirection, static_cast<int64_t>(other));
    return;
  }
  Instruction* const exchanged[] = {step->operand(1), step->operand(0)};
  step->set_operands(exchanged);
}

}  // namespace

bool ChangeAttribute(Choices& choices, Instruction* instruction) {
  std::vector<Attr> changeable;
  for (const auto& [attr, value] : instruction->attributes().entries()) {
    if (!Stays(attr)) changeable.push_back(attr);
  }
  for (const AttributeUse& use : instruction->info().attributes) {
    // A flag that has its default is not stored.
    const bool flag = Info(use.attr).kind == AttrKind::kBool && !Stays(use.attr);
    if (flag && !instruction->HasAttribute(use.attr)) changeable.push_back(use.attr);
  }
  if (changeable.empty()) return false;
  const Attr attr = choices.Of(changeable);
  const AttrKind kind = Info(attr).kind;
  AttributeValue value = kind == AttrKind::kBool ? AttributeValue(instruction->GetBool(attr))
                                                 : *instruction->attributes().Find(attr);
  if (!std::visit(ValueChange{choices, *instruction, kind}, value)) return false;
  instruction->SetAttribute(attr, std::move(value));
  return true;
}

bool ChangeComputation(ProgramWriter& w, Instruction* instruction) {
  const Computation* const callee = instruction->to_apply();
  if (callee == nullptr || callee->instruction_count() > 40) return false;
  if (IsFold(*callee) && w.choices().OneIn(2)) {
    const ElementType type = callee->root()->shape().element_type();
    const Opcode opcode = w.choices().Of(kCombiners);
    const absl::Span<const ElementType> types = LegalTypes(opcode);
    if (std::find(types.begin(), types.end(), type) == types.end()) return false;
    if (callee->root()->shape().rank() != 0) return false;
    Sketch s(w);
    instruction->SetAttribute(Attr::kToApply, s.Region(opcode, type));
    return true;
  }
  std::vector<int64_t> steps;
  for (const auto& each : callee->instructions()) {
    if (!each->called_computations().empty()) return false;
    if (IsTurned(*each)) steps.push_back(each->index());
  }
  if (steps.empty()) return false;
  Computation* const copy = w.CopyComputation(*callee, {});
  Turn(w.choices(), copy->instruction(w.choices().Of(steps)));
  instruction->SetAttribute(Attr::kToApply, copy);
  return true;
}

}  // namespace assay::fuzz
