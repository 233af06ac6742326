#include "backends/pjrt/plugin/engines.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/golden/golden_backend.h"

namespace assay::pjrt {

absl::StatusOr<std::unique_ptr<Backend>> MakeEngine(absl::string_view name,
                                                    const EngineOptions& options) {
  GoldenOptions golden;
  golden.plan.custom_calls = options.custom_calls;
  golden.run.budget = options.budget;
  golden.run.random_seed = options.seed;
  if (name == "golden") return std::make_unique<GoldenBackend>(std::move(golden));
  if (name == "cpu" || name == "cpu:strict" || name == "cpu:plain") {
    cpu::CpuOptions cpu;
    cpu.strict = name == "cpu:strict";
    cpu.plain = name == "cpu:plain";
    cpu.run = golden.run;
    cpu.custom_calls = options.custom_calls;
    return std::make_unique<cpu::CpuBackend>(std::move(cpu));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", name,
                   "' is not a backend of Assay's plug-in; there are golden, cpu, "
                   "cpu:strict and cpu:plain"));
}

}  // namespace assay::pjrt
