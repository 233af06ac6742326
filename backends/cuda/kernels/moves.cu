// Operations that only move elements, by the width of an element: boxes by strides, transposes by
// tiles, slices at places that scalars say, gathers; and what makes elements of indices or of bits.
// Tests: cuda_kernels_test.cc.
#include "backends/cuda/kernels/element.h"
#include "backends/cuda/kernels/index.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

struct Wide128 {
  uint64_t parts[2];
};

template <typename T>
__device__ inline void CopyBox(const CopyParameter& p) {
  const T* in = static_cast<const T*>(p.in);
  T* out = static_cast<T*>(p.out);
  for (int64_t i = FirstIndex(); i < ASSAY_MUTANT(33, p.count, p.count - 1); i += GridStride()) {
    out[Position(p.box, p.to, i)] = in[Position(p.box, p.from, i)];
  }
}
__global__ void Copy1(ASSAY_PARAMETER(CopyParameter, p)) { CopyBox<uint8_t>(p); }
__global__ void Copy2(ASSAY_PARAMETER(CopyParameter, p)) { CopyBox<uint16_t>(p); }
__global__ void Copy4(ASSAY_PARAMETER(CopyParameter, p)) { CopyBox<uint32_t>(p); }
__global__ void Copy8(ASSAY_PARAMETER(CopyParameter, p)) { CopyBox<uint64_t>(p); }
__global__ void Copy16(ASSAY_PARAMETER(CopyParameter, p)) { CopyBox<Wide128>(p); }

// Tiles of 32 by 32 go through shared memory, so that both sides are read and written in rows; the
// column of padding keeps the lanes of a warp on different banks.
template <typename T>
__device__ inline void TransposeTiles(const TransposeParameter& p, T (*tile)[33]) {
  const int64_t across = (p.columns + 31) / 32, down = (p.rows + 31) / 32;
  const int64_t tiles = p.batches * across * down;
  const int64_t x = threadIdx.x % 32, y = threadIdx.x / 32;
  const T* in = static_cast<const T*>(p.in);
  T* out = static_cast<T*>(p.out);
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int64_t batch = t / (across * down) * p.rows * p.columns;
    const int64_t row = t / across % down * 32, column = t % across * 32;
    for (int64_t r = y; r < 32; r += blockDim.x / 32) {
      if (row + r < p.rows && column + x < p.columns) {
        tile[r][x] = in[batch + (row + r) * p.columns + column + x];
      }
    }
    __syncthreads();
    for (int64_t r = y; r < 32; r += blockDim.x / 32) {
      if (ASSAY_MUTANT(34, column + r < p.columns, column + r + 1 < p.columns) &&
          row + x < p.rows) {
        out[batch + (column + r) * p.rows + row + x] = ASSAY_MUTANT(35, tile[x][r], tile[r][x]);
      }
    }
    __syncthreads();
  }
}
#define ASSAY_TRANSPOSE(name, T)                                 \
  __global__ void name(ASSAY_PARAMETER(TransposeParameter, p)) { \
    ASSAY_SHARED(T, tile, [32][33]);                             \
    TransposeTiles<T>(p, tile);                                  \
  }
ASSAY_TRANSPOSE(Transpose1, uint8_t)
ASSAY_TRANSPOSE(Transpose2, uint16_t)
ASSAY_TRANSPOSE(Transpose4, uint32_t)
ASSAY_TRANSPOSE(Transpose8, uint64_t)
ASSAY_TRANSPOSE(Transpose16, Wide128)
#undef ASSAY_TRANSPOSE

__global__ void Iota(ASSAY_PARAMETER(IotaParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const uint64_t index =
        static_cast<uint64_t>(ASSAY_MUTANT(36, i / p.inner % p.size, i % p.size));
    Value value = {EncodeInteger(p.row, index), 0};
    if (p.row.kind == kKindFloat || p.row.kind == kKindComplex) {
      value = {EncodeFloatFromInteger(p.row, false, index), 0};
    }
    Store(p.row, p.out, i, value);
  }
}

// Up to 64 bits of a number of an array.
ASSAY_DEVICE uint64_t LoadBits(const void* data, int64_t bytes, int64_t index) {
  switch (bytes) {
    case 1:
      return static_cast<const uint8_t*>(data)[index];
    case 2:
      return static_cast<const uint16_t*>(data)[index];
    case 4:
      return static_cast<const uint32_t*>(data)[index];
    default:
      return static_cast<const uint64_t*>(data)[index];
  }
}
ASSAY_DEVICE void StoreBits(void* data, int64_t bytes, int64_t index, uint64_t bits) {
  switch (bytes) {
    case 1:
      static_cast<uint8_t*>(data)[index] = static_cast<uint8_t>(bits);
      return;
    case 2:
      static_cast<uint16_t*>(data)[index] = static_cast<uint16_t>(bits);
      return;
    case 4:
      static_cast<uint32_t*>(data)[index] = static_cast<uint32_t>(bits);
      return;
    default:
      static_cast<uint64_t*>(data)[index] = bits;
  }
}
// Widths are powers of two up to 64, so that an element is cut out of one or made of several.
__global__ void Regroup(ASSAY_PARAMETER(RegroupParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.to_count; i += GridStride()) {
    uint64_t bits = 0;
    if (p.to_bits <= p.from_bits) {
      const int64_t pieces = p.from_bits / p.to_bits, source = i / pieces;
      if (source < p.from_count) {
        bits = LoadBits(p.in, p.from_bytes, source) >>
               (ASSAY_MUTANT(37, i % pieces, pieces - 1 - i % pieces) * p.to_bits);
      }
    } else {
      const int64_t pieces = p.to_bits / p.from_bits;
      for (int64_t k = 0; k < pieces; ++k) {
        const int64_t source = i * pieces + k;
        if (source >= p.from_count) break;
        bits |= (LoadBits(p.in, p.from_bytes, source) & LowBits(p.from_bits))
                << (ASSAY_MUTANT(38, k, pieces - 1 - k) * p.from_bits);
      }
    }
    bits &= LowBits(p.to_bits) & p.mask;
    StoreBits(p.out, p.to_bytes, i, p.to_pred ? (bits != 0) : bits);
  }
}

// The start that an index gives, brought into 0 to limit.
ASSAY_DEVICE int64_t ClampedStart(const ElementRow& row, Value index, int64_t limit) {
  const uint64_t word = DecodeInteger(row, index.bits);
  if (row.kind == kKindSigned) {
    const int64_t start = static_cast<int64_t>(word);
    return start < 0       ? ASSAY_MUTANT(39, 0, limit)
           : start > limit ? ASSAY_MUTANT(40, limit, 0)
                           : start;
  }
  return word > static_cast<uint64_t>(limit) ? limit : static_cast<int64_t>(word);
}
ASSAY_DEVICE void CopyElement(int bytes, const void* in, int64_t from, void* out, int64_t to) {
  if (bytes == 16) {
    static_cast<Wide128*>(out)[to] = static_cast<const Wide128*>(in)[from];
  } else {
    StoreBits(out, bytes, to, LoadBits(in, bytes, from));
  }
}

__global__ void DynamicCopy(ASSAY_PARAMETER(DynamicCopyParameter, p)) {
  int64_t start = 0;
  for (int k = 0; k < p.indices; ++k) {
    start +=
        ClampedStart(p.index_row, Load(p.index_row, p.index[k], 0), p.limits[k]) * p.strides[k];
  }
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    int64_t from = Position(p.box, p.from, i), to = Position(p.box, p.to, i);
    (p.starts_in_source ? from : to) += start;
    CopyElement(p.bytes, p.in, from, p.out, to);
  }
}

__global__ void Gather(ASSAY_PARAMETER(GatherParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const int64_t index = Position(p.box, p.to_index, i);
    int64_t from = Position(p.box, p.from, i);
    for (int k = 0; k < p.components; ++k) {
      const Value start =
          Load(p.index_row, p.indices, index + ASSAY_MUTANT(41, k * p.component_stride, 0));
      from += ClampedStart(p.index_row, start, p.limits[k]) * p.strides[k];
    }
    CopyElement(p.bytes, p.in, from, p.out, i);
  }
}

// The rows of ragged-all-to-all that one member gets of another. What does not fit traps.
__global__ void ExchangeRows(ASSAY_PARAMETER(ExchangeRowsParameter, p)) {
  for (int64_t u = 0; u < p.updates; ++u) {
    const auto read = [&](const void* list, int64_t at) {
      return static_cast<int64_t>(DecodeInteger(p.index_row, Load(p.index_row, list, at).bits));
    };
    const int64_t from = read(p.input_offsets, p.first + u);
    const int64_t rows = read(p.send_sizes, p.first + u);
    const int64_t to = read(p.output_offsets, p.first + u);
    const int64_t expected = read(p.receive_sizes, p.receive_first + u);
    if (rows != expected || rows < 0) __trap();
    if (rows == 0) continue;
    if (from < 0 || from > p.in_rows || rows > p.in_rows - from) __trap();
    if (to < 0 || to > p.out_rows || rows > p.out_rows - to) __trap();
    const uint8_t* in = static_cast<const uint8_t*>(p.in) + from * p.row_bytes;
    uint8_t* out = static_cast<uint8_t*>(p.out) + to * p.row_bytes;
    for (int64_t i = FirstIndex(); i < rows * p.row_bytes; i += GridStride()) out[i] = in[i];
  }
}
// One half of 64-bit values, or both joined.
__global__ void SplitHalf(ASSAY_PARAMETER(HalvesParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const uint64_t whole = static_cast<const uint64_t*>(p.in)[i];
    static_cast<uint32_t*>(p.out)[i] = static_cast<uint32_t>(p.high_half ? whole >> 32 : whole);
  }
}
__global__ void JoinHalves(ASSAY_PARAMETER(HalvesParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const uint64_t high = static_cast<const uint32_t*>(p.high)[i];
    static_cast<uint64_t*>(p.out)[i] = high << 32 | static_cast<const uint32_t*>(p.in)[i];
  }
}

ASSAY_ENTRIES(Moves) = {
    ASSAY_ENTRY(Copy1),       ASSAY_ENTRY(Copy2),      ASSAY_ENTRY(Copy4),
    ASSAY_ENTRY(Copy8),       ASSAY_ENTRY(Copy16),     ASSAY_ENTRY(Transpose1),
    ASSAY_ENTRY(Transpose2),  ASSAY_ENTRY(Transpose4), ASSAY_ENTRY(Transpose8),
    ASSAY_ENTRY(Transpose16), ASSAY_ENTRY(Iota),       ASSAY_ENTRY(Regroup),
    ASSAY_ENTRY(DynamicCopy), ASSAY_ENTRY(Gather),     ASSAY_ENTRY(ExchangeRows),
    ASSAY_ENTRY(SplitHalf),   ASSAY_ENTRY(JoinHalves), ASSAY_LAST_ENTRY};

}  // namespace assay::cuda::ASSAY_CUDA_BUILD
