#include "conformance/judge/rounds.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "spec/elementwise_info.h"

namespace assay::conformance {
namespace {

bool RoundsItself(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAbs:  // of a real number
      return IsComplex(instruction.operand(0)->shape().element_type());
    case Opcode::kRemainder:
    case Opcode::kInfeed:  // channels and queues pass on what went in
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone:
      return false;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScan:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return false;  // their computations do, or not
    default:
      break;
  }
  const Accuracy accuracy = instruction.info().accuracy;
  return accuracy == Accuracy::kRounded || accuracy == Accuracy::kFunction ||
         accuracy == Accuracy::kAccumulating || accuracy == Accuracy::kOpaque;
}

// Tests all computations that the instruction calls, directly or indirectly.
template <typename Predicate>
bool AnyStep(const Instruction& instruction, Predicate predicate) {
  std::vector<const Computation*> open;
  absl::flat_hash_set<const Computation*> seen;
  const auto add = [&](const Instruction& caller) {
    for (const Computation* callee : caller.called_computations()) {
      if (seen.insert(callee).second) open.push_back(callee);
    }
  };
  add(instruction);
  while (!open.empty()) {
    const Computation* computation = open.back();
    open.pop_back();
    for (const auto& step : computation->instructions()) {
      if (predicate(*step)) return true;
      add(*step);
    }
  }
  return false;
}

}  // namespace

bool Rounds(const Instruction& instruction, ElementType type) {
  if (!IsRounded(type)) return false;
  return RoundsItself(instruction) || AnyStep(instruction, [](const Instruction& step) {
           return step.shape().is_array() && IsRounded(step.shape().element_type()) &&
                  RoundsItself(step);
         });
}

bool Computes(const Instruction& instruction) {
  return !Moves(instruction) ||
         AnyStep(instruction, [](const Instruction& step) { return !Moves(step); });
}

bool ReadsBits(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kBitcastConvert) return true;
  return instruction.opcode() == Opcode::kBitcast &&
         instruction.shape().element_type() != instruction.operand(0)->shape().element_type();
}

bool Moves(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  switch (instruction.info().family) {
    case Family::kElementwise:
      return FindElementwise(opcode)->role == ElementRole::kMoves;
    case Family::kReduction:
      return opcode == Opcode::kSort || opcode == Opcode::kTopK;
    case Family::kIndexing:
      return opcode != Opcode::kScatter;
    case Family::kMovement:
    case Family::kControl:
      return true;
    default:
      return false;
  }
}

const Computation* FoldRegion(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kSelectAndScatter
             ? instruction.GetComputation(Attr::kScatter)
             : instruction.to_apply();
}

}  // namespace assay::conformance
