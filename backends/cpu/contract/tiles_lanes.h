// The loops of tiles.h over vectors of ASSAY_LANE_BYTES bytes. Included by one file for each
// instruction set, which is compiled for it; everything here is private to that file, and no other
// header of the project but tiles.h is included, so that no inline function compiled for one
// instruction set is linked into code for another. Tests: contract_test.cc.
#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <cstdint>

#include "backends/cpu/contract/tiles.h"

namespace assay::cpu {
namespace {

// A vector, and the same where it lies in memory.
template <typename T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(ASSAY_LANE_BYTES)));
  typedef T InMemory __attribute__((vector_size(ASSAY_LANE_BYTES), aligned(alignof(T)), may_alias));
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

template <typename T, int kRows, int kVectors>
constexpr TileFunctions<T> FunctionsOf() {
  return {kRows, kVectors * VectorOf<T>::kLanes, MultiplyTile<T, kRows, kVectors>};
}

}  // namespace
}  // namespace assay::cpu
