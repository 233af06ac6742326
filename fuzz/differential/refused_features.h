// Which features of programs a target has refused and never run: those of fuzz/programs/features.h,
// and each operation with the types of its result and of an operand and whether that is a scalar, a
// vector or of a higher rank. A program that has one of them
// would make the module fail that it is joined into. Tests: examiner_test.cc.
#ifndef ASSAY_FUZZ_DIFFERENTIAL_REFUSED_FEATURES_H_
#define ASSAY_FUZZ_DIFFERENTIAL_REFUSED_FEATURES_H_

#include <algorithm>
#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "fuzz/programs/features.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

class RefusedFeatures {
 public:
  // The target has run the module, or failed at it.
  void Add(const Module& module, bool ran) {
    ForEach(module, [&](uint64_t feature) { (ran ? ran_ : failed_).insert(feature); });
  }

  // Returns true if the module has a feature that only modules have at which the target failed.
  bool Expects(const Module& module) const {
    bool expected = false;
    ForEach(module, [&](uint64_t feature) {
      expected |= failed_.contains(feature) && !ran_.contains(feature);
    });
    return expected;
  }

 private:
  static void ForEach(const Module& module, absl::FunctionRef<void(uint64_t)> found) {
    ForEachFeature(module, found);
    const auto type = [](const Instruction& x) {
      return static_cast<uint64_t>(Leaves(x.shape()).front()->element_type());
    };
    for (const auto& computation : module.computations()) {
      for (const auto& each : computation->instructions()) {
        if (each->shape().leaf_count() == 0) continue;
        uint64_t number = 0;
        for (const Instruction* operand : each->operands()) {
          if (operand->shape().leaf_count() == 0) continue;
          const auto rank = static_cast<uint64_t>(operand->shape().rank());
          found(uint64_t{1} << 36 | static_cast<uint64_t>(each->opcode()) << 26 |
                std::min<uint64_t>(number++, 15) << 18 | std::min<uint64_t>(rank, 2) << 16 |
                type(*each) << 8 | type(*operand));
        }
      }
    }
  }

  absl::flat_hash_set<uint64_t> ran_, failed_;
};

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_REFUSED_FEATURES_H_
