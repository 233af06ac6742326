// Gather and scatter: every way to number the dimensions of operands of rank 0 to 3 and indices of
// rank 0 to 2, extents 0 to 3. The model of gather writes the slices, each into its place; that of
// scatter asks for every cell which updates meet it.
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/small_worlds.h"

namespace assay::evaluator {
namespace {

using Ints = std::vector<int64_t>;

enum class Role { kWindow, kCollapsed, kBatching };

// The dimension numbers of a gather; a scatter has the same under other names.
struct Numbers {
  std::vector<Role> roles;  // by dimension of the operand
  int64_t index_rank = 0;   // of the indices
  int64_t vector_dim = 0;   // index_rank: implied
  Ints index_batching;      // dimensions of the indices, by batching dimension of the operand
  Ints map;                 // dimension of the operand by component of an index vector
  std::vector<bool> result_window;  // by dimension of the result (updates): of the window or batch

  Ints OperandDims(Role role) const {
    Ints dims;
    for (size_t d = 0; d < roles.size(); ++d) {
      if (roles[d] == role) dims.push_back(static_cast<int64_t>(d));
    }
    return dims;
  }
  // Dimensions of the indices but the vector, in order.
  Ints IndexDims() const {
    Ints dims;
    for (int64_t d = 0; d < index_rank; ++d) {
      if (d != vector_dim) dims.push_back(d);
    }
    return dims;
  }
  Ints ResultDims(bool window) const {
    Ints dims;
    for (size_t d = 0; d < result_window.size(); ++d) {
      if (result_window[d] == window) dims.push_back(static_cast<int64_t>(d));
    }
    return dims;
  }
};

// All lists of `length` different numbers below `n`.
std::vector<Ints> Arrangements(int64_t n, int64_t length) {
  std::vector<Ints> lists = {{}};
  for (int64_t k = 0; k < length; ++k) {
    std::vector<Ints> longer;
    for (const Ints& list : lists) {
      for (int64_t i = 0; i < n; ++i) {
        if (std::find(list.begin(), list.end(), i) != list.end()) continue;
        longer.push_back(list);
        longer.back().push_back(i);
      }
    }
    lists = std::move(longer);
  }
  return lists;
}

template <typename T>
std::vector<T> Pick(const std::vector<T>& from, const Ints& which) {
  std::vector<T> picked;
  for (const int64_t i : which) picked.push_back(from[i]);
  return picked;
}

std::vector<Numbers> AllNumbers(int64_t operand_rank, int64_t index_rank) {
  std::vector<Numbers> all;
  ForEach(Ints(operand_rank, 3), [&](const Ints& roles) {
    Numbers numbers;
    numbers.index_rank = index_rank;
    for (const int64_t role : roles) numbers.roles.push_back(static_cast<Role>(role));
    const Ints batching = numbers.OperandDims(Role::kBatching);
    Ints indexed = numbers.OperandDims(Role::kWindow);
    for (const int64_t d : numbers.OperandDims(Role::kCollapsed)) indexed.push_back(d);
    const auto windows = static_cast<int64_t>(numbers.OperandDims(Role::kWindow).size());
    for (numbers.vector_dim = 0; numbers.vector_dim <= index_rank; ++numbers.vector_dim) {
      const Ints index_dims = numbers.IndexDims();
      const auto batches = static_cast<int64_t>(index_dims.size());
      const bool implied = numbers.vector_dim == index_rank;
      for (int64_t length = implied ? 1 : 0; length <= (implied ? 1 : 3); ++length) {
        for (const Ints& map : Arrangements(static_cast<int64_t>(indexed.size()), length)) {
          numbers.map = Pick(indexed, map);
          for (const Ints& paired : Arrangements(batches, static_cast<int64_t>(batching.size()))) {
            numbers.index_batching = Pick(index_dims, paired);
            // Which dimensions of the result are of the window.
            for (int64_t bits = 0; bits < int64_t{1} << (windows + batches); ++bits) {
              if (__builtin_popcountll(bits) != windows) continue;
              numbers.result_window.assign(windows + batches, false);
              for (int64_t d = 0; d < windows + batches; ++d) {
                numbers.result_window[d] = (bits >> d & 1) != 0;
              }
              all.push_back(numbers);
            }
          }
        }
      }
    }
  });
  return all;
}

// A configuration with sizes; the indices lie around the operand.
struct Configuration {
  const Numbers& numbers;
  Ints operand_sizes, slice_sizes;
  SmallArray indices;

  // Start of the slice of a batch position, as the indices say.
  Ints Start(const Ints& batch) const {
    Ints start(operand_sizes.size(), 0);
    const Ints index_dims = numbers.IndexDims();
    for (size_t k = 0; k < numbers.map.size(); ++k) {
      Ints at(numbers.index_rank, 0);
      for (size_t b = 0; b < batch.size(); ++b) at[index_dims[b]] = batch[b];
      if (numbers.vector_dim < numbers.index_rank) {
        at[numbers.vector_dim] = static_cast<int64_t>(k);
      }
      start[numbers.map[k]] =
          DecodeSigned(indices.type, indices.values[PositionOf(at, indices.sizes)]);
    }
    return start;
  }
  // What batching dimensions add to it.
  void AddBatching(const Ints& batch, Ints& start) const {
    const Ints index_dims = numbers.IndexDims();
    const Ints batching = numbers.OperandDims(Role::kBatching);
    for (size_t j = 0; j < batching.size(); ++j) {
      const auto b = std::find(index_dims.begin(), index_dims.end(), numbers.index_batching[j]);
      start[batching[j]] += batch[b - index_dims.begin()];
    }
  }
  Ints BatchSizes() const { return Pick(indices.sizes, numbers.IndexDims()); }
  Ints WindowSizes() const { return Pick(slice_sizes, numbers.OperandDims(Role::kWindow)); }
  Ints ResultIndex(const Ints& batch, const Ints& window) const {
    Ints index;
    size_t b = 0, w = 0;
    for (const bool is_window : numbers.result_window) {
      index.push_back(is_window ? window[w++] : batch[b++]);
    }
    return index;
  }
};

// Sizes for the numbers: operands `extents`, all window sizes that fit, other indices of
// `index_extents`.
void ForEachSize(const Numbers& numbers, const Ints& extents, const Ints& index_extents,
                 const std::function<void(const Configuration&)>& visit) {
  const size_t rank = numbers.roles.size();
  const Ints batching = numbers.OperandDims(Role::kBatching);
  const Ints index_dims = numbers.IndexDims();
  ForEach(Ints(rank, static_cast<int64_t>(extents.size())), [&](const Ints& chosen) {
    const Ints sizes = Pick(extents, chosen);
    Ints slices;  // how many choices each slice size has
    for (size_t d = 0; d < rank; ++d) {
      slices.push_back(numbers.roles[d] == Role::kWindow ? sizes[d] + 1 : 1);
    }
    Ints free;  // dimensions of the indices that no batching pairs with
    for (const int64_t d : index_dims) {
      const Ints& paired = numbers.index_batching;
      if (std::find(paired.begin(), paired.end(), d) == paired.end()) free.push_back(d);
    }
    ForEach(slices, [&](const Ints& slice) {
      Ints slice_sizes = slice;
      for (size_t d = 0; d < rank; ++d) {
        // Where there is nothing, a slice of one does not fit.
        if (numbers.roles[d] != Role::kWindow) slice_sizes[d] = std::min<int64_t>(1, sizes[d]);
      }
      ForEach(Ints(free.size(), static_cast<int64_t>(index_extents.size())), [&](const Ints& x) {
        Ints index_sizes(numbers.index_rank, 0);
        for (size_t j = 0; j < batching.size(); ++j) {
          index_sizes[numbers.index_batching[j]] = sizes[batching[j]];
        }
        for (size_t k = 0; k < free.size(); ++k) index_sizes[free[k]] = index_extents[x[k]];
        if (numbers.vector_dim < numbers.index_rank) {
          index_sizes[numbers.vector_dim] = static_cast<int64_t>(numbers.map.size());
        }
        Configuration configuration{numbers, sizes, slice_sizes, {}};
        configuration.indices = Scrambled(ElementType::kS8, index_sizes, rank);
        for (uint64_t& value : configuration.indices.values) {
          value = EncodeInteger(ElementType::kS8, value % 8 - 2);  // -2 to 5
        }
        visit(configuration);
      });
    });
  });
}

std::optional<SmallArray> Gathered(const Configuration& c, const SmallArray& x) {
  SmallArray result{x.type, c.ResultIndex(c.BatchSizes(), c.WindowSizes()), {}};
  result.values.assign(CountOf(result.sizes), 0);
  for (size_t d = 0; d < c.slice_sizes.size(); ++d) {
    // Nothing to read for a result that is not empty.
    const bool dropped = c.numbers.roles[d] != Role::kWindow;
    if (dropped && c.slice_sizes[d] == 0 && !result.values.empty()) return std::nullopt;
  }
  const Ints window_dims = c.numbers.OperandDims(Role::kWindow);
  ForEach(c.BatchSizes(), [&](const Ints& batch) {
    Ints start = c.Start(batch);
    for (size_t d = 0; d < start.size(); ++d) {
      start[d] = std::clamp<int64_t>(start[d], 0, c.operand_sizes[d] - c.slice_sizes[d]);
    }
    c.AddBatching(batch, start);
    ForEach(c.WindowSizes(), [&](const Ints& window) {
      Ints from = start;
      for (size_t w = 0; w < window.size(); ++w) from[window_dims[w]] += window[w];
      const int64_t to = PositionOf(c.ResultIndex(batch, window), result.sizes);
      if (!result.values.empty()) result.values[to] = x.values[PositionOf(from, x.sizes)];
    });
  });
  return result;
}

void ForEveryConfiguration(const std::function<void(const Configuration&)>& visit) {
  const Ints all = {0, 1, 2, 3};
  for (int64_t index_rank = 0; index_rank <= 2; ++index_rank) {
    for (int64_t rank = 0; rank <= 3; ++rank) {
      for (const Numbers& numbers : AllNumbers(rank, index_rank)) {
        const bool large = rank + index_rank >= 4;
        ForEachSize(numbers, rank == 3 ? Ints{1, 3} : all,
                    large             ? Ints{2}
                    : index_rank == 2 ? Ints{0, 2}
                                      : all,
                    visit);
      }
    }
  }
}

TEST(SmallWorlds, Gathers) {
  SmallWorlds worlds;
  ForEveryConfiguration([&](const Configuration& c) {
    if (testing::Test::HasFailure() || worlds.Skips()) return;
    const SmallArray x = Counting(ElementType::kU8, c.operand_sizes, 1);
    worlds.Check(Opcode::kGather, {&x, &c.indices},
                 {{Attr::kOffsetDims, c.numbers.ResultDims(true)},
                  {Attr::kCollapsedSliceDims, c.numbers.OperandDims(Role::kCollapsed)},
                  {Attr::kStartIndexMap, c.numbers.map},
                  {Attr::kOperandBatchingDims, c.numbers.OperandDims(Role::kBatching)},
                  {Attr::kStartIndicesBatchingDims, c.numbers.index_batching},
                  {Attr::kIndexVectorDim, c.numbers.vector_dim},
                  {Attr::kSliceSizes, c.slice_sizes}},
                 Gathered(c, x));
  });
  worlds.Report("gather");
  EXPECT_GE(worlds.accepted(), 100000);
}

// The update that a cell gets from the window of a batch position, if it gets one: windows that do
// not fit as a whole give nothing.
std::optional<int64_t> UpdateAt(const Configuration& c, const SmallArray& updates,
                                const Ints& batch, const Ints& cell) {
  Ints start = c.Start(batch);
  c.AddBatching(batch, start);
  const Ints window_dims = c.numbers.OperandDims(Role::kWindow);
  Ints offset(cell.size());
  for (size_t d = 0; d < cell.size(); ++d) {
    const int64_t size = c.numbers.roles[d] == Role::kWindow ? c.slice_sizes[d] : 1;
    if (start[d] < 0 || start[d] + size > c.operand_sizes[d]) return std::nullopt;
    offset[d] = cell[d] - start[d];
    if (offset[d] < 0 || offset[d] >= size) return std::nullopt;
  }
  return PositionOf(c.ResultIndex(batch, Pick(offset, window_dims)), updates.sizes);
}

// Sums, or the last update in the order of batch positions.
SmallArray Scattered(const Configuration& c, const SmallArray& x, const SmallArray& updates,
                     bool add) {
  SmallArray result = x;
  int64_t at = 0;
  ForEach(c.operand_sizes, [&](const Ints& cell) {
    uint64_t& value = result.values[at++];
    ForEach(c.BatchSizes(), [&](const Ints& batch) {
      const std::optional<int64_t> update = UpdateAt(c, updates, batch, cell);
      if (update) value = (add ? value : 0) + updates.values[*update];
    });
    value &= 0xFFFF;
  });
  return result;
}

TEST(SmallWorlds, Scatters) {
  SmallWorlds worlds;
  const char kParameters[] = " a = u16[] parameter(0) ";
  Computation* add = worlds.Computations(
      absl::StrCat("f {", kParameters, "x = u16[] parameter(1) ROOT r = u16[] add(a, x) }"), "f");
  Computation* overwrite =
      worlds.Computations(absl::StrCat("g {", kParameters, "ROOT x = u16[] parameter(1) }"), "g");
  bool is_add = true;
  ForEveryConfiguration([&](const Configuration& c) {
    if (testing::Test::HasFailure() || worlds.Skips()) return;
    is_add = !is_add;  // both, in turn
    const SmallArray x = Counting(ElementType::kU16, c.operand_sizes, 1000);
    const SmallArray updates =
        Scrambled(ElementType::kU16, c.ResultIndex(c.BatchSizes(), c.WindowSizes()), 2);
    worlds.Check(Opcode::kScatter, {&x, &c.indices, &updates},
                 {{Attr::kUpdateWindowDims, c.numbers.ResultDims(true)},
                  {Attr::kInsertedWindowDims, c.numbers.OperandDims(Role::kCollapsed)},
                  {Attr::kScatterDimsToOperandDims, c.numbers.map},
                  {Attr::kInputBatchingDims, c.numbers.OperandDims(Role::kBatching)},
                  {Attr::kScatterIndicesBatchingDims, c.numbers.index_batching},
                  {Attr::kIndexVectorDim, c.numbers.vector_dim},
                  {Attr::kToApply, is_add ? add : overwrite}},
                 Scattered(c, x, updates, is_add));
  });
  worlds.Report("scatter");
  EXPECT_GE(worlds.accepted(), 100000);
}

// A dimension number too large or too small anywhere is refused.
TEST(SmallWorlds, DimensionNumbersOutOfRange) {
  SmallWorlds worlds;
  const SmallArray x = Counting(ElementType::kU8, {2, 3});
  const SmallArray indices = Counting(ElementType::kS8, {2, 1});
  ForEach({5, 5, 5, 5}, [&](const Ints& at) {
    const int64_t offset = at[0] - 1, collapsed = at[1] - 1, map = at[2] - 1, vector = at[3] - 1;
    // Rows alone may be collapsed, and vectors along the first dimension are too long.
    const int64_t batches = vector == 1 ? 1 : 2;
    const bool valid = offset >= 0 && offset <= batches && collapsed == 0 && map >= 0 && map < 2 &&
                       (vector == 1 || vector == 2);
    Numbers numbers{{Role::kCollapsed, Role::kWindow}, 2, vector, {}, {map}, {}};
    numbers.result_window.assign(batches + 1, false);
    if (valid) numbers.result_window[offset] = true;
    const Configuration c{numbers, {2, 3}, {1, 3}, indices};
    worlds.Check(Opcode::kGather, {&x, &indices},
                 {{Attr::kOffsetDims, Ints{offset}},
                  {Attr::kCollapsedSliceDims, Ints{collapsed}},
                  {Attr::kStartIndexMap, Ints{map}},
                  {Attr::kIndexVectorDim, vector},
                  {Attr::kSliceSizes, Ints{1, 3}}},
                 valid ? Gathered(c, x) : std::nullopt);
  });
  EXPECT_EQ(worlds.accepted(), 10);
}

}  // namespace
}  // namespace assay::evaluator
