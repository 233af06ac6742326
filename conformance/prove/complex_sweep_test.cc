// Complex functions on and next to the axes, one and the ends of the range, and on random operands,
// against MPC. On demand: tools/prove --type c64 and c128.
#include "conformance/prove/complex_sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace assay::conformance::prove {
namespace {

void CheckComplex(const std::string& function, ElementType type, const std::vector<Element>& a,
                  const std::vector<Element>& b,
                  evaluator::RealTier tier = evaluator::RealTier::kExact) {
  SweepOptions options;
  options.first_tier = tier;
  const SweepResult result = SweepComplex(function, type, a, b, options);
  EXPECT_EQ(result.mismatches, 0) << function << " " << Name(type);
  const ElementType part = Info(type).component;
  for (const Mismatch& mismatch : result.first_mismatches) {
    const Element x = a[mismatch.input], y = b[mismatch.input];
    ADD_FAILURE() << function << " " << Name(type) << std::hexfloat << " ("
                  << DecodeFloat(part, x.bits) << ", " << DecodeFloat(part, x.imag) << "), ("
                  << DecodeFloat(part, y.bits) << ", " << DecodeFloat(part, y.imag) << ") is "
                  << DecodeFloat(part, mismatch.golden) << ", not "
                  << DecodeFloat(part, mismatch.expected);
  }
}

TEST(ComplexSweepTest, BoundaryOperands) {
  for (ElementType type : {ElementType::kC64, ElementType::kC128}) {
    const std::vector<Element> a = BoundaryOperands(type);
    std::vector<Element> b = a;
    std::shuffle(b.begin(), b.end(), std::mt19937_64(1));
    for (const std::string& function : ComplexFunctionNames()) {
      CheckComplex(function, type, a, b);
      // The side of a cut is kept by every tier.
      if (type == ElementType::kC64)
        CheckComplex(function, type, a, b, evaluator::RealTier::kBig192);
    }
  }
}

TEST(ComplexSweepTest, RandomOperands) {
  for (ElementType type : {ElementType::kC64, ElementType::kC128}) {
    const std::vector<Element> a = RandomOperands(type, 1000, 1), b = RandomOperands(type, 1000, 2);
    const std::vector<Element> few(a.begin(), a.begin() + 50);
    for (const std::string& function : ComplexFunctionNames()) {
      CheckComplex(function, type, a, b);
      CheckComplex(function, type, few, b, evaluator::RealTier::kBig192);
    }
  }
}

}  // namespace
}  // namespace assay::conformance::prove
