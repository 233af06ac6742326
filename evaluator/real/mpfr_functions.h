// Test oracle: the real functions of MPFR.
#ifndef ASSAY_EVALUATOR_REAL_MPFR_FUNCTIONS_H_
#define ASSAY_EVALUATOR_REAL_MPFR_FUNCTIONS_H_

#include "evaluator/real/mpfr_oracle.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator::testing {

using MpfrFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

inline int MpfrLogistic(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round) {
  mpfr_neg(out, x, round);
  mpfr_exp(out, out, round);
  mpfr_add_ui(out, out, 1, round);
  return mpfr_ui_div(out, 1, out, round);
}

struct NamedFunction {
  RealFunction function;
  const char* name;
  MpfrFunction oracle;
};

// In the order of RealFunction.
inline constexpr NamedFunction kNamedFunctions[] = {
    {RealFunction::kAcos, "acos", mpfr_acos},
    {RealFunction::kAcosh, "acosh", mpfr_acosh},
    {RealFunction::kAsin, "asin", mpfr_asin},
    {RealFunction::kAsinh, "asinh", mpfr_asinh},
    {RealFunction::kAtan, "atan", mpfr_atan},
    {RealFunction::kAtanh, "atanh", mpfr_atanh},
    {RealFunction::kCbrt, "cbrt", mpfr_cbrt},
    {RealFunction::kCos, "cos", mpfr_cos},
    {RealFunction::kCosh, "cosh", mpfr_cosh},
    {RealFunction::kErf, "erf", mpfr_erf},
    {RealFunction::kExp, "exp", mpfr_exp},
    {RealFunction::kExpm1, "expm1", mpfr_expm1},
    {RealFunction::kLog, "log", mpfr_log},
    {RealFunction::kLog1p, "log1p", mpfr_log1p},
    {RealFunction::kLogistic, "logistic", MpfrLogistic},
    {RealFunction::kRsqrt, "rsqrt", mpfr_rec_sqrt},
    {RealFunction::kSin, "sin", mpfr_sin},
    {RealFunction::kSinh, "sinh", mpfr_sinh},
    {RealFunction::kSqrt, "sqrt", mpfr_sqrt},
    {RealFunction::kTan, "tan", mpfr_tan},
    {RealFunction::kTanh, "tanh", mpfr_tanh},
};

inline Mpfr Apply(const NamedFunction& f, double x, mpfr_prec_t precision) {
  Mpfr result(precision, x);
  f.oracle(result, result, MPFR_RNDN);
  return result;
}

inline uint64_t Expected(const NamedFunction& f, ElementType type, double x,
                         mpfr_prec_t precision) {
  return RoundByOracle(type, Apply(f, x, precision));
}

// Returns kPower or kAtan2 of two operands, correctly rounded, or nothing if 4096 bits do not
// decide.
inline std::optional<uint64_t> ProvenPair(RealFunction2 function, ElementType type, double a,
                                          double b) {
  return RoundedByMpfr(type, [&](Mpfr& out) {
    const Mpfr second(64, b);
    mpfr_set_d(out, a, MPFR_RNDN);
    const int inexact = function == RealFunction2::kPower ? mpfr_pow(out, out, second, MPFR_RNDN)
                                                          : mpfr_atan2(out, out, second, MPFR_RNDN);
    // Below the range even of MPFR, which f8e8m0fnu tells from zero.
    if (mpfr_zero_p(out.get()) && inexact != 0) mpfr_set_ui_2exp(out, 1, -1'000'000, MPFR_RNDN);
    return inexact == 0;
  });
}

}  // namespace assay::evaluator::testing

#endif  // ASSAY_EVALUATOR_REAL_MPFR_FUNCTIONS_H_
