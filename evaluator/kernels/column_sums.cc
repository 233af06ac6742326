// Kernel of sums over the leading dimensions of an array of floats as it lies: every column is a
// sum, and neighbours are added side by side in the order in which they lie in memory.
// Source: reference ops_structural.md 5.1. Tests: folding_kernels_test.cc.
#include "evaluator/kernels/column_sums.h"

#include <algorithm>
#include <array>

#include "evaluator/real/exact_sum.h"
#include "evaluator/real/rounded_sum.h"

namespace assay::kernels {
namespace {

class ColumnSums : public Kernel {
 public:
  ColumnSums(ElementType type, int64_t rows, int64_t columns)
      : type_(type), bytes_(StorageBytes(type)), rows_(rows), columns_(columns) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    Meter meter(context);
    double init;
    DecodeFloats(type_, operands[1].data, 1, &init);
    for (int64_t first = 0; first < columns_; first += kTile) {
      const int64_t width = std::min(kTile, columns_ - first);
      const std::byte* x = operands[0].data + first * bytes_;
      PartialSum sums[kTile];
      for (PartialSum& sum : sums) sum.s = init;
      absl::Status status = Add(x, width, sums, meter);
      for (int64_t j = 0; j < width && status.ok(); ++j) {
        uint64_t rounded;
        if (!Decide(type_, FactorWidth::kUpTo32Bits, sums[j], &rounded)) {
          status = AddExactly(x + j * bytes_, init, rounded, meter);
        }
        StoreElement(type_, {rounded}, results[0].data, first + j);
      }
      if (!status.ok()) return status;
    }
    return meter.Flush();
  }

 private:
  // Decoded at once: in the first cache.
  static constexpr int64_t kTile = 64, kRows = 32;

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

  absl::Status AddExactly(const std::byte* x, double init, uint64_t& rounded, Meter& meter) const {
    ExactSum sum;
    sum.Add(init);
    for (int64_t row = 0; row < rows_; ++row) {
      double value;
      DecodeFloats(type_, x + row * columns_ * bytes_, 1, &value);
      sum.Add(value);
      if (absl::Status status = meter.Add(1); !status.ok()) return status;
    }
    rounded = sum.Round(type_);
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

}  // namespace assay::kernels
