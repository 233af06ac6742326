// Elementary functions of f32, and of narrower floats by way of it: computed in double, which
// leaves the one rounding to f32 and an error of about half a unit in the last place.
#include "backends/cpu/vector/kernels/function_kernels.h"

namespace assay::cpu::ASSAY_CPU_ISA {

void FillFunctions32(KernelTable& table) { FillFunctions<double, float>(table); }

}  // namespace assay::cpu::ASSAY_CPU_ISA
