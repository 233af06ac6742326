#include "backends/cpu/vector/wide_power.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace assay::cpu {
namespace {

namespace mp = boost::multiprecision;
// An angle is below 2^1035; 150 bits are left behind its point.
using Wide = mp::number<mp::cpp_bin_float<1216, mp::digit_base_2, void, int32_t>, mp::et_off>;

// e^re times a factor of at most 1, which keeps its sign where it is beyond the range.
double Part(const Wide& re, const Wide& factor) {
  if (re > 2000) return std::copysign(std::numeric_limits<double>::infinity(), factor.sign());
  if (re < -2000) return std::copysign(0.0, factor.sign());
  const Wide value = mp::exp(re) * factor;
  if (mp::abs(value) >= mp::ldexp(Wide(1), 1024)) {
    return std::copysign(std::numeric_limits<double>::infinity(), factor.sign());
  }
  return value.convert_to<double>();
}

}  // namespace

void WidePower(double a, double b, double c, double d, double* re, double* im) {
  const Wide log = mp::log(Wide(a) * a + Wide(b) * b) / 2;
  const Wide turn = mp::atan2(Wide(b), Wide(a));
  const Wide size = log * c - turn * d, angle = log * d + turn * c;
  *re = Part(size, mp::cos(angle));
  *im = Part(size, mp::sin(angle));
}

}  // namespace assay::cpu
