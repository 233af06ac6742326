// The reduction of modules and of their values.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "fuzz/reduce/answers.h"
#include "fuzz/reduce/attribute_edits.h"
#include "fuzz/reduce/budgeted.h"
#include "fuzz/reduce/called_cuts.h"
#include "fuzz/reduce/module_cuts.h"
#include "fuzz/reduce/module_edits.h"
#include "fuzz/reduce/reducer.h"
#include "fuzz/reduce/simpler_values.h"
#include "spec/builder/copy_module.h"

namespace assay::fuzz {
namespace {

// The module as it is.
Cut WholeOf(const Module& module, absl::Span<const DeviceInputs> inputs) {
  Cut cut;
  cut.module = std::make_unique<Module>(module.name());
  cut.module->replica_count = module.replica_count;
  cut.module->num_partitions = module.num_partitions;
  CalleeMap callees;
  CopyComputations(module, cut.module.get(), &callees);
  cut.module->set_entry(callees.at(module.entry()));
  cut.inputs.assign(inputs.begin(), inputs.end());
  return cut;
}

class ModuleReducer {
 public:
  ModuleReducer(const Module& module, absl::Span<const DeviceInputs> inputs,
                const ShowsModule& shows, const ReduceLimits& limits)
      : now_(WholeOf(module, inputs)), shows_(shows), questions_(limits) {
    asked_.insert(QuestionHash(*now_.module, now_.inputs));
  }

  ReducedModule Run() {
    if (HasEffects(*now_.module)) {
      SimplifyValues();
    } else {
      // Each part can make a step of an earlier one possible.
      int64_t before = -1;
      while (before != steps_) {
        before = steps_;
        SimplifyModule();
        SimplifyValues();
      }
    }
    now_.module->UniquifyNames();
    return {std::move(now_.module), std::move(now_.inputs), questions_.asked(),
            !questions_.refused()};
  }

 private:
  void SimplifyModule() {
    bool smaller = true;
    while (smaller) {
      smaller = TakeRoot();
      smaller |= DropOutputs();
      smaller |= CutAbove();
      smaller |= Inline();
      smaller |= CutInCallees();
    }
    TakeOneElement();
    ShrinkSizes();
    NarrowTypes();
    SimplifyAttributes();
    LowerConstants();
  }

  // Asks once about each module with its values: later rounds meet refused ones again, and a step
  // that leads back to an earlier module would never end.
  bool Shows(const Module& module, absl::Span<const DeviceInputs> inputs) {
    if (questions_.refused()) return false;
    const auto [question, is_new] = asked_.insert(QuestionHash(module, inputs));
    if (!is_new || !questions_.Ask() || !shows_(module, inputs)) return false;
    ++steps_;
    return true;
  }

  bool Try(std::optional<Cut> candidate) {
    if (!candidate || !Shows(*candidate->module, candidate->inputs)) return false;
    now_ = *std::move(candidate);
    return true;
  }

  // An earlier instruction as the root; those that come from least first.
  bool TakeRoot() {
    const Computation& entry = *now_.module->entry();
    for (const auto& each : entry.instructions()) {
      if (each.get() == entry.root() || each->opcode() == Opcode::kParameter ||
          each->opcode() == Opcode::kConstant) {
        continue;
      }
      if (Try(CutModule(*now_.module, now_.inputs, *each, {}, {}))) return true;
    }
    return false;
  }

  // One result of several less, and what leads to it alone.
  bool DropOutputs() {
    bool smaller = false;
    for (int64_t k = now_.module->entry()->root()->operand_count() - 1; k >= 0; --k) {
      std::optional<Cut> fewer = WithoutOutput(*now_.module, now_.inputs, k);
      if (!fewer) break;
      smaller |=
          Try(CutModule(*fewer->module, fewer->inputs, *fewer->module->entry()->root(), {}, {}));
    }
    return smaller;
  }

  // Parameters with golden values in the place of instructions, the later ones first.
  bool CutAbove() {
    const EntryValues values = TraceEntry(*now_.module, now_.inputs);
    if (values.size() != now_.inputs.size()) return false;
    const Computation& entry = *now_.module->entry();
    for (int64_t i = entry.instruction_count() - 1; i >= 0; --i) {
      const Instruction* const each = entry.instruction(i);
      if (each == entry.root() || each->opcode() == Opcode::kParameter ||
          each->shape().is_dynamic() || !values[0].contains(each)) {
        continue;
      }
      const bool has_token = std::any_of(values.begin(), values.end(), [&](const auto& own) {
        return own.at(each).shape().is_token();
      });
      if (has_token || each->opcode() == Opcode::kConstant) continue;
      if (Try(CutModule(*now_.module, now_.inputs, *entry.root(), {each}, values))) return true;
    }
    return false;
  }

  bool Inline() {
    for (const Inlining& inlining : Inlinings(*now_.module)) {
      if (Try(WithInlined(*now_.module, now_.inputs, inlining))) return true;
    }
    return false;
  }

  // Smaller computations of calls, fusions, branches and loops that cannot be inlined.
  bool CutInCallees() {
    bool smaller = Try(WithoutAllUnused(*now_.module, now_.inputs));
    for (size_t c = 0; c < now_.module->computations().size(); ++c) {
      int64_t i = now_.module->computations()[c]->instruction_count();
      while (c < now_.module->computations().size() && i-- > 0) {
        const Computation& computation = *now_.module->computations()[c];
        if (i >= computation.instruction_count()) continue;
        const Instruction& op = *computation.instruction(i);
        smaller |= &computation == now_.module->entry() ? CutSignature(op) : CutInCallee(op);
      }
    }
    // Arguments that nothing takes any more.
    if (smaller) Try(CutModule(*now_.module, now_.inputs, *now_.module->entry()->root(), {}, {}));
    return smaller;
  }

  // One instruction of a called computation less.
  bool CutInCallee(const Instruction& op) {
    if (op.opcode() == Opcode::kParameter) return false;
    if (Try(WithoutUnused(*now_.module, now_.inputs, op)) || CutSignature(op)) return true;
    if (op.opcode() == Opcode::kConstant || IsOperationOfARegion(*now_.module, op) ||
        CountersOfLoops(*now_.module).contains(&op)) {
      return false;
    }
    const std::vector<Instruction*> parameters = op.parent()->parameters();
    for (const absl::Span<Instruction* const> others :
         {op.operands(), absl::Span<Instruction* const>(parameters)}) {
      for (const Instruction* other : others) {
        if (Try(WithEarlier(*now_.module, now_.inputs, op, *other))) return true;
      }
    }
    return Try(WithZeros(*now_.module, now_.inputs, op));
  }

  // One result or operand of a call less.
  bool CutSignature(const Instruction& call) {
    const int64_t results =
        call.shape().is_tuple() ? static_cast<int64_t>(call.shape().tuple_shapes().size()) : 0;
    for (int64_t k = 0; k < results; ++k) {
      if (Try(WithoutResult(*now_.module, now_.inputs, call, k))) return true;
    }
    for (int64_t k = 0; k < call.operand_count(); ++k) {
      if (Try(WithoutOperand(*now_.module, now_.inputs, call, k))) return true;
    }
    return false;
  }

  // Each size as small as the finding lets it be, the largest sizes first.
  void ShrinkSizes() {
    for (const int64_t size : DimensionSizes(*now_.module)) {
      for (const int64_t smaller : {int64_t{1}, int64_t{2}, size / 2, size - 1}) {
        if (smaller < 1 || smaller >= size) continue;
        if (Try(WithSmallerSize(*now_.module, now_.inputs, size, smaller))) break;
      }
    }
  }

  void NarrowTypes() {
    for (int64_t step = 0; step < TypeEdits(); ++step) {
      Try(WithNarrowerTypes(*now_.module, now_.inputs, step));
    }
  }

  void SimplifyAttributes() {
    for (size_t c = 0; c < now_.module->computations().size(); ++c) {
      for (int64_t i = 0; i < now_.module->computations()[c]->instruction_count(); ++i) {
        while (SimplifyAttribute(*now_.module->computations()[c]->instruction(i))) {
        }
      }
    }
  }
  bool SimplifyAttribute(const Instruction& op) {
    for (const AttributeEdit& edit : SimplerAttributes(op)) {
      if (Try(WithSimplerAttribute(*now_.module, now_.inputs, op, edit))) return true;
    }
    return false;
  }

  // Bounds of loops, and other integers.
  void LowerConstants() {
    for (int64_t place = 0; place < ScalarConstants(*now_.module); ++place) {
      for (const int64_t divisor : {8, 2}) {
        if (Try(WithSmallerConstant(*now_.module, now_.inputs, place, divisor))) break;
      }
    }
  }

  void TakeOneElement() {
    const Shape& shape = now_.module->entry()->root()->shape();
    if (!shape.is_array()) return;
    const int64_t count = std::min<int64_t>(shape.element_count(), 64);
    for (int64_t i = 0; i < count; ++i) {
      std::optional<Cut> one = OnOneElement(*now_.module, now_.inputs, i);
      if (!one || Try(std::move(one))) return;
    }
  }

  bool TryValue(size_t device, size_t parameter, Literal value) {
    if (Literal::BitEqual(value, now_.inputs[device].arguments[parameter])) return false;
    std::vector<DeviceInputs> inputs = now_.inputs;
    inputs[device].arguments[parameter] = std::move(value);
    if (!Shows(*now_.module, inputs)) return false;
    now_.inputs = std::move(inputs);
    return true;
  }

  // All elements zero; all the first one; all integers, all powers of two; then one by one.
  void SimplifyValues() {
    for (size_t device = 0; device < now_.inputs.size(); ++device) {
      for (size_t k = 0; k < now_.inputs[device].arguments.size(); ++k) SimplifyValue(device, k);
    }
  }
  void SimplifyValue(size_t device, size_t k) {
    const Literal before = now_.inputs[device].arguments[k];
    if (!before.is_array() || before.element_count() == 0 || before.shape().is_dynamic()) return;
    if (TryValue(device, k, Literal::Zeros(before.shape()))) return;
    Literal uniform = before;
    for (int64_t i = 1; i < before.element_count(); ++i) uniform.Set(i, before.Get(0));
    if (TryValue(device, k, uniform)) return;
    for (const SimplerValue simpler : {NearestInteger, NearestPowerOfTwo}) {
      Literal all = now_.inputs[device].arguments[k];
      for (int64_t i = 0; i < all.element_count(); ++i) {
        all.Set(i, SimplerElement(all.element_type(), all.Get(i), simpler));
      }
      TryValue(device, k, std::move(all));
    }
    const int64_t count = std::min<int64_t>(before.element_count(), 32);
    for (int64_t i = 0; i < count; ++i) SimplifyElement(device, k, i);
  }
  // The simplest value that shows the finding.
  void SimplifyElement(size_t device, size_t k, int64_t i) {
    for (const SimplerValue simpler : kSimplerValues) {
      Literal changed = now_.inputs[device].arguments[k];
      const Element before = changed.Get(i);
      const Element after = SimplerElement(changed.element_type(), before, simpler);
      if (after == before) continue;
      changed.Set(i, after);
      if (TryValue(device, k, std::move(changed))) return;
    }
  }

  Cut now_;
  const ShowsModule& shows_;
  Questions questions_;
  absl::flat_hash_set<std::string> asked_;
  int64_t steps_ = 0;  // the number of steps that kept the finding
};

}  // namespace

ReducedModule ReduceModule(const Module& module, absl::Span<const DeviceInputs> inputs,
                           const ShowsModule& shows, const ReduceLimits& limits) {
  return ModuleReducer(module, inputs, shows, limits).Run();
}

}  // namespace assay::fuzz
