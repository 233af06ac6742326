#include "spec/analysis/window_taps.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "spec/analysis/floor_division.h"

namespace assay::analysis {
namespace {

// Sizes come from programs that may never run: what preparing allocates is bounded.
constexpr int64_t kMostKnown = int64_t{1} << 12;

// x with a * x = 1 modulo m, for a and m without common divisor.
int64_t InverseModulo(int64_t a, int64_t m) {
  int64_t r0 = m, r1 = a % m, x0 = 0, x1 = 1;
  while (r1 != 0) {
    const int64_t quotient = r0 / r1;
    r0 -= quotient * r1;
    std::swap(r0, r1);
    x0 -= quotient * x1;
    std::swap(x0, x1);
  }
  return FloorModulo(x0, m);
}

}  // namespace

WindowTaps::WindowTaps(int64_t base_size, int64_t output_size, const WindowDimension& window)
    : window_(window),
      base_size_(base_size),
      output_size_(output_size),
      common_(std::gcd(window.window_dilation, window.base_dilation)),
      position_step_(window.base_dilation / common_),
      element_step_(window.window_dilation / common_),
      inverse_(InverseModulo(element_step_, position_step_)),
      most_(std::min(base_size, window.size)),
      period_(window.base_dilation / std::gcd(window.base_dilation, window.stride)) {
  if (output_size > kMostKnown) return;
  std::vector<Taps> known;
  known.reserve(output_size);
  for (int64_t o = 0; o < output_size; ++o) known.push_back(Find(o));
  known_ = std::move(known);
}

// Position k meets the dilated base at begin + k * window_dilation, which has an element where
// base_dilation divides it.
Taps WindowTaps::Find(int64_t output) const {
  const int64_t begin = output * window_.stride - window_.padding_low;
  if (window_.base_dilation == 1 && window_.window_dilation == 1) {  // without a division
    const int64_t first = std::max<int64_t>(0, -begin);
    const int64_t end = std::min(window_.size, base_size_ - begin);
    return first < end ? Taps{first, end - first, begin + first} : Taps{};
  }
  if (base_size_ == 0 || FloorModulo(begin, common_) != 0) return {};
  const int64_t last = (base_size_ - 1) * window_.base_dilation;
  const int64_t lowest = std::max<int64_t>(0, -FloorDivide(begin, window_.window_dilation));
  const int64_t highest =
      std::min(window_.size - 1, FloorDivide(last - begin, window_.window_dilation));
  const __int128 solution = static_cast<__int128>(-(begin / common_)) * inverse_;
  const int64_t first = lowest + FloorModulo(solution - lowest, position_step_);
  if (first > highest) return {};
  return {first, (highest - first) / position_step_ + 1,
          (begin + first * window_.window_dilation) / window_.base_dilation};
}

}  // namespace assay::analysis
