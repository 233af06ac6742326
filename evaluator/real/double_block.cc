// Vectors of four (AVX2) or eight (AVX-512) doubles, chosen by the CPU at run time. The library's
// vector functions differ from its scalar ones by at most 4 units on all f32 arguments (reference
// accuracy_design.md 4); the bound of the tier is 256. Tests: function_blocks_test.cc.
#include "evaluator/real/double_block.h"

#include <algorithm>
#include <iterator>

#include "evaluator/real/hardware_tiers.h"

// Defined by the build where the library has the functions. ASSAY_PORTABLE: see hardware_tiers.h.
#if defined(ASSAY_HAS_VECTOR_FUNCTIONS) && !defined(ASSAY_PORTABLE)
#define ASSAY_USE_VECTOR_FUNCTIONS
#include <immintrin.h>
#endif

namespace assay::real {
namespace {

void OneByOne(RealFunction function, double* x, int64_t count) {
  const DoubleFunction f = DoubleFunctionOf(function);
  for (int64_t i = 0; i < count; ++i) x[i] = f(x[i]);
}
void OneByOne(RealFunction2 function, double* a, const double* b, int64_t count) {
  const DoubleFunction2 f = DoubleFunctionOf(function);
  for (int64_t i = 0; i < count; ++i) a[i] = f(a[i], b[i]);
}

}  // namespace

#if defined(ASSAY_USE_VECTOR_FUNCTIONS)

#define ASSAY_AVX2 __attribute__((target("avx2,fma")))
#define ASSAY_AVX512 __attribute__((target("avx512f,avx512dq")))

// Names of the vector ABI of x86: d is AVX2, e AVX-512; N without mask, then lanes and operands.
#define ASSAY_VECTOR_FUNCTION(name)                                \
  extern "C" ASSAY_AVX2 __m256d _ZGVdN4v_##name(__m256d) noexcept; \
  extern "C" ASSAY_AVX512 __m512d _ZGVeN8v_##name(__m512d) noexcept
#define ASSAY_VECTOR_FUNCTION2(name)                                         \
  extern "C" ASSAY_AVX2 __m256d _ZGVdN4vv_##name(__m256d, __m256d) noexcept; \
  extern "C" ASSAY_AVX512 __m512d _ZGVeN8vv_##name(__m512d, __m512d) noexcept
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
#undef ASSAY_VECTOR_FUNCTION
#undef ASSAY_VECTOR_FUNCTION2

namespace {

// Sums and quotients add two units to what the functions lose.
ASSAY_AVX2 __m256d Logistic4(__m256d x) {
  const __m256d one = _mm256_set1_pd(1);
  return _mm256_div_pd(one,
                       _mm256_add_pd(one, _ZGVdN4v_exp(_mm256_sub_pd(_mm256_setzero_pd(), x))));
}
ASSAY_AVX512 __m512d Logistic8(__m512d x) {
  const __m512d one = _mm512_set1_pd(1);
  return _mm512_div_pd(one,
                       _mm512_add_pd(one, _ZGVeN8v_exp(_mm512_sub_pd(_mm512_setzero_pd(), x))));
}
ASSAY_AVX2 __m256d Sqrt4(__m256d x) { return _mm256_sqrt_pd(x); }
// Masked, because GCC 12 warns about the plain intrinsic.
ASSAY_AVX512 __m512d Sqrt8(__m512d x) { return _mm512_maskz_sqrt_pd(0xff, x); }
ASSAY_AVX2 __m256d Rsqrt4(__m256d x) { return _mm256_div_pd(_mm256_set1_pd(1), _mm256_sqrt_pd(x)); }
ASSAY_AVX512 __m512d Rsqrt8(__m512d x) {
  return _mm512_div_pd(_mm512_set1_pd(1), _mm512_maskz_sqrt_pd(0xff, x));
}

struct VectorFunction {
  __m256d (*four)(__m256d);
  __m512d (*eight)(__m512d);
};
struct VectorFunction2 {
  __m256d (*four)(__m256d, __m256d);
  __m512d (*eight)(__m512d, __m512d);
};

#define ASSAY_PAIR(name) \
  { _ZGVdN4v_##name, _ZGVeN8v_##name }
constexpr VectorFunction kFunctions[] = {
    ASSAY_PAIR(acos), ASSAY_PAIR(acosh), ASSAY_PAIR(asin),       ASSAY_PAIR(asinh),
    ASSAY_PAIR(atan), ASSAY_PAIR(atanh), ASSAY_PAIR(cbrt),       ASSAY_PAIR(cos),
    ASSAY_PAIR(cosh), ASSAY_PAIR(erf),   ASSAY_PAIR(exp),        ASSAY_PAIR(expm1),
    ASSAY_PAIR(log),  ASSAY_PAIR(log1p), {Logistic4, Logistic8}, {Rsqrt4, Rsqrt8},
    ASSAY_PAIR(sin),  ASSAY_PAIR(sinh),  {Sqrt4, Sqrt8},         ASSAY_PAIR(tan),
    ASSAY_PAIR(tanh)};
#undef ASSAY_PAIR
static_assert(std::size(kFunctions) == static_cast<int>(RealFunction::kTanh) + 1);
constexpr VectorFunction2 kAtan2 = {_ZGVdN4vv_atan2, _ZGVeN8vv_atan2};
constexpr VectorFunction2 kPower = {_ZGVdN4vv_pow, _ZGVeN8vv_pow};

// Lengths are whole vectors.
ASSAY_AVX2 void Apply4(__m256d (*f)(__m256d), double* x, int64_t length) {
  for (int64_t i = 0; i < length; i += 4) _mm256_storeu_pd(x + i, f(_mm256_loadu_pd(x + i)));
}
ASSAY_AVX512 void Apply8(__m512d (*f)(__m512d), double* x, int64_t length) {
  for (int64_t i = 0; i < length; i += 8) _mm512_storeu_pd(x + i, f(_mm512_loadu_pd(x + i)));
}
ASSAY_AVX2 void Apply4(__m256d (*f)(__m256d, __m256d), double* a, const double* b, int64_t length) {
  for (int64_t i = 0; i < length; i += 4) {
    _mm256_storeu_pd(a + i, f(_mm256_loadu_pd(a + i), _mm256_loadu_pd(b + i)));
  }
}
ASSAY_AVX512 void Apply8(__m512d (*f)(__m512d, __m512d), double* a, const double* b,
                         int64_t length) {
  for (int64_t i = 0; i < length; i += 8) {
    _mm512_storeu_pd(a + i, f(_mm512_loadu_pd(a + i), _mm512_loadu_pd(b + i)));
  }
}

int64_t WholeVectors(int64_t count) { return (count + kMostLanes - 1) / kMostLanes * kMostLanes; }
// An argument in the domain of every function, and a fast one.
void Pad(double* x, int64_t count) { std::fill(x + count, x + WholeVectors(count), 1.0); }

}  // namespace

Lanes MostLanes() {
  static const Lanes lanes = [] {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
      return Lanes::kEight;
    }
    const bool four = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return four ? Lanes::kFour : Lanes::kOne;
  }();
  return lanes;
}

void DoubleBlock(RealFunction function, Lanes lanes, double* x, int64_t count) {
  if (lanes == Lanes::kOne) return OneByOne(function, x, count);
  Pad(x, count);
  const VectorFunction& row = kFunctions[static_cast<int>(function)];
  if (lanes == Lanes::kFour) return Apply4(row.four, x, WholeVectors(count));
  Apply8(row.eight, x, WholeVectors(count));
}

void DoubleBlock(RealFunction2 function, Lanes lanes, double* a, double* b, int64_t count) {
  if (lanes == Lanes::kOne) return OneByOne(function, a, b, count);
  Pad(a, count);
  Pad(b, count);
  const VectorFunction2& row = function == RealFunction2::kAtan2 ? kAtan2 : kPower;
  if (lanes == Lanes::kFour) return Apply4(row.four, a, b, WholeVectors(count));
  Apply8(row.eight, a, b, WholeVectors(count));
}

#else

Lanes MostLanes() { return Lanes::kOne; }

void DoubleBlock(RealFunction function, Lanes, double* x, int64_t count) {
  OneByOne(function, x, count);
}
void DoubleBlock(RealFunction2 function, Lanes, double* a, double* b, int64_t count) {
  OneByOne(function, a, b, count);
}

#endif

}  // namespace assay::real
