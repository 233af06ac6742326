// The rule of each operation: one specialisation per row of the catalogue, so that a missing rule
// is a link error. Called by InferShape after the checks that all operations share (number of
// operands, required attributes, valid operand shapes).
#ifndef ASSAY_SPEC_OPS_RULES_H_
#define ASSAY_SPEC_OPS_RULES_H_

#include "absl/status/statusor.h"
#include "spec/ir/module.h"
#include "spec/ops/checks.h"

namespace assay {

template <Opcode opcode>
absl::StatusOr<Shape> Rule(const Instruction& instruction);

#define OP(enumerator, ...) \
  template <>               \
  absl::StatusOr<Shape> Rule<Opcode::enumerator>(const Instruction& instruction);
#include "spec/op_catalogue.def"
#undef OP

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_RULES_H_
