// Whole modules through the interpreter: what a step of a plan costs, loops above all.
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "interpreter/interpreter.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

void RunModule(benchmark::State& state, const std::string& text, int64_t items) {
  auto module = ParseModule(text);
  auto planned = PlannedModule::Create(**module);
  std::vector<Literal> arguments;
  for (const Instruction* parameter : (*module)->entry()->parameters()) {
    arguments.push_back(Literal::Zeros(parameter->shape()));
  }
  for (auto _ : state) benchmark::DoNotOptimize((*planned)->Run(arguments));
  state.SetItemsProcessed(state.iterations() * items);
}

std::string Loop(absl::string_view type, int turns) {
  return absl::StrCat(
      "body { s = (s32[], ", type,
      ") parameter(0) i = s32[] get-tuple-element(s), index=0 x = ", type,
      " get-tuple-element(s), index=1 one = s32[] constant(1) n = s32[] add(i, one) y = ", type,
      " negate(x) z = ", type, " add(y, x) ROOT t = (s32[], ", type, R"() tuple(n, z) }
    cond { s = (s32[], )",
      type, R"() parameter(0) i = s32[] get-tuple-element(s), index=0
      m = s32[] constant()",
      turns, R"() ROOT c = pred[] compare(i, m), direction=LT }
    ENTRY e { z = s32[] constant(0) x = )",
      type, R"( parameter(0)
      ROOT w = (s32[], )",
      type, ") while((s32[], ", type, ") tuple(z, x)), condition=cond, body=body }");
}

// Items are turns.
void ScalarLoop(benchmark::State& state) { RunModule(state, Loop("f32[]", 10000), 10000); }
void SmallArrayLoop(benchmark::State& state) { RunModule(state, Loop("f32[4]", 10000), 10000); }
void LargeArrayLoop(benchmark::State& state) { RunModule(state, Loop("f32[1000]", 10000), 10000); }
BENCHMARK(ScalarLoop)->Unit(benchmark::kMillisecond);
BENCHMARK(SmallArrayLoop)->Unit(benchmark::kMillisecond);
BENCHMARK(LargeArrayLoop)->Unit(benchmark::kMillisecond);

// Items are instructions.
void Chain(benchmark::State& state) {
  std::string text = "ENTRY e { a0 = f32[4] parameter(0) ";
  for (int i = 1; i <= 10000; ++i)
    absl::StrAppend(&text, "a", i, " = f32[4] negate(a", i - 1, ") ");
  RunModule(state, text + "}", 10000);
}
BENCHMARK(Chain)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
