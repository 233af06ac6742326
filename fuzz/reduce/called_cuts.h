// Makes the computations that a module calls smaller: bodies of loops, branches, fused and called
// computations, reducers. Private to fuzz/reduce. Tests: called_cuts_test.cc.
#ifndef ASSAY_FUZZ_REDUCE_CALLED_CUTS_H_
#define ASSAY_FUZZ_REDUCE_CALLED_CUTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "fuzz/reduce/module_cuts.h"

namespace assay::fuzz {

// The functions below return nothing if the change is not possible or the module becomes invalid.
// What had users and has none after the change is removed, with computations that nothing calls.

// Removes an instruction without users, which is no parameter and no root.
std::optional<Cut> WithoutUnused(const Module& module, absl::Span<const DeviceInputs> inputs,
                                 const Instruction& op);
// Removes all of them outside the entry.
std::optional<Cut> WithoutAllUnused(const Module& module, absl::Span<const DeviceInputs> inputs);

// Replaces an instruction by an earlier one of its shape, or by a constant of zeros.
std::optional<Cut> WithEarlier(const Module& module, absl::Span<const DeviceInputs> inputs,
                               const Instruction& op, const Instruction& earlier);
std::optional<Cut> WithZeros(const Module& module, absl::Span<const DeviceInputs> inputs,
                             const Instruction& op);

// Removes an operand of the tuple that the entry returns.
std::optional<Cut> WithoutOutput(const Module& module, absl::Span<const DeviceInputs> inputs,
                                 int64_t output);
// Removes a result of a call or fusion that returns a tuple. The call must be the root of the
// entry, or its users take other results.
std::optional<Cut> WithoutResult(const Module& module, absl::Span<const DeviceInputs> inputs,
                                 const Instruction& call, int64_t result);
// Removes an operand of a call or fusion that its computation does not use.
std::optional<Cut> WithoutOperand(const Module& module, absl::Span<const DeviceInputs> inputs,
                                  const Instruction& call, int64_t operand);

// Returns the instructions that decide how often loops run. A change to one of them may make a
// loop endless.
absl::flat_hash_set<const Instruction*> CountersOfLoops(const Module& module);

// Returns true if `op` is the only operation of a reducer, comparator or other computation that an
// operation applies to elements.
bool IsOperationOfARegion(const Module& module, const Instruction& op);

// An instruction of the entry, and one of its computations that can stand in its place: that of a
// call or fusion, a branch, or the body of a loop, which then runs once.
struct Inlining {
  const Instruction* call;
  const Computation* callee;
  int64_t first_operand;  // the operand that is the first parameter of the computation
};
std::vector<Inlining> Inlinings(const Module& module);
std::optional<Cut> WithInlined(const Module& module, absl::Span<const DeviceInputs> inputs,
                               const Inlining& inlining);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_CALLED_CUTS_H_
