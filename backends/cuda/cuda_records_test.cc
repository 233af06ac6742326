// Records of runs as graphs: what a record counts, when another is tried, and which copies it
// keeps.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/cuda_stats.h"
#include "backends/cuda/device/emulated_runtime.h"
#include "backends/cuda/graph_recorder.h"
#include "backends/cuda/testing/programs.h"
#include "gtest/gtest.h"
#include "runtime/host.h"

namespace assay::cuda::cuda_records_test {

using testing::Floats;
using testing::ParsedModule;

constexpr char kModule[] =
    "HloModule m\n"
    "less { x = f32[] parameter(0) y = f32[] parameter(1) ROOT p = pred[] compare(x, y), "
    "direction=LT }\n"
    "ENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1)\n"
    "  s = f32[3] sort(x), dimensions={0}, to_apply=less ROOT r = f32[3] add(s, y) }\n";

std::vector<Literal> Arguments() { return {Floats({3, 1, 2}), Floats({2, 4, 6})}; }

DeviceCounts CountsOf(const CudaBackend& backend) {
  return dynamic_cast<const CudaStats*>(backend.last_stats())->device;
}

// A host that holds arrays which nothing takes.
class HoldingHost : public runtime::Host {
 public:
  int64_t held_bytes() const override { return held; }
  int64_t held = 0;
};

std::unique_ptr<CudaBackend> BackendWith(HoldingHost& host, int64_t budget_bytes) {
  CudaOptions options;
  options.run.host = &host;
  options.run.budget.bytes = budget_bytes;
  auto backend = CudaBackend::Create("cuda-emulated", EmulatedRuntime::Create({}), options);
  EXPECT_TRUE(backend.ok()) << backend.status();
  return *std::move(backend);
}

TEST(CudaRecords, WhatTheHostHoldsCountsOnce) {
  const auto module = ParsedModule(kModule);
  HoldingHost host;
  const auto backend = BackendWith(host, -1);
  const auto executable = *backend->Compile(*module);
  int64_t values = 0;  // the peak of the first run without what the host holds
  for (int run = 0; run < 5; ++run) {
    host.held = 1000 + 500 * run;
    ASSERT_TRUE(testing::Execute(*backend, *executable, {Arguments()}).ok());
    const int64_t peak = backend->last_stats()->peak_bytes;
    if (run == 0) values = peak - host.held;
    EXPECT_EQ(peak, values + host.held) << run;
    EXPECT_EQ(CountsOf(*backend).graph_launches, run == 0 ? 0 : 1);
  }
}

// The host holds so much that the run fails which would have been recorded. With twice as many runs
// between them, others are tried.
TEST(CudaRecords, AreRecordedByAnotherRunIfABudgetIsTooSmall) {
  const auto module = ParsedModule(kModule);
  HoldingHost host;
  const auto backend = BackendWith(host, 1 << 20);
  const auto executable = *backend->Compile(*module);
  const std::vector<int64_t> held = {0, 1 << 20, 1 << 20, 0, 0, 0};
  const std::vector<int> graphs = {0, 0, 0, 0, 1, 1};
  for (size_t run = 0; run < held.size(); ++run) {
    SCOPED_TRACE(absl::StrCat("run ", run));
    host.held = held[run];
    const auto results = testing::Execute(*backend, *executable, {Arguments()});
    if (held[run] > 0) {
      EXPECT_EQ(results.status().code(), absl::StatusCode::kResourceExhausted);
      continue;
    }
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_TRUE(testing::AreEqual(*results, {Floats({3, 6, 9})}));
    EXPECT_EQ(CountsOf(*backend).graph_launches, graphs[run]);
  }
}

// The record of two copies to one place, the first of which is an argument.
absl::StatusOr<GraphRecord> RecordOfCopies(const std::shared_ptr<Device>& device, std::byte* place,
                                           int64_t argument_bytes, int64_t other_bytes) {
  static const auto& array = *new std::vector<std::byte>(5 << 20);
  GraphRecorder recorder({device});
  absl::Status status = recorder.Start([] { return runtime::RunTotals(); }, 64);
  if (status.ok()) status = recorder.CopyIn(*device, place, array.data(), argument_bytes);
  if (status.ok()) status = recorder.CopyIn(*device, place, array.data(), other_bytes);
  if (!status.ok()) return status;
  runtime::RecordedPlaces places;
  places.arguments.push_back({place, argument_bytes});
  return recorder.End({places}, 0);
}

TEST(CudaRecords, APlaceThatIsUsedAgainKeepsItsArgument) {
  const auto device = *Device::Open(EmulatedRuntime::Create({}), 0);
  constexpr int64_t kSmall = 64, kLarge = 5 << 20;
  const DeviceBuffer block = *device->Allocate(kLarge);
  std::byte* const place = block.data();
  // A large argument is not copied by the graph, whatever comes to its place later.
  auto record = RecordOfCopies(device, place, kLarge, kSmall);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_TRUE(record->staged_arguments.empty());
  record = RecordOfCopies(device, place, kSmall, kSmall);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->staged_arguments.size(), 1u);
  // A large array that is no argument cannot be recorded, though an argument had its place.
  for (const int64_t argument : {kSmall, kLarge}) {
    EXPECT_EQ(RecordOfCopies(device, place, argument, kLarge).status().code(),
              absl::StatusCode::kFailedPrecondition);
  }
}

}  // namespace assay::cuda::cuda_records_test
