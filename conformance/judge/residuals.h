// Judges factorisations and solutions by their residual: the distance of L L^H from a, or of T x
// from b (reference ops_structural.md 10.1, 10.2, 14.8). Tests: factor_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_
#define ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_

#include <cstdint>
#include <vector>

#include "conformance/judge/bounds.h"

namespace assay::conformance {

// Returns true for cholesky and triangular-solve.
bool HasResidual(Opcode opcode);

// The number of roundings that contribute to a residual: `terms` for real results and sqrt(2) times
// `complex_terms` for complex ones, if roots and quotients are correctly rounded. Each of the
// `ulps` that roots and quotients may be off (accuracy_requirements.md 3) counts as two roundings.
struct ResidualRoundings {
  double terms = 0, complex_terms = 0, ulps = 0;
  double Factor(ElementType type) const;
  double Count(ElementType type) const;
  // Returns the largest permitted residual of an element, relative to the magnitudes that it is the
  // difference of. It is infinite if an accumulation in the type has no bound.
  double Relative(ElementType type) const;
};
// Return the roundings of a factorisation and of a solution for matrices of n rows.
ResidualRoundings CholeskyRoundings(const TargetProfile& profile, ElementType type, int64_t n);
ResidualRoundings SolveRoundings(const TargetProfile& profile, ElementType type, int64_t n);
// Returns the roundings of a solution by inverted blocks (LinearAlgebra::inverted_blocks): the
// bound of |x~ - x| relative to |T^-1| |T| |T^-1| |b|.
ResidualRoundings InverseRoundings(const TargetProfile& profile, ElementType type, int64_t n);

// Returns the largest absolute error of one operation whose result is below the normal values. It
// is the smallest normal value if denormals may be flushed.
double LostToUnderflow(const TargetProfile& profile, ElementType part);

// The verdict on an element of a factor or of a solution by its residual.
enum class Residual : uint8_t {
  kInside,
  kFree,     // unconstrained: in the other triangle, or in the factor of a matrix without one
  kUnknown,  // inconclusive: the bound decides nothing
  kOutside
};

// Returns a verdict for each element of `actual`.
std::vector<Residual> FindResiduals(const Subject& subject, const Literal& golden,
                                    const Literal& actual);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_RESIDUALS_H_
