// Finds the element types that a plug-in supports. Each type is tested in a process of its own,
// because plug-ins abort, and the results are cached, because a test takes a second. Tests:
// driver_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_DRIVER_TYPE_PROBE_H_
#define ASSAY_BACKENDS_PJRT_DRIVER_TYPE_PROBE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/element/element_type.h"

namespace assay::pjrt {

// Tests one type, in a process that has started the plug-in.
using TypeQuestion = std::function<absl::Status(ElementType)>;

// Returns the names of the types for which the plug-in does not return an error. They include types
// for which it crashes or takes more than 30 seconds, so that programs with them are run and fail.
// `start` starts the plug-in and is called in child processes. Returns nothing if it fails, or if
// the plug-in returns an error for every type. Must be called while this process has one thread.
std::optional<std::vector<std::string>> ProbeTypes(
    const std::function<absl::StatusOr<TypeQuestion>()>& start);

// Returns the cached result of ProbeTypes, or calls it. `key` identifies the plug-in, its options
// and its version. The cache is in $ASSAY_PJRT_CACHE, otherwise in $XDG_CACHE_HOME/assay or
// ~/.cache/assay.
std::optional<std::vector<std::string>> StoredTypes(
    const std::string& key, const std::function<absl::StatusOr<TypeQuestion>()>& start);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_DRIVER_TYPE_PROBE_H_
