// What these functions demand beyond the rules of the operations that they make (spec/ops). Tests:
// builder_clauses_test.cc.
//   constant_r0_c1 there are scalars of the type
//   constant_r0_c2 an integer's value fits 64 bits
//   broadcast_in_dim_c1 broadcast_dimensions has an entry per dimension of the operand, an array
//   broadcast_in_dim_c2 which rise strictly within the rank of the result
//   broadcast_in_dim_c3 sizes are 1 or those of the result
//   reshape_c3 dimensions is a permutation of those of the operand
//   reshape_c4 a shape to reshape to has the element type of the operand
//   dynamic_reshape_c5 there is a flag per bound
//   collapse_c1 dimensions are neighbours, in order, of the operand
//   collapse_c2 whose sizes multiply within 63 bits
//   pad_in_dim_c1 the dimension is in range
//   slice_c7 starts, limits and strides (if any) are as many
//   slice_in_dim_c1 the dimension is in range
//   slice_2017_c1 in 2017 a slice is not empty
#include "spec/builder/movement.h"

#include <algorithm>

#include "spec/builder/implicit_broadcast.h"
#include "spec/builder/lowering_2017.h"

namespace assay {

using builder_internal::Counting;
using builder_internal::Join;
using builder_internal::Maker;
using builder_internal::ToVector;

Op Constant(Builder* builder, const Literal& literal, CallSite site) {
  return Maker("Constant", site, {}, builder).Constant(literal);
}

Op ConstantLiteral(Builder* builder, const Literal& literal, CallSite site) {
  return Maker("ConstantLiteral", site, {}, builder).Constant(literal);
}

Op ConstantR0(Builder* builder, ElementType type, double value, CallSite site) {
  Maker maker("ConstantR0", site, {}, builder);
  ASSAY_MAKER_REQUIRE(maker, "constant_r0_c1", IsArray(type), "there is no scalar of ", Name(type));
  if (IsFloat(type) || IsComplex(type)) {
    const ElementType component = IsComplex(type) ? Info(type).component : type;
    return maker.Constant(Literal::Scalar(type, {EncodeFloat(component, value), 0}));
  }
  ASSAY_MAKER_REQUIRE(maker, "constant_r0_c2", value >= -0x1p63 && value < 0x1p63, value,
                      " is not a value of ", Name(type));
  return maker.Constant(type, static_cast<int64_t>(value));
}

Op Iota(Builder* builder, const Shape& shape, int64_t iota_dimension, CallSite site) {
  Maker maker("Iota", site, {}, builder);
  return maker.Make(Opcode::kIota, {}, {{Attr::kIotaDimension, iota_dimension}}, shape);
}

Op Broadcast(Op operand, absl::Span<const int64_t> broadcast_sizes, CallSite site) {
  Maker maker("Broadcast", site, {operand});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& shape = maker.ShapeOf(operand);
  std::vector<int64_t> sizes = ToVector(broadcast_sizes);
  const int64_t added = static_cast<int64_t>(sizes.size());
  sizes.insert(sizes.end(), shape.dimensions().begin(), shape.dimensions().end());
  Shape result(shape.element_type(), sizes);
  std::vector<int64_t> map;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    map.push_back(added + d);
    if (shape.is_dynamic_dimension(d)) result.set_dynamic_dimension(added + d, true);
  }
  return maker.Make(Opcode::kBroadcast, {operand}, {{Attr::kDimensions, map}}, result);
}

Op BroadcastInDim(Op operand, absl::Span<const int64_t> out_dim_size,
                  absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  Maker maker("BroadcastInDim", site, {operand});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& shape = maker.ShapeOf(operand);
  const int64_t rank = static_cast<int64_t>(out_dim_size.size());
  const absl::Span<const int64_t> map = broadcast_dimensions;
  ASSAY_MAKER_REQUIRE(maker, "broadcast_in_dim_c1",
                      shape.is_array() && static_cast<int64_t>(map.size()) == shape.rank(),
                      "broadcast_dimensions ", ListText(map),
                      " must have an entry per dimension of ", shape.ToString());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    ASSAY_MAKER_REQUIRE(maker, "broadcast_in_dim_c2",
                        map[d] >= 0 && map[d] < rank && (d == 0 || map[d] > map[d - 1]),
                        "broadcast_dimensions ", ListText(map), " must rise strictly within [0, ",
                        rank, ")");
    const int64_t size = shape.dimension(d);
    ASSAY_MAKER_REQUIRE(maker, "broadcast_in_dim_c3", size == 1 || size == out_dim_size[map[d]],
                        "dimension ", d, " of ", shape.ToString(), " must have size 1 or ",
                        out_dim_size[map[d]]);
  }
  return builder_internal::Stretch(maker, operand, map, out_dim_size);
}

Op Reshape(Op operand, absl::Span<const int64_t> new_sizes, CallSite site) {
  Maker maker("Reshape", site, {operand});
  return maker.Make(Opcode::kReshape, {operand}, {},
                    Shape(maker.ShapeOf(operand).element_type(), new_sizes));
}

Op Reshape(Op operand, absl::Span<const int64_t> dimensions, absl::Span<const int64_t> new_sizes,
           CallSite site) {
  Maker maker("Reshape", site, {operand});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& shape = maker.ShapeOf(operand);
  std::vector<int64_t> order = ToVector(dimensions);
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  ASSAY_MAKER_REQUIRE(maker, "reshape_c3", shape.is_array() && sorted == Counting(shape.rank()),
                      "dimensions ", ListText(dimensions), " must be a permutation of those of ",
                      shape.ToString());
  const bool in_order = order == sorted;
  const ElementType type = shape.element_type();
  const Op ordered =
      in_order ? operand : maker.Make(Opcode::kTranspose, {operand}, {{Attr::kDimensions, order}});
  return maker.Make(Opcode::kReshape, {ordered}, {}, Shape(type, new_sizes));
}

Op Reshape(const Shape& shape, Op operand, CallSite site) {
  Maker maker("Reshape", site, {operand});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& given = maker.ShapeOf(operand);
  ASSAY_MAKER_REQUIRE(maker, "reshape_c4", shape.element_type() == given.element_type(),
                      "the shape must have the element type of ", given.ToString(), ", found ",
                      shape.ToString());
  return maker.Make(Opcode::kReshape, {operand}, {}, shape);
}

Op DynamicReshape(Op operand, absl::Span<const Op> dim_sizes,
                  absl::Span<const int64_t> new_size_bounds,
                  const std::vector<bool>& dims_are_dynamic, CallSite site) {
  const std::vector<Op> operands = Join({{operand}, dim_sizes});
  Maker maker("DynamicReshape", site, operands);
  ASSAY_MAKER_REQUIRE(
      maker, "dynamic_reshape_c5", dims_are_dynamic.size() == new_size_bounds.size(), "there are ",
      new_size_bounds.size(), " bounds, but ", dims_are_dynamic.size(), " dynamic flags");
  Shape result(maker.ShapeOf(operand).element_type(), new_size_bounds);
  for (size_t d = 0; d < dims_are_dynamic.size(); ++d) {
    if (dims_are_dynamic[d]) result.set_dynamic_dimension(d, true);
  }
  return maker.Make(Opcode::kDynamicReshape, operands, {}, result);
}

Op Collapse(Op operand, absl::Span<const int64_t> dimensions, CallSite site) {
  Maker maker("Collapse", site, {operand});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& shape = maker.ShapeOf(operand);
  const int64_t count = static_cast<int64_t>(dimensions.size());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t d = dimensions[i];
    ASSAY_MAKER_REQUIRE(
        maker, "collapse_c1", d >= 0 && d < shape.rank() && (i == 0 || d == dimensions[i - 1] + 1),
        "dimensions ", ListText(dimensions), " must be neighbours in order, of ", shape.ToString());
  }
  if (count < 2) return operand;
  std::vector<int64_t> sizes = ToVector(shape.dimensions().subspan(0, dimensions[0]));
  int64_t product = 1;
  for (int64_t d : dimensions) {
    ASSAY_MAKER_REQUIRE(maker, "collapse_c2",
                        !__builtin_mul_overflow(product, shape.dimension(d), &product),
                        "the size of the new dimension overflows 63 bits");
  }
  sizes.push_back(product);
  for (int64_t d = dimensions.back() + 1; d < shape.rank(); ++d)
    sizes.push_back(shape.dimension(d));
  return maker.Make(Opcode::kReshape, {operand}, {}, Shape(shape.element_type(), sizes));
}

Op Transpose(Op operand, absl::Span<const int64_t> permutation, CallSite site) {
  Maker maker("Transpose", site, {operand});
  return maker.Make(Opcode::kTranspose, {operand}, {{Attr::kDimensions, ToVector(permutation)}});
}

Op Rev(Op operand, absl::Span<const int64_t> dimensions, CallSite site) {
  Maker maker("Rev", site, {operand});
  return maker.Make(Opcode::kReverse, {operand}, {{Attr::kDimensions, ToVector(dimensions)}});
}

Op Concatenate(absl::Span<const Op> operands, int64_t dimension, CallSite site) {
  Maker maker("Concatenate", site, operands);
  return maker.Make(Opcode::kConcatenate, operands, {{Attr::kDimension, dimension}});
}

Op ConcatInDim(absl::Span<const Op> operands, int64_t dimension, CallSite site) {
  Maker maker("ConcatInDim", site, operands);
  return maker.Make(Opcode::kConcatenate, operands, {{Attr::kDimension, dimension}});
}

Op Pad(Op operand, Op padding_value, const PaddingConfig& padding_config, CallSite site) {
  Maker maker("Pad", site, {operand, padding_value});
  return maker.Make(Opcode::kPad, {operand, padding_value}, {{Attr::kPadding, padding_config}});
}

Op PadInDim(Op operand, Op padding_value, int64_t dimension, int64_t pad_lo, int64_t pad_hi,
            CallSite site) {
  Maker maker("PadInDim", site, {operand, padding_value});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& shape = maker.ShapeOf(operand);
  ASSAY_MAKER_REQUIRE(maker, "pad_in_dim_c1", dimension >= 0 && dimension < shape.rank(),
                      "dimension ", dimension, " is none of ", shape.ToString());
  PaddingConfig config;
  config.dimensions.resize(shape.rank());
  config.dimensions[dimension] = {pad_lo, pad_hi, 0};
  return maker.Make(Opcode::kPad, {operand, padding_value}, {{Attr::kPadding, config}});
}

namespace {

Op SliceRanges(Maker& maker, const Op& operand, Slices ranges) {
  for (const SliceRange& range : ranges) {
    ASSAY_MAKER_REQUIRE(
        maker, "slice_2017_c1", maker.semantics() == Semantics::kToday || range.start < range.limit,
        "in 2017 a slice may not be empty, found [", range.start, ":", range.limit, "]");
  }
  return maker.Make(Opcode::kSlice, {operand}, {{Attr::kSlice, std::move(ranges)}});
}

}  // namespace

Op Slice(Op operand, absl::Span<const int64_t> start_indices,
         absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides,
         CallSite site) {
  Maker maker("Slice", site, {operand});
  ASSAY_MAKER_REQUIRE(maker, "slice_c7",
                      limit_indices.size() == start_indices.size() &&
                          (strides.empty() || strides.size() == start_indices.size()),
                      "starts ", ListText(start_indices), ", limits ", ListText(limit_indices),
                      " and strides ", ListText(strides), " must have one length");
  Slices ranges(start_indices.size());
  for (size_t d = 0; d < ranges.size(); ++d) {
    ranges[d] = {start_indices[d], limit_indices[d], strides.empty() ? 1 : strides[d]};
  }
  return SliceRanges(maker, operand, std::move(ranges));
}

Op SliceInDim(Op operand, int64_t start_index, int64_t limit_index, int64_t stride,
              int64_t dimension, CallSite site) {
  Maker maker("SliceInDim", site, {operand});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& shape = maker.ShapeOf(operand);
  ASSAY_MAKER_REQUIRE(maker, "slice_in_dim_c1", dimension >= 0 && dimension < shape.rank(),
                      "dimension ", dimension, " is none of ", shape.ToString());
  Slices ranges(shape.rank());
  for (int64_t d = 0; d < shape.rank(); ++d) ranges[d].limit = shape.dimension(d);
  ranges[dimension] = {start_index, limit_index, stride};
  return SliceRanges(maker, operand, std::move(ranges));
}

Op DynamicSlice(Op operand, Op start_indices, absl::Span<const int64_t> slice_sizes,
                CallSite site) {
  return DynamicSlice(operand, absl::MakeConstSpan(&start_indices, 1), slice_sizes, site);
}

Op DynamicSlice(Op operand, absl::Span<const Op> start_indices,
                absl::Span<const int64_t> slice_sizes, CallSite site) {
  const std::vector<Op> operands = Join({{operand}, start_indices});
  Maker maker("DynamicSlice", site, operands);
  if (maker.ok() && maker.semantics() == Semantics::k2017) {
    return builder_internal::DynamicSlice2017(maker, operand, start_indices, slice_sizes);
  }
  const std::vector<Op> starts =
      builder_internal::ScalarStarts(maker, maker.ShapeOf(operand), start_indices);
  return maker.Make(Opcode::kDynamicSlice, Join({{operand}, starts}),
                    {{Attr::kDynamicSliceSizes, ToVector(slice_sizes)}});
}

Op DynamicUpdateSlice(Op operand, Op update, Op start_indices, CallSite site) {
  return DynamicUpdateSlice(operand, update, absl::MakeConstSpan(&start_indices, 1), site);
}

Op DynamicUpdateSlice(Op operand, Op update, absl::Span<const Op> start_indices, CallSite site) {
  const std::vector<Op> operands = Join({{operand, update}, start_indices});
  Maker maker("DynamicUpdateSlice", site, operands);
  if (maker.ok() && maker.semantics() == Semantics::k2017) {
    return builder_internal::DynamicUpdateSlice2017(maker, operand, update, start_indices);
  }
  const std::vector<Op> starts =
      builder_internal::ScalarStarts(maker, maker.ShapeOf(operand), start_indices);
  return maker.Make(Opcode::kDynamicUpdateSlice, Join({{operand, update}, starts}));
}

Op Gather(Op operand, Op start_indices, const GatherDimensionNumbers& dimension_numbers,
          absl::Span<const int64_t> slice_sizes, bool indices_are_sorted, CallSite site) {
  Maker maker("Gather", site, {operand, start_indices});
  return maker.Make(
      Opcode::kGather, {operand, start_indices},
      {{Attr::kOffsetDims, dimension_numbers.offset_dims},
       {Attr::kCollapsedSliceDims, dimension_numbers.collapsed_slice_dims},
       {Attr::kStartIndexMap, dimension_numbers.start_index_map},
       {Attr::kOperandBatchingDims, dimension_numbers.operand_batching_dims},
       {Attr::kStartIndicesBatchingDims, dimension_numbers.start_indices_batching_dims},
       {Attr::kIndexVectorDim, dimension_numbers.index_vector_dim},
       {Attr::kSliceSizes, ToVector(slice_sizes)},
       {Attr::kIndicesAreSorted, indices_are_sorted}});
}

Op Scatter(absl::Span<const Op> operands, Op scatter_indices, absl::Span<const Op> updates,
           const Callee& update_computation, const ScatterDimensionNumbers& dimension_numbers,
           bool indices_are_sorted, bool unique_indices, CallSite site) {
  const std::vector<Op> all = Join({operands, {scatter_indices}, updates});
  Maker maker("Scatter", site, all);
  Computation* update = maker.Import(update_computation);
  return maker.Make(
      Opcode::kScatter, all,
      {{Attr::kUpdateWindowDims, dimension_numbers.update_window_dims},
       {Attr::kInsertedWindowDims, dimension_numbers.inserted_window_dims},
       {Attr::kScatterDimsToOperandDims, dimension_numbers.scatter_dims_to_operand_dims},
       {Attr::kInputBatchingDims, dimension_numbers.input_batching_dims},
       {Attr::kScatterIndicesBatchingDims, dimension_numbers.scatter_indices_batching_dims},
       {Attr::kIndexVectorDim, dimension_numbers.index_vector_dim},
       {Attr::kIndicesAreSorted, indices_are_sorted},
       {Attr::kUniqueIndices, unique_indices}},
      Shape(), {{Attr::kToApply, update}});
}

Op Scatter(Op operand, Op scatter_indices, Op updates, const Callee& update_computation,
           const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted,
           bool unique_indices, CallSite site) {
  return Scatter(absl::MakeConstSpan(&operand, 1), scatter_indices,
                 absl::MakeConstSpan(&updates, 1), update_computation, dimension_numbers,
                 indices_are_sorted, unique_indices, site);
}

Op GetDimensionSize(Op operand, int64_t dimension, CallSite site) {
  Maker maker("GetDimensionSize", site, {operand});
  return maker.Make(Opcode::kGetDimensionSize, {operand}, {{Attr::kDimension, dimension}});
}

Op SetDimensionSize(Op operand, Op val, int64_t dimension, CallSite site) {
  Maker maker("SetDimensionSize", site, {operand, val});
  return maker.Make(Opcode::kSetDimensionSize, {operand, val}, {{Attr::kDimension, dimension}});
}

}  // namespace assay
