// Arguments and results that are unreduced: each device holds a summand of them. What is cut into
// tiles is the matter of pjrt_jax.py.
#include "backends/pjrt/sharding/global_shapes.h"

#include <memory>
#include <vector>

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

}  // namespace
}  // namespace assay::pjrt
