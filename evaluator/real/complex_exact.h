// Complex results decided by integers: products, quotients, integer powers, and the algebraic
// functions (modulus, square root, its reciprocal, z / |z|), which can lie on a midpoint or closer
// to one than any enclosure tells. Tests: complex_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_COMPLEX_EXACT_H_
#define ASSAY_EVALUATOR_REAL_COMPLEX_EXACT_H_

#include <cstdint>
#include <optional>

#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

// The bit patterns of both parts.
struct PartPatterns {
  uint64_t real;
  uint64_t imag;
};

// Return (a, b) * (c, d) and (a, b) / (c, d) for any operands.
PartPatterns ComplexProduct(ElementType part, double a, double b, double c, double d);
PartPatterns ComplexQuotient(ElementType part, double a, double b, double c, double d);

// Returns (a, b)^n for a finite base that is not zero, or nothing if the integers would become too
// long.
std::optional<PartPatterns> ComplexIntegerPower(ElementType part, double a, double b, int n);
// Returns (a, b)^c for c = n / 2^k if the principal 2^k-th root of (a, b) is a Gaussian rational,
// otherwise nothing. No other such power is rational, and only rational powers can be midpoints.
std::optional<PartPatterns> ComplexRationalPower(ElementType part, double a, double b, double c);

inline bool IsAlgebraic(RealFunction function) {
  return function == RealFunction::kAbs || function == RealFunction::kSqrt ||
         function == RealFunction::kRsqrt || function == RealFunction::kSign;
}

// Returns which of the neighbours `low` and `high` (patterns in numerical order, of one sign) is
// the rounded real or imaginary part of an algebraic function of (a, b), which is finite and not
// zero.
uint64_t ChooseNeighbour(RealFunction function, bool imaginary, ElementType part, double a,
                         double b, uint64_t low, uint64_t high);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_COMPLEX_EXACT_H_
