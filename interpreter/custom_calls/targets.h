// The tables of well-known custom-call targets, by family; CustomCallRegistry::BuiltIn() collects
// them. Source: reference ops_control_and_collectives.md 11.2, 11.3. Tests: custom_call_test.cc.
#ifndef ASSAY_INTERPRETER_CUSTOM_CALLS_TARGETS_H_
#define ASSAY_INTERPRETER_CUSTOM_CALLS_TARGETS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/scalar/scalar_ops.h"
#include "interpreter/custom_call.h"

namespace assay::custom_calls {

// As CustomCallRegistry::Register takes it.
struct Target {
  std::string name;
  CustomCallHandler handler;
  std::optional<Opcode> elementwise = std::nullopt;
};
using Targets = std::vector<Target>;

Targets MarkerTargets();            // markers.cc: what only says something to a compiler
Targets BitTargets();               // bits.cc: seeds, halves of 64-bit values, Threefry
Targets TopKTargets();              // top_k.cc
Targets DynamicSizeTargets();       // dynamic_sizes.cc
Targets DynamicOperationTargets();  // dynamic_operations.cc: stablehlo.dynamic_*
Targets UnaryTargets();             // unary.cc: mhlo.*
Targets AssertionTargets();         // assertions.cc: check.*, shape_assertion
Targets LinearAlgebraTargets();     // linear_algebra.cc

// What an elementwise target does to the elements of its operand. INVALID_ARGUMENT where the shapes
// or types of the call do not suit it.
absl::StatusOr<evaluator::ScalarFunction> ElementwiseFunction(const Instruction& call,
                                                              Opcode opcode);

// INVALID_ARGUMENT that names the target, the shapes and the place.
absl::Status BadCall(const Instruction& call, absl::string_view what);
inline absl::Status BadCall(const CustomCall& call, absl::string_view what) {
  return BadCall(call.instruction, what);
}
// OK, or BadCall that says how many operands there must be.
absl::Status WantOperands(const CustomCall& call, size_t count);
// The elements of a tuple result, or the one array.
std::vector<const Shape*> ResultShapes(const CustomCall& call);
// The value of the call from these.
Literal AsResult(const CustomCall& call, std::vector<Literal> results);

}  // namespace assay::custom_calls

#endif  // ASSAY_INTERPRETER_CUSTOM_CALLS_TARGETS_H_
