// Tensors that provide elements on demand. An r-tensor only has values, and may compute one each
// time that it is asked; an l-tensor stores them, and can be assigned, whole or through a view of
// it.
//
// Views of views compose into one index translation (spec/views) where they can, so that an element
// through any number of them is one look-up.
// Source: reference ops_structural.md 2 (the document "Tensors"). Tests: seed002_test.cc.
#ifndef ASSAY_EVALUATOR_VIEWS_TENSOR_H_
#define ASSAY_EVALUATOR_VIEWS_TENSOR_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/scalar/scalar_ops.h"
#include "spec/element/element.h"
#include "spec/views/tensor_description.h"
#include "spec/views/view.h"

namespace assay::evaluator {

class RTensor {
 public:
  virtual ~RTensor() = default;
  const TensorDescription& description() const { return *description_; }
  const TensorDescriptionPtr& shared_description() const { return description_; }
  // The element at an index inside the shape.
  virtual Element At(absl::Span<const int64_t> index) const = 0;
  // Whether elements come from the storage that `tensor` describes.
  virtual bool Reads(const TensorDescription& tensor) const {
    return description_->SharesStorageWith(tensor);
  }

 protected:
  explicit RTensor(TensorDescriptionPtr description) : description_(std::move(description)) {}

 private:
  TensorDescriptionPtr description_;
};
using RTensorPtr = std::shared_ptr<const RTensor>;

// A tensor with storage of its own.
class LTensor : public RTensor {
 public:
  // Zeros. The description must be one of DescribeAllocated. RESOURCE_EXHAUSTED above `max_bytes`.
  static absl::StatusOr<std::shared_ptr<LTensor>> Allocate(TensorDescriptionPtr description,
                                                           int64_t max_bytes = INT64_MAX);
  Element At(absl::Span<const int64_t> index) const override;
  // How indices become positions in the storage; what Assign and ViewTensor start from.
  const View& view() const { return view_; }
  int64_t storage_bytes() const { return static_cast<int64_t>(storage_.size()); }

  // x[...] = y: every element of `source` goes to its place in `target`, a view of this tensor.
  // INVALID_ARGUMENT for other sizes or another type; FAILED_PRECONDITION where two elements of the
  // target are one element of the tensor, or `source` may read what is being written.
  absl::Status Assign(const View& target, const RTensor& source);
  absl::Status Assign(const RTensor& source) { return Assign(view_, source); }

 private:
  LTensor(TensorDescriptionPtr description, View view, int64_t cells);

  View view_;
  std::vector<std::byte> storage_;
};
using LTensorPtr = std::shared_ptr<LTensor>;

// The same value at every index: nothing is stored but that.
RTensorPtr ConstantTensor(ElementType dtype, absl::Span<const int64_t> shape, Element value);

// y[i] = sources[s(i)][f(i)]. A position of `view` counts the elements of a source in row-major
// order of its indices. All sources have one element type.
RTensorPtr ViewTensor(const View& view, std::vector<RTensorPtr> sources);
// pred[i] ? on_true[i] : on_false[i]: a complex view whose selector is a tensor.
RTensorPtr SelectTensor(RTensorPtr pred, RTensorPtr on_true, RTensorPtr on_false);
// x + y and its like, element by element; shapes and types agree.
RTensorPtr BinaryTensor(Opcode opcode, RTensorPtr x, RTensorPtr y);

// An l-tensor with the values of an r-tensor.
absl::StatusOr<LTensorPtr> Materialise(const RTensor& tensor, int64_t max_bytes = INT64_MAX);

// The sum of all x[i] * y[i], exact and rounded once; one element of each at a time.
Element InnerProduct(const RTensor& x, const RTensor& y);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_VIEWS_TENSOR_H_
