// Kernel of dot: both operands are read as [rows][contracted] and [contracted][columns] for each
// batch, whatever their own order. Source: reference ops_structural.md 7.2. Tests:
// contraction_kernels_test.cc.
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

#include "evaluator/kernels/contraction.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/scratch.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::kernels {
namespace {

int64_t SizeOf(const Shape& shape, absl::Span<const int64_t> dimensions) {
  int64_t size = 1;
  for (const int64_t d : dimensions) size *= shape.dimension(d);
  return size;
}

// An operand with its dimensions in the order of the lists.
View Arranged(const Instruction& dot, absl::Span<const View> views, int64_t k,
              std::initializer_list<absl::Span<const int64_t>> lists) {
  const View view = views.empty() ? View::Dense(dot.operand(k)->shape().dimensions(), k) : views[k];
  Dimensions order;
  for (absl::Span<const int64_t> list : lists) order.insert(order.end(), list.begin(), list.end());
  return view.Transpose(order);
}

class DotKernel : public Kernel {
 public:
  DotKernel(const ContractionTypes& types, Contraction contraction, int64_t scratch)
      : types_(types), contraction_(std::move(contraction)), scratch_(scratch) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    ScratchLease lease(context);
    if (absl::Status counted = lease.Add(scratch_); !counted.ok()) return counted;
    Contraction::Room room(types_);
    Meter meter(context);
    absl::Status status = contraction_.Run(operands, results[0].data, room, meter);
    return status.ok() ? meter.Flush() : status;
  }

 private:
  ContractionTypes types_;
  Contraction contraction_;
  int64_t scratch_;
};

}  // namespace

KernelOrNull PrepareDot(const Instruction& instruction, absl::Span<const View> views) {
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  const std::optional<ContractionTypes> types = ContractionTypes::For(
      lhs.element_type(), rhs.element_type(), instruction.shape().element_type());
  if (!types.has_value()) return nullptr;
  const DotDimensions dims = DotDimensionsOf(instruction);
  const auto batch = static_cast<int64_t>(dims.lhs_batch.size());
  const auto contracted = static_cast<int64_t>(dims.lhs_contracting.size());
  // The result has the dimensions of the batch, the rows and the columns in this order.
  const Dimensions strides = RowMajorStrides(instruction.shape().dimensions());
  const auto rows = strides.begin() + batch;
  Contraction contraction(
      *types,
      Arranged(instruction, views, 0, {dims.lhs_batch, dims.lhs_free, dims.lhs_contracting}),
      Arranged(instruction, views, 1, {dims.rhs_batch, dims.rhs_contracting, dims.rhs_free}), batch,
      contracted,
      {Dimensions(strides.begin(), rows), Dimensions(rows, rows + dims.lhs_free.size()), 1});
  const int64_t scratch =
      Contraction::MostScratch(*types, SizeOf(lhs, dims.lhs_free),
                               SizeOf(lhs, dims.lhs_contracting), SizeOf(rhs, dims.rhs_free));
  return std::make_unique<DotKernel>(*types, std::move(contraction), scratch);
}

}  // namespace assay::kernels
