// Tables of library functions, one per precision, in the order of RealFunction.
// Tests: real_functions_test.cc.
#include "evaluator/real/hardware_tiers.h"

#include <bit>
#include <iterator>

#include "evaluator/real/quad_functions.h"
#include "evaluator/real/tier_bounds.h"

namespace assay::evaluator::real {
namespace {

constexpr int kTableSize = static_cast<int>(RealFunction::kTanh) + 1;

// Both lose a few units in the worst case, far inside the bounds.
template <class T, T (*kExp)(T)>
T Logistic(T x) {
  return 1 / (1 + kExp(-x));
}
template <class T, T (*kSqrt)(T)>
T Rsqrt(T x) {
  return 1 / kSqrt(x);
}

constexpr DoubleFunction kDouble[] = {std::acos,
                                      std::acosh,
                                      std::asin,
                                      std::asinh,
                                      std::atan,
                                      std::atanh,
                                      std::cbrt,
                                      std::cos,
                                      std::cosh,
                                      std::erf,
                                      std::exp,
                                      std::expm1,
                                      std::log,
                                      std::log1p,
                                      Logistic<double, ::exp>,
                                      Rsqrt<double, ::sqrt>,
                                      std::sin,
                                      std::sinh,
                                      std::sqrt,
                                      std::tan,
                                      std::tanh};
static_assert(std::size(kDouble) == kTableSize);

#if defined(ASSAY_HAS_EXTENDED)
static_assert(std::numeric_limits<long double>::digits == 64);
using ExtendedFunction = long double (*)(long double);
constexpr ExtendedFunction kExtended[] = {acosl,
                                          acoshl,
                                          asinl,
                                          asinhl,
                                          atanl,
                                          atanhl,
                                          cbrtl,
                                          cosl,
                                          coshl,
                                          erfl,
                                          expl,
                                          expm1l,
                                          logl,
                                          log1pl,
                                          Logistic<long double, expl>,
                                          Rsqrt<long double, sqrtl>,
                                          sinl,
                                          sinhl,
                                          sqrtl,
                                          tanl,
                                          tanhl};
static_assert(std::size(kExtended) == kTableSize);

uint64_t DoubleBits(long double value) {
  return std::bit_cast<uint64_t>(static_cast<double>(value));
}

// Long double has 15 exponent bits: a result of zero or infinity is far beyond the range of f64.
Ends RoundExtended(long double y, double bound) {
  if (std::isnan(y)) return {};
  if (std::isinf(y)) y = std::copysign(std::numeric_limits<long double>::max(), y);
  const long double reach = std::fabs(y) * bound;
  return {DoubleBits(y - reach), DoubleBits(y + reach), true, 0};
}
#endif

#if defined(ASSAY_HAS_QUAD)
using QuadFunction = __float128 (*)(__float128);
constexpr QuadFunction kQuad[] = {assay_quad_acos,
                                  assay_quad_acosh,
                                  assay_quad_asin,
                                  assay_quad_asinh,
                                  assay_quad_atan,
                                  assay_quad_atanh,
                                  assay_quad_cbrt,
                                  assay_quad_cos,
                                  assay_quad_cosh,
                                  assay_quad_erf,
                                  assay_quad_exp,
                                  assay_quad_expm1,
                                  assay_quad_log,
                                  assay_quad_log1p,
                                  Logistic<__float128, assay_quad_exp>,
                                  Rsqrt<__float128, assay_quad_sqrt>,
                                  assay_quad_sin,
                                  assay_quad_sinh,
                                  assay_quad_sqrt,
                                  assay_quad_tan,
                                  assay_quad_tanh};
static_assert(std::size(kQuad) == kTableSize);

// Below 2^-4000 no type can tell results apart, but for their sign.
const __float128 kSmallest = static_cast<__float128>(0x1p-1000) * 0x1p-1000 * 0x1p-1000 * 0x1p-1000;

// In integers: the significand of y, 14 bits lower than it could be, plus and minus the bound.
Ends RoundQuad(ElementType type, __float128 y, int bound_log2) {
  // Zero, subnormal, infinity and NaN are beyond what the bound covers.
  if (!(y > kSmallest || y < -kSmallest) || y - y != 0) return {};
  Unrounded inner = UnpackQuad(y);
  inner.significand <<= 14;
  inner.exponent -= 14;
  Unrounded outer = inner;
  const unsigned __int128 reach = (inner.significand >> -bound_log2) + 1;
  inner.significand -= reach;
  outer.significand += reach;
  const uint64_t near_zero = RoundToFloat(type, inner), far = RoundToFloat(type, outer);
  return inner.negative ? Ends{far, near_zero, true, 0} : Ends{near_zero, far, true, 0};
}
#endif

}  // namespace

DoubleFunction DoubleFunctionOf(RealFunction function) {
  return kDouble[static_cast<int>(function)];
}

DoubleFunction2 DoubleFunctionOf(RealFunction2 function) {
  return function == RealFunction2::kAtan2 ? static_cast<DoubleFunction2>(std::atan2)
                                           : static_cast<DoubleFunction2>(std::pow);
}

#if defined(ASSAY_HAS_EXTENDED)
Ends ExtendedTier(RealFunction function, ElementType type, double x) {
  if (type != ElementType::kF64) return {};
  return RoundExtended(kExtended[static_cast<int>(function)](x),
                       BoundOf(function, Arithmetic::kExtended));
}
Ends ExtendedTier(RealFunction2 function, ElementType type, double a, double b) {
  if (type != ElementType::kF64) return {};
  return RoundExtended(function == RealFunction2::kAtan2 ? atan2l(a, b) : powl(a, b),
                       BoundOf(function, Arithmetic::kExtended));
}
#else
Ends ExtendedTier(RealFunction, ElementType, double) { return {}; }
Ends ExtendedTier(RealFunction2, ElementType, double, double) { return {}; }
#endif

#if defined(ASSAY_HAS_QUAD)
Ends QuadTier(RealFunction function, ElementType type, double x) {
  return RoundQuad(type, kQuad[static_cast<int>(function)](x),
                   BoundLog2(function, Arithmetic::kQuad));
}
Ends QuadTier(RealFunction2 function, ElementType type, double a, double b) {
  return RoundQuad(
      type, function == RealFunction2::kAtan2 ? assay_quad_atan2(a, b) : assay_quad_pow(a, b),
      BoundLog2(function, Arithmetic::kQuad));
}
#else
Ends QuadTier(RealFunction, ElementType, double) { return {}; }
Ends QuadTier(RealFunction2, ElementType, double, double) { return {}; }
#endif

}  // namespace assay::evaluator::real
