// Rows of folds, windows, orders and normalisation.
#include <algorithm>
#include <numeric>

#include "fuzz/programs/regions.h"
#include "fuzz/programs/writer.h"
#include "spec/ops/window_math.h"

namespace assay::fuzz {
namespace {

// The type that a fold of this type accumulates in: mostly its own.
ElementType AccumulatorOf(ProgramWriter& w, ElementType type) {
  if (!IsFloat(type) || !w.choices().OneIn(8)) return type;
  return Info(type).bits < 32 ? ElementType::kF32 : w.TypeOfClass(type);
}

// Arrays to fold together with their initial values.
struct Folded {
  std::vector<Instruction*> operands;  // arrays, then initial values
  std::vector<ElementType> elements, accumulators;
};

Folded FoldedArrays(ProgramWriter& w, Opcode opcode, Instruction* first) {
  std::vector<Instruction*> arrays = {first};
  for (int64_t more = w.choices().OneIn(w.scale() == Scale::kMany ? 2 : 4) ? w.Several(1, 1, 11)
                                                                           : 0;
       more > 0; --more) {
    arrays.push_back(
        w.ArrayOf(w.AnyType(w.grammar().TypesOf(opcode)), first->shape().dimensions()));
  }
  Folded folded;
  for (const Instruction* array : arrays) {
    const ElementType type = array->shape().element_type();
    folded.elements.push_back(type);
    folded.accumulators.push_back(arrays.size() > 1 ? type : AccumulatorOf(w, type));
  }
  folded.operands = arrays;
  for (const ElementType type : folded.accumulators) folded.operands.push_back(w.ScalarOf(type));
  return folded;
}

// A window over these sizes whose places and cells stay within the limit of products.
Window AnyWindow(ProgramWriter& w, Sizes sizes, bool dilated) {
  Window window;
  int64_t cost = 1;
  for (const int64_t size : sizes) {
    WindowDimension& d = window.dimensions.emplace_back();
    static constexpr int64_t kPadding[] = {0, 1, 0, 2, -1, 1, 0, 3};
    d.size = w.choices().Between(1, w.choices().OneIn(8) ? 40 : 3);
    d.stride = w.choices().OneIn(3) ? w.choices().Between(2, 3) : 1;
    d.padding_low = w.choices().Of(kPadding);
    d.padding_high = w.choices().Of(kPadding);
    if (dilated && w.choices().OneIn(4)) d.window_dilation = 2;
    if (dilated && w.choices().OneIn(4)) d.base_dilation = w.choices().Between(2, 3);
    const int64_t base = size == 0 ? 0 : (size - 1) * d.base_dilation + 1;
    if (base + d.padding_low + d.padding_high < 0) d.padding_low = -base, d.padding_high = 0;
    cost *= (base + 6) * d.size;
    if (cost > w.limits().products) d = WindowDimension();
  }
  return window;
}

int64_t Windows(int64_t size, const WindowDimension& d) {
  const absl::StatusOr<int64_t> windows = WindowedSize(size, d);
  return windows.ok() ? *windows : 0;
}

}  // namespace

void WriteReduce(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const Folded folded = FoldedArrays(w, opcode, x);
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (!w.choices().OneIn(3)) dimensions.push_back(d);
  }
  if (dimensions.size() > 1 && w.choices().OneIn(4)) {
    std::reverse(dimensions.begin(), dimensions.end());
  }
  Computation* const reducer =
      WriteReducer(w, folded.accumulators, folded.elements, ReducerUse::kFold);
  auto made = w.Start(opcode, folded.operands);
  made->SetAttribute(Attr::kDimensions, dimensions);
  made->SetAttribute(Attr::kToApply, reducer);
  w.Finish(std::move(made));
}

void WriteReduceWindow(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const Folded folded = FoldedArrays(w, opcode, x);
  const Window window = AnyWindow(w, x->shape().dimensions(), /*dilated=*/true);
  Computation* const reducer =
      WriteReducer(w, folded.accumulators, folded.elements, ReducerUse::kFold);
  auto made = w.Start(opcode, folded.operands);
  if (!window.dimensions.empty()) made->SetAttribute(Attr::kWindow, window);
  made->SetAttribute(Attr::kToApply, reducer);
  w.Finish(std::move(made));
}

void WriteSelectAndScatter(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const Shape& shape = x->shape();
  const ElementType type = shape.element_type();
  const Window window = AnyWindow(w, shape.dimensions(), /*dilated=*/false);
  Dimensions source(shape.rank());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    source[d] = Windows(shape.dimension(d), window.dimensions[d]);
  }
  Instruction* const updates = w.ArrayOf(type, source);
  Instruction* const start = w.ScalarOf(type);
  Computation* const select = WriteSelector(w, type);
  Computation* const scatter = WriteReducer(w, {type}, {type}, ReducerUse::kFold);
  auto made = w.Start(opcode, {x, updates, start});
  if (!window.dimensions.empty()) made->SetAttribute(Attr::kWindow, window);
  made->SetAttribute(Attr::kSelect, select);
  made->SetAttribute(Attr::kScatter, scatter);
  w.Finish(std::move(made));
}

void WriteMap(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  std::vector<Instruction*> operands = {x};
  for (int64_t more = w.choices().Below(3); more > 0; --more) {
    operands.push_back(w.ArrayOf(w.AnyType(w.grammar().TypesOf(opcode)), x->shape().dimensions()));
  }
  w.BeginComputation("map", RowPlace::kAnywhere);
  std::vector<Instruction*> values;
  for (const Instruction* operand : operands) {
    values.push_back(w.ComputationParameter(Shape::Scalar(operand->shape().element_type())));
  }
  Instruction* result = w.choices().Of(values);
  for (int64_t steps = w.choices().Below(4); steps > 0; --steps) result = w.ElementwiseStep(result);
  Computation* const mapped = w.EndComputation(result);
  std::vector<int64_t> dimensions(x->shape().rank());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  auto made = w.Start(opcode, operands);
  made->SetAttribute(Attr::kDimensions, dimensions);
  made->SetAttribute(Attr::kToApply, mapped);
  w.Finish(std::move(made));
}

void WriteSort(ProgramWriter& w, Opcode opcode) {
  Instruction* x = w.ArrayFor(opcode, 1);
  // Zeros and NaNs of both signs, which comparators tell apart or not.
  if (IsFloat(x->shape().element_type()) && w.choices().OneIn(4)) {
    const Dimensions sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
    x = w.NewArray(x->shape().element_type(), sizes, SpecialValues(1));
  }
  std::vector<Instruction*> operands = {x};
  for (int64_t more = w.Several(0, 2, 10); more > 0; --more) {
    operands.push_back(w.ArrayOf(w.AnyType(w.grammar().TypesOf(opcode)), x->shape().dimensions()));
  }
  std::vector<ElementType> types;
  for (const Instruction* operand : operands) types.push_back(operand->shape().element_type());
  const int64_t dimension = w.choices().Below(x->shape().rank());
  Computation* const order = WriteComparator(w, types);
  auto made = w.Start(opcode, operands);
  made->SetAttribute(Attr::kDimension, dimension);
  made->SetAttribute(Attr::kIsStable, w.choices().OneIn(2));
  made->SetAttribute(Attr::kToApply, order);
  w.Finish(std::move(made));
}

void WriteScan(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode, 1, 3);
  const Shape& shape = x->shape();
  const ElementType type = shape.element_type();
  const int64_t dimension = w.choices().Below(shape.rank());
  Dimensions line(shape.dimensions().begin(), shape.dimensions().end());
  line.erase(line.begin() + dimension);
  const int64_t carries = w.choices().Below(3);
  const size_t inputs = w.choices().OneIn(4) ? 2 : 1;
  std::vector<Instruction*> operands = {x};
  if (inputs == 2) operands.push_back(w.ArrayOf(type, shape.dimensions()));
  for (int64_t k = 0; k < carries; ++k) operands.push_back(w.ArrayOf(type, line));
  w.BeginComputation("step", RowPlace::kAnywhere);
  std::vector<Instruction*> values;
  for (size_t k = 0; k < operands.size(); ++k) {
    values.push_back(w.ComputationParameter(Shape(type, line)));
  }
  Instruction* sum = values[0];
  if (carries > 0) {
    const Opcode fold = AnyFold(w, type);
    sum = w.FinishAs(w.Start(fold, {values[inputs], values[0]}), values[0]->shared_shape());
    if (sum == nullptr) sum = values[0];
  }
  const bool associative = carries == 1 && inputs == 1 && w.choices().OneIn(4);
  if (!associative && w.choices().OneIn(2)) sum = w.ElementwiseStep(sum);
  std::vector<Instruction*> results = {sum};
  if (inputs == 2)
    results.push_back(w.choices().OneIn(2) ? w.ElementwiseStep(values[1]) : values[1]);
  for (int64_t k = 0; k < carries; ++k) results.push_back(k == 0 ? sum : values[inputs - 1]);
  std::vector<Shape> declared(inputs, Shape(type, shape.dimensions()));
  for (int64_t k = 0; k < carries; ++k) declared.emplace_back(type, line);
  Computation* const step = w.EndComputation(w.TupleOf(results));
  auto made = w.Start(opcode, operands, Shape::Tuple(declared));
  made->SetAttribute(Attr::kDimension, dimension);
  made->SetAttribute(Attr::kNumCarries, carries);
  made->SetAttribute(Attr::kIsReverse, w.choices().OneIn(2));
  made->SetAttribute(Attr::kIsAssociative, associative);
  made->SetAttribute(Attr::kToApply, step);
  w.Finish(std::move(made));
}

void WriteTopK(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode, 1);
  auto made = w.Start(opcode, {x});
  made->SetAttribute(Attr::kK, w.choices().Below(x->shape().dimension(x->shape().rank() - 1) + 1));
  made->SetAttribute(Attr::kLargest, !w.choices().OneIn(2));
  made->SetAttribute(Attr::kIsStable, !w.choices().OneIn(4));
  w.Finish(std::move(made));
}

void WriteBatchNorm(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode, 1);
  const ElementType type = x->shape().element_type();
  const int64_t feature = w.choices().Below(x->shape().rank());
  const int64_t features = x->shape().dimension(feature);
  conformance::ProfileUse positive;
  positive.profile = conformance::ValueProfile::kPositive;
  positive.seed = w.choices().Byte();
  std::vector<Instruction*> operands = {x};
  const int64_t vectors = opcode == Opcode::kBatchNormTraining    ? 2
                          : opcode == Opcode::kBatchNormInference ? 4
                                                                  : 3;
  for (int64_t k = 1; k <= vectors; ++k) {
    const bool variance = k == vectors && vectors > 2;  // which is no negative number, as a rule
    operands.push_back(variance && !w.choices().OneIn(8) ? w.NewArray(type, {features}, positive)
                                                         : w.ArrayOf(type, {features}));
  }
  if (opcode == Opcode::kBatchNormGrad) operands.push_back(w.LikeArray(x));
  static constexpr double kEpsilons[] = {0.5, 0, 0.0009765625, 1};
  auto made = w.Start(opcode, operands);
  made->SetAttribute(Attr::kEpsilon, w.choices().Of(kEpsilons));
  made->SetAttribute(Attr::kFeatureIndex, feature);
  w.Finish(std::move(made));
}

}  // namespace assay::fuzz
