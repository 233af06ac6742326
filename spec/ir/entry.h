// What a module must have before it can run: backends that do not verify modules check this first.
// Tests: interpreter/session_test.cc, backends/golden/golden_backend_test.cc,
// backends/process/process_test.cc.
#ifndef ASSAY_SPEC_IR_ENTRY_H_
#define ASSAY_SPEC_IR_ENTRY_H_

#include "absl/status/status.h"
#include "spec/ir/module.h"

namespace assay {

// Returns INVALID_ARGUMENT if a parameter number of the computation is missing although there is a
// larger one; `parameters()` has a null pointer there.
absl::Status CheckParameters(const Computation& computation);

// Returns INVALID_ARGUMENT if the module has no entry computation, or one without a root or with a
// missing parameter.
absl::Status CheckEntry(const Module& module);

}  // namespace assay

#endif  // ASSAY_SPEC_IR_ENTRY_H_
