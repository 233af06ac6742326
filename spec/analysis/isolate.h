// Instructions of a module as a module of their own: what they take are the parameters, the
// computations that they call are copied. Tests: interpreter/isolate_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_ISOLATE_H_
#define ASSAY_SPEC_ANALYSIS_ISOLATE_H_

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay::analysis {

// One instruction: its operands are the parameters, in order.
std::unique_ptr<Module> IsolateInstruction(const Instruction& instruction);

// A fold whose computations are in their flat form (flat_computation.h), as IsolateInstruction
// makes it; null where they are flat already, or the instruction is no reduce, reduce-window,
// scatter, select-and-scatter, scan, all-reduce or reduce-scatter.
std::unique_ptr<Module> FlattenRegions(const Instruction& fold);

struct IsolatedGroup {
  std::unique_ptr<Module> module;
  std::vector<const Instruction*> operands;  // by parameter number, each once
};

// Instructions of one computation, in its order. Scalar constants that they take are copied: an
// implementation treats a program otherwise whose scalars it knows. The root is the one result, or
// the tuple of `results`, which are members.
IsolatedGroup IsolateGroup(absl::Span<const Instruction* const> members,
                           absl::Span<const Instruction* const> results);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_ISOLATE_H_
