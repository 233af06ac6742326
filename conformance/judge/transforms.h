// Properties of single coefficients that follow from the formula of a Fourier transform. Tests:
// overflow_test.cc, linear_algebra_enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_TRANSFORMS_H_
#define ASSAY_CONFORMANCE_JUDGE_TRANSFORMS_H_

#include <cstdint>

#include "spec/ir/module.h"

namespace assay::conformance {

// Returns true if element `i` of the result adds real numbers with the factors 1 and -1 alone: bin
// 0 of a real transform of one dimension, and the last bin if its length is even. Nothing reaches
// its imaginary part but what a number that is not finite makes of a factor 0 (structural_53).
inline bool IsSumOfReals(const Instruction& fft, int64_t i) {
  const absl::Span<const int64_t> lengths = fft.GetInts(Attr::kFftLength);
  if (fft.GetEnum<FftType>(Attr::kFftType) != FftType::kRfft || lengths.size() != 1) return false;
  const int64_t bin = i % (lengths[0] / 2 + 1);
  return bin == 0 || 2 * bin == lengths[0];
}

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_TRANSFORMS_H_
