// The order in which computations call each other. Tests: call_order_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_CALL_ORDER_H_
#define ASSAY_SPEC_ANALYSIS_CALL_ORDER_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay::analysis {

struct CallOrder {
  // Every computation that the roots reach, once. A callee comes before its callers, except where
  // calls form a cycle.
  std::vector<const Computation*> callees_first;
  // The computations that call themselves, directly or through others, and all that call these.
  absl::flat_hash_set<const Computation*> circular;
  // One of the computations that call themselves; null if there is none.
  const Computation* recursive = nullptr;
};

// Returns the computations that a computation calls, in the order in which they are visited. The
// list may have repetitions and null pointers, which are ignored.
using CalleesOf = absl::FunctionRef<std::vector<const Computation*>(const Computation&)>;

// Visits depth first, root by root and callee by callee, with a stack of its own: the nesting of
// calls costs no machine stack. `callees_of` is asked once for each computation.
CallOrder FindCallOrder(absl::Span<const Computation* const> roots, CalleesOf callees_of);

// Returns all computations that the instructions of a computation call, in the order of the
// instructions.
std::vector<const Computation*> AllCallees(const Computation& computation);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_CALL_ORDER_H_
