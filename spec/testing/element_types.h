// Sets of element types that tests enumerate.
#ifndef ASSAY_SPEC_TESTING_ELEMENT_TYPES_H_
#define ASSAY_SPEC_TESTING_ELEMENT_TYPES_H_

#include <vector>

#include "spec/element/element_type.h"

namespace assay {

// Returns the floating-point types, without the complex ones.
inline std::vector<ElementType> FloatTypes() {
  std::vector<ElementType> types;
  for (const ElementType type : kArrayTypes) {
    if (IsFloat(type)) types.push_back(type);
  }
  return types;
}

}  // namespace assay

#endif  // ASSAY_SPEC_TESTING_ELEMENT_TYPES_H_
