// Once for each instruction set: the bits are the same, for every lane does what AddRunning does.
#include "evaluator/kernels/running_sums.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/processor.h"

#if defined(__x86_64__) && !defined(__AVX2__)
#define ASSAY_DISPATCH_AVX2 1
#endif

namespace assay::evaluator::kernels {
namespace {

#define ASSAY_INLINE inline __attribute__((always_inline))
#define ASSAY_INLINE_LAMBDA __attribute__((always_inline))

template <int kLanes>
struct Vector {
  typedef double Doubles __attribute__((vector_size(kLanes * sizeof(double))));
  typedef int64_t Bits __attribute__((vector_size(kLanes * sizeof(double))));
  typedef float Floats __attribute__((vector_size(kLanes * sizeof(float))));
};

// Neighbouring sums, in registers.
template <int kLanes, int kVectors>
struct Strip {
  using V = typename Vector<kLanes>::Doubles;
  using Floats = typename Vector<kLanes>::Floats;
  using Bits = typename Vector<kLanes>::Bits;
  static constexpr int64_t kSize = kLanes * kVectors;

  ASSAY_INLINE void Load(const double* s, const double* errors) {
    std::memcpy(sums, s, sizeof sums);
    std::memcpy(sizes, errors, sizeof sizes);
  }
  ASSAY_INLINE void Store(double* s, double* errors) const {
    std::memcpy(s, sums, sizeof sums);
    std::memcpy(errors, sizes, sizeof sizes);
  }
  ASSAY_INLINE void Begin(const std::byte* first) {
    for (int v = 0; v < kVectors; ++v) {
      sizes[v] = V{};
      LoadTerms(first, v, sums[v]);
    }
  }
  // Row r is rows[r] + at elements.
  ASSAY_INLINE void Add(const std::byte* const* rows, int64_t count, int64_t at) {
    constexpr int64_t kMagnitude = std::numeric_limits<int64_t>::max();
    for (int64_t r = 0; r < count; ++r) {
      const std::byte* row = rows[r] + at * static_cast<int64_t>(sizeof(float));
      for (int v = 0; v < kVectors; ++v) {
        V x;
        LoadTerms(row, v, x);
        const V t = sums[v] + x;
        const V z = t - sums[v];
        const V error = (sums[v] - (t - z)) + (x - z);
        sums[v] = t;
        sizes[v] += (V)((Bits)error & kMagnitude);
      }
    }
  }
  // Stores the sums as f32 if all of them are exact and finite.
  ASSAY_INLINE bool StoreExact(std::byte* out) const {
    V zeros = {};  // or NaN, or more
    for (int v = 0; v < kVectors; ++v) zeros += sizes[v] + (sums[v] - sums[v]);
    const auto is_zero = zeros == V{};
    bool exact = true;
    for (int i = 0; i < kLanes; ++i) exact &= is_zero[i] != 0;
    if (!exact) return false;
    for (int v = 0; v < kVectors; ++v) {
      Floats rounded;
      for (int i = 0; i < kLanes; ++i) rounded[i] = static_cast<float>(sums[v][i]);
      std::memcpy(out + v * sizeof rounded, &rounded, sizeof rounded);
    }
    return true;
  }
  ASSAY_INLINE static void LoadTerms(const std::byte* from, int v, V& x) {
    Floats terms;
    std::memcpy(&terms, from + v * sizeof terms, sizeof terms);
    for (int i = 0; i < kLanes; ++i) x[i] = terms[i];  // __builtin_convertvector takes detours
  }

  V sums[kVectors], sizes[kVectors];
};

// Calls f(a strip, its first sum) for strips that together are all n but some at the end. Returns
// the first of those.
template <int kLanes, typename F>
ASSAY_INLINE int64_t ForEachStrip(int64_t n, F f) {
  int64_t at = 0;
  Strip<kLanes, 4> wide;
  for (; at + wide.kSize <= n; at += wide.kSize) f(wide, at);
  Strip<kLanes, 1> narrow;
  for (; at + narrow.kSize <= n; at += narrow.kSize) f(narrow, at);
  return at;
}

// Decides the sums one by one.
int64_t DecideEach(const double* s, double* errors, int64_t n, std::byte* out) {
  int64_t open = 0;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t rounded;
    if (DecideF32(s[i], errors[i], &rounded)) {
      StoreAt(out, i, static_cast<uint32_t>(rounded));
    } else {
      errors[i] = std::numeric_limits<double>::infinity();
      ++open;
    }
  }
  return open;
}
void AddEach(const std::byte* const* rows, int64_t count, int64_t first, int64_t n, double* s,
             double* errors) {
  for (int64_t i = first; i < n; ++i) {
    for (int64_t r = 0; r < count; ++r) AddRunning(LoadAt<float>(rows[r], i), s[i], errors[i]);
  }
}
std::byte* FloatAt(std::byte* floats, int64_t i) {
  return floats + i * static_cast<int64_t>(sizeof(float));
}

template <int kLanes>
ASSAY_INLINE void AddRowsBy(const std::byte* const* rows, int64_t count, int64_t n, double* s,
                            double* errors) {
  const int64_t rest = ForEachStrip<kLanes>(n, [&](auto& strip, int64_t at) ASSAY_INLINE_LAMBDA {
    strip.Load(s + at, errors + at);
    strip.Add(rows, count, at);
    strip.Store(s + at, errors + at);
  });
  AddEach(rows, count, rest, n, s, errors);
}

template <int kLanes>
ASSAY_INLINE int64_t DecideBy(const double* s, double* errors, int64_t n, std::byte* out) {
  int64_t open = 0;
  const int64_t rest = ForEachStrip<kLanes>(n, [&](auto& strip, int64_t at) ASSAY_INLINE_LAMBDA {
    strip.Load(s + at, errors + at);
    if (strip.StoreExact(FloatAt(out, at))) return;
    open += DecideEach(s + at, errors + at, strip.kSize, FloatAt(out, at));
  });
  return open + DecideEach(s + rest, errors + rest, n - rest, FloatAt(out, rest));
}

template <int kLanes>
ASSAY_INLINE int64_t SumRowsBy(const std::byte* first, const std::byte* const* rows, int64_t count,
                               int64_t n, double* errors, std::byte* out) {
  int64_t open = 0;
  const int64_t rest = ForEachStrip<kLanes>(n, [&](auto& strip, int64_t at) ASSAY_INLINE_LAMBDA {
    strip.Begin(first + at * static_cast<int64_t>(sizeof(float)));
    strip.Add(rows, count, at);
    if (strip.StoreExact(FloatAt(out, at))) {
      std::fill_n(errors + at, strip.kSize, 0.0);
      return;
    }
    double s[strip.kSize];
    strip.Store(s, errors + at);
    open += DecideEach(s, errors + at, strip.kSize, FloatAt(out, at));
  });
  for (int64_t i = rest; i < n; ++i) {
    double s = LoadAt<float>(first, i);
    errors[i] = 0;
    for (int64_t r = 0; r < count; ++r) AddRunning(LoadAt<float>(rows[r], i), s, errors[i]);
    open += DecideEach(&s, errors + i, 1, FloatAt(out, i));
  }
  return open;
}

#if defined(ASSAY_DISPATCH_AVX2)
#define ASSAY_AVX2 __attribute__((target("avx2")))
ASSAY_AVX2 void AddRowsAvx2(const std::byte* const* rows, int64_t count, int64_t n, double* s,
                            double* errors) {
  AddRowsBy<4>(rows, count, n, s, errors);
}
ASSAY_AVX2 int64_t DecideAvx2(const double* s, double* errors, int64_t n, std::byte* out) {
  return DecideBy<4>(s, errors, n, out);
}
ASSAY_AVX2 int64_t SumRowsAvx2(const std::byte* first, const std::byte* const* rows, int64_t count,
                               int64_t n, double* errors, std::byte* out) {
  return SumRowsBy<4>(first, rows, count, n, errors, out);
}
bool HasAvx2() { return runtime::Supports(runtime::InstructionSet::kAvx2); }
#endif

}  // namespace

void AddRows(const std::byte* const* rows, int64_t count, int64_t n, double* s, double* errors) {
#if defined(ASSAY_DISPATCH_AVX2)
  if (HasAvx2()) return AddRowsAvx2(rows, count, n, s, errors);
#endif
  AddRowsBy<2>(rows, count, n, s, errors);
}

int64_t DecideSums(const double* s, double* errors, int64_t n, std::byte* out) {
#if defined(ASSAY_DISPATCH_AVX2)
  if (HasAvx2()) return DecideAvx2(s, errors, n, out);
#endif
  return DecideBy<2>(s, errors, n, out);
}

int64_t SumRows(const std::byte* first, const std::byte* const* rows, int64_t count, int64_t n,
                double* errors, std::byte* out) {
#if defined(ASSAY_DISPATCH_AVX2)
  if (HasAvx2()) return SumRowsAvx2(first, rows, count, n, errors, out);
#endif
  return SumRowsBy<2>(first, rows, count, n, errors, out);
}

}  // namespace assay::evaluator::kernels
