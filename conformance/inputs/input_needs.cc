#include "conformance/inputs/input_needs.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "conformance/inputs/ragged_inputs.h"
#include "spec/ops/shape_inference.h"

namespace assay::conformance {
namespace {

enum class Need { kIndex, kUnique, kRagged };

// A demand on one leaf of an instruction's value.
struct Demand {
  const Instruction* instruction = nullptr;
  int64_t leaf = 0;
  Need need = Need::kIndex;
  int64_t high = 0;  // of an index; the low end is always 0
  // kRagged: of which operation, and which operand.
  const Instruction* use = nullptr;
  int64_t operand = 0;
};

int64_t LeavesBefore(const Shape& tuple, int64_t element) {
  int64_t count = 0;
  for (int64_t i = 0; i < element; ++i) count += tuple.tuple_shape(i).leaf_count();
  return count;
}

class Tracer {
 public:
  explicit Tracer(const Module& module) : module_(module) {}

  std::vector<std::vector<InputNeeds>> Run() {
    for (const Instruction* parameter : module_.entry()->parameters()) {
      needs_.emplace_back(parameter == nullptr ? 0 : parameter->shape().leaf_count());
    }
    for (const auto& computation : module_.computations()) {
      for (const auto& instruction : computation->instructions()) {
        for (const Computation* callee : instruction->called_computations()) {
          callers_[callee].push_back(instruction.get());
        }
        AddDemandsOf(*instruction);
      }
    }
    while (!pending_.empty()) {
      const Demand demand = pending_.back();
      pending_.pop_back();
      Follow(demand);
    }
    return std::move(needs_);
  }

 private:
  void Push(const Instruction* instruction, int64_t leaf, const Demand& like) {
    if (!visited_
             .emplace(instruction, leaf, static_cast<int>(like.need), like.high, like.use,
                      like.operand)
             .second) {
      return;
    }
    pending_.push_back({instruction, leaf, like.need, like.high, like.use, like.operand});
  }

  void Index(const Instruction* operand, int64_t high) {
    Push(operand, 0, {nullptr, 0, Need::kIndex, std::max<int64_t>(high, 0), nullptr, 0});
  }

  // The largest start index that keeps every window inside.
  void StartIndices(const Instruction& instruction, absl::Span<const int64_t> dimension_map,
                    absl::Span<const int64_t> window) {
    const Shape& operand = instruction.operand(0)->shape();
    int64_t high = INT64_MAX;
    for (int64_t d : dimension_map) {
      if (d < 0 || d >= operand.rank() || d >= static_cast<int64_t>(window.size())) return;
      high = std::min(high, operand.dimension(d) - window[d]);
    }
    if (high != INT64_MAX) Index(instruction.operand(1), high);
  }

  void ScatterIndices(const Instruction& scatter) {
    const int64_t inputs = scatter.operand_count() / 2;
    const Shape& operand = scatter.operand(0)->shape();
    const Shape& updates = scatter.operand(inputs + 1)->shape();
    const auto window_dims = scatter.GetInts(Attr::kUpdateWindowDims);
    const auto inserted = scatter.GetInts(Attr::kInsertedWindowDims);
    const auto batching = scatter.GetInts(Attr::kInputBatchingDims);
    auto contains = [](absl::Span<const int64_t> list, int64_t d) {
      return std::find(list.begin(), list.end(), d) != list.end();
    };
    std::vector<int64_t> window(operand.rank(), 1);
    size_t next = 0;
    for (int64_t d = 0; d < operand.rank(); ++d) {
      if (contains(inserted, d) || contains(batching, d)) continue;
      if (next < window_dims.size()) window[d] = updates.dimension(window_dims[next++]);
    }
    int64_t high = INT64_MAX;
    for (int64_t d : scatter.GetInts(Attr::kScatterDimsToOperandDims)) {
      high = std::min(high, operand.dimension(d) - window[d]);
    }
    if (high != INT64_MAX) Index(scatter.operand(inputs), high);
  }

  void AddDemandsOf(const Instruction& instruction) {
    switch (instruction.opcode()) {
      case Opcode::kGather:
        StartIndices(instruction, instruction.GetInts(Attr::kStartIndexMap),
                     instruction.GetInts(Attr::kSliceSizes));
        break;
      case Opcode::kScatter:
        ScatterIndices(instruction);
        break;
      case Opcode::kDynamicSlice:
      case Opcode::kDynamicUpdateSlice: {
        const bool update = instruction.opcode() == Opcode::kDynamicUpdateSlice;
        const int64_t first = update ? 2 : 1;
        const Shape& window = update ? instruction.operand(1)->shape() : instruction.shape();
        for (int64_t i = first; i < instruction.operand_count(); ++i) {
          const int64_t d = i - first;
          if (!instruction.operand(i)->shape().is_scalar()) continue;
          Index(instruction.operand(i),
                instruction.operand(0)->shape().dimension(d) - window.dimension(d));
        }
        break;
      }
      case Opcode::kConditional:
        if (IsInteger(instruction.operand(0)->shape().element_type())) {
          Index(instruction.operand(0), instruction.operand_count() - 2);
        }
        break;
      case Opcode::kSetDimensionSize:
        if (!CheckInstruction(instruction).ok()) break;
        Index(instruction.operand(1),
              instruction.operand(0)->shape().dimension(instruction.GetInt(Attr::kDimension)));
        break;
      case Opcode::kRaggedAllToAll:
      case Opcode::kRaggedDot:
        if (!CheckInstruction(instruction).ok()) break;
        for (int64_t i = 0; i < instruction.operand_count(); ++i) {
          if (!IsRaggedOperand(instruction, i)) continue;
          Push(instruction.operand(i), 0, {nullptr, 0, Need::kRagged, 0, &instruction, i});
        }
        break;
      case Opcode::kSort:
      case Opcode::kTopK:
        Push(instruction.operand(0), 0, {nullptr, 0, Need::kUnique, 0, nullptr, 0});
        break;
      default:
        break;
    }
  }

  void Record(const Demand& demand) {
    InputNeeds& needs = needs_[demand.instruction->parameter_number()][demand.leaf];
    if (demand.need == Need::kUnique) {
      needs.unique = true;
      return;
    }
    if (demand.need == Need::kRagged) {
      // One that is both kinds of offsets is that of the output, which asks more.
      if (needs.ragged_use == nullptr || needs.ragged_operand < demand.operand) {
        needs.ragged_use = demand.use;
        needs.ragged_operand = demand.operand;
      }
      return;
    }
    needs.low = 0;
    needs.high = std::min(needs.high.value_or(INT64_MAX), demand.high);
  }

  void FollowParameter(const Demand& demand) {
    const Computation* computation = demand.instruction->parent();
    if (computation == module_.entry()) Record(demand);
    const int64_t number = demand.instruction->parameter_number();
    for (const Instruction* caller : callers_[computation]) {
      switch (caller->opcode()) {
        case Opcode::kCall:
        case Opcode::kFusion:
        case Opcode::kMap:
          if (number < caller->operand_count()) Push(caller->operand(number), demand.leaf, demand);
          break;
        case Opcode::kWhile:
          Push(caller->operand(0), demand.leaf, demand);
          break;
        case Opcode::kConditional: {
          const auto branches = caller->called_computations();
          for (size_t i = 0; i < branches.size(); ++i) {
            if (branches[i] == computation) Push(caller->operand(1 + i), demand.leaf, demand);
          }
          break;
        }
        default:
          break;
      }
    }
  }

  void Follow(const Demand& demand) {
    const Instruction& instruction = *demand.instruction;
    switch (instruction.opcode()) {
      case Opcode::kParameter:
        FollowParameter(demand);
        break;
      case Opcode::kGetTupleElement:
        Push(instruction.operand(0),
             LeavesBefore(instruction.operand(0)->shape(), instruction.GetInt(Attr::kIndex)) +
                 demand.leaf,
             demand);
        break;
      case Opcode::kTuple: {
        int64_t leaf = demand.leaf;
        for (const Instruction* operand : instruction.operands()) {
          const int64_t count = operand->shape().leaf_count();
          if (leaf < count) {
            Push(operand, leaf, demand);
            break;
          }
          leaf -= count;
        }
        break;
      }
      case Opcode::kCall:
      case Opcode::kFusion:
      case Opcode::kConditional:
        for (const Computation* callee : instruction.called_computations()) {
          Push(callee->root(), demand.leaf, demand);
        }
        break;
      case Opcode::kWhile:
        Push(instruction.operand(0), demand.leaf, demand);
        Push(instruction.GetComputation(Attr::kBody)->root(), demand.leaf, demand);
        break;
      // What leaves elements in their order passes every demand on.
      case Opcode::kReshape:
      case Opcode::kCopy:
      case Opcode::kOptimizationBarrier:
      case Opcode::kAddDependency:
      case Opcode::kConvert:
        Push(instruction.operand(0), demand.leaf, demand);
        break;
      default:
        if (demand.need != Need::kRagged) FollowMove(demand);
        break;
    }
  }

  // Through what moves elements to other places.
  void FollowMove(const Demand& demand) {
    const Instruction& instruction = *demand.instruction;
    switch (instruction.opcode()) {
      case Opcode::kBitcast:
      case Opcode::kBroadcast:
      case Opcode::kTranspose:
      case Opcode::kSlice:
      case Opcode::kReverse:
      case Opcode::kDynamicSlice:
      case Opcode::kGather:
        Push(instruction.operand(0), demand.leaf, demand);
        break;
      case Opcode::kPad:
      case Opcode::kConcatenate:
        for (const Instruction* operand : instruction.operands()) Push(operand, 0, demand);
        break;
      case Opcode::kSelect:
        Push(instruction.operand(1), 0, demand);
        Push(instruction.operand(2), 0, demand);
        break;
      default:
        break;
    }
  }

  const Module& module_;
  std::vector<std::vector<InputNeeds>> needs_;
  std::vector<Demand> pending_;
  absl::flat_hash_set<
      std::tuple<const Instruction*, int64_t, int, int64_t, const Instruction*, int64_t>>
      visited_;
  absl::flat_hash_map<const Computation*, std::vector<const Instruction*>> callers_;
};

}  // namespace

std::vector<std::vector<InputNeeds>> FindInputNeeds(const Module& module) {
  return Tracer(module).Run();
}

}  // namespace assay::conformance
