// What the machine can do, beside which performance_bench.cc shows what kernels do: bytes copied,
// multiply-adds in registers, reads at random places. One thread and as many as there are
// processors.
#include <cstdint>
#include <cstring>
#include <vector>

#include "benchmark/benchmark.h"
#include "runtime/machine_peaks.h"
#include "runtime/processor.h"

namespace assay {
namespace {

constexpr int64_t kCopied = 6 << 20;  // twice the bytes that an add of 2^20 f32 moves

int Processors() { return static_cast<int>(runtime::UsableProcessors()); }

// Bytes read and written a second; buffers that were written before, as large as the rows' arrays.
void Memcpy(benchmark::State& state) {
  std::vector<char> from(kCopied, 1), to(kCopied, 2);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), kCopied);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * 2 * kCopied);
}

template <typename T>
void MultiplyAdds(benchmark::State& state) {
  T out = 0;
  int64_t done = 0;
  for (auto _ : state) {
    done += runtime::MultiplyAdds(10000, T{0.5}, &out);
    benchmark::DoNotOptimize(out);
  }
  state.SetItemsProcessed(done);
}

// Independent reads of f32 all over an array as large as those of the rows.
void RandomReads(benchmark::State& state) {
  constexpr int64_t kCount = 1 << 20;
  std::vector<float> x(kCount, 1);
  std::vector<int32_t> places(kCount);
  uint64_t random = 1;
  for (int32_t& place : places) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    place = static_cast<int32_t>(random >> 44);
  }
  for (auto _ : state) {
    float sum = 0;
    for (int32_t place : places) sum += x[place];
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

#define ASSAY_PEAK(name, function) \
  BENCHMARK(function)->Name("peak/" name)->UseRealTime()->Threads(1)->Threads(Processors())
ASSAY_PEAK("bytes", Memcpy);
ASSAY_PEAK("f32", MultiplyAdds<float>);
ASSAY_PEAK("f64", MultiplyAdds<double>);
ASSAY_PEAK("random", RandomReads);
#undef ASSAY_PEAK

}  // namespace
}  // namespace assay
