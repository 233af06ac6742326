// float_block.h for CPUs with AVX2; this file alone is compiled for them. Tests:
// function_blocks_test.cc.
#include "evaluator/real/float_block.h"

#include <immintrin.h>

#include <cstring>

#include "runtime/processor.h"

namespace assay::evaluator::real {
namespace {

using Vector = __m256d;

Vector All(double value) { return _mm256_set1_pd(value); }

// (e^r - 1) / r for |r| <= log(2) / 2 by interpolation in eleven Chebyshev nodes, with a relative
// error below 2^-55; rounding adds less than 2^-52.
Vector Quotient(Vector r) {
  constexpr double kCoefficients[] = {
      0x1.0000000000000p+0,  0x1.0000000000005p-1,  0x1.5555555555557p-3,  0x1.5555555552043p-5,
      0x1.11111111100bep-7,  0x1.6c16c17f6130bp-10, 0x1.a01a01abf85abp-13, 0x1.a019a60cd99d3p-16,
      0x1.71de01fdbf9cap-19, 0x1.28a321f9f0475p-22, 0x1.af4e554377204p-26};
  const auto pair = [&](int i) {
    return _mm256_fmadd_pd(All(kCoefficients[i + 1]), r, All(kCoefficients[i]));
  };
  // By halves, so that few operations wait for each other.
  const Vector r2 = _mm256_mul_pd(r, r), r4 = _mm256_mul_pd(r2, r2), r8 = _mm256_mul_pd(r4, r4);
  const Vector low = _mm256_fmadd_pd(pair(2), r2, pair(0));
  const Vector middle = _mm256_fmadd_pd(pair(6), r2, pair(4));
  const Vector high = _mm256_fmadd_pd(All(kCoefficients[10]), r2, pair(8));
  return _mm256_fmadd_pd(high, r8, _mm256_fmadd_pd(middle, r4, low));
}

// e^x = scale * (1 + part), |part| below 0.42; x is at most 700 in magnitude, or NaN, which `part`
// then is.
struct Exponential {
  Vector scale, part;
};
Exponential Exp(Vector x) {
  // Adding 1.5 * 2^52 leaves the nearest integer in the low bits.
  const Vector shift = All(0x1.8p52);
  const Vector shifted = _mm256_fmadd_pd(x, All(0x1.71547652b82fep+0), shift);
  const Vector k = _mm256_sub_pd(shifted, shift);
  // The logarithm of 2 in two parts, of which the first times k is exact.
  const Vector r = _mm256_fnmadd_pd(k, All(-0x1.8432a1b0e2634p-43),
                                    _mm256_fnmadd_pd(k, All(0x1.62e42fefa4000p-1), x));
  const __m256i exponent = _mm256_add_epi64(_mm256_castpd_si256(shifted), _mm256_set1_epi64x(1023));
  return {_mm256_castsi256_pd(_mm256_slli_epi64(exponent, 52)), _mm256_mul_pd(r, Quotient(r))};
}

// Keeps NaN, as the operations of x86 return their second operand then.
Vector Clamp(Vector x, double low, double high) {
  return _mm256_max_pd(All(low), _mm256_min_pd(All(high), x));
}

Vector MinusOne(const Exponential& e) {
  return _mm256_fmadd_pd(e.scale, e.part, _mm256_sub_pd(e.scale, All(1)));
}

// Beyond these limits every result of f32 is that of the limit, by both ends of its interval.
struct ExpOf {
  static constexpr bool kZeroIsSpecial = false, kInfinityIsSpecial = true;
  static Vector At(Vector x) {
    const Exponential e = Exp(Clamp(x, -700, 700));
    return _mm256_fmadd_pd(e.scale, e.part, e.scale);
  }
};
struct Expm1Of {
  static constexpr bool kZeroIsSpecial = true, kInfinityIsSpecial = true;
  static Vector At(Vector x) { return MinusOne(Exp(Clamp(x, -60, 700))); }
};
struct TanhOf {
  static constexpr bool kZeroIsSpecial = true, kInfinityIsSpecial = false;
  // t / (t + 2) for t = e^2|x| - 1, with the sign of x.
  static Vector At(Vector x) {
    const Vector sign = _mm256_and_pd(x, All(-0.0));
    const Vector magnitude = _mm256_andnot_pd(All(-0.0), x);
    const Vector t = MinusOne(Exp(Clamp(_mm256_add_pd(magnitude, magnitude), 0, 60)));
    return _mm256_or_pd(_mm256_div_pd(t, _mm256_add_pd(t, All(2))), sign);
  }
};
struct LogisticOf {
  static constexpr bool kZeroIsSpecial = false, kInfinityIsSpecial = true;
  static Vector At(Vector x) {
    const Exponential e = Exp(Clamp(_mm256_sub_pd(All(0), x), -700, 700));
    const Vector below = _mm256_add_pd(All(1), _mm256_fmadd_pd(e.scale, e.part, e.scale));
    return _mm256_div_pd(All(1), below);
  }
};

struct Rounded {
  __m128 low;
  int open;  // a bit for each of four elements
};
template <class Function>
Rounded Round4(__m128 x, Vector bound) {
  const Vector y = Function::At(_mm256_cvtps_pd(x));
  const Vector reach = _mm256_mul_pd(_mm256_andnot_pd(All(-0.0), y), bound);
  const __m128 low = _mm256_cvtpd_ps(_mm256_sub_pd(y, reach));
  const __m128 high = _mm256_cvtpd_ps(_mm256_add_pd(y, reach));
  // Infinities of the result compare equal here, NaNs do not.
  __m128 decided = _mm_cmpeq_ps(low, high);
  // Operands of zero and infinity have special results, but where every result in their
  // neighbourhood is theirs.
  if constexpr (Function::kZeroIsSpecial) {
    decided = _mm_and_ps(decided, _mm_cmpneq_ps(x, _mm_setzero_ps()));
  }
  if constexpr (Function::kInfinityIsSpecial) {
    const __m128 magnitude = _mm_andnot_ps(_mm_set1_ps(-0.0F), x);
    decided = _mm_and_ps(decided, _mm_cmplt_ps(magnitude, _mm_set1_ps(__builtin_inff())));
  }
  return {low, _mm_movemask_ps(decided) ^ 15};
}

template <class Function>
int64_t Block(double bound, const std::byte* x, int64_t count, std::byte* out, int32_t* open) {
  int64_t opened = 0;
  const Vector bounds = All(bound);
  for (int64_t i = 0; i < count; i += 8) {
    alignas(32) float rest[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const std::byte* from = x + i * static_cast<int64_t>(sizeof(float));
    if (count - i < 8) {
      std::memcpy(rest, from, static_cast<size_t>(count - i) * sizeof(float));
      from = reinterpret_cast<const std::byte*>(rest);
    }
    const auto* const floats = reinterpret_cast<const float*>(from);
    const Rounded first = Round4<Function>(_mm_loadu_ps(floats), bounds);
    const Rounded second = Round4<Function>(_mm_loadu_ps(floats + 4), bounds);
    auto* const to = reinterpret_cast<float*>(out) + i;
    _mm_storeu_ps(to, first.low);
    _mm_storeu_ps(to + 4, second.low);
    for (int mask = first.open | second.open << 4; mask != 0; mask &= mask - 1) {
      const int64_t element = i + __builtin_ctz(mask);
      if (element < count) open[opened++] = static_cast<int32_t>(element);
    }
  }
  return opened;
}

}  // namespace

bool HasFloatBlock(RealFunction function) {
  switch (function) {
    case RealFunction::kExp:
    case RealFunction::kExpm1:
    case RealFunction::kLogistic:
    case RealFunction::kTanh:
      return runtime::Supports(runtime::InstructionSet::kAvx2);
    default:
      return false;
  }
}

int64_t FloatBlock(RealFunction function, double bound, const std::byte* x, int64_t count,
                   std::byte* out, int32_t* open) {
  switch (function) {
    case RealFunction::kExp:
      return Block<ExpOf>(bound, x, count, out, open);
    case RealFunction::kExpm1:
      return Block<Expm1Of>(bound, x, count, out, open);
    case RealFunction::kLogistic:
      return Block<LogisticOf>(bound, x, count, out, open);
    default:
      return Block<TanhOf>(bound, x, count, out, open);
  }
}

}  // namespace assay::evaluator::real
