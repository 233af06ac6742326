// collective-permute of slices (in place): input and output, each an array or a tuple of arrays,
// and where their slices begin: (i, j, ...) for each array, or a tuple of such with several slices
// of it. Source: reference ops_control_and_collectives.md 7.7. Tests: verify_cases_test.cc,
// world_test.cc.
#ifndef ASSAY_SPEC_OPS_PERMUTE_SLICES_H_
#define ASSAY_SPEC_OPS_PERMUTE_SLICES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "spec/ir/module.h"

namespace assay {

enum class PermuteSide { kRead = 0, kWritten = 1 };

// Also false for operations that are no collective-permute.
bool IsInPlace(const Instruction& permute);

// What XLA's verifier demands of the pairs, and of operands in place: collective_permute_c1 to c3.
absl::Status CheckSlicesAndPairs(const Instruction& permute);

// Where the slices of array `number` begin, slice after slice, as the shapes of their index tuples.
// The permute is in place and its rule holds.
std::vector<const Shape*> SliceStarts(const Instruction& permute, PermuteSide side, int64_t number);

// How often a process may be source, or target: 1; in place the slices that each array has. The
// strict clauses must hold.
int64_t TransfersPerProcess(const Instruction& permute);

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_PERMUTE_SLICES_H_
