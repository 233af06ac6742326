// Complex functions against MPC, a library of its own whose parts are rounded correctly to any
// precision: random operands, and operands on and next to the axes, one, and the ends of the range.
// Functions that MPC lacks are held against textbook formulas elsewhere
// (evaluator/real/complex_functions_test.cc). Tests: complex_sweep_test.cc.
#ifndef ASSAY_CONFORMANCE_PROVE_COMPLEX_SWEEP_H_
#define ASSAY_CONFORMANCE_PROVE_COMPLEX_SWEEP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/prove/proof.h"
#include "evaluator/real/real_functions.h"

namespace assay::conformance::prove {

// Functions that MPC has, by name; of two operands: multiply, divide, power.
std::vector<std::string> ComplexFunctionNames();

// An element is wrong when either part is; signs of zero count but for power, NaN is one value,
// powers of zero are passed over. A wrong element leaves two mismatches, real part first, whose
// input is the index of the operands.
SweepResult SweepComplex(const std::string& function, ElementType type,
                         const std::vector<Element>& a, const std::vector<Element>& b,
                         const SweepOptions& options = {});

// Every pair of parts out of a list of marked finite values.
std::vector<Element> BoundaryOperands(ElementType type);
// Parts with exponents from -30 to 30, now and then of any size below 2^7.
std::vector<Element> RandomOperands(ElementType type, int64_t count, uint64_t seed);

// The boundary operands and `count` random ones.
absl::StatusOr<Certificate> ProveComplex(const std::string& function, ElementType type,
                                         int64_t count, uint64_t seed, const std::string& path,
                                         const ProofOptions& options);

}  // namespace assay::conformance::prove

#endif  // ASSAY_CONFORMANCE_PROVE_COMPLEX_SWEEP_H_
