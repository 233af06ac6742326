#include "fuzz/programs/sketch.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "fuzz/programs/edges.h"

namespace assay::fuzz {

bool Sketch::Takes(Opcode opcode, const Instruction* x) {
  if (x == nullptr || !x->shape().is_array()) return false;
  const absl::Span<const ElementType> types = LegalTypes(opcode);
  return std::find(types.begin(), types.end(), x->shape().element_type()) != types.end();
}

Opcode Sketch::AnyThatTakes(absl::Span<const Opcode> opcodes, const Instruction* x) {
  const auto count = static_cast<int64_t>(opcodes.size());
  const int64_t first = choices().Below(count);
  for (int64_t k = 0; k < count; ++k) {
    if (Takes(opcodes[(first + k) % count], x)) return opcodes[(first + k) % count];
  }
  return opcodes[first];
}

Instruction* Sketch::Op(Opcode opcode, std::initializer_list<Instruction*> operands) {
  for (const Instruction* operand : operands) {
    if (!Takes(opcode, operand)) return nullptr;
    if (!Shape::Compatible(operand->shape(), (*operands.begin())->shape())) return nullptr;
  }
  return w_.Add(opcode, operands);
}

Instruction* Sketch::Compare(ComparisonDirection direction, Instruction* a, Instruction* b) {
  if (!Takes(Opcode::kCompare, a) || b == nullptr) return nullptr;
  if (!Shape::Compatible(a->shape(), b->shape())) return nullptr;
  const bool order = direction != ComparisonDirection::kEq && direction != ComparisonDirection::kNe;
  if (IsComplex(TypeOf(a)) && order) return nullptr;
  auto made = w_.Start(Opcode::kCompare, {a, b});
  made->SetAttribute(Attr::kDirection, static_cast<int64_t>(direction));
  return w_.Finish(std::move(made));
}

Instruction* Sketch::Select(Instruction* pred, Instruction* a, Instruction* b) {
  if (pred == nullptr || a == nullptr || b == nullptr) return nullptr;
  if (!Shape::Compatible(a->shape(), b->shape())) return nullptr;
  if (pred->shape().dimensions() != a->shape().dimensions()) return nullptr;
  return w_.Add(Opcode::kSelect, {pred, a, b});
}

Instruction* Sketch::Convert(Instruction* x, ElementType type) {
  if (x == nullptr || (IsComplex(TypeOf(x)) && !IsComplex(type))) return nullptr;
  return w_.Add(Opcode::kConvert, {x}, Shape(type, SizesOf(x)));
}

Instruction* Sketch::Broadcast(Instruction* x, Sizes sizes, std::vector<int64_t> places) {
  if (x == nullptr) return nullptr;
  auto made = w_.Start(Opcode::kBroadcast, {x}, Shape(TypeOf(x), sizes));
  made->SetAttribute(Attr::kDimensions, std::move(places));
  return w_.Finish(std::move(made));
}

Instruction* Sketch::Transpose(Instruction* x, std::vector<int64_t> order) {
  if (x == nullptr) return nullptr;
  auto made = w_.Start(Opcode::kTranspose, {x});
  made->SetAttribute(Attr::kDimensions, std::move(order));
  return w_.Finish(std::move(made));
}

Instruction* Sketch::Reshape(Instruction* x, Sizes sizes) {
  if (x == nullptr || CountOf(sizes) != CountOf(SizesOf(x))) return nullptr;
  return w_.Add(Opcode::kReshape, {x}, Shape(TypeOf(x), sizes));
}

Instruction* Sketch::Reverse(Instruction* x, std::vector<int64_t> dimensions) {
  if (x == nullptr) return nullptr;
  auto made = w_.Start(Opcode::kReverse, {x});
  made->SetAttribute(Attr::kDimensions, std::move(dimensions));
  return w_.Finish(std::move(made));
}

Instruction* Sketch::Slice(Instruction* x, int64_t dimension, int64_t start, int64_t limit,
                           int64_t stride) {
  if (x == nullptr) return nullptr;
  Slices ranges;
  for (const int64_t size : SizesOf(x)) ranges.push_back({0, size, 1});
  ranges[dimension] = {start, limit, stride};
  auto made = w_.Start(Opcode::kSlice, {x});
  made->SetAttribute(Attr::kSlice, ranges);
  return w_.Finish(std::move(made));
}

Instruction* Sketch::Pad(Instruction* x, Instruction* value, int64_t dimension, int64_t low,
                         int64_t high, int64_t interior) {
  if (x == nullptr || value == nullptr) return nullptr;
  PaddingConfig config;
  config.dimensions.resize(x->shape().rank());
  PaddingDimension& d = config.dimensions[dimension];
  d.low = low, d.high = high, d.interior = interior;
  const int64_t size = x->shape().dimension(dimension);
  if (size + std::max<int64_t>(size - 1, 0) * interior + low + high < 0) return nullptr;
  auto made = w_.Start(Opcode::kPad, {x, value});
  made->SetAttribute(Attr::kPadding, config);
  return w_.Finish(std::move(made));
}

Instruction* Sketch::Concatenate(std::vector<Instruction*> parts, int64_t dimension) {
  for (const Instruction* part : parts) {
    if (part == nullptr) return nullptr;
  }
  auto made = w_.Start(Opcode::kConcatenate, parts);
  made->SetAttribute(Attr::kDimension, dimension);
  return w_.Finish(std::move(made));
}

Instruction* Sketch::Iota(ElementType type, Sizes sizes, int64_t dimension) {
  auto made = w_.Start(Opcode::kIota, {}, Shape(type, sizes));
  made->SetAttribute(Attr::kIotaDimension, dimension);
  return w_.Finish(std::move(made));
}

Computation* Sketch::Region(Opcode opcode, ElementType type) {
  w_.BeginComputation("fold", RowPlace::kAnywhere);
  Instruction* const a = w_.ComputationParameter(Shape::Scalar(type));
  Instruction* const b = w_.ComputationParameter(Shape::Scalar(type));
  return w_.EndComputation(w_.FinishAs(w_.Start(opcode, {a, b}), a->shared_shape()));
}

Instruction* Sketch::Reduce(Instruction* x, Opcode fold, std::vector<int64_t> dimensions,
                            Instruction* start) {
  if (!Takes(fold, x) || start == nullptr) return nullptr;
  Computation* const region = Region(fold, TypeOf(x));
  auto made = w_.Start(Opcode::kReduce, {x, start});
  made->SetAttribute(Attr::kDimensions, std::move(dimensions));
  made->SetAttribute(Attr::kToApply, region);
  return w_.Finish(std::move(made));
}

Instruction* Sketch::ReducePairs(Instruction* x, Opcode fold, Instruction* start) {
  if (!Takes(fold, x) || start == nullptr) return nullptr;
  Computation* const region = Region(fold, TypeOf(x));
  Window pairs;
  for (const int64_t size : x->shape().dimensions()) {
    pairs.dimensions.emplace_back().size = std::min<int64_t>(size, 2);
  }
  auto made = w_.Start(Opcode::kReduceWindow, {x, start});
  made->SetAttribute(Attr::kWindow, std::move(pairs));
  made->SetAttribute(Attr::kToApply, region);
  return w_.Finish(std::move(made));
}

Instruction* Sketch::Dot(Instruction* a, Instruction* b, int64_t a_contracting,
                         int64_t b_contracting, int64_t batches) {
  if (!Takes(Opcode::kDot, a) || b == nullptr) return nullptr;
  const int64_t free =
      b->shape().element_count() / std::max<int64_t>(b->shape().dimension(b_contracting), 1);
  if (a->shape().element_count() * std::max<int64_t>(free, 1) > w_.limits().products) {
    return nullptr;
  }
  std::vector<int64_t> batch(batches);
  std::iota(batch.begin(), batch.end(), 0);
  auto made = w_.Start(Opcode::kDot, {a, b}, Shape::Scalar(TypeOf(a)));
  made->SetAttribute(Attr::kLhsBatchDims, batch);
  made->SetAttribute(Attr::kRhsBatchDims, batch);
  made->SetAttribute(Attr::kLhsContractingDims, std::vector<int64_t>{a_contracting});
  made->SetAttribute(Attr::kRhsContractingDims, std::vector<int64_t>{b_contracting});
  return w_.Finish(std::move(made));
}

Instruction* Sketch::DynamicSlice(Instruction* x, std::vector<Instruction*> starts, Sizes part) {
  if (x == nullptr) return nullptr;
  starts.insert(starts.begin(), x);
  auto made = w_.Start(Opcode::kDynamicSlice, starts, Shape(TypeOf(x), part));
  made->SetAttribute(Attr::kDynamicSliceSizes, std::vector<int64_t>(part.begin(), part.end()));
  return w_.Finish(std::move(made));
}

Instruction* Sketch::DynamicUpdateSlice(Instruction* x, Instruction* part,
                                        std::vector<Instruction*> starts) {
  if (x == nullptr || part == nullptr) return nullptr;
  starts.insert(starts.begin(), {x, part});
  return w_.Add(Opcode::kDynamicUpdateSlice, starts, x->shape());
}

std::vector<Instruction*> Sketch::Sort(std::vector<Instruction*> arrays, bool descending) {
  std::vector<Instruction*> none(arrays.size(), nullptr);
  for (const Instruction* array : arrays) {
    if (array == nullptr || IsComplex(TypeOf(array))) return none;
  }
  w_.BeginComputation("order", RowPlace::kAnywhere);
  std::vector<Instruction*> sides;
  for (const Instruction* array : arrays) {
    for (int side = 0; side < 2; ++side) {
      sides.push_back(w_.ComputationParameter(Shape::Scalar(TypeOf(array))));
    }
  }
  auto compare = w_.Start(Opcode::kCompare, {sides[0], sides[1]});
  compare->SetAttribute(
      Attr::kDirection,
      static_cast<int64_t>(descending ? ComparisonDirection::kGt : ComparisonDirection::kLt));
  Computation* const order = w_.EndComputation(
      w_.FinishAs(std::move(compare), std::make_shared<const Shape>(ElementType::kPred, Sizes())));
  auto made = w_.Start(Opcode::kSort, arrays);
  made->SetAttribute(Attr::kDimension, arrays[0]->shape().rank() - 1);
  made->SetAttribute(Attr::kIsStable, true);
  made->SetAttribute(Attr::kToApply, order);
  Instruction* const sorted = w_.AddHidden(std::move(made));
  if (sorted == nullptr) return none;
  if (arrays.size() == 1) {
    w_.Offer(sorted);
    return {sorted};
  }
  for (size_t k = 0; k < arrays.size(); ++k) {
    none[k] = w_.ElementOf(sorted, static_cast<int64_t>(k));
  }
  return none;
}

Instruction* Sketch::GatherRows(Instruction* matrix, Instruction* indices) {
  if (matrix == nullptr || indices == nullptr) return nullptr;
  auto made = w_.Start(Opcode::kGather, {matrix, indices});
  made->SetAttribute(Attr::kOffsetDims, std::vector<int64_t>{1});
  made->SetAttribute(Attr::kCollapsedSliceDims, std::vector<int64_t>{0});
  made->SetAttribute(Attr::kStartIndexMap, std::vector<int64_t>{0});
  made->SetAttribute(Attr::kIndexVectorDim, int64_t{1});
  made->SetAttribute(Attr::kSliceSizes, std::vector<int64_t>{1, matrix->shape().dimension(1)});
  return w_.Finish(std::move(made));
}

Instruction* Sketch::ScatterRows(Instruction* matrix, Instruction* indices, Instruction* rows,
                                 Opcode combine) {
  if (!Takes(combine, matrix) || indices == nullptr || rows == nullptr) return nullptr;
  return ScatterRowsBy(matrix, indices, rows, Region(combine, TypeOf(matrix)));
}

Instruction* Sketch::ScatterRowsBy(Instruction* matrix, Instruction* indices, Instruction* rows,
                                   Computation* region) {
  auto made = w_.Start(Opcode::kScatter, {matrix, indices, rows});
  made->SetAttribute(Attr::kUpdateWindowDims, std::vector<int64_t>{1});
  made->SetAttribute(Attr::kInsertedWindowDims, std::vector<int64_t>{0});
  made->SetAttribute(Attr::kScatterDimsToOperandDims, std::vector<int64_t>{0});
  made->SetAttribute(Attr::kIndexVectorDim, int64_t{1});
  made->SetAttribute(Attr::kToApply, region);
  return w_.Finish(std::move(made));
}

Instruction* Sketch::GatherElements(Instruction* vector, Instruction* indices) {
  if (vector == nullptr || indices == nullptr || vector->shape().dimension(0) == 0) return nullptr;
  auto made = w_.Start(Opcode::kGather, {vector, indices});
  made->SetAttribute(Attr::kOffsetDims, std::vector<int64_t>{});
  made->SetAttribute(Attr::kCollapsedSliceDims, std::vector<int64_t>{0});
  made->SetAttribute(Attr::kStartIndexMap, std::vector<int64_t>{0});
  made->SetAttribute(Attr::kIndexVectorDim, int64_t{1});
  made->SetAttribute(Attr::kSliceSizes, std::vector<int64_t>{1});
  return w_.Finish(std::move(made));
}

Instruction* Sketch::ScatterElements(Instruction* vector, Instruction* indices,
                                     Instruction* elements, Opcode combine) {
  if (!Takes(combine, vector) || indices == nullptr || elements == nullptr) return nullptr;
  Computation* const region = Region(combine, TypeOf(vector));
  auto made = w_.Start(Opcode::kScatter, {vector, indices, elements});
  made->SetAttribute(Attr::kUpdateWindowDims, std::vector<int64_t>{});
  made->SetAttribute(Attr::kInsertedWindowDims, std::vector<int64_t>{0});
  made->SetAttribute(Attr::kScatterDimsToOperandDims, std::vector<int64_t>{0});
  made->SetAttribute(Attr::kIndexVectorDim, int64_t{1});
  made->SetAttribute(Attr::kToApply, region);
  return w_.Finish(std::move(made));
}

void Sketch::Loop(std::vector<Instruction*> state, int64_t trips,
                  absl::FunctionRef<void(Instruction*, std::vector<Instruction*>&)> step) {
  for (const Instruction* each : state) {
    if (each == nullptr) return;
  }
  state.insert(state.begin(), w_.IntegerConstant(ElementType::kS32, {}, {0}));
  Instruction* const init = w_.TupleOf(state);
  w_.BeginComputation("body", RowPlace::kComputation);
  Instruction* const before = w_.ComputationParameter(init->shape());
  std::vector<Instruction*> values;
  for (size_t k = 0; k < state.size(); ++k) {
    values.push_back(w_.ElementOf(before, static_cast<int64_t>(k)));
  }
  Instruction* const count = values[0];
  std::vector<Instruction*> rest(values.begin() + 1, values.end());
  step(count, rest);
  for (size_t k = 0; k < rest.size(); ++k) {
    const bool fits =
        rest[k] != nullptr && Shape::Compatible(rest[k]->shape(), state[k + 1]->shape());
    values[k + 1] = fits ? rest[k] : values[k + 1];
  }
  Instruction* const next =
      w_.FinishAs(w_.Start(Opcode::kAdd, {count, w_.IntegerConstant(ElementType::kS32, {}, {1})}),
                  count->shared_shape());
  values[0] = next;
  Computation* const body = w_.EndComputation(w_.TupleOf(values));
  w_.BeginComputation("condition", RowPlace::kAnywhere);
  Instruction* const now = w_.ElementOf(w_.ComputationParameter(init->shape()), 0);
  auto compare =
      w_.Start(Opcode::kCompare, {now, w_.IntegerConstant(ElementType::kS32, {}, {trips})});
  compare->SetAttribute(Attr::kDirection, static_cast<int64_t>(ComparisonDirection::kLt));
  Computation* const condition =
      w_.EndComputation(w_.AppendAs(std::move(compare), Shape::Scalar(ElementType::kPred)));
  auto made = w_.Start(Opcode::kWhile, {init});
  made->SetAttribute(Attr::kBody, body);
  made->SetAttribute(Attr::kCondition, condition);
  // A fused computation has no value without users.
  if (w_.Finish(std::move(made)) == nullptr) w_.Offer(init);
}

Instruction* Sketch::TellingValues(ElementType type, Sizes sizes) {
  static constexpr conformance::ValueProfile kTelling[] = {
      conformance::ValueProfile::kSpecial,  conformance::ValueProfile::kAll,
      conformance::ValueProfile::kPatterns, conformance::ValueProfile::kOverflow,
      conformance::ValueProfile::kIntegers, conformance::ValueProfile::kCancellation,
      conformance::ValueProfile::kSpecial,  conformance::ValueProfile::kBenign};
  // The infinities and NaN are the last of 23 special values of a float, which a long stride does
  // not reach in a short array. In a long one values of two strides meet in nearly all pairs.
  static constexpr uint64_t kShortStrides[] = {1, 1, 2, 1, 3, 1};
  static constexpr uint64_t kLongStrides[] = {1, 22, 5, 1, 22, 13};
  conformance::ProfileUse use;
  use.profile = choices().Of(kTelling);
  use.seed = choices().Byte() + 1;
  use.stride = CountOf(sizes) < 256 ? choices().Of(kShortStrides) : choices().Of(kLongStrides);
  if (use.profile == conformance::ValueProfile::kAll) {
    use.offset = AnyEdgePattern(type, choices());
    use.stride = 1;
  }
  if (!conformance::CheckProfile(use, Shape(type, sizes)).ok())
    use.profile = conformance::ValueProfile::kBenign;
  return w_.NewArray(type, sizes, use);
}

Instruction* Sketch::Infinity(ElementType type, bool negative) {
  const double infinity = std::numeric_limits<double>::infinity();
  return Number(type, negative ? -infinity : infinity);
}

ElementType Sketch::AnyOf(std::initializer_list<ElementType> types) {
  const auto count = static_cast<int64_t>(types.size());
  const int64_t first = choices().Below(count);
  const absl::Span<const ElementType> all = w_.grammar().types();
  for (int64_t k = 0; k < count; ++k) {
    const ElementType type = types.begin()[(first + k) % count];
    if (std::find(all.begin(), all.end(), type) != all.end()) return type;
  }
  return *types.begin();
}

}  // namespace assay::fuzz
