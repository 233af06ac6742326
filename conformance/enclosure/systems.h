// Triangular systems and Cholesky factors of boxes, by substitution in intervals of doubles: an
// accepted result is the exact one of operands that are off by the bound of its residual. What the
// residual allows is put on each product: |E| <= gamma sum |x y| is sum x y (1 + theta), |theta| <=
// gamma. Known operands have intervals as well. Source: reference ops_structural.md 10.1, 10.2,
// 14.8. Tests: linear_algebra_enclosure_test.cc, containment_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_SYSTEMS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_SYSTEMS_H_

#include "conformance/enclosure/box.h"
#include "conformance/profiles/profile.h"

namespace assay::conformance {

// Encloses the solution of a triangular system. It is unconstrained after a divisor that may be
// zero, and if sums of terms may overflow.
Box EncloseSolve(const Instruction& solve, Boxes operands, const TargetProfile& profile);
// Encloses a Cholesky factor. It is unconstrained in the other triangle, and in both if a pivot may
// not be positive.
Box EncloseCholesky(const Instruction& cholesky, const Box& operand, const TargetProfile& profile);

// Encloses LAPACK's info of these factors, an integer for each matrix: 0 if every pivot is
// positive, otherwise the number of any pivot, because of the undecided instruction `open`.
Box InfoOfFactors(const Shape& shape, const Box& factors, const Instruction* open);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_SYSTEMS_H_
