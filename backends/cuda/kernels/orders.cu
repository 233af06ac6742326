// Sorting and what is done in sorted order. A sort orders the numbers of the elements of a line,
// and equal elements by their numbers. By a comparator it is a bitonic network, which gives a
// permutation even where the comparator is no order; by keys the runs that blocks have sorted are
// merged: the place of an element is its own in its run and the number of elements of the
// neighbouring run that come before it, found by bisection. Scatter sorts its updates by target and
// applies those of a cell in order, so that no result depends on how threads are scheduled. Tests:
// cuda_kernels_test.cc.
#include "backends/cuda/kernels/program.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

// Element numbers that a block sorts in shared memory.
inline constexpr int kBlockRun = 128;

__device__ inline bool Less(const OrderParameter& p, const Registers& registers, int64_t base,
                            int64_t a, int64_t b) {
  for (int k = 0; k < p.arrays; ++k) {
    const ElementRow& row = p.rows[k];
    SetInput(p.program, registers, 2 * k, row, Load(row, p.in[k], base + a * p.inner));
    SetInput(p.program, registers, 2 * k + 1, row, Load(row, p.in[k], base + b * p.inner));
  }
  RunProgram(p.program, registers);
  return ProgramSays(p.program, registers);
}
// Whether element a stands before element b of a line; for a comparator that is no order, whatever
// it says is combined with the order of the elements, so that places stay distinct.
__device__ inline bool Before(const OrderParameter& p, const Registers& registers, int64_t base,
                              int64_t a, int64_t b) {
  if (p.keys != nullptr) {
    const uint64_t x = p.keys[base + a * p.inner], y = p.keys[base + b * p.inner];
    return x != y ? x < y : ASSAY_MUTANT(42, a < b, b < a);
  }
  if (a < b) return !Less(p, registers, base, b, a);
  return Less(p, registers, base, a, b);
}
// The place of the element at `at` of a run after merging pairs of runs of length `run` among
// `length` elements, of which `order` gives the numbers.
template <typename Number>
__device__ inline int64_t MergedPlace(const OrderParameter& p, const Registers& registers,
                                      int64_t base, const Number* order, int64_t length,
                                      int64_t run, int64_t at) {
  const int64_t pair = at / (2 * run) * 2 * run;
  const bool second = at - pair >= run;
  int64_t low = second ? pair : pair + run;
  int64_t high = low + run < length ? low + run : length;
  if (low >= length) return at;
  const int64_t other = low, own = static_cast<int64_t>(order[at]);
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    const bool before = Before(p, registers, base, static_cast<int64_t>(order[middle]), own);
    if (before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return pair + (at - (second ? pair + run : pair)) + (low - other);
}
ASSAY_DEVICE int64_t LineBase(int64_t line, int64_t length, int64_t inner) {
  return line / inner * length * inner + line % inner;
}

// Brings two elements of `order` into their order; elements past the end are the largest.
template <typename Number>
__device__ inline void Exchange(const OrderParameter& p, const Registers& registers, int64_t base,
                                Number* order, int64_t length, int64_t a, int64_t b) {
  if (b >= length) return;
  const Number x = order[a], y = order[b];
  if (!Before(p, registers, base, static_cast<int64_t>(y), static_cast<int64_t>(x))) return;
  order[a] = y;
  order[b] = x;
}
struct ExchangePair {
  int64_t a, b;
};
// Pair number q of a pass of a bitonic network whose comparisons all ascend: the first pass of a
// merge compares mirror images in pairs of runs, the others elements `run` apart.
ASSAY_DEVICE ExchangePair PairOf(int64_t q, int64_t run, bool mirror) {
  const int64_t start = q / run * 2 * run, rest = q % run;
  return {start + rest, mirror ? ASSAY_MUTANT(43, start + 2 * run - 1 - rest, start + run + rest)
                               : start + rest + run};
}

// Sorts blocks of kBlockRun elements of each line, with a thread for each pair.
__global__ void SortBlocks(ASSAY_PARAMETER(OrderParameter, p)) {
  ASSAY_DYNAMIC_SHARED(Value, shared);
  ASSAY_SHARED(int32_t, numbers, [kBlockRun]);
  const Registers registers = RegistersOf(p.program, shared);
  const int64_t blocks = (p.length + kBlockRun - 1) / kBlockRun;
  const int pair = static_cast<int>(threadIdx.x);
  for (int64_t i = blockIdx.x; i < p.lines * blocks; i += gridDim.x) {
    const int64_t line = i / blocks, first = i % blocks * kBlockRun;
    const int64_t rest = p.length - first;
    const int64_t length = rest < kBlockRun ? rest : kBlockRun;
    const int64_t base = LineBase(line, p.length, p.inner) + first * p.inner;
    numbers[pair] = pair;
    numbers[pair + kBlockRun / 2] = pair + kBlockRun / 2;
    __syncthreads();
    for (int run = 1; run < length; run *= 2) {
      for (int distance = run; distance > ASSAY_MUTANT(44, 0, 1); distance /= 2) {
        const ExchangePair at = PairOf(pair, distance, distance == run);
        Exchange(p, registers, base, numbers, length, at.a, at.b);
        __syncthreads();
      }
    }
    // The elements that this thread sets for the next block of elements: no barrier is needed.
    for (int64_t at = pair; at < length; at += kBlockRun / 2) {
      p.to[line * p.length + first + at] = first + numbers[at];
    }
  }
}
// A pass over whole lines, in place.
__global__ void SortPass(ASSAY_PARAMETER(OrderParameter, p)) {
  ASSAY_DYNAMIC_SHARED(Value, shared);
  const Registers registers = RegistersOf(p.program, shared);
  const int64_t pairs = (p.length + 2 * p.run - 1) / (2 * p.run) * p.run;
  for (int64_t i = FirstIndex(); i < p.lines * pairs; i += GridStride()) {
    const int64_t line = i / pairs;
    const ExchangePair at = PairOf(i % pairs, p.run, p.mirror);
    Exchange(p, registers, LineBase(line, p.length, p.inner), p.to + line * p.length, p.length,
             at.a, at.b);
  }
}
// A pass of a merge sort by keys, which are an order whatever the elements are.
__global__ void MergeRuns(ASSAY_PARAMETER(OrderParameter, p)) {
  const Registers registers;
  for (int64_t i = FirstIndex(); i < p.lines * p.length; i += GridStride()) {
    const int64_t line = i / p.length, at = i % p.length;
    const int64_t* order = p.from + line * p.length;
    const int64_t base = LineBase(line, p.length, p.inner);
    const int64_t place = MergedPlace(p, registers, base, order, p.length, p.run, at);
    p.to[line * p.length + place] = order[at];
  }
}
__global__ void Permute(ASSAY_PARAMETER(PermuteParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.lines * p.taken; i += GridStride()) {
    const int64_t line = i / p.taken, at = i % p.taken;
    const int64_t from = p.order[ASSAY_MUTANT(45, line, 0) * p.length + at];
    const int64_t to = LineBase(line, p.taken, p.inner) + at * p.inner;
    const int64_t base = LineBase(line, p.length, p.inner);
    Store(p.row, p.out, to, Load(p.row, p.in, base + from * p.inner));
    if (p.indices != nullptr) p.indices[to] = static_cast<int32_t>(from);
  }
}
// Keys that are ordered as unsigned integers as the elements are by total order.
__global__ void OrderKeys(ASSAY_PARAMETER(KeysParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const uint64_t bits = Load(p.row, p.in, i).bits;
    uint64_t key = bits;
    if (p.row.kind != kKindUnsigned && p.row.kind != kKindPred) {
      key = static_cast<uint64_t>(TotalOrderKey(p.row, bits)) ^ ASSAY_MUTANT(46, 1ull, 0ull) << 63;
    }
    p.keys[i] = ASSAY_MUTANT(47, p.descending, false) ? ~key : key;
  }
}

// The cell that each update goes to, in the order of application; ~0 where its window does not fit.
__global__ void ScatterTargets(ASSAY_PARAMETER(ScatterTargetsParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const int64_t index = Position(p.updates, p.to_index, i);
    int64_t cell = Position(p.updates, p.to_cell, i);
    bool fits = true;
    for (int k = 0; k < p.components; ++k) {
      const uint64_t start = DecodeInteger(
          p.index_row, Load(p.index_row, p.indices, index + k * p.component_stride).bits);
      // Negative starts are huge.
      if (p.limits[k] < 0 || ASSAY_MUTANT(48, start > static_cast<uint64_t>(p.limits[k]),
                                          start >= static_cast<uint64_t>(p.limits[k]))) {
        fits = false;
      } else {
        cell += static_cast<int64_t>(start) * p.strides[k];
      }
    }
    p.targets[i] = fits ? static_cast<uint64_t>(cell) : ~0ull;
  }
}
// A thread for the first update of each cell applies all of them.
__global__ void ApplyUpdates(ASSAY_PARAMETER(ScatterParameter, p)) {
  ASSAY_DYNAMIC_SHARED(Value, shared);
  const Registers registers = RegistersOf(p.program, shared);
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const uint64_t target = p.targets[p.order[i]];
    if (target == ~0ull || (i > 0 && p.targets[p.order[i - 1]] == target)) continue;
    const int64_t cell = static_cast<int64_t>(target);
    ArraysFold fold;
    for (int k = 0; k < p.arrays; ++k) {
      StartArray(p, fold, k, p.rows[k], Load(p.rows[k], p.out[k], cell));
    }
    for (int64_t n = i; n < ASSAY_MUTANT(49, p.count, i + 1) && p.targets[p.order[n]] == target;
         ++n) {
      const int64_t from = Position(p.box, p.positions, p.order[n]);
      for (int k = 0; k < p.arrays; ++k) {
        const Value update = Load(p.update_rows[k], p.updates[k], from);
        TakeElement(p, fold, registers, k, p.update_rows[k], update);
      }
      FoldProgram(p, fold, registers);
    }
    for (int k = 0; k < p.arrays; ++k) {
      Store(p.rows[k], p.out[k], cell, FoldedArray(p, fold, k, p.rows[k]));
    }
  }
}

ASSAY_ENTRIES(Orders) = {ASSAY_ENTRY(SortBlocks),   ASSAY_ENTRY(SortPass),
                         ASSAY_ENTRY(MergeRuns),    ASSAY_ENTRY(Permute),
                         ASSAY_ENTRY(OrderKeys),    ASSAY_ENTRY(ScatterTargets),
                         ASSAY_ENTRY(ApplyUpdates), ASSAY_LAST_ENTRY};

}  // namespace assay::cuda::ASSAY_CUDA_BUILD
