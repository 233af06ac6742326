// The properties of the StableHLO readers for any input: they reject it with a proper error or
// return a program. Every printed form of a legal program is read back as the same program, and
// every written artifact is read back. Run over the seeds by the tests fuzz_stablehlo_text and
// fuzz_stablehlo_bytecode.
#ifndef ASSAY_FUZZ_STABLEHLO_PROPERTIES_H_
#define ASSAY_FUZZ_STABLEHLO_PROPERTIES_H_

#include "spec/stablehlo/tree.h"

namespace assay::fuzz {

// Aborts if a property does not hold (properties.h).
void RequireStablehloProperties(const stablehlo::Program& program);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_STABLEHLO_PROPERTIES_H_
