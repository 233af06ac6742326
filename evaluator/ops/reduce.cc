// reduce: acc = init; for every index r of the reduced dimensions in row-major order,
// acc = f(acc, x[r]). Source: ops_structural.md 5.1.
#include <utility>

#include "evaluator/ops/definition.h"
#include "evaluator/ops/fold.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::evaluator {
namespace {

class Reduce : public Definition {
 public:
  Reduce(const Instruction& reduce, Fold fold)
      : reduce_(reduce),
        fold_(std::move(fold)),
        kept_(
            RemainingDimensions(OperandShape(reduce, 0).rank(), reduce.GetInts(Attr::kDimensions))),
        reduced_(RemainingDimensions(OperandShape(reduce, 0).rank(), kept_)) {}

  absl::StatusOr<Element> At(int64_t leaf, Index o, OperandElements& operands,
                             EvaluationContext& context) override {
    if (absl::Status status = StartFold(fold_, reduce_, operands); !status.ok()) return status;
    Dimensions i(OperandShape(reduce_, 0).rank());
    for (size_t d = 0; d < kept_.size(); ++d) i[kept_[d]] = o[d];
    const Dimensions extents = SizesOf(OperandShape(reduce_, 0).dimensions(), reduced_);
    absl::Status status = ForEachIndex(extents, [&](Index r) {
      for (size_t d = 0; d < reduced_.size(); ++d) i[reduced_[d]] = r[d];
      return AddToFold(fold_, reduce_, i, operands, context);
    });
    if (!status.ok()) return status;
    return fold_.Result(leaf, context);
  }

 private:
  const Instruction& reduce_;
  Fold fold_;
  const Dimensions kept_;
  const Dimensions reduced_;
};

}  // namespace

DefinitionOr DefineReduce(const Instruction& reduce) {
  absl::StatusOr<Fold> fold = Fold::Prepare(*reduce.to_apply());
  if (!fold.ok()) return fold.status();
  return std::make_unique<Reduce>(reduce, *std::move(fold));
}

}  // namespace assay::evaluator
