// What NVRTC makes of the text of a fusion for three targets. Skipped where NVRTC is missing.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/cuda/testing/fused_program.h"
#include "backends/cuda/testing/programs.h"
#include "backends/cuda/text/fusion_text.h"
#include "backends/cuda/text/text_kernels.h"
#include "gmock/gmock.h"

namespace assay::cuda::nvrtc_test {
namespace {

TEST(CudaNvrtc, CompilesFusionsWithoutApproximations) {
  const auto nvrtc = text::LoadNvrtc();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status().message();
  const auto module = testing::ParsedModule(testing::kFused);
  const KernelPlan plan = testing::FusedPlan(*module);
  const std::string text = *text::FusionText(plan.launches[0], plan);
  for (const char* target : {"sm_80", "sm_90", "sm_100"}) {
    const auto image = (*nvrtc)->Compile(text, target);
    ASSERT_TRUE(image.ok()) << image.status();
    EXPECT_EQ(image->substr(1, 3), "ELF") << target;
  }
  const auto compiled = (*nvrtc)->CompileWithPtx(text, "sm_80");
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_EQ(compiled->image.substr(1, 3), "ELF");
  const auto ptx = (*nvrtc)->Compile(text, "compute_80");
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  EXPECT_EQ(*ptx, compiled->ptx);
  EXPECT_THAT(*ptx, ::testing::HasSubstr(".entry AssayFusion"));
  // A product and a sum stay two operations.
  for (const char* forbidden : {"approx", ".ftz", ".full", "fma.rn"}) {
    EXPECT_THAT(*ptx, ::testing::Not(::testing::HasSubstr(forbidden)));
  }
  EXPECT_FALSE((*nvrtc)->Compile("no program", "sm_90").ok());
}

// What the kernels write as Fma bears a mark, if the source asks for it.
TEST(CudaNvrtc, MarksWrittenFma) {
  const auto nvrtc = text::LoadNvrtc();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status().message();
  const auto module = testing::ParsedModule(testing::kExponential);
  const KernelPlan plan = testing::FusedPlan(*module);
  const std::string text = *text::FusionText(plan.launches[0], plan);
  for (const bool is_marked : {false, true}) {
    const auto ptx = (*nvrtc)->Compile(
        absl::StrCat(is_marked ? "#define ASSAY_CUDA_MARKED_FMA\n" : "", text), "compute_80");
    ASSERT_TRUE(ptx.ok()) << ptx.status();
    int written = 0, others = 0;
    for (const absl::string_view line : absl::StrSplit(*ptx, '\n')) {
      if (!absl::StrContains(line, "fma.")) continue;
      ++(absl::StrContains(line, "// written") ? written : others);
    }
    EXPECT_GT(is_marked ? written : others, 0);
    EXPECT_EQ(is_marked ? others : written, 0) << *ptx;
  }
}

}  // namespace
}  // namespace assay::cuda::nvrtc_test
