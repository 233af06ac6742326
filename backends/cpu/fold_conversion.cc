#include "backends/cpu/fold_conversion.h"

#include <algorithm>
#include <utility>

#include "runtime/arrays.h"
#include "spec/analysis/mixed_move.h"

namespace assay::cpu {

absl::StatusOr<FoldConversion> FoldConversion::Create(ElementType from, ElementType own,
                                                      ElementType to) {
  FoldConversion made;
  made.from_bytes_ = runtime::StorageBytes(from);
  made.to_bytes_ = runtime::StorageBytes(to);
  if (analysis::Narrows(from, own) && own != to) {
    absl::StatusOr<BlockFunction> round = ConvertFunction(from, own);
    if (!round.ok()) return round.status();
    made.first_.emplace(*std::move(round));
    from = own;
  }
  if (from == to) return made;
  absl::StatusOr<BlockFunction> convert = ConvertFunction(from, to);
  if (!convert.ok()) return convert.status();
  made.last_.emplace(*std::move(convert));
  return made;
}

void FoldConversion::Run(const std::byte* in, int64_t n, std::byte* out) const {
  if (!first_.has_value()) return (*last_)(absl::MakeConstSpan(&in, 1), out, n);
  alignas(16) std::byte rounded[kBlockElements * 8];  // of floats
  const std::byte* const between = rounded;
  for (int64_t done = 0; done < n; done += kBlockElements) {
    const int64_t count = std::min(kBlockElements, n - done);
    const std::byte* const block = in + done * from_bytes_;
    (*first_)(absl::MakeConstSpan(&block, 1), rounded, count);
    (*last_)(absl::MakeConstSpan(&between, 1), out + done * to_bytes_, count);
  }
}

}  // namespace assay::cpu
