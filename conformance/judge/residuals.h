// Judges factorisations and solutions by their residual: the distance of L L^H from a, or of T x
// from b (reference ops_structural.md 10.1, 10.2, 14.8). Tests: factor_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_
#define ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_

#include <cstdint>
#include <vector>

#include "conformance/judge/bounds.h"

namespace assay {

// Returns true for cholesky and triangular-solve.
bool HasResidual(Opcode opcode);

// How many roundings a residual comes from: of real results `terms`, of complex ones sqrt(2) of
// `complex_terms`, both with roots and quotients that are rounded correctly. These may be `ulps`
// farther off (accuracy_requirements.md 3), two roundings each.
struct ResidualRoundings {
  double terms = 0, complex_terms = 0, ulps = 0;
  double Factor(ElementType type) const;
  double Count(ElementType type) const;
  // What the residual of an element may be, in parts of the magnitudes that it is the difference
  // of; infinite where the type bounds nothing.
  double Relative(ElementType type) const;
};
// For matrices of n rows.
ResidualRoundings CholeskyRoundings(const TargetProfile& profile, ElementType type, int64_t n);
ResidualRoundings SolveRoundings(const TargetProfile& profile, ElementType type, int64_t n);
// Solves by inverses (LinearAlgebra::inverted_blocks): |x~ - x| in parts of
// |T^-1| |T| |T^-1| |b|.
ResidualRoundings InverseRoundings(const TargetProfile& profile, ElementType type, int64_t n);

// The most that one operation on a part type loses below the normal values: all of it where
// denormals may be flushed.
double LostToUnderflow(const TargetProfile& profile, ElementType part);

// Judges an element of a factor or of a solution by its residual.
enum class Residual : uint8_t {
  kInside,
  kFree,     // may be anything: the other triangle, the factor of what has none
  kUnknown,  // nothing follows from the bound
  kOutside
};

// Returns a verdict for each element of `actual`.
std::vector<Residual> FindResiduals(const Subject& subject, const Literal& golden,
                                    const Literal& actual);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_
