// Idioms of graphs: what a compiler gets wrong by looking two instructions away, at the users of a
// value, or at what computes an index.
#include <algorithm>
#include <utility>

#include "fuzz/programs/idioms.h"
#include "fuzz/programs/sketch.h"

namespace assay::fuzz {
namespace {

using enum Opcode;
using ElementType::kS32;

// A fusion of one or two elementwise operations.
Instruction* Fused(Sketch& s, Instruction* x) {
  if (x == nullptr) return nullptr;
  ProgramWriter& w = s.w();
  const int64_t step = w.choices().Below(3), kind = w.choices().Below(4);
  w.BeginComputation("fused", RowPlace::kAnywhere);
  Instruction* const parameter = w.ComputationParameter(x->shape());
  Instruction* value = step == 0   ? s.Op(kAdd, {parameter, parameter})
                       : step == 1 ? s.Op(kMultiply, {parameter, parameter})
                                   : s.Op(kNegate, {parameter});
  if (value == nullptr) value = parameter;
  Computation* const callee = w.EndComputation(value);
  callee->set_is_fusion(true);
  auto made = w.Start(kFusion, {x}, callee->root()->shape());
  made->SetAttribute(Attr::kKind, kind);
  made->SetAttribute(Attr::kCalls, callee);
  return w.Finish(std::move(made));
}

// Two fusions with a move between them.
void MovesBetweenFusions(ProgramWriter& w) {
  if (!w.MayWrite(kFusion)) return;
  Sketch s(w);
  const int64_t a = w.AnySize(), b = w.choices().Between(2, 3);
  Instruction* const first =
      Fused(s, w.ArrayOf(w.AnyType(w.grammar().TypesOf(kNegate)), Dimensions{a, b}));
  if (first == nullptr) return;
  switch (w.choices().Below(3)) {
    case 0:
      Fused(s, s.Reshape(first, Dimensions{b, a}));
      return;
    case 1:
      Fused(s, s.Transpose(first, {1, 0}));
      return;
    default:
      Fused(s, s.Reshape(first, Dimensions{a * b}));
  }
}

// A transposed product of square matrices in a reduction or in another product.
void ProductsOfProducts(ProgramWriter& w) {
  Sketch s(w);
  const int64_t n = w.choices().Between(2, 4);
  const ElementType type =
      s.AnyOf({ElementType::kF32, ElementType::kS32, ElementType::kF64, ElementType::kS8});
  const Dimensions sizes = {n, n};
  Instruction* const a = w.ArrayOf(type, sizes);
  Instruction* const product = s.Dot(a, w.ArrayOf(type, sizes), 1, 0);
  Instruction* const turned = s.Transpose(product, {1, 0});
  if (turned == nullptr) return;
  const int64_t kind = w.choices().Below(4);
  if (kind == 0) s.Dot(turned, a, 1, 0);
  if (kind == 1) s.Dot(a, turned, 1, 0);
  if (kind >= 2) s.Reduce(turned, kAdd, {kind - 2}, s.Number(type, 0));
}

// Numbers of classes as rows with one element set, and what they select.
void OneOfMany(ProgramWriter& w) {
  Sketch s(w);
  const int64_t rows = w.AnySize(), classes = w.choices().Between(2, 5);
  const ElementType type = s.AnyOf({kS32, ElementType::kU8, ElementType::kS64, ElementType::kF32});
  const Dimensions sizes = {rows, classes};
  Instruction* const numbers = IsInteger(type)
                                   ? w.IndexArray(type, Dimensions{rows}, 0, classes - 1)
                                   : w.ArrayOf(type, Dimensions{rows});
  Instruction *left = s.Broadcast(numbers, sizes, {0}), *right = s.Iota(type, sizes, 1);
  if (w.choices().OneIn(3)) std::swap(left, right);
  Instruction* const is_set = s.Compare(
      w.choices().OneIn(2) ? ComparisonDirection::kEq : ComparisonDirection::kNe, left, right);
  if (is_set == nullptr) return;
  if (w.choices().OneIn(2)) {
    s.Convert(is_set, ElementType::kF32);
  } else {
    // One after the other: compilers differ in the order of arguments.
    Instruction* const on_true = w.ArrayOf(type, sizes);
    s.Select(is_set, on_true, s.SplatLike(left, 0));
  }
}

// Two slices of one array side by side, with or without a gap or an overlap.
void SlicesWithGaps(ProgramWriter& w) {
  Sketch s(w);
  Instruction* const x = w.ArrayFor(kReverse, 1, 3);
  const int64_t d = w.choices().Below(x->shape().rank()), size = x->shape().dimension(d);
  const int64_t end = w.choices().Below(size + 1), begin = w.choices().Below(size + 1);
  s.Concatenate({s.Slice(x, d, 0, end), s.Slice(x, d, begin, size)}, d);
}

// Rows that are gathered, changed or not, scattered by the same indices, and gathered again.
void GatheredAndScattered(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = s.AnyOf({ElementType::kF32, kS32, ElementType::kF64, ElementType::kU8});
  const int64_t rows = w.choices().Between(2, 5), count = w.choices().Between(1, 4);
  Instruction* const matrix = w.ArrayOf(type, Dimensions{rows, w.choices().Between(1, 3)});
  Instruction* const indices = w.IndexArray(kS32, Dimensions{count}, 0, rows - 1);
  Instruction* read = s.GatherRows(matrix, indices);
  if (w.choices().OneIn(2)) read = s.Op(kAdd, {read, read});
  constexpr Opcode kCombine[] = {kAdd, kMaximum, kMultiply};
  Instruction* const written = s.ScatterRows(matrix, indices, read, w.choices().Of(kCombine));
  if (w.choices().OneIn(2)) s.GatherRows(written, indices);
}

// A part of an array whose start is computed, and what is written there.
void ComputedStarts(ProgramWriter& w) {
  Sketch s(w);
  const int64_t size = w.choices().Between(3, 9), part = w.choices().Between(1, 3);
  Instruction* const x = w.ArrayOf(w.AnyType(w.grammar().TypesOf(kReverse)), Dimensions{size});
  Instruction* const i = w.IndexArray(kS32, {}, 0, size - part);
  Instruction* const j = w.IndexArray(kS32, {}, 0, 2);
  constexpr Opcode kSteps[] = {kAdd, kMultiply, kSubtract};
  Instruction* const start = s.Op(w.choices().Of(kSteps), {i, j});
  if (start == nullptr) return;
  Instruction* const read = s.DynamicSlice(x, {start}, Dimensions{part});
  if (read == nullptr || w.choices().OneIn(2)) return;
  Instruction* const update = s.Reverse(read, {0});
  s.DynamicUpdateSlice(x, update, {w.choices().OneIn(2) ? start : i});
}

// Two or three computations that differ in a number, as branches of one conditional or as callees,
// and the results of the calls in one operation.
void ComputationsAlike(ProgramWriter& w) {
  static constexpr Opcode kSteps[] = {kAdd, kMultiply, kSubtract, kMaximum, kDivide};
  static constexpr double kNumbers[] = {1, 2, 3, -1, 0.5, 0};
  if (!w.MayWrite(kConditional)) return;
  Sketch s(w);
  Choices& choices = w.choices();
  const ElementType type =
      s.AnyOf({ElementType::kF32, ElementType::kS32, ElementType::kBF16, ElementType::kU8});
  const Dimensions sizes = {choices.Between(1, 4)};
  Instruction* const x = w.ArrayOf(type, sizes);
  const Opcode opcode = choices.Of(kSteps);
  const int64_t count = choices.Between(2, 3);
  std::vector<Computation*> callees;
  for (int64_t k = 0; k < count; ++k) {
    w.BeginComputation("alike", RowPlace::kComputation);
    Instruction* const value = w.ComputationParameter(x->shape());
    Instruction* const number = s.SplatLike(value, choices.Of(kNumbers));
    Instruction* const result = s.Op(opcode, {value, number});
    callees.push_back(w.EndComputation(result == nullptr ? value : result));
  }
  if (choices.OneIn(3)) {
    std::vector<Instruction*> results;
    for (const int64_t k : {0, 1}) {
      auto call = w.Start(kCall, {x}, x->shape());
      call->SetAttribute(Attr::kToApply, callees[k]);
      results.push_back(w.Finish(std::move(call)));
    }
    s.Op(kSubtract, {results[0], results[1]});
    return;
  }
  std::vector<Instruction*> operands(count + 1, x);
  operands[0] = w.IndexArray(kS32, {}, -1, count);
  auto made = w.Start(kConditional, operands);
  made->SetAttribute(Attr::kBranchComputations, callees);
  w.Finish(std::move(made));
}

constexpr Idiom kGraphs[] = {
    {"moves between fusions", MovesBetweenFusions},
    {"products of products", ProductsOfProducts},
    {"one of many", OneOfMany},
    {"slices with gaps", SlicesWithGaps},
    {"gathered and scattered", GatheredAndScattered},
    {"computed starts", ComputedStarts},
    {"computations alike", ComputationsAlike},
};

}  // namespace

absl::Span<const Idiom> GraphIdioms() { return kGraphs; }

}  // namespace assay::fuzz
