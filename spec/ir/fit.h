// Values under shapes that bound their sizes. Tests: arguments_test.cc, transfers_test.cc.
#ifndef ASSAY_SPEC_IR_FIT_H_
#define ASSAY_SPEC_IR_FIT_H_

#include "absl/status/statusor.h"
#include "spec/ir/literal.h"
#include "spec/ir/shape.h"

namespace assay {

// Whether an array is a value of the shape: sizes are equal, or smaller where the shape's dimension
// is dynamic. Layouts do not count.
bool FitsShape(const Literal& array, const Shape& shape);
// The array as that value; it must fit. INVALID_ARGUMENT for a bound that cannot be stored.
absl::StatusOr<Literal> UnderShape(const Literal& array, const Shape& shape);

}  // namespace assay

#endif  // ASSAY_SPEC_IR_FIT_H_
