// Machin-like series in integers. Tests: big_tier_test.cc.
#include "evaluator/real/big_constants.h"

namespace assay::evaluator::real {
namespace {

using Integer = boost::multiprecision::cpp_int;

constexpr int kGuardBits = 64;
constexpr int kWorkBits = kConstantBits + kGuardBits;

// 2^kWorkBits * (1/n -+ 1/(3 n^3) + 1/(5 n^5) ...): arctan(1/n) when `alternate`, artanh(1/n)
// otherwise. Each of the < 2^11 terms is cut by less than one unit.
Integer InverseSeries(unsigned n, bool alternate) {
  Integer power = (Integer(1) << kWorkBits) / n;
  Integer sum = power;
  const unsigned square = n * n;
  bool negative = false;
  for (unsigned k = 3; power != 0; k += 2) {
    power /= square;
    negative = alternate && !negative;
    if (negative) {
      sum -= power / k;
    } else {
      sum += power / k;
    }
  }
  return sum;
}

Integer WorkPi() { return 16 * InverseSeries(5, true) - 4 * InverseSeries(239, true); }

}  // namespace

const Integer& PiInteger() {
  static const Integer value = WorkPi() >> kGuardBits;
  return value;
}

const Integer& TwoOverPiInteger() {
  static const Integer value = ((Integer(1) << (2 * kWorkBits + 1)) / WorkPi()) >> kGuardBits;
  return value;
}

const Integer& Ln2Integer() {
  static const Integer value = (18 * InverseSeries(26, false) - 2 * InverseSeries(4801, false) +
                                8 * InverseSeries(8749, false)) >>
                               kGuardBits;
  return value;
}

}  // namespace assay::evaluator::real
