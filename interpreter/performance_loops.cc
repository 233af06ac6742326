#include "interpreter/performance_loops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <utility>

namespace assay::plain {
namespace {

using Operands = const std::vector<Literal>&;

template <typename T>
const T* In(Operands operands, size_t number) {
  return reinterpret_cast<const T*>(operands[number].data());
}
template <typename T>
T* Out(Literal& result) {
  return reinterpret_cast<T*>(result.mutable_data());
}

template <typename F>
void Map(Operands operands, Literal& result, F f) {
  const float* x = In<float>(operands, 0);
  float* out = Out<float>(result);
  const int64_t n = result.element_count();
  for (int64_t i = 0; i < n; ++i) out[i] = f(x[i]);
}

template <typename T, typename F>
void Map2(Operands operands, Literal& result, F f) {
  const float* x = In<float>(operands, 0);
  const float* y = In<float>(operands, 1);
  T* out = Out<T>(result);
  const int64_t n = result.element_count();
  for (int64_t i = 0; i < n; ++i) out[i] = f(x[i], y[i]);
}

template <typename T, typename Sum>
void Dot(Operands operands, Literal& result) {
  const T* a = In<T>(operands, 0);
  const T* b = In<T>(operands, 1);
  Sum* out = Out<Sum>(result);
  const int64_t m = result.shape().dimension(0), n = result.shape().dimension(1);
  const int64_t depth = operands[0].shape().dimension(1);
  std::fill(out, out + m * n, Sum{0});
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t k = 0; k < depth; ++k) {
      const auto factor = static_cast<Sum>(a[i * depth + k]);
      for (int64_t j = 0; j < n; ++j) out[i * n + j] += factor * static_cast<Sum>(b[k * n + j]);
    }
  }
}

template <typename F>
void Window(Operands operands, Literal& result, F f) {
  const float* x = In<float>(operands, 0);
  const float init = *In<float>(operands, 1);
  float* out = Out<float>(result);
  const int64_t rows = result.shape().dimension(0), columns = result.shape().dimension(1);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      float value = init;
      for (int64_t k = std::max<int64_t>(i - 1, 0); k < std::min(i + 2, rows); ++k) {
        for (int64_t l = std::max<int64_t>(j - 1, 0); l < std::min(j + 2, columns); ++l) {
          value = f(value, x[k * columns + l]);
        }
      }
      out[i * columns + j] = value;
    }
  }
}

}  // namespace

void Copy(Operands operands, Literal& result) {
  std::memcpy(result.mutable_data(), operands[0].data(), result.byte_size());
}
void Add(Operands operands, Literal& result) {
  Map2<float>(operands, result, [](float a, float b) { return a + b; });
}
void Multiply(Operands operands, Literal& result) {
  Map2<float>(operands, result, [](float a, float b) { return a * b; });
}
void Compare(Operands operands, Literal& result) {
  Map2<uint8_t>(operands, result, [](float a, float b) { return a < b; });
}
void Select(Operands operands, Literal& result) {
  const uint8_t* p = In<uint8_t>(operands, 0);
  const float* x = In<float>(operands, 1);
  const float* y = In<float>(operands, 2);
  float* out = Out<float>(result);
  const int64_t n = result.element_count();
  for (int64_t i = 0; i < n; ++i) out[i] = p[i] != 0 ? x[i] : y[i];
}
void Clamp(Operands operands, Literal& result) {
  const float low = *In<float>(operands, 0), high = *In<float>(operands, 2);
  const float* x = In<float>(operands, 1);
  float* out = Out<float>(result);
  const int64_t n = result.element_count();
  for (int64_t i = 0; i < n; ++i) out[i] = std::min(std::max(x[i], low), high);
}
void Floor(Operands operands, Literal& result) {
  Map(operands, result, [](float x) { return std::floor(x); });
}
void RoundEven(Operands operands, Literal& result) {
  Map(operands, result, [](float x) { return std::nearbyint(x); });
}
void ConvertToBf16(Operands operands, Literal& result) {
  const float* x = In<float>(operands, 0);
  uint16_t* out = Out<uint16_t>(result);
  const int64_t n = result.element_count();
  for (int64_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<uint32_t>(x[i]);
    out[i] = static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  }
}

void Exp(Operands operands, Literal& result) {
  Map(operands, result, [](float x) { return std::exp(x); });
}
void Log(Operands operands, Literal& result) {
  Map(operands, result, [](float x) { return std::log(x); });
}
void Tanh(Operands operands, Literal& result) {
  Map(operands, result, [](float x) { return std::tanh(x); });
}
void Logistic(Operands operands, Literal& result) {
  Map(operands, result, [](float x) { return 1 / (1 + std::exp(-x)); });
}
void Sine(Operands operands, Literal& result) {
  Map(operands, result, [](float x) { return std::sin(x); });
}
void Power(Operands operands, Literal& result) {
  Map2<float>(operands, result, [](float a, float b) { return std::pow(a, b); });
}

void DotF32(Operands operands, Literal& result) { Dot<float, float>(operands, result); }
void DotF64(Operands operands, Literal& result) { Dot<double, double>(operands, result); }
void DotS8(Operands operands, Literal& result) { Dot<int8_t, int32_t>(operands, result); }

void Convolution(Operands operands, Literal& result) {
  const float* x = In<float>(operands, 0);
  const float* kernel = In<float>(operands, 1);
  float* out = Out<float>(result);
  const int64_t rows = result.shape().dimension(1), columns = result.shape().dimension(2);
  const int64_t features = result.shape().dimension(3), inputs = operands[0].shape().dimension(3);
  std::fill(out, out + result.element_count(), 0.0f);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      float* sums = out + (i * columns + j) * features;
      for (int64_t k = std::max<int64_t>(1 - i, 0); k < std::min<int64_t>(3, rows + 1 - i); ++k) {
        for (int64_t l = std::max<int64_t>(1 - j, 0); l < std::min<int64_t>(3, columns + 1 - j);
             ++l) {
          const float* cell = x + ((i + k - 1) * columns + j + l - 1) * inputs;
          const float* tap = kernel + (k * 3 + l) * inputs * features;
          for (int64_t c = 0; c < inputs; ++c) {
            for (int64_t f = 0; f < features; ++f) sums[f] += cell[c] * tap[c * features + f];
          }
        }
      }
    }
  }
}

void ReduceAll(Operands operands, Literal& result) {
  const float* x = In<float>(operands, 0);
  float sum = *In<float>(operands, 1);
  for (int64_t i = 0; i < operands[0].element_count(); ++i) sum += x[i];
  *Out<float>(result) = sum;
}
void ReduceRows(Operands operands, Literal& result) {
  const float* x = In<float>(operands, 0);
  const float init = *In<float>(operands, 1);
  const int64_t n = operands[0].shape().dimension(1);
  for (int64_t i = 0; i < result.element_count(); ++i) {
    float sum = init;
    for (int64_t j = 0; j < n; ++j) sum += x[i * n + j];
    Out<float>(result)[i] = sum;
  }
}
void ReduceColumns(Operands operands, Literal& result) {
  const float* x = In<float>(operands, 0);
  float* out = Out<float>(result);
  const int64_t n = result.element_count();
  std::fill(out, out + n, *In<float>(operands, 1));
  for (int64_t i = 0; i < operands[0].shape().dimension(0); ++i) {
    for (int64_t j = 0; j < n; ++j) out[j] += x[i * n + j];
  }
}
void WindowMaximum(Operands operands, Literal& result) {
  Window(operands, result, [](float a, float b) { return std::max(a, b); });
}
void WindowSum(Operands operands, Literal& result) {
  Window(operands, result, [](float a, float b) { return a + b; });
}
void SelectAndScatter(Operands operands, Literal& result) {
  const float* x = In<float>(operands, 0);
  const float* source = In<float>(operands, 1);
  float* out = Out<float>(result);
  const int64_t n = result.shape().dimension(0);
  std::fill(out, out + n * n, *In<float>(operands, 2));
  for (int64_t i = 0; i < n / 2; ++i) {
    for (int64_t j = 0; j < n / 2; ++j) {
      int64_t selected = 2 * i * n + 2 * j;
      for (int64_t cell : {selected + 1, selected + n, selected + n + 1}) {
        if (!(x[selected] >= x[cell])) selected = cell;
      }
      out[selected] += source[i * (n / 2) + j];
    }
  }
}

void Transpose(Operands operands, Literal& result) {
  const float* x = In<float>(operands, 0);
  float* out = Out<float>(result);
  const int64_t rows = result.shape().dimension(0), columns = result.shape().dimension(1);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) out[i * columns + j] = x[j * rows + i];
  }
}
void GatherElements(Operands operands, Literal& result) {
  const float* x = In<float>(operands, 0);
  const int32_t* index = In<int32_t>(operands, 1);
  const auto last = static_cast<int32_t>(operands[0].element_count() - 1);
  for (int64_t i = 0; i < result.element_count(); ++i) {
    Out<float>(result)[i] = x[std::clamp(index[i], 0, last)];
  }
}
void GatherRows(Operands operands, Literal& result) {
  const float* x = In<float>(operands, 0);
  const int32_t* index = In<int32_t>(operands, 1);
  const auto last = static_cast<int32_t>(operands[0].shape().dimension(0) - 1);
  const int64_t n = result.shape().dimension(1);
  for (int64_t i = 0; i < result.shape().dimension(0); ++i) {
    const float* row = x + std::clamp(index[i], 0, last) * n;
    std::copy(row, row + n, Out<float>(result) + i * n);
  }
}
void ScatterAddElements(Operands operands, Literal& result) {
  Copy(operands, result);
  const int32_t* index = In<int32_t>(operands, 1);
  const float* updates = In<float>(operands, 2);
  const int64_t n = result.element_count();
  for (int64_t i = 0; i < operands[2].element_count(); ++i) {
    if (index[i] >= 0 && index[i] < n) Out<float>(result)[index[i]] += updates[i];
  }
}
void ScatterAddRows(Operands operands, Literal& result) {
  Copy(operands, result);
  const int32_t* index = In<int32_t>(operands, 1);
  const float* updates = In<float>(operands, 2);
  const int64_t rows = result.shape().dimension(0), n = result.shape().dimension(1);
  for (int64_t i = 0; i < operands[2].shape().dimension(0); ++i) {
    if (index[i] < 0 || index[i] >= rows) continue;
    float* row = Out<float>(result) + index[i] * n;
    for (int64_t j = 0; j < n; ++j) row[j] += updates[i * n + j];
  }
}
void Sort(Operands operands, Literal& result) {
  Copy(operands, result);
  std::sort(Out<float>(result), Out<float>(result) + result.element_count());
}

void BatchNormInference(Operands operands, Literal& result) {
  const float* x = In<float>(operands, 0);
  const float *scale = In<float>(operands, 1), *offset = In<float>(operands, 2);
  const float *mean = In<float>(operands, 3), *variance = In<float>(operands, 4);
  const int64_t features = result.shape().dimension(1);
  for (int64_t i = 0; i < result.element_count(); ++i) {
    const int64_t f = i % features;
    Out<float>(result)[i] = scale[f] * (x[i] - mean[f]) / std::sqrt(variance[f] + 5) + offset[f];
  }
}
void Cholesky(Operands operands, Literal& result) {
  const float* a = In<float>(operands, 0);
  float* l = Out<float>(result);
  const int64_t n = result.shape().dimension(0);
  std::fill(l, l + n * n, 0.0f);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      float sum = a[i * n + j];
      for (int64_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
      l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
    }
  }
}
void TriangularSolve(Operands operands, Literal& result) {
  const float* a = In<float>(operands, 0);
  const float* b = In<float>(operands, 1);
  float* x = Out<float>(result);
  const int64_t n = result.shape().dimension(0);
  for (int64_t i = 0; i < n; ++i) {
    std::copy(b + i * n, b + (i + 1) * n, x + i * n);
    for (int64_t k = 0; k < i; ++k) {
      for (int64_t j = 0; j < n; ++j) x[i * n + j] -= a[i * n + k] * x[k * n + j];
    }
    for (int64_t j = 0; j < n; ++j) x[i * n + j] /= a[i * n + i];
  }
}
void Fft(Operands operands, Literal& result) {
  Copy(operands, result);
  auto* x = Out<std::complex<float>>(result);
  const int64_t n = result.element_count();
  for (int64_t i = 1, j = 0; i < n; ++i) {
    int64_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  std::vector<std::complex<float>> roots(n / 2);
  for (int64_t k = 0; k < n / 2; ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    roots[k] = static_cast<std::complex<float>>(std::polar(1.0, angle));
  }
  for (int64_t half = 1; half < n; half *= 2) {
    for (int64_t first = 0; first < n; first += 2 * half) {
      for (int64_t k = 0; k < half; ++k) {
        const std::complex<float> root = roots[k * (n / 2 / half)];
        const std::complex<float> a = x[first + k], b = x[first + k + half];
        const std::complex<float> c(b.real() * root.real() - b.imag() * root.imag(),
                                    b.real() * root.imag() + b.imag() * root.real());
        x[first + k] = a + c;
        x[first + k + half] = a - c;
      }
    }
  }
}

}  // namespace assay::plain
