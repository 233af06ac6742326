// The features of programs, as numbers: each operation with its element type, each attribute of an
// operation, and each pair of an operation and the producer of its operand. libFuzzer counts them
// as coverage, and a corpus keeps programs with new features. Tests: campaign_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_FEATURES_H_
#define ASSAY_FUZZ_PROGRAMS_FEATURES_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

inline void ForEachFeature(const Module& module, absl::FunctionRef<void(uint64_t)> found) {
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      const auto opcode = static_cast<uint64_t>(each->opcode());
      found(opcode << 8 | static_cast<uint64_t>(each->shape().element_type()));
      for (const auto& entry : each->attributes().entries()) {
        found(uint64_t{1} << 32 | opcode << 8 | static_cast<uint64_t>(entry.first));
      }
      for (const Instruction* operand : each->operands()) {
        found(uint64_t{1} << 33 | opcode << 8 | static_cast<uint64_t>(operand->opcode()));
      }
    }
  }
}

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_FEATURES_H_
