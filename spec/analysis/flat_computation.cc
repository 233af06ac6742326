#include "spec/analysis/flat_computation.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "spec/analysis/inliner.h"

namespace assay::analysis {
namespace {

// Instructions and leaves passed while inlining.
constexpr int64_t kMostSteps = 1 << 12;

bool HasOnlyArrays(const Shape& shape) {
  if (shape.is_array()) return true;
  return shape.is_tuple() &&
         std::all_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), HasOnlyArrays);
}

// Whether every element of the result is the one of operand 0 at its place.
bool PassesOn(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kCopy:
    case Opcode::kOptimizationBarrier:
      return true;
    case Opcode::kConvert:
    case Opcode::kReshape:
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
    case Opcode::kReverse:
      break;
    default:
      return false;
  }
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  if (!from.is_array() || !to.is_array() || from.element_type() != to.element_type() ||
      from.is_dynamic() || to.is_dynamic()) {
    return false;
  }
  if (from.element_count() == 1 && to.element_count() == 1) return true;
  return (instruction.opcode() == Opcode::kConvert || instruction.opcode() == Opcode::kReshape) &&
         Shape::SameDimensions(from, to);
}

const Computation* CalleeOf(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kCall) return instruction.to_apply();
  if (instruction.opcode() == Opcode::kFusion) return instruction.GetComputation(Attr::kCalls);
  return nullptr;
}

bool IsFlat(const Computation& computation) {
  return std::all_of(
      computation.instructions().begin(), computation.instructions().end(), [&](const auto& each) {
        if (each->opcode() == Opcode::kTuple && each.get() == computation.root()) {
          return std::all_of(each->operands().begin(), each->operands().end(),
                             [](const Instruction* part) { return part->shape().is_array(); });
        }
        return each->shape().is_array() && CalleeOf(*each) == nullptr && !PassesOn(*each) &&
               each->opcode() != Opcode::kGetTupleElement;
      });
}

// A single element that was passed on has kept its dimensions: what is computed from it has them
// too.
void FitToOperands(Instruction* instruction) {
  const Shape& shape = instruction->shape();
  if (!instruction->info().elementwise() || instruction->operand_count() == 0) return;
  const Shape& operand = instruction->operand(0)->shape();
  const auto& operands = instruction->operands();
  const bool alike = std::all_of(operands.begin(), operands.end(), [&](const Instruction* each) {
    return each->shape().is_array() && Shape::SameDimensions(each->shape(), operand);
  });
  if (!alike || Shape::SameDimensions(operand, shape)) return;
  Shape fitted = operand;
  fitted.set_element_type(shape.element_type());
  instruction->set_shape(std::move(fitted));
}

// A leaf is an instruction of the flat form.
class Flattener : private Inliner<Instruction*> {
 public:
  explicit Flattener(const Computation& computation)
      : original_(computation), flat_(std::make_unique<Computation>(computation.name())) {}

  std::unique_ptr<Computation> Run() {
    std::vector<Value> arguments;
    for (const Instruction* parameter : original_.parameters()) {
      if (parameter == nullptr || !parameter->shape().is_array()) return nullptr;
      auto copy = std::make_unique<Instruction>(Opcode::kParameter, parameter->shared_shape());
      copy->set_name(parameter->name());
      copy->set_parameter_number(parameter->parameter_number());
      arguments.push_back({flat_->Add(std::move(copy))});
    }
    const absl::StatusOr<Value> root = Walk(original_, std::move(arguments));
    if (!root.ok()) return nullptr;
    flat_->set_root(Whole(original_.root()->shape(), *root));
    return std::move(flat_);
  }

 private:
  absl::Status Check(const Instruction& instruction) override {
    return HasOnlyArrays(instruction.shape())
               ? absl::OkStatus()
               : absl::UnimplementedError("a value with a token or an opaque part");
  }

  absl::Status CheckSize(const Computation& /*computation*/) override {
    return visited() + leaves() <= kMostSteps
               ? absl::OkStatus()
               : absl::UnimplementedError("too large after inlining");
  }

  absl::StatusOr<Value> Emit(const Instruction& instruction, Operands operands) override {
    if (PassesOn(instruction)) return operands(0);
    auto copy = std::make_unique<Instruction>(instruction.opcode(), instruction.shared_shape());
    copy->set_name(instruction.name());
    copy->set_position(instruction.position());
    if (instruction.literal() != nullptr) copy->set_literal(*instruction.literal());
    for (const auto& [attribute, value] : instruction.attributes().entries()) {
      copy->SetAttribute(attribute, value);
    }
    if (instruction.has_annotations()) copy->mutable_annotations() = instruction.annotations();
    for (int64_t k = 0; k < instruction.operand_count(); ++k) {
      copy->AppendOperand(Whole(instruction.operand(k)->shape(), operands(k)));
    }
    FitToOperands(copy.get());
    Value parts;
    TakeApart(flat_->Add(std::move(copy)), &parts);
    return parts;
  }

  // A value of that shape from its arrays.
  Instruction* Whole(const Shape& shape, absl::Span<Instruction* const> values) {
    if (shape.is_array()) return values[0];
    auto tuple = std::make_unique<Instruction>(Opcode::kTuple, shape);
    tuple->set_name("tuple");
    int64_t first = 0;
    for (const Shape& part : shape.tuple_shapes()) {
      const int64_t count = part.leaf_count();
      tuple->AppendOperand(Whole(part, values.subspan(first, count)));
      first += count;
    }
    return flat_->Add(std::move(tuple));
  }

  // The arrays of a value.
  void TakeApart(Instruction* value, Value* parts) {
    if (value->shape().is_array()) {
      parts->push_back(value);
      return;
    }
    for (size_t i = 0; i < value->shape().tuple_shapes().size(); ++i) {
      auto part =
          std::make_unique<Instruction>(Opcode::kGetTupleElement, value->shape().tuple_shapes()[i]);
      part->set_name("element");
      part->SetAttribute(Attr::kIndex, static_cast<int64_t>(i));
      part->AppendOperand(value);
      TakeApart(flat_->Add(std::move(part)), parts);
    }
  }

  const Computation& original_;
  std::unique_ptr<Computation> flat_;
};

}  // namespace

std::unique_ptr<Computation> FlattenComputation(const Computation& computation) {
  if (IsFlat(computation)) return nullptr;
  return Flattener(computation).Run();
}

}  // namespace assay::analysis
