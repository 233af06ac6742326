#include "backends/cpu/fold_conversion.h"

#include <algorithm>
#include <utility>

#include "backends/cpu/scaled.h"
#include "runtime/arrays.h"
#include "spec/analysis/mixed_move.h"

namespace assay::cpu {

void FoldConversion::Step::Run(const std::byte* in, int64_t n, std::byte* out) const {
  if (convert.has_value()) {
    (*convert)(absl::MakeConstSpan(&in, 1), out, n);
  } else {
    scale(in, n, out);
  }
}

absl::Status FoldConversion::Append(ElementType from, ElementType to) {
  if (from == to) return absl::OkStatus();
  absl::StatusOr<BlockFunction> convert = ConvertFunction(from, to);
  if (!convert.ok()) return convert.status();
  steps_.push_back({*std::move(convert), nullptr, runtime::StorageBytes(to)});
  return absl::OkStatus();
}

absl::StatusOr<FoldConversion> FoldConversion::Create(ElementType from, ElementType own,
                                                      ElementType to) {
  FoldConversion made;
  made.from_bytes_ = runtime::StorageBytes(from);
  absl::Status status;
  if (analysis::Narrows(from, own) && own != to) {
    status = made.Append(from, own);
    from = own;
  }
  if (status.ok()) status = made.Append(from, to);
  if (!status.ok()) return status;
  return made;
}

absl::StatusOr<FoldConversion> FoldConversion::ToScaled(ElementType from, ElementType own,
                                                        ElementType to) {
  absl::StatusOr<FoldConversion> made = Create(from, own, to);
  if (!made.ok()) return made;
  const ScaledFunctions& scaled = ScaledFunctionsOf(to);
  made->steps_.push_back({std::nullopt, scaled.widen, scaled.bytes});
  return made;
}

absl::StatusOr<FoldConversion> FoldConversion::FromScaled(ElementType from, ElementType own,
                                                          ElementType to) {
  absl::StatusOr<FoldConversion> made = Create(from, own, to);
  if (!made.ok()) return made;
  const ScaledFunctions& scaled = ScaledFunctionsOf(from);
  made->from_bytes_ = scaled.bytes;
  made->steps_.insert(made->steps_.begin(),
                      {std::nullopt, scaled.narrow, runtime::StorageBytes(from)});
  return made;
}

void FoldConversion::Run(const std::byte* in, int64_t n, std::byte* out) const {
  if (steps_.size() == 1) return steps_[0].Run(in, n, out);
  // Numbers on their way: f64 or c128 at most.
  alignas(16) std::byte rooms[2][kBlockElements * 16];
  for (int64_t done = 0; done < n; done += kBlockElements) {
    const int64_t count = std::min(kBlockElements, n - done);
    const std::byte* at = in + done * from_bytes_;
    for (size_t s = 0; s < steps_.size(); ++s) {
      const bool last = s + 1 == steps_.size();
      std::byte* const to = last ? out + done * steps_[s].bytes : rooms[s % 2];
      steps_[s].Run(at, count, to);
      at = to;
    }
  }
}

}  // namespace assay::cpu
