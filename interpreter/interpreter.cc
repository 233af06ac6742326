#include "interpreter/interpreter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "interpreter/plan.h"
#include "spec/analysis/call_order.h"
#include "spec/analysis/effects.h"
#include "spec/verify/verifier.h"

namespace assay {
namespace {

// The computations that an instruction of this one runs as plans.
std::vector<const Computation*> AllPlannedCallees(const Computation& computation) {
  std::vector<const Computation*> callees;
  for (const auto& instruction : computation.instructions()) {
    if (instruction->called_computations().empty()) continue;
    for (const Computation* callee : PlannedCallees(*instruction)) callees.push_back(callee);
  }
  return callees;
}

}  // namespace

absl::Status CheckArguments(const Computation& entry, absl::Span<const Literal> arguments) {
  const std::vector<Instruction*> parameters = entry.parameters();
  if (parameters.size() != arguments.size()) {
    return absl::InvalidArgumentError(absl::StrCat("computation ", entry.name(), " takes ",
                                                   parameters.size(), " arguments, ",
                                                   arguments.size(), " were given"));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (Shape::Compatible(parameters[i]->shape(), arguments[i].shape())) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("argument ", i, " has shape ", arguments[i].shape().ToString(), ", but ",
                     parameters[i]->Describe(), " wants ", parameters[i]->shape().ToString()));
  }
  return absl::OkStatus();
}

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

}  // namespace

PlannedModule::PlannedModule(const Module& module, const PlanOptions& options)
    : module_(module), options_(options) {}
PlannedModule::~PlannedModule() = default;

absl::StatusOr<std::unique_ptr<PlannedModule>> PlannedModule::Create(const Module& module,
                                                                     const PlanOptions& options) {
  if (module.entry() == nullptr || module.entry()->root() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("module ", module.name(), " has no entry computation to run"));
  }
  absl::Status status = CheckRunnable(module);
  if (!status.ok()) return status;
  const ProgramCache::Scope programs(std::make_shared<ProgramCache>());
  const Computation* entry = module.entry();
  const analysis::CallOrder order =
      analysis::FindCallOrder(absl::MakeConstSpan(&entry, 1), AllPlannedCallees);
  if (order.recursive != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("computation ", order.recursive->name(), " calls itself"));
  }
  std::unique_ptr<PlannedModule> planned(new PlannedModule(module, options));
  planned->effectful_ = analysis::FindEffectful(order.callees_first);
  for (const Computation* computation : order.callees_first) {
    for (const auto& instruction : computation->instructions()) {
      planned->has_transfers_ |= analysis::LeavesForLater(*instruction);
    }
  }
  runtime::Budget budget(-1, options.seconds);
  PlanBuilder::PlanMap& plans = planned->plan_of_;
  for (const Computation* computation : order.callees_first) {
    absl::StatusOr<std::unique_ptr<ComputationPlan>> plan =
        PlanBuilder(*computation, *planned, plans, budget).Build();
    if (!plan.ok()) return plan.status();
    (*plan)->number = static_cast<int32_t>(planned->plans_.size());
    plans[computation] = plan->get();
    planned->plans_.push_back(*std::move(plan));
  }
  return planned;
}

const ComputationPlan* PlannedModule::plan_of(const Computation& computation) const {
  auto plan = plan_of_.find(&computation);
  return plan == plan_of_.end() ? nullptr : plan->second;
}

absl::StatusOr<Literal> PlannedModule::Run(absl::Span<const Literal> arguments,
                                           const RunOptions& options, RunStats* stats) const {
  Program program;
  program.module = this;
  program.arguments.emplace_back(arguments.begin(), arguments.end());
  absl::StatusOr<std::vector<std::vector<Literal>>> results =
      RunPrograms(absl::MakeConstSpan(&program, 1), options, stats);
  if (!results.ok()) return results.status();
  return std::move((*results)[0][0]);
}

absl::StatusOr<Literal> Interpret(const Module& module, absl::Span<const Literal> arguments,
                                  const RunOptions& options, RunStats* stats) {
  PlanOptions plan_options;
  plan_options.observed = !options.observers.empty();
  plan_options.seconds = options.budget.seconds;
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned =
      PlannedModule::Create(module, plan_options);
  if (!planned.ok()) return planned.status();
  return (*planned)->Run(arguments, options, stats);
}

}  // namespace assay
