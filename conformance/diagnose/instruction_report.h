// Tests a module on another implementation: its instructions alone and in groups on golden
// operands, and the whole. The report says where a difference between two runs of the module starts
// and whether it is permitted. The target runs each sub-test during the golden run, so that
// programs of any size fit into memory; runner/probe.h stores its sub-tests. Tests:
// instruction_report_test.cc.
#ifndef ASSAY_CONFORMANCE_DIAGNOSE_INSTRUCTION_REPORT_H_
#define ASSAY_CONFORMANCE_DIAGNOSE_INSTRUCTION_REPORT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "conformance/diagnose/golden_trace.h"
#include "conformance/judge/allowance.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::conformance {

struct InstructionVerdict {
  // an instruction or a group, in the order of the computation
  std::vector<const Instruction*> members;
  std::string name;  // Excerpt::Name
  int64_t iteration = 1;
  absl::Status status;  // not OK if the target returned no result (unsupported, crashed)
  Judgement judgement;  // valid if the status is OK

  bool is_group() const { return members.size() > 1; }
  const Instruction& last() const { return *members.back(); }
  bool is_wrong() const { return status.ok() && judgement.verdict == Verdict::kWrong; }
};

struct ReportOptions {
  TraceDepth depth;
  // Receives each verdict as soon as it is known, with its excerpt.
  std::function<void(const InstructionVerdict&, const Excerpt&)> observe;
  const runtime::CustomCallRegistry* custom_calls = nullptr;  // null for the built-in targets
  // Receives the golden outputs of the whole module, by device; may be null.
  std::vector<DeviceOutputs>* golden = nullptr;
};

// Judges the instructions of a module by JudgeModule, in the order of execution on the first
// device. The list has the excerpts of TraceGolden. Inputs are by device, as in the golden backend.
absl::StatusOr<std::vector<InstructionVerdict>> ReportInstructions(
    const Module& module, absl::Span<const DeviceInputs> inputs, Backend& target,
    const TargetProfile& profile, const RunBudget& budget, const ReportOptions& options = {});

// The whole module on the target. No instruction alone shows an error of control flow, of aliasing
// or of a rewrite of several instructions.
struct WholeVerdict {
  absl::Status status;    // not OK: the target gave no result, or the judge did not finish
  bool answered = false;  // the target gave a result
  Judgement judgement;    // if the status is OK

  bool is_wrong() const { return status.ok() && judgement.verdict == Verdict::kWrong; }
};
// Runs the whole module on the target and judges the results by JudgeModule. Inputs and golden
// outputs by device.
WholeVerdict ReportWhole(const Module& module, absl::Span<const DeviceInputs> inputs,
                         absl::Span<const DeviceOutputs> golden, Backend& target,
                         const TargetProfile& profile, const RunBudget& budget);

// Returns the instructions that compute but were not tested alone, in the order of the module:
// control flow, collectives, operations on dynamic dimensions, instructions of branches that were
// not taken. Regions that an operation applies to elements are part of the operation.
std::vector<const Instruction*> NotAskedAlone(const Module& module,
                                              absl::Span<const InstructionVerdict> verdicts);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_INSTRUCTION_REPORT_H_
