// Kernel of dot: both operands are read as [rows][contracted] and [contracted][columns] for each
// batch, whatever their own order, and multiplied tile by tile. Source: reference
// ops_structural.md 7.2. Tests: contraction_kernels_test.cc.
#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

#include "evaluator/kernels/contraction.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/scratch.h"
#include "evaluator/kernels/view_reader.h"
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
  DotKernel(const Instruction& dot, absl::Span<const View> views, const ContractionTypes& types);
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override;

 private:
  // Elements of a tile, which has 64 columns unless they are very long, and 8 at least: panels of 8
  // are what is multiplied.
  static constexpr int64_t kTile = 1 << 22;
  static constexpr int64_t kRowValues = 1 << 14;  // elements of lhs rows copied at once

  absl::Status RunBatch(Sources operands, int64_t batch, std::byte* out, DecodedMatrix& matrix,
                        std::byte* rhs_room, std::byte* lhs_room, Meter& meter) const;
  // Rows of lhs times the tile of rhs in `matrix`.
  absl::Status MultiplyRows(Sources operands, int64_t batch, std::byte* out, DecodedMatrix& matrix,
                            std::byte* room, Meter& meter) const;

  ContractionTypes types_;
  int64_t rows_, contracted_, columns_;
  int64_t batches_ = 1;
  ViewReader lhs_;  // [batch][row][contracted]
  ViewReader rhs_;  // [batch][contracted][column]
  // Whether boxes of [batch, contracted, column] can be copied from rhs.
  bool rhs_in_tiles_ = false;
  int64_t rows_at_once_ = 1;
  int64_t tile_columns_ = 1;
};

DotKernel::DotKernel(const Instruction& dot, absl::Span<const View> views,
                     const ContractionTypes& types)
    : types_(types) {
  const DotDimensions dims = DotDimensionsOf(dot);
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  rows_ = SizeOf(lhs, dims.lhs_free);
  contracted_ = SizeOf(lhs, dims.lhs_contracting);
  columns_ = SizeOf(rhs, dims.rhs_free);
  batches_ = SizeOf(lhs, dims.lhs_batch);
  tile_columns_ =
      std::min(columns_, std::clamp<int64_t>(kTile / std::max<int64_t>(1, contracted_), 8, 64));
  lhs_ = ViewReader(Arranged(dot, views, 0, {dims.lhs_batch, dims.lhs_free, dims.lhs_contracting}),
                    StorageBytes(types.lhs));
  View right = Arranged(dot, views, 1, {dims.rhs_batch, dims.rhs_contracting, dims.rhs_free});
  rhs_ = ViewReader(right, StorageBytes(types.rhs));
  const std::optional<View> tiles = right.Reshape({batches_, contracted_, columns_});
  rhs_in_tiles_ = !rhs_.direct() && tiles.has_value();
  if (rhs_in_tiles_) {
    rhs_ = ViewReader(*tiles, StorageBytes(types.rhs), ViewReader::Access::kBoxes);
  }
  rows_at_once_ = std::clamp<int64_t>(kRowValues / std::max<int64_t>(1, contracted_), 1,
                                      std::max<int64_t>(1, rows_));
}

absl::Status DotKernel::Run(absl::Span<const ArrayRef> operands,
                            absl::Span<const MutableArrayRef> results,
                            EvaluationContext& context) const {
  if (batches_ * rows_ * columns_ == 0) return absl::OkStatus();
  const int64_t copied_columns = rhs_in_tiles_ ? tile_columns_ : columns_;
  const int64_t lhs_bytes =
      lhs_.direct() ? 0 : rows_at_once_ * contracted_ * StorageBytes(types_.lhs);
  const int64_t rhs_bytes =
      rhs_.direct() ? 0 : contracted_ * copied_columns * StorageBytes(types_.rhs);
  ScratchLease lease(context);
  absl::Status counted = lease.Add(lhs_bytes + rhs_bytes +
                                   DecodedMatrix::BytesFor(types_, contracted_, tile_columns_));
  if (!counted.ok()) return counted;
  Scratch<std::byte, 512> lhs_room(lhs_bytes);
  Scratch<std::byte, 512> rhs_room(rhs_bytes);
  DecodedMatrix matrix(types_);
  Meter meter(context);
  std::byte* out = results[0].data;
  for (int64_t batch = 0; batch < batches_; ++batch) {
    absl::Status status =
        RunBatch(operands, batch, out, matrix, rhs_room.data(), lhs_room.data(), meter);
    if (!status.ok()) return status;
    out += rows_ * columns_ * StorageBytes(types_.result);
  }
  return meter.Flush();
}

absl::Status DotKernel::RunBatch(Sources operands, int64_t batch, std::byte* out,
                                 DecodedMatrix& matrix, std::byte* rhs_room, std::byte* lhs_room,
                                 Meter& meter) const {
  const int64_t rhs_bytes = StorageBytes(types_.rhs);
  const int64_t size = contracted_ * columns_;
  const std::byte* rhs = nullptr;
  if (!rhs_in_tiles_ && size > 0)
    rhs = rhs_.Block(operands, batch * size, size, rhs_bytes, rhs_room);
  for (int64_t first = 0; first < columns_; first += tile_columns_) {
    const int64_t width = std::min(tile_columns_, columns_ - first);
    if (rhs_in_tiles_) {
      rhs_.CopyBox(operands, {batch, 0, first}, {1, contracted_, width}, rhs_room);
      matrix.Set(rhs_room, width, contracted_, width);
    } else {
      matrix.Set(rhs == nullptr ? nullptr : rhs + first * rhs_bytes, columns_, contracted_, width);
    }
    if (absl::Status status = meter.Add(contracted_ * width); !status.ok()) return status;
    absl::Status status = MultiplyRows(operands, batch, out + first * StorageBytes(types_.result),
                                       matrix, lhs_room, meter);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status DotKernel::MultiplyRows(Sources operands, int64_t batch, std::byte* out,
                                     DecodedMatrix& matrix, std::byte* room, Meter& meter) const {
  const int64_t lhs_bytes = StorageBytes(types_.lhs);
  const int64_t at_once = lhs_.direct() ? rows_ : rows_at_once_;
  for (int64_t first = 0; first < rows_; first += at_once) {
    const int64_t count = std::min(at_once, rows_ - first);
    const std::byte* rows = room;
    if (contracted_ > 0) {
      rows = lhs_.Block(operands, (batch * rows_ + first) * contracted_, count * contracted_,
                        lhs_bytes, room);
    }
    absl::Status status = matrix.Multiply(
        rows, count, out + first * columns_ * StorageBytes(types_.result), columns_, 1, meter);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

KernelOrNull PrepareDot(const Instruction& instruction, absl::Span<const View> views) {
  const std::optional<ContractionTypes> types = ContractionTypes::For(
      instruction.operand(0)->shape().element_type(),
      instruction.operand(1)->shape().element_type(), instruction.shape().element_type());
  if (!types.has_value()) return nullptr;
  return std::make_unique<DotKernel>(instruction, views, *types);
}

}  // namespace assay::kernels
