// A golden run in which every instruction that can be asked of another implementation alone is
// seen with the values that went into it and the one that came out. Tests:
// instruction_report_test.cc, probe_test.cc.
#ifndef ASSAY_CONFORMANCE_DIAGNOSE_GOLDEN_TRACE_H_
#define ASSAY_CONFORMANCE_DIAGNOSE_GOLDEN_TRACE_H_

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay {

using SeeInstruction = std::function<void(const Instruction& instruction,
                                          std::vector<Literal> operands, const Literal& golden)>;

// Runs the module on golden and shows instructions in the order of execution; where there are
// several processes those of the first, of a loop those of its first turn. Not shown are moves of
// whole values (tuples, calls, copies), what takes several processes, and operations on dynamic
// dimensions. `arguments` by device, as the golden backend takes them; the value of the root by
// device. Errors as of the interpreter.
absl::StatusOr<std::vector<Literal>> TraceGolden(const Module& module,
                                                 absl::Span<const std::vector<Literal>> arguments,
                                                 PlanOptions plan, const RunBudget& budget,
                                                 const SeeInstruction& see);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_GOLDEN_TRACE_H_
