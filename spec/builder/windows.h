// Window attributes from the arguments of the documents. Internal to spec/builder.
// Tests: builder_test.cc.
#ifndef ASSAY_SPEC_BUILDER_WINDOWS_H_
#define ASSAY_SPEC_BUILDER_WINDOWS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/builder/maker.h"
#include "spec/builder/reduction.h"

namespace assay {
namespace builder_internal {

struct WindowArguments {
  absl::Span<const int64_t> sizes;
  absl::Span<const int64_t> strides =
      {};  // an empty list is the default everywhere, this and below
  absl::Span<const PaddingPair> padding = {};
  absl::Span<const int64_t> base_dilations = {};
  absl::Span<const int64_t> window_dilations = {};
  const std::vector<bool>* reversal = nullptr;
};
// windows_c1: one entry per window dimension in each list.
Window MakeWindow(Maker& maker, const WindowArguments& arguments);

// Of `sizes` under windows, as kSame or kValid say (reference ops_structural.md 5.2). Lists of
// other lengths are left to MakeWindow.
std::vector<PaddingPair> MakePadding(absl::Span<const int64_t> sizes,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides, Padding padding);

}  // namespace builder_internal
}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_WINDOWS_H_
