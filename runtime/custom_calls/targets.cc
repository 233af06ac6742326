// What the families of targets share. Tests: backends/factory/custom_call_test.cc.
#include "runtime/custom_calls/targets.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"

namespace assay::runtime::custom_calls {

Targets SharedTargets() {
  Targets all;
  for (Targets& family :
       std::array<Targets, 7>{MarkerTargets(), BitTargets(), TopKTargets(), DynamicSizeTargets(),
                              DynamicOperationTargets(), UnaryTargets(), AssertionTargets()}) {
    std::move(family.begin(), family.end(), std::back_inserter(all));
  }
  return all;
}

void Register(const Targets& targets, CustomCallRegistry* registry) {
  for (const Target& target : targets) {
    registry->Register(target.name, target.handler, target.elementwise);
  }
}

absl::Status BadCall(const Instruction& call, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("custom call target \"",
                                                 call.GetString(Attr::kCustomCallTarget),
                                                 "\": ", what, ": ", call.Describe()));
}

absl::Status WantOperands(const CustomCall& call, size_t count) {
  if (call.operands.size() == count) return absl::OkStatus();
  return BadCall(call,
                 absl::StrCat("there must be ", count, " operands, not ", call.operands.size()));
}

std::vector<const Shape*> ResultShapes(const CustomCall& call) {
  const Shape& shape = call.instruction.shape();
  if (!shape.is_tuple()) return {&shape};
  std::vector<const Shape*> shapes;
  for (const Shape& element : shape.tuple_shapes()) shapes.push_back(&element);
  return shapes;
}

Literal AsResult(const CustomCall& call, std::vector<Literal> results) {
  return call.instruction.shape().is_tuple() ? Literal::Tuple(std::move(results))
                                             : std::move(results[0]);
}

}  // namespace assay::runtime::custom_calls
