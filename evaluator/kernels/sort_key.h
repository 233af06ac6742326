// Comparators that compare one key: compare(f(a), f(b)) with LT or GT, where a and b are the left
// and the right value of one operand and f is the same scalar computation on both sides (nothing,
// or what frameworks write to bring NaNs and zeros in order). Such a line is sorted by numbers.
// Tests: sorting_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_SORT_KEY_H_
#define ASSAY_EVALUATOR_KERNELS_SORT_KEY_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

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

  // SortNumber of f(element); `registers` is scratch.
  std::optional<uint64_t> Number(Element element, std::vector<Element>& registers,
                                 EvaluationContext& context) const;
  // Of a type of at most 32 bits: a number of the same order in 32 bits.
  uint32_t Narrow(uint64_t number) const {
    if (!IsFloat(type) && !IsSigned(type)) return static_cast<uint32_t>(number);
    // The NaN of some 8-bit types lies far below everything else.
    const auto centred = static_cast<int64_t>(number ^ uint64_t{1} << 63);
    constexpr int64_t kHalf = int64_t{1} << 31;
    return static_cast<uint32_t>(std::clamp(centred, -kHalf, kHalf - 1) + kHalf);
  }
};

// Nullopt for any other comparator.
std::optional<SortKey> RecogniseSortKey(const Computation& comparator);

// A number that is smaller for what goes first; equal for what is equivalent. Nullopt for a NaN
// that takes part in no order.
std::optional<uint64_t> SortNumber(const SortKey& key, uint64_t bits);

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_SORT_KEY_H_
