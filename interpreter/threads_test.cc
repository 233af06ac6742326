// One planned module run from several threads at once: results and statistics do not mix. Runs
// under the thread sanitizer.
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

}  // namespace
}  // namespace assay
