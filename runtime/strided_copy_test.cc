// Strided copies against a plain loop over all indices, and taps of windows against the definition
// of what a window position meets.
#include "runtime/strided_copy.h"

#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "spec/analysis/window_taps.h"
#include "spec/ops/window_math.h"

namespace assay::runtime {
namespace {

using List = std::vector<int64_t>;

// Copies bytes numbered by position and holds each against its place.
void CheckCopy(int64_t bytes, const List& sizes, const List& source_strides,
               const List& destination_strides, int64_t source_first) {
  const int64_t room = 1 << 14;
  std::vector<std::byte> source(room * bytes), destination(room * bytes, std::byte{0xEE});
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 37 + i / 251);
  std::vector<std::byte> expected = destination;
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, from = source_first, to = 0;
    for (int64_t d = static_cast<int64_t>(sizes.size()) - 1; d >= 0; --d) {
      from += rest % sizes[d] * source_strides[d];
      to += rest % sizes[d] * destination_strides[d];
      rest /= sizes[d];
    }
    std::memcpy(&expected[to * bytes], &source[from * bytes], bytes);
  }
  Context context;
  Meter meter(context);
  const StridedCopy copy(bytes, sizes, source_strides, destination_strides);
  EXPECT_EQ(copy.element_count(), count);
  ASSERT_TRUE(copy.Run(source.data() + source_first * bytes, destination.data(), meter).ok());
  EXPECT_EQ(destination, expected) << "element bytes " << bytes;
}

TEST(StridedCopy, EqualsAPlainLoop) {
  for (const int64_t bytes : {1, 2, 4, 8, 16, 32}) {
    CheckCopy(bytes, {}, {}, {}, 5);
    CheckCopy(bytes, {7}, {1}, {1}, 0);
    CheckCopy(bytes, {7}, {0}, {1}, 3);
    CheckCopy(bytes, {7}, {-2}, {3}, 12);
    CheckCopy(bytes, {0, 4}, {4, 1}, {4, 1}, 0);
    CheckCopy(bytes, {3, 5}, {5, 1}, {5, 1}, 0);
    CheckCopy(bytes, {3, 5}, {0, 1}, {5, 1}, 2);
    CheckCopy(bytes, {3, 5}, {1, 0}, {5, 1}, 2);
    CheckCopy(bytes, {40, 70}, {1, 40}, {70, 1}, 0);
    CheckCopy(bytes, {40, 70}, {-1, 40}, {70, 1}, 39);
    CheckCopy(bytes, {64, 64}, {1, 64}, {64, 1}, 0);
    CheckCopy(bytes, {67, 130}, {1, 70}, {131, 1}, 3);
    CheckCopy(bytes, {2, 19, 3, 17}, {1, 34, 646, 2}, {969, 51, 17, 1}, 0);
    CheckCopy(bytes, {4, 1, 6}, {12, 5, 2}, {30, 7, 5}, 1);
  }
}

// The progression of taps says the same as asking for every window position.
TEST(WindowTaps, AgreeWithEveryPosition) {
  int64_t windows = 0;
  for (int64_t base : {0, 1, 2, 5}) {
    for (int64_t size : {1, 2, 4}) {
      for (int64_t stride : {1, 2}) {
        for (int64_t low : {-2, 0, 3}) {
          for (int64_t high : {-1, 0, 2}) {
            for (int64_t window_dilation : {1, 2, 3}) {
              for (int64_t base_dilation : {1, 2, 4}) {
                WindowDimension window;
                window.size = size;
                window.stride = stride;
                window.padding_low = low;
                window.padding_high = high;
                window.window_dilation = window_dilation;
                window.base_dilation = base_dilation;
                const absl::StatusOr<int64_t> outputs = WindowedSize(base, window);
                if (!outputs.ok()) continue;
                ++windows;
                const analysis::WindowTaps taps(base, *outputs, window);
                ASSERT_EQ(taps.output_size(), *outputs);
                for (int64_t o = 0; o < *outputs; ++o) {
                  const analysis::Taps here = taps.At(o);
                  List want, got(here.count);
                  List want_positions, got_positions(here.count);
                  for (int64_t k = 0; k < size; ++k) {
                    const int64_t element = WindowedElement(base, window, o, k);
                    if (element < 0) continue;
                    want.push_back(element);
                    want_positions.push_back(k);
                  }
                  for (int64_t i = 0; i < here.count; ++i) {
                    got[i] = here.element + i * taps.element_step();
                    got_positions[i] = here.first + i * taps.position_step();
                  }
                  EXPECT_EQ(got, want);
                  EXPECT_EQ(got_positions, want_positions);
                  EXPECT_LE(here.count, taps.most());
                }
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(windows, 1000);
}

}  // namespace
}  // namespace assay::runtime
