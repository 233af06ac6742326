// Kernel of dot: both operands are laid out as [rows][contracted] and [contracted][columns] for
// each batch, then multiplied tile by tile. Source: reference ops_structural.md 7.2.
// Tests: kernels_test.cc.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "evaluator/kernels/contraction.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/odometer.h"
#include "evaluator/kernels/scratch.h"
#include "evaluator/kernels/strided_copy.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::kernels {
namespace {

// How one operand becomes a dense array of the listed dimensions, in that order.
struct Packing {
  StridedCopy copy;
  bool dense = true;  // it is one already
};

Packing MakePacking(const Shape& operand, absl::Span<const int64_t> first,
                    absl::Span<const int64_t> second) {
  const Dimensions strides = RowMajorStrides(operand.dimensions());
  Dimensions sizes, source;
  for (absl::Span<const int64_t> list : {first, second}) {
    for (const int64_t d : list) {
      sizes.push_back(operand.dimension(d));
      source.push_back(strides[d]);
    }
  }
  const Dimensions packed = RowMajorStrides(sizes);
  Packing packing;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != 1 && source[d] != packed[d]) packing.dense = false;
  }
  packing.copy = StridedCopy(StorageBytes(operand.element_type()), sizes, source, packed);
  return packing;
}

int64_t SizeOf(const Shape& shape, absl::Span<const int64_t> dimensions) {
  int64_t size = 1;
  for (const int64_t d : dimensions) size *= shape.dimension(d);
  return size;
}

class DotKernel : public Kernel {
 public:
  DotKernel(const Instruction& dot, const ContractionTypes& types);
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override;

 private:
  static constexpr int64_t kColumns = 64;  // of a tile

  absl::Status RunBatch(const std::byte* lhs, const std::byte* rhs, std::byte* out,
                        DecodedMatrix& matrix, Meter& meter) const;

  ContractionTypes types_;
  Packing lhs_, rhs_;
  int64_t rows_, contracted_, columns_;
  int64_t batches_ = 1;
  Odometer<2>::Loops batch_;  // offsets in lhs and rhs
};

DotKernel::DotKernel(const Instruction& dot, const ContractionTypes& types) : types_(types) {
  const DotDimensions dims = DotDimensionsOf(dot);
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  lhs_ = MakePacking(lhs, dims.lhs_free, dims.lhs_contracting);
  rhs_ = MakePacking(rhs, dims.rhs_contracting, dims.rhs_free);
  rows_ = SizeOf(lhs, dims.lhs_free);
  contracted_ = SizeOf(lhs, dims.lhs_contracting);
  columns_ = SizeOf(rhs, dims.rhs_free);
  const Dimensions lhs_strides = RowMajorStrides(lhs.dimensions());
  const Dimensions rhs_strides = RowMajorStrides(rhs.dimensions());
  for (size_t k = 0; k < dims.lhs_batch.size(); ++k) {
    const int64_t size = lhs.dimension(dims.lhs_batch[k]);
    batch_.push_back({size, {lhs_strides[dims.lhs_batch[k]], rhs_strides[dims.rhs_batch[k]]}});
    batches_ *= size;
  }
}

absl::Status DotKernel::Run(absl::Span<const ArrayRef> operands,
                            absl::Span<const MutableArrayRef> results,
                            EvaluationContext& context) const {
  if (batches_ * rows_ * columns_ == 0) return absl::OkStatus();
  const int64_t lhs_bytes = StorageBytes(types_.lhs);
  const int64_t rhs_bytes = StorageBytes(types_.rhs);
  Scratch<std::byte, 512> lhs_room(lhs_.dense ? 0 : rows_ * contracted_ * lhs_bytes);
  Scratch<std::byte, 512> rhs_room(rhs_.dense ? 0 : contracted_ * columns_ * rhs_bytes);
  DecodedMatrix matrix(types_);
  Meter meter(context);
  std::byte* out = results[0].data;
  Odometer<2> batch(batch_);
  do {
    const std::byte* lhs = operands[0].data + batch.offset(0) * lhs_bytes;
    const std::byte* rhs = operands[1].data + batch.offset(1) * rhs_bytes;
    if (!lhs_.dense) {
      absl::Status status = lhs_.copy.Run(lhs, lhs_room.data(), meter);
      if (!status.ok()) return status;
      lhs = lhs_room.data();
    }
    if (!rhs_.dense) {
      absl::Status status = rhs_.copy.Run(rhs, rhs_room.data(), meter);
      if (!status.ok()) return status;
      rhs = rhs_room.data();
    }
    if (absl::Status status = RunBatch(lhs, rhs, out, matrix, meter); !status.ok()) return status;
    out += rows_ * columns_ * StorageBytes(types_.result);
  } while (batch.Next());
  return meter.Flush();
}

absl::Status DotKernel::RunBatch(const std::byte* lhs, const std::byte* rhs, std::byte* out,
                                 DecodedMatrix& matrix, Meter& meter) const {
  for (int64_t first = 0; first < columns_; first += kColumns) {
    const int64_t width = std::min(kColumns, columns_ - first);
    matrix.Set(rhs + first * StorageBytes(types_.rhs), columns_, contracted_, width);
    if (absl::Status status = meter.Add(contracted_ * width); !status.ok()) return status;
    absl::Status status =
        matrix.Multiply(lhs, rows_, out + first * StorageBytes(types_.result), columns_, 1, meter);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

KernelOrNull PrepareDot(const Instruction& instruction) {
  const std::optional<ContractionTypes> types = ContractionTypes::For(
      instruction.operand(0)->shape().element_type(),
      instruction.operand(1)->shape().element_type(), instruction.shape().element_type());
  if (!types.has_value()) return nullptr;
  return std::make_unique<DotKernel>(instruction, *types);
}

}  // namespace assay::kernels
