// Modules on global shapes: a plug-in partitions them by their shardings, takes tiles and gives
// tiles, while the results that are judged are global. Tests: driver_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_DRIVER_GLOBAL_SHAPES_H_
#define ASSAY_BACKENDS_PJRT_DRIVER_GLOBAL_SHAPES_H_

#include <cstdint>
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

// How the leaves of the entry of a flat module lie on its partitions. A leaf whose sharding the
// module does not say is said to be replicated, in the module too.
class GlobalShapes {
 public:
  // Writes the shardings of the parameters and of the result into the module. INVALID_ARGUMENT
  // where one of them is not sound.
  static absl::StatusOr<GlobalShapes> Of(Module& flat);

  int64_t partitions() const { return partitions_; }
  // What a device of the program holds of an argument.
  absl::StatusOr<Literal> TileOfArgument(const Literal& value, size_t leaf, size_t device) const;
  // The shape of every device's part of a result.
  Shape ResultTile(size_t leaf) const { return TileShape(results_[leaf]); }
  // The result of which the devices hold these parts.
  absl::StatusOr<Literal> JoinResult(absl::Span<const Literal> tiles, size_t leaf) const;

 private:
  struct Leaf {
    Shape shape;
    Placement placement;
  };
  static absl::StatusOr<std::vector<Leaf>> LeavesOf(const Sharding& sharding, const Shape& shape,
                                                    int64_t partitions);
  static Shape TileShape(const Leaf& leaf);

  int64_t partitions_ = 1;
  std::vector<Leaf> arguments_;
  std::vector<Leaf> results_;
};

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_DRIVER_GLOBAL_SHAPES_H_
