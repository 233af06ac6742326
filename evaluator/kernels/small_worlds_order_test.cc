// Sorts and top-k of all arrays of a few values, ranks 1 to 3, along every dimension. The model
// sorts nothing: the place of an item is the number of the items that go before it.
#include <gtest/gtest.h>

#include <functional>

#include "evaluator/kernels/small_worlds.h"

namespace assay::evaluator {
namespace {

using Ints = std::vector<int64_t>;
// Whether item a of a line goes strictly before item b.
using Before = std::function<bool(int64_t a, int64_t b)>;

// place[j]: where item j of n stands; items of which none goes before the other keep their order.
Ints PlacesOf(int64_t n, const Before& before) {
  Ints places(n, 0);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t other = 0; other < n; ++other) {
      places[j] += before(other, j) || (other < j && !before(j, other));
    }
  }
  return places;
}

// Calls visit(positions) for every line of an array along dimension d.
void ForEachLine(const Ints& sizes, int64_t d, const std::function<void(const Ints&)>& visit) {
  Ints lines = sizes;
  lines[d] = 1;
  ForEach(lines, [&](const Ints& line) {
    Ints positions, at = line;
    for (at[d] = 0; at[d] < sizes[d]; ++at[d]) positions.push_back(PositionOf(at, sizes));
    visit(positions);
  });
}

// Calls visit(sizes) for all of ranks 1 to 3 with at most so many elements, none included.
void ForEachSizes(int64_t most, const std::function<void(const Ints&)>& visit) {
  for (size_t rank = 1; rank <= 3; ++rank) {
    ForEach(Ints(rank, most + 1), [&](const Ints& sizes) {
      if (CountOf(sizes) <= most) visit(sizes);
    });
  }
}

// All arrays of `count` of the values.
void ForEachArray(int64_t count, const std::vector<uint64_t>& values,
                  const std::function<void(const std::vector<uint64_t>&)>& visit) {
  ForEach(Ints(count, static_cast<int64_t>(values.size())), [&](const Ints& choice) {
    std::vector<uint64_t> array;
    for (const int64_t each : choice) array.push_back(values[each]);
    visit(array);
  });
}

// One comparison, of signed numbers, and what it says of patterns.
struct Order {
  const char* direction;
  bool (*before)(int64_t a, int64_t b);
};
constexpr Order kOrders[] = {{"LT", [](int64_t a, int64_t b) { return a < b; }},
                             {"GT", [](int64_t a, int64_t b) { return a > b; }}};

// -1, 0 and 1, with their places as a second operand that does not count.
TEST(SmallWorlds, Sorts) {
  SmallWorlds worlds;
  const ElementType s8 = ElementType::kS8, u8 = ElementType::kU8;
  for (const Order& order : kOrders) {
    const std::string root =
        std::string("ROOT r = pred[] compare(a, b), direction=") + order.direction + " }";
    const std::string keys = "f { a = s8[] parameter(0) b = s8[] parameter(1) ";
    Computation* one = worlds.Computations(keys + root, "f");
    Computation* with_values =
        worlds.Computations(keys + "v = u8[] parameter(2) w = u8[] parameter(3) " + root, "f");
    ForEachSizes(5, [&](const Ints& sizes) {
      ForEachArray(CountOf(sizes), {0, 1, 0xFF}, [&](const std::vector<uint64_t>& values) {
        if (testing::Test::HasFailure()) return;
        const SmallArray x{s8, sizes, values}, places = Counting(u8, sizes);
        for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
          SmallArray sorted = x, moved = places;
          ForEachLine(sizes, d, [&](const Ints& line) {
            const auto key = [&](int64_t j) { return DecodeSigned(s8, values[line[j]]); };
            const Ints to = PlacesOf(static_cast<int64_t>(line.size()), [&](int64_t a, int64_t b) {
              return order.before(key(a), key(b));
            });
            for (size_t j = 0; j < line.size(); ++j) {
              sorted.values[line[to[j]]] = values[line[j]];
              moved.values[line[to[j]]] = places.values[line[j]];
            }
          });
          worlds.Check(Opcode::kSort, {&x},
                       {{Attr::kDimension, d}, {Attr::kIsStable, true}, {Attr::kToApply, one}},
                       sorted);
          worlds.CheckLeaves(
              Opcode::kSort, {&x, &places},
              {{Attr::kDimension, d}, {Attr::kIsStable, true}, {Attr::kToApply, with_values}},
              {sorted, moved});
        }
      });
    });
  }
  worlds.Report("sort");
  EXPECT_GE(worlds.accepted(), 20000);
}

// -0, 0, 1 and a NaN of bf16 in the total order.
TEST(SmallWorlds, TopK) {
  SmallWorlds worlds;
  const ElementType bf16 = ElementType::kBF16;
  // Numbers in the total order: patterns with the sign are the complement of their magnitude.
  const auto key = [](uint64_t pattern) {
    const auto magnitude = static_cast<int64_t>(pattern & 0x7FFF);
    return pattern >> 15 != 0 ? -magnitude - 1 : magnitude;
  };
  ForEachSizes(4, [&](const Ints& sizes) {
    ForEachArray(CountOf(sizes), {0x8000, 0, 0x3F80, 0x7FC0}, [&](const auto& values) {
      if (testing::Test::HasFailure()) return;
      const SmallArray x{bf16, sizes, values};
      const auto last = static_cast<int64_t>(sizes.size()) - 1;
      for (const bool largest : {true, false}) {
        for (int64_t k = 0; k <= sizes[last]; ++k) {
          if (worlds.Skips()) continue;
          Ints kept = sizes;
          kept[last] = k;
          SmallArray best{bf16, kept, std::vector<uint64_t>(CountOf(kept))};
          SmallArray indices{ElementType::kS32, kept, std::vector<uint64_t>(CountOf(kept))};
          int64_t first = 0;
          ForEachLine(sizes, last, [&](const Ints& line) {
            const Ints to = PlacesOf(static_cast<int64_t>(line.size()), [&](int64_t a, int64_t b) {
              const int64_t left = key(values[line[a]]), right = key(values[line[b]]);
              return largest ? left > right : left < right;
            });
            for (size_t j = 0; j < line.size(); ++j) {
              if (to[j] >= k) continue;
              best.values[first + to[j]] = values[line[j]];
              indices.values[first + to[j]] = j;
            }
            first += k;
          });
          worlds.CheckLeaves(Opcode::kTopK, {&x}, {{Attr::kK, k}, {Attr::kLargest, largest}},
                             {best, indices});
        }
      }
    });
  });
  worlds.Report("topk");
  EXPECT_GE(worlds.accepted(), 10000);
}

}  // namespace
}  // namespace assay::evaluator
