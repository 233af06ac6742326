// The elementary functions of kernels against those of long double, which have eleven more bits.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "backends/cuda/kernels/complex_pairs.h"
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

struct PairCase {
  k::Complex x, y, result;
};
// By the distance in units of the larger part; infinities and zeros by each part.
void ExpectPairs(k::Complex (*function)(k::Complex, k::Complex), const std::vector<PairCase>& all) {
  for (size_t i = 0; i < all.size(); ++i) {
    const k::Complex actual = function(all[i].x, all[i].y), expected = all[i].result;
    if (std::isinf(expected.re) || (expected.re == 0 && expected.im == 0)) {
      EXPECT_EQ(actual.re, expected.re) << "case " << i;
      EXPECT_EQ(actual.im, expected.im) << "case " << i;
      continue;
    }
    const double distance = std::hypot(actual.re - expected.re, actual.im - expected.im);
    EXPECT_LE(distance, 3.2e-16 * std::hypot(expected.re, expected.im))
        << "case " << i << ": " << actual.re << ", " << actual.im << ", not " << expected.re << ", "
        << expected.im;
  }
}

// Angles of up to 2^2000, by the definition with 9,000 bits of mpmath; wholes by exact arithmetic.
TEST(KernelFunctions, PowersOfLargeAngles) {
  const double inf = std::numeric_limits<double>::infinity();
  ExpectPairs(k::Power,
              {{{-1, 1}, {0x1.5555555555555p-1, 0}, {1.0986097349765725e-16, 1.2599210498948732}},
               {{1.546469755149003e+154, -1.0135760667453532e+154},
                {-2.6369104706835356e+154, 0x1.f2827affe7f66p+1021},
                {inf, -inf}},
               {{-0x1.8e2e8d55ccfp-436, -0x1.03ee0bbdb7bp-925},
                {0x1.dea86e6283f2p+852, 0x1.05a65975fd129p+493},
                {0, -0.0}},
               {{0x1.f2a74de4d3c1ap-192, -0x1.128b2f3a47e10p+97},
                {-0x1.5d9dc9f2a6330p-882, -0x1.099950c2c0146p-112},
                {0x1.0000000000000p+0, -0x1.1750c15d1b043p-106}},
               {{0x1.11e20b87b382ep-815, 0x1.0f21ddba75929p+158},
                {-0x1.f28c104724c60p+291, -0x1.93bd04d2bcc16p-188},
                {0x0.0p+0, 0x0.0p+0}},
               {{-0x1.f9ebdac7131a3p-905, -0x1.4a23d58d69964p-705},
                {-0x1.92276649df154p+147, -0x1.1a61dbf29c77fp+169},
                {0x0.0p+0, 0x0.0p+0}},
               {{-0x1.5f5572031e26cp+121, -0x1.907a70c1e840bp+267},
                {-0x1.7f150535c5d62p+88, 0x1.c6f8770a0d7e6p-47},
                {0x0.0p+0, 0x0.0p+0}},
               {{0x1.5c90a94997b0fp-2, -0x1.b2f14c98f45d4p-2},
                {-0x1.289c7aed61744p+176, -0x1.930d6ea99ba40p+175},
                {-inf, inf}},
               {{0x1.e00902cafdc0cp+2, 0x1.49b64a137c97ap-3},
                {-0x1.07cd4a8d6ef1bp-569, -0x1.830e07ad61432p-563},
                {0x1.0000000000000p+0, -0x1.860abc69ca280p-562}},
               {{0x1.26e8755ddd598p+0, 0x1.0a097c9ec8dc4p+2},
                {-0x1.91e2138b7e2a9p+273, -0x1.c3baea91dbc1ap+273},
                {-inf, inf}},
               {{0x1.571242563fdc1p-1, 0x1.947403198023ap+0},
                {-0x1.fe151900d9dc2p-347, -0x1.d70820e2febd0p-348},
                {0x1.0000000000000p+0, -0x1.69e96080befabp-346}},
               {{0x1.b271595540bc2p-16, -0x1.bb2d4216729f6p-1},
                {0x1.48db40b6ee9d6p+0, 0x1.05c6af1e19cb0p+14},
                {inf, -inf}},
               {{0x1.2b0537f38ca72p-13, 0x1.0f17a306fb8eep-2},
                {-0x1.bd0561e7ec75fp+0, 0x1.eab477dbe2b05p+18},
                {0x0.0p+0, 0x0.0p+0}},
               {{-0x1.2a96fb0e5fbe4p+5, 0x1.e225714461b2ep+7},
                {0x1.0000000000000p+67, 0x0.0p+0},
                {-inf, -inf}},
               {{0x1.b4d66a2d4a1bep+2, 0x1.f52ddf4762510p-11},
                {0x1.0000000000000p+42, 0x0.0p+0},
                {inf, inf}},
               {{-0x1.741ada6b372d0p-2, -0x1.dcffdcbd663ebp-1},
                {0x1.0000000000000p+43, 0x1.f400000000000p+9},
                {-inf, -inf}},
               {{0x1.295d091d65a28p-1, 0x1.a0cbcdc80cdd7p-1},
                {0x1.0000000000000p+40, 0x1.f400000000000p+9},
                {0x0.0p+0, 0x0.0p+0}},
               {{3, 4}, {2, 0}, {-7, 24}},
               {{1, 1}, {8, 0}, {16, 0}},
               {{-1, 0}, {0x1p60, 0}, {1, 0}},
               {{-1, 0}, {0x1p52 + 1, 0}, {-1, 0}}});
}

// Where p = x + i y or m = x - i y is far smaller than x, where one operand is far smaller than the
// other, and beside the cut: the side is that of an exact sum, however small that is.
TEST(KernelFunctions, AnglesOfTwoComplexNumbers) {
  const double pi = 0x1.921fb54442d18p+1;
  ExpectPairs(k::Atan2, {
                            {{2, 3}, {-2, 3}, {pi / 4, -0.8047189562170501}},
                            {{0, 3}, {0, 2}, {0.982793723247329, 0}},
                            {{-0.0, 3}, {-0.0, 2}, {0.982793723247329 - pi, 0}},
                            {{0, -3}, {-0.0, -2}, {0.982793723247329 - pi, 0}},
                            {{0, 1}, {2, 0}, {0, 0.5493061443340549}},
                            {{0, 2}, {1, 0}, {pi / 2, 0.5493061443340549}},
                            {{0, -2}, {1, 0}, {-pi / 2, -0.5493061443340549}},
                            {{0, -1}, {-2, 0}, {pi, 0.5493061443340549}},
                            {{1.5, 0x1p-1074}, {0x1p-1074, 0}, {pi / 2, 0}},
                            {{1e-300, 1e300}, {1e-300, 1e300}, {pi / 4, 0}},
                            {{-1e-256, -1e298}, {-1e-256, -1e298}, {-2.356194490192345, 0}},
                            {{0x1.d4c28c32da198p-627, 0x1.482c9ca02188ep-702},
                             {0x1.88daf40bd0ecep+248, 0x1.f3fe39c40406cp+414},
                             {0x0.0p+0, -0x0.00001e0044fefp-1022}},
                            {{-0x1.74e69a5cc8f97p+272, 0x1.65e7e42cc46f4p+103},
                             {-0x1.7b4514544c19ap+110, -0x1.30cbc96227b62p-87},
                             {-0x1.921fb54442d18p+0, -0x1.f3ce07a1398fap-332}},
                            {{0x1.298cb3a384886p-1, -0x1.1a358ca001e94p+1},
                             {-0x1.895fd7a33f323p-1, -0x1.1200339bfa87ep-2},
                             {0x1.8a0a5f3ed427fp+0, 0x1.7c93d8f2fe57fp-2}},
                            {{0x1.260767944d155p-1, 0x1.9a2ef80ba73a1p+0},
                             {-0x1.9a2ef80ba73a1p+0, 0x1.2607fa9800df7p-1},
                             {-0x1.439e54dba199cp+1, -0x1.b205527521168p+2}},
                            {{0x1.fe3bfadf4a537p-46, 0x1.7bdc9689fab1bp-825},
                             {-0x1.1a28f7b7fd542p-299, 0x1.7a86f7ba85fbbp+417},
                             {0x1.921fb54442d18p+1, -0x1.5912ff533a3fbp-463}},
                            {{-0x1.842e7fc0bd334p-90, 0x1.2587be761508ap+256},
                             {-0x1.c215a830e645cp+5, -0x1.b239f3db0de82p-33},
                             {-0x1.921fb54442d18p+0, -0x1.88899f846f45bp-251}},
                            {{0x1.e883a1c558688p-1, -0x1.8857f9b154849p+3},
                             {0x1.a2eddba723284p+1, -0x1.ce5b2a87a9105p+3},
                             {0x1.623d1cbaa9041p-1, -0x1.2509f216b2b42p-4}},
                            {{0x1.bd685179b4d8ep-2, -0x1.8483f8afc4de6p-1},
                             {0x1.8483f8afc4de8p-1, 0x1.bd9ffe83e40f8p-2},
                             {-0x1.0cd9c06cf2703p-1, -0x1.20861e29c8598p+2}},
                            {{-0x1.ca44eb88f0ff2p-33, 0x1.3192b7162923cp+239},
                             {0x1.727d8359dfc54p+919, 0x1.f47aebdf2f3a0p-254},
                             {-0x1.3ca73590a4b2dp-952, 0x1.a6499c100d0dfp-681}},
                            {{-0x1.3870380344df1p-68, 0x1.325b55cacebedp-91},
                             {0x1.9fc2d0bf8728ep-299, 0x1.e8c14754e5323p+52},
                             {-0x1.921fb54442d18p+1, 0x1.474c3d095ba76p-121}},
                            {{-0x1.d5ab8b5523848p-3, 0x1.c8450076c48cep+3},
                             {-0x1.7a605a9c72c73p-2, 0x1.ca04c79458d1cp-1},
                             {-0x1.a246b79b138b0p+0, -0x1.966aa0c459f37p-6}},
                            {{-0x1.cd02c5fe46fc8p+2, 0x1.7691b06cd8292p+2},
                             {-0x1.7691b06cd8292p+2, -0x1.cd02e2ce735c6p+2},
                             {0x1.6674af44d1b75p+1, -0x1.d9e7ca14778b5p+2}},
                            {{-0x1.fe3c9c8410b2cp-944, -0x1.973f799cf48c6p-47},
                             {-0x1.9c9011fa72c62p+220, 0x1.a842bc1dffbbep-283},
                             {0x1.921fb54442d18p+1, 0x1.f967784097b34p-268}},
                            {{-0x1.8c74fc118b8e2p-166, -0x1.03a56cd994552p-195},
                             {-0x1.6f0e229f91d01p-101, -0x1.072a98c80f07ep-83},
                             {-0x1.921fb54442d18p+1, -0x1.81a92fd6cb50fp-83}},
                            {{0x1.804c25c7b27fap+3, 0x1.4265bb316b568p+0},
                             {-0x1.0f97705d1edc1p+2, 0x1.e5cfedeea9414p+2},
                             {0x1.0098f185689c9p+1, -0x1.56fb57d4e091ep-1}},
                            {{0x1.d3bf6d1d5df8ap+1, -0x1.8825ae44dbd80p+1},
                             {0x1.8825ae44dbd82p+1, 0x1.d3f9e50b01a46p+1},
                             {-0x1.6529df5d663ebp-2, -0x1.12b0ad315ca38p+2}},
                            {{0x1.c6c91b85dc051p+246, -0x1.c6aa7d5992cdep-694},
                             {-0x1.243d356f26daap+267, -0x1.8e752fc1f9e64p-333},
                             {0x1.921faf0ab38cdp+1, 0x1.0f9867f1cc005p-620}},
                            {{0x1.c8c614b8d901cp-192, -0x1.3f9d52e61f2e0p-17},
                             {-0x1.c5b2e74320babp+219, 0x1.8fcd7f40e446cp-236},
                             {0x1.921fb54442d18p+1, 0x1.68af84c2f41c1p-237}},
                            {{0x1.535b6a5399d41p+1, -0x1.b156d1a8deb43p+0},
                             {0x1.81fc069e20c70p-2, 0x1.ec3b9611e7898p-2},
                             {0x1.8d226e9bba41ap+0, -0x1.90c0e075c1424p-3}},
                            {{0x1.231b3e0d55174p-3, 0x1.712ea6aa1c81ap-3},
                             {-0x1.712ea6aa1c81bp-3, 0x1.231b3e9ee2b64p-3},
                             {-0x1.58535f8dad458p+1, -0x1.2804d95342ba2p+3}},
                        });
}

}  // namespace
}  // namespace assay::cuda
