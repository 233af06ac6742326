// The kernel of rng-bit-generator against its definition: every small shape, batches that end
// inside a line, every width.
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "evaluator/kernels/differential.h"

namespace assay::evaluator {
namespace {

void Check(Differential& differential, ElementType type, const std::vector<int64_t>& sizes) {
  const std::string bits = ShapeText(type, absl::StrJoin(sizes, ","));
  struct {
    const char* algorithm;
    const char* state;
  } const kAlgorithms[] = {{"rng_three_fry", "u64[2]"},
                           {"rng_philox", "u64[2]"},
                           {"rng_philox", "u64[3]"},
                           {"rng_default", "u64[3]"}};
  for (const auto& [algorithm, state] : kAlgorithms) {
    differential.Check(
        {absl::StrCat("(", state, ", ", bits, ") rng-bit-generator(p0), algorithm=", algorithm),
         {state},
         "",
         {}},
        {Profile::kBits});
  }
}

TEST(RandomKernels, EverySmallShape) {
  Differential differential;
  for (const ElementType type : {ElementType::kU64, ElementType::kU32, ElementType::kU8}) {
    Check(differential, type, {});
    for (int64_t a = 0; a < 6; ++a) {
      Check(differential, type, {a});
      for (int64_t b = 0; b < 6; ++b) {
        Check(differential, type, {a, b});
        for (int64_t c = 0; c < 4; ++c) Check(differential, type, {a, b, c});
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(RandomKernels, EveryTypeAndManyBatches) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    if (IsPred(type) || IsComplex(type)) continue;
    for (const std::vector<int64_t>& sizes : std::vector<std::vector<int64_t>>{
             {1031}, {1024}, {7, 3, 29}, {3, 5, 301}, {5, 1100}, {1100, 5}}) {
      Check(differential, type, sizes);
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(differential.fallbacks(), 0);
}

}  // namespace
}  // namespace assay::evaluator
