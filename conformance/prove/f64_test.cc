// f64 functions where they are hardest to round, against MPFR with every tier forced: the published
// worst cases (hardest_f64.txt) and the families of arguments next to exact and midpoint results
// (reference accuracy_design.md 6).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "conformance/prove/hardest_f64.h"
#include "conformance/prove/references.h"
#include "conformance/prove/sweep.h"
#include "evaluator/real/mpfr_functions.h"

namespace assay::conformance::prove {
namespace {

using ::assay::evaluator::testing::ProvenPair;
using ::assay::evaluator::testing::SameValue;

constexpr ElementType kDoubleType = ElementType::kF64;
constexpr evaluator::RealTier kTiers[] = {
    evaluator::RealTier::kExact,  evaluator::RealTier::kDouble, evaluator::RealTier::kExtended,
    evaluator::RealTier::kQuad,   evaluator::RealTier::kBig192, evaluator::RealTier::kBig384,
    evaluator::RealTier::kBig768, evaluator::RealTier::kBig1536};

void CheckUnary(evaluator::RealFunction function, const std::vector<double>& arguments,
                evaluator::RealTier tier) {
  std::vector<uint64_t> inputs;
  for (double x : arguments) inputs.push_back(std::bit_cast<uint64_t>(x));
  SweepOptions options;
  options.first_tier = tier;
  const SweepResult result = SweepInputs(function, kDoubleType, inputs, options);
  EXPECT_EQ(result.tiers.undecided(), 0) << NameOf(function);
  for (const Mismatch& mismatch : result.first_mismatches) {
    ADD_FAILURE() << NameOf(function) << " of " << std::hexfloat
                  << std::bit_cast<double>(mismatch.input) << " from tier "
                  << static_cast<int>(tier) << " is " << std::bit_cast<double>(mismatch.golden)
                  << ", not " << std::bit_cast<double>(mismatch.expected);
  }
}

void CheckPair(evaluator::RealFunction2 function, double a, double b,
               const std::vector<evaluator::RealTier>& tiers) {
  const auto expected = ProvenPair(function, kDoubleType, a, b);
  for (evaluator::RealTier tier : tiers) {
    evaluator::RealContext context;
    context.first_tier = tier;
    const uint64_t actual =
        evaluator::EvaluateReal2(function, kDoubleType, {std::bit_cast<uint64_t>(a)},
                                 {std::bit_cast<uint64_t>(b)}, context)
            .bits;
    EXPECT_TRUE(expected && SameValue(kDoubleType, actual, *expected))
        << (function == evaluator::RealFunction2::kPower ? "power " : "atan2 ") << std::hexfloat
        << a << ", " << b << " from tier " << static_cast<int>(tier) << " is "
        << std::bit_cast<double>(actual);
  }
}

TEST(F64Test, PublishedWorstCases) {
  const auto hardest = HardestF64(ASSAY_SOURCE_DIR);
  EXPECT_EQ(hardest.size(), 20);  // every function but logistic and sqrt, and atan2
  for (const auto& [name, rows] : hardest) {
    if (name == "atan2") continue;
    const auto function = FunctionNamed(name.c_str());
    ASSERT_TRUE(function) << name;
    std::vector<double> arguments;
    for (const auto& row : rows) {
      arguments.push_back(row.at(0));
      if (SymmetryOf(*function) != Symmetry::kNone) arguments.push_back(-row[0]);
    }
    for (evaluator::RealTier tier : kTiers) CheckUnary(*function, arguments, tier);
  }
}

TEST(F64Test, PublishedWorstCasesOfTwoOperands) {
  const std::vector<evaluator::RealTier> tiers(std::begin(kTiers), std::end(kTiers));
  const auto hardest = HardestF64(ASSAY_SOURCE_DIR);
  for (const auto& row : hardest.at("atan2")) {
    CheckPair(evaluator::RealFunction2::kAtan2, row.at(0), row.at(1), tiers);
    CheckPair(evaluator::RealFunction2::kAtan2, row[0], -row[1], tiers);
  }
  const double power[][2] = {{0x1.ffffffffffffcp-1, 0x1.fffffffffffffp-2},
                             {0x1.ffffffffffffcp-1, -0x1.ffffffffffffdp-2},
                             {0x1.ffffffffffffp-1, -0x1.ffffffffffff6p-3},
                             {0x1.ffffffffffff8p-1, -0x1.ffffffffffffbp-3}};
  for (const auto& [x, y] : power) CheckPair(evaluator::RealFunction2::kPower, x, y, tiers);
}

// Short multiples of powers of two, around zero and around one, with their neighbours: results next
// to 1, 1/2, the argument or half of it, at every distance.
TEST(F64Test, FamiliesNextToExactResults) {
  std::vector<double> arguments;
  for (int k = -1074; k <= 10; k += k < -80 ? 31 : 1) {
    for (int j : {1, 3, 5, 7}) {
      const double x = std::ldexp(j, k), one = 1 + x;
      for (double y : {x, -x, std::nextafter(x, 2.0), -std::nextafter(x, 0.0)}) {
        arguments.push_back(y);
      }
      if (k > -54 && k < 0) arguments.insert(arguments.end(), {one, 1 - x});
    }
  }
  for (int i = 0; i < kProvenFunctions; ++i) {
    for (evaluator::RealTier tier : {evaluator::RealTier::kExact, evaluator::RealTier::kQuad}) {
      CheckUnary(static_cast<evaluator::RealFunction>(i), arguments, tier);
    }
  }
}

// The doubles next to multiples of pi / 2, and one that is next to a huge one.
TEST(F64Test, TrigonometricFunctionsAtTheirZeros) {
  std::vector<double> arguments = {6381956970095103.0 * 0x1p797, 0x1.921fb54442d18p+1000};
  for (int k = 1; k <= 100; ++k) {
    const double x = k * 0x1.921fb54442d18p+0;
    arguments.insert(arguments.end(), {x, -x, std::nextafter(x, 0.0), std::nextafter(x, 1e9)});
    arguments.push_back(std::ldexp(x, 10 * k - 900));
  }
  for (evaluator::RealFunction f : {evaluator::RealFunction::kSin, evaluator::RealFunction::kCos,
                                    evaluator::RealFunction::kTan}) {
    for (evaluator::RealTier tier :
         {evaluator::RealTier::kExact, evaluator::RealTier::kQuad, evaluator::RealTier::kBig192}) {
      CheckUnary(f, arguments, tier);
    }
  }
}

TEST(F64Test, PowerNextToItsExactResults) {
  const std::vector<evaluator::RealTier> tiers = {
      evaluator::RealTier::kExact, evaluator::RealTier::kQuad, evaluator::RealTier::kBig192};
  for (int j = 1; j <= 9; ++j) {
    for (double y : {0.5, 1.5, 2.5, -0.5, -1.5, 0.25, 1.25, 0x1p-40, -0x1p-60, 2.0, 3.0, 33.0}) {
      CheckPair(evaluator::RealFunction2::kPower, 1 + j * 0x1p-52, y, tiers);
      CheckPair(evaluator::RealFunction2::kPower, 1 - j * 0x1p-53, y, tiers);
      CheckPair(evaluator::RealFunction2::kPower, 2 * j + 1, y, tiers);
      CheckPair(evaluator::RealFunction2::kPower, std::ldexp(j * j, 2 * j - 40), y, tiers);
    }
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 3000; ++i) {
    const double x = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52,
                                static_cast<int>(random() % 40) - 20);
    const double y = std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -63) *
                     std::ldexp(1, static_cast<int>(random() % 70) - 60);
    CheckPair(evaluator::RealFunction2::kPower, x, y, {evaluator::RealTier::kExact});
    CheckPair(evaluator::RealFunction2::kAtan2, y, random() % 2 == 0 ? x : -x,
              {evaluator::RealTier::kExact});
  }
}

}  // namespace
}  // namespace assay::conformance::prove
