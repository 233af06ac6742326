// Programs that are illegal in one point: a valid one with an attribute, a shape or an operand
// changed until the verifier refuses it. A target must refuse it too, and not run it or crash.
// Tests: examiner_test.cc.
#ifndef ASSAY_FUZZ_DIFFERENTIAL_ILLEGAL_H_
#define ASSAY_FUZZ_DIFFERENTIAL_ILLEGAL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "spec/ir/module.h"

namespace assay::fuzz {

struct IllegalProgram {
  std::unique_ptr<Module> module;
  std::string clause;     // of the first rule that is broken: "pad_c1"
  std::string operation;  // the operation that was changed
};

// A copy of the module with one change that the verifier refuses under the rules of XLA, chosen by
// the seed; none where several tries give legal modules alone.
std::optional<IllegalProgram> BreakProgram(const Module& module, uint64_t seed);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_ILLEGAL_H_
