// How much a case computes, for those who run it on a simulator. Tests: tiers_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_WORK_H_
#define ASSAY_CONFORMANCE_CORPUS_WORK_H_

#include <cstdint>

#include "conformance/corpus/corpus_case.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Multiply-adds of a dot or a convolution; 0 of everything else. Saturates.
int64_t MultiplyAdds(const Instruction& instruction);

// The element operations of one process, roughly: multiply-adds of contractions, of everything else
// elements of results, windows and operands that are combined. A loop runs as often as the largest
// whole number in its condition says. Saturates.
int64_t WorkOf(const Module& module);
// The same of all processes of a case. 0 for one that is to be refused or cannot be read.
int64_t WorkOf(const CorpusCase& corpus_case);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_WORK_H_
