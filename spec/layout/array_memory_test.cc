// Tiled and packed layouts: the worked examples of reference ops_structural.md 1.4 and 1.6, what is
// refused, and all small layouts against a second model that moves whole arrays about.
#include "spec/layout/array_memory.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<ArrayMemory> Create(absl::string_view text) {
  absl::StatusOr<Shape> shape = ParseShape(text);
  if (!shape.ok()) return shape.status();
  return ArrayMemory::Create(*shape);
}

std::vector<int64_t> CellsOfRow(const ArrayMemory& memory, int64_t row) {
  std::vector<int64_t> cells;
  for (int64_t j = 0; j < memory.shape().dimension(1); ++j)
    cells.push_back(memory.CellOf({row, j}));
  return cells;
}

TEST(ArrayMemory, TilesOfTheReference) {
  absl::StatusOr<ArrayMemory> tiled = Create("f32[3,5]{1,0:T(2,2)}");
  ASSERT_TRUE(tiled.ok());
  EXPECT_EQ(tiled->cell_count(), 24);
  EXPECT_THAT(CellsOfRow(*tiled, 0), ElementsAre(0, 1, 4, 5, 8));
  EXPECT_THAT(CellsOfRow(*tiled, 1), ElementsAre(2, 3, 6, 7, 10));
  EXPECT_THAT(CellsOfRow(*tiled, 2), ElementsAre(12, 13, 16, 17, 20));
  absl::StatusOr<ArrayMemory> nested = Create("f32[4,8]{1,0:T(2,4)(2,1)}");
  ASSERT_TRUE(nested.ok());
  EXPECT_THAT(CellsOfRow(*nested, 0), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
  EXPECT_THAT(CellsOfRow(*nested, 1), ElementsAre(1, 3, 5, 7, 9, 11, 13, 15));
  EXPECT_EQ(nested->CellOf({2, 0}), 16);
  absl::StatusOr<ArrayMemory> combined = Create("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}");
  ASSERT_TRUE(combined.ok());
  EXPECT_EQ(combined->cell_count(), 12432);
  EXPECT_EQ(combined->CellOf({1, 6, 7, 10, 9}), 12430);
  EXPECT_EQ(combined->CellOf({0, 1, 0, 2, 5}), 937);
  EXPECT_EQ(Create("f32[3,5]{0,1:T(2,2)}")->CellOf({2, 3}), 14);
}

TEST(ArrayMemory, TailAndElementSize) {
  EXPECT_EQ(Create("f32[5]{0:L(4)}")->cell_count(), 8);
  EXPECT_EQ(Create("f32[5]{0:L(4)}")->byte_size(), 32);
  EXPECT_EQ(Create("f32[5]{0:L(4)}")->IndexAt(6), std::nullopt);
  EXPECT_EQ(Create("u2[5]{0:E(2)}")->byte_size(), 2);
  EXPECT_EQ(Create("u2[5]{0}")->byte_size(), 5);
  EXPECT_EQ(Create("pred[5]{0}")->byte_size(), 5);
  EXPECT_EQ(Create("c64[3]{0}")->byte_size(), 24);
}

std::vector<int> Bytes(absl::string_view literal, absl::string_view shape) {
  absl::StatusOr<ArrayMemory> memory = Create(shape);
  EXPECT_TRUE(memory.ok()) << memory.status();
  const Literal value = *ParseTypedLiteral(literal);
  const std::vector<std::byte> bytes = *ToMemory(value, *memory);
  EXPECT_TRUE(Literal::BitEqual(*FromMemory(bytes, *memory), value));
  std::vector<int> numbers;
  for (std::byte byte : bytes) numbers.push_back(static_cast<int>(byte));
  return numbers;
}

TEST(ArrayMemory, PackedElementsOfTheReference) {
  EXPECT_THAT(Bytes("u4[16]{0} {0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15}", "u4[16]{0:E(4)}"),
              ElementsAre(0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE));
  EXPECT_THAT(Bytes("u2[8]{0} {0,1,2,3,3,2,1,0}", "u2[8]{0:E(2)}"), ElementsAre(0xE4, 0x1B));
  EXPECT_THAT(Bytes("u1[8]{0} {0,1,0,1,0,1,0,1}", "u1[8]{0:E(1)}"), ElementsAre(0xAA));
  EXPECT_THAT(Bytes("s4[3]{0} {-1,7,-8}", "s4[3]{0:E(4)}"), ElementsAre(0x7F, 0x08));
  EXPECT_EQ(Bytes("u4[3]{0} {1,2,3}", "u4[3]{0:E(4)}").size(), 2u);
  // Packing follows the linear order: column major, {{1,2},{3,4}} is 1 3 2 4.
  EXPECT_THAT(Bytes("u4[2,2]{1,0} {{1,2},{3,4}}", "u4[2,2]{0,1:E(4)}"), ElementsAre(0x31, 0x42));
  EXPECT_THAT(Bytes("u4[2]{0} {9,10}", "u4[2]{0}"), ElementsAre(9, 10));
  EXPECT_THAT(Bytes("c64[1]{0} {(1,-2)}", "c64[1]{0}"), ElementsAre(0, 0, 128, 63, 0, 0, 0, 192));
}

TEST(ArrayMemory, Refusals) {
  auto message = [](const Shape& shape, const MemoryLayout& layout) {
    absl::StatusOr<ArrayMemory> memory = ArrayMemory::Create(shape, layout);
    EXPECT_EQ(memory.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(memory.status().message());
  };
  const Shape shape(ElementType::kF32, {2, 3});
  MemoryLayout layout = MemoryLayout::Of(shape);
  auto with = [&](auto change) {
    MemoryLayout changed = layout;
    change(changed);
    return message(shape, changed);
  };
  EXPECT_THAT(with([](MemoryLayout& l) { l.layout.minor_to_major = {0}; }), HasSubstr("1 entries"));
  EXPECT_THAT(with([](MemoryLayout& l) {
                l.layout.minor_to_major = {0, 2};
              }),
              HasSubstr("not a permutation"));
  EXPECT_THAT(with([](MemoryLayout& l) {
                l.layout.minor_to_major = {1, 1};
              }),
              HasSubstr("not a permutation"));
  EXPECT_THAT(with([](MemoryLayout& l) {
                l.layout.minor_to_major = {-1, 0};
              }),
              HasSubstr("not a permutation"));
  EXPECT_THAT(with([](MemoryLayout& l) { l.padded_dimensions = {2}; }), HasSubstr("1 entries"));
  EXPECT_THAT(with([](MemoryLayout& l) {
                l.padded_dimensions = {2, 2};
              }),
              HasSubstr("more than its padded size 2"));
  EXPECT_THAT(with([](MemoryLayout& l) {
                l.padded_dimensions = {INT64_MAX, 3};
              }),
              HasSubstr("63 bits"));
  EXPECT_THAT(with([](MemoryLayout& l) {
                l.padded_dimensions = {2, 3};
                l.layout.tiles = {{{2}}};
              }),
              HasSubstr("exclude each other"));
  EXPECT_THAT(with([](MemoryLayout& l) { l.layout.tiles = {{{}}}; }), HasSubstr("no dimensions"));
  EXPECT_THAT(with([](MemoryLayout& l) { l.layout.tiles = {{{0}}}; }), HasSubstr("tile size 0"));
  EXPECT_THAT(with([](MemoryLayout& l) {
                l.layout.tiles = {{{2, Tile::kCombine}}};
              }),
              HasSubstr("combined"));
  EXPECT_THAT(with([](MemoryLayout& l) {
                l.layout.tiles = {{{INT64_MAX, INT64_MAX}}};
              }),
              HasSubstr("63 bits"));
  EXPECT_THAT(with([](MemoryLayout& l) { l.layout.tail_padding_alignment = 0; }),
              HasSubstr("alignment 0"));
  EXPECT_THAT(with([](MemoryLayout& l) { l.layout.tail_padding_alignment = INT64_MAX; }),
              HasSubstr("63 bits"));
  EXPECT_THAT(with([](MemoryLayout& l) { l.layout.element_size_in_bits = 31; }),
              HasSubstr("need 32 bits"));
  EXPECT_THAT(message(Shape::Token(), {}), HasSubstr("only arrays"));
}

// The second model: an array of labels (-1: padding) that is padded, split and transposed whole.
struct Labels {
  std::vector<int64_t> sizes;
  std::vector<int> cells;  // row major
};

Labels Gathered(const std::vector<int64_t>& sizes,
                const std::function<int(const std::vector<int64_t>&)>& label) {
  Labels result{sizes, {}};
  std::vector<int64_t> index(sizes.size(), 0);
  const int64_t count =
      std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  for (int64_t i = 0; i < count; ++i) {
    result.cells.push_back(label(index));
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
  return result;
}

int At(const Labels& array, const std::vector<int64_t>& index) {
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] >= array.sizes[d]) return -1;
    position = position * array.sizes[d] + index[d];
  }
  return array.cells[position];
}

Labels Tiled(Labels array, std::vector<int64_t> tile) {
  while (array.sizes.size() < tile.size()) array.sizes.insert(array.sizes.begin(), 1);
  while (tile.size() < array.sizes.size()) tile.insert(tile.begin(), 0);
  for (size_t d = 0; d < tile.size();) {
    if (tile[d] != Tile::kCombine) {
      ++d;
      continue;
    }
    array.sizes[d + 1] *= array.sizes[d];
    array.sizes.erase(array.sizes.begin() + d);
    tile.erase(tile.begin() + d);
  }
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < tile.size(); ++d) {
    sizes.push_back(tile[d] == 0 ? array.sizes[d] : (array.sizes[d] + tile[d] - 1) / tile[d]);
  }
  for (int64_t t : tile) {
    if (t != 0) sizes.push_back(t);
  }
  return Gathered(sizes, [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> at(index.begin(), index.begin() + tile.size());
    size_t inner = tile.size();
    for (size_t d = 0; d < tile.size(); ++d) {
      if (tile[d] != 0) at[d] = at[d] * tile[d] + index[inner++];
    }
    return At(array, at);
  });
}

// Holds CellOf, IndexAt and the number of cells against the model.
void Check(const std::vector<int64_t>& sizes, const Layout& layout, const Dimensions& padded) {
  const Shape shape(ElementType::kF32, sizes);
  MemoryLayout memory_layout;
  memory_layout.layout = layout;
  memory_layout.padded_dimensions = padded;
  absl::StatusOr<ArrayMemory> memory = ArrayMemory::Create(shape, memory_layout);
  ASSERT_TRUE(memory.ok()) << memory.status();
  // Labels are row-major positions.
  int next = 0;
  const Labels logical = Gathered(sizes, [&](const auto&) { return next++; });
  std::vector<int64_t> order(layout.minor_to_major.rbegin(), layout.minor_to_major.rend());
  std::vector<int64_t> physical;
  for (int64_t d : order) physical.push_back(padded.empty() ? sizes[d] : padded[d]);
  Labels model = Gathered(physical, [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> at(index.size());
    for (size_t k = 0; k < index.size(); ++k) at[order[k]] = index[k];
    return At(logical, at);
  });
  for (const Tile& tile : layout.tiles) {
    model = Tiled(std::move(model), {tile.sizes.begin(), tile.sizes.end()});
  }
  while (model.cells.size() % layout.tail_padding_alignment != 0) model.cells.push_back(-1);
  ASSERT_EQ(memory->cell_count(), static_cast<int64_t>(model.cells.size()));
  int elements = 0;
  for (size_t cell = 0; cell < model.cells.size(); ++cell) {
    const std::optional<Dimensions> index = memory->IndexAt(cell);
    ASSERT_EQ(index.has_value(), model.cells[cell] >= 0) << cell;
    if (!index.has_value()) continue;
    ++elements;
    ASSERT_EQ(At(logical, {index->begin(), index->end()}), model.cells[cell]);
    ASSERT_EQ(memory->CellOf(*index), static_cast<int64_t>(cell));
  }
  ASSERT_EQ(elements, next);
}

TEST(ArrayMemory, AllSmallLayouts) {
  constexpr int64_t kAny = Tile::kCombine;
  const std::vector<std::vector<Tile>> all_tiles = {
      {},
      {{{1}}},
      {{{2}}},
      {{{3}}},
      {{{2, 2}}},
      {{{3, 2}}},
      {{{1, 3}}},
      {{{kAny, 2}}},
      {{{2, 2, 2}}},
      {{{kAny, kAny, 3}}},
      {{{2, kAny, 2}}},
      {{{kAny, 2, 2}}},
      {{{2, 2, 2, 2}}},
      {{{2, 2}}, {{2, 1}}},
      {{{2, 4}}, {{2, 1}}},
      {{{3}}, {{2, 2}}},
      {{{2, 3}}, {{kAny, 2}}},
      {{{2}}, {{2}}, {{3, kAny, 2}}},
  };
  int checked = 0;
  for (int64_t rank = 0; rank <= 4; ++rank) {
    const int64_t most = rank < 4 ? 3 : 2;
    std::vector<int64_t> sizes(rank, 0);
    while (true) {
      Layout layout = Layout::Default(rank);
      std::sort(layout.minor_to_major.begin(), layout.minor_to_major.end());
      do {
        for (const auto& tiles : all_tiles) {
          layout.tiles = tiles;
          layout.tail_padding_alignment = 1 + checked % 3;
          SCOPED_TRACE(absl::StrJoin(sizes, ","));
          Check(sizes, layout, {});
          if (HasFatalFailure()) return;
          ++checked;
        }
      } while (std::next_permutation(layout.minor_to_major.begin(), layout.minor_to_major.end()));
      int64_t d = rank - 1;
      while (d >= 0 && ++sizes[d] > most) sizes[d--] = 0;
      if (d < 0) break;
    }
  }
  // Ranks 0 to 4: 1 + 4 + 16 * 2 + 64 * 6 + 81 * 24 layouts with 18 tilings each.
  EXPECT_EQ(checked, (1 + 4 + 16 * 2 + 64 * 6 + 81 * 24) * 18);
}

TEST(ArrayMemory, AllSmallPaddings) {
  for (int64_t a = 0; a <= 3; ++a) {
    for (int64_t b = 0; b <= 3; ++b) {
      for (int64_t pad_a = a; pad_a <= a + 2; ++pad_a) {
        for (int64_t pad_b = b; pad_b <= b + 2; ++pad_b) {
          for (const Dimensions& order : {Dimensions{0, 1}, Dimensions{1, 0}}) {
            Layout layout;
            layout.minor_to_major = order;
            Check({a, b}, layout, {pad_a, pad_b});
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay
