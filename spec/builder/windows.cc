// What these functions demand beyond the rules of the operations that they make (spec/ops). Tests:
// builder_clauses_test.cc.
//   windows_c1 strides, padding, dilations and reversals are as many as window sizes, or none
#include "spec/builder/windows.h"

#include <algorithm>

namespace assay {
namespace builder_internal {

Window MakeWindow(Maker& maker, const WindowArguments& arguments) {
  Window window;
  const size_t rank = arguments.sizes.size();
  const auto fits = [&](size_t length) { return length == 0 || length == rank; };
  if (maker.ok() &&
      !(fits(arguments.strides.size()) && fits(arguments.padding.size()) &&
        fits(arguments.base_dilations.size()) && fits(arguments.window_dilations.size()) &&
        (arguments.reversal == nullptr || fits(arguments.reversal->size())))) {
    maker.Fail("windows_c1", absl::StrCat("strides, padding, dilations and reversals must have ",
                                          rank, " entries, as the window"));
  }
  if (!maker.ok()) return window;
  window.dimensions.resize(rank);
  for (size_t d = 0; d < rank; ++d) {
    WindowDimension& dimension = window.dimensions[d];
    dimension.size = arguments.sizes[d];
    if (!arguments.strides.empty()) dimension.stride = arguments.strides[d];
    if (!arguments.padding.empty()) {
      dimension.padding_low = arguments.padding[d].first;
      dimension.padding_high = arguments.padding[d].second;
    }
    if (!arguments.base_dilations.empty()) dimension.base_dilation = arguments.base_dilations[d];
    if (!arguments.window_dilations.empty()) {
      dimension.window_dilation = arguments.window_dilations[d];
    }
    if (arguments.reversal != nullptr && !arguments.reversal->empty()) {
      dimension.reversal = (*arguments.reversal)[d];
    }
  }
  return window;
}

std::vector<PaddingPair> MakePadding(absl::Span<const int64_t> sizes,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides, Padding padding) {
  std::vector<PaddingPair> pairs;
  if (padding == Padding::kValid || sizes.size() != window_dimensions.size()) return pairs;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t size = sizes[d];
    const int64_t stride = d < window_strides.size() ? window_strides[d] : 1;
    if (size < 0 || stride < 1) return {};  // refused by the rule
    const __int128 count = (static_cast<__int128>(size) + stride - 1) / stride;
    const __int128 total =
        std::max<__int128>((count - 1) * stride + window_dimensions[d] - size, 0);
    if (total > INT64_MAX) return {};
    pairs.emplace_back(static_cast<int64_t>(total / 2), static_cast<int64_t>(total - total / 2));
  }
  return pairs;
}

}  // namespace builder_internal
}  // namespace assay
