// The ulp budgets of elementwise operations: reference accuracy_requirements.md 3, column C.
#include <cmath>

#include "conformance/judge/allowance.h"

namespace assay {
namespace {

struct Row {
  Opcode opcode;
  double f32, f64, f16, bf16;
};

constexpr Row kRows[] = {
    {Opcode::kDivide, 3, 0.5, 1, 1}, {Opcode::kSqrt, 4, 0.5, 1.5, 1},
    {Opcode::kRsqrt, 4, 2, 1, 1},    {Opcode::kExp, 7, 3, 3, 2},
    {Opcode::kExpm1, 7, 5, 3, 2},    {Opcode::kLog, 4, 3, 3, 2},
    {Opcode::kLog1p, 4, 3, 3, 2},    {Opcode::kLogistic, 20, 20, 5, 4},
    {Opcode::kSin, 4, 4, 2, 2},      {Opcode::kCos, 4, 4, 2, 2},
    {Opcode::kTan, 5, 5, 3, 2},      {Opcode::kSinh, 25, 512, 3, 2},
    {Opcode::kCosh, 25, 512, 3, 2},  {Opcode::kTanh, 6, 7, 3, 2},
    {Opcode::kAsin, 4, 4, 3, 2},     {Opcode::kAcos, 4, 4, 3, 2},
    {Opcode::kAtan2, 6, 6, 3, 2},    {Opcode::kAsinh, 5, 5, 3, 2},
    {Opcode::kAcosh, 5, 5, 3, 2},    {Opcode::kAtanh, 5, 5, 3, 2},
    {Opcode::kErf, 16, 16, 4, 2},    {Opcode::kCbrt, 4, 4, 2, 1},
    {Opcode::kPower, 16, 16, 5, 2},
};

double ComplexBudget(Opcode opcode) {
  switch (opcode) {
    case Opcode::kMultiply:
      return 8;
    case Opcode::kDivide:
      return 32;
    default:
      return Info(opcode).accuracy == Accuracy::kFunction || opcode == Opcode::kAbs ||
                     opcode == Opcode::kSign
                 ? 64
                 : 0;
  }
}

// Types of 8 bits and fewer: k is f16's budget, the function is computed in f16 within k ulp of
// that and rounded once more. What IEEE 754 rounds correctly has no budget.
double NarrowBudget(Opcode opcode, ElementType type, double k) {
  if (Info(opcode).accuracy == Accuracy::kRounded || opcode == Opcode::kSqrt) return 0;
  const int f16_precision = Info(ElementType::kF16).format->precision();
  return 0.5 + std::ldexp(k, Info(type).format->precision() - f16_precision);
}

}  // namespace

double UlpBudget(Opcode opcode, ElementType type) {
  if (IsComplex(type)) return ComplexBudget(opcode);
  if (!IsFloat(type)) return 0;
  for (const Row& row : kRows) {
    if (row.opcode != opcode) continue;
    if (Info(type).bits < 16) return NarrowBudget(opcode, type, row.f16);
    double budget = row.f16;
    if (type == ElementType::kF32) budget = row.f32;
    if (type == ElementType::kF64) budget = row.f64;
    if (type == ElementType::kBF16) budget = row.bf16;
    return budget == 0.5 ? 0 : budget;
  }
  return 0;
}

}  // namespace assay
