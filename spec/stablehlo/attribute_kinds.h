// Whether an attribute's value is of the kind that the table of operations says, so that whoever
// reads a program afterwards need not doubt it. Tests: bytecode_errors_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_ATTRIBUTE_KINDS_H_
#define ASSAY_SPEC_STABLEHLO_ATTRIBUTE_KINDS_H_

#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// Returns true if the value is of the field's kind; records and enumerations of its name, too.
bool HasKind(const Field& field, const Attribute& value);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_ATTRIBUTE_KINDS_H_
