// Edits computations: adds and replaces instructions. At the end the instructions are sorted
// topologically and unused ones are removed. Tests: passes_test.cc.
#ifndef ASSAY_BACKENDS_PASSES_EDITOR_H_
#define ASSAY_BACKENDS_PASSES_EDITOR_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "spec/ir/module.h"

namespace assay::passes {

// The computations of a module that have effects (analysis::FindEffectful).
using EffectSet = absl::flat_hash_set<const Computation*>;
EffectSet EffectsOf(const Module& module);

// Returns the computations that run as such: the entry and those that control flow calls. Kernels
// apply all others.
std::vector<Computation*> RunningComputations(const Module& module);

// The edits of a module. Apply makes a new module of them.
class ModuleEditor {
 public:
  explicit ModuleEditor(Module& module) : module_(module), effects_(EffectsOf(module)) {
    module.set_entry(module.entry());
  }

  Module& module() { return module_; }
  const EffectSet& effects() const { return effects_; }
  // Returns the instructions of a computation as edited so far.
  std::vector<Instruction*> Instructions(const Computation& computation) const;
  Instruction* Root(const Computation& computation) const {
    const auto edited = roots_.find(&computation);
    return edited != roots_.end() ? edited->second : computation.root();
  }
  bool changed() const { return !orders_.empty() || drops_; }
  // Removes the computations that the entry does not reach.
  void DropUncalled();

  // Replaces the module by the edited one and returns true if there were changes.
  bool Apply(std::unique_ptr<Module>& module);

 private:
  friend class Editor;
  Module& module_;
  const EffectSet effects_;
  absl::flat_hash_map<const Computation*, std::vector<Instruction*>> orders_;
  absl::flat_hash_map<const Computation*, Instruction*> roots_;
  bool drops_ = false;
};

class Editor {
 public:
  // Edits a computation of the module. A computation may be edited once.
  Editor(Computation& computation, ModuleEditor& module)
      : computation_(computation), module_(module), effects_(module.effects()) {}

  // Returns true if the instruction may be replaced, moved or removed: it has no effect and no
  // control dependencies.
  bool IsFree(const Instruction& instruction);
  // Adds an instruction whose operands are in the computation.
  Instruction* Add(std::unique_ptr<Instruction> instruction);
  Instruction* Add(Opcode opcode, const Shape& shape, absl::Span<Instruction* const> operands);
  // Makes all uses of `instruction` uses of `by`, which has the same shape.
  void Replace(const Instruction* instruction, Instruction* by);
  // Returns the current replacement of an instruction, which may be itself.
  Instruction* Now(Instruction* instruction) const;
  bool changed() const { return changed_; }
  void set_changed() { changed_ = true; }

  // Applies the replacements. Keeps the root, parameters, effects and the instructions that they
  // need.
  void Finish();

 private:
  Computation& computation_;
  ModuleEditor& module_;
  const EffectSet& effects_;
  absl::flat_hash_map<const Instruction*, Instruction*> replaced_;
  absl::flat_hash_set<const Instruction*> ordered_;  // instructions with control dependencies
  bool knows_order_ = false;
  bool changed_ = false;
};

// The instructions that read each instruction of a computation, by index.
std::vector<std::vector<Instruction*>> UsersOf(const Computation& computation);

// Returns true if two instructions have equal attributes.
bool SameAttributes(const Instruction& a, const Instruction& b);

}  // namespace assay::passes

#endif  // ASSAY_BACKENDS_PASSES_EDITOR_H_
