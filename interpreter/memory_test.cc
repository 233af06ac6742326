// What runs of 64 processes hold in memory: little more than the values that live at once, however
// often they meet. The live values are counted by hand, in arrays of one process. Prints a table.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interpreter/testing.h"
#include "spec/testing/counted_memory.h"

namespace assay {
namespace {

constexpr int64_t kProcesses = 64;
constexpr int64_t kElements = 1 << 16;
// Frames, queues and kernels of a process.
constexpr int64_t kPerProcess = 16 << 10;
// The blocks of a kernel, counted by the run and by the allocator.
constexpr int64_t kScratch = 2 << 20;

struct Case {
  const char* name;
  std::string entry;  // x is the argument
  double live;        // arrays of one process that live at once besides the arguments
};

std::string Text(const Case& c) {
  return absl::StrCat(R"(HloModule m, replica_count=64
    add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
    body {
      s = (s32[], f32[65536]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      v = f32[65536] get-tuple-element(s), index=1
      one = s32[] constant(1)
      n = s32[] add(i, one)
      w = f32[65536] multiply(v, v)
      t = f32[65536] all-reduce(w), replica_groups={}, to_apply=add
      u = f32[65536] subtract(t, v)
      ROOT r = (s32[], f32[65536]) tuple(n, u)
    }
    cond {
      s = (s32[], f32[65536]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      limit = s32[] constant(10)
      ROOT r = pred[] compare(i, limit), direction=LT
    }
    ENTRY e {
      x = f32[65536] parameter(0)
      )",
                      c.entry, "\n}");
}

// The most that a run holds besides its arguments, in arrays of one process; its results included:
// storage of values as the run counts it, which the allocator does not see, and all else.
double PeakOf(const Case& c) {
  std::unique_ptr<Module> module = MustParse(Text(c));
  if (module == nullptr) return -1;
  auto planned = PlannedModule::Create(*module);
  EXPECT_TRUE(planned.ok()) << planned.status();
  if (!planned.ok()) return -1;
  Program program;
  program.module = planned->get();
  program.grid = {kProcesses, 1};
  for (int64_t p = 0; p < kProcesses; ++p) {
    program.arguments.push_back({Literal::Zeros(Shape(ElementType::kF32, {kElements}))});
  }
  const int64_t before = HeldMemory();
  StartPeak();
  RunStats stats;
  auto results = RunPrograms(absl::MakeConstSpan(&program, 1), {}, &stats);
  EXPECT_TRUE(results.ok()) << results.status();
  const int64_t held = stats.peak_bytes + PeakMemory() - before;
  return static_cast<double>(held) / (4 * kElements) - kProcesses;
}

TEST(Memory, ManyProcesses) {
  const Case cases[] = {
      // One result for all.
      {"all-reduce", "ROOT r = f32[65536] all-reduce(x), replica_groups={}, to_apply=add", 1},
      {"all-gather", "ROOT r = f32[4194304] all-gather(x), dimensions={0}, replica_groups={}", 64},
      // y of all and their sum, then z of all.
      {"between two operations",
       "y = f32[65536] negate(x)\n"
       "s = f32[65536] all-reduce(y), replica_groups={}, to_apply=add\n"
       "ROOT z = f32[65536] subtract(s, x)",
       65},
      {"started",
       "s = f32[65536] all-reduce-start(x), replica_groups={}, to_apply=add\n"
       "y = f32[65536] negate(x)\n"
       "d = f32[65536] all-reduce-done(s)\n"
       "ROOT z = f32[65536] subtract(d, y)",
       65},
      // Each gives its y away and gets another, or zeros.
      {"permuted",
       "y = f32[65536] negate(x)\n"
       "ROOT r = f32[65536] collective-permute(y), source_target_pairs={{0,1},{1,2},{2,3}}",
       65},
      {"scattered",
       "ROOT r = f32[1024] reduce-scatter(x), dimensions={0}, replica_groups={}, "
       "to_apply=add",
       1},
      // The state of all, w of all, and their sum.
      {"loop",
       "zero = s32[] constant(0)\n"
       "i = (s32[], f32[65536]) tuple(zero, x)\n"
       "ROOT w = (s32[], f32[65536]) while(i), condition=cond, body=body",
       64 + 64 + 1},
  };
  std::printf("| program | live | held |\n|---|---|---|\n");
  for (const Case& c : cases) {
    const double peak = PeakOf(c);
    std::printf("| %s | %.0f | %.2f |\n", c.name, c.live, peak);
    EXPECT_LE(peak, 1.02 * c.live + (kProcesses * kPerProcess + kScratch) / (4.0 * kElements))
        << c.name;
  }
}

}  // namespace
}  // namespace assay
