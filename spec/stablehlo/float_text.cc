#include "spec/stablehlo/float_text.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "spec/element/element.h"

namespace assay::stablehlo {

bool ReadDecimal(absl::string_view text, double& value) {
  const absl::from_chars_result result =
      absl::from_chars(text.data(), text.data() + text.size(), value);
  // Out of range leaves zero or the largest value, as Abseil defines it; infinity is what rounding
  // to nearest gives.
  if (result.ec == std::errc::result_out_of_range && std::abs(value) > 1) {
    value = std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  return result.ec != std::errc::invalid_argument && result.ptr == text.data() + text.size();
}

void AppendFloatText(ElementType type, uint64_t bits, std::string& out) {
  const double value = DecodeFloat(type, bits);
  if (std::isfinite(value)) {
    char buffer[64];
    // Seven digits are what MLIR writes where they are exact.
    std::to_chars_result end =
        std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific, 6);
    double back;
    const auto reads_back = [&] {
      return ReadDecimal(absl::string_view(buffer, end.ptr - buffer), back) &&
             EncodeFloat(type, back) == bits;
    };
    if (reads_back()) {
      out.append(buffer, end.ptr - buffer);
      return;
    }
    end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
    const absl::string_view digits(buffer, end.ptr - buffer);
    if (digits.find('.') != absl::string_view::npos && reads_back()) {
      out.append(digits.data(), digits.size());
      return;
    }
  }
  absl::StrAppendFormat(&out, "0x%X", bits);
}

std::string FloatText(ElementType type, uint64_t bits) {
  std::string out;
  AppendFloatText(type, bits, out);
  return out;
}

}  // namespace assay::stablehlo
