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

}  // namespace
}  // namespace assay
