// Elementary functions of doubles. They use only IEEE operations and explicit fma, so that their
// bits are the same with every compiler and device. Results are computed as a Pair and rounded
// once; the narrower types round them again. The measured errors are in docs/cuda_accuracy.md.
// Tests: kernel_functions_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_FUNCTIONS_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_FUNCTIONS_H_

#include "backends/cuda/kernels/double_double.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

// value * 2^exponent.
struct Scaled {
  Pair value;
  int exponent = 0;
};

// e^r - 1 for |r| <= 0.36, with a relative error below 2^-58.
ASSAY_DEVICE Pair Expm1Near(Pair r) {
  const double x = r.high;
  double tail = 4.779477332387385e-14;  // 1/16!
  tail = Fma(tail, x, 7.647163731819816e-13);
  tail = Fma(tail, x, 1.1470745597729725e-11);
  tail = Fma(tail, x, 1.6059043836821613e-10);
  tail = Fma(tail, x, 2.08767569878681e-09);
  tail = Fma(tail, x, 2.505210838544172e-08);
  tail = Fma(tail, x, 2.755731922398589e-07);
  tail = Fma(tail, x, 2.7557319223985893e-06);
  tail = Fma(tail, x, 2.48015873015873e-05);
  tail = Fma(tail, x, 0.0001984126984126984);
  tail = Fma(tail, x, 0.001388888888888889);
  tail = Fma(tail, x, 0.008333333333333333);
  tail = Fma(tail, x, 0.041666666666666664);
  tail = Fma(tail, x, 0.16666666666666666);
  const Pair square = r * r;
  return r + (Times(square, 0.5) + square.high * x * tail);
}

// e^x for |x| < 2000.
ASSAY_DEVICE_CALL Scaled ExpScaled(Pair x) {
  const double k = NearestInteger(x.high * 0x1.71547652b82fep+0);
  Pair r = ExactSum(x.high, -k * 0x1.62e42fefa3800p-1);
  r = r + x.low;
  r = r + -ExactProduct(k, 0x1.ef35793c76730p-45);
  r = r + -k * 0x1.f97b57a079a19p-103;
  return {Expm1Near(r) + 1.0, static_cast<int>(k)};
}
ASSAY_DEVICE double Finish(Scaled s) { return Scale(Rounded(s.value), s.exponent); }
// For exponents that leave the value in the normal range.
ASSAY_DEVICE Pair Plain(Scaled s) { return Times(s.value, PowerOfTwo(s.exponent)); }

ASSAY_DEVICE double Exp(double x) {
  if (IsNanValue(x)) return NanValue();
  if (x > 710) return InfinityValue();
  if (x < -746) return 0;
  return Finish(ExpScaled({x, 0}));
}

// e^x - 1 for |x| < 700.
ASSAY_DEVICE Pair Expm1Pair(Pair x) {
  if (Magnitude(x.high) < 0.34) return Expm1Near(x);
  return Plain(ExpScaled(x)) + -1.0;
}
ASSAY_DEVICE double Expm1(double x) {
  if (IsNanValue(x)) return NanValue();
  if (x > 60) return Exp(x);
  if (x < -60) return -1;
  if (Magnitude(x) < 0x1p-60) return x;
  return Rounded(Expm1Pair({x, 0}));
}

// 2 * atanh(s) for |s| <= 0.18.
ASSAY_DEVICE Pair TwiceAtanh(Pair s) {
  const Pair z = s * s;
  const double x = z.high;
  double tail = 1.0 / 27;
  tail = Fma(tail, x, 1.0 / 25);
  tail = Fma(tail, x, 1.0 / 23);
  tail = Fma(tail, x, 1.0 / 21);
  tail = Fma(tail, x, 1.0 / 19);
  tail = Fma(tail, x, 1.0 / 17);
  tail = Fma(tail, x, 1.0 / 15);
  tail = Fma(tail, x, 1.0 / 13);
  tail = Fma(tail, x, 1.0 / 11);
  tail = Fma(tail, x, 1.0 / 9);
  const Pair seventh = Pair{0x1.2492492492492p-3, 0x1.2492492492492p-57} + x * tail;
  const Pair fifth = Pair{0x1.999999999999ap-3, -0x1.999999999999ap-57} + z * seventh;
  const Pair third = Pair{0x1.5555555555555p-2, 0x1.5555555555555p-56} + z * fifth;
  return Times(s + s * (z * third), 2);
}

// log(x * 2^exponent) for a normal x > 0.
ASSAY_DEVICE_CALL Pair LogPair(Pair x, int exponent) {
  const uint64_t bits = DoubleBits(x.high);
  // The power of two that brings x to [0.7, 1.42).
  const int shift = static_cast<int>((bits - 0x3fe6a09e667f3bcdull + (1ull << 62)) >> 52) - 1024;
  const Pair m = {x.high * PowerOfTwo(-shift / 2) * PowerOfTwo(-shift + shift / 2),
                  x.low * PowerOfTwo(-shift / 2) * PowerOfTwo(-shift + shift / 2)};
  const Pair log = TwiceAtanh((m + -1.0) / (m + 1.0));
  const double k = shift + exponent;
  return Pair{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56} * k + log;
}
// log of a positive finite double.
ASSAY_DEVICE Pair LogOf(double x) {
  const bool tiny = x < 0x1p-1000;
  return LogPair({tiny ? x * 0x1p200 : x, 0}, tiny ? -200 : 0);
}
ASSAY_DEVICE double Log(double x) {
  if (x > 0 && IsFiniteValue(x)) return Rounded(LogOf(x));
  if (x == 0) return -InfinityValue();
  return x > 0 ? x : NanValue();
}

// log(1 + x) for x > -1, finite.
ASSAY_DEVICE Pair Log1pPair(Pair x) {
  if (Magnitude(x.high) < 0.25) return TwiceAtanh(x / (x + 2.0));
  return LogPair(x + 1.0, 0);
}
ASSAY_DEVICE double Log1p(double x) {
  if (IsNanValue(x) || x < -1) return NanValue();
  if (x == -1) return -InfinityValue();
  if (!IsFiniteValue(x)) return x;
  if (Magnitude(x) < 0x1p-60) return x;
  if (x > 0x1p100) return Rounded(LogOf(x));
  return Rounded(Log1pPair({x, 0}));
}

ASSAY_DEVICE double Sinh(double x) {
  const double a = Magnitude(x);
  if (!(a < InfinityValue())) return IsNanValue(x) ? NanValue() : x;
  if (a < 0x1p-30) return x;
  if (a > 40) {
    if (a > 711) return WithSign(InfinityValue(), SignBit(x));
    Scaled e = ExpScaled({a, 0});
    --e.exponent;
    return WithSign(Finish(e), SignBit(x));
  }
  const Pair e = Expm1Pair({a, 0});
  return WithSign(Rounded(Times(e + e / (e + 1.0), 0.5)), SignBit(x));
}
ASSAY_DEVICE double Cosh(double x) {
  const double a = Magnitude(x);
  if (!(a < InfinityValue())) return IsNanValue(x) ? NanValue() : InfinityValue();
  if (a > 711) return InfinityValue();
  Scaled e = ExpScaled({a, 0});
  --e.exponent;
  if (a > 40) return Finish(e);
  const Pair half = Plain(e);
  return Rounded(half + Pair{0.25, 0} / half);
}
ASSAY_DEVICE double Tanh(double x) {
  const double a = Magnitude(x);
  if (IsNanValue(x)) return NanValue();
  if (a < 0x1p-30) return x;
  if (a > 25) return WithSign(1, SignBit(x));
  const Pair e = Expm1Pair({2 * a, 0});
  return WithSign(Rounded(e / (e + 2.0)), SignBit(x));
}
// 1 / (1 + e^-x).
ASSAY_DEVICE double Logistic(double x) {
  if (IsNanValue(x)) return NanValue();
  if (x > 60) return 1;
  if (x < -60) return Exp(x);
  const Pair e = Plain(ExpScaled({-Magnitude(x), 0}));
  return Rounded((x < 0 ? e : Pair{1, 0}) / (e + 1.0));
}

ASSAY_DEVICE double Asinh(double x) {
  const double a = Magnitude(x);
  if (!(a < InfinityValue())) return IsNanValue(x) ? NanValue() : x;
  if (a < 0x1p-30) return x;
  if (a > 0x1p60) {
    const Pair two = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    return WithSign(Rounded(LogOf(a) + two), SignBit(x));
  }
  const Pair square = ExactProduct(a, a);
  const Pair t = square / (Root(square + 1.0) + 1.0) + a;
  return WithSign(Rounded(Log1pPair(t)), SignBit(x));
}
ASSAY_DEVICE double Acosh(double x) {
  if (!(x >= 1)) return NanValue();
  if (!IsFiniteValue(x)) return x;
  if (x > 0x1p60) {
    const Pair two = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    return Rounded(LogOf(x) + two);
  }
  if (x == 1) return 0;
  const Pair t = ExactSum(x, -1);
  return Rounded(Log1pPair(t + Root(t * (t + 2.0))));
}
ASSAY_DEVICE double Atanh(double x) {
  const double a = Magnitude(x);
  if (!(a <= 1)) return NanValue();
  if (a == 1) return WithSign(InfinityValue(), SignBit(x));
  if (a < 0x1p-30) return x;
  if (a < 0.17) return Rounded(Times(TwiceAtanh({x, 0}), 0.5));
  const Pair t = Pair{2 * a, 0} / ExactSum(1, -a);
  return WithSign(Rounded(Times(Log1pPair(t), 0.5)), SignBit(x));
}

// The error function for 0 <= x < 2.5: x e^(-x^2) 2/sqrt(pi) times a series of positive terms.
ASSAY_DEVICE_CALL Pair ErfSeries(double x) {
  const Pair twice = Times(ExactProduct(x, x), 2);
  Pair sum = {1, 0};
  for (int n = 16 + static_cast<int>(9 * x * x); n >= 1; --n) {
    const Pair t = sum * twice;
    const double divisor = 2 * n + 1;
    const double quotient = t.high / divisor;
    const double rest = Fma(-quotient, divisor, t.high) + t.low;
    sum = FastSum(quotient, rest / divisor) + 1.0;
  }
  const Pair power = Plain(ExpScaled(-Times(twice, 0.5)));
  return power * sum * (Pair{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56} * x);
}
// 1 - erf for x >= 2.5, by its continued fraction; good to some 2^-45.
ASSAY_DEVICE_CALL double ErfcFraction(double x) {
  double tail = x;
  for (int n = 60; n >= 1; --n) tail = x + 0.5 * n / tail;
  return Exp(-x * x) * 0x1.20dd750429b6dp-1 / tail;
}
ASSAY_DEVICE double Erf(double x) {
  const double a = Magnitude(x);
  if (IsNanValue(x)) return NanValue();
  if (a > 6) return WithSign(1, SignBit(x));
  if (a == 0) return x;
  if (a < 0x1p-500) return Rounded(Pair{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56} * x);
  return WithSign(a < 2.5 ? Rounded(ErfSeries(a)) : 1 - ErfcFraction(a), SignBit(x));
}

// |x| = m * 2^exponent with m in [1, 2), for a finite x other than 0.
struct Parts {
  double mantissa = 0;
  int exponent = 0;
};
ASSAY_DEVICE Parts Split(double x) {
  x = Magnitude(x);
  int bias = 1023;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    bias += 54;
  }
  const uint64_t bits = DoubleBits(x);
  return {BitsDouble((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull),
          static_cast<int>(bits >> 52) - bias};
}

ASSAY_DEVICE double Cbrt(double x) {
  if (!IsFiniteValue(x) || x == 0) return IsNanValue(x) ? NanValue() : x;
  const Parts parts = Split(x);
  const int third = (parts.exponent + 3000) / 3 - 1000;
  const double m = parts.mantissa * PowerOfTwo(parts.exponent - 3 * third);  // [1, 8)
  double y = 0.86 + 0.165 * m;
  for (int i = 0; i < 4; ++i) {
    const double cube = y * y * y;
    y = y * ((cube + 2 * m) / (2 * cube + m));
  }
  const Pair rest = -(ExactProduct(y, y) * y) + m;
  return WithSign((y + rest.high / (3 * y * y)) * PowerOfTwo(third), SignBit(x));
}
ASSAY_DEVICE double Rsqrt(double x) {
  if (x == 0) return WithSign(InfinityValue(), SignBit(x));
  if (!(x > 0)) return NanValue();
  if (!IsFiniteValue(x)) return 0;
  const Parts parts = Split(x);
  const int half = (parts.exponent + 2000) / 2 - 1000;
  const double m = parts.mantissa * PowerOfTwo(parts.exponent - 2 * half);  // [1, 4)
  const double y = 1 / SquareRoot(m);
  const Pair rest = -(ExactProduct(y, y) * m) + 1.0;
  return Fma(0.5 * y, rest.high, y) * PowerOfTwo(-half);
}

ASSAY_DEVICE bool IsOddInteger(double y) {
  const double a = Magnitude(y);
  if (!(a < 0x1p53) || a < 1) return false;
  const uint64_t integer = static_cast<uint64_t>(a);
  return static_cast<double>(integer) == a && (integer & 1) != 0;
}
ASSAY_DEVICE bool IsIntegral(double y) {
  const double a = Magnitude(y);
  return a >= 0x1p52 ? IsFiniteValue(y) : static_cast<double>(static_cast<uint64_t>(a)) == a;
}
ASSAY_DEVICE_CALL double Power(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (IsNanValue(x) || IsNanValue(y)) return NanValue();
  const double a = Magnitude(x);
  const bool odd = IsOddInteger(y);
  const bool negative = SignBit(x) && odd;
  if (!IsFiniteValue(y)) {
    if (a == 1) return 1;
    return (a > 1) == (y > 0) ? InfinityValue() : 0;
  }
  if (a == 0 || !IsFiniteValue(x)) {
    return WithSign((a == 0) == (y < 0) ? InfinityValue() : 0, negative);
  }
  if (SignBit(x) && !IsIntegral(y)) return NanValue();
  const Pair log = LogOf(a);
  const double estimate = log.high * y;
  if (estimate > 720) return WithSign(InfinityValue(), negative);
  if (estimate < -760) return WithSign(0, negative);
  if (Magnitude(estimate) < 0x1p-70) return WithSign(1, negative);
  return WithSign(Finish(ExpScaled(log * y)), negative);
}

// The remainder of truncating division, which is exact, with the sign of x.
ASSAY_DEVICE_CALL double Remainder(double x, double y) {
  if (IsNanValue(x) || IsNanValue(y) || !IsFiniteValue(x) || y == 0) return NanValue();
  const double a = Magnitude(x), b = Magnitude(y);
  if (a < b || !IsFiniteValue(y)) return x;
  const uint64_t x_bits = DoubleBits(a), y_bits = DoubleBits(b);
  const int x_field = static_cast<int>(x_bits >> 52), y_field = static_cast<int>(y_bits >> 52);
  const uint64_t mask = 0xfffffffffffffull;
  uint64_t rest = x_field == 0 ? x_bits : (x_bits & mask) | (mask + 1);
  const uint64_t divisor = y_field == 0 ? y_bits : (y_bits & mask) | (mask + 1);
  int steps = (x_field == 0 ? 1 : x_field) - (y_field == 0 ? 1 : y_field);
  rest %= divisor;
  for (; steps > 0; steps -= 11) {
    rest = (rest << (steps < 11 ? steps : 11)) % divisor;
  }
  // rest * 2^(exponent of y's last place), exactly.
  const int exponent = (y_field == 0 ? 1 : y_field) - 1075;
  double result = static_cast<double>(rest);
  if (exponent < -1022) {
    result = result * PowerOfTwo(-1022) * PowerOfTwo(exponent + 1022);
  } else {
    result *= PowerOfTwo(exponent);
  }
  return WithSign(result, SignBit(x));
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_FUNCTIONS_H_
