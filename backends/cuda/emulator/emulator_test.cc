// The emulated runtime: right kernels give the results of plain loops under every schedule, and
// each broken rule is an error that names the place.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "backends/cuda/emulator/launch.h"
#include "backends/cuda/emulator/testing/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::cuda::emulator {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

const Entry& Find(const char* name) {
  const Entry* entry = emulated::kTestingEntries;
  while (std::strcmp(entry->name, name) != 0) ++entry;
  return *entry;
}

template <typename... Parameters>
absl::Status RunKernel(const char* name, Extent grid, Extent block, const LaunchOptions& options,
                       int64_t shared_bytes, Parameters... parameters) {
  void* pointers[] = {static_cast<void*>(&parameters)..., nullptr};
  return Launch(Find(name), {grid, block, shared_bytes}, pointers, options);
}

std::vector<LaunchOptions> AllSchedules() {
  std::vector<LaunchOptions> all = {{.schedule = Schedule::kForward},
                                    {.schedule = Schedule::kBackward}};
  for (uint64_t seed = 0; seed < 10; ++seed) {
    all.push_back({.schedule = Schedule::kRandom, .seed = seed});
    all.push_back({.schedule = Schedule::kRunAhead, .seed = seed});
  }
  return all;
}

std::vector<int32_t> Numbers(int32_t n) {
  std::vector<int32_t> x(n);
  std::iota(x.begin(), x.end(), 1);
  return x;
}

TEST(Emulator, RowSumsAreThoseOfALoop) {
  // Small integers: every order of summation is exact.
  constexpr int64_t kRows = 5, kColumns = 301;
  std::vector<float> x(kRows * kColumns);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) - 50;
  std::vector<float> expected(kRows);
  for (size_t i = 0; i < x.size(); ++i) expected[i / kColumns] += x[i];
  for (const LaunchOptions& options : AllSchedules()) {
    std::vector<float> sums(kRows, NAN);
    const testing::RowSumParameter p = {x.data(), sums.data(), kRows, kColumns};
    ASSERT_EQ(RunKernel("RowSum", {3}, {128}, options, 0, p), absl::OkStatus());
    EXPECT_THAT(sums, ElementsAreArray(expected)) << Name(options.schedule);
  }
}

absl::Status RunScan(const LaunchOptions& options, std::vector<int32_t>* y) {
  const std::vector<int32_t> x = Numbers(150);
  y->assign(150, -1);
  return RunKernel("Scan", {1}, {256}, options, 1024, x.data(), y->data(), 150);
}

TEST(Emulator, ScansAreThoseOfALoop) {
  std::vector<int32_t> expected = Numbers(150);
  std::partial_sum(expected.begin(), expected.end(), expected.begin());
  for (const LaunchOptions& options : AllSchedules()) {
    std::vector<int32_t> y;
    ASSERT_EQ(RunScan(options, &y), absl::OkStatus());
    EXPECT_EQ(y, expected) << Name(options.schedule);
  }
}

TEST(Emulator, EveryBarrierOfAScanMatters) {
  std::vector<int32_t> expected = Numbers(150), y;
  std::partial_sum(expected.begin(), expected.end(), expected.begin());
  TakeBarrierSites();
  ASSERT_EQ(RunScan({}, &y), absl::OkStatus());
  const std::vector<std::string> sites = TakeBarrierSites();
  ASSERT_EQ(sites.size(), 3u);
  for (const std::string& site : sites) {
    int wrong = 0;
    for (LaunchOptions options : AllSchedules()) {
      options.omitted_barrier = site;
      ASSERT_EQ(RunScan(options, &y), absl::OkStatus());
      wrong += y != expected ? 1 : 0;
    }
    EXPECT_GT(wrong, 0) << site;
  }
}

TEST(Emulator, TransposesThroughATile) {
  constexpr int32_t kRows = 37, kColumns = 18;
  std::vector<float> x(kRows * kColumns), expected(x.size());
  std::iota(x.begin(), x.end(), 0.0f);
  for (int32_t i = 0; i < kRows; ++i) {
    for (int32_t j = 0; j < kColumns; ++j) expected[j * kRows + i] = x[i * kColumns + j];
  }
  for (const LaunchOptions& options : AllSchedules()) {
    std::vector<float> y(x.size(), -1);
    ASSERT_EQ(
        RunKernel("Transpose", {2, 3}, {16, 16}, options, 0, x.data(), y.data(), kRows, kColumns),
        absl::OkStatus());
    EXPECT_EQ(y, expected) << Name(options.schedule);
  }
}

TEST(Emulator, WarpFunctionsFollowTheirDefinitions) {
  std::vector<uint32_t> x(64);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint32_t>(i * 11 % 29);
  const auto even = static_cast<uint32_t>(
      std::count_if(x.begin(), x.end(), [](uint32_t value) { return value % 2 == 0; }));
  for (const LaunchOptions& options : AllSchedules()) {
    std::vector<testing::WarpResults> results(64);
    ASSERT_EQ(RunKernel("WarpFunctions", {1}, {64}, options, 0, x.data(), results.data()),
              absl::OkStatus());
    for (uint32_t t = 0; t < 64; ++t) {
      const uint32_t* const w = &x[t / 32 * 32];
      const uint32_t lane = t % 32;
      uint32_t ballot = 0, match = 0, sum = 0, bits = 0, low = 0;
      int32_t least = INT32_MAX;
      bool any = false, every = true;
      for (uint32_t l = 0; l < 32; ++l) {
        ballot |= w[l] % 3 == 0 ? 1u << l : 0;
        match |= w[l] % 4 == w[lane] % 4 ? 1u << l : 0;
        sum += w[l], bits ^= w[l];
        low += l < 16 ? w[l] : 0;
        least = std::min(least, static_cast<int32_t>(w[l]) - 10);
        any |= w[l] == 5, every &= w[l] < 1000;
      }
      const testing::WarpResults& r = results[t];
      EXPECT_EQ(r.index, w[lane / 8 * 8 + lane * 7 % 8]);
      EXPECT_EQ(r.up, w[lane % 16 < 3 ? lane : lane - 3]);
      EXPECT_EQ(r.down, w[lane + 5 > 31 ? lane : lane + 5]);
      EXPECT_EQ(r.exclusive, w[lane ^ 21]);
      EXPECT_EQ(std::tie(r.ballot, r.match, r.sum, r.bits), std::tie(ballot, match, sum, bits));
      EXPECT_EQ(r.any, any);
      EXPECT_EQ(r.every, every);
      EXPECT_EQ(r.least, least);
      EXPECT_EQ(r.count, even);
      EXPECT_EQ(r.half, lane < 16 ? low : 16u);
    }
  }
}

TEST(Emulator, AtomicsCountEveryThread) {
  std::vector<uint32_t> x(1000);
  std::iota(x.begin(), x.end(), 7u);
  for (const LaunchOptions& options : AllSchedules()) {
    std::vector<uint32_t> counts(4);
    uint32_t largest = 0;
    ASSERT_EQ(
        RunKernel("Histogram", {8}, {128}, options, 0, x.data(), counts.data(), &largest, 1000u),
        absl::OkStatus());
    EXPECT_THAT(counts, ElementsAreArray({250u, 250u, 250u, 250u}));
    EXPECT_EQ(largest, 1006u);
  }
}

std::vector<int32_t> OrderUnder(const LaunchOptions& options) {
  std::vector<int32_t> order(6 * 64, -1);
  int32_t next = 0;
  EXPECT_EQ(RunKernel("Order", {6}, {64}, options, 0, &next, order.data()), absl::OkStatus());
  return order;
}

TEST(Emulator, SchedulesAreOrdersOfAllThreads) {
  std::vector<int32_t> ascending(6 * 64);
  std::iota(ascending.begin(), ascending.end(), 0);
  EXPECT_EQ(OrderUnder({}), ascending);
  const std::vector<int32_t> descending(ascending.rbegin(), ascending.rend());
  EXPECT_EQ(OrderUnder({.schedule = Schedule::kBackward}), descending);
  for (const Schedule schedule : {Schedule::kRandom, Schedule::kRunAhead}) {
    const std::vector<int32_t> first = OrderUnder({.schedule = schedule, .seed = 1});
    EXPECT_EQ(first, OrderUnder({.schedule = schedule, .seed = 1}));
    EXPECT_NE(first, OrderUnder({.schedule = schedule, .seed = 2}));
    std::vector<int32_t> sorted = first;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, ascending);
  }
}

std::string ErrorOf(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  return std::string(status.message());
}

TEST(Emulator, BrokenRulesAreErrorsUnderEverySchedule) {
  std::vector<int32_t> y(64);
  for (const LaunchOptions& options : AllSchedules()) {
    EXPECT_THAT(ErrorOf(RunKernel("DivergentBarrier", {1}, {32}, options, 0)),
                AllOf(HasSubstr("different barriers"), HasSubstr("kernels.cu:")));
    EXPECT_THAT(ErrorOf(RunKernel("ExitBeforeBarrier", {2}, {32}, options, 0)),
                AnyOf(HasSubstr("ended"), HasSubstr("the thread ends")));
    EXPECT_THAT(ErrorOf(RunKernel("ExitAfterOthersWait", {1}, {32}, options, 0, 31)),
                HasSubstr("__syncthreads"));
    EXPECT_THAT(ErrorOf(RunKernel("AbsentSource", {1}, {32}, options, 0, y.data())),
                HasSubstr("which is not in the mask 0x0000ffff"));
    EXPECT_THAT(ErrorOf(RunKernel("OutsideMask", {1}, {32}, options, 0, y.data())),
                HasSubstr("is not in the mask"));
    EXPECT_THAT(ErrorOf(RunKernel("Deadlock", {1}, {64}, options, 0)), HasSubstr("deadlock"));
    EXPECT_THAT(ErrorOf(RunKernel("SharedOverrun", {1}, {9}, options, 0)),
                HasSubstr("wrote outside the shared array at kernels.cu:"));
    EXPECT_THAT(ErrorOf(RunKernel("MuchShared", {1}, {1}, options, 0, y.data())),
                HasSubstr("exceed 49152 bytes"));
    EXPECT_THAT(ErrorOf(RunKernel("Trapped", {1}, {64}, options, 0)), HasSubstr("thread (1,0,0)"));
    // The next launch is not troubled.
    std::vector<int32_t> scan;
    EXPECT_EQ(RunScan(options, &scan), absl::OkStatus());
  }
}

TEST(Emulator, SharedMemoryIsPoisoned) {
  std::vector<uint32_t> y(4);
  ASSERT_EQ(RunKernel("SharedPoison", {2}, {4}, {}, 0, y.data()), absl::OkStatus());
  EXPECT_THAT(y, ElementsAreArray({~0u, ~0u, ~0u, ~0u}));
}

TEST(Emulator, LaunchesBeyondTheLimitsAreRefused) {
  const auto refusal = [](Extent grid, Extent block, int64_t shared_bytes) {
    const absl::Status status = RunKernel("Trapped", grid, block, {}, shared_bytes);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(refusal({1}, {1025}, 0), HasSubstr("1024 threads"));
  EXPECT_THAT(refusal({1}, {32, 33}, 0), HasSubstr("(32,33,1)"));
  EXPECT_THAT(refusal({1}, {1, 1, 65}, 0), HasSubstr("(1,1,65)"));
  EXPECT_THAT(refusal({1, 65536}, {1}, 0), HasSubstr("65535"));
  EXPECT_THAT(refusal({0x80000000u}, {1}, 0), HasSubstr("2147483647"));
  EXPECT_THAT(refusal({0}, {1}, 0), HasSubstr("at least one"));
  EXPECT_THAT(refusal({1}, {1}, 48 * 1024 + 1), HasSubstr("dynamic shared memory"));
  LaunchOptions few;
  few.limits.parameter_bytes = 8;
  EXPECT_THAT(std::string(RunKernel("Scan", {1}, {32}, few, 0, 0, 0, 0).message()),
              HasSubstr("bytes of parameters"));
}

}  // namespace
}  // namespace assay::cuda::emulator
