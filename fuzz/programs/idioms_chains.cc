// Idioms of operations that take what another one has made larger, wider or of another order:
// windows of padding, permutations of equal sizes, operations on widened values, sorts of moved
// arrays.
#include <algorithm>
#include <utility>

#include "fuzz/programs/idioms.h"
#include "fuzz/programs/permutation.h"
#include "fuzz/programs/sketch.h"

namespace assay::fuzz {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kC64, ElementType::kF16, ElementType::kF32;
using ElementType::kF64, ElementType::kF8E4M3FN, ElementType::kF8E5M2, ElementType::kS32;
using ElementType::kS4, ElementType::kS8, ElementType::kU8;

bool FitsAnArgument(const ProgramWriter& w, Sizes sizes) {
  return CountOf(sizes) <= w.limits().argument_elements;
}

// Padding of some dimensions, mostly without negative and interior padding, so that a window could
// take it.
Instruction* PaddedForWindows(Sketch& s, Instruction* x, Instruction* value) {
  Choices& choices = s.choices();
  PaddingConfig config;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    PaddingDimension& own = config.dimensions.emplace_back();
    if (d > 0 && choices.OneIn(2)) continue;
    own.low = choices.Below(3);
    own.high = choices.Below(3);
    if (choices.OneIn(6)) own.interior = 1;
    if (choices.OneIn(6)) own.low = -std::min<int64_t>(x->shape().dimension(d), 1);
  }
  auto made = s.w().Start(kPad, {x, value});
  made->SetAttribute(Attr::kPadding, std::move(config));
  return s.w().Finish(std::move(made));
}

Instruction* FoldedWindows(Sketch& s, Instruction* x, Opcode fold, Instruction* start) {
  if (x == nullptr || start == nullptr) return nullptr;
  Choices& choices = s.choices();
  Window window;
  for (const int64_t size : x->shape().dimensions()) {
    WindowDimension& d = window.dimensions.emplace_back();
    d.size = std::min<int64_t>(choices.Between(1, 3), std::max<int64_t>(size, 1));
    d.stride = choices.OneIn(3) ? 2 : 1;
    if (choices.OneIn(4)) d.padding_low = 1;
    if (choices.OneIn(4)) d.padding_high = 1;
  }
  Computation* const region = s.Region(fold, s.TypeOf(x));
  auto made = s.w().Start(kReduceWindow, {x, start});
  made->SetAttribute(Attr::kWindow, std::move(window));
  made->SetAttribute(Attr::kToApply, region);
  return s.w().Finish(std::move(made));
}

// A window or a fold of padding whose value is the start value, the value that leaves the fold as
// it is, or another one.
void WindowsOfPadding(ProgramWriter& w) {
  static constexpr Opcode kFolds[] = {kAdd, kMaximum, kAdd, kMinimum, kMultiply};
  static constexpr Opcode kTakers[] = {kConvolution, kSelectAndScatter, kConvolution, kReverse};
  Sketch s(w);
  const ElementType type = s.AnyOf({kF32, kS32, kBF16, kF64, kS8, kF16, kU8});
  const Opcode fold = w.choices().Of(kFolds);
  const bool folds = w.choices().OneIn(4);
  Dimensions sizes = {w.choices().Between(1, 6)};
  if (w.choices().OneIn(2)) sizes.push_back(w.choices().Between(1, 4));
  if (!FitsAnArgument(w, sizes)) return;
  Instruction* const x = w.NewArray(type, sizes);
  Instruction* const value = w.PlainSplat(type, {});
  Instruction* const padded = PaddedForWindows(s, x, value);
  if (padded == nullptr) return;
  if (w.choices().OneIn(4)) {
    w.WriteOn(w.choices().Of(kTakers), padded);
    return;
  }
  Instruction* start = value;
  if (w.choices().OneIn(3)) start = s.Number(type, fold == kMultiply ? 1 : 0);
  if (w.choices().OneIn(4)) start = w.PlainSplat(type, {});
  if (folds) {
    s.Reduce(padded, fold, {w.choices().Below(padded->shape().rank())}, start);
  } else {
    FoldedWindows(s, padded, fold, start);
  }
}

// The permutation that undoes another one.
std::vector<int64_t> Undone(const std::vector<int64_t>& order) {
  std::vector<int64_t> inverse(order.size());
  for (size_t k = 0; k < order.size(); ++k) inverse[order[k]] = static_cast<int64_t>(k);
  return inverse;
}

// Dimensions of one size, where every wrong permutation gives the right shape: an array broadcast
// into some of three or four dimensions, transposed, and then folded, sliced, transposed again or
// joined with what was before.
void PermutedCubes(ProgramWriter& w) {
  Sketch s(w);
  Choices& choices = w.choices();
  const int64_t n = choices.Between(2, 3), rank = choices.OneIn(3) ? 4 : 3;
  const int64_t own_rank = choices.Between(1, rank - 1);
  const ElementType type = s.AnyOf({kF32, kS32, kBF16, kF64, kU8, kC64});
  const Dimensions sizes(own_rank, n), cube(rank, n);
  if (!FitsAnArgument(w, cube)) return;
  Instruction* x = w.NewArray(type, choices.OneIn(4) ? cube : sizes);
  if (x->shape().rank() < rank) {
    std::vector<int64_t> places = Permutation(choices, rank);
    places.resize(own_rank);
    if (!choices.OneIn(4)) std::sort(places.begin(), places.end());
    x = s.Broadcast(x, cube, places);
  }
  Instruction* const moved = s.Transpose(x, Permutation(choices, rank));
  if (moved == nullptr) return;
  switch (choices.Below(5)) {
    case 0:
      s.Transpose(moved, Permutation(choices, rank));
      return;
    case 1:
      s.Reduce(moved, kAdd, {choices.Below(rank)}, s.Number(type, 0));
      return;
    case 2:
      s.Slice(moved, choices.Below(rank), 0, 1);
      return;
    case 3:
      s.Op(kSubtract, {moved, x});
      return;
    default:
      s.Reverse(moved, {choices.Below(rank)});
  }
}

// A transpose, a reshape to the sizes in another order, and a transpose back to the sizes before:
// no identity, although the sizes are those of one.
void TransposesAroundReshapes(ProgramWriter& w) {
  Sketch s(w);
  const int64_t rank = w.choices().Between(2, 3);
  Dimensions sizes;
  for (int64_t d = 0; d < rank; ++d) sizes.push_back(w.choices().Between(1, 4));
  const ElementType type = s.AnyOf({kF32, kS32, kBF16, kF64, kU8, kC64});
  if (!FitsAnArgument(w, sizes)) return;
  const std::vector<int64_t> first = Permutation(w.choices(), rank);
  Instruction* const x = s.Transpose(w.NewArray(type, sizes), first);
  if (x == nullptr) return;
  const std::vector<int64_t> order = Permutation(w.choices(), rank);
  Dimensions exchanged;
  for (const int64_t d : order) exchanged.push_back(x->shape().dimension(d));
  s.Transpose(s.Reshape(x, exchanged), Undone(order));
}

ElementType WiderThan(ElementType narrow) {
  switch (narrow) {
    case kF32:
      return kF64;
    case kS8:
    case kU8:
      return kS32;
    case kS4:
      return kS8;
    case kF8E5M2:
      return kBF16;
    default:
      return kF32;
  }
}

// Products, sums and comparisons of values that a conversion has widened, as matrix units take
// them, and their result narrowed again.
void WidenedOperands(ProgramWriter& w) {
  Sketch s(w);
  Choices& choices = w.choices();
  const ElementType narrow = s.AnyOf({kBF16, kF16, kS8, kBF16, kF32, kU8, kF8E5M2, kS4, kF8E4M3FN});
  const ElementType wide = WiderThan(narrow);
  const int64_t rows = choices.Between(1, 5), inner = choices.Between(1, 6);
  const Dimensions left = {rows, inner}, right = {inner, choices.Between(1, 5)};
  if (!FitsAnArgument(w, left) || !FitsAnArgument(w, right)) return;
  const bool tells = choices.OneIn(2);  // the largest integers and infinities are among the values
  const auto widened = [&](Sizes sizes) {
    return s.Convert(tells ? s.TellingValues(narrow, sizes) : w.NewArray(narrow, sizes), wide);
  };
  Instruction* const a = widened(left);
  static constexpr Opcode kJoins[] = {kMultiply, kAdd, kSubtract, kMultiply, kDivide};
  Instruction* result = nullptr;
  switch (choices.Below(6)) {
    case 0:
      result = s.Reduce(a, kAdd, {choices.Below(2)}, s.Number(wide, 0));
      break;
    case 1: {
      Instruction* const other = widened(left);
      result = s.Op(choices.Of(kJoins), {a, other});
      break;
    }
    case 2: {
      const auto direction = static_cast<ComparisonDirection>(choices.Below(6));
      s.Compare(direction, a, choices.OneIn(2) ? widened(left) : w.PlainSplat(wide, left));
      return;
    }
    default:
      result = s.Dot(a, widened(right), 1, 0);
  }
  if (choices.OneIn(3)) s.Convert(result, narrow);
}

// Integers that a conversion has widened, as quantised programs have them, in one to three
// operations on the same two arrays: each needs more bits than the narrow type has.
void WidenedIntegers(ProgramWriter& w) {
  Sketch s(w);
  Choices& choices = w.choices();
  using ElementType::kS16, ElementType::kU16, ElementType::kU32, ElementType::kU4;
  static constexpr Opcode kJoins[] = {kMultiply, kAdd,       kSubtract,  kMultiply,
                                      kDivide,   kRemainder, kShiftLeft, kShiftRightArithmetic};
  const ElementType narrow = s.AnyOf({kU8, kS8, kU8, kS16, kU16, kU4, kS4});
  const ElementType wide = s.AnyOf({kS32, kS32, kS16, kU32});
  const Dimensions sizes = {choices.Between(1, 24)};
  if (!FitsAnArgument(w, sizes)) return;
  Instruction* const a = s.Convert(s.TellingValues(narrow, sizes), wide);
  Instruction* const b = s.Convert(s.TellingValues(narrow, sizes), wide);
  for (int64_t count = choices.Between(1, 3); count > 0; --count) {
    const int64_t kind = choices.Below(6);
    Instruction* const other = kind <= 1 ? w.PlainSplat(wide, sizes) : kind == 2 ? a : b;
    if (choices.OneIn(2)) {
      s.Compare(static_cast<ComparisonDirection>(choices.Below(6)), a, other);
    } else {
      s.Op(choices.Of(kJoins), {a, other});
    }
  }
}

// Stable sorts of several arrays with equal keys, of which the first are moved: only the order of
// equal keys tells them from those of the arrays before.
void SortsOfMoves(ProgramWriter& w) {
  Sketch s(w);
  Choices& choices = w.choices();
  const Dimensions sizes = {choices.Between(2, 24)};
  const ElementType type = s.AnyOf({kF32, kS32, kBF16, kU8, kF64, kS8});
  if (!FitsAnArgument(w, sizes)) return;
  conformance::ProfileUse use;
  use.profile = conformance::ValueProfile::kDuplicates;
  use.seed = choices.Byte() + 1;
  Instruction* const keys = w.NewArray(type, sizes, use);
  Instruction* const numbers = s.Iota(s.AnyOf({kS32, kU8, kF32}), sizes, 0);
  if (numbers == nullptr) return;
  std::vector<Instruction*> arrays = {keys, numbers};
  const int64_t kind = choices.Below(4);
  for (Instruction*& each : arrays) {
    if (kind == 0 || kind == 1) each = s.Reverse(each, {0});
    if (kind == 2) each = s.Concatenate({each, each}, 0);
  }
  const bool down = choices.OneIn(2);
  arrays = s.Sort(std::move(arrays), down);
  if (kind == 1) {
    for (Instruction*& each : arrays) each = s.Reverse(each, {0});
  }
  if (choices.OneIn(3)) s.Sort(std::move(arrays), choices.OneIn(2) ? down : !down);
}

constexpr Idiom kChains[] = {
    {"windows of padding", WindowsOfPadding},
    {"permuted cubes", PermutedCubes},
    {"transposes around reshapes", TransposesAroundReshapes},
    {"widened operands", WidenedOperands},
    {"widened integers", WidenedIntegers},
    {"sorts of moves", SortsOfMoves},
};

}  // namespace

absl::Span<const Idiom> ChainIdioms() { return kChains; }

}  // namespace assay::fuzz
