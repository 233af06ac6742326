// Writes the trace folder: every compiled module, with the arguments and results of each execution,
// in the formats of `assay diff` and `assay run`. Tests: plugin_lives_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_TRACE_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_TRACE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backends/pjrt/plugin/executable.h"

namespace assay::pjrt {

// Writes NNNN_NAME.hlo if the client has a trace folder.
absl::Status TraceModule(PJRT_LoadedExecutable& executable);
// Writes the arrays by device as TRACE.runK.KIND.npz. `trace` is a copy of the executable's prefix,
// because an execution may outlive the executable. `kind` is "arguments" or "results".
absl::Status TraceArrays(const std::string& trace, int64_t run, const std::string& kind,
                         const std::vector<std::vector<Literal>>& by_device);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_TRACE_H_
