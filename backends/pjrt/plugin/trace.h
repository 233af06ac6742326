// The folder of traces: every module that is compiled, with the arguments and results of each
// execution, as `assay diff` and `assay run` read them.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_TRACE_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_TRACE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backends/pjrt/plugin/executable.h"

namespace assay::pjrt {

// Writes NNNN_NAME.hlo where the client wants traces.
absl::Status TraceModule(PJRT_LoadedExecutable& executable);
// Writes the arrays by device as TRACE.runK.KIND.npz, where `trace` is the executable's; an
// execution may outlive it. `kind` is "arguments" or "results".
absl::Status TraceArrays(const std::string& trace, int64_t run, const std::string& kind,
                         const std::vector<std::vector<Literal>>& by_device);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_TRACE_H_
