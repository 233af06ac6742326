// The names of HLO operations in StableHLO, JAX, NumPy, PyTorch and XLA's documents, so that users
// find an operation by another name. Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_OP_ALIASES_H_
#define ASSAY_TOOLS_CLI_OP_ALIASES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/op_info.h"

namespace assay::cli {

struct NamedOperations {
  std::vector<Opcode> opcodes;  // empty if the name is unknown
  // true if the name is a function composed of all of them; otherwise each of them has the name
  bool is_composed = false;
  bool has_others = false;  // true if the function uses other operations too
};

// Returns the operations with this HLO name or alias, such as "exp", "lax.dot_general",
// "stablehlo.all_reduce", "DynamicSlice", "jax.nn.softmax".
NamedOperations OperationsNamed(absl::string_view name);

// Converts a name to HLO's spelling: "lax.DynamicSlice" to "dynamic-slice". The operation need not
// exist.
std::string AsHloName(absl::string_view name);

// Returns the name, of HLO or an alias, that is probably meant by one that does not exist; empty if
// none is near.
std::string NearestOperationName(absl::string_view name);

// Returns the aliases of this operation only, sorted.
std::vector<std::string> AliasesOf(Opcode opcode);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_OP_ALIASES_H_
