// Custom calls that are operations of HLO under another name: LAPACK's potrf and trsm as JAX calls
// them are cholesky and triangular-solve, wrappers of elementwise operations that operation,
// markers copies. What is known of the operation is then known of the call. Source: reference
// ops_control_and_collectives.md 11.2, 11.3. Tests: called_operation_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_CALLED_OPERATION_H_
#define ASSAY_CONFORMANCE_JUDGE_CALLED_OPERATION_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/strings/string_view.h"
#include "spec/ir/module.h"

namespace assay {

// Whether it calls LAPACK's routine, by JAX's name for one of its element types.
bool CallsLapack(const Instruction& call, absl::string_view routine);

// The operation as the root of a module of its own, whose parameters are the call's operands. Its
// result is the first array of the call's. Null: the call is none that is known.
std::unique_ptr<Module> OperationOfCall(const Instruction& call);

// The leaf of the call's result that tells which factorisations of a batch have failed (`info` of
// LAPACK); none: there is none.
std::optional<size_t> InfoLeaf(const Instruction& call);

// Whether nobody says how far the floats of such a call may be from golden's, and what depends on
// them: factorisations that are no operation of HLO, and targets that are not built in.
bool HasUnknownAccuracy(const Instruction& call);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_CALLED_OPERATION_H_
