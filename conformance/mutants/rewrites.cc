#include "conformance/mutants/rewrites.h"

#include <cmath>

#include "absl/algorithm/container.h"

namespace assay::conformance {
namespace {

using enum Opcode;

double NumberOf(ElementType type, Element element) {
  if (IsFloat(type)) return DecodeFloat(type, element.bits);
  if (IsSigned(type)) return static_cast<double>(DecodeSigned(type, element.bits));
  return static_cast<double>(DecodeUnsigned(type, element.bits));
}

// The index of the tuple's element that the instruction takes out of parameter 0; none for another.
std::optional<int64_t> CarriedIndex(const Instruction& x) {
  if (!Is(x, kGetTupleElement) || !Is(*x.operand(0), kParameter)) return std::nullopt;
  return x.GetInt(Attr::kIndex);
}

std::optional<int64_t> IntegerConstant(const Instruction& x) {
  if (!Is(x, kConstant) || !x.shape().is_array() || x.shape().rank() != 0 ||
      !IsInteger(x.shape().element_type())) {
    return std::nullopt;
  }
  return static_cast<int64_t>(NumberOf(x.shape().element_type(), x.literal()->Get(0)));
}

bool Holds(ComparisonDirection direction, int64_t a, int64_t b) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return a == b;
    case ComparisonDirection::kNe:
      return a != b;
    case ComparisonDirection::kLt:
      return a < b;
    case ComparisonDirection::kLe:
      return a <= b;
    case ComparisonDirection::kGt:
      return a > b;
    case ComparisonDirection::kGe:
      return a >= b;
  }
  return false;
}

}  // namespace

bool IsArray(const Instruction& x) { return x.shape().is_array() && !x.shape().is_dynamic(); }
bool FloatArray(const Instruction& x) { return IsArray(x) && IsFloat(x.shape().element_type()); }
bool IntegerArray(const Instruction& x) {
  return IsArray(x) && IsInteger(x.shape().element_type());
}
bool SignedArray(const Instruction& x) {
  return IntegerArray(x) && IsSigned(x.shape().element_type());
}
bool Uniform(const Instruction& x, double value) {
  const std::optional<double> found = UniformValue(x);
  return found && *found == value;
}
bool PowerOfTwo(double value) {
  int exponent = 0;
  return value > 1 && std::frexp(value, &exponent) == 0.5;
}
const Instruction& In(const Site& site, int64_t k) { return *site.original().operand(k); }
// The copy of operand `j` of operand `k`.
Instruction* Inner(const Site& site, int64_t k, int64_t j) {
  return site.copy_of(*In(site, k).operand(j));
}
const Shape& ShapeOf(const Site& site) { return site.original().shape(); }

std::vector<int64_t> DimensionsOf(const Instruction& x) {
  const auto span = x.GetInts(Attr::kDimensions);
  return std::vector<int64_t>(span.begin(), span.end());
}
// dims[k] = first[second[k]].
std::vector<int64_t> Composed(absl::Span<const int64_t> first, absl::Span<const int64_t> second) {
  std::vector<int64_t> dims;
  for (const int64_t k : second) dims.push_back(first[k]);
  return dims;
}
Instruction* BuildTranspose(Site& site, Instruction* operand, std::vector<int64_t> dims) {
  return Build(site, kTranspose, ShapeOf(site), {operand},
               [&](Instruction& x) { x.SetAttribute(Attr::kDimensions, dims); });
}

std::optional<double> UniformValue(const Instruction& x) {
  const Instruction* source = &x;
  if (Is(x, kBroadcast) && x.operand(0)->shape().rank() == 0) source = x.operand(0);
  if (!Is(*source, kConstant) || !source->shape().is_array()) return std::nullopt;
  const Literal& literal = *source->literal();
  const ElementType type = literal.element_type();
  if (IsComplex(type) || IsPred(type) || literal.element_count() == 0) return std::nullopt;
  for (int64_t i = 1; i < literal.element_count(); ++i) {
    if (!(literal.Get(i) == literal.Get(0))) return std::nullopt;
  }
  return NumberOf(type, literal.Get(0));
}

Instruction* Build(Site& site, Opcode opcode, const Shape& shape,
                   absl::Span<Instruction* const> operands,
                   const std::function<void(Instruction&)>& edit) {
  if (absl::c_linear_search(operands, nullptr)) return nullptr;
  return site.Make(opcode, shape, operands, edit);
}

Instruction* BuildUniform(Site& site, const Shape& shape, double value) {
  const ElementType type = shape.element_type();
  if (IsComplex(type)) return nullptr;
  const Element element = {
      IsFloat(type)  ? EncodeFloat(type, value)
      : IsPred(type) ? static_cast<uint64_t>(value != 0)
                     : EncodeInteger(type, static_cast<uint64_t>(static_cast<int64_t>(value))),
      0};
  Instruction* scalar = site.Make(kConstant, Shape(type, {}), {}, [&](Instruction& x) {
    x.set_literal(Literal::Scalar(type, element));
  });
  if (shape.rank() == 0) return scalar;
  return Build(site, kBroadcast, shape, {scalar},
               [](Instruction& x) { x.SetAttribute(Attr::kDimensions, std::vector<int64_t>()); });
}

Shape PredOf(const Shape& shape) {
  const auto sizes = shape.dimensions();
  return Shape(ElementType::kPred, std::vector<int64_t>(sizes.begin(), sizes.end()));
}

Instruction* BuildCompare(Site& site, const Instruction& like, ComparisonDirection direction,
                          Instruction* a, Instruction* b) {
  return Build(site, kCompare, PredOf(like.shape()), {a, b}, [&](Instruction& x) {
    x.SetAttribute(Attr::kDirection, static_cast<int64_t>(direction));
  });
}

ComparisonDirection DirectionOf(const Instruction& compare) {
  return compare.GetEnum<ComparisonDirection>(Attr::kDirection);
}

ComparisonDirection Inverted(ComparisonDirection direction) {
  using enum ComparisonDirection;
  switch (direction) {
    case kEq:
      return kNe;
    case kNe:
      return kEq;
    case kLt:
      return kGe;
    case kLe:
      return kGt;
    case kGt:
      return kLe;
    case kGe:
      return kLt;
  }
  return direction;
}

ComparisonDirection Exchanged(ComparisonDirection direction) {
  using enum ComparisonDirection;
  switch (direction) {
    case kLt:
      return kGt;
    case kLe:
      return kGe;
    case kGt:
      return kLt;
    case kGe:
      return kLe;
    default:
      return direction;
  }
}

std::optional<Opcode> ReducerOf(const Computation& computation) {
  const Instruction& root = *computation.root();
  if (root.operand_count() != 2) return std::nullopt;
  for (const Instruction* operand : root.operands()) {
    if (!Is(*operand, kParameter)) return std::nullopt;
  }
  if (root.operand(0) == root.operand(1)) return std::nullopt;
  return root.opcode();
}

std::optional<int64_t> CountedLoop::Iterations() const {
  int64_t count = 0;
  for (int64_t i = from; Holds(direction, i, to); ++count) {
    if (count == 64) return std::nullopt;
    const uint64_t bits = EncodeInteger(type, static_cast<uint64_t>(i + step));
    i = IsSigned(type) ? DecodeSigned(type, bits)
                       : static_cast<int64_t>(DecodeUnsigned(type, bits));
  }
  return count;
}

std::optional<CountedLoop> MatchCountedLoop(const Instruction& loop) {
  if (!loop.shape().is_tuple() || !Is(*loop.operand(0), kTuple)) return std::nullopt;
  const Instruction& compare = *loop.GetComputation(Attr::kCondition)->root();
  if (!Is(compare, kCompare)) return std::nullopt;
  const std::optional<int64_t> index = CarriedIndex(*compare.operand(0));
  const std::optional<int64_t> to = IntegerConstant(*compare.operand(1));
  const Instruction& next = *loop.GetComputation(Attr::kBody)->root();
  if (!index || !to || !Is(next, kTuple)) return std::nullopt;
  const Instruction& add = *next.operand(*index);
  if (!Is(add, kAdd) || CarriedIndex(*add.operand(0)) != index) return std::nullopt;
  const std::optional<int64_t> step = IntegerConstant(*add.operand(1));
  const std::optional<int64_t> from = IntegerConstant(*loop.operand(0)->operand(*index));
  if (!step || *step == 0 || !from) return std::nullopt;
  return CountedLoop{*index, add.shape().element_type(), *from, *to, *step, DirectionOf(compare)};
}

Instruction* BuildUnrolled(Site& site, int64_t iterations) {
  Computation* body = site.EditedCallee(Attr::kBody, [](Instruction&) {});
  Instruction* state = site.operand(0);
  for (int64_t i = 0; i < iterations; ++i) {
    state = Build(site, kCall, body->root()->shape(), {state},
                  [&](Instruction& x) { x.SetAttribute(Attr::kToApply, body); });
  }
  return state;
}

}  // namespace assay::conformance
