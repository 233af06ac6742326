// The conformance suite on the cpu backend, with passes that change no bit (cpu:strict, profile
// cpu-strict) and with all passes (cpu, profile cpu): no case is wrong, not judgeable or fails, and
// no legal case is refused.
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/selection.h"
#include "conformance/runner/runner.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

// How often each outcome came.
std::map<Outcome, int> RunTier(Tier tier, bool strict) {
  CaseFilter filter;
  filter.tier = tier;
  absl::StatusOr<std::vector<CorpusCase>> cases = SelectCorpusCases(filter);
  EXPECT_TRUE(cases.ok()) << cases.status();
  std::vector<const CorpusCase*> pointers;
  for (const CorpusCase& each : *cases) pointers.push_back(&each);
  const TargetProfile profile = *TargetProfile::Find(strict ? "cpu-strict" : "cpu");
  std::map<Outcome, int> outcomes;
  SuiteOptions options;
  options.profile = &profile;
  options.jobs = 4;
  options.make_target = [&] {
    return std::make_unique<cpu::CpuBackend>(cpu::CpuOptions{.strict = strict});
  };
  options.take = [&](const CorpusCase&, CaseResult result) {
    ++outcomes[result.outcome];
    EXPECT_TRUE(IsPass(result.outcome))
        << result.id << ": " << OutcomeName(result.outcome) << ", " << result.message;
    return true;
  };
  EXPECT_TRUE(RunCases(pointers, options).ok());
  return outcomes;
}

TEST(CpuSuite, StandardTierStrict) {
  std::map<Outcome, int> outcomes = RunTier(Tier::kStandard, /*strict=*/true);
  EXPECT_GT(outcomes[Outcome::kExact], 20000);
}

TEST(CpuSuite, StandardTierWithPasses) {
  std::map<Outcome, int> outcomes = RunTier(Tier::kStandard, /*strict=*/false);
  EXPECT_GT(outcomes[Outcome::kExact], 20000);
}

}  // namespace
}  // namespace assay::conformance
