#include "fuzz/reduce/module_edits.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "spec/builder/copy_module.h"
#include "spec/ops/shape_inference.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace {

void Replace(int64_t from, int64_t to, std::vector<int64_t>* numbers) {
  std::replace(numbers->begin(), numbers->end(), from, to);
}

Shape Resized(const Shape& shape, int64_t from, int64_t to) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes())
      elements.push_back(Resized(element, from, to));
    return Shape::Tuple(std::move(elements));
  }
  Shape changed = shape;
  if (!shape.is_array()) return changed;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) == from) changed.set_dimension(d, to);
  }
  return changed;
}

// The elements that lie in the smaller shape.
Literal Corner(const Literal& value, const Shape& shape) {
  if (value.shape().is_tuple()) {
    std::vector<Literal> elements;
    for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
      elements.push_back(Corner(value.element(static_cast<int64_t>(k)), shape.tuple_shape(k)));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (!value.is_array() || value.shape().dimensions() == shape.dimensions()) return value;
  Literal corner = Literal::Zeros(shape);
  const int64_t rank = shape.rank(), count = corner.element_count();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, position = 0, step = 1;
    for (int64_t d = rank - 1; d >= 0; --d) {
      position += rest % shape.dimension(d) * step;
      rest /= shape.dimension(d);
      step *= value.shape().dimension(d);
    }
    corner.Set(i, value.Get(position));
  }
  return corner;
}

void ReplaceInAttributes(int64_t from, int64_t to, Instruction* op) {
  for (const Attr attr : {Attr::kDynamicSliceSizes, Attr::kSliceSizes}) {
    if (!op->HasAttribute(attr)) continue;
    std::vector<int64_t> sizes(op->GetInts(attr).begin(), op->GetInts(attr).end());
    Replace(from, to, &sizes);
    op->SetAttribute(attr, sizes);
  }
  if (op->opcode() != Opcode::kSlice) return;
  Slices ranges = op->slices();
  for (SliceRange& range : ranges) {
    if (range.limit == from) range.limit = to;
    range.start = std::min(range.start, range.limit);
  }
  op->SetAttribute(Attr::kSlice, ranges);
}

}  // namespace

std::unique_ptr<Module> Edited(const Module& module, const EditCopy& edit) {
  auto copy = std::make_unique<Module>(module.name());
  copy->replica_count = module.replica_count;
  copy->num_partitions = module.num_partitions;
  CalleeMap callees;
  for (const auto& computation : module.computations()) {
    std::unique_ptr<Computation> own = EmptyCopy(*computation);
    InstructionMap instructions;
    for (const auto& each : computation->instructions()) {
      std::unique_ptr<Instruction> other = CopyInstruction(*each, instructions, callees);
      if (!edit(*each, other.get())) return nullptr;
      instructions[each.get()] = own->Add(std::move(other));
    }
    own->set_root(instructions.at(computation->root()));
    callees[computation.get()] = copy->Add(std::move(own));
  }
  copy->set_entry(callees.at(module.entry()));
  return copy;
}

std::optional<Cut> Checked(std::unique_ptr<Module> module, std::vector<DeviceInputs> inputs) {
  if (module == nullptr || !VerifyModule(*module, {Rules::kStrict}).ok()) return std::nullopt;
  return Cut{std::move(module), std::move(inputs)};
}

std::vector<int64_t> DimensionSizes(const Module& module) {
  std::set<int64_t, std::greater<>> sizes;
  for (const auto& each : module.entry()->instructions()) {
    for (const Shape* leaf : Leaves(each->shape())) {
      if (!leaf->is_array() || leaf->is_dynamic()) continue;
      for (const int64_t size : leaf->dimensions()) {
        if (size > 1) sizes.insert(size);
      }
    }
  }
  return {sizes.begin(), sizes.end()};
}

std::optional<Cut> WithSmallerSize(const Module& module, absl::Span<const DeviceInputs> inputs,
                                   int64_t from, int64_t to) {
  std::unique_ptr<Module> changed = Edited(module, [&](const Instruction& op, Instruction* copy) {
    const Shape shape = Resized(op.shape(), from, to);
    copy->set_shape(shape);
    if (op.literal() != nullptr) copy->set_literal(Corner(*op.literal(), shape));
    ReplaceInAttributes(from, to, copy);
    if (op.operand_count() == 0 || op.parent() != module.entry()) return true;
    // What follows from the operands, as the sizes of windows do.
    const absl::StatusOr<Shape> inferred = InferShape(*copy);
    if (!inferred.ok()) return false;
    copy->set_shape(*inferred);
    return true;
  });
  std::vector<DeviceInputs> values(inputs.begin(), inputs.end());
  for (DeviceInputs& own : values) {
    for (Literal& argument : own.arguments) {
      argument = Corner(argument, Resized(argument.shape(), from, to));
    }
  }
  return Checked(std::move(changed), std::move(values));
}

namespace {

bool IsScalarConstant(const Instruction& op) {
  if (op.opcode() != Opcode::kConstant || op.literal() == nullptr || op.shape().rank() != 0 ||
      !op.shape().is_array() || !IsInteger(op.shape().element_type())) {
    return false;
  }
  const int64_t value = DecodeSigned(op.shape().element_type(), op.literal()->Get(0).bits);
  return value > 1;
}

}  // namespace

int64_t ScalarConstants(const Module& module) {
  int64_t count = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) count += IsScalarConstant(*each) ? 1 : 0;
  }
  return count;
}

std::optional<Cut> WithSmallerConstant(const Module& module, absl::Span<const DeviceInputs> inputs,
                                       int64_t place, int64_t divisor) {
  int64_t at = 0;
  bool found = false;
  std::unique_ptr<Module> changed = Edited(module, [&](const Instruction& op, Instruction* copy) {
    if (!IsScalarConstant(op) || at++ != place) return true;
    const ElementType type = op.shape().element_type();
    const int64_t value = DecodeSigned(type, op.literal()->Get(0).bits) / divisor;
    if (value < 1) return false;
    copy->set_literal(
        Literal::Scalar(type, {EncodeInteger(type, static_cast<uint64_t>(value)), 0}));
    found = true;
    return true;
  });
  if (!found) return std::nullopt;
  return Checked(std::move(changed), {inputs.begin(), inputs.end()});
}

}  // namespace assay::fuzz
