// f64, which cannot be enumerated: random inputs by exponent against MPFR, most through the tiers
// as they come, some with the longer ones forced. Tests: prove_test.cc.
#ifndef ASSAY_CONFORMANCE_PROVE_RANDOM_F64_H_
#define ASSAY_CONFORMANCE_PROVE_RANDOM_F64_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/prove/proof.h"

namespace assay::conformance::prove {

// Patterns with random signs and significands; every other one with an exponent from -60 to 9,
// where functions bend, the rest with any.
std::vector<uint64_t> RandomF64(int64_t count, uint64_t seed);

// `count` inputs, count / 100 with 192 bits forced, count / 10^4 with 384, 768 and 1536 bits each.
absl::StatusOr<Certificate> ProveRandomF64(evaluator::RealFunction function, int64_t count,
                                           uint64_t seed, const std::string& path,
                                           const ProofOptions& options);

}  // namespace assay::conformance::prove

#endif  // ASSAY_CONFORMANCE_PROVE_RANDOM_F64_H_
