#include "interpreter/golden_engine.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "evaluator/collectives.h"
#include "evaluator/evaluator.h"
#include "evaluator/region/scalar_program.h"
#include "interpreter/custom_call.h"
#include "interpreter/golden_effects.h"

namespace assay {
namespace {

runtime::KernelOr AsKernel(absl::StatusOr<std::unique_ptr<evaluator::Kernel>> kernel) {
  if (!kernel.ok()) return kernel.status();
  return *std::move(kernel);
}

// A loop on scalars, condition and body as flat programs.
class ScalarLoop : public evaluator::Kernel {
 public:
  ScalarLoop(evaluator::ProgramCache::Program condition, evaluator::ProgramCache::Program body)
      : condition_(std::move(condition)), body_(std::move(body)) {}

  absl::Status Run(absl::Span<const runtime::ArrayRef> operands,
                   absl::Span<const runtime::MutableArrayRef> results,
                   evaluator::EvaluationContext& context) const override {
    std::vector<Element> state(operands.size());
    for (size_t i = 0; i < state.size(); ++i) {
      state[i] = LoadElement(operands[i].shape->element_type(), operands[i].data, 0);
    }
    std::vector<Element> next(state.size());
    std::vector<Element> registers(std::max(condition_->register_count(), body_->register_count()));
    const int64_t turn_cost = condition_->register_count() + body_->register_count() + 1;
    for (int64_t turn = 0;; ++turn) {
      // A turn may take milliseconds.
      absl::Status status =
          turn % 64 == 0 ? context.ChargeCostly(turn_cost) : context.Charge(turn_cost);
      if (!status.ok()) return status;
      Element go;
      condition_->Run(state, absl::MakeSpan(&go, 1), absl::MakeSpan(registers), context);
      if ((go.bits & 1) == 0) break;
      body_->Run(state, absl::MakeSpan(next), absl::MakeSpan(registers), context);
      state.swap(next);
    }
    for (size_t i = 0; i < state.size(); ++i) {
      StoreElement(results[i].shape->element_type(), state[i], results[i].data, 0);
    }
    return absl::OkStatus();
  }

 private:
  const evaluator::ProgramCache::Program condition_, body_;
};

// Counts how elements were decided, and keeps the first that were not.
class GoldenState : public runtime::EngineState {
 public:
  explicit GoldenState(bool counted) {
    if (counted) context_.undecided = &undecided_;
  }
  runtime::Context& context() override { return context_; }

  void AfterStep(const Instruction& instruction) override {
    for (const evaluator::UndecidedElement& element : undecided_) {
      if (results_.size() == RunStats::kMostUndecided) break;
      results_.push_back({&instruction, element});
    }
    undecided_.clear();
    if (results_.size() == RunStats::kMostUndecided) context_.undecided = nullptr;
  }

  void AddStats(runtime::RunStats& stats) const override {
    auto* own = dynamic_cast<RunStats*>(&stats);
    if (own == nullptr) return;
    own->real.Merge(context_.real_stats);
    const size_t room = RunStats::kMostUndecided - own->undecided.size();
    own->undecided.insert(own->undecided.end(), results_.begin(),
                          results_.begin() + std::min(room, results_.size()));
  }

 private:
  evaluator::EvaluationContext context_;
  std::vector<evaluator::UndecidedElement> undecided_;  // of the kernel that runs
  std::vector<UndecidedResult> results_;
};

}  // namespace

bool GoldenEngine::AppliesRegion(const Computation& region) const {
  return evaluator::ProgramCache::Find(region).ok();
}

runtime::KernelOr GoldenEngine::Prepare(const Instruction& instruction) const {
  return AsKernel(options_.straight ? evaluator::PrepareStraight(instruction)
                                    : evaluator::PrepareKernel(instruction));
}

runtime::KernelOr GoldenEngine::PrepareOnViews(const Instruction& instruction,
                                               absl::Span<const View> views) const {
  return AsKernel(evaluator::PrepareKernelOnViews(instruction, views));
}

runtime::KernelOr GoldenEngine::PrepareLoop(const Instruction& loop) const {
  if (options_.straight) return nullptr;
  for (const Shape* leaf : Leaves(loop.shape())) {
    if (!leaf->is_scalar()) return nullptr;
  }
  auto condition = evaluator::ProgramCache::Find(*loop.GetComputation(Attr::kCondition));
  auto body = evaluator::ProgramCache::Find(*loop.GetComputation(Attr::kBody));
  if (!condition.ok() || !body.ok()) return nullptr;
  return std::make_unique<ScalarLoop>(*std::move(condition), *std::move(body));
}

runtime::KernelOr GoldenEngine::PrepareCollective(const Instruction& collective, int64_t members,
                                                  int64_t position) const {
  return AsKernel(options_.straight
                      ? evaluator::PrepareCollectiveStraight(collective, members, position)
                      : assay::evaluator::PrepareCollective(collective, members, position));
}

runtime::EffectOr GoldenEngine::PrepareEffect(const Instruction& instruction) const {
  if (instruction.opcode() != Opcode::kCustomCall) return PrepareRandomEffect(instruction);
  return MeaningsOf(options_).Prepare(instruction, *this);
}

std::unique_ptr<runtime::EngineState> GoldenEngine::NewState(bool counted) const {
  return std::make_unique<GoldenState>(counted);
}

}  // namespace assay
