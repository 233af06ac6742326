// Campaigns against targets that are known: what is found, that runs go on where they stopped, and
// that jobs change nothing.
#include "fuzz/campaign/campaign.h"

#include <filesystem>
#include <map>
#include <set>

#include "backends/golden/golden_backend.h"
#include "conformance/mutants/mutant_backend.h"
#include "fuzz/campaign/coverage.h"
#include "fuzz/campaign/report.h"
#include "fuzz/programs/choices.h"
#include "fuzz/programs/decoder.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"

namespace assay::fuzz {
namespace {

// For what runs a campaign several times.
constexpr int64_t kFewPrograms = kScheduleStride == 1 ? 150 : 40;

class CampaignTest : public testing::Test {
 protected:
  void SetUp() override {
    GrammarOptions grammar;
    grammar.operations = {"reverse", "add", "broadcast", "convert", "reduce"};
    absl::StatusOr<Grammar> made = Grammar::Create(grammar);
    ASSERT_TRUE(made.ok()) << made.status();
    grammar_ = std::make_unique<Grammar>(*std::move(made));
    absl::StatusOr<conformance::TargetProfile> profile = conformance::TargetProfile::Find("golden");
    ASSERT_TRUE(profile.ok()) << profile.status();
    profile_ = std::make_unique<conformance::TargetProfile>(*std::move(profile));
    options_.grammar = grammar_.get();
    options_.profile = profile_.get();
    options_.examiner.budget.seconds = 10;
    options_.examiner.budget.threads = 1;
    options_.reduce = {.questions = 200, .seconds = 20};
    options_.programs = 150;
  }

  void UseMutant(const std::string& name) {
    options_.make_target = [name]() -> absl::StatusOr<std::unique_ptr<Backend>> {
      const absl::StatusOr<const conformance::Mutant*> mutant = conformance::FindMutant(name);
      if (!mutant.ok()) return mutant.status();
      return std::make_unique<conformance::MutantBackend>(**mutant);
    };
  }

  CampaignResult Ran() {
    absl::StatusOr<CampaignResult> result = RunCampaign(options_);
    EXPECT_TRUE(result.ok()) << result.status();
    return *std::move(result);
  }

  std::unique_ptr<Grammar> grammar_;
  std::unique_ptr<conformance::TargetProfile> profile_;
  CampaignOptions options_;
};

TEST_F(CampaignTest, GoldenHasNoFindings) {
  options_.make_target = []() -> absl::StatusOr<std::unique_ptr<Backend>> {
    return std::make_unique<GoldenBackend>();
  };
  const CampaignResult result = Ran();
  EXPECT_EQ(result.programs, 150);
  EXPECT_TRUE(result.groups.empty());
  EXPECT_EQ(result.counts[static_cast<size_t>(Outcome::kAgrees)] +
                result.counts[static_cast<size_t>(Outcome::kInconclusive)],
            150);
  EXPECT_GT(result.operations.at("reverse"), 20);
}

TEST_F(CampaignTest, AMutantIsOneGroupAndReduced) {
  UseMutant("mutant:reverse/six_dimensions");  // of 150 programs a few show it
  options_.folder = (std::filesystem::path(testing::TempDir()) / "campaign").string();
  int64_t announced = 0;
  options_.found = [&](const CampaignResult&, const FindingGroup&) { ++announced; };
  const CampaignResult result = Ran();
  ASSERT_FALSE(result.groups.empty());
  EXPECT_EQ(announced, static_cast<int64_t>(result.groups.size()));
  for (const FindingGroup& group : result.groups) {
    EXPECT_EQ(group.signature.kind, FindingKind::kWrong) << group.signature.Text();
    EXPECT_LE(group.instructions, 4) << group.signature.Text();
    EXPECT_TRUE(std::filesystem::exists(group.folder + "/module.hlo")) << group.folder;
  }
  std::filesystem::remove_all(options_.folder);
}

// A target that fails at every program, and counts how often it is asked.
class FailsAlways : public GoldenBackend {
 public:
  FailsAlways(absl::Status status, int64_t* asked) : status_(std::move(status)), asked_(asked) {}
  absl::StatusOr<ModuleRun> RunSets(const Module& /*module*/, const InputSets& /*sets*/) override {
    ++*asked_;
    return status_;
  }

 private:
  const absl::Status status_;
  int64_t* const asked_;
};

// Its smallest program is known, so that a target which takes seconds to start, or hangs, is not
// asked for others: two questions a program, and two for the folder.
TEST_F(CampaignTest, ATargetThatAlwaysFailsIsNotReduced) {
  int64_t asked = 0;
  options_.make_target = [&]() -> absl::StatusOr<std::unique_ptr<Backend>> {
    return std::make_unique<FailsAlways>(absl::InternalError("died"), &asked);
  };
  options_.programs = 5;
  options_.folder = (std::filesystem::path(testing::TempDir()) / "always").string();
  const CampaignResult result = Ran();
  ASSERT_EQ(result.groups.size(), 1);
  EXPECT_EQ(result.groups[0].signature.operation, kEveryProgram);
  EXPECT_EQ(result.groups[0].count, 5);
  EXPECT_EQ(result.groups[0].instructions, 1);
  EXPECT_LE(asked, 5 * 2 + 2);
  EXPECT_TRUE(std::filesystem::exists(result.groups[0].folder + "/module.hlo"));
  std::filesystem::remove_all(options_.folder);
}

TEST_F(CampaignTest, ProgramsBeyondTheBudgetAreNamed) {
  int64_t asked = 0;
  options_.make_target = [&]() -> absl::StatusOr<std::unique_ptr<Backend>> {
    return std::make_unique<FailsAlways>(absl::ResourceExhaustedError("full"), &asked);
  };
  options_.programs = 5;
  EXPECT_EQ(
      ClosingSentence(Ran()),
      "Nothing was judged: of 5 programs 0 are not supported; 5 took more time or memory than "
      "they may (--timeout, --memory). --ops and --types say what programs consist of.");
}

// Where programs run, and in how many pieces the campaign, has no say in what is found.
TEST_F(CampaignTest, JobsAndInterruptionsChangeNothing) {
  UseMutant("mutant:reverse/two_dimensions_apart");
  const auto signatures = [](const CampaignResult& result) {
    std::set<std::string> all;
    for (const FindingGroup& group : result.groups) all.insert(group.signature.Text());
    return all;
  };
  options_.reduce.questions = 0;
  options_.programs = kFewPrograms;
  const CampaignResult whole = Ran();
  options_.jobs = 3;
  const CampaignResult together = Ran();
  EXPECT_EQ(signatures(whole), signatures(together));
  EXPECT_EQ(whole.counts, together.counts);
  options_.jobs = 1;
  options_.programs = kFewPrograms / 2;
  const CampaignResult half = Ran();
  const CampaignIdentity identity{"t", "p", "", "", options_.seed};
  const auto read = ParseCampaign(CampaignJson(identity, half).dump(), "half", identity);
  ASSERT_TRUE(read.ok()) << read.status();
  options_.start = *read;
  options_.programs = kFewPrograms;
  const CampaignResult rest = Ran();
  EXPECT_EQ(signatures(whole), signatures(rest));
  EXPECT_EQ(whole.counts, rest.counts);
  EXPECT_EQ(whole.operations, rest.operations);
}

TEST_F(CampaignTest, ReportsOfOtherCampaignsAreRefused) {
  const CampaignIdentity identity{"t", "p", "", "", 1}, other{"t", "p", "", "", 2};
  const std::string text = CampaignJson(identity, CampaignResult()).dump();
  EXPECT_TRUE(ParseCampaign(text, "r", identity).ok());
  EXPECT_EQ(ParseCampaign(text, "r", other).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseCampaign("{", "r", identity).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseCampaign("{}", "r", identity).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(CampaignTest, PagesEscapeWhatTargetsSay) {
  CampaignResult result;
  FindingGroup group;
  group.signature.operation = "<script>";
  result.groups.push_back(group);
  const std::string page = CampaignHtml({"<b>", "p", "", "", 1}, result);
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
}

TEST_F(CampaignTest, PagesBeginWithTheVerdictAndHaveNoEmptyTables) {
  CampaignResult result;
  result.programs = 1200;
  result.counts[static_cast<size_t>(Outcome::kAgrees)] = 1200;
  const std::string page = CampaignHtml({"target", "p", "", "", 1}, result);
  EXPECT_NE(page.find("<h1>Fuzzing of target</h1>\n<p><strong>No bug found in 1,200 programs."),
            std::string::npos)
      << page;
  EXPECT_EQ(page.find("Findings"), std::string::npos) << page;
  EXPECT_EQ(page.find("did not run"), std::string::npos) << page;
}

TEST_F(CampaignTest, ATargetThatDoesNotStartIsAnError) {
  options_.make_target = []() -> absl::StatusOr<std::unique_ptr<Backend>> {
    return absl::AbortedError("gone");
  };
  EXPECT_EQ(RunCampaign(options_).status().code(), absl::StatusCode::kAborted);
}

TEST(MutationTest, ProgramsOfACorpusAreChangedWithinLimits) {
  const Bytes a(5 * kRecordBytes, 1), b(3 * kRecordBytes + 7, 2);
  std::set<Bytes> different;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Bytes changed = MutateRecords(a, seed, 6), crossed = CrossRecords(a, b, seed, 6);
    EXPECT_LE(changed.size(), 7 * kRecordBytes);
    EXPECT_LE(crossed.size(), 7 * kRecordBytes);
    EXPECT_EQ(changed, MutateRecords(a, seed, 6));
    different.insert(changed);
    different.insert(crossed);
  }
  EXPECT_GT(different.size(), 100);
  EXPECT_EQ(ProgramBytes(1, 0, {a, b}, 6), a);
  EXPECT_EQ(ProgramBytes(1, 1, {a, b}, 6), b);
  EXPECT_FALSE(MutateRecords({}, 1, 6).empty());
}

// Two shards have the programs of the whole, each once.
TEST_F(CampaignTest, ShardsShareTheWork) {
  UseMutant("mutant:reverse/two_dimensions_apart");
  options_.folder.clear();
  options_.reduce.questions = 0;
  const int64_t wanted = kScheduleStride == 1 ? 301 : 61;
  options_.programs = wanted;
  const CampaignResult whole = Ran();
  std::map<std::string, int64_t> counts;
  int64_t programs = 0;
  options_.shards = 2;
  for (options_.shard = 0; options_.shard < 2; ++options_.shard) {
    const CampaignResult part = Ran();
    programs += part.programs;
    for (const FindingGroup& group : part.groups) counts[group.signature.Text()] += group.count;
  }
  EXPECT_EQ(programs, wanted);
  EXPECT_EQ(counts.size(), whole.groups.size());
  for (const FindingGroup& group : whole.groups) {
    EXPECT_EQ(counts[group.signature.Text()], group.count) << group.signature.Text();
  }
}

// The same findings, asked for in modules of several programs.
TEST_F(CampaignTest, BatchesFindTheSame) {
  UseMutant("mutant:reverse/two_dimensions_apart");
  options_.reduce.questions = 0;
  options_.programs = kFewPrograms;
  options_.examiner.relations = options_.examiner.repeat = false;
  const CampaignResult alone = Ran();
  options_.batch = 7;
  const CampaignResult together = Ran();
  EXPECT_EQ(together.programs, alone.programs);
  EXPECT_EQ(together.counts, alone.counts);
  ASSERT_EQ(together.groups.size(), alone.groups.size());
}

TEST_F(CampaignTest, CoverageCountsWhatProgramsHave) {
  Coverage none, some;
  const size_t legal = none.EmptyTypes().size();
  EXPECT_GT(legal, 2500u);
  constexpr int64_t kPrograms = 400;
  for (int64_t i = 0; i < kPrograms; ++i) {
    some.Add(*DecodeProgram(*grammar_, RandomBytes(1, i, 8)).module);
  }
  const auto empty = some.EmptyTypes();
  const std::set<std::pair<Opcode, ElementType>> left(empty.begin(), empty.end());
  EXPECT_FALSE(left.contains({Opcode::kReverse, ElementType::kF32}));
  EXPECT_TRUE(left.contains({Opcode::kCholesky, ElementType::kF32}));
  const std::string page = some.Markdown();
  EXPECT_NE(page.find("400 programs"), std::string::npos);
  EXPECT_NE(page.find("`cholesky` f32"), std::string::npos);
}

}  // namespace
}  // namespace assay::fuzz
