// The forms of device lists, against the examples of reference ops_control_and_collectives.md 5.4
// and, for meshes, against a model that computes where each device belongs.
#include "spec/ir/device_lists.h"

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

using Ints = std::vector<int64_t>;

ReplicaGroups Iota(int64_t count, int64_t size, Ints reshape, Ints transpose) {
  ReplicaGroups groups;
  groups.form = ReplicaGroups::Form::kIota;
  groups.group_count = count;
  groups.group_size = size;
  groups.iota_reshape_dims = std::move(reshape);
  groups.iota_transpose_perm = std::move(transpose);
  return groups;
}

Mesh MeshOf(const Ints& sizes) {
  Mesh mesh;
  for (int64_t size : sizes) mesh.axes.push_back({absl::StrCat("a", mesh.axes.size()), size});
  return mesh;
}

AxisRef Part(int64_t axis, int64_t pre, int64_t size) { return {axis, true, pre, size}; }

TEST(DeviceLists, Iotas) {
  const auto list = [](const ReplicaGroups& groups) { return *ListGroups(groups, 100); };
  EXPECT_EQ(list(Iota(2, 4, {4, 2}, {1, 0})), (DeviceGroups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(list(Iota(4, 2, {8}, {0})), (DeviceGroups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(list(Iota(4, 2, {2, 4}, {1, 0})), (DeviceGroups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(list(Iota(2, 4, {2, 2, 2}, {1, 2, 0})), (DeviceGroups{{0, 4, 1, 5}, {2, 6, 3, 7}}));
  EXPECT_EQ(list(Iota(1, 1, {1}, {0})), (DeviceGroups{{0}}));
}

TEST(DeviceLists, Meshes) {
  const auto list = [](const Mesh& mesh, std::vector<AxisRef> axes) {
    return *DevicesOverAxes(mesh, axes, 100);
  };
  const Mesh square = MeshOf({2, 2});
  EXPECT_EQ(list(square, {{0}}), (DeviceGroups{{0, 2}, {1, 3}}));
  EXPECT_EQ(list(square, {{1}}), (DeviceGroups{{0, 1}, {2, 3}}));
  EXPECT_EQ(list(square, {{0}, {1}}), (DeviceGroups{{0, 1, 2, 3}}));
  EXPECT_EQ(list(square, {{1}, {0}}), (DeviceGroups{{0, 2, 1, 3}}));
  EXPECT_EQ(list(square, {}), (DeviceGroups{{0}, {1}, {2}, {3}}));
  const Mesh row = MeshOf({8});
  EXPECT_EQ(list(row, {Part(0, 1, 2)}), (DeviceGroups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(list(row, {Part(0, 4, 2), Part(0, 1, 2)}), (DeviceGroups{{0, 4, 1, 5}, {2, 6, 3, 7}}));
  Mesh ordered = square;
  ordered.device_ids = {3, 1, 2, 0};
  EXPECT_EQ(list(ordered, {{0}}), (DeviceGroups{{3, 2}, {1, 0}}));
  Mesh transposed = MeshOf({2, 2, 2});
  transposed.iota_reshape_dims = {2, 4};
  transposed.iota_transpose_perm = {1, 0};  // 0 4 1 5 2 6 3 7
  EXPECT_EQ(list(transposed, {{0}, {2}}), (DeviceGroups{{0, 4, 2, 6}, {1, 5, 3, 7}}));
  Mesh maximal;
  maximal.device_ids = {5};
  EXPECT_EQ(list(maximal, {}), (DeviceGroups{{5}}));
}

// What an axis reference picks out of a position in the mesh: one step of it adds `stride`.
struct Digit {
  int64_t size, stride;
  int64_t begin, end;  // products of sizes within the axis before and after
};
Digit DigitOf(const Mesh& mesh, const AxisRef& ref) {
  int64_t stride = 1;
  for (size_t a = ref.axis + 1; a < mesh.axes.size(); ++a) stride *= mesh.axes[a].size;
  const int64_t size = mesh.axes[ref.axis].size;
  if (!ref.has_sub_axis) return {size, stride, 1, size};
  const int64_t end = ref.sub_pre_size * ref.sub_size;
  return {ref.sub_size, stride * (size / end), ref.sub_pre_size, end};
}

// Whether the references lie apart, and every part divides into its axis.
bool Fit(const Mesh& mesh, const std::vector<AxisRef>& refs) {
  for (size_t i = 0; i < refs.size(); ++i) {
    const int64_t size = mesh.axes[refs[i].axis].size;
    const Digit a = DigitOf(mesh, refs[i]);
    if (a.begin > size || a.end > size || size % a.end != 0) return false;
    for (size_t j = 0; j < refs.size(); ++j) {
      if (i == j || refs[i].axis != refs[j].axis) continue;
      const Digit b = DigitOf(mesh, refs[j]);
      if (!refs[i].has_sub_axis || !refs[j].has_sub_axis) return false;
      if (a.begin < b.begin ? b.begin % a.end != 0 : a.begin % b.end != 0) return false;
    }
  }
  return true;
}

// Every one and every ordered pair of references to meshes of two axes.
TEST(DeviceLists, EveryPairOfAxesOfSmallMeshes) {
  int64_t fitting = 0, refused = 0;
  for (int64_t x = 1; x <= 8; ++x) {
    for (int64_t y = 1; y <= 4; ++y) {
      const Mesh mesh = MeshOf({x, y});
      std::vector<AxisRef> all = {{0}, {1}};
      for (int64_t axis = 0; axis < 2; ++axis) {
        for (int64_t pre = 1; pre <= 8; ++pre) {
          for (int64_t size = 2; size <= 8; ++size) all.push_back(Part(axis, pre, size));
        }
      }
      std::vector<std::vector<AxisRef>> lists;
      for (const AxisRef& a : all) {
        lists.push_back({a});
        for (const AxisRef& b : all) lists.push_back({a, b});
      }
      for (const std::vector<AxisRef>& list : lists) {
        const absl::StatusOr<DeviceGroups> got = DevicesOverAxes(mesh, list, x * y);
        if (!Fit(mesh, list)) {
          EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument);
          ++refused;
          continue;
        }
        ++fitting;
        std::map<int64_t, std::map<int64_t, int64_t>> model;  // group, member, device
        for (int64_t device = 0; device < x * y; ++device) {
          int64_t group = device, member = 0;
          for (const AxisRef& ref : list) {
            const Digit digit = DigitOf(mesh, ref);
            const int64_t value = device / digit.stride % digit.size;
            group -= value * digit.stride;
            member = member * digit.size + value;
          }
          model[group][member] = device;
        }
        DeviceGroups want;
        for (const auto& [group, members] : model) {
          want.emplace_back();
          for (const auto& [member, device] : members) want.back().push_back(device);
        }
        ASSERT_TRUE(got.ok()) << got.status();
        EXPECT_EQ(*got, want);
      }
    }
  }
  RecordProperty("fitting", static_cast<int>(fitting));
  EXPECT_GT(fitting, 500);
  EXPECT_GT(refused, 100000);
}

TEST(DeviceLists, RefusesWhatDoesNotFit) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  const auto code = [](const ReplicaGroups& groups) {
    EXPECT_EQ(CountGroups(groups).ok(),
              ListGroups(groups, 8).ok() ||
                  ListGroups(groups, 8).status().code() == absl::StatusCode::kResourceExhausted);
    return ListGroups(groups, 8).status().code();
  };
  EXPECT_EQ(code(Iota(2, 3, {8}, {0})), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Iota(2, 4, {4, 2}, {0, 0})), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Iota(2, 4, {4, 2}, {0})), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Iota(-2, -4, {8}, {0})), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Iota(0, 8, {8}, {0})), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Iota(kHuge, kHuge, {kHuge, kHuge}, {1, 0})), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Iota(kHuge, 1, {kHuge}, {0})), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code(Iota(3, 3, {9}, {0})), absl::StatusCode::kResourceExhausted);
  ReplicaGroups mesh;
  mesh.form = ReplicaGroups::Form::kMesh;
  mesh.mesh = MeshOf({2, 4});
  mesh.axes = {{2}};
  EXPECT_EQ(code(mesh), absl::StatusCode::kInvalidArgument);
  mesh.axes = {{-1}};
  EXPECT_EQ(code(mesh), absl::StatusCode::kInvalidArgument);
  mesh.axes = {{1}, Part(1, 1, 2)};
  EXPECT_EQ(code(mesh), absl::StatusCode::kInvalidArgument);
  mesh.axes = {Part(1, kHuge, kHuge)};
  EXPECT_EQ(code(mesh), absl::StatusCode::kInvalidArgument);
  mesh.axes = {{1}};
  mesh.mesh.device_ids = {0, 1, 2};
  EXPECT_EQ(code(mesh), absl::StatusCode::kInvalidArgument);
  mesh.mesh.device_ids.clear();
  mesh.mesh.iota_reshape_dims = {2, 2};
  mesh.mesh.iota_transpose_perm = {1, 0};
  EXPECT_EQ(code(mesh), absl::StatusCode::kInvalidArgument);
  mesh.mesh = MeshOf({kHuge, kHuge});
  EXPECT_EQ(code(mesh), absl::StatusCode::kInvalidArgument);
  mesh.mesh = MeshOf({kHuge, 1});
  EXPECT_EQ(code(mesh), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(ListIota({2, 1}, {0, 0}, 8).ok());
}

}  // namespace
}  // namespace assay
