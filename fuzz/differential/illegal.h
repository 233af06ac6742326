// Illegal programs: valid programs that are changed until the verifier rejects them, and the near
// misses of spec/verify/testdata, which violate every clause that a module's text can violate. A
// target must reject them too, and neither run them nor crash. Tests: illegal_test.cc.
#ifndef ASSAY_FUZZ_DIFFERENTIAL_ILLEGAL_H_
#define ASSAY_FUZZ_DIFFERENTIAL_ILLEGAL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/device_io.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

struct IllegalProgram {
  std::unique_ptr<Module> module;
  std::vector<DeviceInputs> inputs;  // by device
  std::string clause;                // the first violated rule: "pad_c1"
  std::string operation;             // the operation that violates it; "module" if none does
};

// Returns a copy of the module with one change, selected by the seed, that the verifier rejects
// under XLA's rules. Returns nothing if several attempts give only legal modules.
std::optional<IllegalProgram> BreakProgram(const Module& module,
                                           absl::Span<const DeviceInputs> inputs, uint64_t seed);

// Returns the number of near misses that XLA's rules reject and the reader of text accepts.
int64_t NearMissCount();
// Returns a near miss with benign values. Returns nothing if a parameter has no value of at most
// 65,536 elements.
std::optional<IllegalProgram> NearMissProgram(int64_t number);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_ILLEGAL_H_
