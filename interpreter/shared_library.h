// Custom calls by functions of a shared library, as programs for XLA's first ABI have them:
//   void NAME(void* out, const void** in)
// `in[i]` points at the elements of operand i, row major (types narrower than a byte one element to
// the byte); for a tuple operand at a table of such pointers. `out` points at the elements of the
// result, for a tuple result at a table. The target's name is the symbol. The code runs in this
// process: it is trusted. Tests: custom_call_cli_test.py.
#ifndef ASSAY_INTERPRETER_SHARED_LIBRARY_H_
#define ASSAY_INTERPRETER_SHARED_LIBRARY_H_

#include <string>

#include "absl/status/status.h"
#include "interpreter/custom_call.h"
#include "spec/ir/module.h"

namespace assay {

// Registers those targets of the module that the library defines; they replace what the targets
// meant before. NOT_FOUND when the library cannot be opened, or defines none of them.
absl::Status RegisterSharedLibrary(const std::string& path, const Module& module,
                                   CustomCallRegistry* registry);

}  // namespace assay

#endif  // ASSAY_INTERPRETER_SHARED_LIBRARY_H_
