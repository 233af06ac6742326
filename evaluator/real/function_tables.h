// Tables of the results for every operand of the small types. They are filled at first use by the
// code that computes one element. Tests: narrow_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_FUNCTION_TABLES_H_
#define ASSAY_EVALUATOR_REAL_FUNCTION_TABLES_H_

#include <cstdint>

#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

// Returns the 2^bits results for a float type of at most 16 bits, by bit pattern. Thread-safe.
const uint16_t* TableOf(RealFunction function, ElementType type);
// Returns the 2^(2 bits) results of kAtan2 or kPower for a float type of at most 8 bits. The first
// operand's bit pattern is the upper half of the index.
const uint8_t* TableOf(RealFunction2 function, ElementType type);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_FUNCTION_TABLES_H_
