// One elementwise operation on bit patterns: operands are decoded by their row, the operation is
// computed in double, 64-bit integers or pairs of double, and the result is encoded with one
// rounding. Double has more than twice the digits of every narrower float type, so that sums,
// products, quotients and square roots of these are the correctly rounded ones.
// Tests: kernel_elements_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_APPLY_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_APPLY_H_

#include "backends/cuda/kernels/complex_pairs.h"
#include "backends/cuda/kernels/element.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

ASSAY_DEVICE double Maximum(double x, double y) {
  if (ASSAY_MUTANT(1, IsNanValue(x), false) || IsNanValue(y)) return NanValue();
  if (x == y) return SignBit(x) ? y : x;
  return x > y ? x : y;
}
ASSAY_DEVICE double Minimum(double x, double y) {
  if (IsNanValue(x) || IsNanValue(y)) return NanValue();
  if (x == y) return SignBit(x) ? x : y;
  return x < y ? x : y;
}
ASSAY_DEVICE double Floor(double x) {
  if (!(Magnitude(x) < 0x1p52)) return x;
  const double whole = static_cast<double>(static_cast<int64_t>(x));
  return WithSign(whole > x ? whole - 1 : whole, SignBit(x));
}
ASSAY_DEVICE double Ceil(double x) { return -Floor(-x); }
ASSAY_DEVICE double RoundEven(double x) {
  if (!(Magnitude(x) < 0x1p51)) {
    return Magnitude(x) < 0x1p52 ? WithSign((Magnitude(x) + 0x1p52) - 0x1p52, SignBit(x)) : x;
  }
  return WithSign(NearestInteger(Magnitude(x)), SignBit(x));
}
ASSAY_DEVICE double RoundAway(double x) {
  const double a = Magnitude(x);
  if (!(a < 0x1p52)) return x;
  const double whole = static_cast<double>(static_cast<uint64_t>(a));
  return WithSign(a - whole >= 0.5 ? whole + 1 : whole, SignBit(x));
}

// A float function of one operand, in double.
ASSAY_DEVICE_SELECTION double ApplyUnary(Op op, double x) {
  switch (op) {
    case Op::kAcos:
      return Acos(x);
    case Op::kAcosh:
      return Acosh(x);
    case Op::kAsin:
      return Asin(x);
    case Op::kAsinh:
      return Asinh(x);
    case Op::kAtanh:
      return Atanh(x);
    case Op::kCbrt:
      return Cbrt(x);
    case Op::kCeil:
      return Ceil(x);
    case Op::kCos:
      return Cos(x);
    case Op::kCosh:
      return Cosh(x);
    case Op::kErf:
      return Erf(x);
    case Op::kExp:
      return Exp(x);
    case Op::kExpm1:
      return Expm1(x);
    case Op::kFloor:
      return Floor(x);
    case Op::kLog:
      return Log(x);
    case Op::kLog1p:
      return Log1p(x);
    case Op::kLogistic:
      return Logistic(x);
    case Op::kRoundNearestAfz:
      return RoundAway(x);
    case Op::kRoundNearestEven:
      return RoundEven(x);
    case Op::kRsqrt:
      return Rsqrt(x);
    case Op::kSign:
      return IsNanValue(x) || x == 0 ? x : WithSign(1, SignBit(x));
    case Op::kSin:
      return Sin(x);
    case Op::kSinh:
      return Sinh(x);
    case Op::kSqrt:
      return SquareRoot(x);
    case Op::kTan:
      return Tan(x);
    case Op::kTanh:
      return Tanh(x);
    default:
      return x;
  }
}
ASSAY_DEVICE_SELECTION double ApplyBinary(Op op, double x, double y) {
  switch (op) {
    case Op::kAdd:
      return x + y;
    case Op::kSubtract:
      return x - y;
    case Op::kMultiply:
      return x * y;
    case Op::kDivide:
      return x / y;
    case Op::kRemainder:
      return Remainder(x, y);
    case Op::kPower:
      return Power(x, y);
    case Op::kAtan2:
      return Atan2(x, y);
    case Op::kMaximum:
      return Maximum(x, y);
    case Op::kMinimum:
      return Minimum(x, y);
    default:
      return x;
  }
}

// Bits of floats: what changes no digit.
ASSAY_DEVICE uint64_t NegateBits(const ElementRow& row, uint64_t bits) {
  if (IsScale(row)) return 0xff;
  if (row.nan == kNanNegativeZero && (bits == 0 || bits == SignMask(row))) return bits;
  return bits ^ SignMask(row);
}
ASSAY_DEVICE uint64_t AbsBits(const ElementRow& row, uint64_t bits) {
  if (IsScale(row) || (row.nan == kNanNegativeZero && bits == SignMask(row))) return bits;
  return bits & ~SignMask(row);
}
ASSAY_DEVICE bool IsFiniteBits(const ElementRow& row, uint64_t bits) {
  if (IsNanBits(row, bits)) return false;
  return IsScale(row) || !row.has_infinity || (bits & ~SignMask(row)) <= LargestFinite(row);
}
ASSAY_DEVICE_SELECTION uint64_t ReducePrecision(const Step& step, uint64_t bits) {
  const ElementRow& row = step.in;
  const int m = row.significand_bits, e = row.exponent_bits;
  const int to_m = step.mantissa_bits, to_e = step.exponent_bits;
  const uint64_t sign = row.has_sign ? bits & SignMask(row) : 0;
  if (IsNanBits(row, bits)) {
    if (to_m > 0 || m == 0) return bits;
    return row.has_infinity ? LowBits(e) << m : bits;
  }
  if (!IsFiniteBits(row, bits)) return bits;
  uint64_t magnitude = bits ^ sign;
  if (to_m < m) {
    const int drop = m - to_m;
    magnitude += ((1ull << (drop - 1)) - 1) + (magnitude >> drop & 1);
    magnitude &= ~LowBits(drop);
    if (magnitude > LargestFinite(row)) return OverflowBits(row, sign != 0);
  }
  if (to_e < e) {
    const int field = static_cast<int>(magnitude >> m);
    const int reach = (1 << (to_e - 1)) - 1;
    if (field > row.bias + reach) return OverflowBits(row, sign != 0);
    if (field <= row.bias - reach) {
      if (IsScale(row)) return CanonicalNan(row);
      magnitude = 0;
    }
  }
  return magnitude == 0 && !row.signed_zero ? 0 : sign | magnitude;
}
ASSAY_DEVICE bool CompareResult(uint8_t direction, bool less, bool equal, bool unordered) {
  switch (direction) {
    case kEqual:
      return equal;
    case kNotEqual:
      return !equal;
    case kGreaterEqual:
      return !unordered && !less;
    case kGreater:
      return !unordered && !less && !equal;
    case kLessEqual:
      return less || equal;
    default:
      return less;
  }
}
ASSAY_DEVICE_SELECTION bool Compare(const Step& step, Value x, Value y) {
  const ElementRow& row = step.in;
  bool less = false, equal = false, unordered = false;
  if (row.kind == kKindComplex) {
    equal = DecodeFloat(row, x.bits) == DecodeFloat(row, y.bits) &&
            DecodeFloat(row, x.imag) == DecodeFloat(row, y.imag);
  } else if (row.kind == kKindFloat && !step.total_order) {
    const double a = DecodeFloat(row, x.bits), b = DecodeFloat(row, y.bits);
    less = a < b;
    equal = a == b;
    unordered = IsNanValue(a) || IsNanValue(b);
  } else if (row.kind == kKindUnsigned) {
    less = x.bits < y.bits;
    equal = x.bits == y.bits;
  } else {
    const int64_t a = TotalOrderKey(row, x.bits), b = TotalOrderKey(row, y.bits);
    less = a < b;
    equal = a == b;
  }
  return CompareResult(step.direction, less, equal, unordered);
}
// To signed integers, up or down by chance.
ASSAY_DEVICE uint64_t StochasticConvert(const Step& step, uint64_t bits, uint64_t random) {
  const double x = DecodeFloat(step.in, bits);
  const ElementRow& to = step.out;
  const double limit = PowerOfTwo(to.bits - 1);
  if (IsNanValue(x) || x >= limit - 1 || x <= -limit) return EncodeIntegerFromFloat(to, x);
  const double a = Magnitude(x), whole = Floor(a), fraction = a - whole;
  uint64_t magnitude = static_cast<uint64_t>(whole);
  if (fraction > 0) {
    const double threshold = fraction * 2 * PowerOfTwo(step.in.bits - 1);
    if (random < static_cast<uint64_t>(threshold)) ++magnitude;
  }
  return EncodeInteger(to, SignBit(x) ? 0 - magnitude : magnitude);
}

ASSAY_DEVICE uint64_t PowerOfInteger(uint64_t x, uint64_t n) {
  uint64_t power = 1;
  for (; n != 0; n >>= 1, x *= x) {
    if ((n & 1) != 0) power *= x;
  }
  return power;
}
ASSAY_DEVICE int CountBits(uint64_t x) {
  int count = 0;
  for (; x != 0; x &= x - 1) ++count;
  return count;
}
ASSAY_DEVICE int WidthOf(uint64_t x) {
  int width = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (x >> step != 0) {
      x >>= step;
      width += step;
    }
  }
  return width + static_cast<int>(x);
}
ASSAY_DEVICE uint64_t HighProduct(const ElementRow& row, uint64_t x, uint64_t y) {
  Wide product = static_cast<Wide>(x) * y;
  if (row.kind == kKindSigned) {  // of sign-extended words
    if (x >> 63) product -= static_cast<Wide>(y) << 64;
    if (y >> 63) product -= static_cast<Wide>(x) << 64;
  }
  return static_cast<uint64_t>(product >> row.bits);
}
// Operands are extended to 64 bits; the result is wrapped by the caller.
ASSAY_DEVICE_SELECTION uint64_t ApplyInteger(Op op, const ElementRow& row, uint64_t x, uint64_t y) {
  const bool is_signed = row.kind == kKindSigned;
  const int64_t a = static_cast<int64_t>(x), b = static_cast<int64_t>(y);
  const uint64_t pattern = x & LowBits(row.bits), amount = y & LowBits(row.bits);
  const uint64_t bits = row.bits;
  switch (op) {
    case Op::kAbs:
      return a < 0 ? 0 - x : x;
    case Op::kAdd:
      return x + y;
    case Op::kSubtract:
      return x - y;
    case Op::kMultiply:
      return x * y;
    case Op::kNegate:
      return 0 - x;
    case Op::kSign:
      return a < 0 ? ~0ull : a > 0 ? 1 : 0;
    case Op::kNot:
      return ~x;
    case Op::kAnd:
      return x & y;
    case Op::kOr:
      return x | y;
    case Op::kXor:
      return x ^ y;
    case Op::kMaximum:
      return (is_signed ? a > b : x > y) ? x : y;
    case Op::kMinimum:
      return (is_signed ? a < b : x < y) ? x : y;
    case Op::kDivide:
      if (y == 0) return ~0ull;
      if (!is_signed) return x / y;
      return b == -1 ? 0 - x : static_cast<uint64_t>(a / b);
    case Op::kRemainder:
      if (y == 0) return x;
      if (!is_signed) return x % y;
      return b == -1 ? 0 : static_cast<uint64_t>(a % b);
    case Op::kPower:
      if (!is_signed || b >= 0) return PowerOfInteger(x, y);
      if (a == 1) return 1;
      return a == -1 ? ((y & 1) != 0 ? ~0ull : 1) : 0;
    case Op::kShiftLeft:
      return amount >= bits ? 0 : x << amount;
    case Op::kShiftRightLogical:
      return amount >= bits ? 0 : pattern >> amount;
    case Op::kShiftRightArithmetic: {
      const int64_t extended = DecodeSigned(row, pattern);
      return static_cast<uint64_t>(extended >> (amount >= bits ? bits - 1 : amount));
    }
    case Op::kClz:
      return bits - WidthOf(pattern);
    case Op::kPopcnt:
      return CountBits(pattern);
    case Op::kMulhi:
      return HighProduct(row, x, y);
    default:
      return x;
  }
}
ASSAY_DEVICE uint64_t ApplyPred(Op op, uint64_t x, uint64_t y) {
  switch (op) {
    case Op::kAdd:
    case Op::kOr:
    case Op::kMaximum:
      return x | y;
    case Op::kMultiply:
    case Op::kAnd:
    case Op::kMinimum:
      return x & y;
    case Op::kXor:
      return x ^ y;
    case Op::kNot:
      return x ^ 1;
    default:
      return x;
  }
}
ASSAY_DEVICE_SELECTION Complex ApplyComplex(Op op, Complex x, Complex y) {
  switch (op) {
    case Op::kAcos:
      return Acos(x);
    case Op::kAcosh:
      return Acosh(x);
    case Op::kAdd:
      return Add(x, y);
    case Op::kAsin:
      return Asin(x);
    case Op::kAsinh:
      return Asinh(x);
    case Op::kAtan2:
      return Atan2(x, y);
    case Op::kAtanh:
      return Atanh(x);
    case Op::kCos:
      return Cos(x);
    case Op::kCosh:
      return Cosh(x);
    case Op::kDivide:
      return Divide(x, y);
    case Op::kExp:
      return Exp(x);
    case Op::kExpm1:
      return Expm1(x);
    case Op::kLog:
      return Log(x);
    case Op::kLog1p:
      return Log1p(x);
    case Op::kLogistic:
      return Logistic(x);
    case Op::kMultiply:
      return Multiply(x, y);
    case Op::kPower:
      return Power(x, y);
    case Op::kRsqrt:
      return Rsqrt(x);
    case Op::kSign:
      return Sign(x);
    case Op::kSin:
      return Sin(x);
    case Op::kSinh:
      return Sinh(x);
    case Op::kSqrt:
      return Sqrt(x);
    case Op::kSubtract:
      return {x.re - y.re, x.im - y.im};
    case Op::kTan:
      return Tan(x);
    case Op::kTanh:
      return Tanh(x);
    default:
      return x;
  }
}
ASSAY_DEVICE Complex DecodeComplex(const ElementRow& row, Value x) {
  return {DecodeFloat(row, x.bits), DecodeFloat(row, x.imag)};
}
ASSAY_DEVICE bool TakesTwo(Op op) {
  return op == Op::kAdd || op == Op::kSubtract || op == Op::kMultiply || op == Op::kDivide ||
         op == Op::kRemainder || op == Op::kPower || op == Op::kAtan2 || op == Op::kMaximum ||
         op == Op::kMinimum;
}

// f8e8m0fnu rounds every number above its smallest value 2^-127 up, and has no zero. There it
// matters on which side of the exact result the double lies that was computed.
ASSAY_DEVICE double ResultOfScales(Op op, double a, double result) {
  const bool above =
      op == Op::kAsin || op == Op::kAtanh || op == Op::kExpm1 || op == Op::kSinh || op == Op::kTan;
  if (above && result == a) return a * (1 + PowerOfTwo(-52));
  return op == Op::kPower && result == 0 ? PowerOfTwo(-1000) : result;
}

// Arithmetic of operands and result of one type (complex abs apart) whose kind is kKind.
template <uint8_t kKind>
ASSAY_DEVICE_CASE Value ArithmeticOf(Op op, const ElementRow& row, const ElementRow& out, Value x,
                                     Value y) {
  if constexpr (kKind == kKindPred) {
    return {ApplyPred(op, x.bits, y.bits), 0};
  } else if constexpr (kKind == kKindSigned || kKind == kKindUnsigned) {
    const uint64_t a = DecodeInteger(row, x.bits), b = DecodeInteger(row, y.bits);
    return {EncodeInteger(row, ApplyInteger(op, row, a, b)), 0};
  } else if constexpr (kKind == kKindFloat) {
    if (op == Op::kAbs) return {AbsBits(row, x.bits), 0};
    if (op == Op::kNegate) return {NegateBits(row, x.bits), 0};
    const double a = DecodeFloat(row, x.bits);
    const double result =
        TakesTwo(op) ? ApplyBinary(op, a, DecodeFloat(row, y.bits)) : ApplyUnary(op, a);
    return {EncodeFloat(row, IsScale(row) ? ResultOfScales(op, a, result) : result), 0};
  } else {
    if (op == Op::kNegate) return {x.bits ^ SignMask(row), x.imag ^ SignMask(row)};
    const Complex a = DecodeComplex(row, x);
    if (op == Op::kAbs) return {EncodeFloat(out, Abs(a)), 0};
    const Complex b = TakesTwo(op) ? DecodeComplex(row, y) : Complex{};
    const Complex z = ApplyComplex(op, a, b);
    return {EncodeFloat(row, z.re), EncodeFloat(row, z.im)};
  }
}
ASSAY_DEVICE_SELECTION Value Arithmetic(Op op, const ElementRow& row, const ElementRow& out,
                                        Value x, Value y) {
  switch (row.kind) {
    case kKindPred:
      return ArithmeticOf<kKindPred>(op, row, out, x, y);
    case kKindSigned:
    case kKindUnsigned:
      return ArithmeticOf<kKindSigned>(op, row, out, x, y);
    case kKindFloat:
      return ArithmeticOf<kKindFloat>(op, row, out, x, y);
    default:
      return ArithmeticOf<kKindComplex>(op, row, out, x, y);
  }
}

// The result of a step whose operation is kOp, on a first operand of the kind kKind. A generated
// kernel asks for this one case, so that its compiler need not look at the others.
template <Op kOp, uint8_t kKind>
ASSAY_DEVICE_CASE Value ApplyCase(const Step& step, Value x, Value y, Value z) {
  if constexpr (kOp == Op::kCopy) {
    return x;
  } else if constexpr (kOp == Op::kBitcastConvert) {
    if (step.out.kind == kKindPred) return {x.bits != 0, 0};
    return {x.bits & LowBits(step.out.bits), x.imag};
  } else if constexpr (kOp == Op::kReal) {
    return {x.bits, 0};
  } else if constexpr (kOp == Op::kImag) {
    return {step.in.kind == kKindComplex ? x.imag : EncodeFloat(step.out, 0), 0};
  } else if constexpr (kOp == Op::kComplex) {
    return {x.bits, y.bits};
  } else if constexpr (kOp == Op::kSelect) {
    return x.bits != 0 ? y : z;
  } else if constexpr (kOp == Op::kConvert) {
    return Convert(step.in, step.out, x);
  } else if constexpr (kOp == Op::kCompare) {
    return {Compare(step, x, y), 0};
  } else if constexpr (kOp == Op::kIsFinite) {
    return {IsFiniteBits(step.in, x.bits), 0};
  } else if constexpr (kOp == Op::kClamp) {
    const Value low = ArithmeticOf<kKind>(Op::kMaximum, step.out, step.out, x, y);
    return ArithmeticOf<kKind>(Op::kMinimum, step.out, step.out, low, z);
  } else if constexpr (kOp == Op::kReducePrecision) {
    return {ReducePrecision(step, x.bits), 0};
  } else if constexpr (kOp == Op::kStochasticConvert) {
    return {StochasticConvert(step, x.bits, y.bits), 0};
  } else {
    return ArithmeticOf<kKind>(kOp, step.in, step.out, x, y);
  }
}

// The result of a step.
ASSAY_DEVICE_SELECTION Value Apply(const Step& step, Value x, Value y, Value z) {
#define ASSAY_CASE(op) \
  case op:             \
    return ApplyCase<op, kKindPred>(step, x, y, z)
  switch (step.op) {
    ASSAY_CASE(Op::kCopy);
    ASSAY_CASE(Op::kBitcastConvert);
    ASSAY_CASE(Op::kReal);
    ASSAY_CASE(Op::kImag);
    ASSAY_CASE(Op::kComplex);
    ASSAY_CASE(Op::kSelect);
    ASSAY_CASE(Op::kConvert);
    ASSAY_CASE(Op::kCompare);
    ASSAY_CASE(Op::kIsFinite);
    ASSAY_CASE(Op::kReducePrecision);
    ASSAY_CASE(Op::kStochasticConvert);
    case Op::kClamp: {
      const Value low = Arithmetic(Op::kMaximum, step.out, step.out, x, y);
      return Arithmetic(Op::kMinimum, step.out, step.out, low, z);
    }
    default:
      return Arithmetic(step.op, step.in, step.out, x, y);
  }
#undef ASSAY_CASE
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_APPLY_H_
