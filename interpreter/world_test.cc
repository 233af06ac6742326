// Runs of several processes: who they are, how they meet and wait, and what a deadlock says. The
// expected values are those of the reference (ops_control_and_collectives.md 5.2, 7.10), or
// computed by hand.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/process_testing.h"
#include "spec/ops/shape_inference.h"

namespace assay::world_test {
namespace {

using ::testing::HasSubstr;

constexpr char kSum[] =
    "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n";

TEST(WorldTest, ProcessesKnowWhoTheyAre) {
  constexpr char kText[] = R"(HloModule m
    ENTRY e {
      r = u32[] replica-id()
      p = u32[] partition-id()
      ROOT t = (u32[], u32[]) tuple(r, p)
    })";
  EXPECT_EQ(RunOn({2, 2}, kText), Values({"(u32[] 0, u32[] 0)", "(u32[] 0, u32[] 1)",
                                          "(u32[] 1, u32[] 0)", "(u32[] 1, u32[] 1)"}));
  EXPECT_EQ(RunOn({1, 1}, kText), Values({"(u32[] 0, u32[] 0)"}));
}

TEST(WorldTest, GroupsOfDifferentSizesReduce) {
  EXPECT_EQ(RunOn({4, 1}, absl::StrCat("HloModule m\n", kSum, R"(
    ENTRY e {
      x = s32[] parameter(0)
      ROOT r = s32[] all-reduce(x), replica_groups={{0},{1,2},{3}}, to_apply=add
    })"),
                  [](int64_t r, int64_t) { return absl::StrCat("s32[] ", r + 1); }),
            Values({"s32[] 1", "s32[] 5", "s32[] 5", "s32[] 4"}));
}

TEST(WorldTest, WithAChannelReplicasComeBeforePartitions) {
  EXPECT_EQ(RunOn({2, 2}, R"(HloModule m
    ENTRY e {
      x = s32[1] parameter(0)
      ROOT r = s32[4] all-gather(x), dimensions={0}, replica_groups={{0,1}}, channel_id=1
    })",
                  [](int64_t r, int64_t p) { return absl::StrCat("s32[1] {", 10 * r + p, "}"); }),
            Values(4, "s32[4] {0, 1, 10, 11}"));
}

TEST(WorldTest, PermuteGivesZerosToThoseWhoAreNoTarget) {
  const auto argument = [](int64_t r, int64_t p) { return absl::StrCat("s32[] ", 10 * r + p + 1); };
  EXPECT_EQ(RunOn({2, 2}, R"(HloModule m
    ENTRY e {
      x = s32[] parameter(0)
      ROOT r = s32[] collective-permute(x), source_target_pairs={{0,1}}
    })",
                  argument),
            Values({"s32[] 0", "s32[] 0", "s32[] 1", "s32[] 2"}));
  EXPECT_EQ(RunOn({2, 2}, R"(HloModule m
    ENTRY e {
      x = s32[] parameter(0)
      ROOT r = s32[] collective-permute(x), source_target_pairs={{0,1}}, channel_id=1
    })",
                  argument),
            Values({"s32[] 0", "s32[] 1", "s32[] 0", "s32[] 11"}));
}

TEST(WorldTest, BroadcastGivesTheFirstOfTheGroup) {
  const auto argument = [](int64_t r, int64_t) { return absl::StrCat("s32[] ", r + 7); };
  EXPECT_EQ(RunOn({4, 1}, R"(HloModule m
    ENTRY e {
      x = s32[] parameter(0)
      ROOT r = s32[] collective-broadcast(x), replica_groups={{1,0,2,3}}
    })",
                  argument),
            Values(4, "s32[] 8"));
  EXPECT_EQ(RunOn({4, 1}, R"(HloModule m
    ENTRY e {
      x = s32[] parameter(0)
      ROOT r = s32[] collective-broadcast(x), replica_groups={{2,1}}
    })",
                  argument),
            Values({"s32[] 0", "s32[] 9", "s32[] 9", "s32[] 0"}));
}

TEST(WorldTest, BroadcastWithADynamicRootGivesTheChosenMember) {
  // The second of the group {2, 0} is replica 0, its first is replica 2.
  const auto argument = [](int64_t r, int64_t) { return absl::StrCat("s32[] ", r + 7); };
  EXPECT_EQ(RunOn({3, 1}, R"(HloModule m
    ENTRY e {
      x = s32[] parameter(0)
      root = s32[1] constant({1})
      ROOT r = s32[] collective-broadcast(x, root), replica_groups={{2,0}}, has_dynamic_root=true
    })",
                  argument),
            Values({"s32[] 7", "s32[] 0", "s32[] 7"}));
  EXPECT_EQ(RunOn({2, 1}, R"(HloModule m
    ENTRY e {
      x = s32[] parameter(0)
      ten = s32[] constant(10)
      y = s32[] multiply(x, ten)
      roots = s32[2] constant({1, 0})
      b = (s32[], s32[]) collective-broadcast(x, y, roots), replica_groups={{0,1}}, has_dynamic_root=true
      first = s32[] get-tuple-element(b), index=0
      second = s32[] get-tuple-element(b), index=1
      ROOT r = s32[] subtract(first, second)
    })",
                  argument),
            Values(2, "s32[] -62"));
}

TEST(WorldTest, BroadcastWithADynamicRootRefusesWrongRoots) {
  const auto with = [](absl::string_view root) {
    return absl::StrCat(R"(HloModule m
    ENTRY e {
      x = s32[] parameter(0)
      )",
                        root, R"(
      ROOT r = s32[] collective-broadcast(x, root), replica_groups={{0,1}}, has_dynamic_root=true
    })");
  };
  const auto argument = [](int64_t r, int64_t) { return absl::StrCat("s32[] ", r); };
  EXPECT_THAT(RunOn({2, 1}, with("root = s32[1] constant({2})"), argument).front(),
              HasSubstr("root 2 of operand 0 is outside of a group of 2 devices"));
  EXPECT_THAT(RunOn({2, 1}, with("root = s32[1] reshape(x)"), argument).front(),
              HasSubstr("disagree about the roots"));
  EXPECT_THAT(RunOn({2, 1}, with("root = f32[1] constant({1})"), argument).front(),
              HasSubstr("roots must be integers, found f32[1]"));
  const auto malformed = ParseModule(with("root = s32[2] constant({1, 1})"));
  ASSERT_TRUE(malformed.ok());
  EXPECT_THAT(CheckInstruction(*(*malformed)->entry()->root()).ToString(),
              HasSubstr("a root for each of the 1 operands before it, found s32[2]"));
}

// Each process goes round the loop as often as it is told; all meet in every turn.
constexpr char kLoop[] = R"(HloModule m
  add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
  body {
    s = (s32[], s32[]) parameter(0)
    n = s32[] get-tuple-element(s), index=0
    x = s32[] get-tuple-element(s), index=1
    one = s32[] constant(1)
    m = s32[] subtract(n, one)
    y = s32[] all-reduce(x), replica_groups={}, to_apply=add
    ROOT t = (s32[], s32[]) tuple(m, y)
  }
  condition {
    s = (s32[], s32[]) parameter(0)
    n = s32[] get-tuple-element(s), index=0
    zero = s32[] constant(0)
    ROOT go = pred[] compare(n, zero), direction=GT
  }
  ENTRY e {
    n = s32[] parameter(0)
    x = s32[] constant(1)
    t = (s32[], s32[]) tuple(n, x)
    w = (s32[], s32[]) while(t), condition=condition, body=body
    ROOT y = s32[] get-tuple-element(w), index=1
  })";

TEST(WorldTest, CollectivesInLoopsAreMatchedByIteration) {
  EXPECT_EQ(RunOn({3, 1}, kLoop, [](int64_t, int64_t) { return "s32[] 4"; }),
            Values(3, "s32[] 81"));
}

TEST(WorldTest, DifferentIterationsAreADeadlock) {
  const Texts texts =
      RunOn({2, 1}, kLoop, [](int64_t r, int64_t) { return r == 0 ? "s32[] 2" : "s32[] 1"; });
  ASSERT_EQ(texts.size(), 1);
  EXPECT_NE(texts[0].find("deadlock"), std::string::npos) << texts[0];
  EXPECT_NE(texts[0].find("replica 0 waits in %y = s32[] all-reduce"), std::string::npos)
      << texts[0];
  EXPECT_NE(texts[0].find("called by w"), std::string::npos) << texts[0];
  EXPECT_NE(texts[0].find("replica 1 has finished without it"), std::string::npos) << texts[0];
}

TEST(WorldTest, AMeetingInOneBranchIsADeadlock) {
  const Texts texts = RunOn({2, 1}, R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    meets { x = s32[] parameter(0) ROOT y = s32[] all-reduce(x), replica_groups={{0,1}}, to_apply=add }
    passes { ROOT x = s32[] parameter(0) }
    ENTRY e {
      x = s32[] parameter(0)
      ROOT r = s32[] conditional(x, x, x), branch_computations={meets, passes}
    })",
                            [](int64_t r, int64_t) { return absl::StrCat("s32[] ", r); });
  ASSERT_EQ(texts.size(), 1);
  EXPECT_NE(texts[0].find("deadlock"), std::string::npos) << texts[0];
}

TEST(WorldTest, ThereAreNotMoreProcessesThanFit) {
  EXPECT_TRUE(CheckGrid({1 << 8, 1 << 8}).ok());
  EXPECT_EQ(CheckGrid({1 << 8, 257}).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CheckGrid({0, 1}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckGrid({2, -1}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckGrid({int64_t{1} << 40, int64_t{1} << 40}).code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(WorldTest, AnErrorNamesItsProcess) {
  const Texts texts = RunOn({2, 1}, R"(HloModule m
    ENTRY e {
      now = token[] after-all()
      i = (s32[2], token[]) infeed(now)
      ROOT r = s32[2] get-tuple-element(i), index=0
    })");
  ASSERT_EQ(texts.size(), 1);
  EXPECT_NE(texts[0].find("no host"), std::string::npos) << texts[0];
  EXPECT_NE(texts[0].find("in replica 0"), std::string::npos) << texts[0];
}

// Two starts before their dones, in crossed order.
TEST(WorldTest, StartsMayCross) {
  const auto argument = [](int64_t r, int64_t) { return absl::StrCat("s32[] ", r + 1); };
  const auto both = [](absl::string_view order) {
    return absl::StrCat("HloModule m\n", kSum, R"(
    ENTRY e {
      x = s32[] parameter(0)
      two = s32[] constant(2)
      x2 = s32[] multiply(x, two)
      a = s32[] all-reduce-start(x), replica_groups={{0,1}}, to_apply=add
      b = s32[] all-reduce-start(x2), replica_groups={{0,1}}, to_apply=add
)",
                        order, R"(
      ROOT r = (s32[], s32[]) tuple(da, db)
    })");
  };
  for (const char* order : {"da = s32[] all-reduce-done(a)\ndb = s32[] all-reduce-done(b)",
                            "db = s32[] all-reduce-done(b)\nda = s32[] all-reduce-done(a)"}) {
    EXPECT_EQ(RunOn({2, 1}, both(order), argument), Values(2, "(s32[] 3, s32[] 6)"));
  }
}

TEST(WorldTest, AStartedGatherHandsItsOperandOn) {
  const auto argument = [](int64_t r, int64_t) { return absl::StrCat("s32[1] {", r, "}"); };
  EXPECT_EQ(RunOn({2, 1}, R"(HloModule m
    ENTRY e {
      x = s32[1] parameter(0)
      s = (s32[1], s32[2]) all-gather-start(x), dimensions={0}, replica_groups={{1,0}}
      ROOT d = s32[2] all-gather-done(s)
    })",
                  argument),
            Values(2, "s32[2] {1, 0}"));
  EXPECT_EQ(RunOn({2, 1}, R"(HloModule m
    ENTRY e {
      x = s32[1] parameter(0)
      s = (s32[1], s32[1], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,1}}
      ROOT d = s32[1] collective-permute-done(s)
    })",
                  argument),
            Values({"s32[1] {0}", "s32[1] {0}"}));
}

// Nobody uses what comes back; both halves run all the same.
TEST(WorldTest, DeadHalvesRunTogether) {
  EXPECT_EQ(RunOn({2, 1}, absl::StrCat("HloModule m\n", kSum, R"(
    ENTRY e {
      x = s32[] parameter(0)
      s = s32[] all-reduce-start(x), replica_groups={{0,1}}, to_apply=add
      d = s32[] all-reduce-done(s)
      ROOT r = s32[] add(x, x)
    })"),
                  [](int64_t r, int64_t) { return absl::StrCat("s32[] ", r); }),
            Values({"s32[] 0", "s32[] 2"}));
}

// A started value goes round a loop before it is done in the next turn.
TEST(WorldTest, StartedValuesTravel) {
  constexpr char kText[] = R"(HloModule m
    swap { x = s32[1] parameter(0) ROOT y = s32[1] all-to-all(x), dimensions={0}, replica_groups={{0}} }
    again { x = s32[1] parameter(0) ROOT y = s32[1] all-to-all(x), dimensions={0}, replica_groups={{0}} }
    body {
      s = (s32[], ((s32[1]), s32[1], s32[])) parameter(0)
      n = s32[] get-tuple-element(s), index=0
      started = ((s32[1]), s32[1], s32[]) get-tuple-element(s), index=1
      x = s32[1] async-done(started)
      y = s32[1] add(x, x)
      next = ((s32[1]), s32[1], s32[]) async-start(y), calls=again
      one = s32[] constant(1)
      m = s32[] subtract(n, one)
      ROOT t = (s32[], ((s32[1]), s32[1], s32[])) tuple(m, next)
    }
    condition {
      s = (s32[], ((s32[1]), s32[1], s32[])) parameter(0)
      n = s32[] get-tuple-element(s), index=0
      zero = s32[] constant(0)
      ROOT go = pred[] compare(n, zero), direction=GT
    }
    ENTRY e {
      x = s32[1] parameter(0)
      n = s32[] constant(3)
      first = ((s32[1]), s32[1], s32[]) async-start(x), calls=swap
      t = (s32[], ((s32[1]), s32[1], s32[])) tuple(n, first)
      w = (s32[], ((s32[1]), s32[1], s32[])) while(t), condition=condition, body=body
      last = ((s32[1]), s32[1], s32[]) get-tuple-element(w), index=1
      ROOT d = s32[1] async-done(last)
    })";
  EXPECT_EQ(RunOn({1, 1}, kText, [](int64_t, int64_t) { return "s32[1] {5}"; }),
            Values({"s32[1] {40}"}));
}

TEST(WorldTest, AsynchronousComputationsAndCopies) {
  EXPECT_EQ(RunOn({1, 1}, R"(HloModule m
    double { x = f32[2] parameter(0) ROOT y = f32[2] add(x, x) }
    ENTRY e {
      x = f32[2] parameter(0)
      s = ((f32[2]), f32[2], s32[]) async-start(x), calls=double
      u = ((f32[2]), f32[2], s32[]) async-update(s)
      y = f32[2] async-done(u)
      c = (f32[2], f32[2], u32[]) copy-start(y)
      ROOT d = f32[2] copy-done(c)
    })",
                  [](int64_t, int64_t) { return "f32[2] {1, 2}"; }),
            Values({"f32[2] {2, 4}"}));
}

// Operands are bound in a start and an update; the result comes with the update.
TEST(WorldTest, OperandsMayBeBoundLate) {
  EXPECT_EQ(RunOn({1, 1}, R"(HloModule m
    minus { x = s32[] parameter(0) y = s32[] parameter(1) ROOT z = s32[] subtract(x, y) }
    ENTRY e {
      x = s32[] parameter(0)
      five = s32[] constant(5)
      s = ((s32[]), (), s32[]) async-start(x), calls=minus
      u = ((s32[], s32[]), s32[], s32[]) async-update(s, five)
      ROOT z = s32[] async-done(u)
    })",
                  [](int64_t, int64_t) { return "s32[] 7"; }),
            Values({"s32[] 2"}));
}

}  // namespace
}  // namespace assay::world_test
