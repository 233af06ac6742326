// Complex logarithms as fixed-point numbers of up to 1,280 bits behind the point, for powers whose
// angle has so many turns that a pair of doubles does not hold the rest of the last one. A number
// has a sign and words from the highest to the lowest; callers say how many stand behind the point.
// Tests: kernel_functions_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_WIDE_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_WIDE_H_

#include "backends/cuda/kernels/complex.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

inline constexpr int kMostWideWords = 20;  // behind the point
struct WideNumber {
  uint64_t words[kMostWideWords + 1] = {};  // the first stands before the point
  bool negative = false;
};
struct WideComplex {
  WideNumber re, im;
};

// Bits 64 i to 64 i + 63 of log 2 behind the point, the first the highest.
ASSAY_DEVICE uint64_t WordOfLogTwo(int i) {
  switch (i) {
    case 0:
      return 0xb17217f7d1cf79abull;
    case 1:
      return 0xc9e3b39803f2f6afull;
    case 2:
      return 0x40f343267298b62dull;
    case 3:
      return 0x8a0d175b8baafa2bull;
    case 4:
      return 0xe7b876206debac98ull;
    case 5:
      return 0x559552fb4afa1b10ull;
    case 6:
      return 0xed2eae35c1382144ull;
    case 7:
      return 0x27573b291169b825ull;
    case 8:
      return 0x3e96ca16224ae8c5ull;
    case 9:
      return 0x1acbda11317c387eull;
    case 10:
      return 0xb9ea9bc3b136603bull;
    case 11:
      return 0x256fa0ec7657f74bull;
    case 12:
      return 0x72ce87b19d6548caull;
    case 13:
      return 0xf5dfa6bd38303248ull;
    case 14:
      return 0x655fa1872f20e3a2ull;
    case 15:
      return 0xda2d97c50f3fd5c6ull;
    case 16:
      return 0x07f4ca11fb5bfb90ull;
    case 17:
      return 0x610d30f88fe551a2ull;
    case 18:
      return 0xee569d6dfc1efa15ull;
    default:
      return 0x7d2e23de1400b396ull;
  }
}

// x * 2^shift, below 2^63; bits behind the last word are dropped.
ASSAY_DEVICE WideNumber WideOf(double x, int shift, int n) {
  WideNumber wide;
  wide.negative = SignBit(x);
  if (x == 0) return wide;
  const Parts parts = Split(x);
  const uint64_t integer = (DoubleBits(parts.mantissa) & 0xfffffffffffffull) | 1ull << 52;
  // The lowest bit of the integer has the weight 2^-places.
  const int places = 52 - parts.exponent - shift;
  const int word = places > 0 ? (places + 63) / 64 : 0, left = 64 * word - places;
  if (word <= n) wide.words[word] = integer << left;
  if (word > 0 && word - 1 <= n && left > 0) wide.words[word - 1] = integer >> (64 - left);
  return wide;
}
ASSAY_DEVICE bool IsLess(const WideNumber& a, const WideNumber& b, int n) {
  for (int i = 0; i <= n; ++i) {
    if (a.words[i] != b.words[i]) return a.words[i] < b.words[i];
  }
  return false;
}
ASSAY_DEVICE_CALL void AddTo(WideNumber& a, const WideNumber& b, int n) {
  if (a.negative == b.negative) {
    uint64_t carry = 0;
    for (int i = n; i >= 0; --i) {
      const Wide sum = static_cast<Wide>(a.words[i]) + b.words[i] + carry;
      a.words[i] = static_cast<uint64_t>(sum);
      carry = static_cast<uint64_t>(sum >> 64);
    }
    return;
  }
  const bool turned = IsLess(a, b, n);
  uint64_t borrow = 0;
  for (int i = n; i >= 0; --i) {
    const uint64_t x = turned ? b.words[i] : a.words[i], y = turned ? a.words[i] : b.words[i];
    const Wide difference = static_cast<Wide>(x) - y - borrow;
    a.words[i] = static_cast<uint64_t>(difference);
    borrow = static_cast<uint64_t>(difference >> 64) & 1;
  }
  if (turned) a.negative = b.negative;
}
// Words that are zero in front, as those of a small `a`, cost nothing.
ASSAY_DEVICE_CALL WideNumber Multiply(const WideNumber& a, const WideNumber& b, int n) {
  uint64_t product[kMostWideWords + 2] = {};
  for (int i = n; i >= 0; --i) {
    if (a.words[i] == 0) continue;
    uint64_t carry = 0;
    for (int j = i == 0 ? n : n + 1 - i; j >= 0; --j) {
      const Wide sum = static_cast<Wide>(a.words[i]) * b.words[j] + product[i + j] + carry;
      product[i + j] = static_cast<uint64_t>(sum);
      carry = static_cast<uint64_t>(sum >> 64);
    }
    if (i > 0) product[i - 1] = carry;
  }
  WideNumber result;
  for (int i = 0; i <= n; ++i) result.words[i] = product[i];
  result.negative = a.negative != b.negative;
  return result;
}
// The quotient by a whole number below 2^32.
ASSAY_DEVICE void DivideBy(WideNumber& a, uint64_t divisor, int n) {
  uint64_t rest = 0;
  for (int i = 0; i <= n; ++i) {
    const uint64_t high = rest << 32 | a.words[i] >> 32;
    const uint64_t low = (high % divisor) << 32 | (a.words[i] & 0xffffffffull);
    a.words[i] = (high / divisor) << 32 | low / divisor;
    rest = low % divisor;
  }
}
ASSAY_DEVICE_CALL WideComplex Multiply(const WideComplex& a, const WideComplex& b, int n) {
  WideComplex product = {Multiply(a.im, b.im, n), Multiply(a.re, b.im, n)};
  product.re.negative = !product.re.negative;
  AddTo(product.re, Multiply(a.re, b.re, n), n);
  AddTo(product.im, Multiply(a.im, b.re, n), n);
  return product;
}
ASSAY_DEVICE WideNumber WideOne() {
  WideNumber one;
  one.words[0] = 1;
  return one;
}

// e^(x 2^-32), squared 32 times, for parts of x below 4.
ASSAY_DEVICE_CALL WideComplex WideExp(Complex x, int n) {
  const WideComplex r = {WideOf(x.re, -32, n), WideOf(x.im, -32, n)};
  WideComplex sum = {WideOne(), {}};
  for (int k = 2 * n + 2; k >= 1; --k) {
    sum = Multiply(r, sum, n);
    DivideBy(sum.re, static_cast<uint64_t>(k), n);
    DivideBy(sum.im, static_cast<uint64_t>(k), n);
    AddTo(sum.re, WideOne(), n);
  }
  for (int i = 0; i < 32; ++i) sum = Multiply(sum, sum, n);
  return sum;
}
// The logarithm of z 2^-e for z 2^-e of about 1: one in doubles, and that of the quotient, which is
// nearly 1, by its series.
ASSAY_DEVICE_CALL WideComplex WideLog(Complex z, int e, int n) {
  const ComplexPair near = LogPair(Scaled2(Exactly(z), -e));
  WideComplex log = {WideOf(near.re.high, 0, n), WideOf(near.im.high, 0, n)};
  WideComplex rest = Multiply({WideOf(z.re, -e, n), WideOf(z.im, -e, n)},
                              WideExp({-near.re.high, -near.im.high}, n), n);
  WideNumber minus_one = WideOne();
  minus_one.negative = true;
  AddTo(rest.re, minus_one, n);
  WideComplex sum;
  for (int k = 4 * n / 3 + 3; k >= 1; --k) {
    sum = Multiply(rest, sum, n);
    sum.re.negative = !sum.re.negative;
    sum.im.negative = !sum.im.negative;
    WideNumber inverse = WideOne();
    DivideBy(inverse, static_cast<uint64_t>(k), n);
    AddTo(sum.re, inverse, n);
  }
  sum = Multiply(rest, sum, n);
  AddTo(log.re, sum.re, n);
  AddTo(log.im, sum.im, n);
  return log;
}

// A sum of products in two's complement, the lowest word first: two behind the point.
struct WideSum {
  uint64_t words[20] = {};
};
ASSAY_DEVICE void AddWord(WideSum& sum, int at, uint64_t word, bool subtract) {
  for (; at < 20 && word != 0; ++at) {
    const uint64_t before = sum.words[at];
    sum.words[at] = subtract ? before - word : before + word;
    word = (subtract ? before < word : sum.words[at] < word) ? 1 : 0;
  }
}
// Adds factor * x.
ASSAY_DEVICE_CALL void AddProduct(WideSum& sum, double factor, const WideNumber& x, int n) {
  if (factor == 0) return;
  const Parts parts = Split(factor);
  const uint64_t integer = (DoubleBits(parts.mantissa) & 0xfffffffffffffull) | 1ull << 52;
  const bool subtract = SignBit(factor) != x.negative;
  for (int i = n; i >= 0; --i) {
    const Wide product = static_cast<Wide>(integer) * x.words[i];
    for (int half = 0; half < 2; ++half) {
      const uint64_t word = static_cast<uint64_t>(product >> (64 * half));
      const int place = parts.exponent - 52 + 128 - 64 * (i - half);  // of the lowest bit
      if (place <= -64) continue;
      if (place < 0) {
        AddWord(sum, 0, word >> -place, subtract);
        continue;
      }
      AddWord(sum, place / 64, word << (place % 64), subtract);
      if (place % 64 != 0) AddWord(sum, place / 64 + 1, word >> (64 - place % 64), subtract);
    }
  }
}
// The sum, or what is beyond all exponents of its sign.
ASSAY_DEVICE Pair BoundedValue(WideSum sum) {
  const bool negative = (sum.words[19] >> 63) != 0;
  if (negative) {
    for (int i = 0; i < 20; ++i) sum.words[i] = ~sum.words[i];  // less by 2^-128
  }
  bool large = sum.words[2] >= 1900;
  for (int i = 3; i < 20; ++i) large = large || sum.words[i] != 0;
  Pair value = {1900, 0};
  if (!large) {
    const uint64_t low = (sum.words[1] & 0x7ff) << 42 | sum.words[0] >> 22;
    value = ExactSum(static_cast<double>(sum.words[2]),
                     static_cast<double>(sum.words[1] >> 11) * 0x1p-53) +
            static_cast<double>(low) * 0x1p-106;
  }
  return negative ? -value : value;
}

// z^w for finite z != 0 and w, where exponents or angles are large.
ASSAY_DEVICE_CALL Complex WidePower(Complex z, Complex w) {
  const double larger = Magnitude(w.re) > Magnitude(w.im) ? w.re : w.im;
  const int bits = ExponentOf(larger) > 0 ? ExponentOf(larger) + 1 : 0;
  const int n = (bits + 255) / 64;  // errors are below 2^-100 when they are multiplied by w
  const int e = ExponentOf(Exactly(z));
  WideComplex log = WideLog(z, e, n);
  WideNumber power;
  for (int i = 1; i <= n; ++i) power.words[i] = WordOfLogTwo(i - 1);
  AddTo(log.re, Multiply(WideOf(e, 0, n), power, n), n);
  WideSum size;
  AddProduct(size, w.re, log.re, n);
  AddProduct(size, -w.im, log.im, n);
  // The angle in quarters of a turn.
  WideNumber quarters;
  for (int i = 1; i <= n; ++i) quarters.words[i] = WordOfTwoByPi(i - 1);
  log = {Multiply(log.re, quarters, n), Multiply(log.im, quarters, n)};
  WideSum angle;
  AddProduct(angle, w.re, log.im, n);
  AddProduct(angle, w.im, log.re, n);
  const uint64_t* a = angle.words;
  const Reduced reduced =
      FromQuarters(a[2] << 62 | a[1] >> 2, a[1] << 62 | a[0] >> 2, a[0] << 62, false);
  const SinCos at = SinCosOf(reduced);
  const Scaled radius = ExpScaled(BoundedValue(size));
  return FinishScaled({radius.value * at.cos, radius.value * at.sin}, radius.exponent);
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_WIDE_H_
