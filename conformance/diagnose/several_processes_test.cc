// Programs with collectives on two replicas and on two partitions are judged by their intervals. A
// result whose error exceeds what the profile permits is wrong on any device; a smaller error is
// within bound.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/diagnose/program_judge.h"
#include "conformance/profiles/testing.h"
#include "conformance/runner/testing.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace several_processes_test {
namespace {

// Two devices, of one kind or of the other. Collectives name $GROUPS.
struct Grid {
  const char* sections;
  const char* groups;
  const char* id;
};
constexpr Grid kReplicas = {"processes: replicas=2 partitions=1", "replica_groups={{0,1}}",
                            "replica-id"};
constexpr Grid kPartitions = {"processes: replicas=1 partitions=2",
                              "channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true",
                              "partition-id"};

// The judgement of golden's results after `change` of the first element of one device.
template <typename Change>
Verdict Judged(const std::string& module, const Grid& grid, size_t device, Change change,
               const char* profile = "cpu-strict", std::vector<std::string>* reasons = nullptr) {
  const std::string groups = grid.groups;
  const std::string text = absl::StrReplaceAll(
      module, {{"$GROUPS", groups},
               {"$PERMUTE", absl::StrCat(groups[0] == 'c' ? "channel_id=1, " : "",
                                         "source_target_pairs={{0,1},{1,0}}")},
               {"$MOVE", groups[0] == 'c' ? "channel_id=1, replica_groups={{0,1}}" : groups},
               {"$ID", grid.id}});
  const absl::StatusOr<ReadyCase> ready = MakeReady(
      CaseOf(absl::StrCat("f { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = add(x, y) } ",
                          "g { x = f32[] parameter(0) y = f32[] parameter(1) "
                          "ROOT s = maximum(x, y) } ",
                          text),
             absl::StrCat("inputs:\n  arg0.dev0 = literal f32[4] {0.5, -1, 2, 0.25}\n"
                          "  arg0.dev1 = literal f32[4] {1.5, -0.5, 0.125, 3}\n",
                          grid.sections, "\nexpect: golden")));
  EXPECT_TRUE(ready.ok()) << ready.status() << text;
  if (!ready.ok()) return Verdict::kNotJudgeable;
  const absl::StatusOr<std::vector<DeviceOutputs>> golden = RunGolden(*ready, {});
  EXPECT_TRUE(golden.ok()) << golden.status() << text;
  if (!golden.ok()) return Verdict::kNotJudgeable;
  std::vector<std::vector<Literal>> arguments;
  for (const DeviceInputs& inputs : ready->inputs) arguments.push_back(inputs.arguments);
  std::vector<Literal> actual = ResultsOf(*golden);
  Element element = actual[device].Get(0);
  change(&element.bits);
  actual[device].Set(0, element);
  const auto judgement = JudgeByInterval(*ready->module, arguments, ResultsOf(*golden), actual,
                                         BuiltInProfile(profile), {});
  EXPECT_TRUE(judgement.ok()) << judgement.status() << text;
  if (!judgement.ok()) return Verdict::kNotJudgeable;
  if (reasons != nullptr) *reasons = judgement->reasons;
  return judgement->verdict;
}

void Nothing(uint64_t*) {}
void OneUnit(uint64_t* bits) { ++*bits; }
void FarOff(uint64_t* bits) { *bits += 1 << 12; }

// Every device brings the logistic function, which may be an ulp off, of numbers of its own.
const std::vector<std::string>& Programs() {
  static const auto* const programs = new std::vector<std::string>{
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) "
      "y = f32[4] all-reduce(x), $GROUPS, to_apply=f ROOT r = negate(y) }",
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) "
      "y = f32[4] all-reduce(x), $GROUPS, to_apply=g ROOT r = negate(y) }",
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) s = f32[4] all-reduce-start(x), $GROUPS, "
      "to_apply=f y = f32[4] all-reduce-done(s) ROOT r = negate(y) }",
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) n = negate(x) "
      "y = (f32[4], f32[4]) all-reduce(x, n), $GROUPS, to_apply=f "
      "ROOT r = f32[4] get-tuple-element(y), index=1 }",
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) y = f32[2] reduce-scatter(x), $GROUPS, "
      "dimensions={0}, to_apply=f ROOT r = negate(y) }",
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) y = f32[8] all-gather(x), $GROUPS, "
      "dimensions={0} ROOT r = negate(y) }",
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) s = (f32[4], f32[8]) all-gather-start(x), "
      "$GROUPS, dimensions={0} y = f32[8] all-gather-done(s) ROOT r = negate(y) }",
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) y = f32[4] all-to-all(x), $MOVE, "
      "dimensions={0} ROOT r = negate(y) }",
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) y = f32[4] collective-permute(x), "
      "$PERMUTE ROOT r = negate(y) }",
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) "
      "s = (f32[4], f32[4], u32[], u32[]) collective-permute-start(x), $PERMUTE "
      "y = f32[4] collective-permute-done(s) ROOT r = negate(y) }",
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) y = f32[4] collective-broadcast(x), $MOVE "
      "ROOT r = negate(y) }",
      // Inside of calls, of loops and of a branch that both take.
      "c { x = f32[4] parameter(0) ROOT y = f32[4] all-reduce(x), $GROUPS, to_apply=f } "
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) y = f32[4] call(x), to_apply=c "
      "ROOT r = negate(y) }",
      "cond { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
      "n = s32[] constant(3) ROOT l = compare(i, n), direction=LT } "
      "body { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
      "x = f32[4] get-tuple-element(s), index=1 y = f32[4] all-reduce(x), $GROUPS, to_apply=f "
      "o = s32[] constant(1) k = add(i, o) ROOT t = tuple(k, y) } "
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) z = s32[] constant(0) "
      "s = tuple(z, x) w = (s32[], f32[4]) while(s), condition=cond, body=body "
      "ROOT r = f32[4] get-tuple-element(w), index=1 }",
      "t { x = f32[4] parameter(0) ROOT y = f32[4] all-reduce(x), $GROUPS, to_apply=f } "
      "u { x = f32[4] parameter(0) ROOT y = negate(x) } "
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) p = pred[] constant(true) "
      "ROOT r = f32[4] conditional(p, x, x), true_computation=t, false_computation=u }",
      // Devices in different branches, and in different iterations, which meet afterwards.
      "t { x = f32[4] parameter(0) ROOT y = negate(x) } u { x = f32[4] parameter(0) "
      "ROOT y = add(x, x) } ENTRY e { a = f32[4] parameter(0) x = logistic(a) i = u32[] $ID() "
      "z = u32[] constant(0) p = compare(i, z), direction=EQ b = f32[4] conditional(p, x, x), "
      "true_computation=t, false_computation=u y = f32[4] all-reduce(b), $GROUPS, to_apply=f "
      "ROOT r = negate(y) }",
      "cond { s = (u32[], f32[4]) parameter(0) i = u32[] get-tuple-element(s), index=0 "
      "n = u32[] constant(3) ROOT l = compare(i, n), direction=LT } "
      "body { s = (u32[], f32[4]) parameter(0) i = u32[] get-tuple-element(s), index=0 "
      "x = f32[4] get-tuple-element(s), index=1 y = add(x, x) o = u32[] constant(1) "
      "k = add(i, o) ROOT t = tuple(k, y) } "
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) i = u32[] $ID() s = tuple(i, x) "
      "w = (u32[], f32[4]) while(s), condition=cond, body=body "
      "v = f32[4] get-tuple-element(w), index=1 y = f32[4] all-reduce(v), $GROUPS, to_apply=f "
      "ROOT r = negate(y) }",
  };
  return *programs;
}

TEST(SeveralProcessesTest, ErrorsAreAccusedAndRoundingIsNot) {
  for (const std::string& program : Programs()) {
    for (const Grid& grid : {kReplicas, kPartitions}) {
      for (const size_t device : {0, 1}) {
        SCOPED_TRACE(absl::StrCat(program, grid.sections, " device ", device));
        EXPECT_LE(Judged(program, grid, device, Nothing), Verdict::kCorrectlyRounded);
        EXPECT_EQ(Judged(program, grid, device, OneUnit), Verdict::kWithinBound);
        EXPECT_EQ(Judged(program, grid, device, FarOff), Verdict::kWrong);
      }
    }
  }
}

// What no rounding reaches is golden's to the last bit, whatever else the program computes.
TEST(SeveralProcessesTest, WhatIsExactIsJudgedToTheLastBit) {
  constexpr char kModule[] =
      "ENTRY e { a = f32[4] parameter(0) y = f32[4] collective-permute(a), $PERMUTE "
      "x = f32[4] all-reduce(y), $GROUPS, to_apply=g ROOT r = negate(x) }";
  for (const Grid& grid : {kReplicas, kPartitions}) {
    EXPECT_EQ(Judged(kModule, grid, 1, OneUnit), Verdict::kWrong);
  }
}

// A device whose loop ends by an open decision may leave its partner alone.
TEST(SeveralProcessesTest, AnOpenDecisionReachesThePartners) {
  constexpr char kModule[] =
      "cond { s = f32[4] parameter(0) v = f32[1] slice(s), slice={[0:1]} w = f32[] reshape(v) "
      "l = f32[] constant(2) m = logistic(w) n = logistic(l) ROOT c = compare(m, n), direction=LT "
      "} "
      "body { s = f32[4] parameter(0) y = f32[4] all-reduce(s), $GROUPS, to_apply=f "
      "l = f32[] constant(2) ROOT k = f32[4] broadcast(l), dimensions={} } "
      "ENTRY e { a = f32[4] parameter(0) z = f32[] constant(0) x = f32[4] broadcast(z), "
      "dimensions={} ROOT w = f32[4] while(x), condition=cond, body=body }";
  std::vector<std::string> reasons;
  EXPECT_EQ(Judged(kModule, kReplicas, 0, FarOff, "cpu-strict", &reasons), Verdict::kNotJudgeable);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_NE(reasons[0].find("compare"), std::string::npos) << reasons[0];
}

// A type that is kept in f32 where excess precision is granted may be narrowed before it is sent.
TEST(SeveralProcessesTest, NarrowTypesMayBeKeptWider) {
  constexpr char kModule[] =
      "h { x = bf16[] parameter(0) y = bf16[] parameter(1) ROOT s = add(x, y) } "
      "ENTRY e { a = f32[4] parameter(0) x = logistic(a) n = bf16[4] convert(x) "
      "y = bf16[4] all-reduce(n), $GROUPS, to_apply=h ROOT r = f32[4] convert(y) }";
  EXPECT_EQ(Judged(kModule, kReplicas, 0, OneUnit), Verdict::kWrong);
  EXPECT_EQ(Judged(
                kModule, kReplicas, 0, [](uint64_t* bits) { *bits += 1 << 16; }, "xla-cpu"),
            Verdict::kWithinBound);
  EXPECT_EQ(Judged(
                kModule, kReplicas, 0, [](uint64_t* bits) { *bits += 1 << 20; }, "xla-cpu"),
            Verdict::kWrong);
}

}  // namespace
}  // namespace several_processes_test
}  // namespace assay::conformance
