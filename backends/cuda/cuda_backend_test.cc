// The backend over the emulated runtime: plans run on devices, options are read, and what has no
// kernel is refused by name.
#include "backends/cuda/cuda_backend.h"

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "backends/cuda/emulator/testing/kernels.h"
#include "backends/cuda/plan_runner.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::cuda {
namespace {

using ::testing::HasSubstr;

TEST(CudaBackend, ReadsTheOptionsOfTheEmulator) {
  const auto options =
      ParseEmulatorOptions("seed=3,schedule=run-ahead,devices=2,memory=100,blocks=1");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->seed, 3u);
  EXPECT_EQ(options->schedule, cuda::emulator::Schedule::kRunAhead);
  EXPECT_EQ(options->devices, 2);
  EXPECT_EQ(options->device_bytes, 100);
  EXPECT_EQ(options->most_blocks, 1);
  EXPECT_EQ(options->fuse, FusionTier::kBytecode);
  EXPECT_EQ(ParseEmulatorOptions("fuse=kernel")->fuse, FusionTier::kKernels);
  EXPECT_EQ(ParseEmulatorOptions("fuse=text")->fuse, FusionTier::kText);
  EXPECT_FALSE(ParseEmulatorOptions("fuse=off").ok());
  EXPECT_FALSE(ParseEmulatorOptions("fuse=text,check=on").ok());
  EXPECT_FALSE(ParseEmulatorOptions("trace=on").ok());
  for (const char* bad : {"seed", "seed=x", "schedule=fast", "devices=9", "devices=0", "colour=red",
                          "seed=1,,", "memory=0", "blocks=0", "fuse=yes"}) {
    EXPECT_THAT(std::string(ParseEmulatorOptions(bad).status().message()),
                HasSubstr("is not an option"))
        << bad;
  }
}

TEST(CudaBackend, NeedsADriverAndADevice) {
  cuda::EmulatorOptions options;
  options.driver_version = 0;
  EXPECT_EQ(CudaBackend::Create("cuda", cuda::EmulatedRuntime::Create(options)).status().code(),
            absl::StatusCode::kUnimplemented);
}

// Two launches through scratch: row sums of a constant, then the sum of these.
TEST(PlanRunner, FillsInTheAddressesOfEveryKindOfArray) {
  const cuda::Entry* const groups[] = {cuda::emulated::kTestingEntries, nullptr};
  cuda::EmulatorOptions options;
  options.groups = groups;
  const std::shared_ptr<cuda::EmulatedRuntime> runtime = cuda::EmulatedRuntime::Create(options);
  std::vector<float> values(3 * 40);
  std::iota(values.begin(), values.end(), 1.0f);
  cuda::KernelPlan plan;
  const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
  plan.constants = {{bytes, bytes + values.size() * sizeof(float)}};
  plan.scratch_bytes = {16};
  cuda::testing::RowSumParameter p = {nullptr, nullptr, 3, 40};
  plan.launches.push_back(cuda::MakeLaunch(
      "RowSum", {3}, {32}, 0, p, {{&p.x, cuda::Constant(0)}, {&p.sums, cuda::Scratch(0, 4)}}));
  p = {nullptr, nullptr, 1, 3};
  plan.launches.push_back(cuda::MakeLaunch(
      "RowSum", {1}, {32}, 0, p, {{&p.x, cuda::Scratch(0, 4)}, {&p.sums, cuda::Result(0)}}));
  auto runner = cuda::PlanRunner::Create(plan, *runtime);
  ASSERT_TRUE(runner.ok()) << runner.status();
  const auto device = *cuda::Device::Open(runtime, 0);
  for (int run = 0; run < 2; ++run) {
    cuda::DeviceBuffer sum = *device->Allocate(4);
    std::byte* const results[] = {sum.data()};
    ASSERT_EQ((*runner)->Run(*device, {}, results), absl::OkStatus());
    float total = 0;
    ASSERT_EQ(device->CopyOut(&total, sum.data(), 4), absl::OkStatus());
    ASSERT_EQ(device->Synchronize(), absl::OkStatus());
    EXPECT_EQ(total, 120 * 121 / 2);
    EXPECT_EQ(device->Recover(), absl::OkStatus());  // constants are brought again
  }
  plan.launches[0].entry = "RowProduct";
  EXPECT_THAT(std::string(cuda::PlanRunner::Create(plan, *runtime).status().message()),
              HasSubstr("there is no kernel RowProduct"));
}

// A launch that copies the operand which a kernel may overwrite runs if there is none. The result
// stands in front of the operands here, where operand -1 would be.
TEST(PlanRunner, CopiesIfNoOperandMayBeOverwritten) {
  const cuda::Entry* const groups[] = {cuda::emulated::kTestingEntries, nullptr};
  cuda::EmulatorOptions options;
  options.groups = groups;
  const std::shared_ptr<cuda::EmulatedRuntime> runtime = cuda::EmulatedRuntime::Create(options);
  const float values[] = {1, 2, 4};
  cuda::KernelPlan plan;
  cuda::testing::RowSumParameter p = {nullptr, nullptr, 1, 3};
  plan.launches.push_back(cuda::MakeLaunch("RowSum", {1}, {32}, 0, p,
                                           {{&p.x, cuda::Operand(0)}, {&p.sums, cuda::Result(0)}}));
  plan.launches[0].copies_in_place_operand = true;
  ASSERT_EQ(plan.in_place_operand, -1);
  auto runner = cuda::PlanRunner::Create(plan, *runtime);
  ASSERT_TRUE(runner.ok()) << runner.status();
  const auto device = *cuda::Device::Open(runtime, 0);
  const cuda::DeviceBuffer x = *device->Allocate(sizeof values), sum = *device->Allocate(4);
  ASSERT_EQ(device->CopyIn(x.data(), values, sizeof values), absl::OkStatus());
  const std::byte* const arrays[] = {sum.data(), x.data()};
  std::byte* const results[] = {sum.data()};
  ASSERT_EQ((*runner)->Run(*device, absl::MakeConstSpan(arrays).subspan(1), results),
            absl::OkStatus());
  float total = 0;
  ASSERT_EQ(device->CopyOut(&total, sum.data(), 4), absl::OkStatus());
  ASSERT_EQ(device->Synchronize(), absl::OkStatus());
  EXPECT_EQ(total, 7);
}

}  // namespace
}  // namespace assay::cuda
