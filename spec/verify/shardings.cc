// Shardings fit what they stand on.
//   sharding_c1 the sharding of a tuple has one entry per array (of an array, is no list)
//   sharding_c2 tiles are as many as devices
//   sharding_c3 no device comes twice
//   sharding_c4 there is a tile dimension per dimension of the array
//   sharding_c5 the devices are those of num_partitions, where that is not 1
// Source: reference ops_control_and_collectives.md 12. Tests: verify_cases_test.cc.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "spec/ops/checks.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

// Tile dimensions that are none of the array's.
int64_t Subgroups(const Sharding& sharding) {
  return static_cast<int64_t>(sharding.last_tile_dims.size()) +
         (sharding.replicate_on_last_tile_dim ? 1 : 0);
}

void CheckTiled(const Instruction& where, const Sharding& sharding, const Shape& shape,
                int64_t partitions, Findings& findings) {
  __int128 tiles = 1;
  for (int64_t size : sharding.tile_dimensions) {
    tiles *= size;
    if (tiles > INT64_MAX || tiles < 0) break;
  }
  __int128 devices = static_cast<__int128>(sharding.devices.size());
  if (!sharding.iota_reshape_dims.empty()) {
    devices = 1;
    for (int64_t size : sharding.iota_reshape_dims) {
      devices *= size;
      if (devices > INT64_MAX || devices < 0) break;
    }
  }
  if (tiles != devices) {
    findings.Add(
        "sharding_c2", where,
        absl::StrCat("there must be a device per tile of ", ListText(sharding.tile_dimensions)),
        absl::StrCat(static_cast<int64_t>(devices)));
    return;
  }
  absl::flat_hash_set<int64_t> seen;
  int64_t largest = sharding.iota_reshape_dims.empty() ? 0 : static_cast<int64_t>(devices) - 1;
  for (int64_t device : sharding.devices) {
    largest = std::max(largest, device);
    if (device >= 0 && seen.insert(device).second) continue;
    findings.Add("sharding_c3", where, "devices must differ, and be numbers from 0 on",
                 absl::StrCat(device));
    return;
  }
  const int64_t rank = static_cast<int64_t>(sharding.tile_dimensions.size()) - Subgroups(sharding);
  if (shape.is_array() && rank != shape.rank()) {
    findings.Add("sharding_c4", where,
                 absl::StrCat("there must be ", shape.rank(), " tile dimensions"),
                 absl::StrCat(rank));
  }
  if (partitions > 1 && (devices != partitions || largest >= partitions)) {
    findings.Add("sharding_c5", where,
                 absl::StrCat("devices must be the ", partitions, " partitions"),
                 devices != partitions ? absl::StrCat(static_cast<int64_t>(devices), " devices")
                                       : absl::StrCat("device ", largest));
  }
}

void CheckLeaf(const Instruction& where, const Sharding& sharding, const Shape& shape,
               int64_t partitions, Findings& findings) {
  if (sharding.named != nullptr || sharding.type != Sharding::Type::kTiled) return;
  CheckTiled(where, sharding, shape, partitions, findings);
}

}  // namespace

void CheckShardings(const Module& module, Findings& findings) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!instruction->has_annotations() || !instruction->annotations().sharding) continue;
      const Sharding& sharding = *instruction->annotations().sharding;
      const Shape& shape = instruction->shape();
      if (shape.is_token()) continue;  // that of what an outfeed or send takes
      if (sharding.type != Sharding::Type::kTuple) {
        CheckLeaf(*instruction, sharding, shape, module.num_partitions, findings);
        continue;
      }
      const std::vector<const Shape*> leaves = Leaves(shape);
      // One entry may stand for an empty tuple.
      if (!shape.is_tuple() || (sharding.tuple.size() != leaves.size() && !leaves.empty())) {
        findings.Add("sharding_c1", *instruction,
                     shape.is_tuple()
                         ? absl::StrCat("a sharding must have ", leaves.size(), " entries")
                         : std::string("an array must have one sharding"),
                     absl::StrCat(sharding.tuple.size()));
        continue;
      }
      for (size_t i = 0; i < leaves.size(); ++i) {
        CheckLeaf(*instruction, sharding.tuple[i], *leaves[i], module.num_partitions, findings);
      }
    }
  }
}

}  // namespace assay
