// Folds of several arrays whose reducer computes some results without the others, as folds of their
// own: a sum beside a maximum is a sum and a maximum (reference ops_structural.md 0.4, 5.1). The
// flat form of the reducer counts. Golden folds the parts that are recognised reducers by
// themselves; each part is judged by what is known of its own reducer. Tests:
// order_freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_FOLD_PARTS_H_
#define ASSAY_CONFORMANCE_JUDGE_FOLD_PARTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "spec/ir/module.h"

namespace assay {

struct FoldPart {
  std::vector<int64_t> arrays;     // results of the fold, which are those of the part, in order
  std::vector<int64_t> operands;   // of the fold, which are those of the part, in order
  std::unique_ptr<Module> module;  // whose root is the part
};

// Of reduce, reduce-window and scatter. Empty: it does not come apart.
std::vector<FoldPart> PartsOfFold(const Instruction& fold);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_FOLD_PARTS_H_
