// The questions that a case puts to a target: its module as a whole and, of a program, each
// instruction alone on golden operands, and groups of them. Online (`assay test`), offline (`assay
// corpus export`, then `assay judge`) and in bundles they are the same, so the verdicts are too. A
// probe is an excerpt (diagnose/golden_trace.h) that outlives the golden run, since it is exported,
// asked repeatedly and under a deadline; diagnose/instruction_report.h asks while golden runs.
// Tests: probe_test.cc.
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

namespace assay {

struct Probe {
  std::string name;       // empty: the whole module; else Excerpt::Name
  std::string source;     // SourceText of its last instruction; may be empty
  bool subgraph = false;  // several instructions, but not the whole
  std::shared_ptr<const Module> module;
  std::vector<DeviceInputs> inputs;  // by device
  std::vector<DeviceOutputs> golden;
  // Other arguments for a second execution, and what golden makes of them; empty: there are none.
  std::vector<DeviceInputs> other_inputs = {};
  std::vector<DeviceOutputs> other_golden = {};
};

struct ProbeOptions {
  // Golden values from definitions alone, which is slow and makes a target of golden's kernels.
  bool straight = false;
  TraceDepth depth;
  // Whether the whole module gets other arguments, too (WithOtherArguments). It gets none where
  // they would be the same or golden does not run them.
  bool other_arguments = false;
};

// The first is the whole module. Further ones only where the module is a program: more than one
// instruction that computes, or computations that are called. Not for cases that are to be refused.
// Errors as of MakeReady and RunGolden; FAILED_PRECONDITION where golden gives other values than
// the case expects; RESOURCE_EXHAUSTED where the values of all instructions take more than the
// budget's bytes.
absl::StatusOr<std::vector<Probe>> MakeProbes(const CorpusCase& corpus_case,
                                              const RunBudget& budget,
                                              const ProbeOptions& options = {});

// Judges what the target answered, by device: its results by JudgeModule, and what was fed out.
absl::StatusOr<Judgement> JudgeProbe(const Probe& probe, absl::Span<const DeviceOutputs> actual,
                                     const TargetProfile& profile, const RunBudget& budget);

// The outcome of a case from those of its probes, in the order of MakeProbes. A program is judged
// by its instructions. Where its whole is not judgeable it inherits what one of them introduced, if
// one did; where each of them is golden, nobody knows where the difference comes from. A subgraph
// that gives no verdict takes none from its instructions.
void Conclude(CaseResult* result);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RUNNER_PROBE_H_
