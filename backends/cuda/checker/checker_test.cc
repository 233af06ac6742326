// The checker: planted mistakes are reported by kind, place and threads under every schedule, every
// removed barrier is found, and right kernels give no report.
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "backends/cuda/device/device.h"
#include "backends/cuda/device/emulated_runtime.h"
#include "backends/cuda/emulator/launch.h"
#include "backends/cuda/emulator/memory_map.h"
#include "backends/cuda/emulator/testing/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::cuda {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const Entry* const kCheckedGroups[] = {checked::kTestingEntries, nullptr};

const Entry& FindChecked(const char* name) {
  const Entry* entry = checked::kTestingEntries;
  while (std::strcmp(entry->name, name) != 0) ++entry;
  return *entry;
}

std::vector<EmulatorOptions> CheckedSchedules() {
  std::vector<EmulatorOptions> all;
  for (const auto schedule : {emulator::Schedule::kForward, emulator::Schedule::kBackward,
                              emulator::Schedule::kRandom, emulator::Schedule::kRunAhead}) {
    EmulatorOptions options;
    options.schedule = schedule;
    options.seed = 5;
    options.groups = kCheckedGroups;
    options.checked = true;
    all.push_back(options);
  }
  return all;
}

// Runs a kernel over 64 words: x is written, y is not.
absl::Status RunWords(const char* name, const EmulatorOptions& options, uint32_t blocks = 1,
                      std::vector<uint32_t>* result = nullptr, bool y_is_written = false) {
  const std::shared_ptr<Api> runtime = EmulatedRuntime::Create(options);
  const auto device = *Device::Open(runtime, 0);
  std::vector<uint32_t> x(64);
  std::iota(x.begin(), x.end(), 100u);
  DeviceBuffer in = *device->Allocate(256), out = *device->Allocate(256);
  absl::Status status = device->CopyIn(in.data(), x.data(), 256);
  if (status.ok() && y_is_written) status = device->CopyIn(out.data(), x.data(), 256);
  testing::Words p = {reinterpret_cast<const uint32_t*>(in.data()),
                      reinterpret_cast<uint32_t*>(out.data())};
  void* parameters[] = {&p, nullptr};
  if (status.ok()) status = device->Launch(FindChecked(name), {blocks}, {64}, 256, parameters);
  if (status.ok()) status = device->Synchronize();
  if (status.ok() && result != nullptr) {
    result->resize(64);
    status = device->CopyOut(result->data(), out.data(), 256);
    if (status.ok()) status = device->Synchronize();
  }
  return status;
}

TEST(Checker, PlantedMistakesAreReportedUnderEverySchedule) {
  for (const EmulatorOptions& options : CheckedSchedules()) {
    const auto report = [&](const char* name, uint32_t blocks = 1, bool y_is_written = false) {
      return std::string(RunWords(name, options, blocks, nullptr, y_is_written).message());
    };
    EXPECT_THAT(report("SharedRace"),
                AllOf(HasSubstr("kernel SharedRace: block (0,0,0), thread ("),
                      AnyOf(HasSubstr("that races"), HasSubstr("never written")),
                      HasSubstr("the shared array at kernels.cu:")));
    EXPECT_THAT(report("WarpRace"), AnyOf(HasSubstr("that races"), HasSubstr("never written")));
    EXPECT_THAT(report("BlockRace", 2),
                AllOf(HasSubstr("that races: block ("), HasSubstr("an allocation of 256 bytes")));
    EXPECT_THAT(report("LostUpdate", 1, true), HasSubstr("that races"));
    EXPECT_THAT(report("MixedUpdate", 1, true), HasSubstr("that races"));
    EXPECT_THAT(report("ReadBehind"),
                AllOf(HasSubstr("read of 4 bytes outside the memory of every device"),
                      HasSubstr("0 bytes behind an allocation of 256 bytes")));
    EXPECT_THAT(report("WriteInFront"),
                AllOf(HasSubstr("write of 4 bytes outside"), HasSubstr("thread (0,0,0)")));
    EXPECT_THAT(report("ReadUnwritten"), HasSubstr("of memory that was never written (byte "));
    EXPECT_THAT(report("ReadUnwrittenShared"),
                AllOf(HasSubstr("thread (7,0,0)"), HasSubstr("never written (byte 28 of")));
    EXPECT_THAT(report("SharedOutside"), HasSubstr("outside every array of shared memory"));
    EXPECT_THAT(report("WritesAfterItsBlockReads", 3, true), HasSubstr("that races"));
    EXPECT_THAT(report("WritesAfterItsWarpReads"), HasSubstr("that races"));
    EXPECT_THAT(report("RacesAfterManyMeetings", 1, true), HasSubstr("that races"));
    EXPECT_THAT(report("OneBuffer"), AnyOf(HasSubstr("that races"), HasSubstr("never written")));
    EXPECT_THAT(report("ReadsWhatIsCounted"), HasSubstr("that races"));
    EXPECT_THAT(report("PoolOutside"), HasSubstr("outside every array of shared memory"));
    EXPECT_EQ(report("TwoBuffers"), "");
    EXPECT_EQ(report("Copies"), "");
    EXPECT_EQ(report("WarpInOrder"), "");
    EXPECT_EQ(report("AtomicCount", 3, true), "");
  }
}

// A host thread that has launched nothing yet writes what another one has written.
TEST(Checker, LaunchesOfTwoHostThreadsDoNotRace) {
  emulator::MemoryMap& memory = emulator::MemoryMap::Global();
  std::byte* const words = memory.Allocate(512, 0, /*shadowed=*/true);
  memory.SetInitialised(words, 512);
  emulator::LaunchOptions options;
  options.checked = true;
  for (const int64_t offset : {0, 1}) {
    absl::Status status;
    std::thread([&] {
      testing::Words p = {reinterpret_cast<const uint32_t*>(words) + 64,
                          reinterpret_cast<uint32_t*>(words) + offset};
      if (offset == 1) p.x += 2;
      void* parameters[] = {&p, nullptr};
      status = emulator::Launch(FindChecked("Copies"), {{1}, {60}, 0}, parameters, options);
    }).join();
    EXPECT_EQ(status, absl::OkStatus());
  }
  memory.Free(words);
}

TEST(Checker, AThreadThatWaitsInALoopEndsTheLaunch) {
  emulator::LaunchOptions options;
  options.checked = true;
  options.limits.thread_accesses = 1000;
  emulator::MemoryMap& memory = emulator::MemoryMap::Global();
  std::byte* const flag = memory.Allocate(4, 0, /*shadowed=*/true);
  memory.SetInitialised(flag, 4);
  testing::Words p = {nullptr, reinterpret_cast<uint32_t*>(flag)};
  void* parameters[] = {&p, nullptr};
  const absl::Status status =
      emulator::Launch(FindChecked("WaitsInALoop"), {{1}, {64}, 0}, parameters, options);
  EXPECT_THAT(std::string(status.message()), HasSubstr("loops without waiting"));
  memory.Free(flag);
}

TEST(Checker, ResultsAreWrittenCompletely) {
  std::vector<uint32_t> y;
  EXPECT_EQ(RunWords("Copies", CheckedSchedules()[0], 1, &y), absl::OkStatus());
  EXPECT_EQ(y[63], 163u);
  EXPECT_THAT(std::string(RunWords("CopiesFew", CheckedSchedules()[0], 1, &y).message()),
              HasSubstr("reads byte 36, which was never written"));
}

TEST(Checker, FreedMemoryAndMemoryOfTheHostAreReported) {
  const std::shared_ptr<Api> runtime = EmulatedRuntime::Create(CheckedSchedules()[0]);
  const auto device = *Device::Open(runtime, 0);
  const auto run = [&](const void* x, std::byte* y) {
    testing::Words p = {static_cast<const uint32_t*>(x), reinterpret_cast<uint32_t*>(y)};
    void* parameters[] = {&p, nullptr};
    EXPECT_EQ(device->Launch(FindChecked("Copies"), {1}, {64}, 0, parameters), absl::OkStatus());
    const absl::Status status = device->Synchronize();
    EXPECT_EQ(device->Recover(), absl::OkStatus());
    return std::string(status.message());
  };
  std::vector<uint32_t> host(64);
  const auto fresh = [&] { return device->Allocate(256)->data(); };  // and freed
  EXPECT_THAT(run(host.data(), fresh()), HasSubstr("outside the memory of every device"));
  // The buffer is freed before the launch in the order of the stream.
  EXPECT_THAT(run(fresh(), fresh()), HasSubstr("memory that has been freed"));
}

// Row sums, two rows for each block, with one barrier left out.
absl::Status RunRowSums(const std::string& omitted) {
  EmulatorOptions options = CheckedSchedules()[0];
  options.omitted_barrier = omitted;
  const std::shared_ptr<Api> runtime = EmulatedRuntime::Create(options);
  const auto device = *Device::Open(runtime, 0);
  std::vector<float> x(4 * 100, 1.0f);
  DeviceBuffer in = *device->Allocate(1600), out = *device->Allocate(16);
  absl::Status status = device->CopyIn(in.data(), x.data(), 1600);
  testing::RowSumParameter p = {reinterpret_cast<const float*>(in.data()),
                                reinterpret_cast<float*>(out.data()), 4, 100};
  void* parameters[] = {&p, nullptr};
  if (status.ok()) status = device->Launch(FindChecked("RowSum"), {2}, {128}, 0, parameters);
  return status.ok() ? device->Synchronize() : status;
}

TEST(Checker, EveryRemovedBarrierIsReported) {
  emulator::TakeBarrierSites();
  ASSERT_EQ(RunRowSums(""), absl::OkStatus());
  const std::vector<std::string> sites = emulator::TakeBarrierSites();
  ASSERT_EQ(sites.size(), 2u);
  for (const std::string& site : sites) {
    EXPECT_THAT(std::string(RunRowSums(site).message()),
                AnyOf(HasSubstr("that races"), HasSubstr("never written")))
        << site;
  }
}

}  // namespace
}  // namespace assay::cuda
