#include "backends/passes/pass.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/passes/editor.h"
#include "runtime/module_form.h"
#include "spec/builder/copy_module.h"

namespace assay::passes {
namespace {

// Whether instructions mean tiles of values, or other things hang on single instructions that a
// pass does not know.
bool IsLeftAlone(const Module& module) {
  return module.num_partitions > 1 || runtime::HasManualRegions(module) ||
         runtime::PartitionsOf(module) > 1;
}

}  // namespace

PassList CpuPipeline(const runtime::Engine& engine, Exactness exactness) {
  PassList list;
  list.push_back(InlineCalls());
  list.push_back(DeadCode());
  list.push_back(LoopConstants());
  list.push_back(AlgebraicSimplification(exactness));
  list.push_back(ConstantFolding(engine));
  list.push_back(DotOperands());
  list.push_back(CommonSubexpressions());
  list.push_back(Recompute());
  list.push_back(Fusion());
  return list;
}

absl::Status RunPasses(const PassList& passes, std::unique_ptr<Module>& module,
                       const std::function<absl::Status(absl::string_view pass)>& after) {
  if (module->entry() == nullptr || IsLeftAlone(*module)) return absl::OkStatus();
  for (const auto& pass : passes) {
    const absl::StatusOr<bool> changed = pass->Run(module);
    if (!changed.ok()) {
      return absl::Status(changed.status().code(),
                          absl::StrCat("pass ", pass->name(), ": ", changed.status().message()));
    }
    if (after == nullptr) continue;
    if (absl::Status status = after(pass->name()); !status.ok()) return status;
  }
  return absl::OkStatus();
}

std::unique_ptr<Module> EmptyModuleLike(const Module& module) {
  auto copy = std::make_unique<Module>(module.name());
  copy->id = module.id;
  copy->input_output_alias = module.input_output_alias;
  copy->buffer_donors = module.buffer_donors;
  copy->alias_passthrough_params = module.alias_passthrough_params;
  copy->entry_layout = module.entry_layout;
  copy->spmd_propagation_to_parameters = module.spmd_propagation_to_parameters;
  copy->spmd_propagation_to_output = module.spmd_propagation_to_output;
  copy->replica_count = module.replica_count;
  copy->num_partitions = module.num_partitions;
  copy->frontend_attributes = module.frontend_attributes;
  copy->origin_recovery = module.origin_recovery;
  copy->debug_attributes = module.debug_attributes;
  copy->stack_frames = module.stack_frames;
  copy->wire_extras = module.wire_extras;
  return copy;
}

std::unique_ptr<Module> CopyModule(const Module& module) {
  auto copy = EmptyModuleLike(module);
  CalleeMap callees;
  CopyComputations(module, copy.get(), &callees);
  for (const auto& original : module.computations()) {
    Computation* computation = callees.at(original.get());
    std::vector<Instruction*> schedule;
    for (const Instruction* instruction : original->schedule()) {
      schedule.push_back(computation->instruction(instruction->index()));
    }
    computation->set_schedule(std::move(schedule));
  }
  copy->set_entry(callees.at(module.entry()));
  copy->is_scheduled = module.is_scheduled;
  return copy;
}

}  // namespace assay::passes
