// What operations on arrays with dynamic dimensions share: values cut to their valid box, put back
// into storage of the bound, and instructions for other sizes. Tests: dynamic_test.cc.
#ifndef ASSAY_RUNTIME_DYNAMIC_H_
#define ASSAY_RUNTIME_DYNAMIC_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/process.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::runtime {

// The valid box as an array of just that size.
absl::StatusOr<Literal> CutToSizes(const Literal& value, const Process& process);

// An array as the valid box of a value of `shape`. FAILED_PRECONDITION where it does not fit.
absl::StatusOr<Literal> EmbedBox(const Literal& box, const Shape& shape, const Process& process);

// An instruction with the name, place and attributes of another, on operands of its own.
struct ResizedInstruction {
  std::vector<std::unique_ptr<Instruction>> operands;
  std::unique_ptr<Instruction> op;  // of the other's shape until it is given one
};
ResizedInstruction OnOperands(const Instruction& like, Opcode opcode,
                              absl::Span<const Literal> operands);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_DYNAMIC_H_
