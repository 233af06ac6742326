#include "conformance/enclosure/open_indices.h"

#include <algorithm>
#include <utility>

#include "spec/element/index_value.h"

namespace assay::conformance {
namespace {

constexpr int64_t kMostPlaces = 64;
constexpr int64_t kMostElements = int64_t{1} << 22;  // of all results

// One component of the start indices, for all slices.
struct Axis {
  size_t operand;     // that it stands in
  int64_t component;  // of the index vectors there
  int64_t last;       // start that leaves room for the slice
  int64_t places = 1;
};

int64_t Start(const Box& box, const Literal& end, int64_t i, int64_t last) {
  return std::clamp<int64_t>(IndexValue(box.low.element_type(), end.Get(i)), 0, last);
}

// Tells which component of its index vector an element is.
class Components {
 public:
  Components(const Instruction& instruction, const Shape& indices) {
    if (instruction.opcode() != Opcode::kGather) return;
    const int64_t dimension = instruction.GetInt(Attr::kIndexVectorDim);
    for (int64_t d = dimension + 1; d < indices.rank(); ++d) stride_ *= indices.dimension(d);
    if (dimension < indices.rank()) count_ = indices.dimension(dimension);
  }
  int64_t Of(int64_t element) const { return count_ == 0 ? 0 : element / stride_ % count_; }

 private:
  int64_t stride_ = 1, count_ = 1;
};

std::vector<Axis> AxesOf(const Instruction& instruction, Boxes operands) {
  const Shape& from = operands[0].shape();
  std::vector<Axis> axes;
  if (instruction.opcode() == Opcode::kGather) {
    const absl::Span<const int64_t> sizes = instruction.GetInts(Attr::kSliceSizes);
    for (const int64_t d : instruction.GetInts(Attr::kStartIndexMap)) {
      axes.push_back({1, static_cast<int64_t>(axes.size()), from.dimension(d) - sizes[d]});
    }
    return axes;
  }
  const bool updates = instruction.opcode() == Opcode::kDynamicUpdateSlice;
  if (!updates && instruction.opcode() != Opcode::kDynamicSlice) return axes;
  const Shape& slice = updates ? operands[1].shape() : instruction.shape();
  const size_t first = updates ? 2 : 1;
  // A single array with all start indices is the legacy form.
  if (operands.size() != first + static_cast<size_t>(from.rank())) return axes;
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (operands[first + d].shape().rank() != 0) return {};
    axes.push_back({first + static_cast<size_t>(d), 0, from.dimension(d) - slice.dimension(d)});
  }
  return axes;
}

}  // namespace

bool IsIndex(const Instruction& instruction, size_t operand) {
  switch (instruction.opcode()) {
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kDynamicReshape:
    case Opcode::kSetDimensionSize:
      return operand >= 1;
    case Opcode::kDynamicUpdateSlice:
      return operand >= 2;
    default:
      return false;
  }
}

std::vector<std::vector<Box>> PossibleIndices(const Instruction& instruction, Boxes operands) {
  std::vector<Axis> axes = AxesOf(instruction, operands);
  int64_t places = axes.empty() ? 0 : 1;
  for (Axis& axis : axes) {
    const Box& box = operands[axis.operand];
    const Components components(instruction, box.shape());
    for (int64_t i = 0; i < box.low.element_count(); ++i) {
      if (components.Of(i) != axis.component) continue;
      axis.places = std::max(
          axis.places, 1 + Start(box, box.high, i, axis.last) - Start(box, box.low, i, axis.last));
    }
    if (axis.places > kMostPlaces || (places *= axis.places) > kMostPlaces) return {};
  }
  if (places * instruction.shape().element_count() > kMostElements) return {};
  std::vector<std::vector<Box>> choices;
  for (int64_t place = 0; place < places; ++place) {
    std::vector<Literal> values;
    for (const Box& operand : operands) values.push_back(operand.low);
    int64_t rest = place;
    for (const Axis& axis : axes) {
      const int64_t step = rest % axis.places;
      rest /= axis.places;
      const Box& box = operands[axis.operand];
      const Components components(instruction, box.shape());
      for (int64_t i = 0; i < box.low.element_count(); ++i) {
        if (components.Of(i) != axis.component) continue;
        const int64_t start =
            std::min(Start(box, box.low, i, axis.last) + step, Start(box, box.high, i, axis.last));
        values[axis.operand].Set(
            i, Element{EncodeInteger(box.low.element_type(), static_cast<uint64_t>(start))});
      }
    }
    std::vector<Box> choice;
    for (size_t k = 0; k < operands.size(); ++k) {
      choice.push_back(IsIndex(instruction, k) ? Box::Point(std::move(values[k])) : operands[k]);
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace assay::conformance
