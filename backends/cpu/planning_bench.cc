// What comes before the arithmetic: planning a program of 500 instructions (all passes, and the
// plan of the runtime), and a call of a compiled program on four elements.
// tools/bench/bench_compile.py times XLA's compiler on the same program.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/cpu_backend.h"
#include "benchmark/benchmark.h"
#include "spec/text/parser.h"

namespace assay::cpu {
namespace {

// Layers of a network on 64 rows: a product, a bias, an activation, and a sum over rows that scales
// the next layer. Ten instructions a layer.
std::string ProgramOf(int layers) {
  std::string text =
      "HloModule m\n"
      "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "ENTRY e {\n x_0 = f32[64,32] parameter(0)\n w = f32[32,32] parameter(1)\n"
      " b = f32[32] parameter(2)\n zero = f32[] constant(0)\n";
  for (int i = 0; i < layers; ++i) {
    const std::string n = absl::StrCat("_", i), operand = absl::StrCat("x_", i);
    absl::StrAppend(
        &text, " dot", n, " = f32[64,32] dot(", operand,
        ", w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n bias", n,
        " = f32[64,32] broadcast(b), dimensions={1}\n shifted", n, " = f32[64,32] add(dot", n,
        ", bias", n, ")\n active", n, " = f32[64,32] tanh(shifted", n, ")\n total", n,
        " = f32[64] reduce(active", n, ", zero), dimensions={1}, to_apply=sum\n power", n,
        " = f32[64] exponential(total", n, ")\n scale", n, " = f32[64,32] broadcast(power", n,
        "), dimensions={0}\n ratio", n, " = f32[64,32] divide(active", n, ", scale", n, ")\n minus",
        n, " = f32[64,32] negate(ratio", n, ")\n x_", i + 1, " = f32[64,32] subtract(minus", n,
        ", ", operand, ")\n");
  }
  return absl::StrCat(text, " ROOT result = f32[64,32] copy(x_", layers, ")\n}\n");
}

void Plan500Instructions(benchmark::State& state) {
  const auto module = ParseModule(ProgramOf(50));
  CpuBackend backend;
  for (auto _ : state) {
    auto executable = backend.Compile(**module);
    if (!executable.ok()) state.SkipWithError(executable.status().ToString().c_str());
  }
}
BENCHMARK(Plan500Instructions)->Unit(benchmark::kMillisecond);

void CallOnFourElements(benchmark::State& state) {
  const auto module = ParseModule(
      "HloModule m\nENTRY e { a = f32[4] parameter(0) b = f32[4] parameter(1) "
      "c = f32[4] add(a, b) ROOT r = f32[4] multiply(c, b) }");
  CpuBackend backend;
  const auto executable = backend.Compile(**module);
  const Literal four = Literal::Zeros((*module)->entry()->root()->shape());
  const std::vector<Literal> inputs = {four, four};
  for (auto _ : state) {
    auto result = RunCompiled(backend, **executable, inputs);
    if (!result.ok()) state.SkipWithError(result.status().ToString().c_str());
  }
}
BENCHMARK(CallOnFourElements)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay::cpu
