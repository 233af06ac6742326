// One element of a result on demand: its value and where it comes from. Nothing but the elements
// that it needs is computed, each once, by the definitions of the operations; loops run the turns
// that they must, for the state that is asked for. Elements of custom calls are computed from their
// operands where the target is elementwise; of others the call is made once, on whole operands.
// What the document "Tensors" calls an r-tensor. Source: reference ops_structural.md 2. Tests:
// explain_test.cc.
#ifndef ASSAY_INTERPRETER_EXPLAIN_H_
#define ASSAY_INTERPRETER_EXPLAIN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "interpreter/interpreter.h"
#include "spec/element/element.h"
#include "spec/ir/module.h"

namespace assay {

struct ElementQuery {
  int64_t output = 0;  // leaf of the entry's root
  Dimensions index;
};

struct ExplainOptions {
  // Bytes count the elements remembered.
  RunBudget budget;
  // What custom calls mean; null: the well-known targets.
  const runtime::CustomCallRegistry* custom_calls = nullptr;
  int64_t depth = 4;     // levels of the tree below the element
  int64_t width = 8;     // elements shown of those that one element reads
  int64_t nodes = 5000;  // of the whole tree
};

// An element and the elements that it was computed from.
struct ElementTrace {
  // What computes it: an operation, a constant, or a parameter of the entry.
  const Instruction* instruction = nullptr;
  int64_t leaf = 0;  // of a tuple result
  Dimensions index;
  ElementType type = ElementType::kInvalid;
  Element value;
  // Turns of loops, branches and calls that the instruction runs in, outermost first.
  std::vector<std::string> context;
  // What passes the element on from there: tuples, parameters, calls, loops; nearest first.
  std::vector<std::string> through;
  std::vector<ElementTrace> reads;
  int64_t reads_left_out = 0;
};

struct ExplainStats {
  int64_t elements = 0;  // computed, those of constants and arguments not counted
  int64_t steps = 0;
};

// INVALID_ARGUMENT for an output or index that is not there, and as PlannedModule does;
// UNIMPLEMENTED for operations without definition among those needed; RESOURCE_EXHAUSTED where a
// budget is spent.
absl::StatusOr<ElementTrace> ExplainElement(const Module& module,
                                            absl::Span<const Literal> arguments,
                                            const ElementQuery& query,
                                            const ExplainOptions& options = {},
                                            ExplainStats* stats = nullptr);

}  // namespace assay

#endif  // ASSAY_INTERPRETER_EXPLAIN_H_
