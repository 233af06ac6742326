// Idioms of models: softmax, normalisation, attention, convolution with bias and activation,
// embeddings, loops over a carry, random bits, arguments of extremes, quantisation, transforms, and
// masks.
#include <algorithm>

#include "fuzz/programs/idioms.h"
#include "fuzz/programs/sketch.h"

namespace assay::fuzz {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kC128, ElementType::kC64, ElementType::kF16,
    ElementType::kF32, ElementType::kF64, ElementType::kF8E4M3FN, ElementType::kF8E5M2,
    ElementType::kPred, ElementType::kS16, ElementType::kS32, ElementType::kS4, ElementType::kS64,
    ElementType::kS8, ElementType::kU32, ElementType::kU8;

int64_t Small(ProgramWriter& w) { return std::clamp<int64_t>(w.AnySize(), 1, 8); }
ElementType AnyReal(Sketch& s) { return s.AnyOf({kF32, kBF16, kF16, kF64}); }

// exp(x - max) / sum by rows.
Instruction* Softmax(Sketch& s, Instruction* x) {
  if (x == nullptr) return nullptr;
  const ElementType type = s.TypeOf(x);
  const int64_t last = x->shape().rank() - 1;
  std::vector<int64_t> places;
  for (int64_t d = 0; d < last; ++d) places.push_back(d);
  Instruction* const most = s.Reduce(x, kMaximum, {last}, s.Number(type, -1e30));
  Instruction* const shifted =
      s.Op(kSubtract, {x, s.Broadcast(most, x->shape().dimensions(), places)});
  Instruction* const powers = s.Op(kExp, {shifted});
  Instruction* const sum = s.Reduce(powers, kAdd, {last}, s.Number(type, 0));
  return s.Op(kDivide, {powers, s.Broadcast(sum, x->shape().dimensions(), places)});
}

void WriteSoftmax(ProgramWriter& w) {
  Sketch s(w);
  const Dimensions sizes = {Small(w), std::max<int64_t>(w.AnySize(), 1)};
  Softmax(s, w.ArrayOf(AnyReal(s), sizes));
}

void WriteLayerNorm(ProgramWriter& w) {
  Sketch s(w);
  const Dimensions sizes = {Small(w), std::max<int64_t>(w.AnySize(), 1)};
  const Dimensions row = {sizes[1]};
  const ElementType type = AnyReal(s);
  Instruction* const x = w.ArrayOf(type, sizes);
  const auto count = static_cast<double>(sizes[1]);
  const auto mean = [&](Instruction* value) {
    Instruction* const sum = s.Reduce(value, kAdd, {1}, s.Number(type, 0));
    return s.Op(kDivide, {sum, s.SplatLike(sum, count)});
  };
  Instruction* const centred = s.Op(kSubtract, {x, s.Broadcast(mean(x), sizes, {0})});
  Instruction* const variance = mean(s.Op(kMultiply, {centred, centred}));
  Instruction* const scale =
      s.Op(kRsqrt, {s.Op(kAdd, {variance, s.SplatLike(variance, 0.0009765625)})});
  Instruction* const normal = s.Op(kMultiply, {centred, s.Broadcast(scale, sizes, {0})});
  s.Op(kAdd, {s.Op(kMultiply, {normal, s.Broadcast(w.ArrayOf(type, row), sizes, {1})}),
              s.Broadcast(w.ArrayOf(type, row), sizes, {1})});
}

void WriteAttention(ProgramWriter& w) {
  Sketch s(w);
  const int64_t heads = w.choices().Between(1, 2), length = Small(w), width = Small(w);
  const Dimensions sizes = {heads, length, width};
  const ElementType type = AnyReal(s);
  Instruction *const q = w.ArrayOf(type, sizes), *const k = w.ArrayOf(type, sizes);
  Instruction* scores = s.Dot(q, k, 2, 2, /*batches=*/1);
  if (scores == nullptr) return;
  scores = s.Op(kMultiply, {scores, s.SplatLike(scores, 0.5)});
  if (scores != nullptr && w.choices().OneIn(2)) {  // what comes later is masked
    const Dimensions all = Sketch::SizesOf(scores);
    Instruction *const row = s.Iota(kS32, all, 1), *const column = s.Iota(kS32, all, 2);
    Instruction* const seen = s.Compare(ComparisonDirection::kGe, row, column);
    scores = s.Select(seen, scores, s.SplatLike(scores, -1e4));
  }
  Instruction* const weights = Softmax(s, scores);
  s.Dot(weights, w.ArrayOf(type, sizes), 2, 1, /*batches=*/1);
}

void WriteConvolutionLayer(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = AnyReal(s);
  const Dimensions sizes = {1, Small(w), Small(w), 2};
  w.WriteOn(kConvolution, w.ArrayOf(type, sizes));
  Instruction* const image = w.LatestValue();
  if (image == nullptr || s.TypeOf(image) != type || image->shape().rank() == 0) return;
  const int64_t last = image->shape().rank() - 1;
  const Dimensions bias = {image->shape().dimension(last)};
  Instruction* const shifted =
      s.Op(kAdd, {image, s.Broadcast(w.ArrayOf(type, bias), image->shape().dimensions(), {last})});
  if (w.choices().OneIn(2)) {
    s.Op(kMaximum, {shifted, s.SplatLike(shifted, 0)});
  } else if (shifted != nullptr) {
    s.Op(kMultiply, {shifted, s.Op(kLogistic, {shifted})});
  }
}

void WriteEmbedding(ProgramWriter& w) {
  Sketch s(w);
  const int64_t rows = Small(w), width = Small(w), count = Small(w);
  const ElementType type = s.AnyOf({kF32, kBF16, kS32, kF16});
  const Dimensions table = {rows, width}, places = {count};
  Instruction* const matrix = w.ArrayOf(type, table);
  Instruction* const indices = w.IndexArray(w.AnyIndexType(), places, 0, rows - 1);
  Instruction* const taken = s.GatherRows(matrix, indices);
  Instruction* const gradient = s.Op(kMultiply, {taken, taken});
  s.ScatterRows(w.choices().OneIn(2) ? matrix : s.SplatLike(matrix, 0), indices, gradient, kAdd);
}

int64_t Trips(ProgramWriter& w) { return w.Several(1, 4, 140); }

// carry = f(carry, x[i]); y[i] = carry.
void WriteScanOverCarry(ProgramWriter& w) {
  Sketch s(w);
  const int64_t trips = Trips(w), width = std::min<int64_t>(Small(w), 4);
  const ElementType type = s.AnyOf({kF32, kS32, kBF16, kF64, kU8});
  const Dimensions all = {trips, width}, row = {1, width}, carry = {width};
  s.Loop({w.ArrayOf(type, carry), w.ArrayOf(type, all), s.w().Splat(type, all, 0)}, trips,
         [&](Instruction* i, std::vector<Instruction*>& state) {
           Instruction* const zero = w.IntegerConstant(kS32, {}, {0});
           Instruction* const x = s.Reshape(s.DynamicSlice(state[1], {i, zero}, row), carry);
           Instruction* const sum = s.Op(kAdd, {state[0], x});
           state[2] = s.DynamicUpdateSlice(state[2], s.Reshape(sum, row), {i, zero});
           state[0] = w.choices().OneIn(2) && sum != nullptr ? w.ElementwiseStep(sum) : sum;
         });
}

// Values that change places, one that stays, and one that the iteration before has made.
void WriteRotation(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const a = w.ArrayFor(kAdd, 0, 2);
  Instruction *const b = w.LikeArray(a), *const c = w.LikeArray(a);
  const int64_t form = w.choices().Below(3);
  s.Loop({a, b, c}, Trips(w), [&](Instruction*, std::vector<Instruction*>& state) {
    const std::vector<Instruction*> old = state;
    state[0] = form == 2 ? s.Op(kAdd, {old[0], old[1]}) : old[1];
    state[1] = form == 0 ? old[0] : s.Op(kMultiply, {old[0], old[2]});
    if (form == 1) state[2] = s.Op(kAdd, {old[2], old[1]});
  });
}

// Two rounds of Threefry on words of 32 bits.
void WriteThreefry(ProgramWriter& w) {
  Sketch s(w);
  const Dimensions sizes = {Small(w)};
  Instruction *x = s.Iota(kU32, sizes, 0), *y = w.ArrayOf(kU32, sizes);
  Instruction* const key = w.ArrayOf(kU32, sizes);
  static constexpr int64_t kRotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
  x = s.Op(kAdd, {x, key});
  for (int round = 0; round < 2 && x != nullptr && y != nullptr; ++round) {
    const auto turn = static_cast<double>(w.choices().Of(kRotations));
    x = s.Op(kAdd, {x, y});
    y = s.Op(kOr, {s.Op(kShiftLeft, {y, s.SplatLike(y, turn)}),
                   s.Op(kShiftRightLogical, {y, s.SplatLike(y, 32 - turn)})});
    y = s.Op(kXor, {y, x});
  }
}

void WriteArgmax(ProgramWriter& w) {
  Sketch s(w);
  const Dimensions sizes = {Small(w), std::max<int64_t>(w.AnySize(), 1)};
  const ElementType type = s.AnyOf({kF32, kS32, kBF16, kF16, kF64});
  Instruction *const x = w.ArrayOf(type, sizes), *const number = s.Iota(kS32, sizes, 1);
  if (number == nullptr) return;
  w.BeginComputation("argmax", RowPlace::kAnywhere);
  Instruction* p[4];
  for (int k = 0; k < 4; ++k)
    p[k] = w.ComputationParameter(Shape::Scalar(k % 2 == 0 ? type : kS32));
  Instruction* const better = s.Compare(ComparisonDirection::kGt, p[0], p[2]);
  Instruction* const same = s.Compare(ComparisonDirection::kEq, p[0], p[2]);
  Instruction* const earlier = s.Compare(ComparisonDirection::kLt, p[1], p[3]);
  Instruction* const first = s.Op(kOr, {better, s.Op(kAnd, {same, earlier})});
  Instruction *value = s.Select(first, p[0], p[2]), *place = s.Select(first, p[1], p[3]);
  if (value == nullptr || place == nullptr) value = p[0], place = p[1];
  Computation* const region = w.EndComputation(w.TupleOf({value, place}));
  auto made = w.Start(kReduce, {x, number, s.Number(type, -1e4), s.Number(kS32, 0)});
  made->SetAttribute(Attr::kDimensions, std::vector<int64_t>{1});
  made->SetAttribute(Attr::kToApply, region);
  w.Finish(std::move(made));
}

// The largest by a sort with the places that go along.
void WriteTopBySort(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const x = w.ArrayFor(kSort, 1, 2);
  const int64_t last = x->shape().rank() - 1;
  const std::vector<Instruction*> sorted =
      s.Sort({x, s.Iota(kS32, x->shape().dimensions(), last)}, /*descending=*/true);
  for (Instruction* each : sorted) {
    if (each != nullptr)
      s.Slice(each, last, 0, std::min<int64_t>(2, each->shape().dimension(last)));
  }
}

// round(x / scale) clamped to a small integer, and back; a product of such.
void WriteQuantisation(ProgramWriter& w) {
  Sketch s(w);
  const Dimensions sizes = {Small(w), Small(w)};
  const ElementType type = AnyReal(s), small = s.AnyOf({kS8, kU8, kS4, kS16, kF8E4M3FN, kF8E5M2});
  Instruction* const x = w.ArrayOf(type, sizes);
  Instruction* scaled = s.Op(kDivide, {x, s.SplatLike(x, 0.25)});
  if (IsInteger(small)) scaled = s.Op(kRoundNearestEven, {scaled});
  if (scaled == nullptr) return;
  const double most = IsSigned(small) ? 7 : 15;
  scaled =
      w.Add(kClamp, {s.Number(type, IsUnsigned(small) ? 0 : -most), scaled, s.Number(type, most)});
  Instruction* const packed = s.Convert(scaled, small);
  Instruction* const back = s.Convert(packed, type);
  if (back != nullptr) s.Op(kMultiply, {back, s.SplatLike(back, 0.25)});
  s.Dot(back, w.ArrayOf(type, sizes), 0, 0);
}

void WriteTransforms(ProgramWriter& w) {
  Sketch s(w);
  const int64_t length = Small(w);
  const Dimensions sizes = {2, length};
  const ElementType type = s.AnyOf({kC64, kC128});
  const auto transform = [&](Instruction* x, int64_t kind) -> Instruction* {
    if (x == nullptr) return nullptr;
    auto made = w.Start(kFft, {x});
    made->SetAttribute(Attr::kFftType, kind);
    made->SetAttribute(Attr::kFftLength, std::vector<int64_t>{length});
    return w.Finish(std::move(made));
  };
  Instruction* const x = w.ArrayOf(type, sizes);
  Instruction* const there = transform(x, 0);
  Instruction* const product =
      there == nullptr ? nullptr : s.Op(kMultiply, {there, w.LikeArray(there)});
  Instruction* const back = transform(product, 1);
  if (back != nullptr) w.Add(kAbs, {back});
}

// Halves exchanged by reshape, transpose and reshape: heads of attention, tiles.
void WriteTransposedReshapes(ProgramWriter& w) {
  Sketch s(w);
  const int64_t a = Small(w), b = w.choices().Between(1, 4), c = w.choices().Between(1, 4);
  const Dimensions flat = {a, b * c}, split = {a, b, c}, joined = {b, a * c};
  Instruction* const x = w.ArrayOf(w.AnyType(w.grammar().types()), flat);
  Instruction* const turned = s.Transpose(s.Reshape(x, split), {1, 0, 2});
  Instruction* const together = s.Reshape(turned, joined);
  if (w.choices().OneIn(2)) s.Reshape(together, split);
}

void WriteMask(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const x = w.ArrayFor(kSelect, 1, 3);
  const Dimensions sizes = Sketch::SizesOf(x);
  const int64_t d = w.choices().Below(x->shape().rank());
  const ElementType type = s.AnyOf({kS32, kU8, kS8, kU32, kS64, kF32});
  Instruction* const number = s.Iota(type, sizes, d);
  if (number == nullptr) return;
  Instruction* const bound = w.choices().OneIn(2)
                                 ? w.Splat(type, sizes, static_cast<double>(w.choices().Below(300)))
                                 : s.Iota(type, sizes, w.choices().Below(x->shape().rank()));
  Instruction* const mask = s.Compare(ComparisonDirection::kLt, number, bound);
  Instruction* const masked = s.Select(mask, x, w.PlainSplat(s.TypeOf(x), sizes));
  s.Reduce(masked, kAdd, {d}, s.Number(s.TypeOf(x), 0));
}

constexpr Idiom kModels[] = {
    {"softmax", WriteSoftmax},
    {"layer normalisation", WriteLayerNorm},
    {"attention", WriteAttention},
    {"convolution with bias and activation", WriteConvolutionLayer},
    {"embedding", WriteEmbedding},
    {"scan over a carry", WriteScanOverCarry},
    {"loop that rotates values", WriteRotation},
    {"threefry", WriteThreefry},
    {"argmax", WriteArgmax},
    {"top by sort", WriteTopBySort},
    {"quantisation", WriteQuantisation},
    {"transforms", WriteTransforms},
    {"transposed reshapes", WriteTransposedReshapes},
    {"masks", WriteMask},
};

}  // namespace

absl::Span<const Idiom> ModelIdioms() { return kModels; }

}  // namespace assay::fuzz
