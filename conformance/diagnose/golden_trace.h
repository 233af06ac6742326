// Cuts a golden run into sub-tests for another implementation: every instruction that can be tested
// alone, and groups of them. Each is a module with its arguments and its golden result. Tests:
// golden_trace_test.cc, instruction_report_test.cc, probe_test.cc.
#ifndef ASSAY_CONFORMANCE_DIAGNOSE_GOLDEN_TRACE_H_
#define ASSAY_CONFORMANCE_DIAGNOSE_GOLDEN_TRACE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/device_io.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// How many sub-tests a program has.
struct TraceDepth {
  // The number of iterations to test of a computation that runs several times: the first one alone,
  // or the first, the last, and others at even distances. More than one needs a second golden run,
  // to count the iterations.
  int64_t iterations = 1;
  // The size of the groups that are tested in addition to single instructions (FindSubgraphs); 0
  // for none.
  int64_t subgraphs = 0;
};

inline constexpr int64_t kMostIterations = 64;
// Returns INVALID_ARGUMENT unless `iterations` is from 1 to kMostIterations and `subgraphs` is 0 or
// from 2 to kMostMembers.
absl::Status CheckDepth(const TraceDepth& depth);

// An instruction or a group of instructions of a run, with its values.
struct Excerpt {
  // an instruction or a group, in the order of the computation
  std::vector<const Instruction*> members;
  int64_t iteration = 1;  // the iteration of the computation, counted over the whole run
  std::shared_ptr<const Module> module;
  std::vector<Literal> arguments;
  Literal golden;

  bool is_group() const { return members.size() > 1; }
  // Returns "scaled", "multiply.1+add.2", or in a later iteration "scaled@3".
  std::string Name() const;
};

// Receives an excerpt. A status that is not OK ends the run.
using SeeExcerpt = std::function<absl::Status(Excerpt)>;

// Runs the module on the reference interpreter and calls `see` for excerpts in the order of
// execution, for a group after its last member. Excerpts are those of the first device. There are
// none of moves of whole values (tuples, calls, single copies), collectives and operations on
// dynamic dimensions. Inputs and outputs are by device, as in the golden backend. Returns the
// errors of the interpreter and of `see`.
absl::StatusOr<std::vector<DeviceOutputs>> TraceGolden(const Module& module,
                                                       absl::Span<const DeviceInputs> inputs,
                                                       PlanOptions plan, const RunBudget& budget,
                                                       const TraceDepth& depth,
                                                       const SeeExcerpt& see);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_GOLDEN_TRACE_H_
