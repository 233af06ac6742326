// Descriptions of tensors: what is known about a tensor before, and about its storage after,
// somebody has allocated it. An r-tensor provides values; an l-tensor has storage that can be
// assigned.
//
// Element i of a laid-out tensor stands at offset + sum i_d * strides_d, in elements from the begin
// of its storage. Allocated sizes may exceed the shape, for alignment. A view shares the storage of
// the tensor that it is a view of, and its description says so.
// Source: reference ops_structural.md 2 (the document "Tensors"). Tests: seed002_test.cc.
#ifndef ASSAY_SPEC_VIEWS_TENSOR_DESCRIPTION_H_
#define ASSAY_SPEC_VIEWS_TENSOR_DESCRIPTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/element/element_type.h"
#include "spec/ir/shape.h"
#include "spec/views/view.h"

namespace assay {

enum class DimensionOrder { kRowMajor, kColumnMajor };

// Strides of an allocation of these sizes: partial products from the right, or from the left.
Dimensions DenseStrides(absl::Span<const int64_t> sizes, DimensionOrder order);

struct StridedLayout {
  int64_t offset = 0;
  Dimensions strides;
  // Allocated sizes, by dimension; at least the shape's. Empty for views: they allocate nothing.
  Dimensions sizes;
  friend bool operator==(const StridedLayout&, const StridedLayout&) = default;
};

struct TensorDescription {
  ElementType dtype = ElementType::kInvalid;
  Dimensions shape;
  bool read_only = true;                // an r-tensor
  std::optional<StridedLayout> layout;  // nullopt: not known yet
  // The tensor whose storage this one shares; null for one of its own.
  std::shared_ptr<const TensorDescription> view_of;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  // The tensor at the end of the chain of views.
  const TensorDescription& storage() const;
  bool SharesStorageWith(const TensorDescription& other) const {
    return &storage() == &other.storage();
  }
  // How indices become positions in the storage. FAILED_PRECONDITION without a layout.
  absl::StatusOr<View> AsView() const;
  // The position of an element. OUT_OF_RANGE outside the shape; FAILED_PRECONDITION without layout.
  absl::StatusOr<int64_t> Position(absl::Span<const int64_t> index) const;
  // Cells of the allocation of a tensor with storage of its own. INVALID_ARGUMENT where they
  // overflow 63 bits.
  absl::StatusOr<int64_t> AllocatedCells() const;

  std::string ToString() const;
};

using TensorDescriptionPtr = std::shared_ptr<const TensorDescription>;

// A basic description: type and shape alone, of an r-tensor.
TensorDescriptionPtr DescribeBasic(ElementType dtype, absl::Span<const int64_t> shape);

// An l-tensor with storage of its own. Aligned `sizes` (empty: the shape) are at least the shape.
// INVALID_ARGUMENT for others, negative sizes, and allocations that overflow 63 bits.
absl::StatusOr<TensorDescriptionPtr> DescribeAllocated(
    ElementType dtype, absl::Span<const int64_t> shape,
    DimensionOrder order = DimensionOrder::kRowMajor, absl::Span<const int64_t> sizes = {});

// The description of a simple view of `base`; `view` translates to positions in base's storage, as
// base.AsView() and what is made of it does. FAILED_PRECONDITION if it is not affine: such a view
// is an r-tensor without layout.
absl::StatusOr<TensorDescriptionPtr> DescribeView(const TensorDescriptionPtr& base,
                                                  const View& view);

// Strides, shape and sizes permuted alike: the transpose, without a look at any element.
absl::StatusOr<TensorDescriptionPtr> Permute(const TensorDescriptionPtr& base,
                                             absl::Span<const int64_t> permutation);

// Whether one counter can walk over the elements of all of them: equal shapes and strides, and no
// gaps between the elements.
bool CanWalkFlattened(absl::Span<const TensorDescriptionPtr> tensors);

}  // namespace assay

#endif  // ASSAY_SPEC_VIEWS_TENSOR_DESCRIPTION_H_
