// Idioms of two operations that meet: one step (steps.h) on the result of another one, as its first
// operand or as another one, the same step twice, and two moves of one array or of two that an
// operation joins.
#include <algorithm>
#include <utility>

#include "fuzz/programs/idioms.h"
#include "fuzz/programs/steps.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

// Steps, each on the result of the one before.
void StepsOnSteps(ProgramWriter& w, int64_t links) {
  Sketch s(w);
  Instruction* x = ValueThatTells(s);
  for (; links > 0 && x != nullptr; --links) x = WriteAnyStep(s, x);
}

void PairsOfSteps(ProgramWriter& w) { StepsOnSteps(w, w.choices().Between(2, 3)); }

void ChainsOfSteps(ProgramWriter& w) { StepsOnSteps(w, w.choices().Between(4, 6)); }

// A step, another one, and the first one again; or the same step two or three times.
void StepsAgain(ProgramWriter& w) {
  Sketch s(w);
  Instruction* x = ValueThatTells(s);
  const Step& step = AnyStep(w.choices());
  const bool between = w.choices().OneIn(3);
  x = WriteStep(s, step, x);
  x = between ? WriteAnyStep(s, x) : WriteStep(s, step, x);
  if (between || w.choices().OneIn(3)) WriteStep(s, step, x);
}

// A step between a function and what undoes it, or nearly.
void StepsBetween(ProgramWriter& w) {
  static constexpr Opcode kAround[][2] = {{kNegate, kNegate}, {kNot, kNot},    {kNegate, kNegate},
                                          {kExp, kLog},       {kAbs, kNegate}, {kNot, kNot},
                                          {kSign, kAbs},      {kNegate, kAbs}};
  Sketch s(w);
  const auto& around = w.choices().Of(kAround);
  Instruction* const x = ValueThatTells(s);
  Instruction* const before = s.Op(around[0], {x});
  if (before == nullptr) return;
  s.Op(around[1], {WriteAnyStep(s, before)});
}

// --- Operands other than the first. -------------------------------------------------------------

// A larger array of the type of `x`, which holds it.
Instruction* ArrayAround(Sketch& s, const Instruction* x) {
  Dimensions sizes = Sketch::SizesOf(x);
  for (int64_t& size : sizes) size += s.choices().Below(3);
  if (CountOf(sizes) > kStepElements) return nullptr;
  return ArrayThatTells(s, s.TypeOf(x), sizes);
}

Instruction* AsUpdate(Sketch& s, Instruction* x) {
  Instruction* const around = ArrayAround(s, x);
  if (around == nullptr || x->shape().rank() == 0) return nullptr;
  std::vector<Instruction*> starts;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    starts.push_back(s.w().IntegerConstant(ElementType::kS32, {}, {s.choices().Between(-1, 2)}));
  }
  return s.DynamicUpdateSlice(around, x, starts);
}

Instruction* AsUpdates(Sketch& s, Instruction* x) {
  if (x->shape().rank() != 2) return nullptr;
  const int64_t count = x->shape().dimension(0);
  const Dimensions sizes = {s.choices().Between(1, 4), x->shape().dimension(1)};
  Instruction* const rows = ArrayThatTells(s, s.TypeOf(x), sizes);
  Instruction* const indices = s.w().IndexArray(ElementType::kS32, {count}, -1, sizes[0]);
  return s.ScatterRows(rows, indices, x, s.choices().OneIn(2) ? kAdd : kMaximum);
}

Instruction* AsIndices(Sketch& s, Instruction* x) {
  static constexpr ElementType kIndices[] = {ElementType::kS32, ElementType::kU8, ElementType::kS64,
                                             ElementType::kS8};
  if (CountOf(Sketch::SizesOf(x)) > 24) return nullptr;
  const ElementType type = s.choices().Of(kIndices);
  const Dimensions flat = {CountOf(Sketch::SizesOf(x))};
  Instruction* indices = IsInteger(s.TypeOf(x)) ? x : s.Convert(x, type);
  if (indices != nullptr && x->shape().rank() != 1) indices = s.Reshape(indices, flat);
  const Dimensions sizes = {s.choices().Between(2, 9)};
  return s.GatherElements(ArrayThatTells(s, ElementType::kS32, sizes), indices);
}

// One element of the value.
Instruction* OneElement(Sketch& s, Instruction* x) {
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (x->shape().dimension(d) == 0) return nullptr;
    if (x->shape().dimension(d) == 1) continue;
    const int64_t at = s.choices().Below(x->shape().dimension(d));
    x = s.Slice(x, d, at, at + 1);
    if (x == nullptr) return nullptr;
  }
  return x->shape().rank() == 0 ? x : s.Reshape(x, {});
}

// One element as padding, or as the start of a fold.
Instruction* AsNumber(Sketch& s, Instruction* x) {
  Instruction* const number = OneElement(s, x);
  if (number == nullptr) return nullptr;
  const Dimensions sizes = {s.choices().Between(1, 4), s.choices().Between(1, 4)};
  Instruction* const array = ArrayThatTells(s, s.TypeOf(x), sizes);
  const int64_t d = s.choices().Below(2);
  if (s.choices().OneIn(2)) return s.Pad(array, number, d, 1, 1, 1);
  return s.Reduce(array, IsPred(s.TypeOf(x)) ? kOr : kAdd, {d}, number);
}

// One element as the start of a dynamic slice.
Instruction* AsStart(Sketch& s, Instruction* x) {
  Instruction* const number = OneElement(s, x);
  if (number == nullptr || IsComplex(s.TypeOf(x))) return nullptr;
  Instruction* const start = IsInteger(s.TypeOf(x)) ? number : s.Convert(number, ElementType::kS32);
  const Dimensions sizes = {s.choices().Between(3, 9)}, part = {2};
  return s.DynamicSlice(ArrayThatTells(s, ElementType::kF32, sizes), {start}, part);
}

Instruction* AsBound(Sketch& s, Instruction* x) {
  if (!Sketch::Takes(kClamp, x)) return nullptr;
  const Dimensions sizes = Sketch::SizesOf(x);
  Instruction* const bounded = ArrayThatTells(s, s.TypeOf(x), sizes);
  Instruction* const other = s.w().PlainSplat(s.TypeOf(x), sizes);
  if (s.choices().OneIn(2)) return s.w().Add(kClamp, {x, bounded, other});
  return s.w().Add(kClamp, {other, bounded, x});
}

// The kernel of a convolution whose dimensions are in the usual order.
Instruction* AsKernel(Sketch& s, Instruction* x) {
  Choices& choices = s.choices();
  const int64_t rank = x->shape().rank(), spatial = rank - 2;
  if (rank < 2 || rank > 4 || CountOf(Sketch::SizesOf(x)) == 0) return nullptr;
  ConvolutionDimensions labels;
  labels.input_rank = labels.kernel_rank = labels.output_rank = rank;
  labels.input_batch = labels.output_batch = 0;
  labels.input_feature = labels.output_feature = rank - 1;
  labels.kernel_input_feature = spatial;
  labels.kernel_output_feature = spatial + 1;
  Window window;
  Dimensions sizes = {choices.Between(1, 2)};
  for (int64_t k = 0; k < spatial; ++k) {
    labels.input_spatial.push_back(k + 1);
    labels.output_spatial.push_back(k + 1);
    labels.kernel_spatial.push_back(k);
    WindowDimension& d = window.dimensions.emplace_back();
    d.size = x->shape().dimension(k);
    d.padding_low = choices.Below(2);
    d.reversal = choices.OneIn(3);
    sizes.push_back(d.size + choices.Below(3));
  }
  sizes.push_back(x->shape().dimension(spatial));
  if (CountOf(sizes) * CountOf(Sketch::SizesOf(x)) >
      std::min<int64_t>(s.w().limits().products, 4096))
    return nullptr;
  auto made = s.w().Start(kConvolution, {ArrayThatTells(s, s.TypeOf(x), sizes), x},
                          Shape::Scalar(s.TypeOf(x)));
  made->SetAttribute(Attr::kWindow, window);
  AttributeValue written;
  Emplace<ConvolutionDimensions>(written) = labels;
  made->SetAttribute(Attr::kDimLabels, std::move(written));
  made->SetAttribute(Attr::kFeatureGroupCount, int64_t{1});
  made->SetAttribute(Attr::kBatchGroupCount, int64_t{1});
  return s.w().FinishIfLegal(std::move(made));
}

// The right factor of a product with a square matrix.
Instruction* AsRightFactor(Sketch& s, Instruction* x) {
  if (x->shape().rank() == 0 || x->shape().rank() > 2) return nullptr;
  const int64_t d = s.choices().Below(x->shape().rank()), n = x->shape().dimension(d);
  const Dimensions square = {n, n};
  if (n * n > kStepElements) return nullptr;
  Instruction* const left = ArrayThatTells(s, s.TypeOf(x), square);
  return s.Dot(left, x, s.choices().Below(2), d);
}

void StepsAsOtherOperands(ProgramWriter& w) {
  static constexpr Instruction* (*kOtherPlaces[])(Sketch&, Instruction*) = {
      AsUpdate, AsUpdates, AsIndices, AsNumber, AsStart, AsBound, AsKernel, AsRightFactor};
  Sketch s(w);
  Instruction* const x = WriteAnyStep(s, ValueThatTells(s));
  if (x == nullptr || CountOf(Sketch::SizesOf(x)) > kStepElements) return;
  constexpr int kTries = 3;
  for (int tries = 0; tries < kTries; ++tries) {
    const auto place = w.choices().Of(kOtherPlaces);
    if (Instruction* const made = place(s, x)) {
      if (w.choices().OneIn(3)) WriteAnyStep(s, made);
      return;
    }
  }
}

// --- Two results in one operation. --------------------------------------------------------------

Instruction* JoinedByDot(Sketch& s, Instruction* a, Instruction* b) {
  const int64_t first = s.choices().Below(std::max<int64_t>(a->shape().rank(), 1));
  for (int64_t k = 0; k < a->shape().rank(); ++k) {
    const int64_t own = (first + k) % a->shape().rank();
    for (int64_t other = 0; other < b->shape().rank(); ++other) {
      if (a->shape().dimension(own) != b->shape().dimension(other)) continue;
      if (a->shape().rank() + b->shape().rank() > 6) return nullptr;
      return s.Dot(a, b, own, other);
    }
  }
  return nullptr;
}

Instruction* JoinedEnds(Sketch& s, Instruction* a, Instruction* b) {
  const int64_t rank = a->shape().rank();
  if (rank != b->shape().rank()) return nullptr;
  int64_t along = -1;
  for (int64_t d = 0; d < rank; ++d) {
    if (a->shape().dimension(d) == b->shape().dimension(d)) continue;
    if (along >= 0) return nullptr;
    along = d;
  }
  if (rank == 0) return nullptr;
  return s.Concatenate({a, b}, along >= 0 ? along : s.choices().Below(rank));
}

// An operation on both, whichever takes them.
Instruction* JoinedSteps(Sketch& s, Instruction* a, Instruction* b) {
  static constexpr Opcode kStepJoins[] = {kSubtract, kAdd, kMaximum, kMultiply, kDivide, kMinimum,
                                          kAnd,      kXor, kOr,      kCompare,  kSelect, kSubtract};
  if (s.TypeOf(a) != s.TypeOf(b)) return nullptr;
  if (s.choices().OneIn(4)) return JoinedByDot(s, a, b);
  if (!Shape::Compatible(a->shape(), b->shape()) || s.choices().OneIn(6))
    return JoinedEnds(s, a, b);
  for (int tries = 0; tries < 3; ++tries) {
    const Opcode opcode = s.AnyThatTakes(kStepJoins, a);
    Instruction* made = nullptr;
    if (opcode == kCompare) {
      made = s.Compare(static_cast<ComparisonDirection>(s.choices().Below(6)), a, b);
    } else if (opcode == kSelect) {
      made = s.Select(s.w().ArrayOf(ElementType::kPred, Sketch::SizesOf(a)), a, b);
    } else {
      made = s.Op(opcode, {a, b});
    }
    if (made != nullptr) return made;
  }
  return nullptr;
}

// The operation of a value with the same attributes, and another array as one of its operands.
Instruction* SameOnAnother(Sketch& s, const Instruction* x) {
  if (x->operand_count() == 0 || x->opcode() == kGetTupleElement) return nullptr;
  std::vector<Instruction*> operands(x->operands().begin(), x->operands().end());
  Instruction*& operand = s.choices().Of(operands);
  if (!operand->shape().is_array()) return nullptr;
  operand = ArrayThatTells(s, s.TypeOf(operand), Sketch::SizesOf(operand));
  auto copy = s.w().Start(x->opcode(), operands, x->shape());
  for (const auto& [attr, value] : x->attributes().entries()) copy->SetAttribute(attr, value);
  return s.w().FinishIfLegal(std::move(copy), x);
}

// The same step, or two, on one array or on two of one shape, and an operation on both results.
void StepsJoined(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const x = ValueThatTells(s);
  if (x == nullptr) return;
  Instruction* const y =
      w.choices().OneIn(2) ? x : ArrayThatTells(s, s.TypeOf(x), Sketch::SizesOf(x));
  const absl::Span<const Step> moves = MoveSteps();
  const Step& step = w.choices().OneIn(2) ? AnyStep(w.choices()) : w.choices().Of(moves);
  Instruction* const a = WriteStep(s, step, x);
  if (a == nullptr) return;
  const int64_t kind = w.choices().Below(6);
  Instruction* const b = kind == 0   ? y
                         : kind == 1 ? WriteAnyStep(s, y)
                         : kind == 2 ? SameOnAnother(s, a)
                                     : WriteStep(s, step, y);
  if (b == nullptr) return;
  Instruction* const joined = JoinedSteps(s, a, b);
  if (joined == nullptr || !w.choices().OneIn(3)) return;
  if (w.choices().OneIn(2)) {
    WriteStep(s, step, joined);
  } else {
    WriteAnyStep(s, joined);
  }
}

constexpr Idiom kPairIdioms[] = {
    {"pairs of steps", PairsOfSteps},
    {"chains of steps", ChainsOfSteps},
    {"steps again", StepsAgain},
    {"steps between", StepsBetween},
    {"steps as other operands", StepsAsOtherOperands},
    {"steps joined", StepsJoined},
};

}  // namespace

absl::Span<const Idiom> PairIdioms() { return kPairIdioms; }

}  // namespace assay::fuzz
