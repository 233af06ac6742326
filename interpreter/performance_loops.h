// What kernels are measured against: for each case a plain loop, as one would write it in C++ for
// that case alone, in the precision of its operands and with no care for rounding. Operands and
// result are those of the row in performance_bench.cc, which checks that both compute the same.
#ifndef ASSAY_INTERPRETER_PERFORMANCE_LOOPS_H_
#define ASSAY_INTERPRETER_PERFORMANCE_LOOPS_H_

#include <vector>

#include "spec/ir/literal.h"

namespace assay {

using PlainLoop = void (*)(const std::vector<Literal>& operands, Literal& result);

namespace plain {

// memcpy of so many bytes as the result has.
void Copy(const std::vector<Literal>& operands, Literal& result);
void Add(const std::vector<Literal>& operands, Literal& result);
void Multiply(const std::vector<Literal>& operands, Literal& result);
void Compare(const std::vector<Literal>& operands, Literal& result);
void Select(const std::vector<Literal>& operands, Literal& result);
void Clamp(const std::vector<Literal>& operands, Literal& result);
void Floor(const std::vector<Literal>& operands, Literal& result);
void RoundEven(const std::vector<Literal>& operands, Literal& result);
void ConvertToBf16(const std::vector<Literal>& operands, Literal& result);

// The function of the C library for float.
void Exp(const std::vector<Literal>& operands, Literal& result);
void Log(const std::vector<Literal>& operands, Literal& result);
void Tanh(const std::vector<Literal>& operands, Literal& result);
void Logistic(const std::vector<Literal>& operands, Literal& result);
void Sine(const std::vector<Literal>& operands, Literal& result);
void Power(const std::vector<Literal>& operands, Literal& result);

// [m,k] times [k,n], row after row.
void DotF32(const std::vector<Literal>& operands, Literal& result);
void DotF64(const std::vector<Literal>& operands, Literal& result);
void DotS8(const std::vector<Literal>& operands, Literal& result);
// [1,h,w,c] with [3,3,c,d], padded by 1.
void Convolution(const std::vector<Literal>& operands, Literal& result);

void ReduceAll(const std::vector<Literal>& operands, Literal& result);
void ReduceRows(const std::vector<Literal>& operands, Literal& result);
void ReduceColumns(const std::vector<Literal>& operands, Literal& result);
// [n,n] by windows of 3x3, padded by 1.
void WindowMaximum(const std::vector<Literal>& operands, Literal& result);
void WindowSum(const std::vector<Literal>& operands, Literal& result);
// [n,n] by windows of 2x2 side by side: each source joins the cell of the first maximum.
void SelectAndScatter(const std::vector<Literal>& operands, Literal& result);

void Transpose(const std::vector<Literal>& operands, Literal& result);
void GatherElements(const std::vector<Literal>& operands, Literal& result);
void GatherRows(const std::vector<Literal>& operands, Literal& result);
void ScatterAddElements(const std::vector<Literal>& operands, Literal& result);
void ScatterAddRows(const std::vector<Literal>& operands, Literal& result);
void Sort(const std::vector<Literal>& operands, Literal& result);

// [n,f] by features.
void BatchNormInference(const std::vector<Literal>& operands, Literal& result);
void Cholesky(const std::vector<Literal>& operands, Literal& result);
void TriangularSolve(const std::vector<Literal>& operands, Literal& result);
// Radix 2.
void Fft(const std::vector<Literal>& operands, Literal& result);

}  // namespace plain
}  // namespace assay

#endif  // ASSAY_INTERPRETER_PERFORMANCE_LOOPS_H_
