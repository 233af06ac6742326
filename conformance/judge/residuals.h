// Factorisations and solves, judged by what they leave over: how far L L^H is from a, or T x from b
// (reference ops_structural.md 10.1, 10.2, 14.8). Tests: factor_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_
#define ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_

#include <cstdint>
#include <vector>

#include "conformance/judge/bounds.h"

namespace assay {

// cholesky and triangular-solve.
bool HasResidual(Opcode opcode);

// What an element of a factor or a solution is, by what it leaves over.
enum class Residual : uint8_t {
  kInside,
  kFree,     // may be anything: the other triangle, the factor of what has none
  kUnknown,  // nothing follows from the bound
  kOutside
};

// For each element of `actual`.
std::vector<Residual> FindResiduals(const Subject& subject, const Literal& golden,
                                    const Literal& actual);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_
