// Defects of elementary functions: cancellation, early saturation, branch cuts, special values.
#include <complex>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// A formula in the type's own arithmetic, for real results, where it says something.
Defect Formula(double (*formula)(double x, ElementType type)) {
  return OnElements(
      [formula](const ElementSite& e) {
        if (!std::isfinite(e.f(0))) return e.golden;
        return e.Float(formula(e.f(0), e.type));
      },
      TypeIs({ElementType::kF32, ElementType::kF64}));
}

// Another value where the argument is such a one.
Defect At(bool (*where)(double x), double (*value)(double x)) {
  return OnElements(
      [where, value](const ElementSite& e) {
        return where(e.f(0)) ? e.Float(value(e.f(0))) : e.golden;
      },
      FloatResult());
}

// So many units in the last place off: a polynomial of too low a degree.
Defect Inaccurate(int64_t ulps) {
  return OnElements([ulps](const ElementSite& e) { return NextAfter(e.type, e.golden, ulps); },
                    TypeIs({ElementType::kF32, ElementType::kF64}));
}

Defect OfComplex(std::complex<double> (*function)(std::complex<double>)) {
  return OnElements(
      [function](const ElementSite& e) {
        const ElementType part = Info(e.type).component;
        const std::complex<double> z(DecodeFloat(part, e.x[0].bits),
                                     DecodeFloat(part, e.x[0].imag));
        const std::complex<double> w = function(z);
        return Element{EncodeFloat(part, w.real()), EncodeFloat(part, w.imag())};
      },
      ComplexResult());
}

double Nan(double) { return std::nan(""); }
double Infinite(double) { return std::numeric_limits<double>::infinity(); }
double One(double x) { return std::copysign(1.0, x); }
double Identity(double x) { return x; }

std::vector<Mutant> ExponentialMutants() {
  return {
      {"exponential/overflows_at_88",
       {kExp},
       "results above e^88 are infinite in every type",
       OnElements(
           [](const ElementSite& e) {
             return e.f(0) > 80 && std::isfinite(e.result()) ? e.Float(Infinite(0)) : e.golden;
           },
           TypeIs({ElementType::kF32, ElementType::kBF16, ElementType::kF64}))},
      {"exponential/denormal_results_flushed",
       {kExp},
       "results below the normal range are zero",
       OnElements([](const ElementSite& e) { return Flushed(e.type, e.golden); }, FloatResult())},
      {"exponential/polynomial_too_short", {kExp}, "results are off by 40 ulp", Inaccurate(40)},
      {"exponential/of_minus_infinity_is_nan",
       {kExp},
       "exp(-inf) gives NaN, not 0",
       At([](double x) { return std::isinf(x) && x < 0; }, Nan)},
      {"exponential/complex_angle_negated",
       {kExp},
       "exp(z) turns the wrong way",
       OfComplex([](std::complex<double> z) { return std::exp(std::conj(z)); })},
      {"exponential-minus-one/as_exp_minus_one",
       {kExpm1},
       "expm1(x) loses small x by cancellation",
       Formula([](double x, ElementType type) { return RoundedTo(type, std::exp(x)) - 1; })},
      {"exponential-minus-one/sign_of_zero_lost",
       {kExpm1},
       "expm1(-0) gives +0",
       OnElements([](const ElementSite& e) { return NegativeZeroLost(e.type, e.golden); },
                  FloatResult())},
      {"log/of_negative_is_infinite",
       {kLog},
       "log(-1) gives -inf, not NaN",
       At([](double x) { return x < 0; }, [](double) { return -Infinite(0); })},
      {"log/of_denormal_is_infinite",
       {kLog},
       "denormal arguments are read as zero",
       OnOperand(0, Flushed, FloatResult())},
      {"log/of_one_is_not_zero",
       {kLog},
       "log(1) is a rounding error",
       At([](double x) { return x == 1; }, [](double) { return 0x1p-24; })},
      {"log/complex_without_angle",
       {kLog},
       "the imaginary part is zero",
       OfComplex(
           [](std::complex<double> z) { return std::complex<double>(std::log(std::abs(z)), 0); })},
      {"log-plus-one/as_log_of_sum",
       {kLog1p},
       "log1p(x) loses small x by rounding 1 + x",
       Formula([](double x, ElementType type) { return std::log(RoundedTo(type, 1 + x)); })},
      {"logistic/overflows",
       {kLogistic},
       "exp(x) / (1 + exp(x)) gives NaN for large x",
       At([](double x) { return x > 100; }, Nan)},
      {"logistic/approximated_by_line",
       {kLogistic},
       "the hard sigmoid is computed between -3 and 3",
       Formula([](double x, ElementType) { return std::min(1.0, std::max(0.0, x / 6 + 0.5)); })},
      {"power/one_to_nan_is_nan",
       {kPower},
       "1^NaN gives NaN",
       OnElements(
           [](const ElementSite& e) {
             return e.f(0) == 1 && e.nan(1) ? Element{CanonicalNan(e.type), 0} : e.golden;
           },
           TypeIs({ElementType::kF32, ElementType::kF64}))},
      {"power/by_exp_of_log",
       {kPower},
       "(-2)^3 gives NaN: computed as exp(y log x)",
       OnElements(
           [](const ElementSite& e) {
             return e.f(0) < 0 && std::isfinite(e.f(0)) && e.f(1) != 0 && !e.nan(1)
                        ? Element{CanonicalNan(e.type), 0}
                        : e.golden;
           },
           FloatResult())},
      {"power/odd_power_of_negative_zero",
       {kPower},
       "(-0)^3 gives +0, (-0)^-3 gives +inf",
       OnElements(
           [](const ElementSite& e) {
             return e.f(0) == 0 && !std::isnan(e.result()) ? e.Float(std::abs(e.result()))
                                                           : e.golden;
           },
           FloatResult())},
  };
}

std::vector<Mutant> TrigonometricMutants() {
  return {
      {"sine/crude_reduction",
       {kSin},
       "large angles are reduced by a rounded 2 pi",
       Formula([](double x, ElementType) {
         return std::sin(std::fmod(x, static_cast<double>(static_cast<float>(2 * M_PI))));
       })},
      {"cosine/crude_reduction",
       {kCos},
       "large angles are reduced by a rounded 2 pi",
       Formula([](double x, ElementType) {
         return std::cos(std::fmod(x, static_cast<double>(static_cast<float>(2 * M_PI))));
       })},
      {"sine/sign_of_zero_lost",
       {kSin},
       "sin(-0) gives +0",
       OnElements([](const ElementSite& e) { return NegativeZeroLost(e.type, e.golden); },
                  FloatResult())},
      {"cosine/is_sine",
       {kCos},
       "the quadrant of the reduction is off by one",
       Formula([](double x, ElementType) { return std::sin(x); })},
      {"tan/polynomial_too_short", {kTan}, "results are off by 40 ulp", Inaccurate(40)},
      {"tanh/saturates_early",
       {kTanh},
       "the result is 1 from 4 on",
       At([](double x) { return std::abs(x) >= 2 && std::isfinite(x); }, One)},
      {"tanh/linear_below_one_half",
       {kTanh},
       "tanh(x) gives x for small x",
       At([](double x) { return std::abs(x) < 0.5; }, Identity)},
      {"sinh/by_difference_of_exponentials",
       {kSinh},
       "small x are lost by cancellation",
       Formula([](double x, ElementType type) {
         return (RoundedTo(type, std::exp(x)) - RoundedTo(type, std::exp(-x))) / 2;
       })},
      {"cosh/overflows_early",
       {kCosh},
       "exp(x) + exp(-x) overflows before its half does",
       OnElements(
           [](const ElementSite& e) {
             const double limit = DecodeFloat(e.type, MaxFinite(e.type)) / 2;
             return std::isfinite(e.result()) && e.result() > limit / 4 ? e.Float(Infinite(0))
                                                                        : e.golden;
           },
           FloatResult())},
      {"cosh/is_sinh_plus_one",
       {kCosh},
       "sinh(x) + 1 is computed",
       Formula([](double x, ElementType) { return std::sinh(x) + 1; })},
      {"asin/outside_is_clamped",
       {kAsin},
       "asin(2) gives pi/2, not NaN",
       At([](double x) { return std::abs(x) > 1; },
          [](double x) { return std::copysign(M_PI / 2, x); })},
      {"acos/outside_is_clamped",
       {kAcos},
       "acos(2) gives 0, not NaN",
       At([](double x) { return std::abs(x) > 1; }, [](double x) { return x > 0 ? 0 : M_PI; })},
      {"acosh/below_one_is_zero",
       {kAcosh},
       "acosh(0.5) gives 0, not NaN",
       At([](double x) { return x < 1; }, [](double) { return 0.0; })},
      {"asinh/by_logarithm",
       {kAsinh},
       "log(x + sqrt(x^2 + 1)) cancels for negative x",
       Formula([](double x, ElementType type) {
         const double root = RoundedTo(type, std::sqrt(RoundedTo(type, x * x + 1)));
         return std::log(RoundedTo(type, x + root));
       })},
      {"atanh/of_one_is_nan",
       {kAtanh},
       "atanh(1) gives NaN, not inf",
       At([](double x) { return std::abs(x) == 1; }, Nan)},
      {"atan2/arguments_exchanged",
       {kAtan2},
       "atan2(x, y) is computed instead of atan2(y, x)",
       Reorder([](std::vector<Instruction*>& x) { std::swap(x[0], x[1]); })},
      {"atan2/negative_zero_on_the_cut",
       {kAtan2},
       "atan2(-0, -1) gives +pi",
       OnElements(
           [](const ElementSite& e) {
             return e.f(0) == 0 ? e.Float(std::abs(e.result())) : e.golden;
           },
           FloatResult())},
      {"atan2/both_zero_is_nan",
       {kAtan2},
       "atan2(0, 0) divides 0 by 0",
       OnElements(
           [](const ElementSite& e) {
             return e.f(0) == 0 && e.f(1) == 0 ? Element{CanonicalNan(e.type), 0} : e.golden;
           },
           FloatResult())},
      {"erf/saturates_early",
       {kErf},
       "the result is 1 from 3 on",
       At([](double x) { return std::abs(x) >= 1.5 && std::isfinite(x); }, One)},
  };
}

std::vector<Mutant> RootMutants() {
  return {
      {"sqrt/of_negative_is_zero",
       {kSqrt},
       "sqrt(-1) gives 0, not NaN",
       At([](double x) { return x < 0; }, [](double) { return 0.0; })},
      {"sqrt/of_negative_zero_is_positive",
       {kSqrt},
       "sqrt(-0) gives +0",
       OnElements([](const ElementSite& e) { return NegativeZeroLost(e.type, e.golden); },
                  FloatResult())},
      {"sqrt/one_newton_step_missing",
       {kSqrt},
       "results have 12 correct bits",
       OnElements([](const ElementSite& e) { return e.Float(TruncatedTo(e.result(), 12)); },
                  TypeIs({ElementType::kF32, ElementType::kF64}))},
      {"sqrt/complex_other_branch",
       {kSqrt},
       "the root with the negative real part is returned",
       OfComplex([](std::complex<double> z) { return -std::sqrt(z); })},
      {"rsqrt/one_newton_step_missing",
       {kRsqrt},
       "results have 12 correct bits",
       OnElements([](const ElementSite& e) { return e.Float(TruncatedTo(e.result(), 12)); },
                  TypeIs({ElementType::kF32, ElementType::kF64}))},
      {"rsqrt/of_denormal_is_infinite",
       {kRsqrt},
       "denormal arguments are read as zero",
       OnOperand(0, Flushed, FloatResult())},
      {"rsqrt/of_infinity_is_nan",
       {kRsqrt},
       "a Newton step takes 0 times inf",
       At([](double x) { return std::isinf(x) && x > 0; }, Nan)},
      {"cbrt/of_negative_is_nan",
       {kCbrt},
       "computed as x^(1/3)",
       At([](double x) { return x < 0; }, Nan)},
      {"ceil/negative_fraction_to_positive_zero",
       {kCeil},
       "ceil(-0.5) gives +0, not -0",
       OnElements([](const ElementSite& e) { return NegativeZeroLost(e.type, e.golden); },
                  FloatResult())},
      {"ceil/by_adding_one",
       {kCeil},
       "ceil(2) gives 3: floor(x) + 1",
       OnElements([](const ElementSite& e) {
         return std::isfinite(e.f(0)) ? e.Float(std::floor(e.f(0)) + 1) : e.golden;
       })},
      {"floor/truncates", {kFloor}, "floor(-1.5) gives -1", OnElements([](const ElementSite& e) {
         return e.Float(std::trunc(e.f(0)));
       })},
      {"floor/by_32_bit_integers",
       {kFloor},
       "beyond 2^31 the conversion saturates",
       OnElements(
           [](const ElementSite& e) {
             return std::abs(e.f(0)) > 0x1p31 ? e.Float(std::copysign(0x1p31, e.f(0))) : e.golden;
           },
           TypeIs({ElementType::kF32, ElementType::kF64, ElementType::kBF16}))},
      {"round-nearest-even/ties_away",
       {kRoundNearestEven},
       "2.5 gives 3",
       OnElements([](const ElementSite& e) { return e.Float(std::round(e.f(0))); })},
      {"round-nearest-even/sign_of_zero_lost",
       {kRoundNearestEven},
       "-0.25 gives +0",
       OnElements([](const ElementSite& e) { return NegativeZeroLost(e.type, e.golden); })},
      {"round-nearest-afz/ties_to_even",
       {kRoundNearestAfz},
       "2.5 gives 2",
       OnElements([](const ElementSite& e) { return e.Float(std::nearbyint(e.f(0))); })},
      {"round-nearest-afz/by_adding_one_half",
       {kRoundNearestAfz},
       "the number below 0.5 gives 1: trunc(x + 0.5) is rounded",
       OnElements([](const ElementSite& e) {
         const double half = std::copysign(0.5, e.f(0));
         return e.Float(std::trunc(RoundedTo(e.type, e.f(0) + half)));
       })},
  };
}

}  // namespace

std::vector<Mutant> FunctionMutants() {
  return Joined({ExponentialMutants, TrigonometricMutants, RootMutants});
}

}  // namespace assay::conformance
