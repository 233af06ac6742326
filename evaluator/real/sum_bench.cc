// Time per term of exact sums and of the fast, proven ones.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "evaluator/real/exact_sum.h"
#include "evaluator/real/rounded_sum.h"

namespace assay::evaluator {
namespace {

std::vector<double> Values(int64_t n, ElementType type) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  for (double& value : x) value = DecodeFloat(type, EncodeFloat(type, normal(random)));
  return x;
}

void Dot(benchmark::State& state, ElementType type) {
  const int64_t n = state.range(0);
  const std::vector<double> a = Values(n, type), b = Values(n + 1, type);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        RoundedDot(type, FactorWidthOf(type), a.data(), 1, b.data() + 1, 1, n));
  }
  state.SetItemsProcessed(state.iterations() * n);
}

void DotBlock(benchmark::State& state, ElementType type) {
  const int64_t n = state.range(0), columns = 64;
  const std::vector<double> a = Values(n, type), b = Values(n * columns, type);
  uint64_t out[64];
  for (auto _ : state) {
    RoundedDotBlock(type, FactorWidthOf(type), a.data(), 1, b.data(), columns, n, columns, out);
    benchmark::DoNotOptimize(out);
  }
  state.SetItemsProcessed(state.iterations() * n * columns);
}

void Sum(benchmark::State& state, ElementType type) {
  const int64_t n = state.range(0);
  const std::vector<double> x = Values(n, type);
  for (auto _ : state) benchmark::DoNotOptimize(RoundedSum(type, 0, x.data(), 1, n));
  state.SetItemsProcessed(state.iterations() * n);
}

void ExactDot(benchmark::State& state, ElementType type) {
  const int64_t n = state.range(0);
  const std::vector<double> a = Values(n, type), b = Values(n + 1, type);
  for (auto _ : state) {
    ExactSum sum;
    for (int64_t i = 0; i < n; ++i) sum.AddProduct(a[i], b[i + 1]);
    benchmark::DoNotOptimize(sum.Round(type));
  }
  state.SetItemsProcessed(state.iterations() * n);
}

void Product(benchmark::State& state, ElementType type) {
  const int64_t n = state.range(0);
  const std::vector<double> x = Values(n, type);
  for (auto _ : state) benchmark::DoNotOptimize(RoundedProduct(type, 1, x.data(), 1, n));
  state.SetItemsProcessed(state.iterations() * n);
}

#define ASSAY_SUM_BENCHMARK(function)                                                \
  BENCHMARK_CAPTURE(function, f32, ElementType::kF32)->Arg(8)->Arg(64)->Arg(4096);   \
  BENCHMARK_CAPTURE(function, bf16, ElementType::kBF16)->Arg(8)->Arg(64)->Arg(4096); \
  BENCHMARK_CAPTURE(function, f64, ElementType::kF64)->Arg(8)->Arg(64)->Arg(4096)
ASSAY_SUM_BENCHMARK(Dot);
ASSAY_SUM_BENCHMARK(DotBlock);
ASSAY_SUM_BENCHMARK(Sum);
ASSAY_SUM_BENCHMARK(ExactDot);
ASSAY_SUM_BENCHMARK(Product);

}  // namespace
}  // namespace assay::evaluator
