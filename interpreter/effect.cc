#include "interpreter/effect.h"

#include "interpreter/module_form.h"

namespace assay {

EffectOr PrepareEffect(const Instruction& instruction, const PlanOptions& options) {
  switch (instruction.opcode()) {
    case Opcode::kCustomCall:
      if (IsManualBorder(instruction)) return PrepareManualBorder(instruction);
      if (IsRaggedCall(instruction, options)) return PrepareRaggedCall(instruction, options);
      return PrepareCustomCallEffect(instruction, options);
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kSend:
      return PrepareTransferEffect(instruction);
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
      return PrepareRandomEffect(instruction);
    default:
      return PrepareCollectiveEffect(instruction, options);
  }
}

}  // namespace assay
