// Elements of a module's instructions on demand, each computed once. Calls, branches and turns of
// loops are activations: instructions of a called computation mean something else in each.
// Tests: explain_test.cc.
#ifndef ASSAY_INTERPRETER_DEMAND_H_
#define ASSAY_INTERPRETER_DEMAND_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "interpreter/demand_call.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay {

// A leaf of the value of an instruction, in one activation of its computation.
struct DemandedLeaf {
  int32_t activation = 0;
  const Instruction* instruction = nullptr;
  int64_t leaf = 0;
  friend bool operator==(const DemandedLeaf&, const DemandedLeaf&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const DemandedLeaf& p) {
    return H::combine(std::move(h), p.activation, p.instruction, p.leaf);
  }
};
struct ElementKey {
  DemandedLeaf place;
  int64_t position = 0;  // row major
  friend bool operator==(const ElementKey&, const ElementKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ElementKey& k) {
    return H::combine(std::move(h), k.place, k.position);
  }
};

class DemandMachine : public runtime::ComputationCaller {
 public:
  // The arguments must fit (CheckArguments).
  DemandMachine(const PlannedModule& module, absl::Span<const Literal> arguments,
                const RunBudget& budget);

  // The value of an element, with all that it needs.
  absl::StatusOr<Element> Evaluate(const ElementKey& key);
  // What computes the leaf: not a tuple, a call or their like. Names what it passes in `through`,
  // unless that is null. May need elements (of predicates); only for places that Evaluate has met.
  absl::StatusOr<DemandedLeaf> Resolve(DemandedLeaf place,
                                       std::vector<std::string>* through = nullptr);
  // The elements that one reads, in the order of the first reads, after Evaluate.
  absl::StatusOr<std::vector<ElementKey>> ReadsOf(const ElementKey& key);
  // "iteration 3 of w", ...: outermost first.
  std::vector<std::string> ContextOf(int32_t activation) const;

  static const Shape& ShapeOf(const DemandedLeaf& place);
  int64_t elements() const { return computed_; }
  int64_t steps() const { return budget_.spent(); }

  // Runs regions that are no scalar programs.
  absl::StatusOr<Literal> Call(const Computation& computation,
                               absl::Span<const Literal> arguments) override;

 private:
  class Operands;
  // An activation of a computation: who runs it, and which turn of a loop or branch it is.
  struct Activation {
    int32_t parent = -1;
    const Instruction* caller = nullptr;  // null: the entry
    const Computation* computation = nullptr;
    int64_t number = 0;          // turn or branch
    int32_t previous_turn = -1;  // the body's activation that made the state
  };
  struct ActivationKey {
    int32_t parent;
    const Instruction* caller;
    const Computation* computation;
    int64_t number;
    friend bool operator==(const ActivationKey&, const ActivationKey&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const ActivationKey& k) {
      return H::combine(std::move(h), k.parent, k.caller, k.computation, k.number);
    }
  };
  // An instruction in an activation of its computation.
  using Occurrence = std::pair<int32_t, const Instruction*>;
  // How far a loop has been followed.
  struct Turns {
    int64_t count = 0;
    bool ended = false;
    int32_t last_body = -1;
  };

  // One attempt: the value, or a postponement that names what is needed first (pending_).
  absl::StatusOr<Element> Attempt(const ElementKey& key);
  absl::StatusOr<Element> Compute(const ElementKey& key);
  absl::StatusOr<Element> ComputeByDefinition(const ElementKey& key);
  absl::StatusOr<Element> ComputeCall(const ElementKey& key);
  std::optional<Opcode> ElementwiseOp(const Instruction& custom_call) const;
  bool IsTransparent(const Instruction& instruction) const;
  absl::StatusOr<evaluator::Definition*> DefinitionOf(const DemandedLeaf& place);
  absl::StatusOr<DemandedLeaf> Enter(const DemandedLeaf& place);
  absl::StatusOr<DemandedLeaf> EnterConditional(const DemandedLeaf& place);
  absl::StatusOr<DemandedLeaf> EnterWhile(const DemandedLeaf& place);
  DemandedLeaf ArgumentOf(const DemandedLeaf& parameter) const;
  absl::StatusOr<int32_t> Activate(Activation activation);
  absl::Status Remember(int64_t bytes);

  const PlannedModule& module_;
  RunBudget limits_;
  runtime::Budget budget_;
  evaluator::EvaluationContext context_;
  int64_t bytes_ = 0;
  int64_t computed_ = 0;
  int depth_ = 0;
  ElementKey pending_;
  // Why the attempt under way has failed: definitions may ask for more all the same.
  absl::Status failure_;
  std::vector<std::vector<Literal>> arguments_;  // leaves by parameter
  std::vector<Activation> activations_;
  absl::flat_hash_map<ActivationKey, int32_t> activation_of_;
  // By what computes them; of postponed ones also by what was asked for.
  absl::flat_hash_map<ElementKey, Element> values_;
  absl::flat_hash_map<DemandedLeaf, DemandedLeaf> resolved_;  // of parameters
  absl::flat_hash_map<Occurrence, Turns> turns_;              // of loops
  absl::flat_hash_map<Occurrence, std::unique_ptr<evaluator::Definition>> definitions_;
  absl::flat_hash_map<Occurrence, std::unique_ptr<DemandedCall>> calls_;
};

}  // namespace assay

#endif  // ASSAY_INTERPRETER_DEMAND_H_
