#include "spec/views/view.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace assay {
namespace {

int64_t ProductOf(absl::Span<const int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// The inverse of a modulo m; both are coprime.
int64_t Inverse(int64_t a, int64_t m) {
  int64_t r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const int64_t q = r0 / r1;
    std::tie(r0, r1) = std::make_pair(r1, r0 - q * r1);
    std::tie(t0, t1) = std::make_pair(t1, t0 - q * t1);
  }
  return t0 < 0 ? t0 + m : t0;
}

// Renames dimension d: new index i is the old start + step * i, for 0 <= i < count. What the box
// has of these is a progression again. False when that is nothing.
bool Restrict(ViewPiece& piece, size_t d, int64_t start, int64_t count, int64_t step) {
  Progression& old = piece.box[d];
  if (old.count == 0 || count == 0) return false;
  const int64_t common = std::gcd(step, old.step);
  const int64_t distance = old.first - start;
  if (distance % common != 0) return false;
  const int64_t period = old.step / common;
  const int64_t last_old = old.first + old.step * (old.count - 1);
  if (last_old < start) return false;
  const int64_t least = distance > 0 ? distance / step + (distance % step != 0) : 0;
  const int64_t most = std::min(count - 1, (last_old - start) / step);
  // The first new index from `least` on that meets the box: it is so modulo the period.
  int64_t residue = 0;
  if (period > 1) {
    const auto wide = static_cast<__int128>((distance / common % period + period) % period) *
                      Inverse(step / common, period);
    residue = static_cast<int64_t>(wide % period);
  }
  const int64_t first = least + ((residue - least) % period + period) % period;
  if (first > most) return false;
  piece.offset += piece.strides[d] * ((start + step * first - old.first) / old.step);
  piece.strides[d] *= step / common;
  old = {first, period, (most - first) / period + 1};
  return true;
}

// Dimensions of the old and the new sizes that hold the same elements: as few as can be. Ones go
// with their neighbours.
struct DimensionGroup {
  size_t old_begin, old_end, new_begin, new_end;
};
std::vector<DimensionGroup> Groups(absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  std::vector<DimensionGroup> groups;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    DimensionGroup group{i, i, j, j};
    int64_t a = 1, b = 1;
    if (i < from.size()) a = from[i++];
    if (j < to.size()) b = to[j++];
    while (a != b) {
      if (a < b) {
        a *= from[i++];
      } else {
        b *= to[j++];
      }
    }
    group.old_end = i;
    group.new_end = j;
    groups.push_back(group);
  }
  return groups;
}

// The one stride of the dimensions [begin, end) of a piece that covers them, joined; nullopt if
// there is none.
std::optional<int64_t> JoinedStride(const ViewPiece& piece, absl::Span<const int64_t> sizes,
                                    size_t begin, size_t end) {
  int64_t stride = 0, size = 1;
  for (size_t d = end; d-- > begin;) {
    if (!piece.box[d].IsAllOf(sizes[d])) return std::nullopt;
    if (sizes[d] == 1) continue;
    if (size == 1) {
      stride = piece.strides[d];
    } else if (piece.strides[d] != stride * size) {
      return std::nullopt;
    }
    size *= sizes[d];
  }
  return stride;
}

std::optional<ViewPiece> ReshapePiece(const ViewPiece& piece, absl::Span<const int64_t> from,
                                      absl::Span<const int64_t> to,
                                      absl::Span<const DimensionGroup> groups) {
  ViewPiece result;
  result.source = piece.source;
  result.offset = piece.offset;
  for (const DimensionGroup& group : groups) {
    // At most one dimension on both sides that is no one: its progression stays as it is.
    auto real = [](absl::Span<const int64_t> sizes, size_t begin, size_t end) {
      absl::InlinedVector<size_t, 4> dimensions;
      for (size_t d = begin; d < end; ++d) {
        if (sizes[d] != 1) dimensions.push_back(d);
      }
      return dimensions;
    };
    const auto old_real = real(from, group.old_begin, group.old_end);
    const auto new_real = real(to, group.new_begin, group.new_end);
    if (old_real.size() <= 1 && new_real.size() <= 1) {
      for (size_t d = group.new_begin; d < group.new_end; ++d) {
        const bool carries = to[d] != 1;
        result.box.push_back(carries ? piece.box[old_real[0]] : Progression{0, 1, 1});
        result.strides.push_back(carries ? piece.strides[old_real[0]] : 0);
      }
      continue;
    }
    const std::optional<int64_t> stride = JoinedStride(piece, from, group.old_begin, group.old_end);
    if (!stride.has_value()) return std::nullopt;
    for (size_t d = group.new_begin; d < group.new_end; ++d) {
      result.box.push_back({0, 1, to[d]});
      result.strides.push_back(*stride * ProductOf(to.subspan(d + 1, group.new_end - d - 1)));
    }
  }
  return result;
}

}  // namespace

View View::Strided(absl::Span<const int64_t> sizes, int64_t offset,
                   absl::Span<const int64_t> strides, int64_t source) {
  View view;
  view.sizes_.assign(sizes.begin(), sizes.end());
  ViewPiece piece;
  for (int64_t size : sizes) piece.box.push_back({0, 1, size});
  piece.source = source;
  piece.offset = offset;
  piece.strides.assign(strides.begin(), strides.end());
  view.pieces_.push_back(std::move(piece));
  view.RemoveHidden();
  return view;
}

View View::Dense(absl::Span<const int64_t> sizes, int64_t source) {
  return Strided(sizes, 0, RowMajorStrides(sizes), source);
}

int64_t View::element_count() const { return ProductOf(sizes_); }

void View::RemoveHidden() {
  size_t kept = 0;
  for (size_t p = 0; p < pieces_.size(); ++p) {
    bool empty = false, all = true;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      empty |= pieces_[p].box[d].count == 0;
      all &= pieces_[p].box[d].IsAllOf(sizes_[d]);
    }
    if (empty) continue;
    if (kept != p) pieces_[kept] = std::move(pieces_[p]);
    ++kept;
    if (all) break;
  }
  pieces_.resize(kept);
}

const ViewPiece* View::affine() const {
  if (pieces_.size() != 1) return nullptr;
  for (size_t d = 0; d < sizes_.size(); ++d) {
    if (!pieces_[0].box[d].IsAllOf(sizes_[d])) return nullptr;
  }
  return &pieces_[0];
}

bool View::is_dense() const {
  const ViewPiece* piece = affine();
  if (piece == nullptr || piece->offset != 0) return false;
  int64_t stride = 1;
  for (size_t d = sizes_.size(); d-- > 0;) {
    if (sizes_[d] != 1 && piece->strides[d] != stride) return false;
    stride *= sizes_[d];
  }
  return true;
}

View::Location View::At(absl::Span<const int64_t> index) const {
  for (const ViewPiece& piece : pieces_) {
    int64_t position = piece.offset;
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      const Progression& line = piece.box[d];
      int64_t k = index[d] - line.first;
      if (line.step != 1) {
        inside = k % line.step == 0;
        k /= line.step;
      }
      if (!inside || k < 0 || k >= line.count) {
        inside = false;
        break;
      }
      position += k * piece.strides[d];
    }
    if (inside) return {piece.source, position};
  }
  std::abort();  // an index outside the sizes
}

View View::Transpose(absl::Span<const int64_t> permutation) const {
  View view;
  for (int64_t d : permutation) view.sizes_.push_back(sizes_[d]);
  for (const ViewPiece& piece : pieces_) {
    ViewPiece moved = piece;
    for (size_t d = 0; d < permutation.size(); ++d) {
      moved.box[d] = piece.box[permutation[d]];
      moved.strides[d] = piece.strides[permutation[d]];
    }
    view.pieces_.push_back(std::move(moved));
  }
  return view;
}

View View::Slice(absl::Span<const int64_t> starts, absl::Span<const int64_t> counts,
                 absl::Span<const int64_t> steps) const {
  View view;
  view.sizes_.assign(counts.begin(), counts.end());
  for (ViewPiece piece : pieces_) {
    bool some = true;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      some = some && Restrict(piece, d, starts[d], counts[d], steps[d]);
    }
    if (some) view.pieces_.push_back(std::move(piece));
  }
  view.RemoveHidden();
  return view;
}

View View::Reverse(absl::Span<const int64_t> dimensions) const {
  View view = *this;
  for (ViewPiece& piece : view.pieces_) {
    for (int64_t d : dimensions) {
      Progression& line = piece.box[d];
      const int64_t steps = line.count - 1;
      line.first = sizes_[d] - 1 - (line.first + steps * line.step);
      piece.offset += steps * piece.strides[d];
      piece.strides[d] = -piece.strides[d];
    }
  }
  return view;
}

View View::Broadcast(absl::Span<const int64_t> sizes, absl::Span<const int64_t> dimensions) const {
  View view;
  view.sizes_.assign(sizes.begin(), sizes.end());
  for (const ViewPiece& piece : pieces_) {
    ViewPiece spread;
    spread.source = piece.source;
    spread.offset = piece.offset;
    for (int64_t size : sizes) spread.box.push_back({0, 1, size});
    spread.strides.assign(sizes.size(), 0);
    for (size_t d = 0; d < dimensions.size(); ++d) {
      if (sizes_[d] == 1) continue;
      spread.box[dimensions[d]] = piece.box[d];
      spread.strides[dimensions[d]] = piece.strides[d];
    }
    view.pieces_.push_back(std::move(spread));
  }
  view.RemoveHidden();
  return view;
}

std::optional<View> View::Reshape(absl::Span<const int64_t> sizes) const {
  View view;
  view.sizes_.assign(sizes.begin(), sizes.end());
  if (element_count() == 0) return view;
  const std::vector<DimensionGroup> groups = Groups(sizes_, sizes);
  for (const ViewPiece& piece : pieces_) {
    std::optional<ViewPiece> reshaped = ReshapePiece(piece, sizes_, sizes, groups);
    if (!reshaped.has_value()) return std::nullopt;
    view.pieces_.push_back(*std::move(reshaped));
  }
  return view;
}

std::optional<View> View::Flatten() const { return Reshape({element_count()}); }

View View::Pad(const View& operand, const View& value, const PaddingConfig& padding,
               absl::Span<const int64_t> sizes) {
  View view;
  view.sizes_.assign(sizes.begin(), sizes.end());
  for (ViewPiece piece : operand.pieces_) {
    bool some = true;
    for (size_t d = 0; some && d < sizes.size(); ++d) {
      const PaddingDimension& pad = padding.dimensions[d];
      Progression& line = piece.box[d];
      line.first = pad.low + line.first * (pad.interior + 1);
      // A single index has no step, and interior padding may be huge.
      line.step = line.count == 1 ? 1 : line.step * (pad.interior + 1);
      some = Restrict(piece, d, 0, sizes[d], 1);
    }
    if (some) view.pieces_.push_back(std::move(piece));
  }
  const View rest = value.Broadcast(sizes, {});
  view.pieces_.insert(view.pieces_.end(), rest.pieces_.begin(), rest.pieces_.end());
  view.RemoveHidden();
  return view;
}

View View::Concatenate(absl::Span<const View> operands, int64_t dimension) {
  View view;
  view.sizes_ = operands[0].sizes_;
  view.sizes_[dimension] = 0;
  for (const View& operand : operands) {
    for (ViewPiece piece : operand.pieces_) {
      piece.box[dimension].first += view.sizes_[dimension];
      view.pieces_.push_back(std::move(piece));
    }
    view.sizes_[dimension] += operand.sizes_[dimension];
  }
  view.RemoveHidden();
  return view;
}

View View::WithSources(const std::function<int64_t(int64_t)>& renumber) const {
  View view = *this;
  for (ViewPiece& piece : view.pieces_) piece.source = renumber(piece.source);
  return view;
}

std::string View::ToString() const {
  std::string text = absl::StrCat("[", absl::StrJoin(sizes_, ","), "]:");
  for (size_t p = 0; p < pieces_.size(); ++p) {
    const ViewPiece& piece = pieces_[p];
    absl::StrAppend(&text, p == 0 ? " {" : "; {");
    for (size_t d = 0; d < piece.box.size(); ++d) {
      const Progression& line = piece.box[d];
      absl::StrAppend(&text, d == 0 ? "" : ", ", line.first, ":",
                      line.first + line.step * (line.count - 1) + 1);
      if (line.step != 1) absl::StrAppend(&text, ":", line.step);
    }
    absl::StrAppend(&text, "} <- ", piece.offset, " + (", absl::StrJoin(piece.strides, ", "),
                    ") of ", piece.source);
  }
  return text;
}

namespace {

bool StaticArray(const Shape& shape) { return shape.is_array() && !shape.is_dynamic(); }

// Static arrays of one element type throughout: nothing but indices is translated.
bool MovesOnly(const Instruction& instruction) {
  if (!StaticArray(instruction.shape())) return false;
  for (const Instruction* operand : instruction.operands()) {
    if (!StaticArray(operand->shape()) ||
        operand->shape().element_type() != instruction.shape().element_type()) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<View> ViewOf(const Instruction& instruction, absl::Span<const View> operands) {
  if (!MovesOnly(instruction)) return std::nullopt;
  const auto sizes = instruction.shape().dimensions();
  switch (instruction.opcode()) {
    case Opcode::kBroadcast:
      return operands[0].Broadcast(sizes, instruction.GetInts(Attr::kDimensions));
    case Opcode::kTranspose:
      return operands[0].Transpose(instruction.GetInts(Attr::kDimensions));
    case Opcode::kReverse:
      return operands[0].Reverse(instruction.GetInts(Attr::kDimensions));
    case Opcode::kReshape:
      return operands[0].Reshape(sizes);
    case Opcode::kSlice: {
      Dimensions starts, steps;
      for (const SliceRange& slice : instruction.slices()) {
        starts.push_back(slice.start);
        steps.push_back(slice.stride);
      }
      return operands[0].Slice(starts, sizes, steps);
    }
    case Opcode::kPad:
      return View::Pad(operands[0], operands[1], instruction.padding(), sizes);
    case Opcode::kConcatenate:
      return View::Concatenate(operands, instruction.GetInt(Attr::kDimension));
    default:
      return std::nullopt;
  }
}

}  // namespace assay
