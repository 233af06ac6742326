// Kernel of sums over the leading dimensions of an array of floats as it lies: every column is a
// sum, and neighbours are added side by side in the order in which they lie in memory.
// Source: reference ops_structural.md 5.1. Tests: folding_kernels_test.cc.
#include "evaluator/kernels/column_sums.h"

#include <algorithm>
#include <array>

#include "evaluator/kernels/running_sums.h"
#include "evaluator/real/exact_sum.h"
#include "evaluator/real/rounded_sum.h"
#include "runtime/parallel.h"

namespace assay::evaluator::kernels {
namespace {

class ColumnSums : public Kernel {
 public:
  ColumnSums(ElementType type, int64_t rows, int64_t columns)
      : type_(type), bytes_(StorageBytes(type)), rows_(rows), columns_(columns) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    const bool in_double = type_ == ElementType::kF32;
    const int64_t tile = in_double ? kWideTile : kTile;
    const auto body = [&](Blocks& blocks, EvaluationContext& own) {
      Meter meter(own);
      for (int64_t i; blocks.NextElement(&i);) {
        const int64_t first = i * tile, width = std::min(tile, columns_ - first);
        const std::byte* x = operands[0].data + first * bytes_;
        std::byte* out = results[0].data + first * bytes_;
        absl::Status status = in_double ? AddInDouble(x, width, operands[1].data, out, meter)
                                        : AddDecoded(x, width, operands[1].data, out, meter);
        if (!status.ok()) return status;
      }
      return meter.Flush();
    };
    return ParallelFor(context, (columns_ - 1) / tile + 1, GrainFor(rows_ * tile), body);
  }

 private:
  // Decoded at once: in the first cache.
  static constexpr int64_t kTile = 64, kRows = 32;
  // Read as they lie: long pieces of each row, and the sums in the first cache.
  static constexpr int64_t kWideTile = 256;

  absl::Status AddInDouble(const std::byte* x, int64_t width, const std::byte* init, std::byte* out,
                           Meter& meter) const {
    double s[kWideTile], errors[kWideTile];
    BeginSums(init, 0, width, s, errors);
    for (int64_t row = 0; row < rows_; row += kRows) {
      const int64_t n = std::min(kRows, rows_ - row);
      const std::byte* rows[kRows];
      for (int64_t k = 0; k < n; ++k) rows[k] = x + (row + k) * columns_ * bytes_;
      AddRows(rows, n, width, s, errors);
      if (absl::Status status = meter.Add(n * width); !status.ok()) return status;
    }
    if (DecideSums(s, errors, width, out) == 0) return absl::OkStatus();
    absl::Status status;
    for (int64_t j = 0; j < width && status.ok(); ++j) {
      if (IsOpen(errors[j])) status = AddExactly(x + j * bytes_, init, out, j, meter);
    }
    return status;
  }

  absl::Status AddDecoded(const std::byte* x, int64_t width, const std::byte* init, std::byte* out,
                          Meter& meter) const {
    PartialSum sums[kTile];
    DecodeFloats(type_, init, 1, &sums[0].s);
    for (PartialSum& sum : sums) sum.s = sums[0].s;
    absl::Status status = Add(x, width, sums, meter);
    for (int64_t j = 0; j < width && status.ok(); ++j) {
      uint64_t rounded;
      if (Decide(type_, FactorWidth::kUpTo32Bits, sums[j], &rounded)) {
        StoreElement(type_, {rounded}, out, j);
      } else {
        status = AddExactly(x + j * bytes_, init, out, j, meter);
      }
    }
    return status;
  }

  absl::Status Add(const std::byte* x, int64_t width, PartialSum* sums, Meter& meter) const {
    std::array<double, kRows> ones;
    ones.fill(1);
    double values[kRows * kTile];
    for (int64_t row = 0; row < rows_; row += kRows) {
      const int64_t n = std::min(kRows, rows_ - row);
      for (int64_t k = 0; k < n; ++k) {
        DecodeFloats(type_, x + (row + k) * columns_ * bytes_, width, values + k * width);
      }
      AddProducts(FactorWidth::kUpTo32Bits, ones.data(), values, width, n, width, sums);
      if (absl::Status status = meter.Add(n * width); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status AddExactly(const std::byte* x, const std::byte* init, std::byte* out, int64_t j,
                          Meter& meter) const {
    ExactSum sum;
    double value;
    DecodeFloats(type_, init, 1, &value);
    sum.Add(value);
    for (int64_t row = 0; row < rows_; ++row) {
      DecodeFloats(type_, x + row * columns_ * bytes_, 1, &value);
      sum.Add(value);
      if (absl::Status status = meter.Add(1); !status.ok()) return status;
    }
    StoreElement(type_, {sum.Round(type_)}, out, j);
    return absl::OkStatus();
  }

  ElementType type_;
  int64_t bytes_, rows_, columns_;
};

}  // namespace

std::unique_ptr<Kernel> PrepareColumnSums(const Instruction& reduce, const RecognisedFold& fold) {
  const Shape& operand = reduce.operand(0)->shape();
  Dimensions reduced;
  for (const int64_t d : reduce.GetInts(Attr::kDimensions)) reduced.push_back(d);
  std::sort(reduced.begin(), reduced.end());
  int64_t rows = 1, columns = 1;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const bool leading = d < static_cast<int64_t>(reduced.size());
    if (leading && reduced[d] != d) return nullptr;
    (leading ? rows : columns) *= operand.dimension(d);
  }
  // Few columns are better packed, and no rows give the start value as it is.
  constexpr int64_t kFewColumns = 16;
  if (!fold.is_sum() || rows == 0 || columns < kFewColumns) return nullptr;
  return std::make_unique<ColumnSums>(fold.type(), rows, columns);
}

}  // namespace assay::evaluator::kernels
