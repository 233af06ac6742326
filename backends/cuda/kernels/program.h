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
// The types of the inputs, then those of the results.
ASSAY_DEVICE const ElementRow* RowsOf(const Program& program) {
  return reinterpret_cast<const ElementRow*>(StepsOf(program) + program.steps);
}
ASSAY_DEVICE const int16_t* ResultsOf(const Program& program) {
  return reinterpret_cast<const int16_t*>(RowsOf(program) + program.inputs + program.results);
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
// Input k from an element of any type, and result k as an element of any type.
ASSAY_DEVICE void SetInput(const Program& program, const Registers& registers, int k,
                           const ElementRow& row, Value value) {
  registers[k] = Convert(row, RowsOf(program)[k], value);
}
ASSAY_DEVICE Value ProgramResult(const Program& program, const Registers& registers, int k,
                                 const ElementRow& row) {
  return Convert(RowsOf(program)[program.inputs + k], row,
                 ReadRegister(program, registers, ResultsOf(program)[k]));
}
// The type of result k of a fold, in which a program also takes it again, as its input k.
ASSAY_DEVICE ElementRow AccumulatorRow(const Program& program, const Fold& fold, int k) {
  return fold.kind == FoldKind::kProgram ? RowsOf(program)[k] : fold.row;
}
ASSAY_DEVICE bool ProgramSays(const Program& program, const Registers& registers) {
  return ReadRegister(program, registers, ResultsOf(program)[0]).bits != 0;
}

// The value of a fold that is rounded at the end alone. Sums of floats are pairs, so that most of
// them are the exact ones.
struct WideValue {
  double re = 0, re_low = 0, im = 0, im_low = 0;
  uint64_t integer = 0;
};
ASSAY_DEVICE WideValue DecodeWide(const ElementRow& row, Value x) {
  WideValue wide;
  if (row.kind == kKindFloat || row.kind == kKindComplex) wide.re = DecodeFloat(row, x.bits);
  if (row.kind == kKindComplex) wide.im = DecodeFloat(row, x.imag);
  if (row.kind != kKindFloat && row.kind != kKindComplex) {
    wide.integer = DecodeInteger(row, x.bits);
  }
  return wide;
}
ASSAY_DEVICE Value EncodeWide(const ElementRow& row, WideValue x) {
  if (row.kind == kKindFloat) return {EncodeFloat(row, x.re), 0};
  if (row.kind == kKindComplex) return {EncodeFloat(row, x.re), EncodeFloat(row, x.im)};
  return {EncodeInteger(row, x.integer), 0};
}
ASSAY_DEVICE void AddWide(double high, double low, double* sum, double* sum_low) {
  const Pair first = ExactSum(*sum, high);
  if (!IsFiniteValue(first.high)) {
    *sum = first.high;
    *sum_low = 0;
    return;
  }
  const double tail = first.low + (*sum_low + low);
  if (tail == 0) {  // a zero keeps its sign
    *sum = first.high;
    *sum_low = 0;
    return;
  }
  const Pair rest = FastSum(first.high, tail);
  *sum = rest.high;
  *sum_low = rest.low;
}
ASSAY_DEVICE WideValue CombineWide(const Fold& fold, WideValue x, WideValue y) {
  WideValue result;
  switch (fold.row.kind) {
    case kKindPred:
      result.integer = ApplyPred(fold.op, x.integer, y.integer);
      break;
    case kKindSigned:
    case kKindUnsigned:
      result.integer = ApplyInteger(fold.op, fold.row, x.integer, y.integer);
      break;
    default:
      if (fold.op != Op::kAdd) {
        result.re = ApplyBinary(fold.op, x.re, y.re);
        break;
      }
      result = x;
      AddWide(y.re, y.re_low, &result.re, &result.re_low);
      // Complex numbers are only added.
      if (fold.row.kind == kKindComplex) AddWide(y.im, y.im_low, &result.im, &result.im_low);
  }
  return result;
}

// The accumulators of several arrays that one thread folds: those of FoldKind::kWide each by
// itself, the others by the program. P has program, folds, arrays and runs_program.
struct ArraysFold {
  ElementRow rows[kMostArrays];
  Value values[kMostArrays];
  WideValue sums[kMostArrays];
};
template <typename P>
ASSAY_DEVICE void StartArray(const P& p, ArraysFold& fold, int k, const ElementRow& init_row,
                             const Value& init) {
  fold.rows[k] = AccumulatorRow(p.program, p.folds[k], k);
  fold.values[k] = Convert(init_row, fold.rows[k], init);
  if (p.folds[k].kind == FoldKind::kWide) {
    fold.sums[k] = DecodeWide(fold.rows[k], fold.values[k]);
  }
}
// One element of array k. FoldProgram follows when all arrays have theirs.
template <typename P>
ASSAY_DEVICE void TakeElement(const P& p, ArraysFold& fold, const Registers& registers, int k,
                              const ElementRow& row, const Value& element) {
  if (p.folds[k].kind == FoldKind::kWide) {
    fold.sums[k] = CombineWide(p.folds[k], fold.sums[k], DecodeWide(row, element));
  }
  if (!p.runs_program) return;
  SetInput(p.program, registers, k, fold.rows[k], fold.values[k]);
  SetInput(p.program, registers, p.arrays + k, row, element);
}
template <typename P>
ASSAY_DEVICE void FoldProgram(const P& p, ArraysFold& fold, const Registers& registers) {
  if (!p.runs_program) return;
  RunProgram(p.program, registers);
  for (int k = 0; k < p.arrays; ++k) {
    if (p.folds[k].kind == FoldKind::kWide) continue;
    fold.values[k] = ProgramResult(p.program, registers, k, fold.rows[k]);
  }
}
template <typename P>
ASSAY_DEVICE Value FoldedArray(const P& p, const ArraysFold& fold, int k,
                               const ElementRow& result_row) {
  const Value value =
      p.folds[k].kind == FoldKind::kWide ? EncodeWide(fold.rows[k], fold.sums[k]) : fold.values[k];
  return Convert(fold.rows[k], result_row, value);
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_PROGRAM_H_
