#include "spec/sharding/tiles.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/device_lists.h"
#include "spec/ir/row_major.h"
#include "spec/sharding/sharding_checks.h"

namespace assay {
namespace {

using Type = Sharding::Type;

// A device's place among the tiles of an array.
struct Place {
  std::vector<int64_t> parts;  // by dimension
  int64_t value = 0;
  int64_t summand = 0;
};

// Fills a placement device by device.
class PlacementBuilder {
 public:
  // `parts` of each dimension; empty: one of each.
  PlacementBuilder(const Shape& shape, std::vector<int64_t> parts, int64_t devices)
      : shape_(shape), parts_(std::move(parts)) {
    parts_.resize(shape.rank(), 1);
    placement_.devices.resize(devices);
    for (int64_t d = 0; d < shape.rank(); ++d) {
      const DimensionPart first = PartOf(shape.dimension(d), parts_[d], 0);
      placement_.tile_sizes.push_back(first.limit);
    }
  }

  absl::Status Put(int64_t device, const Place& place) {
    if (device < 0 || device >= static_cast<int64_t>(placement_.devices.size())) {
      return ShardingProblem{"sharding_c5",
                             absl::StrCat("devices must be below ", placement_.devices.size()),
                             absl::StrCat("device ", device)}
          .ToStatus();
    }
    DeviceTile tile;
    tile.value = place.value;
    tile.summand = place.summand;
    for (int64_t d = 0; d < shape_.rank(); ++d) {
      const int64_t part = place.parts.empty() ? 0 : place.parts[d];
      const DimensionPart range = PartOf(shape_.dimension(d), parts_[d], part);
      tile.tile.starts.push_back(range.start);
      tile.tile.limits.push_back(range.limit);
    }
    placement_.devices[device] = std::move(tile);
    return absl::OkStatus();
  }

  Placement& placement() { return placement_; }

 private:
  const Shape& shape_;
  std::vector<int64_t> parts_;
  Placement placement_;
};

Placement Unknown() {
  Placement placement;
  placement.known = false;
  return placement;
}

// Takes the index along the last of the dimensions left off a row-major position.
int64_t TakeIndex(int64_t size, int64_t* position) {
  const int64_t index = *position % size;
  *position /= size;
  return index;
}

absl::StatusOr<Placement> PlaceTiled(const Sharding& sharding, const Shape& shape,
                                     int64_t devices) {
  const std::vector<Type> types = SubgroupTypes(sharding);
  const std::vector<int64_t>& tiles = sharding.tile_dimensions;
  PlacementBuilder builder(shape, {tiles.begin(), tiles.end() - types.size()}, devices);
  Placement& placement = builder.placement();
  for (size_t i = 0; i < types.size(); ++i) {
    const int64_t size = tiles[shape.rank() + i];
    if (types[i] == Type::kManual) placement.values *= size;
    if (types[i] == Type::kUnreduced) placement.summands *= size;
    const bool known =
        types[i] == Type::kManual || types[i] == Type::kUnreduced || types[i] == Type::kReplicated;
    if (!known) return Unknown();
  }
  std::vector<int64_t> order = sharding.devices;
  if (!sharding.iota_reshape_dims.empty()) {
    absl::StatusOr<std::vector<int64_t>> listed =
        ListIota(sharding.iota_reshape_dims, sharding.iota_transpose_perm, kMostDevices);
    if (!listed.ok()) return listed.status();
    order = *std::move(listed);
  }
  Place place;
  place.parts.resize(shape.rank());
  for (size_t position = 0; position < order.size(); ++position) {
    auto rest = static_cast<int64_t>(position);
    int64_t value_weight = 1, summand_weight = 1;
    place.value = place.summand = 0;
    for (size_t i = types.size(); i-- > 0;) {
      const int64_t size = tiles[shape.rank() + i];
      const int64_t index = TakeIndex(size, &rest);
      if (types[i] == Type::kManual) {
        place.value += index * value_weight;
        value_weight *= size;
      } else if (types[i] == Type::kUnreduced) {
        place.summand += index * summand_weight;
        summand_weight *= size;
      }
    }
    for (int64_t d = shape.rank(); d-- > 0;) place.parts[d] = TakeIndex(tiles[d], &rest);
    if (absl::Status status = builder.Put(order[position], place); !status.ok()) return status;
  }
  return std::move(placement);
}

// The devices over the axes of the dimensions, then unreduced and manual ones, are a group; groups
// are copies.
absl::StatusOr<Placement> PlaceNamed(const NamedSharding& named, const Shape& shape,
                                     int64_t devices) {
  std::vector<AxisRef> axes;
  std::vector<int64_t> parts;
  const auto add = [&](const std::vector<AxisRef>& list) {
    int64_t size = 1;
    for (const AxisRef& ref : list) {
      size *= ref.has_sub_axis ? ref.sub_size : named.mesh.axes[ref.axis].size;
    }
    axes.insert(axes.end(), list.begin(), list.end());
    return size;
  };
  for (const auto& dimension : named.dimensions) parts.push_back(add(dimension.axes));
  const int64_t summands = add(named.unreduced_axes), values = add(named.manual_axes);
  const absl::StatusOr<DeviceGroups> groups = DevicesOverAxes(named.mesh, axes, kMostDevices);
  if (!groups.ok()) return groups.status();
  PlacementBuilder builder(shape, parts, devices);
  builder.placement().values = values;
  builder.placement().summands = summands;
  builder.placement().reduction = named.reduction;
  Place place;
  place.parts.resize(shape.rank(), 0);
  for (const std::vector<int64_t>& group : *groups) {
    for (size_t member = 0; member < group.size(); ++member) {
      auto rest = static_cast<int64_t>(member);
      place.value = TakeIndex(values, &rest);
      place.summand = TakeIndex(summands, &rest);
      for (size_t d = parts.size(); d-- > 0;) place.parts[d] = TakeIndex(parts[d], &rest);
      if (absl::Status status = builder.Put(group[member], place); !status.ok()) return status;
    }
  }
  return std::move(builder.placement());
}

// Every device has the array: a copy, a value of its own, or a summand.
Placement PlaceWhole(Type type, const Shape& shape, int64_t devices) {
  PlacementBuilder builder(shape, {}, devices);
  Placement& placement = builder.placement();
  if (type == Type::kManual) placement.values = devices;
  if (type == Type::kUnreduced) placement.summands = devices;
  Place place;
  for (int64_t device = 0; device < devices; ++device) {
    if (type == Type::kManual) place.value = device;
    if (type == Type::kUnreduced) place.summand = device;
    builder.Put(device, place).IgnoreError();  // it is below `devices`
  }
  return std::move(placement);
}

// Calls visit(index, position, n) for each run of n elements of a tile that lie side by side in an
// array of `sizes`, in order; stops where it returns false.
template <typename Visit>
void ForEachRun(const ArrayTile& tile, absl::Span<const int64_t> sizes, Visit visit) {
  const size_t rank = sizes.size();
  Dimensions index = tile.starts;
  for (size_t d = 0; d < rank; ++d) {
    if (tile.starts[d] >= tile.limits[d]) return;
  }
  const int64_t run = rank == 0 ? 1 : tile.limits[rank - 1] - tile.starts[rank - 1];
  while (true) {
    if (!visit(index, RowMajorPosition(index, sizes), run)) return;
    int64_t d = static_cast<int64_t>(rank) - 2;
    while (d >= 0 && ++index[d] == tile.limits[d]) {
      index[d] = tile.starts[d];
      --d;
    }
    if (d < 0) return;
  }
}

// Where an index of the whole array is in a tile stored with `sizes`.
int64_t PositionInTile(const ArrayTile& tile, absl::Span<const int64_t> index,
                       absl::Span<const int64_t> sizes) {
  int64_t position = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    position = position * sizes[d] + index[d] - tile.starts[d];
  }
  return position;
}

absl::Status CheckPiece(const Literal& piece, const ArrayTile& tile, const Shape& shape,
                        int64_t device) {
  bool fits = piece.is_array() && piece.element_type() == shape.element_type() &&
              piece.shape().rank() == shape.rank();
  for (int64_t d = 0; fits && d < shape.rank(); ++d) {
    fits = piece.shape().dimension(d) >= tile.limits[d] - tile.starts[d];
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("device ", device, " gives ", piece.shape().ToString(), " for [",
                   absl::StrJoin(tile.starts, ","), "] to [", absl::StrJoin(tile.limits, ","),
                   ") of ", shape.ToString()));
}

}  // namespace

DimensionPart PartOf(int64_t size, int64_t parts, int64_t part) {
  const int64_t chunk = size / parts + (size % parts != 0);
  const auto edge = [&](int64_t i) {
    return chunk == 0 || i >= (size - 1) / chunk + 1 ? size : i * chunk;
  };
  return {edge(part), edge(part + 1)};
}

absl::StatusOr<Placement> TilesOf(const Sharding& sharding, const Shape& shape, int64_t devices) {
  if (devices < 1 || devices > kMostDevices) {
    return absl::ResourceExhaustedError(
        absl::StrCat("devices must be 1 to ", kMostDevices, ", found ", devices));
  }
  std::vector<LeafSharding> leaves;
  std::optional<ShardingProblem> problem = ShardingsOfLeaves(sharding, shape, &leaves);
  if (!problem && !shape.is_array()) {
    problem = ShardingProblem{"sharding_c1", "there must be an array", shape.ToString()};
  }
  if (!problem) problem = FindShardingProblem(leaves[0], /*partitions=*/0);
  if (problem) return problem->ToStatus();
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_unbounded_dimension(d)) {
      return absl::InvalidArgumentError(
          absl::StrCat(shape.ToString(), " has no bound to cut dimension ", d));
    }
  }
  if (sharding.named != nullptr) return PlaceNamed(*sharding.named, shape, devices);
  switch (sharding.type) {
    case Type::kTiled:
      return PlaceTiled(sharding, shape, devices);
    case Type::kMaximal: {
      PlacementBuilder builder(shape, {}, devices);
      if (absl::Status status = builder.Put(sharding.devices[0], {}); !status.ok()) return status;
      return std::move(builder.placement());
    }
    case Type::kUnknown:
    case Type::kTuple:
      return Unknown();
    default:
      return PlaceWhole(sharding.type, shape, devices);
  }
}

Literal CutTile(const Literal& array, const ArrayTile& tile, absl::Span<const int64_t> sizes) {
  Literal result = Literal::Zeros(Shape(array.element_type(), sizes));
  const int64_t bytes = Info(array.element_type()).storage_bytes;
  std::byte* out = result.mutable_data();
  ForEachRun(tile, array.shape().dimensions(),
             [&](absl::Span<const int64_t> index, int64_t position, int64_t n) {
               std::memcpy(out + PositionInTile(tile, index, sizes) * bytes,
                           array.data() + position * bytes, n * bytes);
               return true;
             });
  return result;
}

absl::StatusOr<Literal> JoinTiles(const Placement& placement, const Shape& shape,
                                  absl::Span<const Literal> by_device) {
  if (!placement.known || placement.values != 1 || placement.summands != 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("the devices hold ",
                     !placement.known        ? "an unknown part"
                     : placement.values != 1 ? "values of their own"
                                             : "summands",
                     " of ", shape.ToString(), ", no tiles to join"));
  }
  if (by_device.size() != placement.devices.size()) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", placement.devices.size(),
                                                   " devices, but ", by_device.size(), " arrays"));
  }
  absl::StatusOr<Literal> result = Literal::Create(shape);
  if (!result.ok()) return result;
  const int64_t bytes = Info(shape.element_type()).storage_bytes;
  std::byte* out = result->mutable_data();
  // The first device that gave a tile, by where it starts and ends.
  absl::flat_hash_map<std::pair<Dimensions, Dimensions>, int64_t> first;
  absl::Status status;
  for (size_t device = 0; device < placement.devices.size(); ++device) {
    if (!placement.devices[device].has_value()) continue;
    const ArrayTile& tile = placement.devices[device]->tile;
    const Literal& piece = by_device[device];
    status = CheckPiece(piece, tile, shape, static_cast<int64_t>(device));
    if (!status.ok()) return status;
    const auto [found, is_first] = first.try_emplace({tile.starts, tile.limits}, device);
    const int64_t other = found->second;
    const bool copy = is_first;
    ForEachRun(
        tile, shape.dimensions(),
        [&](absl::Span<const int64_t> index, int64_t position, int64_t n) {
          const std::byte* from =
              piece.data() + PositionInTile(tile, index, piece.shape().dimensions()) * bytes;
          if (copy) {
            std::memcpy(out + position * bytes, from, n * bytes);
            return true;
          }
          if (std::memcmp(out + position * bytes, from, n * bytes) == 0) return true;
          status = absl::InvalidArgumentError(absl::StrCat(
              "devices ", other, " and ", device, " should hold copies of ", shape.ToString(),
              ", but differ from index [", absl::StrJoin(index, ","), "] on"));
          return false;
        });
    if (!status.ok()) return status;
  }
  return result;
}

}  // namespace assay
