#include "spec/sharding/sharding_checks.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/device_lists.h"

namespace assay {
namespace {

// Where the product of sizes does not fit or has a size below 1: none.
std::optional<int64_t> ProductOf(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 1 || __builtin_mul_overflow(product, size, &product)) return std::nullopt;
  }
  return product;
}

// How many devices a tiled sharding names, and the largest of them.
struct Devices {
  int64_t count = 0;
  int64_t largest = 0;
};
std::optional<Devices> DevicesOf(const Sharding& sharding) {
  if (sharding.iota_reshape_dims.empty()) {
    Devices devices = {static_cast<int64_t>(sharding.devices.size()), 0};
    for (int64_t device : sharding.devices) devices.largest = std::max(devices.largest, device);
    return devices;
  }
  const std::optional<int64_t> count = ProductOf(sharding.iota_reshape_dims);
  if (!count) return std::nullopt;
  return Devices{*count, *count - 1};
}

std::string TextOf(const std::vector<int64_t>& sizes) {
  return absl::StrCat("{", absl::StrJoin(sizes, ","), "}");
}

std::optional<ShardingProblem> CheckTiled(const LeafSharding& leaf, int64_t partitions) {
  const Sharding& sharding = *leaf.sharding;
  std::optional<Devices> devices = DevicesOf(sharding);
  const std::optional<int64_t> tiles = ProductOf(sharding.tile_dimensions);
  const bool is_iota = !sharding.iota_reshape_dims.empty();
  bool lists_all =
      !is_iota || IsPermutation(sharding.iota_transpose_perm,
                                static_cast<int64_t>(sharding.iota_reshape_dims.size()));
  if (is_iota && tiles && devices && devices->count == 1 && *tiles > 1) {
    lists_all = false;
    devices = Devices{*tiles, *tiles - 1};
  }
  if (!tiles || !devices || *tiles != devices->count) {
    return ShardingProblem{
        "sharding_c2",
        absl::StrCat("there must be a device per tile of ", TextOf(sharding.tile_dimensions)),
        devices ? absl::StrCat(devices->count) : "an iota that yields none"};
  }
  if (*tiles == 1 && SubgroupTypes(sharding).empty()) {
    return ShardingProblem{"sharding_c2", "tiles must be more than one (else it is replicated)",
                           "1"};
  }
  absl::flat_hash_set<int64_t> seen;
  for (int64_t device : sharding.devices) {
    if (device >= 0 && seen.insert(device).second) continue;
    return ShardingProblem{"sharding_c3",
                           "devices must differ, and be numbers from 0 on (those that a list lacks "
                           "are 0)",
                           absl::StrCat(device)};
  }
  const int64_t rank = static_cast<int64_t>(sharding.tile_dimensions.size()) -
                       static_cast<int64_t>(SubgroupTypes(sharding).size());
  if (leaf.shape->is_array() && rank != leaf.shape->rank()) {
    return ShardingProblem{"sharding_c4",
                           absl::StrCat("there must be ", leaf.shape->rank(), " tile dimensions"),
                           absl::StrCat(rank)};
  }
  if (partitions > 1 && (devices->count != partitions || devices->largest >= partitions)) {
    return ShardingProblem{
        "sharding_c5", absl::StrCat("devices must be the ", partitions, " partitions"),
        devices->count != partitions ? absl::StrCat(devices->count, " devices")
                                     : absl::StrCat("device ", devices->largest)};
  }
  if (lists_all) return std::nullopt;
  return ShardingProblem{"sharding_c8", "an iota must list every device once",
                         absl::StrCat("[", absl::StrJoin(sharding.iota_reshape_dims, ","), "]T(",
                                      absl::StrJoin(sharding.iota_transpose_perm, ","), ")")};
}

std::optional<ShardingProblem> CheckMaximal(const Sharding& sharding, int64_t partitions) {
  if (sharding.devices.size() != 1) {
    return ShardingProblem{"sharding_c2", "a maximal sharding must have one device",
                           absl::StrCat(sharding.devices.size())};
  }
  const int64_t device = sharding.devices[0];
  if (device >= 0 && (partitions <= 1 || device < partitions)) return std::nullopt;
  return ShardingProblem{
      "sharding_c5",
      partitions <= 1 ? std::string("devices must be numbers from 0 on")
                      : absl::StrCat("devices must be among the ", partitions, " partitions"),
      absl::StrCat("device ", device)};
}

std::optional<ShardingProblem> CheckNamed(const LeafSharding& leaf, int64_t partitions) {
  const NamedSharding& named = *leaf.sharding->named;
  ShardingProblem problem = {"sharding_c6", "a named sharding must fit", ""};
  std::vector<AxisRef> axes;
  for (const NamedSharding::DimensionSharding& dimension : named.dimensions) {
    axes.insert(axes.end(), dimension.axes.begin(), dimension.axes.end());
  }
  for (const auto* list : {&named.replicated_axes, &named.unreduced_axes, &named.manual_axes}) {
    axes.insert(axes.end(), list->begin(), list->end());
  }
  const auto rank = static_cast<int64_t>(named.dimensions.size());
  const bool splits = std::any_of(named.dimensions.begin(), named.dimensions.end(),
                                  [](const auto& dimension) { return !dimension.axes.empty(); });
  if (splits && leaf.shape->is_array() && rank != leaf.shape->rank()) {
    return ShardingProblem{"sharding_c4",
                           absl::StrCat("there must be ", leaf.shape->rank(), " entries"),
                           absl::StrCat(rank)};
  }
  const absl::StatusOr<GroupCounts> counts = CountDevicesOverAxes(named.mesh, axes);
  if (!counts.ok()) {
    problem.found = std::string(counts.status().message());
  } else if (rank != 0 && leaf.shape->is_array() && rank != leaf.shape->rank()) {
    problem.found = absl::StrCat(rank, " dimensions on ", leaf.shape->ToString());
  } else if (partitions > 1 && !named.mesh.axes.empty() &&
             counts->groups * counts->size != partitions) {
    if (splits) problem.clause = "sharding_c5";
    problem.found =
        absl::StrCat(counts->groups * counts->size, " devices for ", partitions, " partitions");
  } else if (partitions > 1 && named.mesh.axes.empty() && !named.mesh.device_ids.empty() &&
             named.mesh.device_ids[0] >= partitions) {
    problem.clause = "sharding_c5";
    problem.found = absl::StrCat("device ", named.mesh.device_ids[0], " of ", partitions);
  } else {
    return std::nullopt;
  }
  return problem;
}

}  // namespace

absl::Status ShardingProblem::ToStatus() const {
  return absl::InvalidArgumentError(absl::StrCat("[", clause, "] ", expected, ", found ", found));
}

std::vector<Sharding::Type> SubgroupTypes(const Sharding& sharding) {
  if (!sharding.replicate_on_last_tile_dim) return sharding.last_tile_dims;
  std::vector<Sharding::Type> types = sharding.last_tile_dims;
  types.push_back(Sharding::Type::kReplicated);
  return types;
}

std::optional<ShardingProblem> ShardingsOfLeaves(const Sharding& sharding, const Shape& shape,
                                                 std::vector<LeafSharding>* leaves) {
  leaves->clear();
  const std::vector<const Shape*> shapes = Leaves(shape);
  const bool is_list = sharding.named == nullptr && sharding.type == Sharding::Type::kTuple;
  if (is_list &&
      (!shape.is_tuple() || (sharding.tuple.size() != shapes.size() && !shapes.empty()))) {
    return ShardingProblem{"sharding_c1",
                           shape.is_tuple()
                               ? absl::StrCat("a sharding must have ", shapes.size(), " entries")
                               : std::string("an array must have one sharding"),
                           absl::StrCat(sharding.tuple.size())};
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    leaves->push_back({is_list ? &sharding.tuple[i] : &sharding, shapes[i]});
  }
  return std::nullopt;
}

std::optional<ShardingProblem> FindShardingProblem(const LeafSharding& leaf, int64_t partitions) {
  if (leaf.sharding->named != nullptr) return CheckNamed(leaf, partitions);
  if (leaf.sharding->type == Sharding::Type::kTiled) return CheckTiled(leaf, partitions);
  if (leaf.sharding->type == Sharding::Type::kMaximal) {
    return CheckMaximal(*leaf.sharding, partitions);
  }
  return std::nullopt;
}

bool MayBeSameSharding(const Sharding& a, const Sharding& b) {
  if (a.named != nullptr || b.named != nullptr) return true;
  const bool alike = a.type == b.type && a.tile_dimensions == b.tile_dimensions &&
                     SubgroupTypes(a) == SubgroupTypes(b) && a.tuple.size() == b.tuple.size();
  if (!alike) return false;
  for (size_t i = 0; i < a.tuple.size(); ++i) {
    if (!MayBeSameSharding(a.tuple[i], b.tuple[i])) return false;
  }
  return a.iota_reshape_dims.empty() != b.iota_reshape_dims.empty() ||
         (a.devices == b.devices && a.iota_reshape_dims == b.iota_reshape_dims &&
          a.iota_transpose_perm == b.iota_transpose_perm);
}

int64_t DevicesNamed(const Sharding& sharding) {
  if (sharding.named != nullptr) {
    const Mesh& mesh = sharding.named->mesh;
    const absl::StatusOr<GroupCounts> counts = CountDevicesOverAxes(mesh, {});
    int64_t largest = counts.ok() ? counts->groups - 1 : -1;
    for (int64_t device : mesh.device_ids) largest = std::max(largest, device);
    return largest + 1;
  }
  int64_t named = 0;
  for (const Sharding& entry : sharding.tuple) named = std::max(named, DevicesNamed(entry));
  const std::optional<Devices> devices = DevicesOf(sharding);
  return devices && devices->count > 0 ? std::max(named, devices->largest + 1) : named;
}

}  // namespace assay
