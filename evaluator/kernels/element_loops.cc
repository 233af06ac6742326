#include "evaluator/kernels/element_loops.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "evaluator/kernels/kernel.h"
#include "evaluator/real/real_functions.h"
#include "evaluator/scalar/rounded_functions.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

constexpr int64_t kLoopBlock = 512;

RealContext StatsOf(EvaluationContext& context) {
  RealContext real;
  real.stats = &context.real_stats;
  return real;
}

// --- element by element ---

void OneByOneUnary(const ScalarFunction& f, const std::byte* x, std::byte* out, int64_t n,
                   EvaluationContext& context) {
  const RealContext real = StatsOf(context);
  for (int64_t i = 0; i < n; ++i) {
    StoreElement(f.op.result_type, f(LoadElement(f.op.operand_type, x, i), real), out, i);
  }
}

void OneByOneBinary(const ScalarFunction& f, const std::byte* a, const std::byte* b, std::byte* out,
                    int64_t n, EvaluationContext& context) {
  const RealContext real = StatsOf(context);
  const ElementType type = f.op.operand_type;
  for (int64_t i = 0; i < n; ++i) {
    StoreElement(f.op.result_type, f(LoadElement(type, a, i), LoadElement(type, b, i), real), out,
                 i);
  }
}

// The second operand is the random number of as many bits.
void OneByOneStochastic(const ScalarFunction& f, const std::byte* a, const std::byte* b,
                        std::byte* out, int64_t n, EvaluationContext& context) {
  const RealContext real = StatsOf(context);
  const ElementType type = f.op.operand_type;
  const int64_t bytes = StorageBytes(type);
  for (int64_t i = 0; i < n; ++i) {
    Element random;
    std::memcpy(&random.bits, b + i * bytes, bytes);
    StoreElement(f.op.result_type, f(LoadElement(type, a, i), random, real), out, i);
  }
}

void OneByOneTernary(const ScalarFunction& f, const std::byte* a, const std::byte* b,
                     const std::byte* c, std::byte* out, int64_t n, EvaluationContext& context) {
  const RealContext real = StatsOf(context);
  const ElementType type = f.op.operand_type;
  const ElementType first = f.op.opcode == Opcode::kSelect ? ElementType::kPred : type;
  for (int64_t i = 0; i < n; ++i) {
    const Element x = LoadElement(first, a, i);
    const Element y = LoadElement(type, b, i);
    StoreElement(f.op.result_type, f(x, y, LoadElement(type, c, i), real), out, i);
  }
}

// --- blocks of doubles, for the floats that the machine lacks ---

void AddDoubles(double* a, const double* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) a[i] += b[i];
}
void SubtractDoubles(double* a, const double* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) a[i] -= b[i];
}
void MultiplyDoubles(double* a, const double* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) a[i] *= b[i];
}
void DivideDoubles(double* a, const double* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) a[i] /= b[i];
}
void MaximumDoubles(double* a, const double* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const auto both =
        std::bit_cast<double>(std::bit_cast<uint64_t>(a[i]) & std::bit_cast<uint64_t>(b[i]));
    const double ordered = a[i] == b[i] ? both : a[i] > b[i] ? a[i] : b[i];
    a[i] = a[i] == a[i] ? ordered : a[i];
  }
}
void MinimumDoubles(double* a, const double* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const auto both =
        std::bit_cast<double>(std::bit_cast<uint64_t>(a[i]) | std::bit_cast<uint64_t>(b[i]));
    const double ordered = a[i] == b[i] ? both : a[i] < b[i] ? a[i] : b[i];
    a[i] = a[i] == a[i] ? ordered : a[i];
  }
}

template <void (*kCompute)(double*, const double*, int64_t)>
void DoubleBinary(const ScalarFunction& f, const std::byte* a, const std::byte* b, std::byte* out,
                  int64_t n, EvaluationContext&) {
  const ElementType type = f.op.operand_type;
  const int64_t bytes = StorageBytes(type);
  double x[kLoopBlock], y[kLoopBlock];
  for (int64_t i = 0; i < n; i += kLoopBlock) {
    const int64_t count = std::min(kLoopBlock, n - i);
    DecodeFloats(type, a + i * bytes, count, x);
    DecodeFloats(type, b + i * bytes, count, y);
    kCompute(x, y, count);
    EncodeFloats(type, x, count, out + i * bytes, NanSign::kPositive);
  }
}

template <double (*kCompute)(double)>
void DoubleUnary(const ScalarFunction& f, const std::byte* x, std::byte* out, int64_t n,
                 EvaluationContext&) {
  const ElementType type = f.op.operand_type;
  const int64_t bytes = StorageBytes(type);
  double block[kLoopBlock];
  for (int64_t i = 0; i < n; i += kLoopBlock) {
    const int64_t count = std::min(kLoopBlock, n - i);
    DecodeFloats(type, x + i * bytes, count, block);
    for (int64_t j = 0; j < count; ++j) block[j] = kCompute(block[j]);
    EncodeFloats(type, block, count, out + i * bytes, NanSign::kPositive);
  }
}

double FloorOf(double x) { return std::floor(x); }
double CeilOf(double x) { return std::ceil(x); }
double RoundAwayOf(double x) { return std::round(x); }
double RoundEvenOf(double x) { return std::nearbyint(x); }

double SignOf(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

UnaryLoop FindDoubleUnary(const ScalarOp& op) {
  if (!IsFloat(op.operand_type)) return nullptr;
  switch (op.opcode) {
    case Opcode::kFloor:
      return DoubleUnary<FloorOf>;
    case Opcode::kCeil:
      return DoubleUnary<CeilOf>;
    case Opcode::kRoundNearestAfz:
      return DoubleUnary<RoundAwayOf>;
    case Opcode::kRoundNearestEven:
      return DoubleUnary<RoundEvenOf>;
    case Opcode::kSign:
      return DoubleUnary<SignOf>;
    default:
      return nullptr;
  }
}

BinaryLoop FindDoubleBinary(const ScalarOp& op) {
  if (!IsFloat(op.operand_type)) return nullptr;
  switch (op.opcode) {
    case Opcode::kAdd:
      return DoubleBinary<AddDoubles>;
    case Opcode::kSubtract:
      return DoubleBinary<SubtractDoubles>;
    case Opcode::kMultiply:
      return DoubleBinary<MultiplyDoubles>;
    case Opcode::kDivide:
      return DoubleBinary<DivideDoubles>;
    case Opcode::kMaximum:
      return DoubleBinary<MaximumDoubles>;
    case Opcode::kMinimum:
      return DoubleBinary<MinimumDoubles>;
    default:
      return nullptr;
  }
}

// --- correctly rounded functions ---

template <RealFunction kFunction>
void RealBlock(const ScalarFunction& f, const std::byte* x, std::byte* out, int64_t n,
               EvaluationContext& context) {
  EvaluateBlock(kFunction, f.op.operand_type, x, out, n, StatsOf(context));
}

template <RealFunction2 kFunction>
void RealBlock2(const ScalarFunction& f, const std::byte* a, const std::byte* b, std::byte* out,
                int64_t n, EvaluationContext& context) {
  EvaluateBlock2(kFunction, f.op.operand_type, a, b, out, n, StatsOf(context));
}

template <int... kFunctions>
constexpr std::array<UnaryLoop, sizeof...(kFunctions)> RealBlocks(
    std::integer_sequence<int, kFunctions...>) {
  return {RealBlock<static_cast<RealFunction>(kFunctions)>...};
}
template <int... kFunctions>
constexpr std::array<BinaryLoop, sizeof...(kFunctions)> RealBlocks2(
    std::integer_sequence<int, kFunctions...>) {
  return {RealBlock2<static_cast<RealFunction2>(kFunctions)>...};
}

UnaryLoop FindRealUnary(const ScalarOp& op) {
  static constexpr auto kBlocks = RealBlocks(std::make_integer_sequence<int, kRealFunctionCount>());
  const auto function = FindRoundedFunction(op.opcode, op.operand_type).unary;
  return function ? kBlocks[static_cast<size_t>(*function)] : nullptr;
}

BinaryLoop FindRealBinary(const ScalarOp& op) {
  static constexpr auto kBlocks =
      RealBlocks2(std::make_integer_sequence<int, static_cast<int>(RealFunction2::kDivide) + 1>());
  const auto function = FindRoundedFunction(op.opcode, op.operand_type).binary;
  return function ? kBlocks[static_cast<size_t>(*function)] : nullptr;
}

}  // namespace

std::optional<ElementLoop> FindElementLoop(const ScalarOp& op) {
  const std::optional<ScalarFunction> function = FindScalarFunction(op);
  if (!function.has_value()) return std::nullopt;
  ElementLoop loop;
  loop.function = *function;
  if (function->unary != nullptr) {
    for (auto find : {FindNativeUnaryLoop, FindConvertLoop, FindRealUnary, FindDoubleUnary}) {
      if (loop.unary == nullptr) loop.unary = find(op);
    }
    loop.one_by_one = loop.unary == nullptr;
    if (loop.one_by_one) loop.unary = OneByOneUnary;
  } else if (function->binary != nullptr) {
    for (auto find : {FindNativeBinaryLoop, FindRealBinary, FindDoubleBinary}) {
      if (loop.binary == nullptr) loop.binary = find(op);
    }
    loop.one_by_one = loop.binary == nullptr;
    if (loop.one_by_one) {
      loop.binary = op.opcode == Opcode::kStochasticConvert ? OneByOneStochastic : OneByOneBinary;
    }
  } else {
    loop.ternary = FindNativeSelectLoop(op);
    loop.one_by_one = loop.ternary == nullptr;
    if (loop.one_by_one) loop.ternary = OneByOneTernary;
  }
  const bool of_tiers = loop.one_by_one ||
                        (loop.unary != nullptr && loop.unary == FindRealUnary(op)) ||
                        (loop.binary != nullptr && loop.binary == FindRealBinary(op));
  if (of_tiers) loop.most_at_once = IsComplex(op.operand_type) ? 64 : 1024;
  return loop;
}

}  // namespace assay::evaluator::kernels
