// Devices over the emulated runtime: a right program is right for every seed, each missing wait is
// wrong for some, every call can fail without a leak, and captures refuse what CUDA refuses.
#include "backends/cuda/device/device.h"

#include <algorithm>
#include <functional>
#include <list>
#include <numeric>
#include <string>
#include <vector>

#include "backends/cuda/device/block_pool.h"
#include "backends/cuda/device/emulated_runtime.h"
#include "backends/cuda/device/plugin_loader.h"
#include "backends/cuda/emulator/testing/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::cuda {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kRows = 3, kColumns = 50;

const Entry* const kGroups[] = {emulated::kTestingEntries, nullptr};

std::shared_ptr<EmulatedRuntime> MakeRuntime(uint64_t seed, int devices = 1) {
  EmulatorOptions options;
  options.seed = seed;
  options.devices = devices;
  options.groups = kGroups;
  return EmulatedRuntime::Create(options);
}

std::vector<float> Input() {
  std::vector<float> x(kRows * kColumns);
  std::iota(x.begin(), x.end(), 1.0f);
  return x;
}
std::vector<float> Expected() {
  const std::vector<float> x = Input();
  std::vector<float> sums(kRows);
  for (size_t i = 0; i < x.size(); ++i) sums[i / kColumns] += x[i];
  return sums;
}

absl::Status LaunchRowSum(Device& device, const std::byte* x, std::byte* sums) {
  testing::RowSumParameter p = {reinterpret_cast<const float*>(x), reinterpret_cast<float*>(sums),
                                kRows, kColumns};
  void* parameters[] = {&p, nullptr};
  return device.Launch(emulated::kTestingEntries[0], {kRows}, {64}, 0, parameters);
}

// What a program leaves out.
enum class Missing { kNothing, kEventWait, kSynchronize, kHostBufferUntilRead };

// Copies rows in on one device (stream), sums them on another, copies sums out.
absl::Status RunProgram(const std::shared_ptr<Api>& api, Missing missing,
                        std::vector<float>* sums) {
  absl::StatusOr<std::shared_ptr<Device>> first = Device::Open(api, 0);
  if (!first.ok()) return first.status();
  absl::StatusOr<std::shared_ptr<Device>> second = Device::Open(api, 0);
  if (!second.ok()) return second.status();
  // A copy that is enqueued when a later call fails reads its source until the device is drained,
  // so that no source goes away with this function.
  static auto& sources = *new std::list<std::vector<float>>;
  std::vector<float>& x = sources.emplace_back(Input());
  const auto bytes = static_cast<int64_t>(x.size() * sizeof(float));
  sums->assign(kRows, 0);
  const int64_t sum_bytes = kRows * static_cast<int64_t>(sizeof(float));
  absl::StatusOr<DeviceBuffer> in = (*first)->Allocate(bytes);
  if (!in.ok()) return in.status();
  absl::StatusOr<DeviceBuffer> out = (*second)->Allocate(sum_bytes);
  if (!out.ok()) return out.status();
  absl::Status status = (*first)->CopyIn(in->data(), x.data(), bytes);
  if (!status.ok()) return status;
  if (missing == Missing::kHostBufferUntilRead) x.assign(x.size(), -1);
  absl::StatusOr<DeviceEvent> copied = (*first)->Record();
  if (!copied.ok()) return copied.status();
  if (missing != Missing::kEventWait) status = (*second)->WaitFor(*copied);
  if (status.ok()) status = LaunchRowSum(**second, in->data(), out->data());
  if (status.ok()) status = (*second)->CopyOut(sums->data(), out->data(), sum_bytes);
  std::vector<float> seen = *sums;
  absl::Status waited = (*second)->Synchronize();
  if (missing != Missing::kSynchronize) seen = *sums;
  // The memory of the host goes away, whatever happened.
  absl::Status emptied = (*first)->Synchronize();
  *sums = seen;
  if (!status.ok()) return status;
  return waited.ok() ? emptied : waited;
}

int RightRuns(Missing missing) {
  int right = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    std::vector<float> sums;
    EXPECT_EQ(RunProgram(MakeRuntime(seed), missing, &sums), absl::OkStatus());
    right += sums == Expected() ? 1 : 0;
  }
  return right;
}

TEST(Device, ARightProgramIsRightForEverySeed) { EXPECT_EQ(RightRuns(Missing::kNothing), 40); }

TEST(Device, MissingWaitsAreWrongForSomeSeeds) {
  EXPECT_LT(RightRuns(Missing::kEventWait), 40);
  EXPECT_EQ(RightRuns(Missing::kSynchronize), 0);
  EXPECT_EQ(RightRuns(Missing::kHostBufferUntilRead), 0);
}

void ExpectNothingHeld(const EmulatedRuntime& runtime) {
  const EmulatorCounts counts = runtime.counts();
  EXPECT_EQ(counts.live_bytes, 0);
  EXPECT_EQ(counts.live_allocations, 0);
  EXPECT_EQ(counts.live_streams, 0);
  EXPECT_EQ(counts.live_events, 0);
  EXPECT_EQ(counts.live_graphs, 0);
}

TEST(Device, EveryCallMayFailAndNothingIsLeaked) {
  for (const Error fault : {Error::kMemoryAllocation, Error::kLaunchFailure,
                            Error::kDevicesUnavailable, Error::kInvalidValue}) {
    int failures = 0;
    for (int64_t n = 1;; ++n) {
      const std::shared_ptr<EmulatedRuntime> runtime = MakeRuntime(0);
      runtime->Inject(n, fault);
      std::vector<float> sums;
      const absl::Status status = RunProgram(runtime, Missing::kNothing, &sums);
      const bool passed_all = runtime->counts().calls < n;
      runtime->Inject(0, Error::kSuccess);
      // Handles and memory of a lost device go with its reset, and the next program runs.
      if (IsSticky(fault)) runtime->DeviceReset();
      runtime->DeviceSynchronize();
      ExpectNothingHeld(*runtime);
      EXPECT_EQ(RunProgram(runtime, Missing::kNothing, &sums), absl::OkStatus()) << n;
      EXPECT_EQ(sums, Expected());
      if (passed_all) break;
      if (status.ok()) continue;  // a call whose failure means nothing, such as a free
      ++failures;
      EXPECT_THAT(std::string(status.message()), HasSubstr("CUDA device 0: "));
      if (fault == Error::kMemoryAllocation) {
        EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
      }
    }
    EXPECT_GT(failures, 10);
  }
}

TEST(Device, SmallMemoryIsUsedUpWithAnError) {
  EmulatorOptions options;
  options.device_bytes = 1000;
  const std::shared_ptr<EmulatedRuntime> runtime = EmulatedRuntime::Create(options);
  const auto device = *Device::Open(runtime, 0);
  {
    const absl::StatusOr<DeviceBuffer> half = device->Allocate(600);
    ASSERT_TRUE(half.ok());
    const absl::Status status = device->Allocate(600).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(status.message()), HasSubstr("cudaMallocAsync of 600 bytes"));
  }
  // What has been freed in stream order makes room.
  EXPECT_TRUE(device->Allocate(600).ok());
}

TEST(Device, AFailedKernelIsAnErrorUntilTheDeviceIsReset) {
  const auto runtime = MakeRuntime(0);
  const auto device = *Device::Open(runtime, 0);
  const Entry* trapped = emulated::kTestingEntries;
  while (std::string(trapped->name) != "Trapped") ++trapped;
  void* parameters[] = {nullptr};
  EXPECT_EQ(device->Launch(*trapped, {1}, {32}, 0, parameters), absl::OkStatus());
  const absl::Status status = device->Synchronize();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("kernel Trapped: block (0,0,0), thread"));
  EXPECT_TRUE(device->IsLost());
  EXPECT_FALSE(device->Allocate(1).ok());
  EXPECT_EQ(device->Recover(), absl::OkStatus());
  EXPECT_FALSE(device->IsLost());
  EXPECT_TRUE(device->Allocate(1).ok());
}

TEST(Device, LaunchesBeyondTheLimitsFailAtOnceAndDoNotStick) {
  const auto device = *Device::Open(MakeRuntime(0), 0);
  void* parameters[] = {nullptr};
  const absl::Status status =
      device->Launch(emulated::kTestingEntries[0], {1}, {2048}, 0, parameters);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cudaErrorInvalidConfiguration"));
  EXPECT_FALSE(device->IsLost());
}

TEST(Device, GraphsRunWhatWasCaptured) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const auto runtime = MakeRuntime(seed);
    const auto device = *Device::Open(runtime, 0);
    std::vector<float> x = Input(), sums(kRows);
    DeviceBuffer in = *device->Allocate(kRows * kColumns * 4), out = *device->Allocate(kRows * 4);
    ASSERT_EQ(device->BeginCapture(), absl::OkStatus());
    EXPECT_EQ(device->CopyIn(in.data(), x.data(), kRows * kColumns * 4), absl::OkStatus());
    EXPECT_EQ(LaunchRowSum(*device, in.data(), out.data()), absl::OkStatus());
    EXPECT_EQ(device->CopyOut(sums.data(), out.data(), kRows * 4), absl::OkStatus());
    absl::StatusOr<DeviceGraph> graph = device->EndCapture();
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(sums, std::vector<float>(kRows));  // nothing has run
    for (int run = 0; run < 2; ++run) {
      sums.assign(kRows, 0);
      ASSERT_EQ(device->Launch(*graph), absl::OkStatus());
      ASSERT_EQ(device->Synchronize(), absl::OkStatus());
      EXPECT_EQ(sums, Expected());
    }
  }
}

// Another thread may release memory of the stream, as a module does that is destroyed.
TEST(Device, MemoryThatIsReleasedDuringACaptureIsFreedAfterIt) {
  const auto runtime = MakeRuntime(0);
  const auto device = *Device::Open(runtime, 0);
  DeviceBuffer buffer = *device->Allocate(64);
  ASSERT_EQ(device->BeginCapture(), absl::OkStatus());
  buffer.Release();
  EXPECT_EQ(runtime->counts().live_bytes, 64);
  EXPECT_TRUE(device->EndCapture().ok());
  EXPECT_EQ(device->Synchronize(), absl::OkStatus());
  EXPECT_EQ(runtime->counts().live_bytes, 0);
}

TEST(Device, APoolGivesItsBlocksAgainAndKeepsThem) {
  const auto runtime = MakeRuntime(0);
  const auto device = *Device::Open(runtime, 0);
  auto pool = std::make_shared<BlockPool>(device->AnotherStream());
  ASSERT_EQ(device->BeginCapture(), absl::OkStatus());
  device->UsePool(pool);
  const std::byte* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    const absl::StatusOr<DeviceBuffer> block = device->Allocate(64);
    ASSERT_TRUE(block.ok()) << block.status();
    if (i == 0) first = block->data();
    EXPECT_EQ(block->data(), first);
    const absl::StatusOr<DeviceBuffer> another = device->Allocate(64), large = device->Allocate(65);
    ASSERT_TRUE(another.ok() && large.ok());
    EXPECT_NE(another->data(), first);
  }
  device->UsePool(nullptr);
  EXPECT_TRUE(device->EndCapture().ok());
  EXPECT_EQ(pool->WaitForBlocks(), absl::OkStatus());
  EXPECT_EQ(runtime->counts().live_bytes, 64 + 64 + 65);
  pool = nullptr;
  EXPECT_EQ(runtime->DeviceSynchronize(), Error::kSuccess);
  EXPECT_EQ(runtime->counts().live_bytes, 0);
}

TEST(Device, CapturesAreInvalidatedByWhatTheyCannotHold) {
  const auto runtime = MakeRuntime(0);
  const auto device = *Device::Open(runtime, 0);
  ASSERT_EQ(device->BeginCapture(), absl::OkStatus());
  // The device layer does not ask; the runtime refuses.
  EXPECT_EQ(device->Synchronize().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(runtime->DeviceSynchronize(), Error::kStreamCaptureUnsupported);
  EXPECT_THAT(std::string(device->EndCapture().status().message()),
              HasSubstr("cudaErrorStreamCaptureInvalidated"));
  EXPECT_TRUE(device->Allocate(8).ok());
}

// Two streams in one graph: rows are copied in on one and summed on the other. Returns the number
// of seeds for which the sums are right. The status is that of the end of the capture.
int RightGraphsOfTwoStreams(bool waits, bool joins_again, absl::Status* ended) {
  int right = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto runtime = MakeRuntime(seed, 2);
    const auto first = *Device::Open(runtime, 0), second = *Device::Open(runtime, 1);
    const std::vector<float> x = Input();
    const auto bytes = static_cast<int64_t>(x.size() * sizeof(float));
    std::vector<float> sums(kRows);
    DeviceBuffer in = *first->Allocate(bytes), out = *second->Allocate(kRows * 4);
    EXPECT_EQ(first->BeginCapture(), absl::OkStatus());
    const DeviceEvent begun = *first->Record();
    EXPECT_EQ(second->JoinCapture(begun), absl::OkStatus());
    EXPECT_EQ(first->CopyIn(in.data(), x.data(), bytes), absl::OkStatus());
    const DeviceEvent copied = *first->Record();
    if (waits) second->WaitFor(copied).IgnoreError();
    EXPECT_EQ(LaunchRowSum(*second, in.data(), out.data()), absl::OkStatus());
    EXPECT_EQ(second->CopyOut(sums.data(), out.data(), kRows * 4), absl::OkStatus());
    const DeviceEvent summed = *second->Record();
    if (joins_again) first->WaitFor(summed).IgnoreError();
    const absl::StatusOr<DeviceGraph> graph = first->EndCapture();
    second->LeaveCapture();
    *ended = graph.status();
    if (!graph.ok()) continue;
    bool is_right = true;
    for (int run = 0; run < 3; ++run) {
      sums.assign(kRows, 0);
      EXPECT_EQ(first->Launch(*graph), absl::OkStatus());
      EXPECT_EQ(first->Synchronize(), absl::OkStatus());
      is_right &= sums == Expected();
    }
    right += is_right ? 1 : 0;
  }
  return right;
}

TEST(Device, StreamsJoinACaptureByEvents) {
  absl::Status ended;
  EXPECT_EQ(RightGraphsOfTwoStreams(true, true, &ended), 20);
  EXPECT_EQ(ended, absl::OkStatus());
  EXPECT_LT(RightGraphsOfTwoStreams(false, true, &ended), 20);
  EXPECT_EQ(ended, absl::OkStatus());
  EXPECT_EQ(RightGraphsOfTwoStreams(true, false, &ended), 0);
  EXPECT_THAT(std::string(ended.message()), HasSubstr("cudaErrorStreamCaptureUnjoined"));
}

TEST(Device, CapturesAreIsolated) {
  const auto runtime = MakeRuntime(0);
  const auto first = *Device::Open(runtime, 0), second = *Device::Open(runtime, 0);
  const DeviceEvent before = *second->Record();
  ASSERT_EQ(first->BeginCapture(), absl::OkStatus());
  EXPECT_THAT(std::string(first->WaitFor(before).message()),
              HasSubstr("cudaErrorStreamCaptureIsolation"));
  EXPECT_THAT(std::string(first->EndCapture().status().message()),
              HasSubstr("cudaErrorStreamCaptureInvalidated"));
  ASSERT_EQ(first->BeginCapture(), absl::OkStatus());
  const DeviceEvent captured = *first->Record();
  ASSERT_EQ(second->JoinCapture(captured), absl::OkStatus());
  EXPECT_THAT(std::string(second->EndCapture().status().message()),
              HasSubstr("cudaErrorStreamCaptureUnmatched"));
  EXPECT_FALSE(first->EndCapture().ok());
  EXPECT_THAT(std::string(second->WaitFor(captured).message()),
              HasSubstr("cudaErrorCapturedEvent"));
  EXPECT_EQ(second->Synchronize(), absl::OkStatus());
}

TEST(Device, CopiesReachOtherDevices) {
  const auto runtime = MakeRuntime(1, 2);
  const auto first = *Device::Open(runtime, 0), second = *Device::Open(runtime, 1);
  const std::vector<float> x = Input();
  std::vector<float> y(x.size());
  const int64_t bytes = static_cast<int64_t>(x.size() * sizeof(float));
  DeviceBuffer a = *first->Allocate(bytes), b = *second->Allocate(bytes);
  ASSERT_EQ(first->CopyIn(a.data(), x.data(), bytes), absl::OkStatus());
  const DeviceEvent there = *first->Record();
  ASSERT_EQ(second->WaitFor(there), absl::OkStatus());
  ASSERT_EQ(second->Copy(b.data(), a.data(), bytes), absl::OkStatus());
  ASSERT_EQ(second->CopyOut(y.data(), b.data(), bytes), absl::OkStatus());
  ASSERT_EQ(second->Synchronize(), absl::OkStatus());
  EXPECT_EQ(y, x);
}

TEST(Device, WhatIsMissingIsSaidInOneLine) {
  const auto message = [](EmulatorOptions options, int wanted) {
    const absl::Status status = CountDevices(*EmulatedRuntime::Create(options), wanted).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
    return std::string(status.message());
  };
  EmulatorOptions no_driver, old_driver, no_device;
  no_driver.driver_version = 0;
  old_driver.driver_version = 12040;
  no_device.devices = 0;
  EXPECT_EQ(message(no_driver, 1), "CUDA: there is no driver");
  EXPECT_EQ(message(old_driver, 1),
            "CUDA: the driver supports version 12.4; the runtime needs 13.0");
  EXPECT_EQ(message(no_device, 1), "CUDA: there is no device");
  EXPECT_EQ(message({}, 3), "CUDA: the module needs 3 devices, and there are 1");
}

TEST(Device, APlugInThatIsMissingOrIsNoneIsSaidInOneLine) {
  const auto message = [](const std::string& path) {
    const absl::Status status = LoadPlugin(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
    return std::string(status.message());
  };
  EXPECT_THAT(message("/nowhere/assay_cuda.so"), HasSubstr("CUDA: the plug-in is missing"));
  EXPECT_THAT(message("libz.so.1"), HasSubstr("is no plug-in of Assay"));
}

}  // namespace
}  // namespace assay::cuda
