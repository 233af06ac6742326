// What StableHLO, JAX, NumPy, PyTorch and the documents of XLA call the operations of HLO, so that
// somebody who knows an operation by another name finds it. Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_OP_ALIASES_H_
#define ASSAY_TOOLS_CLI_OP_ALIASES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/op_info.h"

namespace assay {

struct NamedOperations {
  std::vector<Opcode> opcodes;  // empty if the name is unknown
  bool is_composed = false;     // the name is of a function made of them; else it is each of them
  bool has_others = false;      // and of operations beside them
};

// The operations of this name: that of HLO itself, or those that another name stands for, as
// "exp", "lax.dot_general", "stablehlo.all_reduce", "DynamicSlice", "jax.nn.softmax".
NamedOperations OperationsNamed(absl::string_view name);

// "lax.DynamicSlice" as HLO would spell it: dynamic-slice. No operation needs to have the name.
std::string AsHloName(absl::string_view name);

// The other names of this operation alone, sorted.
std::vector<std::string> AliasesOf(Opcode opcode);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_OP_ALIASES_H_
