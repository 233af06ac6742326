// The vector functions of the C library over arrays, for the number of lanes in ASSAY_LANES. Each
// instruction set has a file compiled by its flags: how vectors are passed depends on the flags,
// not on attributes of functions (Clang passes them in memory without). Tests:
// function_blocks_test.cc.
#include <immintrin.h>

#include <cstdint>

#include "evaluator/real/double_block.h"

// Names of the vector ABI of x86: d is AVX2, e AVX-512; N without mask, then lanes and operands.
#if ASSAY_LANES == 8
#define ASSAY_LANES_NAME(name) _ZGVeN8##name
#define ASSAY_MM(operation) _mm512_##operation
using Vector = __m512d;
#else
#define ASSAY_LANES_NAME(name) _ZGVdN4##name
#define ASSAY_MM(operation) _mm256_##operation
using Vector = __m256d;
#endif

#define ASSAY_VECTOR_FUNCTION(name) extern "C" Vector ASSAY_LANES_NAME(v_##name)(Vector) noexcept
#define ASSAY_VECTOR_FUNCTION2(name) \
  extern "C" Vector ASSAY_LANES_NAME(vv_##name)(Vector, Vector) noexcept
ASSAY_VECTOR_FUNCTION(acos);
ASSAY_VECTOR_FUNCTION(acosh);
ASSAY_VECTOR_FUNCTION(asin);
ASSAY_VECTOR_FUNCTION(asinh);
ASSAY_VECTOR_FUNCTION(atan);
ASSAY_VECTOR_FUNCTION(atanh);
ASSAY_VECTOR_FUNCTION(cbrt);
ASSAY_VECTOR_FUNCTION(cos);
ASSAY_VECTOR_FUNCTION(cosh);
ASSAY_VECTOR_FUNCTION(erf);
ASSAY_VECTOR_FUNCTION(exp);
ASSAY_VECTOR_FUNCTION(expm1);
ASSAY_VECTOR_FUNCTION(log);
ASSAY_VECTOR_FUNCTION(log1p);
ASSAY_VECTOR_FUNCTION(sin);
ASSAY_VECTOR_FUNCTION(sinh);
ASSAY_VECTOR_FUNCTION(tan);
ASSAY_VECTOR_FUNCTION(tanh);
ASSAY_VECTOR_FUNCTION2(atan2);
ASSAY_VECTOR_FUNCTION2(pow);

namespace assay::evaluator::real {
namespace {

// Sums and quotients add two units to what the functions lose.
Vector Logistic(Vector x) {
  const Vector one = ASSAY_MM(set1_pd)(1), zero = ASSAY_MM(setzero_pd)();
  return ASSAY_MM(div_pd)(
      one, ASSAY_MM(add_pd)(one, ASSAY_LANES_NAME(v_exp)(ASSAY_MM(sub_pd)(zero, x))));
}
Vector Sqrt(Vector x) {
#if ASSAY_LANES == 8
  return _mm512_maskz_sqrt_pd(0xff, x);  // masked, because GCC 12 warns about the plain intrinsic
#else
  return _mm256_sqrt_pd(x);
#endif
}
Vector Rsqrt(Vector x) { return ASSAY_MM(div_pd)(ASSAY_MM(set1_pd)(1), Sqrt(x)); }

using VectorFunction = Vector (*)(Vector);
using VectorFunction2 = Vector (*)(Vector, Vector);

constexpr VectorFunction kFunctions[] = {ASSAY_LANES_NAME(v_acos),
                                         ASSAY_LANES_NAME(v_acosh),
                                         ASSAY_LANES_NAME(v_asin),
                                         ASSAY_LANES_NAME(v_asinh),
                                         ASSAY_LANES_NAME(v_atan),
                                         ASSAY_LANES_NAME(v_atanh),
                                         ASSAY_LANES_NAME(v_cbrt),
                                         ASSAY_LANES_NAME(v_cos),
                                         ASSAY_LANES_NAME(v_cosh),
                                         ASSAY_LANES_NAME(v_erf),
                                         ASSAY_LANES_NAME(v_exp),
                                         ASSAY_LANES_NAME(v_expm1),
                                         ASSAY_LANES_NAME(v_log),
                                         ASSAY_LANES_NAME(v_log1p),
                                         Logistic,
                                         Rsqrt,
                                         ASSAY_LANES_NAME(v_sin),
                                         ASSAY_LANES_NAME(v_sinh),
                                         Sqrt,
                                         ASSAY_LANES_NAME(v_tan),
                                         ASSAY_LANES_NAME(v_tanh)};
static_assert(sizeof(kFunctions) / sizeof(kFunctions[0]) ==
              static_cast<int>(RealFunction::kTanh) + 1);

}  // namespace

#if ASSAY_LANES == 8
#define ASSAY_BLOCK Block8
#else
#define ASSAY_BLOCK Block4
#endif

void ASSAY_BLOCK(RealFunction function, double* x, int64_t length) {
  const VectorFunction f = kFunctions[static_cast<int>(function)];
  for (int64_t i = 0; i < length; i += ASSAY_LANES) {
    ASSAY_MM(storeu_pd)(x + i, f(ASSAY_MM(loadu_pd)(x + i)));
  }
}

void ASSAY_BLOCK(RealFunction2 function, double* a, const double* b, int64_t length) {
  const VectorFunction2 f =
      function == RealFunction2::kAtan2 ? ASSAY_LANES_NAME(vv_atan2) : ASSAY_LANES_NAME(vv_pow);
  for (int64_t i = 0; i < length; i += ASSAY_LANES) {
    ASSAY_MM(storeu_pd)(a + i, f(ASSAY_MM(loadu_pd)(a + i), ASSAY_MM(loadu_pd)(b + i)));
  }
}

}  // namespace assay::evaluator::real
