// What meant something else in 2017: a test per row of docs/semantics_2017.md, by the Builder of
// that profile and, where a module of today can be written so, by the rewriting of modules. Values
// by hand and from reference ops_structural.md 3.10, 3.11.
#include "spec/semantics/semantics_2017.h"

#include "conformance/seeds/examples.h"
#include "gmock/gmock.h"
#include "interpreter/interpreter.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::conformance::semantics_2017_test {
namespace {

using testing::HasSubstr;

// The module's value by the meaning of 2017, or the error.
std::string Run2017(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  if (!module.ok()) return module.status().ToString();
  absl::StatusOr<std::unique_ptr<Module>> rewritten = With2017Semantics(**module);
  if (!rewritten.ok()) return std::string(rewritten.status().message());
  absl::StatusOr<Literal> result = Interpret(**rewritten, {});
  return result.ok() ? PrintTypedLiteral(*result) : result.status().ToString();
}

std::string Text(absl::string_view typed_literal) {
  return PrintTypedLiteral(Value(typed_literal));
}

std::string SliceModule(absl::string_view type, absl::string_view start) {
  return absl::StrCat("ENTRY main {\n  x = s32[5] constant({0,1,2,3,4})\n  s = ", type,
                      "[] constant(", start,
                      ")\n  ROOT r = s32[2] dynamic-slice(x, s), dynamic_slice_sizes={2}\n}");
}

TEST(Semantics2017, DynamicSliceStartsModuloTheSize) {
  const struct {
    const char *type, *start, *expected;
  } rows[] = {{"s32", "2", "s32[2] {2,3}"},  {"s32", "4", "s32[2] {4,0}"},
              {"s32", "6", "s32[2] {1,2}"},  {"s32", "-1", "s32[2] {4,0}"},
              {"s32", "-5", "s32[2] {0,1}"}, {"u32", "2147483648", "s32[2] {3,4}"},
              {"s8", "127", "s32[2] {2,3}"}, {"u64", "18446744073709551615", "s32[2] {0,1}"}};
  for (const auto& row : rows) {
    EXPECT_EQ(Run2017(SliceModule(row.type, row.start)), Text(row.expected)) << row.start;
    Builder b(Semantics::k2017);
    const Op start = In(&b, absl::StrCat(row.type, "[] ", row.start));
    ExpectResult(b, DynamicSlice(In(&b, "s32[5] {0,1,2,3,4}"), start, {2}), row.expected);
  }
  Builder today;
  ExpectResult(today, DynamicSlice(In(&today, "s32[5] {0,1,2,3,4}"), In(&today, "s32[] 4"), {2}),
               "s32[2] {3,4}");
}

// Every start of every box of a small matrix, against the definition.
TEST(Semantics2017, DynamicSliceWrapsInEveryDimension) {
  for (int64_t rows = 1; rows <= 2; ++rows) {
    for (int64_t columns = 1; columns <= 3; ++columns) {
      for (int64_t y = -3; y <= 4; ++y) {
        const int64_t x = 2 * y + 1;
        Builder b(Semantics::k2017);
        const Op matrix = In(&b, "s32[2,3] {{0,1,2},{3,4,5}}");
        const Op starts = In(&b, absl::StrCat("s64[2] {", y, ",", x, "}"));
        const Literal result = RunResult(b, DynamicSlice(matrix, starts, {rows, columns}));
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t j = 0; j < columns; ++j) {
            const int64_t row = ((y + i) % 2 + 2) % 2, column = ((x + j) % 3 + 3) % 3;
            ASSERT_EQ(static_cast<int64_t>(result.Get(i * columns + j).bits), row * 3 + column);
          }
        }
      }
    }
  }
}

TEST(Semantics2017, DynamicUpdateSliceStartsModuloTheSize) {
  const char* module = R"(ENTRY main {
    x = s32[5] constant({0,1,2,3,4})
    u = s32[2] constant({5,6})
    s = s32[] constant(4)
    ROOT r = s32[5] dynamic-update-slice(x, u, s)
  })";
  EXPECT_EQ(Run2017(module), Text("s32[5] {6,1,2,3,5}"));
  for (const auto& [start, expected] : std::vector<std::pair<int, const char*>>{
           {2, "s32[5] {0,1,5,6,4}"}, {4, "s32[5] {6,1,2,3,5}"}, {-9, "s32[5] {0,5,6,3,4}"}}) {
    Builder b(Semantics::k2017);
    const Op root = DynamicUpdateSlice(In(&b, "s32[5] {0,1,2,3,4}"), In(&b, "s32[2] {5,6}"),
                                       In(&b, absl::StrCat("s32[] ", start)));
    ExpectResult(b, root, expected);
  }
  Builder b(Semantics::k2017, "matrix");
  const Op root = DynamicUpdateSlice(In(&b, "s32[2,3] {{0,1,2},{3,4,5}}"),
                                     In(&b, "s32[2,2] {{10,11},{12,13}}"), In(&b, "s32[2] {1,2}"));
  ExpectResult(b, root, "s32[2,3] {{13,1,12},{11,4,10}}");
}

TEST(Semantics2017, BoxesAreNotEmpty) {
  Builder b(Semantics::k2017);
  const Op x = In(&b, "s32[5] {0,1,2,3,4}");
  ExpectRefused(b, DynamicSlice(x, In(&b, "s32[] 0"), {0}), "[dynamic_slice_2017_c1]");
  Builder c(Semantics::k2017);
  ExpectRefused(
      c, DynamicUpdateSlice(In(&c, "s32[5] {0,1,2,3,4}"), In(&c, "s32[0] {}"), In(&c, "s32[] 0")),
      "[dynamic_update_slice_2017_c1]");
}

TEST(Semantics2017, SlicesAreNotEmpty) {
  Builder b(Semantics::k2017);
  ExpectRefused(b, Slice(In(&b, "s32[5] {0,1,2,3,4}"), {5}, {5}), "[slice_2017_c1]");
  EXPECT_THAT(Run2017("ENTRY main {\n  x = s32[2] constant({0,1})\n"
                      "  ROOT r = s32[0] slice(x), slice={[1:1]}\n}"),
              HasSubstr("[slice_2017_c1]"));
}

// Loops that nothing orders, and infeeds of one token.
TEST(Semantics2017, InfeedsAreInATotalOrder) {
  const auto text = [](absl::string_view second) {
    return absl::StrCat(R"(HloModule m
more { n = s32[] parameter(0)
  ten = s32[] constant(10)
  ROOT p = pred[] compare(n, ten), direction=LT }
step { n = s32[] parameter(0)
  t = token[] after-all()
  a = (s32[], token[]) infeed(t)
  d = s32[] get-tuple-element(a), index=0
  ROOT s = s32[] add(n, d) }
ENTRY e { zero = s32[] constant(0)
  first = s32[] while(zero), condition=more, body=step
  second = s32[] while()",
                        second, R"(), condition=more, body=step
  ROOT r = s32[] add(first, second) })");
  };
  const std::string refused = Run2017(text("zero"));
  EXPECT_THAT(refused, HasSubstr("[infeed_2017_c1]"));
  EXPECT_THAT(refused, testing::AllOf(HasSubstr("%first = "), HasSubstr("%second = ")));
  // In order: what is missing is the host's data.
  EXPECT_THAT(Run2017(text("first")), HasSubstr("no host program"));
}

TEST(Semantics2017, InfeedsHaveNoNestedTuples) {
  EXPECT_THAT(Run2017(R"(ENTRY e { t = token[] after-all()
  ROOT a = (((s32[]), s32[]), token[]) infeed(t) })"),
              HasSubstr("[infeed_c3]"));
  Builder b(Semantics::k2017);
  ExpectRefused(b, Infeed(&b, ShapeFrom("((s32[]), s32[])")), "[infeed_builder_c1]");
}

TEST(Semantics2017, DotsHaveOneType) {
  EXPECT_THAT(Run2017(R"(ENTRY e { a = f32[2] constant({1,2})
  b = bf16[2] constant({3,4})
  ROOT d = f32[] dot(a, b) })"),
              HasSubstr("[dot_2017_c1]"));
  Builder b(Semantics::k2017);
  ExpectRefused(b, Dot(In(&b, "f32[2] {1,2}"), In(&b, "bf16[2] {3,4}")), "[dot_2017_c1]");
  Builder today;
  ExpectResult(today, Dot(In(&today, "f32[2] {1,2}"), In(&today, "bf16[2] {3,4}")), "f32[] 11");
}

TEST(Semantics2017, SelectsHaveOneShape) {
  Builder b(Semantics::k2017);
  ExpectRefused(b,
                Select(In(&b, "pred[2] {true,false}"), In(&b, "s32[2] {1,2}"), In(&b, "s32[] 3")),
                "[select_2017_c1]");
  Builder today;
  ExpectResult(
      today,
      Select(In(&today, "pred[2] {true,false}"), In(&today, "s32[2] {1,2}"), In(&today, "s32[] 3")),
      "s32[2] {1,3}");
}

TEST(Semantics2017, SortNeedsNoComparator) {
  Builder b(Semantics::k2017);
  ExpectResult(b, Sort(In(&b, "f32[2,4] {{3,-0.0,0,-inf},{nan,2,-1,inf}}")),
               "f32[2,4] {{-inf,-0.0,0,3},{-1,2,inf,nan}}");
  Builder c(Semantics::k2017);
  ExpectResult(c, Sort(In(&c, "u32[3] {3000000000,1,2}")), "u32[3] {1,2,3000000000}");
  Builder d(Semantics::k2017);
  ExpectRefused(d, Sort(In(&d, "c64[1] {(1,2)}")), "[sort_c8]");
  // A module in memory may lack the comparator; keys take their values along.
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(R"(
    less { a = s32[] parameter(0)
      b = s32[] parameter(1)
      c = f32[] parameter(2)
      d = f32[] parameter(3)
      ROOT l = pred[] compare(a, b), direction=LT }
    ENTRY main { k = s32[4] constant({2,1,2,1})
      v = f32[4] constant({0,1,2,3})
      ROOT s = (s32[4], f32[4]) sort(k, v), dimensions={0}, to_apply=less })");
  ASSERT_TRUE(module.ok()) << module.status();
  (*module)->entry()->root()->EraseAttribute(Attr::kToApply);
  const absl::StatusOr<std::unique_ptr<Module>> rewritten = With2017Semantics(**module);
  ASSERT_TRUE(rewritten.ok()) << rewritten.status();
  const absl::StatusOr<Literal> result = Interpret(**rewritten, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(PrintTypedLiteral(*result), Text("(s32[4] {1,1,2,2}, f32[4] {1,3,0,2})"));
}

TEST(Semantics2017, ReshapeTakesAnOrder) {
  Builder b(Semantics::k2017);
  ExpectResult(b, Reshape(In(&b, "s32[2,3] {{1,2,3},{4,5,6}}"), {1, 0}, {6}),
               "s32[6] {1,4,2,5,3,6}");
}

TEST(Semantics2017, TuplesAreSelected) {
  const std::string expected = Text("(s32[] 3, f32[] 4)");
  EXPECT_EQ(Run2017(R"(ENTRY main {
    p = pred[] constant(false)
    a = s32[] constant(1)
    b = f32[] constant(2)
    c = s32[] constant(3)
    d = f32[] constant(4)
    t = (s32[], f32[]) tuple(a, b)
    f = (s32[], f32[]) tuple(c, d)
    ROOT r = (s32[], f32[]) select(p, t, f)
  })"),
            expected);
  Builder b(Semantics::k2017);
  const Op t = Tuple({In(&b, "s32[] 1"), In(&b, "f32[] 2")});
  const Op f = Tuple({In(&b, "s32[] 3"), In(&b, "f32[] 4")});
  ExpectResult(b, Select(In(&b, "pred[] false"), t, f), "(s32[] 3, f32[] 4)");
  Builder c(Semantics::k2017);
  const Op u = Tuple({In(&c, "s32[] 1")});
  ExpectRefused(c, Select(In(&c, "pred[1] {0}"), u, u), "[select_c6]");
}

// A dot names no dimensions: the last of lhs with the one before last of rhs.
TEST(Semantics2017, DotsContractByPosition) {
  EXPECT_EQ(Run2017(R"(ENTRY main {
    a = f32[2,2] constant({{1,2},{3,4}})
    b = f32[2,2] constant({{5,6},{7,8}})
    ROOT r = f32[2,2] dot(a, b)
  })"),
            Text("f32[2,2] {{19,22},{43,50}}"));
  Builder b(Semantics::k2017);
  const Op cube = In(&b, "f32[2,1,2] {{{1,2}},{{3,4}}}");
  ExpectResult(b, Dot(cube, In(&b, "f32[2] {10,1}")), "f32[2,1] {{12},{34}}");
  Builder today;
  const Op same = In(&today, "f32[2,1,2] {{{1,2}},{{3,4}}}");
  ExpectRefused(today, Dot(same, In(&today, "f32[2] {10,1}")), "[dot_builder_c1]");
}

TEST(Semantics2017, SumsAreOverAllReplicas) {
  Builder b(Semantics::k2017);
  const Op x = Parameter(&b, 0, Shape(kF32, {2}), "x");
  ExpectRefused(b, CrossReplicaSum(x, {{0, 1}}), "[cross_replica_sum_2017_c1]");
  Builder c(Semantics::k2017);
  ExpectBuilds(c, CrossReplicaSum(Parameter(&c, 0, Shape(kF32, {2}), "x")), "f32[2]",
               {"all-reduce(", "replica_groups={}"});
}

TEST(Semantics2017, RandomNumbersHaveFewTypes) {
  Builder b(Semantics::k2017);
  const Op zero = In(&b, "f64[] 0"), one = In(&b, "f64[] 1");
  ExpectRefused(b, RngUniform(zero, one, Shape(ElementType::kF64, {2})), "[rng_2017_c1]");
  Builder c(Semantics::k2017);
  const Op low = In(&c, "u32[] 0"), high = In(&c, "u32[] 9");
  ExpectBuilds(c, RngUniform(low, high, Shape(ElementType::kU32, {2})), "u32[2]", {"rng("});
  EXPECT_THAT(Run2017("ENTRY main {\n  a = f64[] constant(0)\n"
                      "  ROOT r = f64[2] rng(a, a), distribution=rng_normal\n}"),
              HasSubstr("[rng_2017_c1]"));
  Builder d(Semantics::k2017);
  ExpectRefused(d, RngBernoulli(In(&d, "f64[] 0"), Shape(ElementType::kU32, {2})),
                "[bernoulli_c1]");
}

TEST(Semantics2017, LoopsAreNotNested) {
  EXPECT_THAT(Run2017(R"(
    inner_condition { p = (s32[]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      n = s32[] constant(2)
      ROOT c = pred[] compare(i, n), direction=LT }
    inner_body { p = (s32[]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      one = s32[] constant(1)
      j = s32[] add(i, one)
      ROOT t = (s32[]) tuple(j) }
    outer_body { p = (s32[]) parameter(0)
      ROOT w = (s32[]) while(p), condition=inner_condition, body=inner_body }
    ENTRY main { z = s32[] constant(0)
      t = (s32[]) tuple(z)
      ROOT w = (s32[]) while(t), condition=inner_condition, body=outer_body })"),
              HasSubstr("[while_2017_c1]"));
  Builder condition("condition");
  Parameter(&condition, 0, Shape::Scalar(kS32), "p");
  const Callee never = condition.BuildCallee(In(&condition, "pred[] false"));
  Builder step("step");
  const Callee same = step.BuildCallee(Parameter(&step, 0, Shape::Scalar(kS32), "p"));
  Builder outer("outer");
  const Callee loop =
      outer.BuildCallee(While(never, same, Parameter(&outer, 0, Shape::Scalar(kS32), "p")));
  Builder b(Semantics::k2017);
  ExpectRefused(b, While(never, loop, In(&b, "s32[] 1")), "[while_2017_c1]");
  Builder today;
  ExpectResult(today, While(never, loop, In(&today, "s32[] 1")), "s32[] 1");
}

TEST(Semantics2017, MapsTakeStaticOperands) {
  Builder f("f");
  const Op x = Parameter(&f, 0, Shape::Scalar(kS32), "x");
  const Callee scaled = f.BuildCallee(Mul(x, Parameter(&f, 1, Shape::Scalar(kS32), "factor")));
  Builder b(Semantics::k2017);
  ExpectResult(b, Map({In(&b, "s32[3] {1,2,3}")}, scaled, {}, {In(&b, "s32[] 10")}),
               "s32[3] {10,20,30}");
  // A table, given whole: element x becomes table[x].
  Builder g("lookup");
  const Op at = Parameter(&g, 0, Shape::Scalar(kS32), "at");
  const Op table = Parameter(&g, 1, Shape(kF32, {3}), "table");
  const Callee lookup = g.BuildCallee(Reshape(DynamicSlice(table, at, {1}), {}));
  Builder c(Semantics::k2017);
  ExpectResult(c,
               Map({In(&c, "s32[2,2] {{2,0},{1,1}}")}, lookup, {0, 1}, {In(&c, "f32[3] {5,6,7}")}),
               "f32[2,2] {{7,5},{6,6}}");
}

TEST(Semantics2017, CustomCallsHaveNoSideEffects) {
  Builder b(Semantics::k2017);
  ExpectRefused(b, CustomCall(&b, "f", {}, Shape(kF32, {}), /*has_side_effect=*/true),
                "[custom_call_2017_c1]");
}

// What is the same in both stays as it is, with its name.
TEST(Semantics2017, TheRestOfAModuleStays) {
  const char* text = R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
    f { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b) }
    ENTRY main { x = f32[4] parameter(0), metadata={op_name="given"}
      z = f32[] constant(0)
      r = f32[] reduce(x, z), dimensions={0}, to_apply=f
      b = f32[4] broadcast(r), dimensions={}
      ROOT y = f32[4] add(x, b) })";
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  absl::StatusOr<std::unique_ptr<Module>> rewritten = With2017Semantics(**module);
  ASSERT_TRUE(rewritten.ok()) << rewritten.status();
  EXPECT_TRUE(CompareModules(**module, **rewritten).ok()) << CompareModules(**module, **rewritten);
}

}  // namespace
}  // namespace assay::conformance::semantics_2017_test
