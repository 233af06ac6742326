#include "conformance/runner/shard.h"

#include <map>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

Environment Variables(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

TEST(ShardTest, TextsAndLaunchers) {
  struct Row {
    const char* text;
    std::map<std::string, std::string> variables;
    Shard wanted;
  };
  const std::map<std::string, std::string> open_mpi = {{"OMPI_COMM_WORLD_RANK", "2"},
                                                       {"OMPI_COMM_WORLD_SIZE", "4"}};
  std::map<std::string, std::string> both = open_mpi;
  both["SLURM_PROCID"] = "0", both["SLURM_NTASKS"] = "1";
  const std::map<std::string, std::string> google_test = {{"GTEST_SHARD_INDEX", "1"},
                                                          {"GTEST_TOTAL_SHARDS", "3"}};
  const std::vector<Row> rows = {
      {"", {}, {0, 1}},
      {"3/7", {}, {3, 7}},
      {"3/7", google_test, {3, 7}},
      {"", google_test, {1, 3}},
      {"auto", google_test, {1, 3}},
      {"", open_mpi, {0, 1}},  // a launcher counts where it is asked for
      {"auto", open_mpi, {2, 4}},
      {"auto", both, {2, 4}},
      {"auto", {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}, {0, 2}},
      {"auto", {{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "6"}}, {5, 6}},
  };
  for (const Row& row : rows) {
    const absl::StatusOr<Shard> shard = FindShard(row.text, Variables(row.variables));
    ASSERT_TRUE(shard.ok()) << row.text << ": " << shard.status();
    EXPECT_EQ(*shard, row.wanted) << row.text;
  }
}

TEST(ShardTest, Refused) {
  for (const char* text : {"1", "/", "a/b", "4/4", "-1/4", "0/0", "1/2/3"}) {
    EXPECT_FALSE(FindShard(text, Variables({})).ok()) << text;
  }
  const absl::Status none = FindShard("auto", Variables({})).status();
  EXPECT_TRUE(absl::StrContains(none.message(), "SLURM_PROCID and SLURM_NTASKS")) << none;
  const absl::Status wrong =
      FindShard("", Variables({{"GTEST_SHARD_INDEX", "3"}, {"GTEST_TOTAL_SHARDS", "3"}})).status();
  EXPECT_TRUE(absl::StrContains(wrong.message(), "GTEST_SHARD_INDEX")) << wrong;
}

// Every case is in one shard, and none has much more than its share.
TEST(ShardTest, Balanced) {
  constexpr int64_t kCases = 20000;
  for (const int64_t count : {1, 2, 3, 8, 64}) {
    std::vector<int64_t> sizes(count);
    for (int64_t i = 0; i < kCases; ++i) {
      const std::string id = absl::StrCat("add/f32/shape.", i % 7, "/benign.", i / 7);
      int64_t homes = 0;
      for (int64_t s = 0; s < count; ++s) {
        if (!Shard{s, count}.Contains(id)) continue;
        ++homes;
        ++sizes[s];
      }
      ASSERT_EQ(homes, 1) << id;
    }
    for (const int64_t size : sizes) {
      EXPECT_NEAR(size, kCases / count, kCases / count / 4 + 1) << count << " shards";
    }
  }
}

}  // namespace
}  // namespace assay::conformance
