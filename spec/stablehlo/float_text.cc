#include "spec/stablehlo/float_text.h"

#include <algorithm>
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

uint64_t EncodeDecimal(ElementType type, double value) {
  if (type != ElementType::kF8E8M0FNU) return EncodeFloat(type, value);
  constexpr int kBias = 127;
  constexpr uint64_t kNan = 0xFF;
  if (std::abs(value) < std::ldexp(1.0, -kBias)) return 0;
  if (!(value > 0) || std::isinf(value)) return kNan;
  int exponent;
  const double fraction = std::frexp(value, &exponent);  // in [0.5, 1)
  // value = fraction * 2 * 2^(exponent - 1); ties go up.
  const int field = exponent - 1 + kBias + (fraction >= 0.75 ? 1 : 0);
  return static_cast<uint64_t>(std::min<int>(field, static_cast<int>(kNan)));
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
             EncodeDecimal(type, back) == bits;
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
