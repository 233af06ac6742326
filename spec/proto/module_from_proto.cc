// HloModuleProto into a module: order, ids and names, then each instruction by its operation's
// schema. Source: reference ops_control_and_collectives.md 14.1. Test: conversions_test.cc.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/async_threads.h"
#include "spec/ir/shape_table.h"
#include "spec/proto/conversions.h"
#include "spec/proto/ordering.h"
#include "spec/proto/pieces.h"

namespace assay {
namespace {

absl::Status In(absl::string_view computation, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("computation %", computation, ": ", status.message()));
}

absl::Status In(absl::string_view computation, const wire::HloInstructionProto& instruction,
                const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("computation %", computation, ", instruction %",
                                                  instruction.name(), " (", instruction.opcode(),
                                                  "): ", status.message()));
}

// Recent writers put the computation's id into the upper half of an instruction's, and refer to
// instructions by the lower half; older ones have small ids, unique in the module.
uint32_t LocalId(int64_t id) { return static_cast<uint32_t>(id); }
using LocalIds = absl::flat_hash_map<uint32_t, int64_t>;

// As HLO text: what else an operation wants of its operands is for the checks of shapes.
bool HasArity(const OpInfo& info, int64_t count) {
  switch (info.arity) {
    case kAnyArity:
      return true;
    case kEvenArity:
      return count % 2 == 0;
    case kOddArity:
      return count % 2 == 1;
    case kAtLeastOne:
      return count >= 1;
    case kAtLeastTwo:
      return count >= 2;
    default:
      return count == info.arity;
  }
}

class ComputationReader {
 public:
  // `sequence`, its schedule, may be null.
  ComputationReader(wire::HloComputationProto* proto,
                    const wire::HloScheduleProto::InstructionSequence* sequence,
                    const absl::flat_hash_map<int64_t, Computation*>* computations,
                    ShapeTable* shapes)
      : proto_(*proto), sequence_(sequence), computations_(*computations), shapes_(*shapes) {}

  absl::StatusOr<std::unique_ptr<Computation>> Read() {
    if (absl::Status status = IndexIds(); !status.ok()) return In(proto_.name(), status);
    absl::StatusOr<std::vector<int64_t>> order = Order();
    if (!order.ok()) return In(proto_.name(), order.status());
    computation_ = std::make_unique<Computation>(SanitizedName(proto_.name(), "computation"));
    instructions_.resize(proto_.instructions_size());
    for (int64_t i : *order) {
      wire::HloInstructionProto* instruction = proto_.mutable_instructions(static_cast<int>(i));
      if (absl::Status status = ReadInstruction(instruction, i); !status.ok()) {
        return In(proto_.name(), *instruction, status);
      }
    }
    if (absl::Status status = Finish(); !status.ok()) return In(proto_.name(), status);
    return std::move(computation_);
  }

 private:
  absl::Status IndexIds() {
    if (proto_.instructions().empty()) {
      return absl::InvalidArgumentError("it has no instructions");
    }
    for (int i = 0; i < proto_.instructions_size(); ++i) {
      auto [at, is_new] = ids_.emplace(LocalId(proto_.instructions(i).id()), i);
      if (!is_new) {
        return absl::InvalidArgumentError(absl::StrCat(
            "instructions %", proto_.instructions(static_cast<int>(at->second)).name(), " and %",
            proto_.instructions(i).name(), " have the same id ", proto_.instructions(i).id()));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<int64_t>> Order() const {
    std::vector<std::vector<int64_t>> needs(proto_.instructions_size());
    for (int i = 0; i < proto_.instructions_size(); ++i) {
      const wire::HloInstructionProto& instruction = proto_.instructions(i);
      for (const auto* ids : {&instruction.operand_ids(), &instruction.control_predecessor_ids()}) {
        for (int64_t id : *ids) {
          auto found = ids_.find(LocalId(id));
          if (found == ids_.end()) {
            return absl::InvalidArgumentError(
                absl::StrCat("instruction %", instruction.name(), " (", instruction.opcode(),
                             ") refers to id ", id, ", which no instruction here has"));
          }
          needs[i].push_back(found->second);
        }
      }
    }
    std::vector<int64_t> preferred = PreferredOrder();
    if (HasNeedsFirst(needs, preferred)) return preferred;
    Ordering ordering = OrderByNeed(needs);
    if (ordering.cycle.empty()) return std::move(ordering.order);
    return absl::InvalidArgumentError(
        absl::StrCat("instructions need each other in a cycle: ",
                     absl::StrJoin(ordering.cycle, " -> ", [&](std::string* out, int64_t i) {
                       absl::StrAppend(out, "%", proto_.instructions(static_cast<int>(i)).name());
                     })));
  }

  // The schedule, which is the order of a scheduled text; without one that of the ids, in which the
  // instructions were created. The proto's own order is neither.
  std::vector<int64_t> PreferredOrder() const {
    std::vector<int64_t> order;
    if (sequence_ != nullptr) {
      for (int64_t id : sequence_->instruction_ids()) {
        if (auto found = ids_.find(LocalId(id)); found != ids_.end())
          order.push_back(found->second);
      }
      if (order.size() == ids_.size()) return order;
      order.clear();
    }
    for (int i = 0; i < proto_.instructions_size(); ++i) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return proto_.instructions(static_cast<int>(a)).id() <
             proto_.instructions(static_cast<int>(b)).id();
    });
    return order;
  }

  absl::Status ReadInstruction(wire::HloInstructionProto* proto, int64_t i) {
    const std::optional<Opcode> opcode = OpcodeFromName(proto->opcode());
    if (!opcode) return absl::InvalidArgumentError("the opcode is unknown");
    absl::StatusOr<Shape> shape = ShapeFromProto(proto->shape());
    if (!shape.ok()) return shape.status();
    shape->FillLayouts();
    auto instruction = std::make_unique<Instruction>(*opcode, shapes_.Share(*std::move(shape)));
    instruction->set_name(SanitizedName(proto->name(), proto->opcode()));
    instruction->set_id(proto->id());
    for (int64_t id : proto->operand_ids()) {
      instruction->AppendOperand(instructions_[ids_.at(LocalId(id))]);
    }
    if (!HasArity(instruction->info(), instruction->operand_count())) {
      return absl::InvalidArgumentError(
          absl::StrCat("it cannot have ", instruction->operand_count(), " operands"));
    }
    absl::flat_hash_set<int64_t> seen;
    for (int64_t id : proto->control_predecessor_ids()) {
      const int64_t at = ids_.at(LocalId(id));
      if (seen.insert(at).second) instruction->AddControlPredecessor(instructions_[at]);
    }
    absl::Status status = ReadLeaf(proto, instruction.get());
    if (status.ok()) status = ReadCallees(*proto, instruction.get());
    if (status.ok()) status = ReadAttributes(proto, instruction.get());
    if (status.ok()) status = ReadAnnotations(proto, instruction.get());
    if (!status.ok()) return status;
    std::string name = proto->name();  // for messages about the computation
    std::string opcode_name = proto->opcode();
    ClearCommonFields(proto);
    std::string extras = TakeRest(proto);
    if (!extras.empty()) instruction->mutable_annotations().wire_extras = std::move(extras);
    proto->Clear();
    proto->set_name(std::move(name));
    proto->set_opcode(std::move(opcode_name));
    instructions_[i] = computation_->Add(std::move(instruction));
    return absl::OkStatus();
  }

  static void ClearCommonFields(wire::HloInstructionProto* proto) {
    proto->clear_name();
    proto->clear_opcode();
    proto->clear_shape();
    proto->clear_id();
    proto->clear_operand_ids();
    proto->clear_control_predecessor_ids();
    proto->clear_called_computation_ids();
    proto->clear_text_only();
  }

  // What the leaves of the graph hold.
  absl::Status ReadLeaf(wire::HloInstructionProto* proto, Instruction* instruction) {
    if (instruction->opcode() == Opcode::kParameter) {
      if (proto->parameter_number() < 0 ||
          proto->parameter_number() >= proto_.instructions_size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("the parameter number ", proto->parameter_number(), " is out of range"));
      }
      instruction->set_parameter_number(proto->parameter_number());
      proto->clear_parameter_number();
    }
    if (instruction->opcode() == Opcode::kConstant) return ReadConstant(proto, instruction);
    return absl::OkStatus();
  }

  static absl::Status ReadConstant(wire::HloInstructionProto* proto, Instruction* instruction) {
    const Shape& shape = instruction->shape();
    // A constant whose elements were left out, with its literal or in it.
    if (!proto->has_literal() || IsElided(proto->literal())) {
      proto->clear_literal();
      return absl::OkStatus();
    }
    absl::StatusOr<Literal> literal = LiteralFromProto(proto->literal());
    if (!literal.ok()) return literal.status();
    if (!Shape::Compatible(literal->shape(), shape)) {
      return absl::InvalidArgumentError(absl::StrCat("the literal has the shape ",
                                                     literal->shape().ToString(), " and not ",
                                                     shape.ToString()));
    }
    proto->clear_literal();
    instruction->set_literal(literal->WithShape(shape));
    return absl::OkStatus();
  }

  absl::Status ReadCallees(const wire::HloInstructionProto& proto, Instruction* instruction) {
    std::vector<Computation*> callees;
    for (int64_t id : proto.called_computation_ids()) {
      // Ordered before this one, so it is there.
      callees.push_back(computations_.at(id));
    }
    return AssignCallees(callees, instruction);
  }

  absl::Status Finish() {
    auto root = ids_.find(LocalId(proto_.root_id()));
    if (root == ids_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no instruction has the root's id ", proto_.root_id()));
    }
    computation_->set_root(instructions_[root->second]);
    computation_->set_id(proto_.id());
    if (!proto_.execution_thread().empty()) {
      computation_->set_execution_thread(proto_.execution_thread());
    }
    computation_->set_is_fusion(proto_.is_fusion_computation());
    if (absl::Status status = CheckParameters(); !status.ok()) return status;
    if (absl::Status status = CheckProgramShape(); !status.ok()) return status;
    proto_.clear_name();
    proto_.clear_instructions();
    proto_.clear_program_shape();
    proto_.clear_id();
    proto_.clear_root_id();
    proto_.clear_is_fusion_computation();
    proto_.clear_execution_thread();
    computation_->wire_extras = TakeRest(&proto_);
    return absl::OkStatus();
  }

  absl::Status CheckParameters() const {
    std::vector<const Instruction*> by_number;
    for (const Instruction* instruction : instructions_) {
      if (instruction->opcode() != Opcode::kParameter) continue;
      const int64_t number = instruction->parameter_number();
      if (number >= static_cast<int64_t>(by_number.size())) by_number.resize(number + 1);
      if (by_number[number] != nullptr) {
        return absl::InvalidArgumentError(absl::StrCat("%", by_number[number]->name(), " and %",
                                                       instruction->name(), " are both parameter ",
                                                       number));
      }
      by_number[number] = instruction;
    }
    auto missing = std::find(by_number.begin(), by_number.end(), nullptr);
    if (missing == by_number.end()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("parameter ", missing - by_number.begin(), " is missing"));
  }

  absl::Status CheckProgramShape() const {
    if (!proto_.has_program_shape()) return absl::OkStatus();
    const ProgramShape actual = computation_->program_shape();
    const auto differs = [](absl::string_view what) {
      return absl::InvalidArgumentError(
          absl::StrCat("the program shape has another ", what, " than the instructions"));
    };
    const wire::ProgramShapeProto& declared = proto_.program_shape();
    if (declared.parameters_size() != static_cast<int>(actual.parameters.size())) {
      return differs("number of parameters");
    }
    for (size_t i = 0; i < actual.parameters.size(); ++i) {
      absl::StatusOr<Shape> shape = ShapeFromProto(declared.parameters(static_cast<int>(i)));
      if (!shape.ok()) return shape.status();
      if (!Shape::Compatible(*shape, actual.parameters[i])) {
        return differs(absl::StrCat("shape of parameter ", i));
      }
    }
    if (!declared.has_result()) return absl::OkStatus();
    absl::StatusOr<Shape> result = ShapeFromProto(declared.result());
    if (!result.ok()) return result.status();
    return Shape::Compatible(*result, actual.result) ? absl::OkStatus() : differs("result");
  }

  wire::HloComputationProto& proto_;
  const wire::HloScheduleProto::InstructionSequence* sequence_;
  const absl::flat_hash_map<int64_t, Computation*>& computations_;
  ShapeTable& shapes_;
  LocalIds ids_;
  std::unique_ptr<Computation> computation_;
  std::vector<Instruction*> instructions_;  // by position in the proto
};

class ModuleReader {
 public:
  explicit ModuleReader(wire::HloModuleProto* proto) : proto_(*proto) {}

  absl::StatusOr<std::unique_ptr<Module>> Read() {
    module_ = std::make_unique<Module>(SanitizedName(proto_.name(), "module"));
    absl::Status status = ReadComputations();
    if (status.ok()) status = ReadEntry();
    if (status.ok()) status = ReadSchedule();
    if (status.ok()) status = ReadHeader(&proto_, module_.get());
    if (!status.ok()) return status;
    proto_.clear_name();
    proto_.clear_entry_computation_name();
    proto_.clear_entry_computation_id();
    proto_.clear_computations();
    proto_.clear_schedule();
    module_->wire_extras = TakeRest(&proto_);
    module_->UniquifyNames();
    module_->AssignIds();
    InheritAsyncThreads(*module_);
    module_->ReinternStackFrames();
    return std::move(module_);
  }

 private:
  absl::Status ReadComputations() {
    if (proto_.computations().empty()) {
      return absl::InvalidArgumentError("the module has no computations");
    }
    absl::StatusOr<std::vector<int64_t>> order = Order();
    if (!order.ok()) return order.status();
    for (int64_t i : *order) {
      wire::HloComputationProto* proto = proto_.mutable_computations(static_cast<int>(i));
      const int64_t id = proto->id();
      if (proto->name() == proto_.entry_computation_name()) named_entry_ = id;
      absl::StatusOr<std::unique_ptr<Computation>> computation =
          ComputationReader(proto, Sequence(id), &computations_, &shapes_).Read();
      if (!computation.ok()) return computation.status();
      computations_[id] = module_->Add(*std::move(computation));
    }
    return absl::OkStatus();
  }

  const wire::HloScheduleProto::InstructionSequence* Sequence(int64_t computation_id) const {
    auto found = proto_.schedule().sequences().find(computation_id);
    return found == proto_.schedule().sequences().end() ? nullptr : &found->second;
  }

  absl::StatusOr<std::vector<int64_t>> Order() const {
    absl::flat_hash_map<int64_t, int64_t> by_id;
    for (int i = 0; i < proto_.computations_size(); ++i) {
      auto [at, is_new] = by_id.emplace(proto_.computations(i).id(), i);
      if (!is_new) {
        return absl::InvalidArgumentError(
            absl::StrCat("computations %", proto_.computations(static_cast<int>(at->second)).name(),
                         " and %", proto_.computations(i).name(), " have the same id ", at->first));
      }
    }
    std::vector<std::vector<int64_t>> needs(proto_.computations_size());
    for (int i = 0; i < proto_.computations_size(); ++i) {
      for (const wire::HloInstructionProto& caller : proto_.computations(i).instructions()) {
        for (int64_t id : caller.called_computation_ids()) {
          auto found = by_id.find(id);
          if (found == by_id.end()) {
            return In(proto_.computations(i).name(), caller,
                      absl::InvalidArgumentError(absl::StrCat("it calls computation id ", id,
                                                              ", which no computation has")));
          }
          needs[i].push_back(found->second);
        }
      }
    }
    Ordering ordering = OrderByNeed(needs);
    if (ordering.cycle.empty()) return std::move(ordering.order);
    return absl::InvalidArgumentError(
        absl::StrCat("computations call each other in a cycle: ",
                     absl::StrJoin(ordering.cycle, " -> ", [&](std::string* out, int64_t i) {
                       absl::StrAppend(out, "%", proto_.computations(static_cast<int>(i)).name());
                     })));
  }

  absl::Status ReadEntry() {
    auto entry = computations_.find(proto_.entry_computation_id());
    // Id 0 is a valid one and also what a writer without ids leaves.
    if (proto_.entry_computation_id() == 0 && named_entry_) {
      entry = computations_.find(*named_entry_);
    }
    if (entry == computations_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no computation has the entry's id ", proto_.entry_computation_id()));
    }
    module_->set_entry(entry->second);
    return absl::OkStatus();
  }

  absl::Status ReadSchedule() {
    if (!proto_.has_schedule()) return absl::OkStatus();
    module_->is_scheduled = true;
    for (const auto& [id, sequence] : proto_.schedule().sequences()) {
      auto computation = computations_.find(id);
      if (computation == computations_.end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("the schedule has the computation id ", id, ", which none has"));
      }
      absl::Status status = ReadSequence(sequence, computation->second);
      if (!status.ok()) return In(computation->second->name(), status);
    }
    return absl::OkStatus();
  }

  static absl::Status ReadSequence(const wire::HloScheduleProto::InstructionSequence& sequence,
                                   Computation* computation) {
    absl::flat_hash_map<uint32_t, Instruction*> left;
    for (const auto& instruction : computation->instructions()) {
      left[LocalId(instruction->id())] = instruction.get();
    }
    std::vector<Instruction*> schedule;
    for (int64_t id : sequence.instruction_ids()) {
      auto found = left.find(LocalId(id));
      if (found == left.end()) {
        return absl::InvalidArgumentError(absl::StrCat("the schedule has the instruction id ", id,
                                                       " twice, or no instruction has it"));
      }
      schedule.push_back(found->second);
      left.erase(found);
    }
    if (!left.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the schedule lacks %", left.begin()->second->name()));
    }
    computation->set_schedule(std::move(schedule));
    return absl::OkStatus();
  }

  wire::HloModuleProto& proto_;
  std::unique_ptr<Module> module_;
  absl::flat_hash_map<int64_t, Computation*> computations_;
  ShapeTable shapes_;
  std::optional<int64_t> named_entry_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ModuleFromProto(wire::HloModuleProto proto) {
  return ModuleReader(&proto).Read();
}

}  // namespace assay
