// Blocks read through views, against the place of every element as the view itself tells it.
#include "runtime/view_reader.h"

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace assay::runtime {
namespace {

// Sources of 16-bit elements: element i of source s is 1000 * s + i.
struct Arrays {
  std::vector<uint16_t> data[3];
  std::vector<ArrayRef> refs;
  Arrays() {
    for (int s = 0; s < 3; ++s) {
      for (int i = 0; i < 200; ++i) data[s].push_back(static_cast<uint16_t>(1000 * s + i));
      refs.push_back({nullptr, reinterpret_cast<const std::byte*>(data[s].data())});
    }
  }
};

std::vector<View> Views() {
  PaddingConfig padding;
  padding.dimensions = {{1, 2, 1}, {-1, 1, 0}};
  const View dense = View::Dense({4, 6}), scalar = View::Dense({}, 1);
  const View padded = View::Pad(dense, scalar, padding, {10, 6});
  return {
      dense,
      dense.Slice({1, 0}, {2, 6}, {1, 1}),
      dense.Transpose({1, 0}),
      dense.Reverse({0, 1}),
      dense.Slice({0, 1}, {2, 3}, {3, 2}),
      scalar.Broadcast({3, 5}, {}),
      View::Dense({5}).Broadcast({3, 5, 2}, {1}),
      View::Dense({2, 3, 4}).Transpose({1, 2, 0}),
      View::Dense({2, 3, 4}).Slice({0, 0, 1}, {2, 3, 2}, {1, 1, 1}).Reverse({1}),
      padded,
      padded.Transpose({1, 0}).Reverse({0}),
      padded.Slice({1, 1}, {3, 4}, {3, 1}),
      View::Concatenate({dense, View::Dense({2, 6}, 2), dense.Reverse({1})}, 0),
      View::Dense({}),
      View::Dense({0, 3}),
  };
}

std::vector<uint16_t> Expected(const View& view, const Arrays& arrays) {
  std::vector<uint16_t> expected;
  for (int64_t i = 0; i < view.element_count(); ++i) {
    Dimensions index(view.rank());
    int64_t rest = i;
    for (int64_t d = view.rank() - 1; d >= 0; --d) {
      index[d] = rest % view.sizes()[d];
      rest /= view.sizes()[d];
    }
    const View::Location location = view.At(index);
    expected.push_back(arrays.data[location.source][location.position]);
  }
  return expected;
}

TEST(ViewReader, EveryBlockOfEveryView) {
  const Arrays arrays;
  for (const View& view : Views()) {
    SCOPED_TRACE(view.ToString());
    const std::vector<uint16_t> expected = Expected(view, arrays);
    const ViewReader reader(view, 2);
    const auto count = static_cast<int64_t>(expected.size());
    std::vector<std::byte> room(2 * count + 1);
    for (int64_t first = 0; first <= count; ++first) {
      for (int64_t n = 0; first + n <= count; ++n) {
        if (n == 0 && count == 0) continue;
        const std::byte* block = reader.Block(arrays.refs, first, n, 2, room.data());
        ASSERT_EQ(std::memcmp(block, expected.data() + first, 2 * n), 0) << first << " " << n;
      }
    }
  }
}

TEST(ViewReader, EveryBox) {
  const Arrays arrays;
  for (const View& view : Views()) {
    const ViewReader reader(view, 2, ViewReader::Access::kBoxes);
    if (reader.direct() || view.rank() != 2) continue;
    SCOPED_TRACE(view.ToString());
    const std::vector<uint16_t> expected = Expected(view, arrays);
    const int64_t rows = view.sizes()[0], columns = view.sizes()[1];
    std::vector<uint16_t> box(rows * columns);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        for (int64_t h = 1; r + h <= rows; ++h) {
          for (int64_t w = 1; c + w <= columns; ++w) {
            reader.CopyBox(arrays.refs, {r, c}, {h, w}, reinterpret_cast<std::byte*>(box.data()));
            for (int64_t i = 0; i < h * w; ++i) {
              ASSERT_EQ(box[i], expected[(r + i / w) * columns + c + i % w]);
            }
          }
        }
      }
    }
  }
}

TEST(ViewReader, WhatNeedsNoCopy) {
  EXPECT_TRUE(ViewReader(View::Dense({4, 6}), 2).direct());
  EXPECT_TRUE(ViewReader(View::Dense({4, 6}).Slice({2, 0}, {2, 6}, {1, 1}), 2).direct());
  EXPECT_TRUE(ViewReader(View::Dense({4, 6}).Slice({2, 3}, {1, 2}, {1, 1}), 2).direct());
  EXPECT_FALSE(ViewReader(View::Dense({4, 6}).Slice({0, 3}, {2, 2}, {1, 1}), 2).direct());
  EXPECT_TRUE(ViewReader(View::Dense({}, 1).Broadcast({7}, {}), 2).uniform());
  EXPECT_FALSE(ViewReader(View::Dense({7}, 1).Broadcast({7, 2}, {0}), 2).uniform());
}

}  // namespace
}  // namespace assay::runtime
