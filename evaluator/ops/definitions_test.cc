// Errors of definitions, and budgets that stop them. conformance/corpus/every_path_test.cc tests
// their values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "evaluator/ops/testing.h"
#include "evaluator/scalar/scalar_ops.h"
#include "spec/text/parser.h"

namespace assay::evaluator {
namespace {

using ::testing::HasSubstr;

absl::Status Refusal(const char* hlo) {
  auto module = ParseModule(hlo);
  EXPECT_TRUE(module.ok()) << module.status();
  return PrepareDefinition(*(*module)->entry()->root()).status();
}

TEST(Definitions, RefusesByName) {
  EXPECT_THAT(std::string(Refusal("token[] after-all()").message()), HasSubstr("after-all"));
  EXPECT_FALSE(HasDefinition(Opcode::kAfterAll));
  EXPECT_TRUE(HasDefinition(Opcode::kPad));
  EXPECT_TRUE(HasDefinition(Opcode::kTanh));
  const absl::Status dynamic = Refusal("f32[<=4] reverse(f32[<=4] x), dimensions={0}");
  EXPECT_EQ(dynamic.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(dynamic.message()), HasSubstr("reverse: dynamic"));
  EXPECT_THAT(std::string(Refusal("f32[2]{0} constant({...})").message()), HasSubstr("elided"));
  EXPECT_THAT(std::string(Refusal("f32[4]{0} bitcast(f32[2,2]{1,0:T(2,2)} x)").message()),
              HasSubstr("tiled"));
}

// A convolution with these operands and attributes.
absl::Status PrepareConvolution(const std::string& rest) {
  return Refusal(absl::StrCat("f32[1,2] convolution(f32[1,2] x, f32[2,2] y", rest).c_str());
}

TEST(Definitions, SparseConvolutionsAndGradientsAreRefused) {
  const std::string labels = ", dim_labels=bf_oi->bf";
  EXPECT_TRUE(PrepareConvolution(")" + labels).ok());
  EXPECT_TRUE(PrepareConvolution(")" + labels + ", convolution_kind=fprop").ok());
  const std::string sparse = ", sparsity_config={lhs={sparsity=2x4 dimension=1 stride=1 idx=0}}";
  for (const std::string& rest : {")" + labels + sparse, ", f32[2] z)" + labels}) {
    EXPECT_THAT(std::string(PrepareConvolution(rest).message()), HasSubstr("sparse operands"));
  }
  for (const char* kind : {"dgrad", "wgrad"}) {
    const absl::Status status =
        PrepareConvolution(absl::StrCat(")", labels, ", convolution_kind=", kind));
    EXPECT_THAT(std::string(status.message()), HasSubstr("a gradient kind"));
  }
}

TEST(Definitions, StatisticsThatAreNoVectorsAreRefused) {
  for (const char* statistics : {"f32[3,1] v, f32[3] w", "f32[3] v, f32[3,1] w"}) {
    const absl::Status status =
        Refusal(absl::StrCat("f32[4,3] batch-norm-inference(f32[4,3] x, f32[3] s, f32[3] t, ",
                             statistics, "), epsilon=1, feature_index=1")
                    .c_str());
    EXPECT_THAT(std::string(status.message()), HasSubstr("batch_norm_c6"));
  }
}

// A scan whose region adds one number to the carry, by its definition.
absl::StatusOr<std::vector<Literal>> Scan(const std::string& type, const std::string& given,
                                          const std::string& result, const Literal& x,
                                          const Literal& carry) {
  auto module = ParseModule(absl::StrReplaceAll(
      absl::StrCat("HloModule m\nadd { x = T[] parameter(0) c = T[] parameter(1) s = T[] add(c, x) "
                   "ROOT r = ",
                   given, " }\nENTRY e { x = T[", x.element_count(),
                   "] parameter(0) c = T[] parameter(1) ROOT r = ", result,
                   " scan(x, c), dimensions={0}, num_carries=1, is_associative=false, "
                   "to_apply=add }"),
      {{"T[", absl::StrCat(type, "[")}}));
  if (!module.ok()) return module.status();
  EvaluationContext context;
  const Literal inputs[] = {x, carry};
  return RunStraightLine(**module, inputs, PrepareStraight, context);
}

Literal Scalar(ElementType type, uint64_t bits) {
  Literal scalar = Literal::Zeros(Shape(type, {}));
  scalar.Set(0, {bits});
  return scalar;
}

// The payload of a NaN too.
TEST(Definitions, AScanOfNothingGivesTheCarryBitForBit) {
  const auto results =
      Scan("f32", "(T[], T[]) tuple(s, s)", "(T[0], T[])",
           Literal::Zeros(Shape(ElementType::kF32, {0})), Scalar(ElementType::kF32, 0x7f800123));
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[1].Get(0).bits, 0x7f800123u);
}

// A step is taken a few times, not once for every later result. Lanes lie beside one another, in
// either direction.
TEST(Definitions, ScansOfSumsAreLinear) {
  for (const char* reverse : {"false", "true"}) {
    auto module = ParseModule(absl::StrCat(
        "HloModule m\nadd { x = f32[] parameter(0) c = f32[] parameter(1) s = f32[] add(c, x) "
        "ROOT t = (f32[], f32[]) tuple(s, s) }\n"
        "ENTRY e { x = f32[3,1000] parameter(0) c = f32[3] parameter(1) "
        "ROOT r = (f32[3,1000], f32[3]) scan(x, c), dimensions={1}, is_reverse=",
        reverse, ", num_carries=1, is_associative=false, to_apply=add }"));
    ASSERT_TRUE(module.ok()) << module.status();
    Literal x = Literal::Zeros(Shape(ElementType::kF32, {3, 1000}));
    Literal c = Literal::Zeros(Shape(ElementType::kF32, {3}));
    for (int64_t i = 0; i < 3000; ++i) {
      x.Set(i, {EncodeFloat(ElementType::kF32, static_cast<double>(i % 7 + i / 1000))});
    }
    for (int64_t lane = 0; lane < 3; ++lane) {
      c.Set(lane, {EncodeFloat(ElementType::kF32, static_cast<double>(lane))});
    }
    runtime::Budget budget;
    EvaluationContext context;
    context.budget = &budget;
    const Literal inputs[] = {x, c};
    const auto results = RunStraightLine(**module, inputs, PrepareStraight, context);
    ASSERT_TRUE(results.ok()) << results.status();
    for (int64_t lane = 0; lane < 3; ++lane) {
      double sum = static_cast<double>(lane);
      for (int64_t n = 0; n < 1000; ++n) {
        const int64_t at = lane * 1000 + (*reverse == 't' ? 999 - n : n);
        sum += DecodeFloat(ElementType::kF32, x.Get(at).bits);
        ASSERT_EQ(DecodeFloat(ElementType::kF32, (*results)[0].Get(at).bits), sum) << at;
      }
      EXPECT_EQ(DecodeFloat(ElementType::kF32, (*results)[1].Get(lane).bits), sum);
    }
    // RunStraightLine runs twice.
    EXPECT_LT(budget.spent(), 2 * 3 * 3003);
  }
}

// Its input says how many steps it has: 100 + 1 + 2 + 3 + 4.
TEST(Definitions, AScanMayHaveNoOutputs) {
  Literal x = Literal::Zeros(Shape(ElementType::kS32, {4}));
  for (int64_t i = 0; i < 4; ++i) x.Set(i, {static_cast<uint64_t>(i + 1)});
  const auto results = Scan("s32", "(T[]) tuple(s)", "(T[])", x, Scalar(ElementType::kS32, 100));
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].Get(0).bits, 110u);
}

// An operation on all patterns of a type, the first three of them twice: by the definition of the
// array against the function of one element.
void ExpectTheFunctionOfEach(Opcode opcode, ElementType type, ElementType result) {
  SCOPED_TRACE(absl::StrCat(Name(opcode), " of ", Name(type), " to ", Name(result)));
  const int64_t n = (int64_t{1} << Info(type).bits) + 3;
  auto module = ParseModule(absl::StrCat("HloModule m\nENTRY e { x = ", Name(type), "[", n,
                                         "] parameter(0) ROOT r = ", Name(result), "[", n, "] ",
                                         Name(opcode), "(x) }"));
  ASSERT_TRUE(module.ok()) << module.status();
  Literal x = Literal::Zeros(Shape(type, {n}));
  for (int64_t i = 0; i < n; ++i) {
    x.Set(i, {static_cast<uint64_t>(i) & ((uint64_t{1} << Info(type).bits) - 1)});
  }
  EvaluationContext context;
  const auto results = RunStraightLine(**module, {&x, 1}, PrepareStraight, context);
  ASSERT_TRUE(results.ok()) << results.status();
  for (int64_t i = 0; i < n; ++i) {
    ASSERT_EQ((*results)[0].Get(i), EvaluateUnary(opcode, type, x.Get(i), result)) << i;
  }
}

TEST(Definitions, FunctionsOfFewValues) {
  int tried = 0;
  for (const ElementType type : kArrayTypes) {
    if (IsComplex(type) || Info(type).bits > 8) continue;
    for (int i = 0; i < kOpcodeCount; ++i) {
      const auto opcode = static_cast<Opcode>(i);
      const ElementType result = ScalarResultType(opcode, type);
      const auto function = FindScalarFunction({opcode, type, result});
      if (!Info(opcode).elementwise() || !function || function->arity != 1) continue;
      if (opcode == Opcode::kReducePrecision) continue;  // has attributes
      ExpectTheFunctionOfEach(opcode, type, result);
      ++tried;
    }
    ExpectTheFunctionOfEach(Opcode::kConvert, type, ElementType::kC128);
  }
  EXPECT_GT(tried, 100);
  ExpectTheFunctionOfEach(Opcode::kTanh, ElementType::kBF16, ElementType::kBF16);
  ExpectTheFunctionOfEach(Opcode::kConvert, ElementType::kF16, ElementType::kS8);
  ExpectTheFunctionOfEach(Opcode::kNegate, ElementType::kS16, ElementType::kS16);
}

TEST(Definitions, GatherOfNothingIsRefusedAtRunTime) {
  auto module = ParseModule(
      "f32[2] gather(f32[0] x, s32[2] i), offset_dims={}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={0}");
  ASSERT_TRUE(module.ok()) << module.status();
  EvaluationContext context;
  const Literal inputs[] = {Literal::Zeros(Shape(ElementType::kF32, {0})),
                            Literal::Zeros(Shape(ElementType::kS32, {2}))};
  const absl::Status status = RunStraightLine(**module, inputs, PrepareStraight, context).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
}

TEST(Definitions, ABudgetStopsThem) {
  auto module = ParseModule("f32[1000] negate(f32[1000] x)");
  ASSERT_TRUE(module.ok());
  runtime::Budget budget(100, -1);
  EvaluationContext context;
  context.budget = &budget;
  const Literal input = Literal::Zeros(Shape(ElementType::kF32, {1000}));
  EXPECT_EQ(RunStraightLine(**module, {&input, 1}, PrepareStraight, context).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace assay::evaluator
