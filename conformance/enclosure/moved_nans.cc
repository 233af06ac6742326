#include "conformance/enclosure/moved_nans.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "conformance/enclosure/open_indices.h"
#include "conformance/judge/given_nans.h"
#include "conformance/judge/rounds.h"

namespace assay::conformance {
namespace {

bool HasNans(ElementType type) {
  const ElementType part = Info(type).component;
  return IsFloat(part) && Info(part).format->has_nan();
}

bool IsOrder(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kSort || instruction.opcode() == Opcode::kTopK;
}

// Returns true if the elements of the result are elements of the operands, at places that do not
// depend on the values of the elements.
bool CarriesNans(const Instruction& instruction) {
  if (IsOrder(instruction)) return false;
  switch (instruction.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
      return instruction.shape().element_type() == instruction.operand(0)->shape().element_type();
    default:
      return Moves(instruction);
  }
}

// Returns true if the instruction gives the sign of a NaN, whatever becomes of its payload (N-10).
bool GivesSign(const Instruction& instruction) {
  const ElementType type = instruction.shape().element_type();
  if (Info(Info(type).component).bits <= 8) return false;
  return instruction.opcode() == Opcode::kNegate ||
         (instruction.opcode() == Opcode::kAbs &&
          type == instruction.operand(0)->shape().element_type());
}

// Returns the marks with that of a known sign in the place of each one.
Literal SignsOf(const Literal& marks) {
  const auto sign = static_cast<uint64_t>(NanMark::kSign);
  Literal signs = Literal::Zeros(marks.shape());
  for (int64_t i = 0; i < marks.element_count(); ++i) {
    const Element mark = marks.Get(i);
    signs.Set(i, {mark.bits != 0 ? sign : 0, mark.imag != 0 ? sign : 0});
  }
  return signs;
}

// Returns what is known of every NaN of an array that is put in order. Quieted NaNs of narrow types
// may change places, but not across the numbers.
NanMark WeakestMark(const Box& operand) {
  const ElementType type = operand.shape().element_type();
  const Line& line = Line::Of(Info(type).component);
  if (IsComplex(type) || !operand.given.is_array()) return NanMark::kUnknown;
  NanMark weakest = Info(type).bits < 32 ? NanMark::kSign : NanMark::kBits;
  for (int64_t i = 0; i < operand.low.element_count(); ++i) {
    if (!line.IsNan(operand.low.Get(i).bits)) continue;
    const auto mark = static_cast<NanMark>(operand.given.Get(i).bits);
    if (mark == NanMark::kUnknown) return mark;
    if (mark == NanMark::kSign) weakest = mark;
  }
  return weakest;
}

// Marks the NaNs of arrays whose order is known: each is a NaN of the operand.
void MarkOrdered(Boxes operands, absl::Span<Box> results) {
  for (size_t k = 0; k < results.size() && k < operands.size(); ++k) {
    Box& result = results[k];
    const ElementType type = result.shape().element_type();
    if (result.shape().is_dynamic() || !HasNans(type) || !result.is_point() ||
        type != operands[k].shape().element_type() || !operands[k].is_point()) {
      continue;
    }
    const NanMark mark = WeakestMark(operands[k]);
    if (mark == NanMark::kUnknown) continue;
    const Line& line = Line::Of(Info(type).component);
    result.given = Literal::Zeros(result.shape());
    for (int64_t i = 0; i < result.low.element_count(); ++i) {
      if (line.IsNan(result.low.Get(i).bits)) result.given.Set(i, {static_cast<uint64_t>(mark), 0});
    }
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

Literal MarkGivenNans(const Literal& value, const TargetProfile& profile) {
  Literal marks = MarkNans(value);
  if (!marks.is_array() || !LosesPayload(profile, value.element_type())) return marks;
  return Info(value.element_type()).bits > 8 ? SignsOf(marks) : Literal();
}

absl::Status MarkMovedNans(const Instruction& instruction, Boxes operands,
                           const TargetProfile& profile, GoldenInstructions* golden,
                           absl::Span<Box> results) {
  if (instruction.opcode() == Opcode::kConstant) {
    results[0].given = MarkGivenNans(*instruction.literal(), profile);
    return absl::OkStatus();
  }
  if (IsOrder(instruction)) {
    MarkOrdered(operands, results);
    return absl::OkStatus();
  }
  const bool given = std::any_of(operands.begin(), operands.end(),
                                 [](const Box& operand) { return operand.given.is_array(); });
  if (!given || !instruction.shape().is_array() || instruction.shape().is_dynamic() ||
      !HasNans(instruction.shape().element_type())) {
    return absl::OkStatus();
  }
  if (GivesSign(instruction)) {
    results[0].given = SignsOf(operands[0].given);
    return absl::OkStatus();
  }
  if (!CarriesNans(instruction)) return absl::OkStatus();
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
  if (moved.ok()) results[0].given = *std::move(moved);
  return moved.status();
}

}  // namespace assay::conformance
