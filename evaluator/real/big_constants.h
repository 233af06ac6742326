// pi, 2/pi and ln 2 as long integers, computed once with integer series.
#ifndef ASSAY_EVALUATOR_REAL_BIG_CONSTANTS_H_
#define ASSAY_EVALUATOR_REAL_BIG_CONSTANTS_H_

#include <boost/multiprecision/cpp_int.hpp>

namespace assay::evaluator::real {

// Fraction bits of the constants below. Argument reduction of a double to W bits needs
// 1024 + W + 128, and W is 1600 at most.
inline constexpr int kConstantBits = 2816;

// Each is the constant times 2^kConstantBits, rounded down, at most 4 units off.
const boost::multiprecision::cpp_int& PiInteger();
const boost::multiprecision::cpp_int& TwoOverPiInteger();
const boost::multiprecision::cpp_int& Ln2Integer();

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_BIG_CONSTANTS_H_
