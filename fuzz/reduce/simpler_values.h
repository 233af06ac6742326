// Simpler values in the place of an element: 0, 1, an integer, a power of two, the least denormal.
// Private to fuzz/reduce. Tests: reducer_test.cc.
#ifndef ASSAY_FUZZ_REDUCE_SIMPLER_VALUES_H_
#define ASSAY_FUZZ_REDUCE_SIMPLER_VALUES_H_

#include "spec/element/element.h"

namespace assay::fuzz {

// Return the bits of the simpler value for an element of a type that is not complex. Return the
// same bits if the element is as simple, or if the value says nothing of it: NaN and infinities
// have no integer.
using SimplerValue = uint64_t (*)(ElementType type, uint64_t bits);
uint64_t Zero(ElementType type, uint64_t bits);
uint64_t One(ElementType type, uint64_t bits);
uint64_t NearestInteger(ElementType type, uint64_t bits);     // towards 0
uint64_t NearestPowerOfTwo(ElementType type, uint64_t bits);  // towards 0
uint64_t LeastDenormal(ElementType type, uint64_t bits);      // of a denormal

// In the order from the simplest.
inline constexpr SimplerValue kSimplerValues[] = {Zero, One, NearestInteger, LeastDenormal,
                                                  NearestPowerOfTwo};

// The same for both parts of a complex element.
Element SimplerElement(ElementType type, Element element, SimplerValue simpler);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_SIMPLER_VALUES_H_
