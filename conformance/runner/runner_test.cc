#include "conformance/runner/runner.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "conformance/runner/testing.h"
#include "gtest/gtest.h"

namespace assay::conformance {
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

// Golden as a third party: it says nothing of itself.
class ThirdParty : public ScriptedBackend {
 public:
  explicit ThirdParty(
      BackendCapabilities capabilities,
      Answer answer = [](int, absl::StatusOr<ModuleRun> run) { return run; })
      : ScriptedBackend(std::move(answer)), capabilities_(capabilities) {}
  BackendCapabilities capabilities() const override { return capabilities_; }
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options) override {
    ++compiled;
    return ScriptedBackend::Compile(module, options);
  }
  static inline int compiled = 0;

 private:
  const BackendCapabilities capabilities_;
};

// What a backend says of itself decides who refuses illegal modules, not what it is called.
TEST_F(RunnerTest, VerifiedBackendsReceiveNoIllegalModule) {
  const CorpusCase refused = CaseOf(
      "ENTRY e { a = f32[2] parameter(0) b = f32[3] parameter(1) ROOT r = f32[2] add(a, b) }",
      "expect: refused binary_c3");
  for (const bool verified : {false, true}) {
    ThirdParty::compiled = 0;
    options_.make_target = [verified] {
      return std::make_unique<ThirdParty>(BackendCapabilities{.modules_are_verified = verified});
    };
    options_.take = [](const CorpusCase&, const CaseResult& result) {
      EXPECT_EQ(result.outcome, Outcome::kRefused) << result.message;
      return true;
    };
    const CorpusCase* const only = &refused;
    ASSERT_TRUE(RunCases(absl::MakeConstSpan(&only, 1), options_).ok());
    EXPECT_EQ(ThirdParty::compiled, verified ? 0 : 1);
  }
  EXPECT_TRUE(GoldenBackend().capabilities().modules_are_verified);
}

TEST_F(RunnerTest, StoredAnswersAreNotAskedForOtherArguments) {
  options_.each.again = Again::kAll;
  for (const bool executes_again : {false, true}) {
    options_.make_target = [executes_again] {
      return std::make_unique<ThirdParty>(BackendCapabilities{.executes_again = executes_again},
                                          [executes_again](int, absl::StatusOr<ModuleRun> run) {
                                            EXPECT_EQ(run->outputs.size(), executes_again ? 3 : 1);
                                            return run;
                                          });
    };
    ids_.clear();
    ASSERT_TRUE(RunCases(absl::MakeConstSpan(pointers_).subspan(0, 2), options_).ok());
    EXPECT_EQ(ids_.size(), 2);
  }
}

TEST_F(RunnerTest, AnUnsupportedSecondExecutionHidesNothingOfTheFirst) {
  options_.each.again = Again::kAll;
  options_.make_target = [] {
    return std::make_unique<ThirdParty>(
        BackendCapabilities{}, [](int, absl::StatusOr<ModuleRun> run) -> absl::StatusOr<ModuleRun> {
          if (run->outputs.size() > 1) return absl::UnimplementedError("once is enough");
          return run;
        });
  };
  int64_t judged = 0;
  options_.take = [&judged](const CorpusCase&, const CaseResult& result) {
    EXPECT_NE(result.outcome, Outcome::kNotSupported) << result.message;
    ++judged;
    return true;
  };
  ASSERT_TRUE(RunCases(absl::MakeConstSpan(pointers_).subspan(0, 2), options_).ok());
  EXPECT_EQ(judged, 2);
}

}  // namespace
}  // namespace assay::conformance
