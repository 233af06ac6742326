// Custom calls by functions of a shared library, as programs for XLA's C ABIs have them. The
// instruction's api_version says which:
//   1 ORIGINAL                  void NAME(void* out, const void** in)
//   2 STATUS_RETURNING          ... (..., XlaCustomCallStatus* status)
//   3 STATUS_RETURNING_UNIFIED  ... (..., const char* opaque, size_t length, XlaCustomCallStatus*)
// `in[i]` points at the elements of operand i, row major (types narrower than a byte one element to
// the byte); for a tuple operand at a table of such pointers. `out` points at the elements of the
// result, for a tuple result at a table. `opaque` is the backend_config. The target's name is the
// symbol. The code runs in this process: it is trusted. Source: reference
// ops_control_and_collectives.md 11.1. Tests: custom_call_cli_test.py.
#ifndef ASSAY_INTERPRETER_SHARED_LIBRARY_H_
#define ASSAY_INTERPRETER_SHARED_LIBRARY_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "interpreter/custom_call.h"
#include "spec/ir/module.h"

// What functions of versions 2 and 3 call; the program that loads them exports both (`assay` does).
// Without either call it is success.
struct XlaCustomCallStatus;
extern "C" {
void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message, size_t length);
}

namespace assay {

// Registers those targets of the module that the library defines; they replace what the targets
// meant before. NOT_FOUND when the library cannot be opened, or defines none of them.
absl::Status RegisterSharedLibrary(const std::string& path, const Module& module,
                                   CustomCallRegistry* registry);

}  // namespace assay

#endif  // ASSAY_INTERPRETER_SHARED_LIBRARY_H_
