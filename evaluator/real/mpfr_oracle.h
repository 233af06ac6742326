// Test oracle: MPFR as the independent source of expected values for the tests of this folder.
#ifndef ASSAY_EVALUATOR_REAL_MPFR_ORACLE_H_
#define ASSAY_EVALUATOR_REAL_MPFR_ORACLE_H_

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "spec/element/element.h"
#include "spec/element/element_type.h"

namespace assay::evaluator::testing {

// An owned mpfr_t. Every operation of MPFR rounds to the precision given here.
class Mpfr {
 public:
  explicit Mpfr(mpfr_prec_t precision = 400) { mpfr_init2(value_, precision); }
  Mpfr(mpfr_prec_t precision, double value) : Mpfr(precision) {
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  Mpfr(const Mpfr& other) : Mpfr(mpfr_get_prec(other.value_)) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Mpfr& operator=(const Mpfr& other) {
    mpfr_set_prec(value_, mpfr_get_prec(other.value_));
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Mpfr() { mpfr_clear(value_); }
  mpfr_srcptr get() const { return value_; }
  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

 private:
  mpfr_t value_;
};

// Returns the bit pattern of `exact`, rounded once to a float type by the type's row alone.
inline uint64_t RoundByOracle(ElementType type, const Mpfr& exact) {
  if (mpfr_nan_p(exact.get())) return CanonicalNan(type);
  const bool negative = mpfr_signbit(exact.get()) != 0;
  const FloatFormat& format = *Info(type).format;
  if (!format.has_sign) {  // f8e8m0fnu, ops_elementwise_and_types.md 6.13
    if (mpfr_inf_p(exact.get()) || mpfr_cmp_ui(exact.get(), 0) <= 0) return 0xff;
    if (mpfr_cmp_ui_2exp(exact, 1, -127) <= 0) return 0;
    if (mpfr_cmp_ui_2exp(exact, 1, -126) <= 0) return 1;
    int64_t exponent = mpfr_get_exp(exact.get()) - 1;
    if (mpfr_cmp_ui_2exp(exact, 3, exponent - 1) >= 0) ++exponent;
    return exponent > 127 ? 0xff : static_cast<uint64_t>(exponent + 127);
  }
  if (mpfr_inf_p(exact.get())) return Infinity(type, negative);
  if (mpfr_zero_p(exact.get())) return EncodeFloat(type, negative ? -0.0 : 0.0);
  const int64_t exponent = std::max<int64_t>(mpfr_get_exp(exact.get()) - 1, format.min_exponent());
  const int64_t quantum = exponent - format.significand_bits;
  Mpfr units(exact);
  mpfr_mul_2si(units, exact, -quantum, MPFR_RNDN);
  mpfr_rint(units, units, MPFR_RNDN);  // to the nearest integer, ties to even
  mpfr_mul_2si(units, units, quantum, MPFR_RNDN);
  Mpfr largest(64, DecodeFloat(type, MaxFinite(type)));
  if (mpfr_cmpabs(units, largest) > 0) {
    if (format.overflow == Overflow::kSaturate) {
      return EncodeFloat(type, std::copysign(mpfr_get_d(largest, MPFR_RNDN), negative ? -1. : 1.));
    }
    return format.overflow == Overflow::kInfinity ? Infinity(type, negative) : CanonicalNan(type);
  }
  return EncodeFloat(type, mpfr_get_d(units, MPFR_RNDN));
}

// The same where the exact value is only known to MPFR's precision: `compute(out)` puts it into
// `out`, correct to within 2^(8 - p), and returns whether it is exact. Precision grows until the
// error makes no difference; nothing where 4096 bits do not decide.
template <class Compute>
std::optional<uint64_t> RoundedByMpfr(ElementType type, Compute compute) {
  for (mpfr_prec_t precision = 128; precision <= 4096; precision *= 2) {
    Mpfr value(precision);
    const bool exact = compute(value);
    if (exact || !mpfr_regular_p(value.get())) return RoundByOracle(type, value);
    Mpfr reach(precision), low(precision), high(precision);
    mpfr_mul_2si(reach, value, 8 - precision, MPFR_RNDN);
    mpfr_sub(low, value, reach, MPFR_RNDN);
    mpfr_add(high, value, reach, MPFR_RNDN);
    const uint64_t pattern = RoundByOracle(type, low);
    if (pattern == RoundByOracle(type, high)) return pattern;
  }
  return std::nullopt;
}

// Returns true if the bit patterns are equal or both are NaN (sign and payload of a produced NaN
// are unspecified).
inline bool SameValue(ElementType type, uint64_t a, uint64_t b) {
  return a == b || (IsNan(type, a) && IsNan(type, b));
}

}  // namespace assay::evaluator::testing

#endif  // ASSAY_EVALUATOR_REAL_MPFR_ORACLE_H_
