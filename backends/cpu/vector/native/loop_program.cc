#include "backends/cpu/vector/native/loop_program.h"

#include <utility>

namespace assay::cpu {
namespace {

class Joiner {
 public:
  explicit Joiner(absl::Span<const int64_t> leaf_bytes) {
    for (size_t leaf = 0; leaf < leaf_bytes.size(); ++leaf) {
      joined_.loop.state.push_back(AddValue({.kind = LaneValue::kState,
                                             .bytes = static_cast<int32_t>(leaf_bytes[leaf]),
                                             .index = static_cast<int32_t>(leaf)}));
    }
  }

  // Appends the steps of a program, and gives the values of its outputs. False: some step is not
  // for the second tier.
  bool Add(const BlockProgram& program, bool is_body, std::vector<int32_t>* outputs) {
    if (program.native() == nullptr || program.native()->runs().size() != 1) return false;
    const NativeProgram::Run& run = program.native()->runs()[0];
    if (run.first != 0 || run.end != program.step_count()) return false;
    values_.assign(run.code.values.size(), -1);
    for (size_t i = 0; i < run.code.values.size(); ++i) {
      const LaneValue& value = run.code.values[i];
      if (value.kind == LaneValue::kArray) {
        const Place& place = run.arrays[value.index];
        if (place.kind != Place::kInput) return false;
        values_[i] = joined_.loop.state[place.position];
      } else if (value.kind == LaneValue::kUniform) {
        values_[i] = AddUniform(value, run.arrays[value.index], is_body);
      } else {
        values_[i] = AddValue(value);
      }
    }
    for (const LaneStep& step : run.code.steps) AddStep(step);
    outputs->assign(program.output_count(), -1);
    for (const auto& [value, array] : run.code.stores) {
      const Place& place = run.arrays[array];
      if (place.kind != Place::kOutput) return false;
      (*outputs)[place.position] = values_[value];
    }
    for (const int32_t output : *outputs) {
      if (output < 0) return false;
    }
    return true;
  }

  LoopProgram& joined() { return joined_; }

 private:
  int32_t AddValue(const LaneValue& value) {
    joined_.loop.code.values.push_back(value);
    return static_cast<int32_t>(joined_.loop.code.values.size()) - 1;
  }
  int32_t AddUniform(LaneValue value, const Place& place, bool is_body) {
    value.index = static_cast<int32_t>(joined_.loop.state.size() + joined_.uniforms.size());
    joined_.uniforms.push_back({is_body, place});
    return AddValue(value);
  }
  void AddStep(const LaneStep& step) {
    ++joined_.steps;
    if (step.operation.kind == LaneOperation::kCopy) {
      values_[step.result] = values_[step.operands[0]];
      return;
    }
    LaneStep own = step;
    for (int32_t k = 0; k < step.operand_count; ++k) own.operands[k] = values_[step.operands[k]];
    own.result = values_[step.result];
    joined_.loop.code.steps.push_back(own);
  }

  LoopProgram joined_;
  std::vector<int32_t> values_;  // of the program that is added
};

}  // namespace

std::optional<LoopProgram> JoinLoop(const BlockProgram& condition, const BlockProgram& body,
                                    absl::Span<const int64_t> leaf_bytes) {
  Joiner joiner(leaf_bytes);
  std::vector<int32_t> decision;
  if (!joiner.Add(condition, /*is_body=*/false, &decision)) return std::nullopt;
  LoopProgram& joined = joiner.joined();
  joined.loop.condition = decision[0];
  joined.loop.condition_steps = static_cast<int32_t>(joined.loop.code.steps.size());
  if (!joiner.Add(body, /*is_body=*/true, &joined.loop.next)) return std::nullopt;
  return std::move(joined);
}

}  // namespace assay::cpu
