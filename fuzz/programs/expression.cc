#include "fuzz/programs/expression.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

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

std::optional<ComparisonDirection> DirectionOf(absl::string_view word) {
  using enum ComparisonDirection;
  constexpr std::pair<absl::string_view, ComparisonDirection> kNames[] = {
      {"lt", kLt}, {"le", kLe}, {"gt", kGt}, {"ge", kGe}, {"eq", kEq}, {"ne", kNe}};
  for (const auto& [name, direction] : kNames) {
    if (name == word) return direction;
  }
  return std::nullopt;
}

}  // namespace

ElementType FloatOfExpressions(Sketch& s) { return s.OneOf(kFloats); }

ElementType IntegerOfExpressions(Sketch& s) { return s.OneOf(kIntegers); }

Dimensions SizesOfExpressions(ProgramWriter& w) {
  static const Dimensions kSizes[] = {{24}, {4, 4}, {17}, {}, {24}, {5, 5}, {33}, {506}};
  Dimensions sizes = w.choices().Of(kSizes);
  if (CountOf(sizes) > w.limits().argument_elements) sizes = {1};
  return sizes;
}

Instruction* Expression::Write(absl::string_view form) {
  words_ = absl::StrSplit(form, ' ');
  at_ = 0;
  return Next();
}

void Expression::WriteTree(int64_t operations) {
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

Instruction* Expression::Number() {
  static constexpr double kNumbers[] = {0, 1, -1, 2, 0.5, 3, -0.0, 4, 7, -2};
  return w_.Splat(type_, sizes_, w_.choices().Of(kNumbers));
}

Instruction* Expression::Step(Instruction* a, Instruction* b, Instruction* c, Instruction** pred) {
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
Instruction* Expression::FirstThatTakes(const Opcode (&opcodes)[kCount],
                                        std::initializer_list<Instruction*> operands) {
  for (int tries = 0; tries < 4; ++tries) {
    if (Instruction* const made = s_.Op(w_.choices().Of(opcodes), operands)) return made;
  }
  return nullptr;
}

Instruction* Expression::Next() {
  if (at_ >= words_.size()) return nullptr;
  const size_t first = at_;
  Instruction* const made = Read();
  std::string text;
  for (size_t k = first; k < at_; ++k) absl::StrAppend(&text, words_[k], " ");
  const auto [found, is_new] = known_.try_emplace(text, made);
  return found->second;
}

Instruction* Expression::Read() {
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

Instruction* Expression::Like(const Instruction* a, Instruction* b) {
  if (a == nullptr || b == nullptr || s_.TypeOf(a) == s_.TypeOf(b)) return b;
  return IsPred(s_.TypeOf(a)) != IsPred(s_.TypeOf(b)) ? nullptr : s_.Convert(b, s_.TypeOf(a));
}

Instruction* Expression::Changed(absl::string_view word, Instruction* x) {
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

Instruction* Expression::Leaf(absl::string_view name) {
  Instruction*& leaf = leaves_[std::string(name)];
  if (leaf == nullptr && (name == "p" || name == "q")) {
    leaf = name == "p" ? w_.ArrayOf(ElementType::kPred, sizes_)
                       : s_.TellingValues(ElementType::kPred, sizes_);
  } else if (leaf == nullptr) {
    leaf = w_.choices().OneIn(4) ? w_.ArrayOf(type_, sizes_) : s_.TellingValues(type_, sizes_);
  }
  return leaf;
}

}  // namespace assay::fuzz
