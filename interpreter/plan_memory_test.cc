// What a plan holds at a time: the number of arrays that are alive at once is counted by hand, and
// values of all sizes keep apart.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "interpreter/plan_testing.h"

namespace assay::plan_memory_test {
namespace {

constexpr int kInArena = 20000;   // elements of an array that may lie in the arena
constexpr int kInBuffer = 40000;  // of one that has a buffer of its own

// The number of arrays of which all elements are held at the worst moment of a run.
int PeakArrays(absl::string_view text, int elements = kInArena, const RunOptions& options = {}) {
  const std::unique_ptr<Module> module = MustParse(Sized(text, elements));
  if (module == nullptr) return -1;
  RunStats stats;
  const absl::StatusOr<Literal> result = Interpret(*module, {}, options, &stats);
  EXPECT_TRUE(result.ok()) << result.status();
  return static_cast<int>(stats.peak_bytes / (4 * elements));
}

TEST(PeakBytes, LastReadersOverwriteTheirOperands) {
  EXPECT_EQ(PeakArrays("ENTRY e { a = $A negate(i) b = $A abs(a) ROOT c = $A negate(b) }"), 1);
  EXPECT_EQ(PeakArrays("ENTRY e { a = $A negate(i) b = $A abs(a) ROOT c = $A subtract(a, b) }"), 2);
  EXPECT_EQ(PeakArrays("ENTRY e { a = $A negate(i) b = $A abs(a) ROOT c = $A subtract(b, a) }"), 2);
  EXPECT_EQ(PeakArrays("ENTRY e { a = $A negate(i) b = $A abs(a) c = $A negate(b) "
                       "ROOT t = ($A, $A) tuple(a, c) }"),
            2);
}

TEST(PeakBytes, LastReadersTakeTheBuffersOfTheirOperands) {
  EXPECT_EQ(
      PeakArrays("ENTRY e { a = $A negate(i) b = $A abs(a) ROOT c = $A negate(b) }", kInBuffer), 1);
  EXPECT_EQ(PeakArrays("ENTRY e { a = $A negate(i) b = $A abs(a) ROOT c = $A subtract(a, b) }",
                       kInBuffer),
            2);
}

// Where the elements of arrays are counted, the places of values are found step by step.
TEST(PeakBytes, LastReadersOverwriteTheirOperandsUnderABudget) {
  RunOptions options;
  options.budget.elements = 2 * kInArena;
  EXPECT_EQ(PeakArrays("ENTRY e { a = $A negate(i) b = $A abs(a) c = $A negate(b) d = $A not(c)"
                       "  ROOT s = s32[1] slice(d), slice={[0:1]} }",
                       kInArena, options),
            1);
}

// A reduction of two arrays gives two results.
TEST(PeakBytes, EveryResultOfAKernelIsHeld) {
  constexpr absl::string_view kReduce =
      "both { x = s32[] parameter(0) y = s32[] parameter(1) v = s32[] parameter(2)"
      "  w = s32[] parameter(3) p = s32[] add(x, v) q = s32[] subtract(y, w)"
      "  ROOT t = (s32[], s32[]) tuple(p, q) }"
      "ENTRY e { a = $A negate(i) b = $A not(i) m = s32[1,$N] reshape(a) n = s32[1,$N] reshape(b)"
      "  z = s32[] constant(0) c = ($A, $A) reduce(m, n, z, z), dimensions={0}, to_apply=both"
      "  k = $A get-tuple-element(c), index=0 v = $A get-tuple-element(c), index=1"
      "  f = $A subtract(k, v) ROOT s = s32[1] slice(f), slice={[0:1]} }";
  EXPECT_EQ(PeakArrays(kReduce), 4);
  // The first result takes the place of its operand, the second one does not.
  constexpr absl::string_view kScatter =
      "both { x = s32[] parameter(0) y = s32[] parameter(1) v = s32[] parameter(2)"
      "  w = s32[] parameter(3) p = s32[] add(x, v) q = s32[] add(y, w)"
      "  ROOT t = (s32[], s32[]) tuple(p, q) }"
      "ENTRY e { a = $A negate(i) b = $A not(i) k = s32[1,1] constant({{3}})"
      "  u = s32[1] constant({7}) c = ($A, $A) scatter(a, b, k, u, u), update_window_dims={},"
      "  inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1,"
      "  to_apply=both d = $A get-tuple-element(c), index=0 f = $A get-tuple-element(c), index=1"
      "  g = $A subtract(d, f) ROOT s = s32[1] slice(g), slice={[3:4]} }";
  EXPECT_EQ(PeakArrays(kScatter), 3);
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
  EXPECT_EQ(stats.peak_bytes, 2 * 256);
}

// Loops on small values in a loop run without activations, and each takes up the frames of the one
// before.
TEST(PeakBytes, LoopsOnSmallValuesTakeUpTheirFrames) {
  const auto peak = [](int iterations) {
    const std::unique_ptr<Module> module = MustParse(absl::StrReplaceAll(
        R"(inner { s = (s32[], s32[50]) parameter(0) k = s32[] get-tuple-element(s), index=0
             x = s32[50] get-tuple-element(s), index=1 one = s32[] constant(1) m = s32[] add(k, one)
             y = s32[50] reverse(x), dimensions={0} ROOT t = (s32[], s32[50]) tuple(m, y) }
           two { s = (s32[], s32[50]) parameter(0) k = s32[] get-tuple-element(s), index=0
             n = s32[] constant(2) ROOT p = pred[] compare(k, n), direction=LT }
           outer { s = (s32[], s32[50]) parameter(0) k = s32[] get-tuple-element(s), index=0
             x = s32[50] get-tuple-element(s), index=1 one = s32[] constant(1) m = s32[] add(k, one)
             z = s32[] constant(0) v = (s32[], s32[50]) tuple(z, x)
             w = (s32[], s32[50]) while(v), condition=two, body=inner
             y = s32[50] get-tuple-element(w), index=1 ROOT t = (s32[], s32[50]) tuple(m, y) }
           many { s = (s32[], s32[50]) parameter(0) k = s32[] get-tuple-element(s), index=0
             n = s32[] constant($N) ROOT p = pred[] compare(k, n), direction=LT }
           ENTRY e { i = s32[50] iota(), iota_dimension=0 z = s32[] constant(0)
             v = (s32[], s32[50]) tuple(z, i)
             ROOT w = (s32[], s32[50]) while(v), condition=many, body=outer })",
        {{"$N", absl::StrCat(iterations)}}));
    RunStats stats;
    if (module == nullptr) return int64_t{-1};
    EXPECT_TRUE(Interpret(*module, {}, {}, &stats).ok());
    return stats.peak_bytes;
  };
  EXPECT_EQ(peak(50), peak(2));
}

// Calls and branches of a loop body give their frames back, and what their instructions write is
// counted in every iteration: 4 bytes of a counter and of each sum, 1 of each comparison.
TEST(PeakBytes, CallsInLoopsTakeUpTheirFrames) {
  const auto run = [](int iterations) {
    const std::unique_ptr<Module> module = MustParse(absl::StrReplaceAll(
        R"(more { x = s32[] parameter(0) c = s32[] constant(3) ROOT y = s32[] add(x, c) }
           less { x = s32[] parameter(0) c = s32[] constant(-5) ROOT y = s32[] add(x, c) }
           body { s = (s32[], s32[]) parameter(0) k = s32[] get-tuple-element(s), index=0
             x = s32[] get-tuple-element(s), index=1 one = s32[] constant(1) m = s32[] add(k, one)
             y = s32[] call(x), to_apply=more p = pred[] compare(y, k), direction=GT
             z = s32[] conditional(p, y, y), true_computation=less, false_computation=more
             ROOT t = (s32[], s32[]) tuple(m, z) }
           many { s = (s32[], s32[]) parameter(0) k = s32[] get-tuple-element(s), index=0
             n = s32[] constant($N) ROOT p = pred[] compare(k, n), direction=LT }
           ENTRY e { z = s32[] constant(0) v = (s32[], s32[]) tuple(z, z)
             ROOT w = (s32[], s32[]) while(v), condition=many, body=body })",
        {{"$N", absl::StrCat(iterations)}}));
    RunStats stats;
    if (module == nullptr) return stats;
    EXPECT_TRUE(Interpret(*module, {}, {}, &stats).ok());
    return stats;
  };
  const RunStats few = run(2), more = run(50);
  EXPECT_GT(few.peak_bytes, 0);
  EXPECT_EQ(more.peak_bytes, few.peak_bytes);
  EXPECT_EQ(more.stored_bytes - few.stored_bytes, 48 * (3 * 4 + 2 * 1));
}

// Values that never leave the plan lie side by side, those that die leave their places to others of
// any size, and only those that live are counted.
TEST(PeakBytes, LocalValuesAreCountedWhileTheyLive) {
  std::string text = "ENTRY e { ";
  std::string sum = "s32[] constant(0)";
  constexpr int kSizes[] = {65, 1000, 127, 4096, 66, 2049};
  int number = 0;
  for (const int size : kSizes) {
    const std::string type = absl::StrCat("s32[", size, "]"), n = absl::StrCat(++number);
    absl::StrAppend(&text, "i", n, " = ", type, " iota(), iota_dimension=0 z", n, " = ", sum, " b",
                    n, " = ", type, " broadcast(z", n, "), dimensions={} a", n, " = ", type,
                    " add(i", n, ", b", n, ") r", n, " = ", type, " reverse(a", n,
                    "), dimensions={0} m", n, " = ", type, " subtract(r", n, ", a", n, ") q", n,
                    " = ", type, " add(m", n, ", i", n, ") e", n, " = s32[1] slice(q", n,
                    "), slice={[0:1]} ");
    sum = absl::StrCat("s32[] reshape(e", n, ")");
  }
  const std::unique_ptr<Module> module = MustParse(absl::StrCat(text, "ROOT s = ", sum, " }"));
  ASSERT_NE(module, nullptr);
  RunStats stats;
  const absl::StatusOr<Literal> result = Interpret(*module, {}, {}, &stats);
  ASSERT_TRUE(result.ok()) << result.status();
  // The first element of q is (size - 1 + z) - z + 0.
  EXPECT_EQ(PrintTypedLiteral(*result), "s32[] 2048");
  EXPECT_LE(stats.peak_bytes, 4 * 4 * 4096 + 4096);
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

}  // namespace
}  // namespace assay::plan_memory_test
