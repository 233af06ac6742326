#include "backends/cpu/vector/program_builder.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace assay::cpu {
namespace {

// Blocks of all registers together are kept below this, so that they stay in the first-level cache.
constexpr int64_t kBlockBytes = 32 << 10;
constexpr int64_t kFewestElements = 128;
constexpr int64_t kAlignment = 64;

}  // namespace

ProgramBuilder::Register ProgramBuilder::NewRegister(int32_t bytes, bool uniform) {
  registers_.push_back(
      {.bytes = bytes, .uniform = uniform, .placed = false, .place = {}, .constant = kNone});
  return static_cast<Register>(registers_.size()) - 1;
}

ProgramBuilder::Register ProgramBuilder::Emit(BlockKernel kernel,
                                              absl::Span<const Register> operands,
                                              int32_t result_bytes,
                                              const KernelParameters& parameters,
                                              int32_t multiplicity) {
  Step step{.kernel = kernel,
            .parameters = parameters,
            .operands = {},
            .result = kNone,
            .multiplicity = multiplicity};
  bool uniform = true;
  for (const Register operand : operands) {
    step.operands.push_back(operand);
    uniform = uniform && registers_[operand].uniform;
  }
  step.result = NewRegister(result_bytes, uniform);
  steps_.push_back(std::move(step));
  return steps_.back().result;
}

ProgramBuilder::Value ProgramBuilder::NewValue(ElementType type, Register lane, Register storage) {
  if (lane == kNone && StoredAsLane(type)) lane = storage;
  if (storage == kNone && (StoredAsLane(type) || IsUnsigned(type))) storage = lane;
  values_.push_back({type, lane, storage});
  return static_cast<Value>(values_.size()) - 1;
}

ProgramBuilder::Value ProgramBuilder::AddInput(ElementType type, bool uniform) {
  const int32_t bytes = Info(type).storage_bytes;
  Register storage = NewRegister(bytes, uniform);
  registers_[storage].placed = true;
  registers_[storage].place = {.kind = Place::kInput,
                               .element_bytes = uniform ? 0 : bytes,
                               .position = static_cast<int64_t>(inputs_.size())};
  inputs_.push_back({.bytes = bytes, .uniform = uniform});
  if (uniform) storage = Emit(kernels_.repeat[LogBytes(bytes)], {storage}, bytes);
  return NewValue(type, kNone, storage);
}

ProgramBuilder::Value ProgramBuilder::AddConstant(ElementType type, Element element) {
  const int32_t bytes = Info(type).storage_bytes;
  const Register source = NewRegister(bytes, true);
  registers_[source].placed = true;
  registers_[source].place = {.kind = Place::kConstant,
                              .element_bytes = 0,
                              .position = static_cast<int64_t>(constants_.size()) * 16};
  constants_.emplace_back();
  StoreElement(type, element, constants_.back().data(), 0);
  const Register repeated = Emit(kernels_.repeat[LogBytes(bytes)], {source}, bytes);
  registers_[repeated].constant = static_cast<int32_t>(constants_.size()) - 1;
  return NewValue(type, kNone, repeated);
}

// Steps that outputs need, in order.
std::vector<ProgramBuilder::Step> ProgramBuilder::LiveSteps() {
  std::vector<bool> needed(registers_.size());
  for (const Value output : outputs_) needed[values_[output].storage] = true;
  std::vector<Step> live;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (!needed[step->result]) continue;
    for (const Register operand : step->operands) needed[operand] = true;
    live.push_back(std::move(*step));
  }
  std::reverse(live.begin(), live.end());
  return live;
}

// Uniform registers keep their place for a whole run; the others share places once they are dead.
// A result never takes the place of an operand that dies with the step, whose elements may be
// smaller.
void ProgramBuilder::PlaceRegisters(absl::Span<const Step> steps) {
  std::vector<int64_t> last_use(registers_.size(), -1);
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const Register operand : steps[i].operands) last_use[operand] = static_cast<int64_t>(i);
  }
  std::map<int32_t, std::vector<int64_t>> free;  // places by the bytes of an element
  for (size_t i = 0; i < steps.size(); ++i) {
    RegisterInfo& result = registers_[steps[i].result];
    if (!result.placed) {
      result.place.element_bytes = result.bytes;
      std::vector<int64_t>& places = free[result.bytes];
      if (result.uniform || places.empty()) {
        result.place.position = scratch_bytes_per_element_;
        scratch_bytes_per_element_ += result.bytes;
      } else {
        result.place.position = places.back();
        places.pop_back();
      }
      result.placed = true;
    }
    absl::InlinedVector<Register, 3> dead;
    for (const Register operand : steps[i].operands) {
      const bool again = std::find(dead.begin(), dead.end(), operand) != dead.end();
      if (last_use[operand] == static_cast<int64_t>(i) && !again) dead.push_back(operand);
    }
    for (const Register operand : dead) {
      const RegisterInfo& info = registers_[operand];
      if (!info.uniform && info.place.kind == Place::kScratch) {
        free[info.bytes].push_back(info.place.position);
      }
    }
  }
}

BoundStep ProgramBuilder::Bind(const Step& step) const {
  BoundStep bound;
  bound.kernel = step.kernel;
  bound.parameters = step.parameters;
  bound.operand_count = static_cast<int32_t>(step.operands.size());
  bound.multiplicity = step.multiplicity;
  for (size_t k = 0; k < step.operands.size(); ++k) {
    bound.operands[k] = registers_[step.operands[k]].place;
  }
  bound.result = registers_[step.result].place;
  return bound;
}

std::unique_ptr<BlockProgram> ProgramBuilder::Build() {
  auto program = std::unique_ptr<BlockProgram>(new BlockProgram);
  for (const Value output : outputs_) StorageForm(output);
  std::vector<Register> results;
  for (Value& output : outputs_) {
    const Register storage = values_[output].storage;
    const RegisterInfo info = registers_[storage];
    // Written by the step that computes it, unless that is none of a block or writes another.
    if (info.placed || info.uniform ||
        std::find(results.begin(), results.end(), storage) != results.end()) {
      const Register copy = Emit(kernels_.copy[LogBytes(info.bytes)], {storage}, info.bytes);
      registers_[copy].uniform = false;
      output = NewValue(values_[output].type, kNone, copy);
    }
    results.push_back(values_[output].storage);
  }
  for (size_t j = 0; j < results.size(); ++j) {
    RegisterInfo& info = registers_[results[j]];
    info.placed = true;
    info.place = {
        .kind = Place::kOutput, .element_bytes = info.bytes, .position = static_cast<int64_t>(j)};
    program->outputs_.push_back({.bytes = info.bytes});
  }
  const std::vector<Step> steps = LiveSteps();
  PlaceRegisters(steps);
  std::vector<Step> of_blocks;
  for (const Step& step : steps) {
    const bool once = registers_[step.result].uniform;
    (once ? program->prologue_ : program->steps_).push_back(Bind(step));
    if (!once) of_blocks.push_back(step);
  }
  program->native_ = FindNativeRuns(of_blocks);
  program->inputs_ = std::move(inputs_);
  program->rules_ = std::move(rules_);
  program->constants_.resize(constants_.size() * 16);
  for (size_t i = 0; i < constants_.size(); ++i) {
    std::memcpy(program->constants_.data() + 16 * i, constants_[i].data(), 16);
  }
  int64_t elements = BlockProgram::kBlockElements;
  while (elements > kFewestElements && elements * scratch_bytes_per_element_ > kBlockBytes) {
    elements /= 2;
  }
  program->block_elements_ = elements;
  program->scratch_bytes_ = elements * scratch_bytes_per_element_ + kAlignment;
  return program;
}

}  // namespace assay::cpu
