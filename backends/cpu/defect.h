// Defects that a test plants in the kernels of this folder, to see that the conformance suite finds
// each of them. ASSAY_DEFECT(n, right, wrong) is `right`; in the library that is built for that
// test alone (ASSAY_CPU_DEFECTS) it is `wrong` while defect n is planted. No wrong value leads out
// of an array. Tests: conformance/runner/cpu_defects_test.cc, which says what each number is.
#ifndef ASSAY_BACKENDS_CPU_DEFECT_H_
#define ASSAY_BACKENDS_CPU_DEFECT_H_

#ifdef ASSAY_CPU_DEFECTS
namespace assay::cpu {
inline int planted_defect = 0;  // 0: none
}  // namespace assay::cpu
#define ASSAY_DEFECT(number, right, wrong) \
  (::assay::cpu::planted_defect == (number) ? (wrong) : (right))
#else
#define ASSAY_DEFECT(number, right, wrong) (right)
#endif

#endif  // ASSAY_BACKENDS_CPU_DEFECT_H_
