// Reduces a finding: the records of a program, then the module, then its values, as long as the
// finding keeps its signature. The search is greedy and runs in rounds until nothing can be removed
// or the budget of runs is spent. Tests: reducer_test.cc.
#ifndef ASSAY_FUZZ_REDUCE_REDUCER_H_
#define ASSAY_FUZZ_REDUCE_REDUCER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "backends/device_io.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

struct ReduceLimits {
  int64_t questions = 400;                  // the maximum number of runs of the target
  double seconds = 60;                      // the time limit; negative for none
  const std::atomic<bool>* stop = nullptr;  // ends the reduction once it is true
};

// Return true if these bytes, or this module, still show the finding.
using ShowsBytes = std::function<bool(absl::Span<const uint8_t>)>;
using ShowsModule = std::function<bool(const Module&, absl::Span<const DeviceInputs>)>;

// Removes records and makes bytes smaller. Byte 0 is the simplest choice.
std::vector<uint8_t> ReduceBytes(std::vector<uint8_t> bytes, const ShowsBytes& shows,
                                 const ReduceLimits& limits);

struct ReducedModule {
  std::unique_ptr<Module> module;
  std::vector<DeviceInputs> inputs;
  int64_t questions = 0;  // the number of runs
  bool complete = true;   // false if a limit ended the reduction
};

// Returns the smallest module that was found. The steps are, in turn: one result instead of
// several; an instruction of the entry as the root; an instruction replaced by a parameter with its
// golden value; an inlined call, fusion, branch or iteration; in the computations that are left, an
// instruction less, or a result or an operand of a call; an elementwise program on one element;
// smaller sizes; narrower types; simpler attributes; smaller integer constants, which reduce
// iterations; simpler values; all of them again until no step of the module is left. A module with
// effects (feeds, transfers) keeps all its instructions.
ReducedModule ReduceModule(const Module& module, absl::Span<const DeviceInputs> inputs,
                           const ShowsModule& shows, const ReduceLimits& limits);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_REDUCER_H_
