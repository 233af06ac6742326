// Reduces what shows a finding: the records of a program, then the module itself, then its values,
// as long as the finding keeps its signature. Greedy, in rounds, until nothing can be taken away or
// the budget of questions is spent. Tests: reducer_test.cc.
#ifndef ASSAY_FUZZ_REDUCE_REDUCER_H_
#define ASSAY_FUZZ_REDUCE_REDUCER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "backends/device_io.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

struct ReduceLimits {
  int64_t questions = 400;  // that the target is asked
  double seconds = 60;      // negative: no limit
};

// Whether these bytes, or this module, still show the finding.
using ShowsBytes = std::function<bool(absl::Span<const uint8_t>)>;
using ShowsModule = std::function<bool(const Module&, absl::Span<const DeviceInputs>)>;

// Takes records away and makes bytes smaller: 0 is the simplest choice of each.
std::vector<uint8_t> ReduceBytes(std::vector<uint8_t> bytes, const ShowsBytes& shows,
                                 const ReduceLimits& limits);

struct ReducedModule {
  std::unique_ptr<Module> module;
  std::vector<DeviceInputs> inputs;
  int64_t questions = 0;  // asked
};

// The smallest module that could be found. In turn: one result instead of several; an instruction
// of the entry as the root; an instruction replaced by a parameter with its golden value; the
// instruction of a called computation as the whole; an elementwise program on one element; smaller
// sizes; simpler attributes; smaller integer constants, by which loops run less often; simpler
// values. A module with effects (feeds, transfers) keeps all its instructions.
ReducedModule ReduceModule(const Module& module, absl::Span<const DeviceInputs> inputs,
                           const ShowsModule& shows, const ReduceLimits& limits);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_REDUCER_H_
