// Powers of complex numbers whose angle has so many turns that two doubles do not hold the rest.
// Tests: vector/testing/accuracy_test.cc; the corpus's power/c128/values/*.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_WIDE_POWER_H_
#define ASSAY_BACKENDS_CPU_VECTOR_WIDE_POWER_H_

namespace assay::cpu {

// (a + bi)^(c + di) of finite numbers, where a + bi is not zero. Takes about 0.1 ms.
void WidePower(double a, double b, double c, double d, double* re, double* im);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_WIDE_POWER_H_
