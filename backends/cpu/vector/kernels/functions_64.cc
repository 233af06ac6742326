// Elementary functions of f64.
#include "backends/cpu/vector/kernels/function_kernels.h"

namespace assay::cpu::ASSAY_CPU_ISA {

void FillFunctions64(KernelTable& table) { FillFunctions<Pair, double>(table); }

}  // namespace assay::cpu::ASSAY_CPU_ISA
