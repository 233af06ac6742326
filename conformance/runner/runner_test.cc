#include "conformance/runner/runner.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "conformance/runner/testing.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

class RunnerTest : public testing::Test {
 protected:
  RunnerTest() {
    for (int i = 0; i < 40; ++i) cases_.push_back(AddCase(absl::StrCat("add/f32/", i)));
    for (const CorpusCase& each : cases_) pointers_.push_back(&each);
    options_.profile = &profile_;
    options_.make_target = [] {
      return std::make_unique<ScriptedBackend>(
          [](int, absl::StatusOr<ModuleRun> run) { return run; });
    };
    options_.take = [this](const CorpusCase& corpus_case, CaseResult result) {
      EXPECT_EQ(corpus_case.id, result.id);
      ids_.push_back(result.id);
      return static_cast<int>(ids_.size()) < most_;
    };
  }

  const TargetProfile profile_ = *TargetProfile::Find("golden");
  std::vector<CorpusCase> cases_;
  std::vector<const CorpusCase*> pointers_;
  SuiteOptions options_;
  std::vector<std::string> ids_;
  int most_ = 1000;
};

TEST_F(RunnerTest, EveryCaseOnceWhateverTheJobs) {
  for (const int64_t jobs : {1, 3, 100}) {
    ids_.clear();
    options_.jobs = jobs;
    ASSERT_TRUE(RunCases(pointers_, options_).ok());
    EXPECT_EQ(ids_.size(), cases_.size());
    EXPECT_EQ(std::set<std::string>(ids_.begin(), ids_.end()).size(), cases_.size());
  }
  ids_.clear();
  EXPECT_TRUE(RunCases({}, options_).ok());
  EXPECT_TRUE(ids_.empty());
}

TEST_F(RunnerTest, Ends) {
  most_ = 5;
  ASSERT_TRUE(RunCases(pointers_, options_).ok());
  EXPECT_EQ(ids_.size(), 5);
  std::atomic<bool> stop = true;
  options_.stop = &stop;
  ids_.clear();
  ASSERT_TRUE(RunCases(pointers_, options_).ok());
  EXPECT_TRUE(ids_.empty());
}

TEST_F(RunnerTest, TargetsThatDoNotStart) {
  std::atomic<int> asked = 0;
  const auto working = options_.make_target;
  options_.make_target = [&]() -> absl::StatusOr<std::unique_ptr<Backend>> {
    if (asked++ > 0) return absl::AbortedError("no more");
    return working();
  };
  options_.jobs = 3;
  ASSERT_TRUE(RunCases(pointers_, options_).ok());  // one does the work of three
  EXPECT_EQ(ids_.size(), cases_.size());
  options_.make_target = []() -> absl::StatusOr<std::unique_ptr<Backend>> {
    return absl::AbortedError("there is none");
  };
  EXPECT_EQ(RunCases(pointers_, options_), absl::AbortedError("there is none"));
}

CaseResult Single(const char* id, const char* rule, int64_t judged, int64_t not_judgeable) {
  CaseResult result;
  result.id = id;
  result.probes.resize(1);
  Judgement& judgement = result.probes[0].judgement;
  judgement.rule = rule;
  judgement.counts[static_cast<int>(Verdict::kWithinBound)] = judged;
  judgement.counts[static_cast<int>(Verdict::kNotJudgeable)] = not_judgeable;
  return result;
}

TEST(JudgeabilityTest, Limits) {
  EXPECT_TRUE(JudgeabilityComplaints({}).empty());
  EXPECT_TRUE(JudgeabilityComplaints({Single("a", "n u", 98, 2)}).empty());
  EXPECT_EQ(JudgeabilityComplaints({Single("a", "n u", 97, 3)}),
            std::vector<std::string>{"3 of the 100 elements of single operations are not "
                                     "judgeable, which is over 2%"});
  EXPECT_EQ(JudgeabilityComplaints({Single("a", "exact", 999, 1)}),
            std::vector<std::string>{"a is exact, but 1 of its 1000 elements are not judgeable"});
  // Programs are judged by their instructions.
  CaseResult program = Single("a", "program", 0, 100);
  program.probes.resize(2);
  EXPECT_TRUE(JudgeabilityComplaints({program}).empty());
}

}  // namespace
}  // namespace assay
