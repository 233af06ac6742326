// Rows of elementwise operations.
#include <algorithm>
#include <optional>
#include <utility>

#include "fuzz/programs/writer.h"

namespace assay::fuzz {
namespace {

std::shared_ptr<const Shape> WithType(const Instruction& value, ElementType type) {
  if (value.shape().element_type() == type) return value.shared_shape();
  return std::make_shared<const Shape>(type, value.shape().dimensions());
}

// The types whose values random bits of an unsigned type are as wide as.
ElementType UnsignedOf(ElementType type) {
  for (const ElementType other : kArrayTypes) {
    if (IsUnsigned(other) && Info(other).bits == Info(type).bits) return other;
  }
  return ElementType::kInvalid;
}

// A scalar or an array like the value, which clamp and select take.
Instruction* ScalarOrArray(ProgramWriter& w, ElementType type, const Instruction* value) {
  return w.choices().OneIn(2) ? w.ScalarOf(type) : w.ArrayOf(type, value->shape().dimensions());
}

}  // namespace

void WriteUnary(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.OperandFor(opcode);
  auto made = w.Start(opcode, {x});
  if (Info(opcode).FindAttribute(Attr::kResultAccuracy) != nullptr && w.choices().OneIn(16)) {
    ResultAccuracy accuracy;
    accuracy.mode = static_cast<ResultAccuracy::Mode>(w.choices().Below(3));
    if (accuracy.mode == ResultAccuracy::Mode::kTolerance)
      accuracy.ulps = w.choices().Between(1, 4);
    made->SetAttribute(Attr::kResultAccuracy, accuracy);
  }
  const ElementType type = x->shape().element_type();
  const bool parts = opcode == Opcode::kAbs || opcode == Opcode::kReal || opcode == Opcode::kImag;
  const ElementType result = opcode == Opcode::kIsFinite ? ElementType::kPred
                             : parts                     ? Info(type).component
                                                         : type;
  w.FinishAs(std::move(made), WithType(*x, result));
}

void WriteBinary(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.OperandFor(opcode);
  Instruction* const y = w.SecondOperandFor(opcode, x);
  w.FinishAs(w.choices().OneIn(2) ? w.Start(opcode, {y, x}) : w.Start(opcode, {x, y}),
             x->shared_shape());
}

void WriteCompare(ProgramWriter& w, Opcode opcode) {
  Instruction* x = w.OperandFor(opcode);
  Instruction* y = w.SecondOperandFor(opcode, x);
  const ElementType type = x->shape().element_type();
  const int64_t direction = w.choices().Below(IsComplex(type) ? 2 : 6);
  std::optional<ComparisonType> comparison;
  if (w.choices().OneIn(3)) {
    comparison = ComparisonType::kUnsigned;
    if (IsFloat(type) || IsComplex(type)) comparison = ComparisonType::kFloat;
    if (IsSigned(type)) comparison = ComparisonType::kSigned;
    if (IsFloat(type) && w.choices().OneIn(2)) comparison = ComparisonType::kTotalOrder;
  }
  // The total order tells zeros apart, and NaNs whose sign is known: those of new arrays.
  if (comparison == ComparisonType::kTotalOrder && w.choices().OneIn(2)) {
    const Dimensions sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
    x = w.NewArray(type, sizes, SpecialValues(1));
    y = w.NewArray(type, sizes, SpecialValues(2));
    if (w.choices().OneIn(2)) std::swap(x, y);
  }
  auto made = w.Start(opcode, {x, y});
  made->SetAttribute(Attr::kDirection, direction);
  if (comparison) {
    made->SetAttribute(Attr::kComparisonType, static_cast<int64_t>(*comparison));
  }
  w.FinishAs(std::move(made), WithType(*x, ElementType::kPred));
}

void WriteComplex(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const bool wide = x->shape().element_type() == ElementType::kF64;
  w.FinishAs(w.Start(opcode, {x, w.LikeArray(x)}),
             WithType(*x, wide ? ElementType::kC128 : ElementType::kC64));
}

void WriteClamp(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const ElementType type = x->shape().element_type();
  Instruction* const low = ScalarOrArray(w, type, x);
  Instruction* const high = ScalarOrArray(w, type, x);
  w.FinishAs(w.Start(opcode, {low, x, high}), x->shared_shape());
}

void WriteSelect(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  Instruction* const y = w.LikeArray(x);
  Instruction* const pred = ScalarOrArray(w, ElementType::kPred, x);
  w.FinishAs(w.Start(opcode, {pred, x, y}), x->shared_shape());
}

void WriteConvert(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  // Each pair of types is a function of its own: now and then one value goes to several types.
  for (int64_t more = w.is_sole() ? 1 : w.choices().Between(1, 4); more > 0; --more) {
    w.FinishAs(w.Start(opcode, {x}), WithType(*x, w.AnyType(w.grammar().types())));
  }
}

void WriteReducePrecision(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  auto made = w.Start(opcode, {x});
  made->SetAttribute(Attr::kExponentBits, w.choices().Between(1, 11));
  made->SetAttribute(Attr::kMantissaBits, w.choices().Below(53));
  w.FinishAs(std::move(made), x->shared_shape());
}

void WriteStochasticConvert(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  Instruction* const random =
      w.ArrayOf(UnsignedOf(x->shape().element_type()), x->shape().dimensions());
  // Golden defines the conversion to signed integers.
  static constexpr ElementType kTo[] = {ElementType::kS8, ElementType::kS16, ElementType::kS32,
                                        ElementType::kS64, ElementType::kS4};
  w.FinishAs(w.Start(opcode, {x, random}), WithType(*x, w.choices().Of(kTo)));
}

}  // namespace assay::fuzz
