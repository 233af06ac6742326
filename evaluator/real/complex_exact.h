// Complex results decided by integers: products, quotients, integer powers, and the algebraic
// functions (modulus, square root, its reciprocal, z / |z|), which can lie on a midpoint or closer
// to one than any enclosure tells. Tests: complex_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_COMPLEX_EXACT_H_
#define ASSAY_EVALUATOR_REAL_COMPLEX_EXACT_H_

#include <cstdint>
#include <optional>

#include "evaluator/real/real_functions.h"

namespace assay::real {

// Patterns of both parts.
struct PartPatterns {
  uint64_t real;
  uint64_t imag;
};

// (a, b) * (c, d) and (a, b) / (c, d), any operands.
PartPatterns ComplexProduct(ElementType part, double a, double b, double c, double d);
PartPatterns ComplexQuotient(ElementType part, double a, double b, double c, double d);

// (a, b)^n, finite and not zero; nothing where the integers would become unreasonably long.
std::optional<PartPatterns> ComplexIntegerPower(ElementType part, double a, double b, int n);
// (a, b)^c for c = n / 2^k, where (a, b) has a Gaussian rational as its principal 2^k-th root: no
// other such powers are rational, and only rational ones lie on midpoints. Nothing for the rest.
std::optional<PartPatterns> ComplexRationalPower(ElementType part, double a, double b, double c);

inline bool IsAlgebraic(RealFunction function) {
  return function == RealFunction::kAbs || function == RealFunction::kSqrt ||
         function == RealFunction::kRsqrt || function == RealFunction::kSign;
}

// An algebraic function of finite (a, b), not zero: which of the neighbours `low` and `high`
// (patterns in numerical order, of one sign) is the rounding of the real part, or of the imaginary
// part.
uint64_t ChooseNeighbour(RealFunction function, bool imaginary, ElementType part, double a,
                         double b, uint64_t low, uint64_t high);

}  // namespace assay::real

#endif  // ASSAY_EVALUATOR_REAL_COMPLEX_EXACT_H_
