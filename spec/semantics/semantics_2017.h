// The profile of 2017: a module that means today what the given one meant by the document of 2017.
// Nobody who evaluates modules knows of it. What differs: docs/semantics_2017.md.
// Clauses: slice_2017_c1 no slice is empty       while_2017_c1 no loop calls another
// Tests: conformance/seeds/semantics_2017_test.cc.
#ifndef ASSAY_SPEC_SEMANTICS_SEMANTICS_2017_H_
#define ASSAY_SPEC_SEMANTICS_SEMANTICS_2017_H_

#include <memory>

#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay {

// INVALID_ARGUMENT, naming the instruction, for what 2017 did not allow. The result is not
// scheduled; names, annotations and the header stay.
absl::StatusOr<std::unique_ptr<Module>> With2017Semantics(const Module& module);

}  // namespace assay

#endif  // ASSAY_SPEC_SEMANTICS_SEMANTICS_2017_H_
