// Linear-algebra targets on numbers of 200 bits: every element is rounded once at the end, after
// errors far below the last place of any element type. Tests:
// backends/factory/linear_algebra_calls_test.cc.
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "interpreter/custom_call.h"
#include "runtime/custom_calls/linear_algebra/linear_algebra.h"

namespace assay::runtime::custom_calls {
namespace {

constexpr int kRealBits = 200;
using Real = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<kRealBits, boost::multiprecision::digit_base_2, void, int>,
    boost::multiprecision::et_off>;

uint64_t RoundReal(ElementType type, const Real& value) {
  using boost::multiprecision::isinf;
  using boost::multiprecision::isnan;
  if (isnan(value)) return CanonicalNan(type);
  if (isinf(value)) return Infinity(type, value < 0);
  if (value.is_zero()) return RoundToFloat(type, {.negative = signbit(value) != 0});
  constexpr int kLeading = 127;
  int exponent = 0;
  const Real scaled = ldexp(frexp(Real(fabs(value)), &exponent), kLeading);
  const Real whole = trunc(scaled);
  return RoundToFloat(type, {.negative = value < 0,
                             .significand = static_cast<unsigned __int128>(whole),
                             .exponent = exponent - kLeading,
                             .sticky = whole != scaled});
}

uint64_t WrapInteger(ElementType type, const Real& value) {
  if (!isfinite(value)) return 0;
  const Real word = ldexp(Real(1), 64);
  const Real rest = value - floor(Real(value / word)) * word;
  return EncodeInteger(type, static_cast<uint64_t>(rest));
}

}  // namespace

template <>
struct RealTraits<Real> {
  static constexpr int kNegligible = 8 - kRealBits;
  static constexpr int kNoise = 40 - kRealBits;
  static uint64_t Round(ElementType type, const Real& value) { return RoundReal(type, value); }
  static uint64_t Wrap(ElementType type, const Real& value) { return WrapInteger(type, value); }
};

}  // namespace assay::runtime::custom_calls

namespace assay {

runtime::custom_calls::Targets ExactLinearAlgebraTargets() {
  return runtime::custom_calls::LinearAlgebraTargets<runtime::custom_calls::Real>();
}

}  // namespace assay
