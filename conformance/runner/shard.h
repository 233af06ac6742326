// Which part of the cases one process of many runs. A case belongs to the shard that the hash of
// its id says, so that shards are balanced, and stay what they are when other cases come or go.
// Tests: shard_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_SHARD_H_
#define ASSAY_CONFORMANCE_RUNNER_SHARD_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace assay {

struct Shard {
  int64_t index = 0, count = 1;
  bool Contains(absl::string_view id) const;
  friend bool operator==(const Shard&, const Shard&) = default;
};

// The value of an environment variable; none where it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> ProcessEnvironment(const char* name);

// "I/N" with I from 0 to N - 1; "auto": the place that Open MPI, PMI, Slurm or GoogleTest gave this
// process; empty: that of GoogleTest's variables if they are set (GTEST_SHARD_INDEX,
// GTEST_TOTAL_SHARDS), else everything. INVALID_ARGUMENT for anything else, and for "auto" where
// nobody gave a place.
absl::StatusOr<Shard> FindShard(absl::string_view text, const Environment& environment);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RUNNER_SHARD_H_
