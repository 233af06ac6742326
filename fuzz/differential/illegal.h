// Illegal programs. An attribute, a shape or an operand of a valid program is changed until the
// verifier rejects it. A target must reject it too, and neither run it nor crash. Tests:
// examiner_test.cc.
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
  std::string clause;     // the first violated rule: "pad_c1"
  std::string operation;  // the operation that was changed
};

// Returns a copy of the module with one change, selected by the seed, that the verifier rejects
// under XLA's rules. Returns nothing if several attempts give only legal modules.
std::optional<IllegalProgram> BreakProgram(const Module& module, uint64_t seed);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_ILLEGAL_H_
