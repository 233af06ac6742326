// The tables of well-known custom-call targets, by family. An engine adds its own to the shared
// ones. Source: reference ops_control_and_collectives.md 11.2, 11.3. Tests:
// backends/factory/custom_call_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_TARGETS_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_TARGETS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/custom_calls/custom_call.h"

namespace assay::runtime::custom_calls {

// As CustomCallRegistry::Register takes it.
struct Target {
  std::string name;
  CustomCallHandler handler;
  std::optional<Opcode> elementwise = std::nullopt;
};
using Targets = std::vector<Target>;

Targets MarkerTargets();            // markers.cc: what only says something to a compiler
Targets BitTargets();               // bits.cc: seeds, storage, halves of 64-bit values
Targets TopKTargets();              // top_k.cc
Targets DynamicSizeTargets();       // dynamic_sizes.cc
Targets DynamicOperationTargets();  // dynamic_operations.cc: stablehlo.dynamic_*
Targets UnaryTargets();             // unary.cc: mhlo.*
Targets AssertionTargets();         // assertions.cc: check.*, shape_assertion
// The families above.
Targets SharedTargets();

// Threefry2x32 by element, for an engine's function of (key, counter), both as pairs of words.
using ThreefryFunction = std::array<uint32_t, 2> (*)(uint64_t key, uint64_t counter);
Targets ThreefryTargets(ThreefryFunction function);  // bits.cc

// Factorisations and systems in long double (extended_linear_algebra.cc).
Targets ExtendedLinearAlgebraTargets();

void Register(const Targets& targets, CustomCallRegistry* registry);

// The custom call `ragged_all_to_all`: the collective of that name (ragged_call.cc).
EffectOr PrepareRaggedCall(const Instruction& custom_call, const Engine& engine);

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

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_TARGETS_H_
