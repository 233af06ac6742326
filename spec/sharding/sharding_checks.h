// Whether a sharding fits what it stands on. Clauses:
//   sharding_c1 the sharding of a tuple has one entry per array (of an array, is not a list)
//   sharding_c2 tiles are as many as devices, and more than one
//   sharding_c3 no device comes twice, none is negative
//   sharding_c4 there is a tile dimension per dimension of the array (over a mesh that splits: an
//       entry)
//   sharding_c5 the devices are those of num_partitions, where that is not 1 (over a mesh: that
//       splits, or is one device)
//   sharding_c6 (strict) a named sharding fits: mesh and axes are sound, dimensions those of the
//       array, devices those of num_partitions
//   sharding_c8 (strict) an iota of devices lists each of them once
// Source: reference ops_control_and_collectives.md 12. Tests: verify_cases_test.cc,
// sharding_test.cc.
#ifndef ASSAY_SPEC_SHARDING_SHARDING_CHECKS_H_
#define ASSAY_SPEC_SHARDING_SHARDING_CHECKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/ir/metadata.h"
#include "spec/ir/shape.h"

namespace assay {

struct ShardingProblem {
  absl::string_view clause;
  std::string expected;
  std::string found;
  // INVALID_ARGUMENT "[clause] expected, found found".
  absl::Status ToStatus() const;
};

// The sharding of each leaf, in order: the entries of a list, or the one sharding for all. An entry
// may stand for an empty tuple, which has no leaves.
struct LeafSharding {
  const Sharding* sharding = nullptr;
  const Shape* shape = nullptr;
};
std::optional<ShardingProblem> ShardingsOfLeaves(const Sharding& sharding, const Shape& shape,
                                                 std::vector<LeafSharding>* leaves);

// Of a sharding that is no list. `partitions` <= 1: not known. Nothing is listed one by one but
// what is written so.
std::optional<ShardingProblem> FindShardingProblem(const LeafSharding& leaf, int64_t partitions);

// Whether they may be the same: as far as they are written alike, an iota or a list, tiled or over
// a mesh. Metadata do not count.
bool MayBeSameSharding(const Sharding& a, const Sharding& b);

// What the last tile dimensions are that are none of the array's.
std::vector<Sharding::Type> SubgroupTypes(const Sharding& sharding);

// One more than the largest device that a sharding names, lists included; 0 where it names none or
// is unsound.
int64_t DevicesNamed(const Sharding& sharding);

}  // namespace assay

#endif  // ASSAY_SPEC_SHARDING_SHARDING_CHECKS_H_
