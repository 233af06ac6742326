#include "backends/cpu/cell_rows.h"

#include "backends/cpu/row_operations.h"
#include "backends/cpu/scaled.h"
#include "runtime/arrays.h"
#include "runtime/processor.h"

namespace assay::cpu {
namespace {

using runtime::LoadAt;
using runtime::StoreAt;

template <typename T, typename Element, typename Operation, int kBytes>
[[gnu::always_inline]] inline void FoldCellsBy(std::byte* acc, const std::byte* x,
                                               const CellRuns& runs) {
  if (runs.length == 1) {
    for (int64_t i = 0; i < runs.count; ++i) {
      const T next = LoadAt<Element>(x, runs.positions[i]);
      StoreAt<T>(acc, runs.cells[i], Operation::Of(LoadAt<T>(acc, runs.cells[i]), next));
    }
    return;
  }
  for (int64_t i = 0; i < runs.count; ++i) {
    CombineRowsBy<T, Element, Operation, kBytes>(
        acc + runs.cells[i] * sizeof(T), x + runs.positions[i] * sizeof(Element), runs.length);
  }
}

template <typename T, typename Element, typename Operation>
void FoldCells(std::byte* acc, const std::byte* x, const CellRuns& runs) {
  FoldCellsBy<T, Element, Operation, 16>(acc, x, runs);
}
#if defined(__x86_64__)
template <typename T, typename Element, typename Operation>
__attribute__((target("avx2"))) void FoldCellsAvx2(std::byte* acc, const std::byte* x,
                                                   const CellRuns& runs) {
  FoldCellsBy<T, Element, Operation, 32>(acc, x, runs);
}
#endif

template <typename Operation, typename T, typename Element = T>
CellFunction FunctionOf() {
#if defined(__x86_64__)
  if (runtime::Supports(runtime::InstructionSet::kAvx2)) {
    return FoldCellsAvx2<T, Element, Operation>;
  }
#endif
  return FoldCells<T, Element, Operation>;
}

// Products of floats are found by FindCellFunction: they have wider accumulators.
template <typename T>
CellFunction OfFloats(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return FunctionOf<RowSum, T>();
    case Opcode::kMaximum:
      return FunctionOf<RowExtreme<true>, T>();
    case Opcode::kMinimum:
      return FunctionOf<RowExtreme<false>, T>();
    default:
      return nullptr;
  }
}

template <typename T>
CellFunction OfIntegers(Opcode opcode) {
  using Bits = std::make_unsigned_t<T>;
  switch (opcode) {
    case Opcode::kAdd:
      return FunctionOf<RowSum, Bits>();
    case Opcode::kMultiply:
      return FunctionOf<RowProduct, Bits>();
    case Opcode::kMaximum:
      return FunctionOf<RowExtreme<true>, T>();
    case Opcode::kMinimum:
      return FunctionOf<RowExtreme<false>, T>();
    case Opcode::kAnd:
      return FunctionOf<RowAnd, Bits>();
    case Opcode::kOr:
      return FunctionOf<RowOr, Bits>();
    default:
      return nullptr;
  }
}

}  // namespace

CellFunction FindCellFunction(Opcode opcode, ElementType element, ElementType accumulator) {
  if (element == ElementType::kF32 && accumulator == ElementType::kF64) {
    if (opcode == Opcode::kMultiply) return FunctionOf<RowProduct, double, float>();
    return opcode == Opcode::kAdd ? FunctionOf<RowSum, double, float>() : nullptr;
  }
  if (element != accumulator) return nullptr;
  switch (element) {
    case ElementType::kF32:
      return OfFloats<float>(opcode);
    case ElementType::kF64:
      return OfFloats<double>(opcode);
    case ElementType::kS32:
      return OfIntegers<int32_t>(opcode);
    case ElementType::kU32:
      return OfIntegers<uint32_t>(opcode);
    case ElementType::kS64:
      return OfIntegers<int64_t>(opcode);
    case ElementType::kU64:
      return OfIntegers<uint64_t>(opcode);
    case ElementType::kPred:
      if (opcode == Opcode::kAnd) return FunctionOf<RowAnd, uint8_t>();
      return opcode == Opcode::kOr ? FunctionOf<RowOr, uint8_t>() : nullptr;
    default:
      return nullptr;
  }
}

void MultiplyScaledCells(std::byte* acc, const std::byte* x, const CellRuns& runs) {
  for (int64_t i = 0; i < runs.count; ++i) {
    for (int64_t j = 0; j < runs.length; ++j) {
      const int64_t cell = runs.cells[i] + j;
      const ScaledReal factor(LoadAt<double>(x, runs.positions[i] + j));
      StoreAt(acc, cell, LoadAt<ScaledReal>(acc, cell) * factor);
    }
  }
}

}  // namespace assay::cpu
