// Copies instructions to a module of their own. Their operands become parameters, and the
// computations that they call are copied. Tests: interpreter/isolate_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_ISOLATE_H_
#define ASSAY_SPEC_ANALYSIS_ISOLATE_H_

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay::analysis {

// Returns one instruction in a module. Its operands are the parameters, in order.
std::unique_ptr<Module> IsolateInstruction(const Instruction& instruction);

// Returns a fold like IsolateInstruction, but with its computations in their flat form
// (flat_computation.h). Returns null if they are flat already, or the instruction is not a reduce,
// reduce-window, scatter, select-and-scatter, scan, all-reduce or reduce-scatter.
std::unique_ptr<Module> FlattenRegions(const Instruction& fold);

struct IsolatedGroup {
  std::unique_ptr<Module> module;
  std::vector<const Instruction*> operands;  // by parameter number, each once
};

// Returns instructions of one computation in a module, in their order. Scalar constants among their
// operands are copied instead of becoming parameters, because an implementation may compile a
// program differently if it knows its scalars. The root is the only result, or the tuple of
// `results`, which are members.
IsolatedGroup IsolateGroup(absl::Span<const Instruction* const> members,
                           absl::Span<const Instruction* const> results);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_ISOLATE_H_
