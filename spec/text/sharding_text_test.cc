// Shardings as they are after reading: the normal forms that XLA prints for the same texts.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/ir/device_lists.h"
#include "spec/text/iota_tiles.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

struct SpellingCase {
  absl::string_view written;
  absl::string_view normal;
};

// Right side: what XLA's parser and printer make of the left.
constexpr SpellingCase kNormalForms[] = {
    {"{devices=[1,2,2,2]<=[8] last_tile_dims={manual, replicated, manual}}",
     "{devices=[1,4,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual, replicated}}"},
    {"{devices=[2,1,2,2]<=[8] last_tile_dims={replicated, manual}}",
     "{devices=[2,1,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual, replicated}}"},
    {"{devices=[2,1,2,2]<=[4,2]T(1,0) last_tile_dims={replicated, manual}}",
     "{devices=[2,1,2,2]<=[2,2,2]T(2,1,0) last_tile_dims={manual, replicated}}"},
    {"{devices=[1,1,2,2]<=[4] last_tile_dims={replicated, replicated}}", "{replicated}"},
    {"{devices=[1,1,2,2]<=[4] last_tile_dims={manual, manual} shard_like 4}",
     "{manual shard_like 4}"},
    {"{devices=[1,1,2,2]<=[4] last_tile_dims={unreduced, unreduced}}", "{unreduced}"},
    {"{devices=[2,1,1,2]<=[4] last_tile_dims={manual, replicated}}",
     "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"},
    {"{devices=[2,1,2]3,2,1,0 last_tile_dim_replicate}",
     "{devices=[2,1,2]2,3,0,1 last_tile_dim_replicate}"},
    {"{devices=[2,1,2,2]7,6,5,4,3,2,1,0 last_tile_dims={replicated, manual}}",
     "{devices=[2,1,2,2]5,7,4,6,1,3,0,2 last_tile_dims={manual, replicated}}"},
    {"{devices=[2,1,1]0,1 last_tile_dim_replicate}", "{devices=[2,1]0,1}"},
    {"{devices=[1,1,2]0,1 last_tile_dim_replicate}", "{replicated}"},
    {"{devices=[2,1,2]<=[2,1,2]T(0,2,1) last_tile_dim_replicate}",
     "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"},
    {"{devices=[2,2,2]<=[2,2,2]T(2,0,1)}", "{devices=[2,2,2]<=[4,2]T(1,0)}"},
    {"{devices=[3,1,2,2]<=[4,3]T(1,0) last_tile_dims={unreduced, manual}}",
     "{devices=[3,1,2,2]<=[2,2,3]T(2,1,0) last_tile_dims={manual, unreduced}}"},
    {"{devices=[2,1,1,1]<=[2] last_tile_dims={unreduced, manual}}", "{devices=[2,1]<=[2]}"},
    {"{devices=[2,1,2,3]<=[3,4]T(1,0) last_tile_dims={maximal, manual}}",
     "{devices=[2,1,2,3]<=[3,4]T(1,0) last_tile_dims={maximal, manual}}"},
    {"{devices=[2,1,6]<=[4,3]T(1,0) last_tile_dims={replicated}}",
     "{devices=[2,1,6]0,1,3,4,6,9,2,5,7,8,10,11 last_tile_dim_replicate}"},
    {"{devices=[2,1,2,3,2]<=[24] last_tile_dims={replicated,manual,replicated}}",
     "{devices=[2,1,3,4]<=[2,2,3,2]T(0,2,1,3) last_tile_dims={manual, replicated}}"},
    {"{devices=[3,1,4,2]<=[2,12]T(1,0) last_tile_dims={replicated,manual}}",
     "{devices=[3,1,2,4]<=[2,3,4]T(1,0,2) last_tile_dims={manual, replicated}}"},
    {"{devices=[3,1,2,4]<=[2,12]T(1,0) last_tile_dims={replicated,manual}}",
     "{devices=[3,1,4,2]<=[2,3,2,2]T(1,3,0,2) last_tile_dims={manual, replicated}}"},
    {"{devices=[2,1,6]<=[3,2,2]T(1,2,0) last_tile_dim_replicate}",
     "{devices=[2,1,6]<=[3,2,2]T(1,0,2) last_tile_dim_replicate}"},
    {"{devices=[2,3,4]<=[6,4]T(1,0) last_tile_dims={manual,replicated}}",
     "{devices=[2,3,4]0,4,8,12,1,5,16,20,9,13,17,21,2,6,10,14,3,7,18,22,11,15,19,23 "
     "last_tile_dims={manual, replicated}}"},
    {"{devices=[2,1,1]<=[2] last_tile_dims={manual}}", "{devices=[2,1]<=[2]}"},
    {"{replicated shard_as 1 shard_like 2}", "{replicated shard_as 2}"},
    {"{metadata={op_name=\"a\"} replicated metadata={op_name=\"b\"}}",
     "{replicated metadata={{op_name=\"a\"}, {op_name=\"b\"}}}"},
    {"{metadata={{}} replicated}", "{replicated metadata={}}"},
    {"{manual unknown unreduced}", "{manual}"},
    {"{mesh['x'=2,'y'=2] [{'0', '1', ?}]}", "{mesh['x'=2,'y'=2], [{'x', 'y', ?}]}"},
    {"{mesh['x'=2], []}", "{mesh['x'=2], replicated}"},
    {"{mesh['x'=2], [], manual={'x'}}", "{mesh['x'=2], manual}"},
    {"{mesh['x'=2], [{}], manual={'x'}}", "{mesh['x'=2], [{}], manual={'x'}}"},
    {"{mesh['x'=2], [], unreduced={'x'}}", "{mesh['x'=2], unreduced}"},
    {"{mesh['x'=2], [{}], unreduced=max{}}", "{mesh['x'=2], [{}]}"},
    {"{mesh['x'=2], unreduced=max{}}", "{mesh['x'=2], replicated}"},
    {"{mesh['x'=4], device_ids=([2,2]T(1,0)) [{'x'}], metadata={op_name=\"m\"}}",
     "{mesh['x'=4], device_ids=([2,2]T(1,0)), [{'x'}], metadata={{op_name=\"m\"}}}"},
    {"{mesh['x'=4], device_ids=([4]), [{}]}", "{mesh['x'=4], [{}]}"},
    {"{maximal_mesh[device_id=5]}", "{maximal_mesh[device_id=5]}"},
    {"{}", "{}"},
    {"{{replicated}, {devices=[2]0,1}}", "{{replicated}, {devices=[2]0,1}}"},
};

TEST(ShardingTextTest, NormalForms) {
  for (const SpellingCase& one : kNormalForms) {
    auto sharding = ParseSharding(one.written);
    ASSERT_TRUE(sharding.ok()) << sharding.status();
    EXPECT_EQ(PrintSharding(*sharding), one.normal) << one.written;
    auto again = ParseSharding(PrintSharding(*sharding));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, *sharding) << one.written;
  }
}

// As protobuf has it refused, too.
TEST(ShardingTextTest, AxesOfAMeshHaveDevices) {
  EXPECT_TRUE(ParseSharding("{mesh['x'=1,'y'=4], [{'x'}]}").ok());
  for (const char* size : {"0", "-1"}) {
    const auto sharding = ParseSharding(absl::StrCat("{mesh['x'=", size, ",'y'=4], [{'x'}]}"));
    EXPECT_THAT(std::string(sharding.status().message()),
                testing::HasSubstr(absl::StrCat("the mesh axis 'x' has the size ", size)));
  }
}

// Every iota over [a,b,c] with every order of the tile dimensions, against devices listed one by
// one.
TEST(IotaTilesTest, PermutingTilesPermutesTheDevices) {
  int representable = 0;
  const std::vector<std::vector<int64_t>> orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const std::vector<int64_t>& reshape :
       std::vector<std::vector<int64_t>>{{2, 3, 4}, {4, 3, 2}, {2, 2, 6}, {1, 6, 4}, {6, 2, 2}}) {
    for (const std::vector<int64_t>& tiles :
         std::vector<std::vector<int64_t>>{{2, 3, 4}, {4, 2, 3}, {6, 2, 2}, {1, 4, 6}}) {
      for (const auto& transpose : orders) {
        const std::vector<int64_t> devices = *ListIota(reshape, transpose, 1000);
        ASSERT_EQ(devices.size(), 24u);
        for (const auto& order : orders) {
          auto iota = IotaTiles::Create(tiles, reshape, transpose);
          if (!iota) continue;
          ++representable;
          iota->Permute(order);
          std::vector<int64_t> new_reshape, new_transpose;
          iota->ToIota(&new_reshape, &new_transpose);
          const int64_t strides[] = {tiles[1] * tiles[2], tiles[2], 1};
          std::vector<int64_t> expected;
          for (int64_t i = 0; i < tiles[order[0]]; ++i) {
            for (int64_t j = 0; j < tiles[order[1]]; ++j) {
              for (int64_t k = 0; k < tiles[order[2]]; ++k) {
                expected.push_back(
                    devices[i * strides[order[0]] + j * strides[order[1]] + k * strides[order[2]]]);
              }
            }
          }
          EXPECT_EQ(*ListIota(new_reshape, new_transpose, 1000), expected);
        }
      }
    }
  }
  EXPECT_GT(representable, 100);
}

TEST(IotaTilesTest, RefusesWhatDoesNotFit) {
  EXPECT_FALSE(IotaTiles::Create({2, 4}, {4}, {0}).has_value());
  EXPECT_FALSE(IotaTiles::Create({2, 3, 4}, {6, 4}, {1, 0}).has_value());
  EXPECT_FALSE(IotaTiles::Create({1, 4, 2}, {2, 2, 0}, {0, 2, 1}).has_value());
  EXPECT_FALSE(IotaTiles::Create({2}, {-2}, {0}).has_value());
  EXPECT_FALSE(
      IotaTiles::Create({2}, {int64_t{1} << 32, int64_t{1} << 32, 2}, {0, 1, 2}).has_value());
}

}  // namespace
}  // namespace assay
