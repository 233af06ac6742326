// Powers of complex numbers whose angle is so large that two doubles cannot hold its reduction
// modulo 2 pi. Tests: vector/testing/accuracy_test.cc; the corpus's power/c128/values/*.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_WIDE_POWER_H_
#define ASSAY_BACKENDS_CPU_VECTOR_WIDE_POWER_H_

namespace assay::cpu {

// Computes (a + bi)^(c + di) for finite numbers with a + bi not zero. Takes about 0.1 ms.
void WidePower(double a, double b, double c, double d, double* re, double* im);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_WIDE_POWER_H_
