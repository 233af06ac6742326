// Edits computations: instructions are added and take each other's place, and at the end the lists
// are put in order again, without what nobody needs any more. Tests: passes_test.cc.
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

// The computations that run as such: the entry, and what control flow calls. Kernels apply others.
std::vector<Computation*> RunningComputations(const Module& module);

// The edits of a module, which become a new module in the end.
class ModuleEditor {
 public:
  explicit ModuleEditor(Module& module) : module_(module), effects_(EffectsOf(module)) {
    module.set_entry(module.entry());
  }

  Module& module() { return module_; }
  const EffectSet& effects() const { return effects_; }
  // The instructions of a computation as edited so far.
  std::vector<Instruction*> Instructions(const Computation& computation) const;
  Instruction* Root(const Computation& computation) const {
    const auto edited = roots_.find(&computation);
    return edited != roots_.end() ? edited->second : computation.root();
  }
  bool changed() const { return !orders_.empty() || drops_; }
  // Computations that the entry does not reach are dropped, if there are any.
  void DropUncalled();

  // Puts the edited module in the place of the module, if there were changes. Returns true then.
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
  // Of a computation of the module, edited once.
  Editor(Computation& computation, ModuleEditor& module)
      : computation_(computation), module_(module), effects_(module.effects()) {}

  // Returns true if the instruction may be replaced, moved or left out: it has no effect and no
  // control dependencies.
  bool IsFree(const Instruction& instruction);
  // Adds an instruction whose operands are in the computation.
  Instruction* Add(std::unique_ptr<Instruction> instruction);
  Instruction* Add(Opcode opcode, const Shape& shape, absl::Span<Instruction* const> operands);
  // Uses of `instruction` become uses of `by`, which has the same shape.
  void Replace(const Instruction* instruction, Instruction* by);
  // What stands for an instruction now.
  Instruction* Now(Instruction* instruction) const;
  bool changed() const { return changed_; }
  void set_changed() { changed_ = true; }

  // Applies the replacements. Parameters, effects and what they and the root need are kept.
  void Finish();

 private:
  Computation& computation_;
  ModuleEditor& module_;
  const EffectSet& effects_;
  absl::flat_hash_map<const Instruction*, Instruction*> replaced_;
  absl::flat_hash_set<const Instruction*> ordered_;  // that others wait for
  bool knows_order_ = false;
  bool changed_ = false;
};

// The number of uses of each instruction of a computation, by index; the root has one more.
std::vector<std::vector<Instruction*>> UsersOf(const Computation& computation);

// Whether two instructions have equal attributes.
bool SameAttributes(const Instruction& a, const Instruction& b);

}  // namespace assay::passes

#endif  // ASSAY_BACKENDS_PASSES_EDITOR_H_
