// The elementary functions of kernels against those of long double, which have eleven more bits.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "backends/cuda/kernels/complex.h"
#include "gtest/gtest.h"

namespace assay::cuda {
namespace {

namespace k = ::assay::cuda::emulated;

using Function = double (*)(double);
using Exact = long double (*)(long double);

// The distance of a result from the exact one in units of the last place of the latter.
double Ulps(double result, long double exact) {
  const double rounded = static_cast<double>(exact);
  if (std::isnan(rounded) || std::isinf(rounded)) {
    return std::memcmp(&result, &rounded, 8) == 0 || (std::isnan(result) && std::isnan(rounded))
               ? 0
               : 1e9;
  }
  const double a = std::abs(rounded);
  const double unit = std::nextafter(a, std::numeric_limits<double>::infinity()) - a;
  return static_cast<double>(std::abs(static_cast<long double>(result) - exact) / unit);
}

struct FunctionCase {
  const char* name;
  Function function;
  Exact exact;
  double low, high;  // of exponents of two, or of values
  bool values;
  double bound;
};
constexpr long double kOne = 1;

const FunctionCase kFunctions[] = {
    {"exp", k::Exp, [](long double x) { return std::exp(x); }, -708, 709, true, 0.52},
    {"exp", k::Exp, [](long double x) { return std::exp(x); }, -745, -708, true, 1.01},
    {"expm1", k::Expm1, [](long double x) { return std::expm1(x); }, -50, 6, false, 0.53},
    {"log", k::Log, [](long double x) { return std::log(x); }, 0.5, 2, true, 0.52},
    {"log", k::Log, [](long double x) { return std::log(std::abs(x)); }, 0.1, 1e9, true, 0.52},
    {"log1p", k::Log1p, [](long double x) { return std::log1p(x); }, -60, -0.1, false, 0.52},
    {"sin", k::Sin, [](long double x) { return std::sin(x); }, -30, 30, true, 0.55},
    {"cos", k::Cos, [](long double x) { return std::cos(x); }, -30, 30, true, 0.55},
    {"tan", k::Tan, [](long double x) { return std::tan(x); }, -7, 7, true, 0.55},
    {"sinh", k::Sinh, [](long double x) { return std::sinh(x); }, -40, 9, false, 0.55},
    {"cosh", k::Cosh, [](long double x) { return std::cosh(x); }, -40, 9, false, 0.55},
    {"tanh", k::Tanh, [](long double x) { return std::tanh(x); }, -40, 5, false, 0.55},
    {"asin", k::Asin, [](long double x) { return std::asin(x); }, -40, -0.001, false, 0.52},
    {"acos", k::Acos, [](long double x) { return std::acos(x); }, -40, -0.001, false, 0.52},
    {"atan", k::Atan, [](long double x) { return std::atan(x); }, -40, 60, false, 0.52},
    {"asinh", k::Asinh, [](long double x) { return std::asinh(x); }, -40, 60, false, 0.52},
    {"acosh", k::Acosh, [](long double x) { return std::acosh(x); }, 1, 1e3, true, 0.52},
    {"atanh", k::Atanh, [](long double x) { return std::atanh(x); }, -40, -0.001, false, 0.52},
    {"erf", k::Erf, [](long double x) { return std::erf(x); }, -40, 2.6, false, 0.52},
    {"cbrt", k::Cbrt, [](long double x) { return std::cbrt(x); }, -1000, 1000, false, 0.52},
    {"rsqrt", k::Rsqrt, [](long double x) { return kOne / std::sqrt(x); }, 1e-9, 1e9, true, 0.52},
    {"logistic", k::Logistic, [](long double x) { return kOne / (kOne + std::exp(-x)); }, -40, 9,
     false, 0.52},
};

TEST(KernelFunctions, AreWithinHalfAnUlpAndALittle) {
  std::mt19937_64 engine(1);
  for (const FunctionCase& one : kFunctions) {
    std::uniform_real_distribution<double> uniform(one.low, one.high);
    double worst = 0, worst_at = 0;
    for (int i = 0; i < 20000; ++i) {
      double x = uniform(engine);
      if (!one.values) x = std::exp2(x) * (engine() % 2 == 0 ? 1 : -1);
      const double ulps = Ulps(one.function(x), one.exact(x));
      if (ulps > worst) {
        worst = ulps;
        worst_at = x;
      }
    }
    EXPECT_LT(worst, one.bound) << one.name << " at " << worst_at;
  }
}

// Of the whole range of double: exact reduction against that of the long double library.
TEST(KernelFunctions, ReduceLargeAnglesExactly) {
  std::mt19937_64 engine(2);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::ldexp(1 + static_cast<double>(engine() >> 11) * 0x1p-53,
                                static_cast<int>(engine() % 1023));
    EXPECT_LT(Ulps(k::Sin(x), std::sin(static_cast<long double>(x))), 0.55) << x;
    EXPECT_LT(Ulps(k::Cos(x), std::cos(static_cast<long double>(x))), 0.55) << x;
  }
  // The double next to a multiple of pi/2 of all: 6381956970095103 * 2^797.
  const double nearest = std::ldexp(6381956970095103.0, 797);
  EXPECT_EQ(k::Cos(nearest), -4.6871659242546277e-19);
}

TEST(KernelFunctions, OfTwoOperands) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(-300, 300), exponent(-1, 1);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::exp2(exponent(engine)), y = uniform(engine);
    EXPECT_LT(Ulps(k::Power(x, y), std::pow(static_cast<long double>(x), y)), 0.6) << x << " " << y;
    const double a = std::exp2(uniform(engine)), b = -std::exp2(uniform(engine) / 50) * a;
    EXPECT_LT(Ulps(k::Atan2(a, b), std::atan2(static_cast<long double>(a), b)), 0.52);
    EXPECT_LT(Ulps(k::Atan2(b, a), std::atan2(static_cast<long double>(b), a)), 0.52);
    const double p = std::ldexp(uniform(engine), static_cast<int>(engine() % 1200) - 600);
    const double q = std::ldexp(uniform(engine), static_cast<int>(engine() % 1200) - 600);
    EXPECT_EQ(k::Remainder(p, q), std::fmod(p, q)) << p << " " << q;
  }
}

// Special values, against the C library, which follows IEEE 754 and C.
TEST(KernelFunctions, OfSpecialValues) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const std::vector<double> special = {0.0, -0.0, 1,   -1,  0.5,  -0.5,  2,      -2,     3,      -3,
                                       inf, -inf, nan, 710, -746, 1e308, -1e308, 5e-324, -5e-324};
  const auto same = [](double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, 8) == 0;
  };
  const std::vector<std::tuple<const char*, Function, Function>> functions = {
      {"exp", k::Exp, [](double x) { return std::exp(x); }},
      {"expm1", k::Expm1, [](double x) { return std::expm1(x); }},
      {"log", k::Log, [](double x) { return std::log(x); }},
      {"log1p", k::Log1p, [](double x) { return std::log1p(x); }},
      {"sinh", k::Sinh, [](double x) { return std::sinh(x); }},
      {"cosh", k::Cosh, [](double x) { return std::cosh(x); }},
      {"tanh", k::Tanh, [](double x) { return std::tanh(x); }},
      {"asin", k::Asin, [](double x) { return std::asin(x); }},
      {"acos", k::Acos, [](double x) { return std::acos(x); }},
      {"asinh", k::Asinh, [](double x) { return std::asinh(x); }},
      {"acosh", k::Acosh, [](double x) { return std::acosh(x); }},
      {"atanh", k::Atanh, [](double x) { return std::atanh(x); }},
      {"cbrt", k::Cbrt, [](double x) { return std::cbrt(x); }},
      {"erf", k::Erf, [](double x) { return std::erf(x); }},
  };
  for (const auto& [name, ours, theirs] : functions) {
    for (const double x : special) {
      const double a = ours(x), b = theirs(x);
      if (std::isfinite(b) && b != 0) {
        EXPECT_LT(Ulps(a, b), 1.1) << name << " of " << x;
      } else {
        EXPECT_TRUE(same(a, b)) << name << " of " << x << ": " << a << ", not " << b;
      }
    }
  }
  for (const double x : special) {
    for (const double y : special) {
      const double power = std::pow(x, y), angle = std::atan2(x, y), rest = std::fmod(x, y);
      if (!std::isfinite(power) || power == 0) {
        EXPECT_TRUE(same(k::Power(x, y), power)) << x << " ^ " << y;
      }
      EXPECT_TRUE(same(k::Atan2(x, y), angle) || Ulps(k::Atan2(x, y), angle) < 1.1)
          << x << " " << y << " " << k::Atan2(x, y) << ", not " << angle;
      EXPECT_TRUE(same(k::Remainder(x, y), rest)) << x << " rem " << y;
    }
  }
}

using LongComplex = std::complex<long double>;
struct ComplexCase {
  const char* name;
  k::Complex (*function)(k::Complex);
  LongComplex (*exact)(const LongComplex&);
};
const ComplexCase kComplexFunctions[] = {
    {"acos", k::Acos, [](const LongComplex& z) { return std::acos(z); }},
    {"acosh", k::Acosh, [](const LongComplex& z) { return std::acosh(z); }},
    {"asin", k::Asin, [](const LongComplex& z) { return std::asin(z); }},
    {"asinh", k::Asinh, [](const LongComplex& z) { return std::asinh(z); }},
    {"atanh", k::Atanh, [](const LongComplex& z) { return std::atanh(z); }},
    {"cos", k::Cos, [](const LongComplex& z) { return std::cos(z); }},
    {"cosh", k::Cosh, [](const LongComplex& z) { return std::cosh(z); }},
    {"exp", k::Exp, [](const LongComplex& z) { return std::exp(z); }},
    {"log", k::Log, [](const LongComplex& z) { return std::log(z); }},
    {"sin", k::Sin, [](const LongComplex& z) { return std::sin(z); }},
    {"sinh", k::Sinh, [](const LongComplex& z) { return std::sinh(z); }},
    {"sqrt", k::Sqrt, [](const LongComplex& z) { return std::sqrt(z); }},
    {"tan", k::Tan, [](const LongComplex& z) { return std::tan(z); }},
    {"tanh", k::Tanh, [](const LongComplex& z) { return std::tanh(z); }},
};

// By the modulus; the corners of both axes, and numbers of many sizes.
TEST(KernelFunctions, OfComplexNumbers) {
  std::mt19937_64 engine(4);
  std::uniform_real_distribution<double> exponent(-8, 3);
  for (const ComplexCase& one : kComplexFunctions) {
    double worst = 0;
    k::Complex worst_at;
    for (int i = 0; i < 4000; ++i) {
      k::Complex z = {std::exp2(exponent(engine)), std::exp2(exponent(engine))};
      if (engine() % 2 == 0) z.re = -z.re;
      if (engine() % 2 == 0) z.im = -z.im;
      if (i % 16 == 0) z.im = i % 32 == 0 ? 0.0 : -0.0;
      if (i % 16 == 1) z.re = i % 32 == 1 ? 0.0 : -0.0;
      const k::Complex w = one.function(z);
      const LongComplex exact = one.exact(LongComplex(z.re, z.im));
      const double distance =
          static_cast<double>(std::abs(LongComplex(w.re, w.im) - exact) / std::abs(exact));
      if (exact != LongComplex(0, 0) && !(distance <= worst)) {
        worst = distance;
        worst_at = z;
      }
    }
    EXPECT_LT(worst, 2.3e-16) << one.name << " at " << worst_at.re << ", " << worst_at.im;
  }
}

TEST(KernelFunctions, OfTwoComplexNumbers) {
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> uniform(-3, 3);
  for (int i = 0; i < 4000; ++i) {
    const k::Complex a = {uniform(engine), uniform(engine)}, b = {uniform(engine), uniform(engine)};
    const LongComplex x(a.re, a.im), y(b.re, b.im);
    const auto near = [&](k::Complex z, LongComplex exact, double bound) {
      return std::abs(LongComplex(z.re, z.im) - exact) <= bound * std::abs(exact);
    };
    EXPECT_TRUE(near(k::Multiply(a, b), x * y, 1.6e-16));
    EXPECT_TRUE(near(k::Divide(a, b), x / y, 1.6e-16));
    EXPECT_TRUE(near(k::Power(a, b), std::pow(x, y), 3e-16)) << i;
  }
}

}  // namespace
}  // namespace assay::cuda
