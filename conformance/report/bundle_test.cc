// A bundle holds what its case needs; report_cli_test.py runs one again.
#include "conformance/report/bundle.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "conformance/corpus/case_reader.h"
#include "conformance/profiles/profile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/arrays/arrays.h"
#include "spec/files/file_io.h"
#include "spec/testing/test_folder.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kCases[] =
    "case add/s8/two\n"
    "tags: op=add type=s8\n"
    "module:\n"
    "  ENTRY e { x = s8[2] parameter(0) ROOT r = s8[2] add(x, x) }\n"
    "inputs:\n"
    "  arg0 = literal s8[2] {3, -100}\n"
    "expect: golden\n"
    "\n"
    "case add/s8/refused\n"
    "tags: op=add type=s8\n"
    "module:\n"
    "  ENTRY e { x = s8[2] parameter(0) y = s8[3] parameter(1) ROOT r = s8[2] add(x, y) }\n"
    "expect: refused binary_c3\n";

class BundleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = TestPath("bundle");
    std::filesystem::remove_all(root_);
    absl::StatusOr<std::vector<CorpusCase>> cases = ReadCases(kCases, "test");
    ASSERT_TRUE(cases.ok()) << cases.status();
    cases_ = *std::move(cases);
    result_.id = cases_[0].id;
    result_.outcome = Outcome::kFailed;
    result_.message = "signal 11";
    run_.target = "process:it's [=[ a ]=] target";
    run_.profile = "xla-cpu";
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string Text(const std::string& name) { return ReadFile(root_ + "/" + name).value_or(""); }
  std::set<std::string> Files(const std::string& folder) {
    std::set<std::string> names;
    for (const auto& each : std::filesystem::directory_iterator(root_ + "/" + folder)) {
      names.insert(each.path().filename());
    }
    return names;
  }

  std::string root_;
  std::vector<CorpusCase> cases_;
  CaseResult result_;
  RunResult run_;
};

TEST_F(BundleTest, HoldsCaseAndResult) {
  const absl::Status status = WriteBundle(root_, cases_[0], result_, run_, RunBudget());
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(Files("add/s8/two"),
              ElementsAre("CMakeLists.txt", "README.txt", "case.json", "case.txt", "expected.npz",
                          "inputs.npz", "module.hlo", "result.json"));
  EXPECT_EQ(Text("add/s8/two/case.txt"), FormatCase(cases_[0]));
  // 3 + 3, and -100 - 100 wraps: -200 + 256.
  const auto arrays = ReadArrays(root_ + "/add/s8/two/expected.npz");
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  EXPECT_EQ(PrintLiteral(arrays->at(0).value), "{6, 56}");
  const auto read = CaseResultFromJson(nlohmann::json::parse(Text("add/s8/two/result.json")));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->message, "signal 11");
  EXPECT_THAT(Text("add/s8/two/README.txt"),
              HasSubstr("assay test --cases case.txt --target 'process:it'\\''s "
                        "[=[ a ]=] target' --profile xla-cpu\n"));
  EXPECT_THAT(Text("add/s8/two/CMakeLists.txt"),
              HasSubstr("[==[process:it's [=[ a ]=] target]==]"));
}

TEST_F(BundleTest, TakesAProfileThatIsAFile) {
  std::filesystem::create_directories(root_);
  run_.profile = root_ + "/mine.textproto";
  EXPECT_THAT(WriteBundle(root_, cases_[0], result_, run_, RunBudget()).ToString(),
              HasSubstr("mine.textproto: cannot open"));
  // With the profile that it extends: the bundle needs no other file.
  std::ofstream(root_ + "/base.textproto") << "budget { op: \"tanh\" f32: 2.5 }\n";
  std::ofstream(run_.profile) << "extends: \"" << root_ << "/base.textproto\"\n";
  ASSERT_TRUE(WriteBundle(root_, cases_[0], result_, run_, RunBudget()).ok());
  std::filesystem::remove(root_ + "/base.textproto");
  const auto profile = TargetProfile::Find(root_ + "/add/s8/two/profile.textproto");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->FindBudget(Opcode::kTanh, ElementType::kF32).ulps, 2.5);
  EXPECT_THAT(Text("add/s8/two/README.txt"), HasSubstr("--profile ./profile.textproto\n"));
}

TEST_F(BundleTest, RefusedCasesHaveNoArrays) {
  ASSERT_TRUE(WriteBundle(root_, cases_[1], result_, run_, RunBudget()).ok());
  EXPECT_EQ(Files("add/s8/refused").count("inputs.npz"), 0);
  EXPECT_EQ(Text("add/s8/refused/module.hlo"), cases_[1].module);
}

// Of a failure, a waived one and a case that passes.
TEST_F(BundleTest, OneForEachFailure) {
  std::swap(cases_[0], cases_[1]);  // sorted by id
  CaseResult waived = result_, passing = result_;
  waived.id = cases_[0].id;
  waived.waiver = "known";
  passing.outcome = Outcome::kExact;
  run_.cases = {waived, result_, passing};
  ASSERT_TRUE(WriteBundles(root_, cases_, run_, RunBudget()).ok());
  EXPECT_THAT(Files("add/s8"), ElementsAre("two"));
}

TEST_F(BundleTest, WritesWhatItCan) {
  cases_[0].inputs.clear();
  EXPECT_FALSE(WriteBundle(root_, cases_[0], result_, run_, RunBudget()).ok());
  EXPECT_EQ(Files("add/s8/two").count("README.txt"), 1);
  EXPECT_THAT(WriteBundle("/proc/nowhere", cases_[0], result_, run_, RunBudget()).ToString(),
              HasSubstr("/proc/nowhere"));
}

}  // namespace
}  // namespace assay::conformance
