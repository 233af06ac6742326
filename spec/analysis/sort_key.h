// Comparators that compare one key: compare(f(a), f(b)) with LT or GT, where a and b are the left
// and the right value of one operand and f is the same scalar computation on both sides (nothing,
// or what frameworks write to bring NaNs and zeros in order). Tests: sort_key_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_SORT_KEY_H_
#define ASSAY_SPEC_ANALYSIS_SORT_KEY_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "spec/element/element_type.h"
#include "spec/ir/module.h"

namespace assay::analysis {

struct SortKey {
  int64_t operand = 0;
  ElementType type = ElementType::kInvalid;  // of f(a)
  bool total_order = false;                  // of floats
  bool descending = false;
  // f, of one parameter; null if the key is the element itself.
  std::shared_ptr<const Computation> function;
};

// Nullopt for any other comparator.
std::optional<SortKey> RecogniseSortKey(const Computation& comparator);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_SORT_KEY_H_
