// Arithmetic of windows and of edge padding: how many positions a window has, and which element a
// window position meets. Shape rules check with it, evaluators walk with it. Sizes come from
// programs, so nothing here overflows: what leaves 63 bits is an error.
// Source: reference ops_structural.md 3.13, 5.2. Tests: window_math_test.cc.
#ifndef ASSAY_SPEC_OPS_WINDOW_MATH_H_
#define ASSAY_SPEC_OPS_WINDOW_MATH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/ir/attribute_values.h"

namespace assay {

// The size of `size` elements with `dilation - 1` holes between neighbours: (size-1)*dilation + 1,
// and 0 for none. Needs size >= 0 and dilation >= 1.
absl::StatusOr<int64_t> DilatedSize(int64_t size, int64_t dilation);

// The number of positions of the window over a base of `base_size` elements. INVALID_ARGUMENT, with
// a message that names the field but no instruction: window size, stride or dilation below 1, a
// padded base below 0, a quantity beyond 63 bits.
absl::StatusOr<int64_t> WindowedSize(int64_t base_size, const WindowDimension& window);

// The element of the base that position `k` of the window meets at output position `o`, or -1 where
// that is padding or a hole of the base. For windows that WindowedSize accepted and positions
// within it. Reversal is not applied: it says which element of a kernel belongs to `k`.
inline int64_t WindowedElement(int64_t base_size, const WindowDimension& window, int64_t o,
                               int64_t k) {
  const int64_t dilated = o * window.stride + k * window.window_dilation - window.padding_low;
  if (dilated < 0 || dilated % window.base_dilation != 0) return -1;
  const int64_t element = dilated / window.base_dilation;
  return element < base_size ? element : -1;
}

// The size after `pad`: size + low + high + max(size-1, 0) * interior. INVALID_ARGUMENT as above:
// interior below 0, a result below 0, beyond 63 bits.
absl::StatusOr<int64_t> PaddedSize(int64_t size, const PaddingDimension& padding);

// ceil((limit - start) / stride) of a checked slice.
inline int64_t SlicedSize(const SliceRange& range) {
  const int64_t extent = range.limit - range.start;
  return extent == 0 ? 0 : (extent - 1) / range.stride + 1;
}

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_WINDOW_MATH_H_
