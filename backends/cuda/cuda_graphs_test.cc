// Runs of a module as a graph from the third run on: the same bits as without graphs for arguments
// that differ in every run, no graph where the work of a run can differ, and one error and no leak
// if any call of the runtime fails while a graph is recorded or launched.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/cuda_stats.h"
#include "backends/cuda/device/errors.h"
#include "backends/cuda/testing/programs.h"
#include "gmock/gmock.h"

namespace assay::cuda {
namespace {

using testing::Floats;
using testing::ParsedModule;
using Values = std::vector<Literal>;

constexpr int kRuns = 5;
constexpr int kRecordedRun = 2;  // counted from 0

constexpr char kRegions[] =
    "less { x = f32[] parameter(0) y = f32[] parameter(1) ROOT p = pred[] compare(x, y), "
    "direction=LT }\n"
    "sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
    "twice { x = f32[3] parameter(0) ROOT s = f32[3] add(x, x) }\n"
    "cond { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    "  n = s32[] constant(3) ROOT p = pred[] compare(i, n), direction=LT }\n"
    "body { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    "  x = f32[3] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)\n"
    "  y = f32[3] add(x, x) ROOT t = (s32[], f32[3]) tuple(j, y) }\n";

// Every program has two parameters of f32[3].
struct GraphProgram {
  const char* text;
  bool is_recorded;
};
const GraphProgram kGraphPrograms[] = {
    // Constants, scratch memory, a sort by a program, a fusion, a reduce and a call.
    {"d = f32[3] add(x, y) c = f32[3] constant({1, 2, 3}) e = f32[3] multiply(d, c)\n"
     "s = f32[3] sort(e), dimensions={0}, to_apply=less z = f32[] constant(0)\n"
     "t = f32[] reduce(s, z), dimensions={0}, to_apply=sum w = f32[3] call(s), to_apply=twice\n"
     "ROOT r = (f32[3], f32[], f32[3]) tuple(s, t, w)",
     true},
    // Results that are an argument, a constant and one value twice; an argument that nothing reads.
    {"c = f32[3] constant({1, 2, 3}) n = f32[3] negate(x)\n"
     "o = (f32[3]) tuple(n) ROOT r = (f32[3], f32[3], f32[3], (f32[3])) tuple(x, c, n, o)",
     true},
    // An update that may overwrite its argument, tokens and arrays without elements.
    {"z = s32[] constant(1) u = f32[1] constant({7}) v = f32[3] dynamic-update-slice(x, u, z)\n"
     "w = f32[3] subtract(v, y) e = f32[0] constant({}) k = token[] after-all()\n"
     "ROOT r = (f32[3], f32[0], token[]) tuple(w, e, k)",
     true},
    // A chain of temporary values, whose blocks are used again.
    {"a = f32[3] sort(x), dimensions={0}, to_apply=less b = f32[3] add(a, y)\n"
     "c = f32[3] sort(b), dimensions={0}, to_apply=less d = f32[3] subtract(c, x)\n"
     "e = f32[3] sort(d), dimensions={0}, to_apply=less f = f32[3] add(e, b)\n"
     "ROOT g = f32[3] sort(f), dimensions={0}, to_apply=less",
     true},
    {"i = s32[] constant(0) t = (s32[], f32[3]) tuple(i, x)\n"
     "ROOT w = (s32[], f32[3]) while(t), condition=cond, body=body",
     false},
    {"i = s32[] constant(1)\n"
     "ROOT w = f32[3] conditional(i, x, y), branch_computations={twice, twice}",
     false},
    {"l = f32[] constant(0) h = f32[] constant(1)\n"
     "q = f32[3] rng(l, h), distribution=rng_uniform ROOT r = f32[3] add(q, x)",
     false},
};

std::unique_ptr<Module> ModuleOf(const GraphProgram& program) {
  return ParsedModule(absl::StrCat("HloModule m\n", kRegions,
                                   "ENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1)\n",
                                   program.text, " }\n"));
}

// Arguments that are others in every run.
Values ArgumentsOf(int run) {
  const auto r = static_cast<float>(run);
  return {Floats({3 - 2 * r, r * r, -1 - r}), Floats({r, 5 - r * r, 0.5f * r})};
}

std::unique_ptr<CudaBackend> BackendWith(std::shared_ptr<Api> api, bool graphs) {
  auto backend = CudaBackend::Create("cuda-emulated", std::move(api), {.graphs = graphs});
  EXPECT_TRUE(backend.ok()) << backend.status();
  return *std::move(backend);
}

// The results of the first runs without graphs.
std::vector<Values> ExpectedOf(const Module& module) {
  const auto backend = BackendWith(EmulatedRuntime::Create({}), false);
  const auto executable = *backend->Compile(module);
  std::vector<Values> expected;
  for (int run = 0; run < kRuns; ++run) {
    auto results = testing::Execute(*backend, *executable, {ArgumentsOf(run)});
    EXPECT_TRUE(results.ok()) << results.status();
    if (results.ok()) expected.push_back(*std::move(results));
  }
  return expected;
}

DeviceCounts CountsOf(const CudaBackend& backend) {
  return dynamic_cast<const CudaStats*>(backend.last_stats())->device;
}

TEST(CudaGraphs, GiveTheBitsOfRunsWithoutThem) {
  for (const GraphProgram& program : kGraphPrograms) {
    SCOPED_TRACE(program.text);
    const auto module = ModuleOf(program);
    const std::vector<Values> expected = ExpectedOf(*module);
    ASSERT_EQ(expected.size(), kRuns);
    for (uint64_t seed = 0; seed < 4; ++seed) {
      EmulatorOptions options;
      options.seed = seed;
      const auto backend = BackendWith(EmulatedRuntime::Create(options), true);
      const auto executable = *backend->Compile(*module);
      int64_t steps = 0, peak = 0;
      for (int run = 0; run < kRuns; ++run) {
        const auto results = testing::Execute(*backend, *executable, {ArgumentsOf(run)});
        ASSERT_TRUE(results.ok()) << results.status();
        EXPECT_TRUE(testing::AreEqual(*results, expected[run])) << "run " << run;
        const bool as_graph = program.is_recorded && run >= kRecordedRun;
        const DeviceCounts counts = CountsOf(*backend);
        EXPECT_EQ(counts.graph_launches, as_graph ? 1 : 0) << "run " << run;
        if (as_graph) {
          EXPECT_EQ(counts.launches, 0);
          EXPECT_EQ(counts.copies_in, 2);
          EXPECT_EQ(counts.waits, 1);
        }
        if (run == 1) {
          steps = backend->last_stats()->steps;
          peak = backend->last_stats()->peak_bytes;
        }
        if (run > 1) {
          EXPECT_EQ(backend->last_stats()->steps, steps);
          EXPECT_EQ(backend->last_stats()->peak_bytes, peak);
        }
      }
    }
  }
}

TEST(CudaGraphs, OfTwoModulesShareAStream) {
  const auto one = ModuleOf(kGraphPrograms[0]), other = ModuleOf(kGraphPrograms[3]);
  const auto expected_one = ExpectedOf(*one), expected_other = ExpectedOf(*other);
  const auto runtime = std::shared_ptr<EmulatedRuntime>(EmulatedRuntime::Create({}));
  {
    const auto backend = BackendWith(runtime, true);
    const auto a = *backend->Compile(*one);
    for (int run = 0; run < kRuns; ++run) {
      // A new executable in every run of the outer loop: its memory is freed beside the first's.
      const auto b = *backend->Compile(*other);
      EXPECT_TRUE(testing::AreEqual(*testing::Execute(*backend, *a, {ArgumentsOf(run)}),
                                    expected_one[run]));
      for (int i = 0; i < kRuns; ++i) {
        EXPECT_TRUE(testing::AreEqual(*testing::Execute(*backend, *b, {ArgumentsOf(i)}),
                                      expected_other[i]));
      }
    }
    EXPECT_GT(runtime->counts().live_graphs, 0);
  }
  runtime->SetDevice(0);
  EXPECT_EQ(runtime->DeviceSynchronize(), Error::kSuccess);
  EXPECT_EQ(runtime->counts().live_graphs, 0);
  EXPECT_EQ(runtime->counts().live_bytes, 0);
}

TEST(CudaGraphs, DonatedArgumentsAndExecutionsAtTheSameTime) {
  const auto module = ModuleOf(kGraphPrograms[2]);
  const auto expected = ExpectedOf(*module);
  const auto backend = BackendWith(EmulatedRuntime::Create({}), true);
  const auto executable = *backend->Compile(*module);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const int run = (i + static_cast<int>(t)) % kRuns;
        std::vector<BufferHandle> buffers;
        ExecuteInputs inputs;
        for (const Literal& argument : ArgumentsOf(run)) {
          buffers.push_back(*backend->Upload(argument, 0));
          inputs.arguments.push_back(Argument::Donated(buffers.back().get()));
        }
        const auto ran = executable->Execute({inputs});
        if (!ran.ok()) {
          ++wrong[t];
          continue;
        }
        Values results;
        for (const BufferHandle& result : ran->devices[0].results) {
          results.push_back(*backend->Download(*result));
        }
        if (!testing::AreEqual(results, expected[run])) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, ::testing::Each(0));
}

TEST(CudaGraphs, AreNotMadeForSeveralDevices) {
  const auto module = ParsedModule(
      "HloModule m, replica_count=2\n"
      "ENTRY e { x = f32[3] parameter(0) ROOT r = f32[3] negate(x) }\n");
  EmulatorOptions options;
  options.devices = 2;
  const auto backend = BackendWith(EmulatedRuntime::Create(options), true);
  const auto executable = *backend->Compile(*module);
  for (int run = 0; run < kRuns; ++run) {
    const Values x = {ArgumentsOf(run)[0]};
    ASSERT_TRUE(testing::Execute(*backend, *executable, {x, x}).ok());
    EXPECT_EQ(CountsOf(*backend).graph_launches, 0);
  }
}

// Memory that suffices for a run without a graph, whose values of two sizes do not live at the same
// time, but not for the blocks of a graph.
TEST(CudaGraphs, WithoutMemoryForThemModulesRunWithoutThem) {
  const auto module =
      ModuleOf({"z = f32[] constant(0) a = f32[20,3] broadcast(x), dimensions={1}\n"
                "b = f32[20,3] sort(a), dimensions={0}, to_apply=less\n"
                "c = f32[3] reduce(b, z), dimensions={0}, to_apply=sum\n"
                "d = f32[30,3] broadcast(c), dimensions={1}\n"
                "e = f32[30,3] sort(d), dimensions={0}, to_apply=less\n"
                "ROOT f = f32[3] reduce(e, z), dimensions={0}, to_apply=sum",
                true});
  const auto expected = ExpectedOf(*module);
  int64_t with = 0, without = 0;
  for (int64_t bytes = 64; with == 0; bytes += 32) {
    ASSERT_LT(bytes, 1 << 20);
    EmulatorOptions options;
    options.device_bytes = bytes;
    const auto backend = BackendWith(EmulatedRuntime::Create(options), true);
    const auto executable = *backend->Compile(*module);
    for (int run = 0; run < kRuns; ++run) {
      const auto results = testing::Execute(*backend, *executable, {ArgumentsOf(run)});
      if (!results.ok()) {
        EXPECT_EQ(results.status().code(), absl::StatusCode::kResourceExhausted);
        break;
      }
      EXPECT_TRUE(testing::AreEqual(*results, expected[run]));
      if (run == kRuns - 1) ++(CountsOf(*backend).graph_launches == 1 ? with : without);
    }
  }
  EXPECT_GT(without, 0);
}

class CudaGraphFaults : public ::testing::TestWithParam<Error> {
 protected:
  // Makes call n of run `faulty` fail, none for 0. Returns false if that run makes fewer calls.
  bool RunWithFault(const Module& module, const std::vector<Values>& expected, int faulty,
                    int64_t n) {
    const std::shared_ptr<EmulatedRuntime> runtime = EmulatedRuntime::Create({});
    bool fails = false;
    {
      const auto backend = BackendWith(runtime, true);
      const auto executable = *backend->Compile(module);
      for (int run = 0; run < faulty; ++run) {
        EXPECT_TRUE(testing::Execute(*backend, *executable, {ArgumentsOf(run)}).ok());
      }
      const int64_t before = runtime->counts().calls;
      runtime->Inject(n, GetParam());
      const auto failed = testing::Execute(*backend, *executable, {ArgumentsOf(faulty)});
      fails = runtime->counts().calls - before >= n;
      runtime->Inject(0, Error::kSuccess);
      if (failed.ok()) {
        EXPECT_TRUE(testing::AreEqual(*failed, expected[faulty]));
      } else {
        const std::string message(failed.status().message());
        EXPECT_THAT(message, ::testing::HasSubstr("CUDA device "));
        EXPECT_THAT(message, ::testing::HasSubstr(NameOf(GetParam())));
      }
      for (int run = 0; run < kRuns; ++run) {
        const auto again = testing::Execute(*backend, *executable, {ArgumentsOf(run)});
        EXPECT_TRUE(again.ok()) << again.status() << " after " << failed.status();
        if (again.ok()) {
          EXPECT_TRUE(testing::AreEqual(*again, expected[run]));
        }
      }
      runtime->SetDevice(0);
      EXPECT_EQ(runtime->DeviceSynchronize(), Error::kSuccess);
      if (n == 0) live_bytes_ = runtime->counts().live_bytes;
      EXPECT_LE(runtime->counts().live_bytes, live_bytes_);
    }
    runtime->SetDevice(0);
    EXPECT_EQ(runtime->DeviceSynchronize(), Error::kSuccess);
    const EmulatorCounts counts = runtime->counts();
    EXPECT_EQ(counts.live_bytes + counts.live_allocations + counts.live_streams +
                  counts.live_events + counts.live_graphs,
              0);
    return fails;
  }

  int64_t live_bytes_ = 0;  // of a module and its graph after runs without a fault
};

TEST_P(CudaGraphFaults, GiveOneErrorAndLeakNothing) {
  const auto module = ModuleOf(kGraphPrograms[0]);
  const auto expected = ExpectedOf(*module);
  for (const int faulty : {kRecordedRun - 1, kRecordedRun, kRecordedRun + 1}) {
    int64_t n = 0;
    while (RunWithFault(*module, expected, faulty, n) && !HasFailure()) ++n;
    EXPECT_GT(n, 5);
    ASSERT_FALSE(HasFailure()) << "call " << n << " of run " << faulty;
  }
}

INSTANTIATE_TEST_SUITE_P(Errors, CudaGraphFaults,
                         ::testing::Values(Error::kMemoryAllocation, Error::kLaunchFailure,
                                           Error::kInvalidValue, Error::kDevicesUnavailable),
                         [](const auto& info) { return std::string(NameOf(info.param)); });

}  // namespace
}  // namespace assay::cuda
