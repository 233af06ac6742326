// Power and atan2 of every pair of values of every float type of at most 8 bits, against MPFR: as
// blocks, which look the results up in tables, and now and then with the tiers forced. (The other
// functions of two operands: evaluator/scalar/float_ops_test.cc.)
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "evaluator/real/mpfr_functions.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator::narrow_pairs_test {
namespace {

using ::assay::evaluator::testing::ProvenPair;
using ::assay::evaluator::testing::SameValue;

void CheckPairs(RealFunction2 function, ElementType type) {
  const int values = 1 << Info(type).bits;
  std::vector<double> decoded(values);
  for (int i = 0; i < values; ++i) decoded[i] = DecodeFloat(type, i);
  std::vector<std::byte> a(values * values), b(a.size()), out(a.size());
  for (int i = 0; i < values * values; ++i) {
    a[i] = static_cast<std::byte>(i / values);
    b[i] = static_cast<std::byte>(i % values);
  }
  EvaluateBlock2(function, type, a.data(), b.data(), out.data(), values * values);
  int failures = 0;
  for (int i = 0; i < values * values; ++i) {
    const double x = decoded[i / values], y = decoded[i % values];
    const auto expected = ProvenPair(function, type, x, y);
    const auto actual = static_cast<uint64_t>(out[i]);
    const bool right = expected && SameValue(type, actual, *expected);
    if (!right && ++failures < 5) {
      ADD_FAILURE() << (function == RealFunction2::kPower ? "power " : "atan2 ") << Name(type)
                    << " of " << x << ", " << y << " is " << actual << ", not "
                    << expected.value_or(~uint64_t{0});
    }
    if (i % 97 != 0 || !expected) continue;
    for (RealTier tier : {RealTier::kDouble, RealTier::kQuad, RealTier::kBig192}) {
      RealContext context;
      context.first_tier = tier;
      const Element element = EvaluateReal2(function, type, {static_cast<uint64_t>(a[i])},
                                            {static_cast<uint64_t>(b[i])}, context);
      EXPECT_TRUE(SameValue(type, element.bits, *expected)) << Name(type) << " " << x << ", " << y;
    }
  }
  EXPECT_EQ(failures, 0) << Name(type);
}

TEST(NarrowPairsTest, Power) {
  for (ElementType type : kArrayTypes) {
    if (IsFloat(type) && Info(type).bits <= 8) CheckPairs(RealFunction2::kPower, type);
  }
}

TEST(NarrowPairsTest, Atan2) {
  for (ElementType type : kArrayTypes) {
    if (IsFloat(type) && Info(type).bits <= 8) CheckPairs(RealFunction2::kAtan2, type);
  }
}

}  // namespace
}  // namespace assay::evaluator::narrow_pairs_test
