#include "interpreter/module_form.h"

#include "absl/strings/str_cat.h"
#include "interpreter/interpreter.h"

namespace assay {
namespace {

bool CutsIntoTiles(const Sharding& sharding) {
  if (sharding.type == Sharding::Type::kTuple) {
    for (const Sharding& element : sharding.tuple) {
      if (CutsIntoTiles(element)) return true;
    }
    return false;
  }
  return sharding.type == Sharding::Type::kTiled;
}

// Whether partitions of one replica see each other in it, or themselves.
bool SeesPartitions(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kPartitionId) return true;
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
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (IsManualBorder(*instruction)) return true;
    }
  }
  return false;
}

absl::StatusOr<ModuleForm> FormOf(const Module& module) {
  if (module.num_partitions <= 1) return ModuleForm::kPartitioned;
  if (HasManualRegions(module)) return ModuleForm::kLogical;
  const Instruction* tiled = nullptr;
  const Instruction* meeting = nullptr;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->has_annotations() && instruction->annotations().sharding.has_value() &&
          CutsIntoTiles(*instruction->annotations().sharding)) {
        tiled = instruction.get();
      }
      if (SeesPartitions(*instruction)) meeting = instruction.get();
    }
  }
  if (tiled == nullptr) return ModuleForm::kPartitioned;
  if (meeting == nullptr) return ModuleForm::kLogical;
  return absl::InvalidArgumentError(
      absl::StrCat("the module is both on global shapes, as ", tiled->name(),
                   " is sharded into tiles, and the "
                   "program of one partition, as ",
                   meeting->Describe(),
                   " meets others: say which it is (--module-form partitioned or logical)"));
}

absl::StatusOr<ProcessPlan> PlanProcesses(const Module& module, std::optional<ModuleForm> form) {
  if (!form.has_value()) {
    const absl::StatusOr<ModuleForm> told = FormOf(module);
    if (!told.ok()) return told.status();
    form = *told;
  }
  ProcessPlan plan;
  plan.grid = {module.replica_count, module.num_partitions};
  if (*form == ModuleForm::kLogical) {
    if (!HasManualRegions(module)) plan.grid.partitions = 1;
    plan.per_device = plan.grid.partitions;
  }
  if (absl::Status status = CheckGrid(plan.grid); !status.ok()) return status;
  return plan;
}

}  // namespace assay
