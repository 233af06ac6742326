// Linear-algebra targets in the precision of the machine, for backends: in long double, but
// elimination of f32 and c64 in double, which is several times as fast. The reference interpreter
// has its own (interpreter/custom_calls/exact_linear_algebra.cc). Tests:
// backends/factory/linear_algebra_calls_test.cc.
#include <map>

#include "absl/strings/match.h"
#include "runtime/custom_calls/linear_algebra/linear_algebra.h"

namespace assay::runtime::custom_calls {
namespace {

// Returns true for factorisations and systems by elimination, which iterate nothing.
bool Eliminates(absl::string_view target) {
  return absl::StrContains(target, "potrf") || absl::StrContains(target, "trsm") ||
         absl::StrContains(target, "getrf") || target == "LuDecomposition";
}

// Returns true if double has at least twice as many bits as the elements of the first operand.
bool IsNarrow(const CustomCall& call) {
  if (call.operands.empty()) return false;
  const ElementType type = call.operands[0].element_type();
  return type == ElementType::kC64 || (IsFloat(type) && type != ElementType::kF64);
}

}  // namespace

Targets ExtendedLinearAlgebraTargets() {
  std::map<std::string, CustomCallHandler> narrow;
  for (Target& target : LinearAlgebraTargets<double>()) {
    narrow.emplace(target.name, std::move(target.handler));
  }
  Targets targets = LinearAlgebraTargets<long double>();
  for (Target& target : targets) {
    if (!Eliminates(target.name)) continue;
    target.handler = [narrow = narrow.at(target.name),
                      wide = std::move(target.handler)](const CustomCall& call) {
      return IsNarrow(call) ? narrow(call) : wide(call);
    };
  }
  return targets;
}

}  // namespace assay::runtime::custom_calls
