// The exit codes of the command line. Tests: bad_input_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_EXIT_CODE_H_
#define ASSAY_TOOLS_CLI_EXIT_CODE_H_

#include "absl/status/status.h"

namespace assay::cli {

enum ExitCode : int {
  kExitOk = 0,
  kExitMismatch = 1,     // compared values differ
  kExitBadInput = 2,     // arguments, files or modules are invalid
  kExitBudget = 3,       // a budget of bytes, steps, depth or time is exhausted
  kExitUnsupported = 4,  // an operation or module that the backend does not support
  kExitOtherFailed = 5,  // the other implementation crashed, hung or sent an invalid response
};

inline ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kResourceExhausted:
      return kExitBudget;
    case absl::StatusCode::kUnimplemented:
      return kExitUnsupported;
    case absl::StatusCode::kAborted:
      return kExitOtherFailed;
    default:
      return kExitBadInput;
  }
}

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_EXIT_CODE_H_
