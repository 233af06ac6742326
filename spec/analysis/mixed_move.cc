#include "spec/analysis/mixed_move.h"

#include <utility>

namespace assay::analysis {

bool Narrows(ElementType from, ElementType to) {
  if (from == to || !IsFloat(from) || !IsFloat(to)) return false;
  const FloatFormat &a = *Info(from).format, &b = *Info(to).format;
  return a.significand_bits > b.significand_bits || a.max_exponent() > b.max_exponent() ||
         a.min_exponent() - a.significand_bits < b.min_exponent() - b.significand_bits ||
         (a.has_infinity && !b.has_infinity) || (a.has_nan() && !b.has_nan()) ||
         (a.has_sign && !b.has_sign) || (a.signed_zero && !b.signed_zero);
}

namespace {

// The type of a parameter if not every number of the type `own` is one of it; else `own`.
ElementType TakenAs(ElementType own, const Computation& computation, int64_t parameter) {
  const auto& parameters = computation.parameters();
  if (parameter >= static_cast<int64_t>(parameters.size())) return own;
  const ElementType taken = parameters[parameter]->shape().element_type();
  return Narrows(own, taken) ? taken : own;
}

// The type that operand k is converted to; its own if it is taken as it is.
ElementType TargetType(const Instruction& instruction, int64_t k) {
  const ElementType own = instruction.operand(k)->shape().element_type();
  switch (instruction.opcode()) {
    case Opcode::kPad:
    case Opcode::kConcatenate:
      return instruction.shape().element_type();
    case Opcode::kDynamicUpdateSlice:
      return k < 2 ? instruction.shape().element_type() : own;
    case Opcode::kReduce:
    case Opcode::kReduceWindow: {
      // The accumulators come first among the parameters, the initial values last among the
      // operands.
      const int64_t count = instruction.operand_count();
      return TakenAs(own, *instruction.to_apply(), (k + count / 2) % count);
    }
    case Opcode::kScatter: {
      const int64_t arrays = instruction.operand_count() / 2;
      return k > arrays ? TakenAs(own, *instruction.to_apply(), k - 1) : own;
    }
    case Opcode::kSelectAndScatter:
      return k == 1 ? TakenAs(own, *instruction.GetComputation(Attr::kScatter), 1) : own;
    default:
      return own;
  }
}

}  // namespace

std::unique_ptr<MixedMove> SplitMixedMove(const Instruction& instruction) {
  const auto differs = [&](int64_t k) {
    return TargetType(instruction, k) != instruction.operand(k)->shape().element_type();
  };
  bool mixed = false;
  for (int64_t k = 0; k < instruction.operand_count(); ++k) mixed |= differs(k);
  if (!mixed) return nullptr;
  auto split = std::make_unique<MixedMove>();
  split->move = std::make_unique<Instruction>(instruction.opcode(), instruction.shape());
  split->move->set_name(instruction.name());
  split->move->set_position(instruction.position());
  for (const auto& [attr, value] : instruction.attributes().entries()) {
    split->move->SetAttribute(attr, value);
  }
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    const Shape& shape = instruction.operand(k)->shape();
    split->parameters.push_back(std::make_unique<Instruction>(Opcode::kParameter, shape));
    Instruction* operand = split->parameters.back().get();
    split->converts.push_back(nullptr);
    if (differs(k)) {
      Shape converted = shape;
      converted.set_element_type(TargetType(instruction, k));
      split->converts.back() = std::make_unique<Instruction>(Opcode::kConvert, converted);
      split->converts.back()->AppendOperand(operand);
      operand = split->converts.back().get();
    }
    split->move->AppendOperand(operand);
  }
  return split;
}

}  // namespace assay::analysis
