#include "spec/ir/module.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace assay {

Instruction* Computation::Add(std::unique_ptr<Instruction> instruction) {
  instruction->parent_ = this;
  instruction->index_ = static_cast<int64_t>(instructions_.size());
  instructions_.push_back(std::move(instruction));
  return instructions_.back().get();
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
  for (const auto& instruction : instructions_) {
    if (instruction->opcode() != Opcode::kParameter) continue;
    const int64_t number = instruction->parameter_number();
    // A valid computation has as many parameters as its largest number says.
    if (number < 0 || number >= instruction_count()) continue;
    if (number >= static_cast<int64_t>(parameters.size())) parameters.resize(number + 1);
    parameters[number] = instruction.get();
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

// Hands out unique names by the rule of hlo_text_format.md 3.3: a name is a root and a number; a
// used pair gets the smallest free number from a counter per root.
class NamePool {
 public:
  std::string Unique(absl::string_view name) {
    std::string root(name);
    int64_t number = 0;
    bool has_number = false;
    const size_t dot = name.rfind('.');
    if (dot != absl::string_view::npos && dot > 0 &&
        absl::SimpleAtoi(name.substr(dot + 1), &number) && IsDigits(name.substr(dot + 1))) {
      root = std::string(name.substr(0, dot));
      has_number = true;
    } else {
      number = 0;
    }
    Root& used = roots_[root];
    if (!used.taken.insert(number).second) {
      while (!used.taken.insert(used.next).second) ++used.next;
      number = used.next++;
    }
    if (number == 0 && !has_number) return root;
    return absl::StrCat(root, ".", number);
  }

 private:
  struct Root {
    absl::flat_hash_set<int64_t> taken;
    int64_t next = 0;
  };
  static bool IsDigits(absl::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  }
  absl::flat_hash_map<std::string, Root> roots_;
};

}  // namespace

void Module::UniquifyNames() {
  NamePool instruction_names;
  NamePool computation_names;
  for (const auto& computation : computations_) {
    for (const auto& instruction : computation->instructions()) {
      std::string name = instruction_names.Unique(instruction->name());
      if (name != instruction->name()) instruction->set_name(std::move(name));
    }
    std::string name = computation_names.Unique(computation->name());
    if (name != computation->name()) computation->set_name(std::move(name));
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
