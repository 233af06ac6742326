// An elementwise instruction on scalars: its function of scalar_ops.h, with the conversions that
// operands of mixed float types need first. The types of a mix agree on the type of the result;
// compare, whose result is pred, agrees on f64, which holds every float. Source: reference
// ops_structural.md 0.3 (fp-mix). Tests: scalar_program_test.cc, definitions_test.cc.
#ifndef ASSAY_EVALUATOR_REGION_SCALAR_CALL_H_
#define ASSAY_EVALUATOR_REGION_SCALAR_CALL_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "evaluator/scalar/scalar_ops.h"
#include "spec/ir/module.h"

namespace assay {

struct ScalarCall {
  ScalarFunction function;
  // What operand k is converted from and to; equal types: nothing to do.
  struct Conversion {
    ElementType from;
    ElementType to;
  };
  absl::InlinedVector<Conversion, 3> conversions;

  Element Argument(int64_t k, Element value) const {
    const Conversion& conversion = conversions[k];
    return conversion.from == conversion.to ? value
                                            : Convert(conversion.from, value, conversion.to);
  }
};

// UNIMPLEMENTED, naming the instruction, where the operation has no scalar definition.
absl::StatusOr<ScalarCall> PrepareScalarCall(const Instruction& instruction);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_REGION_SCALAR_CALL_H_
