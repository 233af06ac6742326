// Idioms of numbers at which a simplification shows: chains of conversions, bounds in bounds, what
// differs from an operand by little, and reads and writes at the same places, inside or outside.
#include <algorithm>
#include <utility>

#include "fuzz/programs/edges.h"
#include "fuzz/programs/idioms.h"
#include "fuzz/programs/regions.h"
#include "fuzz/programs/steps.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

constexpr ElementType kChainTypes[] = {
    ElementType::kS8,  ElementType::kU8,      ElementType::kS32,  ElementType::kF32,
    ElementType::kS16, ElementType::kU16,     ElementType::kS4,   ElementType::kU32,
    ElementType::kS64, ElementType::kBF16,    ElementType::kF16,  ElementType::kU4,
    ElementType::kF64, ElementType::kU64,     ElementType::kPred, ElementType::kS8,
    ElementType::kU8,  ElementType::kF8E4M3FN};

// The type of the same width and the other sign; the type itself where there is none.
ElementType OtherSign(ElementType type) {
  static constexpr ElementType kSigns[][2] = {
      {ElementType::kS4, ElementType::kU4},   {ElementType::kS8, ElementType::kU8},
      {ElementType::kS16, ElementType::kU16}, {ElementType::kS32, ElementType::kU32},
      {ElementType::kS64, ElementType::kU64}, {ElementType::kS2, ElementType::kU2}};
  for (const auto& [with, without] : kSigns) {
    if (type == with) return without;
    if (type == without) return with;
  }
  return type;
}

// Values around those at which the type changes its kind, or any that tell.
Instruction* ValuesAtEdges(Sketch& s, ElementType type, Sizes sizes) {
  conformance::ProfileUse use;
  use.profile = conformance::ValueProfile::kAll;
  if (s.choices().OneIn(2) || !conformance::CheckProfile(use, Shape(type, sizes)).ok()) {
    return s.TellingValues(type, sizes);
  }
  use.offset = AnyEdgePattern(type, s.choices());
  return s.w().NewArray(type, sizes, use);
}

// An array of 6 to 24 elements of the type, or null beyond the limits.
Instruction* EdgeArray(Sketch& s, ElementType type) {
  const Dimensions sizes = {s.choices().Between(6, 24)};
  if (CountOf(sizes) > s.w().limits().argument_elements) return nullptr;
  return ValuesAtEdges(s, type, sizes);
}

// Two to four conversions, now and then an operation between them.
void ConversionChains(ProgramWriter& w) {
  static constexpr Opcode kBetween[] = {kAdd, kMultiply, kNegate, kAbs, kMaximum, kSubtract};
  Sketch s(w);
  Choices& choices = w.choices();
  Instruction* x = EdgeArray(s, s.OneOf(kChainTypes));
  for (int64_t links = choices.Between(2, 4); links > 0 && x != nullptr; --links) {
    const ElementType type = choices.OneIn(4) ? OtherSign(s.TypeOf(x)) : s.OneOf(kChainTypes);
    if (type != s.TypeOf(x)) x = s.Convert(x, type);
    if (x == nullptr || !choices.OneIn(6)) continue;
    const Opcode opcode = s.AnyThatTakes(kBetween, x);
    Instruction* const after =
        Info(opcode).arity == 1 ? s.Op(opcode, {x})
                                : s.Op(opcode, {x, w.PlainSplat(s.TypeOf(x), Sketch::SizesOf(x))});
    if (after != nullptr) x = after;
  }
}

constexpr ElementType kNumberTypes[] = {
    ElementType::kF32, ElementType::kS32, ElementType::kS8,  ElementType::kBF16, ElementType::kU8,
    ElementType::kF64, ElementType::kS64, ElementType::kF16, ElementType::kU32,  ElementType::kS16};

// Minima, maxima and clamps by numbers, one in the other, in either order, and what takes the
// result: a conversion, a comparison, a rounding.
void BoundsInBounds(ProgramWriter& w) {
  static constexpr Opcode kBounds[] = {kMaximum, kMinimum, kClamp};
  static constexpr Opcode kAfter[] = {kNegate, kAbs, kFloor, kSign, kNot};
  Sketch s(w);
  Choices& choices = w.choices();
  Instruction* x = EdgeArray(s, s.OneOf(kNumberTypes));
  if (x == nullptr) return;
  const ElementType type = s.TypeOf(x);
  const Dimensions sizes = Sketch::SizesOf(x);
  for (int64_t links = choices.Between(1, 3); links > 0 && x != nullptr; --links) {
    const Opcode opcode = choices.Of(kBounds);
    if (opcode == kClamp) {
      const Dimensions bounds = choices.OneIn(2) ? sizes : Dimensions();
      Instruction* const low = w.PlainSplat(type, bounds);
      Instruction* const high = w.PlainSplat(type, bounds);
      x = w.Add(kClamp, {low, x, high});
      continue;
    }
    Instruction* const bound = w.PlainSplat(type, sizes);
    x = choices.OneIn(3) ? s.Op(opcode, {bound, x}) : s.Op(opcode, {x, bound});
  }
  if (x == nullptr) return;
  switch (choices.Below(4)) {
    case 0:
      s.Convert(x, s.OneOf(kChainTypes));
      return;
    case 1: {
      Instruction* const number = w.PlainSplat(type, sizes);
      s.Compare(static_cast<ComparisonDirection>(choices.Below(6)), x, number);
      return;
    }
    case 2:
      s.Op(s.AnyThatTakes(kAfter, x), {x});
      return;
    default:
      return;
  }
}

// x + c, x - y and the like, against x, y or a number: an integer may wrap, a NaN differs from
// itself.
void Neighbours(ProgramWriter& w) {
  static constexpr Opcode kSteps[] = {kAdd,    kSubtract, kMultiply, kAdd,       kSubtract,
                                      kDivide, kXor,      kAnd,      kRemainder, kShiftLeft};
  static constexpr Opcode kAgainst[] = {kCompare, kMaximum,  kCompare, kMinimum,
                                        kCompare, kSubtract, kSelect,  kMaximum};
  Sketch s(w);
  Choices& choices = w.choices();
  Instruction* const x = EdgeArray(s, s.OneOf(kNumberTypes));
  if (x == nullptr) return;
  const ElementType type = s.TypeOf(x);
  const Dimensions sizes = Sketch::SizesOf(x);
  const bool by_number = choices.OneIn(2);
  Instruction* const y = by_number ? w.PlainSplat(type, sizes) : ValuesAtEdges(s, type, sizes);
  const Opcode step = s.AnyThatTakes(kSteps, x);
  Instruction* const changed = s.Op(step, {x, y});
  if (changed == nullptr) return;
  for (int64_t count = choices.Between(1, 2); count > 0; --count) {
    const int64_t kind = choices.Below(4);
    Instruction* const other = kind == 0   ? x
                               : kind == 1 ? y
                               : kind == 2 ? s.SplatLike(x, 0)
                                           : w.PlainSplat(type, sizes);
    const bool exchanged = choices.OneIn(3);
    Instruction *const a = exchanged ? other : changed, *const b = exchanged ? changed : other;
    const Opcode against = s.AnyThatTakes(kAgainst, x);
    const auto direction = static_cast<ComparisonDirection>(choices.Below(6));
    if (against == kSelect) {
      s.Select(s.Compare(direction, a, b), a, b);
    } else if (against == kCompare) {
      Instruction* const compared = s.Compare(direction, a, b);
      if (choices.OneIn(3)) s.Op(kNot, {compared});
    } else {
      s.Op(against, {a, b});
    }
  }
}

// A place in arrays of one shape: starts of a slice, or indices of rows.
struct PlaceInArray {
  std::vector<Instruction*> starts;
};

// Reads and writes of two arrays of one shape at two places.
class ReadsAndWrites {
 public:
  explicit ReadsAndWrites(Sketch& s) : s_(s), by_rows_(s.choices().OneIn(2)) {}

  // Draws the arrays and the places. Returns false beyond the limits.
  bool Begin() {
    Choices& choices = s_.choices();
    const int64_t rows = choices.Between(2, 6), columns = choices.Between(1, 3);
    const Dimensions sizes = {rows, columns};
    if (CountOf(sizes) > s_.w().limits().argument_elements) return false;
    const ElementType type = s_.AnyOf({ElementType::kF32, ElementType::kS32, ElementType::kBF16,
                                       ElementType::kU8, ElementType::kF64, ElementType::kS8});
    for (int k = 0; k < 2; ++k) arrays_.push_back(ArrayThatTells(s_, type, sizes));
    part_ = {choices.Between(1, std::min<int64_t>(rows - 1, 3)), columns};
    if (!by_rows_ && columns > 1 && choices.OneIn(2)) part_[1] = 1;
    const ElementType index = s_.AnyOf({ElementType::kS32, ElementType::kS64, ElementType::kS8,
                                        ElementType::kU32, ElementType::kS32});
    for (PlaceInArray& place : places_) {
      if (by_rows_) {
        place.starts = {IndicesThatTell(s_, index, {part_[0]}, sizes[0])};
      } else {
        for (const int d : {0, 1}) {
          place.starts.push_back(IndicesThatTell(s_, index, {}, sizes[d] - part_[d] + 1));
        }
      }
    }
    return true;
  }

  void Read() {
    Instruction* const array = s_.choices().Of(arrays_);
    const PlaceInArray& place = s_.choices().Of(places_);
    Instruction* const part = by_rows_ ? s_.GatherRows(array, place.starts[0])
                                       : s_.DynamicSlice(array, place.starts, part_);
    if (part != nullptr) parts_.push_back(part);
  }

  // Copies an array, so that the one is written and the other still read.
  void Copy() {
    Instruction* const copy = s_.w().Add(kCopy, {s_.choices().Of(arrays_)});
    if (copy != nullptr) arrays_.push_back(copy);
  }

  void Write() {
    if (parts_.empty() || s_.choices().OneIn(3)) {
      parts_.push_back(ArrayThatTells(s_, s_.TypeOf(arrays_[0]), part_));
    }
    Instruction* const part = s_.choices().OneIn(2) ? parts_.back() : s_.choices().Of(parts_);
    Instruction* const array = s_.choices().Of(arrays_);
    const PlaceInArray& place = s_.choices().Of(places_);
    Instruction* const after = by_rows_ ? Scattered(array, place.starts[0], part)
                                        : s_.DynamicUpdateSlice(array, part, place.starts);
    if (after != nullptr) arrays_.push_back(after);
  }

 private:
  Instruction* Scattered(Instruction* array, Instruction* indices, Instruction* rows) {
    ProgramWriter& w = s_.w();
    const ElementType type = s_.TypeOf(array);
    Computation* const region = WriteReducer(w, {type}, {type}, ReducerUse::kUpdates);
    return s_.ScatterRowsBy(array, indices, rows, region);
  }

  Sketch& s_;
  const bool by_rows_;
  Dimensions part_;
  std::vector<Instruction*> arrays_, parts_;
  PlaceInArray places_[2];
};

void PlacesAgain(ProgramWriter& w) {
  Sketch s(w);
  ReadsAndWrites places(s);
  if (!places.Begin()) return;
  for (int64_t count = w.choices().Between(2, 4); count > 0; --count) {
    const int64_t kind = w.choices().Below(5);
    if (kind == 4) {
      places.Copy();
    } else if (kind < 2) {
      places.Read();
    } else {
      places.Write();
    }
  }
}

constexpr Idiom kNumberIdioms[] = {
    {"chains of conversions", ConversionChains},
    {"bounds in bounds", BoundsInBounds},
    {"neighbours", Neighbours},
    {"places again", PlacesAgain},
};

}  // namespace

absl::Span<const Idiom> NumberIdioms() { return kNumberIdioms; }

}  // namespace assay::fuzz
