#include "conformance/runner/shard.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/stable_hash.h"

namespace assay::conformance {
namespace {

// The environment variables in which a launcher says which of how many processes this is. A
// launcher that starts another one (Slurm starts Open MPI) comes after it.
struct LauncherVariables {
  const char* index;
  const char* count;
};
constexpr LauncherVariables kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
    {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS"},
};
constexpr const LauncherVariables& kGoogleTest = kLaunchers[3];

absl::StatusOr<Shard> ShardOf(absl::string_view index, absl::string_view count,
                              absl::string_view where) {
  Shard shard;
  if (count.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": '", index, "' is not I/N, as 0/4, or auto"));
  }
  if (!absl::SimpleAtoi(index, &shard.index) || !absl::SimpleAtoi(count, &shard.count) ||
      shard.index < 0 || shard.index >= shard.count) {
    return absl::InvalidArgumentError(absl::StrCat(where, ": there is no shard '", index, "' of '",
                                                   count, "'; I/N counts I from 0 to N - 1"));
  }
  return shard;
}

// Returns nullopt if the launcher did not start this process.
absl::StatusOr<std::optional<Shard>> ShardOfLauncher(const LauncherVariables& launcher,
                                                     const Environment& environment) {
  const std::optional<std::string> index = environment(launcher.index);
  const std::optional<std::string> count = environment(launcher.count);
  if (!index || !count) return std::nullopt;
  absl::StatusOr<Shard> shard =
      ShardOf(*index, *count, absl::StrCat(launcher.index, " and ", launcher.count));
  if (!shard.ok()) return shard.status();
  return *shard;
}

}  // namespace

bool Shard::Contains(absl::string_view id) const {
  uint64_t hash = StableHash(id);
  // Ids differ in their last characters, which have not reached every bit yet. SplitMix64's mixing
  // spreads them.
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  hash ^= hash >> 31;
  return static_cast<int64_t>(hash % static_cast<uint64_t>(count)) == index;
}

std::optional<std::string> ProcessEnvironment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

absl::StatusOr<Shard> FindShard(absl::string_view text, const Environment& environment) {
  if (text.empty()) {
    absl::StatusOr<std::optional<Shard>> shard = ShardOfLauncher(kGoogleTest, environment);
    if (!shard.ok()) return shard.status();
    return shard->value_or(Shard());
  }
  if (text != "auto") {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(text, absl::MaxSplits('/', 1));
    return ShardOf(parts.first, parts.second, "--shard");
  }
  std::string wanted;
  for (const LauncherVariables& launcher : kLaunchers) {
    absl::StatusOr<std::optional<Shard>> shard = ShardOfLauncher(launcher, environment);
    if (!shard.ok()) return shard.status();
    if (*shard) return **shard;
    absl::StrAppend(&wanted, wanted.empty() ? "" : "; ", launcher.index, " and ", launcher.count);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--shard auto: no launcher says which process this is (", wanted, ")"));
}

}  // namespace assay::conformance
