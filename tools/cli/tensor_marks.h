// The bindings of a module's parameters to tensors: from the module, a JSON file and --bind, of
// which the later takes precedence. Test: session_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_TENSOR_MARKS_H_
#define ASSAY_TOOLS_CLI_TENSOR_MARKS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "interpreter/session.h"
#include "spec/ir/module.h"

namespace assay::cli {

// `file`: {"arg0": {"kind": "variable", "name": "w", "output": "out0"}, ...}, or empty.
// `binds`: arg0=out0, w=out0 (a tensor's name), arg0-18=out0-18, arg3 (kept, never changed).
absl::StatusOr<std::vector<Binding>> MarkedBindings(const Module& module, const std::string& file,
                                                    absl::Span<const std::string> binds);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_TENSOR_MARKS_H_
