#include "backends/factory/factory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/device/plugin_loader.h"
#include "backends/golden/golden_backend.h"
#include "backends/process/process_backend.h"
#include "spec/nearest_name.h"

namespace assay {
namespace {

using MadeBackend = absl::StatusOr<std::unique_ptr<Backend>>;

MadeBackend MakeGolden(absl::string_view /*argument*/, const BackendOptions& options) {
  return std::make_unique<GoldenBackend>(GoldenOptionsOf(options));
}

MadeBackend MakeCpu(const BackendOptions& options, cpu::CpuOptions cpu) {
  cpu.seconds = options.budget.seconds;
  cpu.run = GoldenOptionsOf(options).run;
  cpu.custom_calls = options.custom_calls;
  return std::make_unique<cpu::CpuBackend>(std::move(cpu));
}
MadeBackend MakeCpuFast(absl::string_view /*argument*/, const BackendOptions& options) {
  return MakeCpu(options, {});
}
MadeBackend MakeCpuStrict(absl::string_view /*argument*/, const BackendOptions& options) {
  return MakeCpu(options, {.strict = true});
}

MadeBackend MakeCpuPlain(absl::string_view /*argument*/, const BackendOptions& options) {
  return MakeCpu(options, {.plain = true});
}

MadeBackend MakeCpuWithOptions(absl::string_view argument, const BackendOptions& options) {
  absl::StatusOr<cpu::CpuOptions> cpu = cpu::ParseCpuOptions(argument);
  if (!cpu.ok()) return cpu.status();
  return MakeCpu(options, *std::move(cpu));
}

MadeBackend MakeCuda(absl::string_view argument, const BackendOptions& options) {
  absl::StatusOr<cuda::CudaOptions> cuda = cuda::ParseCudaOptions(argument);
  if (!cuda.ok()) return cuda.status();
  cuda->run = GoldenOptionsOf(options).run;
  cuda->seconds = options.budget.seconds;
  cuda->custom_calls = options.custom_calls;
  absl::StatusOr<std::shared_ptr<cuda::Api>> api = cuda::LoadPlugin();
  if (!api.ok()) return api.status();
  std::string name = "cuda";
  if (!argument.empty()) absl::StrAppend(&name, ":", argument);
  return cuda::CudaBackend::Create(std::move(name), *std::move(api), *std::move(cuda));
}

MadeBackend MakeCudaEmulated(absl::string_view argument, const BackendOptions& options) {
  absl::StatusOr<cuda::CudaEmulatedOptions> emulator = cuda::ParseEmulatorOptions(argument);
  if (!emulator.ok()) return emulator.status();
  std::string name = "cuda-emulated";
  if (!argument.empty()) absl::StrAppend(&name, ":", argument);
  return cuda::CudaBackend::Create(
      std::move(name), cuda::EmulatedRuntime::Create(*emulator),
      {GoldenOptionsOf(options).run, options.budget.seconds, emulator->fuse, emulator->graphs,
       emulator->texts, emulator->libraries, options.custom_calls});
}

// A word of a command for the shell.
std::string ShellQuoted(absl::string_view word) {
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

MadeBackend MakeProcess(process::ProcessOptions process, const BackendOptions& options) {
  process.memory_bytes = options.memory_bytes;
  const double limit = options.budget.seconds;
  for (double* seconds : {&process.start_seconds, &process.compile_seconds,
                          &process.execute_seconds, &process.run_seconds}) {
    *seconds = limit < 0 ? -1 : std::min(*seconds, limit);
  }
  return std::make_unique<process::ProcessBackend>(process);
}

MadeBackend MakeAnyProcess(absl::string_view command, const BackendOptions& options) {
  process::ProcessOptions process;
  process.command = std::string(command);
  return MakeProcess(std::move(process), options);
}

// A plug-in may abort, so it lives in the process of a helper, which is installed beside this
// program.
MadeBackend MakePlugin(absl::string_view argument, const BackendOptions& options) {
  std::error_code no_program;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", no_program);
  const char* named = std::getenv("ASSAY_PJRT_DRIVER");
  const std::string driver =
      named != nullptr ? named : (self.parent_path() / "assay-pjrt-driver").string();
  if (access(driver.c_str(), X_OK) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no program ", driver,
        ", which drives PJRT plug-ins; the environment variable ASSAY_PJRT_DRIVER names another"));
  }
  process::ProcessOptions process;
  process.command = absl::StrCat("exec ", ShellQuoted(driver), " ", ShellQuoted(argument));
  process.name = absl::StrCat("pjrt:", argument);
  return MakeProcess(std::move(process), options);
}

// "golden, process:COMMAND and ...". What each is takes a line of help, which commands have.
std::string ListOf(absl::Span<const BackendKind> kinds) {
  std::string list;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const char* before = i == 0 ? "" : i + 1 == kinds.size() ? " and " : ", ";
    absl::StrAppend(&list, before, kinds[i].usage());
  }
  return list;
}

// The line that fits a specification; null where none does.
const BackendKind* FindKind(absl::Span<const BackendKind> kinds, absl::string_view specification) {
  for (const BackendKind& kind : kinds) {
    absl::string_view argument = specification;
    if (!absl::ConsumePrefix(&argument, kind.name)) continue;
    if (argument.empty() == kind.argument.empty()) return &kind;
  }
  return nullptr;
}

// What a path, a command line without its kind or a kind that is misspelled was probably meant to
// be, or nothing.
std::string ProbablyMeant(absl::Span<const BackendKind> kinds, absl::string_view specification) {
  if (specification == "gpu") return DidYouMean("cuda");
  std::vector<std::string> names;
  for (const BackendKind& kind : kinds) names.push_back(kind.name);
  const size_t colon = specification.find(':');
  const std::string nearest = NearestName(
      colon == absl::string_view::npos ? specification : specification.substr(0, colon + 1), names);
  if (!nearest.empty()) {
    const absl::string_view rest =
        colon == absl::string_view::npos ? "" : specification.substr(colon + 1);
    const std::string meant = absl::StrCat(nearest, rest);
    if (meant != specification) return absl::StrCat(" (did you mean '", meant, "'?)");
  }
  const bool library = absl::EndsWith(specification, ".so");
  const bool program = absl::StrContains(specification, '/') ||
                       absl::StrContains(specification, ' ') ||
                       absl::EndsWith(specification, ".py");
  if (!library && !program) return "";
  return absl::StrCat(" (did you mean '", library ? "pjrt:" : "process:", specification, "'?)");
}

}  // namespace

const std::vector<BackendKind>& BuiltInBackends() {
  static const auto& kinds = *new std::vector<BackendKind>{
      {"golden", "", "the reference interpreter", MakeGolden, "golden"},
      {"cpu", "", "the vectorised backend for the host's processors", MakeCpuFast, "cpu"},
      {"cpu:strict", "", "the same, with passes that change no bit, not even of NaN", MakeCpuStrict,
       "cpu"},
      {"cpu:plain", "", "the same without passes: every instruction as it is written", MakeCpuPlain,
       "cpu"},
      {"cpu:", "OPTIONS", "the same with strict or plain and tier=auto|blocks|native, by commas",
       MakeCpuWithOptions, "cpu"},
      {"cuda", "", "the CUDA backend on this machine's GPUs; it has not run on one yet", MakeCuda,
       "cuda"},
      {"cuda:", "OPTIONS",
       "the same with fuse=TIER, graphs=off, texts=FOLDER, libraries=on, separated by commas",
       MakeCuda, "cuda"},
      {"cuda-emulated", "", "the CUDA backend on an emulated device", MakeCudaEmulated, "cuda"},
      {"cuda-emulated:", "OPTIONS",
       "the same with schedule=NAME, seed=N, devices=N, memory=BYTES, separated by commas",
       MakeCudaEmulated, "cuda"},
      {"process:", "COMMAND", "a program that speaks docs/process_backend.md", MakeAnyProcess},
      {"pjrt:", "PLUGIN.so[?OPTION=VALUE&...]", "a PJRT plug-in (docs/pjrt.md)", MakePlugin},
  };
  return kinds;
}

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(absl::Span<const BackendKind> kinds,
                                                     absl::string_view specification,
                                                     const BackendOptions& options) {
  if (const BackendKind* kind = FindKind(kinds, specification)) {
    return kind->make(specification.substr(kind->name.size()), options);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", specification, "' is not a backend", ProbablyMeant(kinds, specification),
                   "; there are ", ListOf(kinds), ". A program of yours is process:COMMAND"));
}

std::string DefaultProfile(absl::Span<const BackendKind> kinds, absl::string_view specification) {
  const BackendKind* kind = FindKind(kinds, specification);
  if (kind == nullptr) return BackendKind().profile;
  // NVIDIA's libraries round otherwise than own kernels.
  const bool libraries = absl::StrContains(specification, "libraries=on");
  return kind->profile == "cuda" && libraries ? "cuda-libraries" : kind->profile;
}

GoldenOptions GoldenOptionsOf(const BackendOptions& options) {
  GoldenOptions golden;
  golden.plan.straight = options.straight;
  golden.plan.seconds = options.budget.seconds;
  golden.plan.custom_calls = options.custom_calls;
  golden.run.budget = options.budget;
  golden.run.observers = options.observers;
  golden.run.host = options.host;
  golden.run.random_seed = options.random_seed;
  golden.run.sends_wait = options.sends_wait;
  return golden;
}

}  // namespace assay
