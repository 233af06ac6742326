// Shared by operations on arrays with dynamic dimensions: cuts values to their valid box, puts them
// back into storage of the bound, and makes instructions for other sizes. Tests: dynamic_test.cc.
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

// Returns the valid box as an array of exactly its size.
absl::StatusOr<Literal> CutToSizes(const Literal& value, const Process& process);

// Returns a value of `shape` whose valid box is the array. Returns FAILED_PRECONDITION if it does
// not fit.
absl::StatusOr<Literal> EmbedBox(const Literal& box, const Shape& shape, const Process& process);

// An instruction with the name, source place and attributes of another, on its own operands.
struct ResizedInstruction {
  std::vector<std::unique_ptr<Instruction>> operands;
  std::unique_ptr<Instruction> op;  // has the other's shape until another is set
};
ResizedInstruction OnOperands(const Instruction& like, Opcode opcode,
                              absl::Span<const Literal> operands);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_DYNAMIC_H_
