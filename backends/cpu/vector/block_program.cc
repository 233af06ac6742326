#include "backends/cpu/vector/block_program.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "backends/cpu/vector/program_builder.h"

namespace assay::cpu {

absl::StatusOr<std::unique_ptr<BlockProgram>> BlockProgram::Create(
    const Computation& computation, absl::Span<const int64_t> lanes) {
  absl::StatusOr<analysis::FlatRegion> region = analysis::FlattenRegion(computation, lanes);
  if (!region.ok()) return region.status();
  return Create(*region);
}

absl::StatusOr<std::unique_ptr<BlockProgram>> BlockProgram::Create(
    const analysis::FlatRegion& region) {
  ProgramBuilder builder(BestKernels());
  std::vector<ProgramBuilder::Value> values(region.register_count);
  for (size_t i = 0; i < region.parameter_types.size(); ++i) {
    values[i] = builder.AddInput(region.parameter_types[i]);
  }
  // The types of constants are those of the steps that read them, or of the results.
  std::vector<ElementType> types(region.register_count, ElementType::kInvalid);
  for (const analysis::FlatRegion::Step& step : region.steps) {
    for (int64_t k = 0; k < step.instruction->operand_count(); ++k) {
      types[step.operands[k]] = step.instruction->operand(k)->shape().element_type();
    }
  }
  for (size_t j = 0; j < region.results.size(); ++j) {
    types[region.results[j]] = region.result_types[j];
  }
  for (const auto& [reg, element] : region.constants) {
    if (types[reg] == ElementType::kInvalid) continue;  // nobody reads it
    values[reg] = builder.AddConstant(types[reg], element);
  }
  for (const analysis::FlatRegion::Step& step : region.steps) {
    absl::InlinedVector<ProgramBuilder::Value, 3> operands;
    for (int64_t k = 0; k < step.instruction->operand_count(); ++k) {
      operands.push_back(values[step.operands[k]]);
    }
    absl::StatusOr<ProgramBuilder::Value> result =
        builder.AddInstruction(*step.instruction, operands);
    if (!result.ok()) return result.status();
    values[step.result] = *result;
  }
  for (const int32_t result : region.results) builder.AddOutput(values[result]);
  return builder.Build();
}

namespace {

// The addresses of one run.
struct Arrays {
  absl::Span<const std::byte* const> inputs;
  absl::Span<std::byte* const> outputs;
  const std::byte* constants;
  std::byte* scratch;
  int64_t block_elements;

  std::byte* Address(const Place& place, int64_t first) const {
    switch (place.kind) {
      case Place::kScratch:
        return scratch + place.position * block_elements;
      case Place::kConstant:
        return const_cast<std::byte*>(constants) + place.position;
      case Place::kInput:
        return const_cast<std::byte*>(inputs[place.position]) + first * place.element_bytes;
      case Place::kOutput:
        break;
    }
    return outputs[place.position] + first * place.element_bytes;
  }

  // Elements [skipped, n) of the block.
  void Execute(absl::Span<const BoundStep> steps, int64_t first, int64_t n,
               int64_t skipped = 0) const {
    for (const BoundStep& step : steps) {
      const std::byte* operands[3];
      for (int32_t k = 0; k < step.operand_count; ++k) {
        const Place& place = step.operands[k];
        operands[k] = Address(place, first) + skipped * place.element_bytes;
      }
      std::byte* const result = Address(step.result, first) + skipped * step.result.element_bytes;
      step.kernel(operands, result, (n - skipped) * step.multiplicity, step.parameters);
    }
  }

  // With the compiled runs; the kernels take what is less than a vector.
  void Execute(absl::Span<const BoundStep> steps, const NativeProgram& native, int64_t first,
               int64_t n) const {
    size_t next = 0;
    for (const NativeProgram::Run& run : native.runs()) {
      if (run.compiled == nullptr) continue;
      Execute(steps.subspan(next, run.first - next), first, n);
      absl::InlinedVector<const std::byte*, 16> addresses;
      for (const Place& place : run.arrays) addresses.push_back(Address(place, first));
      const int64_t whole = n / run.compiled->elements() * run.compiled->elements();
      if (whole > 0) run.compiled->Call(addresses.data(), whole);
      if (whole < n) Execute(steps.subspan(run.first, run.end - run.first), first, n, whole);
      next = run.end;
    }
    Execute(steps.subspan(next), first, n);
  }
};

}  // namespace

void BlockProgram::Run(absl::Span<const std::byte* const> inputs,
                       absl::Span<std::byte* const> outputs, int64_t n, std::byte* scratch) const {
  Start(inputs, n, scratch);
  Continue(inputs, outputs, n, scratch);
}

void BlockProgram::Start(absl::Span<const std::byte* const> inputs, int64_t n,
                         std::byte* scratch) const {
  const Arrays arrays{inputs, {}, constants_.data(), scratch, block_elements_};
  arrays.Execute(prologue_, 0, std::min(n, block_elements_));
}

void BlockProgram::Continue(absl::Span<const std::byte* const> inputs,
                            absl::Span<std::byte* const> outputs, int64_t n,
                            std::byte* scratch) const {
  const Arrays arrays{inputs, outputs, constants_.data(), scratch, block_elements_};
  const bool ready = native_ != nullptr && native_->Ready(n);
  for (int64_t first = 0; first < n; first += block_elements_) {
    const int64_t count = std::min(n - first, block_elements_);
    if (ready) {
      arrays.Execute(steps_, *native_, first, count);
    } else {
      arrays.Execute(steps_, first, count);
    }
  }
}

std::vector<BlockProgram::Call> BlockProgram::Calls(absl::Span<const std::byte* const> inputs,
                                                    absl::Span<std::byte* const> outputs, int64_t n,
                                                    std::byte* scratch) const {
  const Arrays arrays{inputs, outputs, constants_.data(), scratch, block_elements_};
  std::vector<Call> calls;
  for (const BoundStep& step : steps_) {
    Call& call = calls.emplace_back();
    call.kernel = step.kernel;
    for (int32_t k = 0; k < step.operand_count; ++k) {
      call.operands[k] = arrays.Address(step.operands[k], 0);
    }
    call.result = arrays.Address(step.result, 0);
    call.n = n * step.multiplicity;
    call.parameters = step.parameters;
  }
  return calls;
}

}  // namespace assay::cpu
