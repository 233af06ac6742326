// Values that leave a manual region unreduced: each device has a summand, and the value outside is
// the sum (or the maximum, the minimum). Source: reference ops_control_and_collectives.md 12.
// Tests: interpreter/module_form_test.cc.
#ifndef ASSAY_RUNTIME_BORDER_SUMS_H_
#define ASSAY_RUNTIME_BORDER_SUMS_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/device_lists.h"
#include "spec/ir/module.h"

namespace assay::runtime {

// A leaf of what the devices bring to a border, and who of them adds it to whose.
struct BorderSum {
  size_t leaf = 0;
  DeviceGroups groups;                      // partitions whose summands belong to one value
  const Instruction* all_reduce = nullptr;  // of one device's summand; its groups do not count
};

// The sums of a border, with the instructions that say them to an engine.
class BorderSums {
 public:
  // `leaves` are the shapes on a device. Shardings have one for each leaf, over the manual axes.
  static absl::StatusOr<BorderSums> Of(absl::Span<const Sharding> shardings,
                                       absl::Span<const Shape* const> leaves);
  absl::Span<const BorderSum> list() const { return list_; }

 private:
  std::unique_ptr<Module> module_;  // of the instructions
  std::vector<BorderSum> list_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_BORDER_SUMS_H_
