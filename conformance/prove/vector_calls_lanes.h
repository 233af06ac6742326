// Calls of the vector functions of libmvec, for the number of lanes in ASSAY_LANES, compiled by the
// flags of the instruction set: how vectors are passed depends on them. Tests: prove_test.cc.
#include <immintrin.h>

#include "conformance/prove/vector_calls.h"

#if ASSAY_LANES == 8
#define ASSAY_MM(operation) _mm512_##operation
#define ASSAY_CALL(name) name##8
using Vector = __m512d;
#else
#define ASSAY_MM(operation) _mm256_##operation
#define ASSAY_CALL(name) name##4
using Vector = __m256d;
#endif

namespace assay::conformance::prove {

void ASSAY_CALL(Apply)(void* symbol, const double* x, double* out, int count) {
  const auto function = reinterpret_cast<Vector (*)(Vector)>(symbol);
  for (int i = 0; i < count; i += ASSAY_LANES) {
    ASSAY_MM(storeu_pd)(out + i, function(ASSAY_MM(loadu_pd)(x + i)));
  }
}

void ASSAY_CALL(Power)(void* symbol, const double* x, double y, double* out, int count) {
  const auto function = reinterpret_cast<Vector (*)(Vector, Vector)>(symbol);
  for (int i = 0; i < count; i += ASSAY_LANES) {
    ASSAY_MM(storeu_pd)(out + i, function(ASSAY_MM(loadu_pd)(x + i), ASSAY_MM(set1_pd)(y)));
  }
}

}  // namespace assay::conformance::prove
