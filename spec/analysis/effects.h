// Classifies instructions with effects, which query the device, synchronise with other devices,
// exchange values with the host, draw random numbers or call foreign code; and instructions that
// depend on dynamic sizes. Source: reference ops_control_and_collectives.md 4-11, ops_structural.md
// 13. Tests: effects_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_EFFECTS_H_
#define ASSAY_SPEC_ANALYSIS_EFFECTS_H_

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"
#include "spec/op_info.h"

namespace assay::analysis {

// Returns true for operations whose value does not follow from their operands alone.
bool IsEffect(Opcode opcode);

// Returns true for operations that draw from the random state, which every execution continues.
// Two executions with the same arguments may differ by them. The state of rng-bit-generator is an
// operand.
bool UsesRandomState(Opcode opcode);
// Returns true if any computation of the module has such an operation.
bool UsesRandomState(const Module& module);

// Returns true if the instruction must run although nothing uses its value. `effectful` are the
// computations that hold such instructions, callees included.
bool HasEffect(const Instruction& instruction,
               const absl::flat_hash_set<const Computation*>& effectful);

// Returns the computations that have an instruction with an effect, directly or through callees.
absl::flat_hash_set<const Computation*> FindEffectful(
    absl::Span<const Computation* const> callees_first);

// Returns the collective that an async-start wraps, if that is the whole computation, so that it
// can be awaited later; otherwise null.
const Instruction* WrappedCollective(const Instruction& async_start);

// Returns true if another instruction may await the result while the device continues.
bool LeavesForLater(const Instruction& instruction);

// Returns true if an operand or the result has dynamic dimensions, or the operation reads or sets
// dynamic sizes.
bool HasDynamicSizes(const Instruction& instruction);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_EFFECTS_H_
