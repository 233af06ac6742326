// Inlines with a stack of frames of its own, so that deep nesting costs no machine stack.
#include "evaluator/region/flat_region.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace assay {
namespace {

// Instructions visited while inlining: nested calls can double at every level.
constexpr int64_t kMostSteps = 1 << 12;

using Values = std::vector<Instruction*>;  // the arrays of a value, in pre-order

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

class Flattener {
 public:
  explicit Flattener(const Computation& computation)
      : original_(computation), flat_(std::make_unique<Computation>(computation.name())) {}

  std::unique_ptr<Computation> Run() {
    std::vector<Values> arguments;
    for (const Instruction* parameter : original_.parameters()) {
      if (parameter == nullptr || !parameter->shape().is_array()) return nullptr;
      auto copy = std::make_unique<Instruction>(Opcode::kParameter, parameter->shared_shape());
      copy->set_name(parameter->name());
      copy->set_parameter_number(parameter->parameter_number());
      arguments.push_back({flat_->Add(std::move(copy))});
    }
    Enter(original_, std::move(arguments));
    while (!frames_.empty()) {
      if (++steps_ > kMostSteps || !Advance()) return nullptr;
    }
    if (!HasOnlyArrays(original_.root()->shape())) return nullptr;
    flat_->set_root(Whole(original_.root()->shape(), returned_));
    return std::move(flat_);
  }

 private:
  struct Frame {
    const Computation* computation;
    std::vector<Values> arguments;
    std::vector<Values> values;
    std::vector<bool> needed;
    int64_t next = 0;
    bool awaits_call = false;
  };

  void Enter(const Computation& computation, std::vector<Values> arguments) {
    const int64_t count = computation.instruction_count();
    steps_ += count;
    Frame frame{&computation, std::move(arguments), std::vector<Values>(count),
                std::vector<bool>(count, false)};
    frame.needed[computation.root()->index()] = true;
    for (int64_t i = count - 1; i >= 0; --i) {
      if (!frame.needed[i]) continue;
      for (const Instruction* operand : computation.instruction(i)->operands()) {
        frame.needed[operand->index()] = true;
      }
    }
    frames_.push_back(std::move(frame));
  }

  // One instruction of the innermost frame, or the return from it. False: there is no flat form.
  bool Advance() {
    Frame& frame = frames_.back();
    if (frame.next == frame.computation->instruction_count()) {
      returned_ = std::move(frame.values[frame.computation->root()->index()]);
      frames_.pop_back();
      return true;
    }
    if (frame.awaits_call) {
      frame.values[frame.next++] = std::move(returned_);
      frame.awaits_call = false;
      return true;
    }
    const Instruction& instruction = *frame.computation->instruction(frame.next);
    if (!frame.needed[frame.next]) {
      ++frame.next;
      return true;
    }
    if (!HasOnlyArrays(instruction.shape())) return false;
    if (const Computation* callee = CalleeOf(instruction); callee != nullptr) {
      if (steps_ + callee->instruction_count() > kMostSteps) return false;
      std::vector<Values> arguments;
      for (const Instruction* operand : instruction.operands()) {
        arguments.push_back(frame.values[operand->index()]);
      }
      frame.awaits_call = true;
      Enter(*callee, std::move(arguments));  // `frame` may have moved
      return true;
    }
    Values values = ValuesOf(frame, instruction);
    steps_ += static_cast<int64_t>(values.size());
    frame.values[frame.next++] = std::move(values);
    return true;
  }

  Values ValuesOf(const Frame& frame, const Instruction& instruction) {
    const auto operand = [&](int64_t k) -> const Values& {
      return frame.values[instruction.operand(k)->index()];
    };
    switch (instruction.opcode()) {
      case Opcode::kParameter:
        return frame.arguments[instruction.parameter_number()];
      case Opcode::kTuple: {
        Values values;
        for (int64_t k = 0; k < instruction.operand_count(); ++k) {
          values.insert(values.end(), operand(k).begin(), operand(k).end());
        }
        return values;
      }
      case Opcode::kGetTupleElement: {
        const Shape& tuple = instruction.operand(0)->shape();
        const int64_t index = instruction.GetInt(Attr::kIndex);
        int64_t first = 0;
        for (int64_t i = 0; i < index; ++i) first += tuple.tuple_shape(i).leaf_count();
        const auto begin = operand(0).begin() + first;
        return Values(begin, begin + tuple.tuple_shape(index).leaf_count());
      }
      default:
        break;
    }
    if (PassesOn(instruction)) return operand(0);
    auto copy = std::make_unique<Instruction>(instruction.opcode(), instruction.shared_shape());
    copy->set_name(instruction.name());
    copy->set_position(instruction.position());
    if (instruction.literal() != nullptr) copy->set_literal(*instruction.literal());
    for (const auto& [attribute, value] : instruction.attributes().entries()) {
      copy->SetAttribute(attribute, value);
    }
    if (instruction.has_annotations()) copy->mutable_annotations() = instruction.annotations();
    for (int64_t k = 0; k < instruction.operand_count(); ++k) {
      copy->AppendOperand(Whole(instruction.operand(k)->shape(), operand(k)));
    }
    Values parts;
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
  void TakeApart(Instruction* value, Values* parts) {
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
  std::vector<Frame> frames_;
  Values returned_;
  int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Computation> Flatten(const Computation& computation) {
  if (IsFlat(computation)) return nullptr;
  return Flattener(computation).Run();
}

}  // namespace assay
