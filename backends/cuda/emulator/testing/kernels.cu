// Kernels for tests of the emulator: right ones that use each construct of the dialect, and wrong
// ones that break a rule each. Row sums show the whole dialect: a strided loop, a warp tree by
// shuffles, a static shared array, a barrier.
#include "backends/cuda/dialect/dialect.h"
#include "backends/cuda/emulator/testing/kernels.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

// The sum of each row in a fixed order: a block per row.
__global__ void RowSum(ASSAY_PARAMETER(testing::RowSumParameter, p)) {
  ASSAY_SHARED(float, warp_sums, [32]);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
    float sum = 0;
    for (int64_t i = threadIdx.x; i < p.columns; i += blockDim.x) {
      sum = __fadd_rn(sum, p.x[row * p.columns + i]);
    }
    for (unsigned distance = 16; distance > 0; distance /= 2) {
      sum = __fadd_rn(sum, __shfl_down_sync(0xffffffffu, sum, distance));
    }
    if (lane == 0) warp_sums[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      float total = 0;
      for (unsigned w = 0; w < blockDim.x / 32; ++w) total = __fadd_rn(total, warp_sums[w]);
      p.sums[row] = total;
    }
    __syncthreads();
  }
}

// The running sums of one block's integers in dynamic shared memory.
__global__ void Scan(const int32_t* x, int32_t* y, int32_t n) {
  ASSAY_DYNAMIC_SHARED(int32_t, sums);
  const int32_t i = static_cast<int32_t>(threadIdx.x);
  sums[i] = i < n ? x[i] : 0;
  __syncthreads();
  for (int32_t distance = 1; distance < static_cast<int32_t>(blockDim.x); distance *= 2) {
    const int32_t before = i >= distance ? sums[i - distance] : 0;
    __syncthreads();
    sums[i] += before;
    __syncthreads();
  }
  if (i < n) y[i] = sums[i];
}

// Writes the transpose through a tile with a column of padding.
__global__ void Transpose(const float* x, float* y, int32_t rows, int32_t columns) {
  ASSAY_SHARED(float, tile, [16][17]);
  const int32_t tx = static_cast<int32_t>(threadIdx.x), ty = static_cast<int32_t>(threadIdx.y);
  int32_t row = static_cast<int32_t>(blockIdx.y) * 16 + ty;
  int32_t column = static_cast<int32_t>(blockIdx.x) * 16 + tx;
  if (row < rows && column < columns) tile[ty][tx] = x[row * columns + column];
  __syncthreads();
  row = static_cast<int32_t>(blockIdx.y) * 16 + tx;
  column = static_cast<int32_t>(blockIdx.x) * 16 + ty;
  if (row < rows && column < columns) y[column * rows + row] = tile[tx][ty];
}

// Each lane writes what the functions of a warp give it.
__global__ void WarpFunctions(const uint32_t* x, testing::WarpResults* results) {
  const uint32_t value = x[threadIdx.x];
  testing::WarpResults& r = results[threadIdx.x];
  const uint32_t all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x % 32);
  r.index = __shfl_sync(all, value, lane * 7, 8);
  r.up = __shfl_up_sync(all, value, 3u, 16);
  r.down = __shfl_down_sync(all, value, 5u);
  r.exclusive = __shfl_xor_sync(all, value, 21);
  r.ballot = __ballot_sync(all, value % 3 == 0);
  r.any = __any_sync(all, value == 5);
  r.every = __all_sync(all, value < 1000);
  r.match = __match_any_sync(all, value % 4);
  r.sum = __reduce_add_sync(all, value);
  r.least = __reduce_min_sync(all, static_cast<int>(value) - 10);
  r.bits = __reduce_xor_sync(all, value);
  r.count = static_cast<uint32_t>(__syncthreads_count(value % 2 == 0));
  // Two groups of lanes of one warp meet on their own.
  r.half = lane < 16 ? __reduce_add_sync(0x0000ffffu, value) : __reduce_add_sync(0xffff0000u, 1u);
}

// Atomics of integers: all threads add into few cells.
__global__ void Histogram(const uint32_t* x, uint32_t* counts, uint32_t* largest, uint32_t n) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&counts[x[i] % 4], 1u);
  atomicMax(largest, x[i]);
}

__global__ void DivergentBarrier() {
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}
__global__ void ExitBeforeBarrier() {
  if (threadIdx.x == 5) return;
  __syncthreads();
}
__global__ void ExitAfterOthersWait(int32_t last) {
  if (static_cast<int32_t>(threadIdx.x) == last) return;
  __syncthreads();
}
__global__ void AbsentSource(int32_t* y) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane < 16) y[lane] = __shfl_sync(0x0000ffffu, lane, lane + 16);
}
__global__ void OutsideMask(int32_t* y) { y[threadIdx.x] = __shfl_sync(0x0000ffffu, 1, 0); }
__global__ void Deadlock() {
  if (threadIdx.x % 32 == 3) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}
__global__ void SharedOverrun() {
  ASSAY_SHARED(int32_t, first, [8]);
  first[threadIdx.x] = 1;
}
__global__ void SharedPoison(uint32_t* y) {
  ASSAY_SHARED(uint32_t, never, [4]);
  y[threadIdx.x] = never[threadIdx.x];
}
__global__ void MuchShared(int32_t* y) {
  ASSAY_SHARED(int32_t, much, [12 * 1024 + 1]);
  much[threadIdx.x] = 0;
  y[threadIdx.x] = much[threadIdx.x];
}
__global__ void Trapped() {
  if (threadIdx.x == 1) __trap();
}
// The order in which threads write shows the schedule.
__global__ void Order(int32_t* next, int32_t* order) {
  order[atomicAdd(next, 1)] = static_cast<int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
}

// Mistakes for the checker. Under the plain build most of them give the right results.
__global__ void SharedRace(ASSAY_PARAMETER(testing::Words, p)) {
  ASSAY_SHARED(uint32_t, words, [64]);
  words[threadIdx.x] = p.x[threadIdx.x];
  p.y[threadIdx.x] = words[63 - threadIdx.x];
}
__global__ void WarpRace(ASSAY_PARAMETER(testing::Words, p)) {
  ASSAY_SHARED(uint32_t, words, [64]);
  words[threadIdx.x] = p.x[threadIdx.x];
  __shfl_sync(0xffffffffu, 0u, 0);  // orders nothing
  p.y[threadIdx.x] = words[threadIdx.x ^ 1];
}
__global__ void WarpInOrder(ASSAY_PARAMETER(testing::Words, p)) {
  ASSAY_SHARED(uint32_t, words, [64]);
  words[threadIdx.x] = p.x[threadIdx.x];
  __syncwarp();
  p.y[threadIdx.x] = words[threadIdx.x ^ 1];
  __syncwarp();
  // Two steps: what lane 0 knows, lane 2 knows from lane 1.
  const unsigned lane = threadIdx.x % 32;
  if (lane == 0) words[threadIdx.x] = 1;
  if (lane < 2) __syncwarp(0x3u);
  if (lane == 1 || lane == 2) __syncwarp(0x6u);  // lane 2 may be here first
  if (lane == 2) p.y[threadIdx.x] += words[threadIdx.x - 2];
}
__global__ void BlockRace(ASSAY_PARAMETER(testing::Words, p)) { p.y[threadIdx.x] = blockIdx.x; }
__global__ void LostUpdate(ASSAY_PARAMETER(testing::Words, p)) { p.y[0] += 1; }
__global__ void AtomicCount(ASSAY_PARAMETER(testing::Words, p)) { atomicAdd(&p.y[0], 1u); }
__global__ void MixedUpdate(ASSAY_PARAMETER(testing::Words, p)) {
  if (threadIdx.x == 0) {
    p.y[0] = 5;
  } else {
    atomicAdd(&p.y[0], 1u);
  }
}
__global__ void ReadBehind(ASSAY_PARAMETER(testing::Words, p)) {
  p.y[threadIdx.x] = p.x[threadIdx.x + 1];
}
__global__ void WriteInFront(ASSAY_PARAMETER(testing::Words, p)) {
  p.y[static_cast<int64_t>(threadIdx.x) - 1] = 0;
}
__global__ void ReadUnwritten(ASSAY_PARAMETER(testing::Words, p)) {
  p.y[threadIdx.x] = p.y[threadIdx.x] + 1;
}
__global__ void ReadUnwrittenShared(ASSAY_PARAMETER(testing::Words, p)) {
  ASSAY_SHARED(uint32_t, words, [64]);
  if (threadIdx.x != 7) words[threadIdx.x] = 1;
  __syncthreads();
  p.y[threadIdx.x] = words[threadIdx.x];
}
__global__ void SharedOutside(ASSAY_PARAMETER(testing::Words, p)) {
  ASSAY_SHARED(uint32_t, words, [64]);
  words[threadIdx.x + 1] = 0;
  p.y[threadIdx.x] = 0;
}
// The threads of the last block, or warp, read with all others and are ordered among themselves.
__global__ void WritesAfterItsBlockReads(ASSAY_PARAMETER(testing::Words, p)) {
  ASSAY_SHARED(uint32_t, words, [64]);
  words[threadIdx.x] = p.y[0];
  __syncthreads();
  if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) p.y[0] = 1;
}
__global__ void WritesAfterItsWarpReads(ASSAY_PARAMETER(testing::Words, p)) {
  ASSAY_SHARED(uint32_t, word, [1]);
  if (threadIdx.x == 0) word[0] = 1;
  __syncthreads();
  p.y[threadIdx.x] = word[0];
  __syncwarp();
  if (threadIdx.x == blockDim.x - 1) word[0] = 2;
}
__global__ void RacesAfterManyMeetings(ASSAY_PARAMETER(testing::Words, p)) {
  if (threadIdx.x >= 2) return;
  for (int i = 0; i < 70000; ++i) __syncwarp(0x3u);
  if (threadIdx.x == 0) p.y[0] = 1;
  if (threadIdx.x == 1) p.y[1] = p.y[0];
}
// A barrier for each tile is enough for two buffers, not for one.
__device__ inline void SumTiles(const testing::Words& p, uint32_t* tiles, unsigned buffers) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t* const tile = tiles + i % buffers * 64;
    tile[threadIdx.x] = p.x[(threadIdx.x + i) % 64];
    __syncthreads();
    sum += tile[63 - threadIdx.x];
  }
  p.y[threadIdx.x] = sum;
}
__global__ void TwoBuffers(ASSAY_PARAMETER(testing::Words, p)) {
  ASSAY_SHARED(uint32_t, tiles, [128]);
  SumTiles(p, tiles, 2);
}
__global__ void OneBuffer(ASSAY_PARAMETER(testing::Words, p)) {
  ASSAY_SHARED(uint32_t, tiles, [64]);
  SumTiles(p, tiles, 1);
}
__global__ void ReadsWhatIsCounted(ASSAY_PARAMETER(testing::Words, p)) {
  ASSAY_SHARED(uint32_t, count, [1]);
  if (threadIdx.x == 0) count[0] = 0;
  __syncthreads();
  atomicAdd(&count[0], 1u);
  p.y[threadIdx.x] = count[0];
}
__global__ void PoolOutside(ASSAY_PARAMETER(testing::Words, p)) {
  ASSAY_DYNAMIC_SHARED(uint32_t, pool);
  pool[threadIdx.x] = p.x[threadIdx.x];
  __syncthreads();
  p.y[threadIdx.x] = pool[threadIdx.x + 1];
}
__global__ void Copies(ASSAY_PARAMETER(testing::Words, p)) { p.y[threadIdx.x] = p.x[threadIdx.x]; }
__global__ void CopiesFew(ASSAY_PARAMETER(testing::Words, p)) {
  if (threadIdx.x != 9) p.y[threadIdx.x] = p.x[threadIdx.x];
}
__global__ void WaitsInALoop(ASSAY_PARAMETER(testing::Words, p)) {
  volatile uint32_t* const flag = p.y;
  if (threadIdx.x == 0) {
    while (*flag != 1) {
    }
  }
}

ASSAY_ENTRIES(Testing) = {ASSAY_ENTRY(RowSum),
                          ASSAY_ENTRY(Scan),
                          ASSAY_ENTRY(Transpose),
                          ASSAY_ENTRY(WarpFunctions),
                          ASSAY_ENTRY(Histogram),
                          ASSAY_ENTRY(DivergentBarrier),
                          ASSAY_ENTRY(ExitBeforeBarrier),
                          ASSAY_ENTRY(ExitAfterOthersWait),
                          ASSAY_ENTRY(AbsentSource),
                          ASSAY_ENTRY(OutsideMask),
                          ASSAY_ENTRY(Deadlock),
                          ASSAY_ENTRY(SharedOverrun),
                          ASSAY_ENTRY(SharedPoison),
                          ASSAY_ENTRY(MuchShared),
                          ASSAY_ENTRY(Trapped),
                          ASSAY_ENTRY(Order),
                          ASSAY_ENTRY(SharedRace),
                          ASSAY_ENTRY(WarpRace),
                          ASSAY_ENTRY(WarpInOrder),
                          ASSAY_ENTRY(BlockRace),
                          ASSAY_ENTRY(LostUpdate),
                          ASSAY_ENTRY(AtomicCount),
                          ASSAY_ENTRY(MixedUpdate),
                          ASSAY_ENTRY(ReadBehind),
                          ASSAY_ENTRY(WriteInFront),
                          ASSAY_ENTRY(ReadUnwritten),
                          ASSAY_ENTRY(ReadUnwrittenShared),
                          ASSAY_ENTRY(SharedOutside),
                          ASSAY_ENTRY(WritesAfterItsBlockReads),
                          ASSAY_ENTRY(WritesAfterItsWarpReads),
                          ASSAY_ENTRY(RacesAfterManyMeetings),
                          ASSAY_ENTRY(TwoBuffers),
                          ASSAY_ENTRY(OneBuffer),
                          ASSAY_ENTRY(ReadsWhatIsCounted),
                          ASSAY_ENTRY(PoolOutside),
                          ASSAY_ENTRY(Copies),
                          ASSAY_ENTRY(CopiesFew),
                          ASSAY_ENTRY(WaitsInALoop),
                          ASSAY_LAST_ENTRY};

}  // namespace assay::cuda::ASSAY_CUDA_BUILD
