// f32 and f64: basic operations, comparisons, rounding to integers, classification
// (ops_elementwise_and_types.md 6.1 and 6.6 to 6.9), and the remainder, which is exact (6.11).
#include "backends/cpu/vector/kernels/loops.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
template <typename T>
constexpr BitsOf<T> kSign = BitsOf<T>{1} << (8 * sizeof(T) - 1);
template <typename T>
constexpr BitsOf<T> kInfinity = sizeof(T) == 4 ? BitsOf<T>{0x7f800000}
                                               : static_cast<BitsOf<T>>(0x7ff0000000000000);

template <typename T>
ASSAY_INLINE T CopySign(T magnitude, T sign) {
  return FromBits((Bits(magnitude) & ~kSign<T>) | (Bits(sign) & kSign<T>));
}
ASSAY_INLINE float Truncated(float x) { return __builtin_truncf(x); }
ASSAY_INLINE double Truncated(double x) { return __builtin_trunc(x); }
ASSAY_INLINE float Fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
ASSAY_INLINE double Fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

#define ASSAY_FLOAT_BINARY(name, expression)    \
  struct name : Plain {                         \
    using Plain::Plain;                         \
    template <typename T>                       \
    ASSAY_INLINE T operator()(T x, T y) const { \
      return expression;                        \
    }                                           \
  };
ASSAY_FLOAT_BINARY(FloatAdd, x + y)
ASSAY_FLOAT_BINARY(FloatSubtract, x - y)
ASSAY_FLOAT_BINARY(FloatMultiply, x* y)
ASSAY_FLOAT_BINARY(FloatDivide, x / y)
#undef ASSAY_FLOAT_BINARY

// Of operands that are equal, zeros may differ: +0 is above -0.
template <typename T>
ASSAY_INLINE T Larger(T x, T y) {
  const T ordered = x > y ? x : y > x ? y : FromBits(Bits(x) & Bits(y));
  return x != x || y != y ? x + y : ordered;
}
template <typename T>
ASSAY_INLINE T Smaller(T x, T y) {
  const T ordered = x < y ? x : y < x ? y : FromBits(Bits(x) | Bits(y));
  return x != x || y != y ? x + y : ordered;
}

struct FloatMaximum : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    return Larger(x, y);
  }
};
struct FloatMinimum : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    return Smaller(x, y);
  }
};
struct FloatClamp : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T low, T x, T high) const {
    return Smaller(Larger(low, x), high);
  }
};

struct FloatAbs : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    return FromBits(Bits(x) & ~kSign<T>);
  }
};
struct FloatNegate : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    return FromBits(Bits(x) ^ kSign<T>);
  }
};
struct FloatSign : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    return x > 0 ? T{1} : x < 0 ? T{-1} : x;
  }
};
struct FloatCeil : Plain {
  using Plain::Plain;
  ASSAY_INLINE float operator()(float x) const { return __builtin_ceilf(x); }
  ASSAY_INLINE double operator()(double x) const { return __builtin_ceil(x); }
};
struct FloatFloor : Plain {
  using Plain::Plain;
  ASSAY_INLINE float operator()(float x) const { return __builtin_floorf(x); }
  ASSAY_INLINE double operator()(double x) const { return __builtin_floor(x); }
};
struct FloatRoundEven : Plain {
  using Plain::Plain;
  ASSAY_INLINE float operator()(float x) const { return __builtin_rintf(x); }
  ASSAY_INLINE double operator()(double x) const { return __builtin_rint(x); }
};
struct FloatRoundAway : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    const T whole = Truncated(x);
    const T fraction = FromBits(Bits(x - whole) & ~kSign<T>);  // exact
    return whole + CopySign(fraction >= T{0.5} ? T{1} : T{0}, x);
  }
};
struct FloatSqrt : Plain {
  using Plain::Plain;
  ASSAY_INLINE float operator()(float x) const { return __builtin_sqrtf(x); }
  ASSAY_INLINE double operator()(double x) const { return __builtin_sqrt(x); }
};
struct FloatIsFinite : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE uint8_t operator()(T x) const {
    return (Bits(x) & ~kSign<T>) < kInfinity<T>;
  }
};
struct FloatPositive : Plain {
  using Plain::Plain;
  ASSAY_INLINE double operator()(double x) const { return x == 0 ? FromBits(uint64_t{1}) : x; }
};

// The integer part of x / y as rounded is never below that of the exact quotient, and one above it
// at most where it is below 2^precision: the fused remainder is exact then, and one correction is
// all. Larger quotients are reduced by multiples y * 2^k first, which leave the remainder alone.
template <typename T>
ASSAY_INLINE T ReducedOnce(T x, T y) {
  const T rest = Fused(-Truncated(x / y), y, x);
  return rest < 0 ? rest + y : rest;
}
template <typename T>
T RemainderOfMagnitudes(T x, T y) {
  constexpr T kLargest = sizeof(T) == 4 ? T{0x1p22f} : T{0x1p51};
  while (x >= y * kLargest) {
    // y * 2^k below x, by as much as one reduction takes; y may be subnormal.
    T multiple = y;
    T doubled = y;
    for (const T bound = x / kLargest; doubled <= bound; doubled += doubled) multiple = doubled;
    multiple += multiple;
    x = ReducedOnce(x, multiple);
  }
  return ReducedOnce(x, y);
}
struct FloatRemainder : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    const T a = FromBits(Bits(x) & ~kSign<T>);
    const T b = FromBits(Bits(y) & ~kSign<T>);
    const bool defined = Bits(a) < kInfinity<T> && b > 0;
    if (!defined) return (x * y) / (x * y);
    if (a < b) return x;
    return CopySign(RemainderOfMagnitudes(a, b), x);
  }
};

// In the total order -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN patterns compare as integers
// once the magnitudes of negatives are complemented.
template <typename T>
ASSAY_INLINE auto TotalOrderKey(T x) {
  using Signed = std::make_signed_t<BitsOf<T>>;
  const auto pattern = static_cast<Signed>(Bits(x));
  return pattern < 0 ? static_cast<Signed>(pattern ^ static_cast<Signed>(~kSign<T>)) : pattern;
}

#define ASSAY_FLOAT_COMPARISON(name, op)              \
  struct Float##name : Plain {                        \
    using Plain::Plain;                               \
    template <typename T>                             \
    ASSAY_INLINE uint8_t operator()(T x, T y) const { \
      return x op y;                                  \
    }                                                 \
  };                                                  \
  struct Total##name : Plain {                        \
    using Plain::Plain;                               \
    template <typename T>                             \
    ASSAY_INLINE uint8_t operator()(T x, T y) const { \
      return TotalOrderKey(x) op TotalOrderKey(y);    \
    }                                                 \
  };
ASSAY_FLOAT_COMPARISON(Eq, ==)
ASSAY_FLOAT_COMPARISON(Ne, !=)
ASSAY_FLOAT_COMPARISON(Ge, >=)
ASSAY_FLOAT_COMPARISON(Gt, >)
ASSAY_FLOAT_COMPARISON(Le, <=)
ASSAY_FLOAT_COMPARISON(Lt, <)
#undef ASSAY_FLOAT_COMPARISON

template <typename T>
void FillComparisons(KernelTable& table) {
  constexpr int kLane = static_cast<int>(LaneFor<T>());
  table.compare[static_cast<int>(Direction::kEq)][kLane] = Binary<FloatEq, uint8_t, T>;
  table.compare[static_cast<int>(Direction::kNe)][kLane] = Binary<FloatNe, uint8_t, T>;
  table.compare[static_cast<int>(Direction::kGe)][kLane] = Binary<FloatGe, uint8_t, T>;
  table.compare[static_cast<int>(Direction::kGt)][kLane] = Binary<FloatGt, uint8_t, T>;
  table.compare[static_cast<int>(Direction::kLe)][kLane] = Binary<FloatLe, uint8_t, T>;
  table.compare[static_cast<int>(Direction::kLt)][kLane] = Binary<FloatLt, uint8_t, T>;
  auto& total = table.total_order;
  total[static_cast<int>(Direction::kEq)][kLane] = Binary<TotalEq, uint8_t, T>;
  total[static_cast<int>(Direction::kNe)][kLane] = Binary<TotalNe, uint8_t, T>;
  total[static_cast<int>(Direction::kGe)][kLane] = Binary<TotalGe, uint8_t, T>;
  total[static_cast<int>(Direction::kGt)][kLane] = Binary<TotalGt, uint8_t, T>;
  total[static_cast<int>(Direction::kLe)][kLane] = Binary<TotalLe, uint8_t, T>;
  total[static_cast<int>(Direction::kLt)][kLane] = Binary<TotalLt, uint8_t, T>;
}

template <typename T>
void FillFloat(KernelTable& table) {
  constexpr Lane kLane = LaneFor<T>();
  At(table, KernelOp::kAdd, kLane) = Binary<FloatAdd, T, T>;
  At(table, KernelOp::kSubtract, kLane) = Binary<FloatSubtract, T, T>;
  At(table, KernelOp::kMultiply, kLane) = Binary<FloatMultiply, T, T>;
  At(table, KernelOp::kDivide, kLane) = Binary<FloatDivide, T, T>;
  At(table, KernelOp::kRemainder, kLane) = Binary<FloatRemainder, T, T>;
  At(table, KernelOp::kMaximum, kLane) = Binary<FloatMaximum, T, T>;
  At(table, KernelOp::kMinimum, kLane) = Binary<FloatMinimum, T, T>;
  At(table, KernelOp::kClamp, kLane) = Ternary<FloatClamp, T, T>;
  At(table, KernelOp::kAbs, kLane) = Unary<FloatAbs, T, T>;
  At(table, KernelOp::kNegate, kLane) = Unary<FloatNegate, T, T>;
  At(table, KernelOp::kSign, kLane) = Unary<FloatSign, T, T>;
  At(table, KernelOp::kCeil, kLane) = Unary<FloatCeil, T, T>;
  At(table, KernelOp::kFloor, kLane) = Unary<FloatFloor, T, T>;
  At(table, KernelOp::kRoundNearestEven, kLane) = Unary<FloatRoundEven, T, T>;
  At(table, KernelOp::kRoundNearestAfz, kLane) = Unary<FloatRoundAway, T, T>;
  At(table, KernelOp::kSqrt, kLane) = Unary<FloatSqrt, T, T>;
  At(table, KernelOp::kIsFinite, kLane) = Unary<FloatIsFinite, uint8_t, T>;
  FillComparisons<T>(table);
}

}  // namespace

void FillFloats(KernelTable& table) {
  FillFloat<float>(table);
  FillFloat<double>(table);
  table.positive = Unary<FloatPositive, double, double>;
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
