// Which device holds which part of a sharded array. Source: reference
// ops_control_and_collectives.md
// 12. Tests: sharding_test.cc.
#ifndef ASSAY_SPEC_SHARDING_TILES_H_
#define ASSAY_SPEC_SHARDING_TILES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/ir/metadata.h"
#include "spec/ir/shape.h"

namespace assay {

// The elements with starts[d] <= index[d] < limits[d].
struct ArrayTile {
  Dimensions starts;
  Dimensions limits;
  friend bool operator==(const ArrayTile&, const ArrayTile&) = default;
};

// Part `part` of `parts` of a dimension of `size`: [min(part * c, size), min((part + 1) * c, size))
// with c = ceil(size / parts). The last parts may be short or empty.
struct DimensionPart {
  int64_t start = 0;
  int64_t limit = 0;
};
DimensionPart PartOf(int64_t size, int64_t parts, int64_t part);

// What one device holds.
struct DeviceTile {
  ArrayTile tile;
  int64_t value = 0;    // which of Placement::values
  int64_t summand = 0;  // which of Placement::summands
  friend bool operator==(const DeviceTile&, const DeviceTile&) = default;
};

// Devices with equal DeviceTiles hold copies.
struct Placement {
  // False: unknown, the sharding says nothing; there are no tiles.
  bool known = true;
  // c of each dimension: what tiles are padded to where they are stored.
  Dimensions tile_sizes;
  // In manual regions there are so many values of this shape, each cut into the tiles.
  int64_t values = 1;
  // Unreduced: a value is the sum (or maximum, minimum) of so many, each cut into the tiles.
  int64_t summands = 1;
  NamedSharding::Reduction reduction = NamedSharding::Reduction::kSum;
  // By device; none where the device holds nothing.
  std::vector<std::optional<DeviceTile>> devices;
};

// Where the parts of an array lie. The sharding is no list (sharding_checks.h has those of leaves).
// INVALID_ARGUMENT with the clause (sharding_c1 to c6), also for a device that is none of the
// `devices`; RESOURCE_EXHAUSTED for none or more than kMostDevices of these.
inline constexpr int64_t kMostDevices = int64_t{1} << 20;
absl::StatusOr<Placement> TilesOf(const Sharding& sharding, const Shape& shape, int64_t devices);

// The elements of a tile of an array, in an array of `sizes` (no smaller than the tile), zeros
// behind them: what a device is given.
Literal CutTile(const Literal& array, const ArrayTile& tile, absl::Span<const int64_t> sizes);

// The array of which every device gives its tile, padded or not: the reverse. INVALID_ARGUMENT
// where there is not an array per device, one has another element type or rank or is smaller than
// the tile, or copies differ in a bit (it names both devices and the index); FAILED_PRECONDITION
// where the placement is unknown or has several values or summands, which are no tiles of one
// array. Entries of devices that hold nothing are not looked at.
absl::StatusOr<Literal> JoinTiles(const Placement& placement, const Shape& shape,
                                  absl::Span<const Literal> by_device);

}  // namespace assay

#endif  // ASSAY_SPEC_SHARDING_TILES_H_
