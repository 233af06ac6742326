// The taps of all small windows, against a walk over every position of the window; and the
// progressions that cover the outputs, each output once.
#include "spec/analysis/window_taps.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace assay::analysis {
namespace {

using Met = std::vector<std::pair<int64_t, int64_t>>;  // positions of the window and elements

// By the definition: position k of the window at output o lies at o * stride + k * window dilation
// - padding, where the base has an element every `base_dilation` places.
Met MetAt(int64_t base_size, const WindowDimension& window, int64_t output) {
  Met met;
  for (int64_t k = 0; k < window.size; ++k) {
    const int64_t place = output * window.stride + k * window.window_dilation - window.padding_low;
    if (place < 0 || place % window.base_dilation != 0) continue;
    if (place / window.base_dilation < base_size) met.push_back({k, place / window.base_dilation});
  }
  return met;
}

Met MetBy(const WindowTaps& taps, const Taps& at) {
  Met met;
  for (int64_t t = 0; t < at.count; ++t) {
    met.push_back({at.first + t * taps.position_step(), at.element + t * taps.element_step()});
  }
  return met;
}

void Check(int64_t base_size, const WindowDimension& window, int64_t outputs) {
  const WindowTaps taps(base_size, outputs, window);
  for (int64_t o = 0; o < outputs; ++o) {
    EXPECT_EQ(MetBy(taps, taps.At(o)), MetAt(base_size, window, o)) << o;
    EXPECT_LE(taps.At(o).count, taps.most());
  }
  std::vector<int> covered(outputs, 0);
  TapRuns runs(taps);
  bool more = true;
  for (int64_t count = 0; more && count <= outputs; ++count) {
    for (int64_t i = 0; i < runs.count(); ++i) {
      const int64_t o = runs.output() + i * runs.step();
      ASSERT_LT(o, outputs);
      ++covered[o];
      Taps moved = runs.taps();
      moved.element += i * runs.element_advance();
      EXPECT_EQ(MetBy(taps, moved), MetAt(base_size, window, o)) << o;
    }
    more = runs.Next();
  }
  EXPECT_FALSE(more);
  EXPECT_EQ(covered, std::vector<int>(outputs, 1));
  EXPECT_EQ(runs.output(), 0);
}

TEST(WindowTaps, OfAllSmallWindows) {
  for (int64_t base = 1; base <= 4; ++base) {
    for (int64_t size = 1; size <= 3; ++size) {
      for (int64_t numbers = 0; numbers < 3 * 3 * 3 * 2; ++numbers) {
        WindowDimension window;
        window.size = size;
        window.stride = 1 + numbers % 3;
        window.window_dilation = 1 + numbers / 3 % 3;
        window.base_dilation = 1 + numbers / 9 % 3;
        window.padding_low = window.padding_high = numbers / 27;
        const int64_t padded = (base - 1) * window.base_dilation + 1 + 2 * window.padding_low;
        const int64_t dilated = (size - 1) * window.window_dilation + 1;
        if (padded < dilated) continue;
        SCOPED_TRACE(testing::Message()
                     << "base " << base << " size " << size << " stride " << window.stride
                     << " dilation " << window.window_dilation << " base dilation "
                     << window.base_dilation << " padding " << window.padding_low);
        Check(base, window, (padded - dilated) / window.stride + 1);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace assay::analysis
