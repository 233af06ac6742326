// Shardings of StableHLO programs: strings of mhlo.sharding (HLO's text, or a serialised
// OpSharding), and Shardy's attributes. Source: reference stablehlo_format.md 9, 10.
// Tests: lowering_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_SHARDINGS_H_
#define ASSAY_SPEC_STABLEHLO_SHARDINGS_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/ir/metadata.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// What the string of mhlo.sharding says; nullopt where it is neither.
std::optional<Sharding> ReadShardingString(absl::string_view text);

// A record sdy.sharding over meshes of the program, as tiles of devices: the axes that cut
// dimensions first, all others as copies. INVALID_ARGUMENT for axes or meshes that there are not.
absl::StatusOr<Sharding> TilesOfShardy(const Attribute& sharding, const Program& program);

// INVALID_ARGUMENT for axes or meshes that there are not, and for an axis that a sharding uses
// twice.
absl::Status CheckShardy(const Attribute& sharding, const Program& program);

// The mesh of a name: the record sdy.mesh of the operation; null when there is none.
const Attribute* FindMesh(const Program& program, absl::string_view name);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_SHARDINGS_H_
