#include "backends/passes/algebraic_rules.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "backends/defect.h"
#include "spec/element/element.h"

namespace assay::passes {
namespace {

ElementType TypeOf(const Instruction& x) { return x.shape().element_type(); }

bool IsIntegerOrPred(ElementType type) { return IsInteger(type) || IsPred(type); }

// Values that nothing but NaN can tell from the operand.
bool MayKeep(ElementType type, Exactness exactness) {
  return IsIntegerOrPred(type) || (IsFloat(type) && exactness == Exactness::kAnyNan);
}

// Shapes must be equal but for layouts, which passes do not change.
bool CanStandFor(const Instruction& by, const Instruction& instruction) {
  return by.shape() == instruction.shape();
}

// The one element of an array that has no other.
std::optional<Element> UniformElement(const Instruction& x) {
  const Instruction* source = &x;
  while (source->opcode() == Opcode::kBroadcast || source->opcode() == Opcode::kReshape) {
    source = source->operand(0);
  }
  if (source->opcode() != Opcode::kConstant || source->literal() == nullptr ||
      !source->shape().is_array() || source->literal()->element_count() != 1) {
    return std::nullopt;
  }
  return source->literal()->Get(0);
}

// As a number, of types that are neither complex nor of 64-bit integers beyond double.
std::optional<double> UniformNumber(const Instruction& x) {
  const std::optional<Element> element = UniformElement(x);
  if (!element.has_value()) return std::nullopt;
  const ElementType type = TypeOf(x);
  if (IsFloat(type)) return DecodeFloat(type, element->bits);
  if (IsSigned(type)) return static_cast<double>(DecodeSigned(type, element->bits));
  if (IsIntegerOrPred(type)) return static_cast<double>(DecodeUnsigned(type, element->bits));
  return std::nullopt;
}
bool IsNumber(const Instruction& x, double number) {
  const std::optional<double> value = UniformNumber(x);
  return value.has_value() && *value == number && !std::signbit(*value);
}

Instruction* Operand(const Instruction& x, int64_t k, const Editor& editor) {
  return editor.Now(x.operand(k));
}

// The other operand where one of two is a number.
Instruction* OtherThan(const Instruction& x, double number, const Editor& editor) {
  for (const int64_t k : {0, 1}) {
    if (IsNumber(*Operand(x, k, editor), number)) return Operand(x, 1 - k, editor);
  }
  return nullptr;
}

Instruction* AddZero(Instruction& x, Exactness, Editor& editor) {
  if (x.opcode() != Opcode::kAdd || !IsInteger(TypeOf(x))) return nullptr;
  return OtherThan(x, ASSAY_DEFECT(61, 0, x.shape().is_scalar() ? 0 : 1), editor);
}

Instruction* SubtractZero(Instruction& x, Exactness exactness, Editor& editor) {
  if (x.opcode() != Opcode::kSubtract || !MayKeep(TypeOf(x), exactness)) return nullptr;
  const int64_t zero = ASSAY_DEFECT(62, 1, 0);
  return IsNumber(*Operand(x, zero, editor), 0) ? Operand(x, 1 - zero, editor) : nullptr;
}

Instruction* MultiplyOne(Instruction& x, Exactness exactness, Editor& editor) {
  if (x.opcode() != Opcode::kMultiply || !MayKeep(TypeOf(x), exactness)) return nullptr;
  return OtherThan(x, ASSAY_DEFECT(63, 1, x.shape().is_scalar() ? 1 : 2), editor);
}

Instruction* MultiplyZero(Instruction& x, Exactness, Editor& editor) {
  const bool is_exact = IsInteger(TypeOf(x)) || ASSAY_DEFECT(64, false, IsFloat(TypeOf(x)));
  if (x.opcode() != Opcode::kMultiply || !is_exact) return nullptr;
  for (const int64_t k : {0, 1}) {
    if (IsNumber(*Operand(x, k, editor), 0)) return Operand(x, k, editor);
  }
  return nullptr;
}

Instruction* DivideOne(Instruction& x, Exactness exactness, Editor& editor) {
  if (x.opcode() != Opcode::kDivide || !MayKeep(TypeOf(x), exactness)) return nullptr;
  const int64_t one = ASSAY_DEFECT(65, 1, 0);
  return IsNumber(*Operand(x, one, editor), 1) ? Operand(x, 1 - one, editor) : nullptr;
}

// Quotient and product are the same real number, rounded once.
Instruction* DividePowerOfTwo(Instruction& x, Exactness, Editor& editor) {
  if (x.opcode() != Opcode::kDivide || !IsFloat(TypeOf(x))) return nullptr;
  const FloatFormat& format = *Info(TypeOf(x)).format;
  Instruction* divisor = Operand(x, 1, editor);
  const std::optional<double> value = UniformNumber(*divisor);
  if (!value.has_value() || !std::isfinite(*value)) return nullptr;
  int exponent;
  const double fraction = std::frexp(*value, &exponent);
  const int inverse = 1 - exponent;  // of the power of two
  if (std::fabs(fraction) != 0.5 || *value == 1 || inverse < format.min_exponent() ||
      inverse > format.max_exponent()) {
    return nullptr;
  }
  const Shape scalar = Shape::Scalar(TypeOf(x));
  auto constant = std::make_unique<Instruction>(Opcode::kConstant, scalar);
  constant->set_name("constant");
  const double sign = ASSAY_DEFECT(66, std::copysign(1.0, *value), 1.0);
  constant->set_literal(
      Literal::Scalar(TypeOf(x), {EncodeFloat(TypeOf(x), std::ldexp(sign, inverse))}));
  Instruction* factor = editor.Add(std::move(constant));
  if (!x.shape().is_scalar()) {
    factor = editor.Add(Opcode::kBroadcast, divisor->shape(), {factor});
    factor->SetAttribute(Attr::kDimensions, std::vector<int64_t>());
  }
  Instruction* operands[] = {Operand(x, 0, editor), factor};
  return editor.Add(Opcode::kMultiply, x.shape(), operands);
}

// Integer zeros of the shape, from nothing else.
Instruction* SubtractItself(Instruction& x, Exactness, Editor& editor) {
  const bool is_exact = IsInteger(TypeOf(x)) || ASSAY_DEFECT(67, false, IsFloat(TypeOf(x)));
  if (x.opcode() != Opcode::kSubtract || !is_exact ||
      Operand(x, 0, editor) != Operand(x, 1, editor)) {
    return nullptr;
  }
  auto constant = std::make_unique<Instruction>(Opcode::kConstant, Shape::Scalar(TypeOf(x)));
  constant->set_name("constant");
  constant->set_literal(Literal::Zeros(Shape::Scalar(TypeOf(x))));
  Instruction* zero = editor.Add(std::move(constant));
  if (x.shape().is_scalar()) return zero;
  zero = editor.Add(Opcode::kBroadcast, x.shape(), {zero});
  zero->SetAttribute(Attr::kDimensions, std::vector<int64_t>());
  return zero;
}

bool IsBitwise(Opcode opcode) {
  return opcode == Opcode::kAnd || opcode == Opcode::kOr || opcode == Opcode::kXor;
}

Instruction* BitwiseItself(Instruction& x, Exactness, Editor& editor) {
  const bool is_xor = x.opcode() == Opcode::kXor;
  if (!IsBitwise(x.opcode()) || ASSAY_DEFECT(68, is_xor, false)) return nullptr;
  Instruction* first = Operand(x, 0, editor);
  return first == Operand(x, 1, editor) ? first : nullptr;
}

Instruction* BitwiseZero(Instruction& x, Exactness, Editor& editor) {
  if (!IsBitwise(x.opcode())) return nullptr;
  if (x.opcode() != Opcode::kAnd) return OtherThan(x, 0, editor);
  for (const int64_t k : {0, 1}) {
    if (IsNumber(*Operand(x, k, editor), 0)) return Operand(x, ASSAY_DEFECT(69, k, 1 - k), editor);
  }
  return nullptr;
}

Instruction* ExtremeItself(Instruction& x, Exactness exactness, Editor& editor) {
  const bool is_extreme = x.opcode() == Opcode::kMinimum || x.opcode() == Opcode::kMaximum;
  if (!is_extreme || !MayKeep(TypeOf(x), exactness)) return nullptr;
  Instruction* first = Operand(x, 0, editor);
  return first == Operand(x, 1, editor) ? first : nullptr;
}

Instruction* PowerOne(Instruction& x, Exactness exactness, Editor& editor) {
  if (x.opcode() != Opcode::kPower || !IsFloat(TypeOf(x)) || !MayKeep(TypeOf(x), exactness)) {
    return nullptr;
  }
  return IsNumber(*Operand(x, 1, editor), ASSAY_DEFECT(70, 1, 0)) ? Operand(x, 0, editor) : nullptr;
}

// A power may make of a NaN another one than a product does.
Instruction* PowerTwo(Instruction& x, Exactness exactness, Editor& editor) {
  if (x.opcode() != Opcode::kPower || !IsFloat(TypeOf(x)) || !MayKeep(TypeOf(x), exactness) ||
      !IsNumber(*Operand(x, 1, editor), ASSAY_DEFECT(71, 2, 3))) {
    return nullptr;
  }
  Instruction* factor = Operand(x, 0, editor);
  Instruction* operands[] = {factor, factor};
  return editor.Add(Opcode::kMultiply, x.shape(), operands);
}

Instruction* Twice(Instruction& x, Exactness, Editor& editor) {
  if (x.opcode() != Opcode::kNegate && x.opcode() != Opcode::kNot) return nullptr;
  // Unsigned formats have no negative of what they hold, FNUZ formats none of zero.
  const bool has_inverse = !IsFloat(TypeOf(x)) || Info(TypeOf(x)).format->signed_zero;
  if (!ASSAY_DEFECT(72, has_inverse, true)) return nullptr;
  Instruction* inner = Operand(x, 0, editor);
  const bool is_twice =
      ASSAY_DEFECT(73, inner->opcode() == x.opcode(),
                   inner->opcode() == Opcode::kNegate || inner->opcode() == Opcode::kNot);
  return is_twice ? Operand(*inner, 0, editor) : nullptr;
}

Instruction* SelectKnown(Instruction& x, Exactness, Editor& editor) {
  if (x.opcode() != Opcode::kSelect) return nullptr;
  const std::optional<Element> chosen = UniformElement(*Operand(x, 0, editor));
  if (!chosen.has_value()) return nullptr;
  return Operand(x, (chosen->bits != 0) == ASSAY_DEFECT(74, true, x.shape().is_scalar()) ? 1 : 2,
                 editor);
}

Instruction* SelectEqual(Instruction& x, Exactness, Editor& editor) {
  if (x.opcode() != Opcode::kSelect) return nullptr;
  Instruction* first = Operand(x, 1, editor);
  return first == Operand(x, 2, editor) ? first : nullptr;
}

Instruction* ConvertSame(Instruction& x, Exactness exactness, Editor& editor) {
  if (x.opcode() != Opcode::kConvert) return nullptr;
  Instruction* operand = Operand(x, 0, editor);
  const bool keeps = IsIntegerOrPred(TypeOf(x)) || exactness == Exactness::kAnyNan;
  return TypeOf(*operand) == TypeOf(x) && keeps ? operand : nullptr;
}

Instruction* ReshapeReshape(Instruction& x, Exactness, Editor& editor) {
  if (x.opcode() != Opcode::kReshape) return nullptr;
  Instruction* inner = Operand(x, 0, editor);
  if (inner->opcode() != Opcode::kReshape || inner->shape().is_dynamic()) return nullptr;
  return editor.Add(Opcode::kReshape, x.shape(), {Operand(*inner, 0, editor)});
}

// Data movement from a shape to the same shape: the attributes then say that nothing moves, but for
// transpose, reverse and broadcast, where they are looked at.
Instruction* ReshapeSame(Instruction& x, Exactness, Editor& editor) {
  switch (x.opcode()) {
    case Opcode::kReshape:
    case Opcode::kSlice:
      break;
    case Opcode::kConcatenate:
      if (x.operand_count() != 1) return nullptr;
      break;
    case Opcode::kReverse:
      if (!x.GetInts(Attr::kDimensions).empty() && ASSAY_DEFECT(75, true, false)) return nullptr;
      break;
    case Opcode::kTranspose:
    case Opcode::kBroadcast: {
      const absl::Span<const int64_t> dims = x.GetInts(Attr::kDimensions);
      if (ASSAY_DEFECT(76, !std::is_sorted(dims.begin(), dims.end()), false)) return nullptr;
      break;
    }
    case Opcode::kPad:
      for (const PaddingDimension& d : x.padding().dimensions) {
        const bool moves = d.low != 0 || d.high != 0 || d.interior != 0;
        if (ASSAY_DEFECT(77, moves, false)) return nullptr;
      }
      break;
    default:
      return nullptr;
  }
  Instruction* operand = Operand(x, 0, editor);
  return CanStandFor(*operand, x) ? operand : nullptr;
}

Instruction* TransposeTranspose(Instruction& x, Exactness, Editor& editor) {
  if (x.opcode() != Opcode::kTranspose) return nullptr;
  const Instruction* inner = Operand(x, 0, editor);
  if (inner->opcode() != Opcode::kTranspose) return nullptr;
  std::vector<int64_t> permutation;
  for (const int64_t d : x.GetInts(Attr::kDimensions)) {
    const absl::Span<const int64_t> first = inner->GetInts(Attr::kDimensions);
    permutation.push_back(ASSAY_DEFECT(78, first[d], first[permutation.size()]));
  }
  Instruction* operand = Operand(*inner, 0, editor);
  Instruction* one = editor.Add(Opcode::kTranspose, x.shape(), {operand});
  one->SetAttribute(Attr::kDimensions, std::move(permutation));
  return one;
}

Instruction* ReverseReverse(Instruction& x, Exactness, Editor& editor) {
  if (x.opcode() != Opcode::kReverse) return nullptr;
  const Instruction* inner = Operand(x, 0, editor);
  if (inner->opcode() != Opcode::kReverse) return nullptr;
  std::vector<int64_t> a(x.GetInts(Attr::kDimensions).begin(), x.GetInts(Attr::kDimensions).end());
  std::vector<int64_t> b(inner->GetInts(Attr::kDimensions).begin(),
                         inner->GetInts(Attr::kDimensions).end());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return ASSAY_DEFECT(79, a == b, true) ? Operand(*inner, 0, editor) : nullptr;
}

Instruction* BroadcastBroadcast(Instruction& x, Exactness, Editor& editor) {
  if (x.opcode() != Opcode::kBroadcast) return nullptr;
  const Instruction* inner = Operand(x, 0, editor);
  if (inner->opcode() != Opcode::kBroadcast || inner->shape().is_dynamic()) return nullptr;
  std::vector<int64_t> dims;
  for (const int64_t d : inner->GetInts(Attr::kDimensions)) {
    dims.push_back(x.GetInts(Attr::kDimensions)[ASSAY_DEFECT(80, d, int64_t(dims.size()))]);
  }
  Instruction* one = editor.Add(Opcode::kBroadcast, x.shape(), {Operand(*inner, 0, editor)});
  one->SetAttribute(Attr::kDimensions, std::move(dims));
  return one;
}

Instruction* ElementOfTuple(Instruction& x, Exactness, Editor& editor) {
  if (x.opcode() != Opcode::kGetTupleElement) return nullptr;
  const Instruction* tuple = Operand(x, 0, editor);
  if (tuple->opcode() != Opcode::kTuple || !editor.IsFree(*tuple)) return nullptr;
  const int64_t index = x.GetInt(Attr::kIndex);
  return Operand(
      *tuple,
      ASSAY_DEFECT(81, index, x.shape().is_scalar() ? index : (index + 1) % tuple->operand_count()),
      editor);
}

Instruction* ReduceNothing(Instruction& x, Exactness, Editor& editor) {
  if (x.opcode() != Opcode::kReduce || x.operand_count() != 2 || !IsIntegerOrPred(TypeOf(x)) ||
      !x.GetInts(Attr::kDimensions).empty()) {
    return nullptr;
  }
  const Computation& reducer = *x.to_apply();
  const Instruction& root = *reducer.root();
  switch (root.opcode()) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kMaximum:
    case Opcode::kAnd:
    case Opcode::kOr:
      break;
    default:
      return nullptr;
  }
  const bool plain = reducer.instruction_count() == 3 && root.operand(0) != root.operand(1) &&
                     root.operand(0)->opcode() == Opcode::kParameter &&
                     root.operand(1)->opcode() == Opcode::kParameter;
  if (!plain || TypeOf(*Operand(x, 0, editor)) != TypeOf(x)) return nullptr;
  Instruction* init = Operand(x, 1, editor);
  if (ASSAY_DEFECT(82, false, true)) return Operand(x, 0, editor);
  if (!x.shape().is_scalar()) {
    init = editor.Add(Opcode::kBroadcast, x.shape(), {init});
    init->SetAttribute(Attr::kDimensions, std::vector<int64_t>());
  }
  Instruction* operands[] = {init, Operand(x, 0, editor)};
  return editor.Add(root.opcode(), x.shape(), operands);
}

Instruction* Copy(Instruction& x, Exactness, Editor& editor) {
  return x.opcode() == Opcode::kCopy && x.shape().is_array() ? Operand(x, 0, editor) : nullptr;
}

constexpr AlgebraicRule kRules[] = {
    {"add-zero", AddZero},
    {"subtract-zero", SubtractZero},
    {"multiply-one", MultiplyOne},
    {"multiply-zero", MultiplyZero},
    {"divide-one", DivideOne},
    {"divide-power-of-two", DividePowerOfTwo},
    {"subtract-itself", SubtractItself},
    {"bitwise-itself", BitwiseItself},
    {"bitwise-zero", BitwiseZero},
    {"extreme-itself", ExtremeItself},
    {"power-one", PowerOne},
    {"power-two", PowerTwo},
    {"twice", Twice},
    {"select-known", SelectKnown},
    {"select-equal", SelectEqual},
    {"convert-same", ConvertSame},
    {"reshape-reshape", ReshapeReshape},
    {"reshape-same", ReshapeSame},
    {"transpose-transpose", TransposeTranspose},
    {"reverse-reverse", ReverseReverse},
    {"broadcast-broadcast", BroadcastBroadcast},
    {"element-of-tuple", ElementOfTuple},
    {"reduce-nothing", ReduceNothing},
    {"copy", Copy},
};

}  // namespace

absl::Span<const AlgebraicRule> AlgebraicRules() { return kRules; }

}  // namespace assay::passes
