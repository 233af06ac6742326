// Shardings, device meshes and replica groups as text (hlo_text_format.md 7.2).
// Tests: printer_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "spec/ir/device_lists.h"
#include "spec/text/printer_values.h"

namespace assay::printing {
namespace {

// [4,2]T(1,0), or [8].
void AppendIota(std::vector<int64_t> sizes, std::vector<int64_t> perm, std::string* out) {
  CanonicalizeIota(&sizes, &perm);
  out->push_back('[');
  AppendInts(sizes, out);
  out->push_back(']');
  if (sizes.size() < 2) return;
  out->append("T(");
  AppendInts(perm, out);
  out->push_back(')');
}

bool IsMaximal(const Mesh& mesh) { return mesh.axes.empty() && mesh.device_ids.size() == 1; }

void AppendMesh(const Mesh& mesh, std::string* out) {
  if (IsMaximal(mesh)) {
    out->append("maximal_mesh[device_id=");
    AppendInt(mesh.device_ids[0], out);
    out->push_back(']');
    return;
  }
  out->append("mesh[");
  AppendJoined(mesh.axes, ",", out, [&](const Mesh::Axis& axis) {
    AppendQuoted(axis.name, out, '\'');
    out->push_back('=');
    AppendInt(axis.size, out);
  });
  out->push_back(']');
  std::vector<int64_t> sizes = mesh.iota_reshape_dims;
  std::vector<int64_t> perm = mesh.iota_transpose_perm;
  CanonicalizeIota(&sizes, &perm);
  // The order 0, 1, 2, ... is the one that need not be written.
  if (mesh.device_ids.empty() && sizes.size() < 2) return;
  out->append(", device_ids=(");
  if (mesh.device_ids.empty()) {
    AppendIota(std::move(sizes), std::move(perm), out);
  } else {
    AppendInts(mesh.device_ids, out);
  }
  out->push_back(')');
}

void AppendAxes(const Mesh& mesh, const std::vector<AxisRef>& axes, absl::string_view separator,
                std::string* out) {
  AppendJoined(axes, separator, out, [&](const AxisRef& axis) {
    const bool known = axis.axis >= 0 && axis.axis < static_cast<int64_t>(mesh.axes.size());
    AppendQuoted(known ? mesh.axes[axis.axis].name : std::to_string(axis.axis), out, '\'');
    if (!axis.has_sub_axis) return;
    out->append(":(");
    AppendInt(axis.sub_pre_size, out);
    out->push_back(')');
    AppendInt(axis.sub_size, out);
  });
}

// With metadata={{..}, {..}} also for a single entry when `as_list`.
void AppendMetadataItems(const std::vector<Metadata>& metadata, bool as_list, std::string* out) {
  out->append("metadata=");
  as_list = as_list || metadata.size() > 1;
  if (as_list) out->push_back('{');
  AppendJoined(metadata, ", ", out, [out](const Metadata& item) { AppendMetadata(item, out); });
  if (as_list) out->push_back('}');
}

// The word that stands for a sharding without dimensions that treats all axes alike, or none.
absl::string_view WholeMeshWord(const NamedSharding& sharding) {
  const auto all = [&](const std::vector<AxisRef>& axes) {
    if (axes.empty() || axes.size() != sharding.mesh.axes.size()) return false;
    return std::none_of(axes.begin(), axes.end(),
                        [](const AxisRef& axis) { return axis.has_sub_axis; });
  };
  if (!sharding.dimensions.empty() || !sharding.replicated_axes.empty()) return "";
  if (sharding.manual_axes.empty() && sharding.unreduced_axes.empty()) return "replicated";
  if (sharding.unreduced_axes.empty() && all(sharding.manual_axes)) return "manual";
  if (sharding.manual_axes.empty() && all(sharding.unreduced_axes)) return "unreduced";
  return "";
}

absl::string_view ReductionPrefix(NamedSharding::Reduction reduction) {
  switch (reduction) {
    case NamedSharding::Reduction::kMax:
      return "max";
    case NamedSharding::Reduction::kMin:
      return "min";
    case NamedSharding::Reduction::kSum:
      break;
  }
  return "";
}

void AppendDimensionShardings(const NamedSharding& sharding, std::string* out) {
  out->push_back('[');
  AppendJoined(sharding.dimensions, ", ", out, [&](const NamedSharding::DimensionSharding& d) {
    out->push_back('{');
    AppendAxes(sharding.mesh, d.axes, ", ", out);
    if (!d.is_closed) out->append(d.axes.empty() ? "?" : ", ?");
    out->push_back('}');
  });
  out->push_back(']');
}

void AppendNamed(const NamedSharding& sharding, bool with_metadata, std::string* out) {
  AppendMesh(sharding.mesh, out);
  const absl::string_view reduction = ReductionPrefix(sharding.reduction);
  if (!IsMaximal(sharding.mesh)) {
    out->append(", ");
    const absl::string_view word = WholeMeshWord(sharding);
    if (!word.empty()) {
      out->append(word.data(), word.size());
      if (word == "unreduced" && !reduction.empty()) {
        out->push_back('=');
        out->append(reduction.data(), reduction.size());
      }
    } else {
      AppendDimensionShardings(sharding, out);
      const auto axes = [&](absl::string_view name, absl::string_view prefix,
                            const std::vector<AxisRef>& list) {
        if (list.empty()) return;
        out->append(name.data(), name.size());
        out->append(prefix.data(), prefix.size());
        out->push_back('{');
        AppendAxes(sharding.mesh, list, ", ", out);
        out->push_back('}');
      };
      axes(", replicated=", "", sharding.replicated_axes);
      axes(", unreduced=", reduction, sharding.unreduced_axes);
      axes(", manual=", "", sharding.manual_axes);
    }
  }
  if (with_metadata && !sharding.metadata.empty()) {
    out->append(", ");
    AppendMetadataItems(sharding.metadata, /*as_list=*/true, out);
  }
}

absl::string_view TypeWord(Sharding::Type type) {
  switch (type) {
    case Sharding::Type::kReplicated:
      return "replicated";
    case Sharding::Type::kMaximal:
      return "maximal";
    case Sharding::Type::kManual:
      return "manual";
    case Sharding::Type::kUnreduced:
      return "unreduced";
    case Sharding::Type::kUnknown:
    case Sharding::Type::kTuple:
    case Sharding::Type::kTiled:
      break;
  }
  return "unknown";
}

void AppendTiles(const Sharding& sharding, std::string* out) {
  out->append("devices=[");
  AppendInts(sharding.tile_dimensions, out);
  out->push_back(']');
  if (sharding.iota_reshape_dims.empty()) {
    AppendInts(sharding.devices, out);
  } else {
    out->append("<=");
    AppendIota(sharding.iota_reshape_dims, sharding.iota_transpose_perm, out);
  }
  if (sharding.replicate_on_last_tile_dim) out->append(" last_tile_dim_replicate");
  if (sharding.last_tile_dims.empty()) return;
  out->append(" last_tile_dims={");
  AppendJoined(sharding.last_tile_dims, ", ", out, [out](Sharding::Type type) {
    const absl::string_view word = TypeWord(type);
    out->append(word.data(), word.size());
  });
  out->push_back('}');
}

void AppendSingle(const Sharding& sharding, bool with_metadata, std::string* out) {
  if (sharding.type == Sharding::Type::kTiled) {
    AppendTiles(sharding, out);
  } else {
    const absl::string_view word = TypeWord(sharding.type);
    out->append(word.data(), word.size());
    if (sharding.type == Sharding::Type::kMaximal && !sharding.devices.empty()) {
      out->append(" device=");
      AppendInt(sharding.devices[0], out);
    }
  }
  if (sharding.group != Sharding::Group::kNone) {
    out->append(sharding.group == Sharding::Group::kAs ? " shard_as " : " shard_like ");
    AppendInt(sharding.group_id, out);
  }
  if (with_metadata && !sharding.metadata.empty()) {
    out->push_back(' ');
    AppendMetadataItems(sharding.metadata, /*as_list=*/false, out);
  }
}

// More devices than this are never listed one by one.
constexpr int64_t kMaxListed = int64_t{1} << 20;

}  // namespace

void AppendSharding(const Sharding& sharding, bool with_metadata, std::string* out) {
  out->push_back('{');
  if (sharding.named != nullptr) {
    AppendNamed(*sharding.named, with_metadata, out);
  } else if (sharding.type == Sharding::Type::kTuple) {
    for (size_t i = 0; i < sharding.tuple.size(); ++i) {
      AppendIndexedSeparator(static_cast<int64_t>(i), 5, out);
      AppendSharding(sharding.tuple[i], with_metadata, out);
    }
  } else {
    AppendSingle(sharding, with_metadata, out);
  }
  out->push_back('}');
}

void AppendReplicaGroups(const ReplicaGroups& groups, bool expand, std::string* out) {
  if (groups.form == ReplicaGroups::Form::kList) return AppendIntLists(groups.groups, out);
  if (expand) {
    const absl::StatusOr<DeviceGroups> lists = ListGroups(groups, kMaxListed);
    // What cannot be listed stays as it is.
    if (lists.ok()) return AppendIntLists(*lists, out);
  }
  if (groups.form == ReplicaGroups::Form::kIota) {
    out->push_back('[');
    AppendInt(groups.group_count, out);
    out->push_back(',');
    AppendInt(groups.group_size, out);
    out->append("]<=");
    return AppendIota(groups.iota_reshape_dims, groups.iota_transpose_perm, out);
  }
  AppendMesh(groups.mesh, out);
  out->append(" {");
  AppendAxes(groups.mesh, groups.axes, ",", out);
  out->push_back('}');
}

}  // namespace assay::printing
