// Idioms of sizes: operations just beyond the sizes at which implementations change their way of
// working (lanes, tiles, blocks, the reach of narrow indices), and calculations that are shared or
// exchanged by mistake.
#include <algorithm>
#include <vector>

#include "fuzz/programs/idioms.h"
#include "fuzz/programs/regions.h"
#include "fuzz/programs/sketch.h"

namespace assay::fuzz {
namespace {

using enum Opcode;
using ElementType::kF32, ElementType::kS32, ElementType::kPred;

// Sizes of a dimension beyond vectors, tiles and blocks.
constexpr int64_t kBeyond[] = {33, 65, 129, 257, 1025, 4099, 8193, 40};

ElementType AnyNumber(Sketch& s) {
  return s.AnyOf({kF32, ElementType::kF64, kS32, ElementType::kBF16, ElementType::kF16,
                  ElementType::kS8, kF32, ElementType::kU8});
}

// A long array at little cost: a parameter where the limits have room, else a broadcast sum.
Instruction* Long(Sketch& s, ElementType type, Sizes sizes) {
  ProgramWriter& w = s.w();
  if (CountOf(sizes) > w.limits().long_elements / 4) return nullptr;
  return w.NewLongArray(type, sizes);
}

// Dots with many terms, rows, columns or batches.
void LongDots(ProgramWriter& w) {
  Sketch s(w);
  const int64_t n = w.choices().Of(kBeyond);
  const int64_t few = w.choices().Between(1, 2);
  const ElementType type = AnyNumber(s);
  switch (w.choices().Below(4)) {
    case 0: {  // terms
      Instruction* const a = Long(s, type, {few, n});
      s.Dot(a, Long(s, type, {n}), 1, 0);
      return;
    }
    case 1: {  // rows
      Instruction* const a = Long(s, type, {std::min<int64_t>(n, 1025), few});
      s.Dot(a, Long(s, type, {few, 2}), 1, 0);
      return;
    }
    case 2: {  // a tile of all three
      const int64_t size = w.choices().OneIn(2) ? 17 : 33;
      Instruction* const a = Long(s, type, {size, size});
      s.Dot(a, Long(s, type, {size, size}), 1, 0);
      return;
    }
    default: {  // batches
      const Dimensions sizes = {std::min<int64_t>(n, 257), few};
      Instruction* const a = Long(s, type, sizes);
      s.Dot(a, Long(s, type, sizes), 1, 1, 1);
    }
  }
}

// A convolution of one spatial dimension, whose window, batch, features or outputs are many; now
// and then of padding.
void LongConvolutions(ProgramWriter& w) {
  Sketch s(w);
  const int64_t n = w.choices().Of(kBeyond);
  const ElementType type = AnyNumber(s);
  const int64_t which = w.choices().Below(4);
  const int64_t batch = which == 0 ? std::min<int64_t>(n, 65) : 1;
  const int64_t features = which == 1 ? std::min<int64_t>(n, 129) : 1;
  const int64_t length = which >= 2 ? std::min<int64_t>(n, 300) : 4;
  const int64_t window = which == 2 ? std::min<int64_t>(length, w.choices().Between(30, 70))
                                    : w.choices().Between(1, 3);
  Instruction* input = Long(s, type, {batch, length, features});
  Instruction* const kernel = Long(s, type, {window, features, w.choices().Between(1, 2)});
  if (input == nullptr || kernel == nullptr) return;
  if (w.choices().OneIn(3)) {
    input = s.Pad(input, w.choices().OneIn(2) ? s.Number(type, 1) : w.ScalarOf(type), 1, 1, 2);
    if (input == nullptr) return;
  }
  ConvolutionDimensions labels;
  labels.input_rank = labels.kernel_rank = labels.output_rank = 3;
  labels.input_batch = labels.output_batch = 0;
  labels.input_spatial = labels.output_spatial = {1};
  labels.input_feature = labels.output_feature = 2;
  labels.kernel_spatial = {0};
  labels.kernel_input_feature = 1;
  labels.kernel_output_feature = 2;
  Window form;
  form.dimensions.emplace_back().size = window;
  // Sums of narrow integers may be wide.
  const bool widens = Info(type).bits == 8 && IsInteger(type) && w.choices().OneIn(2);
  auto made = w.Start(kConvolution, {input, kernel}, Shape::Scalar(widens ? kS32 : type));
  made->SetAttribute(Attr::kWindow, form);
  AttributeValue written;
  Emplace<ConvolutionDimensions>(written) = labels;
  made->SetAttribute(Attr::kDimLabels, std::move(written));
  made->SetAttribute(Attr::kFeatureGroupCount, int64_t{1});
  made->SetAttribute(Attr::kBatchGroupCount, int64_t{1});
  w.Finish(std::move(made));
}

// Values that are made of nothing: counts and random bits and numbers.
void LongSources(ProgramWriter& w) {
  Sketch s(w);
  const int64_t n = w.choices().Of(kBeyond);
  switch (w.choices().Below(3)) {
    case 0: {
      const ElementType type = s.AnyOf({ElementType::kU8, ElementType::kS8, ElementType::kU16,
                                        ElementType::kBF16, ElementType::kF16});
      s.Iota(type, {n, 2}, 0);
      return;
    }
    case 1: {
      const ElementType type = s.AnyOf({ElementType::kU32, ElementType::kU64, ElementType::kU8});
      Instruction* const state = w.ArrayOf(ElementType::kU64, {2});
      auto made =
          w.Start(kRngBitGenerator, {state}, Shape::Tuple({state->shape(), Shape(type, {n})}));
      const auto algorithm =
          w.choices().OneIn(2) ? RandomAlgorithm::kPhilox : RandomAlgorithm::kThreeFry;
      made->SetAttribute(Attr::kRngAlgorithm, static_cast<int64_t>(algorithm));
      w.Finish(std::move(made));
      return;
    }
    default: {
      if (!w.grammar().effects() || !w.in_entry()) return;
      const ElementType type = s.AnyOf({kS32, ElementType::kU32, ElementType::kS8});
      if (!IsInteger(type)) return;
      Instruction* const low = w.IntegerConstant(type, {}, {0});
      Instruction* const high = w.IntegerConstant(type, {}, {w.choices().Between(2, 5)});
      auto made = w.Start(kRng, {low, high}, Shape(type, {n}));
      made->SetAttribute(Attr::kDistribution, static_cast<int64_t>(RandomDistribution::kUniform));
      w.Finish(std::move(made));
    }
  }
}

// One operation along a long dimension.
void LongLines(ProgramWriter& w) {
  Sketch s(w);
  static constexpr Opcode kTakers[] = {kReduce,
                                       kReduceWindow,
                                       kScan,
                                       kSort,
                                       kTopK,
                                       kReverse,
                                       kTranspose,
                                       kPad,
                                       kSlice,
                                       kConcatenate,
                                       kGather,
                                       kDynamicSlice,
                                       kCopy,
                                       kBroadcast,
                                       kReshape,
                                       kScatter,
                                       kDynamicUpdateSlice,
                                       kSelectAndScatter};
  const int64_t n = w.choices().Of(kBeyond);
  const ElementType type = AnyNumber(s);
  const Dimensions sizes = w.choices().OneIn(2) ? Dimensions{n} : Dimensions{2, n};
  if (Instruction* const x = Long(s, type, sizes)) w.WriteOn(w.choices().Of(kTakers), x);
}

// Many small matrices: factorisations, solutions, products and transforms in batches.
void LongBatches(ProgramWriter& w) {
  Sketch s(w);
  static constexpr int64_t kBatches[] = {33, 65, 130};
  const int64_t batches = w.choices().Of(kBatches);
  const ElementType type = s.AnyOf({kF32, ElementType::kF64, kF32, ElementType::kC64});
  const Dimensions sizes = {batches, 2, 2};
  conformance::ProfileUse definite;
  definite.profile = conformance::ValueProfile::kDefinite;
  definite.seed = w.choices().Byte() + 1;
  if (CountOf(sizes) > w.limits().long_elements / 4) return;
  Instruction* const a = w.NewArray(type, sizes, definite);
  if (w.choices().OneIn(2)) {
    auto made = w.Start(kCholesky, {a});
    made->SetAttribute(Attr::kLower, w.choices().OneIn(2));
    w.Finish(std::move(made));
    return;
  }
  auto made = w.Start(kTriangularSolve, {a, w.ArrayOf(type, sizes)});
  made->SetAttribute(Attr::kLeftSide, w.choices().OneIn(2));
  made->SetAttribute(Attr::kLower, w.choices().OneIn(2));
  made->SetAttribute(Attr::kUnitDiagonal, false);
  made->SetAttribute(Attr::kTransposeA, w.choices().Between(1, 3));
  w.Finish(std::move(made));
}

// Rows of a matrix, or elements of a vector, at indices that reach the end of their type.
void NarrowIndices(ProgramWriter& w) {
  Sketch s(w);
  struct Reach {
    ElementType type;
    int64_t size;
  };
  static constexpr Reach kReaches[] = {{ElementType::kU8, 250},    {ElementType::kS8, 130},
                                       {ElementType::kU16, 40000}, {ElementType::kU16, 40000},
                                       {ElementType::kS32, 65600}, {ElementType::kS16, 2000},
                                       {ElementType::kS64, 9},     {ElementType::kU32, 9},
                                       {ElementType::kU64, 300},   {ElementType::kU4, 17}};
  const Reach& reach = w.choices().Of(kReaches);
  const ElementType type = s.AnyOf({kS32, ElementType::kU8, kF32, ElementType::kS8});
  if (reach.size > w.limits().long_elements) return;
  Instruction* const x = w.NewLongArray(type, {reach.size});
  if (x == nullptr) return;
  const bool wild = Info(reach.type).bits == 64 && w.choices().OneIn(2);
  const auto index = [&](Sizes sizes) {
    conformance::ProfileUse use;
    use.profile = wild ? conformance::ValueProfile::kPatterns : conformance::ValueProfile::kIndices;
    use.seed = w.choices().Byte() + 1;
    // The last ones are not reached by an index that loses bits.
    if (!wild) use.low = w.choices().OneIn(2) ? std::max<int64_t>(reach.size - 64, 0) : 0;
    if (!wild) use.high = reach.size;
    if (!conformance::CheckProfile(use, Shape(reach.type, sizes)).ok()) {
      use.high = std::min<int64_t>(reach.size, MaxSigned(ElementType::kS8));
      use.low = 0;
    }
    return w.NewArray(reach.type, sizes, use);
  };
  const int64_t many = w.choices().OneIn(4) ? 1030 : w.choices().Between(2, 9);
  switch (w.choices().Below(4)) {
    case 0:
      s.DynamicSlice(x, {index({})}, {2});
      return;
    case 1: {
      Instruction* const update = Long(s, type, {3});
      s.DynamicUpdateSlice(x, update, {index({})});
      return;
    }
    case 2:
      s.GatherElements(x, index({many}));
      return;
    default: {
      Instruction* const indices = index({many, 1});
      Instruction* const elements = Long(s, type, {many});
      static constexpr Opcode kCombine[] = {kAdd, kMaximum, kMinimum, kMultiply};
      s.ScatterElements(x, indices, elements, w.choices().Of(kCombine));
    }
  }
}

// Gathers of gathers and of iotas, slices and updates of padding, of slices and of updates, all of
// one dimension.
void IndexedTwice(ProgramWriter& w) {
  Sketch s(w);
  const int64_t n = w.choices().Between(3, 9), m = w.choices().Between(1, n);
  const ElementType type = AnyNumber(s);
  Instruction* const x = w.ArrayOf(type, {n});
  const auto indices = [&](Sizes sizes) { return w.IndexArray(kS32, sizes, -1, n); };
  // Each step is a statement: C++ leaves the order of a call's arguments open, and programs are to
  // be the same everywhere.
  const auto updated = [&](Instruction* array, Instruction* update) {
    return s.DynamicUpdateSlice(array, update, {indices({})});
  };
  const auto scattered = [&](Instruction* array, Opcode combine) {
    Instruction* const at = indices({m, 1});
    return s.ScatterElements(array, at, w.ArrayOf(type, {m}), combine);
  };
  Instruction* made = nullptr;
  switch (w.choices().Below(7)) {
    case 0:
      made = s.GatherElements(x, indices({n}));
      s.GatherElements(made, indices({m}));
      return;
    case 1:
      made = s.Iota(type, {n}, 0);
      s.GatherElements(made, indices({m}));
      return;
    case 2:
      s.GatherElements(x, s.Iota(kS32, {n}, 0));
      return;
    case 3:
      made = s.Pad(x, w.ScalarOf(type), 0, 2, 1);
      s.DynamicSlice(made, {indices({})}, {m});
      return;
    case 4:
      made = updated(x, w.ArrayOf(type, {m}));
      updated(made, w.ArrayOf(type, {m}));
      return;
    case 5:
      updated(x, s.DynamicSlice(x, {indices({})}, {m}));
      return;
    default:
      made = s.DynamicSlice(x, {indices({})}, {m});
      s.DynamicSlice(made, {indices({})}, {1});
      scattered(scattered(x, kAdd), kMaximum);
  }
}

// One computation that is called twice: with operands exchanged, or with another start.
void CalledTwice(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = AnyNumber(s);
  const Dimensions sizes = {w.choices().Between(2, 5), w.choices().Between(2, 5)};
  Instruction* const x = w.NewArray(type, sizes);
  static constexpr Opcode kSteps[] = {kSubtract, kAdd, kMultiply, kMaximum, kMinimum, kDivide};
  const Opcode step = w.choices().Of(kSteps);
  if (w.choices().OneIn(2) && w.depth() < 2) {
    Instruction* const y = w.NewArray(type, sizes);
    w.BeginComputation("shared", RowPlace::kComputation);
    Instruction* const a = w.ComputationParameter(x->shape());
    Instruction* const b = w.ComputationParameter(y->shape());
    Computation* const shared =
        w.EndComputation(w.FinishAs(w.Start(step, {a, b}), a->shared_shape()));
    Instruction* const other = w.choices().OneIn(2) ? w.NewArray(type, sizes) : nullptr;
    Instruction* const calls[2][2] = {{x, y},
                                      {other == nullptr ? y : x, other == nullptr ? x : other}};
    for (const auto& arguments : calls) {
      auto call = w.Start(kCall, arguments);
      call->SetAttribute(Attr::kToApply, shared);
      w.Finish(std::move(call));
    }
    return;
  }
  Computation* const region = s.Region(step, type);
  for (const double start : {0.0, 1.0}) {
    auto reduce =
        w.Start(kReduce, {x, w.choices().OneIn(3) ? w.ScalarOf(type) : s.Number(type, start)});
    reduce->SetAttribute(Attr::kDimensions, std::vector<int64_t>{0});
    reduce->SetAttribute(Attr::kToApply, region);
    w.Finish(std::move(reduce));
  }
}

constexpr Idiom kSizes[] = {
    {"long dots", LongDots},           {"long convolutions", LongConvolutions},
    {"long lines", LongLines},         {"long batches", LongBatches},
    {"narrow indices", NarrowIndices}, {"indexed twice", IndexedTwice},
    {"called twice", CalledTwice},     {"long sources", LongSources},
};

}  // namespace

absl::Span<const Idiom> SizeIdioms() { return kSizes; }

}  // namespace assay::fuzz
