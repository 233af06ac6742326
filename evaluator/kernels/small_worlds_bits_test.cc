// bitcast between all small shapes and layouts of types of 2 to 32 bits, and bitcast-convert
// between all pairs of types. The model writes the operand into memory bit by bit and reads it
// again.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "evaluator/kernels/small_worlds.h"

namespace assay::evaluator {
namespace {

using Ints = std::vector<int64_t>;
using Bits = std::vector<bool>;

constexpr ElementType kTypes[] = {ElementType::kU2,  ElementType::kS4,  ElementType::kU8,
                                  ElementType::kS16, ElementType::kU32, ElementType::kF8E5M2,
                                  ElementType::kF32, ElementType::kU64, ElementType::kF64};

int64_t BitsOf(ElementType type) { return Info(type).bits; }

SmallArray Patterns(ElementType type, const Ints& sizes, uint64_t salt) {
  SmallArray array = Scrambled(ElementType::kU64, sizes, salt);
  array.type = type;
  for (uint64_t& value : array.values) {
    value = value * 0x9E3779B97F4A7C15 >> (64 - BitsOf(type));
  }
  return array;
}

Ints RowMajor(const SmallArray& array) {
  Ints order(CountOf(array.sizes));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// The positions of the elements in the order in which they lie in memory.
Ints OrderOf(const SmallArray& array) {
  Ints sizes, order;  // sizes from the slowest dimension to the fastest
  for (size_t k = array.minor_to_major.size(); k-- > 0;) {
    sizes.push_back(array.sizes[array.minor_to_major[k]]);
  }
  ForEach(sizes, [&](const Ints& at) {
    Ints index(at.size());
    for (size_t k = 0; k < at.size(); ++k) {
      index[array.minor_to_major[at.size() - 1 - k]] = at[k];
    }
    order.push_back(PositionOf(index, array.sizes));
  });
  return order;
}

Bits MemoryOf(const SmallArray& array, const Ints& order) {
  Bits memory;
  for (const int64_t position : order) {
    for (int64_t b = 0; b < BitsOf(array.type); ++b) {
      memory.push_back((array.values[position] >> b & 1) != 0);
    }
  }
  return memory;
}

// Bits beyond the end are zero.
void Read(const Bits& memory, const Ints& order, SmallArray& array) {
  array.values.assign(order.size(), 0);
  for (size_t k = 0; k < order.size() * BitsOf(array.type); ++k) {
    const uint64_t bit = k < memory.size() && memory[k] ? 1 : 0;
    array.values[order[k / BitsOf(array.type)]] |= bit << k % BitsOf(array.type);
  }
}

std::vector<Ints> LayoutsOf(size_t rank) {
  Ints layout(rank);
  std::iota(layout.begin(), layout.end(), 0);
  std::vector<Ints> layouts;
  do {
    layouts.push_back(layout);
  } while (std::next_permutation(layout.begin(), layout.end()));
  return layouts;
}

// Ranks 0 to 3 with extents 0 to 3, of three dimensions 1 to 3.
std::vector<Ints> AllSizes() {
  std::vector<Ints> all;
  for (size_t rank = 0; rank <= 3; ++rank) {
    ForEach(Ints(rank, 4), [&](const Ints& sizes) {
      if (rank < 3 || CountOf(sizes) > 0) all.push_back(sizes);
    });
  }
  return all;
}

int64_t BytesOf(ElementType type, const Ints& sizes) {
  return (CountOf(sizes) * BitsOf(type) + 7) / 8;
}

// Where the bytes are not as many the shapes are another world's.
TEST(SmallWorlds, Bitcasts) {
  SmallWorlds worlds;
  const std::vector<Ints> all = AllSizes();
  for (const ElementType from : kTypes) {
    for (const ElementType to : kTypes) {
      for (const Ints& from_sizes : all) {
        for (const Ints& to_sizes : all) {
          if (BytesOf(from, from_sizes) != BytesOf(to, to_sizes)) continue;
          // Of three dimensions some layouts in turn.
          const std::vector<Ints> before = LayoutsOf(from_sizes.size());
          const std::vector<Ints> after = LayoutsOf(to_sizes.size());
          for (size_t k = 0; k < std::max(before.size(), after.size()); ++k) {
            if (testing::Test::HasFailure()) return;
            if (worlds.Skips()) continue;
            SmallArray x = Patterns(from, from_sizes, k);
            x.minor_to_major = before[k % before.size()];
            SmallArray y{to, to_sizes, {}};
            y.minor_to_major = after[k % after.size()];
            Read(MemoryOf(x, OrderOf(x)), OrderOf(y), y);
            worlds.Check(Opcode::kBitcast, {&x}, {}, y);
          }
        }
      }
    }
  }
  worlds.Report("bitcast");
  EXPECT_GE(worlds.accepted(), 50000);
}

TEST(SmallWorlds, BitcastConversions) {
  SmallWorlds worlds;
  for (const ElementType from : kTypes) {
    for (const ElementType to : kTypes) {
      const int64_t a = BitsOf(from), b = BitsOf(to);
      for (const Ints& outer : AllSizes()) {
        if (testing::Test::HasFailure()) return;
        // The array of the wider type has the outer sizes.
        Ints from_sizes = outer, to_sizes = outer;
        if (a < b) from_sizes.push_back(b / a);
        if (a > b) to_sizes.push_back(a / b);
        const SmallArray x = Patterns(from, from_sizes, 7);
        SmallArray y{to, to_sizes, {}};
        Read(MemoryOf(x, RowMajor(x)), RowMajor(y), y);
        worlds.Check(Opcode::kBitcastConvert, {&x}, {}, y);
      }
    }
  }
  worlds.Report("bitcast-convert");
  EXPECT_GE(worlds.accepted(), 3500);
}

}  // namespace
}  // namespace assay::evaluator
