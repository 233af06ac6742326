// Speed of block functions and block programs on arrays that stay in the caches: elements a second
// of elementwise operations by opcode, type and instruction set, of conversions, and of the
// Black-Scholes formula as one program beside its instructions one after the other.
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/vector/block_function.h"
#include "backends/cpu/vector/block_program.h"
#include "benchmark/benchmark.h"
#include "runtime/float_environment.h"
#include "spec/op_info.h"
#include "spec/text/parser.h"

namespace assay::cpu {
namespace {

constexpr int64_t kElements = 1 << 14;

std::vector<std::byte> Operand(ElementType type, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> data(kElements * Info(type).storage_bytes);
  const bool is_float = IsFloat(type) || IsComplex(type);
  const ElementType part = IsComplex(type) ? Info(type).component : type;
  auto any = [&]() -> uint64_t {
    if (!is_float) return random();
    return EncodeFloat(part, 0.05 + static_cast<double>(random() % 1000) / 1100);
  };
  for (int64_t i = 0; i < kElements; ++i) {
    StoreElement(type, {.bits = any(), .imag = IsComplex(type) ? any() : 0}, data.data(), i);
  }
  return data;
}

void RunFunction(benchmark::State& state, Opcode opcode, ElementType type) {
  const int arity = Info(opcode).arity;
  std::string text = "HloModule m\nENTRY e {\n", call;
  const std::string name(Name(type));
  std::vector<std::vector<std::byte>> operands;
  std::vector<const std::byte*> addresses;
  for (int k = 0; k < arity; ++k) {
    absl::StrAppend(&text, "p", k, " = ", name, "[] parameter(", k, ")\n");
    absl::StrAppend(&call, k > 0 ? ", " : "", "p", k);
    operands.push_back(Operand(type, k));
    addresses.push_back(operands.back().data());
  }
  absl::StrAppend(&text, "ROOT r = ", name, "[] ", std::string(Name(opcode)), "(", call, ")\n}");
  const auto module = ParseModule(text);
  const auto function = FindBlockFunction(*(*module)->entry()->root());
  std::vector<std::byte> result(kElements * 16);
  const runtime::FloatEnvironmentGuard guard;
  for (auto _ : state) {
    (*function)(addresses, result.data(), kElements);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kElements);
}

void RunConversion(benchmark::State& state, ElementType from, ElementType to) {
  const auto module = ParseModule(
      absl::StrCat("HloModule m\nENTRY e {\np = ", std::string(Name(from)),
                   "[] parameter(0)\nROOT r = ", std::string(Name(to)), "[] convert(p)\n}"));
  const auto function = FindBlockFunction(*(*module)->entry()->root());
  const auto operand = Operand(from, 1);
  const std::byte* address = operand.data();
  std::vector<std::byte> result(kElements * 16);
  const runtime::FloatEnvironmentGuard guard;
  for (auto _ : state) {
    (*function)({&address, 1}, result.data(), kElements);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kElements);
}

constexpr const char* kBlackScholes = R"(HloModule m
ENTRY e {
  s = f32[] parameter(0)
  k = f32[] parameter(1)
  t = f32[] parameter(2)
  half = f32[] constant(0.5)
  rate = f32[] constant(0.045)
  variance = f32[] constant(0.02)
  sigma = f32[] constant(0.2)
  scale = f32[] constant(0.70710677)
  root = f32[] sqrt(t)
  v = f32[] multiply(root, sigma)
  q = f32[] divide(s, k)
  l = f32[] log(q)
  drift = f32[] constant(0.065)
  dt = f32[] multiply(t, drift)
  n = f32[] add(l, dt)
  d1 = f32[] divide(n, v)
  d2 = f32[] subtract(d1, v)
  x1 = f32[] multiply(d1, scale)
  x2 = f32[] multiply(d2, scale)
  e1 = f32[] erf(x1)
  e2 = f32[] erf(x2)
  h1 = f32[] multiply(e1, half)
  h2 = f32[] multiply(e2, half)
  n1 = f32[] add(h1, half)
  n2 = f32[] add(h2, half)
  rt = f32[] multiply(t, rate)
  minus = f32[] negate(rt)
  discount = f32[] exponential(minus)
  a = f32[] multiply(s, n1)
  kd = f32[] multiply(k, discount)
  b = f32[] multiply(kd, n2)
  ROOT r = f32[] subtract(a, b)
})";

void BlackScholes(benchmark::State& state) {
  const auto module = ParseModule(kBlackScholes);
  const auto program = BlockProgram::Create(*(*module)->entry());
  std::vector<std::vector<std::byte>> operands;
  std::vector<const std::byte*> addresses;
  for (int k = 0; k < 3; ++k) {
    operands.push_back(Operand(ElementType::kF32, k));
    addresses.push_back(operands.back().data());
  }
  std::vector<std::byte> result(kElements * 4);
  std::byte* out = result.data();
  const auto scratch = std::make_unique<std::byte[]>((*program)->scratch_bytes() + 64);
  std::byte* aligned = scratch.get() + (64 - reinterpret_cast<uintptr_t>(scratch.get()) % 64) % 64;
  const runtime::FloatEnvironmentGuard guard;
  for (auto _ : state) {
    (*program)->Run(addresses, {&out, 1}, kElements, aligned);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kElements);
}
BENCHMARK(BlackScholes);

bool RegisterAll() {
  for (const OpInfo& info : Catalogue()) {
    if (!info.elementwise() || info.arity < 1 || info.arity > 2) continue;
    if (info.opcode == Opcode::kConvert || info.opcode == Opcode::kCompare ||
        info.opcode == Opcode::kComplex || info.opcode == Opcode::kReducePrecision ||
        info.opcode == Opcode::kStochasticConvert || info.opcode == Opcode::kIsFinite ||
        info.opcode == Opcode::kAbs || info.opcode == Opcode::kReal ||
        info.opcode == Opcode::kImag) {
      continue;
    }
    for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBF16,
                                   ElementType::kF8E4M3FN, ElementType::kS32, ElementType::kC64}) {
      if (!info.types.Contains(type)) continue;
      if (info.opcode == Opcode::kRemainder && IsComplex(type)) continue;
      if ((info.opcode == Opcode::kMaximum || info.opcode == Opcode::kMinimum) && IsComplex(type)) {
        continue;
      }
      const std::string name =
          absl::StrCat(std::string(Name(info.opcode)), "/", std::string(Name(type)));
      benchmark::RegisterBenchmark(name.c_str(), RunFunction, info.opcode, type);
    }
  }
  constexpr ElementType kTypes[] = {ElementType::kF32,      ElementType::kBF16, ElementType::kF16,
                                    ElementType::kF8E4M3FN, ElementType::kS32,  ElementType::kS8,
                                    ElementType::kF64};
  for (const ElementType from : kTypes) {
    for (const ElementType to : kTypes) {
      if (from == to) continue;
      const std::string name =
          absl::StrCat("convert/", std::string(Name(from)), "/", std::string(Name(to)));
      benchmark::RegisterBenchmark(name.c_str(), RunConversion, from, to);
    }
  }
  return true;
}
const bool kRegistered = RegisterAll();

}  // namespace
}  // namespace assay::cpu
