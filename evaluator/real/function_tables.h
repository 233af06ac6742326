// Results for every operand of the small types, filled at first use by the code that computes one
// element. Tests: narrow_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_FUNCTION_TABLES_H_
#define ASSAY_EVALUATOR_REAL_FUNCTION_TABLES_H_

#include <cstdint>

#include "evaluator/real/real_functions.h"

namespace assay::real {

// 2^bits results of a float type of at most 16 bits, by pattern. Safe from several threads.
const uint16_t* TableOf(RealFunction function, ElementType type);
// 2^(2 bits) results of kAtan2 or kPower on a float type of at most 8 bits; the first operand's
// pattern is the upper half of the index.
const uint8_t* TableOf(RealFunction2 function, ElementType type);

}  // namespace assay::real

#endif  // ASSAY_EVALUATOR_REAL_FUNCTION_TABLES_H_
