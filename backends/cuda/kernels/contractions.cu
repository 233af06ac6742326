// dot, ragged-dot, scaled-dot and convolution. Sums of floats are formed in double by fma in the
// order of the terms and rounded once; those of integers modulo 2^64. Large products of matrices of
// real floats go through tiles in shared memory, everything else is a thread for each result.
// Tests: cuda_kernels_test.cc.
#include "backends/cuda/kernels/complex.h"
#include "backends/cuda/kernels/element.h"
#include "backends/cuda/kernels/index.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

inline constexpr int kTile = 16;

// A sum of products of any class of numbers.
struct ProductSumValue {
  double re = 0, im = 0;
  uint64_t integer = 0;
};
enum SumClass { kSumIntegers, kSumFloats, kSumComplex };
ASSAY_DEVICE SumClass ClassOf(const ElementRow& a, const ElementRow& b) {
  if (a.kind == kKindComplex || b.kind == kKindComplex) return kSumComplex;
  return a.kind == kKindFloat || b.kind == kKindFloat ? kSumFloats : kSumIntegers;
}
ASSAY_DEVICE double DecodeNumber(const ElementRow& row, Value x) {
  if (row.kind == kKindFloat || row.kind == kKindComplex) return DecodeFloat(row, x.bits);
  const uint64_t integer = DecodeInteger(row, x.bits);
  return row.kind == kKindSigned ? static_cast<double>(static_cast<int64_t>(integer))
                                 : static_cast<double>(integer);
}
ASSAY_DEVICE void AddProduct(SumClass sum_class, const ElementRow& a_row, Value a,
                             const ElementRow& b_row, Value b, ProductSumValue* sum) {
  if (sum_class == kSumIntegers) {
    sum->integer += DecodeInteger(a_row, a.bits) * DecodeInteger(b_row, b.bits);
    return;
  }
  const double x = DecodeNumber(a_row, a), y = DecodeNumber(b_row, b);
  if (sum_class == kSumFloats) {
    sum->re = Fma(x, y, sum->re);
    return;
  }
  const double x_im = a_row.kind == kKindComplex ? DecodeFloat(a_row, a.imag) : 0;
  const double y_im = b_row.kind == kKindComplex ? DecodeFloat(b_row, b.imag) : 0;
  sum->re = Fma(x, y, sum->re);
  sum->re = Fma(-x_im, y_im, sum->re);
  sum->im = Fma(x, y_im, sum->im);
  sum->im = Fma(x_im, y, sum->im);
}
ASSAY_DEVICE Value EncodeSum(SumClass sum_class, const ElementRow& row, ProductSumValue sum) {
  if (sum_class == kSumIntegers) {
    if (row.kind == kKindPred) return {sum.integer != 0, 0};
    if (row.kind == kKindSigned || row.kind == kKindUnsigned) {
      return {EncodeInteger(row, sum.integer), 0};
    }
    const bool negative = (sum.integer >> 63) != 0;
    return {EncodeFloatFromInteger(row, negative, negative ? 0 - sum.integer : sum.integer), 0};
  }
  if (row.kind == kKindComplex) return {EncodeFloat(row, sum.re), EncodeFloat(row, sum.im)};
  if (row.kind == kKindFloat) return {EncodeFloat(row, sum.re), 0};
  if (row.kind == kKindPred) return {sum.re != 0, 0};
  return {EncodeIntegerFromFloat(row, sum.re), 0};
}

ASSAY_DEVICE void AxisAt(const Axis& axis, int64_t index, int64_t* at) {
  for (int d = axis.rank - 1; d >= 0; --d) {
    at[d] = index % axis.sizes[d];
    index /= axis.sizes[d];
  }
}
ASSAY_DEVICE int64_t Offset(const Axis& axis, const int64_t* strides, const int64_t* at) {
  int64_t offset = 0;
  for (int d = 0; d < axis.rank; ++d) offset += at[d] * strides[d];
  return offset;
}
ASSAY_DEVICE int64_t OffsetOf(const Axis& axis, const int64_t* strides, int64_t index) {
  int64_t at[kMostAxis];
  AxisAt(axis, index, at);
  return Offset(axis, strides, at);
}
ASSAY_DEVICE bool AdvanceAxis(const Axis& axis, int64_t* at) {
  for (int d = axis.rank - 1; d >= 0; --d) {
    if (++at[d] < axis.sizes[d]) return true;
    at[d] = 0;
  }
  return false;
}
ASSAY_DEVICE int64_t ScaleOffset(const Axis& axis, const int64_t* strides, const int64_t* blocks,
                                 const int64_t* at) {
  int64_t offset = 0;
  for (int d = 0; d < axis.rank; ++d) offset += at[d] / blocks[d] * strides[d];
  return offset;
}

// A product of four numbers, whose partial products may leave the range of double.
ASSAY_DEVICE double ScaledProduct(double a, double b, double c, double d) {
  const double first = a * b, second = c * d;
  const bool plain = IsFiniteValue(first) && IsFiniteValue(second) &&
                     (Magnitude(first) > 0x1p-900 || a == 0 || b == 0) &&
                     (Magnitude(second) > 0x1p-900 || c == 0 || d == 0);
  const bool finite = IsFiniteValue(a) && IsFiniteValue(b) && IsFiniteValue(c) && IsFiniteValue(d);
  const bool zero = a == 0 || b == 0 || c == 0 || d == 0;
  if (plain || zero) return first * second;
  const bool negative = (SignBit(a) != SignBit(b)) != (SignBit(c) != SignBit(d));
  if (!finite) {
    const bool none = IsNanValue(a) || IsNanValue(b) || IsNanValue(c) || IsNanValue(d);
    return none ? NanValue() : WithSign(InfinityValue(), negative);
  }
  const Parts p = Split(a), q = Split(b), r = Split(c), s = Split(d);
  const double product = p.mantissa * q.mantissa * r.mantissa * s.mantissa;
  return WithSign(Scale(product, p.exponent + q.exponent + r.exponent + s.exponent), negative);
}

// Where the groups of ragged-dot begin and end; what lies beyond the extent is ignored.
__global__ void RaggedRanges(ASSAY_PARAMETER(RaggedRangesParameter, p)) {
  for (int64_t list = FirstIndex(); list < p.lists; list += GridStride()) {
    int64_t end = 0;
    for (int64_t q = 0; q < p.groups; ++q) {
      const uint64_t word = DecodeInteger(p.row, Load(p.row, p.sizes, list * p.groups + q).bits);
      int64_t size = static_cast<int64_t>(word);
      if (size < 0) size = p.row.kind == kKindSigned ? 0 : p.extent;
      const int64_t start = end;
      end = size > p.extent - start ? p.extent : start + size;
      p.ranges[2 * (list * p.groups + q)] = start;
      p.ranges[2 * (list * p.groups + q) + 1] = end;
    }
  }
}

// One result of a dot: the coordinates of its batch, row and column, and its group.
__device__ inline void DotOne(const DotParameter& p, int64_t result) {
  const int64_t column = result % p.columns.count,
                row = ASSAY_MUTANT(2, result / p.columns.count, result) % p.rows.count;
  const int64_t batch = result / (p.columns.count * p.rows.count) % p.batch.count;
  const int64_t group = result / (p.columns.count * p.rows.count * p.batch.count);
  int64_t at_batch[kMostAxis], at_row[kMostAxis], at_column[kMostAxis], at_term[kMostAxis] = {};
  AxisAt(p.batch, batch, at_batch);
  AxisAt(p.rows, row, at_row);
  AxisAt(p.columns, column, at_column);
  const int64_t left =
      Offset(p.batch, p.batch.left, at_batch) + Offset(p.rows, p.rows.left, at_row);
  int64_t right =
      Offset(p.batch, p.batch.right, at_batch) + Offset(p.columns, p.columns.right, at_column);
  const SumClass sum_class = ClassOf(p.left_row, p.right_row);
  ProductSumValue sum;
  bool any = p.terms.count > 0;
  const int64_t list = Offset(p.batch, p.list_batch, at_batch);
  if (p.ragged == 1 || p.ragged == 3) {
    const int64_t at = p.ragged == 1 ? at_row[p.ragged_at] : at_batch[p.ragged_at];
    const int64_t of = list + (p.ragged == 1 ? Offset(p.rows, p.list_axis, at_row) : 0);
    int64_t found = -1;
    for (int64_t q = 0; q < p.groups; ++q) {
      const int64_t* range = p.ranges + 2 * (of * p.groups + q);
      if (range[0] <= at && at < ASSAY_MUTANT(3, range[1], range[1] + 1)) found = q;
    }
    if (found < 0) any = false;
    if (found >= 0) right += found * p.group_stride;
  }
  while (any) {
    bool in_group = true;
    if (p.ragged == 2) {
      const int64_t of = list + Offset(p.terms, p.list_axis, at_term);
      const int64_t* range = p.ranges + 2 * (of * p.groups + group);
      in_group = range[0] <= at_term[p.ragged_at] && at_term[p.ragged_at] < range[1];
    }
    if (in_group) {
      const Value a = Load(p.left_row, p.left, left + Offset(p.terms, p.terms.left, at_term));
      const Value b = Load(p.right_row, p.right, right + Offset(p.terms, p.terms.right, at_term));
      if (p.left_scale == nullptr && p.right_scale == nullptr) {
        AddProduct(sum_class, p.left_row, a, p.right_row, b, &sum);
      } else {
        const double x = DecodeNumber(p.left_row, a), y = DecodeNumber(p.right_row, b);
        double x_scale = 1, y_scale = 1;
        if (p.left_scale != nullptr) {
          const int64_t at =
              ScaleOffset(p.batch, p.scale_batch.left, p.scale_batch.left_block, at_batch) +
              ScaleOffset(p.rows, p.scale_rows.left, p.scale_rows.left_block, at_row) +
              ScaleOffset(p.terms, p.scale_terms.left, p.scale_terms.left_block, at_term);
          x_scale = DecodeNumber(p.left_scale_row, Load(p.left_scale_row, p.left_scale, at));
        }
        if (p.right_scale != nullptr) {
          const int64_t at =
              ScaleOffset(p.batch, p.scale_batch.right, p.scale_batch.right_block, at_batch) +
              ScaleOffset(p.columns, p.scale_columns.right, p.scale_columns.right_block,
                          at_column) +
              ScaleOffset(p.terms, p.scale_terms.right, p.scale_terms.right_block, at_term);
          y_scale = DecodeNumber(p.right_scale_row, Load(p.right_scale_row, p.right_scale, at));
        }
        sum.re = sum.re + ScaledProduct(x, x_scale, y, y_scale);
      }
    }
    any = AdvanceAxis(p.terms, at_term);
  }
  Store(p.out_row, p.out, result, EncodeSum(sum_class, p.out_row, sum));
}
__global__ void Dot(ASSAY_PARAMETER(DotParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) DotOne(p, i);
}

// A tile of 16 by 16 results of real floats. Absent terms are zeros that no fma uses.
__global__ void DotTiles(ASSAY_PARAMETER(DotParameter, p)) {
  ASSAY_SHARED(double, left, [kTile][kTile + 1]);
  ASSAY_SHARED(double, right, [kTile][kTile + 1]);
  const int x = static_cast<int>(threadIdx.x) % kTile, y = static_cast<int>(threadIdx.x) / kTile;
  const int64_t across = (p.columns.count + kTile - 1) / kTile;
  const int64_t down = (p.rows.count + kTile - 1) / kTile;
  for (int64_t t = blockIdx.x; t < across * down * p.batch.count; t += gridDim.x) {
    const int64_t batch = t / (across * down);
    const int64_t first_row = t / across % down * kTile, first_column = t % across * kTile;
    const int64_t left_base = OffsetOf(p.batch, p.batch.left, batch);
    const int64_t right_base = OffsetOf(p.batch, p.batch.right, batch);
    const int64_t row = first_row + y, column = first_column + x;
    double sum = 0;
    for (int64_t first = 0; first < p.terms.count; first += kTile) {
      const int64_t k = first + x, l = first + y;
      left[y][x] = 0;
      if (row < p.rows.count && k < p.terms.count) {
        left[y][x] = DecodeFloat(p.left_row, Load(p.left_row, p.left,
                                                  left_base + OffsetOf(p.rows, p.rows.left, row) +
                                                      OffsetOf(p.terms, p.terms.left, k))
                                                 .bits);
      }
      right[y][x] = 0;
      if (column < p.columns.count && l < p.terms.count) {
        right[y][x] = DecodeFloat(p.right_row,
                                  Load(p.right_row, p.right,
                                       right_base + OffsetOf(p.columns, p.columns.right, column) +
                                           OffsetOf(p.terms, p.terms.right, l))
                                      .bits);
      }
      __syncthreads();
      const int64_t rest = p.terms.count - first;
      const int here = rest < kTile ? static_cast<int>(rest) : kTile;
      for (int n = 0; n < ASSAY_MUTANT(4, here, here - (here < kTile)); ++n) {
        sum = Fma(left[y][n], ASSAY_MUTANT(5, right[n][x], right[x][n]), sum);
      }
      __syncthreads();
    }
    if (row < p.rows.count && column < p.columns.count) {
      const int64_t at = (batch * p.rows.count + row) * p.columns.count + column;
      Store(p.out_row, p.out, at, EncodeSum(kSumFloats, p.out_row, {sum, 0, 0}));
    }
  }
}

__device__ inline void ConvolveOne(const ConvolutionParameter& p, int64_t result) {
  // The result's coordinates: batch, feature, positions, in this order of the loop.
  int64_t at[kMostDimensions] = {}, window[kMostDimensions] = {};
  const int64_t positions = ElementsOf(p.outputs);
  Coordinates(p.outputs, result % positions, at);
  const int64_t feature = result / positions % p.features, batch = result / positions / p.features;
  const int64_t group = feature / (p.features / p.feature_groups);
  const int64_t in_batch = feature / (p.features / p.batch_groups) * p.batches + batch;
  int64_t out = batch * p.out_batch + feature * p.out_feature;
  for (int d = 0; d < p.outputs.rank; ++d) out += at[d] * p.out_strides[d];
  const SumClass sum_class = ClassOf(p.in_row, p.kernel_row);
  ProductSumValue sum;
  bool more = ElementsOf(p.window) > 0;
  while (more) {
    int64_t in =
        in_batch * p.in_batch + ASSAY_MUTANT(6, group, 0) * p.group_features * p.in_feature;
    int64_t kernel = feature * p.kernel_out;
    bool met = true;
    for (int d = 0; d < p.outputs.rank && met; ++d) {
      int64_t place = at[d] * p.stride[d] - p.low[d] + window[d] * p.window_dilation[d];
      if (place < 0 || ASSAY_MUTANT(7, place % p.base_dilation[d] != 0, false) ||
          place / p.base_dilation[d] >= p.base.sizes[d]) {
        met = false;
        break;
      }
      place /= p.base_dilation[d];
      in += place * p.in_strides[d];
      const int64_t tap = p.reversed[d] != 0
                              ? ASSAY_MUTANT(8, p.window.sizes[d] - 1 - window[d], window[d])
                              : window[d];
      kernel += tap * p.kernel_strides[d];
    }
    for (int64_t c = 0; met && c < p.group_features; ++c) {
      AddProduct(sum_class, p.in_row, Load(p.in_row, p.in, in + c * p.in_feature), p.kernel_row,
                 Load(p.kernel_row, p.kernel, kernel + c * p.kernel_in), &sum);
    }
    more = Advance(p.window, window);
  }
  Store(p.out_row, p.out, out, EncodeSum(sum_class, p.out_row, sum));
}
__global__ void Convolve(ASSAY_PARAMETER(ConvolutionParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) ConvolveOne(p, i);
}

ASSAY_ENTRIES(Contractions) = {ASSAY_ENTRY(RaggedRanges), ASSAY_ENTRY(Dot), ASSAY_ENTRY(DotTiles),
                               ASSAY_ENTRY(Convolve), ASSAY_LAST_ENTRY};

}  // namespace assay::cuda::ASSAY_CUDA_BUILD
