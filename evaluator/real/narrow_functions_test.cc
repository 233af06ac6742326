// Every function on every value of the types of 8 bits and less, and of f16 and bf16, against MPFR.
// No result of these types lies closer than 2^-37 to a midpoint, relatively (reference
// accuracy_design.md 5), so 128 bits decide; f8e8m0fnu has 2^-127 as a boundary and needs more.
#include <gtest/gtest.h>

#include "evaluator/real/mpfr_functions.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator::narrow_functions_test {
namespace {

using ::assay::evaluator::testing::Expected;
using ::assay::evaluator::testing::kNamedFunctions;
using ::assay::evaluator::testing::NamedFunction;
using ::assay::evaluator::testing::SameValue;

// rsqrt(-0) is -inf here (decision F-3) and +inf in MPFR.
bool Differs(const NamedFunction& f, double x) {
  return f.function == RealFunction::kRsqrt && x == 0;
}

void CheckAll(ElementType type, mpfr_prec_t precision) {
  for (const NamedFunction& f : kNamedFunctions) {
    int failures = 0;
    for (uint64_t bits = 0; bits < uint64_t{1} << Info(type).bits; ++bits) {
      const double x = DecodeFloat(type, bits);
      if (Differs(f, x)) continue;
      const uint64_t expected = Expected(f, type, x, precision);
      const uint64_t actual = EvaluateReal(f.function, type, {bits, 0}).bits;
      if (!SameValue(type, actual, expected) && ++failures < 5) {
        ADD_FAILURE() << f.name << " " << Name(type) << " of " << x << " is " << actual << ", not "
                      << expected;
      }
    }
    EXPECT_EQ(failures, 0) << f.name << " " << Name(type);
  }
}

TEST(NarrowFunctionsTest, EveryValueOfTheTypesUpTo8Bits) {
  for (ElementType type : kArrayTypes) {
    if (IsFloat(type) && Info(type).bits <= 8) CheckAll(type, 512);
  }
}

TEST(NarrowFunctionsTest, F16) { CheckAll(ElementType::kF16, 128); }
TEST(NarrowFunctionsTest, BF16) { CheckAll(ElementType::kBF16, 128); }

}  // namespace
}  // namespace assay::evaluator::narrow_functions_test
