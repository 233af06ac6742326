// What attributes of VHLO mean in StableHLO, where that depends on the operation that has them:
// lists that are tensors, symbols that are strings, records that are taken apart, and defaults that
// are spelled out. Source: reference stablehlo_format.md 6. Tests: bytecode_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_VHLO_VALUES_H_
#define ASSAY_SPEC_STABLEHLO_VHLO_VALUES_H_

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/stablehlo/tree.h"
#include "spec/stablehlo/vhlo_table.h"

namespace assay::stablehlo {

using AttributeList = absl::InlinedVector<NamedAttribute, 4>;

// The attributes of StableHLO's operation, unsorted, without those that have their default.
// `values` are those of op.attributes, in that order; null where the file has none.
absl::StatusOr<AttributeList> FromVhlo(Program& program, const VhloOp& op,
                                       absl::Span<const Attribute* const> values);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_VHLO_VALUES_H_
