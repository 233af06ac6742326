#include "conformance/diagnose/program_judge.h"

#include "absl/strings/str_cat.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/runner/testing.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

// The judgement of golden's results with one bit changed in the first element of a leaf.
Judgement WithBitChanged(const std::string& module, const std::string& inputs, size_t leaf,
                         const char* profile) {
  const absl::StatusOr<ReadyCase> ready =
      MakeReady(CaseOf(module, "inputs:\n" + inputs + "\nexpect: golden"));
  EXPECT_TRUE(ready.ok()) << ready.status();
  const absl::StatusOr<std::vector<Literal>> golden = RunGolden(*ready, {});
  EXPECT_TRUE(golden.ok()) << golden.status();
  std::vector<Literal> leaves = Flatten(golden->front());
  Element element = leaves[leaf].Get(0);
  element.bits ^= 1;
  leaves[leaf].Set(0, element);
  const absl::StatusOr<TargetProfile> found = TargetProfile::Find(profile);
  EXPECT_TRUE(found.ok()) << found.status();
  return JudgeProgram(*ready->module, *golden, {Unflatten(golden->front().shape(), leaves)},
                      *found);
}

constexpr char kTwoLeaves[] =
    "ENTRY e { a = f32[2] parameter(0) b = s32[2] parameter(1) c = exponential(a) d = negate(c) "
    "k = add(b, b) m = multiply(k, b) n = s32[2] convert(d) ROOT t = tuple(d, m, n) }";
constexpr char kTwoInputs[] = "  arg0 = literal f32[2] {0, 1}\n  arg1 = literal s32[2] {3, 4}";

// What comes out of a channel may differ where what goes in may, wherever the two stand.
TEST(ProgramJudgeTest, ChannelsCarryWhatMayDiffer) {
  const auto verdict = [](const char* sent, bool receives_first) {
    const std::string send = absl::StrCat(
        "x = f32[2] ", sent, "(p) s = (f32[2], u32[], token[]) send(x, t), channel_id=1 ");
    const std::string receive = "r = (f32[2], u32[], token[]) recv(t), channel_id=1 ";
    return WithBitChanged(absl::StrCat("ENTRY e { p = f32[2] parameter(0) t = token[] after-all() ",
                                       receives_first ? receive + send : send + receive,
                                       "sd = token[] send-done(s), channel_id=1 "
                                       "rd = (f32[2], token[]) recv-done(r), channel_id=1 "
                                       "ROOT o = f32[2] get-tuple-element(rd), index=0 }"),
                          "  arg0 = literal f32[2] {1, 2}", 0, "cpu-strict")
        .verdict;
  };
  for (const bool receives_first : {false, true}) {
    EXPECT_EQ(verdict("exponential", receives_first), Verdict::kNotJudgeable);
    EXPECT_EQ(verdict("copy", receives_first), Verdict::kWrong);
  }
}

TEST(ProgramJudgeTest, OnlyWhatMayDifferIsNotJudgeable) {
  struct Row {
    size_t leaf;
    const char* profile;
    Verdict wanted;
  };
  const Row rows[] = {
      {0, "golden", Verdict::kWrong},         {1, "golden", Verdict::kWrong},
      {2, "golden", Verdict::kWrong},         {0, "xla-cpu", Verdict::kNotJudgeable},
      {1, "xla-cpu", Verdict::kWrong},         // whole numbers all the way
      {2, "xla-cpu", Verdict::kNotJudgeable},  // a whole number from a float
  };
  for (const Row& row : rows) {
    const Judgement judgement = WithBitChanged(kTwoLeaves, kTwoInputs, row.leaf, row.profile);
    EXPECT_EQ(judgement.verdict, row.wanted) << row.leaf << " " << row.profile;
    EXPECT_EQ(judgement.elements(), 6);
    EXPECT_EQ(judgement.counts[static_cast<int>(row.wanted)], 1);
    ASSERT_EQ(judgement.evidence.size(), 1);
    EXPECT_EQ(judgement.evidence[0].leaf, static_cast<int64_t>(row.leaf));
    EXPECT_EQ(judgement.evidence[0].index, std::vector<int64_t>{0});
    EXPECT_EQ(judgement.reasons.empty(), row.wanted == Verdict::kWrong);
  }
  const Judgement evidence = WithBitChanged(kTwoLeaves, kTwoInputs, 0, "golden");
  EXPECT_EQ(evidence.evidence[0].golden_bits, "0xbf800000");
  EXPECT_EQ(evidence.evidence[0].actual_bits, "0xbf800001");
  EXPECT_EQ(evidence.largest_distance, 1);
}

TEST(ProgramJudgeTest, LoopsAndMoves) {
  constexpr char kLoop[] =
      "cond { p = (s32[], f32[]) parameter(0) i = get-tuple-element(p), index=0 n = s32[] "
      "constant(3) ROOT l = compare(i, n), direction=LT }\n  "
      "body { p = (s32[], f32[]) parameter(0) i = get-tuple-element(p), index=0 one = s32[] "
      "constant(1) j = add(i, one) x = get-tuple-element(p), index=1 y = add(x, x) "
      "ROOT t = tuple(j, y) }\n  "
      "ENTRY e { p = (s32[], f32[]) parameter(0) ROOT w = while(p), condition=cond, body=body }";
  constexpr char kInputs[] = "  arg0 = literal s32[] 0\n  arg1 = literal f32[] 1";
  EXPECT_EQ(WithBitChanged(kLoop, kInputs, 1, "xla-cpu").verdict, Verdict::kNotJudgeable);
  EXPECT_EQ(WithBitChanged(kLoop, kInputs, 1, "golden").verdict, Verdict::kWrong);
  constexpr char kMoves[] =
      "ENTRY e { a = f32[2,3] parameter(0) b = transpose(a), dimensions={1,0} "
      "ROOT c = reverse(b), dimensions={0} }";
  EXPECT_EQ(WithBitChanged(kMoves, "  arg0 = benign f32[2,3]", 0, "xla-cpu").verdict,
            Verdict::kWrong);
}

}  // namespace
}  // namespace assay
