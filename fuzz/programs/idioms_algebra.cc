// Idioms of arithmetic and logic: what simplifications rewrite, where it holds and where it does
// not.
#include <cmath>
#include <vector>

#include "fuzz/programs/idioms.h"
#include "fuzz/programs/sketch.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

constexpr ComparisonDirection kDirections[] = {ComparisonDirection::kLt, ComparisonDirection::kGe,
                                               ComparisonDirection::kGt, ComparisonDirection::kLe,
                                               ComparisonDirection::kEq, ComparisonDirection::kNe};

// An array of floats, now and then of integers, that the operations of the idiom take.
Instruction* Operand(Sketch& s, Opcode opcode) { return s.w().ArrayFor(opcode, 0, 3); }

// The same array, one like it, or one number.
Instruction* Partner(Sketch& s, Instruction* x) {
  switch (s.choices().Below(4)) {
    case 0:
      return x;
    case 1:
    case 2:
      return s.w().PlainSplat(s.TypeOf(x), Sketch::SizesOf(x));
    default:
      return s.w().LikeArray(x);
  }
}

// g(f(x)).
void InversesOfOne(ProgramWriter& w) {
  static constexpr Opcode kPairs[][2] = {
      {kExp, kLog},     {kLog, kExp},    {kNegate, kNegate}, {kNot, kNot},     {kNegate, kAbs},
      {kAbs, kNegate},  {kAbs, kLog},    {kNegate, kExp},    {kSqrt, kRsqrt},  {kExpm1, kLog1p},
      {kLog1p, kExpm1}, {kAbs, kAbs},    {kSign, kAbs},      {kAbs, kSqrt},    {kFloor, kCeil},
      {kClz, kPopcnt},  {kTanh, kAtanh}, {kSin, kAsin},      {kCbrt, kNegate}, {kAbs, kSign}};
  Sketch s(w);
  const auto& pair = w.choices().Of(kPairs);
  s.Op(pair[1], {s.Op(pair[0], {Operand(s, pair[0])})});
}

// (a f b) g b, (a f b) g c.
void InversesOfTwo(ProgramWriter& w) {
  static constexpr Opcode kPairs[][2] = {{kAdd, kSubtract},
                                         {kSubtract, kAdd},
                                         {kMultiply, kDivide},
                                         {kDivide, kMultiply},
                                         {kShiftLeft, kShiftRightLogical},
                                         {kShiftLeft, kShiftRightArithmetic},
                                         {kShiftRightLogical, kShiftLeft},
                                         {kXor, kXor},
                                         {kDivide, kDivide},
                                         {kMultiply, kMultiply},
                                         {kPower, kPower},
                                         {kMinimum, kMaximum},
                                         {kMaximum, kMinimum},
                                         {kAnd, kOr},
                                         {kOr, kAnd},
                                         {kRemainder, kRemainder},
                                         {kMaximum, kMaximum},
                                         {kAdd, kAdd}};
  Sketch s(w);
  const auto& pair = w.choices().Of(kPairs);
  Instruction* const a = Operand(s, pair[0]);
  Instruction* const b = Partner(s, a);
  Instruction* const inner = s.Op(pair[0], {a, b});
  if (inner == nullptr) return;
  const int64_t form = w.choices().Below(4);
  Instruction* const c = form == 1 ? Partner(s, a) : form == 2 ? a : b;
  if (form == 3) {
    s.Op(pair[1], {c, inner});
  } else {
    s.Op(pair[1], {inner, c});
  }
}

// x f 0, 1 f x, x f x: neutral and absorbing operands.
void PlainOperands(ProgramWriter& w) {
  static constexpr Opcode kOperations[] = {kMultiply,
                                           kAdd,
                                           kSubtract,
                                           kDivide,
                                           kPower,
                                           kRemainder,
                                           kAnd,
                                           kOr,
                                           kXor,
                                           kMaximum,
                                           kMinimum,
                                           kShiftLeft,
                                           kShiftRightLogical,
                                           kAtan2,
                                           kDivide,
                                           kRemainder,
                                           kShiftRightArithmetic,
                                           kMultiply,
                                           kPower,
                                           kDivide};
  Sketch s(w);
  const Opcode opcode = w.choices().Of(kOperations);
  Instruction* const x = w.choices().OneIn(2) ? w.OperandFor(opcode) : Operand(s, opcode);
  Instruction* const c = w.choices().OneIn(5) ? x : w.PlainSplat(s.TypeOf(x), Sketch::SizesOf(x));
  if (w.choices().OneIn(4)) {
    s.Op(opcode, {c, x});
  } else {
    s.Op(opcode, {x, c});
  }
}

// f(a) * f(b), f(x * x), x * x against a bound.
void Products(ProgramWriter& w) {
  static constexpr Opcode kFunctions[] = {kSqrt, kExp, kAbs, kNegate, kRsqrt, kLog, kSign, kCbrt};
  Sketch s(w);
  const Opcode function = w.choices().Of(kFunctions);
  const Opcode joins = w.choices().OneIn(4) ? kDivide : w.choices().OneIn(4) ? kAdd : kMultiply;
  Instruction* const a = w.OperandFor(function);
  Instruction* const b = w.choices().OneIn(2) ? a : w.LikeArray(a);
  switch (w.choices().Below(4)) {
    case 0:
      s.Op(function, {s.Op(joins, {a, b})});
      return;
    case 1: {
      Instruction *const square = s.Op(kMultiply, {a, a}), *const zero = s.SplatLike(a, 0);
      s.Compare(w.choices().Of(kDirections), square, zero);
      s.Op(kAbs, {square});
    }
      return;
    default: {
      Instruction* const f = s.Op(function, {a});
      s.Op(joins, {f, b == a ? f : s.Op(function, {b})});
    }
  }
}

// a f b g a f c, with a common operand; (x f 3) f 5; a f (b f c).
void Distribution(ProgramWriter& w) {
  static constexpr Opcode kPairs[][2] = {
      {kMultiply, kAdd},    {kMultiply, kSubtract}, {kAnd, kOr},        {kOr, kAnd},
      {kMinimum, kMaximum}, {kDivide, kAdd},        {kDivide, kDivide}, {kAdd, kMaximum}};
  Sketch s(w);
  const auto& pair = w.choices().Of(kPairs);
  Instruction* const a = Operand(s, pair[0]);
  Instruction *const b = Partner(s, a), *const c = Partner(s, a);
  switch (w.choices().Below(3)) {
    case 0:
      s.Op(pair[1], {s.Op(pair[0], {a, b}), s.Op(pair[0], {a, c})});
      return;
    case 1:
      s.Op(pair[0], {a, s.Op(pair[0], {b, c})});
      return;
    default:
      s.Op(pair[0], {s.Op(pair[0], {a, s.SplatLike(a, 3)}), s.SplatLike(a, 5)});
  }
}

// Differences: a - b, b - a, their signs, -(a - b), a - a, a difference against zero.
void Differences(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const a = Operand(s, kSubtract);
  Instruction* const b = w.choices().OneIn(4) ? a : w.LikeArray(a);
  Instruction* const difference = s.Op(kSubtract, {a, b});
  if (difference == nullptr) return;
  switch (w.choices().Below(5)) {
    case 0:
      s.Op(kNegate, {difference});
      return;
    case 1: {
      Instruction* const zero = s.SplatLike(a, 0);
      s.Compare(w.choices().Of(kDirections), difference, zero);
      return;
    }
    case 2:
      s.Op(kAbs, {difference});
      return;
    case 3:
      s.Op(kSubtract, {s.Op(kNegate, {a}), s.Op(kNegate, {b})});
      s.Op(kMultiply, {s.Op(kNegate, {a}), s.Op(kNegate, {b})});
      return;
    default:
      s.Op(kSubtract, {s.SplatLike(a, 0), difference});
      s.Op(kAdd, {difference, b});
  }
}

// Selections by comparisons of what is selected.
void Selections(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const a = Operand(s, kCompare);
  Instruction* const b = w.choices().OneIn(3) ? s.SplatLike(a, 0) : w.LikeArray(a);
  Instruction* const pred = s.Compare(w.choices().Of(kDirections), a, b);
  if (pred == nullptr) return;
  switch (w.choices().Below(6)) {
    case 0:
      s.Select(pred, a, b);
      return;
    case 1:
      s.Select(pred, b, a);
      return;
    case 2:
      s.Select(pred, s.Op(kNegate, {a}), a);
      return;
    case 3:
      s.Select(pred, a, s.Op(kNegate, {a}));
      return;
    case 4:
      s.Op(kMultiply, {s.Convert(pred, s.TypeOf(a)), a});
      return;
    default:
      s.Select(s.Op(kNot, {pred}), a, b);
  }
}

// Comparisons joined, negated, exchanged, of converted values.
void Comparisons(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const a = Operand(s, kCompare);
  Instruction* const b = w.LikeArray(a);
  const int64_t form = w.choices().Below(4);
  Instruction* const first = s.Compare(w.choices().Of(kDirections), a, b);
  if (form == 0) {
    s.Op(kNot, {first});
  } else if (form == 3) {
    const ElementType type = w.AnyType(w.grammar().types());
    Instruction *const c = s.Convert(a, type), *const d = s.Convert(b, type);
    s.Compare(w.choices().Of(kDirections), c, d);
  } else {
    const bool exchanged = w.choices().OneIn(3);
    Instruction* const second =
        s.Compare(w.choices().Of(kDirections), exchanged ? b : a, exchanged ? a : b);
    s.Op(form == 1 ? kOr : kAnd, {first, second});
  }
}

// To another type and back; an operation in a wider or narrower type.
void Conversions(ProgramWriter& w) {
  static constexpr Opcode kSteps[] = {
      kDivide,    kAdd,     kMultiply,          kShiftLeft,
      kRemainder, kMaximum, kShiftRightLogical, kShiftRightArithmetic};
  Sketch s(w);
  const Opcode opcode = w.choices().Of(kSteps);
  Instruction* const a = Operand(s, opcode);
  const ElementType type =
      w.choices().OneIn(2) ? w.TypeOfClass(s.TypeOf(a)) : w.AnyType(w.grammar().types());
  Instruction* const there = s.Convert(a, type);
  if (w.choices().OneIn(2)) {
    s.Convert(there, w.choices().OneIn(2) ? s.TypeOf(a) : w.AnyType(w.grammar().types()));
    return;
  }
  s.Convert(s.Op(opcode, {there, s.Convert(Partner(s, a), type)}), s.TypeOf(a));
}

void Clamps(ProgramWriter& w) {
  Sketch s(w);
  Instruction* x = Operand(s, kClamp);
  const ElementType type = s.TypeOf(x);
  for (int64_t links = w.choices().Between(1, 2); links > 0 && x != nullptr; --links) {
    const bool whole = w.choices().OneIn(2);
    const Dimensions sizes = whole ? Sketch::SizesOf(x) : Dimensions();
    Instruction* const low =
        w.choices().OneIn(2) ? w.ArrayOf(type, sizes) : w.PlainSplat(type, sizes);
    Instruction* const high =
        w.choices().OneIn(2) ? w.ArrayOf(type, sizes) : w.PlainSplat(type, sizes);
    x = w.Add(kClamp, {low, x, high});
  }
}

void Precisions(ProgramWriter& w) {
  Sketch s(w);
  Instruction* x = Operand(s, kReducePrecision);
  for (int links = 0; links < 2 && x != nullptr; ++links) {
    auto made = w.Start(kReducePrecision, {x});
    made->SetAttribute(Attr::kExponentBits, w.choices().Between(2, 8));
    made->SetAttribute(Attr::kMantissaBits, w.choices().Between(0, 10));
    x = w.Finish(std::move(made));
  }
}

// Angles of zeros and of values that cancel; powers by halves and whole numbers.
void AnglesAndPowers(ProgramWriter& w) {
  Sketch s(w);
  if (w.choices().OneIn(2)) {
    Instruction* const x = w.OperandFor(kPower);
    s.Op(kPower, {x, s.SplatLike(x, w.choices().OneIn(2) ? 0.5 : w.choices().Between(-3, 3))});
    return;
  }
  Instruction* const x = Operand(s, kAtan2);
  Instruction* const zero = w.choices().OneIn(2) ? s.Op(kSubtract, {x, x}) : s.SplatLike(x, 0);
  if (zero == nullptr) return;
  Instruction* const other = w.choices().OneIn(2) ? s.Op(kNegate, {zero}) : zero;
  if (w.choices().OneIn(2)) {
    s.Op(kAtan2, {zero, other});
  } else {
    s.Op(kAtan2, {other, w.LikeArray(x)});
  }
}

// Parts, magnitudes and conjugates of complex numbers that are made of real ones.
void ComplexParts(ProgramWriter& w) {
  static constexpr Opcode kSteps[] = {kNegate, kMultiply, kAdd,  kSubtract, kDivide,
                                      kExp,    kLog,      kSqrt, kSign,     kMultiply};
  static constexpr Opcode kParts[] = {kAbs, kReal, kImag, kAbs};
  Sketch s(w);
  const ElementType type = s.AnyOf({ElementType::kF32, ElementType::kF64});
  const Dimensions sizes = {w.choices().Between(2, 25)};
  if (CountOf(sizes) > w.limits().argument_elements) return;
  Instruction* const x = s.TellingValues(type, sizes);
  Instruction* const y = w.choices().OneIn(2) ? s.TellingValues(type, sizes) : s.SplatLike(x, 0);
  Instruction* z = w.choices().OneIn(4) ? s.Op(kComplex, {y, x}) : s.Op(kComplex, {x, y});
  if (z == nullptr) return;
  if (w.choices().OneIn(2)) {
    const Opcode step = w.choices().Of(kSteps);
    z = Info(step).arity == 1 ? s.Op(step, {z}) : s.Op(step, {z, s.Op(kComplex, {y, x})});
  }
  if (w.choices().OneIn(3)) {  // z by its conjugate
    Instruction* const real = s.Op(kReal, {z});
    Instruction* const imaginary = s.Op(kNegate, {s.Op(kImag, {z})});
    z = s.Op(kMultiply, {z, s.Op(kComplex, {real, imaginary})});
  }
  s.Op(w.choices().Of(kParts), {z});
}

// Functions of complex numbers on special values, on reals among them, and on a number: all pairs
// of special values meet in the long arrays.
void ComplexFunctions(ProgramWriter& w) {
  static constexpr Opcode kUnary[] = {kExp, kLog,   kSqrt, kRsqrt, kTanh, kExpm1, kLog1p,
                                      kSin, kAsinh, kSign, kAbs,   kCos,  kTan,   kLogistic};
  static constexpr Opcode kBinary[] = {kPower, kDivide, kMultiply, kPower, kAtan2, kSubtract};
  static constexpr int64_t kSizes[] = {25, 48, 25, 506};
  Sketch s(w);
  const ElementType part = s.AnyOf({ElementType::kF32, ElementType::kF64});
  const Dimensions sizes = {w.choices().Of(kSizes)};
  if (CountOf(sizes) > w.limits().argument_elements || !IsFloat(part)) return;
  const auto number = [&](uint64_t stride) -> Instruction* {
    static constexpr double kNumbers[] = {1, 0, -1, 2, 0.5, HUGE_VAL, -HUGE_VAL, 3};
    Instruction* const real = w.choices().OneIn(3) ? w.Splat(part, sizes, w.choices().Of(kNumbers))
                                                   : w.NewArray(part, sizes, SpecialValues(stride));
    Instruction* const imaginary =
        w.choices().OneIn(2) ? s.SplatLike(real, 0) : s.TellingValues(part, sizes);
    return s.Op(kComplex, {real, imaginary});
  };
  Instruction *const x = number(1), *const y = number(22);
  for (int64_t count = w.choices().Between(1, 3); count > 0; --count) {
    if (w.choices().OneIn(3)) {
      s.Op(w.choices().Of(kUnary), {x});
    } else {
      s.Op(w.choices().Of(kBinary), {x, y});
    }
  }
}

// Whether all, some, or how many elements compare with a constant or another array, which may have
// the same values.
void Quantifiers(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type =
      s.AnyOf({ElementType::kS32, ElementType::kS8, ElementType::kF32, ElementType::kU8,
               ElementType::kBF16, ElementType::kS64, ElementType::kPred, ElementType::kF64});
  const Dimensions sizes = {w.choices().Between(1, 8), w.choices().Between(1, 4)};
  if (CountOf(sizes) > w.limits().argument_elements) return;
  const conformance::ProfileUse use = w.AnyProfile(type);
  Instruction* const x = w.NewArray(type, sizes, use);
  const int64_t kind = w.choices().Below(4);
  Instruction* const other = kind == 0   ? w.PlainSplat(type, sizes)
                             : kind == 1 ? w.NewArray(type, sizes, use)
                                         : w.ProfileConstant(type, sizes, use);
  constexpr ComparisonDirection kMostly[] = {ComparisonDirection::kEq, ComparisonDirection::kNe,
                                             ComparisonDirection::kEq, ComparisonDirection::kLt,
                                             ComparisonDirection::kGe, ComparisonDirection::kEq};
  Instruction* const met = s.Compare(w.choices().Of(kMostly), x, other);
  if (met == nullptr) return;
  const std::vector<int64_t> dimensions = w.choices().OneIn(2)
                                              ? std::vector<int64_t>{0, 1}
                                              : std::vector<int64_t>{w.choices().Below(2)};
  static constexpr Opcode kFolds[] = {kAnd, kOr, kAdd, kMaximum, kMinimum, kAnd};
  const Opcode fold = w.choices().Of(kFolds);
  if (fold == kAnd || fold == kOr) {
    const double start = w.choices().OneIn(4) == (fold == kAnd) ? 0 : 1;
    s.Reduce(met, fold, dimensions, s.Number(ElementType::kPred, start));
    return;
  }
  Instruction* const counted = s.Convert(met, s.AnyOf({ElementType::kS32, ElementType::kF32}));
  if (counted != nullptr) s.Reduce(counted, fold, dimensions, s.Number(s.TypeOf(counted), 0));
}

constexpr Idiom kAlgebra[] = {
    {"inverses of one operand", InversesOfOne},
    {"inverses of two operands", InversesOfTwo},
    {"neutral and absorbing operands", PlainOperands},
    {"products of functions", Products},
    {"distribution", Distribution},
    {"differences", Differences},
    {"selections by comparison", Selections},
    {"comparisons joined", Comparisons},
    {"conversions there and back", Conversions},
    {"clamps of clamps", Clamps},
    {"precision reduced twice", Precisions},
    {"angles and powers", AnglesAndPowers},
    {"parts of complex numbers", ComplexParts},
    {"functions of complex numbers", ComplexFunctions},
    {"comparisons of all elements", Quantifiers},
};

}  // namespace

absl::Span<const Idiom> AlgebraIdioms() { return kAlgebra; }

namespace {

// The families of idioms by their frequency.
struct IdiomFamily {
  absl::Span<const Idiom> (*idioms)();
  int64_t weight;
  bool has_long_values;
};
constexpr IdiomFamily kFamilies[] = {{ExpressionIdioms, 10, false}, {MovementIdioms, 3, false},
                                     {AlgebraIdioms, 5, false},     {GraphIdioms, 2, false},
                                     {SizeIdioms, 3, true},         {ModelIdioms, 1, false},
                                     {LoopIdioms, 2, false},        {ChainIdioms, 2, false},
                                     {PairIdioms, 10, false},       {NumberIdioms, 4, false}};

}  // namespace

void WriteIdiom(ProgramWriter& writer) {
  const IdiomFamily& family = writer.choices().Weighted(kFamilies);
  const Idiom& idiom = writer.choices().Of(family.idioms());
  writer.program().idioms.push_back(idiom.name);
  if (family.has_long_values) {
    const LongValues raised(&writer);
    return idiom.write(writer);
  }
  idiom.write(writer);
}

}  // namespace assay::fuzz
