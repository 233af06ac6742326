#include "fuzz/differential/illegal.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/programs/choices.h"
#include "spec/builder/copy_module.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace {

class Breaker {
 public:
  explicit Breaker(uint64_t seed) : state_(seed) {}

  // Changes one instruction of the module; null where that one has nothing to change.
  const Instruction* Break(Module* module) {
    Computation* computation = module->entry();
    const auto computations = static_cast<int64_t>(module->computations().size());
    if (Below(4) == 0) computation = module->computations()[Below(computations)].get();
    Instruction* const victim = computation->instruction(Below(computation->instruction_count()));
    bool changed = false;
    switch (Below(5)) {
      case 0:
      case 1:
        changed = ChangeAttribute(victim);
        break;
      case 2:
        changed = ChangeShape(victim);
        break;
      case 3:
        changed = ChangeOperand(victim);
        break;
      default:
        changed = LeaveOut(victim);
    }
    return changed ? victim : nullptr;
  }

 private:
  int64_t Below(int64_t limit) {
    return limit < 2 ? 0 : static_cast<int64_t>(NextRandom(&state_) % static_cast<uint64_t>(limit));
  }

  int64_t OtherNumber(int64_t number) {
    const int64_t others[] = {-1, number + 1, number - 1, 1 << 20, number + 7, INT64_MAX, -7};
    return others[Below(std::size(others))];
  }

  bool ChangeAttribute(Instruction* victim) {
    std::vector<std::pair<Attr, AttributeValue>> entries(victim->attributes().entries().begin(),
                                                         victim->attributes().entries().end());
    if (entries.empty()) return false;
    auto& [attr, value] = entries[Below(static_cast<int64_t>(entries.size()))];
    if (auto* number = std::get_if<int64_t>(&value)) {
      *number = OtherNumber(*number);
    } else if (auto* list = std::get_if<std::vector<int64_t>>(&value)) {
      ChangeList(list);
    } else if (auto* window = std::get_if<Window>(&value)) {
      if (window->dimensions.empty()) return false;
      WindowDimension& dimension =
          window->dimensions[Below(static_cast<int64_t>(window->dimensions.size()))];
      (Below(2) == 0 ? dimension.size : dimension.stride) = -Below(3);
    } else {
      return false;
    }
    victim->SetAttribute(attr, std::move(value));
    return true;
  }

  void ChangeList(std::vector<int64_t>* list) {
    if (list->empty() || Below(3) == 0) {
      list->push_back(list->empty() ? Below(4) : list->back());
    } else if (Below(2) == 0) {
      list->pop_back();
    } else {
      int64_t& number = (*list)[Below(static_cast<int64_t>(list->size()))];
      number = OtherNumber(number);
    }
  }

  bool ChangeShape(Instruction* victim) {
    Shape shape = victim->shape();
    if (!shape.is_array() || victim->opcode() == Opcode::kConstant) return false;
    shape.ClearLayouts();
    if (shape.rank() > 0 && Below(2) == 0) {
      const int64_t d = Below(shape.rank());
      shape.set_dimension(d, shape.dimension(d) + 1);
    } else {
      const ElementType other =
          shape.element_type() == ElementType::kS32 ? ElementType::kF32 : ElementType::kS32;
      shape = Shape(other, shape.dimensions());
    }
    victim->set_shape(std::move(shape));
    return true;
  }

  // Another earlier instruction, one operand more, or one less.
  bool ChangeOperand(Instruction* victim) {
    if (victim->index() == 0) return false;
    std::vector<Instruction*> operands(victim->operands().begin(), victim->operands().end());
    Instruction* const earlier = victim->parent()->instruction(Below(victim->index()));
    switch (Below(3)) {
      case 0:
        operands.push_back(earlier);
        break;
      case 1:
        if (operands.empty()) return false;
        operands.pop_back();
        break;
      default:
        if (operands.empty()) return false;
        operands[Below(static_cast<int64_t>(operands.size()))] = earlier;
    }
    victim->set_operands(operands);
    return true;
  }

  bool LeaveOut(Instruction* victim) {
    const auto& entries = victim->attributes().entries();
    if (entries.empty()) return false;
    const Attr attr = (entries.begin() + Below(static_cast<int64_t>(entries.size())))->first;
    victim->EraseAttribute(attr);
    return true;
  }

  uint64_t state_;
};

std::unique_ptr<Module> CopyOf(const Module& module) {
  auto copy = std::make_unique<Module>(module.name());
  copy->replica_count = module.replica_count;
  copy->num_partitions = module.num_partitions;
  CalleeMap callees;
  CopyComputations(module, copy.get(), &callees);
  copy->set_entry(callees.at(module.entry()));
  return copy;
}

}  // namespace

std::optional<IllegalProgram> BreakProgram(const Module& module, uint64_t seed) {
  constexpr int kTries = 12;
  Breaker breaker(seed);
  for (int tries = 0; tries < kTries; ++tries) {
    IllegalProgram program;
    program.module = CopyOf(module);
    const Instruction* const changed = breaker.Break(program.module.get());
    if (changed == nullptr) continue;
    const Verification verification = VerifyModule(*program.module);
    if (verification.ok()) continue;
    program.clause = verification.findings.front().clause;
    program.operation = std::string(Name(changed->opcode()));
    return program;
  }
  return std::nullopt;
}

}  // namespace assay::fuzz
