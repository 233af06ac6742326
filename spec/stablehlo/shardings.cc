#include "spec/stablehlo/shardings.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/proto/pieces.h"
#include "spec/stablehlo/lowering.h"
#include "spec/text/parser.h"

namespace assay::stablehlo {
namespace {

// Devices of a mesh beyond which none is listed.
constexpr int64_t kMostDevices = int64_t{1} << 20;

// An axis of the mesh, cut where shardings use parts of it.
struct MeshAxis {
  absl::string_view name;
  int64_t size = 1;
  std::set<int64_t> cuts;  // products of the major parts
};

struct Reference {
  size_t axis = 0;
  int64_t from = 1, to = 1;  // cuts: the part between them
};

struct MeshAxes {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> device_ids;
  int64_t devices = 1;
};

absl::StatusOr<MeshAxes> AxesOf(const Attribute& mesh) {
  MeshAxes result;
  const Attribute* axes = mesh.Find("axes");
  if (axes != nullptr) {
    for (const Attribute* axis : axes->elements) {
      const Attribute* name = axis->Find("name");
      const Attribute* size = axis->Find("size");
      if (name == nullptr || size == nullptr || size->integer < 1 ||
          size->integer > kMostDevices / result.devices) {
        return absl::InvalidArgumentError("a mesh has an axis without a sound name and size");
      }
      for (const MeshAxis& other : result.axes) {
        if (other.name != name->text) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("a mesh has two axes of the name ", name->text));
      }
      result.devices *= size->integer;
      result.axes.push_back({name->text, size->integer, {1, size->integer}});
    }
  }
  if (const Attribute* ids = mesh.Find("device_ids")) {
    result.device_ids = IntsOf(*ids).value_or(std::vector<int64_t>());
  }
  return result;
}

absl::StatusOr<Reference> Refer(MeshAxes& mesh, const Attribute& axis_ref) {
  const Attribute* name = axis_ref.Find("name");
  Reference reference;
  while (reference.axis < mesh.axes.size() &&
         (name == nullptr || mesh.axes[reference.axis].name != name->text)) {
    ++reference.axis;
  }
  if (reference.axis == mesh.axes.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the mesh has no axis ", name == nullptr ? absl::string_view("") : name->text));
  }
  MeshAxis& axis = mesh.axes[reference.axis];
  reference.to = axis.size;
  if (const Attribute* part = axis_ref.Find("sub_axis_info")) {
    const Attribute* before = part->Find("pre_size");
    const Attribute* size = part->Find("size");
    if (before == nullptr || size == nullptr || before->integer < 1 || size->integer < 1 ||
        before->integer > axis.size || axis.size % before->integer != 0 ||
        axis.size / before->integer % size->integer != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the axis ", axis.name, " of size ", axis.size, " has no such part"));
    }
    reference.from = before->integer;
    reference.to = before->integer * size->integer;
  }
  axis.cuts.insert(reference.from);
  axis.cuts.insert(reference.to);
  return reference;
}

// The parts between the cuts of all axes, major to minor: a finer mesh.
struct Part {
  size_t axis;
  int64_t from, to;
  bool used = false;
};

absl::StatusOr<std::vector<Part>> PartsOf(const MeshAxes& mesh) {
  std::vector<Part> parts;
  for (size_t a = 0; a < mesh.axes.size(); ++a) {
    int64_t from = 1;
    for (const int64_t to : mesh.axes[a].cuts) {
      if (to == 1) continue;
      if (to % from != 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("the parts of axis ", mesh.axes[a].name, " overlap"));
      }
      parts.push_back({a, from, to});
      from = to;
    }
  }
  return parts;
}

// The devices 0..n-1 over `sizes`, transposed.
std::vector<int64_t> Transposed(absl::Span<const int64_t> sizes, absl::Span<const int64_t> order,
                                absl::Span<const int64_t> ids) {
  const Dimensions strides = RowMajorStrides(sizes);
  std::vector<int64_t> index(order.size(), 0), devices;
  for (size_t n = 0; n < ids.size(); ++n) {
    int64_t at = 0;
    for (size_t k = 0; k < order.size(); ++k) at += index[k] * strides[order[k]];
    devices.push_back(ids[at]);
    for (size_t k = order.size(); k-- > 0 && ++index[k] == sizes[order[k]];) index[k] = 0;
  }
  return devices;
}

// What a sharding says: the parts of the mesh's axes, of which each is used once.
struct ShardyParts {
  MeshAxes mesh;
  std::vector<Part> parts;
  std::vector<std::vector<size_t>> dimensions;  // the parts that cut each dimension
};

absl::StatusOr<const Attribute*> MeshOf(const Attribute& sharding, const Program& program) {
  const Attribute* mesh = sharding.Find("mesh");
  if (mesh != nullptr && mesh->kind == AttributeKind::kSymbol) {
    const absl::string_view name = mesh->text;
    mesh = FindMesh(program, name);
    if (mesh == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("there is no sdy.mesh @", name));
    }
  }
  if (mesh == nullptr) return absl::InvalidArgumentError("a sharding names no mesh");
  return mesh;
}

absl::StatusOr<std::vector<Reference>> ReferAll(MeshAxes& mesh, const Attribute* axes) {
  std::vector<Reference> references;
  if (axes == nullptr) return references;
  for (const Attribute* axis : axes->elements) {
    absl::StatusOr<Reference> reference = Refer(mesh, *axis);
    if (!reference.ok()) return reference.status();
    references.push_back(*reference);
  }
  return references;
}

// Marks the parts of the axes as used; an error where one is used already.
absl::Status Use(absl::Span<const Reference> references, ShardyParts* parts,
                 std::vector<size_t>* used) {
  for (const Reference& reference : references) {
    for (size_t p = 0; p < parts->parts.size(); ++p) {
      Part& part = parts->parts[p];
      if (part.axis != reference.axis || part.from < reference.from || part.to > reference.to) {
        continue;
      }
      if (part.used) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the axis ", parts->mesh.axes[part.axis].name, " is used twice in a sharding"));
      }
      part.used = true;
      used->push_back(p);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ShardyParts> ReadShardy(const Attribute& sharding, const Program& program) {
  absl::StatusOr<const Attribute*> mesh = MeshOf(sharding, program);
  if (!mesh.ok()) return mesh.status();
  absl::StatusOr<MeshAxes> axes = AxesOf(**mesh);
  if (!axes.ok()) return axes.status();
  std::vector<std::vector<Reference>> dimensions, others;
  if (const Attribute* list = sharding.Find("dimensions")) {
    for (const Attribute* dimension : list->elements) {
      absl::StatusOr<std::vector<Reference>> references = ReferAll(*axes, dimension->Find("axes"));
      if (!references.ok()) return references.status();
      dimensions.push_back(*std::move(references));
    }
  }
  for (const absl::string_view list : {"replicated", "unreduced"}) {
    absl::StatusOr<std::vector<Reference>> references = ReferAll(*axes, sharding.Find(list));
    if (!references.ok()) return references.status();
    others.push_back(*std::move(references));
  }
  absl::StatusOr<std::vector<Part>> parts = PartsOf(*axes);
  if (!parts.ok()) return parts.status();
  ShardyParts result{*std::move(axes), *std::move(parts), {}};
  for (const std::vector<Reference>& references : dimensions) {
    result.dimensions.emplace_back();
    absl::Status status = Use(references, &result, &result.dimensions.back());
    if (!status.ok()) return status;
  }
  for (const std::vector<Reference>& references : others) {
    std::vector<size_t> named;
    absl::Status status = Use(references, &result, &named);
    if (!status.ok()) return status;
  }
  return result;
}

// One tile on one device, which exports for one device have; XLA's import makes it replicated.
bool IsOneTile(const Sharding& sharding) {
  return sharding.type == Sharding::Type::kTiled && !sharding.replicate_on_last_tile_dim &&
         sharding.last_tile_dims.empty() && !sharding.tile_dimensions.empty() &&
         std::all_of(sharding.tile_dimensions.begin(), sharding.tile_dimensions.end(),
                     [](int64_t size) { return size == 1; });
}

std::optional<Sharding> ReadShardingAsWritten(absl::string_view text) {
  wire::OpSharding proto;
  if (!text.empty() && proto.ParseFromArray(text.data(), static_cast<int>(text.size()))) {
    absl::StatusOr<Sharding> sharding = ShardingFromProto(&proto);
    if (sharding.ok()) return *std::move(sharding);
  }
  absl::StatusOr<Sharding> sharding = ParseSharding(text);
  if (sharding.ok()) return *std::move(sharding);
  return std::nullopt;
}

}  // namespace

std::optional<Sharding> ReadShardingString(absl::string_view text) {
  std::optional<Sharding> sharding = ReadShardingAsWritten(text);
  if (!sharding) return std::nullopt;
  if (IsOneTile(*sharding)) return Sharding();
  for (Sharding& element : sharding->tuple) {
    if (IsOneTile(element)) element = Sharding();
  }
  return sharding;
}

const Attribute* FindMesh(const Program& program, absl::string_view name) {
  for (const Region& region : program.module->regions()) {
    for (const Block* block : region.blocks()) {
      for (const Operation* operation : block->operations) {
        if (operation->name() != "sdy.mesh") continue;
        const Attribute* symbol = operation->Find("sym_name");
        if (symbol != nullptr && symbol->text == name) return operation->Find("mesh");
      }
    }
  }
  return nullptr;
}

absl::Status CheckShardy(const Attribute& sharding, const Program& program) {
  return ReadShardy(sharding, program).status();
}

absl::StatusOr<Sharding> TilesOfShardy(const Attribute& sharding, const Program& program) {
  absl::StatusOr<ShardyParts> read = ReadShardy(sharding, program);
  if (!read.ok()) return read.status();
  const MeshAxes& mesh = read->mesh;
  Sharding result;
  std::vector<int64_t> sizes, order;
  for (const Part& part : read->parts) sizes.push_back(part.to / part.from);
  bool cuts = false;
  for (const std::vector<size_t>& dimension : read->dimensions) {
    int64_t tiles = 1;
    for (const size_t p : dimension) {
      order.push_back(static_cast<int64_t>(p));
      tiles *= sizes[p];
    }
    cuts |= tiles > 1;
    result.tile_dimensions.push_back(tiles);
  }
  if (!cuts) {
    result.tile_dimensions.clear();
    if (mesh.devices == 1 && mesh.device_ids.size() == 1) {
      result.type = Sharding::Type::kMaximal;
      result.devices = mesh.device_ids;
    }
    return result;
  }
  int64_t copies = 1;
  const std::vector<int64_t> cutting = order;
  for (size_t p = 0; p < sizes.size(); ++p) {
    if (std::find(cutting.begin(), cutting.end(), static_cast<int64_t>(p)) != cutting.end())
      continue;
    order.push_back(static_cast<int64_t>(p));
    copies *= sizes[p];
  }
  result.type = Sharding::Type::kTiled;
  if (copies > 1) {
    result.tile_dimensions.push_back(copies);
    result.replicate_on_last_tile_dim = true;
  }
  if (!mesh.device_ids.empty()) {
    if (static_cast<int64_t>(mesh.device_ids.size()) != mesh.devices) {
      return absl::InvalidArgumentError("a mesh lists fewer or more devices than its axes have");
    }
    result.devices = Transposed(sizes, order, mesh.device_ids);
    return result;
  }
  result.iota_reshape_dims = sizes;
  result.iota_transpose_perm = order;
  CanonicalizeIota(&result.iota_reshape_dims, &result.iota_transpose_perm);
  return result;
}

}  // namespace assay::stablehlo
