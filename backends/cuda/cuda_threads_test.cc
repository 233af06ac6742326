// Several threads that run, compile and destroy modules of one backend, with graphs. The thread
// sanitizer runs this test: it is about the cache of graphs, the pool of streams, the constants and
// the emulated runtime. Expected values are computed by plain loops on small integers.
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include "backends/cuda/device_pool.h"
#include "backends/cuda/graph_replayer.h"
#include "backends/cuda/testing/programs.h"
#include "gmock/gmock.h"

namespace assay::cuda::threads_test {
namespace {

using testing::Floats;
using testing::ParsedModule;
using Arguments = std::vector<std::vector<Literal>>;  // by device

constexpr int kThreads = 4;

// The number of doublings is that of the first argument: the host decides.
constexpr char kLoop[] = R"(HloModule m
less { s = (f32[], f32[], f32[3]) parameter(0) i = f32[] get-tuple-element(s), index=0
  n = f32[] get-tuple-element(s), index=1 ROOT p = pred[] compare(i, n), direction=LT }
body { s = (f32[], f32[], f32[3]) parameter(0) i = f32[] get-tuple-element(s), index=0
  n = f32[] get-tuple-element(s), index=1 x = f32[3] get-tuple-element(s), index=2
  o = f32[] constant(1) j = f32[] add(i, o) d = f32[3] add(x, x)
  ROOT t = (f32[], f32[], f32[3]) tuple(j, n, d) }
ENTRY e { n = f32[1] parameter(0) x = f32[3] parameter(1) m = f32[] reshape(n)
  c = f32[3] constant({1, 2, 3}) y = f32[3] add(x, c) z = f32[] constant(0)
  t = (f32[], f32[], f32[3]) tuple(z, m, y)
  w = (f32[], f32[], f32[3]) while(t), condition=less, body=body
  ROOT r = f32[3] get-tuple-element(w), index=2 })";
// What kLoop gives for `n` and {first, 0, 0}.
Literal LoopResult(int n, float first) {
  std::vector<float> values = {first + 1, 2, 3};
  for (int i = 0; i < n; ++i) {
    for (float& value : values) value += value;
  }
  return Floats(values);
}
Arguments LoopArguments(int n, float first) {
  return {{Floats({static_cast<float>(n)}), Floats({first, 0, 0})}};
}

// Two replicas: the sum of both is multiplied by the value of the other one.
constexpr char kTogether[] = R"(HloModule m, replica_count=2
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e { x = f32[3] parameter(0) s = f32[3] all-reduce(x), replica_groups={}, to_apply=sum
  p = f32[3] collective-permute(x), source_target_pairs={{0,1},{1,0}}
  ROOT r = f32[3] multiply(s, p) })";

// Runs `work` on several threads at once. Returns the numbers of wrong results by thread.
std::vector<int> OnThreads(const std::function<int(int thread)>& work) {
  std::vector<int> wrong(kThreads);
  std::vector<std::thread> threads;
  std::latch start(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      wrong[t] = work(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

bool Gives(Backend& backend, Executable& executable, const Arguments& arguments,
           const std::vector<Literal>& expected) {
  const auto results = testing::Execute(backend, executable, arguments);
  return results.ok() && testing::AreEqual(*results, expected);
}

TEST(CudaThreads, RunOneExecutable) {
  const auto module = ParsedModule(kLoop);
  for (const GraphUse graphs : {GraphUse::kFromSecondRun, GraphUse::kFromFirstRun}) {
    const auto backend =
        testing::BackendOver(EmulatedRuntime::Create({.devices = 2}), true, graphs);
    for (int round = 0; round < 4; ++round) {  // the graphs of each executable are new
      const auto executable = *backend->Compile(*module);
      const auto work = [&](int t) {
        int wrong = 0;
        for (int i = 0; i < 4; ++i) {
          const int n = (i + t) % 4;
          const auto first = static_cast<float>(t);
          wrong += !Gives(*backend, *executable, LoopArguments(n, first), {LoopResult(n, first)});
        }
        return wrong;
      };
      EXPECT_THAT(OnThreads(work), ::testing::Each(0));
    }
  }
}

// Modules come and go beside one that stays: memory, graphs and constants of one thread's module
// are freed while streams of other threads are captured.
TEST(CudaThreads, CompileAndDestroyExecutables) {
  const auto module = ParsedModule(kLoop);
  const auto backend = testing::BackendOver(EmulatedRuntime::Create({}), true);
  const auto shared = *backend->Compile(*module);
  EXPECT_THAT(OnThreads([&](int t) {
                int wrong = 0;
                for (int i = 0; i < 3; ++i) {
                  const auto own = *backend->Compile(*module);
                  for (int run = 0; run < 3; ++run) {
                    wrong += !Gives(*backend, *own, LoopArguments(run, 5), {LoopResult(run, 5)});
                    wrong += !Gives(*backend, *shared, LoopArguments(t, 7), {LoopResult(t, 7)});
                  }
                }
                return wrong;
              }),
              ::testing::Each(0));
}

TEST(CudaThreads, RunSeveralDevices) {
  const auto backend = testing::BackendOver(EmulatedRuntime::Create({.devices = 2}), true);
  const auto module = ParsedModule(kTogether);
  const auto executable = *backend->Compile(*module);
  EXPECT_THAT(OnThreads([&](int t) {
                int wrong = 0;
                for (int i = 0; i < 4; ++i) {
                  const auto a = static_cast<float>(t + 1), b = static_cast<float>(i + 2);
                  const Arguments arguments = {{Floats({a, 1, 0})}, {Floats({b, 2, 3})}};
                  wrong += !Gives(*backend, *executable, arguments,
                                  {Floats({(a + b) * b, 6, 9}), Floats({(a + b) * a, 3, 0})});
                }
                return wrong;
              }),
              ::testing::Each(0));
}

// Nothing else orders the threads here, so that every missing lock shows.
TEST(CudaThreads, ShareACacheOfGraphs) {
  const std::shared_ptr<Api> api = EmulatedRuntime::Create({});
  GraphCache cache(/*at_once=*/false);
  EXPECT_THAT(OnThreads([&](int /*thread*/) {
                int wrong = 0;
                for (int i = 0; i < 100; ++i) {
                  const auto device = Device::Create(api, 0, std::make_shared<Epoch>(0));
                  RunGraphs& graphs = cache.Of({device});
                  graphs.runs_after_drop = i;
                  wrong += &cache.Of({device}) != &graphs;
                }
                return wrong;
              }),
              ::testing::Each(0));
}

TEST(CudaThreads, ShareAPoolOfStreams) {
  DevicePool pool(EmulatedRuntime::Create({.devices = 2}), 2);
  EXPECT_THAT(OnThreads([&](int /*thread*/) {
                int wrong = 0;
                for (int i = 0; i < 100; ++i) {
                  absl::StatusOr<std::shared_ptr<Device>> one = pool.Take(), other = pool.Take();
                  wrong += !one.ok() || !other.ok() || *one == *other;
                  if (one.ok()) pool.Return(*std::move(one));
                  if (other.ok()) pool.Return(*std::move(other));
                }
                return wrong;
              }),
              ::testing::Each(0));
}

}  // namespace
}  // namespace assay::cuda::threads_test
