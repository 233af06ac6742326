#include "backends/pjrt/sharding/global_shapes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/pjrt/sharding/result_shardings.h"
#include "spec/proto/xla_data.pb.h"
#include "spec/sharding/sdy_shardings.h"
#include "spec/sharding/sharding_checks.h"

namespace assay::pjrt {
namespace {

// The sharding of a value as the module says it, else replicated.
absl::StatusOr<Sharding> ShardingOr(const absl::StatusOr<std::optional<Sharding>>& written) {
  if (!written.ok()) return written.status();
  return written->value_or(Sharding{});
}

// Returns true if the devices hold full tiles of one array, of which hosts make arrays.
bool HasFullTiles(const Placement& placement) {
  if (!placement.known || placement.values > 1) return false;
  for (const std::optional<DeviceTile>& tile : placement.devices) {
    if (!tile) return false;
    for (size_t d = 0; d < placement.tile_sizes.size(); ++d) {
      if (tile->tile.limits[d] - tile->tile.starts[d] != placement.tile_sizes[d]) return false;
    }
  }
  return true;
}

}  // namespace

bool UsesShardy(const Module& module) {
  for (const auto& entry : module.frontend_attributes) {
    if (absl::StrContains(entry.first, "xla.sdy.")) return true;
  }
  return false;
}

bool PlacedLeaf::IsReplicated() const {
  return !IsUnreduced() &&
         std::equal(placement.tile_sizes.begin(), placement.tile_sizes.end(),
                    shape.dimensions().begin(), shape.dimensions().end()) &&
         std::all_of(placement.devices.begin(), placement.devices.end(),
                     [](const std::optional<DeviceTile>& tile) { return tile.has_value(); });
}

absl::StatusOr<Literal> PlacedLeaf::TileOf(const Literal& value, size_t device) const {
  if (IsReplicated()) return value;
  const std::optional<DeviceTile>& tile = placement.devices[device];
  if (!tile || tile->summand > 0) return Literal::Zeros(TileShape());
  return CutTile(value, tile->tile, placement.tile_sizes);
}

absl::StatusOr<Literal> PlacedLeaf::Join(absl::Span<const Literal> tiles) const {
  return JoinTiles(placement, shape, tiles);
}

absl::StatusOr<std::vector<Literal>> PlacedLeaf::Summands(absl::Span<const Literal> tiles) const {
  std::vector<Literal> summands;
  for (int64_t i = 0; i < placement.summands; ++i) {
    Placement own = placement;
    own.summands = 1;
    for (std::optional<DeviceTile>& tile : own.devices) {
      if (tile && tile->summand != i) tile = std::nullopt;
    }
    absl::StatusOr<Literal> summand = JoinTiles(own, shape, tiles);
    if (!summand.ok()) return summand.status();
    summands.push_back(*std::move(summand));
  }
  return summands;
}

absl::Status GlobalShapes::AddLeaves(const Sharding& sharding, const Instruction& value,
                                     int64_t partitions, std::vector<PlacedLeaf>* leaves) {
  std::vector<LeafSharding> shardings;
  if (const auto problem = ShardingsOfLeaves(sharding, value.shape(), &shardings)) {
    return problem->ToStatus();
  }
  for (const LeafSharding& each : shardings) {
    if (each.shape->is_tuple()) continue;
    if (!each.shape->is_array()) {  // a token
      leaves->push_back({*each.shape, {}});
      continue;
    }
    // Values without a word about them are everywhere.
    static const Sharding replicated;
    const bool says = each.sharding->type != Sharding::Type::kUnknown;
    absl::StatusOr<Placement> placement =
        TilesOf(says ? *each.sharding : replicated, *each.shape, partitions);
    if (!placement.ok()) return placement.status();
    if (!placement->known || placement->values > 1 ||
        (placement->summands > 1 && placement->reduction != NamedSharding::Reduction::kSum)) {
      return absl::UnimplementedError(
          absl::StrCat("the sharding of ", value.Describe(), " does not cut an array into tiles"));
    }
    leaves->push_back({*each.shape, *std::move(placement)});
  }
  return absl::OkStatus();
}

void GlobalShapes::PlaceFreeResults(const Module& module, const std::vector<bool>& is_free) {
  for (size_t i = 0; i < results_.size(); ++i) {
    const bool free = is_free.size() == 1 ? is_free[0] : i < is_free.size() && is_free[i];
    if (!free || !results_[i].shape.is_array()) continue;
    if (!HasFullTiles(results_[i].placement)) {
      absl::StatusOr<Placement> whole = TilesOf(Sharding(), results_[i].shape, partitions_);
      if (whole.ok()) results_[i].placement = *std::move(whole);
    }
    if (results_[i].IsUnreduced()) continue;
    // A sharding that is written may leave dimensions open.
    const std::optional<Sharding> sharding = PropagatedSharding(module, i);
    if (!sharding) continue;
    absl::StatusOr<Placement> placement = TilesOf(*sharding, results_[i].shape, partitions_);
    if (placement.ok() && HasFullTiles(*placement) && placement->summands == 1) {
      results_[i].placement = *std::move(placement);
    }
  }
}

absl::StatusOr<GlobalShapes> GlobalShapes::Of(const Module& module, int64_t partitions,
                                              const std::vector<bool>& is_free) {
  GlobalShapes shapes;
  shapes.partitions_ = partitions;
  for (const Instruction* parameter : module.entry()->parameters()) {
    const absl::StatusOr<Sharding> sharding = ShardingOr(WrittenSharding(*parameter));
    if (!sharding.ok()) return sharding.status();
    absl::Status status = AddLeaves(*sharding, *parameter, partitions, &shapes.arguments_);
    if (!status.ok()) return status;
  }
  const Instruction& root = *module.entry()->root();
  const absl::StatusOr<Sharding> sharding = ShardingOr(WrittenResultSharding(root));
  if (!sharding.ok()) return sharding.status();
  absl::Status status = AddLeaves(*sharding, root, partitions, &shapes.results_);
  if (!status.ok()) return status;
  shapes.PlaceFreeResults(module, is_free);
  return shapes;
}

absl::Status WriteBorderShardings(Module& module) {
  for (Instruction* parameter : module.entry()->parameters()) {
    absl::StatusOr<Sharding> sharding = ShardingOr(WrittenSharding(*parameter));
    if (!sharding.ok()) return sharding.status();
    parameter->mutable_annotations().sharding = *std::move(sharding);
  }
  Instruction* root = module.entry()->root();
  absl::StatusOr<Sharding> sharding = ShardingOr(WrittenResultSharding(*root));
  if (!sharding.ok()) return sharding.status();
  root->mutable_annotations().sharding = *std::move(sharding);
  return absl::OkStatus();
}

std::string SerializedSharding(const PlacedLeaf& leaf) {
  if (leaf.IsReplicated()) return "";
  const size_t rank = leaf.shape.dimensions().size();
  std::vector<std::set<int64_t>> starts(rank);
  // By tile, in row-major order, and by summand: the devices that hold copies.
  std::map<Dimensions, std::map<int64_t, std::vector<int64_t>>> tiles;
  for (size_t d = 0; d < leaf.placement.devices.size(); ++d) {
    const std::optional<DeviceTile>& tile = leaf.placement.devices[d];
    if (!tile) continue;
    for (size_t i = 0; i < rank; ++i) starts[i].insert(tile->tile.starts[i]);
    tiles[tile->tile.starts][tile->summand].push_back(static_cast<int64_t>(d));
  }
  wire::OpSharding sharding;
  const auto& first = tiles.begin()->second;
  const size_t copies = first.begin()->second.size();
  if (tiles.size() == 1 && first.size() == 1 && copies == 1) {
    sharding.set_type(wire::OpSharding::MAXIMAL);
    sharding.add_tile_assignment_dimensions(1);
    sharding.add_tile_assignment_devices(first.begin()->second.front());
    return sharding.SerializeAsString();
  }
  // Hosts abort on a list of devices that is not as long as the dimensions say: some tiles are
  // empty.
  size_t places = copies * static_cast<size_t>(leaf.placement.summands);
  for (const std::set<int64_t>& own : starts) places *= own.size();
  if (places != leaf.placement.devices.size()) return "";
  sharding.set_type(wire::OpSharding::OTHER);
  for (const std::set<int64_t>& own : starts) {
    sharding.add_tile_assignment_dimensions(static_cast<int64_t>(own.size()));
  }
  if (copies > 1) sharding.add_tile_assignment_dimensions(static_cast<int64_t>(copies));
  if (leaf.IsUnreduced()) {
    sharding.add_tile_assignment_dimensions(leaf.placement.summands);
    if (copies > 1) sharding.add_last_tile_dims(wire::OpSharding::REPLICATED);
    sharding.add_last_tile_dims(wire::OpSharding::UNREDUCED);
  } else if (copies > 1) {
    sharding.set_replicate_on_last_tile_dim(true);
  }
  for (const auto& [start, summands] : tiles) {
    for (size_t copy = 0; copy < copies; ++copy) {
      for (const auto& [summand, own] : summands) sharding.add_tile_assignment_devices(own[copy]);
    }
  }
  return sharding.SerializeAsString();
}

}  // namespace assay::pjrt
