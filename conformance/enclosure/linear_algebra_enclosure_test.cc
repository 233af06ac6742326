// Enclosures of programs with transforms, triangular systems and factorisations, compared with
// values worked out by hand and with wrong values. containment_test.cc tests containment.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/enclosure.h"
#include "interpreter/interpreter.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

Literal Array(ElementType type, const std::vector<int64_t>& sizes,
              const std::vector<double>& values) {
  Literal literal = Literal::Zeros(Shape(type, sizes));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(static_cast<int64_t>(i), Element{EncodeFloat(type, values[i])});
  }
  return literal;
}

double ValueAt(const Literal& literal, int64_t i) {
  return DecodeFloat(Info(literal.element_type()).component, literal.Get(i).bits);
}

class LinearAlgebraEnclosureTest : public testing::Test {
 protected:
  // Of the program, with its golden value beside it.
  void Enclose(const std::string& body, const std::vector<Literal>& arguments,
               const std::string& profile = "xla-cpu") {
    auto module = ParseModule(absl::StrCat("HloModule m\nENTRY e {\n", body, "\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    module_ = *std::move(module);
    auto target = TargetProfile::Find(profile);
    ASSERT_TRUE(target.ok()) << target.status();
    auto enclosure = assay::conformance::Enclose(*module_, arguments, *target, RunBudget{});
    ASSERT_TRUE(enclosure.ok()) << enclosure.status();
    enclosure_ = *std::move(enclosure);
    auto golden = Interpret(*module_, arguments);
    ASSERT_TRUE(golden.ok()) << golden.status();
    golden_ = *std::move(golden);
  }

  // Of the golden value with one element, or its imaginary part, changed.
  Verdict JudgedWith(int64_t i, double value, bool imaginary = false) const {
    Literal actual = golden_;
    Element element = actual.Get(i);
    (imaginary ? element.imag : element.bits) =
        EncodeFloat(Info(actual.element_type()).component, value);
    actual.Set(i, element);
    auto judgement = JudgeWhole(enclosure_, golden_, actual);
    EXPECT_TRUE(judgement.ok()) << judgement.status();
    return judgement.ok() ? judgement->verdict : Verdict::kNotJudgeable;
  }
  double Width(int64_t i) const {
    return ValueAt(enclosure_.box().high, i) - ValueAt(enclosure_.box().low, i);
  }

  std::unique_ptr<Module> module_;
  BoxTree enclosure_;
  Literal golden_;
};

constexpr double kUlp = 0x1p-23;  // of f32 at 1

TEST_F(LinearAlgebraEnclosureTest, TransformsOfIntervalsAreJudged) {
  Enclose(
      "a = f32[2,8] parameter(0)\n x = f32[2,8] exponential(a)\n"
      " ROOT f = c64[2,5] fft(x), fft_type=RFFT, fft_length={8}",
      {Array(ElementType::kF32, {2, 8}, std::vector<double>(16, 0.0))});
  // Ones, seven ulps off each (xla-cpu's exponential): the sum of eight is off by 56 at least, the
  // other coefficients as much.
  EXPECT_GE(Width(0), 2 * 56 * kUlp);
  // The transform itself may be 64 log2(4 8) + 2 units roundoff of the norm, 8, off (14.7).
  EXPECT_LE(Width(0), 2 * (2 * 56 * kUlp + 322 * 0x1p-24 * 8));
  EXPECT_EQ(JudgedWith(0, 8 + 40 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(0, 8.001), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(6, 0.001), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(6, 40 * kUlp), Verdict::kWithinBound);
}

TEST_F(LinearAlgebraEnclosureTest, OneLineOfATransformSaysNothingOfAnother) {
  Enclose(
      "a = f32[2,4] parameter(0)\n x = f32[2,4] exponential(a)\n z = f32[2,4] constant({{0,0,0,0},"
      "{1,1,1,1}})\n y = f32[2,4] multiply(x, z)\n c = c64[2,4] complex(y, y)\n"
      " ROOT f = c64[2,4] fft(c), fft_type=FFT, fft_length={4}",
      {Array(ElementType::kF32, {2, 4}, {0, 0, 0, 0, 0, 0, 0, 0})}, "golden");
  EXPECT_LE(Width(0), 0x1p-120);
  EXPECT_EQ(JudgedWith(0, 1e-6), Verdict::kWrong);
}

// Structural_53: an algorithm may leave out a factor of 0, so that a NaN does not reach the
// imaginary part of a sum of real numbers, which is then 0. What else it reaches is open.
TEST_F(LinearAlgebraEnclosureTest, ATransformMayLeaveOutZeroTimesNan) {
  const auto enclose = [this](const char* part, const char* profile) {
    Enclose(absl::StrCat("a = f32[2,2] parameter(0)\n f = c64[2,2] fft(a), fft_type=RFFT, "
                         "fft_length={2}\n p = ",
                         part, "(f)\n ROOT r = f32[2,2] negate(p)"),
            {Array(ElementType::kF32, {2, 2}, {NAN, 1, 1, 2})}, profile);
  };
  for (const char* profile : {"cpu-strict", "xla-cpu"}) {
    enclose("imag", profile);
    for (const int64_t i : {0, 1}) {
      EXPECT_EQ(JudgedWith(i, 0.0), Verdict::kWithinBound);
      EXPECT_EQ(JudgedWith(i, 1e-6), Verdict::kWrong);
    }
    EXPECT_EQ(JudgedWith(2, 1e-3), Verdict::kWrong);  // a block of finite numbers
    enclose("real", profile);
    EXPECT_EQ(JudgedWith(0, 0.0), Verdict::kNotJudgeable);
    EXPECT_EQ(JudgedWith(2, -3.001), Verdict::kWrong);
  }
  enclose("imag", "golden");
  EXPECT_EQ(JudgedWith(0, 0.0), Verdict::kWrong);
}

// 2.5e38 is in range, and so is a quotient of it.
TEST_F(LinearAlgebraEnclosureTest, TermsNearTheLargestNumberAreJudged) {
  for (const char* profile : {"cpu-strict", "xla-cpu"}) {
    Enclose(
        "t = f32[1,1] parameter(0)\n b = f32[1,1] parameter(1)\n x = f32[1,1] "
        "triangular-solve(t, b), left_side=true, lower=true, unit_diagonal=false, "
        "transpose_a=NO_TRANSPOSE\n ROOT r = f32[1,1] negate(x)",
        {Array(ElementType::kF32, {1, 1}, {4}), Array(ElementType::kF32, {1, 1}, {2.5e38})},
        profile);
    EXPECT_EQ(JudgedWith(0, -6.25e37 * (1 + kUlp)), Verdict::kWithinBound) << profile;
    EXPECT_EQ(JudgedWith(0, -6e37), Verdict::kWrong) << profile;
    EXPECT_EQ(JudgedWith(0, -INFINITY), Verdict::kWrong) << profile;
  }
}

TEST_F(LinearAlgebraEnclosureTest, SystemsAreJudged) {
  // 2 x = exp(0); x + 4 y = exp(0): 1/2, 1/8.
  const std::string body =
      "t = f32[2,2] constant({{2, 0}, {1, 4}})\n a = f32[2,1] parameter(0)\n"
      " b = f32[2,1] exponential(a)\n"
      " ROOT x = f32[2,1] triangular-solve(t, b), left_side=true, lower=true, "
      "unit_diagonal=false, transpose_a=NO_TRANSPOSE";
  const Literal zeros = Array(ElementType::kF32, {2, 1}, {0, 0});
  Enclose(body, {zeros});
  EXPECT_EQ(ValueAt(golden_, 0), 0.5);
  EXPECT_EQ(ValueAt(golden_, 1), 0.125);
  EXPECT_EQ(JudgedWith(0, 0.5 + 3 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(1, 0.125 + 2 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(1, 0.126), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(1, NAN), Verdict::kWrong);
  EXPECT_LE(Width(1), 40 * kUlp);
}

TEST_F(LinearAlgebraEnclosureTest, ADiagonalThatMayBeZeroLetsGoOfWhatFollows) {
  // sin(pi) is near zero, on either side of it.
  const std::string program =
      "a = f32[1] parameter(0)\n s = f32[1] sine(a)\n h = f32[1] floor(s)\n"
      " z = f32[1] subtract(s, s)\n p = f32[1,1] reshape(z)\n"
      " c = f32[2,2] constant({{1, 0}, {1, 0}})\n m = f32[] constant(0)\n"
      " d = f32[2,2] pad(p, m), padding=1_0x1_0\n t = f32[2,2] add(c, d)\n"
      " b = f32[2,1] constant({{3}, {4}})\n"
      " ROOT x = f32[2,1] triangular-solve(t, b), left_side=true, lower=true, "
      "unit_diagonal=false, transpose_a=NO_TRANSPOSE";
  const std::vector<Literal> arguments = {Array(ElementType::kF32, {1}, {1})};
  Enclose(program, arguments, "cpu-strict");
  EXPECT_EQ(JudgedWith(0, 3.5), Verdict::kWrong);
  // Only the element that is divided by it is open.
  Literal actual = golden_;
  actual.Set(1, Element{EncodeFloat(ElementType::kF32, 12345)});
  auto judgement = JudgeWhole(enclosure_, golden_, actual);
  ASSERT_TRUE(judgement.ok());
  EXPECT_EQ(judgement->verdict, Verdict::kNotJudgeable);
  // An inverse of the whole matrix has what is not finite in every element.
  Enclose(program, arguments, "xla-cpu");
  EXPECT_EQ(JudgedWith(0, NAN), Verdict::kNotJudgeable);
}

// x1 = 1 does not depend on the NaN, which the inverse of the matrix multiplies by zero: a target
// that inverts returns NaN there.
TEST_F(LinearAlgebraEnclosureTest, NansSpreadToAllElementsWhereBlocksAreInverted) {
  const std::string body =
      " t = f32[2,2] parameter(0)\n b = f32[2,1] constant({{1}, {4}})\n"
      " x = f32[2,1] triangular-solve(t, b), left_side=true, lower=true, unit_diagonal=false, "
      "transpose_a=TRANSPOSE\n ROOT r = f32[2,1] negate(x)";
  const Literal matrix = Array(ElementType::kF32, {2, 2}, {2, 0, NAN, 4});
  Enclose(body, {matrix});
  EXPECT_EQ(ValueAt(golden_, 1), -1);
  EXPECT_EQ(JudgedWith(1, NAN), Verdict::kNotJudgeable);
  Enclose(body, {matrix}, "cpu-strict");
  EXPECT_EQ(JudgedWith(1, NAN), Verdict::kWrong);
}

TEST_F(LinearAlgebraEnclosureTest, FactorsAreJudged) {
  // {{4, 2}, {2, 5}} has the factor {{2, 0}, {1, 2}}.
  const std::string body =
      "a = f32[2,2] parameter(0)\n z = f32[2,2] constant({{3, 1}, {1, 4}})\n"
      " e = f32[2,2] exponential(a)\n m = f32[2,2] add(e, z)\n"
      " ROOT l = f32[2,2] cholesky(m), lower=true";
  Enclose(body, {Array(ElementType::kF32, {2, 2}, {0, 0, 0, 0})});
  EXPECT_EQ(ValueAt(golden_, 0), 2);
  EXPECT_EQ(ValueAt(golden_, 2), 1);
  EXPECT_EQ(ValueAt(golden_, 3), 2);
  EXPECT_EQ(JudgedWith(0, 2 + 2 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(0, 2.001), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(0, -2), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(3, 2.001), Verdict::kWrong);
  EXPECT_LE(Width(3), 100 * kUlp);
  // The other triangle may be anything.
  EXPECT_EQ(JudgedWith(1, 77), Verdict::kNotJudgeable);
  // A matrix that is not positive definite, or may not be one, has no factor that is judged.
  Enclose(body, {Array(ElementType::kF32, {2, 2}, {0, 2, 2, 0})});
  EXPECT_EQ(JudgedWith(0, 3), Verdict::kNotJudgeable);
}

// The factor of {{4, *}, {2 + 2i, 11}} is {{2, 0}, {1 + i, 3}} (ops_structural.md 10.1).
TEST_F(LinearAlgebraEnclosureTest, ComplexFactorsAndSystemsAreJudged) {
  const std::string body =
      " a = c64[2,2] parameter(0)\n e = c64[2,2] exponential(a)\n"
      " z = c64[2,2] constant({{(4, 0), (77, 77)}, {(2, 2), (11, 0)}})\n"
      " m = c64[2,2] multiply(e, z)\n l = c64[2,2] cholesky(m), lower=true\n";
  const Literal zeros = Literal::Zeros(Shape(ElementType::kC64, {2, 2}));
  Enclose(absl::StrCat(body, " ROOT r = c64[2,2] copy(l)"), {zeros});
  EXPECT_EQ(ValueAt(golden_, 2), 1);
  EXPECT_EQ(ValueAt(golden_, 3), 3);
  EXPECT_EQ(JudgedWith(2, 1 + 4 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(2, 1 - 4 * kUlp, true), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(2, 1.001), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(2, -1, true), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(3, 3.001), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(3, 0.001, true), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(3, NAN), Verdict::kWrong);
  // xla-cpu grants complex functions and roots 64 ulps of their absolute value, products 32: of the
  // operand twice 2 (129 + 65) 2^(1/2), of the residual 2^(1/2) gam(11 + 2 128) of 2 2^(1/2).
  EXPECT_LE(Width(2), 5000 * kUlp);
  EXPECT_EQ(JudgedWith(1, 55), Verdict::kNotJudgeable);
  // 2 y0 = 2, (1 + i) y0 + 3 y1 = 4 - 2i: y = {1, 1 - i}; the adjoint of L with b = {4, 3}: x1 = 1,
  // x0 = (4 - (1 - i)) / 2.
  const std::string sides = " b = c64[2,1] constant({{(2, 0)}, {(4, -2)}})\n";
  Enclose(absl::StrCat(body, sides,
                       " ROOT y = c64[2,1] triangular-solve(l, b), left_side=true, lower=true, "
                       "unit_diagonal=false, transpose_a=NO_TRANSPOSE"),
          {zeros});
  EXPECT_EQ(ValueAt(golden_, 0), 1);
  EXPECT_EQ(ValueAt(golden_, 1), 1);
  EXPECT_EQ(JudgedWith(1, 1 + 4 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(1, 1.001), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(1, 1, true), Verdict::kWrong);
  Enclose(absl::StrCat(body,
                       " b = c64[2,1] constant({{(4, 0)}, {(3, 0)}})\n"
                       " ROOT x = c64[2,1] triangular-solve(l, b), left_side=true, lower=true, "
                       "unit_diagonal=false, transpose_a=ADJOINT"),
          {zeros});
  EXPECT_EQ(ValueAt(golden_, 0), 1.5);
  EXPECT_EQ(JudgedWith(0, 0.5 + 4 * kUlp, true), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(0, -0.5, true), Verdict::kWrong);
  EXPECT_LE(Width(0), 10000 * kUlp);
}

// Divided as rest conj(d) / |d|^2, whose parts overflow though the quotient does not.
TEST_F(LinearAlgebraEnclosureTest, ComplexDivisorsThatOverflowWhenSquaredLetGo) {
  Enclose(
      " t = c64[1,1] parameter(0)\n b = c64[1,1] parameter(1)\n"
      " x = c64[1,1] triangular-solve(t, b), left_side=true, lower=true, unit_diagonal=false, "
      "transpose_a=NO_TRANSPOSE\n ROOT r = c64[1,1] copy(x)",
      {Literal::Scalar(ElementType::kC64, {EncodeFloat(ElementType::kF32, 1e25), 0})
           .WithShape(Shape(ElementType::kC64, {1, 1})),
       Literal::Scalar(ElementType::kC64, {EncodeFloat(ElementType::kF32, 1e25), 0})
           .WithShape(Shape(ElementType::kC64, {1, 1}))});
  EXPECT_EQ(JudgedWith(0, NAN), Verdict::kNotJudgeable);
}

// The variance of equal numbers is 0 and the golden result 0/0. Rounding makes the variance
// positive and the result a number. The other feature is bounded.
TEST_F(LinearAlgebraEnclosureTest, AVarianceThatCancelsLetsGoOfNan) {
  std::vector<double> cells;
  for (int i = 0; i < 32; ++i) {
    cells.push_back(-0.53);
    cells.push_back(i);
  }
  Enclose(
      "a = f64[32,2] parameter(0)\n s = f64[2] parameter(1)\n c = f64[32,2] copy(a)\n"
      " n = (f64[32,2], f64[2], f64[2]) batch-norm-training(c, s, s), epsilon=0, feature_index=1\n"
      " ROOT r = f64[32,2] get-tuple-element(n), index=0",
      {Array(ElementType::kF64, {32, 2}, cells), Array(ElementType::kF64, {2}, {1.0, 1.0})});
  ASSERT_TRUE(std::isnan(ValueAt(golden_, 0)));
  EXPECT_NE(JudgedWith(0, 0.25), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(1, 0.25), Verdict::kWrong);
}

TEST_F(LinearAlgebraEnclosureTest, KnownOperandsAreJudgedToo) {
  Enclose(
      "a = f32[2,2] parameter(0)\n l = f32[2,2] cholesky(a), lower=false\n"
      " ROOT s = f32[2,2] add(l, l)",
      {Array(ElementType::kF32, {2, 2}, {4, 2, 77, 5})});
  EXPECT_EQ(ValueAt(golden_, 0), 4);
  EXPECT_EQ(ValueAt(golden_, 1), 2);
  EXPECT_EQ(JudgedWith(1, 2 + 2 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(1, 2.001), Verdict::kWrong);
}

// As JAX has them: the factor, or NaN where there is none, then a system with it.
TEST_F(LinearAlgebraEnclosureTest, FactorsAndSystemsByLapackAreJudged) {
  const std::string body =
      " a = f32[2,2] parameter(0)\n z = f32[2,2] constant({{3, 1}, {1, 4}})\n"
      " e = f32[2,2] exponential(a)\n m = f32[2,2] add(e, z)\n"
      " f = (f32[2,2], s32[]) custom-call(m), custom_call_target=\"lapack_spotrf_ffi\", "
      "api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}\n"
      " l = f32[2,2] get-tuple-element(f), index=0\n i = s32[] get-tuple-element(f), index=1\n"
      " zero = s32[] constant(0)\n done = pred[] compare(i, zero), direction=EQ\n"
      " dones = pred[2,2] broadcast(done), dimensions={}\n none = f32[] constant(nan)\n"
      " nans = f32[2,2] broadcast(none), dimensions={}\n"
      " factor = f32[2,2] select(dones, l, nans)\n";
  const Literal zeros = Array(ElementType::kF32, {2, 2}, {0, 0, 0, 0});
  // {{4, 2}, {2, 5}} has the factor {{2, *}, {1, 2}}.
  Enclose(absl::StrCat(body, " ROOT r = f32[2,2] copy(factor)"), {zeros});
  EXPECT_EQ(ValueAt(golden_, 2), 1);
  EXPECT_EQ(JudgedWith(2, 1 + 4 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(2, 1.001), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(3, NAN), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(1, 77), Verdict::kNotJudgeable);
  Enclose(absl::StrCat(body, " ROOT r = s32[] copy(i)"), {zeros});
  EXPECT_TRUE(Literal::BitEqual(enclosure_.box().low, enclosure_.box().high));
  // The transposed system, whose matrix is {{2, 1}, {0, 2}}: {5, 4} = {2 1.5 + 2, 2 2}.
  Enclose(absl::StrCat(body,
                       " b = f32[2,1] constant({{5}, {4}})\n"
                       " ROOT x = f32[2,1] custom-call(factor, b), "
                       "custom_call_target=\"lapack_strsm_ffi\", "
                       "api_version=API_VERSION_TYPED_FFI, backend_config={side = 76 : ui8, uplo = "
                       "76 : ui8, trans_x = 84 : ui8, diag = 78 : ui8}"),
          {zeros});
  EXPECT_EQ(ValueAt(golden_, 0), 1.5);
  EXPECT_EQ(ValueAt(golden_, 1), 2);
  EXPECT_EQ(JudgedWith(0, 1.5 + 4 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(0, 1.501), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(0, 2.5), Verdict::kWrong);
  // The second pivot is about zero: there may be a factor or none.
  Enclose(absl::StrCat(body, " ROOT r = f32[2,2] copy(factor)"),
          {Array(ElementType::kF32, {2, 2}, {0, 0, std::log(3.4721359), 0})});
  EXPECT_EQ(JudgedWith(3, 0.001), Verdict::kNotJudgeable);
  EXPECT_EQ(JudgedWith(3, NAN), Verdict::kNotJudgeable);
  Enclose(absl::StrCat(body, " ROOT r = s32[] copy(i)"),
          {Array(ElementType::kF32, {2, 2}, {0, 0, std::log(3.4721359), 0})});
  EXPECT_EQ(enclosure_.box().low.Get(0).bits, 0);
  EXPECT_EQ(enclosure_.box().high.Get(0).bits, 2);
}

// {{1, 2}, {4, 3}}: the rows change places, 1/4 of the first taken off leaves 2 - 3/4.
TEST_F(LinearAlgebraEnclosureTest, EliminationsWithPivotsAreJudged) {
  const std::string body =
      " a = f32[2,2] parameter(0)\n z = f32[2,2] constant({{1, 2}, {4, 3}})\n"
      " e = f32[2,2] exponential(a)\n m = f32[2,2] multiply(e, z)\n"
      " f = (f32[2,2], s32[2], s32[]) custom-call(m), custom_call_target=\"lapack_sgetrf_ffi\", "
      "api_version=API_VERSION_TYPED_FFI\n";
  const Literal zeros = Array(ElementType::kF32, {2, 2}, {0, 0, 0, 0});
  const std::string factors =
      absl::StrCat(body, " ROOT r = f32[2,2] get-tuple-element(f), index=0");
  Enclose(factors, {zeros});
  EXPECT_EQ(ValueAt(golden_, 2), 0.25);
  EXPECT_EQ(ValueAt(golden_, 3), 1.25);
  EXPECT_EQ(JudgedWith(2, 0.25 + 2 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(3, 1.25 - 4 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(2, 0.2501), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(3, 1.2501), Verdict::kWrong);
  EXPECT_EQ(JudgedWith(3, NAN), Verdict::kWrong);
  EXPECT_LE(Width(3), 200 * kUlp);
  for (const auto& [leaf, shape] : {std::pair(1, "s32[2]"), std::pair(2, "s32[]")}) {
    Enclose(absl::StrCat(body, " ROOT r = ", shape, " get-tuple-element(f), index=", leaf),
            {zeros});
    EXPECT_TRUE(Literal::BitEqual(enclosure_.box().low, enclosure_.box().high));
    EXPECT_TRUE(Literal::BitEqual(enclosure_.box().low, golden_));
  }
  // e^1.3862944 is 4 or next to it: either row may come first.
  const Literal close = Array(ElementType::kF32, {2, 2}, {1.3862944, 0, 0, 0});
  Enclose(factors, {close});
  EXPECT_EQ(JudgedWith(3, 123), Verdict::kNotJudgeable);
  Enclose(absl::StrCat(body, " ROOT r = s32[2] get-tuple-element(f), index=1"), {close});
  EXPECT_EQ(enclosure_.box().low.Get(0).bits, 1);
  EXPECT_EQ(enclosure_.box().high.Get(0).bits, 2);
  // Of what is known the first of equal elements is the pivot; the last pivot may be zero.
  Enclose(
      " a = f32[2,2] parameter(0)\n"
      " f = (f32[2,2], s32[2], s32[]) custom-call(a), custom_call_target=\"lapack_sgetrf_ffi\", "
      "api_version=API_VERSION_TYPED_FFI\n ROOT r = s32[] get-tuple-element(f), index=2",
      {Array(ElementType::kF32, {2, 2}, {2, 2, -2, -2})});
  EXPECT_EQ(golden_.Get(0).bits, 2);
  EXPECT_EQ(enclosure_.box().low.Get(0).bits, 0);
  EXPECT_EQ(enclosure_.box().high.Get(0).bits, 2);
}

TEST_F(LinearAlgebraEnclosureTest, CallsOfElementwiseOperationsAreTheseOperations) {
  Enclose(
      " a = f32[1] parameter(0)\n e = f32[1] exponential(a)\n"
      " h = f32[1] custom-call(e), custom_call_target=\"mhlo.sinh\"\n"
      " ROOT s = f32[1] custom-call(h), custom_call_target=\"Sharding\"",
      {Array(ElementType::kF32, {1}, {0})});
  EXPECT_EQ(JudgedWith(0, std::sinh(1) + 3 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(0, 1.18), Verdict::kWrong);
}

// {1, 3} e^1e-20 (e^0 would be 1 for certain): mean 2, variance 1, epsilon 3, so the outputs are 5
// - 1 and 5 + 1.
TEST_F(LinearAlgebraEnclosureTest, NormalisedBatchesAreJudged) {
  const std::string body =
      "a = f32[2,1] parameter(0)\n e = f32[2,1] exponential(a)\n"
      " c = f32[2,1] constant({{1}, {3}})\n x = f32[2,1] multiply(e, c)\n"
      " g = f32[1] constant({2})\n o = f32[1] constant({5})\n";
  const Literal zeros = Array(ElementType::kF32, {2, 1}, {1e-20, 1e-20});
  const std::string train =
      " n = (f32[2,1], f32[1], f32[1]) batch-norm-training(x, g, o), epsilon=3, feature_index=1\n";
  Enclose(absl::StrCat(body, train, " ROOT y = f32[2,1] get-tuple-element(n), index=0"), {zeros});
  EXPECT_EQ(ValueAt(golden_, 0), 4);
  EXPECT_EQ(ValueAt(golden_, 1), 6);
  EXPECT_EQ(JudgedWith(1, 6 + 8 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(1, 6.001), Verdict::kWrong);
  EXPECT_LE(Width(1), 800 * kUlp);
  Enclose(absl::StrCat(body, train, " ROOT m = f32[1] get-tuple-element(n), index=1"), {zeros});
  EXPECT_EQ(ValueAt(golden_, 0), 2);
  EXPECT_EQ(JudgedWith(0, 2 + 10 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(0, 2.0001), Verdict::kWrong);
  Enclose(absl::StrCat(body, train, " ROOT v = f32[1] get-tuple-element(n), index=2"), {zeros});
  EXPECT_EQ(ValueAt(golden_, 0), 1);
  EXPECT_EQ(JudgedWith(0, 1.001), Verdict::kWrong);
  // Mean 1, variance 1: 5 and 7.
  const std::string one = " m = f32[1] constant({1})\n";
  Enclose(absl::StrCat(body, one,
                       " ROOT y = f32[2,1] batch-norm-inference(x, g, o, m, m), epsilon=3, "
                       "feature_index=1"),
          {zeros});
  EXPECT_EQ(ValueAt(golden_, 1), 7);
  EXPECT_EQ(JudgedWith(1, 7 + 8 * kUlp), Verdict::kWithinBound);
  EXPECT_EQ(JudgedWith(1, 7.001), Verdict::kWrong);
  // dy = x: the gradient of the offset is 4, of the scale (0 + 3 2) / 2 = 3.
  for (const auto& [leaf, value] : {std::pair(1, 3.0), std::pair(2, 4.0)}) {
    Enclose(
        absl::StrCat(body, one,
                     " n = (f32[2,1], f32[1], f32[1]) batch-norm-grad(x, g, m, m, x), epsilon=3, "
                     "feature_index=1\n ROOT d = f32[1] get-tuple-element(n), index=",
                     leaf),
        {zeros});
    EXPECT_EQ(ValueAt(golden_, 0), value);
    EXPECT_EQ(JudgedWith(0, value + 4 * kUlp), Verdict::kWithinBound);
    EXPECT_EQ(JudgedWith(0, value + 0.001), Verdict::kWrong);
  }
  // A variance that may not be positive.
  Enclose(
      absl::StrCat(body,
                   " s = f32[2,1] subtract(x, x)\n t = f32[1,1] slice(s), slice={[0:1], [0:1]}\n"
                   " v = f32[1] reshape(t)\n"
                   " ROOT y = f32[2,1] batch-norm-inference(x, g, o, g, v), epsilon=0, "
                   "feature_index=1"),
      {zeros});
  EXPECT_EQ(JudgedWith(1, 123), Verdict::kNotJudgeable);
}

}  // namespace
}  // namespace assay::conformance
