#include "interpreter/interpreter.h"

#include <utility>

#include "evaluator/region/scalar_program.h"
#include "interpreter/golden_engine.h"

namespace assay {

PlannedModule::PlannedModule(const PlanOptions& options)
    : engine_(std::make_unique<GoldenEngine>(options)) {}
PlannedModule::~PlannedModule() = default;

absl::StatusOr<std::unique_ptr<PlannedModule>> PlannedModule::Create(const Module& module,
                                                                     const PlanOptions& options) {
  std::unique_ptr<PlannedModule> planned(new PlannedModule(options));
  const evaluator::ProgramCache::Scope programs(std::make_shared<evaluator::ProgramCache>());
  absl::StatusOr<std::unique_ptr<runtime::ModulePlan>> plan =
      runtime::ModulePlan::Create(module, *planned->engine_, options);
  if (!plan.ok()) return plan.status();
  planned->plan_ = *std::move(plan);
  return planned;
}

const PlanOptions& PlannedModule::options() const { return engine_->options(); }

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

absl::StatusOr<std::vector<std::vector<Literal>>> RunPrograms(absl::Span<const Program> programs,
                                                              const RunOptions& options,
                                                              RunStats* stats) {
  std::vector<runtime::Program> planned;
  for (const Program& program : programs) {
    planned.push_back(
        {&program.module->plan(), program.computation, program.grid, program.arguments});
  }
  if (stats != nullptr) *stats = {};
  return runtime::RunPrograms(planned, options, stats);
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

bool IsInterpreted(Opcode opcode) {
  return runtime::IsRunByRuntime(opcode) || evaluator::HasDefinition(opcode);
}

}  // namespace assay
