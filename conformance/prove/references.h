// Two unrelated implementations of the real functions in double, a block at a time: the C library's
// scalar functions, and the vector functions of libmvec, which come from another code base. What
// libmvec lacks is composed: logistic by another formula, the square roots by way of pow; so are
// sine and cosine, from the tangent, because libmvec's own call the scalar ones for large
// arguments. Tests: prove_test.cc.
#ifndef ASSAY_CONFORMANCE_PROVE_REFERENCES_H_
#define ASSAY_CONFORMANCE_PROVE_REFERENCES_H_

#include <cstdint>
#include <string>

#include "evaluator/real/real_functions.h"

namespace assay::conformance::prove {

// Elements that References works on at once.
inline constexpr int kBlock = 2048;

// How f(-x) follows from f(x).
enum class Symmetry : uint8_t { kNone, kOdd, kEven };
Symmetry SymmetryOf(evaluator::RealFunction function);
// Whether the function is monotone among the inputs of one sign where it is a number, and these are
// consecutive.
bool IsMonotoneBySign(evaluator::RealFunction function);

class References {
 public:
  // Where there is no libmvec (another C library, an older processor), available() is false and
  // MPFR has to decide alone.
  explicit References(evaluator::RealFunction function);
  bool available() const { return vector_ != nullptr; }

  // Both for kBlock arguments. Errors of either are below 16 units of double for every float.
  void Scalar(const double* x, double* out) const;
  void Vector(const double* x, double* out) const;

  // Of the second implementation, for certificates: "libmvec (AVX-512)".
  static std::string VectorName();

 private:
  evaluator::RealFunction function_;
  double (*scalar_)(double);
  void* vector_;
};

}  // namespace assay::conformance::prove

#endif  // ASSAY_CONFORMANCE_PROVE_REFERENCES_H_
