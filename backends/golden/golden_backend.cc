#include "backends/golden/golden_backend.h"

#include "absl/strings/str_cat.h"
#include "interpreter/custom_call.h"

namespace assay {

BackendCapabilities GoldenBackend::capabilities() const {
  using enum Feature;
  return {.modules_are_verified = true,
          .is_reference = true,
          .executes_at_once = ExecutesAtOnce(),
          .devices = kMostProcesses,
          .features = {kDefinitions, kForcedTier, kObservers, kStatistics, kRandomSeed, kHost,
                       kSendsWait, kCustomCalls, kTogether}};
}

absl::Status GoldenBackend::Supports(const Module& module) {
  for (const auto& computation : module.computations()) {
    absl::Status status = MeaningsOf(plan_).CheckAll(*computation);
    if (!status.ok()) return status;
    for (const auto& instruction : computation->instructions()) {
      if (IsInterpreted(instruction->opcode())) continue;
      return absl::UnimplementedError(absl::StrCat("the golden interpreter does not run ",
                                                   Name(instruction->opcode()),
                                                   " yet: ", instruction->Describe()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> GoldenBackend::Plan(
    const Module& module, const CompileOptions& options) {
  PlanOptions plan = plan_;
  plan.observed |= options.observed;
  if (options.seconds >= 0) plan.seconds = options.seconds;
  absl::StatusOr<std::shared_ptr<const PlannedModule>> planned =
      PlannedModule::Create(module, plan);
  if (!planned.ok()) {
    // The plan knows only that an operation has no definition.
    const absl::Status supported = Supports(module);
    return absl::IsUnimplemented(planned.status()) && !supported.ok() ? supported
                                                                      : planned.status();
  }
  // The plan keeps the planned module alive, whose engine it refers to.
  return std::shared_ptr<const runtime::ModulePlan>(*planned, &(*planned)->plan());
}

std::unique_ptr<runtime::RunStats> GoldenBackend::NewStats() const {
  return std::make_unique<RunStats>();
}

}  // namespace assay
