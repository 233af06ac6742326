// Elementwise operations, maps and fusions: a thread for an element, whose value a program
// computes. A single operation is a program of one step. Tests: cuda_kernels_test.cc.
#include "backends/cuda/kernels/program.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

__global__ void Elementwise(ASSAY_PARAMETER(ElementwiseParameter, p)) {
  ASSAY_DYNAMIC_SHARED(Value, shared);
  const Registers registers = RegistersOf(p.program, shared);
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    for (int k = 0; k < p.inputs; ++k) {
      int64_t at = i;
      if (p.in_scalar[k] != 0) at = 0;
      if (p.in_strided[k] != 0) at = Position(p.box, p.strides[k], i);
      SetInput(p.program, registers, k, p.in_rows[k], Load(p.in_rows[k], p.in[k], at));
    }
    RunProgram(p.program, registers);
    for (int k = 0; k < p.outputs; ++k) {
      Store(p.out_rows[k], p.out[k], i, ProgramResult(p.program, registers, k, p.out_rows[k]));
    }
  }
}

ASSAY_ENTRIES(Elementwise) = {ASSAY_ENTRY(Elementwise), ASSAY_LAST_ENTRY};

}  // namespace assay::cuda::ASSAY_CUDA_BUILD
