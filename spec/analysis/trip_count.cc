#include "spec/analysis/trip_count.h"

#include "spec/element/element_type.h"

namespace assay::analysis {
namespace {

// The most instructions that one search looks at: a chain of sums of a value with itself has twice
// as many ways with each link.
constexpr int kMostVisits = 256;

// The integer `element` of the state plus a constant; without an element the constant alone.
// Arithmetic is modulo 2^64, of which the bits of the type count.
struct Affine {
  std::optional<int64_t> element;
  uint64_t constant = 0;
};

// A computation and what its parameters are: elements of the state, or operands of the instruction
// that calls it.
struct Scope {
  const Instruction* caller = nullptr;  // null outside of calls and fusions
  const Scope* outer = nullptr;
  bool has_state = false;  // the parameter is the state of the loop
};

bool IsCounter(const Shape& shape) {
  return shape.is_array() && shape.rank() == 0 && IsInteger(shape.element_type());
}

bool IsCall(Opcode opcode) { return opcode == Opcode::kCall || opcode == Opcode::kFusion; }

bool Forwards(Opcode opcode) {
  return opcode == Opcode::kCopy || opcode == Opcode::kOptimizationBarrier;
}

const Computation& Called(const Instruction& call) { return *call.called_computations()[0]; }

std::optional<Affine> ValueOf(const Instruction& value, const Scope& scope, int& steps);

// Element `k` of a tuple, which is an integer.
std::optional<Affine> ElementOf(const Instruction& tuple, int64_t k, const Scope& scope,
                                int& steps) {
  if (--steps < 0) return std::nullopt;
  if (tuple.opcode() == Opcode::kTuple) return ValueOf(*tuple.operand(k), scope, steps);
  if (Forwards(tuple.opcode())) return ElementOf(*tuple.operand(0), k, scope, steps);
  if (IsCall(tuple.opcode())) {
    return ElementOf(*Called(tuple).root(), k, {&tuple, &scope, false}, steps);
  }
  if (tuple.opcode() != Opcode::kParameter) return std::nullopt;
  if (scope.caller != nullptr) {
    return ElementOf(*scope.caller->operand(tuple.parameter_number()), k, *scope.outer, steps);
  }
  if (!scope.has_state) return std::nullopt;
  return Affine{k, 0};
}

std::optional<Affine> SumOf(const Instruction& sum, const Scope& scope, int& steps) {
  const std::optional<Affine> a = ValueOf(*sum.operand(0), scope, steps);
  if (!a.has_value()) return std::nullopt;
  const std::optional<Affine> b = ValueOf(*sum.operand(1), scope, steps);
  if (!b.has_value()) return std::nullopt;
  if (sum.opcode() == Opcode::kSubtract) {
    if (b->element.has_value()) return std::nullopt;
    return Affine{a->element, a->constant - b->constant};
  }
  if (a->element.has_value() && b->element.has_value()) return std::nullopt;
  return Affine{a->element.has_value() ? a->element : b->element, a->constant + b->constant};
}

std::optional<Affine> ValueOf(const Instruction& value, const Scope& scope, int& steps) {
  if (--steps < 0 || !IsCounter(value.shape())) return std::nullopt;
  if (IsCall(value.opcode())) {
    return ValueOf(*Called(value).root(), {&value, &scope, false}, steps);
  }
  if (Forwards(value.opcode())) return ValueOf(*value.operand(0), scope, steps);
  switch (value.opcode()) {
    case Opcode::kConstant:
      if (value.literal() == nullptr) return std::nullopt;
      return Affine{std::nullopt, value.literal()->Get(0).bits};
    case Opcode::kGetTupleElement:
      return ElementOf(*value.operand(0), value.GetInt(Attr::kIndex), scope, steps);
    case Opcode::kAdd:
    case Opcode::kSubtract:
      return SumOf(value, scope, steps);
    case Opcode::kParameter:
      if (scope.caller == nullptr) return std::nullopt;
      return ValueOf(*scope.caller->operand(value.parameter_number()), *scope.outer, steps);
    default:
      return std::nullopt;
  }
}

// The comparison that a condition makes.
struct Condition {
  ComparisonDirection direction = ComparisonDirection::kEq;
  ElementType type = ElementType::kInvalid;
  Affine left, right;
};

std::optional<Condition> ConditionOf(const Instruction& root, const Scope& scope, int& steps) {
  if (--steps < 0) return std::nullopt;
  if (IsCall(root.opcode())) {
    return ConditionOf(*Called(root).root(), {&root, &scope, false}, steps);
  }
  if (Forwards(root.opcode())) return ConditionOf(*root.operand(0), scope, steps);
  if (root.opcode() != Opcode::kCompare) return std::nullopt;
  const std::optional<Affine> left = ValueOf(*root.operand(0), scope, steps);
  const std::optional<Affine> right = ValueOf(*root.operand(1), scope, steps);
  if (!left.has_value() || !right.has_value()) return std::nullopt;
  const ElementType type = root.operand(0)->shape().element_type();
  const auto order = IsSigned(type) ? ComparisonType::kSigned : ComparisonType::kUnsigned;
  const std::optional<int64_t> given = root.FindInt(Attr::kComparisonType);
  if (given.has_value() && *given != static_cast<int64_t>(order)) return std::nullopt;
  return Condition{root.GetEnum<ComparisonDirection>(Attr::kDirection), type, *left, *right};
}

bool Holds(ComparisonDirection direction, bool less, bool equal) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return equal;
    case ComparisonDirection::kNe:
      return !equal;
    case ComparisonDirection::kLt:
      return less;
    case ComparisonDirection::kLe:
      return less || equal;
    case ComparisonDirection::kGt:
      return !less && !equal;
    case ComparisonDirection::kGe:
      return !less;
  }
  return false;
}

// A side of the comparison: its value before the first iteration, and what every iteration adds.
struct Counter {
  uint64_t value, step;
};

std::optional<Counter> CounterOf(const Affine& side, const Instruction& loop) {
  if (!side.element.has_value()) return Counter{side.constant, 0};
  const Instruction& body = *loop.GetComputation(Attr::kBody)->root();
  int steps = kMostVisits;
  const std::optional<Affine> next =
      ElementOf(body, *side.element, {nullptr, nullptr, true}, steps);
  const std::optional<Affine> first = ElementOf(*loop.operand(0), *side.element, {}, steps);
  if (!next.has_value() || next->element != side.element || !first.has_value()) {
    return std::nullopt;
  }
  return Counter{first->constant + side.constant, next->constant};
}

}  // namespace

std::optional<int64_t> TripCount(const Instruction& loop) {
  if (!loop.shape().is_tuple()) return std::nullopt;
  const Instruction& root = *loop.GetComputation(Attr::kCondition)->root();
  int steps = kMostVisits;
  const std::optional<Condition> condition = ConditionOf(root, {nullptr, nullptr, true}, steps);
  if (!condition.has_value()) return std::nullopt;
  std::optional<Counter> left = CounterOf(condition->left, loop);
  std::optional<Counter> right = CounterOf(condition->right, loop);
  if (!left.has_value() || !right.has_value()) return std::nullopt;
  const int unused = 64 - Info(condition->type).bits;
  for (int64_t trips = 0; trips <= kMostTrips; ++trips) {
    // The bits of the type, moved to the top.
    const uint64_t a = left->value << unused, b = right->value << unused;
    const bool less =
        IsSigned(condition->type) ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
    if (!Holds(condition->direction, less, a == b)) return trips;
    left->value += left->step;
    right->value += right->step;
  }
  return std::nullopt;
}

}  // namespace assay::analysis
