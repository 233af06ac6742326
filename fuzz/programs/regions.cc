#include "fuzz/programs/regions.h"

#include <algorithm>

namespace assay::fuzz {
namespace {

constexpr Opcode kFolds[] = {
    Opcode::kAdd,      Opcode::kMaximum, Opcode::kAdd, Opcode::kMinimum, Opcode::kMaximum,
    Opcode::kMultiply, Opcode::kMinimum, Opcode::kAnd, Opcode::kOr,      Opcode::kXor};

bool Takes(Opcode opcode, ElementType type) {
  const absl::Span<const ElementType> types = LegalTypes(opcode);
  return std::find(types.begin(), types.end(), type) != types.end();
}

Instruction* Fold(ProgramWriter& w, Instruction* a, Instruction* b) {
  const Opcode opcode = AnyFold(w, a->shape().element_type());
  return w.FinishAs(w.Start(opcode, {a, b}), a->shared_shape());
}

// The result for one accumulator and element.
Instruction* Combine(ProgramWriter& w, Instruction* accumulator, Instruction* element,
                     ReducerUse use) {
  const Shape& wanted = accumulator->shape();
  if (element->shape().element_type() != wanted.element_type()) {
    element = w.FinishAs(w.Start(Opcode::kConvert, {element}), accumulator->shared_shape());
  }
  const int64_t kind = w.choices().Below(8);
  if (use == ReducerUse::kUpdates && kind >= 6) return element;
  if (use == ReducerUse::kCollective) return Fold(w, accumulator, element);
  if (kind == 5 && Takes(Opcode::kSubtract, wanted.element_type())) {
    return w.FinishAs(w.Start(Opcode::kSubtract, {accumulator, element}),
                      accumulator->shared_shape());
  }
  if (kind == 4) element = w.ElementwiseStep(element);
  return w.choices().OneIn(3) ? Fold(w, element, accumulator) : Fold(w, accumulator, element);
}

// The smaller, or larger, element of the first array with what goes along: argmin, argmax.
std::vector<Instruction*> Winner(ProgramWriter& w, absl::Span<Instruction* const> a,
                                 absl::Span<Instruction* const> b) {
  auto compare = w.Start(Opcode::kCompare, {a[0], b[0]});
  static constexpr ComparisonDirection kDirections[] = {
      ComparisonDirection::kGe, ComparisonDirection::kLt, ComparisonDirection::kGt,
      ComparisonDirection::kLe};
  compare->SetAttribute(Attr::kDirection, static_cast<int64_t>(w.choices().Of(kDirections)));
  Instruction* const first =
      w.FinishAs(std::move(compare), std::make_shared<const Shape>(ElementType::kPred, Sizes()));
  std::vector<Instruction*> results;
  for (size_t k = 0; k < a.size(); ++k) {
    results.push_back(
        w.FinishAs(w.Start(Opcode::kSelect, {first, a[k], b[k]}), a[k]->shared_shape()));
  }
  return results;
}

}  // namespace

Opcode AnyFold(ProgramWriter& w, ElementType type) {
  const int64_t first = w.choices().Below(std::size(kFolds));
  for (size_t k = 0; k < std::size(kFolds); ++k) {
    const Opcode opcode = kFolds[(first + k) % std::size(kFolds)];
    if (Takes(opcode, type)) return opcode;
  }
  return Opcode::kAdd;
}

Computation* WriteReducer(ProgramWriter& w, absl::Span<const ElementType> accumulators,
                          absl::Span<const ElementType> elements, ReducerUse use) {
  w.BeginComputation("fold", RowPlace::kAnywhere);
  std::vector<Instruction*> a, b;
  for (const ElementType type : accumulators) {
    a.push_back(w.ComputationParameter(Shape::Scalar(type)));
  }
  for (const ElementType type : elements) {
    b.push_back(w.ComputationParameter(Shape::Scalar(type)));
  }
  if (a.size() == 1) return w.EndComputation(Combine(w, a[0], b[0], use));
  const bool mixed = !std::equal(accumulators.begin(), accumulators.end(), elements.begin());
  std::vector<Instruction*> results;
  if (!mixed && !IsComplex(accumulators[0]) && use == ReducerUse::kFold && !w.choices().OneIn(3)) {
    results = Winner(w, a, b);
  } else {
    for (size_t k = 0; k < a.size(); ++k) results.push_back(Combine(w, a[k], b[k], use));
  }
  return w.EndComputation(w.TupleOf(results));
}

Computation* WriteComparator(ProgramWriter& w, absl::Span<const ElementType> types) {
  // Now and then in the order of two keys.
  const bool by_two =
      types.size() > 1 && !IsComplex(types[0]) && !IsComplex(types[1]) && w.choices().OneIn(3);
  const int64_t key = by_two ? 0 : w.choices().Below(static_cast<int64_t>(types.size()));
  const ElementType type = types[key];
  w.BeginComputation("order", RowPlace::kAnywhere);
  std::vector<Instruction*> parameters;
  for (const ElementType each : types) {
    for (int side = 0; side < 2; ++side) {
      parameters.push_back(w.ComputationParameter(Shape::Scalar(each)));
    }
  }
  Instruction *a = parameters[2 * key], *b = parameters[2 * key + 1];
  if (IsComplex(type)) {  // complex numbers have no order: by their real parts
    const auto part = std::make_shared<const Shape>(Info(type).component, Sizes());
    a = w.FinishAs(w.Start(Opcode::kReal, {a}), part);
    b = w.FinishAs(w.Start(Opcode::kReal, {b}), part);
  }
  auto compare = w.Start(Opcode::kCompare, {a, b});
  const bool down = w.choices().OneIn(2);
  compare->SetAttribute(Attr::kDirection, static_cast<int64_t>(down ? ComparisonDirection::kGt
                                                                    : ComparisonDirection::kLt));
  if (IsFloat(a->shape().element_type()) && w.choices().OneIn(2)) {
    compare->SetAttribute(Attr::kComparisonType, static_cast<int64_t>(ComparisonType::kTotalOrder));
  }
  const auto pred = std::make_shared<const Shape>(ElementType::kPred, Sizes());
  if (!by_two) return w.EndComputation(w.FinishAs(std::move(compare), pred));
  const auto compared = [&](Instruction* left, Instruction* right, ComparisonDirection direction) {
    auto made = w.Start(Opcode::kCompare, {left, right});
    made->SetAttribute(Attr::kDirection, static_cast<int64_t>(direction));
    return w.FinishAs(std::move(made), pred);
  };
  Instruction* const first = w.FinishAs(std::move(compare), pred);
  Instruction* const second = compared(parameters[2], parameters[3], ComparisonDirection::kLt);
  Instruction* const equal = compared(a, b, ComparisonDirection::kEq);
  return w.EndComputation(w.FinishAs(w.Start(Opcode::kSelect, {equal, second, first}), pred));
}

Computation* WriteSelector(ProgramWriter& w, ElementType type) {
  w.BeginComputation("select", RowPlace::kAnywhere);
  Instruction* const a = w.ComputationParameter(Shape::Scalar(type));
  Instruction* const b = w.ComputationParameter(Shape::Scalar(type));
  auto compare = w.Start(Opcode::kCompare, {a, b});
  static constexpr ComparisonDirection kDirections[] = {
      ComparisonDirection::kGe, ComparisonDirection::kLe, ComparisonDirection::kGt,
      ComparisonDirection::kLt, ComparisonDirection::kEq};
  const ComparisonDirection direction =
      IsComplex(type) ? ComparisonDirection::kEq : w.choices().Of(kDirections);
  compare->SetAttribute(Attr::kDirection, static_cast<int64_t>(direction));
  return w.EndComputation(
      w.FinishAs(std::move(compare), std::make_shared<const Shape>(ElementType::kPred, Sizes())));
}

}  // namespace assay::fuzz
