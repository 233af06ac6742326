// The width of an element in bitcast-convert. Source: reference ops_elementwise_and_types.md 6.15
// (bitcast_convert_c3). Tests: element_type_test.cc.
#ifndef ASSAY_SPEC_ELEMENT_BITCAST_WIDTH_H_
#define ASSAY_SPEC_ELEMENT_BITCAST_WIDTH_H_

#include "spec/element/element_type.h"

namespace assay {

// Returns the number of bits. pred and the 6-bit floats count as the byte that holds them, so that
// all widths are powers of two.
inline int BitcastWidth(ElementType type) {
  const int bits = Info(type).bits;
  return IsPred(type) || bits == 6 ? 8 : bits;
}

}  // namespace assay

#endif  // ASSAY_SPEC_ELEMENT_BITCAST_WIDTH_H_
