// Operations whose sizes are operands: they become the static operation where the sizes are known,
// from constants or from the sizes of arguments. Source: reference stablehlo_format.md 8.6.
// Test: lowering_test.cc.
#include <algorithm>
#include <limits>

#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

// The shape of the result: as declared where that is static, else by the operand of sizes.
Shape StaticShape(OpContext& op, int64_t operand) {
  Shape shape = op.OutShape();
  if (!HasUnboundedDimension(shape)) return shape;
  const std::vector<int64_t> sizes = op.NeedInts(operand, "the shape of the result");
  if (!op.ok()) return shape;
  if (static_cast<int64_t>(sizes.size()) != shape.rank()) {
    op.Fail(absl::StrCat("the shape of the result has ", sizes.size(), " sizes, its type rank ",
                         shape.rank()));
    return shape;
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!shape.is_unbounded_dimension(d) && shape.dimension(d) != sizes[d]) {
      op.Fail(absl::StrCat("dimension ", d, " of the result is ", sizes[d], ", but its type says ",
                           shape.dimension(d)));
      return shape;
    }
    if (sizes[d] < 0) {
      op.Fail(absl::StrCat("dimension ", d, " of the result would be ", sizes[d]));
      return shape;
    }
  }
  return Shape(shape.element_type(), sizes);
}

void LowerDynamicBroadcast(OpContext& op) {
  const Shape shape = StaticShape(op, 1);
  if (op.ok()) op.Return(BroadcastInDim(op, op.In(0), shape, op.Ints("broadcast_dimensions")));
}

void LowerDynamicIota(OpContext& op) {
  const Shape shape = StaticShape(op, 0);
  op.Return(op.Make(Opcode::kIota, shape, Operands(),
                    {{Attr::kIotaDimension, op.Int("iota_dimension")}}));
}

void LowerDynamicReshape(OpContext& op) {
  Shape shape = op.OutShape();
  if (!HasUnboundedDimension(shape) && shape.is_dynamic()) {
    // A bounded result: the sizes are operands in HLO, too.
    std::vector<Instruction*> operands = {op.In(0)};
    Instruction* const sizes = op.Convert(op.In(1), ElementType::kS32);
    for (int64_t d = 0; d < shape.rank() && op.InShape(1).rank() == 1; ++d) {
      Instruction* const one = op.Make(Opcode::kSlice, Shape(ElementType::kS32, {1}), {sizes},
                                       {{Attr::kSlice, Slices{{d, d + 1, 1}}}});
      operands.push_back(op.Reshape(one, {}));
    }
    op.Return(op.Make(Opcode::kDynamicReshape, shape, operands));
    return;
  }
  op.Return(op.Make(Opcode::kReshape, StaticShape(op, 1), {op.In(0)}));
}

void LowerDynamicPad(OpContext& op) {
  const std::vector<int64_t> low = op.NeedInts(2, "the padding in front");
  const std::vector<int64_t> high = op.NeedInts(3, "the padding behind");
  const std::vector<int64_t> interior = op.NeedInts(4, "the interior padding");
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

// What `limit` is above `start`, where it is the sum of that operand and of a constant; empty for
// other values.
std::vector<int64_t> Distance(OpContext& op, int64_t start, int64_t limit) {
  const Instruction* sum = op.In(limit);
  if (sum->opcode() != Opcode::kAdd) return {};
  for (int64_t i = 0; i < 2; ++i) {
    const Literal* known = op.lowering().KnownValue(sum->operand(1 - i));
    if (sum->operand(i) != op.In(start) || known == nullptr) continue;
    return IntsOf(*known).value_or(std::vector<int64_t>());
  }
  return {};
}

// How many steps of `stride` begin from `start` on and in front of `limit`, which may be any
// numbers.
int64_t StepsBetween(int64_t start, int64_t limit, int64_t stride) {
  if (limit <= start) return 0;
  const uint64_t distance = static_cast<uint64_t>(limit) - static_cast<uint64_t>(start);
  const uint64_t steps = (distance - 1) / static_cast<uint64_t>(stride) + 1;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return steps > static_cast<uint64_t>(kMost) ? kMost : static_cast<int64_t>(steps);
}

// A slice whose start is a value: its sizes follow from its range or from the result's type.
void SliceFromKnownSizes(OpContext& op, const std::optional<std::vector<int64_t>>& strides) {
  const Shape& x = op.InShape(0);
  Shape shape = op.OutShape();
  const auto rank = static_cast<size_t>(x.rank());
  const std::vector<int64_t> distance = Distance(op, 1, 2);
  if (!strides || strides->size() != rank || shape.rank() != x.rank() ||
      op.InShape(1).rank() != 1 || op.InShape(1).dimension(0) != x.rank() ||
      (HasUnboundedDimension(shape) && distance.size() != rank)) {
    op.Refuse(absl::StrCat("the range of the slice ", kSizeNotKnown));
    return;
  }
  // The elements from the first to the last one, of which those between steps fall away.
  std::vector<int64_t> sizes, spans;
  Slices steps;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t stride = (*strides)[d];
    if (stride <= 0) {
      op.Fail("strides must be positive");
      return;
    }
    const bool is_declared = !shape.is_unbounded_dimension(static_cast<int64_t>(d));
    sizes.push_back(is_declared ? shape.dimension(static_cast<int64_t>(d))
                                : StepsBetween(0, distance[d], stride));
    const int64_t most = x.dimension(static_cast<int64_t>(d));
    if (sizes.back() > most || (sizes.back() > 0 && (sizes.back() - 1) > (most - 1) / stride)) {
      op.Fail(absl::StrCat("dimension ", d, " of the slice has more elements than ", x.ToString()));
      return;
    }
    spans.push_back(sizes.back() == 0 ? 0 : (sizes.back() - 1) * stride + 1);
    steps.push_back({0, spans.back(), stride});
  }
  std::vector<Instruction*> operands = {op.In(0)};
  for (int64_t d = 0; d < x.rank(); ++d) {
    Instruction* const one = op.Make(Opcode::kSlice, Shape(op.InShape(1).element_type(), {1}),
                                     {op.In(1)}, {{Attr::kSlice, Slices{{d, d + 1, 1}}}});
    operands.push_back(op.Reshape(one, {}));
  }
  Instruction* slice = op.Make(Opcode::kDynamicSlice, Shape(x.element_type(), spans), operands,
                               {{Attr::kDynamicSliceSizes, spans}});
  if (spans != sizes) {
    slice =
        op.Make(Opcode::kSlice, Shape(x.element_type(), sizes), {slice}, {{Attr::kSlice, steps}});
  }
  op.Return(slice);
}

// A slice, or a dynamic slice where only its sizes are known.
void LowerRealDynamicSlice(OpContext& op) {
  const Shape& x = op.InShape(0);
  const auto rank = static_cast<size_t>(x.rank());
  const std::optional<std::vector<int64_t>> start = op.KnownInts(1), limit = op.KnownInts(2),
                                            strides = op.KnownInts(3);
  if (start && limit && strides) {
    if (start->size() != rank || limit->size() != rank || strides->size() != rank) {
      op.Fail(
          absl::StrCat("needs a start, a limit and a stride for each dimension of ", x.ToString()));
      return;
    }
    Slices slices;
    Dimensions sizes;
    for (size_t d = 0; d < rank; ++d) {
      if ((*strides)[d] <= 0) {
        op.Fail("strides must be positive");
        return;
      }
      slices.push_back({(*start)[d], (*limit)[d], (*strides)[d]});
      sizes.push_back(StepsBetween((*start)[d], (*limit)[d], (*strides)[d]));
    }
    op.Return(op.Make(Opcode::kSlice, Shape(x.element_type(), sizes), {op.In(0)},
                      {{Attr::kSlice, slices}}));
    return;
  }
  SliceFromKnownSizes(op, strides);
}

// The sizes of a gather's slices that a static result has: 1 where a dimension is not among the
// result's, which such a dimension must be unless nothing is gathered. Empty where they do not
// follow.
std::vector<int64_t> SlicesOfResult(OpContext& op) {
  const Shape result = op.OutShape();
  const Attribute* numbers = op.Need("dimension_numbers");
  const std::vector<int64_t> offsets = op.FieldInts(numbers, "offset_dims");
  std::vector<int64_t> absent = op.FieldInts(numbers, "collapsed_slice_dims");
  const std::vector<int64_t> batch = op.FieldInts(numbers, "operand_batching_dims");
  absent.insert(absent.end(), batch.begin(), batch.end());
  std::vector<int64_t> sizes;
  size_t next = 0;
  for (int64_t d = 0; op.ok() && d < op.InShape(0).rank(); ++d) {
    if (std::find(absent.begin(), absent.end(), d) != absent.end()) {
      sizes.push_back(1);
      continue;
    }
    const int64_t place = next < offsets.size() ? offsets[next++] : -1;
    if (place < 0 || place >= result.rank() || result.is_dynamic_dimension(place)) return {};
    sizes.push_back(result.dimension(place));
  }
  return sizes;
}

void LowerDynamicGather(OpContext& op) {
  std::vector<int64_t> sizes;
  if (!op.KnownInts(2)) sizes = SlicesOfResult(op);
  if (sizes.empty()) sizes = op.NeedInts(2, "the size of the slices");
  if (op.ok()) MakeGather(op, std::move(sizes));
}

void LowerDynamicConvolution(OpContext& op) {
  const std::vector<int64_t> values = op.NeedInts(2, "the padding");
  const size_t count =
      op.FieldInts(op.Need("dimension_numbers"), "kernel_spatial_dimensions").size();
  if (op.ok() && values.size() != 2 * count) {
    op.Fail(
        absl::StrCat("the padding must have ", count, " pairs, found ", values.size(), " numbers"));
  }
  if (!op.ok()) return;
  std::vector<std::pair<int64_t, int64_t>> paddings;
  for (size_t i = 0; i < count; ++i) paddings.emplace_back(values[2 * i], values[2 * i + 1]);
  MakeConvolution(op, paddings);
}

constexpr Handler kDynamicOperations[] = {
    {"dynamic_broadcast_in_dim", 2, 1, 0, LowerDynamicBroadcast},
    {"dynamic_iota", 1, 1, 0, LowerDynamicIota},
    {"dynamic_reshape", 2, 1, 0, LowerDynamicReshape},
    {"dynamic_pad", 5, 1, 0, LowerDynamicPad},
    {"real_dynamic_slice", 4, 1, 0, LowerRealDynamicSlice},
    {"dynamic_gather", 3, 1, 0, LowerDynamicGather},
    {"dynamic_conv", 3, 1, 0, LowerDynamicConvolution},
};

}  // namespace

absl::Span<const Handler> DynamicHandlers() { return kDynamicOperations; }

}  // namespace assay::stablehlo
