#include "backends/cuda/cuda_engine.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/cuda_context.h"
#include "backends/cuda/cuda_stats.h"
#include "backends/cuda/custom_calls.h"
#include "backends/cuda/device/emulated_runtime.h"
#include "backends/cuda/kernel_table.h"
#include "backends/cuda/libraries/collectives.h"
#include "backends/cuda/plan_runner.h"
#include "runtime/world.h"
#include "spec/analysis/flat_region.h"

namespace assay::cuda {
namespace {

using runtime::ArrayRef;
using runtime::Context;
using runtime::Kernel;
using runtime::MutableArrayRef;

class CudaKernel : public Kernel {
 public:
  CudaKernel(std::unique_ptr<PlanRunner> runner, int64_t steps)
      : runner_(std::move(runner)), steps_(steps) {}
  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    if (absl::Status status = context.Charge(steps_); !status.ok()) return status;
    return RunOnDevice(*runner_, steps_, operands, results, {}, static_cast<CudaContext&>(context));
  }
  int in_place_operand() const override { return runner_->in_place_operand(); }

 private:
  const std::unique_ptr<PlanRunner> runner_;
  const int64_t steps_;
};

int64_t ElementsOf(const Shape& shape) {
  int64_t elements = 0;
  for (const Shape* leaf : Leaves(shape)) {
    if (leaf->is_array()) elements += leaf->element_count();
  }
  return elements;
}

// Elements that the instruction reads or writes: what a budget of steps counts.
int64_t StepsOf(const Instruction& instruction) {
  int64_t steps = ElementsOf(instruction.shape());
  for (const Instruction* operand : instruction.operands()) {
    steps = std::max(steps, ElementsOf(operand->shape()));
  }
  return steps;
}

// Random numbers and custom calls: launches over leaves, with words that the host draws.
class CudaEffect : public runtime::Effect {
 public:
  CudaEffect(const Instruction& instruction, std::unique_ptr<PlanRunner> runner, int64_t words)
      : instruction_(instruction),
        runner_(std::move(runner)),
        words_(words),
        key_(std::hash<std::string>()(instruction.name())) {}

  absl::StatusOr<runtime::PendingPtr> Start(absl::Span<const Literal> operands,
                                            runtime::CallPath /*path*/, runtime::Process& process,
                                            Context& context) const override {
    if (absl::Status status = context.Charge(StepsOf(instruction_)); !status.ok()) return status;
    std::vector<Literal> values;
    std::vector<ArrayRef> inputs;
    std::vector<MutableArrayRef> outputs;
    for (const Literal& operand : operands) inputs.push_back({&operand.shape(), operand.data()});
    for (const Shape* leaf : Leaves(instruction_.shape())) {
      if (!leaf->is_array()) {
        values.push_back(Literal::Token());
        continue;
      }
      absl::StatusOr<Literal> value = process.ZeroArray(*leaf);
      if (!value.ok()) return value.status();
      values.push_back(*std::move(value));
    }
    for (Literal& value : values) {
      outputs.push_back({&value.shape(), value.is_array() ? value.mutable_data() : nullptr});
    }
    const std::vector<uint64_t> words = DrawWords(process);
    absl::Status status = RunOnDevice(*runner_, StepsOf(instruction_), inputs, outputs, words,
                                      static_cast<CudaContext&>(context));
    if (!status.ok()) return status;
    return std::make_shared<runtime::Present>(std::move(values));
  }
  bool repeats() const override { return words_ == 0; }

 private:
  // SplitMix64 over the seed of the run, the instruction, the device and how often it has run.
  std::vector<uint64_t> DrawWords(runtime::Process& process) const {
    std::vector<uint64_t> words(words_);
    if (words.empty()) return words;
    unsigned __int128& counter = process.random().counters[&instruction_];
    uint64_t state = key_ ^ process.world().options().random_seed * 0x9e3779b97f4a7c15u ^
                     static_cast<uint64_t>(process.number()) << 40;
    state += static_cast<uint64_t>(counter++) * 0xd1342543de82ef95u;
    for (uint64_t& word : words) {
      uint64_t z = state += 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      word = z ^ (z >> 31);
    }
    return words;
  }

  const Instruction& instruction_;
  const std::unique_ptr<PlanRunner> runner_;
  const int64_t words_;
  const uint64_t key_;
};

class CudaState : public runtime::DeviceState {
 public:
  CudaState(std::shared_ptr<DevicePool> pool, std::shared_ptr<ConstantCache> constants)
      : context_(std::move(pool)), values_(context_, std::move(constants)) {}
  // On a device of a replayer.
  CudaState(std::shared_ptr<DevicePool> pool, std::shared_ptr<ConstantCache> constants,
            std::shared_ptr<Device> device, GraphRecorder* recorder)
      : context_(std::move(pool), std::move(device), recorder),
        values_(context_, std::move(constants)) {}
  Context& context() override { return context_; }
  runtime::ValueMemory& memory() override { return values_; }
  void AddStats(runtime::RunStats& stats) const override {
    if (auto* const counted = dynamic_cast<CudaStats*>(&stats)) {
      counted->device += context_.Counts();
      TakeTraces(context_.pool->api(), *counted);
    }
  }

 private:
  CudaContext context_;
  CudaValues values_;
};

}  // namespace

void TakeTraces(Api& api, CudaStats& stats) {
  auto* const emulated = dynamic_cast<EmulatedRuntime*>(&api);
  if (emulated == nullptr) return;
  for (emulator::KernelTrace& trace : emulated->TakeTraces()) {
    stats.traces.push_back(std::move(trace));
  }
}

bool CudaEngine::AppliesRegion(const Computation& region) const {
  return analysis::FlattenRegion(region).ok();
}

runtime::KernelOr CudaEngine::MakeKernel(KernelPlanOr plan, const Instruction& instruction) const {
  if (!plan.ok()) return plan.status();
  absl::StatusOr<std::unique_ptr<PlanRunner>> runner =
      PlanRunner::Create(*std::move(plan), pool_->api(), texts_.get());
  if (!runner.ok()) return runner.status();
  return std::make_unique<CudaKernel>(*std::move(runner), StepsOf(instruction));
}

runtime::KernelOr CudaEngine::Prepare(const Instruction& instruction) const {
  if (provider_ != nullptr) {
    std::optional<KernelPlan> plan = provider_->Prepare(instruction);
    if (plan.has_value()) return MakeKernel(*std::move(plan), instruction);
  }
  return MakeKernel(PrepareKernels(instruction, {}), instruction);
}

runtime::KernelOr CudaEngine::PrepareOnViews(const Instruction& instruction,
                                             absl::Span<const View> views) const {
  const KernelRow* const row = FindKernelRow(instruction.opcode());
  if (row == nullptr || !row->reads_views) return nullptr;
  return MakeKernel(PrepareKernels(instruction, views), instruction);
}

runtime::KernelOr CudaEngine::PrepareFusion(const Instruction& fusion) const {
  for (const Instruction* operand : fusion.operands()) {
    if (!operand->shape().is_array() || operand->shape().is_dynamic()) return nullptr;
  }
  KernelPlanOr plan = cuda::PrepareFusion(fusion, provider_.get());
  if (absl::IsUnimplemented(plan.status())) return nullptr;
  return MakeKernel(std::move(plan), fusion);
}

runtime::KernelOr CudaEngine::PrepareViewCopy(const View& view, ElementType type) const {
  KernelPlanOr plan = cuda::PrepareViewCopy(view, type);
  if (!plan.ok()) return plan.status();
  absl::StatusOr<std::unique_ptr<PlanRunner>> runner =
      PlanRunner::Create(*std::move(plan), pool_->api());
  if (!runner.ok()) return runner.status();
  return std::make_unique<CudaKernel>(*std::move(runner), view.element_count());
}

runtime::KernelOr CudaEngine::PrepareCollective(const Instruction& collective, int64_t members,
                                                int64_t position) const {
  return MakeKernel(PrepareCollectiveKernels(collective, members, position), collective);
}

// NCCL takes members whose devices are all different.
bool CudaEngine::RunsTogether(const Instruction& collective,
                              absl::Span<runtime::ValueMemory* const> memories) const {
  if (provider_ == nullptr) return false;
  std::set<int> ordinals;
  for (runtime::ValueMemory* const memory : memories) {
    auto* const values = dynamic_cast<CudaValues*>(memory);
    if (values == nullptr) return false;
    absl::StatusOr<Device*> device = values->context().UseDevice();
    if (!device.ok() || !ordinals.insert((*device)->ordinal()).second) return false;
  }
  return libraries::TakesCollective(collective, static_cast<int64_t>(memories.size())) &&
         provider_->libraries().Load(libraries::Library::kNccl).ok();
}

absl::Status CudaEngine::RunTogether(const Instruction& collective,
                                     absl::Span<const runtime::MemberValues> members,
                                     Context& context) const {
  if (absl::Status status = context.Charge(StepsOf(collective)); !status.ok()) return status;
  std::vector<libraries::Member> places;
  for (const runtime::MemberValues& member : members) {
    CudaContext& owner = static_cast<CudaValues*>(member.memory)->context();
    absl::StatusOr<Device*> device = owner.UseDevice();
    if (!device.ok()) return device.status();
    places.push_back({*device, member.operands, member.results});
  }
  return libraries::EnqueueCollective(provider_->libraries(), collective, places);
}

runtime::EffectOr CudaEngine::PrepareEffect(const Instruction& instruction) const {
  const bool is_call = instruction.opcode() == Opcode::kCustomCall;
  const runtime::CustomCallMeanings meanings = MeaningsOf(custom_calls_);
  if (is_call && RunsOnHost(instruction, custom_calls_)) {
    return meanings.Prepare(instruction, *this);
  }
  absl::StatusOr<EffectPlan> plan = PrepareEffectKernels(instruction);
  if (!plan.ok() && is_call) return meanings.Prepare(instruction, *this);
  if (!plan.ok()) return plan.status();
  const int64_t words = plan->seed_words;
  absl::StatusOr<std::unique_ptr<PlanRunner>> runner =
      PlanRunner::Create(std::move(plan->kernels), pool_->api());
  if (!runner.ok()) return runner.status();
  return std::make_unique<CudaEffect>(instruction, *std::move(runner), words);
}

std::unique_ptr<runtime::EngineState> CudaEngine::NewState(bool /*counted*/) const {
  return std::make_unique<CudaState>(pool_, constants_);
}

std::unique_ptr<runtime::Replayer> CudaEngine::NewReplayer(int64_t devices) const {
  constexpr int64_t kMostDevices = 16;
  if (graphs_ == nullptr || devices > kMostDevices) return nullptr;
  const auto make_state = [this](std::shared_ptr<Device> device,
                                 GraphRecorder* recorder) -> std::unique_ptr<runtime::EngineState> {
    if (device == nullptr) return NewState(false);
    return std::make_unique<CudaState>(pool_, constants_, std::move(device), recorder);
  };
  return std::make_unique<GraphReplayer>(pool_, graphs_, devices, make_state);
}

}  // namespace assay::cuda
