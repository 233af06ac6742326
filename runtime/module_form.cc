#include "runtime/module_form.h"

#include <algorithm>

#include "runtime/run.h"
#include "spec/sharding/sdy_shardings.h"
#include "spec/sharding/sharding_checks.h"

namespace assay::runtime {
namespace {

bool CutsIntoTiles(const Sharding& sharding) {
  if (sharding.named != nullptr) {
    for (const NamedSharding::DimensionSharding& dimension : sharding.named->dimensions) {
      if (!dimension.axes.empty()) return true;
    }
    return false;
  }
  if (sharding.type == Sharding::Type::kTuple) {
    for (const Sharding& element : sharding.tuple) {
      if (CutsIntoTiles(element)) return true;
    }
    return false;
  }
  return sharding.type == Sharding::Type::kTiled;
}

template <typename Visit>
void ForEachInstruction(const Module& module, Visit visit) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) visit(*instruction);
  }
}

// Whether partitions of one replica see each other in it, or themselves.
bool SeesPartitions(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kPartitionId) return true;
  if (instruction.opcode() == Opcode::kCustomCall) {
    return instruction.GetString(Attr::kCustomCallTarget) == "ragged_all_to_all";
  }
  return instruction.info().family == Family::kCollective &&
         instruction.info().FindAttribute(Attr::kChannelId) != nullptr &&
         instruction.FindInt(Attr::kChannelId).value_or(0) > 0;
}

}  // namespace

bool IsManualBorder(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kCustomCall) return false;
  const std::string& target = instruction.GetString(Attr::kCustomCallTarget);
  return target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape" ||
         target == "xla.sdy.GlobalToLocalShape" || target == "xla.sdy.LocalToGlobalShape";
}

bool HasManualRegions(const Module& module) {
  bool found = false;
  ForEachInstruction(module,
                     [&](const Instruction& instruction) { found |= IsManualBorder(instruction); });
  return found;
}

int64_t PartitionsOf(const Module& module) {
  if (module.num_partitions > 1 || !HasManualRegions(module)) return module.num_partitions;
  int64_t named = 1;
  ForEachInstruction(module, [&](const Instruction& instruction) {
    if (instruction.has_annotations() && instruction.annotations().sharding.has_value()) {
      named = std::max(named, DevicesNamed(*instruction.annotations().sharding));
    }
    if (!IsManualBorder(instruction)) return;
    const absl::StatusOr<std::vector<Sharding>> shardings = BorderShardings(instruction);
    if (!shardings.ok()) return;  // said where it runs
    for (const Sharding& sharding : *shardings) named = std::max(named, DevicesNamed(sharding));
  });
  return named;
}

ModuleForm FormOf(const Module& module) {
  if (PartitionsOf(module) <= 1) return ModuleForm::kPartitioned;
  if (HasManualRegions(module)) return ModuleForm::kLogical;
  bool tiled = false, meeting = false;
  ForEachInstruction(module, [&](const Instruction& instruction) {
    // One that cannot be read is said where it is needed.
    const absl::StatusOr<std::optional<Sharding>> sharding = WrittenSharding(instruction);
    tiled |= sharding.ok() && sharding->has_value() && CutsIntoTiles(**sharding);
    meeting |= SeesPartitions(instruction);
  });
  return tiled && !meeting ? ModuleForm::kLogical : ModuleForm::kPartitioned;
}

absl::StatusOr<ProcessPlan> PlanProcesses(const Module& module, std::optional<ModuleForm> form) {
  ProcessPlan plan;
  plan.grid = {module.replica_count, PartitionsOf(module)};
  if (form.value_or(FormOf(module)) == ModuleForm::kLogical) {
    if (!HasManualRegions(module)) plan.grid.partitions = 1;
    plan.per_device = plan.grid.partitions;
  }
  if (absl::Status status = CheckGrid(plan.grid); !status.ok()) return status;
  return plan;
}

}  // namespace assay::runtime
