// What exporters leave behind of the dialects arith, tensor and shape: mostly sizes as values, and
// scalar arithmetic. An integer without a sign is a signed one here; one of a bit is a boolean.
// Source: MLIR's documentation of the dialects. Test: lowering_test.cc.
#include <algorithm>

#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

void LowerShapeOf(OpContext& op) {
  const Shape& x = op.InShape(0);
  const Shape declared = op.OutShape();
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (x.is_dynamic_dimension(d)) {
      op.Refuse(absl::StrCat("dimension ", d, " of ", x.ToString(), " ", kSizeNotKnown));
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
  const std::vector<int64_t> index = op.NeedInts(1, "the number of the dimension");
  const Shape& x = op.InShape(0);
  if (!op.ok() || index.size() != 1 || index[0] < 0 || index[0] >= x.rank() ||
      x.is_dynamic_dimension(index[0])) {
    op.Refuse(absl::StrCat("the size of the dimension ", kSizeNotKnown));
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
    const std::vector<int64_t> index = op.NeedInts(1 + d, "the index");
    if (!op.ok() || index.size() != 1) return;
    slices.push_back({index[0], index[0] + 1, 1});
  }
  const Dimensions ones(x.rank(), 1);
  Instruction* const one =
      op.Make(Opcode::kSlice, Shape(x.element_type(), ones), {op.In(0)}, {{Attr::kSlice, slices}});
  op.Return(op.Reshape(one, {}));
}

void LowerConstShape(OpContext& op) {
  const Attribute* sizes = op.Need("shape");
  if (sizes == nullptr) return;
  const absl::StatusOr<Literal> literal = LiteralOfDense(*sizes);
  if (!literal.ok()) {
    op.Fail(literal.status().message(), literal.status().code());
    return;
  }
  op.Return(sizes->is_splat ? op.Spread(op.Constant(*literal), op.OutShape())
                            : op.Constant(*literal));
}

// Size d of a list of sizes.
Instruction* SizeAt(OpContext& op, Instruction* list, int64_t d) {
  Instruction* const one = op.Make(Opcode::kSlice, Shape(list->shape().element_type(), {1}), {list},
                                   {{Attr::kSlice, Slices{{d, d + 1, 1}}}});
  return op.Reshape(one, {});
}

void LowerNumElements(OpContext& op) {
  const Shape scalar = op.OutShape();
  Instruction* const sizes = op.In(0);
  if (!sizes->shape().is_array() || sizes->shape().rank() != 1) {
    op.Refuse("the operand must be a list of sizes");
    return;
  }
  Instruction* product = op.ConstantInt(scalar.element_type(), 1);
  for (int64_t d = 0; op.ok() && d < sizes->shape().dimension(0); ++d) {
    product = op.Make(Opcode::kMultiply, scalar, {product, SizeAt(op, sizes, d)});
  }
  op.Return(product);
}

// The shape that shapes are broadcast to: a size of 1, also one that is absent in front, becomes
// the other's.
void LowerShapeBroadcast(OpContext& op) {
  const Shape shape = op.OutShape();
  if (shape.rank() != 1 || shape.is_dynamic()) {
    op.Refuse("the number of sizes must be known");
    return;
  }
  Instruction* const ones = op.Spread(op.ConstantInt(shape.element_type(), 1), shape);
  Instruction* result = ones;
  for (Instruction* sizes : op.inputs()) {
    if (sizes->shape().rank() != 1 || sizes->shape().dimension(0) > shape.dimension(0)) {
      op.Fail(absl::StrCat("an operand must be a list of at most ", shape.dimension(0), " sizes"));
      return;
    }
    const int64_t absent = shape.dimension(0) - sizes->shape().dimension(0);
    if (absent > 0) {
      const Shape missing(shape.element_type(), {absent});
      Instruction* const front = op.Spread(op.ConstantInt(shape.element_type(), 1), missing);
      sizes =
          op.Make(Opcode::kConcatenate, shape, {front, sizes}, {{Attr::kDimension, int64_t{0}}});
    }
    const Shape flags(ElementType::kPred, shape.dimensions());
    Instruction* const is_one =
        op.Make(Opcode::kCompare, flags, {sizes, ones},
                {{Attr::kDirection, static_cast<int64_t>(ComparisonDirection::kEq)}});
    result = op.Make(Opcode::kSelect, shape, {is_one, result, sizes});
  }
  op.Return(result);
}

// A row of arithmetic: what it is of numbers, and of booleans (which are integers of one bit).
struct ArithRow {
  absl::string_view name;
  Opcode opcode;
  std::optional<Opcode> of_booleans = std::nullopt;
};
constexpr ArithRow kArith[] = {
    {"arith.addf", Opcode::kAdd},
    {"arith.addi", Opcode::kAdd, Opcode::kXor},
    {"arith.andi", Opcode::kAnd, Opcode::kAnd},
    {"arith.divf", Opcode::kDivide},
    {"arith.divsi", Opcode::kDivide},
    {"arith.maximumf", Opcode::kMaximum},
    {"arith.maxsi", Opcode::kMaximum},
    {"arith.minimumf", Opcode::kMinimum},
    {"arith.minsi", Opcode::kMinimum},
    {"arith.mulf", Opcode::kMultiply},
    {"arith.muli", Opcode::kMultiply, Opcode::kAnd},
    {"arith.negf", Opcode::kNegate},
    {"arith.ori", Opcode::kOr, Opcode::kOr},
    {"arith.remf", Opcode::kRemainder},
    {"arith.remsi", Opcode::kRemainder},
    {"arith.subf", Opcode::kSubtract},
    {"arith.subi", Opcode::kSubtract, Opcode::kXor},
    {"arith.xori", Opcode::kXor, Opcode::kXor},
};

void LowerArith(OpContext& op) {
  const ArithRow* const row =
      std::find_if(std::begin(kArith), std::end(kArith),
                   [&](const ArithRow& one) { return one.name == op.name(); });
  const bool booleans = IsPred(op.OutType());
  if (booleans && !row->of_booleans) {
    op.Refuse("integers of one bit have no counterpart in HLO here");
    return;
  }
  op.Return(op.Make(booleans ? *row->of_booleans : row->opcode, op.OutShape(), op.inputs()));
}

// A boolean is -1 or 0 where it has a sign; a number becomes a boolean by its lowest bit.
void LowerArithCast(OpContext& op) {
  Instruction* x = op.In(0);
  const ElementType from = x->shape().element_type(), to = op.OutType();
  if (IsPred(to) && !IsPred(from)) {
    if (!IsInteger(from)) {
      op.Refuse("a conversion of floating-point numbers to one bit has no counterpart in HLO");
      return;
    }
    Instruction* const one = op.Spread(op.ConstantInt(from, 1), x->shape());
    x = op.Make(Opcode::kAnd, x->shape(), {x, one});
  }
  if (IsPred(from) && !IsPred(to)) {
    // As an integer: the negative of a false that is a floating-point number would be -0.
    x = op.Convert(x, IsInteger(to) ? to : ElementType::kS32);
    x = op.Make(Opcode::kNegate, x->shape(), {x});
  }
  op.Return(op.Convert(x, to));
}

// Of booleans only: other integers have a sign here.
void LowerArithUnsignedCast(OpContext& op) {
  if (!IsPred(op.InShape(0).element_type())) {
    op.Refuse("integers without a sign are signed ones in HLO");
    return;
  }
  op.Return(op.Convert(op.In(0), op.OutType()));
}

void LowerArithSelect(OpContext& op) {
  Instruction* condition = op.In(0);
  if (op.InShape(0).rank() == 0) condition = op.Spread(condition, op.InShape(1));
  op.Return(op.Make(Opcode::kSelect, op.OutShape(), {condition, op.In(1), op.In(2)}));
}

// A predicate of cmpi or cmpf: HLO's comparison, of the numbers as unsigned ones or with its
// result negated.
struct ArithPredicate {
  enum Kind { kPlain, kUnsigned, kNegated };
  int64_t number;
  ComparisonDirection direction;
  Kind kind = kPlain;
};

// Those that are not here ask only whether a value is NaN, or are constant.
void LowerArithCompare(OpContext& op) {
  using enum ComparisonDirection;
  using enum ArithPredicate::Kind;
  static constexpr ArithPredicate kIntegers[] = {{0, kEq},
                                                 {1, kNe},
                                                 {2, kLt},
                                                 {3, kLe},
                                                 {4, kGt},
                                                 {5, kGe},
                                                 {6, kLt, kUnsigned},
                                                 {7, kLe, kUnsigned},
                                                 {8, kGt, kUnsigned},
                                                 {9, kGe, kUnsigned}};
  // NaN makes the unordered ones true: each is the negation of an ordered one.
  static constexpr ArithPredicate kFloats[] = {{1, kEq},
                                               {2, kGt},
                                               {3, kGe},
                                               {4, kLt},
                                               {5, kLe},
                                               {13, kNe},
                                               {9, kLe, kNegated},
                                               {10, kLt, kNegated},
                                               {11, kGe, kNegated},
                                               {12, kGt, kNegated}};
  const int64_t number = op.Int("predicate");
  const absl::Span<const ArithPredicate> rows =
      op.name() == "arith.cmpf" ? absl::MakeConstSpan(kFloats) : absl::MakeConstSpan(kIntegers);
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const ArithPredicate& one) { return one.number == number; });
  const Shape& shape = op.InShape(0);
  if (row == rows.end()) {
    op.Refuse("this predicate has no counterpart in HLO");
    return;
  }
  Instruction *left = op.In(0), *right = op.In(1);
  // Of one bit the signed order is the other one: -1 is true.
  if (IsPred(shape.element_type()) && number >= 2 && number <= 5) std::swap(left, right);
  if (row->kind == kUnsigned && !IsPred(shape.element_type())) {
    Shape without_sign = shape;
    without_sign.set_element_type(UnsignedOf(Info(shape.element_type()).bits));
    left = op.Make(Opcode::kBitcastConvert, without_sign, {left});
    right = op.Make(Opcode::kBitcastConvert, without_sign, {right});
  }
  Instruction* const compared = op.Make(Opcode::kCompare, op.OutShape(), {left, right},
                                        {{Attr::kDirection, static_cast<int64_t>(row->direction)}});
  op.Return(row->kind == kNegated ? op.Make(Opcode::kNot, op.OutShape(), {compared}) : compared);
}

constexpr Handler kLeftovers[] = {
    {"shape.broadcast", 1, 1, 0, LowerShapeBroadcast},
    {"shape.const_shape", 0, 1, 0, LowerConstShape},
    {"shape.num_elements", 1, 1, 0, LowerNumElements},
    {"shape.shape_of", 1, 1, 0, LowerShapeOf},
    {"tensor.dim", 2, 1, 0, LowerDim},
    {"tensor.from_elements", 1, 1, 0, LowerFromElements},
    {"tensor.extract", 1, 1, 0, LowerExtract},
    {"arith.addf", 2, 1, 0, LowerArith},
    {"arith.addi", 2, 1, 0, LowerArith},
    {"arith.andi", 2, 1, 0, LowerArith},
    {"arith.divf", 2, 1, 0, LowerArith},
    {"arith.divsi", 2, 1, 0, LowerArith},
    {"arith.maximumf", 2, 1, 0, LowerArith},
    {"arith.maxsi", 2, 1, 0, LowerArith},
    {"arith.minimumf", 2, 1, 0, LowerArith},
    {"arith.minsi", 2, 1, 0, LowerArith},
    {"arith.mulf", 2, 1, 0, LowerArith},
    {"arith.muli", 2, 1, 0, LowerArith},
    {"arith.negf", 1, 1, 0, LowerArith},
    {"arith.ori", 2, 1, 0, LowerArith},
    {"arith.remf", 2, 1, 0, LowerArith},
    {"arith.remsi", 2, 1, 0, LowerArith},
    {"arith.subf", 2, 1, 0, LowerArith},
    {"arith.subi", 2, 1, 0, LowerArith},
    {"arith.xori", 2, 1, 0, LowerArith},
    {"arith.cmpf", 2, 1, 0, LowerArithCompare},
    {"arith.cmpi", 2, 1, 0, LowerArithCompare},
    {"arith.extf", 1, 1, 0, LowerArithCast},
    {"arith.extsi", 1, 1, 0, LowerArithCast},
    {"arith.extui", 1, 1, 0, LowerArithUnsignedCast},
    {"arith.fptosi", 1, 1, 0, LowerArithCast},
    {"arith.index_cast", 1, 1, 0, LowerArithCast},
    {"arith.select", 3, 1, 0, LowerArithSelect},
    {"arith.sitofp", 1, 1, 0, LowerArithCast},
    {"arith.truncf", 1, 1, 0, LowerArithCast},
    {"arith.trunci", 1, 1, 0, LowerArithCast},
};

}  // namespace

absl::Span<const Handler> LeftoverHandlers() { return kLeftovers; }

}  // namespace assay::stablehlo
