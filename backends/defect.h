// Mutants of the passes and of the cpu backend's kernels, which the conformance suite must find.
// ASSAY_DEFECT(n, right, wrong) is `right`. In the program that is built for the test alone
// (ASSAY_PLANTED_DEFECTS) it is `wrong` while mutant n is active. No mutant accesses memory out of
// bounds. Tests: conformance/runner/cpu_defects_test.cc, which describes each mutant.
#ifndef ASSAY_BACKENDS_DEFECT_H_
#define ASSAY_BACKENDS_DEFECT_H_

#ifdef ASSAY_PLANTED_DEFECTS
namespace assay {
inline int planted_defect = 0;  // the active mutant; 0 for none
}  // namespace assay
#define ASSAY_DEFECT(number, right, wrong) (::assay::planted_defect == (number) ? (wrong) : (right))
#else
#define ASSAY_DEFECT(number, right, wrong) (right)
#endif

#endif  // ASSAY_BACKENDS_DEFECT_H_
