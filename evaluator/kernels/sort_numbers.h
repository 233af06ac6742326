// The keys of a sort as numbers: a line whose comparator compares one key
// (spec/analysis/sort_key.h) is sorted by them. Tests: sorting_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_SORT_NUMBERS_H_
#define ASSAY_EVALUATOR_KERNELS_SORT_NUMBERS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "evaluator/region/scalar_program.h"
#include "spec/analysis/sort_key.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {

struct SortNumbers : analysis::SortKey {
  std::shared_ptr<const ScalarProgram> program;  // of `function`; null: the element itself

  // Returns nullopt if the comparator does not compare one key.
  static std::optional<SortNumbers> ForComparator(const Computation& comparator);

  // NumberOf the key of an element; `registers` is scratch.
  std::optional<uint64_t> Number(Element element, std::vector<Element>& registers,
                                 EvaluationContext& context) const;
  // Returns a number that is smaller for what goes first, equal for what is equivalent, from the
  // bit pattern of a key. Nullopt for a NaN that takes part in no order.
  std::optional<uint64_t> NumberOf(uint64_t bits) const;
  // Returns a 32-bit number of the same order, for types of at most 32 bits.
  uint32_t Narrow(uint64_t number) const {
    if (!IsFloat(type) && !IsSigned(type)) return static_cast<uint32_t>(number);
    // The NaN of some 8-bit types lies far below everything else.
    const auto centred = static_cast<int64_t>(number ^ uint64_t{1} << 63);
    constexpr int64_t kHalf = int64_t{1} << 31;
    return static_cast<uint32_t>(std::clamp(centred, -kHalf, kHalf - 1) + kHalf);
  }
  // The number of steps of the program for one element.
  int64_t step_count() const { return program == nullptr ? 0 : program->step_count(); }
};

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_SORT_NUMBERS_H_
