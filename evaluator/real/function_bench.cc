// Time per element of correctly rounded functions, blocks of 4096.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "evaluator/real/real_functions.h"

namespace assay {
namespace {

constexpr int64_t kCount = 4096;

std::vector<std::byte> Values(ElementType type) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0.01, 0.99);
  const ElementType part = Info(type).component;
  std::vector<std::byte> x(kCount * Info(type).storage_bytes);
  for (int64_t i = 0; i < kCount; ++i) {
    Element element = {EncodeFloat(part, uniform(random)), 0};
    if (IsComplex(type)) element.imag = EncodeFloat(part, uniform(random));
    StoreElement(type, element, x.data(), i);
  }
  return x;
}

void Unary(benchmark::State& state, RealFunction function, ElementType type) {
  const std::vector<std::byte> x = Values(type);
  std::vector<std::byte> out(x.size());
  for (auto _ : state) {
    EvaluateBlock(function, type, x.data(), out.data(), kCount);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

void Power(benchmark::State& state, ElementType type) {
  const std::vector<std::byte> x = Values(type);
  std::vector<std::byte> out(x.size());
  for (auto _ : state) {
    EvaluateBlock2(RealFunction2::kPower, type, x.data(), x.data(), out.data(), kCount);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

#define ASSAY_UNARY(name)                                                        \
  BENCHMARK_CAPTURE(Unary, name##_bf16, RealFunction::name, ElementType::kBF16); \
  BENCHMARK_CAPTURE(Unary, name##_f32, RealFunction::name, ElementType::kF32);   \
  BENCHMARK_CAPTURE(Unary, name##_f64, RealFunction::name, ElementType::kF64)
ASSAY_UNARY(kExp);
ASSAY_UNARY(kLog);
ASSAY_UNARY(kTanh);
ASSAY_UNARY(kSin);
ASSAY_UNARY(kSqrt);
ASSAY_UNARY(kRsqrt);
ASSAY_UNARY(kErf);
BENCHMARK_CAPTURE(Unary, kExp_c64, RealFunction::kExp, ElementType::kC64);
BENCHMARK_CAPTURE(Unary, kExp_c128, RealFunction::kExp, ElementType::kC128);
BENCHMARK_CAPTURE(Unary, kAbs_c64, RealFunction::kAbs, ElementType::kC64);
BENCHMARK_CAPTURE(Power, f32, ElementType::kF32);
BENCHMARK_CAPTURE(Power, f64, ElementType::kF64);
BENCHMARK_CAPTURE(Power, c64, ElementType::kC64);

}  // namespace
}  // namespace assay
