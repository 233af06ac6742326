// Which element types a plug-in takes: found by asking, in processes of their own because plug-ins
// abort, and stored, because asking takes a second. Tests: driver_test.cc.
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

// Asks for one type, in a process that has started the plug-in.
using TypeQuestion = std::function<absl::Status(ElementType)>;

// The names of the types about which the plug-in does not answer with an error. A type for which it
// crashes, or takes more than 30 seconds, is among them: programs with it are sent and fail.
// `start` starts the plug-in, and is called in child processes; where it fails there is no list.
// Must be called while this process has one thread.
std::optional<std::vector<std::string>> ProbeTypes(
    const std::function<absl::StatusOr<TypeQuestion>()>& start);

// ProbeTypes, or what it has found before: `key` names the plug-in, its options and its version.
// The answers lie in $ASSAY_PJRT_CACHE, else in $XDG_CACHE_HOME/assay or ~/.cache/assay.
std::optional<std::vector<std::string>> StoredTypes(
    const std::string& key, const std::function<absl::StatusOr<TypeQuestion>()>& start);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_DRIVER_TYPE_PROBE_H_
