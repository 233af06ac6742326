// Runs a flat computation on scalars, step by step, on registers of a thread. The registers of a
// block lie in dynamic shared memory, [register][thread], or in scratch memory where they do not
// fit.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_PROGRAM_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_PROGRAM_H_

#include "backends/cuda/kernels/apply.h"
#include "backends/cuda/kernels/index.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

// The registers of one thread.
struct Registers {
  Value* first = nullptr;
  int64_t stride = 1;
  ASSAY_DEVICE_METHOD Value& operator[](int64_t k) const { return first[k * stride]; }
};
__device__ inline Registers RegistersOf(const Program& program, Value* shared) {
  if (program.registers_memory == nullptr) {
    return {shared + threadIdx.x, static_cast<int64_t>(blockDim.x)};
  }
  return {reinterpret_cast<Value*>(program.registers_memory) + FirstIndex(), GridStride()};
}

ASSAY_DEVICE const Value* ConstantsOf(const Program& program) {
  return reinterpret_cast<const Value*>(program.code);
}
ASSAY_DEVICE const Step* StepsOf(const Program& program) {
  return reinterpret_cast<const Step*>(program.code + program.constants * sizeof(Value));
}
ASSAY_DEVICE const int16_t* ResultsOf(const Program& program) {
  return reinterpret_cast<const int16_t*>(program.code + program.constants * sizeof(Value) +
                                          program.steps * sizeof(Step));
}

ASSAY_DEVICE Value ReadRegister(const Program& program, const Registers& registers, int number) {
  return number >= kConstantBase ? ConstantsOf(program)[number - kConstantBase] : registers[number];
}
ASSAY_DEVICE_CALL void RunProgram(const Program& program, const Registers& registers) {
  const Step* steps = StepsOf(program);
  for (int i = 0; i < program.steps; ++i) {
    const Step& step = steps[i];
    registers[step.result] = Apply(step, ReadRegister(program, registers, step.operands[0]),
                                   ReadRegister(program, registers, step.operands[1]),
                                   ReadRegister(program, registers, step.operands[2]));
  }
}
ASSAY_DEVICE Value ProgramResult(const Program& program, const Registers& registers, int k) {
  return ReadRegister(program, registers, ResultsOf(program)[k]);
}

// The value of a fold that is rounded at the end alone.
struct Wide64 {
  double re = 0, im = 0;
  uint64_t integer = 0;
};
ASSAY_DEVICE Wide64 DecodeWide(const ElementRow& row, Value x) {
  if (row.kind == kKindFloat) return {DecodeFloat(row, x.bits), 0, 0};
  if (row.kind == kKindComplex) return {DecodeFloat(row, x.bits), DecodeFloat(row, x.imag), 0};
  return {0, 0, DecodeInteger(row, x.bits)};
}
ASSAY_DEVICE Value EncodeWide(const ElementRow& row, Wide64 x) {
  if (row.kind == kKindFloat) return {EncodeFloat(row, x.re), 0};
  if (row.kind == kKindComplex) return {EncodeFloat(row, x.re), EncodeFloat(row, x.im)};
  return {EncodeInteger(row, x.integer), 0};
}
ASSAY_DEVICE Wide64 CombineWide(const Fold& fold, Wide64 x, Wide64 y) {
  switch (fold.row.kind) {
    case kKindPred:
      return {0, 0, ApplyPred(fold.op, x.integer, y.integer)};
    case kKindSigned:
    case kKindUnsigned:
      return {0, 0, ApplyInteger(fold.op, fold.row, x.integer, y.integer)};
    case kKindFloat:
      return {ApplyBinary(fold.op, x.re, y.re), 0, 0};
    default:
      return {x.re + y.re, x.im + y.im, 0};  // complex numbers are only added
  }
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_PROGRAM_H_
