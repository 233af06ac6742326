// A value: a dense array in logical row-major order, or a tuple of values. Elements narrower than a
// byte take one byte each. Copying is cheap: arrays are shared until one of the owners writes.
// Tests: literal_test.cc.
#ifndef ASSAY_SPEC_IR_LITERAL_H_
#define ASSAY_SPEC_IR_LITERAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/element/element.h"
#include "spec/ir/boxed.h"
#include "spec/ir/shape.h"

namespace assay {

class Literal {
 public:
  Literal();
  Literal(const Literal&);
  Literal(Literal&&) noexcept;
  Literal& operator=(const Literal&);
  Literal& operator=(Literal&&) noexcept;
  ~Literal();

  // Zero-filled. RESOURCE_EXHAUSTED when the shape needs more than `max_bytes`, before allocating;
  // INVALID_ARGUMENT for unbounded dimensions and negative sizes.
  static absl::StatusOr<Literal> Create(const Shape& shape, int64_t max_bytes = INT64_MAX);
  // As Create, for shapes already known to fit. CHECKs.
  static Literal Zeros(const Shape& shape);
  static Literal Tuple(std::vector<Literal> elements);
  static Literal Token();
  static Literal Scalar(ElementType type, Element value);
  // An array over storage that somebody else made, ByteSize of the shape long.
  static Literal FromBuffer(Shape shape, std::shared_ptr<std::byte[]> buffer);

  // For a bounded dynamic dimension the shape's size is the bound and dynamic_size(d) <= bound.
  const Shape& shape() const { return shape_; }
  ElementType element_type() const { return shape_.element_type(); }
  bool is_tuple() const { return shape_.is_tuple(); }
  bool is_array() const { return shape_.is_array(); }
  int64_t element_count() const { return count_; }
  int64_t byte_size() const;

  const std::byte* data() const { return data_.get(); }
  // Makes the storage this literal's own first.
  std::byte* mutable_data();
  const std::shared_ptr<std::byte[]>& buffer() const { return data_; }
  bool shares_data_with(const Literal& other) const { return data_ == other.data_; }

  // Element at a row-major linear index.
  Element Get(int64_t linear_index) const {
    return LoadElement(shape_.element_type(), data(), linear_index);
  }
  void Set(int64_t linear_index, Element value) {
    StoreElement(shape_.element_type(), value, mutable_data(), linear_index);
  }

  absl::Span<const Literal> elements() const { return elements_; }
  const Literal& element(int64_t i) const { return elements_[i]; }
  std::vector<Literal> ReleaseElements() && { return std::move(elements_); }

  // Current size of a dimension; the shape's size unless set.
  int64_t dynamic_size(int64_t d) const;
  Dimensions current_sizes() const;
  void set_dynamic_size(int64_t d, int64_t size);

  // The same values under another shape of equal structure, element types and counts.
  Literal WithShape(Shape shape) const;

  // Same structure, types, sizes and bit patterns (layouts do not count).
  static bool BitEqual(const Literal& a, const Literal& b);

 private:
  Shape shape_;
  int64_t count_ = 0;
  std::shared_ptr<std::byte[]> data_;
  Boxed<std::vector<int64_t>> dynamic_sizes_;  // none: the shape's
  std::vector<Literal> elements_;
};

// Copies the elements of `from` in the box of these sizes at the origin to `at` in `to`, which has
// the same element type and rank.
void CopyBox(const Literal& from, absl::Span<const int64_t> box, absl::Span<const int64_t> at,
             Literal* to);
// The elements within the current sizes of dynamic dimensions, as a value without such dimensions.
Literal ValidBox(const Literal& literal);

// The leaves of a value (everything that is no tuple) in pre-order, and back.
std::vector<Literal> Flatten(const Literal& literal);
Literal Unflatten(const Shape& shape, absl::Span<const Literal> leaves);

}  // namespace assay

#endif  // ASSAY_SPEC_IR_LITERAL_H_
