#include "evaluator/views/tensor.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/product_sum.h"

namespace assay::evaluator {
namespace {

class Constant : public RTensor {
 public:
  Constant(TensorDescriptionPtr description, Element value)
      : RTensor(std::move(description)), value_(value) {}
  Element At(absl::Span<const int64_t>) const override { return value_; }

 private:
  Element value_;
};

class Viewed : public RTensor {
 public:
  Viewed(TensorDescriptionPtr description, View view, std::vector<RTensorPtr> sources)
      : RTensor(std::move(description)), view_(std::move(view)), sources_(std::move(sources)) {}
  Element At(absl::Span<const int64_t> index) const override {
    const View::Location location = view_.At(index);
    const RTensor& source = *sources_[location.source];
    return source.At(IndexAt(location.position, source.description().shape));
  }
  bool Reads(const TensorDescription& tensor) const override {
    return std::any_of(sources_.begin(), sources_.end(),
                       [&](const RTensorPtr& source) { return source->Reads(tensor); });
  }

 private:
  View view_;
  std::vector<RTensorPtr> sources_;
};

class Selected : public RTensor {
 public:
  Selected(RTensorPtr pred, RTensorPtr on_true, RTensorPtr on_false)
      : RTensor(DescribeBasic(on_true->description().dtype, on_true->description().shape)),
        pred_(std::move(pred)),
        on_true_(std::move(on_true)),
        on_false_(std::move(on_false)) {}
  Element At(absl::Span<const int64_t> index) const override {
    return (pred_->At(index).bits != 0 ? on_true_ : on_false_)->At(index);
  }
  bool Reads(const TensorDescription& tensor) const override {
    return pred_->Reads(tensor) || on_true_->Reads(tensor) || on_false_->Reads(tensor);
  }

 private:
  RTensorPtr pred_, on_true_, on_false_;
};

class Binary : public RTensor {
 public:
  Binary(Opcode opcode, RTensorPtr x, RTensorPtr y)
      : RTensor(DescribeBasic(ScalarResultType(opcode, x->description().dtype),
                              x->description().shape)),
        opcode_(opcode),
        x_(std::move(x)),
        y_(std::move(y)) {}
  Element At(absl::Span<const int64_t> index) const override {
    return EvaluateBinary(opcode_, x_->description().dtype, x_->At(index), y_->At(index));
  }
  bool Reads(const TensorDescription& tensor) const override {
    return x_->Reads(tensor) || y_->Reads(tensor);
  }

 private:
  Opcode opcode_;
  RTensorPtr x_, y_;
};

}  // namespace

LTensor::LTensor(TensorDescriptionPtr description, View view, int64_t cells)
    : RTensor(std::move(description)),
      view_(std::move(view)),
      storage_(cells * Info(this->description().dtype).storage_bytes) {}

absl::StatusOr<LTensorPtr> LTensor::Allocate(TensorDescriptionPtr description, int64_t max_bytes) {
  absl::StatusOr<int64_t> cells = description->AllocatedCells();
  if (!cells.ok()) return cells.status();
  if (*cells > max_bytes / Info(description->dtype).storage_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the storage of ", description->ToString(), " exceeds ", max_bytes, " bytes"));
  }
  View view = *description->AsView();
  return LTensorPtr(new LTensor(std::move(description), std::move(view), *cells));
}

Element LTensor::At(absl::Span<const int64_t> index) const {
  return LoadElement(description().dtype, storage_.data(), view_.At(index).position);
}

absl::Status LTensor::Assign(const View& target, const RTensor& source) {
  const TensorDescription& from = source.description();
  if (from.dtype != description().dtype || target.sizes() != absl::MakeConstSpan(from.shape)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot assign ", from.ToString(),
                                                   " to the view ", target.ToString(), " of ",
                                                   description().ToString()));
  }
  if (source.Reads(description())) {
    return absl::FailedPreconditionError(
        absl::StrCat(from.ToString(), " reads what would be written; materialise it first"));
  }
  absl::flat_hash_set<int64_t> written;
  absl::Status status = ForEachIndex(target.sizes(), [&](Index index) {
    return written.insert(target.At(index).position).second
               ? absl::OkStatus()
               : absl::FailedPreconditionError(
                     absl::StrCat("two elements of the view ", target.ToString(),
                                  " are one element of ", description().ToString()));
  });
  if (!status.ok()) return status;
  return ForEachIndex(target.sizes(), [&](Index index) {
    StoreElement(from.dtype, source.At(index), storage_.data(), target.At(index).position);
    return absl::OkStatus();
  });
}

RTensorPtr ConstantTensor(ElementType dtype, absl::Span<const int64_t> shape, Element value) {
  return std::make_shared<Constant>(DescribeBasic(dtype, shape), value);
}

RTensorPtr ViewTensor(const View& view, std::vector<RTensorPtr> sources) {
  // A simple view of a stored tensor shares its storage, and says so.
  TensorDescription description = *DescribeBasic(sources[0]->description().dtype, view.sizes());
  if (sources.size() == 1 && sources[0]->description().layout.has_value()) {
    description.view_of = sources[0]->shared_description();
  }
  return std::make_shared<Viewed>(std::make_shared<const TensorDescription>(std::move(description)),
                                  view, std::move(sources));
}

RTensorPtr SelectTensor(RTensorPtr pred, RTensorPtr on_true, RTensorPtr on_false) {
  return std::make_shared<Selected>(std::move(pred), std::move(on_true), std::move(on_false));
}

RTensorPtr BinaryTensor(Opcode opcode, RTensorPtr x, RTensorPtr y) {
  return std::make_shared<Binary>(opcode, std::move(x), std::move(y));
}

absl::StatusOr<LTensorPtr> Materialise(const RTensor& tensor, int64_t max_bytes) {
  const TensorDescription& from = tensor.description();
  absl::StatusOr<TensorDescriptionPtr> description = DescribeAllocated(from.dtype, from.shape);
  if (!description.ok()) return description.status();
  absl::StatusOr<LTensorPtr> result = LTensor::Allocate(*std::move(description), max_bytes);
  if (!result.ok()) return result;
  absl::Status status = (*result)->Assign(tensor);
  if (!status.ok()) return status;
  return result;
}

Element InnerProduct(const RTensor& x, const RTensor& y) {
  const ElementType type = x.description().dtype;
  ProductSum sum(type, y.description().dtype, type);
  ForEachIndex(x.description().shape, [&](Index index) {
    sum.Add(x.At(index), y.At(index));
    return absl::OkStatus();
  }).IgnoreError();
  return sum.Result();
}

}  // namespace assay::evaluator
