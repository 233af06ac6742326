#include "evaluator/kernels/contraction.h"

#include <algorithm>
#include <cstring>

#include "spec/element/element.h"

namespace assay::kernels {
namespace {

using Way = ContractionTypes::Way;

// Decoded factors of the rows held at once, so that they stay in the second cache.
constexpr int64_t kRowValues = 1 << 14;

bool Floating(ElementType type) { return IsFloat(type); }
bool Integral(ElementType type) { return IsInteger(type); }

// Integers of any type as 64-bit patterns, extended by their own sign.
void DecodeExtended(ElementType type, const std::byte* x, int64_t n, uint64_t* out) {
  if (IsSigned(type)) return DecodeSigneds(type, x, n, reinterpret_cast<int64_t*>(out));
  DecodeUnsigneds(type, x, n, out);
}

template <typename T>
void CopyGroups(const std::vector<T>& from, int64_t first, int64_t row_size,
                absl::Span<const int64_t> groups, int64_t rows_per_group, std::vector<T>& to) {
  const int64_t size = rows_per_group * row_size;
  for (const int64_t group : groups) {
    const T* begin = from.data() + first + group * size;
    to.insert(to.end(), begin, begin + size);
  }
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

int64_t DecodedMatrix::BytesFor(const ContractionTypes& types, int64_t n, int64_t columns) {
  constexpr int64_t kDouble = sizeof(double);
  switch (types.way) {
    case Way::kInteger32:
      return n * columns * 4;
    case Way::kInteger64:
    case Way::kPred:
      return n * columns * 8;
    case Way::kFloat:
      return (n * columns + std::max(n, kRowValues)) * kDouble;
    case Way::kComplex:
      return (4 * n * columns + 2 * std::max(n, kRowValues)) * kDouble;
  }
  return 0;
}

void DecodedMatrix::Set(const std::byte* raw, int64_t row_stride, int64_t n, int64_t columns) {
  n_ = n;
  columns_ = columns;
  if (floating()) {
    SetFloats(raw, row_stride);
  } else {
    SetIntegers(raw, row_stride);
  }
}

void DecodedMatrix::SetFloats(const std::byte* raw, int64_t row_stride) {
  const int64_t parts = rows_per_element();
  const int64_t bytes = StorageBytes(types_.rhs);
  real_.resize(parts * n_ * columns_);
  imaginary_.resize(parts == 2 ? real_.size() : 0);
  std::vector<double> row(parts * columns_);
  for (int64_t k = 0; k < n_; ++k) {
    DecodeFloats(types_.rhs, raw + k * row_stride * bytes, columns_, row.data());
    for (int64_t first = 0; first < columns_; first += kPanel) {
      const int64_t width = std::min(kPanel, columns_ - first);
      const int64_t at = (first * n_ + k * width) * parts;
      for (int64_t j = 0; j < width; ++j) {
        if (parts == 1) {
          real_[at + j] = row[first + j];
          continue;
        }
        // (a + bi)(c + di): the rows meet a, then b.
        const double c = row[2 * (first + j)], d = row[2 * (first + j) + 1];
        real_[at + j] = c;
        real_[at + width + j] = -d;
        imaginary_[at + j] = d;
        imaginary_[at + width + j] = c;
      }
    }
  }
}

void DecodedMatrix::SetIntegers(const std::byte* raw, int64_t row_stride) {
  const int64_t bytes = StorageBytes(types_.rhs);
  if (types_.way != Way::kInteger32) {
    wide_.resize(n_ * columns_);
    for (int64_t k = 0; k < n_; ++k) {
      DecodeExtended(types_.rhs, raw + k * row_stride * bytes, columns_,
                     wide_.data() + k * columns_);
    }
    return;
  }
  narrow_.resize(n_ * columns_);
  std::vector<uint64_t> row(columns_);
  for (int64_t k = 0; k < n_; ++k) {
    DecodeExtended(types_.rhs, raw + k * row_stride * bytes, columns_, row.data());
    std::copy(row.begin(), row.end(), narrow_.begin() + k * columns_);
  }
}

void DecodedMatrix::SelectRows(const DecodedMatrix& from, absl::Span<const int64_t> groups,
                               int64_t rows_per_group) {
  columns_ = from.columns_;
  n_ = static_cast<int64_t>(groups.size()) * rows_per_group;
  real_.clear();
  imaginary_.clear();
  narrow_.clear();
  wide_.clear();
  if (!floating()) {
    if (types_.way == Way::kInteger32) {
      CopyGroups(from.narrow_, 0, columns_, groups, rows_per_group, narrow_);
    } else {
      CopyGroups(from.wide_, 0, columns_, groups, rows_per_group, wide_);
    }
    return;
  }
  const int64_t parts = rows_per_element();
  for (int64_t first = 0; first < columns_; first += kPanel) {
    const int64_t width = std::min(kPanel, columns_ - first);
    const int64_t panel = first * from.n_ * parts;
    CopyGroups(from.real_, panel, width * parts, groups, rows_per_group, real_);
    if (parts == 2) {
      CopyGroups(from.imaginary_, panel, width * parts, groups, rows_per_group, imaginary_);
    }
  }
}

absl::Status DecodedMatrix::Multiply(const std::byte* rows, int64_t row_count, std::byte* out,
                                     int64_t out_row, int64_t out_column, Meter& meter) {
  const int64_t rows_at_once = std::max<int64_t>(1, kRowValues / std::max<int64_t>(1, n_));
  const int64_t row_bytes = n_ * StorageBytes(types_.lhs);
  const int64_t result_bytes = StorageBytes(types_.result);
  for (int64_t first = 0; first < row_count; first += rows_at_once) {
    const int64_t count = std::min(rows_at_once, row_count - first);
    const std::byte* block = rows + first * row_bytes;
    std::byte* target = out + first * out_row * result_bytes;
    if (floating()) {
      MultiplyFloats(block, count, target, out_row, out_column);
    } else if (types_.way == Way::kInteger32) {
      MultiplyIntegers(narrow_, block, count, target, out_row, out_column);
    } else {
      MultiplyIntegers(wide_, block, count, target, out_row, out_column);
    }
    if (absl::Status status = meter.Add(count * std::max<int64_t>(1, n_) * columns_);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

void DecodedMatrix::MultiplyFloats(const std::byte* rows, int64_t row_count, std::byte* out,
                                   int64_t out_row, int64_t out_column) {
  const int64_t parts = rows_per_element();
  const int64_t length = parts * n_;
  const ElementType part = Info(types_.result).component;
  row_values_.resize(row_count * length);
  DecodeFloats(types_.lhs, rows, row_count * n_, row_values_.data());
  for (int64_t first = 0; first < columns_; first += kPanel) {
    const int64_t width = std::min(kPanel, columns_ - first);
    const int64_t panel = first * length;
    for (int64_t r = 0; r < row_count; ++r) {
      const double* row = row_values_.data() + r * length;
      uint64_t real[kPanel], imaginary[kPanel] = {};
      RoundedDotBlock(part, types_.width, row, 1, real_.data() + panel, width, length, width, real);
      if (parts == 2) {
        RoundedDotBlock(part, types_.width, row, 1, imaginary_.data() + panel, width, length, width,
                        imaginary);
      }
      for (int64_t j = 0; j < width; ++j) {
        StoreElement(types_.result, {real[j], imaginary[j]}, out,
                     r * out_row + (first + j) * out_column);
      }
    }
  }
}

template <typename T>
void DecodedMatrix::MultiplyIntegers(const std::vector<T>& matrix, const std::byte* rows,
                                     int64_t row_count, std::byte* out, int64_t out_row,
                                     int64_t out_column) {
  std::vector<uint64_t> factors(std::min(n_, kRowValues));
  std::vector<T> sums(columns_);
  for (int64_t r = 0; r < row_count; ++r) {
    std::fill(sums.begin(), sums.end(), T{0});
    for (int64_t k = 0; k < n_; ++k) {
      const int64_t at = k % kRowValues;
      if (at == 0) {
        DecodeExtended(types_.lhs, rows + (r * n_ + k) * StorageBytes(types_.lhs),
                       std::min(kRowValues, n_ - k), factors.data());
      }
      const T factor = static_cast<T>(factors[at]);
      const T* row = matrix.data() + k * columns_;
      for (int64_t j = 0; j < columns_; ++j) sums[j] += factor * row[j];
    }
    for (int64_t j = 0; j < columns_; ++j) {
      const uint64_t bits =
          types_.way == Way::kPred ? uint64_t{sums[j] != 0} : EncodeInteger(types_.result, sums[j]);
      StoreElement(types_.result, {bits}, out, r * out_row + j * out_column);
    }
  }
}

}  // namespace assay::kernels
