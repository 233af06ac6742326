#include "backends/cpu/vector/precision_rule.h"

#include <algorithm>

#include "spec/element/float_formats.h"

namespace assay::cpu {

PrecisionRule MakePrecisionRule(ElementType type, int64_t exponent_bits, int64_t mantissa_bits) {
  using namespace float_formats;
  const FloatFormat& f = *Info(type).format;
  PrecisionRule rule;
  rule.sign_mask = SignMask(f);
  const uint64_t magnitude_mask = MagnitudeMask(f);
  rule.nan_above = magnitude_mask;
  rule.nan_pattern = ~uint64_t{0};  // no pattern of at most 64 bits that is not a NaN
  if (f.nan == NanEncoding::kIeee) rule.nan_above = InfinityPattern(f);
  if (f.nan == NanEncoding::kAllOnes) rule.nan_above = magnitude_mask - 1;
  if (f.nan == NanEncoding::kNegativeZero) rule.nan_pattern = NanPattern(f, false);
  rule.infinity = f.has_infinity ? InfinityPattern(f) : ~uint64_t{0};
  rule.nan_overflows = mantissa_bits == 0 && f.has_infinity;
  const int m = f.significand_bits;
  rule.dropped_bits = static_cast<int>(std::max<int64_t>(0, m - mantissa_bits));
  rule.overflow_from = MaxFinitePattern(f) + 1;
  if (f.has_sign) rule.zero_below = 1;
  if (exponent_bits < f.exponent_bits) {
    const int64_t reach = (int64_t{1} << (exponent_bits - 1)) - 1;
    const int64_t lowest = f.bias - reach + 1;  // fields from here are kept
    const int64_t highest = f.bias + reach;     // fields to here
    if (lowest > 0) rule.zero_below = static_cast<uint64_t>(lowest) << m;
    rule.overflow_from = std::min(rule.overflow_from, static_cast<uint64_t>(highest + 1) << m);
  }
  rule.overflow_pattern = OverflowPattern(f, false);
  rule.overflow_sign = OverflowPattern(f, true) ^ rule.overflow_pattern;
  rule.zero_pattern = ZeroPattern(f, false);
  rule.zero_sign = ZeroPattern(f, true) ^ rule.zero_pattern;
  return rule;
}

}  // namespace assay::cpu
