// CHLO: functions that are operations of HLO, formulas of others, operations with implicit
// broadcasts. Source: reference stablehlo_format.md 8.7. Test: lowering_test.cc.
#include <algorithm>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "spec/element/element.h"
#include "spec/ops/checks.h"
#include "spec/stablehlo/chlo_expansions.h"
#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

// The elementwise operation of HLO that has the name of a function, if there is one.
std::optional<Opcode> OperationNamed(absl::string_view function) {
  const std::optional<Opcode> opcode = OpcodeFromName(absl::StrReplaceAll(function, {{"_", "-"}}));
  return opcode && Info(*opcode).elementwise() ? opcode : std::nullopt;
}

// XLA's converter writes a formula where it has one, and the operation itself elsewhere.
void LowerFunction(OpContext& op) {
  const Shape& shape = op.InShape(0);
  const absl::string_view short_name = op.name().substr(op.name().find('.') + 1);
  const std::string function = absl::StrCat("chlo.", short_name);
  const std::optional<Opcode> opcode = OperationNamed(short_name);
  const ToModuleOptions& options = op.lowering().options();
  // The converter keeps erf, though it has steps of its own for it.
  const bool keeps = short_name == "erf" && !options.expand_all_chlo;
  const bool formula =
      options.expand_chlo && !keeps && HasExpansion(function, shape.element_type());
  op.Return(opcode && !formula ? op.Make(*opcode, shape, op.inputs())
                               : Expand(op, function, op.inputs()));
}

// atan(x) = atan2(x, 1); of complex numbers -i atanh(i x).
void LowerAtan(OpContext& op) {
  Instruction* const x = op.In(0);
  const ElementType type = x->shape().element_type();
  if (!IsComplex(type)) {
    op.Return(
        op.Make(Opcode::kAtan2, x->shape(), {x, op.Spread(op.ConstantInt(type, 1), x->shape())}));
    return;
  }
  if (op.lowering().options().expand_chlo && HasExpansion("chlo.atan", type)) {
    op.Return(Expand(op, "chlo.atan", op.inputs()));
    return;
  }
  const Shape part = WithElementType(x->shape(), Info(type).component);
  const auto turned = [&](Instruction* value, bool forward) {
    Instruction* const real = op.Make(Opcode::kReal, part, {value});
    Instruction* const imag = op.Make(Opcode::kImag, part, {value});
    Instruction* const negated = op.Make(Opcode::kNegate, part, {forward ? imag : real});
    return forward ? op.Make(Opcode::kComplex, x->shape(), {negated, real})
                   : op.Make(Opcode::kComplex, x->shape(), {imag, negated});
  };
  op.Return(turned(op.Make(Opcode::kAtanh, x->shape(), {turned(x, true)}), false));
}

void LowerConj(OpContext& op) {
  Instruction* const x = op.In(0);
  if (!IsComplex(x->shape().element_type())) {
    op.Return(x);
    return;
  }
  const Shape part = WithElementType(x->shape(), Info(x->shape().element_type()).component);
  Instruction* const imag = op.Make(Opcode::kImag, part, {x});
  op.Return(op.Make(Opcode::kComplex, x->shape(),
                    {op.Make(Opcode::kReal, part, {x}), op.Make(Opcode::kNegate, part, {imag})}));
}

void LowerIsInfinite(OpContext& op) {
  Instruction* x = op.In(0);
  const ElementType type = x->shape().element_type();
  if (!IsFloat(type)) {
    op.Refuse(absl::StrCat("is not understood of ", Name(type)));
    return;
  }
  const bool any = absl::EndsWith(op.name(), "is_inf");
  if (any) x = op.Make(Opcode::kAbs, x->shape(), {x});
  if (!Info(type).format->has_infinity) {
    op.Return(op.Spread(op.ConstantInt(ElementType::kPred, 0), x->shape()));
    return;
  }
  const Element bound = {Infinity(type, absl::EndsWith(op.name(), "is_neg_inf")), 0};
  Instruction* const infinity = op.Spread(op.Constant(Literal::Scalar(type, bound)), x->shape());
  op.Return(op.Make(Opcode::kCompare, WithElementType(x->shape(), ElementType::kPred),
                    {x, infinity},
                    {{Attr::kDirection, static_cast<int64_t>(ComparisonDirection::kEq)}}));
}

// The next value after a towards b: a step of the bits, which are ordered like the values but for
// the sign.
void LowerNextAfter(OpContext& op) {
  Instruction* const a = op.In(0);
  Instruction* const b = op.In(1);
  const Shape shape = a->shape();
  const ElementType type = shape.element_type();
  const int bits = IsFloat(type) ? Info(type).bits : 0;
  const ElementType whole = bits == 8    ? ElementType::kS8
                            : bits == 16 ? ElementType::kS16
                            : bits == 32 ? ElementType::kS32
                            : bits == 64 ? ElementType::kS64
                                         : ElementType::kInvalid;
  if (whole == ElementType::kInvalid) {
    op.Refuse(absl::StrCat("is not understood of ", Name(type)));
    return;
  }
  const Shape pattern = WithElementType(shape, whole),
              truth = WithElementType(shape, ElementType::kPred);
  const auto number = [&](int64_t value) {
    return op.Spread(op.ConstantInt(whole, value), pattern);
  };
  const auto compare = [&](Instruction* x, Instruction* y, ComparisonDirection direction) {
    return op.Make(Opcode::kCompare, truth, {x, y},
                   {{Attr::kDirection, static_cast<int64_t>(direction)}});
  };
  const auto either = [&](Instruction* x, Instruction* y) {
    return op.Make(Opcode::kOr, x->shape(), {x, y});
  };
  const auto choose = [&](Instruction* condition, Instruction* x, Instruction* y) {
    return op.Make(Opcode::kSelect, pattern, {condition, x, y});
  };
  const auto masked = [&](Instruction* x, int64_t mask) {
    return op.Make(Opcode::kAnd, pattern, {x, number(mask)});
  };
  const int64_t sign = MinSigned(whole), rest = MaxSigned(whole);
  Instruction* const a_bits = op.Make(Opcode::kBitcastConvert, pattern, {a});
  Instruction* const b_bits = op.Make(Opcode::kBitcastConvert, pattern, {b});
  Instruction* const a_size = masked(a_bits, rest);
  Instruction* const b_size = masked(b_bits, rest);
  Instruction* const b_sign = masked(b_bits, sign);
  // From zero the smallest number of b's sign, or b where it is zero.
  Instruction* const from_zero = choose(compare(b_size, number(0), ComparisonDirection::kEq),
                                        b_bits, either(b_sign, number(1)));
  Instruction* const inward =
      either(compare(a_size, b_size, ComparisonDirection::kGt),
             compare(masked(a_bits, sign), b_sign, ComparisonDirection::kNe));
  Instruction* const stepped =
      op.Make(Opcode::kAdd, pattern, {a_bits, choose(inward, number(-1), number(1))});
  Instruction* const moved =
      choose(compare(a_size, number(0), ComparisonDirection::kEq), from_zero, stepped);
  Instruction* const not_equal = choose(compare(a, b, ComparisonDirection::kEq), b_bits, moved);
  Instruction* const is_nan =
      either(compare(a, a, ComparisonDirection::kNe), compare(b, b, ComparisonDirection::kNe));
  const auto nan = DecodeSigned(whole, CanonicalNan(type));
  op.Return(op.Make(Opcode::kBitcastConvert, shape, {choose(is_nan, number(nan), not_equal)}));
}

void LowerConstantLike(OpContext& op) {
  const Attribute* value = op.Need("value");
  const Shape& shape = op.InShape(0);
  const ElementType type = op.OutType();  // which need not be the operand's
  if (value == nullptr) return;
  Element element;
  if (value->kind == AttributeKind::kDense) {
    const absl::StatusOr<Literal> literal = LiteralOfDense(*value);
    if (!literal.ok() || literal->element_type() != type || literal->element_count() != 1) {
      op.Fail("the value must be one element of the result's type");
      return;
    }
    element = literal->Get(0);
  } else if (value->kind == AttributeKind::kFloat && IsFloat(type) && value->type != nullptr &&
             IsFloat(value->type->element)) {
    element.bits =
        EncodeFloat(type, DecodeFloat(value->type->element, static_cast<uint64_t>(value->integer)));
  } else if (value->kind == AttributeKind::kInteger || value->kind == AttributeKind::kBool) {
    op.Return(op.Spread(op.ConstantInt(type, value->integer), shape));
    return;
  } else {
    op.Refuse(absl::StrCat("a value of this kind is not understood for ", Name(type)));
    return;
  }
  op.Return(op.Spread(op.Constant(Literal::Scalar(type, element)), shape));
}

void LowerTopK(OpContext& op) {
  Instruction* const x = op.In(0);
  const int64_t k = op.Int("k");
  if (x->shape().rank() < 1 || k < 0 || k > x->shape().dimension(x->shape().rank() - 1)) {
    op.Fail(absl::StrCat("k must not be more than the last dimension of ", x->shape().ToString(),
                         ", found ", k));
    return;
  }
  Shape values(x->shape().element_type(), x->shape().dimensions());
  values.set_dimension(values.rank() - 1, k);
  const Shape indices = WithElementType(values, ElementType::kS32);
  Instruction* const both = op.Make(Opcode::kTopK, Shape::Tuple({values, indices}), {x},
                                    {{Attr::kK, k},
                                     {Attr::kLargest, op.BoolOr("largest", true)},
                                     {Attr::kIsStable, op.BoolOr("is_stable", true)}});
  op.ReturnAll(both, true);
}

// The lists of numbers of a ragged dot, in the order in which composites have them without names.
constexpr absl::string_view kRaggedDotLists[] = {
    "lhs_batching_dimensions",    "rhs_batching_dimensions", "lhs_contracting_dimensions",
    "rhs_contracting_dimensions", "lhs_ragged_dimensions",   "rhs_group_dimensions"};

// The list of this name among lists without names.
std::vector<int64_t> UnnamedRaggedDotList(OpContext& op, const Attribute& lists,
                                          absl::string_view name) {
  const auto at = std::find(std::begin(kRaggedDotLists), std::end(kRaggedDotLists), name) -
                  std::begin(kRaggedDotLists);
  std::optional<std::vector<int64_t>> values;
  if (lists.elements.size() == std::size(kRaggedDotLists) && lists.elements[at] != nullptr) {
    values = IntsOf(*lists.elements[at]);
  }
  if (values) return *std::move(values);
  op.Fail("ragged_dot_dimension_numbers must be a record or six lists of integers");
  return {};
}

void LowerRaggedDot(OpContext& op) {
  const Attribute* numbers = op.Find("ragged_dot_dimension_numbers");
  if (numbers == nullptr) numbers = op.Need("dimension_numbers");
  const auto list = [&](absl::string_view field) {
    if (numbers != nullptr && numbers->kind == AttributeKind::kArray) {
      return UnnamedRaggedDotList(op, *numbers, field);
    }
    std::vector<int64_t> values = op.FieldInts(numbers, field);
    if (values.empty() && numbers != nullptr) {
      // The dictionary of a composite holds the dot's own numbers one level deeper.
      values = op.FieldInts(numbers->Find("dot_dimension_numbers"), field);
    }
    return values;
  };
  AttributeList attributes = {{Attr::kLhsBatchDims, list("lhs_batching_dimensions")},
                              {Attr::kRhsBatchDims, list("rhs_batching_dimensions")},
                              {Attr::kLhsContractingDims, list("lhs_contracting_dimensions")},
                              {Attr::kRhsContractingDims, list("rhs_contracting_dimensions")}};
  const std::vector<int64_t> precisions = PrecisionsOf(op);
  if (!precisions.empty()) attributes.push_back({Attr::kOperandPrecision, precisions});
  const std::vector<int64_t> ragged = list("lhs_ragged_dimensions");
  const std::vector<int64_t> batch = list("lhs_batching_dimensions");
  const bool in_batch =
      ragged.size() == 1 && std::find(batch.begin(), batch.end(), ragged[0]) != batch.end();
  if (in_batch) {
    op.Return(op.Make(Opcode::kDot, op.OutShape(), {op.In(0), op.In(1)}, std::move(attributes)));
    return;
  }
  attributes.push_back({Attr::kLhsRaggedDims, ragged});
  attributes.push_back({Attr::kRhsGroupDims, list("rhs_group_dimensions")});
  op.Return(op.Make(Opcode::kRaggedDot, op.OutShape(), op.inputs(), std::move(attributes)));
}

void LowerScan(OpContext& op) {
  // Carries come last, among operands and among results.
  const std::vector<int64_t> segments = op.IntsOr("operandSegmentSizes", {});
  const std::vector<int64_t> results = op.IntsOr("resultSegmentSizes", {});
  const int64_t carries = segments.size() == 2 ? segments[1] : -1;
  if (carries < 0 || segments[0] < 0 || segments[0] != op.operand_count() - carries ||
      carries > op.result_count()) {
    op.Fail(
        "operandSegmentSizes must say how many operands are inputs and how many initial values");
    return;
  }
  if (op.Has("resultSegmentSizes") &&
      results != std::vector<int64_t>{op.result_count() - carries, carries}) {
    op.Fail("resultSegmentSizes must say how many results are outputs and how many final values");
    return;
  }
  const int64_t dimension = op.Int("dimension");
  for (int64_t i = 0; op.Has("scan_dim_size") && i < op.operand_count() - carries; ++i) {
    const Shape& shape = op.InShape(i);
    const int64_t steps = op.Int("scan_dim_size");
    if (dimension < 0 || dimension >= shape.rank() || shape.dimension(dimension) == steps) continue;
    op.Fail(absl::StrCat("scan_dim_size is ", steps, ", but dimension ", dimension, " of operand ",
                         i, ", ", shape.ToString(), ", is not"));
  }
  // Scalars from outside are carried from step to step.
  const auto [body, captured] =
      op.ReducerOfCaptures(0, op.operand_count(), Lowering::RegionParameters::Place::kBehind,
                           /*passed_on=*/true);
  std::vector<Instruction*> operands(op.inputs().begin(), op.inputs().end());
  operands.insert(operands.end(), captured.begin(), captured.end());
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < op.result_count(); ++i) shapes.push_back(op.OutShape(i));
  for (const Instruction* scalar : captured) shapes.push_back(scalar->shape());
  AttributeList attributes = {
      {Attr::kDimension, dimension},
      {Attr::kNumCarries, carries + static_cast<int64_t>(captured.size())},
      {Attr::kIsReverse, op.BoolOr("is_reverse", false)},
      {Attr::kIsAssociative, op.BoolOr("is_associative", false) && captured.empty()},
      {Attr::kToApply, body}};
  op.ReturnAll(op.Make(Opcode::kScan, Shape::Tuple(shapes), operands, std::move(attributes)), true);
}

// Sizes of 1, and dimensions that one operand lacks, stretch.
void LowerBroadcasting(OpContext& op) {
  std::vector<Instruction*> operands(op.inputs().begin(), op.inputs().end());
  const bool select = absl::EndsWith(op.name(), "_select");
  int64_t rank = 0;
  for (const Instruction* operand : operands) rank = std::max(rank, operand->shape().rank());
  std::vector<std::vector<int64_t>> places;
  Dimensions sizes(rank, 1);
  for (const Instruction* operand : operands) {
    const Shape& shape = operand->shape();
    std::vector<int64_t> place(shape.rank());
    std::iota(place.begin(), place.end(), rank - shape.rank());
    if (op.Has("broadcast_dimensions") && shape.rank() < rank) {
      place = op.Ints("broadcast_dimensions");
    }
    if (static_cast<int64_t>(place.size()) != shape.rank()) {
      op.Fail("broadcast_dimensions must have a number for each dimension of the smaller operand");
      return;
    }
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (place[d] < 0 || place[d] >= rank) {
        op.Fail(absl::StrCat("broadcast_dimensions holds ", place[d], ", but the rank is ", rank));
        return;
      }
      int64_t& size = sizes[place[d]];
      if (size != 1 && shape.dimension(d) != 1 && size != shape.dimension(d)) {
        op.Fail(absl::StrCat("dimensions of ", size, " and ", shape.dimension(d),
                             " do not stretch to each other"));
        return;
      }
      if (shape.dimension(d) != 1) size = shape.dimension(d);
    }
    places.push_back(std::move(place));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape& shape = operands[i]->shape();
    if (select && i == 0 && shape.rank() == 0) continue;
    const Shape wide(shape.element_type(), sizes);
    if (!Shape::SameDimensions(wide, shape)) {
      operands[i] = BroadcastInDim(op, operands[i], wide, places[i]);
    }
  }
  if (!op.ok()) return;
  absl::string_view plain = op.name();
  absl::ConsumePrefix(&plain, "chlo.broadcast_");
  const bool of_chlo = plain == "next_after" || plain == "polygamma" || plain == "zeta";
  op.set_inputs(std::move(operands));
  op.Rename(absl::StrCat(of_chlo ? "chlo." : "stablehlo.", plain));
  Dispatch(op);
}

constexpr Handler kChlo[] = {
    {"chlo.acos", 1, 1, 0, LowerFunction},
    {"chlo.acosh", 1, 1, 0, LowerFunction},
    {"chlo.asin", 1, 1, 0, LowerFunction},
    {"chlo.asinh", 1, 1, 0, LowerFunction},
    {"chlo.atan", 1, 1, 0, LowerAtan},
    {"chlo.atanh", 1, 1, 0, LowerFunction},
    {"chlo.bessel_i1e", 1, 1, 0, LowerFunction},
    {"chlo.broadcast_add", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_and", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_atan2", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_compare", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_complex", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_divide", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_maximum", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_minimum", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_multiply", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_next_after", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_or", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_polygamma", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_power", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_remainder", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_select", 3, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_shift_left", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_shift_right_arithmetic", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_shift_right_logical", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_subtract", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_xor", 2, 1, 0, LowerBroadcasting},
    {"chlo.broadcast_zeta", 2, 1, 0, LowerBroadcasting},
    {"chlo.conj", 1, 1, 0, LowerConj},
    {"chlo.constant_like", 1, 1, 0, LowerConstantLike},
    {"chlo.cosh", 1, 1, 0, LowerFunction},
    {"chlo.digamma", 1, 1, 0, LowerFunction},
    {"chlo.erf", 1, 1, 0, LowerFunction},
    {"chlo.erf_inv", 1, 1, 0, LowerFunction},
    {"chlo.erfc", 1, 1, 0, LowerFunction},
    {"chlo.is_inf", 1, 1, 0, LowerIsInfinite},
    {"chlo.is_neg_inf", 1, 1, 0, LowerIsInfinite},
    {"chlo.is_pos_inf", 1, 1, 0, LowerIsInfinite},
    {"chlo.lgamma", 1, 1, 0, LowerFunction},
    {"chlo.mulhi", 2, 1, 0, LowerFunction},
    {"chlo.next_after", 2, 1, 0, LowerNextAfter},
    {"chlo.polygamma", 2, 1, 0, LowerFunction},
    {"chlo.ragged_dot", 3, 1, 0, LowerRaggedDot},
    {"chlo.scan", 0, 0, 1, LowerScan},
    {"chlo.sinh", 1, 1, 0, LowerFunction},
    {"chlo.square", 1, 1, 0, LowerFunction},
    {"chlo.tan", 1, 1, 0, LowerFunction},
    {"chlo.top_k", 1, 2, 0, LowerTopK},
    {"chlo.zeta", 2, 1, 0, LowerFunction},
    // What is left over of MHLO, and the same operations as custom calls.
    {"acos", 1, 1, 0, LowerFunction},
    {"acosh", 1, 1, 0, LowerFunction},
    {"asin", 1, 1, 0, LowerFunction},
    {"asinh", 1, 1, 0, LowerFunction},
    {"atanh", 1, 1, 0, LowerFunction},
    {"cosh", 1, 1, 0, LowerFunction},
    {"erf", 1, 1, 0, LowerFunction},
    {"mulhi", 2, 1, 0, LowerFunction},
    {"ragged_dot", 3, 1, 0, LowerRaggedDot},
    {"scan", 0, 0, 1, LowerScan},
    {"sinh", 1, 1, 0, LowerFunction},
    {"topk", 1, 2, 0, LowerTopK},
};

}  // namespace

absl::Span<const Handler> ChloHandlers() { return kChlo; }

}  // namespace assay::stablehlo
