// A shard: the part of the cases that one process of many runs. The hash of its id assigns a case
// to a shard, so shards are balanced and do not change when other cases are added or removed.
// Tests: shard_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_SHARD_H_
#define ASSAY_CONFORMANCE_RUNNER_SHARD_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace assay::conformance {

struct Shard {
  int64_t index = 0, count = 1;
  bool Contains(absl::string_view id) const;
  friend bool operator==(const Shard&, const Shard&) = default;
};

// Returns the value of an environment variable, or nullopt if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> ProcessEnvironment(const char* name);

// Parses a shard. "I/N" has I from 0 to N - 1. "auto" is the rank that Open MPI, PMI, Slurm or
// GoogleTest gave this process. An empty text is GoogleTest's shard if its variables are set
// (GTEST_SHARD_INDEX, GTEST_TOTAL_SHARDS), otherwise all cases. Returns INVALID_ARGUMENT for any
// other text, and for "auto" if no launcher has set a rank.
absl::StatusOr<Shard> FindShard(absl::string_view text, const Environment& environment);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_SHARD_H_
