// Megabytes per second of parsing and printing HLO text: a long module of the kind that a compiler
// dumps (names, shapes with layouts, metadata), and large constants.
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

std::string LongModule(int instructions) {
  std::string text =
      "HloModule long\n\n"
      "%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
      "  %b = f32[] parameter(1)\n  ROOT %s = f32[] add(%a, %b)\n}\n\n"
      "ENTRY %main (x: f32[128,64]) -> f32[128,64] {\n"
      "  %add.0 = f32[128,64]{1,0} parameter(0)\n  %zero = f32[] constant(0)\n";
  const char* const opcodes[] = {"add", "multiply", "subtract", "maximum"};
  for (int i = 1; i < instructions; ++i) {
    const std::string metadata =
        absl::StrCat(", metadata={op_name=\"jit(step)/jit(main)/Dense_", i % 30,
                     "/dot_general\" source_file=\"model.py\" source_line=", i % 1000, "}\n");
    if (i % 8 == 7) {
      absl::StrAppend(&text, "  %reduce.", i, " = f32[128]{0} reduce(%add.", i - 1,
                      ", %zero), dimensions={1}, to_apply=%add", metadata);
      absl::StrAppend(&text, "  %add.", i, " = f32[128,64]{1,0} broadcast(%reduce.", i,
                      "), dimensions={0}\n");
    } else {
      absl::StrAppend(&text, "  %add.", i, " = f32[128,64]{1,0} ", opcodes[i % 4], "(%add.", i - 1,
                      ", %add.", i / 2, ")", metadata);
    }
  }
  return absl::StrCat(text, "}\n");
}

std::string LargeConstant(int elements) {
  std::string text =
      absl::StrCat("HloModule c\nENTRY e {\n  ROOT c = f32[", elements, "] constant({");
  for (int i = 0; i < elements; ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", i * 0.37 - 1000);
  return absl::StrCat(text, "})\n}\n");
}

void ParseText(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    auto module = ParseModule(text);
    if (!module.ok()) state.SkipWithError(std::string(module.status().message()).c_str());
    benchmark::DoNotOptimize(module);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

void PrintText(benchmark::State& state, const std::string& text) {
  auto module = ParseModule(text);
  if (!module.ok()) return state.SkipWithError(std::string(module.status().message()).c_str());
  size_t bytes = 0;
  for (auto _ : state) {
    const std::string printed = PrintModule(**module, PrintOptions::Lossless());
    bytes = printed.size();
    benchmark::DoNotOptimize(printed);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes));
}

void BM_ParseModule(benchmark::State& state) { ParseText(state, LongModule(state.range(0))); }
BENCHMARK(BM_ParseModule)->Arg(1000)->Arg(40000)->Arg(200000)->Unit(benchmark::kMillisecond);
void BM_ParseConstant(benchmark::State& state) { ParseText(state, LargeConstant(state.range(0))); }
BENCHMARK(BM_ParseConstant)->Arg(1000000)->Unit(benchmark::kMillisecond);
void BM_PrintModule(benchmark::State& state) { PrintText(state, LongModule(state.range(0))); }
BENCHMARK(BM_PrintModule)->Arg(1000)->Arg(40000)->Unit(benchmark::kMillisecond);
void BM_PrintConstant(benchmark::State& state) { PrintText(state, LargeConstant(state.range(0))); }
BENCHMARK(BM_PrintConstant)->Arg(1000000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
