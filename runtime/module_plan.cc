#include "runtime/module_plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/plan.h"
#include "spec/analysis/call_order.h"
#include "spec/analysis/effects.h"
#include "spec/ir/entry.h"
#include "spec/verify/verifier.h"

namespace assay::runtime {
namespace {

// Legal, and of a defined value: XLA's verifier takes some modules that the documents refuse, and
// each implementation makes of them what it likes.
absl::Status CheckRunnable(const Module& module) {
  VerifyOptions options;
  options.instruction_rules = Rules::kStrict;
  const Verification verification = VerifyModule(module, options);
  const absl::Status status = VerificationStatus(verification);
  const bool only_strict = std::all_of(verification.findings.begin(), verification.findings.end(),
                                       [](const Finding& finding) { return finding.strict_only; });
  return status.ok() || !only_strict ? status : absl::UnimplementedError(status.message());
}

bool Repeats(const ComputationPlan& plan) {
  return std::all_of(
             plan.steps.begin(), plan.steps.end(),
             [](const Step& step) { return step.effect == nullptr || step.effect->repeats(); }) &&
         std::all_of(plan.slots.begin(), plan.slots.end(),
                     [](const Slot& slot) { return slot.sizes < 0; });
}

bool Decides(const ComputationPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return step.kind == StepKind::kConditional || (step.kind == StepKind::kWhile && step.trips < 0);
  });
}

}  // namespace

ModulePlan::ModulePlan(const Module& module, const Engine& engine, const PlanOptions& options)
    : module_(module), engine_(engine), options_(options) {}
ModulePlan::~ModulePlan() = default;

absl::StatusOr<std::unique_ptr<ModulePlan>> ModulePlan::Create(const Module& module,
                                                               const Engine& engine,
                                                               const PlanOptions& options) {
  absl::Status status = CheckEntry(module);
  if (status.ok()) status = CheckRunnable(module);
  if (!status.ok()) return status;
  const Computation* entry = module.entry();
  // The computations that an instruction of this one runs as plans.
  const auto callees_of = [&](const Computation& computation) {
    std::vector<const Computation*> callees;
    for (const auto& instruction : computation.instructions()) {
      if (instruction->called_computations().empty()) continue;
      for (const Computation* callee : PlannedCallees(*instruction, engine)) {
        callees.push_back(callee);
      }
    }
    return callees;
  };
  const analysis::CallOrder order =
      analysis::FindCallOrder(absl::MakeConstSpan(&entry, 1), callees_of);
  if (order.recursive != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("computation ", order.recursive->name(), " calls itself"));
  }
  std::unique_ptr<ModulePlan> planned(new ModulePlan(module, engine, options));
  planned->effectful_ = analysis::FindEffectful(order.callees_first);
  for (const Computation* computation : order.callees_first) {
    for (const auto& instruction : computation->instructions()) {
      planned->has_transfers_ |= analysis::LeavesForLater(*instruction);
    }
  }
  Budget budget(-1, options.seconds);
  PlanBuilder::PlanMap& plans = planned->plan_of_;
  for (const Computation* computation : order.callees_first) {
    absl::StatusOr<std::unique_ptr<ComputationPlan>> plan =
        PlanBuilder(*computation, *planned, plans, budget).Build();
    if (!plan.ok()) return plan.status();
    (*plan)->number = static_cast<int32_t>(planned->plans_.size());
    planned->repeats_ = planned->repeats_ && Repeats(**plan);
    planned->decides_ = planned->decides_ || Decides(**plan);
    plans[computation] = plan->get();
    planned->plans_.push_back(*std::move(plan));
  }
  return planned;
}

const ComputationPlan* ModulePlan::plan_of(const Computation& computation) const {
  auto plan = plan_of_.find(&computation);
  return plan == plan_of_.end() ? nullptr : plan->second;
}

}  // namespace assay::runtime
