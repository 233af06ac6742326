// The time of a case: reading, golden evaluation, the target (golden's kernels) and the judge. The
// counters are milliseconds per case; every eighth case of the quick tier runs.
#include <benchmark/benchmark.h>

#include <vector>

#include "backends/golden/golden_backend.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/tiers.h"
#include "conformance/runner/case_runner.h"

namespace assay::conformance {
namespace {

void BM_QuickTier(benchmark::State& state, const char* profile_name, bool straight) {
  const absl::StatusOr<std::vector<CorpusCase>> all = CorpusCases();
  const absl::StatusOr<TargetProfile> profile = TargetProfile::Find(profile_name);
  if (!all.ok() || !profile.ok()) return state.SkipWithError("the corpus or the profile");
  const std::vector<Tier> tiers = TiersOf(*all);
  std::vector<const CorpusCase*> cases;
  for (size_t i = 0, quick = 0; i < all->size(); ++i) {
    if (tiers[i] == Tier::kQuick && quick++ % 8 == 0) cases.push_back(&(*all)[i]);
  }
  GoldenOptions golden;
  golden.run.budget.threads = 1;
  GoldenBackend target(golden);
  CaseOptions options;
  options.golden.threads = 1;
  options.straight = straight;
  options.verified = true;
  CaseRunner runner(target, *profile, options);
  double golden_seconds = 0, target_seconds = 0, judge_seconds = 0;
  for (auto _ : state) {
    for (const CorpusCase* each : cases) {
      const CaseResult result = runner.Run(*each);
      golden_seconds += result.golden_seconds;
      target_seconds += result.target_seconds;
      judge_seconds += result.judge_seconds;
    }
  }
  const double runs = static_cast<double>(cases.size()) * static_cast<double>(state.iterations());
  state.SetItemsProcessed(static_cast<int64_t>(runs));
  state.counters["golden_ms"] = golden_seconds * 1e3 / runs;
  state.counters["target_ms"] = target_seconds * 1e3 / runs;
  state.counters["judge_ms"] = judge_seconds * 1e3 / runs;
}
BENCHMARK_CAPTURE(BM_QuickTier, definitions, "golden", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_QuickTier, kernels, "golden", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_QuickTier, xla_cpu, "xla-cpu", false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::conformance
