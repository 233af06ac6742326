#include "conformance/enclosure/moved_nans.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "conformance/enclosure/open_indices.h"
#include "conformance/judge/rounds.h"

namespace assay::conformance {
namespace {

bool HasNans(ElementType type) {
  const ElementType part = Info(type).component;
  return IsFloat(part) && Info(part).format->has_nan();
}

// Returns true if the elements of the result are elements of the operands, at places that do not
// depend on the values of the elements.
bool CarriesNans(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kSort:
    case Opcode::kTopK:
      return false;
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
      return instruction.shape().element_type() == instruction.operand(0)->shape().element_type();
    default:
      return Moves(instruction);
  }
}

}  // namespace

Literal MarkNans(const Literal& value) {
  const Shape& shape = value.shape();
  if (!shape.is_array() || shape.is_dynamic() || !HasNans(shape.element_type())) return {};
  const Line& line = Line::Of(Info(shape.element_type()).component);
  const bool complex = IsComplex(shape.element_type());
  Literal marks;
  for (int64_t i = 0; i < value.element_count(); ++i) {
    const Element element = value.Get(i);
    const Element mark{line.IsNan(element.bits) ? uint64_t{1} : 0,
                       complex && line.IsNan(element.imag) ? uint64_t{1} : 0};
    if (mark == Element{}) continue;
    if (!marks.is_array()) marks = Literal::Zeros(shape);
    marks.Set(i, mark);
  }
  return marks;
}

absl::Status MarkMovedNans(const Instruction& instruction, Boxes operands,
                           GoldenInstructions* golden, Box* result) {
  if (instruction.opcode() == Opcode::kConstant) {
    result->given = MarkNans(*instruction.literal());
    return absl::OkStatus();
  }
  const bool given = std::any_of(operands.begin(), operands.end(),
                                 [](const Box& operand) { return operand.given.is_array(); });
  if (!given || !instruction.shape().is_array() || instruction.shape().is_dynamic() ||
      !HasNans(instruction.shape().element_type()) || !CarriesNans(instruction)) {
    return absl::OkStatus();
  }
  std::vector<Literal> marks;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Shape& shape = instruction.operand(k)->shape();
    if (shape.is_dynamic()) return absl::OkStatus();
    if (!IsIndex(instruction, k) && HasNans(shape.element_type())) {
      marks.push_back(operands[k].given.is_array() ? operands[k].given : Literal::Zeros(shape));
    } else if (operands[k].is_point()) {
      marks.push_back(operands[k].low);
    } else {
      return absl::OkStatus();
    }
  }
  absl::StatusOr<Literal> moved = golden->Evaluate(instruction, marks);
  if (moved.ok()) result->given = *std::move(moved);
  return moved.status();
}

}  // namespace assay::conformance
