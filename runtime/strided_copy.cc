#include "runtime/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "runtime/parallel.h"

namespace assay::runtime {
namespace {

// Calls f with a value of a type with so many bytes: an element, or two of 16 bytes.
template <typename F>
void WithElement(int64_t bytes, F f) {
  if (bytes == 2 * sizeof(Element)) return f(std::array<Element, 2>{});
  WithStorage(bytes, f);
}

template <typename T>
T LoadBytes(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <typename T>
void StoreBytes(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

// Every second element. Whole vectors are read, but none beyond the last element.
template <typename T>
void CopyEverySecond(const std::byte* source, std::byte* destination, int64_t n) {
  constexpr int kWidth = 16 / sizeof(T);
  using Several __attribute__((vector_size(16))) = T;
  int64_t i = 0;
  for (; i + kWidth < n; i += kWidth) {
    const auto low = LoadBytes<Several>(source + 2 * i * sizeof(T));
    const auto high = LoadBytes<Several>(source + 2 * i * sizeof(T) + sizeof(Several));
    if constexpr (kWidth == 4) {
      StoreBytes(destination + i * sizeof(T), __builtin_shufflevector(low, high, 0, 2, 4, 6));
    } else {
      StoreBytes(destination + i * sizeof(T), __builtin_shufflevector(low, high, 0, 2));
    }
  }
  for (; i < n; ++i) {
    StoreBytes(destination + i * sizeof(T), LoadBytes<T>(source + 2 * i * sizeof(T)));
  }
}

template <typename T>
void CopyStrided(const std::byte* source, int64_t source_stride, std::byte* destination,
                 int64_t destination_stride, int64_t n) {
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
    if (source_stride == 2 * kBytes && destination_stride == kBytes) {
      return CopyEverySecond<T>(source, destination, n);
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    StoreBytes(destination, LoadBytes<T>(source));
    source += source_stride;
    destination += destination_stride;
  }
}

template <typename T>
void Fill(const std::byte* source, std::byte* destination, int64_t n) {
  const T value = LoadBytes<T>(source);
  for (int64_t i = 0; i < n; ++i) StoreAt<T>(destination, i, value);
}

// A square of `kSide` rows and columns of the destination, whose rows are written as whole lines;
// the elements of a column lie one after the other in the source. Strides are in bytes.
template <typename T, int kSide>
void CopySquareTransposed(const std::byte* source, std::byte* destination, int64_t source_column,
                          int64_t destination_row) {
  T square[kSide][kSide];
  for (int column = 0; column < kSide; ++column) {
    for (int row = 0; row < kSide; ++row) {
      square[row][column] = LoadBytes<T>(source + column * source_column + row * sizeof(T));
    }
  }
  for (int row = 0; row < kSide; ++row) {
    std::memcpy(destination + row * destination_row, square[row], sizeof square[row]);
  }
}

// Four columns at a time.
template <>
void CopySquareTransposed<uint32_t, 16>(const std::byte* source, std::byte* destination,
                                        int64_t source_column, int64_t destination_row) {
  using Four __attribute__((vector_size(16))) = uint32_t;
  Four square[16][4];
  for (int column = 0; column < 4; ++column) {
    for (int row = 0; row < 4; ++row) {
      const std::byte* from = source + 4 * column * source_column + row * sizeof(Four);
      const Four a = LoadBytes<Four>(from), b = LoadBytes<Four>(from + source_column);
      const Four c = LoadBytes<Four>(from + 2 * source_column);
      const Four d = LoadBytes<Four>(from + 3 * source_column);
      const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
      const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      const Four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      const Four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      square[4 * row][column] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
      square[4 * row + 1][column] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
      square[4 * row + 2][column] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
      square[4 * row + 3][column] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
    }
  }
  for (int row = 0; row < 16; ++row) {
    std::memcpy(destination + row * destination_row, square[row], sizeof square[row]);
  }
}

// Tiles keep the lines of both sides in the first cache.
template <typename T>
void CopyTransposed(const std::byte* source, std::byte* destination, int64_t rows, int64_t columns,
                    int64_t source_row, int64_t source_column, int64_t destination_row,
                    int64_t destination_column) {
  constexpr int64_t kTile = 64 / sizeof(T) < 16 ? 16 : 64 / sizeof(T);
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  if (kBytes <= 8 && source_row == kBytes && destination_column == kBytes) {
    constexpr int64_t kSide = 64 / kBytes;
    const int64_t whole_rows = rows / kSide * kSide, whole_columns = columns / kSide * kSide;
    if (whole_rows > 0 && whole_columns > 0) {
      for (int64_t row = 0; row < whole_rows; row += kSide) {
        for (int64_t column = 0; column < whole_columns; column += kSide) {
          CopySquareTransposed<T, kSide>(source + row * kBytes + column * source_column,
                                         destination + row * destination_row + column * kBytes,
                                         source_column, destination_row);
        }
      }
      // What is left below and beside the squares.
      CopyTransposed<T>(source + whole_rows * kBytes, destination + whole_rows * destination_row,
                        rows - whole_rows, columns, source_row, source_column, destination_row,
                        destination_column);
      CopyTransposed<T>(source + whole_columns * source_column,
                        destination + whole_columns * kBytes, whole_rows, columns - whole_columns,
                        source_row, source_column, destination_row, destination_column);
      return;
    }
  }
  for (int64_t row = 0; row < rows; row += kTile) {
    const int64_t row_end = std::min(rows, row + kTile);
    for (int64_t column = 0; column < columns; column += kTile) {
      const int64_t n = std::min(columns - column, kTile);
      for (int64_t r = row; r < row_end; ++r) {
        CopyStrided<T>(source + r * source_row + column * source_column, source_column,
                       destination + r * destination_row + column * destination_column,
                       destination_column, n);
      }
    }
  }
}

}  // namespace

StridedCopy::StridedCopy(int64_t element_bytes, absl::Span<const int64_t> sizes,
                         absl::Span<const int64_t> source_strides,
                         absl::Span<const int64_t> destination_strides)
    : element_bytes_(element_bytes) {
  Normalise(sizes, source_strides, destination_strides);
  if (count_ > 0) ChooseInner();
}

// Drops dimensions of size one and joins neighbours that are one run in both views.
void StridedCopy::Normalise(absl::Span<const int64_t> sizes,
                            absl::Span<const int64_t> source_strides,
                            absl::Span<const int64_t> destination_strides) {
  count_ = 0;
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  count_ = 1;
  for (const int64_t size : sizes) count_ *= size;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    const Loop loop = {sizes[d], source_strides[d] * element_bytes_,
                       destination_strides[d] * element_bytes_};
    if (!outer_loops_.empty() &&
        outer_loops_.back().source_stride == loop.size * loop.source_stride &&
        outer_loops_.back().destination_stride == loop.size * loop.destination_stride) {
      Loop& joined = outer_loops_.back();
      joined = {joined.size * loop.size, loop.source_stride, loop.destination_stride};
    } else {
      outer_loops_.push_back(loop);
    }
  }
}

// Takes the innermost loop, and a second one where that makes a transposition in tiles.
void StridedCopy::ChooseInner() {
  inner_loops_.clear();
  if (outer_loops_.empty()) {
    inner_loops_.push_back({1, element_bytes_, element_bytes_});
    return;
  }
  const Loop last = outer_loops_.back();
  outer_loops_.pop_back();
  inner_count_ = last.size;
  inner_ = Inner::kStrided;
  if (last.destination_stride == element_bytes_) {
    if (last.source_stride == element_bytes_) inner_ = Inner::kBytes;
    if (last.source_stride == 0) inner_ = Inner::kFill;
  }
  if (inner_ == Inner::kStrided && std::abs(last.source_stride) > 4 * element_bytes_) {
    for (size_t d = 0; d < outer_loops_.size(); ++d) {
      if (std::abs(outer_loops_[d].source_stride) != element_bytes_) continue;
      inner_ = Inner::kTranspose;
      inner_loops_.push_back(outer_loops_[d]);
      inner_count_ *= outer_loops_[d].size;
      outer_loops_.erase(outer_loops_.begin() + d);
      break;
    }
  }
  inner_loops_.push_back(last);
}

void StridedCopy::RunInner(const std::byte* source, std::byte* destination) const {
  const Loop& loop = inner_loops_.back();
  switch (inner_) {
    case Inner::kBytes:
      std::memcpy(destination, source, loop.size * element_bytes_);
      break;
    case Inner::kFill:
      WithElement(element_bytes_,
                  [&](auto t) { Fill<decltype(t)>(source, destination, loop.size); });
      break;
    case Inner::kStrided:
      WithElement(element_bytes_, [&](auto t) {
        CopyStrided<decltype(t)>(source, loop.source_stride, destination, loop.destination_stride,
                                 loop.size);
      });
      break;
    case Inner::kTranspose: {
      const Loop& row = inner_loops_.front();
      WithElement(element_bytes_, [&](auto t) {
        CopyTransposed<decltype(t)>(source, destination, row.size, loop.size, row.source_stride,
                                    loop.source_stride, row.destination_stride,
                                    loop.destination_stride);
      });
      break;
    }
  }
}

template <typename After>
absl::Status StridedCopy::Walk(const std::byte* source, std::byte* destination, After after) const {
  if (count_ == 0) return absl::OkStatus();
  if (outer_loops_.empty()) {
    RunInner(source, destination);
    return after(count_);
  }
  absl::InlinedVector<int64_t, 8> index(outer_loops_.size(), 0);
  while (true) {
    RunInner(source, destination);
    if (absl::Status status = after(inner_count_); !status.ok()) return status;
    int64_t d = static_cast<int64_t>(outer_loops_.size()) - 1;
    for (; d >= 0; --d) {
      const Loop& loop = outer_loops_[d];
      source += loop.source_stride;
      destination += loop.destination_stride;
      if (++index[d] < loop.size) break;
      index[d] = 0;
      source -= loop.size * loop.source_stride;
      destination -= loop.size * loop.destination_stride;
    }
    if (d < 0) return absl::OkStatus();
  }
}

absl::Status StridedCopy::Run(const std::byte* source, std::byte* destination, Meter& meter) const {
  return Walk(source, destination, [&](int64_t elements) { return meter.Add(elements); });
}

const StridedCopy::Loop& StridedCopy::Outermost() const {
  return outer_loops_.empty() ? inner_loops_.front() : outer_loops_.front();
}

StridedCopy StridedCopy::WithTurns(int64_t turns) const {
  StridedCopy part = *this;
  const int64_t of_a_turn = count_ / Outermost().size;
  part.count_ = turns * of_a_turn;
  if (outer_loops_.empty()) {
    part.inner_loops_.front().size = turns;
    part.inner_count_ = part.count_;
  } else {
    part.outer_loops_.front().size = turns;
  }
  return part;
}

absl::Status StridedCopy::Run(const std::byte* source, std::byte* destination,
                              Context& context) const {
  if (count_ == 0) return absl::OkStatus();
  const Loop& outermost = Outermost();
  // Some elements are moved in a nanosecond.
  const int64_t grain = GrainFor(count_ / outermost.size / 2);
  return ParallelFor(context, outermost.size, grain, [&](Blocks& blocks, Context& context) {
    Meter meter(context);
    while (blocks.Next()) {
      const std::byte* from = source + blocks.first() * outermost.source_stride;
      std::byte* to = destination + blocks.first() * outermost.destination_stride;
      absl::Status status = blocks.count() == outermost.size
                                ? Run(from, to, meter)
                                : WithTurns(blocks.count()).Run(from, to, meter);
      if (!status.ok()) return status;
    }
    return meter.Flush();
  });
}

void StridedCopy::Run(const std::byte* source, std::byte* destination) const {
  Walk(source, destination, [](int64_t) { return absl::OkStatus(); }).IgnoreError();
}

}  // namespace assay::runtime
