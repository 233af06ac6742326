// Where kernels change their way, and how many undecided elements they note.
#include <gtest/gtest.h>

#include <vector>

#include "evaluator/kernels/cell_fold.h"
#include "evaluator/kernels/contraction.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/sort_items.h"

namespace assay::evaluator::kernels {
namespace {

TEST(KernelLimits, AThousandUndecidedElementsAreNoted) {
  EvaluationContext context;
  std::vector<UndecidedElement> noted;
  context.undecided = &noted;
  const Shape shape(ElementType::kF32, {2000});
  std::vector<float> values(2000);
  auto* data = reinterpret_cast<std::byte*>(values.data());
  Meter meter(context, MutableArrayRef{&shape, data});
  for (int i = 0; i < 1001; ++i) meter.NoteUndecided(data + 4 * i, {1}, {2});
  EXPECT_EQ(context.real_stats.undecided(), 1001);
  ASSERT_EQ(noted.size(), 1000u);
  EXPECT_EQ(noted.back().position, 999);
}

TEST(KernelLimits, PositionsOf32Bits) {
  constexpr int64_t kMost = (int64_t{1} << 32) - 1;
  EXPECT_TRUE(FitsIn32Bits(0, 0));
  EXPECT_TRUE(FitsIn32Bits(kMost, kMost));
  EXPECT_FALSE(FitsIn32Bits(kMost + 1, 0));
  EXPECT_FALSE(FitsIn32Bits(0, kMost + 1));
}

TEST(KernelLimits, ManyUpdates) {
  EXPECT_FALSE(AreMany(0, 4096));
  EXPECT_TRUE(AreMany(0, 4097));
  EXPECT_TRUE(AreMany(16 * 5000, 5001));
  EXPECT_FALSE(AreMany(16 * 5000, 5000));
}

TEST(KernelLimits, LinesThatAreSortedByCounting) {
  EXPECT_FALSE(CountingSort::Suits(ElementType::kS8, 255));
  EXPECT_TRUE(CountingSort::Suits(ElementType::kS8, 256));
  EXPECT_FALSE(CountingSort::Suits(ElementType::kBF16, 65535));
  EXPECT_TRUE(CountingSort::Suits(ElementType::kBF16, 65536));
  EXPECT_FALSE(CountingSort::Suits(ElementType::kF32, int64_t{1} << 40));
}

// A factor that is scaled takes four bytes more: 15 of the columns.
TEST(KernelLimits, ScratchOfScaledContractions) {
  const auto types = ContractionTypes::For(ElementType::kF32, ElementType::kF32, ElementType::kF32);
  ASSERT_TRUE(types.has_value());
  const int64_t plain = Contraction::MostScratch(*types, 2, 3, 5);
  EXPECT_EQ(plain, Contraction::MostScratch(*types, 2, 3, 5, false));
  EXPECT_EQ(plain + 60, Contraction::MostScratch(*types, 2, 3, 5, true));
}

}  // namespace
}  // namespace assay::evaluator::kernels
