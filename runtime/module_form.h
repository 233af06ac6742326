// The two forms of modules for several partitions: the program of each device, and one program on
// global shapes of which every device holds tiles. Source: reference ops_control_and_collectives.md
// 12. Tests: module_form_test.cc.
#ifndef ASSAY_RUNTIME_MODULE_FORM_H_
#define ASSAY_RUNTIME_MODULE_FORM_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/process_groups.h"
#include "spec/ir/module.h"

namespace assay::runtime {

enum class ModuleForm {
  kPartitioned,  // shapes are those of a device; shardings are hints
  kLogical,      // shapes are global; manual regions have a value per partition
};

// Returns the form of a module. It is partitioned if no sharding has tiles, or if partitions
// communicate outside of manual regions (XLA's partitioner keeps shardings); otherwise it is
// logical.
ModuleForm FormOf(const Module& module);

// Returns num_partitions. If that is 1 and the module has manual regions, returns the number in its
// shardings, because JAX does not set num_partitions.
int64_t PartitionsOf(const Module& module);

// Returns true if the module has manual regions. Every partition then runs a logical module.
bool HasManualRegions(const Module& module);
// Returns true if the custom call has one of the four targets at the borders of manual regions.
bool IsManualBorder(const Instruction& instruction);
// Returns, for each leaf of a border's value, the sharding of the global value over the manual
// axes. Returns INVALID_ARGUMENT if the module does not have it.
absl::StatusOr<std::vector<Sharding>> BorderShardings(const Instruction& border);

// The devices of a module.
struct ProcessPlan {
  ProcessGrid grid;
  // The number of consecutive places of the grid with the same arguments and results: 1, or the
  // partitions of a logical module.
  int64_t per_device = 1;
};
// Derives the devices from the counts of the module and its form (FormOf if not given). Returns
// RESOURCE_EXHAUSTED for too many.
absl::StatusOr<ProcessPlan> PlanProcesses(const Module& module,
                                          std::optional<ModuleForm> form = std::nullopt);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_MODULE_FORM_H_
