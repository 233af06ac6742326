// Runs a module on every evaluation path of the reference interpreter: kernels, definitions,
// several threads, observed, parsed from its text and from its protobuf. All paths must give the
// same bits. Tests: ways_test.cc.
#ifndef ASSAY_FUZZ_DIFFERENTIAL_WAYS_H_
#define ASSAY_FUZZ_DIFFERENTIAL_WAYS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/device_io.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

enum class Way : uint8_t { kDefinitions, kTwoThreads, kSevenThreads, kObserved, kText, kProto };
inline constexpr Way kWays[] = {Way::kDefinitions, Way::kTwoThreads, Way::kSevenThreads,
                                Way::kObserved,    Way::kText,       Way::kProto};
absl::string_view WayName(Way way);  // "definitions"

// Runs the module by kernels on one thread, with which the other paths are compared. Outputs are by
// device.
absl::StatusOr<std::vector<DeviceOutputs>> RunByKernels(const Module& module,
                                                        absl::Span<const DeviceInputs> inputs,
                                                        const RunBudget& budget);
absl::StatusOr<std::vector<DeviceOutputs>> RunBy(Way way, const Module& module,
                                                 absl::Span<const DeviceInputs> inputs,
                                                 const RunBudget& budget);

// Returns true if results and outfeeds have the same bits.
bool SameOutputs(absl::Span<const DeviceOutputs> a, absl::Span<const DeviceOutputs> b);
// Describes the first difference: "result of device 0, leaf 1, element 3: 1.5 and 1.25".
std::string FirstDifference(absl::Span<const DeviceOutputs> a, absl::Span<const DeviceOutputs> b);

// The first path that differs from `golden` or fails.
struct WayDifference {
  Way way = Way::kDefinitions;
  std::string detail;
};
std::optional<WayDifference> FindWayThatDiffers(const Module& module,
                                                absl::Span<const DeviceInputs> inputs,
                                                absl::Span<const DeviceOutputs> golden,
                                                absl::Span<const Way> ways,
                                                const RunBudget& budget);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_WAYS_H_
