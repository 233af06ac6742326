#include "backends/cuda/custom_calls.h"

#include <algorithm>

#include "runtime/custom_calls/targets.h"

namespace assay::cuda {
namespace {

using runtime::CustomCall;
using runtime::CustomCallRegistry;

// What is left of these calls is not what a launch takes.
absl::StatusOr<Literal> RefuseThreefry(const CustomCall& call) {
  return runtime::custom_calls::BadCall(call, "takes four u32 arrays and gives two");
}

const CustomCallRegistry& BuiltInCustomCalls() {
  static const CustomCallRegistry* const registry = [] {
    auto* known = new CustomCallRegistry;
    runtime::custom_calls::Register(runtime::custom_calls::SharedTargets(), known);
    runtime::custom_calls::Register(runtime::custom_calls::ExtendedLinearAlgebraTargets(), known);
    for (const char* target : {"cu_threefry2x32_ffi", "hip_threefry2x32_ffi"}) {
      known->Register(target, RefuseThreefry);
    }
    return known;
  }();
  return *registry;
}

bool HasDynamicLeaf(const Shape& shape) {
  const std::vector<const Shape*> leaves = Leaves(shape);
  return std::any_of(leaves.begin(), leaves.end(),
                     [](const Shape* leaf) { return leaf->is_array() && leaf->is_dynamic(); });
}

}  // namespace

runtime::CustomCallMeanings MeaningsOf(const CustomCallRegistry* registered) {
  return {registered, &BuiltInCustomCalls()};
}

bool RunsOnHost(const Instruction& custom_call, const CustomCallRegistry* registered) {
  const std::string& target = custom_call.GetString(Attr::kCustomCallTarget);
  if (registered != nullptr && registered->Find(target) != nullptr) return true;
  const auto& operands = custom_call.operands();
  return HasDynamicLeaf(custom_call.shape()) ||
         std::any_of(operands.begin(), operands.end(),
                     [](const Instruction* operand) { return HasDynamicLeaf(operand->shape()); });
}

}  // namespace assay::cuda
