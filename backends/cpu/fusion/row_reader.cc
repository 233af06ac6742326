#include "backends/cpu/fusion/row_reader.h"

#include <algorithm>
#include <cstring>

#include "backends/defect.h"

namespace assay::cpu {

std::optional<RowReader> RowReader::Create(const View& view, int64_t element_bytes) {
  const ViewPiece* piece = view.affine();
  if (piece == nullptr || view.rank() == 0) return std::nullopt;
  RowReader reader;
  reader.element_bytes_ = element_bytes;
  reader.source_ = piece->source;
  reader.offset_ = piece->offset;
  // The minor dimensions that are steps of one length, or of none.
  int64_t d = view.rank();
  std::optional<bool> repeats;
  for (; d > 0; --d) {
    const int64_t size = view.sizes()[d - 1], stride = piece->strides[d - 1];
    if (size == 1) continue;
    const bool stays = stride == 0;
    if (!stays && stride != reader.length_) break;
    if (repeats.has_value() && *repeats != stays) break;
    repeats = stays;
    reader.length_ *= size;
  }
  if (!repeats.has_value() || reader.length_ < kFewestElements) return std::nullopt;
  reader.repeats_ = *repeats;
  reader.repeat_ = BestKernels().repeat[LogBytes(element_bytes)];
  for (int64_t k = 0; k < d; ++k) {
    reader.sizes_.push_back(view.sizes()[k]);
    reader.strides_.push_back(piece->strides[k]);
  }
  return reader;
}

const std::byte* RowReader::Row(runtime::Sources sources, int64_t row) const {
  int64_t position = offset_;
  for (size_t d = sizes_.size(); d-- > 0;) {
    position += row % sizes_[d] * strides_[d];
    row /= sizes_[d];
  }
  return sources[source_].data + position * element_bytes_;
}

const std::byte* RowReader::Block(runtime::Sources sources, int64_t first, int64_t n,
                                  std::byte* room, Filled* filled) const {
  int64_t row = first / length_, column = first % length_;
  if (column + n <= length_) {
    const std::byte* from = Row(sources, row);
    if (!repeats_) return from + column * element_bytes_;
    if (ASSAY_DEFECT(94, filled->from != from, filled->from == nullptr) || filled->count < n) {
      repeat_(&from, room, n, {});
      *filled = {.from = from, .count = n};
    }
    return room;
  }
  *filled = {};
  std::byte* to = room;
  while (n > 0) {
    const int64_t count = std::min(n, length_ - column);
    const std::byte* from = Row(sources, row);
    if (repeats_) {
      repeat_(&from, to, count, {});
    } else {
      std::memcpy(to, from + column * element_bytes_, count * element_bytes_);
    }
    to += count * element_bytes_;
    n -= count;
    column = 0;
    row += ASSAY_DEFECT(95, 1, 0);
  }
  return room;
}

}  // namespace assay::cpu
