// Classifies the errors that a plug-in returns when it compiles a module. Test:
// compile_error_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_DRIVER_COMPILE_ERROR_H_
#define ASSAY_BACKENDS_PJRT_DRIVER_COMPILE_ERROR_H_

#include "absl/status/status.h"

namespace assay::pjrt {

// Returns INVALID_ARGUMENT if the plug-in rejects the module, UNIMPLEMENTED if it does not support
// it, RESOURCE_EXHAUSTED unchanged, and INTERNAL for failures. The code decides, and XLA's text if
// XLA returns INTERNAL for a module that its verifier rejects or its compiler does not support.
// UNKNOWN is StableHLO that the plug-in does not read. For a module that was sent as HLO it is a
// failure of the compiler's own passes.
absl::Status CompileError(const absl::Status& status, bool is_hlo);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_DRIVER_COMPILE_ERROR_H_
