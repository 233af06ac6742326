// Narrower element types in the place of wide ones.
#include <algorithm>
#include <utility>

#include "fuzz/reduce/module_edits.h"
#include "spec/element/element.h"

namespace assay::fuzz {
namespace {

struct Narrowing {
  ElementType from, to;
};

// Each step changes its types together: the parts of c128 are f64.
constexpr Narrowing kSteps[][2] = {
    {{ElementType::kF64, ElementType::kF32}, {ElementType::kC128, ElementType::kC64}},
    {{ElementType::kS64, ElementType::kS32}, {ElementType::kS64, ElementType::kS32}},
    {{ElementType::kU64, ElementType::kU32}, {ElementType::kU64, ElementType::kU32}},
    {{ElementType::kS32, ElementType::kS8}, {ElementType::kS32, ElementType::kS8}},
    {{ElementType::kU32, ElementType::kU8}, {ElementType::kU32, ElementType::kU8}},
};

ElementType Narrowed(ElementType type, int64_t step) {
  for (const Narrowing& each : kSteps[step]) {
    if (each.from == type) return each.to;
  }
  return type;
}

Shape Narrowed(const Shape& shape, int64_t step) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& each : shape.tuple_shapes()) elements.push_back(Narrowed(each, step));
    return Shape::Tuple(std::move(elements));
  }
  Shape changed = shape;
  if (shape.is_array()) changed.set_element_type(Narrowed(shape.element_type(), step));
  return changed;
}

// Returns nothing for an integer that the narrow type does not have.
std::optional<uint64_t> Narrowed(ElementType from, ElementType to, uint64_t bits) {
  if (IsFloat(from)) return EncodeFloat(to, DecodeFloat(from, bits));
  const uint64_t narrow = EncodeInteger(to, bits);
  const bool fits =
      IsSigned(from) ? DecodeSigned(to, narrow) == DecodeSigned(from, bits) : narrow == bits;
  return fits ? std::optional<uint64_t>(narrow) : std::nullopt;
}

std::optional<Literal> Narrowed(const Literal& value, int64_t step) {
  std::vector<Literal> leaves = Flatten(value);
  for (Literal& leaf : leaves) {
    if (!leaf.is_array() || leaf.shape().is_dynamic()) continue;
    const ElementType from = leaf.element_type(), to = Narrowed(from, step);
    if (from == to) continue;
    const ElementType part = Info(from).component, narrow = Info(to).component;
    Literal changed = Literal::Zeros(Narrowed(leaf.shape(), step));
    for (int64_t i = 0; i < leaf.element_count(); ++i) {
      const Element element = leaf.Get(i);
      const auto bits = Narrowed(part, narrow, element.bits);
      const auto imag = IsComplex(from) ? Narrowed(part, narrow, element.imag) : 0;
      if (!bits || !imag) return std::nullopt;
      changed.Set(i, {*bits, *imag});
    }
    leaf = std::move(changed);
  }
  return Unflatten(Narrowed(value.shape(), step), leaves);
}

}  // namespace

int64_t TypeEdits() { return static_cast<int64_t>(std::size(kSteps)); }

std::optional<Cut> WithNarrowerTypes(const Module& module, absl::Span<const DeviceInputs> inputs,
                                     int64_t step) {
  bool changes = false;
  std::unique_ptr<Module> changed = Edited(module, [&](const Instruction& op, Instruction* copy) {
    const Shape shape = Narrowed(op.shape(), step);
    changes |= !(shape == op.shape());
    copy->set_shape(shape);
    if (op.literal() == nullptr) return true;
    std::optional<Literal> literal = Narrowed(*op.literal(), step);
    if (literal) copy->set_literal(*std::move(literal));
    return literal.has_value();
  });
  if (!changes) return std::nullopt;
  std::vector<DeviceInputs> values(inputs.begin(), inputs.end());
  for (DeviceInputs& own : values) {
    for (auto* arrays : {&own.arguments, &own.infeed}) {
      for (Literal& array : *arrays) {
        std::optional<Literal> narrow = Narrowed(array, step);
        if (!narrow) return std::nullopt;
        array = *std::move(narrow);
      }
    }
  }
  return Checked(std::move(changed), std::move(values));
}

}  // namespace assay::fuzz
