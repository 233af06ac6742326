// reduce-window: acc = init; for the window positions in row-major order, where the position meets
// an element x of the base, acc = f(acc, x). Padding and base dilation are skipped. Source:
// ops_structural.md 5.2, 5.3.
#include <utility>

#include "evaluator/ops/definition.h"
#include "evaluator/ops/fold.h"
#include "spec/ops/window_math.h"

namespace assay::evaluator {
namespace {

class ReduceWindow : public Definition {
 public:
  ReduceWindow(const Instruction& reduce, Fold fold) : reduce_(reduce), fold_(std::move(fold)) {
    for (const WindowDimension& dimension : reduce.window().dimensions) {
      window_sizes_.push_back(dimension.size);
    }
  }

  absl::StatusOr<Element> At(int64_t leaf, Index o, OperandElements& operands,
                             EvaluationContext& context) override {
    if (absl::Status status = StartFold(fold_, reduce_, operands); !status.ok()) return status;
    absl::Status status = ForEachIndex(window_sizes_, [&](Index position) {
      Dimensions i;
      for (size_t d = 0; d < position.size(); ++d) {
        i.push_back(WindowedElement(OperandShape(reduce_, 0).dimension(d),
                                    reduce_.window().dimensions[d], o[d], position[d]));
        if (i[d] < 0) return context.Charge(1);
      }
      return AddToFold(fold_, reduce_, i, operands, context);
    });
    if (!status.ok()) return status;
    return As(ResultType(reduce_, leaf), fold_.accumulator_type(leaf), fold_.Result(leaf, context));
  }

 private:
  const Instruction& reduce_;
  Fold fold_;
  Dimensions window_sizes_;
};

}  // namespace

DefinitionOr DefineReduceWindow(const Instruction& reduce) {
  absl::StatusOr<Fold> fold = Fold::Prepare(*reduce.to_apply());
  if (!fold.ok()) return fold.status();
  return std::make_unique<ReduceWindow>(reduce, *std::move(fold));
}

}  // namespace assay::evaluator
