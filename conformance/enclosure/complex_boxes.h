// Elementwise operations on boxes of complex numbers, by interval arithmetic on the formula of the
// exact function. Source: reference ops_elementwise_and_types.md 6.12. Tests: enclosure_test.cc,
// containment_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_COMPLEX_BOXES_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_COMPLEX_BOXES_H_

#include <functional>

#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/interval.h"

namespace assay::conformance {

// Returns the values of a function of complex intervals, or null if there is no rule.
using ComplexFunction = std::function<ComplexInterval(absl::Span<const ComplexInterval>)>;
ComplexFunction FindComplexFunction(const Instruction& instruction);

// Returns a box of all golden values for operands inside the boxes. `golden` is the value at the
// operands' lower ends. Elements whose operands are points have that value.
Box EncloseComplex(const ComplexFunction& function, Boxes operands, Literal golden);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_COMPLEX_BOXES_H_
