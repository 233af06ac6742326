// Conversions over blocks: decode into double, int64_t or uint64_t, convert, encode with the one
// rounding of the target's row. 64-bit integers become floats from the integer itself, never by way
// of double. Source: reference ops_elementwise_and_types.md 6.13. Tests: kernels_test.cc.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/kernel.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

constexpr int64_t kConvertBlock = 512;

// The representation of a block of a type.
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

// Converts from decoded floats.
template <Held kTo>
void FloatBlock(ElementType to, const double* x, std::byte* out, int64_t n) {
  uint64_t integers[kConvertBlock];
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

// Converts from decoded integers. T says whether they are signed.
template <typename T, Held kTo>
void IntegerBlock(ElementType from, ElementType to, uint64_t* x, std::byte* out, int64_t n) {
  if constexpr (kTo == Held::kDouble) {
    if (Info(from).bits <= 32 || to == ElementType::kF64) {
      double values[kConvertBlock];
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
  for (int64_t i = 0; i < n; i += kConvertBlock) {
    const int64_t count = std::min(kConvertBlock, n - i);
    const std::byte* block = x + i * from_bytes;
    std::byte* result = out + i * to_bytes;
    if constexpr (kFrom == Held::kDouble) {
      double values[kConvertBlock];
      DecodeFloats(from, block, count, values);
      FloatBlock<kTo>(to, values, result, count);
    } else if constexpr (kFrom == Held::kSigned) {
      int64_t values[kConvertBlock];
      DecodeSigneds(from, block, count, values);
      IntegerBlock<int64_t, kTo>(from, to, reinterpret_cast<uint64_t*>(values), result, count);
    } else {
      uint64_t values[kConvertBlock];
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

// --- between types that the machine has, and bf16 as the upper half of f32 ---

struct BFloat {
  uint16_t bits;
};

// Conversions keep the sign of a NaN, and so does the hardware.
template <typename T>
T Quiet(T value) {
  return value == value ? value : std::copysign(std::numeric_limits<T>::quiet_NaN(), value);
}

template <typename From, typename To>
To ConvertOne(From x) {
  if constexpr (std::is_same_v<From, BFloat>) {
    const auto wide = std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16);
    return Quiet(wide);
  } else if constexpr (std::is_same_v<To, BFloat>) {
    const auto bits = std::bit_cast<uint32_t>(x);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
    const uint32_t nan = 0x7fc0u | ((bits >> 16) & 0x8000u);
    return {static_cast<uint16_t>(x == x ? rounded : nan)};
  } else if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<To>) {
    return Quiet(static_cast<To>(x));
  } else if constexpr (std::is_floating_point_v<From>) {
    // Toward zero, as TruncateSigned.
    constexpr From kBeyond = -static_cast<From>(std::numeric_limits<To>::min());
    const bool above = x >= kBeyond, below = x < -kBeyond;
    const From inside = x == x && !above && !below ? x : From{0};
    const To low = below ? std::numeric_limits<To>::min() : static_cast<To>(inside);
    return above ? std::numeric_limits<To>::max() : low;
  } else {
    return static_cast<To>(x);  // to floats rounded once, by the hardware
  }
}

template <typename From, typename To>
void RunNative(const ScalarFunction&, const std::byte* x, std::byte* out, int64_t n,
               EvaluationContext&) {
  ASSAY_INDEPENDENT_TURNS
  for (int64_t i = 0; i < n; ++i) StoreAt(out, i, ConvertOne<From, To>(LoadAt<From>(x, i)));
}

template <typename From>
UnaryLoop NativeTo(ElementType to) {
  switch (to) {
    case ElementType::kF32:
      return RunNative<From, float>;
    case ElementType::kF64:
      return RunNative<From, double>;
    case ElementType::kS32:
      return RunNative<From, int32_t>;
    case ElementType::kS64:
      return RunNative<From, int64_t>;
    default:
      return nullptr;
  }
}

// Null for types that go by way of double or 64 bits.
UnaryLoop FindNative(ElementType from, ElementType to) {
  switch (from) {
    case ElementType::kF32:
      return to == ElementType::kBF16 ? RunNative<float, BFloat> : NativeTo<float>(to);
    case ElementType::kBF16:
      return to == ElementType::kF32 ? RunNative<BFloat, float> : nullptr;
    case ElementType::kF64:
      return NativeTo<double>(to);
    case ElementType::kPred:
    case ElementType::kU8:
      return NativeTo<uint8_t>(to);
    case ElementType::kS8:
      return NativeTo<int8_t>(to);
    case ElementType::kS32:
      return NativeTo<int32_t>(to);
    case ElementType::kU32:
      return NativeTo<uint32_t>(to);
    case ElementType::kS64:
      return NativeTo<int64_t>(to);
    default:
      return nullptr;
  }
}

void RunSame(const ScalarFunction& function, const std::byte* x, std::byte* out, int64_t n,
             EvaluationContext&) {
  if (x != out) std::memcpy(out, x, n * StorageBytes(function.op.operand_type));
}

}  // namespace

UnaryLoop FindConvertLoop(const ScalarOp& op) {
  if (op.opcode != Opcode::kConvert) return nullptr;
  if (op.operand_type == op.result_type) return RunSame;
  if (UnaryLoop loop = FindNative(op.operand_type, op.result_type)) return loop;
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

}  // namespace assay::evaluator::kernels
