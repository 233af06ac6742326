// A probe is one sub-test of a case: the whole module or, for a program, one instruction alone on
// golden operands, or a group of instructions. The probes are the same online (`assay test`),
// offline (`assay corpus export`, then `assay judge`) and in bundles, so the verdicts are the same
// too. A probe is an excerpt (diagnose/golden_trace.h) that outlives the golden run, because it is
// exported, repeated and subject to a deadline. diagnose/instruction_report.h tests excerpts during
// the golden run. Tests: probe_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_PROBE_H_
#define ASSAY_CONFORMANCE_RUNNER_PROBE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/device_io.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/diagnose/golden_trace.h"
#include "conformance/judge/verdict.h"
#include "conformance/profiles/profile.h"
#include "conformance/runner/case_result.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::conformance {

struct Probe {
  std::string name;       // empty for the whole module; otherwise Excerpt::Name
  std::string source;     // SourceText of the last instruction; may be empty
  bool subgraph = false;  // true for a group of instructions
  std::shared_ptr<const Module> module;
  std::vector<DeviceInputs> inputs;  // by device
  std::vector<DeviceOutputs> golden;
  // Other arguments for a second execution and their golden values. Empty if there are none.
  std::vector<DeviceInputs> other_inputs = {};
  std::vector<DeviceOutputs> other_golden = {};
};

struct ProbeOptions {
  // Computes golden values by the reference definitions alone. This is slow; golden's own kernels
  // can then be the target.
  bool straight = false;
  TraceDepth depth;
  // Adds other arguments to the probe of the whole module (WithOtherArguments), unless they would
  // be the same or the reference interpreter does not run them.
  bool other_arguments = false;
};

// Returns the probes of a case, the whole module first. There are others only if the module is a
// program: it has more than one instruction that computes, or called computations. The case must
// not expect a refusal. Returns the errors of MakeReady and RunGolden, FAILED_PRECONDITION if the
// golden values differ from those that the case expects, and RESOURCE_EXHAUSTED if the values of
// all instructions exceed the budget's bytes.
absl::StatusOr<std::vector<Probe>> MakeProbes(const CorpusCase& corpus_case,
                                              const RunBudget& budget,
                                              const ProbeOptions& options = {});

// Judges the target's outputs, by device: the results by JudgeModule, and the outfeeds.
absl::StatusOr<Judgement> JudgeProbe(const Probe& probe, absl::Span<const DeviceOutputs> actual,
                                     const TargetProfile& profile, const RunBudget& budget);

// Derives the outcome of a case from those of its probes, which are in the order of MakeProbes. A
// program is judged by its instructions. If the whole is inconclusive, it has inherited a
// difference that one of the instructions introduced; if all of them are golden, the case is
// inconclusive. A group without a verdict does not change the verdicts of its instructions.
void Conclude(CaseResult* result);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_PROBE_H_
