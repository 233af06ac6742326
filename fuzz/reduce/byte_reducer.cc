// The reduction of records.
#include <algorithm>

#include "fuzz/programs/choices.h"
#include "fuzz/reduce/budgeted.h"
#include "fuzz/reduce/reducer.h"

namespace assay::fuzz {
namespace {

class ByteReducer {
 public:
  ByteReducer(std::vector<uint8_t> bytes, const ShowsBytes& shows, const ReduceLimits& limits)
      : bytes_(std::move(bytes)), shows_(shows), questions_(limits) {}

  std::vector<uint8_t> Run() {
    bool smaller = true;
    while (smaller) {
      smaller = TakeRecordsAway();
      smaller |= MakeBytesSmaller();
    }
    return bytes_;
  }

 private:
  bool Try(std::vector<uint8_t> candidate) {
    if (candidate == bytes_ || !questions_.Ask() || !shows_(candidate)) return false;
    bytes_ = std::move(candidate);
    return true;
  }

  // Halves first, then quarters, down to single records.
  bool TakeRecordsAway() {
    bool smaller = false;
    const auto records = [&] {
      return (static_cast<int64_t>(bytes_.size()) + kRecordBytes - 1) / kRecordBytes - 1;
    };
    for (int64_t length = std::max<int64_t>(records() / 2, 1); length >= 1; length /= 2) {
      for (int64_t at = records() - length; at >= 0; at -= length) {
        std::vector<uint8_t> candidate = bytes_;
        const auto begin = candidate.begin() + (1 + at) * kRecordBytes;
        const int64_t end = std::min<int64_t>((1 + at + length) * kRecordBytes,
                                              static_cast<int64_t>(candidate.size()));
        candidate.erase(begin, candidate.begin() + end);
        smaller |= Try(std::move(candidate));
      }
    }
    return smaller;
  }

  bool MakeBytesSmaller() {
    bool smaller = false;
    // Records as a whole first: from the end, all zero but for the operation.
    for (size_t i = bytes_.size(); i-- > 0;) {
      if (bytes_[i] == 0) continue;
      for (const int value : {0, bytes_[i] / 2}) {
        std::vector<uint8_t> candidate = bytes_;
        candidate[i] = static_cast<uint8_t>(value);
        if (!Try(std::move(candidate))) continue;
        smaller = true;
        break;
      }
    }
    return smaller;
  }

  std::vector<uint8_t> bytes_;
  const ShowsBytes& shows_;
  Questions questions_;
};

}  // namespace

std::vector<uint8_t> ReduceBytes(std::vector<uint8_t> bytes, const ShowsBytes& shows,
                                 const ReduceLimits& limits) {
  return ByteReducer(std::move(bytes), shows, limits).Run();
}

}  // namespace assay::fuzz
