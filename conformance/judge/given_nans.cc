#include "conformance/judge/given_nans.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "conformance/judge/rounds.h"

namespace assay::conformance {
namespace {

bool HasFloats(const Shape& shape) {
  for (const Shape* leaf : Leaves(shape)) {
    if (!leaf->is_array()) continue;
    const ElementType part = Info(leaf->element_type()).component;
    if (IsFloat(part) && Info(part).format->has_nan()) return true;
  }
  return false;
}

// Operations that give elements of their operands, bits included.
bool KeepsElements(const Instruction& value) {
  switch (value.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
      return value.shape().element_type() == value.operand(0)->shape().element_type();
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kSelect:
    case Opcode::kSort:
    case Opcode::kTuple:
      return true;
    default:
      return value.info().accuracy == Accuracy::kExact &&
             (value.info().family == Family::kMovement ||
              value.info().family == Family::kCollective);
  }
}

class GivenNans {
 public:
  explicit GivenNans(bool may_move) : may_move_(may_move) {}

  bool Follow(const Instruction& value) {
    Visit(value);
    while (!open_.empty() && given_) {
      const Instruction& next = *open_.back();
      open_.pop_back();
      FollowOne(next);
    }
    return given_;
  }

 private:
  void Visit(const Instruction& value) {
    if (HasFloats(value.shape()) && seen_.insert(&value).second) open_.push_back(&value);
  }

  void FollowOne(const Instruction& value) {
    switch (value.opcode()) {
      case Opcode::kConstant:
        return;
      case Opcode::kParameter:
        return FollowParameter(value);
      case Opcode::kCall:
      case Opcode::kFusion:
        given_ = given_ && may_move_;
        for (const Computation* callee : value.called_computations()) Visit(*callee->root());
        return;
      default:
        given_ = given_ && may_move_ && KeepsElements(value);
        for (const Instruction* operand : value.operands()) Visit(*operand);
    }
  }

  // Follows a parameter to the operands that the callers of its computation pass.
  void FollowParameter(const Instruction& parameter) {
    const Computation* const own = parameter.parent();
    const Module* const module = own->parent();
    if (module == nullptr || own == module->entry()) return;
    for (const auto& computation : module->computations()) {
      for (const auto& each : computation->instructions()) {
        for (const Computation* callee : each->called_computations()) {
          if (callee != own) continue;
          const bool passes = each->opcode() == Opcode::kCall || each->opcode() == Opcode::kFusion;
          if (!passes) given_ = false;
          if (passes) Visit(*each->operand(parameter.parameter_number()));
        }
      }
    }
  }

  absl::flat_hash_set<const Instruction*> seen_;
  std::vector<const Instruction*> open_;
  const bool may_move_;
  bool given_ = true;
};

}  // namespace

bool IsMovedNan(ElementType type, uint64_t from, uint64_t to, bool loses_payload) {
  if (from == to) return true;
  if (loses_payload && Info(type).bits <= 8) return true;
  if (Info(type).bits >= 32 || IsNegative(type, from) != IsNegative(type, to)) return false;
  if (loses_payload) return true;
  const uint64_t quiet = uint64_t{1} << (Info(type).format->significand_bits - 1);
  const bool quieted = (from & quiet) == 0 && (to & quiet) != 0;
  return quieted || (from | to) == to;
}

bool LosesPayload(const TargetProfile& profile, ElementType type) {
  return IsFloat(type) && Info(type).bits < 32 && Info(type).format->has_nan() &&
         profile.Admits(DecisionPoint::kMovedNan);
}

Literal WithoutPayloads(const Literal& literal, const TargetProfile& profile, bool drops_sign) {
  const ElementType type = literal.element_type();
  if (!LosesPayload(profile, type)) return literal;
  const uint64_t sign = uint64_t{1} << (Info(type).bits - 1);
  const bool drops = drops_sign && Info(type).bits <= 8;
  Literal canonical = literal;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const uint64_t bits = literal.Get(i).bits;
    if (!IsNan(type, bits)) continue;
    const uint64_t of_sign = CanonicalNan(type) | (drops ? 0 : bits & sign);
    canonical.Set(i, {IsNan(type, of_sign) ? of_sign : CanonicalNan(type), 0});
  }
  return canonical;
}

bool MayBeNan(const Instruction& instruction, ElementType type, uint64_t golden, uint64_t actual,
              const TargetProfile& profile) {
  if (Moves(instruction)) return IsMovedNan(type, golden, actual, LosesPayload(profile, type));
  const bool sets_sign =
      instruction.opcode() == Opcode::kNegate ||
      (instruction.opcode() == Opcode::kAbs &&
       instruction.shape().element_type() == instruction.operand(0)->shape().element_type());
  if (!sets_sign || Info(type).bits <= 8) return true;
  return IsNegative(type, golden) == IsNegative(type, actual);
}

bool HasGivenNansAlone(const Instruction& value) {
  return GivenNans(/*may_move=*/true).Follow(value);
}

bool IsUnmoved(const Instruction& value) { return GivenNans(/*may_move=*/false).Follow(value); }

}  // namespace assay::conformance
