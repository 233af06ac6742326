// Idioms that are expressions: what simplifications of compilers look for, as a table, and small
// random trees over the same few operations and operands, in which any such form may come about.
#include <cmath>
#include <string>
#include <utility>

#include "fuzz/programs/expression.h"
#include "fuzz/programs/idioms.h"
#include "fuzz/programs/sketch.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

// One to three rows of the table on the same arrays.
void WriteForms(Sketch& s, ElementType type) {
  ProgramWriter& w = s.w();
  Expression expression(s, type, SizesOfExpressions(w));
  for (int64_t count = w.choices().Between(1, 3); count > 0; --count) {
    expression.Write(TableForm(w.choices(), IsFloat(type)));
  }
}

void FloatForms(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = FloatOfExpressions(s);
  if (IsFloat(type)) WriteForms(s, type);
}

void IntegerForms(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = IntegerOfExpressions(s);
  if (IsInteger(type)) WriteForms(s, type);
}

void FloatTrees(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = FloatOfExpressions(s);
  if (IsFloat(type))
    Expression(s, type, SizesOfExpressions(w)).WriteTree(w.choices().Between(2, 6));
}

void IntegerTrees(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = IntegerOfExpressions(s);
  if (IsInteger(type)) {
    Expression(s, type, SizesOfExpressions(w)).WriteTree(w.choices().Between(2, 6));
  }
}

// Numbers to types next to which they are rounded: halfway between two values of the other type and
// beside there, near its ends, and what it has no value for.
void TellingConversions(ProgramWriter& w) {
  static constexpr ElementType kFrom[] = {
      ElementType::kF64, ElementType::kF32, ElementType::kS64,    ElementType::kU64,
      ElementType::kS32, ElementType::kF32, ElementType::kF64,    ElementType::kBF16,
      ElementType::kF16, ElementType::kU32, ElementType::kF8E5M2, ElementType::kF8E4M3FN};
  static constexpr ElementType kTo[] = {
      ElementType::kF32,     ElementType::kF16,           ElementType::kBF16,
      ElementType::kF8E5M2,  ElementType::kF32,           ElementType::kF8E4M3FN,
      ElementType::kF16,     ElementType::kF8E4M3B11FNUZ, ElementType::kS32,
      ElementType::kS64,     ElementType::kU32,           ElementType::kS8,
      ElementType::kU8,      ElementType::kPred,          ElementType::kF8E4M3,
      ElementType::kF8E3M4,  ElementType::kF8E5M2FNUZ,    ElementType::kU64,
      ElementType::kF4E2M1FN};
  Sketch s(w);
  const ElementType from = s.OneOf(kFrom);
  for (int64_t pairs = w.choices().Between(2, 6); pairs > 0; --pairs) {
    const ElementType to = s.OneOf(kTo);
    const Dimensions sizes = {48};
    if (CountOf(sizes) > w.limits().argument_elements) return;
    Instruction* x = s.TellingValues(from, sizes);
    if (IsFloat(from) && IsFloat(to) && w.choices().OneIn(2)) {
      conformance::ProfileUse ties;
      ties.profile = conformance::ValueProfile::kTies;
      ties.seed = w.choices().Byte() + 1;
      ties.keep = Info(to).format->significand_bits;
      if (conformance::CheckProfile(ties, Shape(from, sizes)).ok())
        x = w.NewArray(from, sizes, ties);
    }
    s.Convert(x, to);
  }
}

// Integers one or two beside the middle of two neighbours of a narrower float type, and numbers of
// which a narrower type keeps fewer digits, as they are subnormal there: a second rounding on the
// way, to a type between the two, shows.
void RoundedOnce(ProgramWriter& w) {
  Sketch s(w);
  const Dimensions sizes = {24};
  if (CountOf(sizes) > w.limits().argument_elements) return;
  conformance::ProfileUse use;
  if (w.choices().OneIn(3)) {
    const ElementType from = s.AnyOf({ElementType::kF64, ElementType::kF32});
    const ElementType to = from == ElementType::kF64
                               ? s.AnyOf({ElementType::kF32, ElementType::kF16, ElementType::kBF16})
                               : s.AnyOf({ElementType::kF16, ElementType::kF8E5M2});
    if (!IsFloat(from) || !IsFloat(to)) return;
    use.profile = conformance::ValueProfile::kRange;
    use.seed = w.choices().Byte() + 1;
    use.to = std::ldexp(1.0, 1 - Info(to).format->bias);  // the least normal number
    use.from = w.choices().OneIn(2) ? *use.to / 2 : -*use.to;
    if (!conformance::CheckProfile(use, Shape(from, sizes)).ok()) return;
    s.Convert(w.NewArray(from, sizes, use), to);
    return;
  }
  const ElementType from =
      s.AnyOf({ElementType::kS32, ElementType::kU64, ElementType::kS64, ElementType::kU32});
  const ElementType to = s.AnyOf({ElementType::kBF16, ElementType::kF32, ElementType::kF16});
  if (!IsInteger(from) || !IsFloat(to)) return;
  const int64_t kept = Info(to).format->significand_bits + 1;
  const int64_t reach = to == ElementType::kF16 ? 15 : Info(from).bits - 1;
  if (kept >= reach) return;
  const int64_t unit = int64_t{1} << (reach - kept);
  use.profile = conformance::ValueProfile::kIndices;
  use.seed = w.choices().Byte() + 1;
  use.low = int64_t{1} << (kept - 1);
  use.high = 2 * *use.low - 1;
  Instruction* const digits = w.NewArray(from, sizes, use);
  use.low = 0;
  use.high = 2;
  Instruction* const beside = w.NewArray(from, sizes, use);
  const auto splat = [&](int64_t number) {
    return s.Broadcast(w.IntegerConstant(from, {}, {number}), sizes, {});
  };
  Instruction* const whole = s.Op(kMultiply, {digits, splat(unit)});
  Instruction* const rest = s.Op(kAdd, {beside, splat(unit / 2 - 1)});
  s.Convert(s.Op(kAdd, {whole, rest}), to);
}

// What tells NaNs and zeros apart: comparisons in the total order, the greatest elements, extrema.
void TotalOrders(ProgramWriter& w) {
  Sketch s(w);
  static constexpr ElementType kOrdered[] = {
      ElementType::kF32,    ElementType::kF64,    ElementType::kF8E5M2,    ElementType::kF16,
      ElementType::kBF16,   ElementType::kF64,    ElementType::kF8E8M0FNU, ElementType::kF32,
      ElementType::kF8E3M4, ElementType::kF8E4M3, ElementType::kF8E4M3FN,  ElementType::kF4E2M1FN};
  const ElementType type = s.OneOf(kOrdered);
  const Dimensions sizes = {16};
  if (!IsFloat(type) || CountOf(sizes) > w.limits().argument_elements) return;
  Instruction* const x = s.TellingValues(type, sizes);
  Instruction* const y = s.TellingValues(type, sizes);
  switch (w.choices().Below(4)) {
    case 0:
      s.Op(kMinimum, {x, y});
      s.Op(kMaximum, {y, x});
      return;
    case 1:
      w.WriteOn(w.choices().OneIn(2) ? kTopK : kSort, x);
      return;
    default: {
      auto made = w.Start(kCompare, {x, y});
      made->SetAttribute(Attr::kDirection, w.choices().Below(6));
      made->SetAttribute(Attr::kComparisonType, static_cast<int64_t>(ComparisonType::kTotalOrder));
      w.Finish(std::move(made));
    }
  }
}

// Random words of one kind, several times on the same arrays.
void RandomForms(ProgramWriter& w, std::string (*words)(Choices&, bool)) {
  Sketch s(w);
  const bool is_float = w.choices().OneIn(2);
  const ElementType type = is_float ? FloatOfExpressions(s) : IntegerOfExpressions(s);
  if (is_float ? !IsFloat(type) : !IsInteger(type)) return;
  Expression expression(s, type, SizesOfExpressions(w));
  for (int64_t count = w.choices().Between(2, 4); count > 0; --count) {
    const std::string form = words(w.choices(), is_float);
    expression.Write(form);
  }
}

void JoinedForms(ProgramWriter& w) { RandomForms(w, JoinedForm); }

void FunctionForms(ProgramWriter& w) { RandomForms(w, FunctionForm); }

// Folds of a scalar that is broadcast, of a transpose, of infinities alone and of special values.
void TellingFolds(ProgramWriter& w) {
  static constexpr Opcode kTakers[] = {kReduceWindow, kScatter, kScan, kReduce};
  Sketch s(w);
  static constexpr Opcode kFolds[] = {kMaximum, kMinimum, kAdd, kMaximum, kMinimum, kMultiply};
  const Opcode fold = w.choices().Of(kFolds);
  const ElementType type =
      s.AnyOf({ElementType::kF32, ElementType::kBF16, ElementType::kF64, ElementType::kF16,
               ElementType::kS32, ElementType::kF8E5M2, ElementType::kS8, ElementType::kU8});
  const Dimensions sizes = {w.choices().Between(1, 4), w.choices().Between(1, 4),
                            w.choices().Between(1, 3)};
  conformance::ProfileUse special;
  special.profile = conformance::ValueProfile::kSpecial;
  special.stride = w.choices().OneIn(3) ? w.choices().Between(2, 11) : 1;
  Instruction* x = w.NewArray(type, sizes, special);
  Instruction* start = w.ScalarOf(type);
  const bool down = fold == kMaximum;
  if (IsFloat(type) && Info(type).format->has_infinity && w.choices().OneIn(2)) {
    start = s.Infinity(type, down);
  }
  switch (w.choices().Below(4)) {
    case 0:
      x = s.Broadcast(w.ScalarOf(type), sizes, {});
      s.Reduce(x, fold, {0, 1, 2}, s.Number(type, 3));
      return;
    case 1:
      x = s.Transpose(x, {1, 2, 0});
      break;
    case 2:
      if (IsFloat(type) && Info(type).format->has_infinity) {
        x = s.Broadcast(s.Infinity(type, down), sizes, {});
      }
      break;
    default:
      break;
  }
  switch (w.choices().Below(4)) {
    case 0:
      s.Reduce(x, fold, {w.choices().Below(3)}, start);
      return;
    case 1:
      s.ReducePairs(x, fold, start);
      return;
    case 2: {
      const int64_t n = w.choices().Between(3, 9), m = w.choices().Between(1, n);
      Instruction* const into = s.TellingValues(type, {n});
      Instruction* const indices = w.IndexArray(ElementType::kS32, {m, 1}, -1, n);
      Instruction* const elements = s.TellingValues(type, {m});
      s.ScatterElements(into, indices, elements, fold);
      return;
    }
    default:
      if (x != nullptr) w.WriteOn(w.choices().Of(kTakers), x);
  }
}

constexpr Idiom kExpressions[] = {
    {"telling conversions", TellingConversions},
    {"forms of floats", FloatForms},
    {"forms of integers", IntegerForms},
    {"trees of floats", FloatTrees},
    {"trees of integers", IntegerTrees},
    {"joined forms", JoinedForms},
    {"functions of combinations", FunctionForms},
    {"rounded once", RoundedOnce},
    {"total orders", TotalOrders},
    {"telling folds", TellingFolds},
};

}  // namespace

absl::Span<const Idiom> ExpressionIdioms() { return kExpressions; }

}  // namespace assay::fuzz
