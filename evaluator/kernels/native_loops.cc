// Loops on types that the machine has: f32, f64 and the integers of whole bytes, as templates that
// the compiler vectorises. A hardware operation on f32 or f64 is the exact result rounded once;
// only the NaN it makes is replaced by the canonical one. Tests: kernels_test.cc.
#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/scalar/comparison.h"

namespace assay::evaluator::kernels {
namespace {

template <typename T>
using Bits =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

template <typename T>
T Canonical(T value) {
  return value == value ? value : std::numeric_limits<T>::quiet_NaN();
}

// A choice by masks: of two floats that were computed the compiler makes branches, which nothing
// predicts, and no vectors.
template <typename T>
T Choose(bool first, T a, T b) {
  const Bits<T> mask = Bits<T>{0} - static_cast<Bits<T>>(first);
  return std::bit_cast<T>((std::bit_cast<Bits<T>>(a) & mask) | (std::bit_cast<Bits<T>>(b) & ~mask));
}

// Integers compute in the unsigned type, where overflow wraps; the narrow ones without promotion to
// int, whose product of two uint16_t would overflow.
template <typename T>
using Modular = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

struct Add {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return Canonical(a + b);
    } else {
      return static_cast<T>(static_cast<Modular<T>>(a) + static_cast<Modular<T>>(b));
    }
  }
};
struct Subtract {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return Canonical(a - b);
    } else {
      return static_cast<T>(static_cast<Modular<T>>(a) - static_cast<Modular<T>>(b));
    }
  }
};
struct Multiply {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return Canonical(a * b);
    } else {
      return static_cast<T>(static_cast<Modular<T>>(a) * static_cast<Modular<T>>(b));
    }
  }
};
struct Divide {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return Canonical(a / b);
    } else {
      if (b == 0) return static_cast<T>(-1);
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Subtract::Of<T>(0, a);
      return static_cast<T>(a / b);
    }
  }
};
struct Remainder {
  template <typename T>
  static T Of(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

// Equal floats have equal bits, but for zeros: +0 is the larger.
struct Maximum {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T equal = std::bit_cast<T>(std::bit_cast<Bits<T>>(a) & std::bit_cast<Bits<T>>(b));
      const T ordered = Choose(a == b, equal, Choose(a > b, a, b));
      return Choose((a == a) & (b == b), ordered, std::numeric_limits<T>::quiet_NaN());
    } else {
      return a > b ? a : b;
    }
  }
};
struct Minimum {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T equal = std::bit_cast<T>(std::bit_cast<Bits<T>>(a) | std::bit_cast<Bits<T>>(b));
      const T ordered = Choose(a == b, equal, Choose(a < b, a, b));
      return Choose((a == a) & (b == b), ordered, std::numeric_limits<T>::quiet_NaN());
    } else {
      return a < b ? a : b;
    }
  }
};

struct And {
  template <typename T>
  static T Of(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <typename T>
  static T Of(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <typename T>
  static T Of(T a, T b) {
    return a ^ b;
  }
};

// The amount is the pattern read as unsigned; from the width on everything is shifted out.
struct ShiftLeft {
  template <typename T>
  static T Of(T a, T b) {
    constexpr unsigned kWidth = 8 * sizeof(T);
    const auto amount = static_cast<Bits<T>>(b);
    const auto kept = Modular<T>{0} - static_cast<Modular<T>>(amount < kWidth);
    return static_cast<T>((static_cast<Modular<T>>(static_cast<Bits<T>>(a)) << (amount % kWidth)) &
                          kept);
  }
};
struct ShiftRightLogical {
  template <typename T>
  static T Of(T a, T b) {
    constexpr unsigned kWidth = 8 * sizeof(T);
    const auto amount = static_cast<Bits<T>>(b);
    const auto kept = Modular<T>{0} - static_cast<Modular<T>>(amount < kWidth);
    return static_cast<T>((static_cast<Modular<T>>(static_cast<Bits<T>>(a)) >> (amount % kWidth)) &
                          kept);
  }
};

// Unsigned types too replicate the top bit.
struct ShiftRightArithmetic {
  template <typename T>
  static T Of(T a, T b) {
    constexpr Bits<T> kMost = 8 * sizeof(T) - 1;
    const auto amount = static_cast<Bits<T>>(b);
    return static_cast<T>(static_cast<std::make_signed_t<T>>(a) >>
                          (amount < kMost ? amount : kMost));
  }
};
// The type is exactly twice as wide. GCC 12 vectorises 16-bit products by way of 64 bits wrongly.
template <typename T>
using Product = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>>;
struct Mulhi {
  template <typename T>
  static T Of(T a, T b) {
    const auto product = static_cast<Product<T>>(a) * static_cast<Product<T>>(b);
    return static_cast<T>(product >> (8 * sizeof(T)));
  }
};

struct Negate {
  template <typename T>
  static T Of(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return -x;
    } else {
      return Subtract::Of<T>(0, x);
    }
  }
};
struct Abs {
  template <typename T>
  static T Of(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr Bits<T> kMagnitude = std::numeric_limits<Bits<T>>::max() >> 1;
      return std::bit_cast<T>(static_cast<Bits<T>>(std::bit_cast<Bits<T>>(x) & kMagnitude));
    } else {
      return x < 0 ? Subtract::Of<T>(0, x) : x;
    }
  }
};
struct Sign {
  template <typename T>
  static T Of(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return x > 0 ? T{1} : x < 0 ? T{-1} : Canonical(x);
    } else {
      return static_cast<T>((x > 0) - (x < 0));
    }
  }
};
// To whole numbers, for floats alone. Below 2^(precision - 1), from where on all are whole, adding
// that power makes the hardware round to nearest even; the others start from what that gives. The
// result has the sign of x, zeros too.
template <typename T>
T WithSign(T magnitude, T x) {
  constexpr Bits<T> kSign = Bits<T>{1} << (8 * sizeof(T) - 1);
  const auto bits = std::bit_cast<Bits<T>>(magnitude) & ~kSign;
  return std::bit_cast<T>(static_cast<Bits<T>>(bits | (std::bit_cast<Bits<T>>(x) & kSign)));
}
template <typename T>
T ToWhole(T x) {
  constexpr T kWhole = T{1} / std::numeric_limits<T>::epsilon();
  const T magnitude = Abs::Of(x);
  return WithSign(Choose(magnitude < kWhole, (magnitude + kWhole) - kWhole, magnitude), x);
}
struct RoundEven {
  template <typename T>
  static T Of(T x) {
    return Canonical(ToWhole(x));
  }
};
struct RoundAway {
  template <typename T>
  static T Of(T x) {
    const T magnitude = Abs::Of(x), even = ToWhole(magnitude);
    const T up = Choose(magnitude - even == T{0.5}, T{1}, T{0});
    return Canonical(WithSign(even + up, x));
  }
};
struct Floor {
  template <typename T>
  static T Of(T x) {
    const T near = ToWhole(x);
    return Canonical(WithSign(near - Choose(near > x, T{1}, T{0}), x));
  }
};
struct Ceil {
  template <typename T>
  static T Of(T x) {
    const T near = ToWhole(x);
    return Canonical(WithSign(near + Choose(near < x, T{1}, T{0}), x));
  }
};
struct IsFinite {
  template <typename T>
  static uint8_t Of(T x) {
    return Abs::Of(x) <= std::numeric_limits<T>::max();
  }
};
struct CountLeadingZeros {
  template <typename T>
  static T Of(T x) {
    return static_cast<T>(std::countl_zero(static_cast<Bits<T>>(x)));
  }
};
struct PopulationCount {
  template <typename T>
  static T Of(T x) {
    return static_cast<T>(std::popcount(static_cast<Bits<T>>(x)));
  }
};
struct Not {
  template <typename T>
  static T Of(T x) {
    return static_cast<T>(~x);
  }
};

template <ComparisonDirection kDirection>
struct Compares {
  template <typename T>
  static uint8_t Of(T a, T b) {
    return Holds(kDirection, a, b);
  }
};

// `kParts` is 2 for complex types, which some operations treat part by part.
template <typename T, typename Op, int kParts = 1>
void RunUnary(const ScalarFunction&, const std::byte* x, std::byte* out, int64_t n,
              EvaluationContext&) {
  ASSAY_INDEPENDENT_TURNS
  for (int64_t i = 0; i < kParts * n; ++i) StoreAt(out, i, Op::template Of<T>(LoadAt<T>(x, i)));
}

template <typename T, typename Op, int kParts = 1>
void RunBinary(const ScalarFunction&, const std::byte* a, const std::byte* b, std::byte* out,
               int64_t n, EvaluationContext&) {
  ASSAY_INDEPENDENT_TURNS
  for (int64_t i = 0; i < kParts * n; ++i) {
    StoreAt(out, i, Op::template Of<T>(LoadAt<T>(a, i), LoadAt<T>(b, i)));
  }
}

template <typename T>
void RunClamp(const ScalarFunction&, const std::byte* a, const std::byte* b, const std::byte* c,
              std::byte* out, int64_t n, EvaluationContext&) {
  ASSAY_INDEPENDENT_TURNS
  for (int64_t i = 0; i < n; ++i) {
    const T raised = Maximum::Of(LoadAt<T>(a, i), LoadAt<T>(b, i));
    StoreAt(out, i, Minimum::Of(raised, LoadAt<T>(c, i)));
  }
}

template <typename T>
void RunSelect(const ScalarFunction&, const std::byte* a, const std::byte* b, const std::byte* c,
               std::byte* out, int64_t n, EvaluationContext&) {
  ASSAY_INDEPENDENT_TURNS
  for (int64_t i = 0; i < n; ++i) {
    const T on_true = LoadAt<T>(b, i);
    const T on_false = LoadAt<T>(c, i);
    StoreAt(out, i, LoadAt<uint8_t>(a, i) != 0 ? on_true : on_false);
  }
}

// One part of complex elements, and elements made of two parts.
template <typename T, int kPart>
void RunPart(const ScalarFunction&, const std::byte* x, std::byte* out, int64_t n,
             EvaluationContext&) {
  ASSAY_INDEPENDENT_TURNS
  for (int64_t i = 0; i < n; ++i) StoreAt(out, i, LoadAt<T>(x, 2 * i + kPart));
}

template <typename T>
void RunComplex(const ScalarFunction&, const std::byte* a, const std::byte* b, std::byte* out,
                int64_t n, EvaluationContext&) {
  ASSAY_INDEPENDENT_TURNS
  for (int64_t i = 0; i < n; ++i) {
    StoreAt(out, 2 * i, LoadAt<T>(a, i));
    StoreAt(out, 2 * i + 1, LoadAt<T>(b, i));
  }
}

// On patterns: the significand is rounded at its place, a carry moves into the exponent; what lies
// beyond the narrower exponents is infinite or zero.
template <typename T>
void RunReducePrecision(const ScalarFunction& f, const std::byte* x, std::byte* out, int64_t n,
                        EvaluationContext&) {
  using B = Bits<T>;
  constexpr int kField = std::numeric_limits<T>::digits - 1;
  constexpr int kExponent = 8 * sizeof(T) - 1 - kField;
  constexpr B kInfinity = ((B{1} << kExponent) - 1) << kField;
  constexpr B kSign = B{1} << (8 * sizeof(T) - 1);
  const int dropped = std::max(0, kField - f.op.mantissa_bits);
  const B unit = B{1} << dropped, below_half = dropped == 0 ? 0 : unit / 2 - 1;
  const B odd = dropped == 0 ? 0 : 1;
  B first_infinite = kInfinity, first_normal = 0;
  if (f.op.exponent_bits < kExponent) {
    constexpr B kBias = (B{1} << (kExponent - 1)) - 1;
    const B range = (B{1} << (f.op.exponent_bits - 1)) - 1;
    first_infinite = (kBias + range + 1) << kField;
    first_normal = (kBias - range + 1) << kField;
  }
  const bool keeps_nan = f.op.mantissa_bits > 0;
  ASSAY_INDEPENDENT_TURNS
  for (int64_t i = 0; i < n; ++i) {
    const B bits = LoadAt<B>(x, i), sign = bits & kSign, magnitude = bits & ~kSign;
    B rounded = (magnitude + below_half + ((magnitude >> dropped) & odd)) & ~(unit - 1);
    rounded = rounded < first_normal ? B{0} : rounded;
    rounded = rounded >= first_infinite ? kInfinity : rounded;
    const B special = magnitude == kInfinity || keeps_nan ? bits : kInfinity;
    StoreAt(out, i, magnitude >= kInfinity ? special : sign | rounded);
  }
}

// The types for which the tables below have the loop of an operation.
enum Types : unsigned {
  kFloats = 1,
  kSigned = 2,
  kComplexParts = 4,
  kPreds = 8,
  kUnsigned = 16,
  kIntegers = kSigned | kUnsigned
};

// find(T{}, number of parts), where the machine has the type as T; else `Loop` is null.
template <typename Loop, unsigned kTypes, typename Find>
Loop LoopFor(ElementType type, Find find) {
  constexpr std::integral_constant<int, 1> kOne{};
  if constexpr ((kTypes & kFloats) != 0) {
    if (type == ElementType::kF32) return find(float{}, kOne);
    if (type == ElementType::kF64) return find(double{}, kOne);
  }
  if constexpr ((kTypes & kComplexParts) != 0) {
    constexpr std::integral_constant<int, 2> kTwo{};
    if (type == ElementType::kC64) return find(float{}, kTwo);
    if (type == ElementType::kC128) return find(double{}, kTwo);
  }
  if constexpr ((kTypes & kPreds) != 0) {
    if (type == ElementType::kPred) return find(uint8_t{}, kOne);
  }
  if constexpr ((kTypes & kSigned) != 0) {
    if (type == ElementType::kS8) return find(int8_t{}, kOne);
    if (type == ElementType::kS16) return find(int16_t{}, kOne);
    if (type == ElementType::kS32) return find(int32_t{}, kOne);
    if (type == ElementType::kS64) return find(int64_t{}, kOne);
  }
  if constexpr ((kTypes & kUnsigned) != 0) {
    if (type == ElementType::kU8) return find(uint8_t{}, kOne);
    if (type == ElementType::kU16) return find(uint16_t{}, kOne);
    if (type == ElementType::kU32) return find(uint32_t{}, kOne);
    if (type == ElementType::kU64) return find(uint64_t{}, kOne);
  }
  return nullptr;
}

template <typename Op, unsigned kTypes>
BinaryLoop BinaryFor(ElementType type) {
  return LoopFor<BinaryLoop, kTypes>(type, [](auto sample, auto parts) -> BinaryLoop {
    return RunBinary<decltype(sample), Op, decltype(parts)::value>;
  });
}

template <typename Op, unsigned kTypes>
UnaryLoop UnaryFor(ElementType type) {
  return LoopFor<UnaryLoop, kTypes>(type, [](auto sample, auto parts) -> UnaryLoop {
    return RunUnary<decltype(sample), Op, decltype(parts)::value>;
  });
}

BinaryLoop CompareFor(const ScalarOp& op) {
  if (IsFloat(op.operand_type) && op.comparison_type == ComparisonType::kTotalOrder) return nullptr;
  switch (op.direction) {
#define ASSAY_DIRECTION(d)                                                            \
  case ComparisonDirection::d:                                                        \
    return BinaryFor<Compares<ComparisonDirection::d>, kFloats | kIntegers | kPreds>( \
        op.operand_type);
    ASSAY_DIRECTION(kEq)
    ASSAY_DIRECTION(kNe)
    ASSAY_DIRECTION(kGe)
    ASSAY_DIRECTION(kGt)
    ASSAY_DIRECTION(kLe)
    ASSAY_DIRECTION(kLt)
#undef ASSAY_DIRECTION
  }
  return nullptr;
}

}  // namespace

BinaryLoop FindNativeBinaryLoop(const ScalarOp& op) {
  const ElementType type = op.operand_type;
  const bool pred = IsPred(type);
  switch (op.opcode) {
    case Opcode::kAdd:
      if (pred) return BinaryFor<Or, kPreds>(type);
      return BinaryFor<Add, kFloats | kIntegers | kComplexParts>(type);
    case Opcode::kSubtract:
      return BinaryFor<Subtract, kFloats | kIntegers | kComplexParts>(type);
    case Opcode::kMultiply:
      if (pred) return BinaryFor<And, kPreds>(type);
      return BinaryFor<Multiply, kFloats | kIntegers>(type);
    case Opcode::kDivide:
      return BinaryFor<Divide, kFloats | kIntegers>(type);
    case Opcode::kRemainder:
      return BinaryFor<Remainder, kIntegers>(type);
    case Opcode::kMaximum:
      return BinaryFor<Maximum, kFloats | kIntegers | kPreds>(type);
    case Opcode::kMinimum:
      return BinaryFor<Minimum, kFloats | kIntegers | kPreds>(type);
    case Opcode::kAnd:
      return BinaryFor<And, kIntegers | kPreds>(type);
    case Opcode::kOr:
      return BinaryFor<Or, kIntegers | kPreds>(type);
    case Opcode::kXor:
      return BinaryFor<Xor, kIntegers | kPreds>(type);
    case Opcode::kShiftLeft:
      return BinaryFor<ShiftLeft, kIntegers>(type);
    case Opcode::kShiftRightLogical:
      return BinaryFor<ShiftRightLogical, kIntegers>(type);
    case Opcode::kShiftRightArithmetic:
      return BinaryFor<ShiftRightArithmetic, kIntegers>(type);
    case Opcode::kMulhi:
      return BinaryFor<Mulhi, kIntegers>(type);
    case Opcode::kCompare:
      return CompareFor(op);
    case Opcode::kComplex:
      return LoopFor<BinaryLoop, kFloats>(
          type, [](auto sample, auto) -> BinaryLoop { return RunComplex<decltype(sample)>; });
    default:
      return nullptr;
  }
}

UnaryLoop FindNativeUnaryLoop(const ScalarOp& op) {
  const ElementType type = op.operand_type;
  switch (op.opcode) {
    case Opcode::kNegate:
      return UnaryFor<Negate, kFloats | kIntegers | kComplexParts>(type);
    case Opcode::kAbs:
      return UnaryFor<Abs, kFloats | kSigned>(type);
    case Opcode::kSign:
      return UnaryFor<Sign, kFloats | kSigned>(type);
    case Opcode::kFloor:
      return UnaryFor<Floor, kFloats>(type);
    case Opcode::kCeil:
      return UnaryFor<Ceil, kFloats>(type);
    case Opcode::kRoundNearestAfz:
      return UnaryFor<RoundAway, kFloats>(type);
    case Opcode::kRoundNearestEven:
      return UnaryFor<RoundEven, kFloats>(type);
    case Opcode::kNot:
      return UnaryFor<Not, kIntegers>(type);
    case Opcode::kClz:
      return UnaryFor<CountLeadingZeros, kIntegers>(type);
    case Opcode::kPopcnt:
      return UnaryFor<PopulationCount, kIntegers>(type);
    case Opcode::kIsFinite:
      return UnaryFor<IsFinite, kFloats>(type);
    case Opcode::kReal:
      return LoopFor<UnaryLoop, kComplexParts>(
          type, [](auto sample, auto) -> UnaryLoop { return RunPart<decltype(sample), 0>; });
    case Opcode::kImag:
      return LoopFor<UnaryLoop, kComplexParts>(
          type, [](auto sample, auto) -> UnaryLoop { return RunPart<decltype(sample), 1>; });
    case Opcode::kReducePrecision:
      return LoopFor<UnaryLoop, kFloats>(type, [](auto sample, auto) -> UnaryLoop {
        return RunReducePrecision<decltype(sample)>;
      });
    default:
      return nullptr;
  }
}

TernaryLoop FindNativeClampLoop(ElementType type) {
  return LoopFor<TernaryLoop, kFloats | kIntegers>(
      type, [](auto sample, auto) -> TernaryLoop { return RunClamp<decltype(sample)>; });
}

TernaryLoop FindNativeSelectLoop(const ScalarOp& op) {
  if (op.opcode != Opcode::kSelect) return nullptr;
  switch (StorageBytes(op.operand_type)) {
    case 1:
      return RunSelect<uint8_t>;
    case 2:
      return RunSelect<uint16_t>;
    case 4:
      return RunSelect<uint32_t>;
    case 8:
      return RunSelect<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace assay::evaluator::kernels
