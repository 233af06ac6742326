#include "fuzz/programs/inverses.h"

#include <algorithm>
#include <vector>

#include "fuzz/programs/sketch.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

// Elementwise operations and what undoes them, with the second operand if they have one.
constexpr Opcode kOpposites[][2] = {{kAdd, kSubtract},
                                    {kSubtract, kAdd},
                                    {kMultiply, kDivide},
                                    {kDivide, kMultiply},
                                    {kNegate, kNegate},
                                    {kNot, kNot},
                                    {kExp, kLog},
                                    {kLog, kExp},
                                    {kExpm1, kLog1p},
                                    {kLog1p, kExpm1},
                                    {kTanh, kAtanh},
                                    {kAtanh, kTanh},
                                    {kSin, kAsin},
                                    {kCos, kAcos},
                                    {kSinh, kAsinh},
                                    {kAsinh, kSinh},
                                    {kXor, kXor},
                                    {kAnd, kOr},
                                    {kOr, kAnd},
                                    {kMaximum, kMinimum},
                                    {kMinimum, kMaximum},
                                    {kShiftLeft, kShiftRightLogical},
                                    {kShiftRightLogical, kShiftLeft},
                                    {kShiftRightArithmetic, kShiftLeft},
                                    {kCompare, kNot},
                                    {kIsFinite, kNot},
                                    {kAbs, kNegate},
                                    {kSqrt, kRsqrt},
                                    {kRemainder, kSubtract}};

Instruction* Elementwise(Sketch& s, Instruction* x) {
  for (const auto& [opcode, opposite] : kOpposites) {
    if (opcode != x->opcode()) continue;
    if (Info(opposite).arity == 1) return s.Op(opposite, {x});
    Instruction* const second = x->operand(s.choices().OneIn(4) ? 0 : 1);
    return s.choices().OneIn(4) ? s.Op(opposite, {second, x}) : s.Op(opposite, {x, second});
  }
  return nullptr;
}

std::vector<int64_t> InversePermutation(absl::Span<const int64_t> order) {
  std::vector<int64_t> inverse(order.size());
  for (size_t k = 0; k < order.size(); ++k) inverse[order[k]] = static_cast<int64_t>(k);
  return inverse;
}

// Puts a slice back between copies of one number, where it was.
Instruction* PadBack(Sketch& s, Instruction* x) {
  PaddingConfig config;
  const Slices& ranges = x->slices();
  for (size_t d = 0; d < ranges.size(); ++d) {
    const SliceRange& range = ranges[d];
    const auto place = static_cast<int64_t>(d);
    const int64_t size = x->shape().dimension(place);
    const int64_t spread = size + std::max<int64_t>(size - 1, 0) * (range.stride - 1);
    config.dimensions.push_back({range.start,
                                 x->operand(0)->shape().dimension(place) - range.start - spread,
                                 range.stride - 1});
  }
  if (config.dimensions.empty()) return nullptr;
  Instruction* const value = s.w().PlainSplat(s.TypeOf(x), {});
  auto made = s.w().Start(kPad, {x, value});
  made->SetAttribute(Attr::kPadding, config);
  return s.w().FinishIfLegal(std::move(made));
}

// Takes what was padded out of the padding.
Instruction* SliceBack(Sketch& s, Instruction* x) {
  Slices ranges;
  const PaddingConfig& padding = x->padding();
  for (size_t d = 0; d < padding.dimensions.size(); ++d) {
    const PaddingDimension& own = padding.dimensions[d];
    const int64_t size = x->shape().dimension(static_cast<int64_t>(d));
    const int64_t start = std::clamp<int64_t>(own.low, 0, size);
    const int64_t limit = std::clamp<int64_t>(size - own.high, start, size);
    ranges.push_back({start, limit, own.interior + 1});
  }
  auto made = s.w().Start(kSlice, {x});
  made->SetAttribute(Attr::kSlice, ranges);
  return s.w().FinishIfLegal(std::move(made));
}

// One operand of a concatenation, or nearly.
Instruction* PartBack(Sketch& s, Instruction* x) {
  const int64_t dimension = x->GetInt(Attr::kDimension);
  const int64_t which = s.choices().Below(x->operand_count());
  int64_t start = 0;
  for (int64_t k = 0; k < which; ++k) start += x->operand(k)->shape().dimension(dimension);
  int64_t limit = start + x->operand(which)->shape().dimension(dimension);
  const int64_t all = x->shape().dimension(dimension);
  if (s.choices().OneIn(3)) limit = std::min(limit + 1, all);
  if (s.choices().OneIn(3)) start = std::max<int64_t>(start - 1, 0);
  return s.Slice(x, dimension, start, limit);
}

// A fold over the dimensions that a broadcast has added, and a broadcast of what a fold has left.
Instruction* FoldBack(Sketch& s, Instruction* x) {
  static constexpr Opcode kFolds[] = {kMaximum, kAdd, kMinimum, kOr};
  const absl::Span<const int64_t> places = x->GetInts(Attr::kDimensions);
  std::vector<int64_t> added;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (std::find(places.begin(), places.end(), d) == places.end()) added.push_back(d);
  }
  const Opcode fold = s.choices().Of(kFolds);
  Instruction* const start =
      s.choices().OneIn(2) ? s.Number(s.TypeOf(x), 0) : s.w().ScalarOf(s.TypeOf(x));
  return s.Reduce(x, fold, std::move(added), start);
}

Instruction* SpreadBack(Sketch& s, Instruction* x) {
  if (!x->shape().is_array()) return nullptr;
  const absl::Span<const int64_t> folded = x->GetInts(Attr::kDimensions);
  std::vector<int64_t> places;
  for (int64_t d = 0; d < x->operand(0)->shape().rank(); ++d) {
    if (std::find(folded.begin(), folded.end(), d) == folded.end()) places.push_back(d);
  }
  return s.Broadcast(x, x->operand(0)->shape().dimensions(), places);
}

// Reads where an update was written, and writes where a slice was read.
Instruction* IndexedBack(Sketch& s, Instruction* x) {
  const bool reads = x->opcode() == kDynamicUpdateSlice;
  const absl::Span<Instruction* const> all = x->operands();
  std::vector<Instruction*> starts(all.begin() + (reads ? 2 : 1), all.end());
  if (reads) return s.DynamicSlice(x, starts, x->operand(1)->shape().dimensions());
  return s.DynamicUpdateSlice(x->operand(0), x, starts);
}

Instruction* MovedBack(Sketch& s, Instruction* x) {
  switch (x->opcode()) {
    case kTranspose:
      return s.Transpose(x, InversePermutation(x->GetInts(Attr::kDimensions)));
    case kReverse: {
      const absl::Span<const int64_t> dims = x->GetInts(Attr::kDimensions);
      return s.Reverse(x, {dims.begin(), dims.end()});
    }
    case kReshape:
      return s.Reshape(x, x->operand(0)->shape().dimensions());
    case kSlice:
      return PadBack(s, x);
    case kPad:
      return SliceBack(s, x);
    case kConcatenate:
      return PartBack(s, x);
    case kBroadcast:
      return FoldBack(s, x);
    case kReduce:
      return SpreadBack(s, x);
    case kDynamicSlice:
    case kDynamicUpdateSlice:
      return IndexedBack(s, x);
    case kConvert:
      return s.Convert(x, s.TypeOf(x->operand(0)));
    case kIota:
      return s.Reverse(x, {x->GetInt(Attr::kIotaDimension)});
    default:
      return nullptr;
  }
}

// The parts of complex numbers, and complex numbers of parts.
Instruction* Parts(Sketch& s, Instruction* x) {
  if (x->opcode() == kComplex) return s.Op(s.choices().OneIn(2) ? kImag : kReal, {x});
  if (x->opcode() != kReal && x->opcode() != kImag) return nullptr;
  Instruction* const whole = x->operand(0);
  if (!IsComplex(s.TypeOf(whole))) return nullptr;
  Instruction* const other = s.Op(x->opcode() == kReal ? kImag : kReal, {whole});
  return x->opcode() == kReal ? s.Op(kComplex, {x, other}) : s.Op(kComplex, {other, x});
}

}  // namespace

Instruction* WriteInverse(ProgramWriter& w, Instruction* x) {
  if (!x->shape().is_array()) return nullptr;
  Sketch s(w);
  if (Instruction* const made = MovedBack(s, x)) return made;
  if (Instruction* const made = Parts(s, x)) return made;
  return Elementwise(s, x);
}

}  // namespace assay::fuzz
