// A permutation that a record draws. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_PERMUTATION_H_
#define ASSAY_FUZZ_PROGRAMS_PERMUTATION_H_

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "fuzz/programs/choices.h"

namespace assay::fuzz {

// Returns the numbers below n in some order.
inline std::vector<int64_t> Permutation(Choices& choices, int64_t n) {
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t k = n - 1; k > 0; --k) std::swap(order[k], order[choices.Below(k + 1)]);
  return order;
}

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_PERMUTATION_H_
