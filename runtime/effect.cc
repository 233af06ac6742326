#include "runtime/effect.h"

#include "runtime/engine.h"
#include "runtime/module_form.h"
#include "runtime/random_effect.h"

namespace assay::runtime {

EffectOr PrepareEffect(const Instruction& instruction, const Engine& engine) {
  switch (instruction.opcode()) {
    case Opcode::kCustomCall:
      if (IsManualBorder(instruction)) return PrepareManualBorder(instruction);
      return engine.PrepareEffect(instruction);
    case Opcode::kRng:
      return engine.PrepareEffect(instruction);
    case Opcode::kRngGetAndUpdateState:
      return PrepareRandomState(instruction);
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kSend:
      return PrepareTransferEffect(instruction);
    default:
      return PrepareCollectiveEffect(instruction, engine);
  }
}

}  // namespace assay::runtime
