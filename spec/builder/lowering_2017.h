// What operations meant in 2017, made of today's: shared by the builder of that profile and by the
// rewriting of whole modules (spec/semantics). Internal. Tests:
// conformance/seeds/semantics_2017_test.cc.
#ifndef ASSAY_SPEC_BUILDER_LOWERING_2017_H_
#define ASSAY_SPEC_BUILDER_LOWERING_2017_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/builder/maker.h"

namespace assay {
namespace builder_internal {

// Starts given as one array of rank 1, as scalars; other lists as they are.
std::vector<Op> ScalarStarts(Maker& maker, const Shape& operand, Ops start_indices);

// result[i] = operand[(start + i) mod size]. Starts are scalars or one array of rank 1.
// dynamic_slice_2017_c1: slice sizes are at least 1.
Op DynamicSlice2017(Maker& maker, const Op& operand, Ops start_indices,
                    absl::Span<const int64_t> slice_sizes);

// The operand with result[(start + i) mod size] = update[i]. dynamic_update_slice_2017_c1: no
// dimension of the update is empty.
Op DynamicUpdateSlice2017(Maker& maker, const Op& operand, const Op& update, Ops start_indices);

// Sorts by the first operand, ascending, floats in total order; further operands go along.
// sort_c8: the keys have an order.
Op SortKeys(Maker& maker, Ops operands, int64_t dimension);

// A tuple (or anything else) chosen by pred[].
Op SelectWhole(Maker& maker, const Op& pred, const Op& on_true, const Op& on_false);

// The map of `computation` over the elements of the operands, each call also given the static
// operands whole: a loop over the elements.
Op MapOneByOne(Maker& maker, Ops operands, const Callee& computation, Ops static_operands);

// Of the right side of a dot without dimension numbers: the one before last.
int64_t ContractedOfRhs2017(const Shape& rhs);

// INVALID_ARGUMENT where the infeeds of the module are in no total order (infeed_2017_c1).
absl::Status CheckInfeeds2017(const Module& module);

// Whether rng made numbers of the type in 2017: uniform F32, S32, U32; normal F32.
bool Rng2017Takes(RandomDistribution distribution, ElementType type);

}  // namespace builder_internal
}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_LOWERING_2017_H_
