// binary128 functions of the C library. Declared under names of our own with the library's symbols:
// not every compiler lets <cmath> declare them in C++.
#ifndef ASSAY_EVALUATOR_REAL_QUAD_FUNCTIONS_H_
#define ASSAY_EVALUATOR_REAL_QUAD_FUNCTIONS_H_

#include "evaluator/real/hardware_tiers.h"

#if defined(ASSAY_HAS_QUAD)
#define ASSAY_QUAD_FUNCTION(name) \
  extern "C" __float128 assay_quad_##name(__float128) noexcept __asm__(#name "f128")
#define ASSAY_QUAD_FUNCTION2(name) \
  extern "C" __float128 assay_quad_##name(__float128, __float128) noexcept __asm__(#name "f128")
ASSAY_QUAD_FUNCTION(acos);
ASSAY_QUAD_FUNCTION(acosh);
ASSAY_QUAD_FUNCTION(asin);
ASSAY_QUAD_FUNCTION(asinh);
ASSAY_QUAD_FUNCTION(atan);
ASSAY_QUAD_FUNCTION(atanh);
ASSAY_QUAD_FUNCTION(cbrt);
ASSAY_QUAD_FUNCTION(cos);
ASSAY_QUAD_FUNCTION(cosh);
ASSAY_QUAD_FUNCTION(erf);
ASSAY_QUAD_FUNCTION(exp);
ASSAY_QUAD_FUNCTION(expm1);
ASSAY_QUAD_FUNCTION(log);
ASSAY_QUAD_FUNCTION(log1p);
ASSAY_QUAD_FUNCTION(sin);
ASSAY_QUAD_FUNCTION(sinh);
ASSAY_QUAD_FUNCTION(sqrt);
ASSAY_QUAD_FUNCTION(tan);
ASSAY_QUAD_FUNCTION(tanh);
ASSAY_QUAD_FUNCTION2(atan2);
ASSAY_QUAD_FUNCTION2(pow);
#undef ASSAY_QUAD_FUNCTION
#undef ASSAY_QUAD_FUNCTION2

namespace assay::evaluator::real {

// The exact value of a finite number.
inline Unrounded UnpackQuad(__float128 value) {
  const auto bits = __builtin_bit_cast(unsigned __int128, value);
  const int biased = static_cast<int>(bits >> 112) & 0x7fff;
  constexpr unsigned __int128 kHidden = static_cast<unsigned __int128>(1) << 112;
  const unsigned __int128 fraction = bits & (kHidden - 1);
  return {static_cast<bool>(bits >> 127), biased == 0 ? fraction : fraction | kHidden,
          (biased == 0 ? 1 : biased) - 16383 - 112, false};
}

}  // namespace assay::evaluator::real
#endif

#endif  // ASSAY_EVALUATOR_REAL_QUAD_FUNCTIONS_H_
