// The time to isolate a program of 500 instructions on a process target
// (tools/peers/example_target.cc), by instruction and in groups, including the golden run, requests
// and judgements.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/process/process_backend.h"
#include "benchmark/benchmark.h"
#include "conformance/diagnose/instruction_report.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

constexpr int kInstructions = 500;
constexpr int kElements = 256;

// Each instruction takes the one before it and one up to seven further back.
std::string ProgramText() {
  constexpr const char* kOperations[] = {"add", "multiply", "subtract", "negate"};
  std::string text = absl::StrCat("ENTRY e { v0 = f32[", kElements, "] parameter(0)");
  for (int i = 1; i <= kInstructions; ++i) {
    const char* operation = kOperations[i % 4];
    absl::StrAppend(&text, i == kInstructions ? " ROOT" : "", " v", i, " = ", operation, "(v",
                    i - 1);
    if (i % 4 != 3) absl::StrAppend(&text, ", v", std::max(0, i - 1 - i * 5 % 8));
    absl::StrAppend(&text, ")");
  }
  return text + " }";
}

void Isolation(benchmark::State& state, const char* profile_name) {
  process::ProcessOptions process;
  process.command = ASSAY_EXAMPLE_TARGET;
  process::ProcessBackend target(process);
  const std::unique_ptr<Module> module = *ParseModule(ProgramText());
  const TargetProfile profile = *TargetProfile::Find(profile_name);
  Literal argument = Literal::Zeros(Shape(ElementType::kF32, {kElements}));
  for (int64_t i = 0; i < kElements; ++i) {
    argument.Set(i, Element{EncodeFloat(ElementType::kF32, static_cast<double>(i) / kElements)});
  }
  ReportOptions options;
  options.depth.subgraphs = state.range(0);
  int64_t wrong = 0, asked = 0;
  for (auto _ : state) {
    const auto verdicts =
        ReportInstructions(*module, {{{argument}}}, target, profile, RunBudget(), options);
    if (!verdicts.ok()) return state.SkipWithError(verdicts.status().ToString().c_str());
    asked = static_cast<int64_t>(verdicts->size());
    for (const InstructionVerdict& each : *verdicts) wrong += each.is_wrong() || !each.status.ok();
  }
  state.counters["asked"] = static_cast<double>(asked);
  state.counters["wrong"] = static_cast<double>(wrong);
}
BENCHMARK_CAPTURE(Isolation, cpu_strict, "cpu-strict")
    ->Arg(0)
    ->Arg(2)
    ->Arg(4)
    ->Arg(8)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::conformance
