// Which kernels an instruction is, by opcode and element type.
#include <algorithm>
#include <bit>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "backends/cpu/vector/precision_rule.h"
#include "backends/cpu/vector/program_builder.h"
#include "spec/ir/attribute_values.h"

namespace assay::cpu {
namespace {

static_assert(kKernelOpCount == kOpcodeCount);
static_assert(static_cast<int>(KernelOp::kXor) == static_cast<int>(Opcode::kXor));
static_assert(static_cast<int>(Direction::kLt) == static_cast<int>(ComparisonDirection::kLt));

int LogBytes(int32_t bytes) { return std::countr_zero(static_cast<uint32_t>(bytes)); }
int Number(Lane lane) { return static_cast<int>(lane); }
int Number(ElementType type) { return static_cast<int>(type); }

bool IsNarrowFloat(ElementType type) { return IsFloat(type) && !StoredAsLane(type); }

// The connective of pred that the operation is.
Opcode PredOpcode(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMaximum:
      return Opcode::kOr;
    case Opcode::kMultiply:
    case Opcode::kMinimum:
      return Opcode::kAnd;
    default:
      return opcode;
  }
}

// Operations whose rounding to f32 would show in a result of at most 8 bits. f8e8m0fnu has f32's
// range and ties of its own, so that nothing but double is wide enough for it.
bool NeedsDouble(Opcode opcode, ElementType type) {
  if (!IsFloat(type) || Info(type).bits > 8) return false;
  if (Info(opcode).accuracy == Accuracy::kFunction) return true;
  if (type != ElementType::kF8E8M0FNU) return false;
  return opcode == Opcode::kAdd || opcode == Opcode::kSubtract || opcode == Opcode::kMultiply ||
         opcode == Opcode::kDivide;
}

// Operations on positive numbers whose exact result is never zero.
bool StaysPositive(Opcode opcode) {
  return opcode == Opcode::kExp || opcode == Opcode::kLogistic || opcode == Opcode::kPower ||
         opcode == Opcode::kMultiply || opcode == Opcode::kDivide;
}

bool ByComponents(Opcode opcode) {
  return opcode == Opcode::kAdd || opcode == Opcode::kSubtract || opcode == Opcode::kNegate;
}

}  // namespace

ProgramBuilder::Register ProgramBuilder::LaneForm(Value value) {
  // By index: emitting may move the vector.
  if (values_[value].lane != kNone) return values_[value].lane;
  const ElementType type = values_[value].type;
  const Register storage = values_[value].storage;
  Register lane = storage;
  if (IsNarrowFloat(type)) {
    lane = Emit(kernels_.decode[Number(type)], {storage}, 4);
  } else if (!StoredAsLane(type)) {
    lane = Emit(IsSigned(type) ? kernels_.wrap_signed : kernels_.wrap_unsigned, {storage}, 1,
                {.bits = Info(type).bits});
  }
  return values_[value].lane = lane;
}

ProgramBuilder::Register ProgramBuilder::StorageForm(Value value) {
  if (values_[value].storage != kNone) return values_[value].storage;
  const ElementType type = values_[value].type;
  const Register lane = values_[value].lane;
  Register storage = lane;
  if (IsNarrowFloat(type)) {
    storage = Emit(kernels_.encode[Number(type)], {lane}, Info(type).storage_bytes);
  } else if (!StoredAsLane(type) && IsSigned(type)) {
    storage = Emit(kernels_.wrap_unsigned, {lane}, 1, {.bits = Info(type).bits});
  }
  return values_[value].storage = storage;
}

ProgramBuilder::Value ProgramBuilder::Normalised(ElementType type, Register result) {
  if (IsNarrowFloat(type)) {
    result = Emit(kernels_.round[Number(type)], {result}, 4);
  } else if (!StoredAsLane(type)) {
    result = Emit(IsSigned(type) ? kernels_.wrap_signed : kernels_.wrap_unsigned, {result}, 1,
                  {.bits = Info(type).bits});
  }
  return NewValue(type, result, kNone);
}

ProgramBuilder::Register ProgramBuilder::Converted(Lane to, Lane from, Register operand,
                                                   int32_t bits) {
  if (to == from) return operand;
  return Emit(kernels_.convert[Number(to)][Number(from)], {operand}, LaneBytes(to), {.bits = bits});
}

ProgramBuilder::Register ProgramBuilder::OddFloat(Lane from, Register operand) {
  // Integers of 16 bits are f32s.
  if (LaneBytes(from) <= 2 || from == Lane::kF32) {
    return Converted(Lane::kF32, from, operand, 0);
  }
  return Emit(kernels_.to_odd[Number(from)], {operand}, 4);
}

absl::StatusOr<ProgramBuilder::Value> ProgramBuilder::Unimplemented(
    const Instruction& instruction) const {
  return absl::UnimplementedError(
      absl::StrCat("the cpu backend has no kernel for ", instruction.Describe()));
}

absl::StatusOr<ProgramBuilder::Value> ProgramBuilder::AddInstruction(
    const Instruction& instruction, absl::Span<const Value> operands) {
  const ElementType type = instruction.shape().element_type();
  switch (instruction.opcode()) {
    case Opcode::kCopy:
      return operands[0];
    case Opcode::kReal:
      if (!IsComplex(values_[operands[0]].type)) return operands[0];
      break;
    case Opcode::kConvert:
      return AddConvert(operands[0], type);
    case Opcode::kBitcastConvert:
      return AddBitcast(instruction, operands[0]);
    case Opcode::kSelect:
      return AddSelect(operands);
    case Opcode::kCompare:
      return AddCompare(instruction, operands);
    case Opcode::kReducePrecision:
      return AddReducePrecision(instruction, operands[0]);
    case Opcode::kStochasticConvert:
      return AddStochasticConvert(instruction, operands);
    default:
      break;
  }
  if (!instruction.info().elementwise()) return Unimplemented(instruction);
  if (NeedsDouble(instruction.opcode(), type)) return AddByDouble(instruction, operands);
  return AddGeneric(instruction, operands);
}

absl::StatusOr<ProgramBuilder::Value> ProgramBuilder::AddGeneric(const Instruction& instruction,
                                                                 absl::Span<const Value> operands) {
  const ElementType operand_type = values_[operands[0]].type;
  const ElementType type = instruction.shape().element_type();
  Lane lane = LaneOf(operand_type);
  Opcode opcode = instruction.opcode();
  if (IsPred(operand_type)) opcode = PredOpcode(opcode);
  int32_t multiplicity = 1;
  if (IsComplex(operand_type) && ByComponents(opcode)) {
    multiplicity = 2;
    lane = lane == Lane::kC64 ? Lane::kF32 : Lane::kF64;
  }
  const BlockKernel kernel = kernels_.by_opcode[static_cast<int>(opcode)][Number(lane)];
  if (kernel == nullptr) return Unimplemented(instruction);
  absl::InlinedVector<Register, 3> lanes;
  for (const Value operand : operands) lanes.push_back(LaneForm(operand));
  Register result =
      Emit(kernel, lanes, LaneBytes(LaneOf(type)), {.bits = Info(operand_type).bits}, multiplicity);
  // A pred is a byte that is 0 or 1, whose complement is neither.
  if (IsPred(type) && opcode == Opcode::kNot) {
    result = Emit(kernels_.wrap_unsigned, {result}, 1, {.bits = 1});
  }
  return Normalised(type, result);
}

absl::StatusOr<ProgramBuilder::Value> ProgramBuilder::AddByDouble(
    const Instruction& instruction, absl::Span<const Value> operands) {
  const Opcode opcode = instruction.opcode();
  const ElementType type = instruction.shape().element_type();
  const BlockKernel kernel = kernels_.by_opcode[static_cast<int>(opcode)][Number(Lane::kF64)];
  if (kernel == nullptr) return Unimplemented(instruction);
  absl::InlinedVector<Register, 3> lanes;
  for (const Value operand : operands) {
    lanes.push_back(Converted(Lane::kF64, Lane::kF32, LaneForm(operand), 0));
  }
  Register result = Emit(kernel, lanes, 8);
  if (type == ElementType::kF8E8M0FNU && StaysPositive(opcode)) {
    result = Emit(kernels_.positive, {result}, 8);
  }
  return Normalised(type, OddFloat(Lane::kF64, result));
}

absl::StatusOr<ProgramBuilder::Value> ProgramBuilder::AddBitcast(const Instruction& instruction,
                                                                 Value operand) {
  const ElementType to = instruction.shape().element_type();
  const ElementType from = values_[operand].type;
  if (Info(from).storage_bytes != Info(to).storage_bytes) return Unimplemented(instruction);
  if (from == to) return operand;
  Register storage = StorageForm(operand);
  if (Info(from).bits < 8 && !IsPred(from)) {
    storage = Emit(kernels_.wrap_unsigned, {storage}, 1, {.bits = Info(from).bits});
  }
  return NewValue(to, kNone, storage);
}

absl::StatusOr<ProgramBuilder::Value> ProgramBuilder::AddSelect(absl::Span<const Value> operands) {
  const ElementType type = values_[operands[1]].type;
  // Selecting moves bits, in whichever form both are at hand.
  const bool stored =
      values_[operands[1]].storage != kNone && values_[operands[2]].storage != kNone;
  const Register which = LaneForm(operands[0]);
  const Register on_true = stored ? StorageForm(operands[1]) : LaneForm(operands[1]);
  const Register on_false = stored ? StorageForm(operands[2]) : LaneForm(operands[2]);
  const int32_t bytes = registers_[on_true].bytes;
  const Register result = Emit(kernels_.select[LogBytes(bytes)], {which, on_true, on_false}, bytes);
  return stored ? NewValue(type, kNone, result) : NewValue(type, result, kNone);
}

absl::StatusOr<ProgramBuilder::Value> ProgramBuilder::AddCompare(const Instruction& instruction,
                                                                 absl::Span<const Value> operands) {
  const ElementType type = values_[operands[0]].type;
  const Lane lane = LaneOf(type);
  const auto direction =
      static_cast<int>(instruction.GetEnum<ComparisonDirection>(Attr::kDirection));
  const bool total =
      IsFloat(type) && instruction.HasAttribute(Attr::kComparisonType) &&
      instruction.GetEnum<ComparisonType>(Attr::kComparisonType) == ComparisonType::kTotalOrder;
  const BlockKernel kernel = total ? kernels_.total_order[direction][Number(lane)]
                                   : kernels_.compare[direction][Number(lane)];
  if (kernel == nullptr) return Unimplemented(instruction);
  const Register x = LaneForm(operands[0]);
  const Register y = LaneForm(operands[1]);
  return NewValue(ElementType::kPred, Emit(kernel, {x, y}, 1), kNone);
}

ProgramBuilder::Value ProgramBuilder::AddConvert(Value operand, ElementType to) {
  const ElementType from = values_[operand].type;
  if (from == to) return operand;
  Lane lane = LaneOf(from);
  Register x = LaneForm(operand);
  const Lane target = LaneOf(to);
  if (IsComplex(from) && IsComplex(to)) {
    return NewValue(to, Converted(target, lane, x, 0), kNone);
  }
  if (IsComplex(from)) {  // the real part
    const Lane part = lane == Lane::kC64 ? Lane::kF32 : Lane::kF64;
    x = Emit(kernels_.by_opcode[static_cast<int>(Opcode::kReal)][Number(lane)], {x},
             LaneBytes(part));
    lane = part;
  }
  if (IsPred(to)) {
    return NewValue(to, Emit(kernels_.is_nonzero[Number(lane)], {x}, 1), kNone);
  }
  if (IsNarrowFloat(to)) return Normalised(to, OddFloat(lane, x));
  if (IsComplex(to)) {
    const Lane part = target == Lane::kC64 ? Lane::kF32 : Lane::kF64;
    x = Converted(part, lane, x, 0);
    return NewValue(to, Converted(target, part, x, 0), kNone);
  }
  x = Converted(target, lane, x, Info(to).bits);
  const bool saturated = lane == Lane::kF32 || lane == Lane::kF64;
  return IsInteger(to) && !saturated ? Normalised(to, x) : NewValue(to, x, kNone);
}

ProgramBuilder::Value ProgramBuilder::AddReducePrecision(const Instruction& instruction,
                                                         Value operand) {
  const ElementType type = values_[operand].type;
  Register x = StorageForm(operand);
  if (Info(type).bits < 8) {
    x = Emit(kernels_.wrap_unsigned, {x}, 1, {.bits = Info(type).bits});
  }
  rules_.push_back(std::make_shared<const PrecisionRule>(MakePrecisionRule(
      type, instruction.GetInt(Attr::kExponentBits), instruction.GetInt(Attr::kMantissaBits))));
  const int32_t bytes = Info(type).storage_bytes;
  return NewValue(type, kNone,
                  Emit(kernels_.reduce_precision[LogBytes(bytes)], {x}, bytes,
                       {.precision = rules_.back().get()}));
}

absl::StatusOr<ProgramBuilder::Value> ProgramBuilder::AddStochasticConvert(
    const Instruction& instruction, absl::Span<const Value> operands) {
  const ElementType to = instruction.shape().element_type();
  const ElementType random_type = values_[operands[1]].type;
  if (!IsSigned(to) || !IsUnsigned(random_type)) return Unimplemented(instruction);
  const Register x =
      Converted(Lane::kF64, LaneOf(values_[operands[0]].type), LaneForm(operands[0]), 0);
  const Register random = Converted(Lane::kU64, LaneOf(random_type), LaneForm(operands[1]), 64);
  const Register wide = Emit(kernels_.stochastic_convert, {x, random}, 8,
                             {.bits = Info(to).bits, .source_bits = Info(random_type).bits});
  return NewValue(to, Converted(LaneOf(to), Lane::kI64, wide, Info(to).bits), kNone);
}

}  // namespace assay::cpu
