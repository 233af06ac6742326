// Every instruction of a module, run alone on golden operands by another implementation and judged:
// where a difference between two runs of a module starts, and whether it is a legal one. A loop's
// instructions are taken in their first turn. Tests: instruction_report_test.cc.
#ifndef ASSAY_CONFORMANCE_DIAGNOSE_INSTRUCTION_REPORT_H_
#define ASSAY_CONFORMANCE_DIAGNOSE_INSTRUCTION_REPORT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "conformance/judge/allowance.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay {

struct InstructionVerdict {
  const Instruction* instruction = nullptr;
  absl::Status status;  // not OK: the target gave no result (unsupported, crashed)
  Judgement judgement;  // else
};

// In the order of execution, where there are several processes in that of the first. Not in the
// list are moves of whole values (tuples, calls, copies), what takes several processes, and
// operations on dynamic dimensions. `arguments` by device, as the golden backend takes them; the
// target is judged by its profile.
// `observe`, if there is one, sees each as soon as it is there.
absl::StatusOr<std::vector<InstructionVerdict>> ReportInstructions(
    const Module& module, absl::Span<const std::vector<Literal>> arguments, Backend& target,
    const TargetProfile& profile, const RunBudget& budget,
    const std::function<void(const InstructionVerdict&)>& observe = nullptr,
    const CustomCallRegistry* custom_calls = nullptr);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_INSTRUCTION_REPORT_H_
