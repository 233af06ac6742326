// Operations that move elements: broadcasts, slices, pads, sizes of dimensions.
// Source: reference stablehlo_format.md 7. Test: to_module_test.cc.
#include <algorithm>
#include <numeric>

#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {

// The operand spread over a shape: its dimension i becomes dimension `dimensions[i]`, or is of size
// 1. HLO's broadcast wants ascending dimensions and sizes that do not change.
Instruction* BroadcastInDim(OpContext& op, Instruction* x, Shape shape,
                            std::vector<int64_t> dimensions) {
  const Shape& from = x->shape();
  if (static_cast<int64_t>(dimensions.size()) != from.rank()) {
    op.Fail(absl::StrCat("broadcast_dimensions has ", dimensions.size(),
                         " numbers for an operand of rank ", from.rank()));
    return x;
  }
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t d = dimensions[i];
    if (d < 0 || d >= shape.rank()) {
      op.Fail(absl::StrCat("broadcast_dimensions holds ", d, ", but the result has rank ",
                           shape.rank()));
      return x;
    }
    if (from.dimension(i) != shape.dimension(d) && from.dimension(i) != 1) {
      op.Fail(absl::StrCat("dimension ", i, " of ", from.ToString(), " does not become dimension ",
                           d, " of ", shape.ToString()));
      return x;
    }
  }
  if (!std::is_sorted(dimensions.begin(), dimensions.end())) {
    std::vector<int64_t> order(dimensions.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return dimensions[a] < dimensions[b]; });
    Dimensions sizes;
    std::vector<int64_t> sorted;
    for (const int64_t i : order) {
      sizes.push_back(from.dimension(i));
      sorted.push_back(dimensions[i]);
    }
    x = op.Make(Opcode::kTranspose, Shape(from.element_type(), sizes), {x},
                {{Attr::kDimensions, order}});
    dimensions = std::move(sorted);
  }
  // Dimensions of size 1 that grow are taken away first.
  Dimensions sizes;
  std::vector<int64_t> kept;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t size = x->shape().dimension(static_cast<int64_t>(i));
    if (size != shape.dimension(dimensions[i])) continue;
    sizes.push_back(size);
    kept.push_back(dimensions[i]);
  }
  if (kept.size() != dimensions.size()) x = op.Reshape(x, sizes);
  shape.set_element_type(x->shape().element_type());
  return op.Make(Opcode::kBroadcast, std::move(shape), {x}, {{Attr::kDimensions, kept}});
}

namespace {

void LowerBroadcastInDim(OpContext& op) {
  op.Return(BroadcastInDim(op, op.In(0), op.OutShape(), op.Ints("broadcast_dimensions")));
}

void LowerBroadcast(OpContext& op) {
  const std::vector<int64_t> sizes = op.Ints("broadcast_sizes");
  const Shape& from = op.InShape(0);
  Dimensions all(sizes.begin(), sizes.end());
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < from.rank(); ++d) {
    all.push_back(from.dimension(d));
    dimensions.push_back(static_cast<int64_t>(sizes.size()) + d);
  }
  op.Return(op.Make(Opcode::kBroadcast, Shape(from.element_type(), all), {op.In(0)},
                    {{Attr::kDimensions, dimensions}}));
}

void LowerSlice(OpContext& op) {
  const std::vector<int64_t> start = op.Ints("start_indices");
  const std::vector<int64_t> limit = op.Ints("limit_indices");
  const std::vector<int64_t> strides = op.IntsOr("strides", std::vector<int64_t>(start.size(), 1));
  const Shape& from = op.InShape(0);
  const auto rank = static_cast<size_t>(from.rank());
  if (start.size() != rank || limit.size() != rank || strides.size() != rank) {
    op.Fail(absl::StrCat("needs a start, a limit and a stride for each dimension of ",
                         from.ToString()));
    return;
  }
  Slices slices;
  Dimensions sizes;
  for (size_t d = 0; d < rank; ++d) {
    if (strides[d] <= 0) {
      op.Fail("strides must be positive");
      return;
    }
    slices.push_back({start[d], limit[d], strides[d]});
    sizes.push_back(std::max<int64_t>(0, (limit[d] - start[d] + strides[d] - 1) / strides[d]));
  }
  Shape shape = op.OutShape();
  if (HasUnboundedDimension(shape)) shape = Shape(from.element_type(), sizes);
  op.Return(op.Make(Opcode::kSlice, std::move(shape), {op.In(0)}, {{Attr::kSlice, slices}}));
}

void LowerDynamicSlice(OpContext& op) {
  const std::vector<int64_t> sizes = op.Ints("slice_sizes");
  Shape shape = op.OutShape();
  if (HasUnboundedDimension(shape)) shape = Shape(op.InShape(0).element_type(), sizes);
  op.Return(op.Make(Opcode::kDynamicSlice, std::move(shape), op.inputs(),
                    {{Attr::kDynamicSliceSizes, sizes}}));
}

void LowerDynamicUpdateSlice(OpContext& op) {
  Shape shape = op.OutShape();
  if (HasUnboundedDimension(shape)) shape = op.InShape(0);
  op.Return(op.Make(Opcode::kDynamicUpdateSlice, std::move(shape), op.inputs()));
}

void LowerPad(OpContext& op) {
  const std::vector<int64_t> low = op.Ints("edge_padding_low");
  const std::vector<int64_t> high = op.Ints("edge_padding_high");
  const std::vector<int64_t> interior = op.Ints("interior_padding");
  if (low.size() != high.size() || low.size() != interior.size()) {
    op.Fail("the three lists of paddings must be equally long");
    return;
  }
  PaddingConfig padding;
  for (size_t d = 0; d < low.size(); ++d) {
    padding.dimensions.push_back({low[d], high[d], interior[d]});
  }
  op.Return(
      op.Make(Opcode::kPad, op.OutShape(), {op.In(0), op.In(1)}, {{Attr::kPadding, padding}}));
}

// Sizes of static dimensions are constants.
void LowerGetDimensionSize(OpContext& op) {
  const int64_t dimension = op.Int("dimension");
  const Shape& shape = op.InShape(0);
  if (dimension < 0 || dimension >= shape.rank()) {
    op.Fail(absl::StrCat("there is no dimension ", dimension, " of ", shape.ToString()));
    return;
  }
  if (shape.is_dynamic_dimension(dimension)) {
    LowerByRow(op);
    return;
  }
  op.Return(op.ConstantInt(ElementType::kS32, shape.dimension(dimension)));
}

// Setting a dimension to its bound makes it static.
void LowerSetDimensionSize(OpContext& op) {
  const int64_t dimension = op.Int("dimension");
  const Shape& from = op.InShape(0);
  if (dimension < 0 || dimension >= from.rank()) {
    op.Fail(absl::StrCat("there is no dimension ", dimension, " of ", from.ToString()));
    return;
  }
  Shape shape(from.element_type(), from.dimensions());
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (from.is_dynamic_dimension(d)) shape.set_dynamic_dimension(d, true);
  }
  const std::optional<std::vector<int64_t>> size = op.KnownInts(1);
  const bool full = size && size->size() == 1 && (*size)[0] == from.dimension(dimension);
  shape.set_dynamic_dimension(dimension, !full);
  const Shape declared = op.OutShape();
  if (!HasUnboundedDimension(declared) && Shape::Compatible(declared, shape)) shape = declared;
  Instruction* bound = op.In(1);
  if (bound->shape().element_type() != ElementType::kS32) {
    bound = op.Convert(bound, ElementType::kS32);
  }
  op.Return(op.Make(Opcode::kSetDimensionSize, std::move(shape), {op.In(0), bound},
                    {{Attr::kDimension, dimension}}));
}

void LowerConcatenate(OpContext& op) {
  op.Return(op.Make(Opcode::kConcatenate, op.OutShape(), op.inputs(),
                    {{Attr::kDimension, op.Int("dimension")}}));
}

constexpr Handler kMovement[] = {
    {"broadcast_in_dim", 1, 1, 0, LowerBroadcastInDim},
    {"broadcast", 1, 1, 0, LowerBroadcast},
    {"slice", 1, 1, 0, LowerSlice},
    {"dynamic_slice", 1, 1, 0, LowerDynamicSlice},
    {"dynamic_update_slice", 2, 1, 0, LowerDynamicUpdateSlice},
    {"pad", 2, 1, 0, LowerPad},
    {"concatenate", 1, 1, 0, LowerConcatenate},
    {"get_dimension_size", 1, 1, 0, LowerGetDimensionSize},
    {"set_dimension_size", 2, 1, 0, LowerSetDimensionSize},
};

}  // namespace

absl::Span<const Handler> MovementHandlers() { return kMovement; }

}  // namespace assay::stablehlo
