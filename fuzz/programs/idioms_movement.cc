// Idioms of elements that are moved: moves of moves, moves under operations, values that are
// updated while others still read them.
#include <algorithm>
#include <numeric>

#include "fuzz/programs/idioms.h"
#include "fuzz/programs/permutation.h"
#include "fuzz/programs/sketch.h"

namespace assay::fuzz {
namespace {

using enum Opcode;
using ElementType::kPred, ElementType::kS32;

// Pads one dimension with a plain number; both ends by `least` to 2.
Instruction* AnyPadding(Sketch& s, Instruction* x, int64_t dimension, int64_t least) {
  Instruction* const value = s.w().PlainSplat(s.TypeOf(x), {});
  const int64_t low = s.choices().Between(least, 2), high = s.choices().Between(least, 2);
  return s.Pad(x, value, dimension, low, high, s.choices().Below(2));
}

// One move of x, of any kind.
Instruction* Moved(Sketch& s, Instruction* x) {
  if (x == nullptr || x->shape().rank() == 0) return nullptr;
  ProgramWriter& w = s.w();
  Choices& choices = w.choices();
  const int64_t rank = x->shape().rank(), d = choices.Below(rank), size = x->shape().dimension(d);
  switch (choices.Below(8)) {
    case 0:
      return s.Transpose(x, Permutation(w.choices(), rank));
    case 1:
      return s.Reverse(x, {d});
    case 2: {
      const int64_t start = choices.Below(size + 1);
      return s.Slice(x, d, start, size, choices.Between(1, 2));
    }
    case 3:
      return AnyPadding(s, x, d, -1);
    case 4: {
      Dimensions sizes = Sketch::SizesOf(x);
      std::swap(sizes[d], sizes[(d + 1) % rank]);
      return s.Reshape(x, sizes);
    }
    case 5: {
      Dimensions flat = {CountOf(Sketch::SizesOf(x))};
      return s.Reshape(x, flat);
    }
    case 6: {
      Dimensions sizes = Sketch::SizesOf(x);
      std::vector<int64_t> places(rank);
      std::iota(places.begin(), places.end(), 0);
      const int64_t at = choices.Below(rank + 1);
      if (rank >= w.most_rank()) return x;
      sizes.insert(sizes.begin() + at, w.AnySize());
      for (int64_t& place : places) place += place >= at ? 1 : 0;
      return s.Broadcast(x, sizes, places);
    }
    default:
      return s.Concatenate({x, w.LikeArray(x)}, d);
  }
}

Instruction* AnyOperand(Sketch& s) { return s.w().ArrayFor(kReverse, 1, 3); }

void MovesOfMoves(ProgramWriter& w) {
  Sketch s(w);
  Instruction* x = AnyOperand(s);
  for (int64_t links = w.choices().Between(2, 3); links > 0; --links) x = Moved(s, x);
}

// Twice the same kind: transposes, reverses, slices, paddings, reshapes.
void SameMoveTwice(ProgramWriter& w) {
  Sketch s(w);
  Instruction* x = s.w().ArrayFor(kTranspose, 2, 3);
  const int64_t kind = w.choices().Below(4), rank = x->shape().rank();
  for (int link = 0; link < 2 && x != nullptr; ++link) {
    const int64_t d = w.choices().Below(rank), size = x->shape().dimension(d);
    if (kind == 0) x = s.Transpose(x, Permutation(w.choices(), rank));
    if (kind == 1) x = s.Reverse(x, {d});
    if (kind == 2) x = s.Slice(x, d, std::min<int64_t>(1, size), size, w.choices().Between(1, 2));
    if (kind == 3) x = AnyPadding(s, x, d, 0);
  }
}

// f(move(x)), f(move(a), move(b)), f(move(x), y).
void OperationsOfMoves(ProgramWriter& w) {
  static constexpr Opcode kOperations[] = {kAdd,     kMultiply, kNegate,   kAbs, kMaximum, kMinimum,
                                           kConvert, kCompare,  kSubtract, kExp, kSelect,  kDivide,
                                           kNot,     kXor,      kTanh,     kSqrt};
  Sketch s(w);
  Instruction* const x = AnyOperand(s);
  const Opcode opcode = w.choices().Of(kOperations);
  Instruction* const moved = Moved(s, x);
  if (moved == nullptr) return;
  if (opcode == kConvert) {
    Moved(s, s.Convert(moved, w.AnyType(w.grammar().types())));
    return;
  }
  if (opcode == kCompare) {
    s.Compare(ComparisonDirection::kLt, moved, w.LikeArray(moved));
    return;
  }
  if (opcode == kSelect) {
    Instruction* const pred = w.ArrayOf(kPred, moved->shape().dimensions());
    s.Select(pred, moved, w.LikeArray(moved));
    return;
  }
  Instruction* result = nullptr;
  if (Info(opcode).arity == 1) {
    result = s.Op(opcode, {moved});
  } else {
    Instruction* const other = w.choices().OneIn(3)
                                   ? w.PlainSplat(s.TypeOf(x), Sketch::SizesOf(moved))
                                   : w.LikeArray(moved);
    result = w.choices().OneIn(2) ? s.Op(opcode, {other, moved}) : s.Op(opcode, {moved, other});
  }
  if (w.choices().OneIn(2)) Moved(s, result);
}

// What is read, changed and written back where it was, or next to it; slices of an update.
void UpdatesOfSlices(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const x = s.w().ArrayFor(kDynamicUpdateSlice, 1, 2);
  const ElementType type = w.AnyIndexType();
  Dimensions part = Sketch::SizesOf(x);
  part[0] = std::min<int64_t>(part[0], w.choices().Between(1, 2));
  const auto starts = [&] {
    std::vector<Instruction*> all;
    for (size_t d = 0; d < part.size(); ++d) {
      all.push_back(w.IndexArray(type, {}, -1, x->shape().dimension(static_cast<int64_t>(d))));
    }
    return all;
  };
  const std::vector<Instruction*> first = starts();
  const std::vector<Instruction*> second = w.choices().OneIn(2) ? first : starts();
  Instruction* const read = s.DynamicSlice(x, first, part);
  switch (w.choices().Below(4)) {
    case 0:
      s.DynamicUpdateSlice(x, read, second);
      return;
    case 1:
      s.DynamicSlice(s.DynamicUpdateSlice(x, w.ArrayOf(s.TypeOf(x), part), first), second, part);
      return;
    case 2: {
      Instruction* const once = s.DynamicUpdateSlice(x, w.ArrayOf(s.TypeOf(x), part), first);
      s.DynamicUpdateSlice(once, w.ArrayOf(s.TypeOf(x), part), second);
      return;
    }
    default:
      if (read != nullptr) s.DynamicSlice(read, second, part);
  }
}

// Pieces put together again: all, or all but one, or in another order.
void SlicesConcatenated(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const x = AnyOperand(s);
  const int64_t d = w.choices().Below(x->shape().rank()), size = x->shape().dimension(d);
  const int64_t at = w.choices().Below(size + 1);
  Instruction *low = s.Slice(x, d, 0, at), *high = s.Slice(x, d, at, size);
  if (w.choices().OneIn(3)) std::swap(low, high);
  Instruction* const joined = s.Concatenate({low, high}, d);
  if (joined == nullptr || !w.choices().OneIn(2)) return;
  const int64_t all = joined->shape().dimension(d), from = w.choices().Below(all + 1);
  s.Slice(joined, d, from, all, w.choices().Between(1, 2));
}

// A slice of padding that gives the operand back, or nearly; padding of a slice; folded padding.
void PadsAndSlices(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const x = AnyOperand(s);
  const int64_t d = w.choices().Below(x->shape().rank()), size = x->shape().dimension(d);
  const int64_t low = w.choices().Below(3), high = w.choices().Below(3);
  Instruction* const value = w.PlainSplat(s.TypeOf(x), {});
  if (w.choices().OneIn(2)) {
    Instruction* const padded = s.Pad(x, value, d, low, high);
    if (padded == nullptr) return;
    const int64_t all = padded->shape().dimension(d);
    const int64_t start = w.choices().Below(low + 1);
    s.Slice(padded, d, start, std::min(all, start + std::max<int64_t>(size, 1)));
    s.Reduce(padded, kAdd, {d}, s.Number(s.TypeOf(x), 0));
    return;
  }
  const int64_t start = std::min(low, size);
  Instruction* const rest = s.Slice(x, d, start, size);
  s.Pad(rest, value, d, start, w.choices().Below(2));
}

// An elementwise operation on the array and a splat, another array or itself.
Instruction* Combined(Sketch& s, Instruction* x) {
  static constexpr Opcode kSteps[] = {kMultiply, kAdd, kNegate, kSubtract, kMultiply,
                                      kMaximum,  kAbs, kNot,    kAnd,      kMinimum};
  const Opcode opcode = s.choices().Of(kSteps);
  if (Info(opcode).arity == 1) return s.Op(opcode, {x});
  Instruction* other = nullptr;
  switch (s.choices().Below(4)) {
    case 0:
      other = s.w().LikeArray(x);
      break;
    case 1:
      other = s.Broadcast(s.w().ScalarOf(s.TypeOf(x)), Sketch::SizesOf(x), {});
      break;
    default:
      other = s.w().PlainSplat(s.TypeOf(x), Sketch::SizesOf(x));
  }
  return s.Op(opcode, {x, other});
}

// Folds of moves, of elementwise operations and of folds, with start values that are no identities.
void FoldsOfMoves(ProgramWriter& w) {
  static constexpr Opcode kFolds[] = {kAdd, kMaximum, kMinimum, kMultiply, kAnd, kOr};
  Sketch s(w);
  const Opcode fold = w.choices().Of(kFolds);
  Instruction* const x = s.w().ArrayFor(fold, 2, 3);
  const int64_t before = w.choices().Below(4);
  Instruction* const moved = before == 0 ? x : before == 1 ? Combined(s, x) : Moved(s, x);
  if (moved == nullptr || moved->shape().rank() == 0) return;
  // The type is that of `moved`: the magnitude of a complex number is real.
  const auto start = [&]() -> Instruction* {
    return w.choices().OneIn(2) ? w.ScalarOf(s.TypeOf(moved)) : w.PlainSplat(s.TypeOf(moved), {});
  };
  const int64_t d = w.choices().Below(moved->shape().rank());
  Instruction* const once = s.Reduce(moved, fold, {d}, start());
  if (once == nullptr) return;
  if (once->shape().rank() > 0 && w.choices().OneIn(2)) {
    const Opcode again = w.choices().OneIn(2) ? fold : w.choices().Of(kFolds);
    s.Reduce(once, again, {0}, start());
  }
  // Back to the sizes before, as normalisations have it; and the same with another start value.
  std::vector<int64_t> places;
  for (int64_t k = 0; k < moved->shape().rank(); ++k) {
    if (k != d) places.push_back(k);
  }
  s.Op(fold, {s.Broadcast(once, moved->shape().dimensions(), places), moved});
  if (w.choices().OneIn(3)) s.Reduce(moved, fold, {d}, start());
}

// Products of matrices that are moved before or after.
void DotsOfMoves(ProgramWriter& w) {
  Sketch s(w);
  Instruction* a = s.w().ArrayFor(kDot, 2, 2);
  const ElementType type = s.TypeOf(a);
  const int64_t inner = a->shape().dimension(1);
  const int64_t most = w.limits().elements / std::max<int64_t>(inner, 1);
  const int64_t free = std::clamp<int64_t>(w.AnySize(), 1, std::max<int64_t>(most, 1));
  const bool left = w.choices().OneIn(2), right = w.choices().OneIn(2);
  if (left) a = s.Transpose(a, {1, 0});
  const Dimensions straight = {inner, free}, turned = {free, inner};
  Instruction* b = w.ArrayOf(type, right ? turned : straight);
  const bool moved = w.choices().OneIn(2);
  if (right && moved) b = s.Transpose(b, {1, 0});
  Instruction* const product = s.Dot(a, b, left ? 0 : 1, right && !moved ? 1 : 0);
  if (w.choices().OneIn(2)) {
    s.Transpose(product, {1, 0});
  } else if (product != nullptr) {
    s.Op(kAdd, {product, w.LikeArray(product)});
  }
}

// Values that an operation may write over, and that another one still reads.
void ReadAfterUpdate(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const seed = s.w().ArrayFor(kAdd, 1, 2);
  Instruction* const x = s.Op(kAdd, {seed, w.LikeArray(seed)});
  if (x == nullptr) return;
  const Dimensions sizes = Sketch::SizesOf(x);
  Instruction* changed = nullptr;
  switch (w.choices().Below(4)) {
    case 0: {
      Dimensions part = sizes;
      part[0] = std::min<int64_t>(part[0], 1);
      std::vector<Instruction*> starts;
      for (size_t d = 0; d < part.size(); ++d) {
        starts.push_back(w.IndexArray(kS32, {}, 0, sizes[d]));
      }
      changed = s.DynamicUpdateSlice(x, w.ArrayOf(s.TypeOf(x), part), starts);
      break;
    }
    case 1:
      changed = s.Sort({x}, w.choices().OneIn(2)).front();
      break;
    case 2: {
      if (sizes.size() != 2 || sizes[0] == 0) break;
      const Dimensions rows = {2, sizes[1]};
      Instruction* const indices = w.IndexArray(kS32, {2}, 0, sizes[0] - 1);
      changed = s.ScatterRows(x, indices, w.ArrayOf(s.TypeOf(x), rows), kAdd);
      break;
    }
    default: {
      static constexpr Opcode kOver[] = {kMultiply, kAdd, kSubtract};
      const Opcode over = w.choices().Of(kOver);
      changed = s.Op(over, {x, w.LikeArray(x)});
    }
  }
  if (changed == nullptr) return;
  // The value before is read behind the update, and both are results.
  static constexpr Opcode kReaders[] = {kSubtract, kAdd, kMaximum, kMultiply};
  const Opcode reader = w.choices().Of(kReaders);
  if (w.choices().OneIn(3)) {
    s.Compare(ComparisonDirection::kLe, changed, x);
  } else if (w.choices().OneIn(2)) {
    s.Op(reader, {x, changed});
  } else {
    s.Op(reader, {changed, x});
  }
  s.Reverse(x, {0});
}

// Order twice, extremes of what is in order, and gathers by numbers in order.
void OrdersAndIndices(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const x = s.w().ArrayFor(kSort, 1, 2);
  if (w.choices().OneIn(2)) {
    const bool down = w.choices().OneIn(2);
    Instruction* const once = s.Sort({x}, down).front();
    const bool again = w.choices().OneIn(2) ? down : !down;
    s.Sort({w.choices().OneIn(2) ? once : s.Reverse(once, {x->shape().rank() - 1})}, again);
    return;
  }
  if (x->shape().rank() != 2 || x->shape().dimension(0) == 0) return;
  const int64_t rows = x->shape().dimension(0);
  const Dimensions count = {w.choices().Between(1, rows)};
  Instruction* indices = s.Iota(w.AnyIndexType(), count, 0);
  if (w.choices().OneIn(2)) indices = s.Reverse(indices, {0});
  if (indices == nullptr) return;
  s.GatherRows(x, indices);
  s.Compare(ComparisonDirection::kLt, indices,
            w.PlainSplat(s.TypeOf(indices), indices->shape().dimensions()));
}

// Windows and convolutions of padding, by rows of their own on the padded value.
void CallsOfMoves(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const x = AnyOperand(s);
  Instruction* const moved = Moved(s, x);
  if (moved == nullptr) return;
  static constexpr Opcode kTakers[] = {kReduceWindow,
                                       kConvolution,
                                       kGather,
                                       kScatter,
                                       kDot,
                                       kSort,
                                       kReduce,
                                       kDynamicSlice,
                                       kDynamicUpdateSlice,
                                       kConcatenate,
                                       kBitcastConvert,
                                       kScan,
                                       kSelectAndScatter,
                                       kTopK,
                                       kCall,
                                       kFusion,
                                       kWhile,
                                       kConditional};
  w.WriteOn(w.choices().Of(kTakers), moved);
}

// Products of square matrices: of exchanged and of transposed factors, of products, of sums and of
// concatenations. Products of anything but square matrices mostly differ by their shape.
void MatrixProducts(ProgramWriter& w) {
  Sketch s(w);
  const int64_t n = w.choices().Between(2, 4);
  const ElementType type = s.AnyOf({ElementType::kF32, ElementType::kS32, ElementType::kF64,
                                    ElementType::kBF16, ElementType::kC64, ElementType::kS8});
  const Dimensions sizes = {n, n};
  if (n * n > w.limits().argument_elements) return;
  Instruction* const a = w.NewArray(type, sizes);
  Instruction* const b = w.NewArray(type, sizes);
  const int64_t left = w.choices().Below(2), right = w.choices().Below(2);
  const auto product = [&](Instruction* x, Instruction* y) { return s.Dot(x, y, left, right); };
  Instruction* const first = product(a, b);
  switch (w.choices().Below(6)) {
    case 0:
      product(b, a);
      return;
    case 1:
      s.Transpose(first, {1, 0});
      return;
    case 2:
      product(s.Transpose(a, {1, 0}), b);
      return;
    case 3:
      product(first, a);
      product(a, product(b, a));
      return;
    case 4:
      product(s.Op(kAdd, {a, w.ArrayOf(type, sizes)}), b);
      return;
    default:
      product(s.Concatenate({a, w.ArrayOf(type, sizes)}, 1 - left), b);
  }
}

constexpr Idiom kMovement[] = {
    {"moves of moves", MovesOfMoves},
    {"the same move twice", SameMoveTwice},
    {"operations of moves", OperationsOfMoves},
    {"updates of slices", UpdatesOfSlices},
    {"slices concatenated", SlicesConcatenated},
    {"pads and slices", PadsAndSlices},
    {"folds of moves", FoldsOfMoves},
    {"dots of moves", DotsOfMoves},
    {"products of matrices", MatrixProducts},
    {"reads behind updates", ReadAfterUpdate},
    {"orders and indices", OrdersAndIndices},
    {"other operations of moves", CallsOfMoves},
};

}  // namespace

absl::Span<const Idiom> MovementIdioms() { return kMovement; }

}  // namespace assay::fuzz
