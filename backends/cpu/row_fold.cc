#include "backends/cpu/row_fold.h"

#include <cstring>

#include "backends/cpu/row_operations.h"
#include "runtime/arrays.h"
#include "runtime/processor.h"

namespace assay::cpu {
namespace {

// The elements are folded in so many bytes of lanes, whatever the width of a vector.
constexpr int kLaneBytes = 128;

// The lower half of a vector folded with the upper one, down to a single lane.
template <typename T, typename Operation, int kBytes>
[[gnu::always_inline]] inline T FoldVector(const RowVector<T, kBytes>& lanes) {
  if constexpr (kBytes == sizeof(T)) {
    return lanes[0];
  } else if constexpr (kBytes == 2 * sizeof(T)) {
    return Operation::Of(T{lanes[0]}, T{lanes[1]});
  } else {
    RowVector<T, kBytes / 2> halves[2];
    std::memcpy(halves, &lanes, kBytes);
    Operation::template Apply<T, kBytes / 2>(halves[0], halves[1]);
    return FoldVector<T, Operation, kBytes / 2>(halves[0]);
  }
}

template <typename T, typename Operation, int kBytes>
[[gnu::always_inline]] inline void FoldRowBy(const std::byte* x, int64_t n, std::byte* acc) {
  constexpr int kVectors = kLaneBytes / kBytes;
  constexpr int64_t kWidth = kBytes / sizeof(T), kLanes = kVectors * kWidth;
  T lanes[kLanes];
  int64_t used = n < kLanes ? n : kLanes, i = used;
  if (n >= 2 * kLanes) {
    RowVector<T, kBytes> sums[kVectors];
    std::memcpy(sums, x, sizeof sums);
    for (; i + kLanes <= n; i += kLanes) {
      for (int v = 0; v < kVectors; ++v) {
        RowVector<T, kBytes> next;
        std::memcpy(&next, x + (i + v * kWidth) * sizeof(T), sizeof next);
        Operation::template Apply<T, kBytes>(sums[v], next);
      }
    }
    if (i == n) {
      for (int kept = kVectors / 2; kept > 0; kept /= 2) {
        for (int v = 0; v < kept; ++v) {
          Operation::template Apply<T, kBytes>(sums[v], sums[v + kept]);
        }
      }
      return runtime::StoreAt<T>(acc, 0, FoldVector<T, Operation, kBytes>(sums[0]));
    }
    std::memcpy(lanes, sums, sizeof sums);
  } else {
    std::memcpy(lanes, x, used * sizeof(T));
  }
  for (int64_t lane = 0; i < n; ++i, lane = (lane + 1) % kLanes) {
    lanes[lane] = Operation::Of(lanes[lane], runtime::LoadAt<T>(x, i));
  }
  while (used > 1) {
    const int64_t kept = (used + 1) / 2;
    for (int64_t lane = kept; lane < used; ++lane) {
      lanes[lane - kept] = Operation::Of(lanes[lane - kept], lanes[lane]);
    }
    used = kept;
  }
  std::memcpy(acc, lanes, sizeof(T));
}

template <typename T, typename Operation>
void FoldRow(const std::byte* x, int64_t n, std::byte* acc) {
  FoldRowBy<T, Operation, 16>(x, n, acc);
}
template <typename T, typename Operation>
void CombineRows(std::byte* acc, const std::byte* x, int64_t n) {
  CombineRowsBy<T, T, Operation, 16>(acc, x, n);
}
#if defined(__x86_64__)
template <typename T, typename Operation>
__attribute__((target("avx2"))) void FoldRowAvx2(const std::byte* x, int64_t n, std::byte* acc) {
  FoldRowBy<T, Operation, 32>(x, n, acc);
}
template <typename T, typename Operation>
__attribute__((target("avx2"))) void CombineRowsAvx2(std::byte* acc, const std::byte* x,
                                                     int64_t n) {
  CombineRowsBy<T, T, Operation, 32>(acc, x, n);
}
#endif

template <typename T, typename Operation>
RowFunctions FunctionsOf() {
#if defined(__x86_64__)
  if (runtime::Supports(runtime::InstructionSet::kAvx2)) {
    return {FoldRowAvx2<T, Operation>, CombineRowsAvx2<T, Operation>};
  }
#endif
  return {FoldRow<T, Operation>, CombineRows<T, Operation>};
}

}  // namespace

RowFunctions FindRowFunctions(Opcode opcode, ElementType type) {
  const bool sums = opcode == Opcode::kAdd;
  if (!sums && opcode != Opcode::kMaximum && opcode != Opcode::kMinimum) return {};
  const bool maximum = opcode == Opcode::kMaximum;
  switch (type) {
    case ElementType::kF32:
      return sums      ? FunctionsOf<float, RowSum>()
             : maximum ? FunctionsOf<float, RowExtreme<true>>()
                       : FunctionsOf<float, RowExtreme<false>>();
    case ElementType::kF64:
      return sums      ? FunctionsOf<double, RowSum>()
             : maximum ? FunctionsOf<double, RowExtreme<true>>()
                       : FunctionsOf<double, RowExtreme<false>>();
    case ElementType::kS32:
      return sums      ? FunctionsOf<uint32_t, RowSum>()
             : maximum ? FunctionsOf<int32_t, RowExtreme<true>>()
                       : FunctionsOf<int32_t, RowExtreme<false>>();
    case ElementType::kU32:
      return sums ? FunctionsOf<uint32_t, RowSum>() : RowFunctions();
    case ElementType::kS64:
    case ElementType::kU64:
      return sums ? FunctionsOf<uint64_t, RowSum>() : RowFunctions();
    default:
      return {};
  }
}

}  // namespace assay::cpu
