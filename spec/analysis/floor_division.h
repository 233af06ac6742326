// Division that rounds down, where the operators of C++ round towards zero.
// Tests: those of window_taps.h.
#ifndef ASSAY_SPEC_ANALYSIS_FLOOR_DIVISION_H_
#define ASSAY_SPEC_ANALYSIS_FLOOR_DIVISION_H_

#include <cstdint>

namespace assay::analysis {

inline int64_t FloorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// Returns the remainder in [0, b) for a positive b.
inline int64_t FloorModulo(__int128 a, int64_t b) {
  const auto rest = static_cast<int64_t>(a % b);
  return rest < 0 ? rest + b : rest;
}

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_FLOOR_DIVISION_H_
