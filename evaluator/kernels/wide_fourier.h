// For tests: discrete Fourier transforms as sums in Boost's floats of 200 digits.
#ifndef ASSAY_EVALUATOR_KERNELS_WIDE_FOURIER_H_
#define ASSAY_EVALUATOR_KERNELS_WIDE_FOURIER_H_

#include <boost/math/constants/constants.hpp>
#include <map>
#include <vector>

#include "evaluator/kernels/wide_oracle.h"

namespace assay::evaluator {

// e^(2 pi i t / order) for all t.
inline const std::vector<WideComplex>& WideRoots(int64_t order) {
  static auto* const roots = new std::map<int64_t, std::vector<WideComplex>>;
  std::vector<WideComplex>& list = (*roots)[order];
  if (!list.empty()) return list;
  const Wide turn = 2 * boost::math::constants::pi<Wide>() / order;
  const WideComplex step = {cos(turn), sin(turn)};
  list.push_back({1, 0});
  for (int64_t t = 1; t < order; ++t) list.push_back(list.back() * step);
  return list;
}

// One axis of a transform, without division.
inline std::vector<WideComplex> WideTransform(const std::vector<WideComplex>& x, bool inverse) {
  const auto n = static_cast<int64_t>(x.size());
  const std::vector<WideComplex>& roots = WideRoots(n);
  std::vector<WideComplex> result(n);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) {
      result[k] = result[k] + x[j] * roots[(inverse ? j : n - j) * k % n];
    }
  }
  return result;
}

// Along the axis of this length and stride of every block.
inline void WideAxis(std::vector<WideComplex>& x, int64_t n, int64_t stride, bool inverse) {
  const auto size = static_cast<int64_t>(x.size());
  for (int64_t i = 0; i < size; ++i) {
    if (i / stride % n != 0) continue;
    std::vector<WideComplex> line(n);
    for (int64_t k = 0; k < n; ++k) line[k] = x[i + k * stride];
    line = WideTransform(line, inverse);
    for (int64_t k = 0; k < n; ++k) x[i + k * stride] = line[k];
  }
}

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_KERNELS_WIDE_FOURIER_H_
