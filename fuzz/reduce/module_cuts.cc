#include "fuzz/reduce/module_cuts.h"

#include <algorithm>
#include <utility>

#include "backends/golden/golden_backend.h"
#include "spec/builder/copy_module.h"

namespace assay::fuzz {
namespace {

// Keeps the values of the entry's instructions.
class EntryObserver : public Observer {
 public:
  EntryObserver(const Computation* entry, int64_t devices) : entry_(entry), values_(devices) {}
  void Enter(const ProcessId& process) override { process_ = process; }
  absl::Status After(const Instruction& instruction, int64_t depth, const Literal& value) override {
    if (depth == 0 && instruction.parent() == entry_) {
      const auto device = static_cast<size_t>(process_.replica * partitions_ + process_.partition);
      if (device < values_.size()) values_[device][&instruction] = value;
    }
    return absl::OkStatus();
  }
  void set_partitions(int64_t partitions) { partitions_ = partitions; }
  EntryValues Take() { return std::move(values_); }

 private:
  const Computation* entry_;
  EntryValues values_;
  ProcessId process_;
  int64_t partitions_ = 1;
};

std::unique_ptr<Module> EmptyModule(const Module& module) {
  auto copy = std::make_unique<Module>(module.name());
  copy->replica_count = module.replica_count;
  copy->num_partitions = module.num_partitions;
  return copy;
}

// The instructions of the entry that the root comes from, `given` ones not looked behind.
absl::flat_hash_set<const Instruction*> Needed(
    const Instruction& root, const absl::flat_hash_set<const Instruction*>& given) {
  absl::flat_hash_set<const Instruction*> needed = {&root};
  std::vector<const Instruction*> open = {&root};
  while (!open.empty()) {
    const Instruction* const next = open.back();
    open.pop_back();
    if (given.contains(next)) continue;
    for (const Instruction* operand : next->operands()) {
      if (needed.insert(operand).second) open.push_back(operand);
    }
  }
  return needed;
}

// Copies the computations that a set of instructions calls, callees first.
class CalleeCopier {
 public:
  explicit CalleeCopier(Module* to) : to_(to) {}
  void Copy(const Computation& callee) {
    if (callees_.contains(&callee)) return;
    std::unique_ptr<Computation> own = EmptyCopy(callee);
    InstructionMap instructions;
    for (const auto& each : callee.instructions()) {
      for (const Computation* inner : each->called_computations()) Copy(*inner);
      instructions[each.get()] = own->Add(CopyInstruction(*each, instructions, callees_));
    }
    own->set_root(instructions.at(callee.root()));
    callees_[&callee] = to_->Add(std::move(own));
  }
  const CalleeMap& callees() const { return callees_; }

 private:
  Module* to_;
  CalleeMap callees_;
};

std::unique_ptr<Instruction> NewParameter(const Instruction& like, int64_t number) {
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, like.shared_shape());
  parameter->set_parameter_number(number);
  parameter->set_name(like.name());
  return parameter;
}

}  // namespace

EntryValues TraceEntry(const Module& module, absl::Span<const DeviceInputs> inputs) {
  EntryObserver observer(module.entry(), static_cast<int64_t>(inputs.size()));
  observer.set_partitions(module.num_partitions);
  GoldenOptions options;
  options.run.observers = {&observer};
  options.run.budget.threads = 1;
  GoldenBackend backend(options);
  CompileOptions compile;
  compile.observed = true;
  const absl::StatusOr<std::unique_ptr<Executable>> executable = backend.Compile(module, compile);
  if (!executable.ok()) return {};
  if (!RunOnDevices(backend, **executable, inputs).ok()) return {};
  return observer.Take();
}

Cut CutModule(const Module& module, absl::Span<const DeviceInputs> inputs, const Instruction& root,
              const absl::flat_hash_set<const Instruction*>& given, const EntryValues& values) {
  Cut cut;
  cut.module = EmptyModule(module);
  cut.inputs.resize(inputs.size());
  const absl::flat_hash_set<const Instruction*> needed = Needed(root, given);
  CalleeCopier copier(cut.module.get());
  for (const auto& each : module.entry()->instructions()) {
    if (!needed.contains(each.get()) || given.contains(each.get())) continue;
    for (const Computation* callee : each->called_computations()) copier.Copy(*callee);
  }
  std::unique_ptr<Computation> entry = EmptyCopy(*module.entry());
  InstructionMap instructions;
  int64_t parameters = 0;
  for (const auto& each : module.entry()->instructions()) {
    if (!needed.contains(each.get())) continue;
    const bool is_given = given.contains(each.get());
    if (!is_given && each->opcode() != Opcode::kParameter) {
      instructions[each.get()] = entry->Add(CopyInstruction(*each, instructions, copier.callees()));
      continue;
    }
    instructions[each.get()] = entry->Add(NewParameter(*each, parameters++));
    for (size_t device = 0; device < inputs.size(); ++device) {
      cut.inputs[device].arguments.push_back(
          is_given ? values[device].at(each.get()).WithShape(each->shape())
                   : inputs[device].arguments[each->parameter_number()]);
    }
  }
  entry->set_root(instructions.at(&root));
  cut.module->set_entry(cut.module->Add(std::move(entry)));
  return cut;
}

bool HasEffects(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      if (each->info().family == Family::kHost && each->opcode() != Opcode::kCustomCall) {
        return true;
      }
    }
  }
  return false;
}

std::optional<Cut> OnOneElement(const Module& module, absl::Span<const DeviceInputs> inputs,
                                int64_t element) {
  if (inputs.size() != 1) return std::nullopt;
  const Shape& whole = module.entry()->root()->shape();
  if (!whole.is_array() || whole.is_dynamic() || whole.element_count() <= 1) return std::nullopt;
  for (const auto& each : module.entry()->instructions()) {
    const bool plain = each->info().elementwise() || each->opcode() == Opcode::kParameter ||
                       each->opcode() == Opcode::kConstant;
    const bool fits =
        each->shape().is_array() &&
        (each->shape().dimensions() == whole.dimensions() || each->shape().rank() == 0);
    if (!plain || !fits) return std::nullopt;
  }
  const auto small = [&](const Shape& shape) {
    const int64_t one[] = {1};
    return shape.rank() == 0 ? shape : Shape(shape.element_type(), one);
  };
  const auto one_of = [&](const Literal& literal) {
    if (literal.shape().rank() == 0) return literal;
    Literal single = Literal::Zeros(small(literal.shape()));
    single.Set(0, literal.Get(element));
    return single;
  };
  Cut cut;
  cut.module = EmptyModule(module);
  cut.inputs.resize(1);
  cut.inputs[0].infeed = inputs[0].infeed;
  for (const Literal& argument : inputs[0].arguments) {
    cut.inputs[0].arguments.push_back(one_of(argument));
  }
  std::unique_ptr<Computation> own = EmptyCopy(*module.entry());
  InstructionMap instructions;
  for (const auto& each : module.entry()->instructions()) {
    std::unique_ptr<Instruction> other = CopyInstruction(*each, instructions, {});
    other->set_shape(small(each->shape()));
    if (each->literal() != nullptr) other->set_literal(one_of(*each->literal()));
    instructions[each.get()] = own->Add(std::move(other));
  }
  own->set_root(instructions.at(module.entry()->root()));
  cut.module->set_entry(cut.module->Add(std::move(own)));
  return cut;
}

}  // namespace assay::fuzz
