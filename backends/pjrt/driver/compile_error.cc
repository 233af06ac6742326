#include "backends/pjrt/driver/compile_error.h"

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace assay::pjrt {
namespace {

struct Saying {
  absl::string_view part;
  absl::StatusCode code;
};

// XLA's verifier runs first on the module as it came, and its errors are INTERNAL. It runs again
// after every pass, and an error of those runs, such as that of the first row, is the pass's own.
constexpr Saying kSayings[] = {
    {"does not support custom element sizes on non-sub-byte types", absl::StatusCode::kInternal},
    // Said of legal modules, whose reductions or scatters have several floating-point types.
    {"mixed precision is disallowed", absl::StatusCode::kUnimplemented},
    {"[hlo verifier]", absl::StatusCode::kInvalidArgument},
    // Reading the protobuf message.
    {"RET_CHECK failure (xla/hlo/ir/", absl::StatusCode::kInvalidArgument},
    // An operation that is younger than the plug-in.
    {"Unknown opcode: ", absl::StatusCode::kUnimplemented},
    // A bitcast is what only XLA's own passes make; the second row is of one between ranks. The
    // verifier has refused modules whose own layouts are wrong before.
    {"Unexpected bitcast operation seen during layout assignment",
     absl::StatusCode::kUnimplemented},
    {"layout minor_to_major field contains", absl::StatusCode::kUnimplemented},
    {"Unsupported fusion kind", absl::StatusCode::kUnimplemented},
    {"Dot fusion supports only", absl::StatusCode::kUnimplemented},
    {"Is called on unsupported shape", absl::StatusCode::kUnimplemented},
    {"is not supported by XLA", absl::StatusCode::kUnimplemented},
};

}  // namespace

absl::Status CompileError(const absl::Status& status, bool is_hlo) {
  const auto says = [&](absl::StatusCode code) { return absl::Status(code, status.message()); };
  for (const Saying& saying : kSayings) {
    if (absl::StrContains(status.message(), saying.part)) return says(saying.code);
  }
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
      return says(absl::StatusCode::kInvalidArgument);
    case absl::StatusCode::kResourceExhausted:
      return status;
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kNotFound:  // a custom call
      return says(absl::StatusCode::kUnimplemented);
    case absl::StatusCode::kUnknown:
      return says(is_hlo ? absl::StatusCode::kInternal : absl::StatusCode::kUnimplemented);
    default:
      return says(absl::StatusCode::kInternal);
  }
}

}  // namespace assay::pjrt
