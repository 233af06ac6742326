// The instructions of a module, run alone and in groups on golden operands by another
// implementation and judged: where a difference between two runs of a module starts, and whether it
// is a legal one. Asked while golden runs, so that programs of any size fit into memory;
// runner/probe.h keeps its questions. Tests: instruction_report_test.cc.
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

namespace assay {

struct InstructionVerdict {
  std::vector<const Instruction*> members;  // one, or a group, in the order of their computation
  std::string name;                         // Excerpt::Name
  int64_t turn = 1;
  absl::Status status;  // not OK: the target gave no result (unsupported, crashed)
  Judgement judgement;  // else

  bool is_group() const { return members.size() > 1; }
  const Instruction& last() const { return *members.back(); }
  bool is_wrong() const { return status.ok() && judgement.verdict == Verdict::kWrong; }
};

struct ReportOptions {
  TraceDepth depth;
  // Sees each verdict as soon as it is there, with what was asked.
  std::function<void(const InstructionVerdict&, const Excerpt&)> observe;
  const CustomCallRegistry* custom_calls = nullptr;  // null: the well-known targets
};

// In the order of execution, where there are several processes in that of the first; TraceGolden
// says what is not in the list. Judged by JudgeModule. Inputs by device, as the golden backend
// takes them; the target is judged by its profile.
absl::StatusOr<std::vector<InstructionVerdict>> ReportInstructions(
    const Module& module, absl::Span<const DeviceInputs> inputs, Backend& target,
    const TargetProfile& profile, const RunBudget& budget, const ReportOptions& options = {});

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_INSTRUCTION_REPORT_H_
