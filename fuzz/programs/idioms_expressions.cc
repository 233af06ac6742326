// Idioms that are expressions: what simplifications of compilers look for, as a table, and small
// random trees over the same few operations and operands, in which any such form may come about.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/programs/expression_forms.h"
#include "fuzz/programs/idioms.h"
#include "fuzz/programs/sketch.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

constexpr ElementType kFloats[] = {
    ElementType::kF32,    ElementType::kF64, ElementType::kF32,        ElementType::kBF16,
    ElementType::kF16,    ElementType::kF32, ElementType::kF8E4M3FN,   ElementType::kF64,
    ElementType::kF8E5M2, ElementType::kF32, ElementType::kF8E4M3FNUZ, ElementType::kF32};
constexpr ElementType kIntegers[] = {
    ElementType::kS32, ElementType::kS8,  ElementType::kS64, ElementType::kU32, ElementType::kS16,
    ElementType::kS32, ElementType::kU8,  ElementType::kS32, ElementType::kU64, ElementType::kS8,
    ElementType::kU16, ElementType::kS64, ElementType::kS4,  ElementType::kU4};

// The next type of the class that is wider (narrower); the type itself where there is none.
ElementType Neighbour(ElementType type, bool wider) {
  const int bits = Info(type).bits;
  if (IsFloat(type)) {
    if (wider) return bits < 32 ? ElementType::kF32 : ElementType::kF64;
    return bits == 64   ? ElementType::kF32
           : bits == 32 ? ElementType::kBF16
           : bits == 16 ? ElementType::kF8E5M2
                        : type;
  }
  const bool is_signed = IsSigned(type);
  constexpr ElementType kSigned[] = {ElementType::kS4, ElementType::kS8, ElementType::kS16,
                                     ElementType::kS32, ElementType::kS64};
  constexpr ElementType kUnsigned[] = {ElementType::kU4, ElementType::kU8, ElementType::kU16,
                                       ElementType::kU32, ElementType::kU64};
  const ElementType* const all = is_signed ? kSigned : kUnsigned;
  for (int k = 0; k < 5; ++k) {
    if (Info(all[k]).bits != bits) continue;
    return all[std::clamp(k + (wider ? 1 : -1), 0, 4)];
  }
  return type;
}

// One expression on arrays of one type and shape.
class Expression {
 public:
  Expression(Sketch& s, ElementType type, Sizes sizes)
      : s_(s), w_(s.w()), type_(type), sizes_(sizes.begin(), sizes.end()) {}

  void Write(absl::string_view form) {
    words_ = absl::StrSplit(form, ' ');
    at_ = 0;
    Next();
  }

  // A tree of so many operations.
  void WriteTree(int64_t operations) {
    Instruction* values[3] = {Leaf("x"), Leaf("y"), nullptr};
    Instruction* pred = nullptr;
    for (; operations > 0; --operations) {
      Instruction* const a = values[w_.choices().Below(3)];
      Instruction* b = w_.choices().OneIn(3) ? Number() : values[w_.choices().Below(2)];
      Instruction* const last = a == nullptr ? values[0] : a;
      Instruction* made = Step(last, b, values[1], &pred);
      if (made == nullptr || !made->shape().is_array()) continue;
      if (IsPred(s_.TypeOf(made)) && !IsPred(type_)) {
        pred = made;
        continue;
      }
      if (s_.TypeOf(made) != type_) made = s_.Convert(made, type_);
      if (made != nullptr) values[2] = made;
    }
  }

 private:
  Instruction* Number() {
    static constexpr double kNumbers[] = {0, 1, -1, 2, 0.5, 3, -0.0, 4, 7, -2};
    return w_.Splat(type_, sizes_, w_.choices().Of(kNumbers));
  }

  // One operation of a tree.
  Instruction* Step(Instruction* a, Instruction* b, Instruction* c, Instruction** pred) {
    static constexpr Opcode kUnary[] = {kNegate, kAbs,  kSign, kNot,   kExp,
                                        kLog,    kSqrt, kTanh, kFloor, kRsqrt};
    static constexpr Opcode kBinary[] = {kAdd,
                                         kSubtract,
                                         kMultiply,
                                         kDivide,
                                         kMaximum,
                                         kMinimum,
                                         kAdd,
                                         kSubtract,
                                         kMultiply,
                                         kShiftLeft,
                                         kShiftRightLogical,
                                         kShiftRightArithmetic,
                                         kAnd,
                                         kOr,
                                         kXor,
                                         kRemainder,
                                         kPower,
                                         kAtan2};
    static constexpr ComparisonDirection kDirections[] = {
        ComparisonDirection::kLt, ComparisonDirection::kGe, ComparisonDirection::kGt,
        ComparisonDirection::kLe, ComparisonDirection::kEq, ComparisonDirection::kNe};
    switch (w_.choices().Below(12)) {
      case 0:
      case 1:
        return FirstThatTakes(kUnary, {a});
      case 2:
        return s_.Compare(w_.choices().Of(kDirections), a, b);
      case 3:
        if (*pred == nullptr) return s_.Compare(w_.choices().Of(kDirections), a, c);
        return w_.choices().OneIn(4) ? *pred = s_.Op(kNot, {*pred}) : s_.Select(*pred, a, b);
      case 4:
        return s_.Convert(a, Neighbour(type_, w_.choices().OneIn(2)));
      case 5:
        return *pred == nullptr ? nullptr : s_.Convert(*pred, type_);
      default:
        return w_.choices().OneIn(3) ? FirstThatTakes(kBinary, {b, a})
                                     : FirstThatTakes(kBinary, {a, b});
    }
  }

  template <size_t kCount>
  Instruction* FirstThatTakes(const Opcode (&opcodes)[kCount],
                              std::initializer_list<Instruction*> operands) {
    for (int tries = 0; tries < 4; ++tries) {
      if (Instruction* const made = s_.Op(w_.choices().Of(opcodes), operands)) return made;
    }
    return nullptr;
  }

  // The expression that begins at the next word. Of equal ones the first is taken, and the others
  // stand beside it, as compilers find them.
  Instruction* Next() {
    if (at_ >= words_.size()) return nullptr;
    const size_t first = at_;
    Instruction* const made = Read();
    std::string text;
    for (size_t k = first; k < at_; ++k) absl::StrAppend(&text, words_[k], " ");
    const auto [found, is_new] = known_.try_emplace(text, made);
    return found->second;
  }

  Instruction* Read() {
    const absl::string_view word = words_[at_++];
    double number = 0;
    if (absl::SimpleAtod(word, &number)) return w_.Splat(type_, sizes_, number);
    if (word == "x" || word == "y" || word == "z" || word == "p" || word == "q") {
      return Leaf(word);
    }
    if (word == "iota") return sizes_.empty() ? nullptr : s_.Iota(type_, sizes_, 0);
    if (word == "select") {
      Instruction* const pred = Next();
      Instruction* const a = Next();
      return s_.Select(pred, a, Like(a, Next()));
    }
    if (const std::optional<ComparisonDirection> direction = DirectionOf(word)) {
      Instruction* const a = Next();
      return s_.Compare(*direction, a, Like(a, Next()));
    }
    const std::optional<Opcode> opcode = OpcodeFromName(word);
    if (!opcode) return Changed(word, Next());
    Instruction* const a = Next();
    if (Info(*opcode).arity == 1) return s_.Op(*opcode, {a});
    Instruction* const b = Like(a, Next());
    return Info(*opcode).arity == 2 ? s_.Op(*opcode, {a, b})
                                    : s_.Op(*opcode, {a, b, Like(a, Next())});
  }

  // Numbers beside a wider or narrower value take its type.
  Instruction* Like(const Instruction* a, Instruction* b) {
    if (a == nullptr || b == nullptr || s_.TypeOf(a) == s_.TypeOf(b)) return b;
    return IsPred(s_.TypeOf(a)) != IsPred(s_.TypeOf(b)) ? nullptr : s_.Convert(b, s_.TypeOf(a));
  }

  Instruction* Changed(absl::string_view word, Instruction* x) {
    if (x == nullptr) return nullptr;
    const ElementType own = s_.TypeOf(x);
    if (word == "turn") return sizes_.empty() ? nullptr : s_.Reverse(x, {0});
    if (word == "flip") {
      const bool square = sizes_.size() == 2 && sizes_[0] == sizes_[1];
      return square ? s_.Transpose(x, {1, 0}) : nullptr;
    }
    if (word == "back") return s_.Convert(x, type_);
    if (word == "wide" || word == "narrow") return s_.Convert(x, Neighbour(own, word == "wide"));
    if (word == "other") return s_.Convert(x, w_.TypeOfClass(own));
    if (word == "float") return s_.Convert(x, w_.choices().Of(kFloats));
    return s_.Convert(x, w_.choices().Of(kIntegers));
  }

  Instruction* Leaf(absl::string_view name) {
    Instruction*& leaf = leaves_[std::string(name)];
    if (leaf == nullptr && (name == "p" || name == "q")) {
      leaf = name == "p" ? w_.ArrayOf(ElementType::kPred, sizes_)
                         : s_.TellingValues(ElementType::kPred, sizes_);
    } else if (leaf == nullptr) {
      leaf = w_.choices().OneIn(4) ? w_.ArrayOf(type_, sizes_) : s_.TellingValues(type_, sizes_);
    }
    return leaf;
  }

  static std::optional<ComparisonDirection> DirectionOf(absl::string_view word) {
    using enum ComparisonDirection;
    constexpr std::pair<absl::string_view, ComparisonDirection> kNames[] = {
        {"lt", kLt}, {"le", kLe}, {"gt", kGt}, {"ge", kGe}, {"eq", kEq}, {"ne", kNe}};
    for (const auto& [name, direction] : kNames) {
      if (name == word) return direction;
    }
    return std::nullopt;
  }

  Sketch& s_;
  ProgramWriter& w_;
  const ElementType type_;
  const Dimensions sizes_;
  std::map<std::string, Instruction*> leaves_, known_;
  std::vector<absl::string_view> words_;
  size_t at_ = 0;
};

Dimensions SizesOfExpression(ProgramWriter& w) {
  static const Dimensions kSizes[] = {{24}, {4, 4}, {17}, {}, {24}, {5, 5}, {33}, {506}};
  Dimensions sizes = w.choices().Of(kSizes);
  if (CountOf(sizes) > w.limits().argument_elements) sizes = {1};
  return sizes;
}

template <size_t kTypes>
ElementType TypeFrom(Sketch& s, const ElementType (&types)[kTypes]) {
  const ElementType type = s.choices().Of(types);
  return s.AnyOf({type});
}

// One to three forms on the same arrays. Most forms are for floats and integers alike: those of the
// other table come now and then, and end where an operation does not take the type.
void WriteForms(Sketch& s, ElementType type) {
  ProgramWriter& w = s.w();
  Expression expression(s, type, SizesOfExpression(w));
  for (int64_t count = w.choices().Between(1, 3); count > 0; --count) {
    const bool other = w.choices().OneIn(4);
    expression.Write(IsFloat(type) != other ? w.choices().Of(kFloatForms)
                                            : w.choices().Of(kIntegerForms));
  }
}

void FloatForms(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = TypeFrom(s, kFloats);
  if (IsFloat(type)) WriteForms(s, type);
}

void IntegerForms(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = TypeFrom(s, kIntegers);
  if (IsInteger(type)) WriteForms(s, type);
}

void FloatTrees(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = TypeFrom(s, kFloats);
  if (IsFloat(type)) Expression(s, type, SizesOfExpression(w)).WriteTree(w.choices().Between(2, 6));
}

void IntegerTrees(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = TypeFrom(s, kIntegers);
  if (IsInteger(type)) {
    Expression(s, type, SizesOfExpression(w)).WriteTree(w.choices().Between(2, 6));
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
  const ElementType from = TypeFrom(s, kFrom);
  for (int64_t pairs = w.choices().Between(2, 6); pairs > 0; --pairs) {
    const ElementType to = TypeFrom(s, kTo);
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
  const ElementType type = TypeFrom(s, kOrdered);
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

// Words of Expression for one operation on x, y, z, a number or a selection.
std::string OneOperation(Choices& choices, bool is_float) {
  static constexpr const char* kUnary[] = {"negate",    "abs",    "sign", "back narrow",
                                           "back wide", "negate", "abs",  "turn"};
  static constexpr const char* kOfFloats[] = {"exponential", "log",  "sqrt", "floor",
                                              "ceil",        "tanh", "rsqrt"};
  static constexpr const char* kOfIntegers[] = {"not", "popcnt", "not", "count-leading-zeros"};
  static constexpr const char* kBinary[] = {"add",     "subtract", "multiply",  "divide",
                                            "maximum", "minimum",  "remainder", "power",
                                            "add",     "subtract"};
  static constexpr const char* kBits[] = {
      "shift-left", "shift-right-logical", "shift-right-arithmetic", "and", "or", "xor"};
  static constexpr const char* kLeaves[] = {"x", "y", "x", "z", "1", "x", "y", "-1", "2", "3"};
  static constexpr const char* kPredicates[] = {"p", "lt x y", "eq x y", "ge x 0"};
  const char* const a = choices.Of(kLeaves);
  const char* const b = choices.Of(kLeaves);
  switch (choices.Below(8)) {
    case 0:
      return absl::StrCat(choices.Of(kUnary), " ", a);
    case 1:
      return absl::StrCat(is_float ? choices.Of(kOfFloats) : choices.Of(kOfIntegers), " ", a);
    case 2:
      return absl::StrCat("select ", choices.Of(kPredicates), " ", a, " ", b);
    case 3:
      if (!is_float) return absl::StrCat(choices.Of(kBits), " ", a, " ", b);
      return absl::StrCat("clamp -1 ", a, " ", b);
    default:
      return absl::StrCat(choices.Of(kBinary), " ", a, " ", b);
  }
}

// An operation on two results of operations, or on one of them and an operand: max(x + 1, x),
// (x + y) rem y, select(p, x, y) == x, power(x, y) * power(x, z).
void JoinedForms(ProgramWriter& w) {
  static constexpr const char* kJoins[] = {
      "maximum", "minimum", "subtract", "add", "multiply", "divide",   "remainder",
      "lt",      "le",      "gt",       "ge",  "eq",       "ne",       "select p",
      "and",     "or",      "xor",      "add", "multiply", "subtract", "atan2"};
  static constexpr const char* kLeaves[] = {"x", "x", "y", "x"};
  Sketch s(w);
  const bool is_float = w.choices().OneIn(2);
  const ElementType type = is_float ? TypeFrom(s, kFloats) : TypeFrom(s, kIntegers);
  if (is_float ? !IsFloat(type) : !IsInteger(type)) return;
  Expression expression(s, type, SizesOfExpression(w));
  for (int64_t count = w.choices().Between(2, 4); count > 0; --count) {
    const char* const join = w.choices().Of(kJoins);
    const std::string first = OneOperation(w.choices(), is_float);
    const std::string second = w.choices().OneIn(2) ? OneOperation(w.choices(), is_float)
                                                    : std::string(w.choices().Of(kLeaves));
    const bool exchanged = w.choices().OneIn(3);
    const std::string text =
        absl::StrCat(join, " ", exchanged ? second : first, " ", exchanged ? first : second);
    expression.Write(text);
  }
}

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
    {"rounded once", RoundedOnce},
    {"total orders", TotalOrders},
    {"telling folds", TellingFolds},
};

}  // namespace

absl::Span<const Idiom> ExpressionIdioms() { return kExpressions; }

}  // namespace assay::fuzz
