// Tests: prove_test.cc.
#include "conformance/prove/references.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "runtime/processor.h"

// Defined by the build on x86-64.
#if defined(ASSAY_HAS_VECTOR_CALLS) && defined(__GLIBC__)
#include <dlfcn.h>

#include "conformance/prove/vector_calls.h"
#define ASSAY_HAS_LIBMVEC 1
#endif

namespace assay::conformance::prove {
namespace {

double ScalarLogistic(double x) { return 1 / (1 + std::exp(-x)); }
double ScalarRsqrt(double x) { return 1 / std::sqrt(x); }

struct Row {
  evaluator::RealFunction function;
  double (*scalar)(double);
  const char* vector;  // libmvec's name; "pow" takes a second operand
  Symmetry symmetry;
};

// In the order of RealFunction.
constexpr Row kRows[] = {
    {evaluator::RealFunction::kAcos, std::acos, "v_acos", Symmetry::kNone},
    {evaluator::RealFunction::kAcosh, std::acosh, "v_acosh", Symmetry::kNone},
    {evaluator::RealFunction::kAsin, std::asin, "v_asin", Symmetry::kOdd},
    {evaluator::RealFunction::kAsinh, std::asinh, "v_asinh", Symmetry::kOdd},
    {evaluator::RealFunction::kAtan, std::atan, "v_atan", Symmetry::kOdd},
    {evaluator::RealFunction::kAtanh, std::atanh, "v_atanh", Symmetry::kOdd},
    {evaluator::RealFunction::kCbrt, std::cbrt, "v_cbrt", Symmetry::kOdd},
    {evaluator::RealFunction::kCos, std::cos, "v_tan", Symmetry::kEven},
    {evaluator::RealFunction::kCosh, std::cosh, "v_cosh", Symmetry::kEven},
    {evaluator::RealFunction::kErf, std::erf, "v_erf", Symmetry::kOdd},
    {evaluator::RealFunction::kExp, std::exp, "v_exp", Symmetry::kNone},
    {evaluator::RealFunction::kExpm1, std::expm1, "v_expm1", Symmetry::kNone},
    {evaluator::RealFunction::kLog, std::log, "v_log", Symmetry::kNone},
    {evaluator::RealFunction::kLog1p, std::log1p, "v_log1p", Symmetry::kNone},
    {evaluator::RealFunction::kLogistic, ScalarLogistic, "v_exp", Symmetry::kNone},
    {evaluator::RealFunction::kRsqrt, ScalarRsqrt, "vv_pow", Symmetry::kNone},
    {evaluator::RealFunction::kSin, std::sin, "v_tan", Symmetry::kOdd},
    {evaluator::RealFunction::kSinh, std::sinh, "v_sinh", Symmetry::kOdd},
    {evaluator::RealFunction::kSqrt, std::sqrt, "vv_pow", Symmetry::kNone},
    {evaluator::RealFunction::kTan, std::tan, "v_tan", Symmetry::kOdd},
    {evaluator::RealFunction::kTanh, std::tanh, "v_tanh", Symmetry::kOdd},
};
static_assert(std::size(kRows) == static_cast<int>(evaluator::RealFunction::kTanh) + 1);

const Row& RowOf(evaluator::RealFunction function) { return kRows[static_cast<int>(function)]; }

#if defined(ASSAY_HAS_LIBMVEC)

bool HasAvx512() { return runtime::Supports(runtime::InstructionSet::kAvx512); }

// Null where the library or the function is missing.
void* Find(const char* name) {
  if (!runtime::Supports(runtime::InstructionSet::kAvx2)) return nullptr;
  static void* const library = dlopen("libmvec.so.1", RTLD_NOW);
  if (library == nullptr) return nullptr;
  const std::string prefix = HasAvx512() ? "_ZGVeN8" : "_ZGVdN4";
  return dlsym(library, (prefix + name).c_str());
}

void Apply(void* symbol, const double* x, double* out) {
  HasAvx512() ? Apply8(symbol, x, out, kBlock) : Apply4(symbol, x, out, kBlock);
}
void Power(void* symbol, const double* x, double y, double* out) {
  HasAvx512() ? Power8(symbol, x, y, out, kBlock) : Power4(symbol, x, y, out, kBlock);
}

#else

bool HasAvx512() { return false; }
void* Find(const char*) { return nullptr; }
// Not called: there is nothing to find.
void Apply(void*, const double* x, double* out) { std::copy(x, x + kBlock, out); }
void Power(void*, const double* x, double, double* out) { std::copy(x, x + kBlock, out); }

#endif

// From exp(-|x|): e / (1 + e) on the left, 1 / (1 + e) on the right.
void VectorLogistic(void* exp, const double* x, double* out) {
  double argument[kBlock];
  for (int i = 0; i < kBlock; ++i) argument[i] = -std::fabs(x[i]);
  Apply(exp, argument, out);
  for (int i = 0; i < kBlock; ++i) out[i] = (x[i] < 0 ? out[i] : 1) / (1 + out[i]);
}

// 2 t / (1 + t^2) with t = tan(x / 2), without a subtraction that could cancel.
void VectorSin(void* tan, const double* x, double* out) {
  double half[kBlock];
  for (int i = 0; i < kBlock; ++i) half[i] = x[i] / 2;
  Apply(tan, half, out);
  for (int i = 0; i < kBlock; ++i) out[i] = 2 * out[i] / (1 + out[i] * out[i]);
}

// sin(x) / tan(x); NaN at zero, which MPFR decides.
void VectorCos(void* tan, const double* x, double* out) {
  double tangent[kBlock];
  VectorSin(tan, x, out);
  Apply(tan, x, tangent);
  for (int i = 0; i < kBlock; ++i) out[i] /= tangent[i];
}

}  // namespace

Symmetry SymmetryOf(evaluator::RealFunction function) { return RowOf(function).symmetry; }

bool IsMonotoneBySign(evaluator::RealFunction function) {
  return function != evaluator::RealFunction::kSin && function != evaluator::RealFunction::kCos &&
         function != evaluator::RealFunction::kTan;
}

References::References(evaluator::RealFunction function)
    : function_(function), scalar_(RowOf(function).scalar), vector_(Find(RowOf(function).vector)) {}

void References::Scalar(const double* x, double* out) const {
  for (int i = 0; i < kBlock; ++i) out[i] = scalar_(x[i]);
}

void References::Vector(const double* x, double* out) const {
  switch (function_) {
    case evaluator::RealFunction::kLogistic:
      return VectorLogistic(vector_, x, out);
    case evaluator::RealFunction::kSin:
      return VectorSin(vector_, x, out);
    case evaluator::RealFunction::kCos:
      return VectorCos(vector_, x, out);
    case evaluator::RealFunction::kRsqrt:
      return Power(vector_, x, -0.5, out);
    case evaluator::RealFunction::kSqrt:
      return Power(vector_, x, 0.5, out);
    default:
      return Apply(vector_, x, out);
  }
}

std::string References::VectorName() {
  if (Find("v_exp") == nullptr) return "none";
  return HasAvx512() ? "libmvec (AVX-512)" : "libmvec (AVX2)";
}

}  // namespace assay::conformance::prove
