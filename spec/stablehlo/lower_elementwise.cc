// Elementwise operations that are more than their row: what StableHLO defines of complex numbers
// and booleans beyond HLO, and constants. Source: the StableHLO specification, compared with
// reference ops_elementwise_and_types.md; docs/stablehlo.md lists the differences.
// Test: tools/cli/stablehlo_cli_test.py.
#include <algorithm>

#include "spec/element/element.h"
#include "spec/ops/checks.h"
#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

Instruction* CompareParts(OpContext& op, Instruction* a, Instruction* b,
                          ComparisonDirection direction) {
  return op.Make(Opcode::kCompare, WithElementType(a->shape(), ElementType::kPred), {a, b},
                 {{Attr::kDirection, static_cast<int64_t>(direction)}});
}

Instruction* PartOf(OpContext& op, Opcode part, Instruction* value) {
  const ElementType component = Info(value->shape().element_type()).component;
  return op.Make(part, WithElementType(value->shape(), component), {value});
}

// Complex numbers ordered by their real parts, then by their imaginary parts.
Instruction* CompareComplex(OpContext& op, Instruction* a, Instruction* b,
                            ComparisonDirection direction) {
  const bool upward =
      direction == ComparisonDirection::kGe || direction == ComparisonDirection::kGt;
  Instruction* const real_a = PartOf(op, Opcode::kReal, a);
  Instruction* const real_b = PartOf(op, Opcode::kReal, b);
  Instruction* const decided = CompareParts(
      op, real_a, real_b, upward ? ComparisonDirection::kGt : ComparisonDirection::kLt);
  Instruction* const tied = CompareParts(op, real_a, real_b, ComparisonDirection::kEq);
  Instruction* const by_imaginary =
      CompareParts(op, PartOf(op, Opcode::kImag, a), PartOf(op, Opcode::kImag, b), direction);
  Instruction* const second = op.Make(Opcode::kAnd, decided->shape(), {tied, by_imaginary});
  return op.Make(Opcode::kOr, decided->shape(), {decided, second});
}

Instruction* Extremum(OpContext& op, Instruction* a, Instruction* b, bool largest) {
  if (!IsComplex(a->shape().element_type())) {
    return op.Make(largest ? Opcode::kMaximum : Opcode::kMinimum, a->shape(), {a, b});
  }
  Instruction* const first =
      CompareComplex(op, a, b, largest ? ComparisonDirection::kGt : ComparisonDirection::kLt);
  return op.Make(Opcode::kSelect, a->shape(), {first, a, b});
}

bool OfComplex(OpContext& op, int64_t operand) {
  return IsComplex(op.InShape(operand).element_type());
}

void LowerExtremum(OpContext& op) {
  if (!OfComplex(op, 0)) {
    LowerByRow(op);
    return;
  }
  op.Return(Extremum(op, op.In(0), op.In(1),
                     op.name() == "stablehlo.maximum" || op.name() == "mhlo.maximum"));
}

void LowerCompare(OpContext& op) {
  const auto direction = static_cast<ComparisonDirection>(op.Int("comparison_direction"));
  const bool equality =
      direction == ComparisonDirection::kEq || direction == ComparisonDirection::kNe;
  if (!OfComplex(op, 0) || equality) {
    LowerByRow(op);
    return;
  }
  op.Return(CompareComplex(op, op.In(0), op.In(1), direction));
}

// min(max(x, low), high), where a bound may be a scalar.
void LowerClamp(OpContext& op) {
  if (!OfComplex(op, 1)) {
    LowerByRow(op);
    return;
  }
  Instruction* const x = op.In(1);
  const auto bound = [&](int64_t i) {
    return op.InShape(i).rank() == 0 ? op.Spread(op.In(i), x->shape()) : op.In(i);
  };
  op.Return(Extremum(op, Extremum(op, x, bound(0), true), bound(2), false));
}

void LowerConvert(OpContext& op) {
  const ElementType from = op.InShape(0).element_type();
  const ElementType to = op.OutType();
  if (!IsComplex(from) || IsComplex(to)) {
    op.Return(op.Make(Opcode::kConvert, op.OutShape(), {op.In(0)}));
    return;
  }
  // The imaginary part is ignored, also by a conversion to booleans.
  op.Return(op.Convert(PartOf(op, Opcode::kReal, op.In(0)), to));
}

// Booleans are one bit wide: of n of them along the last dimension one number of n bits is made,
// the first the lowest bit, and back. HLO's pred is 8 bits wide there.
void LowerBits(OpContext& op) {
  const ElementType from = op.InShape(0).element_type();
  const ElementType to = op.OutType();
  Instruction* const x = op.In(0);
  if (from == to) {
    op.Return(op.Make(Opcode::kCopy, x->shape(), {x}));
    return;
  }
  const ElementType word = UnsignedOf(Info(IsPred(from) ? to : from).bits);
  if (word == ElementType::kInvalid) {
    op.Refuse(absl::StrCat("booleans and ", Name(IsPred(from) ? to : from),
                           " cannot be cast into each other"));
    return;
  }
  const int64_t bits = Info(word).bits;
  const Shape& larger = IsPred(from) ? x->shape() : op.OutShape();
  if (larger.rank() == 0 || larger.dimension(larger.rank() - 1) != bits) {
    op.Fail(absl::StrCat("the last dimension of the booleans must be ", bits, ", found ",
                         larger.ToString()));
    return;
  }
  const int64_t last = larger.rank() - 1;
  const Shape words = WithElementType(larger, word);
  Instruction* const place =
      op.Make(Opcode::kIota, words, Operands(), {{Attr::kIotaDimension, last}});
  if (IsPred(from)) {
    Instruction* const shifted = op.Make(Opcode::kShiftLeft, words, {op.Convert(x, word), place});
    // The sum of different bits is their union.
    Instruction* total = nullptr;
    for (int64_t bit = 0; bit < bits; ++bit) {
      Slices slices;
      Dimensions sizes;
      for (int64_t d = 0; d <= last; ++d) {
        slices.push_back(d == last ? SliceRange{bit, bit + 1, 1}
                                   : SliceRange{0, larger.dimension(d), 1});
        sizes.push_back(d == last ? 1 : larger.dimension(d));
      }
      Instruction* const one =
          op.Make(Opcode::kSlice, Shape(word, sizes), {shifted}, {{Attr::kSlice, slices}});
      sizes.pop_back();
      Instruction* const flat = op.Reshape(one, sizes);
      total = total == nullptr ? flat : op.Make(Opcode::kOr, flat->shape(), {total, flat});
    }
    op.Return(op.Make(Opcode::kBitcastConvert, op.OutShape(), {total}));
    return;
  }
  Instruction* const number =
      op.Make(Opcode::kBitcastConvert, WithElementType(x->shape(), word), {x});
  std::vector<int64_t> kept;
  for (int64_t d = 0; d < last; ++d) kept.push_back(d);
  Instruction* const spread =
      op.Make(Opcode::kBroadcast, words, {number}, {{Attr::kDimensions, kept}});
  Instruction* const shifted = op.Make(Opcode::kShiftRightLogical, words, {spread, place});
  Instruction* const one = op.Spread(op.ConstantInt(word, 1), words);
  Instruction* const lowest = op.Make(Opcode::kAnd, words, {shifted, one});
  op.Return(op.Convert(lowest, ElementType::kPred));
}

void LowerBitcastConvert(OpContext& op) {
  if (IsPred(op.InShape(0).element_type()) || IsPred(op.OutType())) {
    LowerBits(op);
    return;
  }
  Shape shape = op.OutShape();
  const Shape& x = op.InShape(0);
  if (HasUnboundedDimension(shape)) {
    // Elements that become several have them in a further dimension, and the other way round.
    Dimensions sizes(x.dimensions().begin(), x.dimensions().end());
    if (shape.rank() == x.rank() + 1) {
      sizes.push_back(Info(x.element_type()).bits / Info(shape.element_type()).bits);
    } else if (shape.rank() + 1 == x.rank()) {
      sizes.pop_back();
    }
    if (static_cast<int64_t>(sizes.size()) == shape.rank()) {
      shape = Shape(shape.element_type(), sizes);
    }
  }
  op.Return(op.Make(Opcode::kBitcastConvert, std::move(shape), {op.In(0)}));
}

// A splat is a scalar and a broadcast: its elements take no memory.
void LowerConstant(OpContext& op) {
  const Attribute* value = op.Need("value");
  if (value == nullptr) return;
  if (value->kind == AttributeKind::kInteger || value->kind == AttributeKind::kBool) {
    op.Return(op.ConstantInt(op.OutType(), value->integer));  // arith.constant of a scalar
    return;
  }
  const absl::StatusOr<Literal> literal = LiteralOfDense(*value);
  if (!literal.ok()) {
    op.Fail(literal.status().message(), literal.status().code());
    return;
  }
  const Shape shape = op.OutShape();
  if (literal->element_type() != shape.element_type()) {
    op.Fail(absl::StrCat("the value is of ", Name(literal->element_type()), ", the result ",
                         shape.ToString()));
    return;
  }
  if (!value->is_splat) {
    Instruction* const made = op.Constant(
        literal->WithShape(Shape::Compatible(literal->shape(), shape) ? shape : literal->shape()));
    op.Return(made);
    return;
  }
  op.Return(op.Spread(op.Constant(*literal), shape));
}

void LowerRng(OpContext& op) {
  const Operands both = op.inputs().subspan(0, 2);
  Shape shape = op.OutShape();
  if (HasUnboundedDimension(shape)) {
    const std::optional<std::vector<int64_t>> sizes = op.KnownInts(2);
    if (sizes && static_cast<int64_t>(sizes->size()) == shape.rank()) {
      shape = Shape(shape.element_type(), *sizes);
    }
  }
  op.Return(op.Make(Opcode::kRng, std::move(shape), both,
                    {{Attr::kDistribution, op.Int("rng_distribution")}}));
}

void LowerRngBitGenerator(OpContext& op) {
  Instruction* const both =
      op.Make(Opcode::kRngBitGenerator, Shape::Tuple({op.InShape(0), op.OutShape(1)}), {op.In(0)},
              {{Attr::kRngAlgorithm, op.Int("rng_algorithm")}});
  op.ReturnAll(both, true);
}

// HLO has no cube root of complex numbers. The power of the principal value is taken in c128, whose
// third is near enough for c64.
void LowerCbrt(OpContext& op) {
  if (!OfComplex(op, 0)) {
    LowerByRow(op);
    return;
  }
  Instruction* const wide = op.Convert(op.In(0), ElementType::kC128);
  assay::Element third;
  third.bits = EncodeFloat(ElementType::kF64, 1.0 / 3);
  Instruction* const exponent =
      op.Spread(op.Constant(Literal::Scalar(ElementType::kC128, third)), wide->shape());
  Instruction* const root = op.Make(Opcode::kPower, wide->shape(), {wide, exponent});
  op.Return(op.Convert(root, op.InShape(0).element_type()));
}

void LowerCopy(OpContext& op) { op.Return(op.In(0)); }

constexpr Handler kElementwise[] = {
    {"maximum", 2, 1, 0, LowerExtremum},
    {"minimum", 2, 1, 0, LowerExtremum},
    {"compare", 2, 1, 0, LowerCompare},
    {"clamp", 3, 1, 0, LowerClamp},
    {"convert", 1, 1, 0, LowerConvert},
    {"bitcast_convert", 1, 1, 0, LowerBitcastConvert},
    {"cbrt", 1, 1, 0, LowerCbrt},
    {"constant", 0, 1, 0, LowerConstant},
    {"arith.constant", 0, 1, 0, LowerConstant},
    {"chlo.constant", 0, 1, 0, LowerConstant},
    {"sdy.constant", 0, 1, 0, LowerConstant},
    {"rng", 2, 1, 0, LowerRng},
    {"rng_bit_generator", 1, 2, 0, LowerRngBitGenerator},
    {"interpreter.probe", 1, 1, 0, LowerCopy},
    {"tensor.cast", 1, 1, 0, LowerCopy},
    {"builtin.unrealized_conversion_cast", 1, 1, 0, LowerCopy},
};

}  // namespace

ElementType UnsignedOf(int bits) {
  switch (bits) {
    case 2:
      return ElementType::kU2;
    case 4:
      return ElementType::kU4;
    case 8:
      return ElementType::kU8;
    case 16:
      return ElementType::kU16;
    case 32:
      return ElementType::kU32;
    case 64:
      return ElementType::kU64;
    default:
      return ElementType::kInvalid;
  }
}

absl::Span<const Handler> ElementwiseHandlers() { return kElementwise; }

}  // namespace assay::stablehlo
