// What the algorithms of dot mean: the element types that each is for, and what an implementation
// may return with it (spec/ir/dot_algorithms.def). The golden value is the exact one with each of
// them. With S the sum of the magnitudes of n products, an implementation lies within
//   undeclared * S + (products * n - 1) * 2^-accumulator_bits * S
// and the rounding of the result; where a factor that is cut is infinite, NaN is admitted too.
// Source: reference accuracy_requirements.md 4 "Algorithms", ops_structural.md 7.2, 14.4.
// Tests: dot_algorithms_test.cc.
#ifndef ASSAY_SPEC_OPS_DOT_ALGORITHMS_H_
#define ASSAY_SPEC_OPS_DOT_ALGORITHMS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "spec/element/element_type.h"

namespace assay {

struct DotAlgorithm {
  absl::string_view word;  // as the attribute is written
  bool (*takes)(ElementType operand);
  bool (*gives)(ElementType result);
  int accumulator_bits;  // 0: nothing is said
  int part_bits;         // 0: operands are taken whole
  int parts;
  int products;
  // Relative errors of what is kept of a product: parts rounded, all but the last truncated, all
  // truncated, and that of a target that does not say.
  double rounded, mixed, truncated, undeclared;
};

// By the number of the attribute's value.
const DotAlgorithm& DotAlgorithmOf(int64_t number);

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_DOT_ALGORITHMS_H_
