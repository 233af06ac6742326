#include "spec/layout/array_memory.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/row_major.h"

namespace assay {
namespace {

// Tiles and padding multiply sizes; more dimensions than this are no memory anyone has.
constexpr size_t kMaxDimensions = 256;

bool Multiply(int64_t a, int64_t b, int64_t* product) {
  return !__builtin_mul_overflow(a, b, product);
}

// The product of the sizes, or nullopt where it overflows.
std::optional<int64_t> Product(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size == 0) return 0;
  }
  for (int64_t size : sizes) {
    if (!Multiply(product, size, &product)) return std::nullopt;
  }
  return product;
}

void CopyBits(const std::byte* from, int64_t from_bit, std::byte* to, int64_t to_bit,
              int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t source = from_bit + i, target = to_bit + i;
    const std::byte bit = (from[source / 8] >> (source % 8)) & std::byte{1};
    to[target / 8] |= bit << (target % 8);
  }
}

// Writes one element, of `width` bits, into zeroed memory.
void StoreBits(ElementType type, Element element, std::byte* memory, int64_t first_bit,
               int64_t width) {
  std::byte storage[16] = {};
  StoreElement(type, element, storage, 0);
  CopyBits(storage, 0, memory, first_bit, std::min<int64_t>(width, 8 * Info(type).storage_bytes));
}

Element LoadBits(ElementType type, const std::byte* memory, int64_t first_bit, int64_t width) {
  std::byte storage[16] = {};
  CopyBits(memory, first_bit, storage, 0, std::min<int64_t>(width, 8 * Info(type).storage_bytes));
  return LoadElement(type, storage, 0);
}

}  // namespace

MemoryLayout MemoryLayout::Of(const Shape& array) {
  MemoryLayout result;
  result.layout = array.has_layout() ? *array.layout() : Layout::Default(array.rank());
  return result;
}

std::optional<Element> PaddingElement(PaddingKind kind, ElementType type) {
  const ElementType part = IsComplex(type) ? Info(type).component : type;
  const bool is_float = IsFloat(part);
  Element element;
  switch (kind) {
    case PaddingKind::kZero:
      break;
    case PaddingKind::kOne:
      element.bits = is_float ? EncodeFloat(part, 1.0) : 1;
      break;
    case PaddingKind::kLowest:
    case PaddingKind::kHighest: {
      const bool highest = kind == PaddingKind::kHighest;
      if (is_float && Info(part).format->has_infinity) {
        element.bits = Infinity(part, !highest);
      } else if (is_float) {
        element.bits = highest ? MaxFinite(part) : Lowest(part);
      } else if (IsSigned(part)) {
        element.bits = EncodeInteger(part, highest ? MaxSigned(part) : MinSigned(part));
      } else {
        element.bits = highest ? MaxUnsigned(part) : 0;
      }
      break;
    }
    case PaddingKind::kUnknown:
      return std::nullopt;
  }
  return element;
}

std::optional<PaddingKind> PaddingKindFromName(absl::string_view name) {
  if (name == "zero") return PaddingKind::kZero;
  if (name == "one") return PaddingKind::kOne;
  if (name == "lowest") return PaddingKind::kLowest;
  if (name == "highest") return PaddingKind::kHighest;
  if (name == "unknown") return PaddingKind::kUnknown;
  return std::nullopt;
}

absl::Status ArrayMemory::Error(absl::string_view what) const {
  return absl::InvalidArgumentError(
      absl::StrCat("layout of ", shape_.ToString(/*with_layout=*/true), ": ", what));
}

absl::StatusOr<ArrayMemory> ArrayMemory::Create(const Shape& array, const MemoryLayout& layout) {
  ArrayMemory memory;
  memory.shape_ = array;
  memory.layout_ = layout;
  absl::Status status = memory.Prepare();
  if (!status.ok()) return status;
  return memory;
}

absl::Status ArrayMemory::Prepare() {
  if (!shape_.is_array()) return Error("only arrays have one");
  if (absl::StatusOr<int64_t> count = shape_.ElementCount(); !count.ok()) return count.status();
  const Dimensions& order = layout_.layout.minor_to_major;
  const int64_t rank = shape_.rank();
  if (static_cast<int64_t>(order.size()) != rank) {
    return Error(absl::StrCat("minor_to_major has ", order.size(), " entries for rank ", rank));
  }
  std::vector<bool> seen(rank, false);
  for (int64_t d : order) {
    if (d < 0 || d >= rank || seen[d]) {
      return Error(absl::StrCat("minor_to_major {", absl::StrJoin(order, ","),
                                "} is not a permutation of the dimensions"));
    }
    seen[d] = true;
  }
  if (absl::Status status = CheckPadding(); !status.ok()) return status;
  const Dimensions& padded = layout_.padded_dimensions;
  for (size_t k = order.size(); k-- > 0;) {
    physical_.push_back(padded.empty() ? shape_.dimension(order[k]) : padded[order[k]]);
  }
  sizes_ = physical_;
  for (const Tile& tile : layout_.layout.tiles) {
    if (absl::Status status = AddTile(tile, &sizes_); !status.ok()) return status;
  }
  const std::optional<int64_t> cells = Product(sizes_);
  if (!cells.has_value()) return Error("more cells than 63 bits count");
  const int64_t tail = layout_.layout.tail_padding_alignment;
  if (tail < 1) return Error(absl::StrCat("tail padding alignment ", tail, " is below 1"));
  const int64_t groups = *cells / tail + (*cells % tail == 0 ? 0 : 1);
  if (!Multiply(groups, tail, &cell_count_)) return Error("more cells than 63 bits count");
  return SetElementBits();
}

absl::Status ArrayMemory::CheckPadding() const {
  const Dimensions& padded = layout_.padded_dimensions;
  if (padded.empty()) return absl::OkStatus();
  if (!layout_.layout.tiles.empty()) return Error("padded dimensions and tiles exclude each other");
  if (static_cast<int64_t>(padded.size()) != shape_.rank()) {
    return Error(
        absl::StrCat("padded_dimensions has ", padded.size(), " entries for rank ", shape_.rank()));
  }
  for (int64_t d = 0; d < shape_.rank(); ++d) {
    if (padded[d] < shape_.dimension(d)) {
      return Error(absl::StrCat("dimension ", d, " has size ", shape_.dimension(d),
                                ", more than its padded size ", padded[d]));
    }
  }
  return absl::OkStatus();
}

absl::Status ArrayMemory::SetElementBits() {
  const ElementTypeInfo& type = Info(shape_.element_type());
  const int64_t natural = 8 * type.storage_bytes;
  // A pred is a byte, whatever its values need.
  const int64_t least = IsPred(type.type) ? 8 : type.bits;
  element_bits_ = layout_.layout.element_size_in_bits;
  if (element_bits_ == 0) element_bits_ = natural;
  if (element_bits_ < least) {
    return Error(
        absl::StrCat("elements of ", type.name, " need ", least, " bits, not ", element_bits_));
  }
  int64_t bits;
  if (!Multiply(cell_count_, element_bits_, &bits) || bits > INT64_MAX - 7) {
    return Error("more bits than 63 bits count");
  }
  return absl::OkStatus();
}

absl::Status ArrayMemory::AddTile(const Tile& tile, Dimensions* sizes) {
  if (tile.sizes.empty()) return Error("a tile has no dimensions");
  if (tile.sizes.size() + sizes->size() > kMaxDimensions) return Error("too many tile dimensions");
  for (int64_t size : tile.sizes) {
    if (size != Tile::kCombine && size < 1) return Error(absl::StrCat("tile size ", size));
  }
  if (tile.sizes.back() == Tile::kCombine) {
    return Error("the most minor tile dimension has none to be combined with");
  }
  if (tile.sizes.size() > sizes->size()) {
    sizes->insert(sizes->begin(), tile.sizes.size() - sizes->size(), 1);
  }
  TileLevel level;
  level.before = *sizes;
  const size_t untouched = sizes->size() - tile.sizes.size();
  level.combined.assign(sizes->size(), false);
  int64_t pending = 1;
  for (size_t d = 0; d < sizes->size(); ++d) {
    int64_t size;
    if (!Multiply(pending, (*sizes)[d], &size)) return Error("more cells than 63 bits count");
    level.combined[d] = d >= untouched && tile.sizes[d - untouched] == Tile::kCombine;
    pending = level.combined[d] ? size : 1;
    if (level.combined[d]) continue;
    level.merged.push_back(size);
    level.tile.push_back(d < untouched ? 0 : tile.sizes[d - untouched]);
  }
  Dimensions outer, inner;
  for (size_t d = 0; d < level.merged.size(); ++d) {
    const int64_t t = level.tile[d];
    outer.push_back(t == 0 ? level.merged[d] : level.merged[d] / t + (level.merged[d] % t != 0));
    if (t != 0) inner.push_back(t);
  }
  *sizes = outer;
  sizes->insert(sizes->end(), inner.begin(), inner.end());
  levels_.push_back(std::move(level));
  return absl::OkStatus();
}

int64_t ArrayMemory::byte_size() const { return (cell_count_ * element_bits_ + 7) / 8; }

int64_t ArrayMemory::CellOf(absl::Span<const int64_t> index) const {
  Dimensions position;
  const Dimensions& order = layout_.layout.minor_to_major;
  for (size_t k = order.size(); k-- > 0;) position.push_back(index[order[k]]);
  for (const TileLevel& level : levels_) {
    if (position.size() < level.before.size()) {
      position.insert(position.begin(), level.before.size() - position.size(), 0);
    }
    Dimensions outer, inner;
    int64_t pending = 0;
    for (size_t d = 0; d < level.before.size(); ++d) {
      const int64_t at = pending * level.before[d] + position[d];
      pending = level.combined[d] ? at : 0;
      if (level.combined[d]) continue;
      const int64_t t = level.tile[outer.size()];
      outer.push_back(t == 0 ? at : at / t);
      if (t != 0) inner.push_back(at % t);
    }
    position = std::move(outer);
    position.insert(position.end(), inner.begin(), inner.end());
  }
  return RowMajorPosition(position, sizes_);
}

absl::StatusOr<int64_t> ArrayMemory::CheckedCellOf(absl::Span<const int64_t> index) const {
  bool inside = static_cast<int64_t>(index.size()) == shape_.rank();
  for (size_t d = 0; inside && d < index.size(); ++d) {
    inside = index[d] >= 0 && index[d] < shape_.dimension(d);
  }
  if (!inside) {
    return absl::OutOfRangeError(
        absl::StrCat("index [", absl::StrJoin(index, ","), "] lies outside ", shape_.ToString()));
  }
  return CellOf(index);
}

std::optional<Dimensions> ArrayMemory::IndexAt(int64_t cell) const {
  // The tail; and nothing else where there are no elements.
  if (cell >= Product(sizes_).value()) return std::nullopt;
  Dimensions position = RowMajorIndex(cell, sizes_);
  for (size_t l = levels_.size(); l-- > 0;) {
    const TileLevel& level = levels_[l];
    size_t inner = level.merged.size();
    for (size_t d = 0; d < level.merged.size(); ++d) {
      const int64_t t = level.tile[d];
      if (t != 0) position[d] = position[d] * t + position[inner++];
      if (position[d] >= level.merged[d]) return std::nullopt;
    }
    Dimensions before(level.before.size());
    size_t merged = level.merged.size();
    for (size_t d = before.size(); d-- > 0;) {
      if (!level.combined[d]) --merged;
      before[d] = position[merged] % level.before[d];
      position[merged] /= level.before[d];
    }
    position = std::move(before);
  }
  // Sizes of one that a tile put in front.
  position.erase(position.begin(), position.end() - physical_.size());
  Dimensions index(physical_.size());
  const Dimensions& order = layout_.layout.minor_to_major;
  for (size_t k = 0; k < order.size(); ++k) {
    index[order[k]] = position[order.size() - 1 - k];
    if (index[order[k]] >= shape_.dimension(order[k])) return std::nullopt;
  }
  return index;
}

absl::StatusOr<std::vector<std::byte>> ToMemory(const Literal& array, const ArrayMemory& memory,
                                                int64_t max_bytes) {
  if (!Shape::Compatible(array.shape(), memory.shape())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a value of ", array.shape().ToString(), " has no memory as ", memory.shape().ToString()));
  }
  if (memory.byte_size() > max_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the memory of ", memory.shape().ToString(/*with_layout=*/true), " has ",
                     memory.byte_size(), " bytes, more than the ", max_bytes, " allowed"));
  }
  const ElementType type = array.element_type();
  std::vector<std::byte> bytes(memory.byte_size());
  for (int64_t cell = 0; cell < memory.cell_count(); ++cell) {
    const std::optional<Dimensions> index = memory.IndexAt(cell);
    if (!index.has_value() && !memory.layout().padding_value.has_value()) continue;
    const Element element = index.has_value()
                                ? array.Get(RowMajorPosition(*index, array.shape().dimensions()))
                                : *memory.layout().padding_value;
    StoreBits(type, element, bytes.data(), cell * memory.element_bits(), memory.element_bits());
  }
  return bytes;
}

absl::StatusOr<Literal> FromMemory(absl::Span<const std::byte> bytes, const ArrayMemory& memory) {
  if (static_cast<int64_t>(bytes.size()) != memory.byte_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the memory of ", memory.shape().ToString(/*with_layout=*/true), " has ",
                     memory.byte_size(), " bytes, not ", bytes.size()));
  }
  absl::StatusOr<Literal> array = Literal::Create(memory.shape());
  if (!array.ok()) return array;
  const ElementType type = array->element_type();
  for (int64_t i = 0; i < array->element_count(); ++i) {
    const int64_t cell = memory.CellOf(RowMajorIndex(i, array->shape().dimensions()));
    array->Set(i,
               LoadBits(type, bytes.data(), cell * memory.element_bits(), memory.element_bits()));
  }
  return array;
}

std::string DrawMemory(const ArrayMemory& memory,
                       const std::function<std::string(absl::Span<const int64_t>)>& element,
                       absl::string_view padding) {
  std::string drawing;
  for (int64_t cell = 0; cell < memory.cell_count(); ++cell) {
    const std::optional<Dimensions> index = memory.IndexAt(cell);
    absl::StrAppend(&drawing, cell == 0 ? "" : " ",
                    index.has_value() ? element(*index) : std::string(padding));
  }
  return drawing;
}

}  // namespace assay
