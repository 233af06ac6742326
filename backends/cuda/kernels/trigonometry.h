// Sine, cosine, tangent and their inverses of doubles, by IEEE operations, written fma and integer
// arithmetic alone. Arguments of any size are reduced exactly: a window of 192 bits of 2/pi is
// multiplied as integers. Tests: kernel_functions_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_TRIGONOMETRY_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_TRIGONOMETRY_H_

#include "backends/cuda/kernels/functions.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

ASSAY_DEVICE Pair HalfPi() { return {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}; }
ASSAY_DEVICE Pair Pi() { return Times(HalfPi(), 2); }

// Bits 64 i to 64 i + 63 of 2/pi behind the point, the first the highest.
ASSAY_DEVICE uint64_t WordOfTwoByPi(int i) {
  switch (i) {
    case 0:
      return 0xa2f9836e4e441529ull;
    case 1:
      return 0xfc2757d1f534ddc0ull;
    case 2:
      return 0xdb6295993c439041ull;
    case 3:
      return 0xfe5163abdebbc561ull;
    case 4:
      return 0xb7246e3a424dd2e0ull;
    case 5:
      return 0x06492eea09d1921cull;
    case 6:
      return 0xfe1deb1cb129a73eull;
    case 7:
      return 0xe88235f52ebb4484ull;
    case 8:
      return 0xe99c7026b45f7e41ull;
    case 9:
      return 0x3991d639835339f4ull;
    case 10:
      return 0x9c845f8bbdf9283bull;
    case 11:
      return 0x1ff897ffde05980full;
    case 12:
      return 0xef2f118b5a0a6d1full;
    case 13:
      return 0x6d367ecf27cb09b7ull;
    case 14:
      return 0x4f463f669e5fea2dull;
    case 15:
      return 0x7527bac7ebe5f17bull;
    case 16:
      return 0x3d0739f78a5292eaull;
    case 17:
      return 0x6bfb5fb11f8d5d08ull;
    case 18:
      return 0x56033046fc7b6babull;
    default:
      return 0xf0cfbc209af4361dull;
  }
}

struct Reduced {
  Pair rest;         // |rest| <= pi/4
  int quadrant = 0;  // x = rest + quadrant * pi/2, modulo 2 pi
};

__extension__ typedef unsigned __int128 Wide;

// The fraction of a number of quarters of a turn, of which the first two of 192 bits are whole.
ASSAY_DEVICE Reduced FromQuarters(uint64_t high, uint64_t middle, uint64_t low, bool negative) {
  int quadrant = static_cast<int>(high >> 62);
  uint64_t a = high << 2 | middle >> 62, b = middle << 2 | low >> 62, c = low << 2;
  const bool above_half = (a >> 63) != 0;
  if (above_half) {  // the next quadrant, and a negative rest
    ++quadrant;
    a = ~a;
    b = ~b;
    c = ~c + 1;
    if (c == 0 && ++b == 0) ++a;
  }
  int shift = 0;
  if (a == 0) {
    a = b;
    b = c;
    c = 0;
    shift = 64;
  }
  while (a != 0 && (a >> 63) == 0) {
    a = a << 1 | b >> 63;
    b = b << 1 | c >> 63;
    c <<= 1;
    ++shift;
  }
  const double first = static_cast<double>(a >> 11) * PowerOfTwo(-53 - shift);
  const double second =
      static_cast<double>((a & 0x7ff) << 42 | b >> 22) * PowerOfTwo(-53 - shift) * 0x1p-53;
  Pair rest = FastSum(first, second) * HalfPi();
  if (above_half) rest = -rest;
  if (negative) {
    rest = -rest;
    quadrant = -quadrant;
  }
  return {rest, quadrant & 3};
}

ASSAY_DEVICE_CALL Reduced ReduceAngle(double x) {
  const double a = Magnitude(x);
  if (a <= 0.785) return {{x, 0}, 0};
  const uint64_t bits = DoubleBits(a);
  const uint64_t integer = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
  const int exponent = static_cast<int>(bits >> 52) - 1075;
  // Bits of 2/pi before this one give whole turns.
  const int start = exponent > 2 ? exponent - 2 : 0;
  uint64_t words[3];
  for (int i = 0; i < 3; ++i) {
    const int word = start / 64 + i, offset = start % 64;
    words[i] = WordOfTwoByPi(word) << offset;
    if (offset != 0) words[i] |= WordOfTwoByPi(word + 1) >> (64 - offset);
  }
  Wide carry = static_cast<Wide>(integer) * words[2];
  uint64_t low = static_cast<uint64_t>(carry);
  carry = static_cast<Wide>(integer) * words[1] + static_cast<uint64_t>(carry >> 64);
  uint64_t middle = static_cast<uint64_t>(carry);
  carry = static_cast<Wide>(integer) * words[0] + static_cast<uint64_t>(carry >> 64);
  uint64_t high = static_cast<uint64_t>(carry);
  const uint64_t top = static_cast<uint64_t>(carry >> 64);
  const int right = start + 2 - exponent;  // 0, or 1 to 55
  if (right > 0) {
    low = low >> right | middle << (64 - right);
    middle = middle >> right | high << (64 - right);
    high = high >> right | top << (64 - right);
  }
  return FromQuarters(high, middle, low, SignBit(x));
}

// |r| <= pi/4 and a little.
ASSAY_DEVICE Pair SinNear(Pair r) {
  const Pair z = r * r;
  const double x = z.high;
  double tail = 1.9572941063391263e-20;  // 1/21!
  tail = Fma(-tail, x, 8.22063524662433e-18);
  tail = Fma(-tail, x, 2.8114572543455206e-15);
  tail = Fma(-tail, x, 7.647163731819816e-13);
  tail = Fma(-tail, x, 1.6059043836821613e-10);
  tail = Fma(-tail, x, 2.505210838544172e-08);
  tail = Fma(-tail, x, 2.7557319223985893e-06);
  tail = Fma(-tail, x, 0.0001984126984126984);
  tail = Fma(-tail, x, 0.008333333333333333);
  const Pair inner = Pair{-0x1.5555555555555p-3, -0x1.5555555555555p-57} + x * tail;
  return r + r * (z * inner);
}
ASSAY_DEVICE Pair CosNear(Pair r) {
  const Pair z = r * r;
  const double x = z.high;
  double tail = 4.110317623312165e-19;  // 1/20!
  tail = Fma(-tail, x, 1.5619206968586225e-16);
  tail = Fma(-tail, x, 4.779477332387385e-14);
  tail = Fma(-tail, x, 1.1470745597729725e-11);
  tail = Fma(-tail, x, 2.08767569878681e-09);
  tail = Fma(-tail, x, 2.755731922398589e-07);
  tail = Fma(-tail, x, 2.48015873015873e-05);
  tail = Fma(-tail, x, 0.001388888888888889);
  tail = Fma(-tail, x, 0.041666666666666664);
  return (Times(z, -0.5) + x * x * tail) + 1.0;
}

struct SinCos {
  Pair sin;
  Pair cos;
};
ASSAY_DEVICE_CALL SinCos SinCosOf(const Reduced& reduced) {
  const Pair sin = SinNear(reduced.rest), cos = CosNear(reduced.rest);
  switch (reduced.quadrant) {
    case 0:
      return {sin, cos};
    case 1:
      return {cos, -sin};
    case 2:
      return {-sin, -cos};
    default:
      return {-cos, sin};
  }
}
// Of a finite x.
ASSAY_DEVICE SinCos SinCosPair(double x) { return SinCosOf(ReduceAngle(x)); }

ASSAY_DEVICE double Sin(double x) {
  if (!IsFiniteValue(x)) return NanValue();
  if (Magnitude(x) < 0x1p-30) return x;
  return Rounded(SinCosPair(x).sin);
}
ASSAY_DEVICE double Cos(double x) {
  if (!IsFiniteValue(x)) return NanValue();
  return Rounded(SinCosPair(x).cos);
}
ASSAY_DEVICE double Tan(double x) {
  if (!IsFiniteValue(x)) return NanValue();
  if (Magnitude(x) < 0x1p-30) return x;
  const SinCos both = SinCosPair(x);
  return Rounded(both.sin / both.cos);
}

// The arc tangent of 0 <= t <= 1.
ASSAY_DEVICE_CALL Pair AtanUnit(Pair t) {
  const double k = NearestInteger(4 * t.high);
  Pair u = t, base = {0, 0};
  if (k > 0) {
    const double c = 0.25 * k;
    u = (t + -c) / (t * c + 1.0);
    if (k == 1) base = {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57};
    if (k == 2) base = {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56};
    if (k == 3) base = {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56};
    if (k == 4) base = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
  }
  const double x = u.high * u.high;
  double tail = 1.0 / 21;
  tail = Fma(-tail, x, 1.0 / 19);
  tail = Fma(-tail, x, 1.0 / 17);
  tail = Fma(-tail, x, 1.0 / 15);
  tail = Fma(-tail, x, 1.0 / 13);
  tail = Fma(-tail, x, 1.0 / 11);
  tail = Fma(-tail, x, 1.0 / 9);
  tail = Fma(-tail, x, 1.0 / 7);
  tail = Fma(-tail, x, 1.0 / 5);
  tail = Fma(-tail, x, 1.0 / 3);
  return base + (u + -u.high * x * tail);
}
// The angle of (x, y) for x, y >= 0, not both 0, neither too small nor too large to divide.
ASSAY_DEVICE Pair QuadrantAngle(Pair y, Pair x) {
  if (y.high <= x.high) return AtanUnit(y / x);
  return HalfPi() - AtanUnit(x / y);
}

// The angle of (x, y) in the pair's precision. Finite, not both 0.
ASSAY_DEVICE_CALL Pair AnglePair(Pair y, Pair x) {
  const Pair a = SignBit(y.high) ? -y : y, b = SignBit(x.high) ? -x : x;
  Pair angle;
  if (a.high == 0) {
    angle = {0, 0};
  } else if (b.high == 0) {
    angle = HalfPi();
  } else {
    // Brought to where dividing is safe; far beside a larger one the smaller counts for nothing.
    const int ea = Split(a.high).exponent, eb = Split(b.high).exponent;
    if (ea - eb > 120) {
      angle = HalfPi();
    } else if (eb - ea > 400) {
      angle = {a.high / b.high, 0};
    } else {
      const int e = ea > eb ? ea : eb;
      const double p = PowerOfTwo(-e / 2), q = PowerOfTwo(-e - (-e / 2));
      angle = QuadrantAngle(Times(Times(a, p), q), Times(Times(b, p), q));
    }
  }
  if (SignBit(x.high)) angle = Pi() - angle;
  return SignBit(y.high) ? -angle : angle;
}

ASSAY_DEVICE double Atan2(double y, double x) {
  if (IsNanValue(x) || IsNanValue(y)) return NanValue();
  if (!IsFiniteValue(x)) {
    double angle = 0;
    if (!IsFiniteValue(y)) {
      angle = x > 0 ? 0x1.921fb54442d18p-1 : 0x1.2d97c7f3321d2p+1;
    } else if (x < 0) {
      angle = 0x1.921fb54442d18p+1;
    }
    return WithSign(angle, SignBit(y));
  }
  if (!IsFiniteValue(y)) return WithSign(0x1.921fb54442d18p+0, SignBit(y));
  if (y == 0) return WithSign(SignBit(x) ? 0x1.921fb54442d18p+1 : 0, SignBit(y));
  return Rounded(AnglePair({y, 0}, {x, 0}));
}
ASSAY_DEVICE double Atan(double x) {
  if (Magnitude(x) < 0x1p-30) return x;
  return Atan2(x, 1);
}
// (1 - x)(1 + x).
ASSAY_DEVICE Pair OneMinusSquare(double x) { return ExactSum(1, -x) * ExactSum(1, x); }
ASSAY_DEVICE double Asin(double x) {
  const double a = Magnitude(x);
  if (!(a <= 1)) return NanValue();
  if (a < 0x1p-30) return x;
  return WithSign(Rounded(QuadrantAngle({a, 0}, Root(OneMinusSquare(a)))), SignBit(x));
}
ASSAY_DEVICE double Acos(double x) {
  const double a = Magnitude(x);
  if (!(a <= 1)) return NanValue();
  const Pair angle = QuadrantAngle(Root(OneMinusSquare(a)), {a, 0});
  return Rounded(SignBit(x) ? Pi() - angle : angle);
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_TRIGONOMETRY_H_
