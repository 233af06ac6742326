// Custom calls judged by the operation of HLO that they are, and those of which nothing is known.
#include "conformance/judge/called_operation.h"

#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

std::string Call(const std::string& shape, const std::string& operands, const std::string& target,
                 const std::string& config) {
  return absl::StrCat(shape, " custom-call(", operands, "), custom_call_target=\"", target,
                      "\", api_version=API_VERSION_TYPED_FFI, backend_config={", config, "}");
}

class Potrf : public testing::Test {
 protected:
  std::string Explain(const Literal& a, const Literal& factor, int32_t info) const {
    return call_.Explain(
        {a}, Literal::Tuple({factor, Literal::Scalar(ElementType::kS32,
                                                     Element{static_cast<uint32_t>(info)})}));
  }
  const Case call_{Call("(f32[2,2], s32[])", "p0", "lapack_spotrf_ffi", "uplo = 76 : ui8"),
                   {"f32[2,2]"}};
};

TEST_F(Potrf, ByWhatIsLeftOver) {
  const Literal a = Matrix(2, 2, {4, 2, 2, 5});
  EXPECT_EQ(Explain(a, Matrix(2, 2, {2, 2, 1, 2}), 0), "golden");
  EXPECT_EQ(Explain(a, Matrix(2, 2, {2 + 8 * kUlp, 2, 1, 2}), 0), "within bound");
  EXPECT_EQ(Explain(a, Matrix(2, 2, {2 + 10 * kUlp, 2, 1, 2}), 0), "wrong");
  EXPECT_EQ(Explain(a, Matrix(2, 2, {2, 2, 1 + 32 * kUlp, 2}), 0), "wrong");
  // The other triangle is nobody's business.
  EXPECT_EQ(Explain(a, Matrix(2, 2, {2, 77, 1, 2}), 0), "implementation_defined");
  // This matrix has a factor, however it is computed.
  EXPECT_EQ(Explain(a, Matrix(2, 2, {2, 2, 1, 2}), 2), "wrong");
}

TEST_F(Potrf, Failures) {
  // Golden fails at the second pivot, 1 - 4; it does not judge what others find there.
  const Literal indefinite = Matrix(2, 2, {1, 2, 2, 1});
  EXPECT_EQ(Explain(indefinite, Matrix(2, 2, {1, 2, 2, 1}), 2), "golden");
  EXPECT_EQ(Explain(indefinite, Matrix(2, 2, {1, 2, 2, -3}), 2), "implementation_defined");
  EXPECT_EQ(Explain(indefinite, Matrix(2, 2, {1, 2, 2, 1}), 0), "not judgeable");
  EXPECT_EQ(Explain(indefinite, Matrix(2, 2, {1, 2, 2, 1}), 3), "wrong");
  EXPECT_EQ(Explain(indefinite, Matrix(2, 2, {1, 2, 2, 1}), -1), "wrong");
  // The first pivot is not a result of anything.
  EXPECT_EQ(Explain(Matrix(2, 2, {-1, 0, 0, 1}), Matrix(2, 2, {-1, 0, 0, 1}), 2), "wrong");
  // The second pivot is 2^-24 of the diagonal: roundings may make it negative, and the factor
  // stops.
  const Literal near = Matrix(2, 2, {1, 1, 1, 1 + kUlp});
  EXPECT_EQ(Explain(near, Matrix(2, 2, {1, 1, 1, -kUlp}), 2), "not judgeable");
  EXPECT_EQ(Explain(near, Matrix(2, 2, {1, 1, 1, 0.5}), 0), "wrong");
}

TEST(JudgeTrsm, BySubstitution) {
  const Case call(Call("f32[2,1]", "p0, p1", "lapack_strsm_ffi",
                       "side = 76 : ui8, uplo = 76 : ui8, trans_x = 84 : ui8, diag = 78 : ui8"),
                  {"f32[2,2]", "f32[2,1]"});
  // The transposed system: 4 y = 9, 2 x + y = 6.
  const std::vector<Literal> operands = {Matrix(2, 2, {2, kNan, 1, 4}), Matrix(2, 1, {6, 9})};
  const auto explain = [&](double x, double y) {
    return call.Explain(operands, Matrix(2, 1, {x, y}));
  };
  EXPECT_EQ(explain(1.875, 2.25), "golden");
  EXPECT_EQ(explain(1.875 + 4 * kUlp, 2.25), "within bound");
  EXPECT_EQ(explain(1.876, 2.25), "wrong");
  EXPECT_EQ(explain(3, 1.5), "wrong");
  EXPECT_EQ(explain(1.875, kNan), "wrong");
}

TEST(JudgeCalls, WrappersAreTheirOperations) {
  const Case call("f32[2] custom-call(p0), custom_call_target=\"mhlo.asin\"", {"f32[2]"});
  EXPECT_EQ(call.Explain({F32({0, 0.5})}, F32({0, Step(std::asin(0.5), 2)})), "within bound");
  EXPECT_EQ(call.Explain({F32({0, 0.5})}, F32({0, 0.6})), "wrong");
}

TEST(JudgeCalls, OtherFactorisationsAreNotJudged) {
  const Case call(Call("(f32[2,2], f32[2])", "p0", "lapack_sgeqrf_ffi", ""), {"f32[2,2]"});
  const Literal a = Matrix(2, 2, {3, 1, 4, 2});
  auto golden = call.Evaluate({a});
  ASSERT_TRUE(golden.ok());
  EXPECT_EQ(call.Explain({a}, *golden), "golden");
  Literal tau = golden->element(1);
  tau.Set(0, Element{tau.Get(0).bits + 1});
  const Judgement judgement = call.Judge({a}, Literal::Tuple({golden->element(0), tau}));
  EXPECT_EQ(judgement.verdict, Verdict::kNotJudgeable);
  EXPECT_EQ(judgement.reasons,
            std::vector<std::string>{"no error bound is defined for lapack_sgeqrf_ffi"});
}

TEST(JudgeCalls, WhatIsChosenIsExact) {
  const Case call(Call("(f32[1], s32[1])", "p0", "TopK", ""), {"f32[3]"});
  const auto answer = [](double value, uint32_t index) {
    Literal at = Literal::Zeros(Shape(ElementType::kS32, {1}));
    at.Set(0, Element{index});
    return Literal::Tuple({F32({value}), at});
  };
  EXPECT_EQ(call.Explain({F32({1, 3, 2})}, answer(3, 1)), "golden");
  EXPECT_EQ(call.Explain({F32({1, 3, 2})}, answer(Step(3, 1), 1)), "wrong");
}

}  // namespace
}  // namespace assay::conformance
