// Speed of contractions, in multiplications and additions a second: one thread, and two. Beside
// them the most that the processor's FMA units do. XLA CPU runs the same shapes in
// tools/bench_programs/.
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/cpu/contract/contract.h"
#include "backends/cpu/contract/tiles.h"
#include "benchmark/benchmark.h"
#include "runtime/parallel.h"
#include "spec/text/parser.h"

namespace assay::cpu {
namespace {

// The micro-kernel on one panel that stays in the first cache: what the whole can reach.
void Peak(benchmark::State& state) {
  const TileFunctions<float>& tile = BestTiles().f32;
  constexpr int64_t kDepth = 128;
  std::vector<float> lhs(tile.rows * kDepth), rhs(tile.columns * kDepth),
      result(tile.rows * tile.columns);
  for (auto _ : state) {
    tile.multiply(kDepth, lhs.data(), rhs.data(), tile.columns, result.data(), tile.columns, false);
    benchmark::DoNotOptimize(result.data());
    benchmark::ClobberMemory();
  }
  state.counters["flop"] = benchmark::Counter(
      2.0 * state.iterations() * tile.rows * tile.columns * kDepth, benchmark::Counter::kIsRate);
}
BENCHMARK(Peak);

// `products` of one result.
void RunOp(benchmark::State& state, const std::string& lhs, const std::string& rhs,
           const std::string& result, const std::string& op, double products) {
  const auto module =
      ParseModule(absl::StrCat("HloModule m\nENTRY e {\n  a = ", lhs, " parameter(0)\n  b = ", rhs,
                               " parameter(1)\n  ROOT r = ", result, " ",
                               absl::StrReplaceAll(op, {{"()", "(a, b)"}}), "\n}\n"));
  if (!module.ok()) return state.SkipWithError(std::string(module.status().message()).c_str());
  const Instruction& root = *(*module)->entry()->root();
  auto kernel = root.opcode() == Opcode::kConvolution ? PrepareConvolution(root) : PrepareDot(root);
  if (!kernel.ok()) return state.SkipWithError(std::string(kernel.status().message()).c_str());
  std::vector<Literal> operands;
  std::vector<runtime::ArrayRef> arrays;
  for (const Instruction* operand : root.operands()) {
    operands.push_back(Literal::Zeros(operand->shape()));
    Literal& literal = operands.back();
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      literal.mutable_data()[i * literal.byte_size() / literal.element_count()] = std::byte{1};
    }
  }
  for (const Literal& operand : operands) arrays.push_back({&operand.shape(), operand.data()});
  Literal to = Literal::Zeros(root.shape());
  const runtime::MutableArrayRef target = {&root.shape(), to.mutable_data()};
  runtime::WorkerPool pool(state.range(0));
  runtime::Context context;
  context.workers = state.range(0) > 1 ? &pool : nullptr;
  for (auto _ : state) {
    (*kernel)->Execute(arrays, absl::MakeConstSpan(&target, 1), context).IgnoreError();
    benchmark::ClobberMemory();
  }
  state.counters["flop"] =
      benchmark::Counter(2.0 * state.iterations() * products, benchmark::Counter::kIsRate);
}

void Matrices(const std::string& name, const std::string& type, const std::string& sum, int64_t m,
              int64_t k, int64_t n, bool rhs_transposed = false) {
  const std::string rhs = rhs_transposed ? absl::StrCat(type, "[", n, ",", k, "]")
                                         : absl::StrCat(type, "[", k, ",", n, "]");
  const std::string op = absl::StrCat("dot(), lhs_contracting_dims={1}, rhs_contracting_dims={",
                                      rhs_transposed ? 1 : 0, "}");
  const std::string lhs = absl::StrCat(type, "[", m, ",", k, "]");
  const std::string result = absl::StrCat(sum, "[", m, ",", n, "]");
  benchmark::RegisterBenchmark(
      absl::StrCat(name, "/", type, "/", m, "x", k, "x", n, rhs_transposed ? "t" : "").c_str(),
      [=](benchmark::State& state) {
        RunOp(state, lhs, rhs, result, op, static_cast<double>(m) * k * n);
      })
      ->Arg(1)
      ->Arg(2)
      ->UseRealTime();
}

void Images(int64_t n, int64_t size, int64_t in, int64_t out) {
  benchmark::RegisterBenchmark(
      absl::StrCat("conv3x3/", n, "x", size, "x", size, "x", in, "->", out).c_str(),
      [=](benchmark::State& state) {
        RunOp(state, absl::StrCat("f32[", n, ",", size, ",", size, ",", in, "]"),
              absl::StrCat("f32[3,3,", in, ",", out, "]"),
              absl::StrCat("f32[", n, ",", size, ",", size, ",", out, "]"),
              "convolution(), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
              9.0 * n * size * size * in * out);
      })
      ->Arg(1)
      ->Arg(2)
      ->UseRealTime();
}

const bool kRegistered = [] {
  for (const int64_t n : {8, 64, 256, 1024}) Matrices("square", "f32", "f32", n, n, n);
  Matrices("square", "f32", "f32", 256, 256, 256, true);
  Matrices("square", "f64", "f64", 256, 256, 256);
  Matrices("square", "bf16", "f32", 256, 256, 256);
  Matrices("square", "bf16", "bf16", 256, 256, 256);
  Matrices("square", "f16", "f32", 256, 256, 256);
  Matrices("square", "f8e4m3fn", "f32", 256, 256, 256);
  Matrices("square", "s8", "s32", 256, 256, 256);
  Matrices("square", "s32", "s32", 256, 256, 256);
  Matrices("square", "c64", "c64", 256, 256, 256);
  Matrices("vector", "f32", "f32", 1, 1024, 1024);
  Matrices("vector", "f32", "f32", 1, 1024, 1024, true);
  Matrices("vector", "f32", "f32", 1024, 1024, 1);
  Matrices("skinny", "f32", "f32", 64, 4096, 64);
  Matrices("skinny", "f32", "f32", 64, 64, 4096);
  Matrices("skinny", "f32", "f32", 128, 784, 64);
  Matrices("skinny", "f32", "f32", 4, 1024, 1024);
  Matrices("skinny", "bf16", "bf16", 1, 1024, 1024);
  Images(8, 32, 16, 32);
  Images(1, 56, 64, 64);
  Images(1, 14, 256, 256);
  return true;
}();

}  // namespace
}  // namespace assay::cpu
