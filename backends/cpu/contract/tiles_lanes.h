// The loops of tiles.h over vectors of ASSAY_LANE_BYTES bytes. Included by one file for each
// instruction set, which is compiled for it; everything here is private to that file, and no other
// header of the project but tiles.h is included, so that no inline function compiled for one
// instruction set is linked into code for another. Tests: contract_test.cc.
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "backends/cpu/contract/tiles.h"

namespace assay::cpu {
namespace {

// A vector, and the same where it lies in memory.
template <typename T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(ASSAY_LANE_BYTES)));
  typedef T InMemory __attribute__((vector_size(ASSAY_LANE_BYTES), aligned(1), may_alias));
  static constexpr int kLanes = ASSAY_LANE_BYTES / sizeof(T);
};
template <typename T>
using Lanes = typename VectorOf<T>::Type;

template <typename T>
inline Lanes<T> LoadLanes(const T* from) {
  return *reinterpret_cast<const typename VectorOf<T>::InMemory*>(from);
}
template <typename T>
inline void StoreLanes(T* to, Lanes<T> value) {
  *reinterpret_cast<typename VectorOf<T>::InMemory*>(to) = value;
}

// The number in every lane (x - 0 is x, whatever x is).
template <typename T>
inline Lanes<T> Broadcast(T value) {
  return value - Lanes<T>{};
}

// a * b + c: with one rounding where the instruction set has FMA.
template <typename T>
inline Lanes<T> MultiplyAdd(Lanes<T> a, Lanes<T> b, Lanes<T> c) {
  return a * b + c;
}
#if defined(__AVX512F__)
template <>
inline Lanes<float> MultiplyAdd<float>(Lanes<float> a, Lanes<float> b, Lanes<float> c) {
  return _mm512_fmadd_ps(a, b, c);
}
template <>
inline Lanes<double> MultiplyAdd<double>(Lanes<double> a, Lanes<double> b, Lanes<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
#elif defined(__FMA__)
template <>
inline Lanes<float> MultiplyAdd<float>(Lanes<float> a, Lanes<float> b, Lanes<float> c) {
  return _mm256_fmadd_ps(a, b, c);
}
template <>
inline Lanes<double> MultiplyAdd<double>(Lanes<double> a, Lanes<double> b, Lanes<double> c) {
  return _mm256_fmadd_pd(a, b, c);
}
#endif

// A tile of kRows rows, each of kVectors vectors; all of it stays in registers.
template <typename T, int kRows, int kVectors>
void MultiplyTile(int64_t depth, const T* lhs, const T* rhs, int64_t rhs_stride, T* tile,
                  int64_t tile_stride, bool add) {
  constexpr int kLanes = VectorOf<T>::kLanes;
  Lanes<T> sums[kRows][kVectors] = {};
  for (int64_t k = 0; k < depth; ++k) {
    Lanes<T> row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) row[v] = LoadLanes(rhs + v * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const Lanes<T> factor = Broadcast(lhs[r]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        sums[r][v] = MultiplyAdd<T>(factor, row[v], sums[r][v]);
      }
    }
    lhs += kRows;
    rhs += rhs_stride;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      T* to = tile + r * tile_stride + v * kLanes;
      StoreLanes(to, add ? LoadLanes(to) + sums[r][v] : sums[r][v]);
    }
  }
}

// As MultiplyTile, with the rows of lhs where they lie.
template <typename T, int kRows, int kVectors>
void MultiplySeriesTile(int64_t depth, const T* const* series, int64_t first, const T* rhs,
                        int64_t rhs_stride, T* tile, int64_t tile_stride, bool add) {
  constexpr int kLanes = VectorOf<T>::kLanes;
  const T* rows[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) rows[r] = series[r] + first;
  Lanes<T> sums[kRows][kVectors] = {};
  for (int64_t k = 0; k < depth; ++k) {
    Lanes<T> row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) row[v] = LoadLanes(rhs + v * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      T number;
      std::memcpy(&number, rows[r] + k, sizeof number);
      const Lanes<T> factor = Broadcast(number);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        sums[r][v] = MultiplyAdd<T>(factor, row[v], sums[r][v]);
      }
    }
    rhs += rhs_stride;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      T* to = tile + r * tile_stride + v * kLanes;
      StoreLanes(to, add ? LoadLanes(to) + sums[r][v] : sums[r][v]);
    }
  }
}

#if defined(__x86_64__)
// The sum of the products of both halves of each lane.
inline Lanes<uint32_t> MultiplyPairs(Lanes<uint32_t> a, Lanes<uint32_t> b) {
#if ASSAY_LANE_BYTES == 64
  return (Lanes<uint32_t>)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif ASSAY_LANE_BYTES == 32
  return (Lanes<uint32_t>)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
  return (Lanes<uint32_t>)_mm_madd_epi16((__m128i)a, (__m128i)b);
#endif
}
#else
inline Lanes<uint32_t> MultiplyPairs(Lanes<uint32_t> a, Lanes<uint32_t> b) {
  typedef int32_t Signed __attribute__((vector_size(ASSAY_LANE_BYTES)));
  const Signed low = ((Signed)(a << 16) >> 16) * ((Signed)(b << 16) >> 16);
  return (Lanes<uint32_t>)low +
         (Lanes<uint32_t>)((Signed)a >> 16) * (Lanes<uint32_t>)((Signed)b >> 16);
}
#endif

// As MultiplyTile, on pairs.
template <int kRows, int kVectors>
void MultiplyPairTile(int64_t depth, const uint32_t* lhs, const uint32_t* rhs, int64_t rhs_stride,
                      uint32_t* tile, int64_t tile_stride, bool add) {
  constexpr int kLanes = VectorOf<uint32_t>::kLanes;
  Lanes<uint32_t> sums[kRows][kVectors] = {};
  for (int64_t k = 0; k < depth; ++k) {
    Lanes<uint32_t> row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) row[v] = LoadLanes(rhs + v * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const Lanes<uint32_t> factor = Broadcast(lhs[r]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[r][v] += MultiplyPairs(factor, row[v]);
    }
    lhs += kRows;
    rhs += rhs_stride;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      uint32_t* to = tile + r * tile_stride + v * kLanes;
      StoreLanes(to, add ? LoadLanes(to) + sums[r][v] : sums[r][v]);
    }
  }
}

// The first and the second half of a and b, element by element in turn.
template <typename V, size_t... kIndex>
inline V InterleaveFrom(V a, V b, int first, std::integer_sequence<size_t, kIndex...>) {
  constexpr int kLanes = sizeof...(kIndex);
  return first == 0
             ? __builtin_shufflevector(a, b, (kIndex / 2 + kIndex % 2 * kLanes)...)
             : __builtin_shufflevector(a, b, (kLanes / 2 + kIndex / 2 + kIndex % 2 * kLanes)...);
}
// Transposes a square of vectors: in each round element i of all vectors moves to where its bits,
// rotated by one, say.
template <typename T>
inline void Transpose(Lanes<T> (&square)[VectorOf<T>::kLanes]) {
  constexpr int kLanes = VectorOf<T>::kLanes;
  using Sequence = std::make_integer_sequence<size_t, kLanes>;
#pragma GCC unroll 4
  for (int round = 1; round < kLanes; round *= 2) {
    Lanes<T> next[kLanes];
#pragma GCC unroll 8
    for (int i = 0; i < kLanes / 2; ++i) {
      next[2 * i] = InterleaveFrom(square[i], square[i + kLanes / 2], 0, Sequence());
      next[2 * i + 1] = InterleaveFrom(square[i], square[i + kLanes / 2], 1, Sequence());
    }
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) square[i] = next[i];
  }
}

// kWidth series side by side, square by square.
template <typename T, int kWidth>
void PackSeries(int64_t depth, const T* const* series, int64_t count, T* to) {
  constexpr int kLanes = VectorOf<T>::kLanes;
  for (int first = 0; first < kWidth; first += kLanes) {
    const int64_t given = count - first < kLanes ? count - first : kLanes;
    constexpr int kRest = kWidth % kLanes == 0 ? kLanes : kWidth % kLanes;
    const int stored = first + kLanes <= kWidth ? kLanes : kRest;
    int64_t k = 0;
    for (; k + kLanes <= depth; k += kLanes) {
      Lanes<T> square[kLanes];
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) {
        square[i] = i < given ? LoadLanes(series[first + i] + k) : Lanes<T>{};
      }
      Transpose<T>(square);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) {
        T* at = to + (k + i) * kWidth + first;
        if (stored == kLanes) {
          StoreLanes(at, square[i]);
        } else {
          std::memcpy(at, &square[i], kRest * sizeof(T));
        }
      }
    }
    for (; k < depth; ++k) {
      for (int i = 0; i < stored; ++i) {
        T number{};
        if (i < given) std::memcpy(&number, series[first + i] + k, sizeof number);
        to[k * kWidth + first + i] = number;
      }
    }
  }
}

template <typename T, int kWidth>
void PackSides(int64_t depth, const T* from, const int64_t* offsets, int64_t count, T* to) {
  // Rows far apart: the processor does not guess which lines come next.
  constexpr int64_t kAhead = 16;
  for (int64_t k = 0; k < depth; ++k, to += kWidth) {
    if (count == kWidth) {
      if (k + kAhead < depth) {
        const T* const next = from + offsets[k + kAhead];
        __builtin_prefetch(next);
        __builtin_prefetch(next + kWidth - 1);
      }
      std::memcpy(to, from + offsets[k], kWidth * sizeof(T));
    } else {
      for (int i = 0; i < kWidth; ++i) {
        T number{};
        if (i < count) std::memcpy(&number, from + offsets[k] + i, sizeof number);
        to[i] = number;
      }
    }
  }
}

// Four rows at a time, each sum in the order of the rows.
template <typename T>
void AddRows(int64_t depth, const T* x, const T* rhs, const int64_t* offsets, int64_t count,
             T* sums) {
  constexpr int kLanes = VectorOf<T>::kLanes;
  constexpr int kRows = 4;
  for (int64_t k = 0; k < depth; k += kRows) {
    const int64_t rows = depth - k < kRows ? depth - k : kRows;
    int64_t c = 0;
    if (rows == kRows) {
      const T* row[kRows];
      Lanes<T> factor[kRows];
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        row[r] = rhs + offsets[k + r];
        factor[r] = Broadcast(x[k + r]);
      }
      for (; c + kLanes <= count; c += kLanes) {
        Lanes<T> sum = LoadLanes(sums + c);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) {
          sum = MultiplyAdd<T>(factor[r], LoadLanes(row[r] + c), sum);
        }
        StoreLanes(sums + c, sum);
      }
    }
    // What is left, as lanes that are filled up with zeros: the same operations.
    for (; c < count; c += kLanes) {
      const int64_t n = count - c < kLanes ? count - c : kLanes;
      Lanes<T> sum = {};
      std::memcpy(&sum, sums + c, n * sizeof(T));
      for (int64_t r = 0; r < rows; ++r) {
        Lanes<T> numbers = {};
        std::memcpy(&numbers, rhs + offsets[k + r] + c, n * sizeof(T));
        sum = MultiplyAdd<T>(Broadcast(x[k + r]), numbers, sum);
      }
      std::memcpy(sums + c, &sum, n * sizeof(T));
    }
  }
}

// The sum of all lanes, halves first.
template <typename T>
inline T SumOfLanes(Lanes<T> value) {
  constexpr int kLanes = VectorOf<T>::kLanes;
  T lanes[kLanes];
  std::memcpy(lanes, &value, sizeof lanes);
  for (int n = kLanes / 2; n > 0; n /= 2) {
    for (int i = 0; i < n; ++i) lanes[i] += lanes[i + n];
  }
  return lanes[0];
}

// kSeries inner products at a time, each in two vectors of partial sums.
template <typename T, int kSeries>
inline void AddSeries(int64_t depth, const T* x, const T* const* series, T* sums) {
  constexpr int kLanes = VectorOf<T>::kLanes;
  Lanes<T> even[kSeries] = {}, odd[kSeries] = {};
  int64_t k = 0;
  for (; k + 2 * kLanes <= depth; k += 2 * kLanes) {
    const Lanes<T> a = LoadLanes(x + k), b = LoadLanes(x + k + kLanes);
#pragma GCC unroll 4
    for (int s = 0; s < kSeries; ++s) {
      even[s] = MultiplyAdd<T>(a, LoadLanes(series[s] + k), even[s]);
      odd[s] = MultiplyAdd<T>(b, LoadLanes(series[s] + k + kLanes), odd[s]);
    }
  }
  for (; k < depth; k += kLanes) {
    const int64_t n = depth - k < kLanes ? depth - k : kLanes;
    Lanes<T> a = {};
    std::memcpy(&a, x + k, n * sizeof(T));
    for (int s = 0; s < kSeries; ++s) {
      Lanes<T> b = {};
      std::memcpy(&b, series[s] + k, n * sizeof(T));
      even[s] = MultiplyAdd<T>(a, b, even[s]);
    }
  }
  for (int s = 0; s < kSeries; ++s) sums[s] += SumOfLanes<T>(even[s] + odd[s]);
}
template <typename T>
void AddInner(int64_t depth, const T* x, const T* const* series, int64_t count, T* sums) {
  int64_t c = 0;
  for (; c + 4 <= count; c += 4) AddSeries<T, 4>(depth, x, series + c, sums + c);
  for (; c < count; ++c) AddSeries<T, 1>(depth, x, series + c, sums + c);
}

inline void ReadBfloats(const std::byte* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, from + 2 * i, 2);
    const uint32_t wide = uint32_t{bits} << 16;
    std::memcpy(to + i, &wide, 4);
  }
}
// Nearest, ties to even; NaN is the positive quiet one.
inline void WriteBfloats(const float* from, int64_t count, std::byte* to) {
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, from + i, 4);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    const auto half = static_cast<uint16_t>(is_nan ? 0x7fc0u : rounded);
    std::memcpy(to + 2 * i, &half, 2);
  }
}
#if defined(__F16C__)
inline void ReadHalves(const std::byte* from, int64_t count, float* to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 2 * i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(bits));
  }
  for (; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, from + 2 * i, 2);
    const float number = _cvtsh_ss(bits);
    std::memcpy(to + i, &number, 4);
  }
}
inline void WriteHalves(const float* from, int64_t count, std::byte* to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i bits = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 2 * i), bits);
  }
  for (; i < count; ++i) {
    const uint16_t bits = _cvtss_sh(from[i], _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(to + 2 * i, &bits, 2);
  }
}
#endif

template <typename T, int kRows, int kVectors>
constexpr TileFunctions<T> FunctionsOf() {
  constexpr int kColumns = kVectors * VectorOf<T>::kLanes;
  return {kRows,
          kColumns,
          MultiplyTile<T, kRows, kVectors>,
          MultiplySeriesTile<T, kRows, kVectors>,
          MultiplySeriesTile<T, kFewTileRows, kVectors>,
          PackSeries<T, kRows>,
          PackSeries<T, kColumns>,
          PackSides<T, kRows>,
          PackSides<T, kColumns>,
          AddRows<T>,
          AddInner<T>};
}
template <int kRows, int kVectors>
constexpr TileFunctions<uint32_t> PairFunctionsOf() {
  TileFunctions<uint32_t> functions = FunctionsOf<uint32_t, kRows, kVectors>();
  functions.multiply = MultiplyPairTile<kRows, kVectors>;
  return functions;
}
constexpr TileConversions ConversionsOf() {
#if defined(__F16C__)
  return {ReadBfloats, ReadHalves, WriteBfloats, WriteHalves};
#else
  return {ReadBfloats, nullptr, WriteBfloats, nullptr};
#endif
}

}  // namespace
}  // namespace assay::cpu
