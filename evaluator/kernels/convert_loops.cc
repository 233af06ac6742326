// Conversions over blocks: decode into double, int64_t or uint64_t, convert, encode with the one
// rounding of the target's row. 64-bit integers become floats from the integer itself, never by way
// of double. Source: reference ops_elementwise_and_types.md 6.13. Tests: kernels_test.cc.
#include <algorithm>
#include <limits>

#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/kernel.h"
#include "spec/element/element.h"

namespace assay::kernels {
namespace {

constexpr int64_t kBlock = 512;

// How a block of a type is held.
enum class Held { kDouble, kSigned, kUnsigned, kPred, kNone };

Held HeldAs(ElementType type) {
  switch (Info(type).element_class) {
    case ElementClass::kFloat:
      return Held::kDouble;
    case ElementClass::kSigned:
      return Held::kSigned;
    case ElementClass::kUnsigned:
      return Held::kUnsigned;
    case ElementClass::kPred:
      return Held::kPred;
    default:
      return Held::kNone;
  }
}

// Toward zero, then to the nearest end of the range; NaN gives 0. The upper end of a 64-bit type
// rounds up to a power of two as a double, which no smaller double reaches.
void TruncateSigned(ElementType type, const double* x, int64_t n, uint64_t* out) {
  const int64_t lowest = MinSigned(type);
  const int64_t highest = MaxSigned(type);
  const auto low = static_cast<double>(lowest);
  const auto high = static_cast<double>(highest);
  for (int64_t i = 0; i < n; ++i) {
    const double value = x[i] == x[i] ? x[i] : 0.0;
    const int64_t result = value >= high  ? highest
                           : value <= low ? lowest
                                          : static_cast<int64_t>(value);
    out[i] = static_cast<uint64_t>(result);
  }
}

void TruncateUnsigned(ElementType type, const double* x, int64_t n, uint64_t* out) {
  const uint64_t highest = MaxUnsigned(type);
  const auto high = static_cast<double>(highest);
  for (int64_t i = 0; i < n; ++i) {
    out[i] = x[i] >= high ? highest : x[i] > 0 ? static_cast<uint64_t>(x[i]) : 0;
  }
}

// From decoded floats.
template <Held kTo>
void FloatBlock(ElementType to, const double* x, std::byte* out, int64_t n) {
  uint64_t integers[kBlock];
  if constexpr (kTo == Held::kDouble) {
    EncodeFloats(to, x, n, out);
    return;
  } else if constexpr (kTo == Held::kSigned) {
    TruncateSigned(to, x, n, integers);
  } else if constexpr (kTo == Held::kUnsigned) {
    TruncateUnsigned(to, x, n, integers);
  } else {
    for (int64_t i = 0; i < n; ++i) integers[i] = x[i] != 0;
  }
  EncodeIntegers(to, integers, n, out);
}

// From decoded integers; T says whether they have a sign.
template <typename T, Held kTo>
void IntegerBlock(ElementType from, ElementType to, uint64_t* x, std::byte* out, int64_t n) {
  if constexpr (kTo == Held::kDouble) {
    if (Info(from).bits <= 32 || to == ElementType::kF64) {
      double values[kBlock];
      for (int64_t i = 0; i < n; ++i) values[i] = static_cast<double>(static_cast<T>(x[i]));
      EncodeFloats(to, values, n, out);
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t bits = std::is_signed_v<T>
                                ? EncodeFloatFromSigned(to, static_cast<int64_t>(x[i]))
                                : EncodeFloatFromUnsigned(to, x[i]);
      StoreElement(to, {bits}, out, i);
    }
    return;
  }
  if constexpr (kTo == Held::kPred) {
    for (int64_t i = 0; i < n; ++i) x[i] = x[i] != 0;
  }
  EncodeIntegers(to, x, n, out);
}

template <Held kFrom, Held kTo>
void RunConvert(const ScalarFunction& function, const std::byte* x, std::byte* out, int64_t n,
                EvaluationContext&) {
  const ElementType from = function.op.operand_type;
  const ElementType to = function.op.result_type;
  const int64_t from_bytes = StorageBytes(from);
  const int64_t to_bytes = StorageBytes(to);
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    const std::byte* block = x + i * from_bytes;
    std::byte* result = out + i * to_bytes;
    if constexpr (kFrom == Held::kDouble) {
      double values[kBlock];
      DecodeFloats(from, block, count, values);
      FloatBlock<kTo>(to, values, result, count);
    } else if constexpr (kFrom == Held::kSigned) {
      int64_t values[kBlock];
      DecodeSigneds(from, block, count, values);
      IntegerBlock<int64_t, kTo>(from, to, reinterpret_cast<uint64_t*>(values), result, count);
    } else {
      uint64_t values[kBlock];
      DecodeUnsigneds(from, block, count, values);
      IntegerBlock<uint64_t, kTo>(from, to, values, result, count);
    }
  }
}

template <Held kFrom>
UnaryLoop ConvertTo(Held to) {
  switch (to) {
    case Held::kDouble:
      return RunConvert<kFrom, Held::kDouble>;
    case Held::kSigned:
      return RunConvert<kFrom, Held::kSigned>;
    case Held::kUnsigned:
      return RunConvert<kFrom, Held::kUnsigned>;
    case Held::kPred:
      return RunConvert<kFrom, Held::kPred>;
    case Held::kNone:
      break;
  }
  return nullptr;
}

void RunSame(const ScalarFunction& function, const std::byte* x, std::byte* out, int64_t n,
             EvaluationContext&) {
  if (x != out) std::memcpy(out, x, n * StorageBytes(function.op.operand_type));
}

}  // namespace

UnaryLoop FindConvertLoop(const ScalarOp& op) {
  if (op.opcode != Opcode::kConvert) return nullptr;
  if (op.operand_type == op.result_type) return RunSame;
  const Held to = HeldAs(op.result_type);
  switch (HeldAs(op.operand_type)) {
    case Held::kDouble:
      return ConvertTo<Held::kDouble>(to);
    case Held::kSigned:
      return ConvertTo<Held::kSigned>(to);
    case Held::kUnsigned:
    case Held::kPred:
      return ConvertTo<Held::kUnsigned>(to);
    case Held::kNone:
      break;
  }
  return nullptr;
}

}  // namespace assay::kernels
