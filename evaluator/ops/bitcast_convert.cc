// bitcast-convert: the same bits in another type. A narrower result gets a new minor dimension
// whose entry 0 is the least significant piece; a wider one loses the last dimension. Widths are
// those of the values, pred counts 8 bits and so do f6 types. Source: ops_structural.md 12.5,
// ops_elementwise_and_types.md 6.15.
#include "evaluator/ops/bit_patterns.h"
#include "evaluator/ops/definition.h"
#include "spec/element/bitcast_width.h"

namespace assay::evaluator {

DefinitionOr DefineBitcastConvert(const Instruction& convert) {
  const ElementType from = OperandType(convert, 0);
  const ElementType to = convert.shape().element_type();
  const int from_width = BitcastWidth(from), to_width = BitcastWidth(to);
  return DefineElement(
      [=](Index i, OperandElements& operands, EvaluationContext&) -> absl::StatusOr<Element> {
        if (from_width >= to_width) {
          // Piece i.back() of one element; the element itself when the widths are equal.
          const bool split = from_width > to_width;
          Index of = i;
          if (split) of.remove_suffix(1);
          absl::StatusOr<Element> whole = operands.At(0, of);
          if (!whole.ok()) return whole;
          const int64_t piece = split ? i.back() : 0;
          return FromPattern(to, ToPattern(from, *whole) >> (piece * to_width));
        }
        Pattern pattern = 0;
        Dimensions j(i.begin(), i.end());
        j.push_back(0);
        for (; j.back() < to_width / from_width; ++j.back()) {
          absl::StatusOr<Element> piece = operands.At(0, j);
          if (!piece.ok()) return piece;
          pattern |= ToPattern(from, *piece) << (j.back() * from_width);
        }
        return FromPattern(to, pattern);
      });
}

}  // namespace assay::evaluator
