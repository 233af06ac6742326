#include "conformance/runner/journal.h"

#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "spec/files/file_io.h"
#include "spec/testing/schedule.h"
#include "spec/testing/test_folder.h"

namespace assay::conformance {
namespace {

RunResult ThisRun() {
  RunResult run;
  run.target = "process:./mine";
  run.profile = "golden";
  run.tier = "quick";
  run.corpus = "0123";
  return run;
}

CaseResult Case(const std::string& id) {
  CaseResult result;
  result.id = id;
  result.hash = "00";
  result.outcome = Outcome::kWrong;
  result.message = "wrong\nin two lines";
  return result;
}

class JournalTest : public testing::Test {
 protected:
  void TearDown() override { std::remove(path_.c_str()); }
  std::string Text() const { return *ReadFile(path_); }
  std::vector<std::string> ResumedIds() {
    CaseResults done;
    const auto journal = Journal::Resume(path_, ThisRun(), &done);
    EXPECT_TRUE(journal.ok()) << journal.status();
    std::vector<std::string> ids;
    for (const CaseResult& each : done) ids.push_back(each.id);
    return ids;
  }
  void WriteTwo() {
    const auto journal = Journal::Start(path_, ThisRun());
    ASSERT_TRUE(journal.ok()) << journal.status();
    ASSERT_TRUE((*journal)->Append(Case("a")).ok());
    ASSERT_TRUE((*journal)->Append(Case("b")).ok());
  }

  const std::string path_ = TestPath("run.journal");
};

// After a kill the file ends anywhere: what is whole is kept, and the journal goes on behind it.
TEST_F(JournalTest, ResumesAtEveryCut) {
  WriteTwo();
  const std::string whole = Text();
  const size_t first = whole.find('\n') + 1, second = whole.find('\n', first) + 1;
  for (size_t cut = 0; cut <= whole.size(); ++cut) {
    ASSERT_TRUE(WriteFileAtomically(path_, whole.substr(0, cut)).ok());
    const size_t wanted = cut >= whole.size() ? 2 : cut >= second ? 1 : 0;
    CaseResults done;
    {
      const auto journal = Journal::Resume(path_, ThisRun(), &done);
      ASSERT_TRUE(journal.ok()) << cut << ": " << journal.status();
      ASSERT_EQ(done.size(), wanted) << cut;
      ASSERT_TRUE((*journal)->Append(Case("c")).ok());
    }
    std::vector<std::string> ids = ResumedIds();
    ASSERT_EQ(ids.size(), wanted + 1) << cut;
    EXPECT_EQ(ids.back(), "c");
  }
}

TEST_F(JournalTest, KeepsResults) {
  WriteTwo();
  CaseResults done;
  ASSERT_TRUE(Journal::Resume(path_, ThisRun(), &done).ok());
  ASSERT_EQ(done.size(), 2);
  const CaseResult second = done[1];
  EXPECT_EQ(second.id, "b");
  EXPECT_EQ(second.outcome, Outcome::kWrong);
  EXPECT_EQ(second.message, "wrong\nin two lines");
  { ASSERT_TRUE(Journal::Start(path_, ThisRun()).ok()); }
  EXPECT_TRUE(ResumedIds().empty());
  (*Journal::Start(path_, ThisRun()))->Remove();
  EXPECT_FALSE(ReadFile(path_).ok());
  EXPECT_TRUE(ResumedIds().empty());
}

// Two runs that write the same journal would leave neither's.
TEST_F(JournalTest, HasOneWriter) {
  const auto journal = Journal::Start(path_, ThisRun());
  ASSERT_TRUE(journal.ok());
  ASSERT_TRUE((*journal)->Append(Case("a")).ok());
  const std::string text = Text();
  CaseResults done;
  for (const auto& other :
       {Journal::Start(path_, ThisRun()), Journal::Resume(path_, ThisRun(), &done)}) {
    EXPECT_TRUE(absl::StrContains(other.status().message(), "another run writes it"))
        << other.status();
  }
  EXPECT_EQ(Text(), text);
}

TEST_F(JournalTest, RefusesOtherRuns) {
  WriteTwo();
  const auto refusal = [&](void (*change)(RunResult*)) {
    RunResult other = ThisRun();
    change(&other);
    CaseResults done;
    return std::string(Journal::Resume(path_, other, &done).status().message());
  };
  EXPECT_TRUE(absl::StrContains(refusal([](RunResult* run) { run->profile = "gpu"; }),
                                "its profile is \"golden\", that of this one \"gpu\""));
  EXPECT_TRUE(absl::StrContains(refusal([](RunResult* run) { run->corpus = "9"; }), "its corpus"));
  // The same name need not be the same profile; limits decide about what hangs.
  EXPECT_TRUE(
      absl::StrContains(refusal([](RunResult* run) { run->profile_differences = {"add f32: 2"}; }),
                        "its profile_differences is none, that of this one \"add f32: 2\""));
  EXPECT_TRUE(absl::StrContains(refusal([](RunResult* run) { run->repeat = 2; }), "its repeat"));
  EXPECT_TRUE(absl::StrContains(refusal([](RunResult* run) { run->timeout = 9; }), "its timeout"));
  EXPECT_TRUE(absl::StrContains(refusal([](RunResult* run) { run->memory = 9; }), "its memory"));
  EXPECT_TRUE(absl::StrContains(refusal([](RunResult* run) { run->shards = 2; }), "its shards"));
  EXPECT_TRUE(absl::StrContains(refusal([](RunResult* run) { run->target = "golden"; }), "target"));
}

TEST_F(JournalTest, RefusesOtherFiles) {
  const auto refusal = [&](const std::string& text) {
    EXPECT_TRUE(WriteFileAtomically(path_, text).ok());
    CaseResults done;
    return std::string(Journal::Resume(path_, ThisRun(), &done).status().message());
  };
  EXPECT_TRUE(absl::StrContains(refusal("a letter\n"), ":1: this is not a journal"));
  EXPECT_TRUE(absl::StrContains(refusal("[1]\n"), ":1: this is not a journal"));
  // Nesting costs no stack.
  constexpr size_t kDepth = Scheduled(2000000);
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  EXPECT_TRUE(absl::StrContains(
      refusal(absl::StrCat("{\"assay_journal\":", deep, ",\"corpus\":", deep, "}\n")),
      "of another run"));
  WriteTwo();
  const std::string text = Text();
  const size_t end = text.find('\n');
  EXPECT_TRUE(absl::StrContains(refusal(text.substr(0, end + 1) + "{}\n"), ":2: "));
  EXPECT_TRUE(absl::StrContains(refusal(text + "garbage\n"), ":4: "));
  CaseResults done;
  EXPECT_FALSE(Journal::Start("/no/such/folder/x.journal", ThisRun()).ok());
  EXPECT_FALSE(Journal::Resume(TestPath(""), ThisRun(), &done).ok());
}

}  // namespace
}  // namespace assay::conformance
