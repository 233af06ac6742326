#include "conformance/diagnose/program_judge.h"

#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/runner/testing.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

// The judgement of golden's results with one bit changed in the first element of a leaf.
Judgement WithBitChanged(const std::string& module, const std::string& inputs, size_t leaf,
                         const char* profile) {
  const absl::StatusOr<ReadyCase> ready =
      MakeReady(CaseOf(module, "inputs:\n" + inputs + "\nexpect: golden"));
  EXPECT_TRUE(ready.ok()) << ready.status();
  const absl::StatusOr<std::vector<DeviceOutputs>> golden = RunGolden(*ready, {});
  EXPECT_TRUE(golden.ok()) << golden.status();
  std::vector<Literal> leaves = Flatten(golden->front().result);
  Element element = leaves[leaf].Get(0);
  element.bits ^= 1;
  leaves[leaf].Set(0, element);
  const absl::StatusOr<TargetProfile> found = TargetProfile::Find(profile);
  EXPECT_TRUE(found.ok()) << found.status();
  return JudgeProgram(*ready->module, ResultsOf(*golden),
                      {Unflatten(golden->front().result.shape(), leaves)}, *found);
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

// Into a called computation goes what may differ outside of it.
TEST(ProgramJudgeTest, CalledComputationsSendWhatMayDiffer) {
  const auto verdict = [](const char* sent) {
    return WithBitChanged(
               absl::StrCat("give { q = f32[2] parameter(0) u = token[] after-all() "
                            "s = (f32[2], u32[], token[]) send(q, u), channel_id=1 "
                            "ROOT d = token[] send-done(s), channel_id=1 } "
                            "ENTRY e { p = f32[2] parameter(0) x = f32[2] ",
                            sent,
                            "(p) c = token[] call(x), to_apply=give t = token[] after-all() "
                            "r = (f32[2], u32[], token[]) recv(t), channel_id=1 "
                            "rd = (f32[2], token[]) recv-done(r), channel_id=1 "
                            "ROOT o = f32[2] get-tuple-element(rd), index=0 }"),
               "  arg0 = literal f32[2] {1, 2}", 0, "cpu-strict")
        .verdict;
  };
  EXPECT_EQ(verdict("exponential"), Verdict::kNotJudgeable);
  EXPECT_EQ(verdict("copy"), Verdict::kWrong);
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

// A conversion may give a NaN of either sign, which comes first or last in the total order. NaNs of
// arguments have a sign that is known.
TEST(ProgramJudgeTest, NansThatAreMadeHaveNoPlaceInTheTotalOrder) {
  const auto verdict = [](const char* made, const char* order) {
    return WithBitChanged(
               absl::StrCat("backward { a = f32[3] parameter(0) ROOT r = f32[3] reverse(a), "
                            "dimensions={0} } negated { a = f32[3] parameter(0) "
                            "ROOT r = f32[3] negate(a) } "
                            "order { a = f32[] parameter(0) b = f32[] parameter(1) "
                            "ROOT l = pred[] compare(a, b), direction=LT",
                            order, " } ENTRY e { p = ", made,
                            " ROOT s = f32[3] sort(x), dimensions={0}, to_apply=order }"),
               "  arg0 = literal bf16[3] {1, 2, 3}", 0, "golden")
        .verdict;
  };
  constexpr char kConverted[] = "bf16[3] parameter(0) x = f32[3] convert(p)";
  EXPECT_EQ(verdict(kConverted, ", type=TOTALORDER"), Verdict::kNotJudgeable);
  EXPECT_EQ(verdict(kConverted, ""), Verdict::kWrong);
  const auto of_constant = [&](const char* x) {
    return verdict(absl::StrCat("bf16[3] parameter(0) c = f32[3] constant({1, 2, 3}) ", x).c_str(),
                   ", type=TOTALORDER");
  };
  EXPECT_EQ(of_constant("x = f32[3] copy(c)"), Verdict::kWrong);
  // What only moves is known as well, in computations that are called too; what computes is not.
  EXPECT_EQ(of_constant("r = f32[1,3] reshape(c) x = f32[3] reshape(r)"), Verdict::kWrong);
  EXPECT_EQ(of_constant("x = f32[3] call(c), to_apply=backward"), Verdict::kWrong);
  EXPECT_EQ(of_constant("n = f32[3] negate(c) x = f32[3] call(n), to_apply=backward"),
            Verdict::kNotJudgeable);
  EXPECT_EQ(of_constant("x = f32[3] call(c), to_apply=negated"), Verdict::kNotJudgeable);
}

// What a called computation makes before it compares has no place in the total order, and neither
// has what it is given and compares. What it does not compare says nothing.
TEST(ProgramJudgeTest, NansThatACallMakesAndCompares) {
  const auto verdict = [](const char* body, const std::string& called) {
    return WithBitChanged(
               absl::StrCat("f { a = f32[3] parameter(0) b = f32[3] parameter(1) "
                            "c = f32[3] parameter(2) n = pred[3] is-finite(c) ",
                            body,
                            " ROOT t = pred[3] and(l, n) } ENTRY e { x = f32[3] parameter(0) "
                            "y = f32[3] parameter(1) r = f32[3] negate(y) ROOT o = pred[3] ",
                            called, " }"),
               "  arg0 = literal f32[3] {1, 2, 3}\n  arg1 = literal f32[3] {3, 2, 1}", 0, "golden")
        .verdict;
  };
  constexpr char kCompares[] = "l = pred[3] compare(a, b), direction=LT, type=TOTALORDER";
  constexpr char kMakes[] =
      "m = f32[3] negate(a) l = pred[3] compare(m, b), direction=LT, type=TOTALORDER";
  constexpr char kMoves[] =
      "m = f32[3] reverse(a), dimensions={0} "
      "l = pred[3] compare(m, b), direction=LT, type=TOTALORDER";
  for (const std::string how : {"call(%), to_apply=f", "fusion(%), kind=kLoop, calls=f"}) {
    const auto with = [&](const char* operands) {
      return absl::StrReplaceAll(how, {{"%", operands}});
    };
    EXPECT_EQ(verdict(kCompares, with("x, y, y")), Verdict::kWrong) << how;
    EXPECT_EQ(verdict(kCompares, with("x, r, y")), Verdict::kNotJudgeable) << how;
    EXPECT_EQ(verdict(kCompares, with("x, y, r")), Verdict::kWrong) << how;
    EXPECT_EQ(verdict(kMakes, with("x, y, y")), Verdict::kNotJudgeable) << how;
    EXPECT_EQ(verdict(kMoves, with("x, y, r")), Verdict::kWrong) << how;
    EXPECT_EQ(verdict(kMoves, with("r, y, x")), Verdict::kNotJudgeable) << how;
  }
}

// A NaN of other bits is not golden's: it counts as what permits it.
TEST(ProgramJudgeTest, NansOfOtherBitsAreNotExact) {
  const auto ready =
      MakeReady(CaseOf("ENTRY e { a = bf16[2] parameter(0) b = bf16[2] reverse(a), dimensions={0} "
                       "n = bf16[2] negate(a) ROOT t = tuple(b, n) }",
                       "inputs:\n  arg0 = literal bf16[2] {1, nan(0x41)}\nexpect: golden"));
  ASSERT_TRUE(ready.ok()) << ready.status();
  const auto golden = RunGolden(*ready, {});
  ASSERT_TRUE(golden.ok()) << golden.status();
  std::vector<Literal> leaves = Flatten(golden->front().result);
  leaves[0].Set(0, {leaves[0].Get(0).bits ^ 2});
  leaves[1].Set(1, {leaves[1].Get(1).bits ^ 2});
  const std::vector<Literal> actual = {Unflatten(golden->front().result.shape(), leaves)};
  const TargetProfile profile = *TargetProfile::Find("xla-cpu");
  const auto by_interval = JudgeByInterval(*ready->module, {ready->inputs[0].arguments},
                                           ResultsOf(*golden), actual, profile, {});
  ASSERT_TRUE(by_interval.ok()) << by_interval.status();
  for (const Judgement& each :
       {*by_interval, JudgeProgram(*ready->module, ResultsOf(*golden), actual, profile)}) {
    EXPECT_EQ(each.verdict, Verdict::kAllowed);
    EXPECT_EQ(each.counts[static_cast<int>(Verdict::kAllowed)], 2);
    EXPECT_EQ(each.freedoms[static_cast<int>(Freedom::kNanPayload)], 2);
    EXPECT_EQ(each.elements(), 4);
  }
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

// Programs that move NaNs alone keep their bits; what is computed may be any NaN. Elements of loops
// are known by their intervals, others by the program alone.
TEST(ProgramJudgeTest, NansThatAreOnlyMovedKeepTheirBits) {
  constexpr char kRegions[] =
      "cond { p = (s32[], f32[3]) parameter(0) i = get-tuple-element(p), index=0 n = s32[] "
      "constant(3) ROOT l = compare(i, n), direction=LT }\n  "
      "body { p = (s32[], f32[3]) parameter(0) i = get-tuple-element(p), index=0 one = s32[] "
      "constant(1) j = add(i, one) x = get-tuple-element(p), index=1 y = f32[3] reverse(x), "
      "dimensions={0} ROOT t = tuple(j, y) }\n  ";
  const auto verdict = [&](const char* body, size_t leaf, const char* profile) {
    const auto ready = MakeReady(
        CaseOf(absl::StrCat(kRegions, "ENTRY e { a = f32[3] parameter(0) ", body, " }"),
               "inputs:\n  arg0 = literal f32[3] {-nan(0x123), 1, nan(0x400001)}\nexpect: golden"));
    EXPECT_TRUE(ready.ok()) << ready.status();
    const auto golden = RunGolden(*ready, {});
    EXPECT_TRUE(golden.ok()) << golden.status();
    std::vector<Literal> leaves = Flatten(golden->front().result);
    leaves[leaf].Set(0, {leaves[leaf].Get(0).bits ^ (uint64_t{1} << 31), 0});
    const auto judgement = JudgeByInterval(
        *ready->module, {ready->inputs[0].arguments}, ResultsOf(*golden),
        {Unflatten(golden->front().result.shape(), leaves)}, *TargetProfile::Find(profile), {});
    EXPECT_TRUE(judgement.ok()) << judgement.status();
    return judgement.ok() ? judgement->verdict : Verdict::kNotJudgeable;
  };
  for (const char* profile : {"golden", "cpu-strict", "xla-cpu"}) {
    EXPECT_EQ(verdict("b = copy(a) ROOT r = f32[3] reverse(b), dimensions={0}", 0, profile),
              Verdict::kWrong);
    EXPECT_EQ(verdict("z = s32[] constant(0) t = tuple(z, a) "
                      "ROOT w = (s32[], f32[3]) while(t), condition=cond, body=body",
                      1, profile),
              Verdict::kWrong);
    EXPECT_EQ(verdict("b = add(a, a) ROOT r = f32[3] reverse(b), dimensions={0}", 0, profile),
              Verdict::kAllowed);
  }
}

// The judgement of golden's outputs, after `change` has changed what is fed out on the last device.
Judgement WithOutfeed(const std::string& module, const std::string& sections, const char* profile,
                      const std::function<void(std::vector<Literal>&)>& change) {
  const absl::StatusOr<ReadyCase> ready = MakeReady(CaseOf(module, sections + "\nexpect: golden"));
  EXPECT_TRUE(ready.ok()) << ready.status();
  const absl::StatusOr<std::vector<DeviceOutputs>> golden = RunGolden(*ready, {});
  EXPECT_TRUE(golden.ok()) << golden.status();
  std::vector<DeviceOutputs> actual = *golden;
  change(actual.back().outfeed);
  return JudgeOutfeeds(*ready->module, *golden, actual, *TargetProfile::Find(profile));
}

void ChangeBit(Literal& array) {
  Element element = array.Get(1);
  element.bits ^= 1;
  array.Set(1, element);
}

TEST(ProgramJudgeTest, OutfeedsOfTheEntryEachForItself) {
  constexpr char kModule[] =
      "ENTRY e { now = token[] after-all() i = (f32[2], token[]) infeed(now) x = "
      "get-tuple-element(i), index=0 t = get-tuple-element(i), index=1 y = exponential(x) "
      "o = token[] outfeed(x, t), outfeed_shape=f32[2] pair = tuple(x, y) "
      "p = token[] outfeed(pair, o), outfeed_shape=(f32[2], f32[2]) "
      "ROOT q = token[] outfeed(x, p), outfeed_shape=f32[2] }";
  constexpr char kSections[] =
      "inputs:\n  infeed0.dev0 = literal f32[2] {1, 2}\n  infeed0.dev1 = literal f32[2] {3, 4}\n"
      "processes: replicas=2 partitions=1";
  const auto judge = [&](const char* profile, size_t array) {
    return WithOutfeed(kModule, kSections, profile,
                       [&](std::vector<Literal>& outfeed) { ChangeBit(outfeed[array]); });
  };
  const auto same = WithOutfeed(kModule, kSections, "golden", [](std::vector<Literal>&) {});
  EXPECT_EQ(same.verdict, Verdict::kCorrectlyRounded);
  EXPECT_EQ(same.counts[static_cast<int>(Verdict::kExact)], 12);  // x, x and x; y on two devices
  EXPECT_EQ(same.counts[static_cast<int>(Verdict::kCorrectlyRounded)], 4);
  for (const size_t array : {0, 1, 3}) {
    const Judgement moved = judge("xla-cpu", array);
    EXPECT_EQ(moved.verdict, Verdict::kWrong);
    ASSERT_EQ(moved.evidence.size(), 1u);
    EXPECT_TRUE(moved.evidence[0].outfeed);
    EXPECT_EQ(moved.evidence[0].device, 1);
    EXPECT_EQ(moved.evidence[0].leaf, static_cast<int64_t>(array));
    EXPECT_EQ(moved.evidence[0].index, std::vector<int64_t>{1});
  }
  EXPECT_EQ(judge("golden", 2).verdict, Verdict::kWrong);
  EXPECT_EQ(judge("xla-cpu", 2).verdict, Verdict::kNotJudgeable);
  // How many there are does not depend on a value.
  const Judgement missing = WithOutfeed(kModule, kSections, "xla-cpu",
                                        [](std::vector<Literal>& outfeed) { outfeed.pop_back(); });
  EXPECT_EQ(missing.verdict, Verdict::kWrong);
  EXPECT_EQ(missing.evidence[0].golden, "4 arrays: f32[2], f32[2], f32[2], f32[2]");
  EXPECT_EQ(missing.evidence[0].actual, "3 arrays: f32[2], f32[2], f32[2]");
  EXPECT_EQ(WithOutfeed(kModule, kSections, "golden",
                        [](std::vector<Literal>& outfeed) {
                          outfeed[0] = Literal::Zeros(Shape(ElementType::kF32, {3}));
                        })
                .verdict,
            Verdict::kWrong);
}

// A loop that ends when a sum is large enough: other roundings may end it later.
TEST(ProgramJudgeTest, OutfeedsOfALoop) {
  constexpr char kModule[] =
      "body { x = f32[2] parameter(0) now = token[] after-all() "
      "o = token[] outfeed(x, now), outfeed_shape=f32[2] ROOT y = add(x, x) }\n  "
      "condition { x = f32[2] parameter(0) z = f32[] constant(0) s = f32[1] slice(x), "
      "slice={[0:1]} r = f32[] reshape(s) e = f32[] constant(5) ROOT l = compare(r, e), "
      "direction=LT }\n  "
      "ENTRY e { a = f32[2] parameter(0) ROOT w = while(a), condition=condition, body=body }";
  constexpr char kInputs[] = "inputs:\n  arg0 = literal f32[2] {1, 2}";
  const auto drop = [](std::vector<Literal>& outfeed) { outfeed.pop_back(); };
  const auto change = [](std::vector<Literal>& outfeed) { ChangeBit(outfeed[1]); };
  EXPECT_EQ(WithOutfeed(kModule, kInputs, "golden", drop).verdict, Verdict::kWrong);
  EXPECT_EQ(WithOutfeed(kModule, kInputs, "golden", change).verdict, Verdict::kWrong);
  const Judgement open = WithOutfeed(kModule, kInputs, "xla-cpu", drop);
  EXPECT_EQ(open.verdict, Verdict::kNotJudgeable);
  EXPECT_EQ(open.reasons.size(), 1u);
  EXPECT_EQ(WithOutfeed(kModule, kInputs, "xla-cpu", change).verdict, Verdict::kNotJudgeable);
}

// Elements of a dynamic array count within its current size, in its interval there.
TEST(ProgramJudgeTest, DynamicSizesAreJudgedByTheirInterval) {
  const auto ready = MakeReady(
      CaseOf("add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = add(x, y) } "
             "ENTRY e { a = f32[5] parameter(0) n = s32[] constant(3) "
             "d = f32[<=5] set-dimension-size(a, n), dimensions={0} z = f32[] constant(0) "
             "s = f32[] reduce(d, z), dimensions={0}, to_apply=add k = f32[<=5] negate(d) "
             "ROOT t = tuple(s, k) }",
             "inputs:\n  arg0 = literal f32[5] {0.1, 0.2, 0.7, 0.4, 0.5}\nexpect: golden"));
  ASSERT_TRUE(ready.ok()) << ready.status();
  const auto golden = RunGolden(*ready, {});
  ASSERT_TRUE(golden.ok()) << golden.status();
  const auto profile = TargetProfile::Find("cpu-strict");
  ASSERT_TRUE(profile.ok()) << profile.status();
  const auto verdict = [&](size_t leaf, int64_t element, uint64_t bits) {
    std::vector<Literal> leaves = Flatten(golden->front().result);
    Element changed = leaves[leaf].Get(element);
    changed.bits ^= bits;
    leaves[leaf].Set(element, changed);
    const auto judgement =
        JudgeByInterval(*ready->module, {ready->inputs[0].arguments}, ResultsOf(*golden),
                        {Unflatten(golden->front().result.shape(), leaves)}, *profile, {});
    EXPECT_TRUE(judgement.ok()) << judgement.status();
    return judgement.ok() ? judgement->verdict : Verdict::kNotJudgeable;
  };
  EXPECT_EQ(verdict(0, 0, 1), Verdict::kWithinBound);  // the sum's last bit
  EXPECT_EQ(verdict(0, 0, 1 << 20), Verdict::kWrong);
  EXPECT_EQ(verdict(1, 2, 1), Verdict::kWrong);
  EXPECT_LT(verdict(1, 3, 1 << 20), Verdict::kWithinBound);  // beyond the current size
}

}  // namespace
}  // namespace assay::conformance
