// The memory of a run grows little with the number of cases, because only a packed result is kept
// of a passing case.
#include "absl/strings/str_cat.h"
#include "conformance/runner/runner.h"
#include "conformance/runner/testing.h"
#include "gtest/gtest.h"
#include "spec/testing/counted_memory.h"

namespace assay::conformance {
namespace {

constexpr int64_t kMostBytesOfACase = 400;

// Bytes that are held of `count` cases once they have run.
int64_t HeldOf(int64_t count) {
  std::vector<CorpusCase> cases;
  for (int64_t i = 0; i < count; ++i) {
    cases.push_back(AddCase(absl::StrCat("add/f32/an-id-of-the-usual-length/", i)));
  }
  std::vector<const CorpusCase*> selected;
  for (const CorpusCase& each : cases) selected.push_back(&each);
  const absl::StatusOr<TargetProfile> profile = TargetProfile::Find("golden");
  EXPECT_TRUE(profile.ok()) << profile.status();
  CaseResults results;
  SuiteOptions options;
  options.profile = &*profile;
  options.make_target = [] { return std::make_unique<GoldenBackend>(); };
  options.take = [&results](const CorpusCase&, const CaseResult& result) {
    EXPECT_TRUE(IsPass(result.outcome)) << result.message;
    results.push_back(result);
    return true;
  };
  const int64_t before = HeldMemory();
  EXPECT_TRUE(RunCases(selected, options).ok());
  EXPECT_EQ(results.size(), cases.size());
  return HeldMemory() - before;
}

TEST(RunnerMemoryTest, LittleStaysOfACase) {
  HeldOf(10);  // what is made once
  const int64_t few = HeldOf(100), many = HeldOf(1100);
  const int64_t each = (many - few) / 1000;
  RecordProperty("bytes_of_a_case", std::to_string(each));
  EXPECT_LE(each, kMostBytesOfACase);
}

}  // namespace
}  // namespace assay::conformance
