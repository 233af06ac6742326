// Tables from long constants, and the call of a kernel. Tests: dd_tier_test.cc.
#include "evaluator/real/dd_tier.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluator/real/big_math.h"
#include "evaluator/real/roots_of_unity.h"

namespace assay::evaluator::real {

#define ASSAY_DD_KERNELS(target)             \
  namespace target {                         \
  DdKernel KernelOf(RealFunction function);  \
  DdKernel KernelOf(RealFunction2 function); \
  }
ASSAY_DD_KERNELS(dd_baseline)
#if defined(__x86_64__)
ASSAY_DD_KERNELS(dd_fma)
ASSAY_DD_KERNELS(dd_avx512)
#endif
#undef ASSAY_DD_KERNELS

namespace {

using Math = BigMath<256>;

// The nearest doubles of what is left, one after the other.
void SplitConstant(Math::Float value, double* parts, int count) {
  for (int i = 0; i < count; ++i) {
    parts[i] = static_cast<double>(value);
    value -= parts[i];
  }
}

DdTables* MakeTables() {
  auto* tables = new DdTables();
  SplitConstant(Math::Ln2() / 256, tables->ln2_256, 3);
  SplitConstant(Math::Pi() / 128, tables->pi_128, 3);
  SplitConstant(Math::Float(1) / 6, tables->sixth, 2);
  Math::Float step = 2, power = 1;
  for (int i = 0; i < 8; ++i) step = Math::Sqrt(step);
  for (int j = 0; j < 256; ++j, power *= step) {
    double parts[2];
    SplitConstant(power, parts, 2);
    tables->exp_hi[j] = parts[0];
    tables->exp_lo[j] = parts[1];
  }
  const auto roots = DdRoots(256);
  for (int j = 0; j < 256; ++j) {
    tables->cos_hi[j] = roots[j].re.hi;
    tables->cos_lo[j] = roots[j].re.lo;
    tables->sin_hi[j] = roots[j].im.hi;
    tables->sin_lo[j] = roots[j].im.lo;
  }
  return tables;
}

// The derivative g of erf has g' = -2 x g, which gives its coefficients b at a point from the first
// one: (n + 1) b[n + 1] = -2 c b[n] - 2 b[n - 1], and a[n + 1] = b[n] / (n + 1). The series at one
// point gives value and derivative at the next: what 64 terms leave out is below 2^-256.
ErfTables* MakeErfTables() {
  constexpr int kTerms = 64;
  auto* tables = new ErfTables;
  Math::Float value = 0, slope = 2 / Math::Sqrt(Math::Pi());
  for (int j = 0; j < 128; ++j) {
    const Math::Float c = Math::Float(j) / 16;
    Math::Float a[kTerms + 1], b[kTerms];
    a[0] = value;
    b[0] = slope;
    for (int n = 0; n < kTerms; ++n) {
      a[n + 1] = b[n] / (n + 1);
      if (n + 1 == kTerms) break;
      b[n + 1] = -2 * (c * b[n] + (n == 0 ? Math::Float(0) : b[n - 1])) / (n + 1);
    }
    for (int n = 0; n < ErfTables::kCoefficients; ++n) {
      double parts[2];
      SplitConstant(a[n], parts, 2);
      tables->hi[n][j] = parts[0];
      if (n < ErfTables::kPairs) tables->lo[n][j] = parts[1];
    }
    value = slope = 0;
    for (int n = kTerms - 1; n >= 0; --n) {
      value = value / 16 + a[n];
      slope = slope / 16 + b[n];
    }
  }
  return tables;
}

const DdTables& Tables() {
  static const DdTables* const tables = MakeTables();  // never destroyed, as function_tables.cc
  return *tables;
}

const DdTables& TablesWithErf() {
  static const DdTables* const tables = [] {
    auto* with_erf = new DdTables(Tables());
    with_erf->erf = MakeErfTables();
    return with_erf;
  }();
  return *tables;
}

template <class Function>
DdKernel KernelFor(Function function, [[maybe_unused]] Lanes lanes) {
#if defined(__x86_64__)
  if (lanes == Lanes::kEight) return dd_avx512::KernelOf(function);
  if (lanes == Lanes::kFour) return dd_fma::KernelOf(function);
#endif
  return dd_baseline::KernelOf(function);
}

struct Start {
  alignas(64) double values[kDdBlock];
};

}  // namespace

void DdBlock(RealFunction function, Lanes lanes, const double* x, double* high, double* low,
             int64_t count) {
  const DdKernel kernel = KernelFor(function, lanes);
  if (kernel == nullptr) {
    std::fill(high, high + count, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  Start start;
  switch (function) {
    case RealFunction::kAcos:
    case RealFunction::kAcosh:
    case RealFunction::kAsin:
    case RealFunction::kAsinh:
    case RealFunction::kAtan:
    case RealFunction::kAtanh:
    case RealFunction::kCbrt:
    case RealFunction::kLog:
    case RealFunction::kLog1p:
    case RealFunction::kRsqrt:
      std::copy(x, x + count, start.values);
      DoubleBlock(function, lanes, start.values, count);
      break;
    default:  // computed directly
      break;
  }
  const DdTables& tables = function == RealFunction::kErf ? TablesWithErf() : Tables();
  kernel(tables, x, nullptr, start.values, high, low, count);
}

void DdBlock(RealFunction2 function, Lanes lanes, const double* a, const double* b, double* high,
             double* low, int64_t count) {
  Start start, second;
  std::copy(a, a + count, start.values);
  if (function == RealFunction2::kPower) {
    DoubleBlock(RealFunction::kLog, lanes, start.values, count);
  } else {
    std::copy(b, b + count, second.values);
    DoubleBlock(function, lanes, start.values, second.values, count);
  }
  KernelFor(function, lanes)(Tables(), a, b, start.values, high, low, count);
}

}  // namespace assay::evaluator::real
