// Operations that only move elements, so that an engine may read its operand through a view instead
// of running them. Tests: those of the engines.
#ifndef ASSAY_SPEC_ANALYSIS_MOVEMENT_H_
#define ASSAY_SPEC_ANALYSIS_MOVEMENT_H_

#include "spec/op_info.h"

namespace assay::analysis {

constexpr bool IsMovement(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_MOVEMENT_H_
