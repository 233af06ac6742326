// Slices, paddings and windows over extents 0 to 3 and ranks up to 3, all of them, against lists of
// the elements along each axis.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/small_worlds.h"

namespace assay::evaluator {
namespace {

// One dimension: its size, what the attribute says, and the elements that the result has along it
// (-1 for padding); nullopt where the dimension must be refused.
template <typename Attribute>
struct Dimension {
  int64_t size;
  Attribute attribute;
  std::optional<Axis> axis;
};

// Calls visit(choice) for every way to choose `rank` of the dimensions, with repetition.
template <typename Choice>
bool ForEachChoice(const std::vector<Choice>& dimensions, size_t rank,
                   const std::function<bool(const std::vector<const Choice*>&)>& visit) {
  std::vector<size_t> at(rank, 0);
  std::vector<const Choice*> choice(rank);
  while (true) {
    for (size_t d = 0; d < rank; ++d) choice[d] = &dimensions[at[d]];
    if (!visit(choice)) return false;
    size_t d = rank;
    while (d > 0 && ++at[d - 1] == dimensions.size()) at[--d] = 0;
    if (d == 0) return true;
  }
}

template <typename Attribute>
std::vector<int64_t> SizesOf(const std::vector<const Dimension<Attribute>*>& choice) {
  std::vector<int64_t> sizes;
  for (const auto* dimension : choice) sizes.push_back(dimension->size);
  return sizes;
}

// The elements of `x` at all combinations of places, `hole` where one of them is none.
template <typename Attribute>
std::optional<SmallArray> Combined(const std::vector<const Dimension<Attribute>*>& choice,
                                   const SmallArray& x, uint64_t hole) {
  SmallArray result{x.type, {}, {}};
  for (const auto* dimension : choice) {
    if (!dimension->axis) return std::nullopt;
    result.sizes.push_back(static_cast<int64_t>(dimension->axis->size()));
  }
  ForEach(result.sizes, [&](const std::vector<int64_t>& at) {
    std::vector<int64_t> from(at.size());
    bool is_hole = false;
    for (size_t d = 0; d < at.size(); ++d) {
      from[d] = (*choice[d]->axis)[at[d]];
      is_hole |= from[d] < 0;
    }
    result.values.push_back(is_hole ? hole : x.values[PositionOf(from, x.sizes)]);
  });
  return result;
}

using SliceDimension = Dimension<SliceRange>;

SliceDimension Sliced(int64_t size, const SliceRange& range) {
  SliceDimension slice{size, range, std::nullopt};
  if (range.start < 0 || range.stride < 1 || range.start > range.limit || range.limit > size) {
    return slice;
  }
  slice.axis.emplace();
  for (const int64_t element : Elements(size)) {
    const bool inside = element >= range.start && element < range.limit;
    if (inside && (element - range.start) % range.stride == 0) slice.axis->push_back(element);
  }
  return slice;
}

TEST(SmallWorlds, Slices) {
  SmallWorlds worlds;
  std::vector<SliceDimension> all, valid;
  for (int64_t size = 0; size <= 3; ++size) {
    for (int64_t start = -1; start <= 4; ++start) {
      for (int64_t limit = -1; limit <= 4; ++limit) {
        for (int64_t stride = 0; stride <= 4; ++stride) {
          all.push_back(Sliced(size, {start, limit, stride}));
          if (all.back().axis && stride <= 3) valid.push_back(all.back());
        }
      }
    }
  }
  auto check = [&](const std::vector<const SliceDimension*>& choice) {
    if (worlds.Skips()) return true;
    Slices slices;
    for (const SliceDimension* dimension : choice) slices.push_back(dimension->attribute);
    const SmallArray x = Counting(ElementType::kU8, SizesOf(choice));
    return worlds.Check(Opcode::kSlice, {&x}, {{Attr::kSlice, slices}}, Combined(choice, x, 0));
  };
  ASSERT_TRUE(ForEachChoice<SliceDimension>(all, 0, check));
  ASSERT_TRUE(ForEachChoice<SliceDimension>(all, 1, check));
  ASSERT_TRUE(ForEachChoice<SliceDimension>(valid, 2, check));
  ASSERT_TRUE(ForEachChoice<SliceDimension>(valid, 3, check));
  worlds.Report("slice");
  EXPECT_GE(worlds.accepted(), 100000);
}

using PadDimension = Dimension<PaddingDimension>;

std::vector<PadDimension> PadDimensions(int64_t most_edge, int64_t most_interior) {
  std::vector<PadDimension> dimensions;
  for (int64_t size = 0; size <= 3; ++size) {
    for (int64_t low = -most_edge; low <= most_edge; ++low) {
      for (int64_t high = -most_edge; high <= most_edge; ++high) {
        for (int64_t interior = -1; interior <= most_interior; ++interior) {
          PadDimension pad{size, {low, high, interior}, std::nullopt};
          if (interior >= 0) pad.axis = Extended(Dilated(Elements(size), interior), low, high);
          dimensions.push_back(pad);
        }
      }
    }
  }
  return dimensions;
}

TEST(SmallWorlds, Paddings) {
  SmallWorlds worlds;
  const SmallArray value{ElementType::kU8, {}, {99}};
  auto check = [&](const std::vector<const PadDimension*>& choice) {
    if (worlds.Skips()) return true;
    PaddingConfig config;
    for (const PadDimension* dimension : choice) config.dimensions.push_back(dimension->attribute);
    const SmallArray x = Counting(ElementType::kU8, SizesOf(choice));
    return worlds.Check(Opcode::kPad, {&x, &value}, {{Attr::kPadding, config}},
                        Combined(choice, x, 99));
  };
  ASSERT_TRUE(ForEachChoice<PadDimension>(PadDimensions(7, 3), 1, check));
  ASSERT_TRUE(ForEachChoice<PadDimension>(PadDimensions(2, 1), 2, check));
  std::vector<PadDimension> few;
  for (const PadDimension& pad : PadDimensions(1, 1)) {
    if (pad.axis) few.push_back(pad);
  }
  ASSERT_TRUE(ForEachChoice<PadDimension>(few, 3, check));
  worlds.Report("pad");
  EXPECT_GE(worlds.accepted(), 100000);
}

struct WindowedDimension {
  int64_t size;
  WindowDimension window;
  std::optional<std::vector<Axis>> windows;
};

// What each window folds to. `add` is a sum, else acc * 3 + x, which depends on the order.
std::optional<SmallArray> Folded(const std::vector<const WindowedDimension*>& choice,
                                 const SmallArray& x, uint64_t init, bool add) {
  SmallArray result{x.type, {}, {}};
  std::vector<int64_t> extents;
  for (const WindowedDimension* dimension : choice) {
    if (!dimension->windows) return std::nullopt;
    result.sizes.push_back(static_cast<int64_t>(dimension->windows->size()));
    extents.push_back(dimension->window.size);
  }
  ForEach(result.sizes, [&](const std::vector<int64_t>& at) {
    uint64_t folded = init;
    ForEach(extents, [&](const std::vector<int64_t>& k) {
      std::vector<int64_t> from(at.size());
      for (size_t d = 0; d < at.size(); ++d) {
        from[d] = (*choice[d]->windows)[at[d]][k[d]];
        if (from[d] < 0) return;
      }
      const uint64_t element = x.values[PositionOf(from, x.sizes)];
      folded = (add ? folded : folded * 3) + element;
    });
    result.values.push_back(folded & 0xFFFFFFFF);
  });
  return result;
}

struct Range {
  int64_t first, last;
};

std::vector<WindowedDimension> WindowedDimensions(Range sizes, Range windows, Range strides,
                                                  Range low, Range high, Range base_dilations,
                                                  Range window_dilations) {
  std::vector<WindowedDimension> dimensions;
  ForEach({sizes.last - sizes.first + 1, windows.last - windows.first + 1,
           strides.last - strides.first + 1, low.last - low.first + 1, high.last - high.first + 1,
           base_dilations.last - base_dilations.first + 1,
           window_dilations.last - window_dilations.first + 1},
          [&](const std::vector<int64_t>& at) {
            WindowDimension window;
            window.size = windows.first + at[1];
            window.stride = strides.first + at[2];
            window.padding_low = low.first + at[3];
            window.padding_high = high.first + at[4];
            window.base_dilation = base_dilations.first + at[5];
            window.window_dilation = window_dilations.first + at[6];
            const int64_t size = sizes.first + at[0];
            dimensions.push_back({size, window, Windows(size, window)});
          });
  return dimensions;
}

TEST(SmallWorlds, Windows) {
  SmallWorlds worlds;
  const char kParameters[] = " a = u32[] parameter(0) x = u32[] parameter(1) ";
  Computation* add =
      worlds.Computations(absl::StrCat("f {", kParameters, "ROOT r = u32[] add(a, x) }"), "f");
  Computation* ordered = worlds.Computations(
      absl::StrCat("g {", kParameters,
                   "three = u32[] constant(3) b = u32[] multiply(a, three) ROOT r = u32[] add(b, "
                   "x) }"),
      "g");
  const SmallArray init{ElementType::kU32, {}, {7}};
  bool is_add = true;
  auto check = [&](const std::vector<const WindowedDimension*>& choice) {
    if (worlds.Skips()) return true;
    is_add = !is_add;  // both reducers, in turn
    Window window;
    std::vector<int64_t> sizes;
    for (const WindowedDimension* dimension : choice) {
      window.dimensions.push_back(dimension->window);
      sizes.push_back(dimension->size);
    }
    const SmallArray x = Scrambled(ElementType::kU32, sizes, 1);
    return worlds.Check(Opcode::kReduceWindow, {&x, &init},
                        {{Attr::kWindow, window}, {Attr::kToApply, is_add ? add : ordered}},
                        Folded(choice, x, 7, is_add));
  };
  using Choice = WindowedDimension;
  ASSERT_TRUE(ForEachChoice<Choice>(
      WindowedDimensions({0, 3}, {0, 3}, {0, 3}, {-3, 3}, {-3, 3}, {0, 3}, {0, 3}), 1, check));
  ASSERT_TRUE(ForEachChoice<Choice>(
      WindowedDimensions({0, 3}, {1, 3}, {1, 2}, {-1, 1}, {0, 0}, {1, 2}, {1, 2}), 2, check));
  ASSERT_TRUE(ForEachChoice<Choice>(
      WindowedDimensions({1, 3}, {1, 2}, {1, 2}, {0, 1}, {0, 0}, {1, 2}, {1, 1}), 3, check));
  worlds.Report("reduce-window");
  EXPECT_GE(worlds.accepted(), 100000);
}

}  // namespace
}  // namespace assay::evaluator
