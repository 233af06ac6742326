// Splits a fold of several arrays into independent folds if its reducer computes some results
// without the others: a sum beside a maximum is a sum and a maximum (reference ops_structural.md
// 0.4, 5.1). The flat form of the reducer decides. The reference interpreter evaluates recognised
// parts separately, and each part is judged by the rule of its own reducer. Tests:
// order_freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_FOLD_PARTS_H_
#define ASSAY_CONFORMANCE_JUDGE_FOLD_PARTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay::conformance {

struct FoldPart {
  std::vector<int64_t> arrays;    // the indices of the results of the fold that belong to the part
  std::vector<int64_t> operands;  // the indices of the operands of the fold that belong to the part
  std::unique_ptr<Module> module;  // a module whose root is the part
};

// Splits a reduce, reduce-window or scatter. Returns an empty list if it cannot be split.
std::vector<FoldPart> PartsOfFold(const Instruction& fold);

// A part, and the number among its arrays of one array of the whole fold.
struct ArrayOfPart {
  const FoldPart* part = nullptr;  // null: the array is in none of the parts
  size_t array = 0;
};
ArrayOfPart FindArray(absl::Span<const FoldPart> parts, size_t array);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_FOLD_PARTS_H_
