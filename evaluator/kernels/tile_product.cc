#include "evaluator/kernels/tile_product.h"

#include <algorithm>
#include <type_traits>

#include "evaluator/real/rounded_tile.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

using Way = ContractionTypes::Way;

// Elements decoded at once on their way into a matrix.
constexpr int64_t kDecoded = 512;
// Undecided elements that are added exactly at once: 1.1 KiB each.
constexpr size_t kExactAtOnce = 128;

bool Floating(ElementType type) { return IsFloat(type); }
bool Integral(ElementType type) { return IsInteger(type); }

// Integers of any type as 64-bit patterns, extended by their own sign.
void DecodeExtended(ElementType type, const std::byte* x, int64_t n, uint64_t* out) {
  if (IsSigned(type)) return DecodeSigneds(type, x, n, reinterpret_cast<int64_t*>(out));
  DecodeUnsigneds(type, x, n, out);
}

template <typename T>
void GrowTo(std::vector<T>& room, int64_t size) {
  if (static_cast<int64_t>(room.size()) < size) room.resize(size);
}

// Calls f(first row, rows) for rows that can be decoded by one call: as they lie side by side, or
// one by one.
template <typename F>
void ForEachDecodable(const Block& block, int64_t rows, int64_t row_size, F f) {
  const int64_t at_once = block.stride == row_size
                              ? std::max<int64_t>(1, kDecoded / std::max<int64_t>(1, row_size))
                              : 1;
  for (int64_t first = 0; first < rows; first += at_once) f(first, std::min(at_once, rows - first));
}

}  // namespace

std::optional<ContractionTypes> ContractionTypes::For(ElementType lhs, ElementType rhs,
                                                      ElementType result) {
  ContractionTypes types = {lhs, rhs, result, Way::kFloat, FactorWidth::kUpTo32Bits};
  auto all = [&](auto is) { return is(lhs) && is(rhs) && is(result); };
  if (all(Floating) || all(IsComplex)) {
    types.way = IsComplex(result) ? Way::kComplex : Way::kFloat;
    if (FactorWidthOf(lhs) == FactorWidth::k64Bits || FactorWidthOf(rhs) == FactorWidth::k64Bits) {
      types.width = FactorWidth::k64Bits;
    }
  } else if (all(Integral)) {
    types.way = Info(result).bits <= 32 ? Way::kInteger32 : Way::kInteger64;
  } else if (all(IsPred)) {
    types.way = Way::kPred;
  } else {
    return std::nullopt;
  }
  return types;
}

int64_t TileProduct::BytesFor(const ContractionTypes& types, int64_t column_factors,
                              int64_t row_factors, int64_t sums) {
  constexpr int64_t kSum = sizeof(PartialSum);
  switch (types.way) {
    case Way::kInteger32:
      return (column_factors + sums) * 4 + row_factors * 8;
    case Way::kInteger64:
    case Way::kPred:
      return (column_factors + sums + row_factors) * 8;
    case Way::kFloat:
      return (column_factors + row_factors) * 8 + sums * kSum;
    case Way::kComplex:
      return (4 * column_factors + 2 * row_factors) * 8 + 2 * sums * kSum;
  }
  return 0;
}

void TileProduct::SetColumns(const Block& block, int64_t n, int64_t columns) {
  n_ = n;
  columns_ = columns;
  if (types_.floating()) {
    SetFloats(block);
  } else {
    SetIntegers(block);
  }
}

void TileProduct::SetFloats(const Block& block) {
  const int64_t bytes = StorageBytes(types_.rhs);
  GrowTo(real_, parts() * n_ * columns_);
  if (parts() == 1 && columns_ <= kPanel && block.stride == columns_) {
    return DecodeFloats(types_.rhs, block.data, n_ * columns_, real_.data());
  }
  if (parts() == 2) GrowTo(imaginary_, parts() * n_ * columns_);
  std::vector<double>& decoded = row_values_;
  GrowTo(decoded, parts() * std::max(columns_, std::min(n_ * columns_, kDecoded)));
  ForEachDecodable(block, n_, columns_, [&](int64_t first, int64_t rows) {
    DecodeFloats(types_.rhs, block.data + first * block.stride * bytes, rows * columns_,
                 decoded.data());
    for (int64_t k = 0; k < rows; ++k) {
      SetFloatRow(first + k, decoded.data() + k * parts() * columns_);
    }
  });
}

void TileProduct::SetFloatRow(int64_t k, const double* row) {
  for (int64_t first = 0; first < columns_; first += kPanel) {
    const int64_t width = this->width(first);
    const int64_t at = (first * n_ + k * width) * parts();
    if (parts() == 1) {
      std::copy(row + first, row + first + width, real_.begin() + at);
      continue;
    }
    for (int64_t j = 0; j < width; ++j) {
      // (a + bi)(c + di): the rows meet a, then b.
      const double c = row[2 * (first + j)], d = row[2 * (first + j) + 1];
      real_[at + j] = c;
      real_[at + width + j] = -d;
      imaginary_[at + j] = d;
      imaginary_[at + width + j] = c;
    }
  }
}

void TileProduct::SetIntegers(const Block& block) {
  const int64_t bytes = StorageBytes(types_.rhs);
  const bool narrow = types_.way == Way::kInteger32;
  narrow ? GrowTo(narrow_, n_ * columns_) : GrowTo(wide_, n_ * columns_);
  GrowTo(row_integers_, std::max(columns_, std::min(n_ * columns_, kDecoded)));
  ForEachDecodable(block, n_, columns_, [&](int64_t first, int64_t rows) {
    uint64_t* decoded = row_integers_.data();
    const int64_t size = rows * columns_;
    DecodeExtended(types_.rhs, block.data + first * block.stride * bytes, size, decoded);
    if (narrow) {
      std::copy(decoded, decoded + size, narrow_.begin() + first * columns_);
    } else {
      std::copy(decoded, decoded + size, wide_.begin() + first * columns_);
    }
  });
}

void TileProduct::Multiply(const Block& block, const Results& results) {
  if (types_.floating()) return MultiplyFloats(block, results);
  if (types_.way == Way::kInteger32) return MultiplyIntegers(narrow_, block, results);
  MultiplyIntegers(wide_, block, results);
}

void TileProduct::DecodeRows(const Block& block, int64_t rows) {
  const int64_t length = parts() * n_;
  GrowTo(row_values_, rows * length);
  if (block.stride == n_) {
    return DecodeFloats(types_.lhs, block.data, rows * n_, row_values_.data());
  }
  for (int64_t r = 0; r < rows; ++r) {
    DecodeFloats(types_.lhs, block.data + r * block.stride * StorageBytes(types_.lhs), n_,
                 row_values_.data() + r * length);
  }
}

void TileProduct::StoreFloat(int64_t r, int64_t j, const uint64_t* bits,
                             const Results& results) const {
  StoreElement(types_.result, {bits[0], bits[1]}, results.data,
               results.rows[r] + j * results.column_stride);
}

void TileProduct::StoreRow(int64_t r, int64_t first, int64_t width, const uint64_t* bits,
                           const Results& results) const {
  WithStorage(StorageBytes(types_.result), [&](auto sample) {
    int64_t at = results.rows[r] + first * results.column_stride;
    for (int64_t j = 0; j < width; ++j, at += results.column_stride) {
      if constexpr (std::is_integral_v<decltype(sample)>) {
        StoreAt(results.data, at, static_cast<decltype(sample)>(bits[j]));
      }
    }
  });
}

int64_t TileProduct::MultiplyTiles(const Results& results) {
  static_assert(kDotTileColumns == kPanel);
  const auto rows = static_cast<int64_t>(results.rows.size()) / kDotTileRows * kDotTileRows;
  if (parts() == 2 || rows == 0 || columns_ < kPanel || types_.width != FactorWidth::kUpTo32Bits ||
      !IsDotTileQuick(types_.result, n_)) {
    return 0;
  }
  constexpr int64_t kRows = 64;  // for which the lengths of columns are found once
  for (int64_t top = 0; top < rows; top += kRows) {
    const int64_t count = std::min(kRows, rows - top);
    const double* const values = row_values_.data() + top * n_;
    double row_lengths[kRows];
    for (int64_t r = 0; r < count; ++r) row_lengths[r] = DotLength(values + r * n_, n_);
    for (int64_t first = 0; first + kPanel <= columns_; first += kPanel) {
      const double* const panel = Panel(0, first);
      double column_lengths[kPanel];
      DotLengths(panel, n_, column_lengths);
      for (int64_t r = 0; r < count; r += kDotTileRows) {
        uint64_t rounded[kDotTileRows * kPanel];
        RoundedDotTile(types_.result, values + r * n_, n_, row_lengths + r, panel, column_lengths,
                       n_, rounded);
        for (int64_t i = 0; i < kDotTileRows; ++i) {
          StoreRow(top + r + i, first, kPanel, rounded + i * kPanel, results);
        }
      }
    }
  }
  return rows;
}

void TileProduct::MultiplyFloats(const Block& block, const Results& results) {
  const auto rows = static_cast<int64_t>(results.rows.size());
  const int64_t length = parts() * n_;
  const ElementType part = Info(types_.result).component;
  DecodeRows(block, rows);
  const int64_t done = MultiplyTiles(results);
  for (int64_t first = 0; first < columns_; first += kPanel) {
    const int64_t width = this->width(first);
    for (int64_t r = width == kPanel ? done : 0; r < rows; ++r) {
      const double* row = row_values_.data() + r * length;
      uint64_t rounded[2][kPanel] = {};
      for (int64_t p = 0; p < parts(); ++p) {
        RoundedDotBlock(part, types_.width, row, 1, Panel(p, first), width, length, width,
                        rounded[p]);
      }
      if (parts() == 1) {
        StoreRow(r, first, width, rounded[0], results);
        continue;
      }
      for (int64_t j = 0; j < width; ++j) {
        const uint64_t bits[] = {rounded[0][j], rounded[1][j]};
        StoreFloat(r, first + j, bits, results);
      }
    }
  }
}

template <typename T>
void TileProduct::AddIntegerRow(const std::vector<T>& matrix, const std::byte* row, T* sums) {
  GrowTo(row_integers_, n_);
  DecodeExtended(types_.lhs, row, n_, row_integers_.data());
  if (columns_ == 1) {
    T sum = sums[0];
    for (int64_t k = 0; k < n_; ++k) sum += static_cast<T>(row_integers_[k]) * matrix[k];
    sums[0] = sum;
    return;
  }
  for (int64_t k = 0; k < n_; ++k) {
    const T factor = static_cast<T>(row_integers_[k]);
    const T* factors = matrix.data() + k * columns_;
    for (int64_t j = 0; j < columns_; ++j) sums[j] += factor * factors[j];
  }
}

template <typename T>
void TileProduct::StoreIntegers(const T* sums, int64_t r, const Results& results) const {
  for (int64_t j = 0; j < columns_; ++j) {
    const uint64_t bits =
        types_.way == Way::kPred ? uint64_t{sums[j] != 0} : EncodeInteger(types_.result, sums[j]);
    StoreElement(types_.result, {bits}, results.data, results.rows[r] + j * results.column_stride);
  }
}

template <typename T>
void TileProduct::MultiplyIntegers(const std::vector<T>& matrix, const Block& block,
                                   const Results& results) {
  std::vector<T> sums(columns_);
  for (size_t r = 0; r < results.rows.size(); ++r) {
    std::fill(sums.begin(), sums.end(), T{0});
    AddIntegerRow(matrix, block.data + r * block.stride * StorageBytes(types_.lhs), sums.data());
    StoreIntegers(sums.data(), r, results);
  }
}

void TileProduct::Start(int64_t rows, int64_t columns) {
  rows_ = rows;
  columns_ = columns;
  if (types_.floating()) return sums_.assign(rows * columns * parts(), PartialSum());
  if (types_.way == Way::kInteger32) return narrow_sums_.assign(rows * columns, 0);
  wide_sums_.assign(rows * columns, 0);
}

void TileProduct::AddPart(const Block& block) {
  if (!types_.floating()) {
    for (int64_t r = 0; r < rows_; ++r) {
      const std::byte* row = block.data + r * block.stride * StorageBytes(types_.lhs);
      if (types_.way == Way::kInteger32) {
        AddIntegerRow(narrow_, row, narrow_sums_.data() + r * columns_);
      } else {
        AddIntegerRow(wide_, row, wide_sums_.data() + r * columns_);
      }
    }
    return;
  }
  const int64_t length = parts() * n_;
  DecodeRows(block, rows_);
  for (int64_t first = 0; first < columns_; first += kPanel) {
    const int64_t width = this->width(first);
    for (int64_t r = 0; r < rows_; ++r) {
      for (int64_t p = 0; p < parts(); ++p) {
        AddProducts(types_.width, row_values_.data() + r * length, Panel(p, first), width, length,
                    width, sums_.data() + (r * parts() + p) * columns_ + first);
      }
    }
  }
}

void TileProduct::Finish(const Results& results) {
  undecided_.clear();
  done_ = 0;
  const ElementType part = Info(types_.result).component;
  for (int64_t r = 0; r < rows_; ++r) {
    if (types_.way == Way::kInteger32) {
      StoreIntegers(narrow_sums_.data() + r * columns_, r, results);
    } else if (!types_.floating()) {
      StoreIntegers(wide_sums_.data() + r * columns_, r, results);
    }
    for (int64_t j = 0; j < columns_ && types_.floating(); ++j) {
      uint64_t bits[2] = {};
      bool decided = true;
      for (int64_t p = 0; p < parts(); ++p) {
        const PartialSum& sum = sums_[(r * parts() + p) * columns_ + j];
        decided = decided && Decide(part, types_.width, sum, &bits[p]);
      }
      if (decided) {
        StoreFloat(r, j, bits, results);
      } else {
        undecided_.push_back({r, j});
      }
    }
  }
}

bool TileProduct::TakeUndecided() {
  exact_.assign(parts() * std::min(kExactAtOnce, undecided_.size() - done_), ExactSum());
  return !exact_.empty();
}

void TileProduct::AddPartExactly(const Block& block) {
  const int64_t length = parts() * n_;
  DecodeRows(block, rows_);
  for (int64_t i = 0; i < taken(); ++i) {
    const auto [r, j] = undecided_[done_ + i];
    const double* row = row_values_.data() + r * length;
    const int64_t first = j / kPanel * kPanel, width = this->width(first);
    for (int64_t p = 0; p < parts(); ++p) {
      const double* column = Panel(p, first) + (j - first);
      ExactSum& sum = exact_[i * parts() + p];
      for (int64_t k = 0; k < length; ++k) sum.AddProduct(row[k], column[k * width]);
    }
  }
}

void TileProduct::FinishExactly(const Results& results) {
  const ElementType part = Info(types_.result).component;
  for (int64_t i = 0; i < taken(); ++i) {
    uint64_t bits[2] = {};
    for (int64_t p = 0; p < parts(); ++p) bits[p] = exact_[i * parts() + p].Round(part);
    StoreFloat(undecided_[done_ + i].row, undecided_[done_ + i].column, bits, results);
  }
  done_ += taken();
}

}  // namespace assay::evaluator::kernels
