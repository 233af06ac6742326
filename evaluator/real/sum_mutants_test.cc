// Shows that the tests of sums detect a bound that is too small: rounded_sum.cc is built with
// bounds (testing/small_bounds) that shrink until the families of sum_proof_test.cc give wrong
// results.
#include <gtest/gtest.h>

#include "evaluator/real/rounded_sum.h"
#include "evaluator/real/sum_bounds.h"
#include "evaluator/real/sum_families.h"
#include "runtime/float_environment.h"

namespace assay::evaluator {
namespace {

using ::assay::evaluator::testing::IntegerSum;
using ::assay::evaluator::testing::Products;

// The sum in double as DecideF32 wants it; true where that decides for something else.
bool IsRunningWrong(const Products& terms, uint64_t want) {
  double s = -0.0, errors = 0;
  for (int64_t i = 0; i < terms.size(); ++i) AddRunning(terms.a[i] * terms.b[i], s, errors);
  uint64_t rounded = want;
  return DecideF32(s, errors, &rounded) && rounded != want;
}

// Sums of these terms that come out wrong: a dot, the columns of a block, a running sum.
int Wrong(ElementType type, FactorWidth width, const Products& terms) {
  const uint64_t want = IntegerSum::Of(terms).Round(type);
  constexpr int64_t kColumns = 8;
  std::vector<double> columns;
  for (double b : terms.b) columns.insert(columns.end(), kColumns, b);
  uint64_t out[kColumns];
  RoundedDotBlock(type, width, terms.a.data(), 1, columns.data(), kColumns, terms.size(), kColumns,
                  out);
  const uint64_t dot = RoundedDot(type, width, terms.a.data(), 1, terms.b.data(), 1, terms.size());
  const bool running = type == ElementType::kF32 && IsRunningWrong(terms, want);
  return static_cast<int>(dot != want) + static_cast<int>(out[0] != want) +
         static_cast<int>(running);
}

struct Mutant {
  const char* bound;
  double& scale;
  ElementType type;
  FactorWidth width;
  std::vector<Products> families;
  double noticed;  // the largest of these powers of two at which the bound is caught
};

TEST(SumMutantsTest, EveryBoundIsCaughtWhereItLies) {
  const runtime::FloatEnvironmentGuard guard;
  const Mutant mutants[] = {
      {"quick",
       sum_bounds::quick_scale,
       ElementType::kF32,
       FactorWidth::kUpTo32Bits,
       {testing::LosesHalfUlps(1000, 1), testing::LosesHalfUlps(1000, 16)},
       0x1p-2},
      {"running",
       sum_bounds::running_scale,
       ElementType::kF32,
       FactorWidth::kUpTo32Bits,
       {testing::LosesHalfUlps(1000, 1)},
       0x1p-2},
      {"second",
       sum_bounds::second_scale,
       ElementType::kF64,
       FactorWidth::k64Bits,
       {testing::LosesErrors(1000, 1), testing::LosesErrors(1000, 8)},
       0x1p-3},
      {"underflow",
       sum_bounds::underflow_scale,
       ElementType::kF64,
       FactorWidth::k64Bits,
       {testing::LosesUnderflow()},
       0x1p-10},
  };
  for (const Mutant& mutant : mutants) {
    for (const Products& family : mutant.families) {
      EXPECT_EQ(Wrong(mutant.type, mutant.width, family), 0) << mutant.bound << " as it is";
    }
    mutant.scale = mutant.noticed;
    int wrong = 0;
    for (const Products& family : mutant.families) {
      wrong += Wrong(mutant.type, mutant.width, family);
    }
    EXPECT_GT(wrong, 0) << mutant.bound << " times " << mutant.noticed;
    mutant.scale = 1;
  }
}

}  // namespace
}  // namespace assay::evaluator
