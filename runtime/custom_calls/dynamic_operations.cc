// stablehlo.dynamic_*: operations of StableHLO with operands where HLO has attributes. The operands
// are those of StableHLO's specification, and of JAX's shape polymorphism for the windows and
// random bits; attributes are those of the operation in the dictionary of the call. Source:
// reference ops_control_and_collectives.md 11.2; docs/custom_calls.md. Tests:
// custom_call_dynamic_test.cc.
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/custom_calls/attributes.h"
#include "runtime/custom_calls/static_operation.h"
#include "runtime/custom_calls/targets.h"

namespace assay::runtime::custom_calls {
namespace {

using Integers = std::vector<int64_t>;

// The integers of an operand with one for each dimension of a rank.
absl::StatusOr<Integers> PerDimension(const CustomCall& call, size_t operand, int64_t rank) {
  return IntegersOf(call, operand, {rank});
}

// The shape that an operand says, with the declared element type and rank.
absl::StatusOr<Shape> ShapeFrom(const CustomCall& call, size_t operand, const Shape& declared) {
  if (!declared.is_array()) return BadCall(call, "the result must be an array");
  absl::StatusOr<Integers> sizes = PerDimension(call, operand, declared.rank());
  if (!sizes.ok()) return sizes.status();
  for (const int64_t size : *sizes) {
    if (size < 0) return BadCall(call, absl::StrCat("a dimension cannot have ", size, " elements"));
  }
  return Shape(declared.element_type(), *sizes);
}

// (operand, output_shape)
absl::StatusOr<Literal> Reshape(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 2); !status.ok()) return status;
  absl::StatusOr<Shape> shape = ShapeFrom(call, 1, call.instruction.shape());
  if (!shape.ok()) return shape.status();
  StaticOperation reshape(call, Opcode::kReshape);
  reshape.set_shape(*std::move(shape));
  return reshape.Run({call.operands[0]});
}

// (output_shape), iota_dimension
absl::StatusOr<Literal> Iota(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 1); !status.ok()) return status;
  absl::StatusOr<Shape> shape = ShapeFrom(call, 0, call.instruction.shape());
  if (!shape.ok()) return shape.status();
  StaticOperation iota(call, Opcode::kIota);
  iota.set_shape(*std::move(shape));
  iota.Set(Attr::kIotaDimension, CallAttributes::Of(call.instruction).Int("iota_dimension", 0));
  return iota.Run({});
}

// (operand, output_dimensions), broadcast_dimensions. Dimensions of size 1 may grow, which those of
// HLO's broadcast do not: they are left out of its operand.
absl::StatusOr<Literal> BroadcastInDim(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 2); !status.ok()) return status;
  absl::StatusOr<Shape> shape = ShapeFrom(call, 1, call.instruction.shape());
  if (!shape.ok()) return shape.status();
  const Literal& operand = call.operands[0];
  const Integers dimensions = CallAttributes::Of(call.instruction).Ints("broadcast_dimensions");
  if (!operand.is_array() || operand.shape().is_dynamic() ||
      static_cast<int64_t>(dimensions.size()) != operand.shape().rank()) {
    return BadCall(call, "broadcast_dimensions has an entry for each dimension of an array");
  }
  Integers sizes, kept;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const int64_t to = dimensions[d], size = operand.shape().dimension(static_cast<int64_t>(d));
    const bool grows = size == 1 && to >= 0 && to < shape->rank() && shape->dimension(to) != 1;
    if (grows) continue;
    sizes.push_back(size);
    kept.push_back(to);
  }
  StaticOperation broadcast(call, Opcode::kBroadcast);
  broadcast.set_shape(*std::move(shape));
  broadcast.Set(Attr::kDimensions, kept);
  return broadcast.Run({operand.WithShape(Shape(operand.element_type(), sizes))});
}

// (operand, padding_value, edge_padding_low, edge_padding_high, interior_padding)
absl::StatusOr<Literal> Pad(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 5); !status.ok()) return status;
  PaddingConfig config;
  const int64_t rank = call.operands[0].shape().rank();
  const absl::StatusOr<Integers> low = PerDimension(call, 2, rank);
  const absl::StatusOr<Integers> high = PerDimension(call, 3, rank);
  const absl::StatusOr<Integers> interior = PerDimension(call, 4, rank);
  for (const auto* list : {&low, &high, &interior}) {
    if (!list->ok()) return list->status();
  }
  for (int64_t d = 0; d < rank; ++d) {
    config.dimensions.push_back({(*low)[d], (*high)[d], (*interior)[d]});
  }
  StaticOperation pad(call, Opcode::kPad);
  pad.Set(Attr::kPadding, std::move(config));
  return pad.Run({call.operands[0], call.operands[1]});
}

// (operand, start_indices, limit_indices, strides)
absl::StatusOr<Literal> RealSlice(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 4); !status.ok()) return status;
  Slices slices;
  const int64_t rank = call.operands[0].shape().rank();
  const absl::StatusOr<Integers> starts = PerDimension(call, 1, rank);
  const absl::StatusOr<Integers> limits = PerDimension(call, 2, rank);
  const absl::StatusOr<Integers> strides = PerDimension(call, 3, rank);
  for (const auto* list : {&starts, &limits, &strides}) {
    if (!list->ok()) return list->status();
  }
  for (int64_t d = 0; d < rank; ++d) {
    slices.push_back({(*starts)[d], (*limits)[d], (*strides)[d]});
  }
  StaticOperation slice(call, Opcode::kSlice);
  slice.Set(Attr::kSlice, std::move(slices));
  return slice.Run({call.operands[0]});
}

// (operand, start_indices, slice_sizes), dimension_numbers, indices_are_sorted
absl::StatusOr<Literal> Gather(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 3); !status.ok()) return status;
  absl::StatusOr<Integers> sizes = PerDimension(call, 2, call.operands[0].shape().rank());
  if (!sizes.ok()) return sizes.status();
  const CallAttributes attributes = CallAttributes::Of(call.instruction);
  StaticOperation gather(call, Opcode::kGather);
  for (const auto& [attr, name] : {std::pair(Attr::kOffsetDims, "offset_dims"),
                                   {Attr::kCollapsedSliceDims, "collapsed_slice_dims"},
                                   {Attr::kOperandBatchingDims, "operand_batching_dims"},
                                   {Attr::kStartIndicesBatchingDims, "start_indices_batching_dims"},
                                   {Attr::kStartIndexMap, "start_index_map"}}) {
    gather.Set(attr, attributes.Ints(name));
  }
  gather.Set(Attr::kIndexVectorDim, attributes.Int("index_vector_dim", 0));
  gather.Set(Attr::kSliceSizes, *std::move(sizes));
  return gather.Run({call.operands[0], call.operands[1]});
}

// (lhs, rhs, padding [n,2]); window and dim_labels are those of the call, but for the padding.
absl::StatusOr<Literal> Convolution(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 3); !status.ok()) return status;
  const Instruction& instruction = call.instruction;
  if (!instruction.HasAttribute(Attr::kDimLabels)) {
    return BadCall(call, "dim_labels and window must say how it goes");
  }
  Window window = instruction.window();
  const auto spatial = static_cast<int64_t>(window.dimensions.size());
  const absl::StatusOr<Integers> padding = IntegersOf(call, 2, {spatial, 2});
  if (!padding.ok()) return padding.status();
  for (int64_t d = 0; d < spatial; ++d) {
    window.dimensions[d].padding_low = (*padding)[2 * d];
    window.dimensions[d].padding_high = (*padding)[2 * d + 1];
  }
  StaticOperation convolution(call, Opcode::kConvolution);
  for (const auto& [attr, value] : instruction.attributes().entries()) {
    if (attr == Attr::kDimLabels || attr == Attr::kFeatureGroupCount ||
        attr == Attr::kBatchGroupCount) {
      convolution.Set(attr, value);
    }
  }
  convolution.Set(Attr::kWindow, std::move(window));
  return convolution.Run({call.operands[0], call.operands[1]});
}

// (arrays.., initial values.., window_dimensions, window_strides, base_dilations, window_dilations,
// padding [n,2]), one called computation
absl::StatusOr<Literal> ReduceWindow(const CustomCall& call) {
  const size_t arrays = ResultShapes(call).size();
  if (arrays == 0) return BadCall(call, "there must be results");
  if (absl::Status status = WantOperands(call, 2 * arrays + 5); !status.ok()) return status;
  const auto callees = call.instruction.called_computations();
  if (callees.size() != 1) return BadCall(call, "there must be one called computation");
  const int64_t rank = call.operands[0].shape().rank();
  const size_t first = 2 * arrays;
  const absl::StatusOr<Integers> sizes = PerDimension(call, first, rank);
  const absl::StatusOr<Integers> strides = PerDimension(call, first + 1, rank);
  const absl::StatusOr<Integers> base = PerDimension(call, first + 2, rank);
  const absl::StatusOr<Integers> dilations = PerDimension(call, first + 3, rank);
  const absl::StatusOr<Integers> padding = IntegersOf(call, first + 4, {rank, 2});
  for (const auto* list : {&sizes, &strides, &base, &dilations, &padding}) {
    if (!list->ok()) return list->status();
  }
  Window window;
  for (int64_t d = 0; d < rank; ++d) {
    window.dimensions.push_back({(*sizes)[d], (*strides)[d], (*padding)[2 * d],
                                 (*padding)[2 * d + 1], (*dilations)[d], (*base)[d], false});
  }
  StaticOperation reduce(call, Opcode::kReduceWindow);
  reduce.Set(Attr::kWindow, std::move(window));
  reduce.Set(Attr::kToApply, callees[0]);
  return reduce.Run({call.operands.begin(), call.operands.begin() + first});
}

// (state, output_shape), rng_algorithm
absl::StatusOr<Literal> RngBitGenerator(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 2); !status.ok()) return status;
  const std::vector<const Shape*> results = ResultShapes(call);
  if (results.size() != 2) return BadCall(call, "the result is a state and an array");
  absl::StatusOr<Shape> shape = ShapeFrom(call, 1, *results[1]);
  if (!shape.ok()) return shape.status();
  const std::string name = CallAttributes::Of(call.instruction).String("rng_algorithm", "DEFAULT");
  RandomAlgorithm algorithm = RandomAlgorithm::kDefault;
  if (name == "THREE_FRY") {
    algorithm = RandomAlgorithm::kThreeFry;
  } else if (name == "PHILOX") {
    algorithm = RandomAlgorithm::kPhilox;
  } else if (name != "DEFAULT") {
    return BadCall(call, absl::StrCat("there is no rng_algorithm ", name));
  }
  StaticOperation bits(call, Opcode::kRngBitGenerator);
  bits.set_shape(Shape::Tuple({call.operands[0].shape(), *std::move(shape)}));
  bits.Set(Attr::kRngAlgorithm, static_cast<int64_t>(algorithm));
  return bits.Run({call.operands[0]});
}

}  // namespace

Targets DynamicOperationTargets() {
  return {{"stablehlo.dynamic_reshape", Reshape},
          {"stablehlo.dynamic_iota", Iota},
          {"stablehlo.dynamic_broadcast_in_dim", BroadcastInDim},
          {"stablehlo.dynamic_pad", Pad},
          {"stablehlo.real_dynamic_slice", RealSlice},
          {"stablehlo.dynamic_gather", Gather},
          {"stablehlo.dynamic_conv", Convolution},
          {"stablehlo.dynamic_reduce_window", ReduceWindow},
          {"stablehlo.dynamic_rng_bit_generator", RngBitGenerator}};
}

}  // namespace assay::runtime::custom_calls
