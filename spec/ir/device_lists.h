// The devices (replicas, partitions) that an iota or the axes of a mesh stand for, one by one, in
// the order that they mean. Nothing is listed before its length is known and compared with the
// caller's limit. Source: reference ops_control_and_collectives.md 5.4. Tests:
// device_lists_test.cc.
#ifndef ASSAY_SPEC_IR_DEVICE_LISTS_H_
#define ASSAY_SPEC_IR_DEVICE_LISTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/attribute_values.h"

namespace assay {

using DeviceGroups = std::vector<std::vector<int64_t>>;

// All functions: INVALID_ARGUMENT, saying what does not fit, where sizes do not multiply out, an
// order is no permutation, or axes are unknown, overlap or do not divide; RESOURCE_EXHAUSTED where
// there are more than `limit` devices.

// 0, 1, ... shaped by `reshape_dims` and transposed by `transpose_perm`.
absl::StatusOr<std::vector<int64_t>> ListIota(absl::Span<const int64_t> reshape_dims,
                                              absl::Span<const int64_t> transpose_perm,
                                              int64_t limit);

// The devices of a mesh over some of its axes or parts of axes, which become the minor dimensions,
// in the order of the list: a group for each index over all other parts, in it a device for each
// index over the listed ones. No group comes twice.
absl::StatusOr<DeviceGroups> DevicesOverAxes(const Mesh& mesh, absl::Span<const AxisRef> axes,
                                             int64_t limit);

// Replica groups in any form. {} stays the empty list.
absl::StatusOr<DeviceGroups> ListGroups(const ReplicaGroups& groups, int64_t limit);

// How many groups of how many ids there would be, without listing any. Products beyond 63
// bits are INVALID_ARGUMENT.
struct GroupCounts {
  int64_t groups = 0;
  int64_t size = 0;
};
absl::StatusOr<GroupCounts> CountGroups(const ReplicaGroups& groups);
absl::StatusOr<GroupCounts> CountDevicesOverAxes(const Mesh& mesh, absl::Span<const AxisRef> axes);

}  // namespace assay

#endif  // ASSAY_SPEC_IR_DEVICE_LISTS_H_
