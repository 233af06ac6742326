// Records of runs as graphs: what a record counts, when another is tried, and which copies it
// keeps.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
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

// Regions of loops and branches on f32[100], whose course depends on the values.
constexpr char kRegions[] =
    "sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
    "less { x = f32[] parameter(0) y = f32[] parameter(1) ROOT p = pred[] compare(x, y), "
    "direction=LT }\n"
    "small { s = (f32[100]) parameter(0) x = f32[100] get-tuple-element(s), index=0\n"
    "  z = f32[] constant(0) t = f32[] reduce(x, z), dimensions={0}, to_apply=sum\n"
    "  l = f32[] constant(1e4) ROOT p = pred[] compare(t, l), direction=LT }\n"
    "order { s = (f32[100]) parameter(0) x = f32[100] get-tuple-element(s), index=0\n"
    "  y = f32[100] sort(x), dimensions={0}, to_apply=less z = f32[100] add(y, y)\n"
    "  w = f32[100] sort(z), dimensions={0}, to_apply=less ROOT t = (f32[100]) tuple(w) }\n"
    "down { x = f32[100] parameter(0) h = f32[] constant(0.001)\n"
    "  b = f32[100] broadcast(h), dimensions={} ROOT y = f32[100] multiply(x, b) }\n"
    "turn { x = f32[100] parameter(0) ROOT y = f32[100] reverse(x), dimensions={0} }\n";

// The peak of a run without a graph and that of its record.
std::pair<int64_t, int64_t> PeaksOf(const std::string& entry) {
  const auto module =
      ParsedModule(absl::StrCat("HloModule m\n", kRegions, "ENTRY e {\n", entry, " }\n"));
  HoldingHost host;
  const auto backend = BackendWith(host, -1);
  const auto executable = *backend->Compile(*module);
  std::vector<int64_t> peaks;
  for (int run = 0; run < 2; ++run) {
    EXPECT_TRUE(testing::Execute(*backend, *executable, {Arguments()}).ok());
    peaks.push_back(backend->last_stats()->peak_bytes);
    EXPECT_EQ(CountsOf(*backend).graph_launches > 0, run > 0);
  }
  return {peaks[0], peaks[1]};
}

// The number of arrays of which all elements are held while a loop on three is recorded.
int64_t ArraysOfLoop(const std::string& iteration) {
  constexpr int kElements = 2000;
  const std::string type = absl::StrCat("f32[", kElements, "]");
  const std::string state = absl::StrCat("(", type, ", ", type, ", ", type, ")");
  std::string condition = absl::StrCat(" s = ", state, " parameter(0)"), body = condition, entry;
  for (const char* const k : {"0", "1", "2"}) {
    absl::StrAppend(&condition, " x", k, " = ", type, " get-tuple-element(s), index=", k);
    absl::StrAppend(&body, " x", k, " = ", type, " get-tuple-element(s), index=", k,
                    absl::StrReplaceAll(iteration, {{"$k", k}, {"$t", type}}));
    absl::StrAppend(&entry, " e", k, " = f32[] constant(", k, ") f", k, " = f32[] add(f, e", k,
                    ") b", k, " = ", type, " broadcast(f", k, "), dimensions={}");
  }
  const auto module = ParsedModule(absl::StrCat(
      "HloModule m\ncondition {", condition, " h = f32[1] slice(x0), slice={[0:1]}",
      " v = f32[] reshape(h) l = f32[] constant(100)",
      " ROOT p = pred[] compare(v, l), direction=LT }\nbody {", body, " ROOT t = ", state,
      " tuple(y0, y1, y2) }\nENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1)",
      " g = f32[1] slice(x), slice={[0:1]} f = f32[] reshape(g)", entry, " t = ", state,
      " tuple(b0, b1, b2) ROOT w = ", state, " while(t), condition=condition, body=body }\n"));
  HoldingHost host;
  const auto backend = BackendWith(host, -1);
  const auto executable = *backend->Compile(*module);
  for (int run = 0; run < 2; ++run) {
    EXPECT_TRUE(testing::Execute(*backend, *executable, {Arguments()}).ok());
    EXPECT_EQ(CountsOf(*backend).graph_launches > 0, run > 0);
  }
  return backend->last_stats()->peak_bytes / (4 * kElements);
}

// Values that a kernel may overwrite stay in their places; others are copied there, and one of the
// new values lies beside the old ones.
TEST(CudaRecords, HoldTheStateOfALoopOnce) {
  EXPECT_EQ(ArraysOfLoop(" y$k = $t exponential(x$k)"), 3);
  EXPECT_EQ(ArraysOfLoop(" d$k = $t exponential(x$k) y$k = $t reverse(d$k), dimensions={0}"), 4);
}

TEST(CudaRecords, LoopsAndBranchesReleaseWhatTheyHeld) {
  std::vector<int64_t> peaks;
  for (const int stages : {2, 6}) {
    std::string text =
        "x = f32[3] parameter(0) y = f32[3] parameter(1) e = f32[1] slice(x), slice={[0:1]}\n"
        "  f = f32[] reshape(e) c = s32[] convert(f) a0 = f32[100] broadcast(f), dimensions={} b0 "
        "= f32[100] sort(a0), dimensions={0}, to_apply=less\n";
    for (int i = 0; i < stages; ++i) {
      absl::StrAppend(&text, "t", i, " = (f32[100]) tuple(b", i, ") w", i, " = (f32[100]) while(t",
                      i, "), condition=small, body=order v", i, " = f32[100] get-tuple-element(w",
                      i,
                      "), index=0\n"
                      " b",
                      i + 1, " = f32[100] conditional(c, v", i, ", v", i,
                      "), branch_computations={turn, down}\n");
    }
    absl::StrAppend(&text, "ROOT r = f32[100] negate(b", stages, ")");
    const auto [run, record] = PeaksOf(text);

    peaks.push_back(record);
  }
  EXPECT_EQ(peaks[0], peaks[1]);
}

// Two loops of so many iterations, one after the other, which double their state.
std::string TwoLoops(int iterations, int more) {
  const auto loop = [](const std::string& name, int bound) {
    return absl::StrCat(
        name,
        "_condition { s = (s32[], f32[3]) parameter(0)\n"
        "  i = s32[] get-tuple-element(s), index=0 n = s32[] constant(",
        bound,
        ")\n"
        "  ROOT p = pred[] compare(i, n), direction=LT }\n",
        name,
        "_body { s = (s32[], f32[3]) parameter(0)\n"
        "  i = s32[] get-tuple-element(s), index=0 x = f32[3] get-tuple-element(s), index=1\n"
        "  one = s32[] constant(1) j = s32[] add(i, one) y = f32[3] add(x, x)\n"
        "  ROOT t = (s32[], f32[3]) tuple(j, y) }\n");
  };
  return absl::StrCat(
      "HloModule m\n", loop("first", iterations), loop("second", more),
      "ENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1)\n"
      "  z = s32[] constant(0) t = (s32[], f32[3]) tuple(z, x)\n"
      "  v = (s32[], f32[3]) while(t), condition=first_condition, body=first_body\n"
      "  a = f32[3] get-tuple-element(v), index=1 u = (s32[], f32[3]) tuple(z, a)\n"
      "  w = (s32[], f32[3]) while(u), condition=second_condition, body=second_body\n"
      "  b = f32[3] get-tuple-element(w), index=1 ROOT r = f32[3] subtract(b, y) }\n");
}

TEST(CudaRecords, LoopsOfUpTo32IterationsAreUnrolled) {
  struct Loops {
    int first, second, graph_launches;
  };
  // A long loop has a graph before it, one for each iteration, and one after it.
  for (const Loops& loops : {Loops{3, 2, 1}, Loops{1, 0, 1}, Loops{2, 32, 1}, Loops{1, 33, 35}}) {
    SCOPED_TRACE(loops.second);
    const auto module = ParsedModule(TwoLoops(loops.first, loops.second));
    HoldingHost host;
    const auto backend = BackendWith(host, -1);
    const auto executable = *backend->Compile(*module);
    const float factor = std::ldexp(1.0f, loops.first + loops.second);
    for (int run = 0; run < 3; ++run) {
      const auto results = testing::Execute(*backend, *executable, {Arguments()});
      ASSERT_TRUE(results.ok()) << results.status();
      const Literal expected = Floats({3 * factor - 2, factor - 4, 2 * factor - 6});
      EXPECT_TRUE(testing::AreEqual(*results, {expected})) << run;
      EXPECT_EQ(CountsOf(*backend).graph_launches, run == 0 ? 0 : loops.graph_launches);
    }
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
