// Plans of operations in two halves: values that are started, updated and awaited.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/plan_testing.h"
#include "interpreter/process_testing.h"

namespace assay::plan_async_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// What an observer sees of one instruction in the last replica.
std::string ValueSeen(absl::string_view text, int64_t replicas, absl::string_view argument,
                      absl::string_view instruction) {
  std::string found = "not seen";
  int times = 0;
  for (const std::string& line : Observe(text, replicas, argument)) {
    const std::string start = absl::StrCat(replicas - 1, "0 ", instruction, " = ");
    if (!absl::StartsWith(line, start)) continue;
    found = line.substr(start.size());
    ++times;
  }
  return times > 1 ? absl::StrCat(found, " ", times, " times") : found;
}

// The elements of started values: operands, results to come, and context, which is zero.
TEST(Async, ElementsOfStartedValues) {
  const auto check = [](absl::string_view start, absl::string_view done, absl::string_view started,
                        absl::string_view value) {
    const std::string text = absl::StrCat(R"(HloModule m
      add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
      ENTRY e { x = s32[1] parameter(0) y = s32[1] negate(x) )",
                                          start, " ROOT ", done, " }");
    // What is to come is undefined until it is there.
    const std::string seen = ValueSeen(text, 2, "s32[1] {5}", "s");
    EXPECT_TRUE(absl::StartsWith(seen, started)) << seen;
    EXPECT_EQ(ValueSeen(text, 2, "s32[1] {5}", "d"), Canonical(value)) << text;
    EXPECT_EQ(RunOn({2, 1}, text, [](int64_t, int64_t) { return "s32[1] {5}"; })[1],
              Canonical(value));
  };
  check("s = (s32[1], s32[1], u32[]) copy-start(y)", "d = s32[1] copy-done(s)",
        "( s32[1]{0} {-5}, s32[1]{0} {-5}, u32[] 0 )", "s32[1] {-5}");
  check("s = (s32[1], s32[2]) all-gather-start(y), dimensions={0}, replica_groups={}",
        "d = s32[2] all-gather-done(s)", "( s32[1]{0} {-5}, s32[2]{0} {", "s32[2] {-5, -5}");
  check(
      "s = ((s32[1], s32[1]), (s32[2], s32[2])) all-gather-start(x, y), dimensions={0}, "
      "replica_groups={}",
      "d = (s32[2], s32[2]) all-gather-done(s)", "( ( s32[1]{0} {5}, s32[1]{0} {-5} ), (",
      "(s32[2] {5, 5}, s32[2] {-5, -5})");
  check("s = (s32[1], s32[1]) all-reduce-start(x, y), replica_groups={}, to_apply=add",
        "d = (s32[1], s32[1]) all-reduce-done(s)", "( s32[1]{0} {", "(s32[1] {10}, s32[1] {-10})");
  check(
      "s = (s32[1], s32[1], u32[], u32[]) collective-permute-start(y), "
      "source_target_pairs={{0,1}}",
      "d = s32[1] collective-permute-done(s)", "( s32[1]{0} {-5}, s32[1]{0} {", "s32[1] {-5}");
}

TEST(Async, ContextIsZero) {
  const std::string seen = ValueSeen(R"(HloModule m
      ENTRY e { x = s32[1] parameter(0) y = s32[1] negate(x)
        s = (s32[1], s32[1], u32[], u32[]) collective-permute-start(y), source_target_pairs={{0,1}}
        ROOT d = s32[1] collective-permute-done(s) })",
                                     2, "s32[1] {5}", "s");
  EXPECT_TRUE(absl::EndsWith(seen, ", u32[] 0, u32[] 0 )")) << seen;
}

TEST(Async, TransfersAreSeen) {
  constexpr absl::string_view kPairs =
      "channel_id=0, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,0}}\"}";
  const std::string text = absl::StrCat(R"(HloModule m ENTRY e { x = s32[1] parameter(0)
      y = s32[1] negate(x) now = token[] after-all()
      s = (s32[1], u32[], token[]) send(y, now), )",
                                        kPairs, R"(
      sd = token[] send-done(s), channel_id=0
      r = (s32[1], u32[], token[]) recv(now), )",
                                        kPairs, R"(
      d = (s32[1], token[]) recv-done(r), channel_id=0
      then = token[] get-tuple-element(d), index=1
      after = token[] after-all(then, sd)
      z = s32[1] get-tuple-element(d), index=0
      ROOT v = s32[1] add-dependency(z, after) })");
  EXPECT_EQ(ValueSeen(text, 2, "s32[1] {5}", "s"),
            absl::StrCat("( s32[1]{0} {-5}, u32[] 0, ", PrintTypedLiteral(Literal::Token()), " )"));
  EXPECT_TRUE(
      absl::EndsWith(ValueSeen(text, 2, "s32[1] {5}", "r"),
                     absl::StrCat(", u32[] 0, ", PrintTypedLiteral(Literal::Token()), " )")));
  EXPECT_EQ(ValueSeen(text, 2, "s32[1] {5}", "d"),
            absl::StrCat("( s32[1]{0} {-5}, ", PrintTypedLiteral(Literal::Token()), " )"));
  EXPECT_EQ(ValueSeen(text, 2, "s32[1] {5}", "v"), "s32[1]{0} {-5}");
  EXPECT_EQ(
      RunOn({2, 1}, text, [](int64_t r, int64_t) { return absl::StrCat("s32[1] {", r, "}"); }),
      Values({"s32[1] {-1}", "s32[1] {0}"}));
}

TEST(Async, TuplesAreSent) {
  constexpr absl::string_view kPairs =
      "channel_id=0, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,0}}\"}";
  EXPECT_EQ(RunOn({2, 1},
                  absl::StrCat(R"(HloModule m ENTRY e { x = s32[] parameter(0)
      y = s32[] negate(x) now = token[] after-all() v = (s32[], s32[]) tuple(x, y)
      s = ((s32[], s32[]), u32[], token[]) send(v, now), )",
                               kPairs, R"(
      sd = token[] send-done(s), channel_id=0
      r = ((s32[], s32[]), u32[], token[]) recv(now), )",
                               kPairs, R"(
      d = ((s32[], s32[]), token[]) recv-done(r), channel_id=0
      ROOT z = (s32[], s32[]) get-tuple-element(d), index=0 })"),
                  [](int64_t r, int64_t) { return absl::StrCat("s32[] ", r + 5); }),
            Values({"(s32[] 6, s32[] -6)", "(s32[] 5, s32[] -5)"}));
}

// Views and constants leave as values.
TEST(Async, ViewsLeave) {
  const auto argument = [](int64_t r, int64_t) {
    return absl::StrCat("s32[4] {", r, ", 1, 2, 3}");
  };
  EXPECT_EQ(RunOn({2, 1}, R"(HloModule m
    swap { x = s32[2] parameter(0) ROOT y = s32[2] all-to-all(x), dimensions={0}, replica_groups={{0,1}} }
    ENTRY e {
      x = s32[4] parameter(0)
      r = s32[4] reverse(x), dimensions={0}
      h = s32[2] slice(r), slice={[2:4]}
      s = ((s32[2]), s32[2], s32[]) async-start(h), calls=swap
      d = s32[2] async-done(s)
      c = (s32[4], s32[4], u32[]) copy-start(r)
      e = s32[4] copy-done(c)
      k = s32[2] constant({4, 5})
      q = s32[2] reverse(k), dimensions={0}
      ROOT t = (s32[2], s32[4], s32[2]) tuple(d, e, q)
    })",
                  argument),
            Values({"(s32[2] {1, 1}, s32[4] {3, 2, 1, 0}, s32[2] {5, 4})",
                    "(s32[2] {0, 1}, s32[4] {3, 2, 1, 1}, s32[2] {5, 4})"}));
}

// The operands of a wrapped collective are parameters in another order.
constexpr absl::string_view kWrapped = R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    sums { y = s32[1] parameter(1) x = s32[1] parameter(0)
      ROOT s = (s32[1], s32[1]) all-reduce(y, x), replica_groups={{0,1}}, to_apply=add }
    minus { x = s32[1] parameter(0) y = s32[1] parameter(1) ROOT d = s32[1] subtract(x, y) }
    ENTRY e {
      x = s32[1] parameter(0)
      ten = s32[1] constant({10})
      z = s32[1] add(x, ten)
      )";

TEST(Async, OperandsAreBoundByStartsAndUpdates) {
  const auto argument = [](int64_t r, int64_t) { return absl::StrCat("s32[1] {", r + 5, "}"); };
  const auto run = [&](absl::string_view entry, bool sums, bool observed) {
    PlanOptions options;
    options.observed = observed;
    return RunOn({2, 1},
                 absl::StrReplaceAll(absl::StrCat(kWrapped, entry, " }"),
                                     {{"$f", sums ? "sums" : "minus"},
                                      {"$R", sums ? "(s32[1], s32[1])" : "s32[1]"}}),
                 argument, options);
  };
  for (const bool observed : {false, true}) {
    // All by the start.
    constexpr absl::string_view kStart = R"(
      s = ((s32[1], s32[1]), $R, s32[]) async-start(x, z), calls=$f
      o = (s32[1], s32[1]) get-tuple-element(s), index=0
      c = s32[] get-tuple-element(s), index=2
      u = ((s32[1], s32[1]), $R, s32[]) async-update(s)
      p = (s32[1], s32[1]) get-tuple-element(u), index=0
      v = ((s32[1], s32[1]), $R, s32[]) async-update(u)
      e = s32[] get-tuple-element(v), index=2
      d = $R async-done(v)
      ROOT t = ((s32[1], s32[1]), s32[], (s32[1], s32[1]), s32[], $R) tuple(o, c, p, e, d))";
    const std::string first =
        "((s32[1] {5}, s32[1] {15}), s32[] 0, (s32[1] {5}, s32[1] {15}), s32[] 0, ";
    const std::string second = absl::StrReplaceAll(first, {{"5}", "6}"}});
    const std::string summed = "(s32[1] {31}, s32[1] {11})";
    EXPECT_EQ(run(kStart, true, observed),
              Values({absl::StrCat(first, summed, ")"), absl::StrCat(second, summed, ")")}));
    EXPECT_EQ(run(kStart, false, observed), Values({absl::StrCat(first, "s32[1] {-10})"),
                                                    absl::StrCat(second, "s32[1] {-10})")}));
    // The last by an update, whose value has the result.
    constexpr absl::string_view kUpdate = R"(
      s = ((s32[1]), (), s32[]) async-start(x), calls=$f
      u = ((s32[1], s32[1]), $R, s32[]) async-update(s, z)
      o = (s32[1], s32[1]) get-tuple-element(u), index=0
      v = ((s32[1], s32[1]), $R, s32[]) async-update(u)
      d = $R async-done(v)
      ROOT t = ((s32[1], s32[1]), $R) tuple(o, d))";
    EXPECT_EQ(run(kUpdate, true, observed),
              Values({absl::StrCat("((s32[1] {5}, s32[1] {15}), ", summed, ")"),
                      absl::StrCat("((s32[1] {6}, s32[1] {16}), ", summed, ")")}));
    EXPECT_EQ(run(kUpdate, false, observed), Values({"((s32[1] {5}, s32[1] {15}), s32[1] {-10})",
                                                     "((s32[1] {6}, s32[1] {16}), s32[1] {-10})"}));
    // No value between has the result: it is there when it is done.
    constexpr absl::string_view kDone = R"(
      s = ((s32[1]), (), s32[]) async-start(x), calls=$f
      u = ((s32[1], s32[1]), (), s32[]) async-update(s, z)
      ROOT d = $R async-done(u))";
    EXPECT_EQ(run(kDone, true, observed), Values(2, summed));
    EXPECT_EQ(run(kDone, false, observed), Values(2, "s32[1] {-10}"));
    // Context follows the result, which is zero before its operation has started.
    constexpr absl::string_view kBefore = R"(
      s = ((s32[1]), s32[1], s32[]) async-start(x), calls=$f
      b = s32[1] get-tuple-element(s), index=1
      c = s32[] get-tuple-element(s), index=2
      u = ((s32[1], s32[1]), s32[1], s32[]) async-update(s, z)
      d = s32[1] async-done(u)
      ROOT t = (s32[1], s32[], s32[1]) tuple(b, c, d))";
    EXPECT_EQ(run(kBefore, false, observed), Values(2, "(s32[1] {0}, s32[] 0, s32[1] {-10})"));
  }
}

TEST(Async, LoopsOnScalarsBesideTransfers) {
  EXPECT_EQ(RunOn({2, 1}, R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    body { s = (s32[], s32[]) parameter(0) k = s32[] get-tuple-element(s), index=0
      x = s32[] get-tuple-element(s), index=1 one = s32[] constant(1) m = s32[] add(k, one)
      y = s32[] add(x, x) ROOT t = (s32[], s32[]) tuple(m, y) }
    cond { s = (s32[], s32[]) parameter(0) k = s32[] get-tuple-element(s), index=0
      three = s32[] constant(3) ROOT p = pred[] compare(k, three), direction=LT }
    ENTRY e { x = s32[] parameter(0) zero = s32[] constant(0)
      s = s32[] all-reduce-start(x), replica_groups={}, to_apply=add
      w = (s32[], s32[]) while((s32[], s32[]) tuple(zero, x)), condition=cond, body=body
      y = s32[] get-tuple-element(w), index=1
      d = s32[] all-reduce-done(s)
      ROOT t = (s32[], s32[]) tuple(y, d) })",
                  [](int64_t r, int64_t) { return absl::StrCat("s32[] ", r + 1); }),
            Values({"(s32[] 8, s32[] 3)", "(s32[] 16, s32[] 3)"}));
}

TEST(Async, ErrorsOfBindings) {
  const auto argument = [](int64_t, int64_t) { return std::string("s32[1] {5}"); };
  EXPECT_THAT(RunOn({2, 1}, absl::StrCat(kWrapped, R"(
      s = ((s32[1]), (), s32[]) async-start(x), calls=minus
      ROOT d = s32[1] async-done(s) })"),
                    argument)[0],
              HasSubstr("all 2 operands must be bound"));
  // One operand is bound where it is not known what the value was started with.
  EXPECT_THAT(RunOn({2, 1}, R"(HloModule m
    minus { x = s32[1] parameter(0) y = s32[1] parameter(1) ROOT d = s32[1] subtract(x, y) }
    take { s = ((s32[1]), (), s32[]) parameter(0) y = s32[1] parameter(1)
      u = ((s32[1], s32[1]), s32[1], s32[]) async-update(s, y) ROOT d = s32[1] async-done(u) }
    ENTRY e { x = s32[1] parameter(0)
      s = ((s32[1]), (), s32[]) async-start(x), calls=minus
      ROOT r = s32[1] call(s, x), to_apply=take })",
                    argument)[0],
              HasSubstr("operands are bound in another computation"));
}

// Partition 0 sends after its start what partition 1 waits for before its own.
TEST(Async, WhatIsStartedIsNotWaitedFor) {
  constexpr absl::string_view kPair =
      "channel_id=2, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1}}\"}";
  const auto run = [&](absl::string_view second_done) {
    return RunOn({1, 2},
                 absl::StrReplaceAll(R"(HloModule m
      add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
      sum0 { x = s32[] parameter(0)
        ROOT y = s32[] all-reduce(x), replica_groups={{0}}, channel_id=1, to_apply=add }
      sum1 { x = s32[] parameter(0)
        ROOT y = s32[] all-reduce(x), replica_groups={{0}}, channel_id=1, to_apply=add }
      first { x = s32[] parameter(0) s = ((s32[]), s32[], s32[]) async-start(x), calls=sum0
        now = token[] after-all() n = s32[] negate(x)
        to = (s32[], u32[], token[]) send(n, now), $pair, control-predecessors={s}
        sent = token[] send-done(to), channel_id=2
        ROOT d = s32[] async-done(s), control-predecessors={sent} }
      second { x = s32[] parameter(0) now = token[] after-all()
        from = (s32[], u32[], token[]) recv(now), $pair
        got = (s32[], token[]) recv-done(from), channel_id=2
        y = s32[] get-tuple-element(got), index=0
        $done }
      ENTRY e { x = s32[] parameter(0)
        ROOT r = s32[] conditional(x, x, x), branch_computations={first, second} })",
                                     {{"$pair", kPair}, {"$done", second_done}}),
                 [](int64_t, int64_t p) { return absl::StrCat("s32[] ", p); });
  };
  EXPECT_EQ(run("s = ((s32[]), s32[], s32[]) async-start(x), calls=sum1, "
                "control-predecessors={got} d = s32[] async-done(s) ROOT z = s32[] add(d, y)"),
            Values(2, "s32[] 1"));
  EXPECT_THAT(
      run("ROOT z = s32[] add(x, y)")[0],
      AllOf(HasSubstr("deadlock"), HasSubstr("partition 0 waits in %d = s32[] async-done")));
}

TEST(Async, ErrorsNameTheStart) {
  RunOptions options;
  options.budget.call_depth = 0;
  EXPECT_THAT(RunText(R"(
    minus { a = s32[] parameter(0) ROOT r = s32[] negate(a) }
    ENTRY e { x = s32[] parameter(0) s = ((s32[]), s32[], s32[]) async-start(x), calls=minus
      ROOT d = s32[] async-done(s) })",
                      {"s32[] 2"}, {}, options),
              AllOf(HasSubstr("deeper than 0 levels"), HasSubstr("while running %s = ")));
}

// A value that has been started in the entry is updated and awaited in a computation that it calls.
TEST(Async, StartedValuesAreUpdatedElsewhere) {
  EXPECT_EQ(RunOn({2, 1}, R"(HloModule m
    swap { x = s32[2] parameter(0) ROOT y = s32[2] all-to-all(x), dimensions={0}, replica_groups={{0,1}} }
    take { s = ((s32[2]), s32[2], s32[]) parameter(0)
      u = ((s32[2]), s32[2], s32[]) async-update(s) ROOT d = s32[2] async-done(u) }
    ENTRY e {
      x = s32[2] parameter(0)
      s = ((s32[2]), s32[2], s32[]) async-start(x), calls=swap
      ROOT r = s32[2] call(s), to_apply=take
    })",
                  [](int64_t r, int64_t) { return absl::StrCat("s32[2] {", r, ", 7}"); }),
            Values({"s32[2] {0, 1}", "s32[2] {7, 7}"}));
}

// A wrapped computation without a collective has run when it has started. What awaits it copies all
// results, which may be read again, here and in a computation that is called.
TEST(Async, WrappedCallsHaveRunWhenTheyStart) {
  for (const int size : {1, 100}) {
    for (absl::string_view done :
         {"d = ($T, $T) async-done(s)", "d = ($T, $T) call(s), to_apply=take"}) {
      const std::string text = absl::StrReplaceAll(absl::StrReplaceAll(R"(HloModule m
    lt { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
      ROOT r = pred[] compare(a, b), direction=LT }
    both { a = $T parameter(0) b = $T parameter(1)
      ROOT r = ($T, $T) sort(a, b), dimensions={0}, to_apply=lt }
    take { s = (($T, $T), ($T, $T), s32[]) parameter(0) ROOT d = ($T, $T) async-done(s) }
    ENTRY e { x = $T parameter(0) y = $T parameter(1)
      s = (($T, $T), ($T, $T), s32[]) async-start(x, y), calls=both
      $D
      dn = $T get-tuple-element(d), index=0 dt = $T get-tuple-element(d), index=1
      started = ($T, $T) get-tuple-element(s), index=1
      n = $T get-tuple-element(started), index=0 t = $T get-tuple-element(started), index=1
      a = $T subtract(dn, t) b = $T subtract(dt, n) ROOT r = ($T, $T) tuple(a, b) })",
                                                                       {{"$D", done}}),
                                                   {{"$T", absl::StrCat("s32[", size, "]")}});
      const auto filled = [&](int value) {
        return absl::StrCat("s32[", size, "] {", absl::StrJoin(std::vector<int>(size, value), ","),
                            "}");
      };
      EXPECT_EQ(RunText(text, {filled(5), filled(7)}),
                Canonical(absl::StrCat("(", filled(-2), ", ", filled(2), ")")))
          << text;
    }
  }
}

// The last to come concludes the collective where it starts: a reducer that is not a scalar program
// runs above the activation that has started it. x + 400 x y, by group order.
TEST(Async, ReducersRunWhereACollectiveStarts) {
  const auto values = RunOn({2, 1}, R"(HloModule m
    lt { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = pred[] compare(a, b), direction=LT }
    sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
    region { x = f32[] parameter(0) y = f32[] parameter(1)
      bx = f32[4,100] broadcast(x), dimensions={} by = f32[4,100] broadcast(y), dimensions={}
      z = f32[] constant(0) m = f32[4,100] multiply(bx, by)
      r = f32[4] reduce(m, z), dimensions={1}, to_apply=sum
      st = f32[4] sort(r), dimensions={0}, to_apply=lt
      r2 = f32[] reduce(st, z), dimensions={0}, to_apply=sum ROOT o = f32[] add(x, r2) }
    ENTRY e { p = f32[3] parameter(0)
      s = f32[3] all-reduce-start(p), replica_groups={{0,1}}, to_apply=region
      ROOT d = f32[3] all-reduce-done(s) })",
                            [](int64_t r, int64_t) {
                              return std::string(r == 0 ? "f32[3] {1, 2, 3}" : "f32[3] {1, 1, 2}");
                            });
  EXPECT_EQ(values, Values(2, "f32[3] {401, 802, 2403}"));
}

// Tokens have no storage of their own that could stand for what is to come.
TEST(Async, TokensTravelBesideArrays) {
  const auto transfer = [](absl::string_view type, absl::string_view value,
                           absl::string_view root) {
    return absl::StrReplaceAll(R"(HloModule m
    ENTRY e { t = token[] after-all() x = f32[100] parameter(0) v = $T $V
      r = ($T, u32[], token[]) recv(t), channel_id=1
      s = ($T, u32[], token[]) send(v, t), channel_id=1 sd = token[] send-done(s), channel_id=1
      rd = ($T, token[]) recv-done(r), channel_id=1 w = $T get-tuple-element(rd), index=0
      n = f32[100] negate(x) $R })",
                               {{"$T", type}, {"$V", value}, {"$R", root}});
  };
  const std::string ones =
      absl::StrCat("f32[100] {", absl::StrJoin(std::vector<int>(100, 1), ","), "}");
  EXPECT_EQ(RunText(transfer("(token[], f32[100])", "tuple(t, x)",
                             "y = f32[100] get-tuple-element(w), index=1 "
                             "ROOT o = f32[100] subtract(y, n)"),
                    {ones}),
            Canonical(absl::StrReplaceAll(ones, {{"1,", "2,"}, {"1}", "2}"}})));
  EXPECT_EQ(RunText(transfer("()", "tuple()", "ROOT o = f32[100] subtract(x, n)"), {ones}),
            Canonical(absl::StrReplaceAll(ones, {{"1,", "2,"}, {"1}", "2}"}})));
  EXPECT_THAT(RunText(transfer("(token[])", "tuple(t)", "ROOT o = f32[100] add(n, n)"), {ones}),
              HasSubstr("tokens alone are not known while they are on their way: %r"));
}

}  // namespace
}  // namespace assay::plan_async_test
