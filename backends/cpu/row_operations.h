// The operations of plain loops over rows, on single elements and on vectors, for row_fold.cc,
// cell_rows.cc and running_line.cc. Integers wrap around. Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_ROW_OPERATIONS_H_
#define ASSAY_BACKENDS_CPU_ROW_OPERATIONS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "backends/defect.h"
#include "runtime/arrays.h"

namespace assay::cpu {

template <typename T, int kBytes>
struct RowVectorOf {
  using Type __attribute__((vector_size(kBytes))) = T;
};
template <typename T, int kBytes>
using RowVector = typename RowVectorOf<T, kBytes>::Type;
template <typename T>
using RowBitsOf = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

struct RowSum {
  template <typename T>
  static T Of(T acc, T x) {
    if constexpr (std::is_integral_v<T>) {
      using Word = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Word>(acc) + static_cast<Word>(x));
    } else {
      return acc + x;
    }
  }
  template <typename T, int kBytes>
  static void Apply(RowVector<T, kBytes>& acc, const RowVector<T, kBytes>& x) {
    acc = acc + x;
  }
};

struct RowProduct {
  template <typename T>
  static T Of(T acc, T x) {
    if constexpr (std::is_integral_v<T>) {
      using Word = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Word>(acc) * static_cast<Word>(x));
    } else {
      return acc * x;
    }
  }
  template <typename T, int kBytes>
  static void Apply(RowVector<T, kBytes>& acc, const RowVector<T, kBytes>& x) {
    acc = acc * x;
  }
};

struct RowAnd {
  template <typename T>
  static T Of(T acc, T x) {
    return acc & x;
  }
  template <typename T, int kBytes>
  static void Apply(RowVector<T, kBytes>& acc, const RowVector<T, kBytes>& x) {
    acc = acc & x;
  }
};

struct RowOr {
  template <typename T>
  static T Of(T acc, T x) {
    return acc | x;
  }
  template <typename T, int kBytes>
  static void Apply(RowVector<T, kBytes>& acc, const RowVector<T, kBytes>& x) {
    acc = acc | x;
  }
};

// A NaN stays; -0 is less than +0.
template <bool kMaximum>
struct RowExtreme {
  template <typename T>
  static T Of(T acc, T x) {
    if constexpr (std::is_floating_point_v<T>) {
      if (acc != acc) return ASSAY_DEFECT(27, acc, x);
      if (x != x) return x;
      if (acc == x) return std::signbit(acc) == kMaximum ? x : acc;
    }
    return (kMaximum ? x > acc : x < acc) ? x : acc;
  }
  template <typename T, int kBytes>
  static void Apply(RowVector<T, kBytes>& acc, const RowVector<T, kBytes>& x) {
    using Bits = RowVector<RowBitsOf<T>, kBytes>;
    Bits take = (Bits)(kMaximum ? x > acc : x < acc);
    if constexpr (std::is_floating_point_v<T>) take |= (Bits)(x != x) & (Bits)(acc == acc);
    Bits result = ((Bits)x & take) | ((Bits)acc & ~take);
    if constexpr (std::is_floating_point_v<T>) {
      const Bits equal = (Bits)(x == acc);
      const Bits same = kMaximum ? (Bits)x & (Bits)acc : (Bits)x | (Bits)acc;
      result = (same & equal) | (result & ~equal);
    }
    acc = (RowVector<T, kBytes>)result;
  }
};

// Computes acc[i] = f(acc[i], x[i]). Elements of another type than the accumulators, which hold
// every value of them, are converted.
template <typename T, typename Element, typename Operation, int kBytes>
[[gnu::always_inline]] inline void CombineRowsBy(std::byte* acc, const std::byte* x, int64_t n) {
  constexpr int64_t kWidth = kBytes / sizeof(T);
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    RowVector<T, kBytes> sum;
    RowVector<Element, kWidth * sizeof(Element)> next;
    std::memcpy(&sum, acc + i * sizeof(T), sizeof sum);
    std::memcpy(&next, x + i * sizeof(Element), sizeof next);
    const auto wide = __builtin_convertvector(next, RowVector<T, kBytes>);
    Operation::template Apply<T, kBytes>(sum, wide);
    std::memcpy(acc + i * sizeof(T), &sum, sizeof sum);
  }
  for (; i < n; ++i) {
    const T next = runtime::LoadAt<Element>(x, i);
    runtime::StoreAt<T>(acc, i, Operation::Of(runtime::LoadAt<T>(acc, i), next));
  }
}

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_ROW_OPERATIONS_H_
