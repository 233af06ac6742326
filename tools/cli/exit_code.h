// What the command line's exit codes mean.
#ifndef ASSAY_TOOLS_CLI_EXIT_CODE_H_
#define ASSAY_TOOLS_CLI_EXIT_CODE_H_

#include "absl/status/status.h"

namespace assay {

enum ExitCode : int {
  kExitOk = 0,
  kExitMismatch = 1,     // compared values differ
  kExitBadInput = 2,     // arguments, files or modules are wrong
  kExitBudget = 3,       // a budget of bytes, steps, depth or time is spent
  kExitUnsupported = 4,  // an operation or module that the backend does not support
  kExitOtherFailed = 5,  // the other implementation crashed, hung or answered nonsense
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

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_EXIT_CODE_H_
