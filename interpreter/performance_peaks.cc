// What the machine can do, beside which performance_bench.cc shows what kernels do: bytes copied,
// multiply-adds in registers, reads at random places. One thread and as many as there are
// processors.
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "benchmark/benchmark.h"
#include "runtime/processor.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {
namespace {

constexpr int64_t kCopied = 6 << 20;  // twice the bytes that an add of 2^20 f32 moves

int Processors() { return static_cast<int>(std::thread::hardware_concurrency()); }

// Bytes read and written a second; buffers that were written before, as large as the rows' arrays.
void Memcpy(benchmark::State& state) {
  std::vector<char> from(kCopied, 1), to(kCopied, 2);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), kCopied);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * 2 * kCopied);
}

// `kSums` independent chains hide the latency; the widest vectors that the machine has.
constexpr int kSums = 10;
#if defined(__x86_64__)
#define ASSAY_MULTIPLY_ADDS(name, isa, type, vector, set, fma, lanes)                \
  __attribute__((target(isa))) int64_t name(int64_t turns, type factor, type* out) { \
    const vector f = set(factor);                                                    \
    vector sums[kSums];                                                              \
    for (int i = 0; i < kSums; ++i) sums[i] = set(factor + static_cast<type>(i));    \
    for (int64_t turn = 0; turn < turns; ++turn) {                                   \
      for (int i = 0; i < kSums; ++i) {                                              \
        sums[i] = fma(sums[i], f, f);                                                \
      }                                                                              \
    }                                                                                \
    for (int i = 0; i < kSums; ++i) *out += sums[i][0];                              \
    return turns * kSums * (lanes);                                                  \
  }
ASSAY_MULTIPLY_ADDS(F32By16, "avx512f", float, __m512, _mm512_set1_ps, _mm512_fmadd_ps, 16)
ASSAY_MULTIPLY_ADDS(F64By8, "avx512f", double, __m512d, _mm512_set1_pd, _mm512_fmadd_pd, 8)
ASSAY_MULTIPLY_ADDS(F32By8, "avx2,fma", float, __m256, _mm256_set1_ps, _mm256_fmadd_ps, 8)
ASSAY_MULTIPLY_ADDS(F64By4, "avx2,fma", double, __m256d, _mm256_set1_pd, _mm256_fmadd_pd, 4)
#undef ASSAY_MULTIPLY_ADDS
#endif
template <typename T>
int64_t Scalar(int64_t turns, T factor, T* out) {
  T sums[kSums] = {};
  for (int64_t turn = 0; turn < turns; ++turn) {
    for (T& sum : sums) sum = sum * factor + factor;
  }
  for (const T& sum : sums) *out += sum;
  return turns * kSums;
}

template <typename T>
auto WidestMultiplyAdds() {
  constexpr bool kSingle = sizeof(T) == 4;
  int64_t (*widest)(int64_t, T, T*) = Scalar<T>;
#if defined(__x86_64__)
  if constexpr (kSingle) {
    if (runtime::Supports(runtime::InstructionSet::kAvx2)) widest = F32By8;
    if (runtime::Supports(runtime::InstructionSet::kAvx512)) widest = F32By16;
  } else {
    if (runtime::Supports(runtime::InstructionSet::kAvx2)) widest = F64By4;
    if (runtime::Supports(runtime::InstructionSet::kAvx512)) widest = F64By8;
  }
#endif
  return widest;
}

template <typename T>
void MultiplyAdds(benchmark::State& state) {
  const auto widest = WidestMultiplyAdds<T>();
  T out = 0;
  int64_t done = 0;
  for (auto _ : state) {
    done += widest(10000, T{0.5}, &out);
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
