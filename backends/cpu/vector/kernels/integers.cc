// Integers of any width up to 64 bits: exact results modulo 2^bits (ops_elementwise_and_types.md
// 6.2 to 6.7 and 6.11). Kernels of narrow types leave surplus bits that the wrapping kernels clear.
#include "backends/cpu/vector/kernels/loops.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

template <typename T>
using Unsigned = std::make_unsigned_t<T>;
// Unsigned arithmetic that does not promote to int.
template <typename T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned<T>>;

// The low `bits` of a pattern.
template <typename T>
ASSAY_INLINE Unsigned<T> Pattern(T x, int32_t bits) {
  constexpr int kWidth = 8 * sizeof(T);
  return static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(x) &
                                  (static_cast<Unsigned<T>>(-1) >> (kWidth - bits)));
}

#define ASSAY_WRAPPING_BINARY(name, expression)   \
  struct name : Plain {                           \
    using Plain::Plain;                           \
    template <typename T>                         \
    ASSAY_INLINE T operator()(T x, T y) const {   \
      const auto a = static_cast<Wrapping<T>>(x); \
      const auto b = static_cast<Wrapping<T>>(y); \
      return static_cast<T>(expression);          \
    }                                             \
  };
ASSAY_WRAPPING_BINARY(IntegerAdd, a + b)
ASSAY_WRAPPING_BINARY(IntegerSubtract, a - b)
ASSAY_WRAPPING_BINARY(IntegerMultiply, a* b)
ASSAY_WRAPPING_BINARY(IntegerAnd, a& b)
ASSAY_WRAPPING_BINARY(IntegerOr, a | b)
ASSAY_WRAPPING_BINARY(IntegerXor, a ^ b)
#undef ASSAY_WRAPPING_BINARY

struct IntegerNot : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    return static_cast<T>(~x);
  }
};

struct IntegerNegate : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
  }
};

struct IntegerAbs : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    const auto magnitude = static_cast<Wrapping<T>>(x);
    return static_cast<T>(x < 0 ? Wrapping<T>{0} - magnitude : magnitude);
  }
};

struct IntegerSign : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    return static_cast<T>((x > 0) - (x < 0));
  }
};

struct IntegerMaximum : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    return x > y ? x : y;
  }
};

struct IntegerMinimum : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    return x < y ? x : y;
  }
};

struct IntegerClamp : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T low, T x, T high) const {
    const T raised = x > low ? x : low;
    return raised < high ? raised : high;
  }
};

// The quotient of 32-bit integers, towards zero, for divisors but 0 and -1 (those count as 1).
// Vectors divide doubles only. The cut quotient of doubles is exact: x / y is at least 1 / |y| from
// the next integer, a part of 2^-32 of it, and the quotient of doubles is off by 2^-53 of it.
template <typename T>
ASSAY_INLINE T WordQuotient(T x, T y) {
  const bool special = y == 0 || (std::is_signed_v<T> && y == static_cast<T>(-1));
  const T divisor = special ? T{1} : y;
  return static_cast<T>(static_cast<double>(x) / static_cast<double>(divisor));
}

struct IntegerDivide : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    if constexpr (sizeof(T) == 4) {
      T quotient = WordQuotient(x, y);
      if constexpr (std::is_signed_v<T>) {
        const auto negated = static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
        quotient = y == -1 ? negated : quotient;
      }
      return y == 0 ? static_cast<T>(-1) : quotient;
    }
    if (y == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
    }
    return static_cast<T>(x / y);
  }
};

struct IntegerRemainder : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    if constexpr (sizeof(T) == 4) {
      const auto product =
          static_cast<Wrapping<T>>(WordQuotient(x, y)) * static_cast<Wrapping<T>>(y);
      const auto rest = static_cast<T>(static_cast<Wrapping<T>>(x) - product);
      if constexpr (std::is_signed_v<T>) return y == -1 ? T{0} : rest;  // by 0: x, as it must be
      return rest;
    }
    if (y == 0) return x;
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return 0;
    }
    return static_cast<T>(x % y);
  }
};

// Exact modulo 2^bits for every exponent; (-1)^n has the sign of n's parity (decision P-1).
struct IntegerPower : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    if constexpr (std::is_signed_v<T>) {
      if (y < 0) return static_cast<T>(x == 1 ? 1 : x == -1 ? ((y & 1) != 0 ? -1 : 1) : 0);
    }
    Wrapping<T> result = 1;
    auto square = static_cast<Wrapping<T>>(x);
    for (auto rest = static_cast<Unsigned<T>>(y); rest != 0;
         rest = static_cast<Unsigned<T>>(rest >> 1)) {
      if ((rest & 1) != 0) result *= square;
      square *= square;
    }
    return static_cast<T>(result);
  }
};

struct IntegerMulhi : WithBits {
  using WithBits::WithBits;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    if constexpr (sizeof(T) == 8) {
      using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
      return static_cast<T>((static_cast<Wide>(x) * y) >> 64);
    } else {
      using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
      return static_cast<T>((static_cast<Wide>(x) * y) >> bits);
    }
  }
};

struct IntegerShiftLeft : WithBits {
  using WithBits::WithBits;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    const Wrapping<T> amount = Pattern(y, bits);
    const auto width = static_cast<Wrapping<T>>(bits);
    const Wrapping<T> shifted = static_cast<Wrapping<T>>(x) << (amount < width ? amount : 0);
    return static_cast<T>(amount < width ? shifted : 0);
  }
};

struct IntegerShiftRightLogical : WithBits {
  using WithBits::WithBits;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    const Wrapping<T> amount = Pattern(y, bits);
    const auto width = static_cast<Wrapping<T>>(bits);
    const Wrapping<T> shifted =
        static_cast<Wrapping<T>>(Pattern(x, bits)) >> (amount < width ? amount : 0);
    return static_cast<T>(amount < width ? shifted : 0);
  }
};

// Reads the pattern as signed, of unsigned types too (decision I-5).
struct IntegerShiftRightArithmetic : WithBits {
  using WithBits::WithBits;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    using Wide = std::make_signed_t<Wrapping<T>>;
    constexpr int kWidth = 8 * sizeof(Wide);
    const Wide value =
        static_cast<Wide>(static_cast<Wrapping<T>>(x) << (kWidth - bits)) >> (kWidth - bits);
    const Wrapping<T> amount = Pattern(y, bits);
    const auto most = static_cast<Wrapping<T>>(bits - 1);
    return static_cast<T>(value >> (amount < most ? amount : most));
  }
};

struct IntegerClz : WithBits {
  using WithBits::WithBits;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    const uint64_t pattern = Pattern(x, bits);
    return static_cast<T>(pattern == 0 ? bits : __builtin_clzll(pattern) - (64 - bits));
  }
};

struct IntegerPopcnt : WithBits {
  using WithBits::WithBits;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    return static_cast<T>(__builtin_popcountll(Pattern(x, bits)));
  }
};

#define ASSAY_COMPARISON(name, op)                    \
  struct name : Plain {                               \
    using Plain::Plain;                               \
    template <typename T>                             \
    ASSAY_INLINE uint8_t operator()(T x, T y) const { \
      return x op y;                                  \
    }                                                 \
  };
ASSAY_COMPARISON(IntegerEq, ==)
ASSAY_COMPARISON(IntegerNe, !=)
ASSAY_COMPARISON(IntegerGe, >=)
ASSAY_COMPARISON(IntegerGt, >)
ASSAY_COMPARISON(IntegerLe, <=)
ASSAY_COMPARISON(IntegerLt, <)
#undef ASSAY_COMPARISON

// What depends on the signedness, for either.
template <typename T>
void FillBySign(KernelTable& table) {
  constexpr Lane kLane = LaneFor<T>();
  At(table, KernelOp::kMaximum, kLane) = Binary<IntegerMaximum, T, T>;
  At(table, KernelOp::kMinimum, kLane) = Binary<IntegerMinimum, T, T>;
  At(table, KernelOp::kClamp, kLane) = Ternary<IntegerClamp, T, T>;
  At(table, KernelOp::kDivide, kLane) = Binary<IntegerDivide, T, T>;
  At(table, KernelOp::kRemainder, kLane) = Binary<IntegerRemainder, T, T>;
  At(table, KernelOp::kPower, kLane) = Binary<IntegerPower, T, T>;
  At(table, KernelOp::kMulhi, kLane) = Binary<IntegerMulhi, T, T>;
  auto compare = [&table](Direction direction) -> BlockKernel& {
    return table.compare[static_cast<int>(direction)][static_cast<int>(kLane)];
  };
  compare(Direction::kEq) = Binary<IntegerEq, uint8_t, Unsigned<T>>;
  compare(Direction::kNe) = Binary<IntegerNe, uint8_t, Unsigned<T>>;
  compare(Direction::kGe) = Binary<IntegerGe, uint8_t, T>;
  compare(Direction::kGt) = Binary<IntegerGt, uint8_t, T>;
  compare(Direction::kLe) = Binary<IntegerLe, uint8_t, T>;
  compare(Direction::kLt) = Binary<IntegerLt, uint8_t, T>;
}

// The rest, for both by the unsigned type. U is unsigned.
template <typename U>
void FillByWidth(KernelTable& table) {
  using S = std::make_signed_t<U>;
  FillBySign<U>(table);
  FillBySign<S>(table);
  At(table, KernelOp::kAbs, LaneFor<S>()) = Unary<IntegerAbs, S, S>;
  At(table, KernelOp::kSign, LaneFor<S>()) = Unary<IntegerSign, S, S>;
  for (const Lane lane : {LaneFor<U>(), LaneFor<S>()}) {
    At(table, KernelOp::kAdd, lane) = Binary<IntegerAdd, U, U>;
    At(table, KernelOp::kSubtract, lane) = Binary<IntegerSubtract, U, U>;
    At(table, KernelOp::kMultiply, lane) = Binary<IntegerMultiply, U, U>;
    At(table, KernelOp::kAnd, lane) = Binary<IntegerAnd, U, U>;
    At(table, KernelOp::kOr, lane) = Binary<IntegerOr, U, U>;
    At(table, KernelOp::kXor, lane) = Binary<IntegerXor, U, U>;
    At(table, KernelOp::kNot, lane) = Unary<IntegerNot, U, U>;
    At(table, KernelOp::kNegate, lane) = Unary<IntegerNegate, U, U>;
    At(table, KernelOp::kShiftLeft, lane) = Binary<IntegerShiftLeft, U, U>;
    At(table, KernelOp::kShiftRightLogical, lane) = Binary<IntegerShiftRightLogical, U, U>;
    At(table, KernelOp::kShiftRightArithmetic, lane) = Binary<IntegerShiftRightArithmetic, U, U>;
    At(table, KernelOp::kClz, lane) = Unary<IntegerClz, U, U>;
    At(table, KernelOp::kPopcnt, lane) = Unary<IntegerPopcnt, U, U>;
  }
}

}  // namespace

void FillIntegers(KernelTable& table) {
  FillByWidth<uint8_t>(table);
  FillByWidth<uint16_t>(table);
  FillByWidth<uint32_t>(table);
  FillByWidth<uint64_t>(table);
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
