#include "runtime/view_reader.h"

#include <algorithm>
#include <cstring>

#include "runtime/arrays.h"
#include "runtime/strided_copy.h"

namespace assay::runtime {
namespace {

// The part of a box that a piece covers: for each dimension the first of the piece's indices in it
// and how many there are. False if there is none.
bool Meet(const Progression& line, int64_t start, int64_t count, int64_t* first, int64_t* n) {
  const int64_t before = start - line.first;
  *first = before <= 0 ? 0 : before / line.step + (before % line.step != 0);
  const int64_t after = start + count - 1 - line.first;
  if (after < 0) return false;
  *n = std::min(line.count, after / line.step + 1) - *first;
  return *n > 0;
}

void CopyPiece(const ViewPiece& piece, const ArrayRef& source, int64_t element_bytes,
               absl::Span<const int64_t> starts, absl::Span<const int64_t> counts, std::byte* out) {
  Dimensions sizes, from;
  Dimensions to = RowMajorStrides(counts);
  int64_t position = piece.offset, target = 0;
  for (size_t d = 0; d < counts.size(); ++d) {
    const Progression& line = piece.box[d];
    int64_t first, n;
    if (!Meet(line, starts[d], counts[d], &first, &n)) return;
    position += first * piece.strides[d];
    target += (line.first + first * line.step - starts[d]) * to[d];
    sizes.push_back(n);
    from.push_back(piece.strides[d]);
    to[d] *= line.step;
  }
  StridedCopy(element_bytes, sizes, from, to)
      .Run(source.data + position * element_bytes, out + target * element_bytes);
}

}  // namespace

ViewReader::ViewReader(const View& view, int64_t element_bytes, Access access) {
  const std::optional<View> flat = view.Flatten();
  const ViewPiece* piece = flat.has_value() ? flat->affine() : nullptr;
  if (view.element_count() == 0) return;
  if (access != Access::kBoxCopies && piece != nullptr &&
      (piece->strides[0] == 1 || flat->element_count() == 1)) {
    source_ = piece->source;
    offset_bytes_ = piece->offset * element_bytes;
    return;
  }
  uniform_ = piece != nullptr && piece->strides[0] == 0;
  auto blocks = std::make_shared<Blocks>();
  blocks->view = piece != nullptr && access == Access::kBlocks ? *flat : view;
  blocks->inner = RowMajorStrides(blocks->view.sizes());
  blocks->element_bytes = element_bytes;
  blocks_ = std::move(blocks);
}

void ViewReader::CopyBox(Sources sources, absl::Span<const int64_t> starts,
                         absl::Span<const int64_t> counts, std::byte* out) const {
  // What comes first in the list prevails, so it is written last.
  const auto pieces = blocks_->view.pieces();
  for (size_t p = pieces.size(); p-- > 0;) {
    CopyPiece(pieces[p], sources[pieces[p].source], blocks_->element_bytes, starts, counts, out);
  }
}

void ViewReader::Copy(Sources sources, int64_t first, int64_t n, int64_t element_bytes,
                      std::byte* out) const {
  if (direct()) {
    if (n > 0) std::memcpy(out, data(sources) + first * element_bytes, n * element_bytes);
    return;
  }
  // Boxes one after the other: up to the next whole step of a dimension as major as can be, many
  // whole steps of it, and so on.
  const Dimensions& inner = blocks_->inner;
  const auto sizes = blocks_->view.sizes();
  const size_t rank = sizes.size();
  Dimensions starts(rank), counts(rank);
  while (n > 0) {
    int64_t rest = first;
    for (size_t d = 0; d < rank; ++d) {
      starts[d] = rest / inner[d];
      rest %= inner[d];
    }
    // The most major dimension d in which whole steps begin here and fit.
    size_t d = 0;
    while (d + 1 < rank && (first % inner[d] != 0 || n < inner[d])) ++d;
    const int64_t steps = std::min(n / inner[d], sizes[d] - starts[d]);
    for (size_t e = 0; e < rank; ++e) counts[e] = e < d ? 1 : e == d ? steps : sizes[e];
    CopyBox(sources, starts, counts, out);
    first += steps * inner[d];
    n -= steps * inner[d];
    out += steps * inner[d] * element_bytes;
  }
}

const ViewReader OperandReaders::kAsTheyLie[3] = {ViewReader(0), ViewReader(1), ViewReader(2)};

OperandReaders::OperandReaders(const Instruction& instruction, absl::Span<const View> views) {
  for (size_t k = 0; k < views.size(); ++k) {
    readers_.emplace_back(views[k], StorageBytes(instruction.operand(k)->shape().element_type()));
  }
}

bool OperandReaders::all_direct() const {
  return std::all_of(readers_.begin(), readers_.end(),
                     [](const ViewReader& reader) { return reader.direct(); });
}

}  // namespace assay::runtime
