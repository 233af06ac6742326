// Reports of 50,000 cases: what writing each kind costs. The page should take at most 3 s.
#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "conformance/report/html.h"
#include "conformance/report/junit.h"
#include "conformance/runner/case_result.h"

namespace assay::conformance {
namespace {

// One case of a hundred is wrong, with all the evidence that is shown.
CaseResult ResultOf(int i) {
  CaseResult each;
  each.id = absl::StrCat("operation", i % 130, "/f32/17x3/special/", i);
  each.hash = "0123456789abcdef";
  each.op = absl::StrCat("operation", i % 130);
  each.type = i % 3 > 0 ? "f32" : "bf16";
  each.target_seconds = each.golden_seconds = 0.00025;
  ProbeResult& probe = each.probes.emplace_back();
  Judgement& judgement = probe.judgement;
  judgement.rule = "7 ulp";
  judgement.histogram[0] = 40;
  judgement.histogram[3] = 11;
  judgement.verdict = i % 100 > 0 ? Verdict::kWithinBound : Verdict::kWrong;
  judgement.counts[static_cast<int>(judgement.verdict)] = 51;
  probe.outcome = each.outcome = OutcomeOf(judgement.verdict);
  if (judgement.verdict != Verdict::kWrong) return each;
  for (int j = 0; j < kShownEvidence; ++j) {
    Evidence& evidence = judgement.evidence.emplace_back();
    evidence.index = {j, 2};
    evidence.golden = "1.00000012";
    evidence.golden_bits = "0x3f800001";
    evidence.actual = "1.5";
    evidence.actual_bits = "0x3fc00000";
    evidence.operands = {"0.5", "0.50000012"};
    evidence.bound = 8.3e-7;
    evidence.distance = 0.49999988;
  }
  return each;
}

RunResult LargeRun() {
  RunResult run;
  run.target = "process:example";
  run.profile = "xla-cpu";
  for (int i = 0; i < 50000; ++i) run.cases.push_back(ResultOf(i));
  return run;
}

void Report(benchmark::State& state, std::string (*format)(const RunResult&)) {
  const RunResult run = LargeRun();
  size_t bytes = 0;
  for (auto _ : state) bytes = format(run).size();
  state.counters["MB"] = static_cast<double>(bytes) / 1e6;
}
BENCHMARK_CAPTURE(Report, html, FormatHtml)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Report, json, FormatReport)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Report, junit, FormatJunit)->Unit(benchmark::kMillisecond);

void ReadJson(benchmark::State& state) {
  const std::string text = FormatReport(LargeRun());
  for (auto _ : state) benchmark::DoNotOptimize(ParseReport(text, "bench").ok());
}
BENCHMARK(ReadJson)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::conformance
