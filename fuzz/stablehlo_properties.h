// What the readers of StableHLO owe to any input: an honest refusal, or a program. Every printed
// form of a legal program is read back as the same program, and every artifact that is written is
// read back. Run over the seeds by the tests fuzz_stablehlo_text and fuzz_stablehlo_bytecode.
#ifndef ASSAY_FUZZ_STABLEHLO_PROPERTIES_H_
#define ASSAY_FUZZ_STABLEHLO_PROPERTIES_H_

#include "spec/stablehlo/tree.h"

namespace assay {

// Aborts with the property that does not hold (properties.h).
void RequireStablehloProperties(const stablehlo::Program& program);

}  // namespace assay

#endif  // ASSAY_FUZZ_STABLEHLO_PROPERTIES_H_
