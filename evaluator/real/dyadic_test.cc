// Roundings against a search over all patterns of small types by rational arithmetic, and against
// Boost's floats of 200 digits.
#include "evaluator/real/dyadic.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "spec/element/element.h"
#include "spec/testing/schedule.h"

namespace assay::evaluator::real::dyadic_test {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<200>,
                                           boost::multiprecision::et_off>;
using Rational = boost::multiprecision::cpp_rational;

// Values of 200 digits that agree to 180 are taken for equal: the cases here have far fewer.
bool Same(const Wide& a, const Wide& b) { return abs(a - b) <= (abs(a) + abs(b)) * Wide("1e-180"); }

// The finite patterns of a type without sign, in numerical order.
std::vector<uint64_t> Magnitudes(ElementType type) {
  std::vector<uint64_t> patterns;
  for (uint64_t bits = 0; bits <= MaxFinite(type); ++bits) patterns.push_back(bits);
  return patterns;
}

// Nearest pattern to a value inside the range of the type, ties to even patterns, by search.
uint64_t Nearest(ElementType type, const std::vector<uint64_t>& magnitudes, const Wide& value) {
  const Wide size = abs(value);
  size_t low = 0, high = magnitudes.size() - 1;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    (Wide(DecodeFloat(type, magnitudes[middle])) <= size ? low : high) = middle;
  }
  const Wide below = size - Wide(DecodeFloat(type, magnitudes[low]));
  const Wide above = Wide(DecodeFloat(type, magnitudes[high])) - size;
  uint64_t pattern = magnitudes[below < above ? low : high];
  if (Same(below, above)) pattern = magnitudes[low % 2 == 0 ? low : high];
  const uint64_t sign = uint64_t{1} << (Info(type).bits - 1);
  return value < 0 ? pattern | sign : pattern;
}

constexpr ElementType kSmallTypes[] = {ElementType::kF8E5M2, ElementType::kBF16, ElementType::kF16};

TEST(Dyadic, QuotientsOfSmallNumbers) {
  for (const ElementType type : kSmallTypes) {
    const std::vector<uint64_t> magnitudes = Magnitudes(type);
    int64_t ties = 0;
    for (int a = -70; a <= 70; ++a) {
      for (int b = 1; b <= 40; ++b) {
        const uint64_t want = Nearest(type, magnitudes, Wide(a) / Wide(b));
        EXPECT_EQ(RoundQuotient(type, Dyadic(a), Dyadic(b)), want) << a << "/" << b;
        EXPECT_EQ(RoundQuotient(type, Dyadic(a * 0x1p-300), Dyadic(-b * 0x1p-300)),
                  RoundQuotient(type, Dyadic(-a), Dyadic(b)));
        // The double nearest to a quotient that is no double is not a tie of the type.
        const double quotient = static_cast<double>(a) / b;
        if (quotient * b == a && DecodeFloat(type, want) != quotient) ++ties;
      }
    }
    EXPECT_GT(ties, type == ElementType::kF8E5M2 ? 100 : -1);
  }
}

TEST(Dyadic, RootsOfSmallNumbers) {
  for (const ElementType type : kSmallTypes) {
    const std::vector<uint64_t> magnitudes = Magnitudes(type);
    for (int b = -33; b <= 33; b += 3) {
      for (int a = -20; a <= 20; ++a) {
        for (int w = 1; w <= 36; w += kScheduleStride) {
          const Wide value = Wide(b) / 4 + Wide(a) / sqrt(Wide(w));
          const uint64_t want =
              Same(Wide(b) / 4, -Wide(a) / sqrt(Wide(w))) ? 0 : Nearest(type, magnitudes, value);
          ASSERT_EQ(RoundWithRoot(type, Dyadic(b * 0.25), Dyadic(a), Dyadic(w)), want)
              << Name(type) << " " << b << "/4 + " << a << "/sqrt(" << w << ")";
        }
      }
    }
  }
}

TEST(Dyadic, TiesOfF64) {
  const double big = 0x1p53;
  const auto bits = [](double x) { return EncodeFloat(ElementType::kF64, x); };
  // 2^53 + 1 and 2^53 + 3 lie in the middle; the least bit more decides.
  const Dyadic tie = Dyadic(big) + Dyadic(1), odd_tie = Dyadic(big) + Dyadic(3);
  EXPECT_EQ(RoundDyadic(ElementType::kF64, tie), bits(big));
  EXPECT_EQ(RoundDyadic(ElementType::kF64, odd_tie), bits(big + 4));
  EXPECT_EQ(RoundDyadic(ElementType::kF64, tie + Dyadic(0x1p-1000)), bits(big + 2));
  EXPECT_EQ(RoundQuotient(ElementType::kF64, tie * Dyadic(3), Dyadic(3)), bits(big));
  EXPECT_EQ(RoundQuotient(ElementType::kF64, tie * Dyadic(3) + Dyadic(0x1p-900), Dyadic(3)),
            bits(big + 2));
  EXPECT_EQ(RoundWithRoot(ElementType::kF64, tie, Dyadic(0x1p-700), Dyadic(2)), bits(big + 2));
  EXPECT_EQ(RoundWithRoot(ElementType::kF64, tie, -Dyadic(0x1p-700), Dyadic(2)), bits(big));
  EXPECT_EQ(RoundWithRoot(ElementType::kF64, Dyadic(), tie * Dyadic(7), Dyadic(49)), bits(big));
  // Cancels to 1/2^200 and to nothing.
  EXPECT_EQ(RoundWithRoot(ElementType::kF64, Dyadic(-5) + Dyadic(0x1p-200), Dyadic(15), Dyadic(9)),
            bits(0x1p-200));
  EXPECT_EQ(RoundWithRoot(ElementType::kF64, Dyadic(-5), Dyadic(15), Dyadic(9)), 0u);
  // Underflow and overflow.
  EXPECT_EQ(RoundQuotient(ElementType::kF64, Dyadic(-0x1p-1074), Dyadic(2)), bits(-0.0));
  EXPECT_EQ(RoundQuotient(ElementType::kF64, Dyadic(-0x1p1000), Dyadic(0x1p-1000)),
            bits(-INFINITY));
}

TEST(Dyadic, OfASum) {
  ExactSum sum;
  sum.AddProduct(-0x1.8p1000, 0x1p1000);
  sum.Add(0x1p-1074);
  sum.AddProduct(0x1p-1074, 0x1p-1074);
  EXPECT_TRUE(Dyadic(sum) == Dyadic(-0x1.8p1000) * Dyadic(0x1p1000) + Dyadic(0x1p-1074) +
                                 Dyadic(0x1p-1074) * Dyadic(0x1p-1074));
  EXPECT_TRUE(Dyadic(ExactSum()).IsZero());
  sum.Add(INFINITY);
  EXPECT_FALSE(sum.is_finite());
}

// Balls of two doubles hold the exact value and lose little.
class Balls : public ::testing::Test {
 protected:
  double Random() {
    const int exponent = static_cast<int>(random_() % 80) - 40;
    const double value = std::ldexp(static_cast<double>(random_() >> 11), exponent - 53);
    return random_() % 2 == 0 ? value : -value;
  }
  // |value - ball| <= rad, exactly.
  static bool Holds(const DdBall& ball, const Rational& value) {
    return abs(value - Exact(ball)) <= Rational(ball.rad);
  }
  static Rational Exact(const DdBall& ball) { return Rational(ball.hi) + Rational(ball.lo); }
  static bool Sharp(const DdBall& ball) { return ball.rad <= std::fabs(ball.hi) * 0x1p-98; }

  std::mt19937_64 random_{7};
};

TEST_F(Balls, HoldTheExactValue) {
  for (int i = 0; i < Scheduled(20000); ++i) {
    const DdBall a(Random()), b(Random()), c(Random());
    const Rational ra(a.hi), rb(b.hi), rc(c.hi);
    const DdBall product = a * b, sum = a + b;
    ASSERT_TRUE(product.rad == 0 && Exact(product) == ra * rb);
    ASSERT_TRUE(Holds(sum, ra + rb));
    const DdBall three = product * c;
    ASSERT_TRUE(Holds(three, ra * rb * rc) && Sharp(three));
    const DdBall mixed = three - product * a;
    ASSERT_TRUE(Holds(mixed, ra * rb * rc - ra * rb * ra));
    const DdBall quotient = three / product;
    ASSERT_TRUE(Holds(quotient, rc) && Sharp(quotient));
    const DdBall square = product * product, root = Sqrt(square);
    ASSERT_TRUE(Holds(square, ra * rb * ra * rb));
    ASSERT_TRUE(Holds(root, abs(ra * rb)) && Sharp(root));
    const DdBall wide(a.hi, 0, std::fabs(a.hi) * 0x1p-20);
    // Both ends of a ball stay inside.
    for (const double end : {-1.0, 1.0}) {
      const Rational moved = ra + Rational(wide.rad) * Rational(end);
      ASSERT_TRUE(Holds(wide * three, moved * ra * rb * rc));
      ASSERT_TRUE(Holds(three / wide, ra * rb * rc / moved));
      ASSERT_TRUE(Holds(Sqrt(wide * wide), abs(moved)));
    }
  }
}

TEST_F(Balls, KeepWholeNumbersExact) {
  for (int a = -30; a <= 30; ++a) {
    for (int b = 1; b <= 30; ++b) {
      const DdBall quotient = (DdBall(a) * b + DdBall(a) * b) / DdBall(b);
      EXPECT_TRUE(quotient.rad == 0 && quotient.hi == 2 * a && quotient.lo == 0);
      const DdBall root = Sqrt(DdBall(b) * b);
      EXPECT_TRUE(root.rad == 0 && root.hi == b);
      EXPECT_TRUE((DdBall(a) / DdBall(b) - DdBall(a) / DdBall(b)).MayBeZero());
    }
  }
}

TEST_F(Balls, SayWhatTheyDoNotKnow) {
  const auto known = [](const DdBall& ball) { return RoundBall(ElementType::kF64, ball).known; };
  EXPECT_FALSE(known(DdBall(1e300) * 1e300));
  EXPECT_FALSE(known(DdBall(1e300) * 1e5 + DdBall(0x1p1000) * 2.0));
  EXPECT_FALSE(known(DdBall(1) / DdBall(0)));
  EXPECT_FALSE(known(Sqrt(DdBall(-1))));
  const DdBall tiny = DdBall(0x1p-700) * 0x1.8p-374;
  EXPECT_FALSE(RoundBall(ElementType::kF64, tiny).decided());
  EXPECT_TRUE(RoundBall(ElementType::kF64, tiny + DdBall(1)).decided());
}

TEST_F(Balls, OfDyadicNumbers) {
  for (int i = 0; i < 2000; ++i) {
    const double a = Random(), b = Random();
    const DdBall product = BallOf(Dyadic(a) * Dyadic(b));
    EXPECT_TRUE(product.rad == 0 && Exact(product) == Rational(a) * Rational(b));
    const DdBall cube = BallOf(Dyadic(a) * Dyadic(b) * Dyadic(b));
    EXPECT_TRUE(Holds(cube, Rational(a) * Rational(b) * Rational(b)) && Sharp(cube));
  }
  EXPECT_FALSE(std::isfinite(BallOf(Dyadic(0x1p1000) * Dyadic(0x1p100)).rad));
  EXPECT_TRUE(BallOf(Dyadic()).IsZero());
}

// Exact balls round as the exact numbers do; the ends of others are a little farther out.
TEST_F(Balls, RoundOnce) {
  const auto exact = [](const DdBall& ball) { return Dyadic(ball.hi) + Dyadic(ball.lo); };
  for (const ElementType type : {ElementType::kF64, ElementType::kF32, ElementType::kF16,
                                 ElementType::kBF16, ElementType::kF8E4M3FN}) {
    for (int i = 0; i < 4000; ++i) {
      // Near ties of the type: a value of it, half a unit more or less, and a little beside.
      const double value = DecodeFloat(type, EncodeFloat(type, Random()));
      if (!std::isfinite(value)) continue;
      const double unit = std::ldexp(
          1.0, std::ilogb(value == 0 ? 1 : value) - Info(type).format->significand_bits - 1);
      const double beside = std::ldexp(static_cast<double>(random_() % 5) - 2, -80);
      DdBall ball = DdBall(value) + DdBall(random_() % 2 == 0 ? unit : -unit) + DdBall(beside);
      if (ball.rad != 0) continue;
      EXPECT_EQ(RoundBall(type, ball).low, RoundDyadic(type, exact(ball)));
      ball.rad = 0x1p-70;
      const Ends ends = RoundBall(type, ball);
      const auto ordinal = [&](const Dyadic& x) {
        return FloatOrdinal(type, RoundDyadic(type, x));
      };
      EXPECT_LE(FloatOrdinal(type, ends.low), ordinal(exact(ball) - Dyadic(ball.rad)));
      EXPECT_GE(FloatOrdinal(type, ends.low), ordinal(exact(ball) - Dyadic(ball.rad * 1.01)));
      EXPECT_GE(FloatOrdinal(type, ends.high), ordinal(exact(ball) + Dyadic(ball.rad)));
      EXPECT_LE(FloatOrdinal(type, ends.high), ordinal(exact(ball) + Dyadic(ball.rad * 1.01)));
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::real::dyadic_test
