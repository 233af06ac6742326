// Functions of libmvec, given by their address, on arrays of whole vectors: four lanes for CPUs
// with AVX2, eight for AVX-512. Tests: prove_test.cc.
#ifndef ASSAY_CONFORMANCE_PROVE_VECTOR_CALLS_H_
#define ASSAY_CONFORMANCE_PROVE_VECTOR_CALLS_H_

namespace assay::conformance::prove {

void Apply4(void* symbol, const double* x, double* out, int count);
void Apply8(void* symbol, const double* x, double* out, int count);
// pow(x[i], y).
void Power4(void* symbol, const double* x, double y, double* out, int count);
void Power8(void* symbol, const double* x, double y, double* out, int count);

}  // namespace assay::conformance::prove

#endif  // ASSAY_CONFORMANCE_PROVE_VECTOR_CALLS_H_
