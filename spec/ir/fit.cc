#include "spec/ir/fit.h"

namespace assay {

bool FitsShape(const Literal& array, const Shape& shape) {
  if (array.element_type() != shape.element_type() || array.shape().rank() != shape.rank()) {
    return false;
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const int64_t size = array.dynamic_size(d);
    if (shape.is_dynamic_dimension(d) ? size > shape.dimension(d) : size != shape.dimension(d)) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<Literal> UnderShape(const Literal& array, const Shape& shape) {
  const Literal box = ValidBox(array);
  const Dimensions sizes = box.current_sizes();
  if (sizes == Dimensions(shape.dimensions().begin(), shape.dimensions().end())) {
    return box.WithShape(shape);
  }
  absl::StatusOr<Literal> padded = Literal::Create(shape);
  if (!padded.ok()) return padded;
  CopyBox(box, sizes, Dimensions(sizes.size(), 0), &*padded);
  for (size_t d = 0; d < sizes.size(); ++d) padded->set_dynamic_size(d, sizes[d]);
  return padded;
}

}  // namespace assay
