// Factorisations and solves, judged by what they leave over: how far L L^H is from a, or T x from b
// (reference ops_structural.md 10.1, 10.2, 14.8). Tests: factor_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_
#define ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_

#include <vector>

#include "conformance/judge/allowance.h"

namespace assay {

// cholesky and triangular-solve.
bool HasResidual(Opcode opcode);

// For each element of `actual` what it is, kEqual where it is the golden one.
std::vector<Explanation> ExplainByResidual(const Subject& subject, const Literal& golden,
                                           const Literal& actual);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_
