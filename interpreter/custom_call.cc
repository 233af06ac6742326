#include "interpreter/custom_call.h"

#include "evaluator/ops/random_blocks.h"

namespace assay {

const CustomCallRegistry& GoldenCustomCalls() {
  static const CustomCallRegistry* const registry = [] {
    auto* known = new CustomCallRegistry;
    for (const runtime::custom_calls::Targets& family :
         {runtime::custom_calls::SharedTargets(),
          runtime::custom_calls::ThreefryTargets(evaluator::Threefry2x32),
          ExactLinearAlgebraTargets()}) {
      runtime::custom_calls::Register(family, known);
    }
    return known;
  }();
  return *registry;
}

runtime::CustomCallMeanings MeaningsOf(const PlanOptions& options) {
  return {options.custom_calls, &GoldenCustomCalls()};
}

}  // namespace assay
