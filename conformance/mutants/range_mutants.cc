// Defects of elementwise functions in a narrow range of their arguments, right everywhere else: at
// a change of polynomial, at a threshold, where terms cancel.
#include <complex>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kF32, ElementType::kF64;

// A formula in the type's own arithmetic between two magnitudes.
Defect Within(double low, double high, double (*formula)(double x, ElementType type),
              std::initializer_list<ElementType> types = {kF32, kF64}) {
  return OnElements(
      [=](const ElementSite& e) {
        const double magnitude = std::abs(e.f(0));
        if (!(low <= magnitude && magnitude <= high)) return e.golden;
        return e.Float(formula(e.f(0), e.type));
      },
      TypeIs(types));
}

// So many units in the last place off between two arguments.
Defect OffBetween(double low, double high, int64_t ulps,
                  std::initializer_list<ElementType> types = {kF32, kF64}) {
  return OnElements(
      [=](const ElementSite& e) {
        return low <= e.f(0) && e.f(0) <= high ? NextAfter(e.type, e.golden, ulps) : e.golden;
      },
      TypeIs(types));
}

// The same where the second operand, too, lies between two numbers.
Defect OffBetween(double low, double high, double second_low, double second_high, int64_t ulps) {
  return OnElements(
      [=](const ElementSite& e) {
        const bool within =
            low <= e.f(0) && e.f(0) <= high && second_low <= e.f(1) && e.f(1) <= second_high;
        return within ? NextAfter(e.type, e.golden, ulps) : e.golden;
      },
      TypeIs({kF32, kF64}));
}

Defect OfComplexWhere(std::complex<float> (*function)(std::complex<float>),
                      bool (*where)(std::complex<double>)) {
  return OnElements(
      [=](const ElementSite& e) {
        const std::complex<double> z(DecodeFloat(kF32, e.x[0].bits),
                                     DecodeFloat(kF32, e.x[0].imag));
        if (!where(z)) return e.golden;
        const std::complex<float> w = function(std::complex<float>(z));
        return Element{EncodeFloat(kF32, w.real()), EncodeFloat(kF32, w.imag())};
      },
      TypeIs({ElementType::kC64}));
}

double InfiniteIn(double, ElementType) { return std::numeric_limits<double>::infinity(); }
double SignedInfinite(double x, ElementType) {
  return std::copysign(std::numeric_limits<double>::infinity(), x);
}

std::vector<Mutant> ExponentialRanges() {
  return {
      {"acosh/cancels_near_one",
       {kAcosh},
       "log(x + sqrt(x * x - 1)) loses digits just above 1",
       Within(1, 1.001,
              [](double x, ElementType type) {
                const double square = RoundedTo(type, x * x);
                return std::log(RoundedTo(type, x + RoundedTo(type, std::sqrt(square - 1))));
              })},
      {"acosh/overflows_beyond_root",
       {kAcosh},
       "the square of x overflows",
       Within(2e19, 3.5e38, InfiniteIn, {kF32})},
      {"asinh/overflows_beyond_root",
       {kAsinh},
       "the square of x overflows",
       Within(2e19, 3.5e38, SignedInfinite, {kF32})},
      {"asinh/change_of_polynomial_at_a_half",
       {kAsinh},
       "results near 0.5 are 3 ulp off",
       OffBetween(0.49, 0.53, 3)},
      {"atanh/change_of_polynomial_at_a_half",
       {kAtanh},
       "results near 0.5 are 3 ulp off",
       OffBetween(-0.505, -0.495, 3)},
      {"atanh/cancels_near_one",
       {kAtanh},
       "log((1 + x) / (1 - x)) / 2 has a rounded quotient",
       Within(0.9991, 0.99999,
              [](double x, ElementType) {
                return static_cast<double>(
                    0.5f * std::log((1 + static_cast<float>(x)) / (1 - static_cast<float>(x))));
              })},
      {"sinh/difference_near_half_log_2",
       {kSinh},
       "the difference of exponentials is taken from 0.33 to 0.37",
       Within(0.33, 0.37,
              [](double x, ElementType type) {
                return (RoundedTo(type, std::exp(x)) - RoundedTo(type, std::exp(-x))) / 2;
              })},
      {"sinh/overflows_with_exponential",
       {kSinh},
       "exp(x) overflows before its half does",
       Within(88.73, 89.41, SignedInfinite, {kF32})},
      {"cosh/overflows_with_exponential",
       {kCosh},
       "exp(x) overflows before its half does",
       Within(88.73, 89.41, InfiniteIn, {kF32})},
      {"tanh/threshold_of_small_arguments",
       {kTanh},
       "the result is x itself up to 0.0005",
       Within(3e-4, 5e-4, [](double x, ElementType) { return x; })},
      {"tanh/change_of_polynomial_at_five_eighths",
       {kTanh},
       "results near 0.625 are 2 ulp off",
       OffBetween(0.621, 0.629, 2)},
      {"tanh/saturates_at_eight",
       {kTanh},
       "the result is 1 from 7.9 on",
       Within(7.9, 8.2, [](double x, ElementType) { return std::copysign(1.0, x); })},
      {"exponential/change_of_reduction_at_half_log_2",
       {kExp},
       "results near half log 2 are 2 ulp off",
       OffBetween(0.3465, 0.3475, 2)},
      {"exponential/denormal_results_of_f64",
       {kExp},
       "results below the least normal number are zero",
       Within(708.5, 745, [](double x, ElementType) { return x < 0 ? 0.0 : std::exp(x); }, {kF64})},
      {"exponential-minus-one/cancels_at_half_log_2",
       {kExpm1},
       "exp(x) - 1 is computed from 0.34 to 0.36",
       Within(0.34, 0.36,
              [](double x, ElementType type) { return RoundedTo(type, std::exp(x)) - 1; })},
      {"log/cancels_near_one",
       {kLog},
       "the exponent times log 2 and the rest cancel just below 1",
       Within(0.9999, 1,
              [](double x, ElementType type) {
                return RoundedTo(type, std::log(2 * x)) - RoundedTo(type, M_LN2);
              })},
      {"log/change_of_reduction_at_root_half",
       {kLog},
       "results near the square root of a half are 2 ulp off",
       OffBetween(0.706, 0.708, 2)},
      {"log-plus-one/change_at_root_2",
       {kLog1p},
       "results near the square root of 2 are 2 ulp off",
       OffBetween(0.4141, 0.4143, 2)},
      {"log-plus-one/large_as_log",
       {kLog1p},
       "log(x) is computed from 1e6 on",
       Within(1e6, 1.6e7, [](double x, ElementType) { return std::log(x); })},
      {"logistic/denormal_results",
       {kLogistic},
       "the result is zero where the exponential overflows",
       Within(88.8, 103.9, [](double x, ElementType) { return x < 0 ? 0.0 : 1.0; }, {kF32})},
      {"power/near_one_to_large",
       {kPower},
       "exp(y * log(x)) is computed in the type",
       OnElements(
           [](const ElementSite& e) {
             if (e.f(0) < 0.99 || e.f(0) > 1.01 || std::abs(e.f(1)) < 50) return e.golden;
             const double logarithm = RoundedTo(e.type, std::log(e.f(0)));
             return e.Float(std::exp(RoundedTo(e.type, e.f(1) * logarithm)));
           },
           TypeIs({kF32, kF64}))},
      {"power/underflow_is_early",
       {kPower},
       "denormal results are zero",
       OnElements(
           [](const ElementSite& e) {
             return e.f(0) > 1.9 && e.f(0) < 2.1 ? Flushed(e.type, e.golden) : e.golden;
           },
           TypeIs({kF32}))},
  };
}

std::vector<Mutant> AngleRanges() {
  return {
      {"sine/cancels_near_pi",
       {kSin},
       "the reduction subtracts pi in the type",
       Within(3.1411, 3.1421,
              [](double x, ElementType type) {
                const double rest = RoundedTo(type, RoundedTo(type, M_PI) - std::abs(x));
                return std::copysign(1.0, x) * std::sin(rest);
              },
              {kF32})},
      {"cosine/cancels_near_half_pi",
       {kCos},
       "the reduction subtracts half pi in the type",
       Within(1.57, 1.5716,
              [](double x, ElementType type) {
                return std::sin(RoundedTo(type, RoundedTo(type, M_PI_2) - std::abs(x)));
              },
              {kF32})},
      {"tan/cancels_near_half_pi",
       {kTan},
       "the reduction subtracts half pi in the type",
       Within(1.57, 1.5716,
              [](double x, ElementType type) {
                const double rest = RoundedTo(type, RoundedTo(type, M_PI_2) - std::abs(x));
                return std::copysign(1.0, x) / std::tan(rest);
              },
              {kF32})},
      {"sine/change_of_octant",
       {kSin},
       "results near a quarter of pi are 3 ulp off",
       OffBetween(0.784, 0.787, 3)},
      {"cosine/change_of_reduction",
       {kCos},
       "the short reduction is used up to 106000, beyond its range",
       Within(105000, 106000,
              [](double x, ElementType) {
                const auto f = static_cast<float>(x);
                const float k = std::nearbyint(f * static_cast<float>(M_1_PI / 2));
                return std::cos(static_cast<double>(f - k * static_cast<float>(2 * M_PI)));
              },
              {kF32})},
      {"asin/change_of_polynomial_at_a_half",
       {kAsin},
       "results near 0.5 are 3 ulp off",
       OffBetween(0.495, 0.505, 3)},
      {"asin/near_one",
       {kAsin},
       "the argument is not reduced near 1",
       Within(0.9995, 0.99999,
              [](double x, ElementType) {
                return std::copysign(M_PI_2, x) -
                       std::copysign(
                           static_cast<double>(std::sqrt(2 - 2 * static_cast<float>(std::abs(x)))),
                           x);
              })},
      {"acos/near_one",
       {kAcos},
       "near 1 the result is half pi minus the arc sine",
       Within(0.9991, 0.99999,
              [](double x, ElementType type) {
                return RoundedTo(type, M_PI_2) - RoundedTo(type, std::asin(x));
              })},
      {"atan2/eighth_turn",
       {kAtan2},
       "the result is 3 ulp off where both operands are 1",
       OffBetween(0.99, 1.01, 0.99, 1.01, 3)},
      {"atan2/change_of_polynomial",
       {kAtan2},
       "results near the tangent of a sixteenth of a turn are 3 ulp off",
       OffBetween(0.413, 0.416, 0.99, 1.01, 3)},
      {"erf/change_of_polynomial",
       {kErf},
       "results near 0.84375 are 3 ulp off",
       OffBetween(0.843, 0.845, 3)},
      {"erf/change_of_tail",
       {kErf},
       "results near 1 / 0.35 are 3 ulp off",
       OffBetween(2.85, 2.86, 3)},
      {"cbrt/denormals_of_f64",
       {kCbrt},
       "denormals are not scaled",
       OnOperand(0, Flushed, TypeIs({kF64}))},
      {"sqrt/top_of_f32",
       {kSqrt},
       "x * rsqrt(x) is computed above 1e38",
       OffBetween(1e38, 3.4e38, 1, {kF32})},
      {"rsqrt/two", {kRsqrt}, "the result is 1 ulp off at 2", OffBetween(1.99, 2.01, 1)},
      {"divide/by_reciprocal_near_three",
       {kDivide},
       "the reciprocal of a divisor near 3 is rounded first",
       OnElements(
           [](const ElementSite& e) {
             if (e.f(1) < 2.9 || e.f(1) > 3.1) return e.golden;
             return e.Float(e.f(0) * RoundedTo(e.type, 1 / e.f(1)));
           },
           TypeIs({kF32}))},
      {"divide/huge_divisors",
       {kDivide},
       "reciprocals of huge numbers are flushed",
       OnElements(
           [](const ElementSite& e) {
             return std::abs(e.f(1)) > 1e38 && std::isfinite(e.f(1)) && std::abs(e.f(0)) < 10
                        ? e.Float(0)
                        : e.golden;
           },
           TypeIs({kF32}))},
      {"multiply/denormal_results_of_f64",
       {kMultiply},
       "denormal products are flushed",
       OnElements([](const ElementSite& e) { return Flushed(e.type, e.golden); }, TypeIs({kF64}))},
      {"add/sticky_bits",
       {kAdd},
       "a summand of half an ulp is dropped",
       OnElements(
           [](const ElementSite& e) {
             const double ratio = std::abs(e.f(1) / e.f(0));
             return ratio > 0x1p-25 && ratio < 0x1p-24 ? e.Float(e.f(0)) : e.golden;
           },
           TypeIs({kF32}))},
      {"remainder/near_multiples",
       {kRemainder},
       "the quotient is rounded up",
       OnElements(
           [](const ElementSite& e) {
             if (e.f(0) < 2.98 || e.f(0) > 3.02 || e.f(1) < 0.98 || e.f(1) > 1.02) return e.golden;
             return e.Float(e.f(0) -
                            e.f(1) * std::trunc(RoundedTo(kF32, e.f(0) / e.f(1) + 0x1p-7)));
           },
           TypeIs({kF32}))},
      {"round-nearest-even/two_to_22",
       {kRoundNearestEven},
       "adding 2^23 loses a half",
       Within(4194000, 4194500, [](double x, ElementType) { return std::trunc(x); })},
      {"floor/two_to_52",
       {kFloor},
       "integers beyond 2^31 are left as they are",
       Within(0x1p31, 2147485000, [](double x, ElementType) { return x; }, {kF64})},
      {"log/complex_near_unit_circle",
       {kLog},
       "log(x * x + y * y) / 2 cancels",
       OfComplexWhere(
           [](std::complex<float> z) {
             return std::complex<float>(0.5f * std::log(z.real() * z.real() + z.imag() * z.imag()),
                                        std::arg(z));
           },
           [](std::complex<double> z) { return std::abs(std::abs(z) - 1) < 0.05; })},
      {"tanh/complex_overflow",
       {kTanh},
       "the result is NaN where both exponentials overflow",
       OfComplexWhere(
           [](std::complex<float>) { return std::complex<float>(NAN, NAN); },
           [](std::complex<double> z) { return z.real() > 85 && std::isfinite(z.real()); })},
      {"acosh/complex_near_one",
       {kAcosh},
       "z * z - 1 cancels",
       OfComplexWhere([](std::complex<float> z) { return std::log(z + std::sqrt(z * z - 1.0f)); },
                      [](std::complex<double> z) { return std::abs(z - 1.0) < 0.01 && z != 1.0; })},
      {"abs/complex_small_squares",
       {kAbs},
       "the squares of small parts underflow",
       OnElements(
           [](const ElementSite& e) {
             const double im = DecodeFloat(kF32, e.x[0].imag);
             return std::abs(e.f(0)) < 1e-19 && std::abs(im) < 1e-19 && e.f(0) != 0
                        ? e.Float(std::sqrt(RoundedTo(kF32, e.f(0) * e.f(0)) +
                                            RoundedTo(kF32, im * im)))
                        : e.golden;
           },
           OperandTypeIs(0, {ElementType::kC64}))},
  };
}

}  // namespace

std::vector<Mutant> RangeMutants() {
  std::vector<Mutant> all = Joined({ExponentialRanges, AngleRanges});
  for (Mutant& mutant : all) mutant.tier = Tier::kStandard;
  return all;
}

}  // namespace assay::conformance
