// The loops of sum_loops.h, once per instruction set. TwoSum splits s + x into a double t and an
// error err with t + err = s + x exactly; what is kept and how good it is: sum_bounds.h.
#include "evaluator/real/sum_loops.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/processor.h"

#if defined(__x86_64__) && !defined(__FMA__)
#define ASSAY_DISPATCH_AVX2 1
#endif

namespace assay::evaluator {
namespace {

#define ASSAY_INLINE inline __attribute__((always_inline))

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

// The quick phase: as AccumulateColumns, with init in front.
template <int kLanes, int kVectors>
ASSAY_INLINE void QuickColumns(const Terms& terms, double init, QuickSum* out) {
  using V = typename Vector<kLanes>::Type;
  V s[kVectors], m[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    for (int i = 0; i < kLanes; ++i) {
      s[v][i] = init;
      m[v][i] = std::fabs(init);
    }
  }
  const double* a = terms.a;
  const double* b = terms.b;
  for (int64_t k = 0; k < terms.n; ++k) {
    V x;
    for (int i = 0; i < kLanes; ++i) x[i] = *a;
    for (int v = 0; v < kVectors; ++v) {
      V y, size;
      Load<kLanes, true>(b + v * kLanes, 1, y);
      y *= x;
      Magnitude<kLanes>(y, size);
      s[v] += y;
      m[v] += size;
    }
    a += terms.stride_a;
    b += terms.stride_b;
  }
  for (int v = 0; v < kVectors; ++v) {
    for (int i = 0; i < kLanes; ++i) out[v * kLanes + i] = {s[v][i], m[v][i], terms.n};
  }
}

// A fused multiply-add gives what a product that is exact and an addition give.
template <int kLanes, bool kFma>
ASSAY_INLINE void QuickTile(const Terms& terms, double* out) {
  using V = typename Vector<kLanes>::Type;
  constexpr int kVectors = kColumns / kLanes;
  V s[kTileRows][kVectors];
  for (auto& row : s) {
    for (V& sum : row) sum = -V{};
  }
  const double* a = terms.a;
  const double* b = terms.b;
  for (int64_t k = 0; k < terms.n; ++k, ++a, b += terms.stride_b) {
    V y[kVectors];
    for (int v = 0; v < kVectors; ++v) Load<kLanes, true>(b + v * kLanes, 1, y[v]);
    for (int r = 0; r < kTileRows; ++r) {
      const double x = a[r * terms.stride_a];
      for (int v = 0; v < kVectors; ++v) {
        if constexpr (kFma) {
          for (int i = 0; i < kLanes; ++i) s[r][v][i] = __builtin_fma(x, y[v][i], s[r][v][i]);
        } else {
          s[r][v] += x * y[v];
        }
      }
    }
  }
  std::memcpy(out, s, sizeof(s));
}

template <int kLanes, bool kProducts, bool kContiguous>
ASSAY_INLINE void QuickTerms(const Terms& terms, double init, QuickSum& out) {
  using V = typename Vector<kLanes>::Type;
  constexpr int kVectors = 4;
  constexpr int64_t kStep = kLanes * kVectors;
  const double* a = terms.a;
  const double* b = terms.b;
  double s = init, m = std::fabs(init);
  int64_t i = 0;
  if (terms.n >= kStep) {
    V sums[kVectors], sizes[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      sizes[v] = V{};
      sums[v] = -sizes[v];
    }
    for (; i + kStep <= terms.n; i += kStep) {
      for (int v = 0; v < kVectors; ++v) {
        const int64_t at = i + v * kLanes;
        V x, size;
        Load<kLanes, kContiguous>(a + at * (kContiguous ? 1 : terms.stride_a), terms.stride_a, x);
        if constexpr (kProducts) {
          V y;
          Load<kLanes, kContiguous>(b + at * (kContiguous ? 1 : terms.stride_b), terms.stride_b, y);
          x *= y;
        }
        Magnitude<kLanes>(x, size);
        sums[v] += x;
        sizes[v] += size;
      }
    }
    for (int v = 0; v < kVectors; ++v) {
      for (int lane = 0; lane < kLanes; ++lane) {
        s += sums[v][lane];
        m += sizes[v][lane];
      }
    }
  }
  for (; i < terms.n; ++i) {
    const double x = a[i * terms.stride_a] * (kProducts ? b[i * terms.stride_b] : 1);
    s += x;
    m += std::fabs(x);
  }
  // As in AccumulateTerms, with 16 lanes at most.
  out = {s, m, terms.n < kStep ? terms.n : terms.n / kStep + 64};
}

// --- one term each ---

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
  attributes void name##QuickColumns(const Terms& terms, double init, QuickSum* out) {             \
    QuickColumns<lanes, kColumns / lanes>(terms, init, out);                                       \
  }                                                                                                \
  attributes void name##QuickHalf(const Terms& terms, double init, QuickSum* out) {                \
    QuickColumns<lanes, kHalf / lanes>(terms, init, out);                                          \
  }                                                                                                \
  attributes void name##Tile(const Terms& terms, double* sums) {                                   \
    QuickTile<lanes, fma>(terms, sums);                                                            \
  }                                                                                                \
  template <bool kProducts, bool kContiguous>                                                      \
  attributes void name##Quick(const Terms& terms, double init, QuickSum& out) {                    \
    QuickTerms<lanes, kProducts, kContiguous>(terms, init, out);                                   \
  }                                                                                                \
  constexpr SumLoops name = {                                                                      \
      {name##Terms<FactorWidth::kUpTo32Bits, false, false>,                                        \
       name##Terms<FactorWidth::kUpTo32Bits, false, true>},                                        \
      {{name##Terms<FactorWidth::kUpTo32Bits, true, false>,                                        \
        name##Terms<FactorWidth::kUpTo32Bits, true, true>},                                        \
       {name##Terms<FactorWidth::k64Bits, true, false>,                                            \
        name##Terms<FactorWidth::k64Bits, true, true>}},                                           \
      {name##Columns<FactorWidth::kUpTo32Bits>, name##Columns<FactorWidth::k64Bits>},              \
      {name##Half<FactorWidth::kUpTo32Bits>, name##Half<FactorWidth::k64Bits>},                    \
      name##Each,                                                                                  \
      name##QuickColumns,                                                                          \
      name##QuickHalf,                                                                             \
      {name##Quick<false, false>, name##Quick<false, true>},                                       \
      {name##Quick<true, false>, name##Quick<true, true>},                                         \
      name##Tile};

#if defined(__FP_FAST_FMA)
ASSAY_LOOPS(kBaseline, , 2, true)
#else
ASSAY_LOOPS(kBaseline, , 2, false)
#endif
#if defined(ASSAY_DISPATCH_AVX2)
ASSAY_LOOPS(kAvx2, __attribute__((target("avx2,fma"))), 4, true)
#endif

}  // namespace

const SumLoops& ChooseSumLoops() {
#if defined(ASSAY_DISPATCH_AVX2)
  if (runtime::Supports(runtime::InstructionSet::kAvx2)) return kAvx2;
#endif
  return kBaseline;
}

}  // namespace assay::evaluator
