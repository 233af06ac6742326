// Modules on global shapes: the devices hold tiles of every argument and result, according to the
// module's shardings. Tests: global_shapes_test.cc,
// tools/peers/pjrt_jax.py.
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

// Returns true if the module has shardings in Shardy's form.
bool UsesShardy(const Module& module);

// An argument or result of a module and the placement of its tiles.
struct PlacedLeaf {
  Shape shape;
  Placement placement;

  // The shape of every device's part.
  Shape TileShape() const { return Shape(shape.element_type(), placement.tile_sizes); }
  // Returns true if every device holds the whole array.
  bool IsReplicated() const;
  // Returns true if the array is the sum of what the devices hold.
  bool IsUnreduced() const { return placement.summands > 1; }
  // Returns a device's tile of the array. The tile of a replicated array is the array itself. Of an
  // unreduced array the devices of the first summand hold the value, the others zeros.
  absl::StatusOr<Literal> TileOf(const Literal& value, size_t device) const;
  // Returns the array of which the devices hold these tiles.
  absl::StatusOr<Literal> Join(absl::Span<const Literal> tiles) const;
  // Returns the arrays whose sum the devices hold in these tiles.
  absl::StatusOr<std::vector<Literal>> Summands(absl::Span<const Literal> tiles) const;
};

// The placement of the leaves of the entry's parameters and root on the partitions. A leaf without
// a sharding is replicated.
class GlobalShapes {
 public:
  // `is_free` is true for the leaves of the result whose sharding is not the host's but ours to
  // choose; it may be empty (no leaf), or have one entry for all leaves. Such a leaf without a
  // sharding gets the one that reaches it (result_shardings.h), if all its tiles are full. Returns
  // INVALID_ARGUMENT for an invalid sharding, and UNIMPLEMENTED if an argument or result is manual
  // (one value for each device) or the maximum or minimum of the devices' values.
  static absl::StatusOr<GlobalShapes> Of(const Module& module, int64_t partitions,
                                         const std::vector<bool>& is_free = {});

  int64_t partitions() const { return partitions_; }
  const std::vector<PlacedLeaf>& arguments() const { return arguments_; }
  const std::vector<PlacedLeaf>& results() const { return results_; }

 private:
  static absl::Status AddLeaves(const Sharding& sharding, const Instruction& value,
                                int64_t partitions, std::vector<PlacedLeaf>* leaves);
  void PlaceFreeResults(const Module& module, const std::vector<bool>& is_free);

  int64_t partitions_ = 1;
  std::vector<PlacedLeaf> arguments_;
  std::vector<PlacedLeaf> results_;
};

// Writes the shardings of arguments and results into the module; missing ones are replicated.
absl::Status WriteBorderShardings(Module& module);

// Serialises the placement as an OpSharding without axes: tiles by dimension, copies and summands,
// and the devices in this order. Empty for a replicated array, as hosts expect it.
std::string SerializedSharding(const PlacedLeaf& leaf);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_SHARDING_GLOBAL_SHAPES_H_
