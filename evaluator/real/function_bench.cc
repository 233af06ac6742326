// Elements per second of every correctly rounded function, blocks of 4096, one thread. Arguments
// are random in an interval where the function is neither special nor saturated.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator {
namespace {

constexpr int64_t kCount = 4096;

struct Row {
  const char* name;
  RealFunction function;
  double from, to;
};
constexpr Row kRows[] = {
    {"acos", RealFunction::kAcos, -1, 1},          {"acosh", RealFunction::kAcosh, 1, 50},
    {"asin", RealFunction::kAsin, -1, 1},          {"asinh", RealFunction::kAsinh, -50, 50},
    {"atan", RealFunction::kAtan, -10, 10},        {"atanh", RealFunction::kAtanh, -1, 1},
    {"cbrt", RealFunction::kCbrt, -50, 50},        {"cos", RealFunction::kCos, -10, 10},
    {"cosh", RealFunction::kCosh, -10, 10},        {"erf", RealFunction::kErf, -3, 3},
    {"exp", RealFunction::kExp, -10, 10},          {"expm1", RealFunction::kExpm1, -10, 10},
    {"log", RealFunction::kLog, 0.01, 50},         {"log1p", RealFunction::kLog1p, -0.9, 50},
    {"rsqrt", RealFunction::kRsqrt, 0, 50},        {"sin", RealFunction::kSin, -10, 10},
    {"sinh", RealFunction::kSinh, -10, 10},        {"sqrt", RealFunction::kSqrt, 0, 50},
    {"tan", RealFunction::kTan, -10, 10},          {"tanh", RealFunction::kTanh, -5, 5},
    {"logistic", RealFunction::kLogistic, -10, 10}};
constexpr struct {
  const char* name;
  RealFunction2 function;
  double from;
  bool complex_only;
} kRows2[] = {{"power", RealFunction2::kPower, 0.01, false},
              {"atan2", RealFunction2::kAtan2, -10, false},
              {"multiply", RealFunction2::kMultiply, -10, true},
              {"divide", RealFunction2::kDivide, -10, true}};
constexpr ElementType kTypes[] = {ElementType::kF8E4M3FN, ElementType::kBF16, ElementType::kF16,
                                  ElementType::kF32,      ElementType::kF64,  ElementType::kC64,
                                  ElementType::kC128};

std::vector<std::byte> Values(ElementType type, double from, double to, int seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(from, to);
  const ElementType part = Info(type).component;
  std::vector<std::byte> x(kCount * Info(type).storage_bytes);
  for (int64_t i = 0; i < kCount; ++i) {
    Element element = {EncodeFloat(part, uniform(random)), 0};
    if (IsComplex(type)) element.imag = EncodeFloat(part, uniform(random));
    StoreElement(type, element, x.data(), i);
  }
  return x;
}

// `evaluate(x, y, out)` runs over a block.
template <class Evaluate>
void Register(const char* name, ElementType type, double from, double to, Evaluate evaluate) {
  benchmark::RegisterBenchmark(
      absl::StrCat(name, "/", Name(type)).c_str(), [=](benchmark::State& state) {
        const std::vector<std::byte> x = Values(type, from, to, 1), y = Values(type, from, to, 2);
        std::vector<std::byte> out(x.size());
        for (auto _ : state) {
          evaluate(x.data(), y.data(), out.data());
          benchmark::DoNotOptimize(out.data());
        }
        state.SetItemsProcessed(state.iterations() * kCount);
      });
}

void RegisterAll() {
  for (ElementType type : kTypes) {
    for (const Row& row : kRows) {
      if (IsComplex(type) && row.function == RealFunction::kErf) continue;
      Register(
          row.name, type, row.from, row.to,
          [type, function = row.function](const std::byte* x, const std::byte*, std::byte* out) {
            EvaluateBlock(function, type, x, out, kCount);
          });
    }
    for (const auto& row : kRows2) {
      if (row.complex_only && !IsComplex(type)) continue;
      Register(
          row.name, type, row.from, 10,
          [type, function = row.function](const std::byte* x, const std::byte* y, std::byte* out) {
            EvaluateBlock2(function, type, x, y, out, kCount);
          });
    }
  }
}

}  // namespace
}  // namespace assay::evaluator

int main(int argc, char** argv) {
  assay::RegisterAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
