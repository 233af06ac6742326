// Stretching an operand to the dimensions of a result. Internal to spec/builder.
// Tests: builder_test.cc.
#ifndef ASSAY_SPEC_BUILDER_IMPLICIT_BROADCAST_H_
#define ASSAY_SPEC_BUILDER_IMPLICIT_BROADCAST_H_

#include <cstdint>

#include "absl/types/span.h"
#include "spec/builder/maker.h"

namespace assay {
namespace builder_internal {

// Dimension d of `operand` becomes dimension map[d] of the result; sizes of 1 stretch, unmapped
// dimensions repeat. The operand itself where nothing changes.
Op Stretch(Maker& maker, const Op& operand, absl::Span<const int64_t> map,
           absl::Span<const int64_t> sizes);

// Brings both operands of an elementwise function to one shape (clauses in elementwise.h).
void BroadcastTogether(Maker& maker, Op* lhs, Op* rhs,
                       absl::Span<const int64_t> broadcast_dimensions);

}  // namespace builder_internal
}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_IMPLICIT_BROADCAST_H_
