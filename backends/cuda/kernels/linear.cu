// Fourier transforms, factorisations and batch normalisation, all in double. Transforms are passes
// of the prime factors of the length over the whole array, with twiddle factors from a table;
// a Cholesky factor and a triangular solve are a block for each matrix. Tests:
// cuda_kernels_test.cc.
#include "backends/cuda/kernels/complex_elements.h"
#include "backends/cuda/kernels/index.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

// cos and sin of 2 pi k / n, from an angle in the first eighth of a turn.
__global__ void FftTable(ASSAY_PARAMETER(FftTableParameter, p)) {
  for (int64_t k = FirstIndex(); k < p.n; k += GridStride()) {
    // Eighths of a turn, and what is left of k in 1/(8 n) turns.
    const int64_t eighth = 8 * k / p.n, rest = 8 * k % p.n;
    const bool odd = eighth % 2 != 0;
    const Pair part =
        Pair{static_cast<double>(odd ? p.n - rest : rest), 0} / Pair{static_cast<double>(p.n), 0};
    const Pair angle = part * Times(HalfPi(), 0.5);
    double a = Rounded(CosNear(angle)), b = Rounded(SinNear(angle));
    if (odd) {  // from the end of the quarter
      const double swap = a;
      a = b;
      b = swap;
    }
    switch (eighth / 2) {
      case 0:
        break;
      case 1: {
        const double swap = a;
        a = -b;
        b = swap;
        break;
      }
      case 2:
        a = -a;
        b = -b;
        break;
      default: {
        const double swap = a;
        a = b;
        b = -swap;
      }
    }
    p.table[2 * k] = a;
    p.table[2 * k + 1] = b;
  }
}
__global__ void FftLoad(ASSAY_PARAMETER(FftLoadParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.lines * p.n; i += GridStride()) {
    const int64_t line = i / p.n, at = i % p.n;
    int64_t from = at;
    bool mirrored = false;
    if (p.hermitian && 2 * at > p.n) {
      from = p.n - at;
      mirrored = true;
    }
    double re = 0, im = 0;
    if (from < p.length) {
      const Value value = Load(p.row, p.in, line * p.length + from);
      re = DecodeFloat(p.row, value.bits);
      if (p.row.kind == kKindComplex) im = DecodeFloat(p.row, value.imag);
    }
    if (p.hermitian && (at == 0 || 2 * at == p.n)) im = 0;
    p.work[2 * i] = re;
    p.work[2 * i + 1] = mirrored ? ASSAY_MUTANT(23, -im, im) : im;
  }
}
// Lines of `length` results from lines of n.
__global__ void FftStore(ASSAY_PARAMETER(FftStoreParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.lines * p.length; i += GridStride()) {
    const int64_t from = i / p.length * p.n + i % p.length;
    const double re = p.work[2 * from] / p.scale,
                 im = p.work[2 * from + 1] / ASSAY_MUTANT(24, p.scale, 1.0);
    Value value = {EncodeFloat(p.row, re), 0};
    if (p.row.kind == kKindComplex) value.imag = EncodeFloat(p.row, im);
    Store(p.row, p.out, i, value);
  }
}
// Stockham: after the radices whose product is `done`, element (q, s) with q < n / done, s < done
// holds the transform of the elements q, q + n / done, ... ; each pass joins `radix` of them.
__global__ void FftPass(ASSAY_PARAMETER(FftPassParameter, p)) {
  const int64_t groups = p.n / (p.done * p.radix);  // of the next stage
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const int64_t rest = i % p.inner, at = i / p.inner % p.n, line = i / p.inner / p.n;
    // The result's place: q of `groups`, then frequency s + done * t.
    const int64_t frequency = at / groups, q = at % groups;
    const int64_t s = frequency % p.done;
    double re = 0, im = 0;
    for (int64_t r = 0; r < p.radix; ++r) {
      // Sub-transform q + groups * r, frequency s.
      const int64_t from =
          ((line * p.n + s * (groups * p.radix) + q + groups * r) * p.inner) + rest;
      const int64_t turn = r * frequency % (p.done * p.radix) * groups;
      const double c = p.table[2 * turn];
      const double d =
          ASSAY_MUTANT(25, p.inverse, !p.inverse) ? p.table[2 * turn + 1] : -p.table[2 * turn + 1];
      const double x = p.from[2 * from], y = p.from[2 * from + 1];
      re = re + Fma(x, c, -(y * d));
      im = im + Fma(x, d, y * c);
    }
    p.to[2 * i] = re;
    p.to[2 * i + 1] = im;
  }
}

ASSAY_DEVICE Complex WorkAt(const double* work, int64_t at) {
  return {work[2 * at], work[2 * at + 1]};
}
ASSAY_DEVICE void SetWork(double* work, int64_t at, Complex z) {
  work[2 * at] = z.re;
  work[2 * at + 1] = z.im;
}
// sum - a * b, or with the conjugate of b.
ASSAY_DEVICE Complex SubtractProduct(Complex sum, Complex a, Complex b, bool conjugate) {
  const double b_im = conjugate ? -b.im : b.im;
  double re = Fma(-a.re, b.re, sum.re), im = Fma(-a.re, b_im, sum.im);
  re = Fma(a.im, b_im, re);
  im = Fma(-a.im, b.re, im);
  return {re, im};
}

// A column at a time: the pivot by the first thread, then the elements below it. The factor of an
// upper triangle is the conjugate transpose of that of the mirrored matrix.
__global__ void Cholesky(ASSAY_PARAMETER(FactorParameter, p)) {
  ASSAY_SHARED(int32_t, failed, [1]);
  for (int64_t b = blockIdx.x; b < p.batches; b += gridDim.x) {
    double* l = p.work + 2 * b * p.n * p.n;
    const int64_t base = b * p.n * p.n;
    if (threadIdx.x == 0) failed[0] = 0;
    for (int64_t j = 0; j < p.n; ++j) {
      if (threadIdx.x == 0) {
        double pivot = LoadComplex(p.row, p.in, base + j * p.n + j).re;
        for (int64_t k = 0; k < j; ++k) {
          const Complex z = WorkAt(l, j * p.n + k);
          pivot = Fma(-z.re, z.re, pivot);
          pivot = Fma(-z.im, z.im, pivot);
        }
        if (ASSAY_MUTANT(26, !(pivot > 0), false)) failed[0] = 1;
        SetWork(l, j * p.n + j, {SquareRoot(pivot), 0});
      }
      __syncthreads();
      const double root = WorkAt(l, j * p.n + j).re;
      for (int64_t i = j + 1 + threadIdx.x; i < p.n; i += blockDim.x) {
        Complex sum = p.lower ? LoadComplex(p.row, p.in, base + i * p.n + j)
                              : LoadComplex(p.row, p.in, base + j * p.n + i);
        if (!p.lower) sum.im = -sum.im;
        for (int64_t k = 0; k < j; ++k) {
          sum = SubtractProduct(sum, WorkAt(l, i * p.n + k), WorkAt(l, j * p.n + k), true);
        }
        SetWork(l, i * p.n + j, {sum.re / root, sum.im / root});
      }
      // The first thread has written row j + 1 itself, so that the next pivot needs no barrier.
    }
    for (int64_t at = threadIdx.x; at < p.n * p.n; at += blockDim.x) {
      const int64_t i = at / p.n, j = at % p.n;
      Complex z;
      if (failed[0] != 0) {
        z = {NanValue(), p.row.kind == kKindComplex ? NanValue() : 0};
      } else if (p.lower && j <= i) {
        z = WorkAt(l, i * p.n + j);
      } else if (!p.lower && i <= j) {
        z = WorkAt(l, j * p.n + i);
        z.im = i == j ? 0 : ASSAY_MUTANT(27, -z.im, z.im);
      }
      StoreComplex(p.row, p.out, base + at, z);
    }
    __syncthreads();
  }
}

ASSAY_DEVICE Complex DivideReal(Complex a, Complex b, bool is_complex) {
  if (!is_complex) return {a.re / b.re, 0};
  return Divide(a, b);
}
// A thread for each right-hand side. Element (i, j) of T = op(a); a system x T = b is solved as
// transposed(T) transposed(x) = transposed(b).
__global__ void TriangularSolve(ASSAY_PARAMETER(SolveParameter, p)) {
  const bool is_complex = p.row.kind == kKindComplex;
  const bool flipped = p.transpose != !p.left;  // whether (i, j) is read at (j, i)
  const bool low = ASSAY_MUTANT(28, p.lower != flipped, p.lower);
  for (int64_t c = FirstIndex(); c < p.batches * p.columns; c += GridStride()) {
    const int64_t batch = c / p.columns, column = c % p.columns;
    const int64_t a_base = batch * p.n * p.n, b_base = batch * p.n * p.columns;
    double* x = p.work + 2 * c * p.n;
    for (int64_t step = 0; step < p.n; ++step) {
      const int64_t i = low ? step : p.n - 1 - step;
      const int64_t at = p.left ? i * p.columns + column : column * p.n + i;
      Complex sum = LoadComplex(p.row, p.b, b_base + at);
      for (int64_t done = 0; done < step; ++done) {
        const int64_t j = low ? done : p.n - 1 - done;
        const int64_t element = flipped ? j * p.n + i : i * p.n + j;
        Complex factor = LoadComplex(p.row, p.a, a_base + element);
        if (p.conjugate) factor.im = -factor.im;
        sum = SubtractProduct(sum, WorkAt(x, j), factor, false);
      }
      if (ASSAY_MUTANT(29, !p.unit, true)) {
        Complex pivot = LoadComplex(p.row, p.a, a_base + i * p.n + i);
        if (p.conjugate) pivot.im = -pivot.im;
        sum = DivideReal(sum, pivot, is_complex);
      }
      SetWork(x, i, sum);
      StoreComplex(p.row, p.out, b_base + at, sum);
    }
  }
}

// The sum of a block's values, for all its threads.
__device__ inline double SumBlock(double x, double* warps) {
  for (unsigned distance = ASSAY_MUTANT(30, 16, 8); distance > 0; distance /= 2) {
    x = x + __shfl_down_sync(0xffffffffu, x, distance);
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
  __syncthreads();
  double total = 0;
  for (unsigned w = 0; w < blockDim.x / 32; ++w) total = total + warps[w];
  __syncthreads();
  return total;
}
ASSAY_DEVICE int64_t CellOf(const BatchNormParameter& p, int64_t feature, int64_t n) {
  return (n / p.inner * p.features + feature) * p.inner + n % p.inner;
}
ASSAY_DEVICE double LoadDouble(const ElementRow& row, const void* data, int64_t at) {
  return DecodeFloat(row, Load(row, data, at).bits);
}
// a * b / d, which overflows only if the result does. d is positive.
ASSAY_DEVICE double ProductOver(double a, double b, double d) {
  const double product = a * b;
  if (IsFiniteValue(product)) return product / d;
  const double large = Magnitude(a) < Magnitude(b) ? b : a;
  const double small = Magnitude(a) < Magnitude(b) ? a : b;
  return d < 1 ? small / d * large : large / d * small;
}
// A block for each feature: mean and variance in two passes.
__global__ void BatchNormStatistics(ASSAY_PARAMETER(BatchNormParameter, p)) {
  ASSAY_SHARED(double, warps, [32]);
  for (int64_t f = blockIdx.x; f < p.features; f += gridDim.x) {
    const double cells = static_cast<double>(p.cells);
    double sum = 0;
    for (int64_t n = threadIdx.x; n < p.cells; n += blockDim.x) {
      sum += LoadDouble(p.row, p.operand, CellOf(p, f, n));
    }
    const double mean = SumBlock(sum, warps) / cells;
    sum = 0;
    for (int64_t n = threadIdx.x; n < p.cells; n += blockDim.x) {
      const double distance = LoadDouble(p.row, p.operand, CellOf(p, f, n)) - mean;
      sum = Fma(distance, distance, sum);
    }
    const double variance = SumBlock(sum, warps) / ASSAY_MUTANT(31, cells, cells - 1);
    if (threadIdx.x == 0) {
      p.sums[2 * f] = mean;
      p.sums[2 * f + 1] = variance;
      Store(p.out_mean_row, p.out_mean, f, {EncodeFloat(p.out_mean_row, mean), 0});
      Store(p.out_variance_row, p.out_variance, f, {EncodeFloat(p.out_variance_row, variance), 0});
    }
  }
}
__global__ void BatchNormApply(ASSAY_PARAMETER(BatchNormParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const int64_t f = i / p.inner % p.features;
    const bool given = p.mean != nullptr;
    const double mean = given ? LoadDouble(p.mean_row, p.mean, f) : p.sums[2 * f];
    const double variance = given ? LoadDouble(p.variance_row, p.variance, f) : p.sums[2 * f + 1];
    const double distance = LoadDouble(p.row, p.operand, i) - mean;
    const double scale = LoadDouble(p.scale_row, p.scale, f);
    const double y = ProductOver(scale, distance, SquareRoot(variance + p.epsilon)) +
                     LoadDouble(p.offset_row, p.offset, f);
    Store(p.row, p.out, i, {EncodeFloat(p.row, y), 0});
  }
}
// P = sum dy, Q = sum dy (x - mean).
__global__ void BatchNormGradSums(ASSAY_PARAMETER(BatchNormParameter, p)) {
  ASSAY_SHARED(double, warps, [32]);
  for (int64_t f = blockIdx.x; f < p.features; f += gridDim.x) {
    const double mean = LoadDouble(p.mean_row, p.mean, f);
    double plain = 0, weighted = 0;
    for (int64_t n = threadIdx.x; n < p.cells; n += blockDim.x) {
      const int64_t at = CellOf(p, f, n);
      const double dy = LoadDouble(p.gradient_row, p.gradient, at);
      plain += dy;
      weighted = Fma(dy, LoadDouble(p.row, p.operand, at) - mean, weighted);
    }
    plain = SumBlock(plain, warps);
    weighted = SumBlock(weighted, warps);
    if (threadIdx.x == 0) {
      const double root = SquareRoot(LoadDouble(p.variance_row, p.variance, f) + p.epsilon);
      p.sums[2 * f] = plain;
      p.sums[2 * f + 1] = weighted;
      const double grad_scale = p.cells == 0 ? 0 : weighted / root;
      Store(p.out_mean_row, p.out_mean, f, {EncodeFloat(p.out_mean_row, grad_scale), 0});
      Store(p.out_variance_row, p.out_variance, f, {EncodeFloat(p.out_variance_row, plain), 0});
    }
  }
}
__global__ void BatchNormGrad(ASSAY_PARAMETER(BatchNormParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const int64_t f = i / p.inner % p.features;
    const double variance = LoadDouble(p.variance_row, p.variance, f) + p.epsilon;
    const double distance = LoadDouble(p.row, p.operand, i) - LoadDouble(p.mean_row, p.mean, f);
    const double cells = static_cast<double>(p.cells);
    const double weighted = ASSAY_MUTANT(32, p.sums[2 * f + 1], 0);
    const double sum = cells * LoadDouble(p.gradient_row, p.gradient, i) - p.sums[2 * f] -
                       ProductOver(distance, weighted, variance);
    const double scale = LoadDouble(p.scale_row, p.scale, f);
    const double x = ProductOver(scale, sum, SquareRoot(variance) * cells);
    Store(p.row, p.out, i, {EncodeFloat(p.row, x), 0});
  }
}

ASSAY_ENTRIES(Linear) = {ASSAY_ENTRY(FftTable),
                         ASSAY_ENTRY(FftLoad),
                         ASSAY_ENTRY(FftStore),
                         ASSAY_ENTRY(FftPass),
                         ASSAY_ENTRY(Cholesky),
                         ASSAY_ENTRY(TriangularSolve),
                         ASSAY_ENTRY(BatchNormStatistics),
                         ASSAY_ENTRY(BatchNormApply),
                         ASSAY_ENTRY(BatchNormGradSums),
                         ASSAY_ENTRY(BatchNormGrad),
                         ASSAY_LAST_ENTRY};

}  // namespace assay::cuda::ASSAY_CUDA_BUILD
