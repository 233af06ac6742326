// Where the elements of an array lie in linear memory: minor-to-major order, the padding of 2017
// (padded_dimensions, padding_value), tiles, tail padding and packed elements.
//
// Linear memory is a row of cells of equal width. A cell holds one element or is padding: what
// rounds a dimension up to its padded size or to whole tiles, and the tail. Cell c begins at bit
// c * element_bits(), element 0 in the low bits of the first byte.
//
// Source: reference ops_structural.md 1.2 to 1.6 (the document "Shapes and Layout" and XLA's tiled
// layouts). Tests: seed001_test.cc (the document's examples), array_memory_test.cc.
#ifndef ASSAY_SPEC_LAYOUT_ARRAY_MEMORY_H_
#define ASSAY_SPEC_LAYOUT_ARRAY_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/element/element.h"
#include "spec/ir/literal.h"
#include "spec/ir/shape.h"

namespace assay {

// The layout record of 2017 beside today's. HLO's text and protobuf have retired the two padding
// fields, so that they live here and in literal files (spec/arrays/memory_json.h).
struct MemoryLayout {
  Layout layout;
  Dimensions padded_dimensions;  // by dimension number; empty: no padding
  // What padding cells hold; nullopt: anything, and nobody may look.
  std::optional<Element> padding_value;

  // That of the shape; row major where it has none.
  static MemoryLayout Of(const Shape& array);
};

// The kinds of padding value that the record of 2017 could name.
enum class PaddingKind { kZero, kOne, kLowest, kHighest, kUnknown };
// Nullopt for kUnknown. Lowest and highest are the infinities where the type has them.
std::optional<Element> PaddingElement(PaddingKind kind, ElementType type);
// "zero", "one", "lowest", "highest", "unknown".
std::optional<PaddingKind> PaddingKindFromName(absl::string_view name);

class ArrayMemory {
 public:
  // INVALID_ARGUMENT, naming the shape: not an array, unbounded dimensions, a minor-to-major list
  // that is no permutation of the dimensions, padded dimensions of another number or smaller than
  // the sizes or together with tiles, a tile without dimensions or with a size below 1 or a combine
  // marker that has nothing to combine with, elements too narrow for their type, tail alignment
  // below 1, more cells or bits than 63 bits count.
  static absl::StatusOr<ArrayMemory> Create(const Shape& array, const MemoryLayout& layout);
  static absl::StatusOr<ArrayMemory> Create(const Shape& array) {
    return Create(array, MemoryLayout::Of(array));
  }

  const Shape& shape() const { return shape_; }
  const MemoryLayout& layout() const { return layout_; }

  // Cells of the memory, padding included.
  int64_t cell_count() const { return cell_count_; }
  int64_t element_bits() const { return element_bits_; }
  int64_t byte_size() const;

  // The linear index of an element. The index must lie inside the array.
  int64_t CellOf(absl::Span<const int64_t> index) const;
  // As CellOf; OUT_OF_RANGE for an index of another rank or outside the array.
  absl::StatusOr<int64_t> CheckedCellOf(absl::Span<const int64_t> index) const;
  // The element in a cell of [0, cell_count()), or nullopt for padding.
  std::optional<Dimensions> IndexAt(int64_t cell) const;

 private:
  // One level of tiles: the dimensions before it (major to minor), those with '*' merged, and the
  // tile as long as it covers them.
  struct TileLevel {
    Dimensions before;
    absl::InlinedVector<bool, 8> combined;  // with the next more minor one
    Dimensions merged;
    Dimensions tile;
  };

  absl::Status Prepare();
  absl::Status CheckPadding() const;
  absl::Status AddTile(const Tile& tile, Dimensions* sizes);
  absl::Status SetElementBits();
  absl::Status Error(absl::string_view what) const;

  Shape shape_;
  MemoryLayout layout_;
  Dimensions physical_;  // sizes major to minor, padded
  std::vector<TileLevel> levels_;
  Dimensions sizes_;  // after all tiles
  int64_t cell_count_ = 0;
  int64_t element_bits_ = 0;
};

// The memory of a value: byte_size() bytes; unspecified padding is zero. RESOURCE_EXHAUSTED for
// more than `max_bytes`, before allocating: padding can make a small array large.
absl::StatusOr<std::vector<std::byte>> ToMemory(const Literal& array, const ArrayMemory& memory,
                                                int64_t max_bytes = int64_t{1} << 34);
// The value in a memory of byte_size() bytes. Padding is not looked at.
absl::StatusOr<Literal> FromMemory(absl::Span<const std::byte> bytes, const ArrayMemory& memory);

// The memory as the document draws it, "a d b e c f": one word per cell, `element` gives those of
// elements, `padding` stands for the others.
std::string DrawMemory(const ArrayMemory& memory,
                       const std::function<std::string(absl::Span<const int64_t>)>& element,
                       absl::string_view padding);

}  // namespace assay

#endif  // ASSAY_SPEC_LAYOUT_ARRAY_MEMORY_H_
