// Modules on global shapes: the devices hold tiles of every argument and of every result, as the
// shardings of the module say. Tests: tools/peers/pjrt_jax.py.
#ifndef ASSAY_BACKENDS_PJRT_SHARDING_GLOBAL_SHAPES_H_
#define ASSAY_BACKENDS_PJRT_SHARDING_GLOBAL_SHAPES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"
#include "spec/sharding/tiles.h"

namespace assay::pjrt {

// Whether shardings are written as Shardy leaves them.
bool UsesShardy(const Module& module);

// An array of the border of a module and where its tiles lie.
struct PlacedLeaf {
  Shape shape;
  Placement placement;

  // The shape of every device's part.
  Shape TileShape() const { return Shape(shape.element_type(), placement.tile_sizes); }
  // Every device holds the whole array.
  bool IsReplicated() const;
  // What a device holds of the array. Copies share their storage with it.
  absl::StatusOr<Literal> TileOf(const Literal& value, size_t device) const;
  // The array of which the devices hold these parts.
  absl::StatusOr<Literal> Join(absl::Span<const Literal> tiles) const;
};

// How the leaves of the entry's parameters and of its root lie on the partitions. A leaf whose
// sharding the module does not say is replicated.
class GlobalShapes {
 public:
  // INVALID_ARGUMENT where a sharding is not sound; UNIMPLEMENTED where a value of the border is a
  // sum of what the devices hold, or one value for each of them.
  static absl::StatusOr<GlobalShapes> Of(const Module& module, int64_t partitions);

  int64_t partitions() const { return partitions_; }
  const std::vector<PlacedLeaf>& arguments() const { return arguments_; }
  const std::vector<PlacedLeaf>& results() const { return results_; }

 private:
  static absl::Status AddLeaves(const Sharding& sharding, const Instruction& value,
                                int64_t partitions, std::vector<PlacedLeaf>* leaves);

  int64_t partitions_ = 1;
  std::vector<PlacedLeaf> arguments_;
  std::vector<PlacedLeaf> results_;
};

// Writes the shardings of the border into the module, those that it does not say as replicated.
absl::Status WriteBorderShardings(Module& module);

// The placement as the fields of an OpSharding without axes: tiles by dimension and the devices in
// the order of the tiles. Empty for a replicated array, as hosts expect it.
std::string SerializedSharding(const PlacedLeaf& leaf);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_SHARDING_GLOBAL_SHAPES_H_
