// The attributes of an operation as VHLO has them in one version: the other direction of
// vhlo_values.h. Source: reference stablehlo_format.md 5 and 6. Tests: artifact_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_TO_VHLO_H_
#define ASSAY_SPEC_STABLEHLO_TO_VHLO_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/stablehlo/artifact_entries.h"
#include "spec/stablehlo/tree.h"
#include "spec/stablehlo/vhlo_table.h"

namespace assay::stablehlo {

// VHLO's operation for `op` in the version of `entries`; UNIMPLEMENTED, by name, where there is
// none or where it cannot have these operands, regions and attributes.
absl::StatusOr<const VhloOp*> VhloOpFor(const Operation& op, const ArtifactEntries& entries);

// The numbers of the attributes of vhlo.attributes, in that order; defaults are spelled out.
absl::StatusOr<std::vector<uint64_t>> ToVhlo(const Operation& op, const VhloOp& vhlo,
                                             ArtifactEntries& entries);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_TO_VHLO_H_
