#include "backends/pjrt/driver/global_shapes.h"

#include <optional>

#include "absl/strings/match.h"
#include "spec/sharding/sdy_shardings.h"
#include "spec/sharding/sharding_checks.h"

namespace assay::pjrt {
namespace {

// The sharding of a value as the module says it, else replicated.
absl::StatusOr<Sharding> ShardingOr(const absl::StatusOr<std::optional<Sharding>>& written) {
  if (!written.ok()) return written.status();
  return written->value_or(Sharding{});
}

}  // namespace

bool UsesShardy(const Module& module) {
  for (const auto& entry : module.frontend_attributes) {
    if (absl::StrContains(entry.first, "xla.sdy.")) return true;
  }
  return false;
}

absl::StatusOr<std::vector<GlobalShapes::Leaf>> GlobalShapes::LeavesOf(const Sharding& sharding,
                                                                       const Shape& shape,
                                                                       int64_t partitions) {
  std::vector<LeafSharding> shardings;
  if (const auto problem = ShardingsOfLeaves(sharding, shape, &shardings)) {
    return problem->ToStatus();
  }
  std::vector<Leaf> leaves;
  for (const LeafSharding& each : shardings) {
    if (each.shape->is_tuple()) continue;
    absl::StatusOr<Placement> placement = TilesOf(*each.sharding, *each.shape, partitions);
    if (!placement.ok()) return placement.status();
    leaves.push_back({*each.shape, *std::move(placement)});
  }
  return leaves;
}

absl::StatusOr<GlobalShapes> GlobalShapes::Of(Module& flat) {
  GlobalShapes shapes;
  shapes.partitions_ = flat.num_partitions;
  for (Instruction* parameter : flat.entry()->parameters()) {
    const absl::StatusOr<Sharding> sharding = ShardingOr(WrittenSharding(*parameter));
    if (!sharding.ok()) return sharding.status();
    absl::StatusOr<std::vector<Leaf>> leaf =
        LeavesOf(*sharding, parameter->shape(), shapes.partitions_);
    if (!leaf.ok()) return leaf.status();
    shapes.arguments_.push_back(std::move(leaf->front()));
    parameter->mutable_annotations().sharding = *sharding;
  }
  Instruction* root = flat.entry()->root();
  const absl::StatusOr<Sharding> sharding = ShardingOr(WrittenResultSharding(*root));
  if (!sharding.ok()) return sharding.status();
  absl::StatusOr<std::vector<Leaf>> leaves = LeavesOf(*sharding, root->shape(), shapes.partitions_);
  if (!leaves.ok()) return leaves.status();
  shapes.results_ = *std::move(leaves);
  root->mutable_annotations().sharding = *sharding;
  return shapes;
}

Shape GlobalShapes::TileShape(const Leaf& leaf) {
  return Shape(leaf.shape.element_type(), leaf.placement.tile_sizes);
}

absl::StatusOr<Literal> GlobalShapes::TileOfArgument(const Literal& value, size_t leaf,
                                                     size_t device) const {
  const Leaf& own = arguments_[leaf];
  const std::optional<DeviceTile>& tile =
      own.placement.devices[device % static_cast<size_t>(partitions_)];
  if (!tile) return Literal::Create(TileShape(own));
  return CutTile(value, tile->tile, own.placement.tile_sizes);
}

absl::StatusOr<Literal> GlobalShapes::JoinResult(absl::Span<const Literal> tiles,
                                                 size_t leaf) const {
  return JoinTiles(results_[leaf].placement, results_[leaf].shape, tiles);
}

}  // namespace assay::pjrt
