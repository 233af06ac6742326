// The custom calls that the backend knows: the shared ones, linear algebra in long double, and
// Threefry by the backend's own function. Tests: backends/factory/custom_call_test.cc.
#include "backends/cpu/kernels.h"
#include "backends/cpu/random_words.h"
#include "runtime/custom_calls/targets.h"

namespace assay::cpu {
namespace {

const runtime::CustomCallRegistry& BuiltInCustomCalls() {
  static const runtime::CustomCallRegistry* const registry = [] {
    auto* known = new runtime::CustomCallRegistry;
    for (const runtime::custom_calls::Targets& family :
         {runtime::custom_calls::SharedTargets(),
          runtime::custom_calls::ThreefryTargets(ThreefryBlock),
          runtime::custom_calls::ExtendedLinearAlgebraTargets()}) {
      runtime::custom_calls::Register(family, known);
    }
    return known;
  }();
  return *registry;
}

}  // namespace

runtime::CustomCallMeanings MeaningsOf(const runtime::CustomCallRegistry* registered) {
  return {registered, &BuiltInCustomCalls()};
}

}  // namespace assay::cpu
