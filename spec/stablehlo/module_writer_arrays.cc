// The operations on arrays that ModuleWriter makes: constants, moves, contractions, reductions,
// sorts, random numbers.
#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/stablehlo/module_writer.h"

namespace assay::stablehlo {
namespace {

// The windows' fields of each dimension.
struct WindowLists {
  std::vector<int64_t> sizes, strides, base_dilations, window_dilations;
  std::vector<std::vector<int64_t>> padding;
  std::vector<bool> reversal;
  bool any_reversal = false, any_dilation = false;
};

// Of `rank` dimensions; a window without dimensions is one of size 1 everywhere.
WindowLists ListsOf(const Window& window, int64_t rank) {
  WindowLists lists;
  for (int64_t d = 0; d < rank; ++d) {
    const WindowDimension dimension =
        window.dimensions.empty() ? WindowDimension() : window.dimensions[d];
    lists.sizes.push_back(dimension.size);
    lists.strides.push_back(dimension.stride);
    lists.base_dilations.push_back(dimension.base_dilation);
    lists.window_dilations.push_back(dimension.window_dilation);
    lists.padding.push_back({dimension.padding_low, dimension.padding_high});
    lists.reversal.push_back(dimension.reversal);
    lists.any_reversal |= dimension.reversal;
    lists.any_dilation |= dimension.base_dilation != 1 || dimension.window_dilation != 1;
  }
  return lists;
}

}  // namespace

ModuleWriter::Node ModuleWriter::Constant(const Instruction& instruction) {
  if (instruction.is_elided_constant()) return Refuse(instruction, "its elements are not given");
  if (instruction.shape().is_dynamic()) return Refuse(instruction, "its sizes are dynamic");
  for (const Shape* leaf : Leaves(instruction.shape())) {
    if (!leaf->is_array() || TypeOf(*leaf) == nullptr) {
      return Refuse(instruction, absl::StrCat("values of type ", leaf->ToString()));
    }
  }
  return ConstantOf(*instruction.literal());
}

ModuleWriter::Node ModuleWriter::ConstantOf(const Literal& literal) {
  if (!literal.is_tuple()) {
    return Leaf(EmitOne("stablehlo.constant", {}, literal.shape(), {{"value", Dense(literal)}}));
  }
  Node node;
  node.is_tuple = true;
  for (const Literal& part : literal.elements()) node.parts.push_back(ConstantOf(part));
  return node;
}

ModuleWriter::Node ModuleWriter::Iota(const Instruction& instruction) {
  return One("stablehlo.iota", instruction,
             {{"iota_dimension", Int(instruction.GetInt(Attr::kIotaDimension))}});
}

ModuleWriter::Node ModuleWriter::Compare(const Instruction& instruction) {
  Fields fields = {{"comparison_direction",
                    Enum("stablehlo.comparison_direction", instruction.GetInt(Attr::kDirection))}};
  if (const std::optional<int64_t> type = instruction.FindInt(Attr::kComparisonType)) {
    // StableHLO counts from NOTYPE.
    fields.push_back({"compare_type", Enum("stablehlo.comparison_type", *type + 1)});
  }
  return One("stablehlo.compare", instruction, std::move(fields));
}

ModuleWriter::Node ModuleWriter::ReducePrecision(const Instruction& instruction) {
  return One("stablehlo.reduce_precision", instruction,
             {{"exponent_bits", Int(instruction.GetInt(Attr::kExponentBits), ElementType::kS32)},
              {"mantissa_bits", Int(instruction.GetInt(Attr::kMantissaBits), ElementType::kS32)}});
}

ModuleWriter::Node ModuleWriter::Broadcast(const Instruction& instruction) {
  if (instruction.shape().is_dynamic()) {
    return Refuse(instruction, "a broadcast to dynamic sizes needs them as an operand");
  }
  return One("stablehlo.broadcast_in_dim", instruction,
             {{"broadcast_dimensions", Ints(instruction.GetInts(Attr::kDimensions))}});
}

ModuleWriter::Node ModuleWriter::Reshape(const Instruction& instruction) {
  if (instruction.shape().is_dynamic()) {
    return Refuse(instruction, "a reshape to dynamic sizes needs them as an operand");
  }
  return One("stablehlo.reshape", instruction);
}

// The sizes become one operand.
ModuleWriter::Node ModuleWriter::DynamicReshape(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  Value* operand = OperandValue(instruction, 0);
  if (shape.rank() == 0) return Leaf(EmitOne("stablehlo.reshape", {operand}, shape));
  const ElementType type = instruction.operand(1)->shape().element_type();
  Values sizes;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (instruction.operand(d + 1)->shape().element_type() != type) {
      return Refuse(instruction, "its sizes have different types");
    }
    sizes.push_back(
        EmitOne("stablehlo.reshape", {OperandValue(instruction, d + 1)}, Shape(type, {1})));
  }
  Value* all =
      EmitOne("stablehlo.concatenate", sizes, Shape(type, {shape.rank()}), {{"dimension", Int(0)}});
  return Leaf(EmitOne("stablehlo.dynamic_reshape", {operand, all}, shape));
}

ModuleWriter::Node ModuleWriter::Transpose(const Instruction& instruction) {
  return One("stablehlo.transpose", instruction,
             {{"permutation", Ints(instruction.GetInts(Attr::kDimensions))}});
}

ModuleWriter::Node ModuleWriter::Reverse(const Instruction& instruction) {
  return One("stablehlo.reverse", instruction,
             {{"dimensions", Ints(instruction.GetInts(Attr::kDimensions))}});
}

ModuleWriter::Node ModuleWriter::Slice(const Instruction& instruction) {
  std::vector<int64_t> starts, limits, strides;
  for (const SliceRange& range : instruction.slices()) {
    starts.push_back(range.start);
    limits.push_back(range.limit);
    strides.push_back(range.stride);
  }
  return One("stablehlo.slice", instruction,
             {{"start_indices", Ints(starts)},
              {"limit_indices", Ints(limits)},
              {"strides", Ints(strides)}});
}

// Start indices are scalars; HLO also has them as one list.
bool ModuleWriter::AppendIndices(const Instruction& instruction, int64_t first, int64_t rank,
                                 Values* values) {
  const bool list =
      instruction.operand_count() == first + 1 && instruction.operand(first)->shape().rank() == 1;
  if (!list) {
    for (int64_t i = first; i < instruction.operand_count(); ++i) {
      values->push_back(OperandValue(instruction, i));
    }
    return true;
  }
  Value* indices = OperandValue(instruction, first);
  const ElementType type = instruction.operand(first)->shape().element_type();
  for (int64_t d = 0; d < rank; ++d) {
    Value* one = EmitOne(
        "stablehlo.slice", {indices}, Shape(type, {1}),
        {{"start_indices", Ints({d})}, {"limit_indices", Ints({d + 1})}, {"strides", Ints({1})}});
    values->push_back(EmitOne("stablehlo.reshape", {one}, Shape::Scalar(type)));
  }
  return true;
}

ModuleWriter::Node ModuleWriter::DynamicSlice(const Instruction& instruction) {
  Values operands = {OperandValue(instruction, 0)};
  AppendIndices(instruction, 1, instruction.shape().rank(), &operands);
  return Leaf(EmitOne("stablehlo.dynamic_slice", operands, instruction.shape(),
                      {{"slice_sizes", Ints(instruction.GetInts(Attr::kDynamicSliceSizes))}}));
}

ModuleWriter::Node ModuleWriter::DynamicUpdateSlice(const Instruction& instruction) {
  Values operands = {OperandValue(instruction, 0), OperandValue(instruction, 1)};
  AppendIndices(instruction, 2, instruction.shape().rank(), &operands);
  return Leaf(EmitOne("stablehlo.dynamic_update_slice", operands, instruction.shape()));
}

ModuleWriter::Node ModuleWriter::Pad(const Instruction& instruction) {
  std::vector<int64_t> low, high, interior;
  for (const PaddingDimension& dimension : instruction.padding().dimensions) {
    low.push_back(dimension.low);
    high.push_back(dimension.high);
    interior.push_back(dimension.interior);
  }
  return One("stablehlo.pad", instruction,
             {{"edge_padding_low", Ints(low)},
              {"edge_padding_high", Ints(high)},
              {"interior_padding", Ints(interior)}});
}

ModuleWriter::Node ModuleWriter::Concatenate(const Instruction& instruction) {
  return One("stablehlo.concatenate", instruction,
             {{"dimension", Int(instruction.GetInt(Attr::kDimension))}});
}

ModuleWriter::Node ModuleWriter::Gather(const Instruction& instruction) {
  const auto ints = [&](Attr attr) { return Ints(instruction.GetInts(attr)); };
  return One("stablehlo.gather", instruction,
             {{"dimension_numbers",
               Record("stablehlo.gather",
                      {{"offset_dims", ints(Attr::kOffsetDims)},
                       {"collapsed_slice_dims", ints(Attr::kCollapsedSliceDims)},
                       {"operand_batching_dims", ints(Attr::kOperandBatchingDims)},
                       {"start_indices_batching_dims", ints(Attr::kStartIndicesBatchingDims)},
                       {"start_index_map", ints(Attr::kStartIndexMap)},
                       {"index_vector_dim", Int(instruction.GetInt(Attr::kIndexVectorDim))}})},
              {"indices_are_sorted", Bool(instruction.GetBool(Attr::kIndicesAreSorted))},
              {"slice_sizes", ints(Attr::kSliceSizes)}});
}

ModuleWriter::Node ModuleWriter::Scatter(const Instruction& instruction) {
  const auto ints = [&](Attr attr) { return Ints(instruction.GetInts(attr)); };
  Types results;
  AppendTypes(instruction.shape(), &results);
  Fields fields = {
      {"scatter_dimension_numbers",
       Record("stablehlo.scatter",
              {{"update_window_dims", ints(Attr::kUpdateWindowDims)},
               {"inserted_window_dims", ints(Attr::kInsertedWindowDims)},
               {"input_batching_dims", ints(Attr::kInputBatchingDims)},
               {"scatter_indices_batching_dims", ints(Attr::kScatterIndicesBatchingDims)},
               {"scatter_dims_to_operand_dims", ints(Attr::kScatterDimsToOperandDims)},
               {"index_vector_dim", Int(instruction.GetInt(Attr::kIndexVectorDim))}})},
      {"indices_are_sorted", Bool(instruction.GetBool(Attr::kIndicesAreSorted))},
      {"unique_indices", Bool(instruction.GetBool(Attr::kUniqueIndices))}};
  Operation* op = Emit("stablehlo.scatter", OperandValues(instruction), results, std::move(fields));
  AddRegion(op, *instruction.to_apply());
  return AllOf(op, instruction.shape());
}

ModuleWriter::Node ModuleWriter::Dot(const Instruction& instruction) {
  const auto ints = [&](Attr attr) { return Ints(instruction.GetInts(attr)); };
  Fields fields = {
      {"dot_dimension_numbers",
       Record("stablehlo.dot", {{"lhs_batching_dimensions", ints(Attr::kLhsBatchDims)},
                                {"rhs_batching_dimensions", ints(Attr::kRhsBatchDims)},
                                {"lhs_contracting_dimensions", ints(Attr::kLhsContractingDims)},
                                {"rhs_contracting_dimensions", ints(Attr::kRhsContractingDims)}})}};
  AddPrecision(instruction, "stablehlo.precision", &fields);
  if (instruction.GetInt(Attr::kAlgorithm) != 0) {
    fields.push_back({"algorithm", DotAlgorithm(instruction)});
  }
  return One("stablehlo.dot_general", instruction, std::move(fields));
}

ModuleWriter::Node ModuleWriter::RaggedDot(const Instruction& instruction) {
  for (const int64_t ragged : instruction.GetInts(Attr::kLhsRaggedDims)) {
    const absl::Span<const int64_t> batch = instruction.GetInts(Attr::kLhsBatchDims);
    if (std::find(batch.begin(), batch.end(), ragged) != batch.end()) {
      // There it is an ordinary product, here what is in no group is zero.
      return Refuse(instruction, "groups of a batch dimension mean something else there");
    }
  }
  if (WritesComposite(instruction)) return RaggedDotComposite(instruction);
  const auto ints = [&](Attr attr) { return Ints(instruction.GetInts(attr)); };
  Fields fields = {
      {"ragged_dot_dimension_numbers",
       Record("chlo.ragged_dot", {{"lhs_batching_dimensions", ints(Attr::kLhsBatchDims)},
                                  {"rhs_batching_dimensions", ints(Attr::kRhsBatchDims)},
                                  {"lhs_contracting_dimensions", ints(Attr::kLhsContractingDims)},
                                  {"rhs_contracting_dimensions", ints(Attr::kRhsContractingDims)},
                                  {"lhs_ragged_dimensions", ints(Attr::kLhsRaggedDims)},
                                  {"rhs_group_dimensions", ints(Attr::kRhsGroupDims)}})}};
  AddPrecision(instruction, "chlo.precision", &fields);
  return One("chlo.ragged_dot", instruction, std::move(fields));
}

ModuleWriter::Node ModuleWriter::Convolution(const Instruction& instruction) {
  const ConvolutionDimensions& numbers = instruction.convolution_dimensions();
  const auto spatial = static_cast<int64_t>(numbers.input_spatial.size());
  if (numbers.input_rank != spatial + 2 || numbers.kernel_rank != spatial + 2 ||
      numbers.output_rank != spatial + 2) {
    return Refuse(instruction, "some of its dimensions have no role");
  }
  if (instruction.operand_count() != 2 || instruction.GetInt(Attr::kAlgorithm) != 0) {
    return Refuse(instruction, "it has an algorithm, or more than two operands");
  }
  const WindowLists window = ListsOf(instruction.window(), spatial);
  Fields fields = {{"dimension_numbers",
                    Record("stablehlo.conv",
                           {{"input_batch_dimension", Int(numbers.input_batch)},
                            {"input_feature_dimension", Int(numbers.input_feature)},
                            {"input_spatial_dimensions", Ints(numbers.input_spatial)},
                            {"kernel_input_feature_dimension", Int(numbers.kernel_input_feature)},
                            {"kernel_output_feature_dimension", Int(numbers.kernel_output_feature)},
                            {"kernel_spatial_dimensions", Ints(numbers.kernel_spatial)},
                            {"output_batch_dimension", Int(numbers.output_batch)},
                            {"output_feature_dimension", Int(numbers.output_feature)},
                            {"output_spatial_dimensions", Ints(numbers.output_spatial)}})},
                   {"batch_group_count", Int(instruction.GetInt(Attr::kBatchGroupCount))},
                   {"feature_group_count", Int(instruction.GetInt(Attr::kFeatureGroupCount))},
                   {"window_strides", Ints(window.strides)},
                   {"padding", Matrix(window.padding, 2)},
                   {"lhs_dilation", Ints(window.base_dilations)},
                   {"rhs_dilation", Ints(window.window_dilations)},
                   {"window_reversal", Bools(window.reversal)}};
  AddPrecision(instruction, "stablehlo.precision", &fields);
  if (instruction.operand(0)->shape().element_type() !=
      instruction.operand(1)->shape().element_type()) {
    return ConvolutionOfTwoTypes(instruction, std::move(fields));
  }
  return One("stablehlo.convolution", instruction, std::move(fields));
}

ModuleWriter::Node ModuleWriter::Fft(const Instruction& instruction) {
  return One("stablehlo.fft", instruction,
             {{"fft_type", Enum("stablehlo.fft_type", instruction.GetInt(Attr::kFftType))},
              {"fft_length", Ints(instruction.GetInts(Attr::kFftLength))}});
}

ModuleWriter::Node ModuleWriter::Cholesky(const Instruction& instruction) {
  return One("stablehlo.cholesky", instruction,
             {{"lower", Bool(instruction.GetBool(Attr::kLower))}});
}

ModuleWriter::Node ModuleWriter::TriangularSolve(const Instruction& instruction) {
  // XLA takes the unset form for no transposition.
  const int64_t transpose = std::max<int64_t>(instruction.GetInt(Attr::kTransposeA), 1);
  return One("stablehlo.triangular_solve", instruction,
             {{"left_side", Bool(instruction.GetBool(Attr::kLeftSide))},
              {"lower", Bool(instruction.GetBool(Attr::kLower))},
              {"unit_diagonal", Bool(instruction.GetBool(Attr::kUnitDiagonal))},
              {"transpose_a", Enum("stablehlo.transpose", transpose)}});
}

ModuleWriter::Node ModuleWriter::BatchNorm(const Instruction& instruction) {
  const absl::string_view name =
      instruction.opcode() == Opcode::kBatchNormTraining    ? "stablehlo.batch_norm_training"
      : instruction.opcode() == Opcode::kBatchNormInference ? "stablehlo.batch_norm_inference"
                                                            : "stablehlo.batch_norm_grad";
  const ElementType element = instruction.operand(0)->shape().element_type();
  for (const Instruction* operand : instruction.operands()) {
    if (operand->shape().element_type() == element) continue;
    return Refuse(instruction, "its operands have different element types");
  }
  Types results;
  AppendTypes(instruction.shape(), &results);
  const Operation* op =
      Emit(name, OperandValues(instruction), results,
           {{"epsilon", Float(instruction.GetFloat(Attr::kEpsilon), ElementType::kF32)},
            {"feature_index", Int(instruction.GetInt(Attr::kFeatureIndex))}});
  return AllOf(op, instruction.shape());
}

ModuleWriter::Node ModuleWriter::DimensionSize(const Instruction& instruction) {
  return One(instruction.opcode() == Opcode::kGetDimensionSize ? "stablehlo.get_dimension_size"
                                                               : "stablehlo.set_dimension_size",
             instruction, {{"dimension", Int(instruction.GetInt(Attr::kDimension))}});
}

ModuleWriter::Node ModuleWriter::Reduce(const Instruction& instruction) {
  Types results;
  AppendTypes(instruction.shape(), &results);
  Operation* op = Emit("stablehlo.reduce", OperandValues(instruction), results,
                       {{"dimensions", Ints(instruction.GetInts(Attr::kDimensions))}});
  AddRegion(op, *instruction.to_apply());
  return AllOf(op, instruction.shape());
}

ModuleWriter::Node ModuleWriter::ReduceWindow(const Instruction& instruction) {
  const WindowLists window = ListsOf(instruction.window(), instruction.operand(0)->shape().rank());
  if (window.any_reversal) return Refuse(instruction, "its window is reversed");
  Types results;
  AppendTypes(instruction.shape(), &results);
  Operation* op = Emit("stablehlo.reduce_window", OperandValues(instruction), results,
                       {{"window_dimensions", Ints(window.sizes)},
                        {"window_strides", Ints(window.strides)},
                        {"base_dilations", Ints(window.base_dilations)},
                        {"window_dilations", Ints(window.window_dilations)},
                        {"padding", Matrix(window.padding, 2)}});
  AddRegion(op, *instruction.to_apply());
  return AllOf(op, instruction.shape());
}

ModuleWriter::Node ModuleWriter::SelectAndScatter(const Instruction& instruction) {
  const WindowLists window = ListsOf(instruction.window(), instruction.operand(0)->shape().rank());
  if (window.any_reversal || window.any_dilation) {
    return Refuse(instruction, "its window is dilated or reversed");
  }
  for (const Instruction* operand : instruction.operands()) {
    if (operand->shape().element_type() != instruction.shape().element_type()) {
      return Refuse(instruction, "its operands have different element types");
    }
  }
  Operation* op = Emit("stablehlo.select_and_scatter", OperandValues(instruction),
                       {TypeOf(instruction.shape())},
                       {{"window_dimensions", Ints(window.sizes)},
                        {"window_strides", Ints(window.strides)},
                        {"padding", Matrix(window.padding, 2)}});
  AddRegion(op, *instruction.GetComputation(Attr::kSelect));
  AddRegion(op, *instruction.GetComputation(Attr::kScatter));
  return Leaf(op->results()[0]);
}

ModuleWriter::Node ModuleWriter::Map(const Instruction& instruction) {
  if (instruction.shape().is_tuple()) return Refuse(instruction, "it has several results");
  std::vector<int64_t> dimensions(instruction.shape().rank());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  Operation* op = Emit("stablehlo.map", OperandValues(instruction), {TypeOf(instruction.shape())},
                       {{"dimensions", Ints(dimensions)}});
  AddRegion(op, *instruction.to_apply());
  return Leaf(op->results()[0]);
}

ModuleWriter::Node ModuleWriter::Sort(const Instruction& instruction) {
  Types results;
  AppendTypes(instruction.shape(), &results);
  Operation* op = Emit("stablehlo.sort", OperandValues(instruction), results,
                       {{"dimension", Int(instruction.GetInt(Attr::kDimension))},
                        {"is_stable", Bool(instruction.GetBool(Attr::kIsStable))}});
  AddRegion(op, *instruction.to_apply());
  return AllOf(op, instruction.shape());
}

ModuleWriter::Node ModuleWriter::TopK(const Instruction& instruction) {
  if (!instruction.GetBool(Attr::kLargest)) return Smallest(instruction);
  Types results;
  AppendTypes(instruction.shape(), &results);
  Fields fields = {{"k", Int(instruction.GetInt(Attr::kK))}};
  if (unstable_top_k_ && !instruction.GetBool(Attr::kIsStable)) {
    fields.push_back({"is_stable", Bool(false)});
  }
  const Operation* op =
      EmitChlo("chlo.top_k", OperandValues(instruction), results, std::move(fields));
  return AllOf(op, instruction.shape());
}

// Carries come last, among operands and among results, in HLO and in CHLO.
ModuleWriter::Node ModuleWriter::Scan(const Instruction& instruction) {
  Types results;
  AppendTypes(instruction.shape(), &results);
  const int64_t carries = instruction.GetInt(Attr::kNumCarries);
  const auto segments = [&](int64_t all) {
    Attribute* sizes = program_.NewAttribute(AttributeKind::kInts);
    sizes->ints = {all - carries, carries};
    sizes->type = program_.Scalar(ElementType::kS32);
    return sizes;
  };
  Fields fields = {{"dimension", Int(instruction.GetInt(Attr::kDimension))},
                   {"is_reverse", Bool(instruction.GetBool(Attr::kIsReverse))},
                   {"is_associative", Bool(instruction.GetBool(Attr::kIsAssociative))},
                   {"operandSegmentSizes", segments(instruction.operand_count())},
                   {"resultSegmentSizes", segments(static_cast<int64_t>(results.size()))}};
  const Values operands = OperandValues(instruction);
  const bool is_composite = WritesComposite(instruction);
  const absl::string_view symbol = is_composite ? ScanFunction(instruction) : "";
  if (!ok()) return {};
  Operation* op = is_composite ? EmitComposite("chlo.scan", symbol, operands, results,
                                               std::move(fields), {}, /*regions=*/1)
                               : Emit("chlo.scan", operands, results, std::move(fields));
  AddRegion(op, *instruction.to_apply());
  return AllOf(op, instruction.shape());
}

// The sizes become an operand.
ModuleWriter::Node ModuleWriter::Rng(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  if (shape.is_dynamic() || instruction.operand_count() != 2) {
    return Refuse(instruction, "its sizes are dynamic");
  }
  Values operands = OperandValues(instruction);
  Attribute* sizes = program_.NewAttribute(AttributeKind::kDense);
  const Shape list(ElementType::kS64, {shape.rank()});
  Literal values = Literal::Zeros(list);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    values.Set(d, {static_cast<uint64_t>(shape.dimension(d)), 0});
  }
  sizes->type = TypeOf(list);
  sizes->bytes = values.buffer();
  sizes->byte_count = shape.rank() * 8;
  operands.push_back(EmitOne("stablehlo.constant", {}, list, {{"value", sizes}}));
  return Leaf(EmitOne("stablehlo.rng", operands, shape,
                      {{"rng_distribution", Enum("stablehlo.rng_distribution",
                                                 instruction.GetInt(Attr::kDistribution))}}));
}

ModuleWriter::Node ModuleWriter::RngBitGenerator(const Instruction& instruction) {
  if (!instruction.shape().is_tuple()) return Refuse(instruction, "it does not give its state");
  Types results;
  AppendTypes(instruction.shape(), &results);
  const Operation* op = Emit("stablehlo.rng_bit_generator", OperandValues(instruction), results,
                             {{"rng_algorithm", Enum("stablehlo.rng_algorithm",
                                                     instruction.GetInt(Attr::kRngAlgorithm))}});
  return AllOf(op, instruction.shape());
}

absl::Span<const ModuleWriter::HandlerRow> ModuleWriter::ArrayHandlers() {
  static constexpr HandlerRow kRows[] = {
      {Opcode::kBatchNormGrad, &ModuleWriter::BatchNorm},
      {Opcode::kBatchNormInference, &ModuleWriter::BatchNorm},
      {Opcode::kBatchNormTraining, &ModuleWriter::BatchNorm},
      {Opcode::kBitcast, &ModuleWriter::Bitcast},
      {Opcode::kBitcastConvert, &ModuleWriter::BitcastConvert},
      {Opcode::kBroadcast, &ModuleWriter::Broadcast},
      {Opcode::kCholesky, &ModuleWriter::Cholesky},
      {Opcode::kCompare, &ModuleWriter::Compare},
      {Opcode::kConcatenate, &ModuleWriter::Concatenate},
      {Opcode::kConstant, &ModuleWriter::Constant},
      {Opcode::kConvolution, &ModuleWriter::Convolution},
      {Opcode::kDot, &ModuleWriter::Dot},
      {Opcode::kDynamicReshape, &ModuleWriter::DynamicReshape},
      {Opcode::kDynamicSlice, &ModuleWriter::DynamicSlice},
      {Opcode::kDynamicUpdateSlice, &ModuleWriter::DynamicUpdateSlice},
      {Opcode::kFft, &ModuleWriter::Fft},
      {Opcode::kGather, &ModuleWriter::Gather},
      {Opcode::kGetDimensionSize, &ModuleWriter::DimensionSize},
      {Opcode::kIota, &ModuleWriter::Iota},
      {Opcode::kMap, &ModuleWriter::Map},
      {Opcode::kPad, &ModuleWriter::Pad},
      {Opcode::kRaggedDot, &ModuleWriter::RaggedDot},
      {Opcode::kReduce, &ModuleWriter::Reduce},
      {Opcode::kReducePrecision, &ModuleWriter::ReducePrecision},
      {Opcode::kReduceWindow, &ModuleWriter::ReduceWindow},
      {Opcode::kReshape, &ModuleWriter::Reshape},
      {Opcode::kReverse, &ModuleWriter::Reverse},
      {Opcode::kRng, &ModuleWriter::Rng},
      {Opcode::kRngBitGenerator, &ModuleWriter::RngBitGenerator},
      {Opcode::kScan, &ModuleWriter::Scan},
      {Opcode::kScatter, &ModuleWriter::Scatter},
      {Opcode::kSelectAndScatter, &ModuleWriter::SelectAndScatter},
      {Opcode::kSetDimensionSize, &ModuleWriter::DimensionSize},
      {Opcode::kSlice, &ModuleWriter::Slice},
      {Opcode::kSort, &ModuleWriter::Sort},
      {Opcode::kTopK, &ModuleWriter::TopK},
      {Opcode::kTranspose, &ModuleWriter::Transpose},
      {Opcode::kTriangularSolve, &ModuleWriter::TriangularSolve},
  };
  return kRows;
}

}  // namespace assay::stablehlo
