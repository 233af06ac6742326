// The innermost loops of products of matrices, for each of the four kinds of numbers that are
// multiplied, compiled for several instruction sets (tiles_lanes.h). Sums are formed in the order
// of the contracted positions: what one element gets does not depend on the tile that it lies in.
// Tests: contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_TILES_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_TILES_H_

#include <cstdint>

namespace assay::cpu {

template <typename T>
struct TileFunctions {
  // Sizes of a tile of the result.
  int64_t rows = 0;
  int64_t columns = 0;
  // tile[r * tile_stride + c] = sum over k < depth of lhs[k * rows + r] * rhs[k * rhs_stride + c],
  // added to what is there if `add`.
  void (*multiply)(int64_t depth, const T* lhs, const T* rhs, int64_t rhs_stride, T* tile,
                   int64_t tile_stride, bool add) = nullptr;
};

struct Tiles {
  const char* name;  // of the instruction set
  TileFunctions<float> f32;
  TileFunctions<double> f64;
  // Modulo 2^32 and 2^64: signed and unsigned integers alike.
  TileFunctions<uint32_t> u32;
  TileFunctions<uint64_t> u64;
};

// Those for any processor, and for ones with AVX2 and FMA, or AVX-512 F, BW, DQ and VL (null where
// the build has none).
const Tiles* BaselineTiles();
const Tiles* Avx2Tiles();
const Tiles* Avx512Tiles();
// The widest that this processor has.
const Tiles& BestTiles();

// The functions for a kind of numbers.
template <typename T>
const TileFunctions<T>& TilesOf(const Tiles& tiles);
template <>
inline const TileFunctions<float>& TilesOf(const Tiles& tiles) {
  return tiles.f32;
}
template <>
inline const TileFunctions<double>& TilesOf(const Tiles& tiles) {
  return tiles.f64;
}
template <>
inline const TileFunctions<uint32_t>& TilesOf(const Tiles& tiles) {
  return tiles.u32;
}
template <>
inline const TileFunctions<uint64_t>& TilesOf(const Tiles& tiles) {
  return tiles.u64;
}

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_TILES_H_
