// Where a defect is put: one instruction of a module that is being copied. The defect says what
// stands in its place: the same operation with other attributes or callees, other operations, or a
// function of this process (a custom call that is known to the copy alone).
// Tests: mutants_test.cc.
#ifndef ASSAY_CONFORMANCE_MUTANTS_SITE_H_
#define ASSAY_CONFORMANCE_MUTANTS_SITE_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "interpreter/custom_call.h"
#include "spec/builder/copy_module.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// A value from values; `original` is the instruction in whose place it is computed, and lives as
// long as the module that is run.
using HostFunction = std::function<absl::StatusOr<Literal>(
    const Instruction& original, absl::Span<const Literal> operands, const CustomCall& call)>;

class Site {
 public:
  Site(const Instruction& original, const InstructionMap& instructions, const CalleeMap& callees,
       Module* module, Computation* computation, CustomCallRegistry* registry)
      : original_(original),
        instructions_(instructions),
        callees_(callees),
        module_(module),
        computation_(computation),
        registry_(registry) {}

  const Instruction& original() const { return original_; }
  Instruction* operand(int64_t k) const { return instructions_.at(original_.operand(k)); }
  std::vector<Instruction*> operands() const;
  // What stands in the place of an earlier instruction of the same computation.
  Instruction* copy_of(const Instruction& earlier) const { return instructions_.at(&earlier); }

  // The instruction as it was.
  Instruction* Unchanged() { return Edited(nullptr); }
  // As it was but for what `edit` changes; null where that would not be a legal instruction of the
  // same shape.
  Instruction* Edited(const std::function<void(Instruction&)>& edit);
  // A new instruction; null where it would not be legal.
  Instruction* Make(Opcode opcode, const Shape& shape, absl::Span<Instruction* const> operands,
                    const std::function<void(Instruction&)>& edit = nullptr);
  // A value that a function of this process computes.
  Instruction* Call(absl::Span<Instruction* const> operands, const Shape& shape,
                    HostFunction function);
  // A copy of a computation that the instruction calls, `edit` applied to every instruction of it
  // but for those within its fusions.
  Computation* EditedCallee(Attr attr, const std::function<void(Instruction&)>& edit);

 private:
  Computation* CopyCallee(const Computation& callee, const std::function<void(Instruction&)>& edit);
  Instruction* AddChecked(std::unique_ptr<Instruction> instruction);

  const Instruction& original_;
  const InstructionMap& instructions_;
  const CalleeMap& callees_;
  Module* module_;
  Computation* computation_;
  CustomCallRegistry* registry_;
};

// What stands in the place of the instruction; null: the defect does not show there.
using Defect = std::function<Instruction*(Site&)>;

// A module with a defect in it. Its functions refer to the original, which must outlive it.
struct DefectiveModule {
  std::unique_ptr<Module> module;
  std::unique_ptr<CustomCallRegistry> registry;  // of its custom calls
  int64_t sites = 0;                             // where the defect shows
};

// Puts the defect in the place of every instruction with one of the opcodes, but for those of fused
// and wrapped computations, and of the regions that other operations apply to elements. The result
// has the custom calls of `base`, too, which must outlive it and may be null.
DefectiveModule PutInto(const Module& module, absl::Span<const Opcode> opcodes,
                        const Defect& defect, const CustomCallRegistry* base);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_MUTANTS_SITE_H_
