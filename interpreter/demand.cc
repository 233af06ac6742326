#include "interpreter/demand.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "evaluator/ops/definition.h"
#include "evaluator/scalar/scalar_ops.h"
#include "interpreter/custom_call.h"

namespace assay {
namespace {

// Elements that wait for one another on the machine's stack. What is deeper is postponed: found
// first, from the top of the stack, and then asked for again.
constexpr int kMaxDepth = 100;
// What remembering costs, about.
constexpr int64_t kValueBytes = 64, kDefinitionBytes = 1024, kActivationBytes = 192;

// No other status of an evaluation has this code.
absl::Status Postponed() { return absl::CancelledError("postponed"); }
bool IsPostponed(const absl::Status& status) {
  return status.code() == absl::StatusCode::kCancelled;
}

bool PassesOn(Opcode opcode) {
  switch (opcode) {
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kCopy:
    case Opcode::kOptimizationBarrier:
    case Opcode::kAddDependency:
    case Opcode::kParameter:
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kConditional:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

// Whether the value of a marker is its operand, or the tuple of its operands.
bool HasShapeOfOperands(const Instruction& marker) {
  if (marker.operand_count() == 1 &&
      Shape::Compatible(marker.operand(0)->shape(), marker.shape())) {
    return true;
  }
  std::vector<Shape> operands;
  for (const Instruction* operand : marker.operands()) operands.push_back(operand->shape());
  return marker.shape().is_tuple() &&
         Shape::Compatible(Shape::Tuple(std::move(operands)), marker.shape());
}

// The elements that a call reads: all of its operands, or that of its one operand.
std::vector<ElementKey> ReadsOfCall(const ElementKey& key, bool elementwise) {
  std::vector<ElementKey> reads;
  for (const Instruction* operand : key.place.instruction->operands()) {
    if (elementwise) {
      reads.push_back({{key.place.activation, operand, 0}, key.position});
      continue;
    }
    const std::vector<const Shape*> leaves = Leaves(operand->shape());
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      if (!leaves[leaf]->is_array()) continue;
      const int64_t count = *leaves[leaf]->ElementCount();  // an array has been made of it
      for (int64_t i = 0; i < count; ++i) {
        reads.push_back({{key.place.activation, operand, static_cast<int64_t>(leaf)}, i});
      }
    }
  }
  return reads;
}

int64_t LeavesBefore(const Shape& tuple, int64_t index) {
  int64_t leaves = 0;
  for (int64_t i = 0; i < index; ++i) leaves += tuple.tuple_shape(i).leaf_count();
  return leaves;
}

}  // namespace

// The operands of one instruction in one activation.
class DemandMachine::Operands : public evaluator::OperandElements {
 public:
  // `reads`, unless null, gets every element that is asked for.
  Operands(DemandMachine& machine, const DemandedLeaf& place, std::vector<ElementKey>* reads)
      : machine_(machine), place_(place), reads_(reads) {}
  absl::StatusOr<Element> At(int64_t operand, absl::Span<const int64_t> index) override {
    const Instruction* instruction = place_.instruction->operand(operand);
    const ElementKey key{{place_.activation, instruction, 0},
                         evaluator::PositionOf(index, instruction->shape().dimensions())};
    if (reads_ != nullptr) reads_->push_back(key);
    return machine_.Attempt(key);
  }

 private:
  DemandMachine& machine_;
  const DemandedLeaf place_;
  std::vector<ElementKey>* reads_;
};

DemandMachine::DemandMachine(const PlannedModule& module, absl::Span<const Literal> arguments,
                             const RunBudget& budget)
    : module_(module), limits_(budget), budget_(budget.steps, budget.seconds) {
  context_.caller = this;
  context_.budget = &budget_;
  for (const Literal& argument : arguments) arguments_.push_back(Flatten(argument));
  activations_.push_back({-1, nullptr, module.module().entry(), 0, -1});
}

const Shape& DemandMachine::ShapeOf(const DemandedLeaf& place) {
  const Shape& shape = place.instruction->shape();
  return shape.is_tuple() ? *Leaves(shape)[place.leaf] : shape;
}

absl::Status DemandMachine::Remember(int64_t bytes) {
  bytes_ += bytes;
  if (limits_.bytes < 0 || bytes_ <= limits_.bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the element needs more others than fit into the budget of ", limits_.bytes, " bytes"));
}

absl::StatusOr<Element> DemandMachine::Evaluate(const ElementKey& key) {
  std::vector<ElementKey> waiting = {key};
  while (true) {
    failure_ = absl::OkStatus();
    absl::StatusOr<Element> value = Attempt(waiting.back());
    if (!value.ok() && IsPostponed(value.status())) {
      if (absl::Status status = Remember(kValueBytes); !status.ok()) return status;
      waiting.push_back(pending_);
      continue;
    }
    if (!value.ok() || waiting.size() == 1) return value;
    values_.emplace(waiting.back(), *value);
    waiting.pop_back();
  }
}

absl::StatusOr<Element> DemandMachine::Attempt(const ElementKey& key) {
  auto known = values_.find(key);
  if (known != values_.end()) return known->second;
  if (!failure_.ok()) return failure_;
  if (depth_ >= kMaxDepth) {
    pending_ = key;
    failure_ = Postponed();
    return failure_;
  }
  ++depth_;
  absl::StatusOr<DemandedLeaf> place = Resolve(key.place);
  absl::StatusOr<Element> value =
      place.ok() ? Compute({*place, key.position}) : absl::StatusOr<Element>(place.status());
  --depth_;
  failure_.Update(value.status());
  return value;
}

absl::StatusOr<Element> DemandMachine::Compute(const ElementKey& key) {
  const Instruction& instruction = *key.place.instruction;
  if (instruction.opcode() == Opcode::kParameter) {
    return arguments_[instruction.parameter_number()][key.place.leaf].Get(key.position);
  }
  auto known = values_.find(key);
  if (known != values_.end()) return known->second;
  if (absl::Status status = context_.Charge(1); !status.ok()) return status;
  absl::StatusOr<Element> value =
      instruction.opcode() == Opcode::kCustomCall ? ComputeCall(key) : ComputeByDefinition(key);
  if (!value.ok()) return value;
  if (absl::Status status = Remember(kValueBytes); !status.ok()) return status;
  values_.emplace(key, *value);
  if (instruction.opcode() != Opcode::kConstant) ++computed_;
  return value;
}

absl::StatusOr<Element> DemandMachine::ComputeByDefinition(const ElementKey& key) {
  absl::StatusOr<evaluator::Definition*> definition = DefinitionOf(key.place);
  if (!definition.ok()) return definition.status();
  Operands operands(*this, key.place, nullptr);
  const Dimensions index = evaluator::IndexAt(key.position, ShapeOf(key.place).dimensions());
  return (*definition)->At(key.place.leaf, index, operands, context_);
}

namespace {

// What an elementwise target does to the elements of its operand. INVALID_ARGUMENT where the shapes
// or types of the call do not suit it.
absl::StatusOr<evaluator::ScalarFunction> ElementwiseFunction(const Instruction& call,
                                                              Opcode opcode) {
  if (call.operand_count() != 1 || !call.operand(0)->shape().is_array() ||
      !call.shape().is_array() || !Shape::SameDimensions(call.operand(0)->shape(), call.shape())) {
    return runtime::custom_calls::BadCall(call,
                                          "operand and result must be arrays of the same sizes");
  }
  const auto function = evaluator::FindScalarFunction(
      {opcode, call.operand(0)->shape().element_type(), call.shape().element_type()});
  if (!function) {
    return runtime::custom_calls::BadCall(call,
                                          absl::StrCat("no ", Name(opcode), " of these types"));
  }
  return *function;
}

}  // namespace

absl::StatusOr<Element> DemandMachine::ComputeCall(const ElementKey& key) {
  const Instruction& call = *key.place.instruction;
  if (const std::optional<Opcode> opcode = ElementwiseOp(call); opcode) {
    absl::StatusOr<evaluator::ScalarFunction> function = ElementwiseFunction(call, *opcode);
    if (!function.ok()) return function.status();
    absl::StatusOr<Element> operand =
        Attempt({{key.place.activation, call.operand(0), 0}, key.position});
    if (!operand.ok()) return operand;
    return (*function)(*operand, {.stats = &context_.real_stats});
  }
  std::unique_ptr<DemandedCall>& made = calls_[{key.place.activation, &call}];
  if (made == nullptr) {
    absl::StatusOr<int64_t> bytes = DemandedCall::BytesOf(call, module_.options());
    if (!bytes.ok()) return bytes.status();
    if (absl::Status status = Remember(*bytes); !status.ok()) return status;
    made = std::make_unique<DemandedCall>(call, module_.options());
  }
  // Attempts may make other calls: `made` may have moved.
  DemandedCall& demanded = *made;
  return demanded.At(
      key.place.leaf, key.position,
      [&](int64_t operand, int64_t leaf, int64_t position) {
        return Attempt({{key.place.activation, call.operand(operand), leaf}, position});
      },
      context_);
}

std::optional<Opcode> DemandMachine::ElementwiseOp(const Instruction& custom_call) const {
  const std::optional<Opcode> opcode = MeaningsOf(module_.options()).ElementwiseOp(custom_call);
  return opcode == Opcode::kCopy ? std::nullopt : opcode;
}

bool DemandMachine::IsTransparent(const Instruction& instruction) const {
  if (instruction.opcode() != Opcode::kCustomCall) return PassesOn(instruction.opcode());
  return MeaningsOf(module_.options()).ElementwiseOp(instruction) == Opcode::kCopy &&
         HasShapeOfOperands(instruction);
}

absl::StatusOr<evaluator::Definition*> DemandMachine::DefinitionOf(const DemandedLeaf& place) {
  std::unique_ptr<evaluator::Definition>& known =
      definitions_[{place.activation, place.instruction}];
  if (known == nullptr) {
    if (absl::Status status = Remember(kDefinitionBytes); !status.ok()) return status;
    absl::StatusOr<std::unique_ptr<evaluator::Definition>> made =
        evaluator::PrepareDefinition(*place.instruction);
    if (!made.ok()) return made.status();
    known = *std::move(made);
  }
  return known.get();
}

absl::StatusOr<std::vector<ElementKey>> DemandMachine::ReadsOf(const ElementKey& key) {
  std::vector<ElementKey> all, distinct;
  if (key.place.instruction->opcode() == Opcode::kParameter) return distinct;
  if (key.place.instruction->opcode() == Opcode::kCustomCall) {
    return ReadsOfCall(key, ElementwiseOp(*key.place.instruction).has_value());
  }
  // A fresh definition: those of whole-array operations do not read again what they remember.
  absl::StatusOr<std::unique_ptr<evaluator::Definition>> definition =
      evaluator::PrepareDefinition(*key.place.instruction);
  if (!definition.ok()) return definition.status();
  Operands operands(*this, key.place, &all);
  const Dimensions index = evaluator::IndexAt(key.position, ShapeOf(key.place).dimensions());
  absl::StatusOr<Element> value = (*definition)->At(key.place.leaf, index, operands, context_);
  if (!value.ok()) return value.status();
  absl::flat_hash_set<ElementKey> seen;
  for (const ElementKey& read : all) {
    if (seen.insert(read).second) distinct.push_back(read);
  }
  return distinct;
}

absl::StatusOr<DemandedLeaf> DemandMachine::Resolve(DemandedLeaf place,
                                                    std::vector<std::string>* through) {
  std::vector<DemandedLeaf> parameters;
  while (IsTransparent(*place.instruction)) {
    const Instruction& instruction = *place.instruction;
    if (absl::Status status = context_.Charge(1); !status.ok()) return status;
    if (through != nullptr) through->push_back(instruction.name());
    switch (instruction.opcode()) {
      case Opcode::kCustomCall:
      case Opcode::kTuple: {
        int64_t operand = 0;
        while (place.leaf >= instruction.operand(operand)->shape().leaf_count()) {
          place.leaf -= instruction.operand(operand++)->shape().leaf_count();
        }
        place.instruction = instruction.operand(operand);
        break;
      }
      case Opcode::kGetTupleElement:
        place.instruction = instruction.operand(0);
        place.leaf += LeavesBefore(place.instruction->shape(), instruction.GetInt(Attr::kIndex));
        break;
      case Opcode::kCopy:
      case Opcode::kOptimizationBarrier:
      case Opcode::kAddDependency:
        place.instruction = instruction.operand(0);
        break;
      case Opcode::kParameter: {
        auto known = through == nullptr ? resolved_.find(place) : resolved_.end();
        if (known != resolved_.end()) {
          place = known->second;
          break;
        }
        if (place.activation == 0) {
          if (through != nullptr) through->pop_back();
          return place;
        }
        parameters.push_back(place);
        place = ArgumentOf(place);
        break;
      }
      default: {
        absl::StatusOr<DemandedLeaf> inside = Enter(place);
        if (!inside.ok()) return inside;
        place = *inside;
      }
    }
    if (place.instruction->opcode() == Opcode::kParameter && place.activation == 0) break;
  }
  if (through == nullptr) {
    for (const DemandedLeaf& parameter : parameters) {
      if (absl::Status status = Remember(kValueBytes); !status.ok()) return status;
      resolved_[parameter] = place;
    }
  }
  return place;
}

// The operand, or the state before the turn, that a parameter stands for.
DemandedLeaf DemandMachine::ArgumentOf(const DemandedLeaf& parameter) const {
  const Activation& activation = activations_[parameter.activation];
  const Instruction& caller = *activation.caller;
  int64_t operand = parameter.instruction->parameter_number();
  if (caller.opcode() == Opcode::kConditional) operand = 1 + activation.number;
  if (caller.opcode() == Opcode::kWhile && activation.previous_turn >= 0) {
    const Computation& body = *activations_[activation.previous_turn].computation;
    return {activation.previous_turn, body.root(), parameter.leaf};
  }
  return {activation.parent, caller.operand(operand), parameter.leaf};
}

absl::StatusOr<int32_t> DemandMachine::Activate(Activation activation) {
  auto [known, is_new] =
      activation_of_.emplace(ActivationKey{activation.parent, activation.caller,
                                           activation.computation, activation.number},
                             static_cast<int32_t>(activations_.size()));
  if (is_new) {
    if (absl::Status status = Remember(kActivationBytes); !status.ok()) return status;
    activations_.push_back(activation);
  }
  return known->second;
}

absl::StatusOr<DemandedLeaf> DemandMachine::Enter(const DemandedLeaf& place) {
  const Instruction& caller = *place.instruction;
  if (caller.opcode() == Opcode::kConditional) return EnterConditional(place);
  if (caller.opcode() == Opcode::kWhile) return EnterWhile(place);
  const Computation* callee = caller.called_computations()[0];
  absl::StatusOr<int32_t> activation = Activate({place.activation, &caller, callee, 0, -1});
  if (!activation.ok()) return activation.status();
  return DemandedLeaf{*activation, callee->root(), place.leaf};
}

absl::StatusOr<DemandedLeaf> DemandMachine::EnterConditional(const DemandedLeaf& place) {
  const Instruction& conditional = *place.instruction;
  absl::StatusOr<Element> value = Attempt({{place.activation, conditional.operand(0), 0}, 0});
  if (!value.ok()) return value.status();
  const auto branches = conditional.called_computations();
  const ElementType type = conditional.operand(0)->shape().element_type();
  const auto count = static_cast<int64_t>(branches.size());
  int64_t branch = (value->bits & 1) != 0 ? 0 : 1;
  if (type != ElementType::kPred) {
    // An index out of range selects the last branch (ops_control_and_collectives.md 2.4).
    branch = DecodeSigned(type, value->bits);
    if (branch < 0 || branch >= count) branch = count - 1;
  }
  absl::StatusOr<int32_t> activation =
      Activate({place.activation, &conditional, branches[branch], branch, -1});
  if (!activation.ok()) return activation.status();
  return DemandedLeaf{*activation, branches[branch]->root(), place.leaf};
}

absl::StatusOr<DemandedLeaf> DemandMachine::EnterWhile(const DemandedLeaf& place) {
  const Instruction& loop = *place.instruction;
  const Computation* condition = loop.GetComputation(Attr::kCondition);
  const Computation* body = loop.GetComputation(Attr::kBody);
  const Occurrence key{place.activation, &loop};
  Turns turns = turns_[key];
  while (!turns.ended) {
    absl::StatusOr<int32_t> test =
        Activate({place.activation, &loop, condition, turns.count, turns.last_body});
    if (!test.ok()) return test.status();
    absl::StatusOr<Element> go = Attempt({{*test, condition->root(), 0}, 0});
    if (!go.ok()) return go.status();
    turns.ended = (go->bits & 1) == 0;
    if (!turns.ended) {
      absl::StatusOr<int32_t> turn =
          Activate({place.activation, &loop, body, turns.count, turns.last_body});
      if (!turn.ok()) return turn.status();
      turns.last_body = *turn;
      ++turns.count;
    }
    turns_[key] = turns;
  }
  if (turns.count == 0) return DemandedLeaf{place.activation, loop.operand(0), place.leaf};
  return DemandedLeaf{turns.last_body, body->root(), place.leaf};
}

std::vector<std::string> DemandMachine::ContextOf(int32_t activation) const {
  std::vector<std::string> context;
  for (; activation > 0; activation = activations_[activation].parent) {
    const Activation& inside = activations_[activation];
    std::string text = inside.caller->name();
    if (inside.caller->opcode() == Opcode::kWhile) {
      const bool test = inside.computation == inside.caller->GetComputation(Attr::kCondition);
      text = absl::StrCat(test ? "condition of iteration " : "iteration ", inside.number, " of ",
                          text);
    } else if (inside.caller->opcode() == Opcode::kConditional) {
      text = absl::StrCat("branch ", inside.number, " of ", text);
    }
    context.push_back(std::move(text));
  }
  std::reverse(context.begin(), context.end());
  return context;
}

absl::StatusOr<Literal> DemandMachine::Call(const Computation& computation,
                                            absl::Span<const Literal> arguments) {
  RunOptions options;
  options.budget = limits_;
  RunStats stats;
  Program program;
  program.module = &module_;
  program.computation = &computation;
  program.arguments.emplace_back(arguments.begin(), arguments.end());
  absl::StatusOr<std::vector<std::vector<Literal>>> results =
      RunPrograms(absl::MakeConstSpan(&program, 1), options, &stats);
  if (absl::Status status = budget_.Charge(stats.steps); !status.ok()) return status;
  if (!results.ok()) return results.status();
  return std::move((*results)[0][0]);
}

}  // namespace assay
