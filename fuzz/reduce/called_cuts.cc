#include "fuzz/reduce/called_cuts.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "fuzz/reduce/module_edits.h"
#include "spec/builder/copy_module.h"

namespace assay::fuzz {
namespace {

// What is different in a copy of a module.
struct Change {
  absl::flat_hash_map<const Instruction*, const Instruction*> instead;  // an earlier instruction
  absl::flat_hash_set<const Instruction*> zeros;                        // become constants
  // Parameters only of a computation that one call or fusion calls, which loses the operands.
  absl::flat_hash_set<const Instruction*> dropped;
  // A tuple loses this operand. If it is the root of a call's computation, the call loses a result.
  const Instruction* smaller_tuple = nullptr;
  const Instruction* call = nullptr;
  int64_t result = 0;
  const Inlining* inlining = nullptr;
};

// Returns the call or fusion that is the only caller of a computation, or null.
const Instruction* OnlyCall(const Module& module, const Computation& callee) {
  const Instruction* call = nullptr;
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      for (const Computation* called : each->called_computations()) {
        if (called != &callee) continue;
        if (call != nullptr) return nullptr;
        call = each.get();
      }
    }
  }
  if (call == nullptr) return nullptr;
  const bool plain = call->opcode() == Opcode::kCall || call->opcode() == Opcode::kFusion;
  return plain ? call : nullptr;
}

// How many instructions of a computation take each of them; the root counts as taken once.
using UserCounts = absl::flat_hash_map<const Instruction*, int64_t>;
UserCounts CountUsers(const Computation& computation) {
  UserCounts users;
  for (const auto& each : computation.instructions()) {
    for (const Instruction* operand : each->operands()) ++users[operand];
    for (const Instruction* before : each->control_predecessors()) ++users[before];
  }
  ++users[computation.root()];
  return users;
}

bool IsUnused(const Instruction& op, const UserCounts& users) {
  return !users.contains(&op) && op.opcode() != Opcode::kParameter;
}

// Drops what only dropped and replaced instructions of the computation took.
void DropProducers(const Module& module, const Computation& computation, Change* change) {
  UserCounts left = CountUsers(computation);
  const auto gone = [&](const Instruction& op) {
    return change->dropped.contains(&op) || change->zeros.contains(&op) ||
           change->instead.contains(&op);
  };
  for (const auto& [op, other] : change->instead) {
    if (op->parent() == &computation) left[other] += left.at(op);
  }
  if (change->call != nullptr && change->call->called_computations()[0] == &computation) {
    --left[computation.root()->operand(change->result)];
  }
  const bool with_parameters = OnlyCall(module, computation) != nullptr;
  for (int64_t i = computation.instruction_count() - 1; i >= 0; --i) {
    const Instruction& op = *computation.instruction(i);
    const auto users = left.find(&op);
    if (!gone(op) && users != left.end() && users->second == 0 &&
        (with_parameters || op.opcode() != Opcode::kParameter)) {
      change->dropped.insert(&op);
    }
    if (!gone(op)) continue;
    for (const Instruction* operand : op.operands()) --left[operand];
  }
}

Shape WithoutElement(const Shape& tuple, int64_t element) {
  std::vector<Shape> shapes(tuple.tuple_shapes().begin(), tuple.tuple_shapes().end());
  shapes.erase(shapes.begin() + element);
  return Shape::Tuple(std::move(shapes));
}

void RemoveOperand(int64_t place, Instruction* op) {
  std::vector<Instruction*> operands(op->operands().begin(), op->operands().end());
  operands.erase(operands.begin() + place);
  op->set_operands(operands);
}

// Copies the entry and what it calls, callees first, with a change.
class ChangedCopy {
 public:
  ChangedCopy(const Module& module, const Change& change)
      : change_(change), copy_(std::make_unique<Module>(module.name())) {
    copy_->replica_count = module.replica_count;
    copy_->num_partitions = module.num_partitions;
    copy_->set_entry(CopyOf(*module.entry()));
  }
  std::unique_ptr<Module> Take() { return std::move(copy_); }

 private:
  Computation* CopyOf(const Computation& computation) {
    if (const auto known = callees_.find(&computation); known != callees_.end()) {
      return known->second;
    }
    std::unique_ptr<Computation> own = EmptyCopy(computation);
    InstructionMap instructions;
    for (const auto& each : computation.instructions()) Add(*each, own.get(), &instructions);
    own->set_root(instructions.at(computation.root()));
    Computation* const added = copy_->Add(std::move(own));
    callees_[&computation] = added;
    return added;
  }

  void Add(const Instruction& op, Computation* to, InstructionMap* instructions) {
    if (change_.dropped.contains(&op)) return;
    if (const auto other = change_.instead.find(&op); other != change_.instead.end()) {
      (*instructions)[&op] = instructions->at(other->second);
    } else if (change_.zeros.contains(&op)) {
      auto zeros = std::make_unique<Instruction>(Opcode::kConstant, op.shared_shape());
      zeros->set_literal(Literal::Zeros(op.shape()));
      zeros->set_name(op.name());
      (*instructions)[&op] = to->Add(std::move(zeros));
    } else if (change_.inlining != nullptr && change_.inlining->call == &op) {
      AddInlined(to, instructions);
    } else {
      AddCopy(op, to, instructions);
    }
  }

  void AddCopy(const Instruction& op, Computation* to, InstructionMap* instructions) {
    for (const Computation* callee : op.called_computations()) CopyOf(*callee);
    if (change_.smaller_tuple == &op) {
      (*instructions)[&op] = to->Add(SmallerTuple(op, *instructions));
      return;
    }
    std::unique_ptr<Instruction> copy = CopyInstruction(op, *instructions, callees_);
    EditSignature(op, copy.get());
    (*instructions)[&op] = to->Add(std::move(copy));
  }

  void AddInlined(Computation* to, InstructionMap* instructions) {
    const Inlining& inlining = *change_.inlining;
    for (const auto& inner : inlining.callee->instructions()) {
      if (inner->opcode() == Opcode::kParameter) {
        (*instructions)[inner.get()] = instructions->at(
            inlining.call->operand(inlining.first_operand + inner->parameter_number()));
      } else {
        AddCopy(*inner, to, instructions);
      }
    }
    (*instructions)[inlining.call] = instructions->at(inlining.callee->root());
  }

  void EditSignature(const Instruction& op, Instruction* copy) const {
    if (op.opcode() == Opcode::kParameter) {
      copy->set_parameter_number(op.parameter_number() - DroppedBelow(op));
    } else if (op.opcode() == Opcode::kCall || op.opcode() == Opcode::kFusion) {
      const std::vector<Instruction*> parameters = op.called_computations()[0]->parameters();
      for (int64_t k = op.operand_count() - 1; k >= 0; --k) {
        if (change_.dropped.contains(parameters[k])) RemoveOperand(k, copy);
      }
    }
    if (change_.call == nullptr) return;
    if (&op == change_.call) copy->set_shape(WithoutElement(op.shape(), change_.result));
    if (op.opcode() == Opcode::kGetTupleElement && op.operand(0) == change_.call &&
        op.GetInt(Attr::kIndex) > change_.result) {
      copy->SetAttribute(Attr::kIndex, op.GetInt(Attr::kIndex) - 1);
    }
  }
  std::unique_ptr<Instruction> SmallerTuple(const Instruction& tuple,
                                            const InstructionMap& instructions) const {
    auto smaller = std::make_unique<Instruction>(Opcode::kTuple,
                                                 WithoutElement(tuple.shape(), change_.result));
    smaller->set_name(tuple.name());
    for (int64_t k = 0; k < tuple.operand_count(); ++k) {
      if (k != change_.result) smaller->AppendOperand(instructions.at(tuple.operand(k)));
    }
    return smaller;
  }
  int64_t DroppedBelow(const Instruction& parameter) const {
    int64_t dropped = 0;
    for (const Instruction* each : parameter.parent()->parameters()) {
      if (each == &parameter) break;
      dropped += change_.dropped.contains(each) ? 1 : 0;
    }
    return dropped;
  }

  const Change& change_;
  std::unique_ptr<Module> copy_;
  CalleeMap callees_;
};

std::optional<Cut> Changed(const Module& module, absl::Span<const DeviceInputs> inputs,
                           const Change& change) {
  return Checked(ChangedCopy(module, change).Take(), {inputs.begin(), inputs.end()});
}

void AddWithCallees(const Instruction& op, absl::flat_hash_set<const Instruction*>* set) {
  if (!set->insert(&op).second) return;
  for (const Computation* callee : op.called_computations()) {
    for (const auto& each : callee->instructions()) AddWithCallees(*each, set);
  }
}

// Adds what the loop needs to know when to end.
void AddCounters(const Instruction& loop, absl::flat_hash_set<const Instruction*>* counters) {
  const Computation& condition = *loop.GetComputation(Attr::kCondition);
  const Computation& body = *loop.GetComputation(Attr::kBody);
  const Instruction& root = *body.root();
  std::vector<const Instruction*> open;
  // Adds what the body gives for an element of the state.
  const auto add_carried = [&](const Instruction& taken) {
    if (root.opcode() == Opcode::kTuple && taken.opcode() == Opcode::kGetTupleElement &&
        taken.operand(0)->opcode() == Opcode::kParameter) {
      open.push_back(root.operand(taken.GetInt(Attr::kIndex)));
    }
  };
  for (const auto& each : condition.instructions()) {
    AddWithCallees(*each, counters);
    add_carried(*each);
  }
  counters->insert(&root);
  if (root.opcode() != Opcode::kTuple) open.push_back(&root);
  absl::flat_hash_set<const Instruction*> seen;
  while (!open.empty()) {
    const Instruction& next = *open.back();
    open.pop_back();
    if (!seen.insert(&next).second) continue;
    AddWithCallees(next, counters);
    for (const Instruction* operand : next.operands()) open.push_back(operand);
    add_carried(next);
  }
}

}  // namespace

std::optional<Cut> WithoutUnused(const Module& module, absl::Span<const DeviceInputs> inputs,
                                 const Instruction& op) {
  if (!IsUnused(op, CountUsers(*op.parent()))) return std::nullopt;
  Change change;
  change.dropped.insert(&op);
  DropProducers(module, *op.parent(), &change);
  return Changed(module, inputs, change);
}

std::optional<Cut> WithoutAllUnused(const Module& module, absl::Span<const DeviceInputs> inputs) {
  Change change;
  for (const auto& computation : module.computations()) {
    if (computation.get() == module.entry()) continue;
    const UserCounts users = CountUsers(*computation);
    for (const auto& each : computation->instructions()) {
      if (IsUnused(*each, users)) change.dropped.insert(each.get());
    }
    DropProducers(module, *computation, &change);
  }
  if (change.dropped.empty()) return std::nullopt;
  return Changed(module, inputs, change);
}

std::optional<Cut> WithEarlier(const Module& module, absl::Span<const DeviceInputs> inputs,
                               const Instruction& op, const Instruction& earlier) {
  const bool fits = earlier.index() < op.index() && op.shape() == earlier.shape();
  if (!fits || IsUnused(op, CountUsers(*op.parent()))) return std::nullopt;
  Change change;
  change.instead[&op] = &earlier;
  DropProducers(module, *op.parent(), &change);
  return Changed(module, inputs, change);
}

std::optional<Cut> WithZeros(const Module& module, absl::Span<const DeviceInputs> inputs,
                             const Instruction& op) {
  if (!op.shape().is_array() || op.shape().is_dynamic()) return std::nullopt;
  Change change;
  change.zeros.insert(&op);
  DropProducers(module, *op.parent(), &change);
  return Changed(module, inputs, change);
}

std::optional<Cut> WithoutResult(const Module& module, absl::Span<const DeviceInputs> inputs,
                                 const Instruction& call, int64_t result) {
  if (call.opcode() != Opcode::kCall && call.opcode() != Opcode::kFusion) return std::nullopt;
  const Computation& callee = *call.called_computations()[0];
  const bool is_tuple =
      callee.root()->opcode() == Opcode::kTuple && callee.root()->operand_count() > 1;
  if (!is_tuple || OnlyCall(module, callee) != &call) return std::nullopt;
  if (call.parent()->root() == &call && call.parent() != module.entry()) return std::nullopt;
  Change change;
  change.call = &call;
  change.smaller_tuple = callee.root();
  change.result = result;
  const UserCounts users = CountUsers(*call.parent());
  for (const auto& each : call.parent()->instructions()) {
    const absl::Span<Instruction* const> operands = each->operands();
    if (std::find(operands.begin(), operands.end(), &call) == operands.end()) continue;
    if (each->opcode() != Opcode::kGetTupleElement) return std::nullopt;
    if (each->GetInt(Attr::kIndex) != result) continue;
    if (!IsUnused(*each, users)) return std::nullopt;
    change.dropped.insert(each.get());
  }
  DropProducers(module, callee, &change);
  return Changed(module, inputs, change);
}

std::optional<Cut> WithoutOutput(const Module& module, absl::Span<const DeviceInputs> inputs,
                                 int64_t output) {
  const Instruction& root = *module.entry()->root();
  if (root.opcode() != Opcode::kTuple || root.operand_count() < 2) return std::nullopt;
  Change change;
  change.smaller_tuple = &root;
  change.result = output;
  return Changed(module, inputs, change);
}

std::optional<Cut> WithoutOperand(const Module& module, absl::Span<const DeviceInputs> inputs,
                                  const Instruction& call, int64_t operand) {
  if (call.opcode() != Opcode::kCall && call.opcode() != Opcode::kFusion) return std::nullopt;
  const Computation& callee = *call.called_computations()[0];
  const Instruction* const parameter = callee.parameters()[operand];
  if (OnlyCall(module, callee) != &call || CountUsers(callee).contains(parameter)) {
    return std::nullopt;
  }
  Change change;
  change.dropped.insert(parameter);
  return Changed(module, inputs, change);
}

absl::flat_hash_set<const Instruction*> CountersOfLoops(const Module& module) {
  absl::flat_hash_set<const Instruction*> counters;
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      if (each->opcode() == Opcode::kWhile) AddCounters(*each, &counters);
    }
  }
  return counters;
}

bool IsOperationOfARegion(const Module& module, const Instruction& op) {
  const Computation& own = *op.parent();
  if (own.instruction_count() - static_cast<int64_t>(own.parameters().size()) > 1) return false;
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      const absl::InlinedVector<Computation*, 2> callees = each->called_computations();
      if (std::find(callees.begin(), callees.end(), &own) == callees.end()) continue;
      return each->info().family != Family::kControl;
    }
  }
  return false;
}

std::vector<Inlining> Inlinings(const Module& module) {
  std::vector<Inlining> inlinings;
  for (const auto& each : module.entry()->instructions()) {
    const absl::InlinedVector<Computation*, 2> callees = each->called_computations();
    if (each->opcode() == Opcode::kCall || each->opcode() == Opcode::kFusion) {
      inlinings.push_back({each.get(), callees[0], 0});
    } else if (each->opcode() == Opcode::kConditional) {
      for (size_t k = 0; k < callees.size(); ++k) {
        inlinings.push_back({each.get(), callees[k], static_cast<int64_t>(k) + 1});
      }
    } else if (each->opcode() == Opcode::kWhile) {
      inlinings.push_back({each.get(), each->GetComputation(Attr::kBody), 0});
    }
  }
  return inlinings;
}

std::optional<Cut> WithInlined(const Module& module, absl::Span<const DeviceInputs> inputs,
                               const Inlining& inlining) {
  Change change;
  change.inlining = &inlining;
  return Changed(module, inputs, change);
}

}  // namespace assay::fuzz
