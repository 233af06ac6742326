// rng-get-and-update-state, which needs no engine: it returns the state of the run and advances it.
// Source: reference ops_control_and_collectives.md 9. Tests: interpreter/random_test.cc.
#ifndef ASSAY_RUNTIME_RANDOM_EFFECT_H_
#define ASSAY_RUNTIME_RANDOM_EFFECT_H_

#include "runtime/effect.h"

namespace assay::runtime {

EffectOr PrepareRandomState(const Instruction& instruction);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_RANDOM_EFFECT_H_
