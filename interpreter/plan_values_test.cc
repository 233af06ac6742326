// Values of modules whose instructions share, hand on and overwrite storage: operands read twice,
// constants and parameters as roots, arguments of calls, states of loops, operands of branches. The
// expected values are worked out by hand, as functions of the index.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/plan_testing.h"

namespace assay::plan_values_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

// Of the two results of a sort, both are read by kernels alone, or the second leaves the frame.
TEST(Aliasing, KernelsOfTwoResults) {
  constexpr absl::string_view kSorted = R"(HloModule m
      less { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2)
        d = s32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT }
      ENTRY e { n = $A negate(i) s = ($A, $A) sort(n, i), dimensions={0}, to_apply=less
        k = $A get-tuple-element(s), index=0 v = $A get-tuple-element(s), index=1
        d = $A subtract(v, k) )";
  for (const int n : {kSmall, kLarge}) {
    const std::string difference = Array(n, [n](int i) { return 2 * (n - 1 - i); });
    EXPECT_EQ(RunEveryWay(Sized(absl::StrCat(kSorted, "ROOT r = $A negate(d) }"), n)),
              Array(n, [n](int i) { return -2 * (n - 1 - i); }));
    EXPECT_EQ(RunEveryWay(Sized(absl::StrCat(kSorted, "ROOT t = ($A, $A) tuple(d, v) }"), n)),
              Tuple({difference, Array(n, [n](int i) { return n - 1 - i; })}));
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

// Values are handed over in pieces of 16 bytes.
TEST(Loops, StatesOfSeventeenBytesAreHandedOverWhole) {
  EXPECT_EQ(RunEveryWay(R"(
      body { s = (u8[17], s32[]) parameter(0) x = u8[17] get-tuple-element(s), index=0
        k = s32[] get-tuple-element(s), index=1 one = s32[] constant(1) m = s32[] add(k, one)
        c = u8[] constant(1) b = u8[17] broadcast(c), dimensions={} y = u8[17] add(x, b)
        ROOT t = (u8[17], s32[]) tuple(y, m) }
      cond { s = (u8[17], s32[]) parameter(0) k = s32[] get-tuple-element(s), index=1
        n = s32[] constant(3) ROOT p = pred[] compare(k, n), direction=LT }
      ENTRY e { i = u8[17] iota(), iota_dimension=0 z = s32[] constant(0)
        v = (u8[17], s32[]) tuple(i, z) w = (u8[17], s32[]) while(v), condition=cond, body=body
        ROOT r = u8[17] get-tuple-element(w), index=0 })"),
            "u8[17]{0} {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}");
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

// An array without elements has sizes as well, at the beginning of a frame that holds nothing else.
TEST(Dynamic, SizesOfEmptyArrays) {
  EXPECT_EQ(RunDynamic(R"(
    same { ROOT x = s32[<=0,<=5] parameter(0) }
    ENTRY e { x = s32[<=0,<=5] parameter(0) y = s32[<=0,<=5] call(x), to_apply=same
      ROOT n = s32[] get-dimension-size(y), dimensions={1} })",
                       {Dynamic({0, 5}, {0, 3})}),
            Canonical("s32[] 3"));
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

// A loop on scalars whose body is not a scalar program, as it holds an array.
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

}  // namespace
}  // namespace assay::plan_values_test
