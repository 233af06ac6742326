// The arrays inside a shape, in the order in which array files number them. Test: session_test.cc.
#ifndef ASSAY_INTERPRETER_SESSION_ARRAYS_H_
#define ASSAY_INTERPRETER_SESSION_ARRAYS_H_

#include <vector>

#include "spec/ir/shape.h"

namespace assay {

struct ArrayLeaf {
  const Shape* shape;
  ShapeIndex index;
};
// Depth first; tokens and the like are passed over.
std::vector<ArrayLeaf> ArrayLeaves(const Shape& shape);

}  // namespace assay

#endif  // ASSAY_INTERPRETER_SESSION_ARRAYS_H_
