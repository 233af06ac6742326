// Executables with a defect that only a second execution shows. Tests: score_test.cc.
#ifndef ASSAY_CONFORMANCE_MUTANTS_STATE_MUTANTS_H_
#define ASSAY_CONFORMANCE_MUTANTS_STATE_MUTANTS_H_

#include <memory>

#include "backends/backend.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {

// The executable with the defect, which is not kNone.
std::unique_ptr<Executable> MakeStateful(StateDefect defect, std::unique_ptr<Executable> golden);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_MUTANTS_STATE_MUTANTS_H_
