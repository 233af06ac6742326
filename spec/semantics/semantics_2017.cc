#include "spec/semantics/semantics_2017.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "spec/builder/copy_module.h"
#include "spec/builder/lowering_2017.h"

namespace assay {
namespace {

using builder_internal::Graph;
using builder_internal::Maker;

class Rewriter {
 public:
  explicit Rewriter(const Module& module) : module_(module), graph_(std::make_shared<Graph>()) {
    graph_->name = module.name();
    graph_->module = std::make_unique<Module>(module.name());
  }

  absl::StatusOr<std::unique_ptr<Module>> Run() {
    if (absl::Status status = builder_internal::CheckInfeeds2017(module_); !status.ok()) {
      return status;
    }
    for (const auto& computation : module_.computations()) {
      if (absl::Status status = Rewrite(*computation); !status.ok()) return status;
    }
    Module& result = *graph_->module;
    result.set_entry(callees_.at(module_.entry()));
    CopyHeader(result);
    result.UniquifyNames(result.entry());
    result.AssignIds();
    return std::move(graph_->module);
  }

 private:
  absl::Status Rewrite(const Computation& computation) {
    graph_->computation = std::make_unique<Computation>(computation.name());
    graph_->computation->set_execution_thread(computation.execution_thread());
    graph_->computation->set_is_fusion(computation.is_fusion());
    instructions_.clear();
    for (const auto& instruction : computation.instructions()) {
      if (absl::Status status = CheckAllowed(*instruction); !status.ok()) return status;
      Instruction* replacement = Replace(*instruction);
      if (!graph_->first_error.ok()) return graph_->first_error;
      if (replacement == nullptr) {
        replacement =
            graph_->computation->Add(CopyInstruction(*instruction, instructions_, callees_));
        if (IsBareDot(*instruction)) Contract(replacement);
      } else {
        Adorn(*instruction, replacement);
      }
      if (instruction->opcode() == Opcode::kWhile) with_loop_.insert(&computation);
      for (const Computation* callee : instruction->called_computations()) {
        if (with_loop_.contains(callee)) with_loop_.insert(&computation);
      }
      instructions_[instruction.get()] = replacement;
    }
    graph_->computation->set_root(instructions_.at(computation.root()));
    callees_[&computation] = graph_->module->Add(std::move(graph_->computation));
    return absl::OkStatus();
  }

  absl::Status CheckAllowed(const Instruction& op) const {
    if (op.opcode() == Opcode::kSlice) {
      for (const SliceRange& range : op.slices()) {
        ASSAY_REQUIRE(op, "slice_2017_c1", range.start < range.limit,
                      "in 2017 a slice may not be empty, found [", range.start, ":", range.limit,
                      "]");
      }
    }
    if (op.opcode() == Opcode::kWhile) {
      for (const Computation* callee : op.called_computations()) {
        ASSAY_REQUIRE(op, "while_2017_c1", !with_loop_.contains(callee),
                      "in 2017 a while may not be nested in another, found one in ",
                      callee->name());
      }
    }
    if (op.opcode() == Opcode::kInfeed) {
      ASSAY_REQUIRE(op, "infeed_c3", IsFlat(op.shape().tuple_shape(0)),
                    "the data must be an array or a tuple of arrays, found ",
                    op.shape().tuple_shape(0).ToString());
    }
    if (op.opcode() == Opcode::kDot && op.operand_count() == 2) {
      const Shape& left = op.operand(0)->shape();
      const Shape& right = op.operand(1)->shape();
      ASSAY_REQUIRE(op, "dot_2017_c1", left.element_type() == right.element_type(),
                    "in 2017 both operands of a dot have one element type, found ", left.ToString(),
                    " and ", right.ToString());
    }
    if (op.opcode() == Opcode::kRng) {
      ASSAY_REQUIRE(
          op, "rng_2017_c1",
          builder_internal::Rng2017Takes(op.GetEnum<RandomDistribution>(Attr::kDistribution),
                                         op.shape().element_type()),
          "in 2017 there were no such random numbers of ", Name(op.shape().element_type()));
    }
    return absl::OkStatus();
  }

  // What the instruction becomes; null where it stays.
  Instruction* Replace(const Instruction& op) {
    Maker maker(graph_, op);
    std::vector<Op> operands;
    for (const Instruction* operand : op.operands()) {
      operands.push_back(maker.Wrap(instructions_.at(operand)));
    }
    const absl::Span<const Op> all = operands;
    switch (op.opcode()) {
      case Opcode::kDynamicSlice:
        if (op.shape().rank() == 0) return nullptr;
        return maker.instruction(builder_internal::DynamicSlice2017(
            maker, all[0], all.subspan(1), op.GetInts(Attr::kDynamicSliceSizes)));
      case Opcode::kDynamicUpdateSlice:
        return maker.instruction(
            builder_internal::DynamicUpdateSlice2017(maker, all[0], all[1], all.subspan(2)));
      case Opcode::kSelect:
        if (!op.shape().is_tuple()) return nullptr;
        return maker.instruction(builder_internal::SelectWhole(maker, all[0], all[1], all[2]));
      case Opcode::kSort:
        if (op.to_apply() != nullptr) return nullptr;
        return maker.instruction(
            builder_internal::SortKeys(maker, all, op.GetInt(Attr::kDimension)));
      default:
        return nullptr;
    }
  }

  // A dot of 2017 names no dimensions.
  static bool IsBareDot(const Instruction& op) {
    if (op.opcode() != Opcode::kDot) return false;
    for (Attr attr : {Attr::kLhsBatchDims, Attr::kRhsBatchDims, Attr::kLhsContractingDims,
                      Attr::kRhsContractingDims}) {
      if (op.HasAttribute(attr) && !op.GetInts(attr).empty()) return false;
    }
    return op.operand_count() == 2 && op.operand(0)->shape().rank() > 0 &&
           op.operand(1)->shape().rank() > 0;
  }

  static void Contract(Instruction* dot) {
    dot->SetAttribute(Attr::kLhsContractingDims,
                      std::vector<int64_t>{dot->operand(0)->shape().rank() - 1});
    dot->SetAttribute(
        Attr::kRhsContractingDims,
        std::vector<int64_t>{builder_internal::ContractedOfRhs2017(dot->operand(1)->shape())});
  }

  // Name, place and annotations of the original.
  void Adorn(const Instruction& original, Instruction* replacement) const {
    replacement->set_name(original.name());
    replacement->set_position(original.position());
    if (original.has_annotations()) replacement->mutable_annotations() = original.annotations();
    for (const Instruction* predecessor : original.control_predecessors()) {
      replacement->AddControlPredecessor(instructions_.at(predecessor));
    }
  }

  void CopyHeader(Module& to) const {
    to.input_output_alias = module_.input_output_alias;
    to.buffer_donors = module_.buffer_donors;
    to.alias_passthrough_params = module_.alias_passthrough_params;
    to.entry_layout = module_.entry_layout;
    to.spmd_propagation_to_parameters = module_.spmd_propagation_to_parameters;
    to.spmd_propagation_to_output = module_.spmd_propagation_to_output;
    to.replica_count = module_.replica_count;
    to.num_partitions = module_.num_partitions;
    to.frontend_attributes = module_.frontend_attributes;
    to.stack_frames = module_.stack_frames;
  }

  const Module& module_;
  std::shared_ptr<Graph> graph_;
  InstructionMap instructions_;
  CalleeMap callees_;
  absl::flat_hash_set<const Computation*> with_loop_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> With2017Semantics(const Module& module) {
  return Rewriter(module).Run();
}

}  // namespace assay
