// The two kinds of modules for several partitions, which must not be confused: the program of each
// device, and one program on global shapes of which every device holds tiles.
// Source: reference ops_control_and_collectives.md 12. Tests: module_form_test.cc.
#ifndef ASSAY_RUNTIME_MODULE_FORM_H_
#define ASSAY_RUNTIME_MODULE_FORM_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/process_groups.h"
#include "spec/ir/module.h"

namespace assay::runtime {

enum class ModuleForm {
  kPartitioned,  // shapes are those of a device; shardings are advice
  kLogical,      // shapes are global; manual regions hold a value per partition
};

// What the module is: partitioned where no sharding cuts anything into tiles, or where partitions
// meet outside of manual regions (XLA's partitioner leaves shardings behind); logical elsewhere.
ModuleForm FormOf(const Module& module);

// num_partitions; where that is 1 and the module has manual regions, as many as its shardings name
// (JAX writes no count into what it lowers).
int64_t PartitionsOf(const Module& module);

// Whether values enter or leave manual regions: then every partition runs a logical module.
bool HasManualRegions(const Module& module);
// Whether the custom call is one of the four targets at the borders of manual regions.
bool IsManualBorder(const Instruction& instruction);
// For each leaf of a border's value how the global value is cut over the manual axes.
// INVALID_ARGUMENT where the module does not say.
absl::StatusOr<std::vector<Sharding>> BorderShardings(const Instruction& border);

// The processes of a module.
struct ProcessPlan {
  ProcessGrid grid;
  // So many processes that follow each other have the same arguments, and the same results: 1, or
  // the partitions of a logical module.
  int64_t per_device = 1;
};
// By the counts of the module and its form (none: FormOf). RESOURCE_EXHAUSTED for too many.
absl::StatusOr<ProcessPlan> PlanProcesses(const Module& module,
                                          std::optional<ModuleForm> form = std::nullopt);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_MODULE_FORM_H_
