// How fast protos load: bytes to module, and to bytes again. The module is synthetic: long chains
// of elementwise instructions with metadata, as JAX lowers them, and a constant.
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "spec/proto/module_file.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

std::string ModuleText(int64_t instructions, int64_t constant_elements) {
  std::string text = "HloModule bench\nENTRY e {\n  x0 = f32[16,32]{1,0} parameter(0)\n";
  for (int64_t i = 1; i <= instructions; ++i) {
    absl::StrAppend(&text, "  x", i, " = f32[16,32]{1,0} ", i % 3 == 0 ? "multiply" : "add", "(x",
                    i - 1, ", x", i / 2, "), metadata={op_name=\"jit(step)/layer/op", i % 50,
                    "\" source_file=\"model.py\" source_line=", i % 400, "}\n");
  }
  absl::StrAppend(&text, "  c = f32[", constant_elements, "] constant(0)\n  ROOT t = tuple(x",
                  instructions, ", c)\n}\n");
  return text;
}

const Module& BenchModule(int64_t instructions, int64_t constant_elements) {
  static Module* module = nullptr;
  absl::StatusOr<std::unique_ptr<Module>> parsed =
      ParseModule(ModuleText(instructions, constant_elements));
  delete module;
  module = parsed->release();
  return *module;
}

void BM_Load(benchmark::State& state, int64_t instructions, int64_t constant_elements) {
  const std::string content =
      *SerializeModule(BenchModule(instructions, constant_elements), ModuleFormat::kModuleProto);
  for (auto _ : state) {
    benchmark::DoNotOptimize(ParseModuleFile(content, "bench"));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(content.size()));
}
BENCHMARK_CAPTURE(BM_Load, instructions, 20000, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Load, constants, 10, 8000000)->Unit(benchmark::kMillisecond);

void BM_Save(benchmark::State& state, int64_t instructions, int64_t constant_elements) {
  const Module& module = BenchModule(instructions, constant_elements);
  int64_t bytes = 0;
  for (auto _ : state) {
    bytes += static_cast<int64_t>(SerializeModule(module, ModuleFormat::kModuleProto)->size());
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK_CAPTURE(BM_Save, instructions, 20000, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Save, constants, 10, 8000000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
