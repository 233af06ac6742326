// Steps of elementwise operations, comparisons and conversions.
#include <algorithm>

#include "fuzz/programs/steps.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

constexpr ElementType kResultTypes[] = {
    ElementType::kF32,    ElementType::kS32, ElementType::kBF16,     ElementType::kS8,
    ElementType::kU8,     ElementType::kF64, ElementType::kS16,      ElementType::kF16,
    ElementType::kU32,    ElementType::kS64, ElementType::kF8E4M3FN, ElementType::kPred,
    ElementType::kF8E5M2, ElementType::kS4,  ElementType::kU16,      ElementType::kU4};

// A second operand: one number, another array, the value itself.
Instruction* SecondOperand(Sketch& s, Instruction* x) {
  switch (s.choices().Below(5)) {
    case 0:
    case 1:
      return s.w().PlainSplat(s.TypeOf(x), Sketch::SizesOf(x));
    case 2:
      return x;
    default:
      return ArrayThatTells(s, s.TypeOf(x), Sketch::SizesOf(x));
  }
}

Instruction* OneOperation(Sketch& s, absl::Span<const Opcode> opcodes, Instruction* x) {
  const Opcode opcode = s.AnyThatTakes(opcodes, x);
  if (!Sketch::Takes(opcode, x)) return nullptr;
  if (Info(opcode).arity == 1) return s.Op(opcode, {x});
  Instruction* const other = SecondOperand(s, x);
  return s.choices().OneIn(3) ? s.Op(opcode, {other, x}) : s.Op(opcode, {x, other});
}

Instruction* FunctionsStep(Sketch& s, Instruction* x) {
  static constexpr Opcode kOfFloats[] = {kExp,  kLog,   kSqrt,     kTanh,     kRsqrt, kFloor,
                                         kCeil, kPower, kLogistic, kIsFinite, kCbrt,  kRemainder};
  return OneOperation(s, kOfFloats, x);
}

Instruction* SumStep(Sketch& s, Instruction* x) {
  static constexpr Opcode kSums[] = {kAdd, kSubtract, kNegate, kMaximum, kSubtract, kMinimum};
  return OneOperation(s, kSums, x);
}

Instruction* ProductStep(Sketch& s, Instruction* x) {
  static constexpr Opcode kProducts[] = {kMultiply, kDivide, kAbs, kSign, kMultiply, kRemainder};
  return OneOperation(s, kProducts, x);
}

Instruction* BitsStep(Sketch& s, Instruction* x) {
  static constexpr Opcode kOfBits[] = {
      kAnd, kOr,        kXor,    kNot, kShiftLeft, kShiftRightLogical, kShiftRightArithmetic,
      kNot, kRemainder, kPopcnt, kClz, kXor};
  return OneOperation(s, kOfBits, x);
}

Instruction* CompareStep(Sketch& s, Instruction* x) {
  const auto direction = static_cast<ComparisonDirection>(s.choices().Below(6));
  Instruction* const other = SecondOperand(s, x);
  return s.choices().OneIn(3) ? s.Compare(direction, other, x) : s.Compare(direction, x, other);
}

// A predicate selects; another value is one of the two branches.
Instruction* SelectStep(Sketch& s, Instruction* x) {
  const Dimensions sizes = Sketch::SizesOf(x);
  if (IsPred(s.TypeOf(x)) && !s.choices().OneIn(4)) {
    static constexpr ElementType kBranches[] = {ElementType::kF32, ElementType::kS32,
                                                ElementType::kBF16, ElementType::kU8};
    const ElementType type = s.OneOf(kBranches);
    Instruction* const yes = ArrayThatTells(s, type, sizes);
    return s.Select(x, yes, ArrayThatTells(s, type, sizes));
  }
  Instruction* const pred = s.w().ArrayOf(ElementType::kPred, sizes);
  Instruction* const other = SecondOperand(s, x);
  return s.choices().OneIn(2) ? s.Select(pred, x, other) : s.Select(pred, other, x);
}

// Between numbers, whose order may be the wrong one.
Instruction* ClampStep(Sketch& s, Instruction* x) {
  if (!Sketch::Takes(kClamp, x)) return nullptr;
  const Dimensions sizes = s.choices().OneIn(3) ? Sketch::SizesOf(x) : Dimensions();
  Instruction* const low = s.w().PlainSplat(s.TypeOf(x), sizes);
  Instruction* const high = s.choices().OneIn(4) ? ArrayThatTells(s, s.TypeOf(x), sizes)
                                                 : s.w().PlainSplat(s.TypeOf(x), sizes);
  return s.w().Add(kClamp, {low, x, high});
}

Instruction* ConvertStep(Sketch& s, Instruction* x) {
  const ElementType type = s.OneOf(kResultTypes);
  return type == s.TypeOf(x) ? nullptr : s.Convert(x, type);
}

// The bits of another type of the same width.
Instruction* BitcastConvertStep(Sketch& s, Instruction* x) {
  const ElementType type = s.TypeOf(x);
  if (IsComplex(type) || IsPred(type)) return nullptr;
  const int64_t first = s.choices().Below(static_cast<int64_t>(std::size(kArrayTypes)));
  for (size_t k = 0; k < std::size(kArrayTypes); ++k) {
    const ElementType other = kArrayTypes[(first + k) % std::size(kArrayTypes)];
    if (other == type || IsComplex(other) || IsPred(other) || Info(other).bits != Info(type).bits) {
      continue;
    }
    auto made = s.w().Start(kBitcastConvert, {x}, Shape(other, Sketch::SizesOf(x)));
    return s.w().FinishIfLegal(std::move(made));
  }
  return nullptr;
}

constexpr Step kElementwiseSteps[] = {
    {"function", FunctionsStep}, {"sum", SumStep},         {"product", ProductStep},
    {"bits", BitsStep},          {"compare", CompareStep}, {"select", SelectStep},
    {"clamp", ClampStep},        {"convert", ConvertStep}, {"bitcast-convert", BitcastConvertStep},
};

}  // namespace

absl::Span<const Step> ElementwiseSteps() { return kElementwiseSteps; }

}  // namespace assay::fuzz
