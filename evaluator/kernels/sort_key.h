// Comparators that compare one key: compare(f(a), f(b)) with LT or GT, where a and b are the left
// and the right value of one operand and f is the same scalar computation on both sides (nothing,
// or what frameworks write to bring NaNs and zeros in order). Such a line is sorted by numbers.
// Tests: folding_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_SORT_KEY_H_
#define ASSAY_EVALUATOR_KERNELS_SORT_KEY_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "evaluator/region/scalar_program.h"
#include "spec/element/element.h"
#include "spec/ir/module.h"

namespace assay::kernels {

struct SortKey {
  int64_t operand = 0;
  ElementType type = ElementType::kInvalid;  // of f(a)
  bool total_order = false;                  // of floats
  bool descending = false;
  std::shared_ptr<const ScalarProgram> f;  // null: the element itself
};

// Nullopt for any other comparator.
std::optional<SortKey> RecogniseSortKey(const Computation& comparator);

// A number that is smaller for what goes first; equal for what is equivalent. Nullopt for a NaN
// that takes part in no order.
std::optional<uint64_t> SortNumber(const SortKey& key, uint64_t bits);

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_SORT_KEY_H_
