#include "spec/views/tensor_description.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace assay {
namespace {

absl::StatusOr<int64_t> CellsOf(absl::Span<const int64_t> sizes) {
  return Shape(ElementType::kU8, sizes).ElementCount();
}

}  // namespace

Dimensions DenseStrides(absl::Span<const int64_t> sizes, DimensionOrder order) {
  if (order == DimensionOrder::kRowMajor) return RowMajorStrides(sizes);
  Dimensions strides;
  int64_t stride = 1;
  for (int64_t size : sizes) {
    strides.push_back(stride);
    stride *= size;
  }
  return strides;
}

const TensorDescription& TensorDescription::storage() const {
  const TensorDescription* tensor = this;
  while (tensor->view_of != nullptr) tensor = tensor->view_of.get();
  return *tensor;
}

absl::StatusOr<View> TensorDescription::AsView() const {
  if (!layout.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the layout of ", ToString(), " is not known yet"));
  }
  return View::Strided(shape, layout->offset, layout->strides);
}

absl::StatusOr<int64_t> TensorDescription::Position(absl::Span<const int64_t> index) const {
  absl::StatusOr<View> view = AsView();
  if (!view.ok()) return view.status();
  bool inside = index.size() == shape.size();
  for (size_t d = 0; inside && d < index.size(); ++d) inside = index[d] >= 0 && index[d] < shape[d];
  if (!inside) {
    return absl::OutOfRangeError(
        absl::StrCat("index [", absl::StrJoin(index, ","), "] lies outside ", ToString()));
  }
  return view->At(index).position;
}

absl::StatusOr<int64_t> TensorDescription::AllocatedCells() const {
  if (!layout.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the layout of ", ToString(), " is not known yet"));
  }
  return CellsOf(layout->sizes);
}

std::string TensorDescription::ToString() const {
  std::string text =
      absl::StrCat(read_only ? "r-tensor " : "l-tensor ", Shape(dtype, shape).ToString());
  if (layout.has_value()) {
    absl::StrAppend(&text, " strides (", absl::StrJoin(layout->strides, ", "), ") offset ",
                    layout->offset);
  }
  if (view_of != nullptr) absl::StrAppend(&text, ", a view of ", storage().ToString());
  return text;
}

TensorDescriptionPtr DescribeBasic(ElementType dtype, absl::Span<const int64_t> shape) {
  TensorDescription tensor;
  tensor.dtype = dtype;
  tensor.shape.assign(shape.begin(), shape.end());
  return std::make_shared<const TensorDescription>(std::move(tensor));
}

absl::StatusOr<TensorDescriptionPtr> DescribeAllocated(ElementType dtype,
                                                       absl::Span<const int64_t> shape,
                                                       DimensionOrder order,
                                                       absl::Span<const int64_t> sizes) {
  if (sizes.empty()) sizes = shape;
  bool fits = sizes.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) fits = shape[d] >= 0 && sizes[d] >= shape[d];
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("allocated sizes (", absl::StrJoin(sizes, ","),
                                                   ") do not hold a tensor of shape (",
                                                   absl::StrJoin(shape, ","), ")"));
  }
  absl::StatusOr<int64_t> cells = CellsOf(sizes);
  if (!cells.ok()) return cells.status();
  TensorDescription tensor;
  tensor.dtype = dtype;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.read_only = false;
  tensor.layout = StridedLayout{0, DenseStrides(sizes, order), {sizes.begin(), sizes.end()}};
  return std::make_shared<const TensorDescription>(std::move(tensor));
}

absl::StatusOr<TensorDescriptionPtr> DescribeView(const TensorDescriptionPtr& base,
                                                  const View& view) {
  TensorDescription tensor;
  tensor.dtype = base->dtype;
  tensor.shape.assign(view.sizes().begin(), view.sizes().end());
  tensor.read_only = base->read_only;
  tensor.view_of = base;
  if (const ViewPiece* piece = view.affine()) {
    tensor.layout = StridedLayout{piece->offset, piece->strides, {}};
  } else if (view.element_count() == 0) {
    tensor.layout = StridedLayout{0, RowMajorStrides(view.sizes()), {}};
  } else {
    return absl::FailedPreconditionError(
        absl::StrCat("no strides describe the view ", view.ToString(), " of ", base->ToString()));
  }
  return std::make_shared<const TensorDescription>(std::move(tensor));
}

absl::StatusOr<TensorDescriptionPtr> Permute(const TensorDescriptionPtr& base,
                                             absl::Span<const int64_t> permutation) {
  std::vector<int64_t> sorted(permutation.begin(), permutation.end());
  std::sort(sorted.begin(), sorted.end());
  bool fits = static_cast<int64_t>(sorted.size()) == base->rank();
  for (size_t d = 0; fits && d < sorted.size(); ++d) fits = sorted[d] == static_cast<int64_t>(d);
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("(", absl::StrJoin(permutation, ","),
                                                   ") is not a permutation of the dimensions of ",
                                                   base->ToString()));
  }
  auto permute = [&](const Dimensions& list) {
    Dimensions result;
    for (int64_t d : permutation) {
      if (!list.empty()) result.push_back(list[d]);
    }
    return result;
  };
  TensorDescription tensor = *base;
  tensor.shape = permute(base->shape);
  if (base->layout.has_value()) {
    tensor.layout->strides = permute(base->layout->strides);
    tensor.layout->sizes = permute(base->layout->sizes);
  }
  tensor.view_of = base;
  return std::make_shared<const TensorDescription>(std::move(tensor));
}

bool CanWalkFlattened(absl::Span<const TensorDescriptionPtr> tensors) {
  for (const TensorDescriptionPtr& tensor : tensors) {
    if (!tensor->layout.has_value() || tensor->shape != tensors[0]->shape ||
        tensor->layout->strides != tensors[0]->layout->strides) {
      return false;
    }
    // Gap-free: by rising strides every dimension begins where the more minor ones end.
    std::vector<std::pair<int64_t, int64_t>> dimensions;
    for (int64_t d = 0; d < tensor->rank(); ++d) {
      if (tensor->shape[d] != 1) {
        dimensions.emplace_back(tensor->layout->strides[d], tensor->shape[d]);
      }
    }
    std::sort(dimensions.begin(), dimensions.end());
    int64_t expected = 1;
    for (const auto& [stride, size] : dimensions) {
      if (stride != expected) return false;
      expected *= size;
    }
  }
  return true;
}

}  // namespace assay
