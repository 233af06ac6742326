// The innermost loops of products of matrices, for each of the four kinds of numbers that are
// multiplied, compiled for several instruction sets (tiles_lanes.h). Sums are formed in the order
// of the contracted positions, so an element does not depend on the tile that it is in. Tests:
// contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_TILES_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_TILES_H_

#include <cstddef>
#include <cstdint>

namespace assay::cpu {

// The rows of the tile that is used where a whole one would be mostly empty.
inline constexpr int kFewTileRows = 4;

template <typename T>
struct TileFunctions {
  // Sizes of a tile of the result.
  int64_t rows = 0;
  int64_t columns = 0;
  // tile[r * tile_stride + c] = sum over k < depth of lhs[k * rows + r] * rhs[k * rhs_stride + c],
  // added to what is there if `add`.
  void (*multiply)(int64_t depth, const T* lhs, const T* rhs, int64_t rhs_stride, T* tile,
                   int64_t tile_stride, bool add) = nullptr;
  // Like multiply, with lhs in place: element k of row r is series[r][first + k].
  using MultiplySeries = void (*)(int64_t depth, const T* const* series, int64_t first,
                                  const T* rhs, int64_t rhs_stride, T* tile, int64_t tile_stride,
                                  bool add);
  MultiplySeries multiply_series = nullptr;
  // The same for a tile of kFewTileRows rows.
  MultiplySeries multiply_few_series = nullptr;
  // Panels of as many numbers as a tile has rows, or columns, of which `count` are given, the
  // others zero. A series is contiguous in memory: to[k * width + i] = series[i][k].
  using PackSeries = void (*)(int64_t depth, const T* const* series, int64_t count, T* to);
  PackSeries pack_row_series = nullptr;
  PackSeries pack_column_series = nullptr;
  // Packs contiguous numbers of one position: to[k * width + i] = from[offsets[k] + i].
  using PackSides = void (*)(int64_t depth, const T* from, const int64_t* offsets, int64_t count,
                             T* to);
  PackSides pack_rows = nullptr;
  PackSides pack_columns = nullptr;
  // A vector by a matrix. sums[c] += sum over k of x[k] * rhs[offsets[k] + c], for c < count.
  void (*add_rows)(int64_t depth, const T* x, const T* rhs, const int64_t* offsets, int64_t count,
                   T* sums) = nullptr;
  // sums[c] += sum over k of x[k] * series[c][k], for c < count.
  void (*add_inner)(int64_t depth, const T* x, const T* const* series, int64_t count,
                    T* sums) = nullptr;
};

// Conversions of `count` dense elements; null if the instruction set has none.
struct TileConversions {
  void (*read_bf16)(const std::byte* from, int64_t count, float* to) = nullptr;
  void (*read_f16)(const std::byte* from, int64_t count, float* to) = nullptr;
  void (*write_bf16)(const float* from, int64_t count, std::byte* to) = nullptr;
  void (*write_f16)(const float* from, int64_t count, std::byte* to) = nullptr;
};

struct Tiles {
  const char* name;  // of the instruction set
  TileFunctions<float> f32;
  TileFunctions<double> f64;
  // Modulo 2^32 and 2^64: signed and unsigned integers alike.
  TileFunctions<uint32_t> u32;
  TileFunctions<uint64_t> u64;
  // Each number is a pair of signed ones of 16 bits, even contracted positions in the low half;
  // products of both halves are added modulo 2^32. Only `multiply` and the sizes are set.
  TileFunctions<uint32_t> pairs;
  TileConversions convert;
};

// Return the tiles for any processor, for AVX2 with FMA and F16C, and for AVX-512 F, BW, DQ and VL;
// null if the build has none.
const Tiles* BaselineTiles();
const Tiles* Avx2Tiles();
const Tiles* Avx512Tiles();
// Returns the widest tiles that this processor supports.
const Tiles& BestTiles();

// Returns the functions for a type of numbers.
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
