// Which reducers are recognised, so that their result is the exact one rounded once whatever the
// order. A closed list: add, multiply, minimum, maximum, and, or, xor of the two parameters, also
// commuted; one of these in a pair of conversions (convert to a wider type, combine, convert back);
// the variadic minimum or maximum with index. Everything else runs as written, in the golden order.
// Tests: reducer_test.cc.
#ifndef ASSAY_EVALUATOR_REGION_REDUCER_H_
#define ASSAY_EVALUATOR_REGION_REDUCER_H_

#include "spec/ir/module.h"

namespace assay {

enum class ReducerKind {
  kOther,
  kAdd,
  kMultiply,
  kMinimum,
  kMaximum,
  kAnd,
  kOr,
  kXor,
  kArgMinimum,  // (value, index) pairs
  kArgMaximum,
};

struct Reducer {
  ReducerKind kind = ReducerKind::kOther;
  // For the form in a pair of conversions: the type between them; else the type of the elements.
  ElementType inner_type = ElementType::kInvalid;
};

Reducer RecogniseReducer(const Computation& computation);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_REGION_REDUCER_H_
