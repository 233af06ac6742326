// The groups of every small computation are compared with those of a brute-force enumeration.
#include "conformance/diagnose/subgraphs.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "a+b+c -> c" for each group, results behind the arrow.
std::vector<std::string> GroupsOf(const std::string& text, int64_t most) {
  const auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  const auto names = [](const std::vector<const Instruction*>& instructions) {
    return absl::StrJoin(instructions, "+", [](std::string* out, const Instruction* each) {
      absl::StrAppend(out, each->name());
    });
  };
  std::vector<std::string> lines;
  for (const Subgraph& subgraph : FindSubgraphs(*(*module)->entry(), most)) {
    lines.push_back(absl::StrCat(names(subgraph.members), " -> ", names(subgraph.results)));
  }
  return lines;
}

// A dot or a sum of two, or a sort, which joins nothing.
enum class Kind : uint8_t { kSum, kDot, kSort };
struct Node {
  Kind kind;
  int a, b;  // nodes; -1: the parameter
};
using World = std::vector<Node>;
using Members = unsigned;  // a bit for each node

bool Joins(const World& world, int producer, int consumer) {
  const Kind p = world[producer].kind, c = world[consumer].kind;
  if (p == Kind::kSort || c == Kind::kSort) return false;
  return p == Kind::kSum || c == Kind::kSum;
}

bool Takes(const World& world, int consumer, int producer) {
  return world[consumer].a == producer || world[consumer].b == producer;
}

// By the definition: one dot at most, no sort, connected by fusible edges, no path out and back.
bool IsGroup(const World& world, Members members, int64_t most) {
  const int n = static_cast<int>(world.size());
  int size = 0, dots = 0, first = -1;
  Members from_members = members;  // nodes that a member leads to, or members
  for (int i = 0; i < n; ++i) {
    const bool is_member = (members >> i & 1) != 0;
    for (int p = 0; p < i; ++p) {
      if (!Takes(world, i, p)) continue;
      const bool left = (from_members >> p & 1) != 0 && (members >> p & 1) == 0;
      if (is_member && left) return false;
      if ((from_members >> p & 1) != 0) from_members |= 1U << i;
    }
    if (!is_member) continue;
    if (world[i].kind == Kind::kSort) return false;
    ++size;
    dots += world[i].kind == Kind::kDot;
    if (first < 0) first = i;
  }
  if (size < 2 || size > most || dots > 1) return false;
  Members connected = 1U << first;
  for (int round = 0; round < n; ++round) {
    for (int c = 0; c < n; ++c) {
      for (int p = 0; p < c; ++p) {
        const Members both = 1U << c | 1U << p;
        if ((members & both) != both || !Takes(world, c, p) || !Joins(world, p, c)) continue;
        if ((connected & both) != 0) connected |= both;
      }
    }
  }
  return connected == members;
}

std::unique_ptr<Module> ModuleOf(const World& world) {
  const Shape shape(ElementType::kF32, {2, 2});
  auto entry = std::make_unique<Computation>("e");
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, shape);
  parameter->set_parameter_number(0);
  std::vector<Instruction*> values = {entry->Add(std::move(parameter))};
  for (const Node& node : world) {
    const Opcode opcode = node.kind == Kind::kSum   ? Opcode::kAdd
                          : node.kind == Kind::kDot ? Opcode::kDot
                                                    : Opcode::kSort;
    auto each = std::make_unique<Instruction>(opcode, shape);
    each->AppendOperand(values[node.a + 1]);
    if (node.kind != Kind::kSort) each->AppendOperand(values[node.b + 1]);
    values.push_back(entry->Add(std::move(each)));
  }
  auto module = std::make_unique<Module>("m");
  module->set_entry(module->Add(std::move(entry)));
  return module;
}

void Check(const World& world, int64_t most) {
  const int n = static_cast<int>(world.size());
  const std::unique_ptr<Module> module = ModuleOf(world);
  std::set<std::pair<int, int>> covered;
  for (const Subgraph& subgraph : FindSubgraphs(*module->entry(), most)) {
    Members members = 0;
    for (const Instruction* each : subgraph.members) members |= 1U << (each->index() - 1);
    ASSERT_TRUE(IsGroup(world, members, most)) << members;
    const size_t before = covered.size();
    for (int c = 0; c < n; ++c) {
      for (int p = 0; p < c; ++p) {
        const Members both = 1U << c | 1U << p;
        const bool inside = (members & both) == both;
        if (inside && Takes(world, c, p) && Joins(world, p, c)) covered.emplace(p, c);
      }
    }
    EXPECT_GT(covered.size(), before) << "it brings nothing new";
  }
  for (int c = 0; c < n; ++c) {
    for (int p = 0; p < c; ++p) {
      if (!Takes(world, c, p) || !Joins(world, p, c)) continue;
      bool possible = false;
      for (Members members = 0; members < (1U << n) && !possible; ++members) {
        possible = (members >> c & members >> p & 1) != 0 && IsGroup(world, members, most);
      }
      EXPECT_EQ(covered.contains({p, c}), possible) << p << " to " << c;
    }
  }
}

void Enumerate(World* world, int nodes) {
  if (static_cast<int>(world->size()) == nodes) {
    for (int64_t most = 2; most <= nodes; ++most) Check(*world, most);
    return;
  }
  const int last = static_cast<int>(world->size()) - 1;
  for (int a = -1; a <= last; ++a) {
    for (int b = a; b <= last; ++b) {
      for (const Kind kind : {Kind::kSum, Kind::kDot, Kind::kSort}) {
        if (kind == Kind::kSort && a != b) continue;
        world->push_back({kind, a, b});
        Enumerate(world, nodes);
        world->pop_back();
      }
    }
  }
}

TEST(FindSubgraphsTest, EveryComputationOfFourInstructions) {
  World world;
  Enumerate(&world, 4);
}

std::string Chain(int length) {
  std::string text = "ENTRY e { n0 = f32[] parameter(0)";
  for (int i = 1; i <= length; ++i) {
    absl::StrAppend(&text, i == length ? " ROOT" : "", " n", i, " = negate(n", i - 1, ")");
  }
  return text + " }";
}

// Nine edges, of which a group of four holds three.
TEST(FindSubgraphsTest, ChainsTakeAsFewGroupsAsThereCanBe) {
  EXPECT_THAT(GroupsOf(Chain(10), 4),
              ElementsAre("n1+n2+n3+n4 -> n4", "n4+n5+n6+n7 -> n7", "n7+n8+n9+n10 -> n10"));
  EXPECT_EQ(GroupsOf(Chain(10), 2).size(), 9u);
  EXPECT_EQ(GroupsOf(Chain(500), 8).size(), 72u);  // 499 edges, seven to a group
  EXPECT_THAT(GroupsOf(Chain(10), 0), IsEmpty());
  EXPECT_THAT(GroupsOf(Chain(1), 8), IsEmpty());
}

// A sum's way around the sort would leave the group and come back: they are no group. What is taken
// outside is a result.
TEST(FindSubgraphsTest, ConvexWithResults) {
  const char* text =
      "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = compare(a, b), direction=LT } "
      "ENTRY e { p = f32[4] parameter(0) s = negate(p) "
      "o = f32[4] sort(s), dimensions={0}, to_apply=less t = add(s, o) u = exponential(t) "
      "ROOT r = (f32[4], f32[4]) tuple(t, u) }";
  EXPECT_THAT(GroupsOf(text, 8), ElementsAre("t+u -> t+u"));
}

// Elementwise operations and moves around a dot or a reduction, and one of those in a group.
TEST(FindSubgraphsTest, WhatImplementationsFuse) {
  const char* text =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = add(a, b) } "
      "ENTRY e { x = f32[4,4] parameter(0) c = f32[] constant(2) z = f32[] constant(0) "
      "w = f32[4,4] broadcast(c), dimensions={} m = multiply(x, w) "
      "d = f32[4,4] dot(m, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} "
      "t = tanh(d) ROOT r = f32[4] reduce(t, z), dimensions={1}, to_apply=add }";
  EXPECT_THAT(GroupsOf(text, 8), ElementsAre("w+m+d+t -> t", "t+r -> r"));
  EXPECT_THAT(GroupsOf(text, 3), ElementsAre("w+m+d -> d", "d+t -> t", "t+r -> r"));
}

// A value that everybody takes stands in front of every group that it fits into.
TEST(FindSubgraphsTest, ManyTakers) {
  std::string text = "ENTRY e { x = f32[] parameter(0) k = f32[] negate(x) n0 = negate(k)";
  for (int i = 1; i <= 600; ++i) {
    absl::StrAppend(&text, i == 600 ? " ROOT" : "", " n", i, " = add(n", i - 1, ", k)");
  }
  EXPECT_GE(GroupsOf(text + " }", 8).size(), 600u / 7);
}

}  // namespace
}  // namespace assay::conformance
