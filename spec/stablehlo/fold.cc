// Shape computations: integers and booleans computed from constants while a program is converted,
// so that sizes that a program computes are known. Element by element, with the wrapping arithmetic
// of the element type. Test: lowering_test.cc.
#include <algorithm>
#include <numeric>

#include "spec/element/element.h"
#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

// More elements than shapes have: such arrays are data.
constexpr int64_t kMostElements = 4096;

bool IsWhole(ElementType type) { return IsInteger(type) || IsPred(type); }

int64_t ValueAt(const Literal& literal, int64_t i) {
  const ElementType type = literal.element_type();
  const uint64_t bits = literal.Get(i).bits;
  return IsSigned(type) ? DecodeSigned(type, bits)
                        : static_cast<int64_t>(DecodeUnsigned(type, bits));
}

void Put(Literal& literal, int64_t i, int64_t value) {
  const ElementType type = literal.element_type();
  literal.Set(i, {IsPred(type) ? static_cast<uint64_t>(value != 0)
                               : EncodeInteger(type, static_cast<uint64_t>(value)),
                  0});
}

int64_t Wrapped(uint64_t value) { return static_cast<int64_t>(value); }

// a / b and a % b of the element type; HLO's values for a zero divisor and for overflow.
int64_t Divide(ElementType type, int64_t a, int64_t b, bool remainder) {
  if (IsUnsigned(type)) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    if (y == 0) return remainder ? a : -1;
    return static_cast<int64_t>(remainder ? x % y : x / y);
  }
  if (b == 0) return remainder ? a : -1;
  if (b == -1) return remainder ? 0 : Wrapped(0 - static_cast<uint64_t>(a));
  return remainder ? a % b : a / b;
}

bool Less(ElementType type, int64_t a, int64_t b) {
  return IsSigned(type) ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
}

bool Compare(ElementType type, ComparisonDirection direction, int64_t a, int64_t b) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return a == b;
    case ComparisonDirection::kNe:
      return a != b;
    case ComparisonDirection::kGe:
      return !Less(type, a, b);
    case ComparisonDirection::kGt:
      return Less(type, b, a);
    case ComparisonDirection::kLe:
      return !Less(type, b, a);
    case ComparisonDirection::kLt:
      return Less(type, a, b);
  }
  return false;
}

std::optional<int64_t> Binary(const Instruction& op, ElementType type, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (op.opcode()) {
    case Opcode::kAdd:
      return IsPred(type) ? (a | b) : Wrapped(x + y);
    case Opcode::kSubtract:
      return Wrapped(x - y);
    case Opcode::kMultiply:
      return Wrapped(x * y);
    case Opcode::kDivide:
      return Divide(type, a, b, false);
    case Opcode::kRemainder:
      return Divide(type, a, b, true);
    case Opcode::kMaximum:
      return Less(type, a, b) ? b : a;
    case Opcode::kMinimum:
      return Less(type, a, b) ? a : b;
    case Opcode::kAnd:
      return a & b;
    case Opcode::kOr:
      return a | b;
    case Opcode::kXor:
      return a ^ b;
    case Opcode::kCompare:
      return Compare(type, op.GetEnum<ComparisonDirection>(Attr::kDirection), a, b);
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> Unary(const Instruction& op, ElementType type, int64_t a) {
  switch (op.opcode()) {
    case Opcode::kConvert:
    case Opcode::kCopy:
      return a;
    case Opcode::kNegate:
      return Wrapped(0 - static_cast<uint64_t>(a));
    case Opcode::kNot:
      return IsPred(type) ? static_cast<int64_t>(a == 0) : ~a;
    case Opcode::kAbs:
      return a < 0 ? Wrapped(0 - static_cast<uint64_t>(a)) : a;
    case Opcode::kSign:
      return IsUnsigned(type) ? (a != 0) : (a > 0) - (a < 0);
    default:
      return std::nullopt;
  }
}

std::optional<Literal> Elementwise(const Instruction& op, absl::Span<const Literal* const> in) {
  Literal result = Literal::Zeros(Shape(op.shape().element_type(), op.shape().dimensions()));
  const ElementType type = in[0]->element_type();
  for (int64_t i = 0; i < result.element_count(); ++i) {
    const auto at = [&](size_t k) { return ValueAt(*in[k], in[k]->element_count() == 1 ? 0 : i); };
    std::optional<int64_t> value;
    if (op.opcode() == Opcode::kSelect) {
      value = at(0) != 0 ? at(1) : at(2);
    } else if (op.opcode() == Opcode::kClamp) {
      const int64_t raised = Less(type, at(1), at(0)) ? at(0) : at(1);
      value = Less(type, at(2), raised) ? at(2) : raised;
    } else {
      value = in.size() == 2 ? Binary(op, type, at(0), at(1)) : Unary(op, type, at(0));
    }
    if (!value) return std::nullopt;
    Put(result, i, *value);
  }
  return result;
}

// The multi-index of element `linear`, and back.
Dimensions IndexOf(int64_t linear, absl::Span<const int64_t> strides) {
  Dimensions index;
  for (const int64_t stride : strides) {
    index.push_back(linear / stride);
    linear %= stride;
  }
  return index;
}

// Whether attributes fit the shapes: the verifier has not seen the instruction yet.
bool FitsMove(const Instruction& op, const Shape& from) {
  if (op.opcode() == Opcode::kSlice) {
    return op.slices().size() == static_cast<size_t>(from.rank()) &&
           op.shape().rank() == from.rank();
  }
  if (op.opcode() == Opcode::kReshape) return true;
  const absl::Span<const int64_t> dimensions = op.GetInts(Attr::kDimensions);
  const int64_t limit = op.opcode() == Opcode::kBroadcast ? op.shape().rank() : from.rank();
  if (dimensions.size() != static_cast<size_t>(from.rank())) return false;
  return std::all_of(dimensions.begin(), dimensions.end(),
                     [&](int64_t d) { return d >= 0 && d < limit; });
}

std::optional<Literal> Move(const Instruction& op, absl::Span<const Literal* const> in) {
  const Literal& from = *in[0];
  if (!FitsMove(op, from.shape())) return std::nullopt;
  Literal result = Literal::Zeros(Shape(op.shape().element_type(), op.shape().dimensions()));
  const Dimensions strides = RowMajorStrides(result.shape().dimensions());
  const Dimensions from_strides = RowMajorStrides(from.shape().dimensions());
  for (int64_t i = 0; i < result.element_count(); ++i) {
    int64_t source = 0;
    const Dimensions index = IndexOf(i, strides);
    switch (op.opcode()) {
      case Opcode::kReshape:
        source = i;
        break;
      case Opcode::kBroadcast: {
        const absl::Span<const int64_t> dimensions = op.GetInts(Attr::kDimensions);
        for (size_t d = 0; d < dimensions.size(); ++d) {
          source += index[dimensions[d]] * from_strides[d];
        }
        break;
      }
      case Opcode::kTranspose: {
        const absl::Span<const int64_t> dimensions = op.GetInts(Attr::kDimensions);
        for (size_t d = 0; d < dimensions.size(); ++d) {
          source += index[d] * from_strides[dimensions[d]];
        }
        break;
      }
      case Opcode::kSlice: {
        const Slices& slices = op.slices();
        for (size_t d = 0; d < slices.size(); ++d) {
          source += (slices[d].start + index[d] * slices[d].stride) * from_strides[d];
        }
        break;
      }
      default:
        return std::nullopt;
    }
    if (source < 0 || source >= from.element_count()) return std::nullopt;
    result.Set(i, from.Get(source));
  }
  return result;
}

std::optional<Literal> Concatenate(const Instruction& op, absl::Span<const Literal* const> in) {
  const int64_t rank = op.shape().rank();
  const int64_t dimension = op.GetInt(Attr::kDimension);
  if (dimension < 0 || dimension >= rank) return std::nullopt;
  Literal result = Literal::Zeros(Shape(op.shape().element_type(), op.shape().dimensions()));
  Dimensions at(rank, 0);
  for (const Literal* part : in) {
    const Shape& shape = part->shape();
    if (shape.rank() != rank || shape.element_type() != result.element_type()) return std::nullopt;
    for (int64_t d = 0; d < rank; ++d) {
      if (at[d] + shape.dimension(d) > result.shape().dimension(d)) return std::nullopt;
    }
    CopyBox(*part, shape.dimensions(), at, &result);
    at[dimension] += shape.dimension(dimension);
  }
  return result;
}

// A product or sum of all sizes: reduce of rank 1 whose computation is one operation of parameters.
std::optional<Literal> Reduce(const Instruction& op, absl::Span<const Literal* const> in) {
  if (in.size() != 2 || in[0]->shape().rank() != 1 || op.shape().rank() != 0) return std::nullopt;
  const Computation* reducer = op.to_apply();
  const Instruction* root = reducer == nullptr ? nullptr : reducer->root();
  if (root == nullptr || root->operand_count() != 2 || !root->info().elementwise() ||
      root->opcode() == Opcode::kCompare || root->operand(0)->opcode() != Opcode::kParameter ||
      root->operand(1)->opcode() != Opcode::kParameter || root->operand(0) == root->operand(1)) {
    return std::nullopt;
  }
  Literal result = Literal::Zeros(Shape::Scalar(op.shape().element_type()));
  int64_t value = ValueAt(*in[1], 0);
  for (int64_t i = 0; i < in[0]->element_count(); ++i) {
    const int64_t next = ValueAt(*in[0], i);
    const bool in_order = root->operand(0)->parameter_number() == 0;
    const std::optional<int64_t> combined =
        Binary(*root, result.element_type(), in_order ? value : next, in_order ? next : value);
    if (!combined) return std::nullopt;
    Put(result, 0, *combined);
    value = ValueAt(result, 0);
  }
  Put(result, 0, value);
  return result;
}

std::optional<Literal> DynamicSlice(const Instruction& op, absl::Span<const Literal* const> in) {
  const Literal& from = *in[0];
  if (from.shape().rank() != 1 || in.size() != 2 || op.shape().rank() != 1) return std::nullopt;
  const int64_t room = from.element_count() - op.shape().dimension(0);
  if (room < 0) return std::nullopt;
  const int64_t start = std::clamp<int64_t>(ValueAt(*in[1], 0), 0, room);
  Literal result = Literal::Zeros(Shape(op.shape().element_type(), op.shape().dimensions()));
  for (int64_t i = 0; i < result.element_count(); ++i) result.Set(i, from.Get(start + i));
  return result;
}

}  // namespace

std::optional<Literal> Fold(const Instruction& instruction,
                            absl::Span<const Literal* const> operands) {
  const Shape& shape = instruction.shape();
  if (!IsWhole(shape.element_type()) || shape.is_dynamic()) return std::nullopt;
  const absl::StatusOr<int64_t> count = shape.ElementCount();
  if (!count.ok() || *count > kMostElements) return std::nullopt;
  for (const Literal* operand : operands) {
    if (!operand->is_array() || !IsWhole(operand->element_type()) ||
        operand->element_count() > kMostElements) {
      return std::nullopt;
    }
    const bool same_size = operand->element_count() == *count || operand->element_count() == 1;
    if (instruction.info().elementwise() && !same_size) return std::nullopt;
  }
  switch (instruction.opcode()) {
    case Opcode::kReshape:
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
    case Opcode::kSlice:
      return Move(instruction, operands);
    case Opcode::kConcatenate:
      return Concatenate(instruction, operands);
    case Opcode::kReduce:
      return Reduce(instruction, operands);
    case Opcode::kDynamicSlice:
      return DynamicSlice(instruction, operands);
    default:
      return instruction.info().elementwise() ? Elementwise(instruction, operands) : std::nullopt;
  }
}

}  // namespace assay::stablehlo
