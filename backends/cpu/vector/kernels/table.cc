// The table of one instruction set.
#include "backends/cpu/vector/kernels/loops.h"

namespace assay::cpu::ASSAY_CPU_ISA {

void FillTable(KernelTable& table) {
  FillIntegers(table);
  FillFloats(table);
  FillConversions(table);
  FillNarrowFloats(table);
  FillFunctions32(table);
  FillFunctions64(table);
  FillComplex(table);
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
