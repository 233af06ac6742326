// Custom calls that are HLO operations under another name. LAPACK's potrf and trsm, as JAX calls
// them, are cholesky and triangular-solve; wrappers of elementwise operations are these operations,
// and markers are copies. The rules of the operation then hold for the call. Source: reference
// ops_control_and_collectives.md 11.2, 11.3. Tests: called_operation_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_CALLED_OPERATION_H_
#define ASSAY_CONFORMANCE_JUDGE_CALLED_OPERATION_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/strings/string_view.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Returns true if the call is to this LAPACK routine, by JAX's name for one of its element types.
bool CallsLapack(const Instruction& call, absl::string_view routine);

// Returns the operation as the root of a module whose parameters are the operands of the call. Its
// result is the first result array of the call. Returns null for an unknown call.
std::unique_ptr<Module> OperationOfCall(const Instruction& call);

// Returns the leaf of the result that tells which factorisations of a batch have failed (LAPACK's
// `info`), or nothing if the call has none.
std::optional<size_t> InfoLeaf(const Instruction& call);

// Returns true if no error bound is defined for the floats of such a call and of its users:
// factorisations without an HLO operation, and targets that are not built in.
bool HasUnknownAccuracy(const Instruction& call);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_CALLED_OPERATION_H_
