#include "spec/ir/module.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace assay {

Computation::Computation(std::string name) : name_(std::move(name)) {}
Computation::~Computation() = default;

Instruction* Computation::Add(std::unique_ptr<Instruction> instruction) {
  instruction->parent_ = this;
  instruction->index_ = static_cast<int64_t>(instructions_.size());
  if (instruction->opcode() == Opcode::kParameter) parameters_.push_back(instruction.get());
  instructions_.push_back(std::move(instruction));
  return instructions_.back().get();
}

Instruction* Computation::InsertBefore(const Instruction* before,
                                       std::unique_ptr<Instruction> instruction) {
  instruction->parent_ = this;
  const int64_t index = before->index();
  if (instruction->opcode() == Opcode::kParameter) parameters_.push_back(instruction.get());
  Instruction* inserted =
      instructions_.insert(instructions_.begin() + index, std::move(instruction))->get();
  for (int64_t i = index; i < instruction_count(); ++i) instructions_[i]->index_ = i;
  return inserted;
}

Instruction* Computation::root() const {
  if (root_ != nullptr) return root_;
  return instructions_.empty() ? nullptr : instructions_.back().get();
}

Instruction* Computation::Find(absl::string_view name) const {
  for (const auto& instruction : instructions_) {
    if (instruction->name() == name) return instruction.get();
  }
  return nullptr;
}

std::vector<Instruction*> Computation::parameters() const {
  std::vector<Instruction*> parameters;
  for (Instruction* instruction : parameters_) {
    const int64_t number = instruction->parameter_number();
    // A valid computation has as many parameters as its largest number says.
    if (number < 0 || number >= instruction_count()) continue;
    if (number >= static_cast<int64_t>(parameters.size())) parameters.resize(number + 1);
    parameters[number] = instruction;
  }
  return parameters;
}

ProgramShape Computation::program_shape() const {
  ProgramShape shape;
  for (const Instruction* parameter : parameters()) {
    shape.parameters.push_back(parameter == nullptr ? Shape() : parameter->shape());
    shape.parameter_names.push_back(parameter == nullptr ? "" : parameter->name());
  }
  if (const Instruction* result = root()) shape.result = result->shape();
  return shape;
}

Module::Module(std::string name) : name_(std::move(name)) {}
Module::~Module() = default;

Computation* Module::Add(std::unique_ptr<Computation> computation) {
  computation->parent_ = this;
  computations_.push_back(std::move(computation));
  return computations_.back().get();
}

Computation* Module::Find(absl::string_view name) const {
  for (const auto& computation : computations_) {
    if (computation->name() == name) return computation.get();
  }
  return nullptr;
}

Computation* Module::entry() const {
  if (entry_ != nullptr) return entry_;
  return computations_.empty() ? nullptr : computations_.back().get();
}

namespace {

// The number at the end of a name, if it has one.
bool HasNumber(absl::string_view name, size_t* root_size, int64_t* number) {
  const size_t dot = name.rfind('.');
  *root_size = dot;
  return dot != absl::string_view::npos && dot > 0 &&
         absl::SimpleAtoi(name.substr(dot + 1), number);
}

// Hands out unique names by the rule of hlo_text_format.md 3.3: a name is a root and a number (0
// when it has none); a used pair gets the smallest free number from a counter per root.
class NamePool {
 public:
  // Makes `name` unique in place. It is not copied, as there may be very many: until the pool is
  // gone it must stay where it is and as it is.
  void Unique(std::string& name) {
    size_t root_size = 0;
    int64_t number = 0;
    if (!HasNumber(name, &root_size, &number)) {
      root_size = name.size();
      number = 0;
    } else if (absl::StrCat(number) != absl::string_view(name).substr(root_size + 1)) {
      SetNumber(name, root_size, number);  // without leading zeros
    }
    if (Take(name, root_size, number)) return;
    int64_t& next = next_[absl::string_view(name).substr(0, root_size)];
    do {
      number = next++;
      SetNumber(name, root_size, number);
    } while (!Take(name, root_size, number));
  }

 private:
  static void SetNumber(std::string& name, size_t root_size, int64_t number) {
    name.resize(root_size);
    absl::StrAppend(&name, ".", number);
  }
  // "a" and "a.0" are the same pair. Not so "a.1" and "a.1.0": "a.1" is number 1 of another root.
  bool Take(absl::string_view name, size_t root_size, int64_t number) {
    size_t unused_size;
    int64_t unused_number;
    const absl::string_view root = name.substr(0, root_size);
    const bool by_root = number == 0 && !HasNumber(root, &unused_size, &unused_number);
    return taken_.insert(by_root ? root : name).second;
  }

  absl::flat_hash_set<absl::string_view> taken_;
  absl::flat_hash_map<std::string, int64_t> next_;  // of roots that came again
};

}  // namespace

void Module::UniquifyNames(const Computation* first) {
  NamePool instruction_names;
  NamePool computation_names;
  auto uniquify = [&](Computation& computation) {
    for (const auto& instruction : computation.instructions()) {
      instruction_names.Unique(instruction->name_);
    }
    computation_names.Unique(computation.name_);
  };
  for (const auto& computation : computations_) {
    if (computation.get() == first) uniquify(*computation);
  }
  for (const auto& computation : computations_) {
    if (computation.get() != first) uniquify(*computation);
  }
}

void Module::AssignIds() {
  absl::flat_hash_set<int64_t> used;
  for (const auto& computation : computations_) {
    used.insert(computation->id());
    for (const auto& instruction : computation->instructions()) used.insert(instruction->id());
  }
  int64_t next = 1;
  auto fresh = [&] {
    while (used.contains(next)) ++next;
    return next++;
  };
  for (const auto& computation : computations_) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->id() == 0) instruction->set_id(fresh());
    }
    if (computation->id() == 0) computation->set_id(fresh());
  }
}

int64_t Module::instruction_count() const {
  int64_t count = 0;
  for (const auto& computation : computations_) count += computation->instruction_count();
  return count;
}

}  // namespace assay
