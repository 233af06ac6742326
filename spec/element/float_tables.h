// Decoding tables of the float types of at most 8 bits, indexed by the byte that holds the element
// (surplus high bits are ignored). Private to spec/element. Tests: float_exhaustive_test.cc.
#ifndef ASSAY_SPEC_ELEMENT_FLOAT_TABLES_H_
#define ASSAY_SPEC_ELEMENT_FLOAT_TABLES_H_

#include <array>

#include "spec/element/element_type.h"

namespace assay::float_tables {

using ByteTable = std::array<double, 256>;
const ByteTable& ByteDecoder(ElementType type);

}  // namespace assay::float_tables

#endif  // ASSAY_SPEC_ELEMENT_FLOAT_TABLES_H_
