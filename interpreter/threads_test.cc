// One planned module run from several threads at once: results and statistics do not mix. One run
// on several threads: results and statistics do not tell how many. Runs under the thread sanitizer.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "interpreter/testing.h"

namespace assay {
namespace {

// Tables built on first use, regions, loops and large buffers in one module.
constexpr absl::string_view kModule = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
body { s = (s32[], f32[600]) parameter(0)
  i = s32[] get-tuple-element(s), index=0  x = f32[600] get-tuple-element(s), index=1
  one = s32[] constant(1)  n = s32[] add(i, one)
  y = f32[600] tanh(x)  ROOT t = (s32[], f32[600]) tuple(n, y) }
cond { s = (s32[], f32[600]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  m = s32[] constant(20)  ROOT c = pred[] compare(i, m), direction=LT }
ENTRY e { x = f32[600] parameter(0)  zero = s32[] constant(0)  f = f32[] constant(0)
  w = (s32[], f32[600]) while((s32[], f32[600]) tuple(zero, x)), condition=cond, body=body
  y = f32[600] get-tuple-element(w), index=1  sorted = f32[600] sort(y), dimensions={0}, to_apply=less
  sum = f32[] reduce(sorted, f), dimensions={0}, to_apply=add
  narrow = f16[600] convert(y)  e = f16[600] exponential(narrow)
  n8 = f8e4m3fn[600] convert(y)  l = f8e4m3fn[600] logistic(n8)
  ROOT t = (f32[], f32[600], f16[600], f8e4m3fn[600]) tuple(sum, sorted, e, l) })";

TEST(Threads, OnePlanManyRuns) {
  std::unique_ptr<Module> module = MustParse(kModule);
  ASSERT_NE(module, nullptr);
  auto planned = PlannedModule::Create(*module);
  ASSERT_TRUE(planned.ok()) << planned.status();
  constexpr int kThreads = 4;
  auto argument = [](int number) {
    Literal x = Literal::Zeros(Shape(ElementType::kF32, {600}));
    for (int64_t i = 0; i < 600; ++i) {
      x.Set(i, Element{EncodeFloat(ElementType::kF32,
                                   number + static_cast<double>(i * 7 % 600) / 600)});
    }
    return x;
  };
  // The results of one thread alone, by a plan of its own.
  std::vector<Literal> alone;
  for (int number = 0; number < kThreads; ++number) {
    alone.push_back(*Interpret(*module, {argument(number)}));
  }
  std::vector<std::string> problems(kThreads);
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number] {
      for (int turn = 0; turn < 5; ++turn) {
        RunStats stats;
        auto result = (*planned)->Run({argument(number)}, {}, &stats);
        if (!result.ok()) {
          problems[number] = result.status().ToString();
        } else if (!Literal::BitEqual(*result, alone[number])) {
          problems[number] = "another result than alone";
        } else if (stats.steps <= 0) {
          problems[number] = "no steps were counted";
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& problem : problems) EXPECT_EQ(problem, "");
  EXPECT_FALSE(Literal::BitEqual(alone[0], alone[1]));
}

// Loops that are long enough to be shared, on values, views and in a loop of the module, a region
// that calls back, and two processes that meet.
constexpr absl::string_view kLong = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
odd { a = f32[] parameter(0) b = f32[] parameter(1)
  c = f32[2] broadcast(a), dimensions={} d = f32[2] sine(c) e = f32[1] slice(d), slice={[1:2]}
  f = f32[] reshape(e) ROOT s = f32[] add(f, b) }
body { s = (s32[], f32[100003]) parameter(0)
  i = s32[] get-tuple-element(s), index=0  x = f32[100003] get-tuple-element(s), index=1
  one = s32[] constant(1)  n = s32[] add(i, one)
  y = f32[100003] sine(x)  r = f32[100003] reverse(y), dimensions={0}
  z = f32[100003] subtract(x, r)  ROOT t = (s32[], f32[100003]) tuple(n, z) }
cond { s = (s32[], f32[100003]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  m = s32[] constant(3)  ROOT c = pred[] compare(i, m), direction=LT }
ENTRY e { x = f32[100003] parameter(0)  zero = s32[] constant(0)  f = f32[] constant(0)
  w = (s32[], f32[100003]) while((s32[], f32[100003]) tuple(zero, x)), condition=cond, body=body
  y = f32[100003] get-tuple-element(w), index=1
  met = f32[100003] all-reduce(y), replica_groups={}, to_apply=add
  sum = f32[] reduce(met, f), dimensions={0}, to_apply=add
  few = f32[300] slice(met), slice={[0:300]}
  called = f32[] reduce(few, f), dimensions={0}, to_apply=odd
  square = f32[300,300] broadcast(few), dimensions={1}
  product = f32[300,300] dot(square, square), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT t = (f32[], f32[], f32[300,300], f32[100003]) tuple(sum, called, product, met) })";

TEST(Threads, TheirNumberDoesNotShow) {
  std::unique_ptr<Module> module = MustParse(kLong);
  ASSERT_NE(module, nullptr);
  auto planned = PlannedModule::Create(*module);
  ASSERT_TRUE(planned.ok()) << planned.status();
  Program program;
  program.module = planned->get();
  program.grid = {2, 1};
  for (int process = 0; process < 2; ++process) {
    Literal x = Literal::Zeros(Shape(ElementType::kF32, {100003}));
    for (int64_t i = 0; i < 100003; ++i) {
      const double value = process + static_cast<double>(i * 7919 % 100003) / 1000;
      x.Set(i, Element{EncodeFloat(ElementType::kF32, value)});
    }
    program.arguments.push_back({x});
  }
  std::vector<std::vector<Literal>> alone;
  RunStats alone_stats;
  for (const int64_t threads : {1, 2, 3, 8}) {
    RunOptions options;
    options.budget.threads = threads;
    RunStats stats;
    auto results = RunPrograms(absl::MakeConstSpan(&program, 1), options, &stats);
    ASSERT_TRUE(results.ok()) << results.status();
    if (threads == 1) {
      alone = *results;
      alone_stats = stats;
      continue;
    }
    for (int process = 0; process < 2; ++process) {
      EXPECT_TRUE(Literal::BitEqual((*results)[0][process], alone[0][process])) << threads;
    }
    EXPECT_EQ(stats.steps, alone_stats.steps) << threads;
    EXPECT_EQ(stats.real.decided, alone_stats.real.decided) << threads;
    EXPECT_EQ(stats.stored_bytes, alone_stats.stored_bytes) << threads;
  }
}

}  // namespace
}  // namespace assay
