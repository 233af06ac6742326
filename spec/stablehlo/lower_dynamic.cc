// Operations whose sizes are operands: they become the static operation where the sizes are known,
// from constants or from the sizes of arguments. Source: reference stablehlo_format.md 8.6.
// Test: lowering_test.cc.
#include <algorithm>

#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

constexpr absl::string_view kNotKnown =
    "is not known before the program runs; sizes must follow from constants and from the sizes of "
    "arguments";

// The known values of an operand; an error that says what it is otherwise.
std::vector<int64_t> Known(OpContext& op, int64_t operand, absl::string_view what) {
  const std::optional<std::vector<int64_t>> values = op.KnownInts(operand);
  if (!values) op.Refuse(absl::StrCat(what, " (operand ", operand, ") ", kNotKnown));
  return values.value_or(std::vector<int64_t>());
}

// The shape of the result: as declared where that is static, else by the operand of sizes.
Shape StaticShape(OpContext& op, int64_t operand) {
  Shape shape = op.OutShape();
  if (!HasUnboundedDimension(shape)) return shape;
  const std::vector<int64_t> sizes = Known(op, operand, "the shape of the result");
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
  const std::vector<int64_t> low = Known(op, 2, "the padding in front");
  const std::vector<int64_t> high = Known(op, 3, "the padding behind");
  const std::vector<int64_t> interior = Known(op, 4, "the interior padding");
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

// A slice, or a dynamic slice where only its sizes are known: the result's type says them.
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
      sizes.push_back(
          std::max<int64_t>(0, ((*limit)[d] - (*start)[d] + (*strides)[d] - 1) / (*strides)[d]));
    }
    op.Return(op.Make(Opcode::kSlice, Shape(x.element_type(), sizes), {op.In(0)},
                      {{Attr::kSlice, slices}}));
    return;
  }
  const Shape shape = op.OutShape();
  const bool in_steps_of_one =
      strides && std::all_of(strides->begin(), strides->end(), [](int64_t s) { return s == 1; });
  if (HasUnboundedDimension(shape) || !in_steps_of_one || op.InShape(1).rank() != 1 ||
      op.InShape(1).dimension(0) != x.rank()) {
    op.Refuse(absl::StrCat("the range of the slice ", kNotKnown));
    return;
  }
  std::vector<Instruction*> operands = {op.In(0)};
  for (int64_t d = 0; d < x.rank(); ++d) {
    Instruction* const one = op.Make(Opcode::kSlice, Shape(op.InShape(1).element_type(), {1}),
                                     {op.In(1)}, {{Attr::kSlice, Slices{{d, d + 1, 1}}}});
    operands.push_back(op.Reshape(one, {}));
  }
  op.Return(op.Make(Opcode::kDynamicSlice, shape, operands,
                    {{Attr::kDynamicSliceSizes, std::vector<int64_t>(shape.dimensions().begin(),
                                                                     shape.dimensions().end())}}));
}

void LowerDynamicGather(OpContext& op) {
  std::vector<int64_t> sizes = Known(op, 2, "the size of the slices");
  if (op.ok()) MakeGather(op, std::move(sizes));
}

void LowerDynamicConvolution(OpContext& op) {
  const std::vector<int64_t> values = Known(op, 2, "the padding");
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

// What exporters leave behind: sizes as values of other dialects.
void LowerShapeOf(OpContext& op) {
  const Shape& x = op.InShape(0);
  const Shape declared = op.OutShape();
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (x.is_dynamic_dimension(d)) {
      op.Refuse(absl::StrCat("dimension ", d, " of ", x.ToString(), " ", kNotKnown));
      return;
    }
  }
  Literal literal = Literal::Zeros(Shape(declared.element_type(), {x.rank()}));
  for (int64_t d = 0; d < x.rank(); ++d) {
    literal.Set(d, {static_cast<uint64_t>(x.dimension(d)), 0});
  }
  op.Return(op.Constant(std::move(literal)));
}

void LowerDim(OpContext& op) {
  const std::vector<int64_t> index = Known(op, 1, "the number of the dimension");
  const Shape& x = op.InShape(0);
  if (!op.ok() || index.size() != 1 || index[0] < 0 || index[0] >= x.rank() ||
      x.is_dynamic_dimension(index[0])) {
    op.Refuse(absl::StrCat("the size of the dimension ", kNotKnown));
    return;
  }
  op.Return(op.ConstantInt(ElementType::kS64, x.dimension(index[0])));
}

void LowerFromElements(OpContext& op) {
  std::vector<Instruction*> parts;
  for (Instruction* element : op.inputs()) parts.push_back(op.Reshape(element, {1}));
  const Shape shape = op.OutShape();
  Instruction* const all =
      parts.size() == 1
          ? parts[0]
          : op.Make(Opcode::kConcatenate, Shape(shape.element_type(), {op.operand_count()}), parts,
                    {{Attr::kDimension, int64_t{0}}});
  op.Return(op.Reshape(all, shape.dimensions()));
}

void LowerExtract(OpContext& op) {
  const Shape& x = op.InShape(0);
  Slices slices;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const std::vector<int64_t> index = Known(op, 1 + d, "the index");
    if (!op.ok() || index.size() != 1) return;
    slices.push_back({index[0], index[0] + 1, 1});
  }
  const Dimensions ones(x.rank(), 1);
  Instruction* const one =
      op.Make(Opcode::kSlice, Shape(x.element_type(), ones), {op.In(0)}, {{Attr::kSlice, slices}});
  op.Return(op.Reshape(one, {}));
}

void LowerArith(OpContext& op) {
  static constexpr std::pair<absl::string_view, Opcode> kOpcodes[] = {
      {"arith.addi", Opcode::kAdd},       {"arith.subi", Opcode::kSubtract},
      {"arith.muli", Opcode::kMultiply},  {"arith.divsi", Opcode::kDivide},
      {"arith.maxsi", Opcode::kMaximum},  {"arith.minsi", Opcode::kMinimum},
      {"arith.remsi", Opcode::kRemainder}};
  for (const auto& [name, opcode] : kOpcodes) {
    if (name == op.name()) {
      op.Return(op.Make(opcode, op.OutShape(), {op.In(0), op.In(1)}));
      return;
    }
  }
  op.Return(op.Convert(op.In(0), op.OutType()));
}

constexpr Handler kDynamicOperations[] = {
    {"dynamic_broadcast_in_dim", 2, 1, 0, LowerDynamicBroadcast},
    {"dynamic_iota", 1, 1, 0, LowerDynamicIota},
    {"dynamic_reshape", 2, 1, 0, LowerDynamicReshape},
    {"dynamic_pad", 5, 1, 0, LowerDynamicPad},
    {"real_dynamic_slice", 4, 1, 0, LowerRealDynamicSlice},
    {"dynamic_gather", 3, 1, 0, LowerDynamicGather},
    {"dynamic_conv", 3, 1, 0, LowerDynamicConvolution},
    {"shape.shape_of", 1, 1, 0, LowerShapeOf},
    {"tensor.dim", 2, 1, 0, LowerDim},
    {"tensor.from_elements", 1, 1, 0, LowerFromElements},
    {"tensor.extract", 1, 1, 0, LowerExtract},
    {"arith.addi", 2, 1, 0, LowerArith},
    {"arith.subi", 2, 1, 0, LowerArith},
    {"arith.muli", 2, 1, 0, LowerArith},
    {"arith.divsi", 2, 1, 0, LowerArith},
    {"arith.maxsi", 2, 1, 0, LowerArith},
    {"arith.minsi", 2, 1, 0, LowerArith},
    {"arith.remsi", 2, 1, 0, LowerArith},
    {"arith.index_cast", 1, 1, 0, LowerArith},
    {"arith.extsi", 1, 1, 0, LowerArith},
    {"arith.trunci", 1, 1, 0, LowerArith},
};

}  // namespace

absl::Span<const Handler> DynamicHandlers() { return kDynamicOperations; }

}  // namespace assay::stablehlo
