// Mutants of the kernels of this folder, which the conformance suite must find. ASSAY_DEFECT(n,
// right, wrong) is `right`. In the library that is built for the test alone (ASSAY_CPU_DEFECTS) it
// is `wrong` while mutant n is active. No mutant accesses memory out of bounds. Tests:
// conformance/runner/cpu_defects_test.cc, which describes each mutant.
#ifndef ASSAY_BACKENDS_CPU_DEFECT_H_
#define ASSAY_BACKENDS_CPU_DEFECT_H_

#ifdef ASSAY_CPU_DEFECTS
namespace assay::cpu {
inline int planted_defect = 0;  // the active mutant; 0 for none
}  // namespace assay::cpu
#define ASSAY_DEFECT(number, right, wrong) \
  (::assay::cpu::planted_defect == (number) ? (wrong) : (right))
#else
#define ASSAY_DEFECT(number, right, wrong) (right)
#endif

#endif  // ASSAY_BACKENDS_CPU_DEFECT_H_
