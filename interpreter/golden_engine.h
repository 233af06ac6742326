// The golden engine: kernels of the evaluator, or its definitions alone, under the runtime.
// Tests: interpreter_test.cc, plan_values_test.cc.
#ifndef ASSAY_INTERPRETER_GOLDEN_ENGINE_H_
#define ASSAY_INTERPRETER_GOLDEN_ENGINE_H_

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "interpreter/interpreter.h"
#include "runtime/engine.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay {

class GoldenEngine : public runtime::Engine {
 public:
  explicit GoldenEngine(const PlanOptions& options) : options_(options) {}
  const PlanOptions& options() const { return options_; }

  bool AppliesRegion(const Computation& region) const override;
  bool ReadsViews() const override {
    return !options_.straight;
  }  // definitions read stored operands
  runtime::KernelOr Prepare(const Instruction& instruction) const override;
  runtime::KernelOr PrepareOnViews(const Instruction& instruction,
                                   absl::Span<const View> views) const override;
  runtime::KernelOr PrepareLoop(const Instruction& loop) const override;
  runtime::KernelOr PrepareCollective(const Instruction& collective, int64_t members,
                                      int64_t position) const override;
  runtime::EffectOr PrepareEffect(const Instruction& instruction) const override;
  std::unique_ptr<runtime::EngineState> NewState(bool counted) const override;

 private:
  const PlanOptions options_;
};

}  // namespace assay

#endif  // ASSAY_INTERPRETER_GOLDEN_ENGINE_H_
