// Functions of doubles in sums of two doubles ("dd"): the first tier of f64. Included by one file
// for each instruction set, which names its namespace ASSAY_DD_TARGET; everything here has internal
// linkage and calls nothing, so that no code for a newer CPU leaks into other files. Loops have no
// branches, for the vectoriser.
//
// Proofs. u = 2^-53. Basic operations have relative errors of at most 7u^2 (Joldes, Muller,
// Popescu: Tight and rigorous error bounds for basic building blocks of double-word arithmetic,
// 2017), while nothing underflows: Ends() and the domains see to that. Errors below are relative
// unless called absolute. The claims in tiers.def leave at least 2^4 of margin over what is shown
// here.
//
// Inverse functions start from the C library's result y0, which nothing here relies on: a Newton
// step with the exact residual gives y0 + d, and a lane is given up unless |d| <= 2^-44 |y0|. What
// the step leaves out is d^2 y0'' / 2 and so below 2^-88 |y0|, shown where it is more.
// Tests: dd_tier_test.cc.
#include "evaluator/real/dd_tier.h"

// A call would end the vectorisation of a loop.
#define ASSAY_DD_INLINE [[gnu::always_inline]] inline

namespace assay::evaluator::real::ASSAY_DD_TARGET {
namespace {

struct Dd {
  double hi = 0, lo = 0;
};

ASSAY_DD_INLINE double Abs(double x) { return __builtin_fabs(x); }
// The lesser of the two; NaN if x is NaN.
ASSAY_DD_INLINE double AtMost(double x, double limit) { return x > limit ? limit : x; }
// low < x < high, without a branch.
ASSAY_DD_INLINE bool IsBetween(double x, double low, double high) {
  bool inside = x > low;
  inside &= x < high;
  return inside;
}

ASSAY_DD_INLINE Dd TwoSum(double a, double b) {
  const double sum = a + b;
  const double z = sum - a;
  return {sum, (a - (sum - z)) + (b - z)};
}
// |a| >= |b| or a = 0.
ASSAY_DD_INLINE Dd QuickSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
ASSAY_DD_INLINE Dd TwoProduct(double a, double b) {
  const double product = a * b;
#if defined(__FMA__)
  return {product, __builtin_fma(a, b, -product)};
#else
  constexpr double kSplitter = 134217729;  // 2^27 + 1
  const double ca = a * kSplitter, cb = b * kSplitter;
  const double ah = ca - (ca - a), bh = cb - (cb - b);
  const double al = a - ah, bl = b - bh;
  return {product, al * bl - (((product - ah * bh) - al * bh) - ah * bl)};
#endif
}

ASSAY_DD_INLINE Dd Negate(Dd a) { return {-a.hi, -a.lo}; }
ASSAY_DD_INLINE Dd Scale(Dd a, double power_of_two) {
  return {a.hi * power_of_two, a.lo * power_of_two};
}
// 2u^2.
ASSAY_DD_INLINE Dd Add(Dd a, double b) {
  const Dd s = TwoSum(a.hi, b);
  return QuickSum(s.hi, a.lo + s.lo);
}
// 3u^2, of the sum: cancellation loses nothing.
ASSAY_DD_INLINE Dd Add(Dd a, Dd b) {
  const Dd s = TwoSum(a.hi, b.hi), t = TwoSum(a.lo, b.lo);
  const Dd v = QuickSum(s.hi, s.lo + t.hi);
  return QuickSum(v.hi, t.lo + v.lo);
}
// 3u^2.
ASSAY_DD_INLINE Dd Multiply(Dd a, double b) {
  const Dd p = TwoProduct(a.hi, b);
  return QuickSum(p.hi, p.lo + a.lo * b);
}
// 7u^2.
ASSAY_DD_INLINE Dd Multiply(Dd a, Dd b) {
  const Dd p = TwoProduct(a.hi, b.hi);
  return QuickSum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
// The remainder of the first quotient is 3u^2 + 3u^2 off, its own quotient 3u of 2u: below 16u^2.
ASSAY_DD_INLINE Dd Divide(Dd a, Dd b) {
  const double first = a.hi / b.hi;
  const Dd rest = Add(a, Negate(Multiply(b, first)));
  return QuickSum(first, rest.hi / b.hi);
}

// A whole number near x as a double, and its lowest bits as an integer; |x| < 2^50.
struct Whole {
  double value;
  uint64_t bits;  // modulo 2^51
};
ASSAY_DD_INLINE Whole Nearest(double x) {
  constexpr double kShift = 0x1.8p52;
  const double shifted = x + kShift;
  return {shifted - kShift, __builtin_bit_cast(uint64_t, shifted)};
}

// x - k c for a constant c = c[0] + c[1] + c[2]; k c[0] is within a factor 2 of x, or k is 0.
// The first difference is exact, the others lose 3u^2 each; k c[2] loses 2^-53, which is absolute
// 2^-53 k c[2].
ASSAY_DD_INLINE Dd Reduce(double x, double k, const double* c) {
  const Dd p = TwoProduct(k, c[0]), q = TwoProduct(k, c[1]);
  const Dd s = TwoSum(x, -p.hi);
  return Add(Add(Add(s, -p.lo), Negate(q)), -(k * c[2]));
}

// --- the exponential ---

// exp(x) = scale * (table + rest), scale a power of two.
struct ExpParts {
  double scale, table;
  Dd rest;
};

// For |x| <= 690. r = x - k ln2/256, |r| <= 2^-9.5, to 12u^2 relative plus 2^-140 absolute: k <
// 2^18 and ln2/256 ends 2^-113 below its first bit. exp(r) - 1 = r + r^2/2 + r^3/6 + tail: the
// series is cut at r^10/10!, 2^-117; the tail is r^4/24 < 2^-42.6 with less than 6u, so 2^-93
// absolute and 2^-83.5 relative to r, for r of every size. With k = 0 the table is 1 and `rest` is
// exp(x) - 1 to 2^-83; otherwise its absolute error is 2^-92.
ASSAY_DD_INLINE ExpParts Exp(const DdTables& tables, Dd x) {
  const Whole k = Nearest(x.hi * 0x1.71547652b82fep+8);
  const Dd r = Add(Reduce(x.hi, k.value, tables.ln2_256), x.lo);
  const Dd r2 = Multiply(r, r), r3 = Multiply(r2, r);
  const double h = r.hi;
  const double tail =
      r2.hi * r2.hi *
      (1.0 / 24 + h * (1.0 / 120 + h * (1.0 / 720 + h * (1.0 / 5040 +
                                                         h * (1.0 / 40320 + h * (1.0 / 362880))))));
  const Dd sixth = {tables.sixth[0], tables.sixth[1]};
  const Dd p = Add(r, Add(Scale(r2, 0.5), Add(Multiply(r3, sixth), tail)));
  const uint64_t j = k.bits & 255;
  const double th = tables.exp_hi[j], tl = tables.exp_lo[j];
  ExpParts parts;
  parts.scale = __builtin_bit_cast(double, ((k.bits + (uint64_t{1023} << 8)) >> 8) << 52);
  parts.table = th;
  parts.rest = Add(Multiply(p, th), tl + tl * p.hi);
  return parts;
}
// 2^-91.
ASSAY_DD_INLINE Dd Value(const ExpParts& parts) {
  return Scale(Add(parts.rest, parts.table), parts.scale);
}
// exp(x) - 1 to 2^-82: where k is not 0 it is at least 2^-9.6.
ASSAY_DD_INLINE Dd Expm1(const DdTables& tables, Dd x) {
  const ExpParts parts = Exp(tables, x);
  const Dd one_less = TwoSum(parts.scale * parts.table, -1);
  return Add(one_less, Scale(parts.rest, parts.scale));
}
// (x e^-y0 - 1), the residual of y0 = log x, for x = hi + lo > 0. The product m * table is within
// 2^-7 of 1, so subtracting 1 is exact. Absolute error 2^-92 where |y0| >= 2^-9.6, else 2^-82 |y0|.
ASSAY_DD_INLINE Dd LogResidual(const DdTables& tables, Dd x, double y0) {
  const ExpParts parts = Exp(tables, {-y0, 0});
  const double m = x.hi * parts.scale, low = x.lo * parts.scale;
  const Dd p = TwoProduct(m, parts.table), q = TwoProduct(low, parts.table);
  Dd rest = Add(Multiply(parts.rest, m), low * parts.rest.hi);
  rest = Add(rest, q);
  return Add(rest, QuickSum(p.hi - 1, p.lo));
}
// log x = y0 + d - d^2/2 + ..., |d| <= 2^-44 |y0| <= 2^-34: d^3 is below 2^-83 |y0|. Error 2^-82.
ASSAY_DD_INLINE Dd Log(const DdTables& tables, Dd x, double y0) {
  const Dd d = LogResidual(tables, x, y0);
  const Dd sum = TwoSum(y0, d.hi - 0.5 * d.hi * d.hi);
  return QuickSum(sum.hi, sum.lo + d.lo);
}

// --- sine and cosine ---

struct SinCos {
  Dd sin, cos;
};

// For |x| <= 2^40. r = x - k pi/128, |r| <= 2^-6.3, to |k| 2^-163: pi/128 is known to 2^-164 and
// k c[2] rounded. Lanes that cancel to less than |k| 2^-75 are given up, so r is right to 2^-88.
// sin r = r - r^3/6 + tail, tail r^5/120 with less than 6u: 2^-82.5 relative to r. cos r - 1 =
// -r^2/2
// + r^4/24 + tail, tail r^6/720: 2^-97 absolute. Sums with the table's sine and cosine, the
// smallest of which is 2^-5.3: 2^-82 each, and at k = 0 modulo 64 the zeros of the table are exact.
ASSAY_DD_INLINE SinCos SineCosine(const DdTables& tables, double x, bool& good) {
  const Whole k = Nearest(x * 0x1.45f306dc9c883p+5);
  const Dd r = Reduce(x, k.value, tables.pi_128);
  good &= Abs(x) <= 0x1p40;
  good &= Abs(r.hi) >= Abs(k.value) * 0x1p-75;
  const Dd r2 = Multiply(r, r);
  const double h = r2.hi;
  const double sin_tail =
      r.hi * h * h * (1.0 / 120 - h * (1.0 / 5040 - h * (1.0 / 362880 - h * (1.0 / 39916800))));
  const double cos_tail =
      -h * h * h * (1.0 / 720 - h * (1.0 / 40320 - h * (1.0 / 3628800 - h * (1.0 / 479001600))));
  const Dd sixth = {tables.sixth[0], tables.sixth[1]};
  const Dd s = Add(r, Add(Negate(Multiply(Multiply(r2, r), sixth)), sin_tail));
  const Dd c = Add(Scale(r2, -0.5), Add(Scale(Multiply(Multiply(r2, r2), sixth), 0.25), cos_tail));
  const uint64_t j = k.bits & 255;
  const Dd table_sin = {tables.sin_hi[j], tables.sin_lo[j]};
  const Dd table_cos = {tables.cos_hi[j], tables.cos_lo[j]};
  return {Add(table_sin, Add(Multiply(table_sin, c), Multiply(table_cos, s))),
          Add(table_cos, Add(Multiply(table_cos, c), Negate(Multiply(table_sin, s))))};
}

// --- functions; `good` becomes false outside their domains ---

ASSAY_DD_INLINE Dd Step(double y0, double d, bool& good) {
  good &= Abs(d) <= Abs(y0) * 0x1p-44;
  return QuickSum(y0, d);
}
ASSAY_DD_INLINE Dd WithSign(Dd magnitude, double sign) {
  const double one = __builtin_copysign(1.0, sign);
  return Scale(magnitude, one);
}

struct ExpRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double, bool& good) {
    good &= Abs(x) <= 600;
    return Value(Exp(tables, {x, 0}));
  }
};
struct Expm1Row {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double, bool& good) {
    good &= x <= 600;
    return Expm1(tables, {-AtMost(-x, 600), 0});  // exp(-600) < 2^-800
  }
};
struct LogisticRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double, bool& good) {
    good &= x >= -600;
    const double bounded = AtMost(x, 600);  // 1 - logistic(600) < 2^-800
    return Divide({1, 0}, Add(Value(Exp(tables, {-bounded, 0})), 1));
  }
};
// E = exp|x| - 1: (E + E / (E + 1)) / 2.
struct SinhRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double, bool& good) {
    good &= Abs(x) <= 600;
    const Dd e = Expm1(tables, {Abs(x), 0});
    return WithSign(Scale(Add(e, Divide(e, Add(e, 1))), 0.5), x);
  }
};
struct CoshRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double, bool& good) {
    good &= Abs(x) <= 600;
    const Dd e = Value(Exp(tables, {Abs(x), 0}));
    return Scale(Add(e, Divide({1, 0}, e)), 0.5);
  }
};
struct TanhRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double, bool& good) {
    good &= x == x;
    const Dd e = Expm1(tables, {2 * AtMost(Abs(x), 300), 0});  // 1 - tanh 300 < 2^-800
    return WithSign(Divide(e, Add(e, 2)), x);
  }
};

// x = j/16 + h, |h| <= 1/32, and the Taylor series there. Coefficients from the seventh on are
// doubles: a[6] h^6 is below 2^-33 and below 2^-30 of erf, and 4u of it are lost. The series is cut
// at h^18, below 2^-100. From 7.5 on erf is 1 to 2^-84.
struct ErfRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double, bool& good) {
    good &= x == x;
    const double size = AtMost(Abs(x), 7.5);
    const Whole k = Nearest(size * 16);
    const double h = size - k.value * 0.0625;
    const uint64_t j = k.bits & 127;
    const ErfTables& erf = *tables.erf;
    double tail = erf.hi[ErfTables::kCoefficients - 1][j];
#pragma GCC unroll 16
    for (int n = ErfTables::kCoefficients - 2; n >= ErfTables::kPairs; --n) {
      tail = erf.hi[n][j] + h * tail;
    }
    Dd sum = {tail, 0};
#pragma GCC unroll 16
    for (int n = ErfTables::kPairs - 1; n >= 0; --n) {
      sum = Add(Multiply(sum, h), Dd{erf.hi[n][j], erf.lo[n][j]});
    }
    return WithSign(sum, x);
  }
};

struct LogRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double y0, bool& good) {
    good &= IsBetween(x, 0x1p-900, 0x1p900);
    const Dd y = Log(tables, {x, 0}, y0);
    good &= Abs(y.hi - y0) <= Abs(y0) * 0x1p-44;
    return y;
  }
};
struct Log1pRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double y0, bool& good) {
    good &= IsBetween(x, -1, 0x1p900);
    const Dd y = Log(tables, TwoSum(1, x), y0);
    good &= Abs(y.hi - y0) <= Abs(y0) * 0x1p-44;
    return y;
  }
};
// d = (|x| - sinh y0) / cosh y0, with sinh to 2^-81: error 2^-81 tanh y0 <= 2^-81 y0.
struct AsinhRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double y0, bool& good) {
    good &= Abs(x) < 0x1p800;
    const Dd e = Expm1(tables, {Abs(y0), 0});
    const Dd sinh = Scale(Add(e, Divide(e, Add(e, 1))), 0.5);
    const double cosh = sinh.hi + 1 / (e.hi + 1);
    const double d = Add(Negate(sinh), Abs(x)).hi / cosh;
    return WithSign(Step(Abs(y0), d, good), x);
  }
};
// d = (x - cosh y0) / sinh y0 by cosh - 1 = E^2 / (2 (E + 1)) to 2^-80: error 2^-80 tanh(y0 / 2).
// What is left out is d^2 / (2 tanh y0) <= 2^-88 y0 once more.
struct AcoshRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double y0, bool& good) {
    good &= IsBetween(x, 1, 0x1p400);
    const Dd e = Expm1(tables, {y0, 0});
    const Dd e_plus_1 = Add(e, 1);
    const Dd cosh_less_1 = Scale(Divide(Multiply(e, e), e_plus_1), 0.5);
    const double sinh = 0.5 * (e.hi + e.hi / e_plus_1.hi);
    const double d = Add(TwoSum(x, -1), Negate(cosh_less_1)).hi / sinh;
    return Step(y0, d, good);
  }
};
// E = exp(2 y0) - 1 is near 2x / (1 - x), so d = (x - tanh y0) / (1 - x^2) = (2x - E (1 - x)) /
// (2 (1 + x)), without cancellation near 1: error 2^-82 x / (1 + x).
struct AtanhRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double y0, bool& good) {
    const double size = Abs(x);
    good &= size < 1;
    const Dd e = Expm1(tables, {2 * Abs(y0), 0});
    const Dd product = Multiply(e, TwoSum(1, -size));
    const double d = Add(Negate(product), 2 * size).hi / (2 * (1 + size));
    return WithSign(Step(Abs(y0), d, good), x);
  }
};

struct SinRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double, bool& good) {
    return SineCosine(tables, x, good).sin;
  }
};
struct CosRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double, bool& good) {
    return SineCosine(tables, x, good).cos;
  }
};
struct TanRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double, bool& good) {
    const SinCos both = SineCosine(tables, x, good);
    return Divide(both.sin, both.cos);
  }
};
// The angle of (x, y): d = (y cos y0 - x sin y0) / (x cos y0 + y sin y0). The numerator is off by
// 2^-82 (|y cos| + |x sin|), about 2^-81 |sin y0 cos y0| of the radius: 2^-81 |y0|.
ASSAY_DD_INLINE Dd Angle(const DdTables& tables, double y, double x, double y0, bool& good) {
  const SinCos at = SineCosine(tables, y0, good);
  const Dd across = Add(Multiply(at.cos, y), Negate(Multiply(at.sin, x)));
  return Step(y0, across.hi / (at.cos.hi * x + at.sin.hi * y), good);
}
struct AtanRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double y0, bool& good) {
    good &= Abs(x) < 0x1p400;
    return Angle(tables, x, 1, y0, good);
  }
};
// d = (x - sin y0) / cos y0. Errors grow by 1 / cos, at most 2^9: 2^-73.
struct AsinRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double y0, bool& good) {
    const SinCos at = SineCosine(tables, y0, good);
    good &= at.cos.hi > 0x1p-9;
    return Step(y0, Add(Negate(at.sin), x).hi / at.cos.hi, good);
  }
};
// d = (cos y0 - x) / sin y0. The absolute error of the cosine is 2^-97 + |sin y0| 2^-82: it grows
// to 2^-79 where sin y0 and y0 are 2^-9.
struct AcosRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables& tables, double x, double y0, bool& good) {
    const SinCos at = SineCosine(tables, y0, good);
    good &= at.sin.hi > 0x1p-9;
    return Step(y0, Add(at.cos, -x).hi / at.sin.hi, good);
  }
};
// d = (x - y0^3) / (3 y0^2); the cube is exact to 10u^2.
struct CbrtRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables&, double x, double y0, bool& good) {
    good &= IsBetween(Abs(x), 0x1p-800, 0x1p800);
    const Dd square = TwoProduct(y0, y0);
    const double d = Add(Negate(Multiply(square, y0)), x).hi / (3 * square.hi);
    return Step(y0, d, good);
  }
};
// d = y0 (1 - x y0^2) / 2.
struct RsqrtRow {
  ASSAY_DD_INLINE static Dd Of(const DdTables&, double x, double y0, bool& good) {
    good &= IsBetween(x, 0x1p-800, 0x1p800);
    const Dd square = TwoProduct(y0, y0);
    const double d = Add(Negate(Multiply(square, x)), 1).hi * 0.5 * y0;
    return Step(y0, d, good);
  }
};

// --- loops ---

// NaN gives an element up, and so does every value out of the range in which dd numbers have all
// their bits.
ASSAY_DD_INLINE void Store(Dd value, bool good, double& high, double& low) {
  const double size = Abs(value.hi);
  good &= IsBetween(size, 0x1p-900, 0x1p900);
  high = good ? value.hi : __builtin_nan("");
  low = value.lo;
}

template <class Row>
void Loop(const DdTables& tables, const double* x, const double*, const double* start,
          double* __restrict high, double* __restrict low, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    bool good = true;
    const Dd value = Row::Of(tables, x[i], start[i], good);
    Store(value, good, high[i], low[i]);
  }
}

void Atan2Loop(const DdTables& tables, const double* y, const double* x, const double* start,
               double* __restrict high, double* __restrict low, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const double a = Abs(y[i]), b = Abs(x[i]);
    bool good = IsBetween(a, 0x1p-400, 0x1p400);
    good &= IsBetween(b, 0x1p-400, 0x1p400);
    const Dd value = Angle(tables, y[i], x[i], start[i], good);
    Store(value, good, high[i], low[i]);
  }
}

// exp(y log x): the exponent is off by 2^-81 |y log x| <= 2^-71. `start` is log x.
void PowerLoop(const DdTables& tables, const double* x, const double* y, const double* start,
               double* __restrict high, double* __restrict low, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    bool good = true;
    const Dd log = LogRow::Of(tables, x[i], start[i], good);
    const Dd exponent = Multiply(log, y[i]);
    good &= IsBetween(Abs(exponent.hi), 0x1p-800, 600);
    Store(Value(Exp(tables, exponent)), good, high[i], low[i]);
  }
}

}  // namespace

// In the order of RealFunction; null where there is no such tier.
constexpr DdKernel kKernels[] = {
    Loop<AcosRow>, Loop<AcoshRow>, Loop<AsinRow>,     Loop<AsinhRow>, Loop<AtanRow>, Loop<AtanhRow>,
    Loop<CbrtRow>, Loop<CosRow>,   Loop<CoshRow>,     Loop<ErfRow>,   Loop<ExpRow>,  Loop<Expm1Row>,
    Loop<LogRow>,  Loop<Log1pRow>, Loop<LogisticRow>, Loop<RsqrtRow>, Loop<SinRow>,  Loop<SinhRow>,
    nullptr,       Loop<TanRow>,   Loop<TanhRow>};
static_assert(sizeof(kKernels) / sizeof(kKernels[0]) == static_cast<int>(RealFunction::kTanh) + 1);

DdKernel KernelOf(RealFunction function) { return kKernels[static_cast<int>(function)]; }
DdKernel KernelOf(RealFunction2 function) {
  return function == RealFunction2::kAtan2 ? Atan2Loop : PowerLoop;
}

}  // namespace assay::evaluator::real::ASSAY_DD_TARGET

#undef ASSAY_DD_INLINE
