#include "spec/ir/device_lists.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace assay {
namespace {

template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// Of sizes that are at least 1.
absl::StatusOr<int64_t> ProductOf(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 1 || __builtin_mul_overflow(product, size, &product)) {
      return Invalid("the sizes [", absl::StrJoin(sizes, ","),
                     "] must be positive and multiply within 63 bits");
    }
  }
  return product;
}

absl::StatusOr<int64_t> CountIota(absl::Span<const int64_t> reshape_dims,
                                  absl::Span<const int64_t> transpose_perm) {
  if (!IsPermutation(transpose_perm, static_cast<int64_t>(reshape_dims.size()))) {
    return Invalid("(", absl::StrJoin(transpose_perm, ","), ") must order the dimensions of [",
                   absl::StrJoin(reshape_dims, ","), "]");
  }
  return ProductOf(reshape_dims);
}

// A mesh whose axes are cut so that each listed reference is one dimension.
struct CutMesh {
  std::vector<int64_t> sizes;  // of the parts, major to minor
  std::vector<int64_t> order;  // of the parts: those that are not listed, then the listed ones
  int64_t group_size = 1;      // devices over the listed parts
  int64_t devices = 1;
};

// A reference to an axis or a part of it, and where it stands in the list.
struct ListedAxis {
  AxisRef ref;
  size_t position = 0;
};

// Where an axis has to be cut: the products of sizes before and after every reference to it.
absl::StatusOr<std::vector<int64_t>> CutsOf(const Mesh::Axis& axis,
                                            absl::Span<const ListedAxis> listed) {
  std::vector<int64_t> cuts = {1, axis.size};
  for (const ListedAxis& part : listed) {
    const AxisRef& ref = part.ref;
    if (!ref.has_sub_axis) continue;
    int64_t end = 0;
    if (ref.sub_pre_size < 1 || ref.sub_size < 2 ||
        __builtin_mul_overflow(ref.sub_pre_size, ref.sub_size, &end)) {
      return Invalid(":(", ref.sub_pre_size, ")", ref.sub_size, " is not part of axis '", axis.name,
                     "'");
    }
    cuts.push_back(ref.sub_pre_size);
    cuts.push_back(end);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  for (size_t c = 0; c + 1 < cuts.size(); ++c) {
    if (cuts[c + 1] % cuts[c] == 0) continue;
    return Invalid("the parts of axis '", axis.name, "' of size ", axis.size,
                   " do not divide each other");
  }
  if (cuts.back() == axis.size) return cuts;
  return Invalid("a part reaches beyond axis '", axis.name, "' of size ", axis.size);
}

absl::Status CheckDeviceIds(const Mesh& mesh, int64_t devices) {
  if (!mesh.device_ids.empty()) {
    const auto listed = static_cast<int64_t>(mesh.device_ids.size());
    if (listed == devices) return absl::OkStatus();
    return Invalid("the mesh has ", devices, " devices, its device_ids are ", listed);
  }
  if (mesh.iota_reshape_dims.empty()) return absl::OkStatus();
  const absl::StatusOr<int64_t> count = CountIota(mesh.iota_reshape_dims, mesh.iota_transpose_perm);
  if (!count.ok() || *count == devices) return count.status();
  return Invalid("the mesh has ", devices, " devices, its device_ids are ", *count);
}

// Appends the parts of one axis; positions of the listed ones go to `part_of`.
absl::Status CutAxis(const Mesh::Axis& axis, absl::Span<const ListedAxis> listed,
                     std::vector<int64_t>* sizes, std::vector<int64_t>* part_of) {
  const absl::StatusOr<std::vector<int64_t>> cuts = CutsOf(axis, listed);
  if (!cuts.ok()) return cuts.status();
  // An axis of size 1 is one part too, for a reference to stand for.
  const size_t parts = std::max<size_t>(1, cuts->size() - 1);
  for (size_t c = 0; c < parts; ++c) {
    const int64_t begin = (*cuts)[c], end = (*cuts)[std::min(c + 1, cuts->size() - 1)];
    for (const auto& [ref, position] : listed) {
      const int64_t ref_begin = ref.has_sub_axis ? ref.sub_pre_size : 1;
      const int64_t ref_end = ref.has_sub_axis ? ref.sub_pre_size * ref.sub_size : axis.size;
      if (ref_begin != begin || ref_end != end) continue;
      (*part_of)[position] = static_cast<int64_t>(sizes->size());
    }
    sizes->push_back(end / begin);
  }
  return absl::OkStatus();
}

absl::StatusOr<CutMesh> Cut(const Mesh& mesh, absl::Span<const AxisRef> axes) {
  std::vector<std::vector<ListedAxis>> listed(mesh.axes.size());  // by axis
  for (size_t r = 0; r < axes.size(); ++r) {
    if (axes[r].axis < 0 || axes[r].axis >= static_cast<int64_t>(mesh.axes.size())) {
      return Invalid("the mesh has no axis ", axes[r].axis);
    }
    listed[axes[r].axis].push_back({axes[r], r});
  }
  std::vector<int64_t> axis_sizes;
  for (const Mesh::Axis& axis : mesh.axes) axis_sizes.push_back(axis.size);
  const absl::StatusOr<int64_t> devices = ProductOf(axis_sizes);
  if (!devices.ok()) return devices.status();
  if (absl::Status status = CheckDeviceIds(mesh, *devices); !status.ok()) return status;
  CutMesh result;
  result.devices = *devices;
  std::vector<int64_t> part_of(axes.size(), -1);
  for (size_t a = 0; a < mesh.axes.size(); ++a) {
    absl::Status status = CutAxis(mesh.axes[a], listed[a], &result.sizes, &part_of);
    if (!status.ok()) return status;
  }
  std::vector<bool> is_listed(result.sizes.size(), false);
  for (size_t r = 0; r < axes.size(); ++r) {
    // A reference that another one cuts is no single part.
    if (part_of[r] < 0 || is_listed[part_of[r]]) {
      return Invalid("axis '", mesh.axes[axes[r].axis].name, "' of the mesh is used twice");
    }
    is_listed[part_of[r]] = true;
    result.group_size *= result.sizes[part_of[r]];
  }
  for (size_t d = 0; d < is_listed.size(); ++d) {
    if (!is_listed[d]) result.order.push_back(static_cast<int64_t>(d));
  }
  result.order.insert(result.order.end(), part_of.begin(), part_of.end());
  return result;
}

// Row-major indices of an array of `sizes` (whose product fits), its dimensions walked in `order`.
std::vector<int64_t> Walk(absl::Span<const int64_t> sizes, absl::Span<const int64_t> order) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  std::vector<int64_t> positions = {0};
  for (int64_t d : order) {
    if (sizes[d] == 1) continue;
    std::vector<int64_t> longer;
    longer.reserve(positions.size() * sizes[d]);
    for (int64_t position : positions) {
      for (int64_t i = 0; i < sizes[d]; ++i) longer.push_back(position + i * strides[d]);
    }
    positions = std::move(longer);
  }
  return positions;
}

absl::Status CheckLimit(int64_t devices, int64_t limit) {
  if (devices <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(devices, " devices are more than ", limit));
}

DeviceGroups SplitInto(absl::Span<const int64_t> devices, int64_t size) {
  DeviceGroups groups;
  for (auto at = devices.begin(); at != devices.end(); at += size)
    groups.emplace_back(at, at + size);
  return groups;
}

absl::StatusOr<int64_t> CountIotaGroups(const ReplicaGroups& groups) {
  absl::StatusOr<int64_t> count = CountIota(groups.iota_reshape_dims, groups.iota_transpose_perm);
  if (!count.ok()) return count;
  const int64_t written[] = {groups.group_count, groups.group_size};
  const absl::StatusOr<int64_t> product = ProductOf(written);
  if (!product.ok()) return product;
  if (*product == *count) return count;
  return Invalid(groups.group_count, " groups of ", groups.group_size, " are not the ", *count,
                 " devices of the iota");
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ListIota(absl::Span<const int64_t> reshape_dims,
                                              absl::Span<const int64_t> transpose_perm,
                                              int64_t limit) {
  const absl::StatusOr<int64_t> count = CountIota(reshape_dims, transpose_perm);
  if (!count.ok()) return count.status();
  if (absl::Status status = CheckLimit(*count, limit); !status.ok()) return status;
  return Walk(reshape_dims, transpose_perm);
}

absl::StatusOr<DeviceGroups> DevicesOverAxes(const Mesh& mesh, absl::Span<const AxisRef> axes,
                                             int64_t limit) {
  const absl::StatusOr<CutMesh> cut = Cut(mesh, axes);
  if (!cut.ok()) return cut.status();
  if (absl::Status status = CheckLimit(cut->devices, limit); !status.ok()) return status;
  std::vector<int64_t> devices = Walk(cut->sizes, cut->order);
  std::vector<int64_t> ids = mesh.device_ids;
  if (ids.empty() && !mesh.iota_reshape_dims.empty()) {
    ids = Walk(mesh.iota_reshape_dims, mesh.iota_transpose_perm);
  }
  if (!ids.empty()) {
    for (int64_t& device : devices) device = ids[device];
  }
  return SplitInto(devices, cut->group_size);
}

absl::StatusOr<DeviceGroups> ListGroups(const ReplicaGroups& groups, int64_t limit) {
  switch (groups.form) {
    case ReplicaGroups::Form::kList:
      return groups.groups;
    case ReplicaGroups::Form::kMesh:
      return DevicesOverAxes(groups.mesh, groups.axes, limit);
    case ReplicaGroups::Form::kIota:
      break;
  }
  const absl::StatusOr<int64_t> count = CountIotaGroups(groups);
  if (!count.ok()) return count.status();
  if (absl::Status status = CheckLimit(*count, limit); !status.ok()) return status;
  return SplitInto(Walk(groups.iota_reshape_dims, groups.iota_transpose_perm), groups.group_size);
}

absl::StatusOr<GroupCounts> CountDevicesOverAxes(const Mesh& mesh, absl::Span<const AxisRef> axes) {
  const absl::StatusOr<CutMesh> cut = Cut(mesh, axes);
  if (!cut.ok()) return cut.status();
  return GroupCounts{cut->devices / cut->group_size, cut->group_size};
}

absl::StatusOr<GroupCounts> CountGroups(const ReplicaGroups& groups) {
  if (groups.form == ReplicaGroups::Form::kMesh) {
    return CountDevicesOverAxes(groups.mesh, groups.axes);
  }
  if (groups.form == ReplicaGroups::Form::kIota) {
    if (absl::Status status = CountIotaGroups(groups).status(); !status.ok()) return status;
    return GroupCounts{groups.group_count, groups.group_size};
  }
  const auto count = static_cast<int64_t>(groups.groups.size());
  return GroupCounts{count, count == 0 ? 0 : static_cast<int64_t>(groups.groups[0].size())};
}

}  // namespace assay
