#include "conformance/enclosure/unspecified.h"

#include <algorithm>
#include <cmath>

#include "conformance/judge/residuals.h"
#include "evaluator/region/reducer.h"

namespace assay {
namespace {

// Any element for which the intervals of the operands satisfy the predicate.
template <typename Predicate>
bool Any(const Box& box, Predicate predicate) {
  const Line line(box.low.element_type());
  for (int64_t i = 0; i < box.low.element_count(); ++i) {
    if (predicate(line, box.low.Get(i).bits, box.high.Get(i).bits)) return true;
  }
  return false;
}

bool MayHold(const Box& box, int64_t value) {
  return Any(box, [value](const Line& line, uint64_t low, uint64_t high) {
    const int64_t ordinal = line.Ordinal(EncodeInteger(line.type(), static_cast<uint64_t>(value)));
    return line.Ordinal(low) <= ordinal && ordinal <= line.Ordinal(high);
  });
}

// Of NaN or a value that the integer type does not have.
bool LeavesRange(const Box& box, ElementType to) {
  if (box.has_nan()) return true;
  const double least = IsSigned(to) ? std::ldexp(-1.0, Info(to).bits - 1) : 0;
  const double beyond = std::ldexp(1.0, IsSigned(to) ? Info(to).bits - 1 : Info(to).bits);
  return Any(box, [&](const Line& line, uint64_t low, uint64_t high) {
    if (line.IsNan(low)) return true;
    return !(DecodeFloat(line.type(), low) >= least && DecodeFloat(line.type(), high) < beyond);
  });
}

bool IsImplementationDefined(const Instruction& instruction, absl::Span<const Box> operands) {
  const ElementType type = operands.empty() ? ElementType::kPred : operands[0].low.element_type();
  switch (instruction.opcode()) {
    case Opcode::kConvert: {
      const ElementType to = instruction.shape().element_type();
      return IsFloat(type) && IsInteger(to) && LeavesRange(operands[0], to);
    }
    case Opcode::kDivide:
    case Opcode::kRemainder:
      return IsInteger(type) &&
             (MayHold(operands[1], 0) || (IsSigned(type) && MayHold(operands[1], -1)));
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return Any(operands[1], [type](const Line& line, uint64_t low, uint64_t high) {
        const auto bits = static_cast<uint64_t>(Info(type).bits);
        const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
        return (low & mask) >= bits || (high & mask) >= bits || line.Ordinal(high) < 0;
      });
    case Opcode::kPower:
      return IsInteger(type) && Any(operands[1], [](const Line& line, uint64_t low, uint64_t high) {
               return line.Ordinal(low) < 0 || line.Ordinal(high) > 63;
             });
    case Opcode::kReducePrecision:
      return instruction.GetInt(Attr::kMantissaBits) == 0;
    case Opcode::kReduceWindow:
      return RecogniseReducer(*instruction.to_apply()).kind == ReducerKind::kOther;
    default:
      return false;
  }
}

// Updates that meet may be applied in any order, and the order counts.
bool DependsOnOrder(const Computation& region) {
  const ReducerKind kind = RecogniseReducer(region).kind;
  return kind == ReducerKind::kOther || kind == ReducerKind::kArgMinimum ||
         kind == ReducerKind::kArgMaximum;
}

}  // namespace

bool IsUnspecified(const Instruction& instruction, absl::Span<const Box> operands,
                   const TargetProfile& profile) {
  if (HasResidual(instruction.opcode())) return true;
  if (instruction.info().accuracy == Accuracy::kRandom ||
      instruction.info().accuracy == Accuracy::kOpaque) {
    return true;
  }
  if (profile.Grants(Freedom::kImplementationDefined) &&
      IsImplementationDefined(instruction, operands)) {
    return true;
  }
  if (profile.Grants(Freedom::kScatterOrder) && instruction.opcode() == Opcode::kScatter &&
      !instruction.GetBool(Attr::kUniqueIndices)) {
    return DependsOnOrder(*instruction.to_apply());
  }
  // Of one array, equal keys are the same values, but for zeros (Encloser::Allow).
  if (profile.Grants(Freedom::kUnstableOrder) &&
      (instruction.opcode() == Opcode::kSort || instruction.opcode() == Opcode::kTopK)) {
    return !instruction.GetBool(Attr::kIsStable) &&
           (operands.size() > 1 || instruction.opcode() == Opcode::kTopK);
  }
  return false;
}

void LetGoOfPayloads(const Literal& operand, Box* box) {
  const ElementType from = operand.element_type();
  const bool float_parts = IsFloat(from) || IsComplex(from);
  if (!float_parts || from == box->low.element_type()) return;
  const ElementType part = Info(from).component;
  auto is_nan = [&](int64_t i) {
    const Element element = operand.Get(i);
    return IsNan(part, element.bits) || (IsComplex(from) && IsNan(part, element.imag));
  };
  const int64_t count = operand.element_count(), parts = box->low.element_count();
  LetGoWhere(
      [&](const auto&, Place place, const Ends&) {
        // One element becomes several, or several become one.
        const int64_t i = place.element;
        const int64_t first = parts >= count ? i / (parts / count) : i * (count / parts);
        const int64_t last = parts >= count ? first : first + count / parts - 1;
        bool nan = false;
        for (int64_t k = first; k <= last; ++k) nan = nan || is_nan(k);
        return nan;
      },
      box);
}

}  // namespace assay
