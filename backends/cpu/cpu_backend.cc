#include "backends/cpu/cpu_backend.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/cpu/cpu_engine.h"
#include "backends/cpu/kernels.h"
#include "backends/passes/pass.h"
#include "spec/verify/verifier.h"

namespace assay::cpu {
namespace {

// A plan with the engine and the module that it refers to.
struct PlanWithEngine {
  explicit PlanWithEngine(const runtime::CustomCallRegistry* custom_calls) : engine(custom_calls) {}
  cpu::CpuEngine engine;
  std::unique_ptr<Module> module;
  std::unique_ptr<const runtime::ModulePlan> plan;
};

std::string NameOf(const CpuOptions& options) {
  std::string name = options.plain ? "cpu:plain" : options.strict ? "cpu:strict" : "cpu";
  if (options.tier.has_value()) {
    absl::StrAppend(&name, name == "cpu" ? ":" : ",", "tier=", cpu::TierName(*options.tier));
  }
  return name;
}

}  // namespace

absl::StatusOr<CpuOptions> ParseCpuOptions(absl::string_view text) {
  CpuOptions options;
  for (const absl::string_view option : absl::StrSplit(text, ',')) {
    absl::string_view value = option;
    if (option == "strict") {
      options.strict = true;
    } else if (option == "plain") {
      options.plain = true;
    } else if (absl::ConsumePrefix(&value, "tier=") && cpu::TierNamed(value).has_value()) {
      options.tier = cpu::TierNamed(value);
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("'", option, "' is not an option of the cpu backend; there are strict, ",
                       "plain, tier=auto, tier=blocks and tier=native"));
    }
  }
  return options;
}

CpuBackend::CpuBackend(CpuOptions options)
    : EngineBackend(options.run),
      seconds_(options.seconds),
      strict_(options.strict),
      plain_(options.plain),
      custom_calls_(options.custom_calls),
      tier_(options.tier),
      name_(NameOf(options)) {}

BackendCapabilities CpuBackend::capabilities() const {
  using enum Feature;
  return {.modules_are_verified = true,
          .executes_at_once = ExecutesAtOnce(),
          .devices = runtime::kMostProcesses,
          .features = {kObservers, kStatistics, kRandomSeed, kHost, kSendsWait, kCustomCalls,
                       kTogether}};
}

absl::Status CpuBackend::Supports(const Module& module) {
  for (const auto& computation : module.computations()) {
    absl::Status status = cpu::MeaningsOf(custom_calls_).CheckAll(*computation);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> CpuBackend::Plan(
    const Module& module, const CompileOptions& options) {
  const cpu::TierScope scope(tier_);
  runtime::PlanOptions plan;
  plan.observed = options.observed;
  plan.seconds = options.seconds >= 0 ? options.seconds : seconds_;
  auto planned = std::make_shared<PlanWithEngine>(custom_calls_);
  const Module* planned_module = &module;
  // Observers see the instructions as they are written.
  if (!plain_ && !options.observed && VerifyModule(module).ok()) {
    planned->module = passes::CopyModule(module);
    const auto exactness = strict_ ? passes::Exactness::kBitExact : passes::Exactness::kAnyNan;
    absl::Status status =
        passes::RunPasses(passes::CpuPipeline(planned->engine, exactness), planned->module);
    if (!status.ok()) return status;
    planned_module = planned->module.get();
  }
  auto created = runtime::ModulePlan::Create(*planned_module, planned->engine, plan);
  if (!created.ok()) return created.status();
  planned->plan = *std::move(created);
  const runtime::ModulePlan* pointer = planned->plan.get();
  return std::shared_ptr<const runtime::ModulePlan>(std::move(planned), pointer);
}

}  // namespace assay::cpu
