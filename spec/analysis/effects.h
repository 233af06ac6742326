// Which instructions do more than compute a value from their operands: they ask which device runs
// them, meet other devices, talk to the host, draw random numbers or call foreign code; and which
// values depend on sizes that only a run knows. Source: reference ops_control_and_collectives.md
// 4-11, ops_structural.md 13. Tests: effects_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_EFFECTS_H_
#define ASSAY_SPEC_ANALYSIS_EFFECTS_H_

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"
#include "spec/op_info.h"

namespace assay::analysis {

// Returns true for operations whose value does not follow from their operands alone.
bool IsEffect(Opcode opcode);

// Returns true if the instruction must run although nothing uses its value. `effectful` are the
// computations that hold such instructions, callees included.
bool HasEffect(const Instruction& instruction,
               const absl::flat_hash_set<const Computation*>& effectful);

// The computations that hold an instruction that has an effect, themselves or through callees.
absl::flat_hash_set<const Computation*> FindEffectful(
    absl::Span<const Computation* const> callees_first);

// The collective that an async-start wraps, if it is all that its computation does: it can start
// and be awaited later. Null otherwise.
const Instruction* WrappedCollective(const Instruction& async_start);

// Returns true if another instruction may await the result while the device goes on.
bool LeavesForLater(const Instruction& instruction);

// Returns true if an operand or the result has dynamic dimensions, or the operation is about their
// sizes.
bool HasDynamicSizes(const Instruction& instruction);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_EFFECTS_H_
