// Reductions, windows, sorts, maps and batch norms. Source: reference stablehlo_format.md 7.
// Test: to_module_test.cc.
#include <algorithm>
#include <memory>
#include <utility>

#include "spec/element/element.h"
#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {

// StableHLO lets a computation work on a wider type than its operands have (1.0 f16 summed in f32):
// the operands are converted to what parameter `i` says.
void PromoteTo(OpContext& op, const Computation* computation, int64_t i, int64_t inputs,
               Instruction** input, Instruction** other) {
  if (computation == nullptr || !op.ok()) return;
  const std::vector<Instruction*> parameters = computation->parameters();
  if (static_cast<int64_t>(parameters.size()) != 2 * inputs) return;
  for (Instruction** value : {input, other}) {
    const int64_t number = value == input ? i : inputs + i;
    const Shape& shape = parameters[number]->shape();
    if (!shape.is_array() || !(*value)->shape().is_array()) continue;
    *value = op.Convert(*value, shape.element_type());
  }
}

Window WindowOf(OpContext& op, std::vector<int64_t> sizes, absl::string_view dilation) {
  Window window;
  const size_t count = sizes.size();
  const auto list = [&](absl::string_view name) {
    std::vector<int64_t> values = op.IntsOr(name, std::vector<int64_t>(count, 1));
    if (values.size() != count) {
      op.Fail(absl::StrCat(name, " must have ", count, " numbers, found ", values.size()));
      values.resize(count, 1);
    }
    return values;
  };
  const std::vector<int64_t> strides = list("window_strides");
  const std::vector<int64_t> base = list("base_dilations");
  const std::vector<int64_t> dilations = list(dilation);
  const auto paddings = op.Pairs("padding", static_cast<int64_t>(count));
  for (size_t d = 0; d < count; ++d) {
    window.dimensions.push_back({sizes[d], strides[d], paddings[d].first, paddings[d].second,
                                 dilations[d], base[d], false});
  }
  return window;
}

namespace {

// What reductions over dimensions and over windows are made of. A scalar that the region uses from
// outside becomes an input with this value everywhere and as its initial value, and a result that
// nothing reads.
struct Reduction {
  Computation* computation = nullptr;
  std::vector<Instruction*> operands;
  Shape shape;
  bool is_tuple = false;
};

Reduction ReductionOf(OpContext& op, int64_t inputs) {
  const auto [computation, captured] = op.ReducerOfCaptures(
      0, 2 * inputs, Lowering::RegionParameters::Place::kBehindHalves, /*passed_on=*/true);
  const auto begin = op.inputs().begin();
  std::vector<Instruction*> values(begin, begin + inputs);
  std::vector<Instruction*> starts(begin + inputs, begin + 2 * inputs);
  std::vector<Shape> shapes;
  const int64_t count = inputs + static_cast<int64_t>(captured.size());
  for (int64_t i = 0; i < inputs; ++i) {
    // The accumulators are the first parameters.
    PromoteTo(op, computation, i, count, &starts[i], &values[i]);
    shapes.push_back(op.OutShape(i));
  }
  for (Instruction* scalar : captured) {
    values.push_back(op.Spread(scalar, op.InShape(0)));
    starts.push_back(scalar);
    shapes.push_back(op.OutShape(0));
    shapes.back().set_element_type(scalar->shape().element_type());
  }
  values.insert(values.end(), starts.begin(), starts.end());
  return {computation, values, count == 1 ? shapes[0] : Shape::Tuple(shapes), count != 1};
}

}  // namespace

void MakeReduceWindow(OpContext& op, int64_t inputs, const Window& window) {
  const Reduction parts = ReductionOf(op, inputs);
  op.ReturnAll(op.Make(Opcode::kReduceWindow, parts.shape, parts.operands,
                       {{Attr::kWindow, window}, {Attr::kToApply, parts.computation}}),
               parts.is_tuple);
}

namespace {

bool HasPairs(OpContext& op) {
  const int64_t inputs = op.operand_count() / 2;
  if (op.operand_count() == 2 * inputs && op.result_count() == inputs) return true;
  op.Fail("takes as many initial values as inputs, and gives a result for each");
  return false;
}

void LowerReduce(OpContext& op) {
  if (!HasPairs(op)) return;
  const Reduction parts = ReductionOf(op, op.operand_count() / 2);
  op.ReturnAll(
      op.Make(Opcode::kReduce, parts.shape, parts.operands,
              {{Attr::kDimensions, op.Ints("dimensions")}, {Attr::kToApply, parts.computation}}),
      parts.is_tuple);
}

void LowerReduceWindow(OpContext& op) {
  if (!HasPairs(op)) return;
  MakeReduceWindow(op, op.operand_count() / 2,
                   WindowOf(op, op.Ints("window_dimensions"), "window_dilations"));
}

// `select` for values of a wider type, each of which is one of its own type exactly.
Computation* SelectOfWiderValues(OpContext& op, Computation* select, ElementType wide) {
  const std::vector<Instruction*> parameters = select->parameters();
  if (parameters.size() != 2) return select;
  Scope scope;
  scope.computation = std::make_unique<Computation>(absl::StrCat(select->name(), ".wide"));
  Lowering& lowering = op.lowering();
  Instruction* values[2];
  for (int64_t i = 0; i < 2; ++i) {
    Instruction* parameter =
        lowering.MakeIn(scope, op.operation(), Opcode::kParameter, Shape::Scalar(wide), Operands());
    parameter->set_parameter_number(i);
    values[i] = lowering.MakeIn(scope, op.operation(), Opcode::kConvert, parameters[i]->shape(),
                                Operands(&parameter, 1));
  }
  Instruction* const call = lowering.MakeIn(scope, op.operation(), Opcode::kCall,
                                            select->root()->shape(), Operands(values, 2));
  call->SetAttribute(Attr::kToApply, select);
  scope.computation->set_root(call);
  return lowering.module().Add(std::move(scope.computation));
}

void LowerSelectAndScatter(OpContext& op) {
  Computation* select = op.Reducer(0, 2);
  Computation* const scatter = op.Reducer(1, 2);
  Instruction* source = op.In(1);
  Instruction* init = op.In(2);
  PromoteTo(op, scatter, 0, 1, &source, &init);
  Instruction* operand = op.In(0);
  const ElementType wide = source->shape().element_type();
  if (op.ok() && wide != operand->shape().element_type()) {
    // HLO has one type: the result's.
    operand = op.Convert(operand, wide);
    select = SelectOfWiderValues(op, select, wide);
  }
  const std::vector<int64_t> ones(std::max<int64_t>(op.InShape(0).rank(), 0), 1);
  const Window window = WindowOf(op, op.IntsOr("window_dimensions", ones), "window_dilations");
  op.Return(op.Make(Opcode::kSelectAndScatter, op.OutShape(), {operand, source, init},
                    {{Attr::kWindow, window}, {Attr::kSelect, select}, {Attr::kScatter, scatter}}));
}

void LowerMap(OpContext& op) {
  const auto [function, captured] = op.ReducerOfCaptures(
      0, op.operand_count(), Lowering::RegionParameters::Place::kBehind, /*passed_on=*/false);
  std::vector<Instruction*> operands(op.inputs().begin(), op.inputs().end());
  for (Instruction* scalar : captured) operands.push_back(op.Spread(scalar, op.InShape(0)));
  op.Return(op.Make(Opcode::kMap, op.OutShape(), operands,
                    {{Attr::kDimensions, op.Ints("dimensions")}, {Attr::kToApply, function}}));
}

// A scalar that the comparator uses from outside is sorted, too: all elements are the same.
void LowerSort(OpContext& op) {
  const int64_t count = op.operand_count();
  if (op.result_count() != count) {
    op.Fail("gives a result for each operand");
    return;
  }
  int64_t dimension = op.IntOr("dimension", -1);
  if (dimension < 0) dimension += op.InShape(0).rank();
  const auto [comparator, captured] = op.ReducerOfCaptures(
      0, 2 * count, Lowering::RegionParameters::Place::kBehindTwice, /*passed_on=*/false);
  std::vector<Instruction*> operands(op.inputs().begin(), op.inputs().end());
  for (Instruction* scalar : captured) operands.push_back(op.Spread(scalar, op.InShape(0)));
  std::vector<Shape> shapes;
  for (const Instruction* operand : operands) shapes.push_back(operand->shape());
  const bool is_tuple = shapes.size() != 1;
  Instruction* const made =
      op.Make(Opcode::kSort, is_tuple ? Shape::Tuple(shapes) : shapes[0], operands,
              {{Attr::kDimension, dimension},
               {Attr::kIsStable, op.BoolOr("is_stable", false)},
               {Attr::kToApply, comparator}});
  op.ReturnAll(made, is_tuple);
}

double Epsilon(OpContext& op) {
  const Attribute* epsilon = op.Need("epsilon");
  if (epsilon == nullptr || epsilon->kind != AttributeKind::kFloat) return 0;
  const ElementType type =
      epsilon->type == nullptr ? ElementType::kF32 : epsilon->type->element_type();
  return IsFloat(type) ? DecodeFloat(type, static_cast<uint64_t>(epsilon->integer)) : 0;
}

void LowerBatchNorm(OpContext& op) {
  const bool training = op.result_count() == 3 && op.operand_count() == 3;
  const bool gradient = op.result_count() == 3 && op.operand_count() == 5;
  if (!training && !gradient) {
    op.Fail("takes 3 or 5 operands and gives 3 results");
    return;
  }
  const Shape shape = Shape::Tuple({op.OutShape(0), op.OutShape(1), op.OutShape(2)});
  const Opcode opcode = training ? Opcode::kBatchNormTraining : Opcode::kBatchNormGrad;
  op.ReturnAll(
      op.Make(opcode, shape, op.inputs(),
              {{Attr::kEpsilon, Epsilon(op)}, {Attr::kFeatureIndex, op.Int("feature_index")}}),
      true);
}

constexpr Handler kReduction[] = {
    {"reduce", 2, 1, 1, LowerReduce},
    {"reduce_window", 2, 1, 1, LowerReduceWindow},
    {"select_and_scatter", 3, 1, 2, LowerSelectAndScatter},
    {"map", 1, 1, 1, LowerMap},
    {"sort", 1, 1, 1, LowerSort},
    {"batch_norm_training", 3, 3, 0, LowerBatchNorm},
    {"batch_norm_grad", 5, 3, 0, LowerBatchNorm},
};

}  // namespace

absl::Span<const Handler> ReductionHandlers() { return kReduction; }

}  // namespace assay::stablehlo
