#include "backends/cuda/cuda_backend.h"

#include <iostream>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/cuda/cuda_engine.h"
#include "backends/cuda/cuda_stats.h"
#include "backends/cuda/custom_calls.h"
#include "backends/cuda/kernel_groups.h"
#include "backends/cuda/libraries/provider.h"
#include "backends/passes/pass.h"
#include "spec/verify/verifier.h"

namespace assay::cuda {
namespace {

// A plan with the engine and the module that it refers to.
struct PlanWithEngine {
  PlanWithEngine(std::shared_ptr<cuda::DevicePool> pool, std::shared_ptr<GraphCache> graphs,
                 std::shared_ptr<text::TextKernels> texts,
                 std::shared_ptr<libraries::LibraryProvider> provider,
                 const runtime::CustomCallRegistry* custom_calls)
      : engine(std::move(pool), std::move(graphs), std::move(texts), std::move(provider),
               custom_calls) {}
  cuda::CudaEngine engine;
  std::unique_ptr<Module> module;  // null: that of the caller
  std::unique_ptr<const runtime::ModulePlan> plan;
};

// Kernels of the checked build, where this program has them.
bool SetChecked(absl::string_view value, cuda::EmulatorOptions* options) {
  options->checked = value == "on";
#ifdef ASSAY_CUDA_CHECKER
  if (options->checked) options->groups = cuda::checked::KernelGroups();
  return value == "on" || value == "off";
#else
  return value == "off";  // a program with a sanitizer
#endif
}

bool SetTier(absl::string_view value, FusionTier* tier) {
  if (value == "kernel") {
    *tier = FusionTier::kKernels;
  } else if (value == "bytecode") {
    *tier = FusionTier::kBytecode;
  } else if (value == "text") {
    *tier = FusionTier::kText;
  } else {
    return false;
  }
  return true;
}

// Sets an option that GPUs and the emulator share. Returns whether the value is valid, or nothing
// if there is no such option.
template <typename Options>
std::optional<bool> SetSharedOption(absl::string_view name, absl::string_view value,
                                    Options* options) {
  if (name == "fuse") return SetTier(value, &options->fuse);
  if (name == "texts") {
    options->texts = std::string(value);
    return true;
  }
  if (name == "graphs") {
    options->graphs = value == "off"     ? GraphUse::kNever
                      : value == "first" ? GraphUse::kFromFirstRun
                                         : GraphUse::kFromSecondRun;
    return value == "on" || value == "off" || value == "first";
  }
  if (name != "libraries") return std::nullopt;
  options->libraries = value == "on";
  return value == "on" || value == "off";
}

constexpr char kSharedOptions[] =
    "fuse=kernel (a launch for every operation), bytecode or text (generated kernels), "
    "texts=FOLDER that keeps generated kernels, graphs=on, off or first (off: every run issues its "
    "launches one by one; first: also the first run is a graph), and libraries=on or off (on: "
    "cuBLASLt, cuDNN and others compute what they can)";

std::pair<absl::string_view, absl::string_view> SplitOption(absl::string_view option) {
  return absl::StrSplit(option, absl::MaxSplits('=', 1));
}

absl::Status SetEmulatorOption(absl::string_view name, absl::string_view value,
                               CudaEmulatedOptions* options) {
  bool known = true, valid = true;
  if (name == "schedule") {
    const auto schedule = cuda::emulator::ScheduleFromName(value);
    valid = schedule.has_value();
    if (valid) options->schedule = *schedule;
  } else if (name == "seed") {
    valid = absl::SimpleAtoi(value, &options->seed);
  } else if (name == "devices") {
    valid = absl::SimpleAtoi(value, &options->devices) && options->devices >= 1 &&
            options->devices <= 8;
  } else if (name == "memory") {
    valid = absl::SimpleAtoi(value, &options->device_bytes) && options->device_bytes >= 1;
  } else if (name == "blocks") {
    valid = absl::SimpleAtoi(value, &options->most_blocks) && options->most_blocks >= 1;
  } else if (name == "omit") {
    options->omitted_barrier = std::string(value);
    valid = absl::StrContains(value, ':');
  } else if (const auto shared = SetSharedOption(name, value, options); shared.has_value()) {
    valid = *shared;
  } else if (name == "trace") {
    options->traced = value == "on";
    valid = value == "on" || value == "off";
  } else if (name == "check") {
    valid = SetChecked(value, options);
  } else {
    known = false;
  }
  if (known && valid) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "cuda-emulated: '", name, "=", value,
      "' is not an option; there are schedule=forward, backward, random or run-ahead, seed=N, "
      "devices=1 to 8, memory=BYTES of a device, check=on or off (on: races, bounds and "
      "uninitialised memory are errors; not in programs with a sanitizer), trace=on or off (on, "
      "with check=on: --stats shows how kernels use memory), blocks=N, the most that a launch "
      "gets, omit=FILE:LINE, a barrier that is left out, ",
      kSharedOptions));
}

}  // namespace

absl::StatusOr<CudaOptions> ParseCudaOptions(absl::string_view text) {
  CudaOptions options;
  if (text.empty()) return options;
  for (const absl::string_view option : absl::StrSplit(text, ',')) {
    const auto [name, value] = SplitOption(option);
    if (SetSharedOption(name, value, &options).value_or(false)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "cuda: '", name, "=", value, "' is not an option; there are ", kSharedOptions));
  }
  return options;
}

absl::StatusOr<CudaEmulatedOptions> ParseEmulatorOptions(absl::string_view text) {
  CudaEmulatedOptions options;
  if (text.empty()) return options;
  for (const absl::string_view option : absl::StrSplit(text, ',')) {
    const auto [name, value] = SplitOption(option);
    absl::Status status = SetEmulatorOption(name, value, &options);
    if (!status.ok()) return status;
  }
  if (options.checked && options.fuse == FusionTier::kText) {
    return absl::InvalidArgumentError(
        "cuda-emulated: check=on sees no generated kernels (fuse=text)");
  }
  if (options.checked && options.libraries) {
    return absl::InvalidArgumentError(
        "cuda-emulated: check=on sees no accesses of libraries (libraries=on)");
  }
  if (options.traced && !options.checked) {
    return absl::InvalidArgumentError("cuda-emulated: trace=on needs check=on");
  }
  return options;
}

absl::StatusOr<std::unique_ptr<CudaBackend>> CudaBackend::Create(std::string name,
                                                                 std::shared_ptr<cuda::Api> api,
                                                                 CudaOptions options) {
  absl::StatusOr<int> devices = cuda::CountDevices(*api, 1);
  if (!devices.ok()) return devices.status();
  std::shared_ptr<text::TextKernels> texts;
  if (options.fuse == FusionTier::kText) {
    auto created = text::TextKernels::Create(api, options.texts);
    if (created.ok()) {
      texts = *std::move(created);
    } else {
      std::cerr << name << ": " << created.status().message() << "; fusions run as bytecode\n";
    }
  }
  std::shared_ptr<libraries::LibraryProvider> provider;
  if (options.libraries) {
    provider =
        std::make_shared<libraries::LibraryProvider>(std::make_shared<libraries::Libraries>(api));
  }
  auto pool = std::make_shared<cuda::DevicePool>(std::move(api), *devices);
  return std::unique_ptr<CudaBackend>(new CudaBackend(
      std::move(name), std::move(pool), std::move(options), std::move(texts), std::move(provider)));
}

BackendCapabilities CudaBackend::capabilities() const {
  using enum Feature;
  return {.modules_are_verified = true,
          .devices = runtime::kMostProcesses,
          .features = {kObservers, kStatistics, kRandomSeed, kHost, kSendsWait, kCustomCalls,
                       kTogether}};
}

absl::Status CudaBackend::Supports(const Module& module) {
  for (const auto& computation : module.computations()) {
    absl::Status status = MeaningsOf(custom_calls_).CheckAll(*computation);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::unique_ptr<runtime::RunStats> CudaBackend::NewStats() const {
  return std::make_unique<CudaStats>();
}

absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> CudaBackend::Plan(
    const Module& module, const CompileOptions& options) {
  runtime::PlanOptions plan;
  plan.observed = options.observed;
  plan.seconds = options.seconds >= 0 ? options.seconds : seconds_;
  std::shared_ptr<GraphCache> graphs;
  if (graphs_ != GraphUse::kNever) {
    graphs = std::make_shared<GraphCache>(graphs_ == GraphUse::kFromFirstRun);
  }
  auto planned =
      std::make_shared<PlanWithEngine>(pool_, std::move(graphs), texts_, provider_, custom_calls_);
  const Module* planned_module = &module;
  // Observers see the instructions as they are written.
  if (fuse_ && !options.observed && VerifyModule(module).ok()) {
    planned->module = passes::CopyModule(module);
    passes::PassList list;
    list.push_back(passes::DeadCode());
    list.push_back(passes::Fusion(/*fewest_elements=*/1));
    absl::Status status = passes::RunPasses(list, planned->module);
    if (!status.ok()) return status;
    planned_module = planned->module.get();
  }
  auto created = runtime::ModulePlan::Create(*planned_module, planned->engine, plan);
  if (!created.ok()) return created.status();
  planned->plan = *std::move(created);
  const runtime::ModulePlan* const pointer = planned->plan.get();
  return std::shared_ptr<const runtime::ModulePlan>(std::move(planned), pointer);
}

}  // namespace assay::cuda
