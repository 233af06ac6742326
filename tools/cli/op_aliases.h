// What StableHLO, JAX and NumPy call the operations of HLO, so that somebody who knows an operation
// by another name finds it. Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_OP_ALIASES_H_
#define ASSAY_TOOLS_CLI_OP_ALIASES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/op_info.h"

namespace assay {

// The operations of this name: that of HLO itself, or those that another name stands for, as
// "exp", "lax.dot_general", "stablehlo.all_reduce". Empty if nobody calls an operation so.
std::vector<Opcode> OperationsNamed(absl::string_view name);

// The other names of an operation, sorted.
std::vector<std::string> AliasesOf(Opcode opcode);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_OP_ALIASES_H_
