// Runs of a module as graphs from the second run on: the same bits as without graphs for arguments
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
constexpr int kRecordedRun = 1;  // counted from 0

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
  // Launches of graphs, and waits of the host, of every run that is replayed; -1 if they depend on
  // the arguments. No launches if the program is not recorded.
  int graph_launches, waits;
  const char* regions = "";
  bool is_long = false;  // takes thousands of launches
};
const GraphProgram kGraphPrograms[] = {
    // Constants, scratch memory, a sort by a program, a fusion, a reduce and a call.
    {"d = f32[3] add(x, y) c = f32[3] constant({1, 2, 3}) e = f32[3] multiply(d, c)\n"
     "s = f32[3] sort(e), dimensions={0}, to_apply=less z = f32[] constant(0)\n"
     "t = f32[] reduce(s, z), dimensions={0}, to_apply=sum w = f32[3] call(s), to_apply=twice\n"
     "ROOT r = (f32[3], f32[], f32[3]) tuple(s, t, w)",
     1, 1},
    // Results that are an argument, a constant and one value twice; an argument that nothing reads.
    {"c = f32[3] constant({1, 2, 3}) n = f32[3] negate(x)\n"
     "o = (f32[3]) tuple(n) ROOT r = (f32[3], f32[3], f32[3], (f32[3])) tuple(x, c, n, o)",
     1, 1},
    // An update that may overwrite its argument, tokens and arrays without elements.
    {"z = s32[] constant(1) u = f32[1] constant({7}) v = f32[3] dynamic-update-slice(x, u, z)\n"
     "w = f32[3] subtract(v, y) e = f32[0] constant({}) k = token[] after-all()\n"
     "ROOT r = (f32[3], f32[0], token[]) tuple(w, e, k)",
     1, 1},
    // A chain of temporary values, whose blocks are used again.
    {"a = f32[3] sort(x), dimensions={0}, to_apply=less b = f32[3] add(a, y)\n"
     "c = f32[3] sort(b), dimensions={0}, to_apply=less d = f32[3] subtract(c, x)\n"
     "e = f32[3] sort(d), dimensions={0}, to_apply=less f = f32[3] add(e, b)\n"
     "ROOT g = f32[3] sort(f), dimensions={0}, to_apply=less",
     1, 1},
    // Random numbers differ in every run.
    {"l = f32[] constant(0) h = f32[] constant(1)\n"
     "q = f32[3] rng(l, h), distribution=rng_uniform ROOT r = f32[3] add(q, x)",
     0, 1},
    // Three iterations are part of one graph.
    {"i = s32[] constant(0) t = (s32[], f32[3]) tuple(i, x)\n"
     "ROOT w = (s32[], f32[3]) while(t), condition=cond, body=body",
     1, 1},
    // A graph before the loop, one for each of 40 iterations, and one after it.
    {"i = s32[] constant(-37) t = (s32[], f32[3]) tuple(i, x)\n"
     "ROOT w = (s32[], f32[3]) while(t), condition=cond, body=body",
     42, 1},
    // The selector, the branch, and what follows.
    {"i = s32[] constant(1)\n"
     "ROOT w = f32[3] conditional(i, x, y), branch_computations={twice, twice}",
     3, 2},
    // Branches that return their operand or a constant, and give one value twice.
    {"z = f32[] constant(0) t = f32[] reduce(x, z), dimensions={0}, to_apply=sum\n"
     "p = pred[] compare(t, z), direction=GT\n"
     "w = (f32[3], f32[3]) conditional(p, x, y), true_computation=same, false_computation=fixed\n"
     "a = f32[3] get-tuple-element(w), index=0 b = f32[3] get-tuple-element(w), index=1\n"
     "c = f32[3] add(a, b) d = f32[3] add(c, x) ROOT e = f32[3] subtract(d, y)",
     3, 2,
     "same { x = f32[3] parameter(0) ROOT t = (f32[3], f32[3]) tuple(x, x) }\n"
     "fixed { x = f32[3] parameter(0) c = f32[3] constant({5, 6, 7})\n"
     "  n = f32[3] negate(x) ROOT t = (f32[3], f32[3]) tuple(c, n) }\n"},
    // As many iterations as the arguments want.
    {"i = s32[] constant(0) t = (s32[], f32[3]) tuple(i, x)\n"
     "w = (s32[], f32[3]) while(t), condition=small, body=body\n"
     "v = f32[3] get-tuple-element(w), index=1 s = f32[3] add(v, x)\n"
     "ROOT r = (f32[3], (s32[], f32[3])) tuple(s, w)",
     -1, -1,
     "small { s = (s32[], f32[3]) parameter(0) x = f32[3] get-tuple-element(s), index=1\n"
     "  q = f32[3] multiply(x, x) z = f32[] constant(0) l = f32[] constant(1000)\n"
     "  t = f32[] reduce(q, z), dimensions={0}, to_apply=sum\n"
     "  ROOT p = pred[] compare(t, l), direction=LT }\n"},
    // No iteration for some arguments, and a state that is one value twice.
    {"t = (f32[3], f32[3]) tuple(x, x) w = (f32[3], f32[3]) while(t), condition=below, body=up\n"
     "a = f32[3] get-tuple-element(w), index=0 b = f32[3] get-tuple-element(w), index=1\n"
     "c = f32[3] subtract(a, b) d = f32[3] add(c, x) ROOT e = (f32[3], f32[3]) tuple(d, b)",
     -1, -1,
     "larger { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] maximum(x, y) }\n"
     "below { s = (f32[3], f32[3]) parameter(0) x = f32[3] get-tuple-element(s), index=0\n"
     "  z = f32[] constant(-100) t = f32[] reduce(x, z), dimensions={0}, to_apply=larger\n"
     "  l = f32[] constant(9) ROOT p = pred[] compare(t, l), direction=LT }\n"
     "up { s = (f32[3], f32[3]) parameter(0) x = f32[3] get-tuple-element(s), index=0\n"
     "  y = f32[3] get-tuple-element(s), index=1 c = f32[3] constant({2, 3, 4})\n"
     "  v = f32[3] add(x, c) u = f32[3] multiply(y, y) ROOT t = (f32[3], f32[3]) tuple(v, u) }\n"},
    // A value of the state that the condition reads and the body does not.
    {"i = f32[] constant(50) t = (f32[3], f32[]) tuple(x, i)\n"
     "ROOT w = (f32[3], f32[]) while(t), condition=near, body=away",
     -1, -1,
     "near { s = (f32[3], f32[]) parameter(0) x = f32[3] get-tuple-element(s), index=0\n"
     "  l = f32[] get-tuple-element(s), index=1 z = f32[] constant(0)\n"
     "  t = f32[] reduce(x, z), dimensions={0}, to_apply=sum\n"
     "  ROOT p = pred[] compare(t, l), direction=LT }\n"
     "away { s = (f32[3], f32[]) parameter(0) x = f32[3] get-tuple-element(s), index=0\n"
     "  l = f32[] constant(70) c = f32[3] constant({2, 3, 4}) y = f32[3] add(x, c)\n"
     "  ROOT t = (f32[3], f32[]) tuple(y, l) }\n"},
    // The state changes places; one value of it becomes two, and one is a constant.
    {"i = s32[] constant(0) t = (s32[], f32[3], f32[3], f32[3], f32[3]) tuple(i, x, y, x, y)\n"
     "ROOT w = (s32[], f32[3], f32[3], f32[3], f32[3]) while(t), condition=few, body=turn",
     43, 1,
     "few { s = (s32[], f32[3], f32[3], f32[3], f32[3]) parameter(0)\n"
     "  i = s32[] get-tuple-element(s), index=0\n"
     "  n = s32[] constant(41) ROOT p = pred[] compare(i, n), direction=LT }\n"
     "turn { s = (s32[], f32[3], f32[3], f32[3], f32[3]) parameter(0)\n"
     "  i = s32[] get-tuple-element(s), index=0 a = f32[3] get-tuple-element(s), index=1\n"
     "  b = f32[3] get-tuple-element(s), index=2 c = f32[3] get-tuple-element(s), index=3\n"
     "  d = f32[3] get-tuple-element(s), index=4 one = s32[] constant(1) j = s32[] add(i, one)\n"
     "  k = f32[3] constant({0.5, -1, 2}) e = f32[3] add(d, c)\n"
     "  ROOT t = (s32[], f32[3], f32[3], f32[3], f32[3]) tuple(j, b, c, b, e) }\n"},
    // An update in place in every iteration of a long loop.
    {"i = s32[] constant(0) z = f32[] constant(0) a = f32[40] broadcast(z), dimensions={}\n"
     "t = (s32[], f32[40], f32[3]) tuple(i, a, x)\n"
     "ROOT w = (s32[], f32[40], f32[3]) while(t), condition=all, body=write",
     42, 1,
     "all { s = (s32[], f32[40], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
     "  n = s32[] constant(40) ROOT p = pred[] compare(i, n), direction=LT }\n"
     "write { s = (s32[], f32[40], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
     "  a = f32[40] get-tuple-element(s), index=1 x = f32[3] get-tuple-element(s), index=2\n"
     "  z = f32[] constant(0) t = f32[] reduce(x, z), dimensions={0}, to_apply=sum\n"
     "  u = f32[1] reshape(t) b = f32[40] dynamic-update-slice(a, u, i)\n"
     "  h = f32[] constant(0.5) k = f32[3] broadcast(h), dimensions={} y = f32[3] multiply(x, k)\n"
     "  one = s32[] constant(1) j = s32[] add(i, one)\n"
     "  ROOT r = (s32[], f32[40], f32[3]) tuple(j, b, y) }\n"},
    // A loop in a branch of a loop.
    {"i = s32[] constant(0) t = (s32[], f32[3]) tuple(i, x)\n"
     "ROOT w = (s32[], f32[3]) while(t), condition=small, body=either",
     -1, -1,
     "small { s = (s32[], f32[3]) parameter(0) x = f32[3] get-tuple-element(s), index=1\n"
     "  q = f32[3] multiply(x, x) z = f32[] constant(0) l = f32[] constant(1e9)\n"
     "  t = f32[] reduce(q, z), dimensions={0}, to_apply=sum\n"
     "  ROOT p = pred[] compare(t, l), direction=LT }\n"
     "loop { s = (s32[], f32[3]) parameter(0) x = f32[3] get-tuple-element(s), index=1\n"
     "  i = s32[] get-tuple-element(s), index=0 z = s32[] constant(0)\n"
     "  t = (s32[], f32[3]) tuple(z, x) w = (s32[], f32[3]) while(t), condition=cond, body=body\n"
     "  y = f32[3] get-tuple-element(w), index=1 n = s32[] get-tuple-element(w), index=0\n"
     "  j = s32[] add(i, n) ROOT r = (s32[], f32[3]) tuple(j, y) }\n"
     "either { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
     "  two = s32[] constant(2) m = s32[] remainder(i, two)\n"
     "  ROOT r = (s32[], f32[3]) conditional(m, s, s, s), "
     "branch_computations={body, loop, body} }\n"},
    // 32 times 32 iterations are more than one graph holds.
    {"i = s32[] constant(0) t = (s32[], f32[3]) tuple(i, x)\n"
     "ROOT w = (s32[], f32[3]) while(t), condition=often, body=outer",
     -1, 1,
     "often { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
     "  n = s32[] constant(32) ROOT p = pred[] compare(i, n), direction=LT }\n"
     "inner { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
     "  x = f32[3] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)\n"
     "  a = f32[3] sort(x), dimensions={0}, to_apply=less c = f32[3] constant({1, 0.5, -2})\n"
     "  b = f32[3] subtract(c, a) d = f32[3] sort(b), dimensions={0}, to_apply=less\n"
     "  ROOT t = (s32[], f32[3]) tuple(j, d) }\n"
     "outer { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
     "  x = f32[3] get-tuple-element(s), index=1 z = s32[] constant(0)\n"
     "  t = (s32[], f32[3]) tuple(z, x) w = (s32[], f32[3]) while(t), condition=often, body=inner\n"
     "  y = f32[3] get-tuple-element(w), index=1 one = s32[] constant(1) j = s32[] add(i, one)\n"
     "  ROOT r = (s32[], f32[3]) tuple(j, y) }\n",
     true},
};

std::unique_ptr<Module> ModuleOf(const GraphProgram& program) {
  return ParsedModule(absl::StrCat("HloModule m\n", kRegions, program.regions,
                                   "ENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1)\n",
                                   program.text, " }\n"));
}

// Arguments that are others in every run.
Values ArgumentsOf(int run) {
  const auto r = static_cast<float>(run);
  return {Floats({3 - 2 * r, r * r, -1 - r}), Floats({r, 5 - r * r, 0.5f * r})};
}

std::unique_ptr<CudaBackend> BackendWith(std::shared_ptr<Api> api, bool graphs) {
  auto backend =
      CudaBackend::Create("cuda-emulated", std::move(api),
                          {.graphs = graphs ? GraphUse::kFromSecondRun : GraphUse::kNever});
  EXPECT_TRUE(backend.ok()) << backend.status();
  return *std::move(backend);
}

// The results and the statistics of a run.
struct Ran {
  Values results;
  int64_t steps = 0, stored_bytes = 0, peak_bytes = 0;
};

Ran RunOf(CudaBackend& backend, Executable& executable, const std::vector<Values>& arguments) {
  auto results = testing::Execute(backend, executable, arguments);
  EXPECT_TRUE(results.ok()) << results.status();
  if (!results.ok()) return {};
  const auto* const stats = backend.last_stats();
  return {*std::move(results), stats->steps, stats->stored_bytes, stats->peak_bytes};
}

// The first runs without graphs.
std::vector<Ran> RunsOf(const Module& module, int count = kRuns) {
  const auto backend = BackendWith(EmulatedRuntime::Create({}), false);
  const auto executable = *backend->Compile(module);
  std::vector<Ran> runs;
  for (int run = 0; run < count; ++run) {
    runs.push_back(RunOf(*backend, *executable, {ArgumentsOf(run)}));
  }
  return runs;
}
std::vector<Values> ExpectedOf(const Module& module) {
  std::vector<Values> expected;
  for (Ran& run : RunsOf(module)) expected.push_back(std::move(run.results));
  return expected;
}

DeviceCounts CountsOf(const CudaBackend& backend) {
  return dynamic_cast<const CudaStats*>(backend.last_stats())->device;
}

// What every run of a program as graphs has in common.
void ExpectCounts(const GraphProgram& program, const DeviceCounts& counts) {
  if (program.graph_launches > 0) {
    EXPECT_EQ(counts.graph_launches, program.graph_launches);
  } else {
    EXPECT_GT(counts.graph_launches, 1);
  }
  EXPECT_TRUE(program.waits < 0 || counts.waits == program.waits) << counts.waits;
  // Graphs copy the arguments, the results and what the host decides by.
  EXPECT_EQ(counts.launches + counts.fills, 0);
  EXPECT_EQ(counts.copies_in + counts.copies_out + counts.copies_on, 0);
}

TEST(CudaGraphs, GiveTheBitsOfRunsWithoutThem) {
  for (const GraphProgram& program : kGraphPrograms) {
    SCOPED_TRACE(program.text);
    const auto module = ModuleOf(program);
    const int runs = program.is_long ? kRecordedRun + 1 : kRuns;
    const uint64_t seeds = program.is_long ? 1 : 2;
    const std::vector<Ran> expected = RunsOf(*module, runs);
    ASSERT_FALSE(HasFailure());
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      EmulatorOptions options;
      options.seed = seed;
      const auto backend = BackendWith(EmulatedRuntime::Create(options), true);
      const auto executable = *backend->Compile(*module);
      for (int run = 0; run < runs; ++run) {
        SCOPED_TRACE(absl::StrCat("run ", run));
        const Ran ran = RunOf(*backend, *executable, {ArgumentsOf(run)});
        if (program.graph_launches != 0) {
          EXPECT_TRUE(testing::AreEqual(ran.results, expected[run].results));
        }
        EXPECT_EQ(ran.steps, expected[run].steps);
        EXPECT_EQ(ran.stored_bytes, expected[run].stored_bytes);
        if (program.graph_launches == 1) {
          EXPECT_EQ(ran.peak_bytes, expected[run].peak_bytes);
        }
        const DeviceCounts counts = CountsOf(*backend);
        if (program.graph_launches == 0 || run < kRecordedRun) {
          EXPECT_EQ(counts.graph_launches, 0);
        } else {
          ExpectCounts(program, counts);
        }
      }
    }
  }
}

// An array of 4.8 MB is copied from the caller's memory and to it.
TEST(CudaGraphs, LargeArraysAreCopiedOutsideOfThem) {
  const auto module = ParsedModule(
      "HloModule m\nENTRY e { x = f64[600000] parameter(0) y = f64[] parameter(1)\n"
      "  n = f64[600000] negate(x) z = f64[] add(y, y) ROOT r = (f64[600000], f64[]) tuple(n, z) "
      "}\n");
  const auto backend = BackendWith(EmulatedRuntime::Create({}), true);
  const auto executable = *backend->Compile(*module);
  for (int run = 0; run < 3; ++run) {
    Literal x = Literal::Zeros(Shape(ElementType::kF64, {600000}));
    auto* const elements = reinterpret_cast<double*>(x.mutable_data());
    for (int i = 0; i < 600000; ++i) elements[i] = run + 0.5 * i;
    Literal y = Literal::Zeros(Shape(ElementType::kF64, {}));
    *reinterpret_cast<double*>(y.mutable_data()) = run + 1;
    const Ran ran = RunOf(*backend, *executable, {{x, y}});
    ASSERT_EQ(ran.results.size(), 2u);
    const auto* const negated = reinterpret_cast<const double*>(ran.results[0].data());
    EXPECT_EQ(negated[0], -run);
    EXPECT_EQ(negated[599999], -(run + 0.5 * 599999));
    EXPECT_EQ(*reinterpret_cast<const double*>(ran.results[1].data()), 2 * run + 2);
    if (run < kRecordedRun) continue;
    const DeviceCounts counts = CountsOf(*backend);
    EXPECT_EQ(counts.graph_launches, 1);
    EXPECT_EQ(counts.copies_in, 1);
    EXPECT_EQ(counts.copies_out, 1);
    EXPECT_EQ(counts.waits, 1);
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

// Programs of two replicas with a parameter of f32[3] each.
const char* const kTogether[] = {
    "d = f32[3] add(x, x) s = f32[3] all-reduce(d), replica_groups={}, to_apply=sum\n"
    "p = f32[3] collective-permute(d), source_target_pairs={{0,1},{1,0}}\n"
    "q = f32[3] multiply(s, p) t = f32[3] all-reduce(q), replica_groups={}, to_apply=sum\n"
    "ROOT r = f32[3] subtract(t, p)",
    // Devices that know their numbers; a device that receives nothing.
    "u = u32[] replica-id() f = f32[] convert(u) b = f32[3] broadcast(f), dimensions={}\n"
    "a = f32[3] add(x, b) p = f32[3] collective-permute(a), source_target_pairs={{0,1}}\n"
    "g = f32[6] all-gather(p), replica_groups={}, dimensions={0}\n"
    "ROOT r = (f32[6], f32[3]) tuple(g, a)",
    // Kernels of collectives have constants, and are made anew for every run.
    "c = f32[3] cosine(x) z = c64[3] complex(x, c)\n"
    "s = c64[3] all-reduce(z), replica_groups={}, to_apply=product\n"
    "t = f32[3] all-reduce(x), replica_groups={}, to_apply=mean ROOT r = (c64[3], f32[3]) "
    "tuple(s, t)",
    // A loop whose iterations meet.
    "i = s32[] constant(0) t = (s32[], f32[3]) tuple(i, x)\n"
    "ROOT w = (s32[], f32[3]) while(t), condition=cond, body=meet",
    // An asynchronous sum beside other work; nothing else.
    "a = f32[3] all-reduce-start(x), replica_groups={}, to_apply=sum\n"
    "n = f32[3] negate(x) s = f32[3] all-reduce-done(a) ROOT r = f32[3] multiply(s, n)",
    "ROOT r = f32[3] negate(x)",
};

TEST(CudaGraphs, OfSeveralDevicesAreOne) {
  for (const char* const text : kTogether) {
    SCOPED_TRACE(text);
    const auto module = ParsedModule(absl::StrCat(
        "HloModule m, replica_count=2\n", kRegions,
        "product { x = c64[] parameter(0) y = c64[] parameter(1) ROOT s = c64[] multiply(x, y) }\n"
        "mean { x = f32[] parameter(0) y = f32[] parameter(1) s = f32[] add(x, y)\n"
        "  h = f32[] constant(0.5) ROOT m = f32[] multiply(s, h) }\n"
        "meet { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
        "  x = f32[3] get-tuple-element(s), index=1 one = s32[] constant(1)\n"
        "  j = s32[] add(i, one) y = f32[3] all-reduce(x), replica_groups={}, to_apply=sum\n"
        "  h = f32[3] constant({0.5, 0.25, 1}) z = f32[3] multiply(y, h)\n"
        "  ROOT t = (s32[], f32[3]) tuple(j, z) }\n",
        "ENTRY e { x = f32[3] parameter(0)\n", text, " }\n"));
    for (uint64_t seed = 0; seed < 8; ++seed) {
      for (const int devices : {1, 2}) {
        EmulatorOptions options;
        options.seed = seed;
        options.devices = devices;
        const auto plain = BackendWith(EmulatedRuntime::Create(options), false);
        const auto backend = BackendWith(EmulatedRuntime::Create(options), true);
        const auto expected = *plain->Compile(*module), executable = *backend->Compile(*module);
        for (int run = 0; run < kRuns; ++run) {
          const Values both = ArgumentsOf(run);
          const Ran right = RunOf(*plain, *expected, {{both[0]}, {both[1]}});
          const Ran ran = RunOf(*backend, *executable, {{both[0]}, {both[1]}});
          ASSERT_TRUE(testing::AreEqual(ran.results, right.results))
              << "run " << run << " with seed " << seed << " on " << devices;
          EXPECT_EQ(ran.steps, right.steps);
          EXPECT_EQ(ran.peak_bytes, right.peak_bytes);
          if (run >= kRecordedRun) ExpectCounts({"", 1, 1}, CountsOf(*backend));
        }
      }
    }
  }
}

TEST(CudaGraphs, AreNotMadeForDecisionsOfSeveralDevices) {
  const auto module = ParsedModule(absl::StrCat(
      "HloModule m, replica_count=2\n", kRegions,
      "ENTRY e { i = s32[] parameter(0) x = f32[3] parameter(1)\n"
      "  ROOT r = f32[3] conditional(i, x, x), branch_computations={twice, twice} }\n"));
  EmulatorOptions options;
  options.devices = 2;
  const auto backend = BackendWith(EmulatedRuntime::Create(options), true);
  const auto executable = *backend->Compile(*module);
  for (int run = 0; run < kRuns; ++run) {
    const Values arguments = {Literal::Scalar(ElementType::kS32, {0}), ArgumentsOf(run)[0]};
    RunOf(*backend, *executable, {arguments, arguments});
    EXPECT_EQ(CountsOf(*backend).graph_launches, 0);
  }
}

// Budgets end loops that are graphs as they end all others.
TEST(CudaGraphs, BudgetsEndTheirLoops) {
  const auto module =
      ModuleOf({"i = s32[] constant(0) t = (s32[], f32[3]) tuple(i, x)\n"
                "ROOT w = (s32[], f32[3]) while(t), condition=ever, body=body",
                -1, -1,
                "ever { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
                "  x = f32[3] get-tuple-element(s), index=1 e = f32[1] slice(x), slice={[0:1]}\n"
                "  h = f32[] reshape(e) z = f32[] constant(0)\n"
                "  ROOT p = pred[] compare(h, z), direction=GT }\n"});
  runtime::RunOptions run;
  run.budget.steps = 2000;
  CudaOptions options;
  options.run = run;
  auto backend = CudaBackend::Create("cuda-emulated", EmulatedRuntime::Create({}), options);
  ASSERT_TRUE(backend.ok()) << backend.status();
  const auto executable = *(*backend)->Compile(*module);
  for (int i = 0; i < kRuns; ++i) {
    const float first = i == kRuns - 2 ? 1 : -1;  // for ever, once
    const auto ran =
        testing::Execute(**backend, *executable, {{Floats({first, 1, 1}), Floats({1, 1, 1})}});
    if (first < 0) {
      EXPECT_TRUE(ran.ok()) << ran.status();
    } else {
      EXPECT_EQ(ran.status().code(), absl::StatusCode::kResourceExhausted);
      EXPECT_GT(CountsOf(**backend).graph_launches, 10);
    }
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
                1, 1});
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
                  counts.live_events + counts.live_graphs + counts.live_host_blocks,
              0);
    return fails;
  }

  int64_t live_bytes_ = 0;  // of a module and its graph after runs without a fault
};

TEST_P(CudaGraphFaults, GiveOneErrorAndLeakNothing) {
  for (const size_t program : {0, 9}) {  // without and with decisions
    const auto module = ModuleOf(kGraphPrograms[program]);
    const auto expected = ExpectedOf(*module);
    for (const int faulty : {kRecordedRun - 1, kRecordedRun, kRecordedRun + 1}) {
      int64_t n = 0;
      while (RunWithFault(*module, expected, faulty, n) && !HasFailure()) ++n;
      EXPECT_GT(n, 5);
      ASSERT_FALSE(HasFailure()) << "call " << n << " of run " << faulty;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Errors, CudaGraphFaults,
                         ::testing::Values(Error::kMemoryAllocation, Error::kLaunchFailure,
                                           Error::kInvalidValue, Error::kDevicesUnavailable),
                         [](const auto& info) { return std::string(NameOf(info.param)); });

}  // namespace
}  // namespace assay::cuda
