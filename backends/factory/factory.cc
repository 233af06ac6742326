#include "backends/factory/factory.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/golden/golden_backend.h"
#include "backends/process/process_backend.h"

namespace assay {
namespace {

using MadeBackend = absl::StatusOr<std::unique_ptr<Backend>>;

MadeBackend MakeGolden(absl::string_view /*argument*/, const BackendOptions& options) {
  return std::make_unique<GoldenBackend>(GoldenOptionsOf(options));
}

MadeBackend MakeCpu(const BackendOptions& options, CpuOptions cpu) {
  cpu.seconds = options.budget.seconds;
  cpu.run = GoldenOptionsOf(options).run;
  return std::make_unique<CpuBackend>(std::move(cpu));
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

MadeBackend MakeProcess(absl::string_view command, const BackendOptions& options) {
  ProcessOptions process;
  process.command = std::string(command);
  process.memory_bytes = options.memory_bytes;
  const double limit = options.budget.seconds;
  for (double* seconds : {&process.start_seconds, &process.compile_seconds,
                          &process.execute_seconds, &process.run_seconds}) {
    *seconds = limit < 0 ? -1 : std::min(*seconds, limit);
  }
  return std::make_unique<ProcessBackend>(process);
}

// 'golden' (its help), 'process:COMMAND' (its help) and ...
std::string ListOf(absl::Span<const BackendKind> kinds) {
  std::string list;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const char* before = i == 0 ? "" : i + 1 == kinds.size() ? " and " : ", ";
    absl::StrAppend(&list, before, "'", kinds[i].usage(), "' (", kinds[i].help, ")");
  }
  return list;
}

}  // namespace

const std::vector<BackendKind>& BuiltInBackends() {
  static const auto& kinds = *new std::vector<BackendKind>{
      {"golden", "", "the reference interpreter", MakeGolden},
      {"cpu", "", "the vectorised backend for the host's processors", MakeCpuFast},
      {"cpu:strict", "", "the same, with passes that change no bit, not even of NaN",
       MakeCpuStrict},
      {"cpu:plain", "", "the same without passes: every instruction as it is written",
       MakeCpuPlain},
      {"process:", "COMMAND", "a program that speaks docs/process_backend.md", MakeProcess},
  };
  return kinds;
}

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(absl::Span<const BackendKind> kinds,
                                                     absl::string_view specification,
                                                     const BackendOptions& options) {
  for (const BackendKind& kind : kinds) {
    absl::string_view argument = specification;
    if (!absl::ConsumePrefix(&argument, kind.name)) continue;
    if (argument.empty() == kind.argument.empty()) return kind.make(argument, options);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", specification, "' is not a backend; there are ", ListOf(kinds)));
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
