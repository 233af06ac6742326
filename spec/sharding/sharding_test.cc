// Who holds what: the tile arithmetic of reference ops_control_and_collectives.md 12 against a
// model that asks element by element, every kind of sharding by hand, arrays cut and joined again,
// and each refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/sharding/sharding_checks.h"
#include "spec/sharding/tiles.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(PartOf, EveryElementIsInThePartOfItsChunk) {
  for (int64_t size = 0; size <= 20; ++size) {
    for (int64_t parts = 1; parts <= 24; ++parts) {
      const int64_t chunk = (size + parts - 1) / parts;
      for (int64_t part = 0; part < parts; ++part) {
        const DimensionPart range = PartOf(size, parts, part);
        EXPECT_LE(range.start, range.limit);
        for (int64_t e = -1; e <= size; ++e) {
          const bool inside = e >= 0 && e < size && e / std::max<int64_t>(1, chunk) == part;
          EXPECT_EQ(e >= range.start && e < range.limit, inside);
        }
        // Empty parts stand at the end.
        EXPECT_TRUE(range.start < range.limit || range.start == size);
      }
    }
  }
  const DimensionPart last = PartOf(INT64_MAX, 3, 2);
  EXPECT_EQ(last.start, INT64_MAX / 3 * 2 + 2);
  EXPECT_EQ(last.limit, INT64_MAX);
}

Placement Place(const std::string& sharding, const Shape& shape, int64_t devices) {
  const auto parsed = ParseSharding(sharding);
  EXPECT_TRUE(parsed.ok()) << sharding << parsed.status();
  absl::StatusOr<Placement> placement = TilesOf(*parsed, shape, devices);
  EXPECT_TRUE(placement.ok()) << sharding << placement.status();
  return *std::move(placement);
}

// "0:2,0:4" by device, with "/value" and "/+summand" where there are several; "-" for nothing.
std::vector<std::string> Texts(const Placement& placement) {
  std::vector<std::string> texts;
  for (const std::optional<DeviceTile>& held : placement.devices) {
    if (!held.has_value()) {
      texts.push_back("-");
      continue;
    }
    std::vector<std::string> ranges;
    for (size_t d = 0; d < held->tile.starts.size(); ++d) {
      ranges.push_back(absl::StrCat(held->tile.starts[d], ":", held->tile.limits[d]));
    }
    texts.push_back(absl::StrJoin(ranges, ","));
    if (placement.values > 1) absl::StrAppend(&texts.back(), "/", held->value);
    if (placement.summands > 1) absl::StrAppend(&texts.back(), "/+", held->summand);
  }
  return texts;
}

TEST(TilesOf, EveryKind) {
  const struct {
    const char* sharding;
    std::vector<std::string> tiles;
  } cases[] = {
      {"{replicated}", {"0:4,0:6", "0:4,0:6", "0:4,0:6", "0:4,0:6"}},
      {"{maximal device=2}", {"-", "-", "0:4,0:6", "-"}},
      {"{manual}", {"0:4,0:6/0", "0:4,0:6/1", "0:4,0:6/2", "0:4,0:6/3"}},
      {"{unreduced}", {"0:4,0:6/+0", "0:4,0:6/+1", "0:4,0:6/+2", "0:4,0:6/+3"}},
      {"{devices=[4,1]0,1,2,3}", {"0:1,0:6", "1:2,0:6", "2:3,0:6", "3:4,0:6"}},
      {"{devices=[1,4]3,2,1,0}", {"0:4,6:6", "0:4,4:6", "0:4,2:4", "0:4,0:2"}},
      {"{devices=[2,2]<=[4]}", {"0:2,0:3", "0:2,3:6", "2:4,0:3", "2:4,3:6"}},
      {"{devices=[2,2]<=[2,2]T(1,0)}", {"0:2,0:3", "2:4,0:3", "0:2,3:6", "2:4,3:6"}},
      {"{devices=[1,2]3,1}", {"-", "0:4,3:6", "-", "0:4,0:3"}},
      {"{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
       {"0:2,0:6", "0:2,0:6", "2:4,0:6", "2:4,0:6"}},
      {"{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
       {"0:2,0:6", "2:4,0:6", "0:2,0:6", "2:4,0:6"}},
      {"{devices=[1,2,2]<=[4] last_tile_dims={manual}}",
       {"0:4,0:3/0", "0:4,0:3/1", "0:4,3:6/0", "0:4,3:6/1"}},
      {"{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}",
       {"0:4,0:6/0", "0:4,0:6/0", "0:4,0:6/1", "0:4,0:6/1"}},
      {"{devices=[1,1,2,2]<=[4] last_tile_dims={manual, unreduced}}",
       {"0:4,0:6/0/+0", "0:4,0:6/0/+1", "0:4,0:6/1/+0", "0:4,0:6/1/+1"}},
      {"{mesh['x'=2,'y'=2], [{'y'}, {'x'}]}", {"0:2,0:3", "2:4,0:3", "0:2,3:6", "2:4,3:6"}},
      {"{mesh['x'=2,'y'=2], [{'y', 'x'}, {}]}", {"0:1,0:6", "2:3,0:6", "1:2,0:6", "3:4,0:6"}},
      {"{mesh['x'=2,'y'=2], [{?}, {'x', ?}]}", {"0:4,0:3", "0:4,0:3", "0:4,3:6", "0:4,3:6"}},
      {"{mesh['x'=4], [{'x':(1)2}, {'x':(2)2}]}", {"0:2,0:3", "0:2,3:6", "2:4,0:3", "2:4,3:6"}},
      {"{mesh['x'=4], [{}, {'x':(2)2}]}", {"0:4,0:3", "0:4,3:6", "0:4,0:3", "0:4,3:6"}},
      {"{mesh['x'=2,'y'=2], device_ids=(3,1,2,0), [{'x'}, {}]}",
       {"2:4,0:6", "0:2,0:6", "2:4,0:6", "0:2,0:6"}},
      {"{mesh['x'=2,'y'=2], [{'x'}, {}], manual={'y'}}",
       {"0:2,0:6/0", "0:2,0:6/1", "2:4,0:6/0", "2:4,0:6/1"}},
      {"{mesh['x'=2,'y'=2], [{}, {'x'}], unreduced={'y'}}",
       {"0:4,0:3/+0", "0:4,0:3/+1", "0:4,3:6/+0", "0:4,3:6/+1"}},
      {"{mesh['x'=4], manual}", {"0:4,0:6/0", "0:4,0:6/1", "0:4,0:6/2", "0:4,0:6/3"}},
      {"{mesh['x'=4], replicated}", {"0:4,0:6", "0:4,0:6", "0:4,0:6", "0:4,0:6"}},
      {"{maximal_mesh[device_id=1]}", {"-", "0:4,0:6", "-", "-"}},
  };
  const Shape shape(ElementType::kF32, {4, 6});
  for (const auto& c : cases) {
    EXPECT_EQ(Texts(Place(c.sharding, shape, 4)), c.tiles) << c.sharding;
  }
  EXPECT_FALSE(Place("{unknown}", shape, 4).known);
  EXPECT_FALSE(Place("{devices=[1,2,2]<=[4] last_tile_dims={maximal}}", shape, 4).known);
  EXPECT_EQ(Place("{devices=[1,4]<=[4]}", shape, 4).tile_sizes, (Dimensions{4, 2}));
  EXPECT_EQ(Texts(Place("{replicated}", Shape::Scalar(ElementType::kF32), 2)),
            (std::vector<std::string>{"", ""}));
}

Literal Numbered(ElementType type, const Dimensions& sizes) {
  Literal literal = Literal::Zeros(Shape(type, sizes));
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    literal.Set(i, {static_cast<uint64_t>(i + 1) & 7, IsComplex(type) ? 5u : 0u});
  }
  return literal;
}

// All arrays up to 4 x 4, in up to 3 x 3 tiles of up to 2 copies, on devices in rising, falling and
// transposed order: who holds each element by its chunks, cut, and joined again.
TEST(Tiles, EverySmallTilingAgainstAModel) {
  int64_t tilings = 0;
  for (int64_t code = 0; code < 5 * 5 * 3 * 3 * 2 * 3; ++code) {
    const int64_t order = code % 3, copies = code / 3 % 2 + 1;
    const int64_t tiles[] = {code / 6 % 3 + 1, code / 18 % 3 + 1};
    const Dimensions sizes = {code / 54 % 5, code / 270};
    const int64_t count = tiles[0] * tiles[1] * copies;
    Sharding sharding;
    sharding.type = Sharding::Type::kTiled;
    sharding.tile_dimensions = {tiles[0], tiles[1], copies};
    sharding.last_tile_dims = {Sharding::Type::kReplicated};
    const auto device_at = [&](int64_t i, int64_t j, int64_t copy) {
      const int64_t position = (i * tiles[1] + j) * copies + copy;
      if (order == 0) return position;
      return order == 1 ? count - 1 - position : (copy * tiles[1] + j) * tiles[0] + i;
    };
    if (order == 2) {
      sharding.iota_reshape_dims = {copies, tiles[1], tiles[0]};
      sharding.iota_transpose_perm = {2, 1, 0};
    } else {
      for (int64_t p = 0; p < count; ++p) {
        sharding.devices.push_back(order == 0 ? p : count - 1 - p);
      }
    }
    for (const ElementType type : {ElementType::kS4, ElementType::kS32, ElementType::kC64}) {
      const Literal whole = Numbered(type, sizes);
      const absl::StatusOr<Placement> placement = TilesOf(sharding, whole.shape(), count);
      ASSERT_TRUE(placement.ok()) << placement.status();
      std::vector<Literal> pieces(count);
      const int64_t chunk[] = {(sizes[0] + tiles[0] - 1) / tiles[0],
                               (sizes[1] + tiles[1] - 1) / tiles[1]};
      EXPECT_EQ(placement->tile_sizes, (Dimensions{chunk[0], chunk[1]}));
      for (int64_t i = 0; i < tiles[0]; ++i) {
        for (int64_t j = 0; j < tiles[1]; ++j) {
          for (int64_t copy = 0; copy < copies; ++copy) {
            const int64_t device = device_at(i, j, copy);
            Literal want = Literal::Zeros(Shape(type, {chunk[0], chunk[1]}));
            for (int64_t r = 0; r < chunk[0]; ++r) {
              for (int64_t c = 0; c < chunk[1]; ++c) {
                const int64_t row = i * chunk[0] + r, column = j * chunk[1] + c;
                if (row >= sizes[0] || column >= sizes[1]) continue;
                want.Set(r * chunk[1] + c, whole.Get(row * sizes[1] + column));
              }
            }
            pieces[device] =
                CutTile(whole, placement->devices[device]->tile, placement->tile_sizes);
            ASSERT_TRUE(Literal::BitEqual(pieces[device], want));
          }
        }
      }
      const absl::StatusOr<Literal> joined = JoinTiles(*placement, whole.shape(), pieces);
      ASSERT_TRUE(joined.ok()) << joined.status();
      EXPECT_TRUE(Literal::BitEqual(*joined, whole));
      ++tilings;
    }
  }
  EXPECT_EQ(tilings, 4050);
}

TEST(JoinTiles, Refusals) {
  const Shape shape(ElementType::kS32, {4});
  const Literal whole = Numbered(ElementType::kS32, {4});
  const auto message = [&](const Placement& placement, const std::vector<Literal>& pieces) {
    return std::string(JoinTiles(placement, shape, pieces).status().message());
  };
  const Placement copies = Place("{replicated}", shape, 3);
  Literal other = whole;
  other.Set(2, {9});
  EXPECT_THAT(message(copies, {whole, whole, other}),
              HasSubstr("devices 0 and 2 should hold copies of s32[4], but differ from index [0]"));
  EXPECT_THAT(message(copies, {whole, whole}), HasSubstr("3 devices, but 2 arrays"));
  EXPECT_THAT(message(copies, {whole, whole, Numbered(ElementType::kS32, {3})}),
              HasSubstr("device 2 gives s32[3] for [0] to [4) of s32[4]"));
  EXPECT_THAT(message(copies, {whole, whole, Numbered(ElementType::kU32, {4})}),
              HasSubstr("device 2 gives u32[4]"));
  EXPECT_THAT(message(Place("{manual}", shape, 2), {whole, whole}), HasSubstr("of their own"));
  EXPECT_THAT(message(Place("{unreduced}", shape, 2), {whole, whole}), HasSubstr("summands"));
  EXPECT_THAT(message(Place("{unknown}", shape, 2), {whole, whole}), HasSubstr("unknown"));
  // Nobody asks for what a device does not hold.
  const Placement maximal = Place("{maximal device=1}", shape, 2);
  EXPECT_TRUE(
      Literal::BitEqual(*JoinTiles(maximal, shape, std::vector<Literal>{Literal(), whole}), whole));
}

TEST(TilesOf, Refusals) {
  const auto refusal = [](Sharding sharding, const Shape& shape, int64_t devices = 8) {
    return std::string(TilesOf(sharding, shape, devices).status().message());
  };
  const auto parse = [](const char* text) { return *ParseSharding(text); };
  const Shape row(ElementType::kF32, {4});
  const Shape square(ElementType::kF32, {4, 4});
  EXPECT_THAT(refusal(parse("{{replicated}}"), row), HasSubstr("[sharding_c1]"));
  EXPECT_THAT(refusal(parse("{replicated}"), Shape::Tuple({row})), HasSubstr("[sharding_c1]"));
  EXPECT_THAT(refusal(parse("{devices=[2]<=[4]}"), row), HasSubstr("[sharding_c2]"));
  EXPECT_THAT(refusal(parse("{devices=[2]0,0}"), row), HasSubstr("[sharding_c3]"));
  EXPECT_THAT(refusal(parse("{devices=[2]0,-1}"), row), HasSubstr("[sharding_c3]"));
  EXPECT_THAT(refusal(parse("{devices=[2]0,1}"), square), HasSubstr("[sharding_c4]"));
  EXPECT_THAT(refusal(parse("{devices=[2]0,8}"), row), HasSubstr("[sharding_c5]"));
  EXPECT_THAT(refusal(parse("{maximal device=8}"), row), HasSubstr("found device 8"));
  EXPECT_THAT(refusal(parse("{maximal device=-1}"), row), HasSubstr("[sharding_c5]"));
  EXPECT_THAT(refusal(parse("{mesh['x'=2], [{'x'}, {}]}"), row), HasSubstr("[sharding_c4]"));
  EXPECT_THAT(refusal(parse("{mesh['x'=2], [{}, {}]}"), row), HasSubstr("2 dimensions on f32[4]"));
  EXPECT_THAT(refusal(parse("{mesh['x'=16], [{'x'}]}"), row), HasSubstr("[sharding_c5]"));
  EXPECT_THAT(refusal(parse("{devices=[1099511627776]<=[1099511627776]}"), row), HasSubstr("more"));
  EXPECT_THAT(refusal(parse("{mesh['x'=1099511627776], [{'x'}]}"), row), HasSubstr("more than"));
  EXPECT_THAT(refusal(parse("{replicated}"), row, int64_t{1} << 40), HasSubstr("1 to 1048576"));
  EXPECT_THAT(refusal(parse("{replicated}"), row, 0), HasSubstr("1 to 1048576"));
  Sharding unsound;
  unsound.type = Sharding::Type::kTiled;
  EXPECT_THAT(refusal(unsound, row), HasSubstr("[sharding_c2]"));
  unsound.tile_dimensions = {0};
  EXPECT_THAT(refusal(unsound, row), HasSubstr("[sharding_c2]"));
  unsound.tile_dimensions = {-1, -1};
  unsound.devices = {0};
  EXPECT_THAT(refusal(unsound, square), HasSubstr("[sharding_c2]"));
  unsound.tile_dimensions = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_THAT(refusal(unsound, square), HasSubstr("[sharding_c2]"));
  unsound.tile_dimensions = {1};
  unsound.last_tile_dims = {Sharding::Type::kManual, Sharding::Type::kManual};
  EXPECT_THAT(refusal(unsound, row), HasSubstr("[sharding_c4]"));
  unsound.type = Sharding::Type::kMaximal;
  unsound.devices = {};
  EXPECT_THAT(refusal(unsound, row), HasSubstr("[sharding_c2]"));
}

TEST(Shardings, OfLeavesAndDevices) {
  const Shape row(ElementType::kF32, {4});
  const Shape tuple = Shape::Tuple({row, Shape::Tuple({row, Shape::Token()})});
  std::vector<LeafSharding> leaves;
  const Sharding three = *ParseSharding("{{replicated}, {maximal device=5}, {manual}}");
  EXPECT_FALSE(ShardingsOfLeaves(three, tuple, &leaves).has_value());
  ASSERT_EQ(leaves.size(), 3u);
  EXPECT_EQ(leaves[1].sharding->type, Sharding::Type::kMaximal);
  EXPECT_TRUE(leaves[2].shape->is_token());
  EXPECT_EQ(DevicesNamed(three), 6);
  EXPECT_FALSE(ShardingsOfLeaves(*ParseSharding("{replicated}"), tuple, &leaves).has_value());
  EXPECT_EQ(leaves.size(), 3u);
  EXPECT_TRUE(ShardingsOfLeaves(three, row, &leaves).has_value());
  EXPECT_FALSE(ShardingsOfLeaves(*ParseSharding("{{replicated}}"), Shape::Tuple({}), &leaves));
  EXPECT_EQ(DevicesNamed(*ParseSharding("{replicated}")), 0);
  EXPECT_EQ(DevicesNamed(*ParseSharding("{devices=[2]7,3}")), 8);
  EXPECT_EQ(DevicesNamed(*ParseSharding("{devices=[2,4]<=[8]}")), 8);
  EXPECT_EQ(DevicesNamed(*ParseSharding("{mesh['x'=2,'y'=3], [{}]}")), 6);
  EXPECT_EQ(DevicesNamed(*ParseSharding("{maximal_mesh[device_id=9]}")), 10);
  const auto same = [](const char* a, const char* b) {
    return MayBeSameSharding(*ParseSharding(a), *ParseSharding(b));
  };
  EXPECT_TRUE(same("{replicated metadata={op_name=\"a\"}}", "{replicated}"));
  EXPECT_TRUE(same("{{manual metadata={op_name=\"a\"}}}", "{{manual}}"));
  EXPECT_TRUE(same("{mesh['x'=2], [{'x'}], metadata={op_name=\"a\"}}", "{mesh['x'=2], [{'x'}]}"));
  EXPECT_TRUE(same("{devices=[2]0,1}", "{devices=[2]<=[2]}"));
  EXPECT_TRUE(same("{devices=[2]0,1}", "{mesh['x'=2], [{'x'}]}"));
  EXPECT_FALSE(same("{manual}", "{replicated}"));
  EXPECT_FALSE(same("{devices=[2]0,1}", "{devices=[2]1,0}"));
}

}  // namespace
}  // namespace assay
