// The custom calls that the reference interpreter knows: the shared ones (runtime/custom_calls),
// with linear algebra on numbers of 200 bits. Tests: backends/factory/custom_call_test.cc.
#ifndef ASSAY_INTERPRETER_CUSTOM_CALL_H_
#define ASSAY_INTERPRETER_CUSTOM_CALL_H_

#include "interpreter/interpreter.h"
#include "runtime/custom_calls/custom_call.h"
#include "runtime/custom_calls/targets.h"

namespace assay {

using runtime::CustomCall;
using runtime::CustomCallHandler;
using runtime::CustomCallRegistry;

// The well-known targets.
const CustomCallRegistry& GoldenCustomCalls();

// The context of a call that the reference interpreter makes.
inline evaluator::EvaluationContext& GoldenContext(const CustomCall& call) {
  return static_cast<evaluator::EvaluationContext&>(call.context);
}

// The targets of the options, and the well-known ones.
runtime::CustomCallMeanings MeaningsOf(const PlanOptions& options);

// Factorisations and systems (custom_calls/exact_linear_algebra.cc).
runtime::custom_calls::Targets ExactLinearAlgebraTargets();

}  // namespace assay

#endif  // ASSAY_INTERPRETER_CUSTOM_CALL_H_
