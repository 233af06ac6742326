// Who belongs together, for every form of groups and every mode: the examples of reference
// ops_control_and_collectives.md 5 and 7.10, all groups of small grids against a model that asks
// process by process, and each refusal.
#include "runtime/process_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ops/shape_inference.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Groups = std::vector<std::vector<int64_t>>;

constexpr char kReducer[] =
    "HloModule m\nf {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT c = f32[] add(a, b)\n}\n";

std::unique_ptr<Module> Parse(const std::string& root) {
  auto module = ParseModule(absl::StrCat(
      kReducer, "ENTRY e {\n  x = f32[8] parameter(0)\n  t = token[] after-all()\n  ROOT r = ",
      root, "\n}\n"));
  EXPECT_TRUE(module.ok()) << root << module.status();
  return *std::move(module);
}

std::unique_ptr<Module> AllReduce(const std::string& attributes) {
  return Parse(absl::StrCat("f32[8] all-reduce(x), ", attributes, ", to_apply=f"));
}

absl::StatusOr<Groups> GroupsOf(const std::string& attributes, ProcessGrid grid) {
  return ProcessGroups(*AllReduce(attributes)->entry()->root(), grid);
}

TEST(ProcessGroups, TheFourModes) {
  const ProcessGrid grid = {2, 2};
  EXPECT_EQ(*GroupsOf("replica_groups={{1,0}}", grid), (Groups{{2, 0}, {3, 1}}));
  EXPECT_EQ(*GroupsOf("channel_id=1, replica_groups={{1,0}}", grid), (Groups{{2, 3, 0, 1}}));
  EXPECT_EQ(
      *GroupsOf("channel_id=1, replica_groups={{0,3},{1,2}}, use_global_device_ids=true", grid),
      (Groups{{0, 3}, {1, 2}}));
  const auto exchange = Parse(
      "f32[8] all-to-all(x), channel_id=1, dimensions={0}, "
      "replica_groups={{1,0}}");
  EXPECT_EQ(*ProcessGroups(*exchange->entry()->root(), grid), (Groups{{1, 0}, {3, 2}}));
  // No groups: one of all.
  EXPECT_EQ(*GroupsOf("replica_groups={}", {3, 2}), (Groups{{0, 2, 4}, {1, 3, 5}}));
  EXPECT_EQ(*GroupsOf("channel_id=2, replica_groups={}", grid), (Groups{{0, 1, 2, 3}}));
  // A channel that is none.
  const auto none = Parse(
      "f32[16] all-gather(x), channel_id=0, dimensions={0}, "
      "replica_groups={{1,0}}");
  EXPECT_EQ(*ProcessGroups(*none->entry()->root(), grid), (Groups{{2, 0}, {3, 1}}));
}

TEST(ProcessGroups, EveryForm) {
  const std::string global = ", channel_id=1, use_global_device_ids=true";
  const struct {
    const char* form;
    Groups groups;
  } cases[] = {
      {"{{0,2,4,6},{1,3,5,7}}", {{0, 2, 4, 6}, {1, 3, 5, 7}}},
      {"[2,4]<=[4,2]T(1,0)", {{0, 2, 4, 6}, {1, 3, 5, 7}}},
      {"[4,2]<=[8]", {{0, 1}, {2, 3}, {4, 5}, {6, 7}}},
      {"mesh['x'=2,'y'=4] {'y'}", {{0, 1, 2, 3}, {4, 5, 6, 7}}},
      {"mesh['x'=2,'y'=4] {'x'}", {{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
      {"mesh['a'=8] {'a':(4)2,'a':(1)2}", {{0, 4, 1, 5}, {2, 6, 3, 7}}},
      {"mesh['x'=2,'y'=2,'z'=2], device_ids=([2,4]T(1,0)) {'x','z'}", {{0, 4, 2, 6}, {1, 5, 3, 7}}},
      {"mesh['x'=4,'y'=2], device_ids=(7,6,5,4,3,2,1,0) {'y'}", {{7, 6}, {5, 4}, {3, 2}, {1, 0}}},
  };
  for (const auto& c : cases) {
    for (const ProcessGrid grid : {ProcessGrid{8, 1}, ProcessGrid{1, 8}, ProcessGrid{2, 4}}) {
      const auto groups = GroupsOf(absl::StrCat("replica_groups=", c.form, global), grid);
      ASSERT_TRUE(groups.ok()) << c.form << groups.status();
      EXPECT_EQ(*groups, c.groups) << c.form;
    }
  }
  const auto quarter = [](const char* axes) {
    return *GroupsOf(absl::StrCat("replica_groups=mesh['a'=4] ", axes), {4, 1});
  };
  EXPECT_EQ(quarter("{'a':(1)2}"), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(quarter("{'a':(2)2}"), (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(*GroupsOf("replica_groups=maximal_mesh[device_id=0] {}", {1, 1}), (Groups{{0}}));
}

// All divisions of ids into groups, members and groups in every order.
void OrderedDivisions(int64_t n, std::vector<Groups>* all) {
  std::vector<int64_t> order(n);
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  do {
    for (int64_t cuts = 0; cuts < int64_t{1} << (n - 1); ++cuts) {
      Groups groups = {{order[0]}};
      for (int64_t i = 1; i < n; ++i) {
        if ((cuts >> (i - 1) & 1) != 0) groups.emplace_back();
        groups.back().push_back(order[i]);
      }
      all->push_back(std::move(groups));
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

// All divisions of ids into groups, as they come and back to front.
void UnorderedDivisions(int64_t n, Groups* open, std::vector<Groups>* all) {
  int64_t next = 0;
  for (const std::vector<int64_t>& group : *open) next += static_cast<int64_t>(group.size());
  if (next == n) {
    all->push_back(*open);
    Groups& reversed = all->emplace_back(open->rbegin(), open->rend());
    for (std::vector<int64_t>& group : reversed) std::reverse(group.begin(), group.end());
    return;
  }
  for (size_t g = 0; g < open->size(); ++g) {
    (*open)[g].push_back(next);
    UnorderedDivisions(n, open, all);
    (*open)[g].pop_back();
  }
  open->push_back({next});
  UnorderedDivisions(n, open, all);
  open->pop_back();
}

// Groups as they are written, and what they say.
struct Written {
  ReplicaGroups form;
  Groups groups;
};

// All iotas of n ids with dimensions from 2 on, transposed in every way, in groups of every size.
void Iotas(int64_t n, std::vector<int64_t> dims, std::vector<Written>* all) {
  int64_t product = 1;
  for (int64_t d : dims) product *= d;
  if (product < n) {
    for (int64_t d = 2; d <= n / product; ++d) {
      if (n / product % d != 0) continue;
      dims.push_back(d);
      Iotas(n, dims, all);
      dims.pop_back();
    }
    return;
  }
  if (dims.empty()) dims = {1};
  std::vector<int64_t> perm(dims.size());
  for (size_t i = 0; i < perm.size(); ++i) perm[i] = static_cast<int64_t>(i);
  do {
    // The device at each place of the transposed array: its mixed-radix digits, put back in order.
    std::vector<int64_t> devices(n);
    for (int64_t device = 0; device < n; ++device) {
      std::vector<int64_t> digits(dims.size());
      int64_t rest = device, place = 0;
      for (size_t i = dims.size(); i-- > 0; rest /= dims[i]) digits[i] = rest % dims[i];
      for (int64_t axis : perm) place = place * dims[axis] + digits[axis];
      devices[place] = device;
    }
    for (int64_t size = 1; size <= n; ++size) {
      if (n % size != 0) continue;
      Written& written = all->emplace_back();
      written.form.form = ReplicaGroups::Form::kIota;
      written.form.group_count = n / size;
      written.form.group_size = size;
      written.form.iota_reshape_dims = dims;
      written.form.iota_transpose_perm = perm;
      for (int64_t first = 0; first < n; first += size) {
        written.groups.emplace_back(devices.begin() + first, devices.begin() + first + size);
      }
    }
  } while (std::next_permutation(perm.begin(), perm.end()));
}

// Every list and iota that divides n ids into groups, and none, which means one of all.
const std::vector<Written>& AllGroups(int64_t n) {
  static auto& memory = *new std::map<int64_t, std::vector<Written>>();
  std::vector<Written>& all = memory[n];
  if (!all.empty()) return all;
  std::vector<Groups> divisions;
  Groups open;
  if (n <= 6) {
    OrderedDivisions(n, &divisions);
  } else {
    UnorderedDivisions(n, &open, &divisions);
  }
  for (Groups& division : divisions) {
    Written& written = all.emplace_back();
    written.form.groups = division;
    written.groups = std::move(division);
  }
  Iotas(n, {}, &all);
  Written& none = all.emplace_back();
  none.groups.emplace_back();
  for (int64_t id = 0; id < n; ++id) none.groups[0].push_back(id);
  return all;
}

enum class Mode { kReplica, kPartition, kBoth, kFlat };

// The model: whom process (r, p) meets, and at which place it stands itself.
std::vector<int64_t> MembersOf(const Groups& groups, Mode mode, ProcessGrid grid, int64_t r,
                               int64_t p) {
  const int64_t id = mode == Mode::kFlat        ? r * grid.partitions + p
                     : mode == Mode::kPartition ? p
                                                : r;
  std::vector<int64_t> members;
  for (const std::vector<int64_t>& group : groups) {
    if (std::find(group.begin(), group.end(), id) == group.end()) continue;
    for (int64_t other : group) {
      for (int64_t q = 0; q < grid.partitions; ++q) {
        if (mode == Mode::kReplica && q == p) members.push_back(other * grid.partitions + q);
        if (mode == Mode::kBoth) members.push_back(other * grid.partitions + q);
      }
      if (mode == Mode::kPartition) members.push_back(r * grid.partitions + other);
      if (mode == Mode::kFlat) members.push_back(other);
    }
  }
  return members;
}

// What ProcessGroups must say of the groups, process by process.
void ExpectGroups(const Instruction& op, const Written& written, Mode mode, bool one_size,
                  ProcessGrid grid) {
  const absl::StatusOr<Groups> got = ProcessGroups(op, grid);
  bool taken = mode != Mode::kFlat || written.form.group_count > 0 || !written.form.groups.empty();
  for (const std::vector<int64_t>& group : written.groups) {
    if (one_size && group.size() != written.groups[0].size()) taken = false;
  }
  ASSERT_EQ(got.ok(), taken) << got.status();
  if (!taken) return;
  int64_t members = 0;
  for (const std::vector<int64_t>& group : *got) {
    for (const int64_t member : group) {
      ASSERT_EQ(group, MembersOf(written.groups, mode, grid, member / grid.partitions,
                                 member % grid.partitions));
      ++members;
    }
  }
  ASSERT_EQ(members, grid.count());  // each is in the group that it stands in, once
}

TEST(ProcessGroups, BoundedExhaustive) {
  const struct {
    Mode mode;
    bool one_size;
    const char* text;
  } ops[] = {
      {Mode::kReplica, false, "f32[8] all-reduce(x), replica_groups={}, to_apply=f"},
      {Mode::kReplica, true, "f32[8] all-gather(x), dimensions={0}, replica_groups={}"},
      {Mode::kPartition, true,
       "f32[8] all-to-all(x), channel_id=1, dimensions={0}, replica_groups={}"},
      {Mode::kPartition, false,
       "f32[8] collective-broadcast(x), channel_id=1, replica_groups={{0}}"},
      {Mode::kBoth, false, "f32[8] all-reduce(x), channel_id=1, replica_groups={}, to_apply=f"},
      {Mode::kBoth, true, "f32[8] all-gather(x), channel_id=1, dimensions={0}, replica_groups={}"},
      {Mode::kFlat, false,
       "f32[8] all-reduce(x), channel_id=1, replica_groups={{0}}, use_global_device_ids=true, "
       "to_apply=f"},
      {Mode::kFlat, true,
       "f32[8] all-gather(x), channel_id=1, dimensions={0}, replica_groups={{0}}, "
       "use_global_device_ids=true"},
  };
  int64_t count = 0;
  for (const auto& row : ops) {
    const std::unique_ptr<Module> module = Parse(row.text);
    Instruction& op = *module->entry()->root();
    for (int64_t grid_code = 0; grid_code < 9; ++grid_code) {
      const ProcessGrid grid = {grid_code / 3 + 1, grid_code % 3 + 1};
      const int64_t ids = row.mode == Mode::kFlat        ? grid.count()
                          : row.mode == Mode::kPartition ? grid.partitions
                                                         : grid.replicas;
      for (const Written& written : AllGroups(ids)) {
        op.SetAttribute(Attr::kReplicaGroups, written.form);
        ExpectGroups(op, written, row.mode, row.one_size, grid);
        if (HasFatalFailure()) FAIL() << PrintModule(*module);
        ++count;
      }
    }
  }
  std::printf("%lld configurations\n", static_cast<long long>(count));
  EXPECT_GE(count, 100000);
}

TEST(ProcessGroups, Refusals) {
  const struct {
    std::string attributes;
    ProcessGrid grid;
    const char* clause;
    const char* found;
  } cases[] = {
      {"replica_groups={{0},{}}", {1, 1}, "group_c1", "{}"},
      {"replica_groups={{0,1},{1,2}}", {3, 1}, "group_c2", "found 1"},
      {"replica_groups={{0,1},{3}}", {4, 1}, "group_c3", "no 2"},
      {"replica_groups={{0,1}}", {1, 1}, "group_c4", "found 1"},
      {"replica_groups={{0,-1}}", {2, 1}, "group_c4", "found -1"},
      {"channel_id=1, replica_groups={{0,1,2,3}}", {1, 4}, "group_c4", "found 1"},
      {"channel_id=1, replica_groups={}, use_global_device_ids=true", {2, 2}, "group_c5", "groups"},
      {"replica_groups=[2,2]<=[8]", {4, 1}, "group_c9", "2 groups of 2"},
      {"replica_groups=[100000,10000]<=[1000000000]", {4, 1}, "group_c4", "1000000000 devices"},
      {"replica_groups=mesh['x'=1000000000] {'x'}", {4, 1}, "group_c4", "1000000000 devices"},
      {"replica_groups=[2,2]<=[4]", {2, 1}, "group_c4", "4 devices"},
      {"channel_id=0, replica_groups={{0}}", {1, 1}, "all_reduce_c1", "found 0"},
  };
  for (const auto& c : cases) {
    const absl::Status status = GroupsOf(c.attributes, c.grid).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.attributes;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(absl::StrCat("[", c.clause, "]")), HasSubstr(c.found),
                      HasSubstr("%r = f32[8] all-reduce")));
  }
  // Text cannot say so.
  const auto unchanneled =
      AllReduce("channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true");
  unchanneled->entry()->root()->EraseAttribute(Attr::kChannelId);
  EXPECT_THAT(std::string(ProcessGroups(*unchanneled->entry()->root(), {2, 1}).status().message()),
              AllOf(HasSubstr("[group_c5]"), HasSubstr("no channel")));
  // Sizes may differ here and there.
  EXPECT_TRUE(GroupsOf("replica_groups={{0,2},{1}}", {3, 1}).ok());
  const auto gather = Parse("f32[16] all-gather(x), dimensions={0}, replica_groups={{0,2},{1}}");
  EXPECT_THAT(std::string(ProcessGroups(*gather->entry()->root(), {3, 1}).status().message()),
              AllOf(HasSubstr("[group_c6]"), HasSubstr("found 1")));
  const auto broadcast = Parse("f32[8] collective-broadcast(x), replica_groups={{3,0},{2}}");
  EXPECT_EQ(*ProcessGroups(*broadcast->entry()->root(), {4, 1}), (Groups{{3, 0}, {2}}));
}

using Pairs = std::vector<ProcessPair>;

absl::StatusOr<Pairs> Permute(const std::string& attributes, ProcessGrid grid) {
  const auto module = Parse(absl::StrCat("f32[8] collective-permute(x), ", attributes));
  return ProcessPairs(*module->entry()->root(), grid);
}

TEST(ProcessPairs, OfReplicasOrPartitions) {
  EXPECT_EQ(*Permute("source_target_pairs={{0,1}}", {2, 2}), (Pairs{{0, 2}, {1, 3}}));
  EXPECT_EQ(*Permute("channel_id=1, source_target_pairs={{0,1}}", {2, 2}), (Pairs{{0, 1}, {2, 3}}));
  EXPECT_EQ(*Permute("channel_id=0, source_target_pairs={{0,0}}", {1, 1}), (Pairs{{0, 0}}));
  EXPECT_EQ(*Permute("source_target_pairs={}", {2, 2}), Pairs());
  const auto code = [](const std::string& attributes, ProcessGrid grid) {
    const absl::Status status = Permute(attributes, grid).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(code("source_target_pairs={{0,1}}", {1, 1}),
              AllOf(HasSubstr("pair_c1"), HasSubstr("replicas in [0, 1)"), HasSubstr("{0,1}")));
  EXPECT_THAT(code("channel_id=3, source_target_pairs={{0,2}}", {4, 2}),
              AllOf(HasSubstr("pair_c1"), HasSubstr("partitions in [0, 2)")));
  EXPECT_THAT(code("source_target_pairs={{-1,0}}", {2, 1}), HasSubstr("pair_c1"));
  EXPECT_THAT(code("source_target_pairs={{0,1},{0,0}}", {2, 1}), HasSubstr("permute_c1"));
  EXPECT_THAT(code("source_target_pairs={{0,1},{1,1}}", {2, 1}), HasSubstr("permute_c1"));
}

absl::StatusOr<std::optional<Pairs>> Transfer(const std::string& attributes, ProcessGrid grid) {
  const auto module = Parse(absl::StrCat("(f32[8], u32[], token[]) send(x, t)", attributes));
  return TransferPairs(*module->entry()->root(), grid);
}

TEST(TransferPairs, FromTheFrontendAttribute) {
  const std::string name = ", frontend_attributes={_xla_send_recv_source_target_pairs=";
  EXPECT_FALSE(Transfer(", channel_id=1", {2, 1})->has_value());
  EXPECT_EQ(**Transfer(", channel_id=1" + name + "\"{{0,1},{1,2}}\"}", {2, 3}),
            (Pairs{{0, 1}, {3, 4}, {1, 2}, {4, 5}}));
  EXPECT_EQ(**Transfer(name + "{ { 1, 0 } }}", {2, 2}), (Pairs{{2, 0}, {3, 1}}));
  EXPECT_EQ(**Transfer(name + "{}}", {2, 2}), Pairs());
  EXPECT_EQ(**Transfer(", channel_id=0" + name + "{{0,1}}}", {2, 1}), (Pairs{{0, 1}}));
  for (const char* text :
       {"0,1", "{0,1}", "{{0,1}", "{{0,1,2}}", "{{0}}", "{{a,1}}", "{{0,1}{1,0}}", "{{}}",
        "{{0,1},}", "{{0,1}}}", "{{0,99999999999999999999}}"}) {
    const absl::Status status = Transfer(absl::StrCat(name, "\"", text, "\"}"), {2, 1}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("pair_c2"), HasSubstr("send(")));
  }
  EXPECT_THAT(std::string(Transfer(name + "{{0,2}}}", {2, 1}).status().message()),
              HasSubstr("pair_c1"));
}

}  // namespace
}  // namespace assay::runtime
