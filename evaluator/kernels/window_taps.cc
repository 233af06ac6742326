#include "evaluator/kernels/window_taps.h"

#include <algorithm>
#include <numeric>

namespace assay::kernels {
namespace {

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

}  // namespace

WindowTaps FindTaps(int64_t base_size, int64_t output_size, const WindowDimension& window) {
  WindowTaps result;
  const int64_t common = std::gcd(window.window_dilation, window.base_dilation);
  result.position_step = window.base_dilation / common;
  result.element_step = window.window_dilation / common;
  result.taps.resize(output_size);
  for (int64_t o = 0; o < output_size; ++o) {
    // Position k meets the dilated base at begin + k * window_dilation.
    const int64_t begin = o * window.stride - window.padding_low;
    const int64_t end = base_size == 0 ? 0 : (base_size - 1) * window.base_dilation + 1;
    const int64_t lowest = std::max<int64_t>(0, -FloorDivide(begin, window.window_dilation));
    const int64_t highest =
        std::min(window.size - 1, FloorDivide(end - 1 - begin, window.window_dilation));
    for (int64_t k = lowest; k <= std::min(highest, lowest + result.position_step - 1); ++k) {
      const int64_t dilated = begin + k * window.window_dilation;
      if (dilated % window.base_dilation != 0) continue;
      result.taps[o] = {k, (highest - k) / result.position_step + 1,
                        dilated / window.base_dilation};
      result.most = std::max(result.most, result.taps[o].count);
      break;
    }
  }
  return result;
}

}  // namespace assay::kernels
