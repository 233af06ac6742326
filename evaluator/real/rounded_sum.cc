// Rounds what the loops of sum_loops.h accumulate: by a quick phase, by a second one, and exactly
// where neither decides (sum_bounds.h). Tests: rounded_sum_test.cc.
#include "evaluator/real/rounded_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "evaluator/real/exact_product.h"
#include "evaluator/real/exact_sum.h"
#include "evaluator/real/rounded_tile.h"
#include "evaluator/real/sum_bounds.h"
#include "evaluator/real/sum_loops.h"

namespace assay::evaluator {
namespace {

constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kMost = std::numeric_limits<double>::max();

// The pattern of a finite number.
inline uint64_t Encode(ElementType type, double value) {
  if (type == ElementType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return EncodeFloat(type, value);
}

// Whether all numbers between these round to one pattern. Not between opposite signs: far beyond
// the largest value of either sign, some types have one NaN.
inline bool RoundsAlike(ElementType type, double low, double high, uint64_t* out) {
  if (!((low > 0 && high <= kMost) || (high < 0 && low >= -kMost))) return false;
  *out = Encode(type, low);
  return *out == Encode(type, high);
}

// By the second phase.
inline bool IsDecided(ElementType type, FactorWidth width, const PartialSum& sum, uint64_t* out) {
  const double t = sum.s + sum.e;
  if (!std::isfinite(t)) return false;
  const bool exact_terms = width == FactorWidth::kUpTo32Bits;
  if (sum.m == 0 && exact_terms) {
    *out = Encode(type, sum.s);  // a zero has its sign
    return true;
  }
  const double underflow = exact_terms ? 0 : sum_bounds::Underflow(sum.path);
  const double z = t - sum.s;
  const double r = (sum.s - (t - z)) + (sum.e - z);  // t + r = s + e exactly
  // |exact - t| <= |r| + bound. The second line makes up for the roundings of this function.
  const double bound = sum_bounds::SecondError(sum.m, sum.path) + underflow;
  const double wide = bound * (1 + 0x1p-50) + std::fabs(r) * 0x1p-50 + kTiny;
  if (type == ElementType::kF64) {
    // t is the rounding if the ends of the enclosure, relative to t, do not move it.
    if (!(t + (r - wide) == t && t + (r + wide) == t) || t == 0) return false;
    *out = EncodeFloat(type, t);
    return true;
  }
  const double reach = (wide + std::fabs(r)) * (1 + 0x1p-50) + std::fabs(t) * 0x1p-51;
  return RoundsAlike(type, t - reach, t + reach, out);
}

// Whether the quick phase is worth trying. Sums of few terms lie on ties too often.
bool IsQuick(ElementType result, int64_t n) { return result != ElementType::kF64 && n >= 32; }

inline bool IsDecided(ElementType type, const QuickSum& sum, uint64_t* out) {
  const double reach = sum_bounds::QuickReach(sum.m, sum.path);
  return RoundsAlike(type, sum.s - reach, sum.s + reach, out);
}

// Bit i: column i is not decided.
unsigned DecideQuickly(ElementType type, const QuickSum* sums, int columns, uint64_t* out) {
  unsigned undecided = 0;
  for (int i = 0; i < columns; ++i) {
    undecided |= static_cast<unsigned>(!IsDecided(type, sums[i], &out[i])) << i;
  }
  return undecided;
}
constexpr unsigned kAllColumns = (1u << kColumns) - 1;

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

bool DecideF32(double s, double errors, uint64_t* out) {
  if (errors == 0) {
    *out = Encode(ElementType::kF32, s);
    return std::isfinite(s);
  }
  const double reach = sum_bounds::RunningReach(s, errors);
  return RoundsAlike(ElementType::kF32, s - reach, s + reach, out);
}

void AddTerms(const double* x, int64_t stride, int64_t n, PartialSum& sum) {
  ChooseSumLoops().sum[stride == 1]({x, stride, nullptr, 0, n}, sum.s, sum.e, sum.m, sum);
}

// What is carried of both sums is added: one more addition of errors on the path.
void AddSum(const PartialSum& other, PartialSum& sum) {
  AddTerms(&other.s, 1, 1, sum);
  sum.e += other.e;
  sum.m += other.m;
  sum.path += other.path + 1;
}

void AddEach(const double* x, int64_t n, double* s, double* e, double* m) {
  ChooseSumLoops().each(x, n, s, e, m);
}

void AddProducts(FactorWidth width, const double* a, const double* b, int64_t stride_b, int64_t n,
                 int64_t columns, PartialSum* sums) {
  const bool wide = width == FactorWidth::k64Bits;
  int64_t j = 0;
  const SumLoops& loops = ChooseSumLoops();
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
  uint64_t rounded;
  if (IsQuick(result, n)) {
    QuickSum quick;
    ChooseSumLoops().quick_sum[stride == 1]({x, stride, nullptr, 0, n}, init, quick);
    if (IsDecided(result, quick, &rounded)) return rounded;
  }
  PartialSum sum = {init};
  AddTerms(x, stride, n, sum);
  return FinishSum(result, init, x, stride, n, sum);
}

void RoundedSumBlock(ElementType result, double init, const double* x, int64_t stride, int64_t n,
                     int64_t columns, uint64_t* out) {
  static constexpr double kOne = 1;
  int64_t j = 0;
  const SumLoops& loops = ChooseSumLoops();
  for (; j + kColumns <= columns; j += kColumns) {
    const Terms terms = {&kOne, 0, x + j, stride, n};
    unsigned undecided = kAllColumns;
    if (IsQuick(result, n)) {
      QuickSum quick[kColumns];
      loops.quick_columns(terms, init, quick);
      undecided = DecideQuickly(result, quick, kColumns, out + j);
      if (undecided == 0) continue;
    }
    PartialSum sums[kColumns];
    for (PartialSum& sum : sums) sum.s = init;
    loops.columns[0](terms, false, sums);
    for (int i = 0; i < kColumns; ++i) {
      if ((undecided >> i & 1) == 0) continue;
      out[j + i] = FinishSum(result, init, x + j + i, stride, n, sums[i]);
    }
  }
  for (; j < columns; ++j) out[j] = RoundedSum(result, init, x + j, stride, n);
}

uint64_t RoundedDot(ElementType result, FactorWidth width, const double* a, int64_t stride_a,
                    const double* b, int64_t stride_b, int64_t n) {
  if (n == 0) return EncodeFloat(result, 0.0);
  const Terms terms = {a, stride_a, b, stride_b, n};
  const bool wide = width == FactorWidth::k64Bits, contiguous = stride_a == 1 && stride_b == 1;
  uint64_t rounded;
  if (!wide && IsQuick(result, n)) {
    QuickSum quick;
    ChooseSumLoops().quick_dot[contiguous](terms, -0.0, quick);
    if (IsDecided(result, quick, &rounded)) return rounded;
  }
  PartialSum sum;
  ChooseSumLoops().dot[wide][contiguous](terms, sum.s, sum.e, sum.m, sum);
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
    const int count = j + kColumns <= columns ? kColumns : kHalf;
    const SumLoops& loops = ChooseSumLoops();
    const Terms terms = {a, stride_a, b + j, stride_b, n};
    unsigned undecided = kAllColumns;
    if (!wide && IsQuick(result, n)) {
      QuickSum quick[kColumns];
      (count == kColumns ? loops.quick_columns : loops.quick_half)(terms, -0.0, quick);
      undecided = DecideQuickly(result, quick, count, out + j);
    }
    PartialSum sums[kColumns];
    if (undecided != 0) {
      (count == kColumns ? loops.columns : loops.half)[wide](terms, true, sums);
    }
    for (int i = 0; i < count; ++i) {
      if ((undecided >> i & 1) == 0) continue;
      if (IsDecided(result, width, sums[i], &out[j + i])) continue;
      out[j + i] = ExactDot(result, {a, stride_a, b + j + i, stride_b, n});
    }
    j += count;
  }
  for (; j < columns; ++j) {
    out[j] = RoundedDot(result, width, a, stride_a, b + j, stride_b, n);
  }
}

bool IsDotTileQuick(ElementType result, int64_t n) { return IsQuick(result, n); }

double DotLength(const double* x, int64_t n) {
  double squares[kColumns] = {};
  int64_t i = 0;
  for (; i + kColumns <= n; i += kColumns) {
    for (int j = 0; j < kColumns; ++j) squares[j] += x[i + j] * x[i + j];
  }
  double sum = 0;
  for (; i < n; ++i) sum += x[i] * x[i];
  for (const double part : squares) sum += part;
  return std::sqrt(sum);
}

void DotLengths(const double* b, int64_t n, double* lengths) {
  double squares[kColumns] = {};
  for (int64_t k = 0; k < n; ++k, b += kColumns) {
    for (int j = 0; j < kColumns; ++j) squares[j] += b[j] * b[j];
  }
  for (int j = 0; j < kColumns; ++j) lengths[j] = std::sqrt(squares[j]);
}

namespace {
// As DecideQuickly, for f32; leaves zeros and infinities to it.
unsigned DecideRowF32(const QuickSum* sums, uint64_t* out) {
  float low[kColumns], high[kColumns];
  for (int j = 0; j < kColumns; ++j) {
    const double reach = sum_bounds::QuickReach(sums[j].m, sums[j].path);
    low[j] = static_cast<float>(sums[j].s - reach);
    high[j] = static_cast<float>(sums[j].s + reach);
  }
  unsigned undecided = 0;
  for (int j = 0; j < kColumns; ++j) {
    const float size = std::fabs(low[j]);
    const bool decided = low[j] == high[j] && size > 0 && size <= std::numeric_limits<float>::max();
    undecided |= static_cast<unsigned>(!decided) << j;
    out[j] = std::bit_cast<uint32_t>(low[j]);
  }
  return undecided;
}
}  // namespace

void RoundedDotTile(ElementType result, const double* a, int64_t stride_a,
                    const double* row_lengths, const double* b, const double* column_lengths,
                    int64_t n, uint64_t* out) {
  static_assert(kDotTileRows == kTileRows && kDotTileColumns == kColumns);
  double sums[kTileRows * kColumns];
  ChooseSumLoops().tile({a, stride_a, b, kColumns, n}, sums);
  for (int64_t r = 0; r < kTileRows; ++r, out += kColumns) {
    QuickSum row[kColumns];
    for (int64_t j = 0; j < kColumns; ++j) {
      row[j] = {sums[r * kColumns + j], row_lengths[r] * column_lengths[j], n};
    }
    if (result == ElementType::kF32 && DecideRowF32(row, out) == 0) continue;
    if (DecideQuickly(result, row, kColumns, out) == 0) continue;
    RoundedDotBlock(result, FactorWidth::kUpTo32Bits, a + r * stride_a, 1, b, kColumns, n, kColumns,
                    out);
  }
}

uint64_t RoundedProduct(ElementType result, double init, const double* x, int64_t stride,
                        int64_t n) {
  ExactProduct product;
  product.Multiply(init);
  for (int64_t i = 0; i < n; ++i) product.Multiply(x[i * stride]);
  return product.Round(result);
}

}  // namespace assay::evaluator
