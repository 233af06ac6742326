// Which freedoms matter for a case that is made from a template: its operation, its type and its
// values say so. Tests: corpus_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_FREEDOM_TAGS_H_
#define ASSAY_CONFORMANCE_CORPUS_FREEDOM_TAGS_H_

#include <vector>

#include "conformance/corpus/value_profiles.h"
#include "conformance/judge/verdict.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Those whose use could be seen in the result of an instruction with such operands, sorted.
std::vector<Freedom> FreedomsAt(const Instruction& instruction, ValueProfile profile);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_FREEDOM_TAGS_H_
