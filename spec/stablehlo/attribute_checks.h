// Whether attributes have the kinds that the rows of operations ask for. Tests:
// text_parser_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_ATTRIBUTE_CHECKS_H_
#define ASSAY_SPEC_STABLEHLO_ATTRIBUTE_CHECKS_H_

#include <string>

#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// The attribute as one of the field's kind: itself; or, of a dense constant where older versions
// had one, the list of its elements. Null where it is of another kind.
const Attribute* AsFieldKind(Program& program, const Field& field, const Attribute* value);

// "a list of 64-bit integers": for messages.
std::string DescribeKind(const Field& field);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_ATTRIBUTE_CHECKS_H_
