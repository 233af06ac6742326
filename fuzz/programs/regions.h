// Writes the scalar computations of folds, sorts and windows. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_REGIONS_H_
#define ASSAY_FUZZ_PROGRAMS_REGIONS_H_

#include "absl/types/span.h"
#include "fuzz/programs/writer.h"

namespace assay::fuzz {

// The use of a reducer: a fold, whose order is unspecified, the updates of a scatter, which often
// overwrite, or a collective.
enum class ReducerUse { kFold, kUpdates, kCollective };

// Returns the operation of a fold: a sum as a rule, else an extremum, a product or a bitwise one.
Opcode AnyFold(ProgramWriter& w, ElementType type);

// Writes a reducer. Its first parameters and its results have the types of the accumulators.
Computation* WriteReducer(ProgramWriter& w, absl::Span<const ElementType> accumulators,
                          absl::Span<const ElementType> elements, ReducerUse use);

// Writes the comparator of a sort with operands of these types. It compares the elements of one
// operand.
Computation* WriteComparator(ProgramWriter& w, absl::Span<const ElementType> types);

// Writes the selection of a select-and-scatter.
Computation* WriteSelector(ProgramWriter& w, ElementType type);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_REGIONS_H_
