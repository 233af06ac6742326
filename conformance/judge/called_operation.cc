#include "conformance/judge/called_operation.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "interpreter/custom_call.h"
#include "runtime/custom_calls/attributes.h"

namespace assay::conformance {
namespace {

using runtime::custom_calls::CallAttributes;

void SetSystem(const CallAttributes& attributes, Instruction* solve) {
  solve->SetAttribute(Attr::kLeftSide, attributes.Letter("side", 'L') == 'L');
  solve->SetAttribute(Attr::kLower, attributes.Letter("uplo", 'L') == 'L');
  solve->SetAttribute(Attr::kUnitDiagonal, attributes.Letter("diag", 'N') == 'U');
  const char form = attributes.Letter("trans_x", 'N');
  const TransposeA transpose = form == 'N'   ? TransposeA::kNoTranspose
                               : form == 'T' ? TransposeA::kTranspose
                                             : TransposeA::kAdjoint;
  solve->SetAttribute(Attr::kTransposeA, static_cast<int64_t>(transpose));
}

// Returns null if no operation is known for the call.
std::unique_ptr<Instruction> FindOperation(const Instruction& call) {
  const Shape& result = call.shape();
  const CallAttributes attributes = CallAttributes::Of(call);
  if (CallsLapack(call, "potrf") && call.operand_count() == 1 && result.is_tuple() &&
      result.tuple_shapes().size() == 2) {
    auto cholesky = std::make_unique<Instruction>(Opcode::kCholesky, result.tuple_shapes()[0]);
    cholesky->SetAttribute(Attr::kLower, attributes.Letter("uplo", 'L') == 'L');
    return cholesky;
  }
  if (!result.is_array()) return nullptr;
  if (CallsLapack(call, "trsm") && call.operand_count() == 2) {
    auto solve = std::make_unique<Instruction>(Opcode::kTriangularSolve, result);
    SetSystem(attributes, solve.get());
    return solve;
  }
  const std::optional<Opcode> opcode =
      GoldenCustomCalls().ElementwiseOp(call.GetString(Attr::kCustomCallTarget));
  if (!opcode || call.operand_count() != 1 || !call.operand(0)->shape().is_array() ||
      !Shape::SameDimensions(call.operand(0)->shape(), result)) {
    return nullptr;
  }
  return std::make_unique<Instruction>(*opcode, result);
}

}  // namespace

bool CallsLapack(const Instruction& call, absl::string_view routine) {
  if (call.opcode() != Opcode::kCustomCall) return false;
  absl::string_view target = call.GetString(Attr::kCustomCallTarget);
  const bool is_lapack =
      absl::ConsumePrefix(&target, "lapack_") && absl::ConsumeSuffix(&target, "_ffi");
  return is_lapack && target.size() == routine.size() + 1 && absl::EndsWith(target, routine) &&
         absl::StrContains("sdcz", target[0]);
}

std::unique_ptr<Module> OperationOfCall(const Instruction& call) {
  if (call.opcode() != Opcode::kCustomCall) return nullptr;
  std::unique_ptr<Instruction> operation = FindOperation(call);
  if (operation == nullptr) return nullptr;
  auto module = std::make_unique<Module>("operation_of_call");
  auto entry = std::make_unique<Computation>("main");
  for (int64_t k = 0; k < call.operand_count(); ++k) {
    auto parameter = std::make_unique<Instruction>(Opcode::kParameter, call.operand(k)->shape());
    parameter->set_parameter_number(k);
    operation->AppendOperand(entry->Add(std::move(parameter)));
  }
  operation->set_position(call.position());
  entry->set_root(entry->Add(std::move(operation)));
  module->set_entry(module->Add(std::move(entry)));
  module->UniquifyNames();
  return module;
}

std::optional<size_t> InfoLeaf(const Instruction& call) {
  if (CallsLapack(call, "potrf")) return 1;
  return std::nullopt;
}

bool HasUnknownAccuracy(const Instruction& call) {
  if (call.opcode() != Opcode::kCustomCall) return false;
  static const auto* const targets = [] {
    auto* all = new absl::flat_hash_set<std::string>{"stablehlo.dynamic_conv",
                                                     "stablehlo.dynamic_reduce_window"};
    for (runtime::custom_calls::Target& each : ExactLinearAlgebraTargets()) {
      all->insert(std::move(each.name));
    }
    return all;
  }();
  const std::string& target = call.GetString(Attr::kCustomCallTarget);
  return targets->contains(target) || GoldenCustomCalls().Find(target) == nullptr;
}

}  // namespace assay::conformance
