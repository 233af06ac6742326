// Fast exact sums: error-free transformations in a plain loop, and the proof when they suffice.
// Tests: rounded_sum_test.cc.
//
// TwoSum splits s + x into a double t and an error err with t + err = s + x exactly (no underflow
// error is possible in an addition). A lane keeps
//     s    the running double sum,
//     e    the double sum of the errors,
//     m    the double sum of their magnitudes.
// So the exact sum of the terms is s + (exact sum of the errors), and e differs from that by at
// most g * (exact sum of magnitudes), g = N u / (1 - N u), where u = 2^-53 and N is the number of
// additions on the longest path. m has the same relative error g. While N u < 2^-3 the difference
// is below 2 N u m = N 2^-52 m. In particular m = 0 means that s is exact. A product of two doubles
// is p + q with p = fl(a b) and q its error, exact unless q underflows; then each is off by less
// than 8 * 2^-1074 (5 for the splitting form, 1/2 with a fused multiply-add). The error of s + p
// and q are added to each other before they join e: one more addition on the path. An overflow
// anywhere makes s, e or m infinite or NaN, and the test of acceptance fails.
#include "evaluator/real/rounded_sum.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "evaluator/real/exact_product.h"
#include "evaluator/real/exact_sum.h"

#if defined(__x86_64__) && !defined(__FMA__)
#define ASSAY_DISPATCH_AVX2 1
#endif

namespace assay {
namespace {

#define ASSAY_INLINE inline __attribute__((always_inline))

constexpr double kTiny = std::numeric_limits<double>::denorm_min();

// `kLanes` doubles in one value.
template <int kLanes>
struct Vector {
  typedef double Type __attribute__((vector_size(kLanes * sizeof(double))));
  typedef int64_t Bits __attribute__((vector_size(kLanes * sizeof(double))));
};
template <>
struct Vector<1> {
  using Type = double;
};

template <int kLanes>
struct Lane {
  using V = typename Vector<kLanes>::Type;
  V s, e, m;
};

// Sums of nothing: adding to -0 changes no term, not even a -0.
template <int kLanes>
ASSAY_INLINE void Clear(Lane<kLanes>& lane) {
  lane.e = lane.m = typename Vector<kLanes>::Type{};
  lane.s = -lane.e;
}

template <int kLanes>
ASSAY_INLINE void Magnitude(const typename Vector<kLanes>::Type& x,
                            typename Vector<kLanes>::Type& out) {
  if constexpr (kLanes == 1) {
    out = std::fabs(x);
  } else {
    using Bits = typename Vector<kLanes>::Bits;
    out = (typename Vector<kLanes>::Type)((Bits)x & std::numeric_limits<int64_t>::max());
  }
}

template <int kLanes>
ASSAY_INLINE void TwoSumError(const typename Vector<kLanes>::Type& x, Lane<kLanes>& lane,
                              typename Vector<kLanes>::Type& error) {
  using V = typename Vector<kLanes>::Type;
  const V t = lane.s + x;
  const V z = t - lane.s;
  error = (lane.s - (t - z)) + (x - z);
  lane.s = t;
}

template <int kLanes>
ASSAY_INLINE void AddTerm(const typename Vector<kLanes>::Type& x, Lane<kLanes>& lane) {
  typename Vector<kLanes>::Type error, size;
  TwoSumError<kLanes>(x, lane, error);
  Magnitude<kLanes>(error, size);
  lane.e += error;
  lane.m += size;
}

// q with a * b = p + q.
template <int kLanes, bool kFma>
ASSAY_INLINE void ProductError(const typename Vector<kLanes>::Type& a,
                               const typename Vector<kLanes>::Type& b,
                               const typename Vector<kLanes>::Type& p,
                               typename Vector<kLanes>::Type& q) {
  if constexpr (kFma) {
    if constexpr (kLanes == 1) {
      q = __builtin_fma(a, b, -p);
    } else {
      for (int i = 0; i < kLanes; ++i) q[i] = __builtin_fma(a[i], b[i], -p[i]);
    }
  } else {
    using V = typename Vector<kLanes>::Type;
    constexpr double kSplitter = 134217729;  // 2^27 + 1
    const V ca = a * kSplitter, cb = b * kSplitter;
    const V ah = ca - (ca - a), bh = cb - (cb - b);
    const V al = a - ah, bl = b - bh;
    q = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
  }
}

template <int kLanes, bool kFma, FactorWidth kWidth>
ASSAY_INLINE void AddProduct(const typename Vector<kLanes>::Type& a,
                             const typename Vector<kLanes>::Type& b, Lane<kLanes>& lane) {
  using V = typename Vector<kLanes>::Type;
  const V p = a * b;
  if constexpr (kWidth == FactorWidth::kUpTo32Bits) {
    AddTerm<kLanes>(p, lane);
  } else {
    V q, error, size_q, size_error;
    ProductError<kLanes, kFma>(a, b, p, q);
    TwoSumError<kLanes>(p, lane, error);
    Magnitude<kLanes>(q, size_q);
    Magnitude<kLanes>(error, size_error);
    lane.e += error + q;
    lane.m += size_error + size_q;
  }
}

template <int kLanes, bool kContiguous>
ASSAY_INLINE void Load(const double* from, int64_t stride, typename Vector<kLanes>::Type& out) {
  if constexpr (kLanes == 1) {
    out = *from;
  } else if constexpr (kContiguous) {
    std::memcpy(&out, from, sizeof(out));
  } else {
    for (int i = 0; i < kLanes; ++i) out[i] = from[i * stride];
  }
}

// Joins the lanes of `vectors` into one.
template <int kLanes, int kVectors>
ASSAY_INLINE void Join(const Lane<kLanes> (&vectors)[kVectors], Lane<1>& total) {
  for (const Lane<kLanes>& v : vectors) {
    for (int i = 0; i < kLanes; ++i) {
      AddTerm<1>(v.s[i], total);
      total.e += v.e[i];
      total.m += v.m[i];
    }
  }
}

struct Terms {
  const double* a;
  int64_t stride_a;
  const double* b;  // null for a sum
  int64_t stride_b;
  int64_t n;
};

template <int kLanes, bool kFma, FactorWidth kWidth, bool kProducts, bool kContiguous>
ASSAY_INLINE void AccumulateTerms(const Terms& terms, Lane<1> total, PartialSum& sum) {
  using V = typename Vector<kLanes>::Type;
  constexpr int kVectors = 2;  // independent chains hide the latency of TwoSum
  constexpr int64_t kStep = kLanes * kVectors;
  const double* a = terms.a;
  const double* b = terms.b;
  int64_t i = 0;
  if (terms.n >= kStep) {
    Lane<kLanes> vectors[kVectors];
    for (Lane<kLanes>& v : vectors) Clear(v);
    for (; i + kStep <= terms.n; i += kStep) {
      for (int v = 0; v < kVectors; ++v) {
        const int64_t at = i + v * kLanes;
        V x;
        Load<kLanes, kContiguous>(a + at * (kContiguous ? 1 : terms.stride_a), terms.stride_a, x);
        if constexpr (kProducts) {
          V y;
          Load<kLanes, kContiguous>(b + at * (kContiguous ? 1 : terms.stride_b), terms.stride_b, y);
          AddProduct<kLanes, kFma, kWidth>(x, y, vectors[v]);
        } else {
          AddTerm<kLanes>(x, vectors[v]);
        }
      }
    }
    Join<kLanes, kVectors>(vectors, total);
  }
  for (; i < terms.n; ++i) {
    const double x = a[i * terms.stride_a];
    if constexpr (kProducts) {
      AddProduct<1, kFma, kWidth>(x, b[i * terms.stride_b], total);
    } else {
      AddTerm<1>(x, total);
    }
  }
  // Additions within a lane, then the joining of 8 lanes at most and the tail, with slack.
  sum.path += terms.n < kStep ? terms.n : terms.n / kStep + 64;
  sum.s = total.s;
  sum.e = total.e;
  sum.m = total.m;
}

template <int kLanes, bool kFma, FactorWidth kWidth, int kVectors>
ASSAY_INLINE void AccumulateColumns(const Terms& terms, bool fresh, PartialSum* sums) {
  using V = typename Vector<kLanes>::Type;
  Lane<kLanes> vectors[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    Clear(vectors[v]);
    for (int i = 0; i < kLanes && !fresh; ++i) {
      const PartialSum& sum = sums[v * kLanes + i];
      vectors[v].s[i] = sum.s;
      vectors[v].e[i] = sum.e;
      vectors[v].m[i] = sum.m;
    }
  }
  const double* a = terms.a;
  const double* b = terms.b;
  for (int64_t k = 0; k < terms.n; ++k) {
    V x;
    for (int i = 0; i < kLanes; ++i) x[i] = *a;  // 0 + *a would lose the sign of a zero
    for (int v = 0; v < kVectors; ++v) {
      V y;
      Load<kLanes, true>(b + v * kLanes, 1, y);
      AddProduct<kLanes, kFma, kWidth>(x, y, vectors[v]);
    }
    a += terms.stride_a;
    b += terms.stride_b;
  }
  for (int v = 0; v < kVectors; ++v) {
    for (int i = 0; i < kLanes; ++i) {
      PartialSum& sum = sums[v * kLanes + i];
      sum = {vectors[v].s[i], vectors[v].e[i], vectors[v].m[i], (fresh ? 0 : sum.path) + terms.n};
    }
  }
}

// Term i joins sum i.
template <int kLanes>
ASSAY_INLINE void AccumulateEach(const double* x, int64_t n, double* s, double* e, double* m) {
  using V = typename Vector<kLanes>::Type;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    V term;
    Lane<kLanes> lane;
    Load<kLanes, true>(x + i, 1, term);
    Load<kLanes, true>(s + i, 1, lane.s);
    Load<kLanes, true>(e + i, 1, lane.e);
    Load<kLanes, true>(m + i, 1, lane.m);
    AddTerm<kLanes>(term, lane);
    std::memcpy(s + i, &lane.s, sizeof(V));
    std::memcpy(e + i, &lane.e, sizeof(V));
    std::memcpy(m + i, &lane.m, sizeof(V));
  }
  for (; i < n; ++i) {
    Lane<1> lane = {s[i], e[i], m[i]};
    AddTerm<1>(x[i], lane);
    s[i] = lane.s;
    e[i] = lane.e;
    m[i] = lane.m;
  }
}

// The loops once per instruction set. Results are proven, so the choice changes no bit.
constexpr int kColumns = 8, kHalf = 4;
struct Loops {
  // What was carried so far comes in registers: short sums would wait for memory.
  using Function = void (*)(const Terms&, double s, double e, double m, PartialSum& out);
  Function sum[2];                                      // [contiguous]
  Function dot[2][2];                                   // [64 bits][contiguous]
  void (*columns[2])(const Terms&, bool, PartialSum*);  // [64 bits]; kColumns of them
  void (*half[2])(const Terms&, bool, PartialSum*);     // kHalf of them
  void (*each)(const double*, int64_t, double*, double*, double*);
};

#define ASSAY_LOOPS(name, attributes, lanes, fma)                                                  \
  template <FactorWidth kWidth, bool kProducts, bool kContiguous>                                  \
  attributes void name##Terms(const Terms& terms, double s, double e, double m, PartialSum& sum) { \
    AccumulateTerms<lanes, fma, kWidth, kProducts, kContiguous>(terms, {s, e, m}, sum);            \
  }                                                                                                \
  template <FactorWidth kWidth>                                                                    \
  attributes void name##Columns(const Terms& terms, bool fresh, PartialSum* sums) {                \
    Terms part = terms;                                                                            \
    for (int done = 0; done < kColumns; done += 2 * lanes, part.b += 2 * lanes) {                  \
      AccumulateColumns<lanes, fma, kWidth, 2>(part, fresh, sums + done);                          \
    }                                                                                              \
  }                                                                                                \
  template <FactorWidth kWidth>                                                                    \
  attributes void name##Half(const Terms& terms, bool fresh, PartialSum* sums) {                   \
    AccumulateColumns<lanes, fma, kWidth, kHalf / lanes>(terms, fresh, sums);                      \
  }                                                                                                \
  attributes void name##Each(const double* x, int64_t n, double* s, double* e, double* m) {        \
    AccumulateEach<lanes>(x, n, s, e, m);                                                          \
  }                                                                                                \
  constexpr Loops name = {                                                                         \
      {name##Terms<FactorWidth::kUpTo32Bits, false, false>,                                        \
       name##Terms<FactorWidth::kUpTo32Bits, false, true>},                                        \
      {{name##Terms<FactorWidth::kUpTo32Bits, true, false>,                                        \
        name##Terms<FactorWidth::kUpTo32Bits, true, true>},                                        \
       {name##Terms<FactorWidth::k64Bits, true, false>,                                            \
        name##Terms<FactorWidth::k64Bits, true, true>}},                                           \
      {name##Columns<FactorWidth::kUpTo32Bits>, name##Columns<FactorWidth::k64Bits>},              \
      {name##Half<FactorWidth::kUpTo32Bits>, name##Half<FactorWidth::k64Bits>},                    \
      name##Each};

#if defined(__FP_FAST_FMA)
ASSAY_LOOPS(kBaseline, , 2, true)
#else
ASSAY_LOOPS(kBaseline, , 2, false)
#endif
#if defined(ASSAY_DISPATCH_AVX2)
ASSAY_LOOPS(kAvx2, __attribute__((target("avx2,fma"))), 4, true)
#endif

const Loops& ChooseLoops() {
#if defined(ASSAY_DISPATCH_AVX2)
  static const bool kHasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (kHasAvx2) return kAvx2;
#endif
  return kBaseline;
}

// By the proof above; `path` is its N.
ASSAY_INLINE bool IsDecided(ElementType type, FactorWidth width, const PartialSum& sum,
                            uint64_t* out) {
  const double t = sum.s + sum.e;
  if (!std::isfinite(t)) return false;
  const bool exact_terms = width == FactorWidth::kUpTo32Bits;
  if (sum.m == 0 && exact_terms) {
    *out = EncodeFloat(type, sum.s);  // a zero has its sign: see Clear
    return true;
  }
  // What the products' errors lost to underflow; a path stands for 8 terms at most.
  const double underflow = exact_terms ? 0 : static_cast<double>(sum.path) * 64 * kTiny;
  const double z = t - sum.s;
  const double r = (sum.s - (t - z)) + (sum.e - z);  // t + r = s + e exactly
  // |exact - t| <= |r| + bound. The second line makes up for the roundings of this function.
  const double bound = static_cast<double>(sum.path) * 0x1p-52 * sum.m + underflow;
  const double wide = bound * (1 + 0x1p-50) + std::fabs(r) * 0x1p-50 + kTiny;
  if (type == ElementType::kF64) {
    // t is the rounding if the ends of the enclosure, relative to t, do not move it.
    if (!(t + (r - wide) == t && t + (r + wide) == t) || t == 0) return false;
    *out = EncodeFloat(type, t);
    return true;
  }
  const double reach = (wide + std::fabs(r)) * (1 + 0x1p-50) + std::fabs(t) * 0x1p-51;
  if (!std::isfinite(reach)) return false;
  const double low = t - reach, high = t + reach;
  if (type == ElementType::kF32) {
    const float rounded = static_cast<float>(low);
    if (rounded != static_cast<float>(high) || rounded == 0) return false;
    *out = EncodeFloat(type, rounded);
    return true;
  }
  *out = EncodeFloat(type, low);
  return *out == EncodeFloat(type, high);
}

uint64_t ExactDot(ElementType type, const Terms& terms) {
  ExactSum sum;
  for (int64_t i = 0; i < terms.n; ++i) {
    sum.AddProduct(terms.a[i * terms.stride_a], terms.b[i * terms.stride_b]);
  }
  return sum.Round(type);
}

}  // namespace

bool Decide(ElementType type, FactorWidth width, const PartialSum& sum, uint64_t* out) {
  return IsDecided(type, width, sum, out);
}

void AddTerms(const double* x, int64_t stride, int64_t n, PartialSum& sum) {
  constexpr int64_t kFew = 8;  // not worth a vector
  if (n < kFew) {
    Lane<1> lane = {sum.s, sum.e, sum.m};
    for (int64_t i = 0; i < n; ++i) AddTerm<1>(x[i * stride], lane);
    sum = {lane.s, lane.e, lane.m, sum.path + n};
    return;
  }
  ChooseLoops().sum[stride == 1]({x, stride, nullptr, 0, n}, sum.s, sum.e, sum.m, sum);
}

void AddEach(const double* x, int64_t n, double* s, double* e, double* m) {
  ChooseLoops().each(x, n, s, e, m);
}

void AddProducts(FactorWidth width, const double* a, const double* b, int64_t stride_b, int64_t n,
                 int64_t columns, PartialSum* sums) {
  const bool wide = width == FactorWidth::k64Bits;
  int64_t j = 0;
  const Loops& loops = ChooseLoops();
  for (; j + kColumns <= columns; j += kColumns) {
    loops.columns[wide]({a, 1, b + j, stride_b, n}, false, sums + j);
  }
  for (; j + kHalf <= columns; j += kHalf) {
    loops.half[wide]({a, 1, b + j, stride_b, n}, false, sums + j);
  }
  for (; j < columns; ++j) {
    loops.dot[wide][stride_b == 1]({a, 1, b + j, stride_b, n}, sums[j].s, sums[j].e, sums[j].m,
                                   sums[j]);
  }
}

namespace {
uint64_t FinishSum(ElementType result, double init, const double* x, int64_t stride, int64_t n,
                   const PartialSum& sum) {
  uint64_t rounded;
  if (IsDecided(result, FactorWidth::kUpTo32Bits, sum, &rounded)) return rounded;
  ExactSum exact;
  exact.Add(init);
  for (int64_t i = 0; i < n; ++i) exact.Add(x[i * stride]);
  return exact.Round(result);
}
}  // namespace

uint64_t RoundedSum(ElementType result, double init, const double* x, int64_t stride, int64_t n) {
  PartialSum sum = {init};
  AddTerms(x, stride, n, sum);
  return FinishSum(result, init, x, stride, n, sum);
}

void RoundedSumBlock(ElementType result, double init, const double* x, int64_t stride, int64_t n,
                     int64_t columns, uint64_t* out) {
  static constexpr double kOne = 1;
  int64_t j = 0;
  for (; j + kColumns <= columns; j += kColumns) {
    PartialSum sums[kColumns];
    for (PartialSum& sum : sums) sum.s = init;
    ChooseLoops().columns[0]({&kOne, 0, x + j, stride, n}, false, sums);
    for (int i = 0; i < kColumns; ++i) {
      out[j + i] = FinishSum(result, init, x + j + i, stride, n, sums[i]);
    }
  }
  for (; j < columns; ++j) out[j] = RoundedSum(result, init, x + j, stride, n);
}

uint64_t RoundedDot(ElementType result, FactorWidth width, const double* a, int64_t stride_a,
                    const double* b, int64_t stride_b, int64_t n) {
  if (n == 0) return EncodeFloat(result, 0.0);
  const Terms terms = {a, stride_a, b, stride_b, n};
  PartialSum sum;
  const bool wide = width == FactorWidth::k64Bits;
  ChooseLoops().dot[wide][stride_a == 1 && stride_b == 1](terms, sum.s, sum.e, sum.m, sum);
  uint64_t rounded;
  return IsDecided(result, width, sum, &rounded) ? rounded : ExactDot(result, terms);
}

void RoundedDotBlock(ElementType result, FactorWidth width, const double* a, int64_t stride_a,
                     const double* b, int64_t stride_b, int64_t n, int64_t columns, uint64_t* out) {
  if (n == 0) {  // there may be no factors to point at
    std::fill(out, out + columns, EncodeFloat(result, 0.0));
    return;
  }
  const bool wide = width == FactorWidth::k64Bits;
  int64_t j = 0;
  while (j + kHalf <= columns) {
    PartialSum sums[kColumns];
    const int count = j + kColumns <= columns ? kColumns : kHalf;
    const Loops& loops = ChooseLoops();
    (count == kColumns ? loops.columns : loops.half)[wide]({a, stride_a, b + j, stride_b, n}, true,
                                                           sums);
    for (int i = 0; i < count; ++i) {
      if (IsDecided(result, width, sums[i], &out[j + i])) continue;
      out[j + i] = ExactDot(result, {a, stride_a, b + j + i, stride_b, n});
    }
    j += count;
  }
  for (; j < columns; ++j) {
    out[j] = RoundedDot(result, width, a, stride_a, b + j, stride_b, n);
  }
}

uint64_t RoundedProduct(ElementType result, double init, const double* x, int64_t stride,
                        int64_t n) {
  ExactProduct product;
  product.Multiply(init);
  for (int64_t i = 0; i < n; ++i) product.Multiply(x[i * stride]);
  return product.Round(result);
}

}  // namespace assay
