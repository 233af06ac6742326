// A record as a source of choices: its bytes in order, then the bytes of a generator that they
// seed. A choice is a number in a range that the reader requests, so that any bytes are valid. Only
// integer arithmetic is used, so that choices are the same with every compiler. Tests:
// decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_CHOICES_H_
#define ASSAY_FUZZ_PROGRAMS_CHOICES_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "absl/types/span.h"

namespace assay::fuzz {

// The bytes of a record. Longer programs have more records, not longer ones, so that a record can
// be exchanged, repeated or removed without changing the meaning of its neighbours.
inline constexpr int64_t kRecordBytes = 16;

// Returns the next number of SplitMix64.
inline uint64_t NextRandom(uint64_t* state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

class Choices {
 public:
  // Bytes beyond kRecordBytes are ignored; missing bytes are 0.
  explicit Choices(absl::Span<const uint8_t> record) {
    std::copy_n(record.begin(), std::min<size_t>(record.size(), kRecordBytes), bytes_.begin());
    for (const uint8_t byte : bytes_) state_ = (state_ ^ byte) * 0x100000001B3;
  }

  uint8_t Byte() {
    if (next_ < kRecordBytes) return bytes_[next_++];
    return static_cast<uint8_t>(NextRandom(&state_) >> 56);
  }
  // Returns a number in [0, limit); limit >= 1. A byte of 0 gives 0, the simplest choice.
  int64_t Below(int64_t limit) {
    if (limit <= 256) return Byte() % limit;
    const int64_t low = Byte(), high = Byte();  // read in this order
    return (low | high << 8) % limit;
  }
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  // Returns true with probability 1 / n; false for a byte of 0.
  bool OneIn(int64_t n) { return Below(n) == n - 1; }
  template <typename Container>
  auto& Of(Container&& container) {
    return container[Below(static_cast<int64_t>(std::size(container)))];
  }
  // Returns a row of a table whose rows have a `weight`, as often as the weight says.
  template <typename Row, size_t kCount>
  const Row& Weighted(const Row (&table)[kCount]) {
    int64_t sum = 0;
    for (const Row& row : table) sum += row.weight;
    int64_t at = Below(sum);
    for (const Row& row : table) {
      if (at < row.weight) return row;
      at -= row.weight;
    }
    return table[0];
  }
  uint64_t Word() { return NextRandom(&state_); }

 private:
  std::array<uint8_t, kRecordBytes> bytes_{};
  int64_t next_ = 0;
  uint64_t state_ = 0xCBF29CE484222325;
};

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_CHOICES_H_
