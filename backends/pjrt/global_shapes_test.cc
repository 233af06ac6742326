// Arguments and results that are unreduced: each device holds a summand of them. Results whose
// sharding is free. What is cut into tiles is the matter of pjrt_jax.py.
#include "backends/pjrt/sharding/global_shapes.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/ir/literal.h"
#include "spec/proto/xla_data.pb.h"
#include "spec/text/parser.h"

namespace assay::pjrt {
namespace {

using ::testing::ElementsAre;

// The only parameter, on four devices: rows over two pairs, each pair holds the summands of a half.
PlacedLeaf Unreduced() {
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(R"(HloModule m
ENTRY e {
  ROOT x = s32[4] parameter(0), sharding={devices=[2,2]<=[4] last_tile_dims={unreduced}}
})");
  EXPECT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<GlobalShapes> shapes = GlobalShapes::Of(**module, 4);
  EXPECT_TRUE(shapes.ok()) << shapes.status();
  return shapes->arguments()[0];
}

std::vector<int32_t> Values(const Literal& array) {
  const auto* data = reinterpret_cast<const int32_t*>(array.data());
  return std::vector<int32_t>(data, data + array.element_count());
}

TEST(GlobalShapes, OneDeviceOfEachGroupHoldsAnUnreducedValue) {
  const PlacedLeaf leaf = Unreduced();
  EXPECT_TRUE(leaf.IsUnreduced());
  EXPECT_FALSE(leaf.IsReplicated());
  Literal value = Literal::Zeros(leaf.shape);
  for (int32_t i = 0; i < 4; ++i) {
    reinterpret_cast<int32_t*>(value.mutable_data())[i] = 10 + i;
  }
  std::vector<Literal> tiles;
  for (size_t d = 0; d < 4; ++d) tiles.push_back(*leaf.TileOf(value, d));
  EXPECT_THAT(Values(tiles[0]), ElementsAre(10, 11));
  EXPECT_THAT(Values(tiles[1]), ElementsAre(0, 0));
  EXPECT_THAT(Values(tiles[2]), ElementsAre(12, 13));
  EXPECT_THAT(Values(tiles[3]), ElementsAre(0, 0));
  const absl::StatusOr<std::vector<Literal>> summands = leaf.Summands(tiles);
  ASSERT_TRUE(summands.ok()) << summands.status();
  ASSERT_EQ(summands->size(), 2u);
  EXPECT_THAT(Values((*summands)[0]), ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(Values((*summands)[1]), ElementsAre(0, 0, 0, 0));
}

TEST(GlobalShapes, TheHostIsToldThatAValueIsUnreduced) {
  wire::OpSharding sharding;
  ASSERT_TRUE(sharding.ParseFromString(SerializedSharding(Unreduced())));
  EXPECT_EQ(sharding.type(), wire::OpSharding::OTHER);
  EXPECT_THAT(sharding.tile_assignment_dimensions(), ElementsAre(2, 2));
  EXPECT_THAT(sharding.last_tile_dims(), ElementsAre(wire::OpSharding::UNREDUCED));
  EXPECT_THAT(sharding.tile_assignment_devices(), ElementsAre(0, 1, 2, 3));
  EXPECT_FALSE(sharding.replicate_on_last_tile_dim());
}

// The sizes of the tile of each result that each device holds.
std::vector<Dimensions> TilesOfFreeResults(const char* text, const std::vector<bool>& is_free,
                                           int64_t devices = 2) {
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<GlobalShapes> shapes = GlobalShapes::Of(**module, devices, is_free);
  EXPECT_TRUE(shapes.ok()) << shapes.status();
  std::vector<Dimensions> tiles;
  for (const PlacedLeaf& leaf : shapes->results()) tiles.push_back(leaf.placement.tile_sizes);
  return tiles;
}

// What is computed of tiles element by element is cut into the same tiles, through calls and loops.
TEST(GlobalShapes, ShardingsReachFreeResults) {
  constexpr char kText[] = R"(HloModule m
twice {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  ROOT c = f32[4] add(a, b)
}
step {
  s = (s32[], f32[4]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  v = f32[4] get-tuple-element(s), index=1
  ROOT t = (s32[], f32[4]) tuple(n, v)
}
more {
  s = (s32[], f32[4]) parameter(0)
  ROOT no = pred[] constant(false)
}
ENTRY e {
  whole = f32[4] parameter(0)
  halves = f32[4] parameter(1), sharding={devices=[2]<=[2]}
  uneven = f32[3] parameter(2), sharding={devices=[2]<=[2]}
  sum = f32[4] call(whole, halves), to_apply=twice
  n = s32[] constant(0)
  state = (s32[], f32[4]) tuple(n, sum)
  loop = (s32[], f32[4]) while(state), condition=more, body=step
  after = f32[4] get-tuple-element(loop), index=1
  bits = s32[4] convert(after)
  square = f32[4] reverse(halves), dimensions={0}
  ROOT all = (f32[4], s32[4], f32[3], f32[4], f32[4]) tuple(sum, bits, uneven, square, whole)
})";
  const Dimensions half = {2}, whole = {4};
  EXPECT_THAT(TilesOfFreeResults(kText, {true}),
              ElementsAre(half, half, Dimensions{3}, whole, whole));
  EXPECT_THAT(TilesOfFreeResults(kText, {false, true, true, true, true})[0], whole);
  EXPECT_THAT(TilesOfFreeResults(kText, {})[1], whole);
}

// Dimensions carry their axes through transpositions, broadcasts, reductions and dots.
TEST(GlobalShapes, DimensionsCarryTheirAxesToFreeResults) {
  constexpr char kText[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[4,2] parameter(0), sharding={devices=[2,1]<=[2]}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}, {}]>"}
  y = f32[4,2] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {}]>"}
  sum = f32[4,2] add(y, x)
  turned = f32[2,4] transpose(sum), dimensions={1,0}
  wide = f32[6,2,4] broadcast(turned), dimensions={1,2}
  zero = f32[] constant(0)
  rows = f32[4] reduce(x, zero), dimensions={1}, to_apply=add
  columns = f32[2] reduce(x, zero), dimensions={0}, to_apply=add
  left = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  right = f32[4,4] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT all = (f32[4,2], f32[6,2,4], f32[4], f32[2], f32[4,4], f32[4,4]) tuple(sum, wide, rows, columns, left, right)
})";
  EXPECT_THAT(TilesOfFreeResults(kText, {true}),
              ElementsAre(Dimensions{2, 2}, Dimensions{6, 2, 2}, Dimensions{2}, Dimensions{2},
                          Dimensions{2, 4}, Dimensions{4, 2}));
}

// A computation that is called twice leads to the arguments of both calls, and an operand that
// occurs twice is looked at along both dimensions. Calls that double with each level come to an
// end.
TEST(GlobalShapes, EveryCallLeadsToItsOwnArguments) {
  constexpr char kCalls[] = R"(HloModule m
same { a = f32[4] parameter(0) ROOT b = f32[4] negate(a) }
outer { a = f32[4] parameter(0) ROOT b = f32[4] call(a), to_apply=same }
ENTRY e {
  whole = f32[4] parameter(0)
  halves = f32[4] parameter(1), sharding={devices=[2]<=[2]}
  a = f32[4] call(whole), to_apply=same
  b = f32[4] call(halves), to_apply=same
  c = f32[4] call(halves), to_apply=outer
  ab = f32[4] add(a, b)
  ac = f32[4] add(a, c)
  ROOT all = (f32[4], f32[4], f32[4]) tuple(ab, ac, a)
})";
  const Dimensions half = {2}, whole = {4};
  EXPECT_THAT(TilesOfFreeResults(kCalls, {true}), ElementsAre(half, half, whole));
  constexpr char kTwice[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}
ENTRY e {
  x = f32[4,4] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"x\"}]>"}
  ROOT y = f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";
  EXPECT_THAT(TilesOfFreeResults(kTwice, {true}), ElementsAre(Dimensions{4, 2}));
  std::string levels =
      "HloModule m\nlevel0 { a = f32[4] parameter(0) ROOT b = f32[4] negate(a) }\n";
  for (int i = 1; i < 60; ++i) {
    absl::StrAppend(&levels, "level", i,
                    " { a = f32[4] parameter(0) b = f32[4] call(a), to_apply=level", i - 1,
                    " c = f32[4] call(a), to_apply=level", i - 1, " ROOT d = f32[4] add(b, c) }\n");
  }
  levels += "ENTRY e { a = f32[4] parameter(0) ROOT b = f32[4] call(a), to_apply=level59 }\n";
  EXPECT_THAT(TilesOfFreeResults(levels.c_str(), {true}), ElementsAre(whole));
}

// Hosts make no arrays of tiles of which some are empty, and abort on the list of their devices.
TEST(GlobalShapes, FreeResultsWithEmptyTilesAreWhole) {
  constexpr char kText[] = R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  ROOT y = f32[2] custom-call(x), custom_call_target="Sharding", sharding={devices=[4]<=[4]}
})";
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(kText);
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<GlobalShapes> free = GlobalShapes::Of(**module, 4, {true});
  ASSERT_TRUE(free.ok()) << free.status();
  EXPECT_TRUE(free->results()[0].IsReplicated());
  const absl::StatusOr<GlobalShapes> said = GlobalShapes::Of(**module, 4);
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_EQ(SerializedSharding(said->results()[0]), "");
}

// A constraint may leave some dimensions open (Shardy's '?'): these are cut as what the value is
// made of.
TEST(GlobalShapes, ShardingsReachFreeResultsThroughPartsAndOpenDimensions) {
  constexpr char kText[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}
ENTRY e {
  a = f32[4,2] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}, {}]>"}
  b = f32[4,2] parameter(1)
  c = f32[4,2,1] broadcast(a), dimensions={0,1}
  d = f32[4,2,1] broadcast(b), dimensions={0,1}
  j = f32[4,2,2] concatenate(d, c), dimensions={2}
  t = f32[2,4,2] transpose(j), dimensions={1,0,2}
  open = f32[2,4,2] custom-call(t), custom_call_target="Sharding",
    frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{?}, {?}, {}]>"}
  closed = f32[2,4,2] custom-call(t), custom_call_target="Sharding",
    frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{?}, {}, {?}]>"}
  joined = f32[8,2] concatenate(a, a), dimensions={0}
  part = f32[2,2] slice(a), slice={[1:3], [0:2]}
  column = f32[4,1] slice(a), slice={[0:4], [1:2]}
  ROOT r = (f32[2,4,2], f32[2,4,2], f32[8,2], f32[2,2], f32[4,1])
    tuple(open, closed, joined, part, column)
})";
  EXPECT_THAT(TilesOfFreeResults(kText, {true}),
              ElementsAre(Dimensions{2, 2, 2}, Dimensions{2, 4, 2}, Dimensions{8, 2},
                          Dimensions{2, 2}, Dimensions{2, 1}));
}

// Dimensions that one operand leaves whole are cut as another has them, and a loop's result as what
// an iteration leaves.
TEST(GlobalShapes, ShardingsOfSeveralOperandsAndOfLoopsReachFreeResults) {
  constexpr char kText[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=1]>}}
step {
  s = (s32[], f32[4,4]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  v = f32[4,4] get-tuple-element(s), index=1
  c = f32[4,4] custom-call(v), custom_call_target="Sharding",
    frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}, {}]>"}
  ROOT t = (s32[], f32[4,4]) tuple(n, c)
}
more {
  s = (s32[], f32[4,4]) parameter(0)
  ROOT no = pred[] constant(false)
}
ENTRY e {
  a = f32[4,4] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"y\"}, {}]>"}
  b = f32[4,4] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"x\"}]>"}
  u = f32[4,4] parameter(2)
  product = f32[4,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  transposed = f32[4,4] transpose(b), dimensions={1,0}
  square = f32[4,4] add(b, transposed)
  zero = s32[] constant(0)
  state = (s32[], f32[4,4]) tuple(zero, u)
  loop = (s32[], f32[4,4]) while(state), condition=more, body=step
  after = f32[4,4] get-tuple-element(loop), index=1
  ROOT r = (f32[4,4], f32[4,4], f32[4,4]) tuple(product, square, after)
})";
  EXPECT_THAT(TilesOfFreeResults(kText, {true}),
              ElementsAre(Dimensions{4, 2}, Dimensions{4, 2}, Dimensions{2, 4}));
  constexpr char kRoot[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=2]>}}
ENTRY e {
  a = f32[4,4] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}, {}]>"}
  ROOT r = f32[4,4] custom-call(a), custom_call_target="Sharding", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate},
    frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{?}, {\"y\", ?}]>"}
})";
  EXPECT_THAT(TilesOfFreeResults(kRoot, {true}, 4), ElementsAre(Dimensions{2, 2}));
  EXPECT_THAT(TilesOfFreeResults(kRoot, {false}, 4), ElementsAre(Dimensions{4, 2}));
}

// A value that leaves a manual region has the sharding with which it leaves.
TEST(GlobalShapes, FreeResultsHaveTheShardingOfTheRegionThatTheyLeave) {
  constexpr char kText[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}
ENTRY e {
  x = f32[4,2] parameter(0)
  l = f32[2,2] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape",
    custom_call_has_side_effect=true, frontend_attributes={
    xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>",
    xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"}
  g = f32[2,4] custom-call(l), custom_call_target="xla.sdy.LocalToGlobalShape",
    custom_call_has_side_effect=true, frontend_attributes={
    xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",
    xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{}, {\"x\"}]>]>"}
  ROOT r = f32[2,4] negate(g)
})";
  EXPECT_THAT(TilesOfFreeResults(kText, {true}), ElementsAre(Dimensions{2, 2}));
}

// A region that is manual along other axes leaves open how its values are cut along the rest: what
// its body says then counts, or the sharding of its argument.
TEST(GlobalShapes, FreeResultsHaveTheShardingWithinARegionThatLeavesItOpen) {
  constexpr char kText[] =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=1]>}}
ENTRY e {
  p = f32[4,2] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"x\"}]>"}
  l = f32[4,2] custom-call(p), custom_call_target="xla.sdy.GlobalToLocalShape",
    custom_call_has_side_effect=true, frontend_attributes={
    xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{?}, {?}]>]>",
    xla.sdy.manual_axes="#sdy<manual_axes{\"y\"}>"}
  n = f32[4,2] negate(l)
  o = f32[4,2] custom-call(n), custom_call_target="Sharding",
    frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{?}, {?}]>"}
  s = f32[4,2] custom-call(o), custom_call_target="Sharding",
    frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}, {}]>"}
  g = f32[4,2] custom-call(s), custom_call_target="xla.sdy.LocalToGlobalShape",
    custom_call_has_side_effect=true, frontend_attributes={
    xla.sdy.manual_axes="#sdy<manual_axes{\"y\"}>",
    xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{?}, {?}]>]>"}
  h = f32[4,2] custom-call(o), custom_call_target="xla.sdy.LocalToGlobalShape",
    custom_call_has_side_effect=true, frontend_attributes={
    xla.sdy.manual_axes="#sdy<manual_axes{\"y\"}>",
    xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{?}, {?}]>]>"}
  ROOT r = (f32[4,2], f32[4,2]) tuple(g, h)
})";
  EXPECT_THAT(TilesOfFreeResults(kText, {true}), ElementsAre(Dimensions{2, 2}, Dimensions{4, 1}));
}

}  // namespace
}  // namespace assay::pjrt
