#include "spec/analysis/reducer.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "spec/analysis/flat_computation.h"

namespace assay::analysis {
namespace {

ReducerKind KindOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return ReducerKind::kAdd;
    case Opcode::kMultiply:
      return ReducerKind::kMultiply;
    case Opcode::kMinimum:
      return ReducerKind::kMinimum;
    case Opcode::kMaximum:
      return ReducerKind::kMaximum;
    case Opcode::kAnd:
      return ReducerKind::kAnd;
    case Opcode::kOr:
      return ReducerKind::kOr;
    case Opcode::kXor:
      return ReducerKind::kXor;
    default:
      return ReducerKind::kOther;
  }
}

bool IsParameter(const Instruction* instruction, int64_t number) {
  return instruction->opcode() == Opcode::kParameter && instruction->parameter_number() == number;
}

// Whether the operands of a binary instruction are (a, b) or (b, a) by the two tests.
template <typename A, typename B>
bool EitherOrder(const Instruction* instruction, A a, B b) {
  const Instruction* x = instruction->operand(0);
  const Instruction* y = instruction->operand(1);
  return (a(x) && b(y)) || (a(y) && b(x));
}

// Every value of `inner` that comes from `outer` is exact and comes back as it was.
bool Holds(ElementType inner, ElementType outer) {
  if (IsInteger(inner) && IsInteger(outer)) {
    const int room = Info(inner).bits - (IsSigned(inner) ? 1 : 0);
    const int needed = Info(outer).bits - (IsSigned(outer) ? 1 : 0);
    return room >= needed && (IsSigned(inner) || !IsSigned(outer));
  }
  if (IsComplex(inner) && IsComplex(outer)) {
    return Holds(Info(inner).component, Info(outer).component);
  }
  if (!IsFloat(inner) || !IsFloat(outer)) return false;
  const FloatFormat& in = *Info(inner).format;
  const FloatFormat& out = *Info(outer).format;
  // Subnormals of `outer` may be normal or subnormal in `inner`.
  const int in_smallest = in.min_exponent() - in.significand_bits;
  const int out_smallest = out.min_exponent() - out.significand_bits;
  return in.precision() >= out.precision() && in.max_exponent() >= out.max_exponent() &&
         in_smallest <= out_smallest && in.has_sign && in.has_infinity && in.has_nan() &&
         in.signed_zero;
}

// op(a, b) of two parameters of `type`, also commuted; or convert(op(convert(a), convert(b))).
Reducer RecogniseBinary(const Instruction* root, ElementType type, int64_t a, int64_t b) {
  const ElementType result_type = root->shape().element_type();
  if (result_type != type) return {};
  const bool converted = root->opcode() == Opcode::kConvert;
  const Instruction* combine = converted ? root->operand(0) : root;
  const ReducerKind kind = KindOf(combine->opcode());
  if (kind == ReducerKind::kOther) return {};
  const ElementType inner = combine->shape().element_type();
  if (converted && !Holds(inner, type)) return {};
  // What has met an infinity is multiplied as written, in the type of the elements.
  if (converted && kind == ReducerKind::kMultiply && IsComplex(inner)) return {};
  auto is_parameter = [&](int64_t number) {
    return [converted, number](const Instruction* operand) {
      if (!converted) return IsParameter(operand, number);
      return operand->opcode() == Opcode::kConvert && IsParameter(operand->operand(0), number);
    };
  };
  if (!EitherOrder(combine, is_parameter(a), is_parameter(b))) return {};
  return {kind, inner};
}

bool IsCompare(const Instruction* instruction, ComparisonDirection direction) {
  if (instruction->opcode() != Opcode::kCompare ||
      instruction->GetEnum<ComparisonDirection>(Attr::kDirection) != direction) {
    return false;
  }
  const std::optional<int64_t> type = instruction->FindInt(Attr::kComparisonType);
  return !type || *type != static_cast<int64_t>(ComparisonType::kTotalOrder);
}

// compare(p_a, p_b) with one direction; EQ also commuted.
bool IsCompareOf(const Instruction* instruction, ComparisonDirection direction, int64_t a,
                 int64_t b) {
  if (!IsCompare(instruction, direction)) return false;
  if (IsParameter(instruction->operand(0), a) && IsParameter(instruction->operand(1), b)) {
    return true;
  }
  return direction == ComparisonDirection::kEq && IsParameter(instruction->operand(0), b) &&
         IsParameter(instruction->operand(1), a);
}

// select(condition, p_a, p_b): the condition, else null.
const Instruction* ConditionOfSelect(const Instruction* instruction, int64_t a, int64_t b) {
  if (instruction->opcode() != Opcode::kSelect || !IsParameter(instruction->operand(1), a) ||
      !IsParameter(instruction->operand(2), b)) {
    return nullptr;
  }
  return instruction->operand(0);
}

// Whether `keep` says "the accumulated value stays": or(compare(p0, p2), p0 != p0), for integers
// also the comparison alone.
bool KeepsValue(const Instruction* keep, ComparisonDirection direction, ElementType type) {
  if (IsInteger(type) && IsCompareOf(keep, direction, 0, 2)) return true;
  return keep->opcode() == Opcode::kOr &&
         EitherOrder(
             keep, [&](const Instruction* x) { return IsCompareOf(x, direction, 0, 2); },
             [](const Instruction* x) { return IsCompareOf(x, ComparisonDirection::kNe, 0, 0); });
}

// or(keep value, and(p0 == p2, p1 < p3)).
bool KeepsIndex(const Instruction* keep_index, const Instruction* keep_value) {
  auto is_tie = [](const Instruction* x) {
    return x->opcode() == Opcode::kAnd &&
           EitherOrder(
               x,
               [](const Instruction* y) { return IsCompareOf(y, ComparisonDirection::kEq, 0, 2); },
               [](const Instruction* y) { return IsCompareOf(y, ComparisonDirection::kLt, 1, 3); });
  };
  return keep_index->opcode() == Opcode::kOr &&
         EitherOrder(
             keep_index, [&](const Instruction* x) { return x == keep_value; }, is_tie);
}

Reducer RecogniseWithIndex(const Instruction* root, ElementType type) {
  if (IsComplex(type)) return {};
  const Instruction* keep_value = ConditionOfSelect(root->operand(0), 0, 2);
  const Instruction* keep_index = ConditionOfSelect(root->operand(1), 1, 3);
  if (keep_value == nullptr || keep_index == nullptr) return {};
  if (!KeepsIndex(keep_index, keep_value)) return {};
  if (KeepsValue(keep_value, ComparisonDirection::kLt, type)) {
    return {ReducerKind::kArgMinimum, type};
  }
  if (KeepsValue(keep_value, ComparisonDirection::kGt, type)) {
    return {ReducerKind::kArgMaximum, type};
  }
  return {};
}

// The numbers of the parameters that op(a, b), or op(convert(a), convert(b)) in a conversion,
// takes, the smaller one first.
std::optional<std::pair<int64_t, int64_t>> ParametersOf(const Instruction* root) {
  const bool converted = root->opcode() == Opcode::kConvert;
  const Instruction* combine = converted ? root->operand(0) : root;
  if (combine->operand_count() != 2) return std::nullopt;
  int64_t numbers[2];
  for (int64_t k = 0; k < 2; ++k) {
    const Instruction* operand = combine->operand(k);
    if (converted && operand->opcode() == Opcode::kConvert) operand = operand->operand(0);
    if (operand->opcode() != Opcode::kParameter) return std::nullopt;
    numbers[k] = operand->parameter_number();
  }
  return std::minmax(numbers[0], numbers[1]);
}

constexpr int64_t kNobody = -2, kSeveral = -3;

// By instruction of a flat region: the label of the results that depend on it, kNobody, or kSeveral
// where these have different ones. Instructions stand behind their operands.
std::vector<int64_t> ReadersOf(const Computation& flat,
                               absl::Span<const Instruction* const> results,
                               absl::Span<const int64_t> labels) {
  std::vector<int64_t> readers(flat.instruction_count(), kNobody);
  const auto note = [&](const Instruction* value, int64_t label) {
    int64_t& reader = readers[value->index()];
    if (reader != label) reader = reader == kNobody ? label : kSeveral;
  };
  for (size_t k = 0; k < results.size(); ++k) note(results[k], labels[k]);
  for (int64_t i = flat.instruction_count(); i-- > 0;) {
    if (readers[i] == kNobody) continue;
    for (const Instruction* operand : flat.instruction(i)->operands()) note(operand, readers[i]);
  }
  return readers;
}

// The results of a flat region, whose root is an array or a tuple.
std::vector<const Instruction*> ResultsOf(const Computation& flat) {
  const Instruction* root = flat.root();
  if (root->opcode() != Opcode::kTuple) return {root};
  return {root->operands().begin(), root->operands().end()};
}

// Of a flat region. Scalars may be arrays of one element inside of it.
bool FoldsScalars(const Computation& flat) {
  const std::vector<Instruction*> parameters = flat.parameters();
  return std::all_of(parameters.begin(), parameters.end(), [](const Instruction* parameter) {
    return parameter != nullptr && parameter->shape().is_scalar();
  });
}

bool IsElement(const Instruction* value) {
  return value->shape().is_array() && value->shape().element_count() == 1;
}

// The form to look at; `made` keeps it where it is not the computation itself.
const Computation& FlatFormOf(const Computation& computation, std::unique_ptr<Computation>* made) {
  *made = FlattenComputation(computation);
  return *made == nullptr ? computation : **made;
}

}  // namespace

Reducer RecogniseReducer(const Computation& computation) {
  std::unique_ptr<Computation> made;
  const Computation& flat = FlatFormOf(computation, &made);
  if (!FoldsScalars(flat)) return {};
  const std::vector<Instruction*> parameters = flat.parameters();
  const std::vector<const Instruction*> results = ResultsOf(flat);
  if (parameters.size() == 2 && results.size() == 1 && IsElement(results[0])) {
    const ElementType type = parameters[0]->shape().element_type();
    if (parameters[1]->shape().element_type() != type) return {};
    return RecogniseBinary(results[0], type, 0, 1);
  }
  if (parameters.size() == 4 && results.size() == 2) {
    const ElementType value = parameters[0]->shape().element_type();
    const ElementType index = parameters[1]->shape().element_type();
    if (parameters[2]->shape().element_type() != value || !IsInteger(index) ||
        parameters[3]->shape().element_type() != index) {
      return {};
    }
    return RecogniseWithIndex(flat.root(), value);
  }
  return {};
}

std::optional<Opcode> OperationOf(ReducerKind kind) {
  switch (kind) {
    case ReducerKind::kAdd:
      return Opcode::kAdd;
    case ReducerKind::kMultiply:
      return Opcode::kMultiply;
    case ReducerKind::kMinimum:
      return Opcode::kMinimum;
    case ReducerKind::kMaximum:
      return Opcode::kMaximum;
    case ReducerKind::kAnd:
      return Opcode::kAnd;
    case ReducerKind::kOr:
      return Opcode::kOr;
    case ReducerKind::kXor:
      return Opcode::kXor;
    default:
      return std::nullopt;
  }
}

std::vector<Reducer> RecogniseParts(const Computation& computation) {
  std::unique_ptr<Computation> made;
  const Computation& flat = FlatFormOf(computation, &made);
  const std::vector<Instruction*> parameters = flat.parameters();
  const std::vector<const Instruction*> results = ResultsOf(flat);
  const auto n = static_cast<int64_t>(results.size());
  std::vector<Reducer> parts(n);
  if (static_cast<int64_t>(parameters.size()) != 2 * n || !FoldsScalars(flat)) return parts;
  std::vector<int64_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<int64_t> readers = ReadersOf(flat, results, numbers);
  for (int64_t k = 0; k < n; ++k) {
    const ElementType type = parameters[k]->shape().element_type();
    // Result k alone depends on the accumulator and on the element.
    if (readers[parameters[k]->index()] != k || readers[parameters[n + k]->index()] != k ||
        parameters[n + k]->shape().element_type() != type || !IsElement(results[k])) {
      continue;
    }
    parts[k] = RecogniseBinary(results[k], type, k, n + k);
  }
  return parts;
}

bool ScanFolds::any() const {
  return std::any_of(carries.begin(), carries.end(),
                     [](const Carry& carry) { return carry.reducer.kind != ReducerKind::kOther; });
}

bool ScanFolds::all() const {
  return std::all_of(
             carries.begin(), carries.end(),
             [](const Carry& carry) { return carry.reducer.kind != ReducerKind::kOther; }) &&
         std::all_of(outputs.begin(), outputs.end(),
                     [](const Output& output) { return output.carry >= 0; });
}

namespace {

// Drops the folds of carries that something else depends on, which run as written, and the outputs
// that show such a carry.
void DropReadCarries(const Computation& flat, absl::Span<const Instruction* const> results,
                     int64_t inputs, ScanFolds* folds) {
  const auto carries = static_cast<int64_t>(folds->carries.size());
  std::vector<int64_t> shown;
  for (const ScanFolds::Output& output : folds->outputs) shown.push_back(output.carry);
  for (int64_t k = 0; k < carries; ++k) shown.push_back(k);
  const std::vector<int64_t> readers = ReadersOf(flat, results, shown);
  const std::vector<Instruction*> parameters = flat.parameters();
  for (int64_t k = 0; k < carries; ++k) {
    const int64_t reader = readers[parameters[inputs + k]->index()];
    if (reader != kNobody && reader != k) folds->carries[k] = {};
  }
  for (ScanFolds::Output& output : folds->outputs) {
    const bool folded =
        output.carry >= 0 && folds->carries[output.carry].reducer.kind != ReducerKind::kOther;
    if (!folded) output = {};
  }
}

}  // namespace

ScanFolds RecogniseScan(const Computation& step, int64_t carries) {
  std::unique_ptr<Computation> made;
  const Computation& flat = FlatFormOf(step, &made);
  const std::vector<Instruction*> parameters = flat.parameters();
  const std::vector<const Instruction*> results = ResultsOf(flat);
  const int64_t inputs = static_cast<int64_t>(parameters.size()) - carries;
  const int64_t outputs = static_cast<int64_t>(results.size()) - carries;
  ScanFolds folds;
  if (results.empty() || results[0]->shape().is_tuple() || inputs < 0 || outputs < 0) {
    // There is no flat form, and all results run as written.
    const Shape& shape = step.root()->shape();
    const int64_t count = shape.is_tuple() ? shape.tuple_shapes().size() : 1;
    folds.carries.resize(carries);
    folds.outputs.resize(std::max<int64_t>(0, count - carries));
    return folds;
  }
  // Which carry the result is a fold of, and how; nullopt where it is none.
  auto fold_of =
      [&](const Instruction* result) -> std::optional<std::pair<int64_t, ScanFolds::Carry>> {
    const std::optional<std::pair<int64_t, int64_t>> pair = ParametersOf(result);
    if (!pair || pair->first >= inputs || pair->second < inputs) return std::nullopt;
    const Shape& carry = parameters[pair->second]->shape();
    if (!Shape::Compatible(parameters[pair->first]->shape(), carry)) return std::nullopt;
    const Reducer reducer =
        RecogniseBinary(result, carry.element_type(), pair->second, pair->first);
    if (reducer.kind == ReducerKind::kOther) return std::nullopt;
    return std::pair(pair->second - inputs, ScanFolds::Carry{reducer, pair->first});
  };
  for (int64_t k = 0; k < carries; ++k) {
    const auto fold = fold_of(results[outputs + k]);
    const bool is_fold = fold && fold->first == k;
    folds.carries.push_back(is_fold ? fold->second : ScanFolds::Carry{});
  }
  for (int64_t i = 0; i < outputs; ++i) {
    const Instruction* output = results[i];
    ScanFolds::Output found;
    if (output->opcode() == Opcode::kParameter && output->parameter_number() >= inputs) {
      found = {output->parameter_number() - inputs, /*after=*/false};
    } else if (const auto fold = fold_of(output)) {
      const ScanFolds::Carry& carry = folds.carries[fold->first];
      if (fold->second.reducer.kind == carry.reducer.kind && fold->second.input == carry.input) {
        found = {fold->first, /*after=*/true};
      }
    }
    folds.outputs.push_back(found);
  }
  DropReadCarries(flat, results, inputs, &folds);
  return folds;
}

}  // namespace assay::analysis
