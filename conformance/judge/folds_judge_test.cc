// Products of complex numbers in any order, and folds whose regions are written in other ways than
// one operation: conforming targets are not accused, wrong ones are.
#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "absl/strings/str_replace.h"
#include "conformance/judge/testing.h"
#include "spec/testing/schedule.h"

namespace assay::conformance {
namespace {

using ComplexNumber = std::complex<float>;
using Values = std::vector<ComplexNumber>;

// As most targets multiply: each component product and each sum is rounded.
ComplexNumber Times(ComplexNumber a, ComplexNumber b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

ComplexNumber InOrder(const Values& factors, bool reversed) {
  ComplexNumber product = 1;
  for (size_t k = 0; k < factors.size(); ++k) {
    product = Times(product, factors[reversed ? factors.size() - 1 - k : k]);
  }
  return product;
}

ComplexNumber InPairs(Values factors) {
  while (factors.size() > 1) {
    Values next;
    for (size_t k = 0; k < factors.size(); k += 2) {
      next.push_back(k + 1 < factors.size() ? Times(factors[k], factors[k + 1]) : factors[k]);
    }
    factors = next;
  }
  return factors[0];
}

Literal LiteralOf(const Values& values) {
  Literal literal = Literal::Zeros(Shape(ElementType::kC64, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(static_cast<int64_t>(i), C64(values[i].real(), values[i].imag()).Get(0));
  }
  return literal;
}

constexpr char kMultiply[] =
    "f {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n  ROOT s = c64[] multiply(a, b)\n}\n";

TEST(JudgeFolds, ComplexProductsInAnyOrder) {
  const Case product("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[12]", "c64[]"},
                     kMultiply);
  std::mt19937 random(20261123);
  // From ordinary factors to such that overflow and underflow on the way.
  for (const int reach : {0, 4, 12, 40, 90}) {
    for (int round = 0; round < Scheduled(60); ++round) {
      Values factors;
      for (int k = 0; k < 12; ++k) {
        const auto value = [&] {
          const int exponent = static_cast<int>(random() % (2 * reach + 1)) - reach;
          const double fraction = 0.5 + (random() % 1000003) / 2e6;
          const float x = static_cast<float>(std::ldexp(fraction, exponent));
          return random() % 12 == 0 ? 0 : random() % 2 == 0 ? x : -x;
        };
        factors.push_back({value(), value()});
      }
      const std::vector<Literal> operands = {LiteralOf(factors), C64(1, 0)};
      for (const ComplexNumber& got :
           {InOrder(factors, false), InOrder(factors, true), InPairs(factors)}) {
        ASSERT_NE(product.Explain(operands, C64(got.real(), got.imag())), "wrong")
            << "2^" << reach << ", round " << round << ": " << got.real() << ", " << got.imag();
      }
    }
  }
}

TEST(JudgeFolds, WrongComplexProductsAreAccused) {
  const Case product("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[4]", "c64[]"},
                     kMultiply);
  const std::vector<Literal> operands = {LiteralOf({{1, 2}, {3, -1}, {-2, 5}, {1.5, 0.25}}),
                                         C64(1, 0)};
  const absl::StatusOr<Literal> golden = product.Evaluate(operands);
  ASSERT_TRUE(golden.ok());
  const auto re = static_cast<float>(DecodeFloat(ElementType::kF32, golden->Get(0).bits));
  const auto im = static_cast<float>(DecodeFloat(ElementType::kF32, golden->Get(0).imag));
  EXPECT_EQ(product.Explain(operands, C64(re, im)), "golden");
  EXPECT_EQ(product.Explain(operands, C64(re, -im)), "wrong");
  EXPECT_EQ(product.Explain(operands, C64(im, re)), "wrong");
  EXPECT_EQ(product.Explain(operands, C64(re * 1.0001F, im)), "wrong");
  const ComplexNumber less = InOrder({{1, 2}, {3, -1}, {-2, 5}}, false);
  EXPECT_EQ(product.Explain(operands, C64(less.real(), less.imag())), "wrong");
}

// What overflows on the way is infinite or NaN ever after, and nothing else.
TEST(JudgeFolds, ComplexProductsThatMayOverflow) {
  const Case product("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[4]", "c64[]"},
                     kMultiply);
  const std::vector<Literal> operands = {
      LiteralOf({{1e30F, 0}, {1e30F, 0}, {1e-30F, 0}, {1e-30F, 0}}), C64(1, 0)};
  EXPECT_EQ(product.Explain(operands, C64(1, 0)), "golden");
  EXPECT_EQ(product.Explain(operands, C64(kNan, kNan)), "reassociation");
  EXPECT_EQ(product.Explain(operands, C64(kInf, kNan)), "reassociation");
  EXPECT_EQ(product.Explain(operands, C64(1, 0x1p-23F)), "within bound");
  // A product loses no more to underflow than three times itself: three of them, 64 at most.
  EXPECT_EQ(product.Explain(operands, C64(7, 7)), "not judgeable");
  EXPECT_EQ(product.Explain(operands, C64(70, 70)), "wrong");
  EXPECT_EQ(product.Explain(operands, C64(kNan, 7)), "wrong");
}

// The parts of complex numbers are added up on their own: NaN or infinity in one leaves the other
// one its bound, 3 u sum |terms| = 35.8 around 2.
TEST(JudgeFolds, ComplexSumsBesideWhatIsNotFinite) {
  const Case sum("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[4]", "c64[]"},
                 "f {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
                 "  ROOT s = c64[] add(a, b)\n}\n");
  for (const float value : {kNan, kInf, -kInf}) {
    const std::vector<Literal> imaginary = {LiteralOf({{1e8, value}, {1, 1}, {-1e8, 2}, {1, 3}}),
                                            C64(0, 0)};
    EXPECT_EQ(sum.Explain(imaginary, C64(2, value)), "golden");
    EXPECT_EQ(sum.Explain(imaginary, C64(1, value)), "reassociation");
    EXPECT_EQ(sum.Explain(imaginary, C64(36, value)), "reassociation");
    EXPECT_EQ(sum.Explain(imaginary, C64(50, value)), "wrong");
    EXPECT_EQ(sum.Explain(imaginary, C64(kNan, value)), "wrong");
    EXPECT_EQ(sum.Explain(imaginary, C64(2, 6)), "wrong");
    const std::vector<Literal> real = {LiteralOf({{value, 1e8}, {1, 1}, {1, -1e8}, {1, 1}}),
                                       C64(0, 0)};
    EXPECT_EQ(sum.Explain(real, C64(value, 1)), "reassociation");
    EXPECT_EQ(sum.Explain(real, C64(value, 50)), "wrong");
  }
  // 2e-38 - 1.5e-38 is flushed, which leaves 1.2e-38; the last term counts as zero.
  const std::vector<Literal> small = {
      LiteralOf({{2e-38F, kInf}, {-1.5e-38F, 0}, {1.2e-38F, 0}, {1e-40F, 0}}), C64(0, 0)};
  EXPECT_NE(sum.Explain(small, C64(1.2e-38F, kInf)), "wrong");
  EXPECT_EQ(sum.Explain(small, C64(1, kInf)), "wrong");
  // The magnitudes of the finite part exceed the largest number.
  const Case two("c128[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c128[4]", "c128[]"},
                 "f {\n  a = c128[] parameter(0)\n  b = c128[] parameter(1)\n"
                 "  ROOT s = c128[] add(a, b)\n}\n");
  const auto number = [](double re, double im) {
    return Literal::Scalar(ElementType::kC128, Element{EncodeFloat(ElementType::kF64, re),
                                                       EncodeFloat(ElementType::kF64, im)});
  };
  Literal terms = Literal::Zeros(Shape(ElementType::kC128, {4}));
  terms.Set(0, number(1.7e308, kInf).Get(0));
  terms.Set(1, number(1.5, 1).Get(0));
  terms.Set(2, number(-1.7e308, 1).Get(0));
  const auto expect_bound = [&] {
    const std::vector<Literal> operands = {terms, number(0, 0)};
    EXPECT_EQ(two.Explain(operands, number(1.5, kInf)), "golden");
    EXPECT_EQ(two.Explain(operands, number(0, kInf)), "reassociation");
    EXPECT_EQ(two.Explain(operands, number(1e300, kInf)), "wrong");
  };
  expect_bound();
  // A part beside one that overflows.
  terms.Set(0, number(1.7e308, 1.7e308).Get(0));
  terms.Set(2, number(-1.7e308, 1.7e308).Get(0));
  expect_bound();
}

// The largest number and half an ulp are infinite, and the largest number alone if the half comes
// in two parts. A term that is not finite in the other part changes nothing of that.
TEST(JudgeFolds, ComplexSumsAtTheLargestNumberBesideWhatIsNotFinite) {
  const Case sum("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[3]", "c64[]"},
                 "f {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
                 "  ROOT s = c64[] add(a, b)\n}\n");
  const float largest = std::numeric_limits<float>::max();
  for (const float value : {kNan, kInf, 0.0F}) {
    const std::vector<Literal> real = {LiteralOf({{largest, value}, {0x1p102F, 1}, {0x1p102F, 1}}),
                                       C64(0, 0)};
    const float other = value == 0 ? 2 : value;
    EXPECT_EQ(sum.Explain(real, C64(kInf, other)), "golden") << value;
    EXPECT_EQ(sum.Explain(real, C64(largest, other)), "reassociation") << value;
    EXPECT_EQ(sum.Explain(real, C64(largest / 2, other)), "wrong") << value;
    const std::vector<Literal> imaginary = {
        LiteralOf({{value, largest}, {1, 0x1p102F}, {1, 0x1p102F}}), C64(0, 0)};
    EXPECT_EQ(sum.Explain(imaginary, C64(other, largest)), "reassociation") << value;
    EXPECT_EQ(sum.Explain(imaginary, C64(other, 1)), "wrong") << value;
  }
}

// -3e38 twice is -infinity, and NaN with infinity. The other part is off by what its own terms
// lose.
TEST(JudgeFolds, BothPartsOfAComplexSumMayDiffer) {
  const Case sum("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[3]", "c64[]"},
                 "f {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
                 "  ROOT s = c64[] add(a, b)\n}\n");
  const std::vector<Literal> operands = {LiteralOf({{kInf, 1e8}, {-3e38F, 1}, {-3e38F, -1e8}}),
                                         C64(0, 0)};
  EXPECT_EQ(sum.Explain(operands, C64(kInf, 1)), "golden");
  EXPECT_EQ(sum.Explain(operands, C64(kNan, 1)), "reassociation");
  EXPECT_EQ(sum.Explain(operands, C64(kNan, 0)), "reassociation");
  EXPECT_EQ(sum.Explain(operands, C64(-kInf, 0)), "wrong");
  EXPECT_EQ(sum.Explain(operands, C64(0, 0)), "wrong");
}

// 3 u sum |terms| is 18 around 3 in the real part, 3.6e-7 in the imaginary one.
TEST(JudgeFolds, APartOfAComplexSumHasTheBoundOfItsOwnTerms) {
  const Case sum("c64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c64[4]", "c64[]"},
                 "f {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
                 "  ROOT s = c64[] add(a, b)\n}\n");
  const std::vector<Literal> operands = {LiteralOf({{5e7, 0.25}, {1, 0.25}, {-5e7, 0.5}, {2, 1}}),
                                         C64(0, 0)};
  EXPECT_EQ(sum.Explain(operands, C64(3, 2)), "golden");
  EXPECT_EQ(sum.Explain(operands, C64(4, 2)), "reassociation");
  EXPECT_EQ(sum.Explain(operands, C64(4, 2 + 0x1p-22F)), "reassociation");
  EXPECT_EQ(sum.Explain(operands, C64(3, 2.001F)), "wrong");
  EXPECT_EQ(sum.Explain(operands, C64(3, 0)), "wrong");
  const std::vector<Literal> exchanged = {LiteralOf({{0.25, 5e7}, {0.25, 1}, {0.5, -5e7}, {1, 2}}),
                                          C64(0, 0)};
  EXPECT_EQ(sum.Explain(exchanged, C64(2, 4)), "reassociation");
  EXPECT_EQ(sum.Explain(exchanged, C64(2.001F, 3)), "wrong");
  // A part that an infinity ends does not widen the other one.
  const std::vector<Literal> infinite = {LiteralOf({{kInf, 0.25}, {5e7, 0.25}, {1, 0.5}, {2, 1}}),
                                         C64(0, 0)};
  EXPECT_EQ(sum.Explain(infinite, C64(kInf, 2)), "golden");
  EXPECT_EQ(sum.Explain(infinite, C64(kInf, 2.001F)), "wrong");
  EXPECT_EQ(sum.Explain(infinite, C64(kInf, kInf)), "wrong");
  EXPECT_EQ(sum.Explain(infinite, C64(kInf, kNan)), "wrong");
  // One that may overflow does not free the other one.
  const std::vector<Literal> large = {LiteralOf({{3e38F, 1}, {3e38F, 1}, {-3e38F, 1}, {0, 0}}),
                                      C64(0, 0)};
  EXPECT_EQ(sum.Explain(large, C64(3e38F, 3)), "golden");
  EXPECT_EQ(sum.Explain(large, C64(kInf, 3)), "reassociation");
  EXPECT_EQ(sum.Explain(large, C64(kInf, kNan)), "wrong");
  EXPECT_EQ(sum.Explain(large, C64(3e38F, kInf)), "wrong");
  EXPECT_EQ(sum.Explain(large, C64(3e38F, kNan)), "wrong");
}

// The real terms exceed the largest double together, the imaginary ones are small.
TEST(JudgeFolds, APartOfAComplexSumOfDoublesBesideHugeTerms) {
  const Case sum("c128[] reduce(p0, p1), dimensions={0}, to_apply=f", {"c128[4]", "c128[]"},
                 "f {\n  a = c128[] parameter(0)\n  b = c128[] parameter(1)\n"
                 "  ROOT s = c128[] add(a, b)\n}\n");
  const auto c128 = [](double real, double imaginary) {
    Literal literal = Literal::Zeros(Shape(ElementType::kC128, {}));
    literal.Set(0, Element{EncodeFloat(ElementType::kF64, real),
                           EncodeFloat(ElementType::kF64, imaginary)});
    return literal;
  };
  Literal terms = Literal::Zeros(Shape(ElementType::kC128, {4}));
  const double signs[] = {1, 1, -1, -1};
  for (int64_t i = 0; i < 4; ++i) terms.Set(i, c128(signs[i] * 1.7e308, 1).Get(0));
  const std::vector<Literal> operands = {terms, c128(0, 0)};
  EXPECT_EQ(sum.Explain(operands, c128(0, 4)), "golden");
  EXPECT_EQ(sum.Explain(operands, c128(1e290, 4)), "reassociation");
  for (const double wrong : {100.0, -5.0, 1e280}) {
    EXPECT_EQ(sum.Explain(operands, c128(0, wrong)), "wrong") << wrong;
  }
}

constexpr char kAdder[] =
    "g {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";

// 3 u sum |terms| = 35.8 around 2, however the region is written.
TEST(JudgeFolds, SumsInWrappedRegions) {
  const std::string head = "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n";
  for (const std::string& region :
       {absl::StrCat(kAdder, head, "  ROOT r = f32[] call(b, a), to_apply=g\n}\n"),
        absl::StrCat(head, "  s = f32[] add(a, b)\n  ROOT r = f32[] copy(s)\n}\n"),
        absl::StrCat(head,
                     "  x = f32[1] reshape(a)\n  y = f32[1] reshape(b)\n  s = f32[1] add(x, y)\n"
                     "  ROOT r = f32[] reshape(s)\n}\n"),
        absl::StrCat(kAdder, head, "  ROOT r = f32[] fusion(a, b), kind=kLoop, calls=g\n}\n")}) {
    const Case sum("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[4]", "f32[]"}, region);
    const std::vector<Literal> operands = {F32({1e8, 1, -1e8, 1}), Scalar(0)};
    EXPECT_EQ(sum.Explain(operands, Scalar(2)), "golden");
    for (const char* profile : {"xla-cpu", "cpu-strict"}) {
      EXPECT_EQ(sum.Explain(operands, Scalar(1), profile), "reassociation") << region;
      EXPECT_EQ(sum.Explain(operands, Scalar(36), profile), "reassociation") << region;
      EXPECT_EQ(sum.Explain(operands, Scalar(40), profile), "wrong") << region;
    }
    EXPECT_EQ(sum.Explain(operands, Scalar(1), "golden"), "wrong");
  }
}

constexpr char kTwoSums[] =
    "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n"
    "  d = f32[] parameter(3)\n  s = f32[] call(a, c), to_apply=g\n  t = f32[] add(b, d)\n"
    "  ROOT r = (f32[], f32[]) tuple(s, t)\n}\n";

TEST(JudgeFolds, SumsBesideEachOther) {
  const Literal x = F32({1e8, 1, -1e8, 1}), y = F32({1, 2, 3, 4});
  const auto both = [](const Literal& a, const Literal& b) { return Literal::Tuple({a, b}); };
  const Case reduce("(f32[], f32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=f",
                    {"f32[4]", "f32[4]", "f32[]", "f32[]"}, absl::StrCat(kAdder, kTwoSums));
  const std::vector<Literal> operands = {x, y, Scalar(0), Scalar(0)};
  EXPECT_EQ(reduce.Explain(operands, both(Scalar(2), Scalar(10))), "golden");
  EXPECT_EQ(reduce.Explain(operands, both(Scalar(1), Scalar(10))), "reassociation");
  EXPECT_EQ(reduce.Explain(operands, both(Scalar(40), Scalar(10))), "wrong");
  EXPECT_EQ(reduce.Explain(operands, both(Scalar(2), Scalar(11))), "wrong");
  const Case scatter(
      "(f32[1], f32[1]) scatter(p0, p1, p2, p3, p4), update_window_dims={}, "
      "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f",
      {"f32[1]", "f32[1]", "s32[4,1]", "f32[4]", "f32[4]"}, absl::StrCat(kAdder, kTwoSums));
  const std::vector<Literal> updates = {F32({0}), F32({0}),
                                        Literal::Zeros(Shape(ElementType::kS32, {4, 1})), x, y};
  EXPECT_EQ(scatter.Explain(updates, both(F32({2}), F32({10}))), "golden");
  EXPECT_NE(scatter.Explain(updates, both(F32({1}), F32({10}))), "wrong");
  EXPECT_EQ(scatter.Explain(updates, both(F32({60}), F32({10}))), "wrong");
  EXPECT_EQ(scatter.Explain(updates, both(F32({2}), F32({11}))), "wrong");
}

}  // namespace
}  // namespace assay::conformance
