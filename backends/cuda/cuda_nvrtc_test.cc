// What NVRTC makes of the text of a fusion for three targets. Skipped where NVRTC is missing.
#include <string>

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
  const auto ptx = (*nvrtc)->Compile(text, "compute_80");
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  EXPECT_THAT(*ptx, ::testing::HasSubstr(".entry AssayFusion"));
  // A product and a sum stay two operations.
  for (const char* forbidden : {"approx", ".ftz", ".full", "fma.rn"}) {
    EXPECT_THAT(*ptx, ::testing::Not(::testing::HasSubstr(forbidden)));
  }
  EXPECT_FALSE((*nvrtc)->Compile("no program", "sm_90").ok());
}

}  // namespace
}  // namespace assay::cuda::nvrtc_test
