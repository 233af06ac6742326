// A module into HloModuleProto: ids, instructions by their operations' schemas, header. Test:
// conversions_test.cc.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "spec/proto/conversions.h"
#include "spec/proto/pieces.h"

namespace assay {
namespace {

constexpr int64_t kMaxBytes = (int64_t{1} << 31) - 1;
constexpr absl::string_view kMainThread = "main";  // written as no thread

// Ids that are unique: computations in the module, instructions in the module and by their lower
// half in their computation, by which readers look them up. Readers also take the order of the
// instructions from them where there is no schedule and what is needed has the smaller id. Ids that
// do all this already are kept; a computation in which one does not is numbered anew.
class IdTable {
 public:
  explicit IdTable(const Module& module) {
    std::vector<const Computation*> unnumbered;
    for (const auto& computation : module.computations()) {
      const bool has_schedule = module.is_scheduled && !computation->schedule().empty();
      if (!Keep(*computation, has_schedule)) unnumbered.push_back(computation.get());
    }
    for (const auto& computation : module.computations()) NumberItself(*computation);
    for (const Computation* computation : unnumbered) NumberInstructions(*computation);
  }

  int64_t of(const Instruction* instruction) const { return instructions_.at(instruction); }
  int64_t of(const Computation* computation) const { return computations_.at(computation); }

 private:
  static uint32_t Lower(int64_t id) { return static_cast<uint32_t>(id); }

  // Whether a reader would put the instructions into another order by their ids.
  static bool SuggestsAnotherOrder(const Computation& computation) {
    std::vector<const Instruction*> by_id;
    for (const auto& instruction : computation.instructions()) by_id.push_back(instruction.get());
    const auto is_before = [](const Instruction* a, const Instruction* b) {
      return a->id() < b->id();
    };
    if (std::is_sorted(by_id.begin(), by_id.end(), is_before)) return false;
    for (const Instruction* instruction : by_id) {
      const auto comes_later = [&](const Instruction* need) {
        return need->id() >= instruction->id();
      };
      for (const auto& needs : {instruction->operands(), instruction->control_predecessors()}) {
        if (std::any_of(needs.begin(), needs.end(), comes_later)) return false;
      }
    }
    return true;
  }

  // Whether those of the instructions are.
  bool Keep(const Computation& computation, bool any_order) {
    if (computation.id() > 0 && computation_ids_.insert(computation.id()).second) {
      computations_[&computation] = computation.id();
    }
    absl::flat_hash_set<uint32_t> local;
    for (const auto& instruction : computation.instructions()) {
      const int64_t id = instruction->id();
      if (id <= 0 || !local.insert(Lower(id)).second || ids_.contains(id)) return false;
    }
    if (!any_order && SuggestsAnotherOrder(computation)) return false;
    for (const auto& instruction : computation.instructions()) {
      instructions_[instruction.get()] = instruction->id();
      ids_.insert(instruction->id());
      lowers_.insert(Lower(instruction->id()));
    }
    return true;
  }

  void NumberItself(const Computation& computation) {
    if (computations_.contains(&computation)) return;
    while (!computation_ids_.insert(next_computation_).second) ++next_computation_;
    computations_[&computation] = next_computation_;
  }

  void NumberInstructions(const Computation& computation) {
    for (const auto& instruction : computation.instructions()) {
      while (lowers_.contains(Lower(next_))) ++next_;
      instructions_[instruction.get()] = next_++;
    }
  }

  absl::flat_hash_map<const Instruction*, int64_t> instructions_;
  absl::flat_hash_map<const Computation*, int64_t> computations_;
  absl::flat_hash_set<int64_t> ids_;
  absl::flat_hash_set<int64_t> computation_ids_;
  absl::flat_hash_set<uint32_t> lowers_;
  int64_t next_ = 1;
  int64_t next_computation_ = 1;
};

class ModuleWriter {
 public:
  explicit ModuleWriter(const Module& module) : module_(module), ids_(module) {}

  absl::StatusOr<wire::HloModuleProto> Write() {
    if (module_.entry() == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("module ", module_.name(), " has no computations"));
    }
    PutRest(module_.wire_extras, &proto_);
    proto_.set_name(module_.name());
    proto_.set_entry_computation_name(module_.entry()->name());
    proto_.set_entry_computation_id(ids_.of(module_.entry()));
    FindFusions();
    for (const auto& computation : module_.computations()) {
      absl::Status status = WriteComputation(*computation, proto_.add_computations());
      if (!status.ok()) return status;
    }
    if (module_.is_scheduled) WriteSchedule();
    if (absl::Status status = WriteHeader(module_, &proto_); !status.ok()) return status;
    return std::move(proto_);
  }

 private:
  void FindFusions() {
    for (const auto& computation : module_.computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (instruction->opcode() != Opcode::kFusion) continue;
        fused_.insert(instruction->GetComputation(Attr::kCalls));
      }
    }
  }

  absl::Status WriteComputation(const Computation& computation, wire::HloComputationProto* proto) {
    if (computation.root() == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("computation %", computation.name(), " has no instructions"));
    }
    PutRest(computation.wire_extras, proto);
    proto->set_name(computation.name());
    proto->set_id(ids_.of(&computation));
    proto->set_root_id(ids_.of(computation.root()));
    proto->set_is_fusion_computation(computation.is_fusion() || fused_.contains(&computation));
    if (computation.execution_thread() != kMainThread) {
      proto->set_execution_thread(computation.execution_thread());
    }
    for (const auto& instruction : computation.instructions()) {
      absl::Status status = WriteInstruction(*instruction, proto->add_instructions());
      if (!status.ok()) return status;
    }
    *proto->mutable_program_shape() = ProgramShapeToProto(computation.program_shape());
    return absl::OkStatus();
  }

  absl::Status WriteInstruction(const Instruction& instruction, wire::HloInstructionProto* proto) {
    if (absl::Status status = CheckNesting(instruction.shape()); !status.ok()) {
      return absl::Status(status.code(),
                          absl::StrCat("instruction %", instruction.name(), " in %",
                                       instruction.parent()->name(), ": ", status.message()));
    }
    PutRest(instruction.annotations().wire_extras, proto);
    proto->set_name(instruction.name());
    proto->set_opcode(std::string(instruction.info().name));
    *proto->mutable_shape() = ShapeToProto(instruction.shape());
    proto->set_id(ids_.of(&instruction));
    for (const Instruction* operand : instruction.operands()) {
      proto->add_operand_ids(ids_.of(operand));
    }
    for (const Instruction* predecessor : instruction.control_predecessors()) {
      proto->add_control_predecessor_ids(ids_.of(predecessor));
    }
    for (const Computation* callee : instruction.called_computations()) {
      proto->add_called_computation_ids(ids_.of(callee));
    }
    if (instruction.opcode() == Opcode::kParameter) {
      proto->set_parameter_number(instruction.parameter_number());
    }
    if (absl::Status status = WriteLiterals(instruction, proto); !status.ok()) return status;
    WriteAttributes(instruction, proto);
    if (instruction.has_annotations()) WriteAnnotations(instruction.annotations(), proto);
    return absl::OkStatus();
  }

  // Of a constant, and the sizes of all, before they are copied.
  absl::Status WriteLiterals(const Instruction& instruction, wire::HloInstructionProto* proto) {
    const auto* attribute =
        instruction.attributes().Get<std::shared_ptr<const Literal>>(Attr::kLiteral);
    for (const Literal* literal : {instruction.literal(), attribute ? attribute->get() : nullptr}) {
      if (literal != nullptr) payload_bytes_ += literal->byte_size();
    }
    if (payload_bytes_ > kMaxBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(instruction.Describe(), " brings the constants of the module to ",
                       payload_bytes_, " bytes, more than the 2 GiB that a protobuf can hold"));
    }
    if (instruction.literal() == nullptr) return absl::OkStatus();
    absl::StatusOr<wire::LiteralProto> literal =
        LiteralToProtoAs(*instruction.literal(), instruction.shape());
    if (!literal.ok()) return literal.status();
    *proto->mutable_literal() = *std::move(literal);
    return absl::OkStatus();
  }

  void WriteSchedule() {
    auto& sequences = *proto_.mutable_schedule()->mutable_sequences();
    for (const auto& computation : module_.computations()) {
      if (computation->schedule().empty()) continue;
      wire::HloScheduleProto::InstructionSequence& sequence = sequences[ids_.of(computation.get())];
      for (const Instruction* instruction : computation->schedule()) {
        sequence.add_instruction_ids(ids_.of(instruction));
      }
    }
  }

  const Module& module_;
  const IdTable ids_;
  absl::flat_hash_set<const Computation*> fused_;
  int64_t payload_bytes_ = 0;
  wire::HloModuleProto proto_;
};

}  // namespace

absl::StatusOr<wire::HloModuleProto> ModuleToProto(const Module& module) {
  return ModuleWriter(module).Write();
}

}  // namespace assay
