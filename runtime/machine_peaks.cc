// Users: interpreter/performance_bench.cc and backends/cpu/limits_bench.cc show the figures.
#include "runtime/machine_peaks.h"

#include "runtime/processor.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::runtime {
namespace {

// `kSums` independent chains hide the latency; the widest vectors that the machine has.
constexpr int kSums = 10;
#if defined(__x86_64__)
#define ASSAY_MULTIPLY_ADDS(name, isa, type, vector, set, fma, lanes)                     \
  __attribute__((target(isa))) int64_t name(int64_t iterations, type factor, type* out) { \
    const vector f = set(factor);                                                         \
    vector sums[kSums];                                                                   \
    for (int i = 0; i < kSums; ++i) sums[i] = set(factor + static_cast<type>(i));         \
    for (int64_t iteration = 0; iteration < iterations; ++iteration) {                    \
      for (int i = 0; i < kSums; ++i) {                                                   \
        sums[i] = fma(sums[i], f, f);                                                     \
      }                                                                                   \
    }                                                                                     \
    for (int i = 0; i < kSums; ++i) *out += sums[i][0];                                   \
    return iterations * kSums * (lanes);                                                  \
  }
ASSAY_MULTIPLY_ADDS(F32By16, "avx512f", float, __m512, _mm512_set1_ps, _mm512_fmadd_ps, 16)
ASSAY_MULTIPLY_ADDS(F64By8, "avx512f", double, __m512d, _mm512_set1_pd, _mm512_fmadd_pd, 8)
ASSAY_MULTIPLY_ADDS(F32By8, "avx2,fma", float, __m256, _mm256_set1_ps, _mm256_fmadd_ps, 8)
ASSAY_MULTIPLY_ADDS(F64By4, "avx2,fma", double, __m256d, _mm256_set1_pd, _mm256_fmadd_pd, 4)
#undef ASSAY_MULTIPLY_ADDS
#endif
template <typename T>
int64_t Scalar(int64_t iterations, T factor, T* out) {
  T sums[kSums] = {};
  for (int64_t iteration = 0; iteration < iterations; ++iteration) {
    for (T& sum : sums) sum = sum * factor + factor;
  }
  for (const T& sum : sums) *out += sum;
  return iterations * kSums;
}

template <typename T>
auto WidestMultiplyAdds() {
  constexpr bool kSingle = sizeof(T) == 4;
  int64_t (*widest)(int64_t, T, T*) = Scalar<T>;
#if defined(__x86_64__)
  if constexpr (kSingle) {
    if (Supports(InstructionSet::kAvx2)) widest = F32By8;
    if (Supports(InstructionSet::kAvx512)) widest = F32By16;
  } else {
    if (Supports(InstructionSet::kAvx2)) widest = F64By4;
    if (Supports(InstructionSet::kAvx512)) widest = F64By8;
  }
#endif
  return widest;
}

}  // namespace

int64_t MultiplyAdds(int64_t iterations, float factor, float* out) {
  return WidestMultiplyAdds<float>()(iterations, factor, out);
}

int64_t MultiplyAdds(int64_t iterations, double factor, double* out) {
  return WidestMultiplyAdds<double>()(iterations, factor, out);
}

}  // namespace assay::runtime
