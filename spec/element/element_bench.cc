// Speed of the block conversions, per element, on blocks that stay in the first-level cache.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "spec/element/element.h"

namespace assay {
namespace {

constexpr int64_t kCount = 1024;

void DecodeBlock(benchmark::State& state, ElementType type) {
  std::vector<std::byte> data(kCount * Info(type).storage_bytes);
  for (int64_t i = 0; i < kCount; ++i) {
    StoreElement(type, {EncodeFloat(type, 0.001 * static_cast<double>(i))}, data.data(), i);
  }
  std::vector<double> out(kCount);
  for (auto _ : state) {
    DecodeFloats(type, data.data(), kCount, out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

void EncodeBlock(benchmark::State& state, ElementType type) {
  std::vector<std::byte> data(kCount * Info(type).storage_bytes);
  std::vector<double> values;
  for (int64_t i = 0; i < kCount; ++i) values.push_back(0.001 * static_cast<double>(i));
  for (auto _ : state) {
    EncodeFloats(type, values.data(), kCount, data.data());
    benchmark::DoNotOptimize(data.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

void IntegerBlock(benchmark::State& state, ElementType type) {
  std::vector<std::byte> data(kCount * Info(type).storage_bytes);
  std::vector<uint64_t> values(kCount);
  for (auto _ : state) {
    DecodeUnsigneds(type, data.data(), kCount, values.data());
    EncodeIntegers(type, values.data(), kCount, data.data());
    benchmark::DoNotOptimize(data.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

const bool kRegistered = [] {
  for (const ElementType type : kArrayTypes) {
    const std::string name(Name(type));
    if (IsFloat(type)) {
      benchmark::RegisterBenchmark(("decode/" + name).c_str(), DecodeBlock, type);
      benchmark::RegisterBenchmark(("encode/" + name).c_str(), EncodeBlock, type);
    }
    if (IsUnsigned(type)) {
      benchmark::RegisterBenchmark(("decode_encode/" + name).c_str(), IntegerBlock, type);
    }
  }
  return true;
}();

}  // namespace
}  // namespace assay
