// A golden run that is cut into questions for another implementation: every instruction that can be
// asked alone, and groups of them, each as a module with the values that went into it and what came
// out. Tests: golden_trace_test.cc, instruction_report_test.cc, probe_test.cc.
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

namespace assay {

// How much of a program is asked.
struct TraceDepth {
  // Turns of a loop's body and condition, and runs of whatever else is called several times: the
  // first alone, or the first, the last, and evenly between as many as there are to be. More than
  // one takes a second golden run, which counts.
  int64_t turns = 1;
  // Instructions of the groups that are asked beside single ones (FindSubgraphs); 0: no groups.
  int64_t subgraphs = 0;
};

inline constexpr int64_t kMostTurns = 64;
// OK, or INVALID_ARGUMENT: from 1 to kMostTurns turns, and 0 or 2 to kMostMembers instructions.
absl::Status CheckDepth(const TraceDepth& depth);

// A part of a run.
struct Excerpt {
  std::vector<const Instruction*> members;  // one, or a group, in the order of their computation
  int64_t turn = 1;                         // of the computation, counted over the whole run
  std::shared_ptr<const Module> module;
  std::vector<Literal> arguments;
  Literal golden;

  bool is_group() const { return members.size() > 1; }
  // "scaled", "multiply.1+add.2"; in a later turn "scaled@3".
  std::string Name() const;
};

// A status that is not OK ends the run.
using SeeExcerpt = std::function<absl::Status(Excerpt)>;

// Runs the module on golden and shows excerpts in the order of execution, a group when the last of
// its members has run; where there are several processes those of the first. Not shown are moves of
// whole values (tuples, calls, copies alone), what takes several processes, and operations on
// dynamic dimensions. By device, as the golden backend takes inputs and gives outputs. Errors as of
// the interpreter and of `see`.
absl::StatusOr<std::vector<DeviceOutputs>> TraceGolden(const Module& module,
                                                       absl::Span<const DeviceInputs> inputs,
                                                       PlanOptions plan, const RunBudget& budget,
                                                       const TraceDepth& depth,
                                                       const SeeExcerpt& see);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_GOLDEN_TRACE_H_
