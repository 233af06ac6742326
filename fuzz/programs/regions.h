// The computations of scalars that folds, sorts and windows apply. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_REGIONS_H_
#define ASSAY_FUZZ_PROGRAMS_REGIONS_H_

#include "absl/types/span.h"
#include "fuzz/programs/writer.h"

namespace assay::fuzz {

// What a reducer is for: a fold, whose order is up to the implementation, or the updates of a
// scatter, which often replace what was there.
enum class ReducerUse { kFold, kUpdates, kCollective };

// A reducer of so many element types: its first parameters and its results are of the types of the
// accumulators.
Computation* WriteReducer(ProgramWriter& w, absl::Span<const ElementType> accumulators,
                          absl::Span<const ElementType> elements, ReducerUse use);

// Whether the elements of one operand are in order; of a sort with operands of these types.
Computation* WriteComparator(ProgramWriter& w, absl::Span<const ElementType> types);

// Which of two elements a window of select-and-scatter selects.
Computation* WriteSelector(ProgramWriter& w, ElementType type);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_REGIONS_H_
