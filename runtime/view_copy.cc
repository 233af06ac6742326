#include "runtime/view_copy.h"

#include <algorithm>

#include "runtime/parallel.h"

namespace assay::runtime {

ViewCopy::ViewCopy(const View& view, ElementType type)
    : bytes_(StorageBytes(type)), reader_(view, bytes_), count_(view.element_count()) {}

absl::Status ViewCopy::Execute(absl::Span<const ArrayRef> operands,
                               absl::Span<const MutableArrayRef> results, Context& context) const {
  constexpr int64_t kBlock = 1 << 14, kShare = 8 * kBlock;
  return ParallelFor(context, count_, kShare, [&](Blocks& shares, Context& context) {
    while (shares.Next()) {
      const int64_t end = shares.first() + shares.count();
      for (int64_t first = shares.first(); first < end; first += kBlock) {
        const int64_t n = std::min(kBlock, end - first);
        if (absl::Status status = context.Charge(n); !status.ok()) return status;
        reader_.Copy(operands, first, n, bytes_, results[0].data + first * bytes_);
      }
    }
    return absl::OkStatus();
  });
}

}  // namespace assay::runtime
