#include "spec/ir/shape_table.h"

#include <string>
#include <utility>

#include "absl/hash/hash.h"

namespace assay {

size_t ShapeTable::Hash::operator()(const Shape& shape) const {
  size_t hash = absl::HashOf(shape.element_type(), shape.dimensions());
  for (const Shape& element : shape.tuple_shapes()) hash = absl::HashOf(hash, (*this)(element));
  if (!shape.has_layout()) return hash;
  const Layout& layout = *shape.layout();
  // A layout that says more than an order is rare, and its text has all of it.
  return layout.is_plain() ? absl::HashOf(hash, layout.minor_to_major)
                           : absl::HashOf(hash, shape.ToString(/*with_layout=*/true));
}

std::shared_ptr<const Shape> ShapeTable::Share(Shape shape) {
  if (last_ != nullptr && *last_ == shape) return last_;
  const auto known = shapes_.find(shape);
  last_ = known != shapes_.end()
              ? *known
              : *shapes_.insert(std::make_shared<const Shape>(std::move(shape))).first;
  return last_;
}

}  // namespace assay
