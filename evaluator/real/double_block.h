// The double tier over arrays: the vector functions of the C library where the CPU and the library
// have them, one call after the other elsewhere. Tests: function_blocks_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_DOUBLE_BLOCK_H_
#define ASSAY_EVALUATOR_REAL_DOUBLE_BLOCK_H_

#include <cstdint>

#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

// How many elements go through a function at once. One is the C library's scalar function.
enum class Lanes : uint8_t { kOne, kFour, kEight };
// The most that this CPU and library have.
Lanes MostLanes();

// Arrays given below have room for a multiple of this many elements.
inline constexpr int64_t kMostLanes = 8;

// x[i] = f(x[i]) for `count` elements, within the bound of the double tier wherever the result is
// finite and not zero; `lanes` is at most MostLanes(). What lies behind the last element, up to a
// multiple of kMostLanes, is overwritten.
void DoubleBlock(RealFunction function, Lanes lanes, double* x, int64_t count);
// a[i] = f(a[i], b[i]).
void DoubleBlock(RealFunction2 function, Lanes lanes, double* a, double* b, int64_t count);

// What DoubleBlock calls where the library and the CPU have vectors of four and eight; whole
// vectors only.
void Block4(RealFunction function, double* x, int64_t length);
void Block8(RealFunction function, double* x, int64_t length);
void Block4(RealFunction2 function, double* a, const double* b, int64_t length);
void Block8(RealFunction2 function, double* a, const double* b, int64_t length);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_DOUBLE_BLOCK_H_
