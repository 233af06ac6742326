#include "evaluator/region/scalar_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/scalar/scalar_ops.h"
#include "spec/testing/must_parse.h"

namespace assay::evaluator {
namespace {

Element S32(int32_t value) { return {static_cast<uint32_t>(value)}; }

std::vector<Element> RunOnce(const ScalarProgram& program, const std::vector<Element>& arguments) {
  std::vector<Element> results(program.result_count()), registers(program.register_count());
  EvaluationContext context;
  program.Run(arguments, absl::MakeSpan(results), absl::MakeSpan(registers), context);
  return results;
}

TEST(ScalarProgram, RunsCallsFusionsAndTuples) {
  auto module = MustParse(R"(HloModule m
pair {
  p = s32[] parameter(0)
  q = s32[] parameter(1)
  s = s32[] add(p, q)
  d = s32[] subtract(p, q)
  ROOT t = (s32[], (s32[], s32[])) tuple(s, (s32[], s32[]) tuple(d, p))
}
double {
  x = s32[] parameter(0)
  two = s32[] constant(2)
  ROOT y = s32[] multiply(x, two)
}
ENTRY e {
  a = (s32[], s32[]) parameter(0)
  b = s32[] parameter(1)
  a0 = s32[] get-tuple-element(a), index=0
  a1 = s32[] get-tuple-element(a), index=1
  r = (s32[], (s32[], s32[])) call(a0, a1), to_apply=pair
  s = s32[] get-tuple-element(r), index=0
  i = (s32[], s32[]) get-tuple-element(r), index=1
  d = s32[] get-tuple-element(i), index=0
  f = s32[] fusion(s), kind=kLoop, calls=double
  c = s32[] copy(f)
  unused = s32[4] iota(), iota_dimension=0
  k = pred[] compare(d, b), direction=LT
  m = s32[] select(k, c, b)
  ROOT t = (s32[], s32[], s32[]) tuple(m, d, a1)
})");
  auto program = ScalarProgram::Compile(*module->entry());
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ((*program)->parameter_count(), 3);
  EXPECT_EQ((*program)->result_count(), 3);
  EXPECT_EQ((*program)->parameter_type(2), ElementType::kS32);
  // sum 12, difference 2; 2 < 5, so twice the sum.
  EXPECT_THAT(RunOnce(**program, {S32(7), S32(5), S32(5)}),
              ::testing::ElementsAre(S32(24), S32(2), S32(5)));
  EXPECT_THAT(RunOnce(**program, {S32(7), S32(5), S32(-1)}),
              ::testing::ElementsAre(S32(-1), S32(2), S32(5)));
}

TEST(ScalarProgram, RefusesWhatIsNotScalar) {
  for (const char* text : {"f32[2] negate(f32[2] x)",
                           "f32[] reduce(f32[2] x, f32[] z), dimensions={0}, to_apply={ a = "
                           "f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }",
                           "u64[1] rng-get-and-update-state(), delta=1"}) {
    auto module = MustParse(text);
    EXPECT_EQ(ScalarProgram::Compile(*module->entry()).status().code(),
              absl::StatusCode::kUnimplemented)
        << text;
  }
}

TEST(ScalarProgram, TakesLanesForScalars) {
  auto module = MustParse(R"(HloModule m
ENTRY e {
  x = s32[2,3] parameter(0)
  k = s32[] parameter(1)
  one = s32[] constant(1)
  n = s32[] add(k, one)
  b = s32[2,3] broadcast(n), dimensions={}
  ROOT r = s32[2,3] multiply(x, b)
})");
  auto program = ScalarProgram::Compile(*module->entry(), {2, 3});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(RunOnce(**program, {S32(7), S32(2)})[0], S32(21));
  EXPECT_FALSE(ScalarProgram::Compile(*module->entry(), {3, 2}).ok());
  // What moves elements between lanes is none.
  for (const char* text :
       {"f32[2,2] transpose(f32[2,2] x), dimensions={1,0}",
        "f32[2,2] broadcast(f32[2,2] x), dimensions={1,0}",
        "f32[2,2] reverse(f32[2,2] x), dimensions={0}", "f32[2,2] iota(), iota_dimension=0"}) {
    auto moving = MustParse(text);
    EXPECT_FALSE(ScalarProgram::Compile(*moving->entry(), {2, 2}).ok()) << text;
  }
}

// A chain of `depth` calls, each of which calls the next one `width` times.
std::string CallChain(int depth, int width) {
  std::string text =
      "HloModule m\nlevel0 {\n p = s32[] parameter(0)\n one = s32[] constant(1)\n"
      " ROOT r = s32[] add(p, one)\n}\n";
  for (int i = 1; i <= depth; ++i) {
    absl::StrAppend(&text, i == depth ? "ENTRY " : "", "level", i, " {\n p = s32[] parameter(0)\n");
    for (int w = 1; w <= width; ++w) {
      absl::StrAppend(&text, w == width ? " ROOT" : "", " c", w, " = s32[] call(",
                      w == 1 ? "p" : absl::StrCat("c", w - 1), "), to_apply=level", i - 1, "\n");
    }
    absl::StrAppend(&text, "}\n");
  }
  return text;
}

TEST(ScalarProgram, NestsDeeplyWithoutRecursion) {
  auto module = MustParse(CallChain(10000, 1));
  auto program = ScalarProgram::Compile(*module->entry());
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(RunOnce(**program, {S32(41)})[0], S32(42));
}

TEST(ScalarProgram, RefusesExponentialInlining) {
  auto small = MustParse(CallChain(10, 2));
  auto program = ScalarProgram::Compile(*small->entry());
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(RunOnce(**program, {S32(0)})[0], S32(1024));
  auto large = MustParse(CallChain(60, 2));
  EXPECT_EQ(ScalarProgram::Compile(*large->entry()).status().code(),
            absl::StatusCode::kUnimplemented);
}

// Answers every call with the sum of its s32 arguments.
class Summer : public runtime::ComputationCaller {
 public:
  absl::StatusOr<Literal> Call(const Computation&, absl::Span<const Literal> arguments) override {
    int64_t sum = 0;
    for (const Literal& leaf : arguments) sum += DecodeSigned(ElementType::kS32, leaf.Get(0).bits);
    return Literal::Scalar(ElementType::kS32, S32(sum));
  }
};

TEST(Region, CallsOutForOtherThanScalarPrograms) {
  auto module = MustParse(R"(HloModule m
ENTRY e {
  p = s32[] parameter(0)
  q = s32[] parameter(1)
  b = s32[3] broadcast(p), dimensions={}
  s = s32[1] slice(b), slice={[0:1]}
  c = s32[] reshape(s)
  ROOT r = s32[] add(c, q)
})");
  auto region = Region::Prepare(*module->entry());
  ASSERT_TRUE(region.ok()) << region.status();
  EXPECT_EQ(region->program(), nullptr);
  Element result;
  EvaluationContext context;
  EXPECT_EQ(region->Run({S32(1), S32(2)}, absl::MakeSpan(&result, 1), context).code(),
            absl::StatusCode::kUnimplemented);
  Summer summer;
  context.caller = &summer;
  ASSERT_TRUE(region->Run({S32(1), S32(2)}, absl::MakeSpan(&result, 1), context).ok());
  EXPECT_EQ(result, S32(3));
}

}  // namespace
}  // namespace assay::evaluator
