// The conformance suite on the cpu backend, with passes that change no bit (cpu:strict, profile
// cpu-strict) and with all (cpu, profile cpu): nothing is wrong, fails or is refused that is legal
// but the cases listed below, which are known to be wrong (docs/cpu_backend.md).
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/selection.h"
#include "conformance/runner/runner.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

// Complex functions at infinities, NaNs and the ends of their range, and a dot that loses an
// infinity beside an underflow. A case that is mended leaves the list.
constexpr absl::string_view kKnownWrong[] = {
    "acos/c128/special/special",
    "acos/c64/special/special",
    "acosh/c128/special/special",
    "asin/c128/special/special",
    "asin/c64/special/special",
    "asinh/c128/special/special",
    "asinh/c64/special/special",
    "atan2/c128/special/special",
    "atan2/c64/special/special",
    "cosh/c128/special/special",
    "cosine/c128/special/special",
    "exponential-minus-one/c128/special/special",
    "exponential/c128/special/special",
    "log-plus-one/c128/special/special",
    "logistic/c128/special/special",
    "logistic/c64/special/special",
    "power/c128/special/special",
    "power/c64/special/special",
    "scaled-dot/f64/defect/infinity_beside_an_underflow",
    "sine/c128/special/special",
    "sine/c64/special/special",
    "sinh/c128/special/special",
    "sinh/c64/special/special",
};

// How often each outcome came.
std::map<Outcome, int> RunTier(Tier tier, bool strict) {
  absl::StatusOr<std::vector<CorpusCase>> all = CorpusCases();
  EXPECT_TRUE(all.ok()) << all.status();
  CaseFilter filter;
  filter.tier = tier;
  absl::StatusOr<std::vector<CorpusCase>> cases = SelectCases(*std::move(all), filter);
  EXPECT_TRUE(cases.ok()) << cases.status();
  std::vector<const CorpusCase*> pointers;
  for (const CorpusCase& each : *cases) pointers.push_back(&each);
  const TargetProfile profile = *TargetProfile::Find(strict ? "cpu-strict" : "cpu");
  std::map<Outcome, int> outcomes;
  std::set<std::string> wrong;
  SuiteOptions options;
  options.profile = &profile;
  options.jobs = 4;
  options.make_target = [&] { return std::make_unique<CpuBackend>(CpuOptions{.strict = strict}); };
  options.take = [&](const CorpusCase&, CaseResult result) {
    ++outcomes[result.outcome];
    const bool judged = IsPass(result.outcome) || result.outcome == Outcome::kNotJudgeable;
    EXPECT_TRUE(judged || result.outcome == Outcome::kWrong)
        << result.id << ": " << OutcomeName(result.outcome) << ", " << result.message;
    if (result.outcome == Outcome::kWrong) wrong.insert(result.id);
    return true;
  };
  EXPECT_TRUE(RunCases(pointers, options).ok());
  EXPECT_THAT(wrong, testing::ElementsAreArray(kKnownWrong));
  return outcomes;
}

TEST(CpuSuite, QuickTierStrict) {
  std::map<Outcome, int> outcomes = RunTier(Tier::kQuick, /*strict=*/true);
  EXPECT_GT(outcomes[Outcome::kExact], 5000);
  // Products of 16 factors whose partial products leave the type's range, NaNs beside numbers.
  EXPECT_LE(outcomes[Outcome::kNotJudgeable], 4);
}

TEST(CpuSuite, QuickTierWithPasses) {
  std::map<Outcome, int> outcomes = RunTier(Tier::kQuick, /*strict=*/false);
  EXPECT_GT(outcomes[Outcome::kExact], 5000);
  EXPECT_LE(outcomes[Outcome::kNotJudgeable], 4);
}

}  // namespace
}  // namespace assay
