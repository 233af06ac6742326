#include "backends/cpu/line_sort.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backends/cpu/fold.h"
#include "backends/defect.h"
#include "runtime/arrays.h"
#include "runtime/scratch.h"

namespace assay::cpu {
namespace {

// Two sorted runs of one line that become one.
struct Merge {
  int64_t base;  // of the line, in items
  int64_t left, left_end, right, right_end, out;
};

class Merger {
 public:
  Merger(const Region& comparator, absl::Span<const std::byte* const> arrays,
         absl::Span<const int64_t> bytes, runtime::Context& context)
      : comparator_(comparator),
        arrays_(arrays),
        bytes_(bytes),
        context_(context),
        space_((static_cast<int64_t>(arrays.size()) * 2 + 1) * kBlockElements * 16 +
               Workspace::Rounded(comparator.scratch_bytes())) {
    for (size_t k = 0; k < 2 * arrays.size(); ++k) {
      inputs_.push_back(space_.Take(kBlockElements * 16));
    }
    goes_first_ = space_.Take(kBlockElements * 16);
    scratch_ = space_.Take(comparator.scratch_bytes());
  }

  // Runs all merges to their end. `from` and `to` are orders of all items.
  absl::Status Run(std::vector<Merge> merges, const int32_t* from, int32_t* to) {
    while (!merges.empty()) {
      absl::Status status = Compare(merges, from);
      if (!status.ok()) return status;
      size_t kept = 0;
      for (size_t m = 0; m < merges.size(); ++m) {
        Merge& merge = merges[m];
        const bool takes_right = ASSAY_DEFECT(21, goes_first_[m] != std::byte{0}, false);
        to[merge.base + merge.out++] =
            from[merge.base + (takes_right ? merge.right++ : merge.left++)];
        if (merge.left < merge.left_end && merge.right < merge.right_end) {
          merges[kept++] = merge;
        } else {
          CopyRest(merge, from, to);
        }
      }
      merges.resize(kept);
    }
    return absl::OkStatus();
  }

  static void CopyRest(const Merge& merge, const int32_t* from, int32_t* to) {
    const int32_t* begin = from + merge.base;
    int32_t* out =
        std::copy(begin + merge.left, begin + merge.left_end, to + merge.base + merge.out);
    std::copy(begin + merge.right, begin + merge.right_end, out);
  }

 private:
  // goes_first_[m]: the right item of merge m is to go in front of the left one.
  absl::Status Compare(const std::vector<Merge>& merges, const int32_t* from) {
    for (size_t k = 0; k < arrays_.size(); ++k) {
      runtime::WithStorage(bytes_[k], [&](auto word) {
        for (size_t m = 0; m < merges.size(); ++m) {
          const Merge& merge = merges[m];
          const int64_t right = merge.base + from[merge.base + merge.right];
          const int64_t left = merge.base + from[merge.base + merge.left];
          std::memcpy(&word, arrays_[k] + right * sizeof word, sizeof word);
          std::memcpy(inputs_[2 * k] + m * sizeof word, &word, sizeof word);
          std::memcpy(&word, arrays_[k] + left * sizeof word, sizeof word);
          std::memcpy(inputs_[2 * k + 1] + m * sizeof word, &word, sizeof word);
        }
      });
    }
    const int64_t n = static_cast<int64_t>(merges.size());
    if (absl::Status status = context_.Charge(n * comparator_.cost()); !status.ok()) return status;
    const std::vector<const std::byte*> inputs(inputs_.begin(), inputs_.end());
    return comparator_.Run(inputs, absl::MakeConstSpan(&goes_first_, 1), n, scratch_, context_);
  }

  const Region& comparator_;
  const absl::Span<const std::byte* const> arrays_;
  const absl::Span<const int64_t> bytes_;  // of an element, by array
  runtime::Context& context_;
  Workspace space_;
  std::vector<std::byte*> inputs_;
  std::byte* goes_first_;
  std::byte* scratch_;
};

}  // namespace

absl::Status SortLines(const Region& comparator, absl::Span<const std::byte* const> arrays,
                       absl::Span<const int64_t> bytes, int64_t lines, int64_t length,
                       int32_t* order, runtime::Context& context) {
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t i = 0; i < length; ++i) order[line * length + i] = static_cast<int32_t>(i);
  }
  runtime::ScratchLease lease(context);
  if (absl::Status status = lease.Add(lines * length * 4); !status.ok()) return status;
  std::vector<int32_t> other(lines * length);
  int32_t *from = order, *to = other.data();
  Merger merger(comparator, arrays, bytes, context);
  for (int64_t width = 1; width < length; width *= 2) {
    std::vector<Merge> merges;
    for (int64_t line = 0; line < lines; ++line) {
      for (int64_t begin = 0; begin < length; begin += 2 * width) {
        const int64_t middle = std::min(begin + width, length);
        const Merge merge = {
            line * length, begin, middle, middle, std::min(begin + 2 * width, length), begin};
        if (merge.right < merge.right_end) {
          merges.push_back(merge);
        } else {
          Merger::CopyRest(merge, from, to);
        }
        if (merges.size() < static_cast<size_t>(kBlockElements)) continue;
        absl::Status status = merger.Run(std::exchange(merges, {}), from, to);
        if (!status.ok()) return status;
      }
    }
    absl::Status status = merger.Run(std::move(merges), from, to);
    if (!status.ok()) return status;
    std::swap(from, to);
  }
  if (from != order) std::copy(from, from + lines * length, order);
  return absl::OkStatus();
}

}  // namespace assay::cpu
