// The recording fake's cuBLASLt, cuBLAS and cuSOLVER. Matrices are column-major.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "backends/cuda/libraries/testing/fake.h"

namespace assay::cuda::libraries::fake {
namespace {

constexpr int kInvalidValue = 7, kNotSupported = 15;
constexpr int64_t kWorkspace = 64;

struct Handle {};

struct Matmul {
  int compute = 0, scale = 0;
  int transpose_a = kNotTransposed, transpose_b = kNotTransposed;
  int epilogue = 1;
  const void* bias = nullptr;
};
struct Layout {
  int type = 0;
  int64_t rows = 0, columns = 0, ld = 0;
  int32_t batches = 1;
  int64_t batch_stride = 0;
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t reduction = 0;
  uint32_t alignment[4] = {256, 256, 256, 256};  // of A to D
};

template <typename T>
int SetValue(T& member, const void* value, size_t bytes) {
  if (bytes != sizeof(T)) return kInvalidValue;
  std::memcpy(&member, value, bytes);
  return 0;
}

// The documented combinations of compute type, scale type and element types.
bool Supports(const Matmul& matmul, int operand, int result) {
  switch (matmul.compute) {
    case kComputeF32:
    case kComputeF32Pedantic:
      if (matmul.scale == kComplexC64) return operand == kComplexC64 && result == kComplexC64;
      if (matmul.scale != kRealF32) return false;
      if (operand == kRealF16 || operand == kRealBf16) {
        return result == operand || result == kRealF32;
      }
      return operand == kRealF32 && result == kRealF32;
    case kComputeTf32:
    case kComputeBf16x9:
      return matmul.scale == kRealF32 && operand == kRealF32 && result == kRealF32;
    case kComputeF64:
      return matmul.scale == operand && operand == result &&
             (operand == kRealF64 || operand == kComplexC128);
    default:
      return false;
  }
}

int CheckMatmul(const Matmul& matmul, const Layout& a, const Layout& b, const Layout& c,
                const Layout& d) {
  const auto turned = [](int transpose, const Layout& layout) {
    return transpose == kNotTransposed ? std::pair(layout.rows, layout.columns)
                                       : std::pair(layout.columns, layout.rows);
  };
  const auto [m, k] = turned(matmul.transpose_a, a);
  const auto [k2, n] = turned(matmul.transpose_b, b);
  if (k != k2 || d.rows != m || d.columns != n || c.rows != m || c.columns != n) {
    return kInvalidValue;
  }
  for (const Layout* layout : {&a, &b, &c, &d}) {
    if (layout->ld < layout->rows || layout->batches != d.batches) return kInvalidValue;
  }
  if (a.type != b.type || c.type != d.type || !Supports(matmul, a.type, d.type)) {
    return kNotSupported;
  }
  return 0;
}

// TF32 keeps ten bits of fraction.
Number Operand(const Matmul& matmul, Number x) {
  if (matmul.compute != kComputeTf32 || !std::isfinite(x.real()) || x.real() == 0) return x;
  const int exponent = std::ilogb(x.real());
  return std::ldexp(std::nearbyint(std::ldexp(x.real(), 10 - exponent)), exponent - 10);
}

Number At(const Layout& layout, int transpose, const std::byte* array, int64_t row,
          int64_t column) {
  if (transpose != kNotTransposed) std::swap(row, column);
  return Get(layout.type, array, row + column * layout.ld);
}

void Multiply(const Matmul& matmul, const Layout& a, const Layout& b, const Layout& d,
              const std::byte* a_array, const std::byte* b_array, std::byte* d_array) {
  const int64_t terms = matmul.transpose_a == kNotTransposed ? a.columns : a.rows;
  for (int64_t batch = 0; batch < d.batches; ++batch) {
    const std::byte* const x = a_array + batch * a.batch_stride * BytesOf(a.type);
    const std::byte* const y = b_array + batch * b.batch_stride * BytesOf(b.type);
    std::byte* const z = d_array + batch * d.batch_stride * BytesOf(d.type);
    for (int64_t i = 0; i < d.rows; ++i) {
      for (int64_t j = 0; j < d.columns; ++j) {
        double real = 0, imaginary = 0;
        for (int64_t k = 0; k < terms; ++k) {
          const Number p = Operand(matmul, At(a, matmul.transpose_a, x, i, k));
          const Number q = Operand(matmul, At(b, matmul.transpose_b, y, k, j));
          real += p.real() * q.real();
          if (a.type != kComplexC64 && a.type != kComplexC128) continue;
          real -= p.imag() * q.imag();
          imaginary += p.real() * q.imag() + p.imag() * q.real();
        }
        if (matmul.epilogue == kEpilogueBias) {
          // The rounding of the sum is that of the compute type.
          if (d.type == kRealF32) real = static_cast<float>(real);
          real += Get(d.type, matmul.bias, i).real();
        }
        Set(d.type, z, i + j * d.ld, {real, imaginary});
      }
    }
  }
}

// L with L L^H = A, in the triangle that is read.
int FactorInPlace(int type, int triangle, int64_t n, std::byte* a) {
  const auto place = [&](int64_t i, int64_t j) {  // of L, j <= i
    return triangle == kLowerTriangle ? i + j * n : j + i * n;
  };
  const auto get = [&](int64_t i, int64_t j) {
    const Number x = Get(type, a, place(i, j));
    return triangle == kLowerTriangle ? x : std::conj(x);
  };
  const auto set = [&](int64_t i, int64_t j, Number x) {
    Set(type, a, place(i, j), triangle == kLowerTriangle ? x : std::conj(x));
  };
  for (int64_t j = 0; j < n; ++j) {
    double pivot = get(j, j).real();
    for (int64_t k = 0; k < j; ++k) pivot -= std::norm(get(j, k));
    if (!(pivot > 0)) return static_cast<int>(j + 1);
    set(j, j, std::sqrt(pivot));
    for (int64_t i = j + 1; i < n; ++i) {
      Number sum = get(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= get(i, k) * std::conj(get(j, k));
      set(i, j, sum / get(j, j));
    }
  }
  return 0;
}

struct Triangular {
  int type, side, triangle, transpose, diagonal;
  int64_t m, n, lda, ldb;
};

// B becomes X with op(A) X = B, or X op(A) = B.
void SolveInPlace(const Triangular& t, const std::byte* a, std::byte* b) {
  const int64_t size = t.side == kLeftSide ? t.m : t.n, lines = t.side == kLeftSide ? t.n : t.m;
  const auto op = [&](int64_t i, int64_t j) -> Number {
    if (t.transpose != kNotTransposed) std::swap(i, j);
    if (i == j && t.diagonal == kUnitDiagonal) return 1;
    const bool inside = t.triangle == kLowerTriangle ? i >= j : i <= j;
    if (!inside) return 0;
    const Number x = Get(t.type, a, i + j * t.lda);
    return t.transpose == kConjugated ? std::conj(x) : x;
  };
  const auto place = [&](int64_t k, int64_t line) {
    return t.side == kLeftSide ? k + line * t.ldb : line + k * t.ldb;
  };
  // The system is lower triangular from one end or the other.
  const bool lower = (t.triangle == kLowerTriangle) == (t.transpose == kNotTransposed);
  const bool ascending = lower == (t.side == kLeftSide);
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t step = 0; step < size; ++step) {
      const int64_t k = ascending ? step : size - 1 - step;
      Number sum = Get(t.type, b, place(k, line));
      for (int64_t before = 0; before < step; ++before) {
        const int64_t j = ascending ? before : size - 1 - before;
        sum -= (t.side == kLeftSide ? op(k, j) : op(j, k)) * Get(t.type, b, place(j, line));
      }
      Set(t.type, b, place(k, line), sum / op(k, k));
    }
  }
}

struct StreamedHandle {
  StreamHandle* stream = nullptr;
};

int Trsm(int type, void* handle, int side, int triangle, int transpose, int diagonal, int64_t m,
         int64_t n, const void* a, int64_t lda, void* b, int64_t ldb) {
  const int64_t size = side == kLeftSide ? m : n;
  if (lda < size || ldb < m) return kInvalidValue;
  const Triangular t = {type, side, triangle, transpose, diagonal, m, n, lda, ldb};
  Record("cublasXtrsm type=" + std::to_string(type) + " side=" + std::to_string(side) +
         " triangle=" + std::to_string(triangle) + " transpose=" + std::to_string(transpose) +
         " diagonal=" + std::to_string(diagonal) + " m=" + std::to_string(m) +
         " n=" + std::to_string(n) + " lda=" + std::to_string(lda) + " ldb=" + std::to_string(ldb));
  const bool enqueued = Enqueue(static_cast<StreamedHandle*>(handle)->stream, [=] {
    SolveInPlace(t, static_cast<const std::byte*>(a), static_cast<std::byte*>(b));
  });
  return enqueued ? 0 : kInvalidValue;
}

}  // namespace
}  // namespace assay::cuda::libraries::fake

using namespace assay::cuda;                   // NOLINT: the fake's own file
using namespace assay::cuda::libraries;        // NOLINT
using namespace assay::cuda::libraries::fake;  // NOLINT

ASSAY_FAKE_EXPORT int cublasLtCreate(void** handle) {
  ASSAY_FAKE_CALL();
  return Make<Handle>(handle);
}
ASSAY_FAKE_EXPORT int cublasLtDestroy(void* handle) { return Destroy<Handle>(handle); }
ASSAY_FAKE_EXPORT int cublasLtMatmulDescCreate(void** matmul, int compute, int scale) {
  ASSAY_FAKE_CALL();
  return Make<Matmul>(matmul, {compute, scale});
}
ASSAY_FAKE_EXPORT int cublasLtMatmulDescDestroy(void* matmul) { return Destroy<Matmul>(matmul); }
ASSAY_FAKE_EXPORT int cublasLtMatmulDescSetAttribute(void* object, int attribute, const void* value,
                                                     size_t bytes) {
  ASSAY_FAKE_CALL();
  auto& matmul = *static_cast<Matmul*>(object);
  switch (attribute) {
    case kMatmulTransposeA:
      return SetValue(matmul.transpose_a, value, bytes);
    case kMatmulTransposeB:
      return SetValue(matmul.transpose_b, value, bytes);
    case kMatmulEpilogue:
      return SetValue(matmul.epilogue, value, bytes);
    case kMatmulBias:
      return SetValue(matmul.bias, value, bytes);
    default:
      return kInvalidValue;
  }
}
ASSAY_FAKE_EXPORT int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows,
                                                 uint64_t columns, int64_t ld) {
  ASSAY_FAKE_CALL();
  return Make<Layout>(layout,
                      {type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), ld});
}
ASSAY_FAKE_EXPORT int cublasLtMatrixLayoutDestroy(void* layout) { return Destroy<Layout>(layout); }
ASSAY_FAKE_EXPORT int cublasLtMatrixLayoutSetAttribute(void* object, int attribute,
                                                       const void* value, size_t bytes) {
  ASSAY_FAKE_CALL();
  auto& layout = *static_cast<Layout*>(object);
  if (attribute == kLayoutBatches) return SetValue(layout.batches, value, bytes);
  if (attribute == kLayoutBatchStride) return SetValue(layout.batch_stride, value, bytes);
  return kInvalidValue;
}
ASSAY_FAKE_EXPORT int cublasLtMatmulPreferenceCreate(void** preference) {
  ASSAY_FAKE_CALL();
  return Make<Preference>(preference);
}
ASSAY_FAKE_EXPORT int cublasLtMatmulPreferenceDestroy(void* preference) {
  return Destroy<Preference>(preference);
}
ASSAY_FAKE_EXPORT int cublasLtMatmulPreferenceSetAttribute(void* object, int attribute,
                                                           const void* value, size_t bytes) {
  ASSAY_FAKE_CALL();
  auto& preference = *static_cast<Preference*>(object);
  if (attribute == kPreferenceWorkspace) return SetValue(preference.workspace, value, bytes);
  if (attribute == kPreferenceReduction) return SetValue(preference.reduction, value, bytes);
  if (attribute < kPreferenceAlignmentA || attribute > kPreferenceAlignmentD) return kInvalidValue;
  return SetValue(preference.alignment[attribute - kPreferenceAlignmentA], value, bytes);
}
// The algorithm has the alignments with which it was chosen.
ASSAY_FAKE_EXPORT int cublasLtMatmulAlgoGetHeuristic(void* /*handle*/, void* matmul, void* a,
                                                     void* b, void* c, void* d, void* preference,
                                                     int most, MatmulChoice* choices, int* count) {
  ASSAY_FAKE_CALL();
  const auto& wanted = *static_cast<Preference*>(preference);
  *count = 0;
  if (most < 1 || wanted.workspace < static_cast<uint64_t>(kWorkspace)) return kInvalidValue;
  const int error =
      CheckMatmul(*static_cast<Matmul*>(matmul), *static_cast<Layout*>(a), *static_cast<Layout*>(b),
                  *static_cast<Layout*>(c), *static_cast<Layout*>(d));
  if (error != 0) return error;
  *count = 1;
  choices[0] = {};
  choices[0].workspace_bytes = kWorkspace;
  for (int k = 0; k < 4; ++k) choices[0].algorithm.data[k] = wanted.alignment[k];
  return 0;
}
ASSAY_FAKE_EXPORT int cublasLtMatmul(void* /*handle*/, void* matmul_object, const void* alpha,
                                     const void* a, void* a_layout, const void* b, void* b_layout,
                                     const void* beta, const void* c, void* c_layout, void* d,
                                     void* d_layout, const MatmulAlgorithm* algorithm,
                                     void* workspace, size_t workspace_bytes,
                                     StreamHandle* stream) {
  ASSAY_FAKE_CALL();
  const Matmul matmul = *static_cast<Matmul*>(matmul_object);
  const Layout la = *static_cast<Layout*>(a_layout), lb = *static_cast<Layout*>(b_layout);
  const Layout lc = *static_cast<Layout*>(c_layout), ld = *static_cast<Layout*>(d_layout);
  if (const int error = CheckMatmul(matmul, la, lb, lc, ld); error != 0) return error;
  if (Get(matmul.scale, alpha, 0) != 1.0 || Get(matmul.scale, beta, 0) != 0.0) return kNotSupported;
  if (workspace_bytes < static_cast<size_t>(kWorkspace)) return kInvalidValue;
  if (matmul.epilogue == kEpilogueBias && matmul.bias == nullptr) return kInvalidValue;
  const void* const arrays[] = {a, b, c, d};
  for (int k = 0; k < 4; ++k) {
    if (reinterpret_cast<uintptr_t>(arrays[k]) % algorithm->data[k] != 0) return kInvalidValue;
  }
  const auto text = [](const char* name, const Layout& x) {
    return std::string(" ") + name + "=" + std::to_string(x.rows) + "x" +
           std::to_string(x.columns) + "/" + std::to_string(x.ld) + "/" +
           std::to_string(x.batch_stride) + ":" + std::to_string(x.type);
  };
  Record("cublasLtMatmul compute=" + std::to_string(matmul.compute) +
         " scale=" + std::to_string(matmul.scale) + " ops=" + "NTC"[matmul.transpose_a] +
         "NTC"[matmul.transpose_b] + text("a", la) + text("b", lb) + text("d", ld) + " batches=" +
         std::to_string(ld.batches) + (matmul.epilogue == kEpilogueBias ? " bias" : ""));
  const bool enqueued = Enqueue(stream, [=] {
    std::memset(workspace, 0x5a, workspace_bytes);
    Multiply(matmul, la, lb, ld, static_cast<const std::byte*>(a), static_cast<const std::byte*>(b),
             static_cast<std::byte*>(d));
  });
  return enqueued ? 0 : kInvalidValue;
}

ASSAY_FAKE_EXPORT int cublasCreate_v2(void** handle) {
  ASSAY_FAKE_CALL();
  return Make<StreamedHandle>(handle);
}
ASSAY_FAKE_EXPORT int cublasDestroy_v2(void* handle) { return Destroy<StreamedHandle>(handle); }
ASSAY_FAKE_EXPORT int cublasSetStream_v2(void* handle, StreamHandle* stream) {
  ASSAY_FAKE_CALL();
  static_cast<StreamedHandle*>(handle)->stream = stream;
  return 0;
}
ASSAY_FAKE_EXPORT int cublasSetMathMode(void* /*handle*/, int mode) {
  ASSAY_FAKE_CALL();
  return mode == kDefaultMath ? 0 : kNotSupported;
}
#define ASSAY_FAKE_TRSM(function, type)                                                   \
  ASSAY_FAKE_EXPORT int function(void* handle, int side, int triangle, int transpose,     \
                                 int diagonal, int64_t m, int64_t n, const void* alpha,   \
                                 const void* a, int64_t lda, void* b, int64_t ldb) {      \
    ASSAY_FAKE_CALL();                                                                    \
    if (Get(type, alpha, 0) != 1.0) return kNotSupported;                                 \
    return Trsm(type, handle, side, triangle, transpose, diagonal, m, n, a, lda, b, ldb); \
  }
ASSAY_FAKE_TRSM(cublasStrsm_v2_64, kRealF32)
ASSAY_FAKE_TRSM(cublasDtrsm_v2_64, kRealF64)
ASSAY_FAKE_TRSM(cublasCtrsm_v2_64, kComplexC64)
ASSAY_FAKE_TRSM(cublasZtrsm_v2_64, kComplexC128)

ASSAY_FAKE_EXPORT int cusolverDnCreate(void** handle) {
  ASSAY_FAKE_CALL();
  return Make<StreamedHandle>(handle);
}
ASSAY_FAKE_EXPORT int cusolverDnDestroy(void* handle) { return Destroy<StreamedHandle>(handle); }
ASSAY_FAKE_EXPORT int cusolverDnSetStream(void* handle, StreamHandle* stream) {
  ASSAY_FAKE_CALL();
  static_cast<StreamedHandle*>(handle)->stream = stream;
  return 0;
}
ASSAY_FAKE_EXPORT int cusolverDnCreateParams(void** parameters) {
  ASSAY_FAKE_CALL();
  return Make<Handle>(parameters);
}
ASSAY_FAKE_EXPORT int cusolverDnDestroyParams(void* parameters) {
  return Destroy<Handle>(parameters);
}
ASSAY_FAKE_EXPORT int cusolverDnXpotrf_bufferSize(void* /*handle*/, void* /*parameters*/,
                                                  int /*triangle*/, int64_t n, int type,
                                                  const void* /*a*/, int64_t /*lda*/,
                                                  int /*compute*/, size_t* device_bytes,
                                                  size_t* host_bytes) {
  ASSAY_FAKE_CALL();
  *device_bytes = static_cast<size_t>(n * BytesOf(type));
  *host_bytes = 16;
  return 0;
}
ASSAY_FAKE_EXPORT int cusolverDnXpotrf(void* handle, void* /*parameters*/, int triangle, int64_t n,
                                       int type, void* a, int64_t lda, int compute,
                                       void* device_buffer, size_t device_bytes, void* host_buffer,
                                       size_t host_bytes, int* info) {
  ASSAY_FAKE_CALL();
  constexpr int kInvalid = 3;  // of cuSOLVER
  if (lda != n || compute != type || host_bytes < 16) return kInvalid;
  if (device_bytes < static_cast<size_t>(n * BytesOf(type))) return kInvalid;
  Record("cusolverDnXpotrf type=" + std::to_string(type) + " triangle=" + std::to_string(triangle) +
         " n=" + std::to_string(n));
  const bool enqueued = Enqueue(static_cast<StreamedHandle*>(handle)->stream, [=] {
    std::memset(device_buffer, 0x5a, device_bytes);
    std::memset(host_buffer, 0x5a, host_bytes);
    *info = FactorInPlace(type, triangle, n, static_cast<std::byte*>(a));
  });
  return enqueued ? 0 : kInvalid;
}
