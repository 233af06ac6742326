// Walks a computation with calls and fusions inlined and tuples unpacked. It has a stack of frames
// of its own, so that deep nesting uses no machine stack. Shared by flat_computation.cc and
// flat_region.cc. Tests: flat_region_test.cc, reducer_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_INLINER_H_
#define ASSAY_SPEC_ANALYSIS_INLINER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay::analysis {

// `Leaf` represents one array of a value; a value is the list of its leaves in pre-order.
template <typename Leaf>
class Inliner {
 public:
  using Value = std::vector<Leaf>;
  using Operands = absl::FunctionRef<const Value&(int64_t operand)>;

  virtual ~Inliner() = default;

 protected:
  // Returns the value of the root. `arguments` are by parameter number. Only instructions that the
  // root needs are visited.
  absl::StatusOr<Value> Walk(const Computation& computation, std::vector<Value> arguments) {
    Enter(computation, std::move(arguments));
    while (!frames_.empty()) {
      absl::Status status = CheckSize(*frames_.back().computation);
      if (status.ok()) status = Advance();
      if (!status.ok()) return status;
    }
    return std::move(returned_);
  }

  // Called for each instruction before its value is computed, including calls and tuples.
  virtual absl::Status Check(const Instruction& /*instruction*/) { return absl::OkStatus(); }
  // Called at every step. An error ends a walk that has become too large.
  virtual absl::Status CheckSize(const Computation& computation) = 0;
  // Returns the value of any instruction but a parameter, tuple, get-tuple-element, call or fusion.
  virtual absl::StatusOr<Value> Emit(const Instruction& instruction, Operands operands) = 0;

  // Returns the number of instructions and frames so far, including unneeded instructions. Nested
  // calls can double it at every level.
  int64_t visited() const { return visited_; }
  // Returns the number of leaves of all values so far.
  int64_t leaves() const { return leaves_; }

 private:
  // A computation in progress: the next instruction, and the values of finished ones.
  struct Frame {
    const Computation* computation;
    std::vector<Value> arguments;
    std::vector<Value> values;
    std::vector<bool> needed;
    int64_t next = 0;
    bool awaits_call = false;
  };

  void Enter(const Computation& computation, std::vector<Value> arguments) {
    const int64_t count = computation.instruction_count();
    visited_ += count;
    Frame frame{&computation, std::move(arguments), std::vector<Value>(count),
                std::vector<bool>(count, false)};
    frame.needed[computation.root()->index()] = true;
    for (int64_t i = count - 1; i >= 0; --i) {
      if (!frame.needed[i]) continue;
      for (const Instruction* operand : computation.instruction(i)->operands()) {
        frame.needed[operand->index()] = true;
      }
    }
    frames_.push_back(std::move(frame));
  }

  // Processes one instruction of the innermost frame, or returns from it.
  absl::Status Advance() {
    ++visited_;
    Frame& frame = frames_.back();
    if (frame.next == frame.computation->instruction_count()) {
      returned_ = std::move(frame.values[frame.computation->root()->index()]);
      frames_.pop_back();
      return absl::OkStatus();
    }
    if (frame.awaits_call) {
      frame.values[frame.next++] = std::move(returned_);
      frame.awaits_call = false;
      return absl::OkStatus();
    }
    if (!frame.needed[frame.next]) {
      ++frame.next;
      return absl::OkStatus();
    }
    const Instruction& instruction = *frame.computation->instruction(frame.next);
    if (absl::Status status = Check(instruction); !status.ok()) return status;
    const Computation* callee = nullptr;
    if (instruction.opcode() == Opcode::kCall) callee = instruction.to_apply();
    if (instruction.opcode() == Opcode::kFusion) callee = instruction.GetComputation(Attr::kCalls);
    if (callee != nullptr) {
      std::vector<Value> arguments;
      for (const Instruction* operand : instruction.operands()) {
        arguments.push_back(frame.values[operand->index()]);
      }
      frame.awaits_call = true;
      Enter(*callee, std::move(arguments));  // `frame` may have moved
      return absl::OkStatus();
    }
    absl::StatusOr<Value> value = ValueOf(frame, instruction);
    if (!value.ok()) return value.status();
    leaves_ += static_cast<int64_t>(value->size());
    frame.values[frame.next++] = *std::move(value);
    return absl::OkStatus();
  }

  absl::StatusOr<Value> ValueOf(const Frame& frame, const Instruction& instruction) {
    const auto operand = [&](int64_t k) -> const Value& {
      return frame.values[instruction.operand(k)->index()];
    };
    switch (instruction.opcode()) {
      case Opcode::kParameter:
        return frame.arguments[instruction.parameter_number()];
      case Opcode::kTuple: {
        Value leaves;
        for (int64_t k = 0; k < instruction.operand_count(); ++k) {
          leaves.insert(leaves.end(), operand(k).begin(), operand(k).end());
        }
        return leaves;
      }
      case Opcode::kGetTupleElement: {
        const Shape& tuple = instruction.operand(0)->shape();
        const int64_t index = instruction.GetInt(Attr::kIndex);
        int64_t first = 0;
        for (int64_t i = 0; i < index; ++i) first += tuple.tuple_shape(i).leaf_count();
        const auto begin = operand(0).begin() + first;
        return Value(begin, begin + tuple.tuple_shape(index).leaf_count());
      }
      default:
        return Emit(instruction, operand);
    }
  }

  std::vector<Frame> frames_;
  Value returned_;
  int64_t visited_ = 0;
  int64_t leaves_ = 0;
};

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_INLINER_H_
