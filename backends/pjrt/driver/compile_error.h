// What an error says that a plug-in gives when it compiles a module. Test: compile_error_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_DRIVER_COMPILE_ERROR_H_
#define ASSAY_BACKENDS_PJRT_DRIVER_COMPILE_ERROR_H_

#include "absl/status/status.h"

namespace assay::pjrt {

// INVALID_ARGUMENT where the plug-in refuses the module, UNIMPLEMENTED where it lacks something,
// RESOURCE_EXHAUSTED as it is, INTERNAL for failures. The code decides, and XLA's text where XLA
// says INTERNAL of a module that its verifier refuses or that its compiler does not know.
absl::Status CompileError(const absl::Status& status);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_DRIVER_COMPILE_ERROR_H_
