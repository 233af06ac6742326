// The computations that instructions call: begun, filled and ended by ProgramWriter.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "fuzz/programs/writer.h"
#include "spec/builder/copy_module.h"

namespace assay::fuzz {

void ProgramWriter::BeginComputation(absl::string_view name, RowPlace place) {
  Scope& inner = scopes_.emplace_back();
  inner.computation = std::make_unique<Computation>(
      scopes_.size() == 1 ? std::string(name) : absl::StrCat(name, names_++));
  inner.place = place;
}

Instruction* ProgramWriter::ComputationParameter(const Shape& shape) {
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, shape);
  int64_t number = 0;
  for (const auto& each : scope().computation->instructions()) {
    number += each->opcode() == Opcode::kParameter ? 1 : 0;
  }
  parameter->set_parameter_number(number);
  Instruction* const made = Append(std::move(parameter));
  Offer(made);
  return made;
}

Computation* ProgramWriter::EndComputation(Instruction* root) {
  std::unique_ptr<Computation> computation = std::move(scope().computation);
  scopes_.pop_back();
  computation->set_root(root);
  return Keep(std::move(computation));
}

Computation* ProgramWriter::Keep(std::unique_ptr<Computation> computation) {
  if (idiom_depth_ == 0 || !grammar_.names_operations()) {
    return module().Add(std::move(computation));
  }
  return ended_.emplace_back(std::move(computation)).get();
}

void ProgramWriter::AddCalledComputations() {
  absl::flat_hash_set<const Computation*> called;
  const auto add_callees_of = [&](const Computation& computation) {
    for (const auto& each : computation.instructions()) {
      for (const Computation* callee : each->called_computations()) called.insert(callee);
    }
  };
  for (const Scope& open : scopes_) add_callees_of(*open.computation);
  // Callees come before callers.
  for (size_t i = ended_.size(); i-- > 0;) {
    if (called.contains(ended_[i].get())) add_callees_of(*ended_[i]);
  }
  for (std::unique_ptr<Computation>& each : ended_) {
    if (called.contains(each.get())) module().Add(std::move(each));
  }
  ended_.clear();
}

Instruction* ProgramWriter::FinishCopy(std::unique_ptr<Instruction> copy) {
  int64_t count = 0;
  for (const Shape* leaf : Leaves(copy->shape())) {
    const int64_t own = CountOf(leaf->dimensions());
    if (own > limits().elements) return nullptr;
    count += own;
  }
  if (count > 1 && elements_ + count > limits().all_elements) return nullptr;
  elements_ += count;
  Instruction* const made = Append(std::move(copy));
  Offer(made);
  return made;
}

Computation* ProgramWriter::CopyComputation(
    const Computation& original,
    const absl::flat_hash_map<const Computation*, Computation*>& callees) {
  std::unique_ptr<Computation> own = EmptyCopy(original);
  own->set_name(absl::StrCat("copy", names_++));
  InstructionMap instructions;
  for (const auto& each : original.instructions()) {
    std::unique_ptr<Instruction> copy = CopyInstruction(*each, instructions, callees);
    copy->set_name(NewName(each->opcode() == Opcode::kParameter ? 'p' : 'v'));
    instructions[each.get()] = own->Add(std::move(copy));
  }
  own->set_root(instructions.at(original.root()));
  return Keep(std::move(own));
}

Instruction* ProgramWriter::ElementwiseStep(Instruction* value) {
  static constexpr Opcode kSteps[] = {
      Opcode::kAdd,     Opcode::kMultiply, Opcode::kMaximum, Opcode::kSubtract, Opcode::kNegate,
      Opcode::kMinimum, Opcode::kAbs,      Opcode::kXor,     Opcode::kAnd,      Opcode::kOr,
      Opcode::kNot,     Opcode::kTanh,     Opcode::kFloor,   Opcode::kDivide,   Opcode::kSign,
      Opcode::kExp,     Opcode::kPopcnt,   Opcode::kClz,     Opcode::kSqrt,     Opcode::kPower};
  const ElementType type = value->shape().element_type();
  const int64_t first = choices().Below(std::size(kSteps));
  for (size_t k = 0; k < std::size(kSteps); ++k) {
    const Opcode opcode = kSteps[(first + k) % std::size(kSteps)];
    const absl::Span<const ElementType> types = LegalTypes(opcode);
    if (std::find(types.begin(), types.end(), type) == types.end()) continue;
    if (opcode == Opcode::kAbs && IsComplex(type)) continue;
    std::vector<Instruction*> operands = {value};
    if (Info(opcode).arity == 2) operands.push_back(LikeArray(value));
    if (choices().OneIn(2)) std::reverse(operands.begin(), operands.end());
    Instruction* const made = FinishAs(Start(opcode, operands), value->shared_shape());
    return made == nullptr ? value : made;
  }
  return value;
}

Instruction* ProgramWriter::ResultOf(const Shape& shape) {
  const std::vector<Instruction*>& values = scope().values;
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    if (!(*value)->shape().is_dynamic() && Shape::Compatible((*value)->shape(), shape)) {
      return *value;
    }
  }
  return ArrayOf(shape.element_type(), shape.dimensions());
}

Instruction* ProgramWriter::UnusedValues(bool with_parameters) {
  // What the entry returns at most; a fused computation must use everything.
  const size_t most_results = 24;
  std::vector<bool> used(scope().computation->instruction_count());
  for (const auto& each : scope().computation->instructions()) {
    for (const Instruction* operand : each->operands()) used[operand->index()] = true;
  }
  std::vector<Instruction*> results;
  for (const auto& each : scope().computation->instructions()) {
    if (!each->shape().is_array() || used[each->index()]) continue;
    const bool computes =
        each->opcode() != Opcode::kParameter && each->opcode() != Opcode::kConstant;
    if (computes || with_parameters) results.push_back(each.get());
  }
  if (results.empty()) {
    for (const auto& each : scope().computation->instructions()) {
      if (each->shape().is_array()) results = {each.get()};
    }
  }
  if (results.empty()) return NewArray(ElementType::kF32, {2});
  if (!with_parameters && results.size() > most_results) {
    results.erase(results.begin(), results.end() - most_results);
  }
  return results.size() == 1 ? results[0] : TupleOf(results);
}

Instruction* ProgramWriter::LastToken() {
  if (last_token_ == nullptr) {
    last_token_ = Append(Start(Opcode::kAfterAll, {}, Shape::Token()));
  }
  return last_token_;
}

}  // namespace assay::fuzz
