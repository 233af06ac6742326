#include "spec/ops/window_math.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace assay {
namespace {

// Wide enough for every sum and product of two sizes.
using Wide = __int128;

absl::StatusOr<int64_t> Narrow(Wide value, absl::string_view what) {
  if (value > INT64_MAX || value < INT64_MIN) {
    return absl::InvalidArgumentError(absl::StrCat("the ", what, " overflows 63 bits"));
  }
  return static_cast<int64_t>(value);
}

absl::Status AtLeastOne(int64_t value, absl::string_view field) {
  if (value >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the ", field, " must be at least 1, found ", value));
}

}  // namespace

absl::StatusOr<int64_t> DilatedSize(int64_t size, int64_t dilation) {
  if (size == 0) return 0;
  return Narrow((Wide{size} - 1) * dilation + 1, "dilated size");
}

absl::StatusOr<int64_t> WindowedSize(int64_t base_size, const WindowDimension& window) {
  const struct {
    int64_t value;
    absl::string_view field;
  } fields[] = {{window.size, "window size"},
                {window.stride, "window stride"},
                {window.window_dilation, "window dilation"},
                {window.base_dilation, "base dilation"}};
  for (const auto& [value, field] : fields) {
    if (absl::Status status = AtLeastOne(value, field); !status.ok()) return status;
  }
  if (base_size < 0) return absl::InvalidArgumentError("the size of the base is not known");
  absl::StatusOr<int64_t> base = DilatedSize(base_size, window.base_dilation);
  if (!base.ok()) return base;
  absl::StatusOr<int64_t> extent = DilatedSize(window.size, window.window_dilation);
  if (!extent.ok()) return extent;
  // Each end alone must fit too: a walk computes positions from either of them.
  for (Wide end : {Wide{*base} + window.padding_low, Wide{*base} + window.padding_high,
                   -Wide{window.padding_low}}) {
    if (absl::StatusOr<int64_t> fits = Narrow(end, "padded size"); !fits.ok()) return fits;
  }
  absl::StatusOr<int64_t> padded =
      Narrow(Wide{*base} + window.padding_low + window.padding_high, "padded size");
  if (!padded.ok()) return padded;
  if (*padded < 0) {
    return absl::InvalidArgumentError(absl::StrCat("the padded size is negative: ", *base,
                                                   " (dilated) + ", window.padding_low, " + ",
                                                   window.padding_high, " = ", *padded));
  }
  if (*padded == 0 || *extent > *padded) return 0;
  return (*padded - *extent) / window.stride + 1;
}

absl::StatusOr<int64_t> PaddedSize(int64_t size, const PaddingDimension& padding) {
  if (padding.interior < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("interior padding must not be negative, found ", padding.interior));
  }
  const Wide holes = std::max<Wide>(Wide{size} - 1, 0) * padding.interior;
  for (Wide part : {holes, size + holes, size + holes + padding.low, -Wide{padding.low}}) {
    if (absl::StatusOr<int64_t> fits = Narrow(part, "padded size"); !fits.ok()) return fits;
  }
  absl::StatusOr<int64_t> result = Narrow(size + holes + padding.low + padding.high, "padded size");
  if (!result.ok()) return result;
  if (*result < 0) {
    return absl::InvalidArgumentError(absl::StrCat("the padded size is negative: ", *result));
  }
  return result;
}

}  // namespace assay
