// Values of modules whose instructions share, hand on and overwrite storage: operands read twice,
// constants and parameters as roots, arguments of calls, states of loops, operands of branches. The
// expected values are worked out by hand, as functions of the index. Arrays of kLarge elements are
// longer than the blocks of every kernel, so that a result that overwrites what is still to be read
// shows; arrays of kSmall elements live in frames. The number of arrays that are alive at once is
// counted by hand, too.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/custom_call.h"
#include "interpreter/process_testing.h"
#include "runtime/queue_host.h"
#include "spec/op_info.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kSmall = 10;
constexpr int kLarge = 2500;

// Runs a module by kernels, by definitions, and with every instruction observed. All give the same.
std::string RunEveryWay(absl::string_view module,
                        const std::vector<absl::string_view>& arguments = {}) {
  const std::string fast = RunText(module, arguments);
  PlanOptions straight, observed;
  straight.straight = true;
  observed.observed = true;
  EXPECT_EQ(RunText(module, arguments, straight), fast);
  EXPECT_EQ(RunText(module, arguments, observed), fast);
  return fast;
}

// The text of an array whose element i is f(i).
std::string Array(int count, const std::function<int(int)>& f) {
  std::vector<int> elements(count);
  for (int i = 0; i < count; ++i) elements[i] = f(i);
  return absl::StrCat("s32[", count, "]{0} {", absl::StrJoin(elements, ", "), "}");
}

// The elements of an array, as a constant has them.
std::string Elements(int count, const std::function<int(int)>& f) {
  const std::string text = Array(count, f);
  return text.substr(text.find('{', text.find(' ')));
}

std::string Tuple(const std::vector<std::string>& leaves) {
  return Canonical(absl::StrCat("(", absl::StrJoin(leaves, ", "), ")"));
}

// Writes the array type for $A, its number of elements for $N and their constants for {$5}, all
// fives. `i` is an array of the indices in the entry computation.
std::string Sized(absl::string_view text, int size) {
  const std::string fives = Elements(size, [](int) { return 5; });
  return absl::StrReplaceAll(
      text, {{"ENTRY e {", absl::StrCat("ENTRY e { i = s32[", size, "] iota(), iota_dimension=0 ")},
             {"$A", absl::StrCat("s32[", size, "]")},
             {"$N", absl::StrCat(size)},
             {"{$5}", fives}});
}

int Zero(int) { return 0; }
int Index(int i) { return i; }
int Minus(int i) { return -i; }

TEST(Aliasing, AnOperandIsReadAgainThroughAView) {
  for (const int n : {kSmall, kLarge}) {
    const auto run = [n](absl::string_view difference) {
      return RunEveryWay(Sized(absl::StrCat("ENTRY e { q = $A negate(i) ",
                                            "r = $A reverse(q), dimensions={0} ", difference, " }"),
                               n));
    };
    EXPECT_EQ(run("ROOT d = $A subtract(r, q)"), Array(n, [n](int i) { return 2 * i - (n - 1); }));
    EXPECT_EQ(run("ROOT d = $A subtract(q, r)"), Array(n, [n](int i) { return (n - 1) - 2 * i; }));
    EXPECT_EQ(run("d = $A subtract(r, q) ROOT t = ($A, $A) tuple(d, q)"),
              Tuple({Array(n, [n](int i) { return 2 * i - (n - 1); }), Array(n, Minus)}));
    // The view outlives an instruction that could overwrite what it reads.
    EXPECT_EQ(run("a = $A negate(q) ROOT d = $A subtract(r, a)"),
              Array(n, [n](int) { return -(n - 1); }));
    EXPECT_EQ(run("a = $A negate(q) b = $A negate(a) ROOT d = $A subtract(b, r)"),
              Array(n, [n](int i) { return (n - 1) - 2 * i; }));
  }
}

TEST(Aliasing, AnOperandOccursTwice) {
  for (const int n : {kSmall, kLarge}) {
    EXPECT_EQ(RunEveryWay(Sized("ENTRY e { q = $A negate(i) ROOT d = $A add(q, q) }", n)),
              Array(n, [](int i) { return -2 * i; }));
    EXPECT_EQ(RunEveryWay(Sized("ENTRY e { q = $A negate(i) a = $A add(q, q) "
                                "ROOT d = $A subtract(q, a) }",
                                n)),
              Array(n, Index));
    EXPECT_EQ(RunEveryWay(Sized("ENTRY e { q = $A negate(i) z = s32[] constant(0) "
                                "ROOT u = $A dynamic-update-slice(q, q, z) }",
                                n)),
              Array(n, Minus));
  }
}

TEST(Aliasing, AnUpdateReadsWhatItUpdates) {
  for (const int n : {kSmall, kLarge}) {
    const int half = n / 2;
    const std::string text =
        absl::StrReplaceAll(Sized(R"(ENTRY e { q = $A negate(i) h = s32[] constant($H)
          s = s32[$H] slice(q), slice={[0:$H]} r = s32[$H] reverse(s), dimensions={0}
          u = $A dynamic-update-slice(q, r, h) )",
                                  n),
                            {{"$H", absl::StrCat(half)}});
    const auto updated = [half](int i) { return i < half ? -i : i - (2 * half - 1); };
    EXPECT_EQ(RunEveryWay(text + Sized("ROOT t = $A copy(u) }", n)), Array(n, updated));
    EXPECT_EQ(RunEveryWay(text + Sized("ROOT t = ($A, $A) tuple(u, q) }", n)),
              Tuple({Array(n, updated), Array(n, Minus)}));
  }
}

TEST(Calls, OperandsAreSharedAndHandedOn) {
  for (const int n : {kSmall, kLarge}) {
    const std::string callee = Sized(
        "f { a = $A parameter(0) b = $A parameter(1) c = $A negate(a) ROOT d = $A subtract(c, b) }",
        n);
    // -(-i) - (-i) = 2i, once with q dying in the call and once without.
    EXPECT_EQ(RunEveryWay(callee + Sized("ENTRY e { q = $A negate(i) "
                                         "ROOT r = $A call(q, q), to_apply=f }",
                                         n)),
              Array(n, [](int i) { return 2 * i; }));
    EXPECT_EQ(RunEveryWay(callee + Sized("ENTRY e { q = $A negate(i) r = $A call(q, q), to_apply=f "
                                         "s = $A call(q, i), to_apply=f ROOT t = ($A, $A, $A) "
                                         "tuple(r, s, q) }",
                                         n)),
              Tuple({Array(n, [](int i) { return 2 * i; }), Array(n, Zero), Array(n, Minus)}));
  }
}

TEST(Calls, RootsAreParametersConstantsAndRepeated) {
  for (const int n : {kSmall, kLarge}) {
    const std::string module = Sized(
        R"(f { a = $A parameter(0) unread = $A parameter(1) c = $A constant({$5}) b = $A negate(a)
             ROOT t = ($A, $A, $A, ($A, $A)) tuple(b, a, b, ($A, $A) tuple(c, c)) }
           ENTRY e { q = $A negate(i)
             f1 = ($A, $A, $A, ($A, $A)) call(q, q), to_apply=f
             b1 = $A get-tuple-element(f1), index=0 b2 = $A get-tuple-element(f1), index=2
             c1 = ($A, $A) get-tuple-element(f1), index=3
             five = $A get-tuple-element(c1), index=1
             n1 = $A negate(b1) n2 = $A negate(five)
             f2 = ($A, $A, $A, ($A, $A)) call(n1, n2), to_apply=f
             ROOT all = (($A, $A, $A, ($A, $A)), $A, $A) tuple(f2, b2, n2) })",
        n);
    const std::string index = Array(n, Index), minus = Array(n, Minus),
                      five = Array(n, [](int) { return 5; });
    EXPECT_EQ(
        RunEveryWay(module),
        Tuple({absl::StrCat("(", index, ", ", minus, ", ", index, ", (", five, ", ", five, "))"),
               index, Array(n, [](int) { return -5; })}));
  }
}

// A loop of five iterations with the state (iteration, $A, $A).
std::string Loop(absl::string_view body, absl::string_view entry, int size) {
  return Sized(absl::StrCat(R"(
    body { s = (s32[], $A, $A) parameter(0) k = s32[] get-tuple-element(s), index=0
      x = $A get-tuple-element(s), index=1 y = $A get-tuple-element(s), index=2
      one = s32[] constant(1) m = s32[] add(k, one) )",
                            body, R"( }
    cond { s = (s32[], $A, $A) parameter(0) k = s32[] get-tuple-element(s), index=0
      five = s32[] constant(5) ROOT p = pred[] compare(k, five), direction=LT }
    ENTRY e { zero = s32[] constant(0) )",
                            entry, " }"),
               size);
}

TEST(Loops, ConstantsAreRootsOfTheBody) {
  for (const int n : {kSmall, kLarge}) {
    // x is 5 from the second iteration on: y = i + 4 * 5.
    EXPECT_EQ(RunEveryWay(Loop("c = $A constant({$5}) z = $A add(x, y) "
                               "ROOT t = (s32[], $A, $A) tuple(m, c, z)",
                               R"(o = $A broadcast(zero), dimensions={}
                                  init = (s32[], $A, $A) tuple(zero, o, i)
                                  ROOT w = (s32[], $A, $A) while(init), condition=cond, body=body)",
                               n)),
              Tuple({"s32[] 5", Array(n, [](int) { return 5; }),
                     Array(n, [](int i) { return i + 20; })}));
    // The constant twice, and read in every iteration; the state is not.
    EXPECT_EQ(RunEveryWay(Loop("c = $A constant({$5}) z = $A negate(c) a = $A add(z, c) "
                               "b = $A subtract(a, c) ROOT t = (s32[], $A, $A) tuple(m, c, c)",
                               R"(init = (s32[], $A, $A) tuple(zero, i, i)
                                  w = (s32[], $A, $A) while(init), condition=cond, body=body
                                  x = $A get-tuple-element(w), index=1
                                  y = $A get-tuple-element(w), index=2
                                  ROOT r = $A subtract(x, y))",
                               n)),
              Array(n, Zero));
  }
}

TEST(Loops, ConstantsLastFromIterationToIteration) {
  for (const int n : {kSmall, kLarge}) {
    // y gets 2 * 5 in every iteration; a and b are values that die in between.
    EXPECT_EQ(RunEveryWay(Loop("c = $A constant({$5}) a = $A negate(c) b = $A subtract(c, a) "
                               "z = $A add(y, b) ROOT t = (s32[], $A, $A) tuple(m, x, z)",
                               R"(init = (s32[], $A, $A) tuple(zero, i, i)
                                  ROOT w = (s32[], $A, $A) while(init), condition=cond, body=body)",
                               n)),
              Tuple({"s32[] 5", Array(n, Index), Array(n, [](int i) { return i + 50; })}));
  }
}

TEST(Loops, TheStateSharesItsArrays) {
  for (const int n : {kSmall, kLarge}) {
    const absl::string_view entry = R"(q = $A negate(i) init = (s32[], $A, $A) tuple(zero, q, q)
        w = (s32[], $A, $A) while(init), condition=cond, body=body
        ROOT t = ((s32[], $A, $A), $A) tuple(w, q))";
    const auto result = [n](const std::function<int(int)>& x, const std::function<int(int)>& y) {
      return Tuple(
          {absl::StrCat("(s32[] 5, ", Array(n, x), ", ", Array(n, y), ")"), Array(n, Minus)});
    };
    // x changes its sign five times; y stays.
    EXPECT_EQ(
        RunEveryWay(Loop("z = $A negate(x) ROOT t = (s32[], $A, $A) tuple(m, z, y)", entry, n)),
        result(Index, Minus));
    EXPECT_EQ(
        RunEveryWay(Loop("z = $A negate(y) ROOT t = (s32[], $A, $A) tuple(m, x, z)", entry, n)),
        result(Minus, Index));
    // Both become one array: -2i, then 0 and 0 ...
    EXPECT_EQ(
        RunEveryWay(Loop("z = $A negate(x) ROOT t = (s32[], $A, $A) tuple(m, z, z)", entry, n)),
        result(Index, Index));
    // (q, q), (q, -q), (-q, -q), (-q, q), (q, q), (q, -q).
    EXPECT_EQ(
        RunEveryWay(Loop("z = $A negate(x) ROOT t = (s32[], $A, $A) tuple(m, y, z)", entry, n)),
        result(Minus, Index));
  }
}

TEST(Loops, WithoutIterationsTheStateIsTheOperand) {
  for (const int n : {kSmall, kLarge}) {
    EXPECT_EQ(RunEveryWay(Loop("z = $A negate(x) ROOT t = (s32[], $A, $A) tuple(m, z, z)",
                               R"(q = $A negate(i) five = s32[] constant(5)
        init = (s32[], $A, $A) tuple(five, q, i)
        w = (s32[], $A, $A) while(init), condition=cond, body=body
        x = $A get-tuple-element(w), index=1 z = $A negate(x)
        ROOT t = ($A, $A, (s32[], $A, $A)) tuple(z, q, w))",
                               n)),
              Tuple({Array(n, Index), Array(n, Minus),
                     absl::StrCat("(s32[] 5, ", Array(n, Minus), ", ", Array(n, Index), ")")}));
  }
}

// The condition computes on the state in place; the body finds it as it was.
TEST(Loops, ConditionsLeaveTheStateAsItWas) {
  for (const int n : {kSmall, kLarge}) {
    EXPECT_EQ(RunEveryWay(Sized(R"(
      body { s = ($A, $A) parameter(0) x = $A get-tuple-element(s), index=0
        c = $A constant({$5}) z = $A add(x, c) ROOT t = ($A, $A) tuple(z, x) }
      cond { s = ($A, $A) parameter(0) x = $A get-tuple-element(s), index=0
        c = $A constant({$5}) y = $A subtract(x, c) z = $A negate(y)
        e = s32[1] slice(z), slice={[0:1]} f = s32[] reshape(e) m = s32[] constant(-10)
        ROOT p = pred[] compare(f, m), direction=GT }
      ENTRY e { init = ($A, $A) tuple(i, i)
        w = ($A, $A) while(init), condition=cond, body=body ROOT t = (($A, $A), $A) tuple(w, i) })",
                                n)),
              // -(5k - 5) > -10 for k = 0, 1, 2.
              Tuple({absl::StrCat("(", Array(n, [](int i) { return i + 15; }), ", ",
                                  Array(n, [](int i) { return i + 10; }), ")"),
                     Array(n, Index)}));
  }
}

TEST(Loops, RootsOfConditionsAreElementsOfTheState) {
  for (const int n : {kSmall, kLarge}) {
    EXPECT_EQ(RunEveryWay(Sized(R"(
      body { s = ($A, pred[], pred[]) parameter(0) x = $A get-tuple-element(s), index=0
        p = pred[] get-tuple-element(s), index=1 q = pred[] get-tuple-element(s), index=2
        no = pred[] constant(false) y = $A negate(x)
        ROOT t = ($A, pred[], pred[]) tuple(y, q, no) }
      cond { s = ($A, pred[], pred[]) parameter(0) ROOT p = pred[] get-tuple-element(s), index=1 }
      ENTRY e { yes = pred[] constant(true) no = pred[] constant(false)
        one = ($A, pred[], pred[]) tuple(i, yes, no)
        two = ($A, pred[], pred[]) tuple(i, yes, yes)
        v = ($A, pred[], pred[]) while(one), condition=cond, body=body
        w = ($A, pred[], pred[]) while(two), condition=cond, body=body
        x = $A get-tuple-element(v), index=0 y = $A get-tuple-element(w), index=0
        ROOT t = ($A, $A) tuple(x, y) })",
                                n)),
              Tuple({Array(n, Minus), Array(n, Index)}));
  }
}

// The inner loop adds its constant three times in each of five iterations, of which it takes up the
// frames of the one before.
TEST(Loops, LoopsInLoops) {
  for (const int n : {kSmall, kLarge}) {
    const std::string inner = Sized(R"(
      inner { s = (s32[], $A) parameter(0) k = s32[] get-tuple-element(s), index=0
        x = $A get-tuple-element(s), index=1 one = s32[] constant(1) m = s32[] add(k, one)
        c = $A constant({$5}) z = $A add(x, c) ROOT t = (s32[], $A) tuple(m, z) }
      three { s = (s32[], $A) parameter(0) k = s32[] get-tuple-element(s), index=0
        three = s32[] constant(3) ROOT p = pred[] compare(k, three), direction=LT })",
                                    n);
    EXPECT_EQ(RunEveryWay(inner + Loop(R"(o = s32[] constant(0) i = (s32[], $A) tuple(o, x)
        w = (s32[], $A) while(i), condition=three, body=inner
        z = $A get-tuple-element(w), index=1 ROOT t = (s32[], $A, $A) tuple(m, z, x))",
                                       R"(init = (s32[], $A, $A) tuple(zero, i, i)
        ROOT w = (s32[], $A, $A) while(init), condition=cond, body=body)",
                                       n)),
              Tuple({"s32[] 5", Array(n, [](int i) { return i + 75; }),
                     Array(n, [](int i) { return i + 60; })}));
  }
}

TEST(Loops, ScalarsOfManyTypes) {
  constexpr absl::string_view kText = R"(
    body { s = (s32[], f64[], pred[], u8[], (bf16[], s64[]), s32[]) parameter(0)
      k = s32[] get-tuple-element(s), index=0 f = f64[] get-tuple-element(s), index=1
      p = pred[] get-tuple-element(s), index=2 u = u8[] get-tuple-element(s), index=3
      v = (bf16[], s64[]) get-tuple-element(s), index=4 b = bf16[] get-tuple-element(v), index=0
      l = s64[] get-tuple-element(v), index=1 h = s32[] get-tuple-element(s), index=5
      one = s32[] constant(1) m = s32[] add(k, one) half = f64[] constant(0.5)
      f2 = f64[] multiply(f, half) p2 = pred[] not(p) next = u8[] convert(h)
      b2 = bf16[] negate(b) l2 = s64[] multiply(l, l)
      ROOT t = (s32[], f64[], pred[], u8[], (bf16[], s64[]), s32[])
        tuple(m, f2, p2, next, (bf16[], s64[]) tuple(b2, l2), k) }
    cond { s = (s32[], f64[], pred[], u8[], (bf16[], s64[]), s32[]) parameter(0)
      k = s32[] get-tuple-element(s), index=0 three = s32[] constant(3)
      ROOT c = pred[] compare(k, three), direction=LT }
    ENTRY e { init = (s32[], f64[], pred[], u8[], (bf16[], s64[]), s32[]) parameter(0)
      ROOT w = (s32[], f64[], pred[], u8[], (bf16[], s64[]), s32[]) while(init), condition=cond,
        body=body })";
  EXPECT_EQ(RunEveryWay(kText, {"(s32[] 0, f64[] 1, pred[] true, u8[] 9, (bf16[] 2, s64[] 10), "
                                "s32[] 77)"}),
            Canonical("(s32[] 3, f64[] 0.125, pred[] false, u8[] 1, (bf16[] -2, s64[] 100000000), "
                      "s32[] 2)"));
}

TEST(Branches, OperandsAreShared) {
  for (const int n : {kSmall, kLarge}) {
    for (const bool taken : {true, false}) {
      const std::string text = Sized(absl::StrCat(R"(
        yes { x = $A parameter(0) ROOT y = $A negate(x) }
        no { s = ($A, $A) parameter(0) x = $A get-tuple-element(s), index=0
          y = $A get-tuple-element(s), index=1 z = $A negate(x) ROOT d = $A subtract(z, y) }
        ENTRY e { p = pred[] constant()",
                                                  taken ? "true" : "false", R"() q = $A negate(i)
          both = ($A, $A) tuple(q, i)
          r = $A conditional(p, q, both), true_computation=yes, false_computation=no )"),
                                     n);
      const auto r = [taken](int i) { return taken ? i : 0; };
      EXPECT_EQ(RunEveryWay(text + Sized("ROOT c = $A copy(r) }", n)), Array(n, r));
      EXPECT_EQ(RunEveryWay(text + Sized("ROOT t = ($A, $A, $A) tuple(r, q, i) }", n)),
                Tuple({Array(n, r), Array(n, Minus), Array(n, Index)}));
    }
  }
}

// Branch 0 has two parameters' leaves, branch 1 one, branch 2 none of an array: each finds its own.
TEST(Branches, EachFindsItsOperands) {
  for (const int n : {kSmall, kLarge}) {
    const std::string text = Sized(R"(
      a { s = ($A, $A) parameter(0) x = $A get-tuple-element(s), index=0
        y = $A get-tuple-element(s), index=1 ROOT z = $A subtract(x, y) }
      b { x = $A parameter(0) ROOT y = $A negate(x) }
      c { t = () parameter(0) ROOT c = $A constant({$5}) }
      d { s = (s32[], $A) parameter(0) k = s32[] get-tuple-element(s), index=0
        x = $A get-tuple-element(s), index=1 v = $A broadcast(k), dimensions={}
        ROOT z = $A add(x, v) }
      ENTRY e { k = s32[] parameter(0) q = $A negate(i) s = ($A, $A) tuple(i, q)
        nothing = () tuple() seven = s32[] constant(7) u = (s32[], $A) tuple(seven, q)
        ROOT r = $A conditional(k, s, i, nothing, u), branch_computations={a, b, c, d} })",
                                   n);
    EXPECT_EQ(RunEveryWay(text, {"s32[] 0"}), Array(n, [](int i) { return 2 * i; }));
    EXPECT_EQ(RunEveryWay(text, {"s32[] 1"}), Array(n, Minus));
    EXPECT_EQ(RunEveryWay(text, {"s32[] 2"}), Array(n, [](int) { return 5; }));
    EXPECT_EQ(RunEveryWay(text, {"s32[] 3"}), Array(n, [](int i) { return 7 - i; }));
    EXPECT_EQ(RunEveryWay(text, {"s32[] 4"}), Array(n, [](int i) { return 7 - i; }));
    EXPECT_EQ(RunEveryWay(text, {"s32[] -1"}), Array(n, [](int i) { return 7 - i; }));
  }
}

TEST(Branches, InLoops) {
  for (const int n : {kSmall, kLarge}) {
    const std::string branches = Sized(R"(
      even { x = $A parameter(0) ROOT y = $A negate(x) }
      odd { x = $A parameter(0) c = $A constant({$5}) ROOT y = $A add(x, c) })",
                                       n);
    // k = 0 to 4: -x, +5, -, +5, - of i: -i, 5-i, i-5, i, -i.
    EXPECT_EQ(RunEveryWay(branches + Loop(R"(two = s32[] constant(2) r = s32[] remainder(k, two)
        z = $A conditional(r, x, x), branch_computations={even, odd}
        ROOT t = (s32[], $A, $A) tuple(m, z, x))",
                                          R"(init = (s32[], $A, $A) tuple(zero, i, i)
        ROOT w = (s32[], $A, $A) while(init), condition=cond, body=body)",
                                          n)),
              Tuple({"s32[] 5", Array(n, Minus), Array(n, Index)}));
  }
}

// The number of arrays of which all elements are held at the worst moment of a run.
int PeakArrays(absl::string_view text) {
  constexpr int kElements = 20000;
  const std::unique_ptr<Module> module = MustParse(Sized(text, kElements));
  if (module == nullptr) return -1;
  RunStats stats;
  const absl::StatusOr<Literal> result = Interpret(*module, {}, {}, &stats);
  EXPECT_TRUE(result.ok()) << result.status();
  return static_cast<int>(stats.peak_bytes / (4 * kElements));
}

TEST(PeakBytes, LastReadersOverwriteTheirOperands) {
  EXPECT_EQ(PeakArrays("ENTRY e { a = $A negate(i) b = $A abs(a) ROOT c = $A negate(b) }"), 1);
  EXPECT_EQ(PeakArrays("ENTRY e { a = $A negate(i) b = $A abs(a) ROOT c = $A subtract(a, b) }"), 2);
  EXPECT_EQ(PeakArrays("ENTRY e { a = $A negate(i) b = $A abs(a) ROOT c = $A subtract(b, a) }"), 2);
  EXPECT_EQ(PeakArrays("ENTRY e { a = $A negate(i) b = $A abs(a) c = $A negate(b) "
                       "ROOT t = ($A, $A) tuple(a, c) }"),
            2);
}

TEST(PeakBytes, CalleesTakeOperandsThatDie) {
  constexpr absl::string_view kCallee =
      "f { x = $A parameter(0) y = $A negate(x) ROOT z = $A abs(y) }";
  EXPECT_EQ(PeakArrays(absl::StrCat(kCallee,
                                    "ENTRY e { a = $A call(i), to_apply=f "
                                    "ROOT b = $A call(a), to_apply=f }")),
            1);
  EXPECT_EQ(PeakArrays(absl::StrCat(kCallee,
                                    "ENTRY e { a = $A call(i), to_apply=f "
                                    "ROOT b = $A subtract(a, i) }")),
            2);
  EXPECT_EQ(PeakArrays(R"(
    yes { x = $A parameter(0) y = $A negate(x) ROOT z = $A abs(y) }
    no { x = $A parameter(0) ROOT y = $A abs(x) }
    ENTRY e { p = pred[] constant(true)
      ROOT r = $A conditional(p, i, i), true_computation=yes, false_computation=no })"),
            1);
}

TEST(PeakBytes, UnreadResultsAreGone) {
  EXPECT_EQ(PeakArrays(R"(
    f { x = $A parameter(0) y = $A negate(x) z = $A negate(x) ROOT t = ($A, $A) tuple(y, z) }
    ENTRY e { c = ($A, $A) call(i), to_apply=f a = $A get-tuple-element(c), index=0
      b = $A iota(), iota_dimension=0 ROOT d = $A subtract(a, b) })"),
            2);
}

TEST(PeakBytes, LoopsTakeTheirState) {
  constexpr absl::string_view kLoop = R"(
    body { s = (s32[], $A) parameter(0) k = s32[] get-tuple-element(s), index=0
      x = $A get-tuple-element(s), index=1 one = s32[] constant(1) m = s32[] add(k, one)
      y = $A negate(x) z = $A abs(y) ROOT t = (s32[], $A) tuple(m, z) }
    cond { s = (s32[], $A) parameter(0) k = s32[] get-tuple-element(s), index=0
      x = $A get-tuple-element(s), index=1 e = s32[1] slice(x), slice={[0:1]}
      f = s32[] reshape(e) n = s32[] add(k, f) five = s32[] constant(5)
      ROOT p = pred[] compare(n, five), direction=LT }
    ENTRY e { zero = s32[] constant(0) init = (s32[], $A) tuple(zero, i)
      w = (s32[], $A) while(init), condition=cond, body=body
      x = $A get-tuple-element(w), index=1 )";
  EXPECT_EQ(PeakArrays(absl::StrCat(kLoop, "ROOT r = $A negate(x) }")), 1);
  EXPECT_EQ(PeakArrays(absl::StrCat(kLoop, "ROOT r = $A subtract(x, i) }")), 2);
}

// Of one instruction, whose result and operand change places from iteration to iteration.
TEST(PeakBytes, LoopsHandTheirStateOn) {
  EXPECT_EQ(PeakArrays(R"(
    body { s = (s32[], $A) parameter(0) k = s32[] get-tuple-element(s), index=0
      x = $A get-tuple-element(s), index=1 one = s32[] constant(1) m = s32[] add(k, one)
      y = $A negate(x) ROOT t = (s32[], $A) tuple(m, y) }
    cond { s = (s32[], $A) parameter(0) k = s32[] get-tuple-element(s), index=0
      five = s32[] constant(5) ROOT p = pred[] compare(k, five), direction=LT }
    ENTRY e { zero = s32[] constant(0) init = (s32[], $A) tuple(zero, i)
      w = (s32[], $A) while(init), condition=cond, body=body
      ROOT x = $A get-tuple-element(w), index=1 })"),
            1);
}

// What regions have been given counts no longer when large values follow.
TEST(PeakBytes, RegionsGiveTheirArgumentsBack) {
  const auto peak = [](int rows) {
    const std::unique_ptr<Module> module = MustParse(absl::StrReplaceAll(
        R"(region { x = s32[100] parameter(0) c = s32[100] parameter(1)
             r = s32[100] reverse(c), dimensions={0} a = s32[100] add(r, x)
             ROOT t = (s32[100]) tuple(a) }
           ENTRY e { x = s32[$R,100] iota(), iota_dimension=0 z = s32[] constant(0)
             c = s32[100] broadcast(z), dimensions={}
             s = (s32[100]) scan(x, c), dimensions={0}, num_carries=1, to_apply=region
             v = s32[100] get-tuple-element(s), index=0 w = s32[1] slice(v), slice={[0:1]}
             o = s32[] reshape(w) b = s32[50000] broadcast(o), dimensions={}
             i = s32[50000] iota(), iota_dimension=0 d = s32[50000] multiply(b, i)
             ROOT e = s32[50000] multiply(d, i) })",
        {{"$R", absl::StrCat(rows)}}));
    RunStats stats;
    if (module == nullptr) return int64_t{-1};
    EXPECT_TRUE(Interpret(*module, {}, {}, &stats).ok());
    return stats.peak_bytes;
  };
  EXPECT_EQ(peak(40), peak(2));
}

// A chain of small values takes the storage of two.
TEST(PeakBytes, SmallValuesTakeEachOthersPlaces) {
  std::string text = "ENTRY e { a0 = s32[64] parameter(0) ";
  for (int i = 1; i <= 100; ++i) {
    absl::StrAppend(&text, "a", i, " = s32[64] negate(a", i - 1, ") ");
  }
  const std::unique_ptr<Module> module = MustParse(text + "}");
  ASSERT_NE(module, nullptr);
  RunStats stats;
  EXPECT_TRUE(
      Interpret(*module, {Literal::Zeros(Shape(ElementType::kS32, {64}))}, {}, &stats).ok());
  EXPECT_LE(stats.peak_bytes, 2 * 256);
}

// The operands of a branch that does not run are let go, whichever they are.
TEST(PeakBytes, OperandsOfOtherBranchesAreGone) {
  for (const bool taken : {true, false}) {
    EXPECT_EQ(PeakArrays(absl::StrCat(R"(
      yes { x = $A parameter(0) y = $A iota(), iota_dimension=0 ROOT z = $A subtract(x, y) }
      no { x = $A parameter(0) y = $A iota(), iota_dimension=0 ROOT z = $A subtract(x, y) }
      ENTRY e { p = pred[] constant()",
                                      taken ? "true" : "false", R"() a = $A negate(i)
        b = $A iota(), iota_dimension=0
        ROOT r = $A conditional(p, a, b), true_computation=yes, false_computation=no })")),
              2);
  }
}

// The bytes at the worst moment of a loop around a loop, a call, a branch, and a region that is no
// scalar program.
int64_t PeakOfIterations(int iterations) {
  constexpr int kElements = 160;
  const std::string callees = Sized(R"(
    inner { s = (s32[], $A) parameter(0) k = s32[] get-tuple-element(s), index=0
      x = $A get-tuple-element(s), index=1 one = s32[] constant(1) m = s32[] add(k, one)
      c = $A constant({$5}) z = $A add(x, c) ROOT t = (s32[], $A) tuple(m, z) }
    three { s = (s32[], $A) parameter(0) k = s32[] get-tuple-element(s), index=0
      three = s32[] constant(3) ROOT p = pred[] compare(k, three), direction=LT }
    minus { x = $A parameter(0) one = s32[] constant(1) c = $A broadcast(one), dimensions={}
      ROOT y = $A subtract(x, c) }
    region { x = s32[8] parameter(0) c = s32[8] parameter(1) r = s32[8] reverse(c), dimensions={0}
      a = s32[8] add(r, x) ROOT t = (s32[8]) tuple(a) })",
                                    kElements);
  const std::string loop = Loop(R"(o = s32[] constant(0) v = (s32[], $A) tuple(o, x)
      w = (s32[], $A) while(v), condition=three, body=inner
      a = $A get-tuple-element(w), index=1 b = $A call(a), to_apply=minus
      two = s32[] constant(2) r = s32[] remainder(k, two)
      c = $A conditional(r, b, b), branch_computations={minus, minus}
      q = s32[20,8] reshape(c) h = s32[8] broadcast(o), dimensions={}
      scanned = (s32[8]) scan(q, h), dimensions={0}, num_carries=1, to_apply=region
      l = s32[8] get-tuple-element(scanned), index=0
      g = s32[20,8] broadcast(l), dimensions={1} f = $A reshape(g)
      z = $A subtract(f, y) ROOT t = (s32[], $A, $A) tuple(m, z, x))",
                                R"(init = (s32[], $A, $A) tuple(zero, i, i)
      w = (s32[], $A, $A) while(init), condition=cond, body=body
      ROOT n = s32[] get-tuple-element(w), index=0)",
                                kElements);
  const std::unique_ptr<Module> module =
      MustParse(callees + absl::StrReplaceAll(
                              loop, {{"five = s32[] constant(5)",
                                      absl::StrCat("five = s32[] constant(", iterations, ")")}}));
  if (module == nullptr) return -1;
  RunStats stats;
  const absl::StatusOr<Literal> result = Interpret(*module, {}, {}, &stats);
  EXPECT_TRUE(result.ok()) << result.status();
  return stats.peak_bytes;
}

TEST(PeakBytes, DoNotGrowWithIterations) { EXPECT_EQ(PeakOfIterations(50), PeakOfIterations(3)); }

// Values of all sizes around those at which storage changes live side by side.
TEST(Frames, ValuesKeepApart) {
  std::string text = "ENTRY e { ";
  std::vector<std::string> types, names, expected;
  int number = 0;
  for (const int size :
       {0, 1, 2, 15, 16, 17, 31, 32, 33, 47, 240, 241, 255, 256, 257, 1, 17, 256}) {
    const std::string type = absl::StrCat("s8[", size, "]");
    ++number;
    absl::StrAppend(&text, "c", number, " = s8[] constant(", number, ") b", number, " = ", type,
                    " broadcast(c", number, "), dimensions={} n", number, " = ", type, " negate(b",
                    number, ") ");
    types.push_back(type);
    names.push_back(absl::StrCat("n", number));
    expected.push_back(
        absl::StrCat(type, " {", absl::StrJoin(std::vector<int>(size, -number), ", "), "}"));
  }
  EXPECT_EQ(RunEveryWay(absl::StrCat(text, "ROOT t = (", absl::StrJoin(types, ", "), ") tuple(",
                                     absl::StrJoin(names, ", "), ") }")),
            Tuple(expected));
  // Values that die leave their storage to others, of their size and of none greater.
  EXPECT_EQ(RunEveryWay(R"(
    ENTRY e { i = s8[17] iota(), iota_dimension=0 a = s8[17] negate(i)
      c = s8[] constant(7) d = s8[] negate(c) b = s8[17] broadcast(d), dimensions={}
      e = s8[17] add(a, b) f = s8[32] pad(e, c), padding=0_15 g = s8[32] negate(f)
      h = s8[17] slice(g), slice={[0:17]} k = s8[17] subtract(h, e)
      l = s8[17] slice(k), slice={[0:17]} ROOT t = (s8[17], s8[17], s8[]) tuple(k, l, d) })"),
            Canonical("(s8[17] {14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46}, "
                      "s8[17] {14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46}, s8[] -7)"));
}

// An array of the indices 0, 1, ... in row-major order of its bounds, with current sizes.
Literal Dynamic(const std::vector<int64_t>& bounds, const std::vector<int64_t>& sizes) {
  Shape shape(ElementType::kS32, bounds);
  for (size_t d = 0; d < sizes.size(); ++d) shape.set_dynamic_dimension(d, true);
  Literal value = Literal::Zeros(shape);
  for (int64_t i = 0; i < value.element_count(); ++i) {
    value.Set(i, {EncodeInteger(ElementType::kS32, i)});
  }
  for (size_t d = 0; d < sizes.size(); ++d) value.set_dynamic_size(d, sizes[d]);
  return value;
}

// The valid elements of a result.
std::string RunDynamic(absl::string_view text, const std::vector<Literal>& arguments) {
  const std::unique_ptr<Module> module = MustParse(text);
  if (module == nullptr) return "unparsed";
  const absl::StatusOr<Literal> result = Interpret(*module, arguments);
  return result.ok() ? PrintTypedLiteral(ValidBox(*result)) : result.status().ToString();
}

// Sizes are kept where nothing else is kept in a frame, and beside other values.
TEST(Dynamic, SizesGoWithLargeArrays) {
  const Literal argument = Dynamic({20, 50}, {2, 3});
  const std::string expected = Canonical("s32[2,3] {{0, 1, 2}, {50, 51, 52}}");
  const std::string negated = Canonical("s32[2,3] {{0, -1, -2}, {-50, -51, -52}}");
  EXPECT_EQ(RunDynamic("ENTRY e { ROOT x = s32[<=20,<=50] parameter(0) }", {argument}), expected);
  EXPECT_EQ(RunDynamic("ENTRY e { x = s32[<=20,<=50] parameter(0) "
                       "ROOT n = s32[<=20,<=50] negate(x) }",
                       {argument}),
            negated);
  constexpr absl::string_view kCallees = R"(
    same { ROOT x = s32[<=20,<=50] parameter(0) }
    minus { x = s32[<=20,<=50] parameter(0) ROOT n = s32[<=20,<=50] negate(x) })";
  EXPECT_EQ(RunDynamic(absl::StrCat(kCallees, R"(
    ENTRY e { x = s32[<=20,<=50] parameter(0) a = s32[<=20,<=50] call(x), to_apply=same
      b = s32[<=20,<=50] call(a), to_apply=minus c = s32[<=20,<=50] call(b), to_apply=minus
      ROOT d = s32[<=20,<=50] call(c), to_apply=same })"),
                       {argument}),
            expected);
  EXPECT_EQ(RunDynamic(absl::StrCat(kCallees, R"(
    ENTRY e { p = pred[] parameter(1) x = s32[<=20,<=50] parameter(0)
      ROOT r = s32[<=20,<=50] conditional(p, x, x), true_computation=same, false_computation=minus })"),
                       {argument, MustParseLiteral("pred[] false")}),
            negated);
}

TEST(Dynamic, SizesOfManyDimensions) {
  EXPECT_EQ(RunDynamic(R"(
    same { ROOT x = s32[<=4,<=5,<=6] parameter(0) }
    ENTRY e { x = s32[<=4,<=5,<=6] parameter(0) ROOT y = s32[<=4,<=5,<=6] call(x), to_apply=same })",
                       {Dynamic({4, 5, 6}, {1, 2, 3})}),
            Canonical("s32[1,2,3] {{{0, 1, 2}, {6, 7, 8}}}"));
}

TEST(Calls, ConstantsMayBeTuples) {
  EXPECT_EQ(RunEveryWay("ENTRY e { c = (s32[], (s32[2], s32[])) constant((1, ({2, 3}, 4))) "
                        "i = (s32[2], s32[]) get-tuple-element(c), index=1 "
                        "ROOT t = ((s32[], (s32[2], s32[])), (s32[2], s32[])) tuple(c, i) }"),
            Canonical("((s32[] 1, (s32[2] {2, 3}, s32[] 4)), (s32[2] {2, 3}, s32[] 4))"));
}

// The sizes of an array become others while those of another stay.
TEST(Dynamic, SizesOfTheStateOfALoop) {
  EXPECT_EQ(RunDynamic(R"(
    body { s = (s32[<=20,<=50], s32[<=20,<=50], s32[]) parameter(0)
      x = s32[<=20,<=50] get-tuple-element(s), index=0
      y = s32[<=20,<=50] get-tuple-element(s), index=1 k = s32[] get-tuple-element(s), index=2
      one = s32[] constant(1) m = s32[] subtract(k, one)
      n = s32[] get-dimension-size(x), dimensions={1} l = s32[] add(n, one)
      z = s32[<=20,<=50] set-dimension-size(x, l), dimensions={1}
      ROOT t = (s32[<=20,<=50], s32[<=20,<=50], s32[]) tuple(y, z, m) }
    cond { s = (s32[<=20,<=50], s32[<=20,<=50], s32[]) parameter(0)
      k = s32[] get-tuple-element(s), index=2 zero = s32[] constant(0)
      ROOT p = pred[] compare(k, zero), direction=GT }
    ENTRY e { x = s32[<=20,<=50] parameter(0) y = s32[<=20,<=50] parameter(1) k = s32[] constant(3)
      init = (s32[<=20,<=50], s32[<=20,<=50], s32[]) tuple(x, y, k)
      w = (s32[<=20,<=50], s32[<=20,<=50], s32[]) while(init), condition=cond, body=body
      ROOT r = s32[<=20,<=50] get-tuple-element(w), index=1 })",
                       {Dynamic({20, 50}, {1, 2}), Dynamic({20, 50}, {2, 1})}),
            // (x, y), (y, x3), (x3, y2), (y2, x4).
            Canonical("s32[1,4] {{0, 1, 2, 3}}"));
}

// What is seen of instructions, in the order in which it is seen.
class Seen : public Observer {
 public:
  void Enter(const ProcessId& process) override { replica = process.replica; }
  absl::Status Before(const Instruction& instruction, int64_t depth) override {
    lines.push_back(absl::StrCat(replica, depth, " ", instruction.name()));
    return absl::OkStatus();
  }
  absl::Status After(const Instruction& instruction, int64_t depth, const Literal& value) override {
    lines.push_back(
        absl::StrCat(replica, depth, " ", instruction.name(), " = ", PrintTypedLiteral(value)));
    return absl::OkStatus();
  }
  int64_t replica = 0;
  std::vector<std::string> lines;
};

// What an observer sees of one replica, one after the other.
std::vector<std::string> Observe(absl::string_view text, int64_t replicas,
                                 absl::string_view argument) {
  const std::unique_ptr<Module> module = MustParse(text);
  if (module == nullptr) return {"unparsed"};
  module->replica_count = replicas;
  PlanOptions observed;
  observed.observed = true;
  auto planned = PlannedModule::Create(*module, observed);
  if (!planned.ok()) return {planned.status().ToString()};
  Program program;
  program.module = planned->get();
  program.grid = {replicas, 1};
  program.arguments.assign(replicas, {MustParseLiteral(argument)});
  Seen seen;
  RunOptions options;
  options.observers = {&seen};
  auto results = RunPrograms(absl::MakeConstSpan(&program, 1), options);
  EXPECT_TRUE(results.ok()) << results.status();
  std::stable_sort(seen.lines.begin(), seen.lines.end(),
                   [](const std::string& a, const std::string& b) { return a[0] < b[0]; });
  return seen.lines;
}

TEST(Observers, SeeIterationsOfLoopsOnScalars) {
  EXPECT_THAT(Observe(R"(
    body { s = s32[] parameter(0) ROOT d = s32[] add(s, s) }
    cond { c = s32[] parameter(0) m = s32[] constant(3) ROOT p = pred[] compare(c, m), direction=LT }
    ENTRY e { x = s32[] parameter(0) ROOT w = s32[] while(x), condition=cond, body=body })",
                      1, "s32[] 2"),
              ElementsAre("00 x", "00 x = s32[] 2", "00 w", "01 c", "01 c = s32[] 2", "01 m",
                          "01 m = s32[] 3", "01 p", "01 p = pred[] true", "01 s", "01 s = s32[] 2",
                          "01 d", "01 d = s32[] 4", "01 c", "01 c = s32[] 4", "01 m",
                          "01 m = s32[] 3", "01 p", "01 p = pred[] false", "00 w = s32[] 4"));
}

TEST(Observers, SeeMovementThatOthersCouldReadThrough) {
  EXPECT_THAT(
      Observe(R"(
    ENTRY e { x = s32[2] parameter(0) b = s32[100,2] broadcast(x), dimensions={1}
      s = s32[100,1] slice(b), slice={[0:100], [1:2]} n = s32[100,1] negate(s)
      ROOT t = s32[1,1] slice(n), slice={[99:100], [0:1]} })",
              1, "s32[2] {3, 4}"),
      ElementsAre("00 x", "00 x = s32[2]{0} {3, 4}", "00 b", StartsWith("00 b = s32[100,2]"),
                  "00 s", StartsWith("00 s = s32[100,1]"), "00 n", StartsWith("00 n = s32[100,1]"),
                  "00 t", StartsWith("00 t = s32[1,1]{1,0} { {-4} }")));
}

// An instruction that waits for others, or whose value comes later, is seen once.
TEST(Observers, SeeOnceWhatWaits) {
  EXPECT_THAT(
      Observe(R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    ENTRY e { x = s32[] parameter(0)
      y = s32[] all-reduce(x), replica_groups={}, to_apply=add ROOT z = s32[] negate(y) })",
              2, "s32[] 2"),
      ElementsAre("00 x", "00 x = s32[] 2", "00 y", "00 y = s32[] 4", "00 z", "00 z = s32[] -4",
                  "10 x", "10 x = s32[] 2", "10 y", "10 y = s32[] 4", "10 z", "10 z = s32[] -4"));
}

TEST(Catalogue, EveryOperationRuns) {
  for (const OpInfo& op : Catalogue()) EXPECT_TRUE(IsInterpreted(op.opcode)) << op.name;
}

// The arrays that a module feeds out, after `change` has been made to it.
std::string FedOut(absl::string_view text, const std::function<void(Module&)>& change) {
  const std::unique_ptr<Module> module = MustParse(text);
  if (module == nullptr) return "unparsed";
  change(*module);
  runtime::QueueHost host;
  RunOptions options;
  options.host = &host;
  const absl::StatusOr<Literal> result = Interpret(*module, {}, options);
  if (!result.ok()) return result.status().ToString();
  std::vector<std::string> values;
  for (const Literal& value : host.outfed({})) values.push_back(PrintLiteral(value));
  return absl::StrJoin(values, " ");
}

constexpr absl::string_view kThreeOutfeeds = R"(
    one = s32[] constant(1) two = s32[] constant(2) three = s32[] constant(3)
    now = token[] after-all()
    a = token[] outfeed(one, now), outfeed_shape=s32[]
    b = token[] outfeed(two, now), outfeed_shape=s32[]
    c = token[] outfeed(three, now), outfeed_shape=s32[]
    ROOT t = token[] after-all(a, b, c) })";

TEST(Order, FollowsTheSchedule) {
  EXPECT_EQ(FedOut(absl::StrCat("HloModule m, is_scheduled=true ENTRY e {", kThreeOutfeeds),
                   [](Module&) {}),
            "1 2 3");
  EXPECT_EQ(FedOut(absl::StrCat("HloModule m, is_scheduled=true ENTRY e {", kThreeOutfeeds),
                   [](Module& module) {
                     Computation& entry = *module.entry();
                     std::vector<Instruction*> schedule = entry.schedule();
                     const auto place = [&](absl::string_view name) {
                       return std::find(schedule.begin(), schedule.end(), entry.Find(name));
                     };
                     std::iter_swap(place("a"), place("c"));
                     entry.set_schedule(std::move(schedule));
                   }),
            "3 2 1");
}

// Control edges may point back in the text; what follows two others runs once.
TEST(Order, FollowsControlEdges) {
  EXPECT_EQ(FedOut(absl::StrCat("HloModule m ENTRY e {", kThreeOutfeeds),
                   [](Module& module) {
                     Computation& entry = *module.entry();
                     entry.Find("a")->AddControlPredecessor(entry.Find("b"));
                     entry.Find("b")->AddControlPredecessor(entry.Find("c"));
                     entry.Find("a")->AddControlPredecessor(entry.Find("c"));
                   }),
            "3 2 1");
}

// A custom call that counts its calls and gives 7.
CustomCallRegistry Counting(int* calls) {
  CustomCallRegistry registry = CustomCallRegistry::BuiltIn();
  registry.Register("count", [calls](const CustomCall&) -> absl::StatusOr<Literal> {
    ++*calls;
    return MustParseLiteral("s32[] 7");
  });
  return registry;
}

TEST(Effects, UnusedCallsRunWhereTheyHaveEffects) {
  for (const bool effect : {true, false}) {
    for (const bool called : {true, false}) {
      int calls = 0;
      const CustomCallRegistry registry = Counting(&calls);
      PlanOptions options;
      options.custom_calls = &registry;
      const std::string attributes = absl::StrCat(
          "custom_call_target=\"count\"", effect ? ", custom_call_has_side_effect=true" : "");
      EXPECT_EQ(
          RunText(absl::StrCat("f { x = s32[] parameter(0) u = s32[] custom-call(), ", attributes,
                               " ROOT y = s32[] negate(x) } ENTRY e { ", "x = s32[] constant(3) ",
                               called ? "u = s32[] call(x), to_apply=f "
                                      : absl::StrCat("u = s32[] custom-call(), ", attributes),
                               " ROOT r = s32[] add(x, x) }"),
                  {}, options),
          "s32[] 6");
      EXPECT_EQ(calls, effect ? 1 : 0);
    }
  }
}

TEST(Stats, CountDecidedElements) {
  const std::unique_ptr<Module> module =
      MustParse("ENTRY e { x = f32[3] parameter(0) y = f32[3] tanh(x) ROOT z = f32[3] tanh(y) }");
  ASSERT_NE(module, nullptr);
  RunStats stats;
  EXPECT_TRUE(Interpret(*module, {MustParseLiteral("f32[3] {0.25, 1, 2}")}, {}, &stats).ok());
  int64_t decided = 0;
  for (const int64_t count : stats.real.decided) decided += count;
  EXPECT_EQ(decided, 6);
  EXPECT_EQ(stats.real.undecided(), 0);
}

int64_t StepsOf(absl::string_view text) {
  const std::unique_ptr<Module> module = MustParse(text);
  RunStats stats;
  if (module == nullptr) return -1;
  EXPECT_TRUE(Interpret(*module, {}, {}, &stats).ok());
  return stats.steps;
}

TEST(Effects, UnusedInstructionsDoNotRun) {
  constexpr absl::string_view kText = R"(
    f { c = u32[] constant(1) r = u32[] replica-id() p = u32[] partition-id() ROOT s = u32[] add(r, p) }
    ENTRY e { x = s32[] constant(3) $unused ROOT r = s32[] add(x, x) })";
  const auto steps = [&](absl::string_view unused) {
    return StepsOf(absl::StrReplaceAll(kText, {{"$unused", unused}}));
  };
  const int64_t least = steps("");
  EXPECT_EQ(steps("y = s32[] negate(x)"), least);
  EXPECT_EQ(steps("y = u32[] replica-id()"), least);
  EXPECT_EQ(steps("y = u32[] partition-id()"), least);
  EXPECT_EQ(steps("y = u32[] call(), to_apply=f"), least);
}

// A loop on scalars whose body is no scalar program, as it holds an array.
TEST(Loops, ArraysWithinScalarStates) {
  constexpr absl::string_view kText = R"(
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }
    $body { s = s32[] parameter(0) v = s32[3] broadcast(s), dimensions={} zero = s32[] constant(0)
      ROOT r = s32[] reduce(v, zero), dimensions={0}, to_apply=add }
    $cond { s = s32[] parameter(0) c = s32[3] broadcast(s), dimensions={}
      l = s32[1] slice(c), slice={[0:1]} e = s32[] reshape(l) m = s32[] constant(100)
      ROOT p = pred[] compare(e, m), direction=LT }
    plain_body { s = s32[] parameter(0) ROOT r = s32[] add(s, s) }
    plain_cond { s = s32[] parameter(0) m = s32[] constant(100)
      ROOT p = pred[] compare(s, m), direction=LT }
    ENTRY e { x = s32[] constant(2) ROOT w = s32[] while(x), condition=cond, body=body })";
  const auto run = [&](absl::string_view body, absl::string_view cond) {
    return RunEveryWay(absl::StrReplaceAll(kText, {{"$body", "array_body"},
                                                   {"$cond", "array_cond"},
                                                   {"condition=cond", cond},
                                                   {"body=body", body}}));
  };
  EXPECT_EQ(run("body=array_body", "condition=plain_cond"), "s32[] 162");
  EXPECT_EQ(run("body=plain_body", "condition=array_cond"), "s32[] 128");
  EXPECT_EQ(run("body=array_body", "condition=array_cond"), "s32[] 162");
  EXPECT_EQ(run("body=plain_body", "condition=plain_cond"), "s32[] 128");
}

// A body of many values with a condition of few, and the other way round.
TEST(Loops, ProgramsOfDifferentSizes) {
  std::string many = "many { x0 = s32[] parameter(0) one = s32[] constant(1) ";
  for (int i = 1; i <= 700; ++i) {
    absl::StrAppend(&many, "x", i, " = s32[] add(x", i - 1, i % 7 == 0 ? ", x0) " : ", one) ");
  }
  const std::string callee =
      absl::StrCat(many, "} few { x = s32[] parameter(0) ROOT y = s32[] negate(x) }");
  // Of the 700 instructions of many, 100 add x: many(x) = 101 x + 600.
  const std::string text = absl::StrCat(callee, R"(
    body { s = (s32[], s32[]) parameter(0) k = s32[] get-tuple-element(s), index=0
      x = s32[] get-tuple-element(s), index=1 one = s32[] constant(1) m = s32[] add(k, one)
      y = s32[] call(x), to_apply=$body ROOT t = (s32[], s32[]) tuple(m, y) }
    cond { s = (s32[], s32[]) parameter(0) k = s32[] get-tuple-element(s), index=0
      y = s32[] call(k), to_apply=$cond z = s32[] constant($limit)
      ROOT p = pred[] compare(y, z), direction=$LT }
    ENTRY e { zero = s32[] constant(0) x = s32[] constant(1)
      w = (s32[], s32[]) while((s32[], s32[]) tuple(zero, x)), condition=cond, body=body
      ROOT r = s32[] get-tuple-element(w), index=1 })");
  // many(k) is 600, 701, 802 for k = 0, 1, 2: two iterations negate twice.
  EXPECT_EQ(RunEveryWay(absl::StrReplaceAll(
                text, {{"$body", "few"}, {"$cond", "many"}, {"$limit", "802"}, {"$LT", "LT"}})),
            "s32[] 1");
  EXPECT_EQ(RunEveryWay(absl::StrReplaceAll(
                text, {{"$body", "many"}, {"$cond", "few"}, {"$limit", "-1"}, {"$LT", "GT"}})),
            "s32[] 701");
}

// A loop ends by its budget of steps, whichever of its programs is longer.
TEST(Loops, IterationsAreCharged) {
  const std::string text = R"(
    body { s = (s32[], s32[]) parameter(0) k = s32[] get-tuple-element(s), index=0
      x = s32[] get-tuple-element(s), index=1 a = s32[] add(x, x) b = s32[] add(a, x)
      c = s32[] multiply(b, b) ROOT t = (s32[], s32[]) tuple(k, c) }
    cond { s = (s32[], s32[]) parameter(0) ROOT yes = pred[] constant(true) }
    ENTRY e { zero = s32[] constant(0)
      ROOT w = (s32[], s32[]) while((s32[], s32[]) tuple(zero, zero)), condition=cond, body=body })";
  RunOptions options;
  options.budget.steps = 100000;
  EXPECT_THAT(RunText(text, {}, {}, options),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("100000 element steps")));
}

TEST(Errors, NameAViewThatIsStored) {
  RunOptions options;
  options.budget.bytes = 100000;
  EXPECT_THAT(RunText(R"(
      less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
      ENTRY e { x = f32[] parameter(0) z = f32[100,300] broadcast(x), dimensions={}
        v = f32[100,300] reverse(z), dimensions={0} s = f32[100,290] slice(v), slice={[0:100], [0:290]}
        r = f32[100,290] sort(s), dimensions={0}, to_apply=less
        ROOT t = f32[1,1] slice(r), slice={[0:1], [0:1]} })",
                      {"f32[] 1"}, {}, options),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("while running %s = f32[100,290]")));
}

// `depth` calls inside each other.
std::string NestedCalls(int depth) {
  std::string text = "c0 { x = s32[] parameter(0) ROOT y = s32[] negate(x) }\n";
  for (int i = 1; i < depth; ++i) {
    absl::StrAppend(&text, "c", i, " { x = s32[] parameter(0) ROOT y = s32[] call(x), to_apply=c",
                    i - 1, " }\n");
  }
  return absl::StrCat(text, "ENTRY e { x = s32[] constant(5) ROOT y = s32[] ",
                      depth == 0 ? "negate(x)" : absl::StrCat("call(x), to_apply=c", depth - 1),
                      " }");
}

TEST(Errors, TheDepthOfCallsIsExact) {
  RunOptions options;
  for (int depth = 0; depth < 4; ++depth) {
    options.budget.call_depth = depth;
    EXPECT_EQ(RunText(NestedCalls(depth), {}, {}, options), "s32[] -5") << depth;
    EXPECT_THAT(RunText(NestedCalls(depth + 1), {}, {}, options),
                AllOf(HasSubstr("RESOURCE_EXHAUSTED"),
                      HasSubstr(absl::StrCat("deeper than ", depth, " levels"))));
  }
  options.budget.call_depth = -1;
  EXPECT_EQ(RunText(NestedCalls(50), {}, {}, options), "s32[] -5");
}

// Regions that are no scalar programs, each applied by an operation of the one before.
std::string NestedRegions(int depth) {
  std::string text = R"(
    c0 { x = s32[] parameter(0) v = s32[2] broadcast(x), dimensions={}
      w = s32[1] slice(v), slice={[1:2]} r = s32[] reshape(w) ROOT y = s32[] negate(r) })";
  for (int i = 1; i < depth; ++i) {
    absl::StrAppend(&text, "c", i,
                    R"( { x = s32[] parameter(0) v = s32[2] broadcast(x), dimensions={}
      m = s32[2] map(v), dimensions={0}, to_apply=c)",
                    i - 1, R"( w = s32[1] slice(m), slice={[1:2]} ROOT y = s32[] reshape(w) })");
  }
  return absl::StrCat(text, "ENTRY e { x = s32[1] constant({5}) ",
                      "ROOT y = s32[1] map(x), dimensions={0}, to_apply=c", depth - 1, " }");
}

TEST(Errors, RegionsMayNestTo32Levels) {
  EXPECT_EQ(RunText(NestedRegions(3), {}), "s32[1]{0} {-5}");
  // Two elements each: 32 levels would take 2^32 steps.
  EXPECT_THAT(RunText(NestedRegions(40), {}),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("deeper than 32 levels")));
}

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

TEST(Observers, SeeHalvesOnce) {
  EXPECT_THAT(Observe(R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    ENTRY e { x = s32[] parameter(0)
      s = s32[] all-reduce-start(x), replica_groups={}, to_apply=add
      ROOT d = s32[] all-reduce-done(s) })",
                      1, "s32[] 2"),
              ElementsAre("00 x", "00 x = s32[] 2", "00 s", StartsWith("00 s = s32[] "), "00 d",
                          "00 d = s32[] 2"));
  EXPECT_THAT(
      Observe(R"(HloModule m
    minus { a = s32[] parameter(0) ROOT r = s32[] negate(a) }
    ENTRY e { x = s32[] parameter(0)
      s = ((s32[]), s32[], s32[]) async-start(x), calls=minus
      ROOT d = s32[] async-done(s) })",
              1, "s32[] 2"),
      ElementsAre("00 x", "00 x = s32[] 2", "01 a", "01 a = s32[] 2", "01 r", "01 r = s32[] -2",
                  "00 s", "00 s = ( ( s32[] 2 ), s32[] -2, s32[] 0 )", "00 d", "00 d = s32[] -2"));
}

}  // namespace
}  // namespace assay
