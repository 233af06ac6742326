#include "backends/cpu/running_line.h"

#include <type_traits>

#include "backends/cpu/row_operations.h"
#include "backends/cpu/scaled.h"
#include "backends/defect.h"
#include "runtime/arrays.h"

namespace assay::cpu {
namespace {

template <typename T, typename Accumulator>
T Narrow(const Accumulator& acc) {
  if constexpr (std::is_same_v<Accumulator, ScaledReal>) {
    return static_cast<T>(static_cast<double>(acc));
  } else {
    return static_cast<T>(acc);
  }
}

template <typename T, typename Accumulator, typename Operation>
void RunRunningLine(const RunningLine& line) {
  Accumulator acc(runtime::LoadAt<T>(line.init, 0));
  int64_t at = line.first;
  for (int64_t step = 0; step < line.steps; ++step, at += line.stride) {
    const Accumulator before = acc;
    acc = Operation::Of(acc, Accumulator(runtime::LoadAt<T>(line.in, at)));
    if (line.out != nullptr) {
      runtime::StoreAt<T>(line.out, at,
                          Narrow<T>(ASSAY_DEFECT(26, line.after, true) ? acc : before));
    }
  }
  runtime::StoreAt<T>(line.carry, 0, Narrow<T>(acc));
}

// Sums are kept in `Wide`, products in `Product`.
template <typename T, typename Wide, typename Product>
RunningFunction FindOf(analysis::ReducerKind kind) {
  switch (kind) {
    case analysis::ReducerKind::kAdd:
      return RunRunningLine<T, Wide, RowSum>;
    case analysis::ReducerKind::kMultiply:
      return RunRunningLine<T, Product, RowProduct>;
    case analysis::ReducerKind::kMinimum:
      return RunRunningLine<T, T, RowExtreme<false>>;
    case analysis::ReducerKind::kMaximum:
      return RunRunningLine<T, T, RowExtreme<true>>;
    default:
      return nullptr;
  }
}

}  // namespace

RunningFunction FindRunningFunction(analysis::ReducerKind kind, ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return FindOf<float, double, double>(kind);
    case ElementType::kF64:
      return FindOf<double, double, ScaledReal>(kind);
    case ElementType::kS32:
      return FindOf<int32_t, int32_t, int32_t>(kind);
    case ElementType::kU32:
      return FindOf<uint32_t, uint32_t, uint32_t>(kind);
    case ElementType::kS64:
      return FindOf<int64_t, int64_t, int64_t>(kind);
    case ElementType::kU64:
      return FindOf<uint64_t, uint64_t, uint64_t>(kind);
    default:
      return nullptr;
  }
}

}  // namespace assay::cpu
