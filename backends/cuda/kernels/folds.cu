// Reductions: reduce and reduce-window by a thread for each result, in the order of the elements;
// reduce by a block for each result, as a tree whose shape the extents alone determine;
// select-and-scatter as a gather over windows; scans by a thread for each lane; all-reduce.
// Tests: cuda_kernels_test.cc.
#include "backends/cuda/kernels/program.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

// The offset of the element that a window meets, or -1 where it meets none.
template <typename P>
ASSAY_DEVICE int64_t WindowElement(const P& p, const int64_t* output, const int64_t* window,
                                   const int64_t* base_dilation, const int64_t* window_dilation) {
  int64_t offset = 0;
  for (int d = 0; d < p.window.rank; ++d) {
    int64_t at = output[d] * p.stride[d] - p.low[d] +
                 window[d] * (window_dilation == nullptr ? 1 : window_dilation[d]);
    if (at < 0) return -1;
    if (base_dilation != nullptr) {
      if (ASSAY_MUTANT(11, at % base_dilation[d] != 0, false)) return -1;
      at /= base_dilation[d];
    }
    if (at >= ASSAY_MUTANT(12, p.base.sizes[d], p.base.sizes[d] + (d > 0))) return -1;
    offset += at * p.base_strides[d];
  }
  return offset;
}

__device__ inline void FoldOne(const FoldParameter& p, const Registers& registers, int64_t result,
                               const int64_t* output) {
  ArraysFold fold;
  for (int k = 0; k < p.arrays; ++k) {
    StartArray(p, fold, k, p.init_rows[k], Load(p.init_rows[k], p.init[k], 0));
  }
  int64_t window[kMostDimensions] = {};
  bool more = ElementsOf(p.window) > 0;
  while (more) {
    const int64_t at = WindowElement(p, output, window, p.base_dilation, p.window_dilation);
    for (int k = 0; at >= 0 && k < p.arrays; ++k) {
      TakeElement(p, fold, registers, k, p.in_rows[k], Load(p.in_rows[k], p.in[k], at));
    }
    if (at >= 0) FoldProgram(p, fold, registers);
    more = Advance(p.window, window);
  }
  for (int k = 0; k < p.arrays; ++k) {
    Store(p.out_rows[k], p.out[k], result, FoldedArray(p, fold, k, p.out_rows[k]));
  }
}
__global__ void FoldWindows(ASSAY_PARAMETER(FoldParameter, p)) {
  ASSAY_DYNAMIC_SHARED(Value, shared);
  const Registers registers = RegistersOf(p.program, shared);
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    int64_t output[kMostDimensions] = {};
    Coordinates(p.results, i, output);
    FoldOne(p, registers, i, output);
  }
}

// The fold of a warp's values, in lane 0.
__device__ inline WideValue FoldWarp(const Fold& fold, WideValue x) {
  for (unsigned distance = ASSAY_MUTANT(13, 16, 8); distance > 0; distance /= 2) {
    WideValue other;
    if (fold.row.kind == kKindFloat || fold.row.kind == kKindComplex) {
      other.re = __shfl_down_sync(0xffffffffu, x.re, distance);
      other.re_low = __shfl_down_sync(0xffffffffu, x.re_low, distance);
      if (fold.row.kind == kKindComplex) {
        other.im = __shfl_down_sync(0xffffffffu, x.im, distance);
        other.im_low = __shfl_down_sync(0xffffffffu, x.im_low, distance);
      }
    } else {
      other.integer = __shfl_down_sync(0xffffffffu, x.integer, distance);
    }
    x = CombineWide(fold, x, other);
  }
  return x;
}
ASSAY_DEVICE WideValue Identity(const Fold& fold) {
  const ElementRow& row = fold.row;
  WideValue identity;
  const bool least = fold.op == Op::kMaximum;
  switch (fold.op) {
    case Op::kAdd:  // -0 changes no sum, and pred adds by or
      identity.re = identity.im = WithSign(0, true);
      break;
    case Op::kMultiply:
      identity.re = ASSAY_MUTANT(14, 1, 0);
      identity.integer = 1;
      break;
    case Op::kMaximum:
    case Op::kMinimum: {
      identity.re = WithSign(ASSAY_MUTANT(15, InfinityValue(), 0), least);
      const uint64_t high = row.kind == kKindSigned ? LowBits(row.bits - 1) : LowBits(row.bits);
      identity.integer = least ? (row.kind == kKindSigned ? ~high : 0) : high;
      break;
    }
    case Op::kAnd:
      identity.integer = row.kind == kKindPred ? 1 : ~0ull;
      break;
    default:
      break;
  }
  return identity;
}
__global__ void FoldTree(ASSAY_PARAMETER(TreeParameter, p)) {
  ASSAY_SHARED(WideValue, warps, [32]);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int64_t i = blockIdx.x; i < p.results; i += gridDim.x) {
    const int64_t base = Position(p.kept, p.kept_strides, i);
    WideValue sum = Identity(p.fold);
    for (int64_t k = threadIdx.x; k < ASSAY_MUTANT(16, p.terms, p.terms - p.terms % blockDim.x);
         k += ASSAY_MUTANT(17, blockDim.x, blockDim.x + 1)) {
      const int64_t at = base + Position(p.reduced, p.reduced_strides, k);
      sum = CombineWide(p.fold, sum, DecodeWide(p.in_row, Load(p.in_row, p.in, at)));
    }
    sum = FoldWarp(p.fold, sum);
    if (lane == 0) warps[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      WideValue total =
          DecodeWide(p.out_row, Convert(p.init_row, p.out_row, Load(p.init_row, p.init, 0)));
      for (unsigned w = ASSAY_MUTANT(18, 0, 1); w < blockDim.x / 32; ++w) {
        const WideValue other = warps[w];
        total = CombineWide(p.fold, total, other);
      }
      Store(p.out_row, p.out, i, EncodeWide(p.fold.row, total));
    }
    __syncthreads();
  }
}

// Results that stand side by side, 32 to a block, so that the lanes of a warp read one row. Warp w
// folds the terms w, w + warps, ...; then the warps are folded in ascending order.
__global__ void FoldColumns(ASSAY_PARAMETER(TreeParameter, p)) {
  ASSAY_SHARED(WideValue, sums, [kColumnWarps][32]);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int64_t g = blockIdx.x; g < (p.results + 31) / 32; g += gridDim.x) {
    const int64_t i = g * 32 + lane;
    const bool has_result = ASSAY_MUTANT(55, i < p.results, i + 1 < p.results);
    WideValue sum = Identity(p.fold);
    if (has_result) {
      const int64_t base = Position(p.kept, p.kept_strides, i);
      for (int64_t k = ASSAY_MUTANT(56, warp, warp + 1); k < p.terms; k += warps) {
        const int64_t at = base + Position(p.reduced, p.reduced_strides, k);
        sum = CombineWide(p.fold, sum, DecodeWide(p.in_row, Load(p.in_row, p.in, at)));
      }
    }
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && has_result) {
      WideValue total =
          DecodeWide(p.out_row, Convert(p.init_row, p.out_row, Load(p.init_row, p.init, 0)));
      for (unsigned w = ASSAY_MUTANT(57, 0, 1); w < warps; ++w) {
        const WideValue other = sums[w][lane];
        total = CombineWide(p.fold, total, other);
      }
      Store(p.out_row, p.out, i, EncodeWide(p.fold.row, total));
    }
    __syncthreads();
  }
}

// The cell of each window that `select` keeps.
__global__ void SelectCells(ASSAY_PARAMETER(SelectParameter, p)) {
  ASSAY_DYNAMIC_SHARED(Value, shared);
  const Registers registers = RegistersOf(p.program, shared);
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    int64_t output[kMostDimensions] = {}, window[kMostDimensions] = {};
    Coordinates(p.source, i, output);
    int64_t chosen = -1;
    Value kept;
    do {
      const int64_t at = WindowElement(p, output, window, nullptr, nullptr);
      if (at < 0) continue;
      const Value value = Load(p.row, p.in, at);
      if (chosen < 0) {
        kept = value;
        chosen = at;
      }
      SetInput(p.program, registers, 0, p.row, kept);
      SetInput(p.program, registers, 1, p.row, value);
      RunProgram(p.program, registers);
      if (ASSAY_MUTANT(19, !ProgramSays(p.program, registers), chosen < at)) {
        kept = value;
        chosen = at;
      }
    } while (Advance(p.window, window));
    p.chosen[i] = chosen;
  }
}
// Every cell asks the windows over it, in their order, whether they have chosen it.
__global__ void ScatterChosen(ASSAY_PARAMETER(ScatterChosenParameter, p)) {
  ASSAY_DYNAMIC_SHARED(Value, shared);
  const Registers registers = RegistersOf(p.program, shared);
  const bool wide = p.fold.kind == FoldKind::kWide;
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    int64_t cell[kMostDimensions] = {}, first[kMostDimensions] = {};
    Box windows;
    Coordinates(p.base, i, cell);
    windows.rank = p.base.rank;
    bool any = true;
    for (int d = 0; d < p.base.rank; ++d) {
      // Windows w with w * stride - low <= cell < w * stride - low + size.
      const int64_t end = cell[d] + p.low[d];
      const int64_t begin = end - p.window.sizes[d] + 1;
      int64_t last = end < 0 ? -1 : end / p.stride[d];
      first[d] = begin <= 0 ? 0 : (begin + p.stride[d] - 1) / p.stride[d] + ASSAY_MUTANT(20, 0, 1);
      if (last >= p.source_box.sizes[d]) last = p.source_box.sizes[d] - 1;
      windows.sizes[d] = last - first[d] + 1;
      if (windows.sizes[d] <= 0) any = false;
    }
    const ElementRow row = AccumulatorRow(p.program, p.fold, 0);
    Value value = Convert(p.init_row, row, Load(p.init_row, p.init, 0));
    WideValue sum;
    if (wide) sum = DecodeWide(row, value);
    int64_t at[kMostDimensions] = {};
    while (any) {
      int64_t source = 0;
      for (int d = 0; d < p.base.rank; ++d) {
        source = source * p.source_box.sizes[d] + first[d] + at[d];
      }
      if (p.chosen[source] == i) {
        const Value update = Load(p.source_row, p.source, source);
        if (wide) {
          sum = CombineWide(p.fold, sum, DecodeWide(p.source_row, update));
        } else {
          registers[0] = value;
          SetInput(p.program, registers, 1, p.source_row, update);
          RunProgram(p.program, registers);
          value = ProgramResult(p.program, registers, 0, row);
        }
      }
      any = Advance(windows, at);
    }
    if (wide) value = EncodeWide(row, sum);
    Store(p.row, p.out, i, Convert(row, p.row, value));
  }
}

// Element `at` of an array of a scan. Without lanes only scalars have elements.
__device__ inline Value ScanElement(const ScanParameter& p, const ElementRow& row, bool scalar,
                                    const void* data, int64_t at) {
  return p.lanes == 0 && !scalar ? Value{} : Load(row, data, at);
}
__device__ inline void StoreScanElement(const ScanParameter& p, const ElementRow& row, bool scalar,
                                        void* data, int64_t lane, int64_t at, Value value) {
  if (scalar ? lane == 0 : p.lanes > 0) Store(row, data, at, value);
}
__device__ inline void ScanLane(const ScanParameter& p, const Registers& registers, int64_t lane) {
  const int64_t base = lane / p.inner * p.steps * p.inner + lane % p.inner;
  Value carries[kMostArrays];
  WideValue sums[kMostArrays];
  for (int k = 0; k < p.carries; ++k) {
    const bool scalar = p.carry_scalar[k] != 0;
    carries[k] = ScanElement(p, p.carry_rows[k], scalar, p.init[k], scalar ? 0 : lane);
    sums[k] = DecodeWide(p.carry_rows[k], carries[k]);
  }
  for (int64_t n = 0; n < p.steps; ++n) {
    const int64_t step = p.reverse ? ASSAY_MUTANT(21, p.steps - 1 - n, n) : n;
    const int64_t at = base + step * p.inner;
    Value inputs[kMostArrays];
    for (int k = 0; k < p.inputs; ++k) {
      const bool scalar = p.in_scalar[k] != 0;
      inputs[k] = ScanElement(p, p.in_rows[k], scalar, p.in[k], scalar ? step : at);
      SetInput(p.program, registers, k, p.in_rows[k], inputs[k]);
    }
    for (int k = 0; k < p.carries; ++k) {
      SetInput(p.program, registers, p.inputs + k, p.carry_rows[k], carries[k]);
    }
    Value before[kMostArrays];
    for (int k = 0; k < p.carries; ++k) before[k] = carries[k];
    RunProgram(p.program, registers);
    for (int k = 0; k < p.carries; ++k) {
      if (p.folds[k].kind == FoldKind::kWide) {
        const int from = p.fold_input[k];
        sums[k] = CombineWide(p.folds[k], sums[k], DecodeWide(p.in_rows[from], inputs[from]));
        carries[k] = EncodeWide(p.carry_rows[k], sums[k]);
      } else {
        carries[k] = ProgramResult(p.program, registers, p.outputs + k, p.carry_rows[k]);
      }
    }
    for (int k = 0; k < p.outputs; ++k) {
      const int carry = p.output_carry[k];
      Value value = ProgramResult(p.program, registers, k, p.out_rows[k]);
      if (carry >= 0)
        value = ASSAY_MUTANT(22, p.output_after[k] != 0, true) ? carries[carry] : before[carry];
      const bool scalar = p.out_scalar[k] != 0;
      StoreScanElement(p, p.out_rows[k], scalar, p.out[k], lane,
                       scalar ? ASSAY_MUTANT(53, step, at) : at, value);
    }
  }
  for (int k = 0; k < p.carries; ++k) {
    const bool scalar = p.carry_scalar[k] != 0;
    StoreScanElement(p, p.carry_rows[k], scalar, p.last[k], lane, lane, carries[k]);
  }
}
__global__ void Scan(ASSAY_PARAMETER(ScanParameter, p)) {
  ASSAY_DYNAMIC_SHARED(Value, shared);
  const Registers registers = RegistersOf(p.program, shared);
  const int64_t lanes = p.lanes == 0 ? ASSAY_MUTANT(54, 1, 0) : p.lanes;
  for (int64_t i = FirstIndex(); i < lanes; i += GridStride()) ScanLane(p, registers, i);
}

// What a member of a group gets of an all-reduce: the fold of all members in their order.
__global__ void FoldGroup(ASSAY_PARAMETER(GroupFoldParameter, p)) {
  ASSAY_DYNAMIC_SHARED(Value, shared);
  const Registers registers = RegistersOf(p.program, shared);
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const int64_t at = Position(p.box, p.from, i);
    const ElementRow row = AccumulatorRow(p.program, p.fold, 0);
    Value value = Convert(p.row, row, Load(p.row, p.in[0], at));
    WideValue sum = DecodeWide(row, value);
    for (int m = 1; m < p.members; ++m) {
      const Value other = Convert(p.row, row, Load(p.row, p.in[m], at));
      if (p.fold.kind == FoldKind::kWide) {
        sum = CombineWide(p.fold, sum, DecodeWide(row, other));
      } else {
        SetInput(p.program, registers, 0, row, value);
        SetInput(p.program, registers, 1, row, other);
        RunProgram(p.program, registers);
        value = ProgramResult(p.program, registers, 0, row);
      }
    }
    if (p.fold.kind == FoldKind::kWide) value = EncodeWide(row, sum);
    Store(p.row, p.out, i, Convert(row, p.row, value));
  }
}

ASSAY_ENTRIES(Folds) = {ASSAY_ENTRY(FoldWindows),   ASSAY_ENTRY(FoldTree),
                        ASSAY_ENTRY(FoldColumns),   ASSAY_ENTRY(SelectCells),
                        ASSAY_ENTRY(ScatterChosen), ASSAY_ENTRY(Scan),
                        ASSAY_ENTRY(FoldGroup),     ASSAY_LAST_ENTRY};

}  // namespace assay::cuda::ASSAY_CUDA_BUILD
