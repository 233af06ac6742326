// Which steps of a block program the second tier compiles: consecutive ones that it has
// instructions for (native/lane_code.h). Values between them need no memory.
// Tests: native/native_test.cc.
#include <cstring>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "backends/cpu/vector/native/native_program.h"
#include "backends/cpu/vector/program_builder.h"
#include "backends/cpu/vector/tier.h"

namespace assay::cpu {

// Makes lane code of some steps.
class NativeRunBuilder {
 public:
  using Step = ProgramBuilder::Step;
  using Register = ProgramBuilder::Register;

  explicit NativeRunBuilder(const ProgramBuilder& builder) : builder_(builder) {}

  // `operations`: of steps [first, end). `last_use`: by register, over all steps.
  NativeProgram::Run Make(absl::Span<const Step> steps,
                          absl::Span<const std::optional<LaneOperation>> operations, int32_t first,
                          int32_t end, absl::Span<const int32_t> last_use) {
    run_.first = first;
    run_.end = end;
    for (int32_t i = first; i < end; ++i) {
      const Step& step = steps[i];
      LaneStep lane{.operation = *operations[i], .bits = step.parameters.bits};
      for (const Register operand : step.operands) {
        lane.operands[lane.operand_count++] = ValueOf(operand);
      }
      const ProgramBuilder::RegisterInfo& info = builder_.registers_[step.result];
      lane.result = AddValue({.kind = LaneValue::kComputed, .bytes = info.bytes});
      values_[step.result] = lane.result;
      run_.code.steps.push_back(lane);
      if (info.place.kind == Place::kOutput || last_use[step.result] >= end) {
        run_.code.stores.push_back({lane.result, AddArray(info.place)});
      }
    }
    return std::move(run_);
  }

 private:
  int32_t AddValue(const LaneValue& value) {
    run_.code.values.push_back(value);
    return static_cast<int32_t>(run_.code.values.size()) - 1;
  }
  int32_t AddArray(const Place& place) {
    run_.arrays.push_back(place);
    return static_cast<int32_t>(run_.arrays.size()) - 1;
  }
  int32_t ValueOf(Register number) {
    const auto found = values_.find(number);
    if (found != values_.end()) return found->second;
    const ProgramBuilder::RegisterInfo& info = builder_.registers_[number];
    LaneValue value{.kind = info.uniform ? LaneValue::kUniform : LaneValue::kArray,
                    .bytes = info.bytes};
    if (info.constant >= 0 && info.bytes >= 4) {
      value.kind = LaneValue::kConstant;
      std::memcpy(&value.pattern, builder_.constants_[info.constant].data(), info.bytes);
    } else {
      value.index = AddArray(info.place);
    }
    return values_[number] = AddValue(value);
  }

  const ProgramBuilder& builder_;
  NativeProgram::Run run_;
  absl::flat_hash_map<Register, int32_t> values_;
};

std::unique_ptr<const NativeProgram> ProgramBuilder::FindNativeRuns(
    absl::Span<const Step> steps) const {
  const Tier tier = ChosenTier();
  if (tier == Tier::kBlocks || !NativeCodeRuns()) return nullptr;
  const auto count = static_cast<int32_t>(steps.size());
  std::vector<std::optional<LaneOperation>> operations(steps.size());
  std::vector<int32_t> last_use(registers_.size(), -1);
  for (int32_t i = 0; i < count; ++i) {
    for (const Register operand : steps[i].operands) last_use[operand] = i;
    if (steps[i].multiplicity != 1) continue;
    operations[i] = LaneOperationOf(kernels_, steps[i].kernel, steps[i].parameters.bits);
  }
  // A step alone saves nothing. Very long runs take code in pieces.
  constexpr int32_t kFewestSteps = 2, kMostSteps = 1024;
  std::vector<NativeProgram::Run> runs;
  for (int32_t first = 0; first < count;) {
    int32_t end = first;
    while (end < count && end - first < kMostSteps && operations[end].has_value()) ++end;
    const bool whole = first == 0 && end == count;  // may be part of a loop
    if (end - first >= kFewestSteps || (whole && end > first)) {
      runs.push_back(NativeRunBuilder(*this).Make(steps, operations, first, end, last_use));
    }
    first = end + (end == first ? 1 : 0);
  }
  if (runs.empty()) return nullptr;
  return std::make_unique<const NativeProgram>(std::move(runs), tier);
}

}  // namespace assay::cpu
