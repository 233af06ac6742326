// Sums and products of counts that stay at the largest number where they would exceed it: sizes
// come from programs that may never run. Test: saturating_test.cc.
#ifndef ASSAY_SPEC_ELEMENT_SATURATING_H_
#define ASSAY_SPEC_ELEMENT_SATURATING_H_

#include <cstdint>

namespace assay {

// Counts are not negative.
inline int64_t SaturatingSum(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

inline int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

}  // namespace assay

#endif  // ASSAY_SPEC_ELEMENT_SATURATING_H_
