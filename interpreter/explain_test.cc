// Elements on demand: values and trees by hand, and every element of small modules against a run.
#include "interpreter/explain.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/custom_call.h"
#include "interpreter/testing.h"

namespace assay::explain_test {
namespace {

using ::testing::HasSubstr;

// "s[1] = 5 <- (x[1] = 2, y[1] = 3)"; {...}: the context; ~name: passed on through.
std::string Draw(const ElementTrace& trace) {
  std::string text = absl::StrCat(trace.instruction->name(), "[", absl::StrJoin(trace.index, ","),
                                  "] = ", PrintElement(trace.type, trace.value));
  if (!trace.context.empty()) absl::StrAppend(&text, " {", absl::StrJoin(trace.context, ", "), "}");
  for (const std::string& name : trace.through) absl::StrAppend(&text, " ~", name);
  std::vector<std::string> reads;
  for (const ElementTrace& read : trace.reads) reads.push_back(Draw(read));
  if (trace.reads_left_out > 0) reads.push_back(absl::StrCat(trace.reads_left_out, " more"));
  if (!reads.empty()) absl::StrAppend(&text, " <- (", absl::StrJoin(reads, ", "), ")");
  return text;
}

std::string Explain(absl::string_view text, const std::vector<absl::string_view>& arguments,
                    const ElementQuery& query, const ExplainOptions& options = {},
                    ExplainStats* stats = nullptr) {
  const std::unique_ptr<Module> module = MustParse(text);
  std::vector<Literal> literals;
  for (absl::string_view argument : arguments) literals.push_back(MustParseLiteral(argument));
  auto trace = ExplainElement(*module, literals, query, options, stats);
  return trace.ok() ? Draw(*trace) : trace.status().ToString();
}

TEST(Explain, FollowsMovesToTheirSources) {
  constexpr absl::string_view kModule = R"(ENTRY e { x = s32[2,3] parameter(0) z = s32[] constant(9)
      t = s32[3,2] transpose(x), dimensions={1,0} p = s32[4,2] pad(t, z), padding=1_0x0_0
      ROOT n = s32[4,2] negate(p) })";
  const std::vector<absl::string_view> x = {"s32[2,3]{1,0} {{1,2,3},{4,5,6}}"};
  ExplainStats stats;
  EXPECT_EQ(Explain(kModule, x, {0, {3, 1}}, {}, &stats),
            "n[3,1] = -6 <- (p[3,1] = 6 <- (t[2,1] = 6 <- (x[1,2] = 6)))");
  EXPECT_EQ(stats.elements, 3);
  EXPECT_EQ(Explain(kModule, x, {0, {0, 1}}, {}, &stats),
            "n[0,1] = -9 <- (p[0,1] = 9 <- (z[] = 9))");
  EXPECT_EQ(stats.elements, 2);
}

TEST(Explain, OnlyWhatIsNeededIsComputed) {
  // A dot of a row that is a thousandth of the whole.
  ExplainStats stats;
  EXPECT_THAT(Explain(R"(ENTRY e { i = s32[1000,1000] iota(), iota_dimension=0
      j = s32[1000,1000] iota(), iota_dimension=1 s = s32[1000,1000] add(i, j)
      ROOT d = s32[1000,1000] dot(s, s), lhs_contracting_dims={1}, rhs_contracting_dims={0} })",
                      {}, {0, {0, 0}}, {}, &stats),
              HasSubstr("d[0,0] = 332833500 <- ("));  // the sum of squares below 1000
  EXPECT_EQ(stats.elements, 1 + 3 * 1999);
}

// A prefix of a scan reads the steps before it in its own lane. What its input waits for may be
// deeper than the elements that wait at once, so that the scan is asked again.
TEST(Explain, PrefixesReadTheStepsBeforeThem) {
  const std::vector<absl::string_view> arguments = {"f32[2,3] {{1,2,3},{5,6,7}}", "f32[2] {0,10}"};
  std::string chain;
  for (int i = 0; i < 150; ++i) {
    const std::string operand = i == 0 ? "x" : absl::StrCat("n", i - 1);
    absl::StrAppend(&chain, "n", i, " = f32[2,3] negate(", operand, ")\n");
  }
  const auto scan = [](absl::string_view input, absl::string_view chain) {
    return absl::StrCat(
        R"(add { a = f32[2] parameter(0) b = f32[2] parameter(1) s = f32[2] add(b, a)
        ROOT t = (f32[2], f32[2]) tuple(s, s) }
        ENTRY e { x = f32[2,3] parameter(0) c = f32[2] parameter(1) )",
        chain, "ROOT r = (f32[2,3], f32[2]) scan(", input,
        R"(, c), dimensions={1}, num_carries=1, is_associative=false,
        to_apply=add })");
  };
  EXPECT_EQ(Explain(scan("x", ""), arguments, {0, {1, 1}}),
            "r[1,1] = 21 <- (c[1] = 10, x[1,0] = 5, x[1,1] = 6)");
  ExplainOptions options;
  options.depth = 1;
  EXPECT_EQ(Explain(scan("n149", chain), arguments, {0, {1, 2}}, options),
            "r[1,2] = 28 <- (c[1] = 10, n149[1,0] = 5 <- (1 more), n149[1,1] = 6 <- (1 more), "
            "n149[1,2] = 7 <- (1 more))");
}

TEST(Explain, TreesAreCutWhereTheOptionsSay) {
  constexpr absl::string_view kModule = R"(
      add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
      ENTRY e { x = f32[5] parameter(0) z = f32[] constant(0) m = f32[5] multiply(x, x)
      ROOT r = f32[] reduce(m, z), dimensions={0}, to_apply=add })";
  const std::vector<absl::string_view> x = {"f32[5]{0} {1,2,3,4,5}"};
  ExplainOptions options;
  options.depth = 1;
  options.width = 3;
  EXPECT_EQ(Explain(kModule, x, {0, {}}, options),
            "r[] = 55 <- (z[] = 0, m[0] = 1 <- (1 more), m[1] = 4 <- (1 more), 3 more)");
  options.depth = 0;
  EXPECT_EQ(Explain(kModule, x, {0, {}}, options), "r[] = 55 <- (6 more)");
  options = {};
  options.nodes = 3;
  EXPECT_EQ(Explain(kModule, x, {0, {}}, options),
            "r[] = 55 <- (z[] = 0, m[0] = 1 <- (1 more), 4 more)");
}

constexpr absl::string_view kPowers = R"(
  body { s = (s32[], s32[2], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
    x = s32[2] get-tuple-element(s), index=1  k = s32[] get-tuple-element(s), index=2
    one = s32[] constant(1)  n = s32[] add(i, one)  y = s32[2] add(x, x)
    ROOT t = (s32[], s32[2], s32[]) tuple(n, y, k) }
  cond { s = (s32[], s32[2], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
    m = s32[] get-tuple-element(s), index=2  ROOT c = pred[] compare(i, m), direction=LT }
  ENTRY e { z = s32[] constant(0) p = s32[2] parameter(0) l = s32[] parameter(1)
    init = (s32[], s32[2], s32[]) tuple(z, p, l)
    w = (s32[], s32[2], s32[]) while(init), condition=cond, body=body
    ROOT r = s32[2] get-tuple-element(w), index=1 })";

TEST(Explain, FollowsLoops) {
  ExplainOptions options;
  options.depth = 2;
  EXPECT_EQ(Explain(kPowers, {"s32[2]{0} {3,5}", "s32[] 2"}, {0, {1}}, options),
            "y[1] = 20 {iteration 1 of w} ~r ~w ~t <- (y[1] = 10 {iteration 0 of w} ~x ~s ~t <- "
            "(p[1] = 5 ~x ~s ~init))");
  options.depth = 0;
  EXPECT_EQ(Explain(kPowers, {"s32[2]{0} {3,5}", "s32[] 0"}, {0, {1}}, options),
            "p[1] = 5 ~r ~w ~init");
  // 2^31 wraps; three hundred times deeper than what waits on the stack.
  EXPECT_THAT(Explain(kPowers, {"s32[2]{0} {3,1}", "s32[] 30000"}, {0, {1}}, options),
              HasSubstr("y[1] = 0 {iteration 29999 of w}"));
}

TEST(Explain, FollowsCallsAndBranches) {
  constexpr absl::string_view kModule = R"(
    double { a = s32[2] parameter(0) ROOT d = s32[2] add(a, a) }
    minus { m = s32[2] parameter(0) ROOT n = s32[2] negate(m) }
    ENTRY e { x = s32[2] parameter(0) i = s32[] parameter(1)
      c = s32[2] call(x), to_apply=double
      ROOT b = s32[2] conditional(i, c, c), branch_computations={double, minus} })";
  EXPECT_EQ(Explain(kModule, {"s32[2]{0} {3,4}", "s32[] 0"}, {0, {1}}),
            "d[1] = 16 {branch 0 of b} ~b <- (d[1] = 8 {c} ~a ~c <- (x[1] = 4 ~a))");
  EXPECT_EQ(Explain(kModule, {"s32[2]{0} {3,4}", "s32[] 7"}, {0, {0}}),
            "n[0] = -6 {branch 1 of b} ~b <- (d[0] = 6 {c} ~m ~c <- (x[0] = 3 ~a))");
}

TEST(Explain, TruthSelectsTheFirstOfTwoBranches) {
  constexpr absl::string_view kModule = R"(
    double { a = s32[2] parameter(0) ROOT d = s32[2] add(a, a) }
    minus { m = s32[2] parameter(0) ROOT n = s32[2] negate(m) }
    ENTRY e { x = s32[2] parameter(0) p = pred[] parameter(1)
      ROOT b = s32[2] conditional(p, x, x), true_computation=double, false_computation=minus })";
  EXPECT_EQ(Explain(kModule, {"s32[2]{0} {3,4}", "pred[] true"}, {0, {1}}),
            "d[1] = 8 {branch 0 of b} ~b <- (x[1] = 4 ~a)");
  EXPECT_EQ(Explain(kModule, {"s32[2]{0} {3,4}", "pred[] false"}, {0, {1}}),
            "n[1] = -4 {branch 1 of b} ~b <- (x[1] = 4 ~m)");
}

// The condition's value is an array of the state, among others of other types.
TEST(Explain, FollowsLoopsWhoseConditionIsPartOfTheState) {
  constexpr absl::string_view kModule = R"(
    cond { s = (pred[], pred[], s32[]) parameter(0) ROOT c = pred[] get-tuple-element(s), index=0 }
    body { s = (pred[], pred[], s32[]) parameter(0) p = pred[] get-tuple-element(s), index=1
      x = s32[] get-tuple-element(s), index=2 n = s32[] add(x, x) f = pred[] constant(false)
      ROOT t = (pred[], pred[], s32[]) tuple(p, f, n) }
    ENTRY e { x = s32[] parameter(0) t = pred[] constant(true)
      i = (pred[], pred[], s32[]) tuple(t, t, x)
      w = (pred[], pred[], s32[]) while(i), condition=cond, body=body
      ROOT r = s32[] get-tuple-element(w), index=2 })";
  ExplainOptions options;
  options.depth = 0;
  EXPECT_EQ(Explain(kModule, {"s32[] 5"}, {0, {}}, options),
            "n[] = 20 {iteration 1 of w} ~r ~w ~t <- (1 more)");
}

TEST(Explain, DeepChainsNeedNoDeepStack) {
  std::string text = "ENTRY e { a0 = s32[3] parameter(0)\n";
  constexpr int kLength = 50000;
  for (int i = 1; i <= kLength; ++i) {
    absl::StrAppend(&text, "a", i, " = s32[3] reverse(a", i - 1, "), dimensions={0}\n");
  }
  ExplainOptions options;
  options.depth = 1;
  EXPECT_THAT(Explain(text + "}", {"s32[3]{0} {7,8,9}"}, {0, {2}}, options),
              HasSubstr("a50000[2] = 9 <- (a49999[0] = 9"));
}

TEST(Explain, EveryElementAsARunGivesIt) {
  // Whole-array operations, regions that are not scalar programs, tuples.
  constexpr absl::string_view kModule = R"(
    less { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
      ROOT l = pred[] compare(a, b), direction=LT }
    add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
    ENTRY e { x = f32[3,4] parameter(0) i = s32[3,4] iota(), iota_dimension=1
      sorted = (f32[3,4], s32[3,4]) sort(x, i), dimensions={1}, to_apply=less
      v = f32[3,4] get-tuple-element(sorted), index=0
      w = f32[4,3] transpose(v), dimensions={1,0} d = f32[3,3] dot(x, w), lhs_contracting_dims={1},
        rhs_contracting_dims={0}
      z = f32[] constant(0.5) q = f32[3] reduce(d, z), dimensions={1}, to_apply=add
      u = f32[3,4] reduce-window(v, z), window={size=1x3 pad=0_0x1_1}, to_apply=add
      ROOT t = ((f32[3,4], s32[3,4]), f32[3], f32[3,4]) tuple(sorted, q, u) })";
  const std::unique_ptr<Module> module = MustParse(kModule);
  const std::vector<Literal> arguments = {
      MustParseLiteral("f32[3,4]{1,0} {{3,1,2,0.25},{-1,7,1e8,5},{0,-0.5,0.1,0.3}}")};
  const Literal whole = *Interpret(*module, arguments);
  const std::vector<Literal> outputs = Flatten(whole);
  ASSERT_EQ(outputs.size(), 4u);
  for (size_t output = 0; output < outputs.size(); ++output) {
    const Literal& array = outputs[output];
    for (int64_t i = 0; i < array.element_count(); ++i) {
      ElementQuery query{static_cast<int64_t>(output), {}};
      if (array.shape().rank() == 2) query.index.push_back(i / 4);
      query.index.push_back(array.shape().rank() == 2 ? i % 4 : i);
      auto trace = ExplainElement(*module, arguments, query);
      ASSERT_TRUE(trace.ok()) << trace.status();
      EXPECT_EQ(trace->value, array.Get(i)) << output << " " << i;
    }
  }
}

TEST(Explain, FollowsMarkersAndElementwiseCalls) {
  // exp(0) - 1 = 0; only the element that is wanted.
  ExplainStats stats;
  EXPECT_EQ(Explain(R"(ENTRY e { x = f32[3] parameter(0)
      s = f32[3] custom-call(x), custom_call_target="Sharding"
      both = (f32[3], f32[3]) custom-call(x, s), custom_call_target="xla.sdy.GlobalToLocalShape"
      y = f32[3] get-tuple-element(both), index=1
      ROOT r = f32[3] custom-call(y), custom_call_target="mhlo.exponential_minus_one" })",
                    {"f32[3] {7,0,inf}"}, {0, {1}}, {}, &stats),
            "r[1] = 0 <- (x[1] = 0 ~y ~both ~s)");
  EXPECT_EQ(stats.elements, 1);
}

TEST(Explain, MakesOtherCallsOnce) {
  CustomCallRegistry registry;
  int calls = 0;
  // (sum of a, the pair swapped)
  registry.Register("mine", [&](const CustomCall& call) -> absl::StatusOr<Literal> {
    ++calls;
    int64_t sum = 0;
    const Literal& array = call.operands[0].element(0);
    for (int64_t i = 0; i < array.element_count(); ++i) {
      sum += DecodeSigned(ElementType::kS32, array.Get(i).bits);
    }
    const Element total = {EncodeInteger(ElementType::kS32, static_cast<uint64_t>(sum))};
    return Literal::Tuple({Literal::Scalar(ElementType::kS32, total),
                           Literal::Tuple({call.operands[0].element(1), array})});
  });
  ExplainOptions options;
  options.custom_calls = &registry;
  constexpr absl::string_view kModule = R"(ENTRY e { x = s32[2] parameter(0)
      n = s32[2] negate(x) y = f32[] constant(0.5) p = (s32[2], f32[]) tuple(n, y)
      c = (s32[], (f32[], s32[2])) custom-call(p), custom_call_target="mine"
      s = s32[] get-tuple-element(c), index=0 i = (f32[], s32[2]) get-tuple-element(c), index=1
      a = s32[2] get-tuple-element(i), index=1 b = s32[2] broadcast(s), dimensions={}
      ROOT r = s32[2] add(a, b) })";
  // -3 of the array, -7 of the sum.
  EXPECT_EQ(Explain(kModule, {"s32[2] {3,4}"}, {0, {0}}, options),
            "r[0] = -10 <- (c[0] = -3 ~a ~i <- (n[0] = -3 ~p <- (x[0] = 3), n[1] = -4 ~p <- "
            "(x[1] = 4), y[] = 0.5 ~p), b[0] = -7 <- (c[] = -7 ~s <- (n[0] = -3 ~p <- (x[0] = 3), "
            "n[1] = -4 ~p <- (x[1] = 4), y[] = 0.5 ~p)))");
  EXPECT_EQ(calls, 1);
  ExplainStats stats;
  Explain(kModule, {"s32[2] {3,4}"}, {0, {0}}, options, &stats);
  EXPECT_EQ(stats.elements, 2 + 2 + 1 + 1);  // n, two of c, b, r
  EXPECT_EQ(calls, 2);
  // Behind operands that take more than the stack has, each element found by an attempt of its own.
  std::string text = "ENTRY e { a0 = s32[2000] iota(), iota_dimension=0\n";
  for (int i = 1; i <= 150; ++i) {
    absl::StrAppend(&text, "a", i, " = s32[2000] negate(a", i - 1, ")\n");
  }
  absl::StrAppend(&text, "f = f32[] constant(1) p = (s32[2000], f32[]) tuple(a150, f)\n",
                  "c = (s32[], (f32[], s32[2000])) custom-call(p), custom_call_target=\"mine\"\n",
                  "ROOT s = s32[] get-tuple-element(c), index=0 }");
  options.depth = 0;
  EXPECT_EQ(Explain(text, {}, {0, {}}, options), "c[] = 1999000 ~s <- (2001 more)");
  EXPECT_EQ(calls, 3);
}

// Budgets hold what runs in regions that are no scalar programs.
TEST(Explain, RegionsHaveTheBudgetToo) {
  constexpr absl::string_view kModule = R"(
    add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
    less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
    far { a = f32[] parameter(0) b = f32[] parameter(1) z = f32[] constant(0)
      w = f32[100000] broadcast(b), dimensions={} v = f32[100000] sort(w), dimensions={0}, to_apply=less
      m = f32[] reduce(v, z), dimensions={0}, to_apply=add ROOT s = f32[] add(a, m) }
    ENTRY e { x = f32[2] parameter(0) z = f32[] constant(0)
      ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=far })";
  ExplainOptions options;
  options.depth = 0;
  EXPECT_THAT(Explain(kModule, {"f32[2] {1,2}"}, {0, {}}, options), HasSubstr("r[] = 300000"));
  options.budget.bytes = 100000;
  EXPECT_THAT(Explain(kModule, {"f32[2] {1,2}"}, {0, {}}, options),
              HasSubstr("RESOURCE_EXHAUSTED"));
}

// 8 + 2^62 + 2^62 bytes are more than a number of 64 bits holds.
TEST(Explain, CallsOnMoreThanAMachineHoldsAreRefused) {
  EXPECT_THAT(Explain(R"(ENTRY e { x = s8[] parameter(0)
      b = s8[4611686018427387904] broadcast(x), dimensions={}
      ROOT t = (f32[1], s32[1]) custom-call(b, b), custom_call_target="TopK" })",
                      {"s8[] 1"}, {0, {0}}),
              HasSubstr("RESOURCE_EXHAUSTED"));
}

TEST(Explain, AnElementIsOneOfTheFirstOutputUnlessTheQuerySaysMore) {
  ElementQuery query;
  query.index = {1};
  EXPECT_EQ(Explain("ENTRY e { x = s32[2] parameter(0) y = s32[2] parameter(1) "
                    "ROOT t = (s32[2], s32[2]) tuple(x, y) }",
                    {"s32[2] {3,4}", "s32[2] {5,6}"}, query),
            "x[1] = 4 ~t");
}

TEST(Explain, RefusesCalls) {
  ExplainOptions options;
  options.budget.bytes = 3 << 20;
  constexpr absl::string_view kModule = R"(ENTRY e { x = f32[] parameter(0)
      b = f32[1000000] broadcast(x), dimensions={}
      ROOT t = (f32[1], s32[1]) custom-call(b), custom_call_target="TopK" })";
  EXPECT_THAT(Explain(kModule, {"f32[] 1"}, {0, {0}}, options), HasSubstr("RESOURCE_EXHAUSTED"));
  EXPECT_THAT(Explain(R"(ENTRY e { x = f32[2] parameter(0)
      ROOT t = f32[2] custom-call(x), custom_call_target="nobody_knows" })",
                      {"f32[2] {1,2}"}, {0, {0}}),
              HasSubstr("\"nobody_knows\" is not known"));
  EXPECT_THAT(Explain(R"(ENTRY e { x = f32[2] parameter(0)
      ROOT t = f32[3] custom-call(x), custom_call_target="mhlo.erf" })",
                      {"f32[2] {1,2}"}, {0, {0}}),
              HasSubstr("arrays of the same sizes"));
}

TEST(Explain, Refusals) {
  const std::vector<absl::string_view> x = {"s32[2]{0} {3,5}", "s32[] 2"};
  EXPECT_THAT(Explain(kPowers, x, {1, {}}), HasSubstr("there is no output 1: the module gives 1"));
  EXPECT_THAT(Explain(kPowers, x, {0, {2}}), HasSubstr("s32[2], which has no element [2]"));
  EXPECT_THAT(Explain(kPowers, x, {0, {}}), HasSubstr("no element []"));
  EXPECT_THAT(Explain(kPowers, {x[0]}, {0, {0}}), HasSubstr("takes 2 arguments, 1 were given"));
  ExplainOptions options;
  options.budget.steps = 1000;
  EXPECT_THAT(Explain(kPowers, {x[0], "s32[] 2000000000"}, {0, {0}}, options),
              HasSubstr("RESOURCE_EXHAUSTED"));
  options.budget.steps = -1;
  options.budget.seconds = 0;  // planning takes longer
  ExplainStats stats;
  stats.steps = -1;  // stays, for nothing is evaluated
  EXPECT_THAT(Explain(kPowers, x, {0, {0}}, options, &stats), HasSubstr("RESOURCE_EXHAUSTED"));
  EXPECT_EQ(stats.steps, -1);
  options.budget.seconds = 600;
  options.budget.bytes = 100000;
  EXPECT_THAT(Explain(kPowers, {x[0], "s32[] 2000000000"}, {0, {0}}, options),
              HasSubstr("RESOURCE_EXHAUSTED"));
}

}  // namespace
}  // namespace assay::explain_test
