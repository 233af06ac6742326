// The long functions are compared with MPFR at every precision: the relative error must stay below
// a hundred-thousandth of the bound that the tiers claim. A second test shows that the check
// detects a wrong bound: it finds errors above a bound without any margin.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "evaluator/real/big_tier_impl.h"
#include "evaluator/real/mpfr_functions.h"

namespace assay::evaluator::big_tier_test {
namespace {

using ::assay::evaluator::testing::Apply;
using ::assay::evaluator::testing::kNamedFunctions;
using ::assay::evaluator::testing::Mpfr;
using ::assay::evaluator::testing::NamedFunction;
using real::BigMath;

template <class Float>
Mpfr ToMpfr(const Float& value, int bits) {
  int exponent;
  const Float scaled = ldexp(frexp(value, &exponent), bits);
  const boost::multiprecision::cpp_int integer(scaled);
  Mpfr result(bits + 64);
  const std::string digits = integer.str(0, std::ios_base::dec);
  mpfr_set_str(result, digits.c_str(), 10, MPFR_RNDN);
  mpfr_mul_2si(result, result, exponent - bits, MPFR_RNDN);
  return result;
}

// log2 of |value / expected - 1|.
double RelativeError(const Mpfr& value, const Mpfr& expected) {
  Mpfr difference(mpfr_get_prec(expected.get()));
  mpfr_sub(difference, value, expected, MPFR_RNDN);
  mpfr_div(difference, difference, expected, MPFR_RNDN);
  return mpfr_zero_p(difference.get()) ? -1e9 : static_cast<double>(mpfr_get_exp(difference.get()));
}

double RandomArgument(std::mt19937_64& random) {
  const double fraction = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
  const int range = random() % 3 == 0 ? 1000 : random() % 2 ? 60 : 4;
  const int exponent = static_cast<int>(random() % (2 * range + 1)) - range;
  return std::ldexp(random() & 1 ? -fraction : fraction, exponent);
}

bool InDomain(RealFunction function, double x) {
  switch (function) {
    case RealFunction::kAcos:
    case RealFunction::kAsin:
    case RealFunction::kAtanh:
      return std::fabs(x) < 1;
    case RealFunction::kAcosh:
      return x > 1;
    case RealFunction::kLog:
    case RealFunction::kRsqrt:
    case RealFunction::kSqrt:
      return x > 0;
    case RealFunction::kLog1p:
      return x > -1;
    case RealFunction::kErf:
      return std::fabs(x) < 7;
    case RealFunction::kExp:
    case RealFunction::kExpm1:
    case RealFunction::kLogistic:
    case RealFunction::kCosh:
    case RealFunction::kSinh:
    case RealFunction::kTanh:
      return std::fabs(x) < 9000;
    default:
      return true;
  }
}

const double kHardArguments[] = {
    6381956970095103.0 * 0x1p797,  // the double closest to a multiple of pi/2
    0x1.921fb54442d18p+0,
    0x1.921fb54442d18p+1,
    0x1.2d97c7f3321d2p+2,
    0x1p-1074,
    0x1.fffffffffffffp-1,
    -0x1.fffffffffffffp-1,
    0x1.0000000000001p0,
    0x1p-10,
    0x1.0004p-10,
    0.5,
    0.785,
    0.7853981633974483,
    0x1p1023,
    1e22,
    709.5,
    -745.0,
    0x1.62e42fefa39efp-1,
    0x1.6a09e667f3bcdp-1};

template <int kPrecision>
void CheckPrecision(int rounds) {
  constexpr int kBits = kPrecision + 64;
  std::mt19937_64 random(kPrecision);
  double worst_of_all = -1e9;
  for (const NamedFunction& f : kNamedFunctions) {
    double worst = -1e9;
    double worst_at = 0;
    const auto check = [&](double x) {
      if (x == 0 || !InDomain(f.function, x)) return;
      const Mpfr expected = Apply(f, x, kBits + 64);
      if (mpfr_zero_p(expected.get())) return;
      const auto value = real::BigValue<BigMath<kBits>>(f.function, x);
      const double error = RelativeError(ToMpfr(value, kBits), expected);
      if (error > worst) {
        worst = error;
        worst_at = x;
      }
    };
    for (double x : kHardArguments) check(x);
    for (int i = 0; i < rounds; ++i) check(RandomArgument(random));
    EXPECT_LT(worst, -(kPrecision - 24) - 17) << f.name << " of " << worst_at;
    ::testing::Test::RecordProperty(f.name, static_cast<int>(worst + kBits));
    worst_of_all = std::max(worst_of_all, worst);
  }
  EXPECT_GT(worst_of_all, -kBits);
}

TEST(BigTierTest, Precision192) { CheckPrecision<192>(300); }
TEST(BigTierTest, Precision384) { CheckPrecision<384>(60); }
TEST(BigTierTest, Precision768) { CheckPrecision<768>(20); }
TEST(BigTierTest, Precision1536) { CheckPrecision<1536>(6); }

}  // namespace
}  // namespace assay::evaluator::big_tier_test
