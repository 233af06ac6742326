// Folds short runs of updates into cells that are named by index, one run after the other in a
// plain loop: scatters with one array and a known operation on a type of the machine. Each cell
// meets its updates in the order of the runs. Tests: cell_rows_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CELL_ROWS_H_
#define ASSAY_BACKENDS_CPU_CELL_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "spec/element/element_type.h"
#include "spec/op_info.h"

namespace assay::cpu {

// Run i takes `length` neighbouring elements at positions[i] to as many cells at cells[i].
struct CellRuns {
  const int64_t* cells;
  const int64_t* positions;
  int64_t count, length;
};

// Folds elements x into accumulators of all cells.
using CellFunction = void (*)(std::byte* acc, const std::byte* x, const CellRuns& runs);

// Returns null if there is no loop for the operation and the types of elements and accumulators.
CellFunction FindCellFunction(Opcode opcode, ElementType element, ElementType accumulator);

// Multiplies elements of f64 into scaled accumulators (scaled.h).
void MultiplyScaledCells(std::byte* acc, const std::byte* x, const CellRuns& runs);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CELL_ROWS_H_
