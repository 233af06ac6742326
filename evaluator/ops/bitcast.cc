// bitcast: the same bytes under another shape and layout: the operand's elements in the order of
// its layout as one string of bits, read again in the order of the result's layout. Elements are
// packed without gaps, element 0 in the low bits. Source: ops_structural.md 1.2, 1.6, 12.5.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/ops/bit_patterns.h"
#include "evaluator/ops/definition.h"
#include "spec/element/bitcast_width.h"
#include "spec/layout/tiles.h"

namespace assay::evaluator {
namespace {

// An array in memory: which element stands at which position. 1.2.
class Memory {
 public:
  explicit Memory(const Shape& shape)
      : shape_(shape),
        minor_to_major_(shape.has_layout() ? shape.layout()->minor_to_major
                                           : Layout::Default(shape.rank()).minor_to_major),
        count_(CountOf(shape.dimensions())) {}

  int64_t count() const { return count_; }

  int64_t PositionOf(Index index) const {
    int64_t position = 0, stride = 1;
    for (int64_t d : minor_to_major_) {
      position += index[d] * stride;
      stride *= shape_.dimension(d);
    }
    return position;
  }

  Dimensions IndexAt(int64_t position) const {
    Dimensions index(shape_.rank());
    for (int64_t d : minor_to_major_) {
      index[d] = position % shape_.dimension(d);
      position /= shape_.dimension(d);
    }
    return index;
  }

 private:
  const Shape& shape_;
  const Dimensions minor_to_major_;
  const int64_t count_;
};

}  // namespace

DefinitionOr DefineBitcast(const Instruction& bitcast) {
  if (HasTiles(bitcast.shape()) || HasTiles(OperandShape(bitcast, 0))) {
    return absl::UnimplementedError(absl::StrCat("bitcast: tiled layouts: ", bitcast.Describe()));
  }
  const ElementType from = OperandType(bitcast, 0);
  const ElementType to = bitcast.shape().element_type();
  const int from_width = BitcastWidth(from), to_width = BitcastWidth(to);
  return DefineElement(
      [=, operand = Memory(OperandShape(bitcast, 0)), result = Memory(bitcast.shape())](
          Index i, OperandElements& operands, EvaluationContext&) -> absl::StatusOr<Element> {
        const int64_t first_bit = result.PositionOf(i) * to_width;
        Pattern pattern = 0;
        // The operand's elements that overlap bits [first_bit, first_bit + to_width); past the last
        // one the last byte is filled with zeros.
        for (int64_t p = first_bit / from_width;
             p < operand.count() && p * from_width < first_bit + to_width; ++p) {
          absl::StatusOr<Element> element = operands.At(0, operand.IndexAt(p));
          if (!element.ok()) return element;
          const Pattern piece = ToPattern(from, *element);
          const int64_t shift = p * from_width - first_bit;
          pattern |= piece << std::max<int64_t>(shift, 0) >> std::max<int64_t>(-shift, 0);
        }
        return FromPattern(to, pattern);
      });
}

}  // namespace assay::evaluator
