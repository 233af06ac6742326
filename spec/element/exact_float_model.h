// Test oracle: float types computed in exact integers, straight from the rules of the reference
// (ops_elementwise_and_types.md 1.2, 2, 6.13). Its table is typed from the reference and shares
// nothing with the code under test.
#ifndef ASSAY_SPEC_ELEMENT_EXACT_FLOAT_MODEL_H_
#define ASSAY_SPEC_ELEMENT_EXACT_FLOAT_MODEL_H_

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 sees an overflow in Boost's shift that its preceding test excludes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Waggressive-loop-optimizations"
#endif
#include <boost/multiprecision/cpp_int.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "spec/element/element_type.h"

namespace assay::exact_model {

using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;

enum class Kind { kIeee, kFn, kFnuz, kFinite, kFnu };  // the families of section 1.2

struct Model {
  ElementType type;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Kind kind;
  uint64_t max_finite;  // code, from section 2
  uint64_t nan;         // canonical code, from section 1.2; finite types: -0 (decision N-5)

  int bits() const { return exponent_bits + mantissa_bits + (kind == Kind::kFnu ? 0 : 1); }
  int min_exponent() const { return 1 - bias; }
  uint64_t sign_bit() const {
    return kind == Kind::kFnu ? 0 : uint64_t{1} << (exponent_bits + mantissa_bits);
  }
};

inline const std::vector<Model>& Models() {
  using enum ElementType;
  static const std::vector<Model> models = {
      {kF4E2M1FN, 2, 1, 1, Kind::kFinite, 0x7, 0x8},
      {kF6E2M3FN, 2, 3, 1, Kind::kFinite, 0x1f, 0x20},
      {kF6E3M2FN, 3, 2, 3, Kind::kFinite, 0x1f, 0x20},
      {kF8E3M4, 3, 4, 3, Kind::kIeee, 0x6f, 0x78},
      {kF8E4M3, 4, 3, 7, Kind::kIeee, 0x77, 0x7c},
      {kF8E4M3FN, 4, 3, 7, Kind::kFn, 0x7e, 0x7f},
      {kF8E4M3FNUZ, 4, 3, 8, Kind::kFnuz, 0x7f, 0x80},
      {kF8E4M3B11FNUZ, 4, 3, 11, Kind::kFnuz, 0x7f, 0x80},
      {kF8E5M2, 5, 2, 15, Kind::kIeee, 0x7b, 0x7e},
      {kF8E5M2FNUZ, 5, 2, 16, Kind::kFnuz, 0x7f, 0x80},
      {kF8E8M0FNU, 8, 0, 127, Kind::kFnu, 0xfe, 0xff},
      {kF16, 5, 10, 15, Kind::kIeee, 0x7bff, 0x7e00},
      {kBF16, 8, 7, 127, Kind::kIeee, 0x7f7f, 0x7fc0},
      {kF32, 8, 23, 127, Kind::kIeee, 0x7f7fffff, 0x7fc00000},
      {kF64, 11, 52, 1023, Kind::kIeee, 0x7fefffffffffffff, 0x7ff8000000000000},
  };
  return models;
}

// Those of at most 8 bits, whose pairs of values can be enumerated.
inline std::vector<Model> TinyModels() {
  std::vector<Model> tiny;
  for (const Model& model : Models()) {
    if (model.bits() <= 8) tiny.push_back(model);
  }
  return tiny;
}

inline const Model& ModelOf(ElementType type) {
  for (const Model& model : Models()) {
    if (model.type == type) return model;
  }
  std::abort();
}

// A number or one of the values that are none; (-1)^negative * numerator / denominator.
struct Number {
  enum Class { kNan, kInfinite, kFinite };
  Class cls = kFinite;
  bool negative = false;
  Integer numerator = 0;
  Integer denominator = 1;
};

inline Number Dyadic(bool negative, Integer significand, int exponent) {
  Number number;
  number.negative = negative;
  if (exponent >= 0) {
    number.numerator = significand << exponent;
  } else {
    number.numerator = significand;
    number.denominator = Integer(1) << -exponent;
  }
  return number;
}

inline Number Decode(const Model& model, uint64_t bits) {
  const int m_bits = model.mantissa_bits;
  const bool negative = (bits & model.sign_bit()) != 0;
  const uint64_t m = bits & ((uint64_t{1} << m_bits) - 1);
  const auto e = static_cast<int>((bits >> m_bits) & ((uint64_t{1} << model.exponent_bits) - 1));
  const int ones = (1 << model.exponent_bits) - 1;
  const uint64_t m_ones = (uint64_t{1} << m_bits) - 1;
  Number nan;
  nan.cls = Number::kNan;
  nan.negative = negative;
  switch (model.kind) {
    case Kind::kIeee:
      if (e == ones && m != 0) return nan;
      if (e == ones) {
        nan.cls = Number::kInfinite;
        return nan;
      }
      break;
    case Kind::kFn:
      if (e == ones && m == m_ones) return nan;
      break;
    case Kind::kFnuz:
      nan.negative = false;
      if (bits == model.sign_bit()) return nan;
      break;
    case Kind::kFnu:
      if (bits == 0xff) return nan;
      return Dyadic(false, 1, e - model.bias);
    case Kind::kFinite:
      break;
  }
  if (e == 0) return Dyadic(negative, m, 1 - model.bias - m_bits);
  return Dyadic(negative, (uint64_t{1} << m_bits) + m, e - model.bias - m_bits);
}

// What infinity and too large values become (table of 6.13).
inline uint64_t Overflowed(const Model& model, bool negative) {
  const uint64_t sign = negative ? model.sign_bit() : 0;
  switch (model.kind) {
    case Kind::kIeee:
      return sign | (((uint64_t{1} << model.exponent_bits) - 1) << model.mantissa_bits);
    case Kind::kFn:
      return sign | model.nan;
    case Kind::kFinite:
      return sign | model.max_finite;
    case Kind::kFnuz:
    case Kind::kFnu:
      break;
  }
  return model.nan;
}

inline int FloorLog2(const Integer& numerator, const Integer& denominator) {
  const int guess = static_cast<int>(msb(numerator)) - static_cast<int>(msb(denominator));
  const bool below =
      guess >= 0 ? numerator < (denominator << guess) : (numerator << -guess) < denominator;
  return below ? guess - 1 : guess;
}

inline uint64_t RoundScale(const Model& model, const Number& x) {
  if (x.negative || x.numerator == 0) return model.nan;
  const int e = FloorLog2(x.numerator, x.denominator);
  const Integer low_n = e >= 0 ? Integer(x.denominator << e) : x.denominator;
  const Integer value_n = e >= 0 ? x.numerator : Integer(x.numerator << -e);
  const bool is_power = value_n == low_n;
  if (e < -127 || (e == -127 && is_power)) return 0;
  if (e == -127) return 1;
  const int rounded = 2 * value_n >= 3 * low_n ? e + 1 : e;  // 1.5 * 2^e goes up
  return rounded > 127 ? model.nan : static_cast<uint64_t>(rounded + 127);
}

// The code nearest to a number, ties to even, overflow by the table of 6.13.
inline uint64_t Round(const Model& model, const Number& x) {
  if (x.cls == Number::kNan) {
    const bool signed_nan = model.kind == Kind::kIeee || model.kind == Kind::kFn;
    return model.nan | (x.negative && signed_nan ? model.sign_bit() : 0);
  }
  if (model.kind == Kind::kFnu) {
    return x.cls == Number::kInfinite ? model.nan : RoundScale(model, x);
  }
  if (x.cls == Number::kInfinite) return Overflowed(model, x.negative);
  const uint64_t sign = x.negative ? model.sign_bit() : 0;
  const uint64_t zero = model.kind == Kind::kFnuz ? 0 : sign;
  if (x.numerator == 0) return zero;
  int e = FloorLog2(x.numerator, x.denominator);
  if (e < model.min_exponent()) e = model.min_exponent();
  const int quantum = e - model.mantissa_bits;
  const Integer n = quantum >= 0 ? x.numerator : Integer(x.numerator << -quantum);
  const Integer d = quantum >= 0 ? Integer(x.denominator << quantum) : x.denominator;
  Integer k, rest;
  divide_qr(n, d, k, rest);
  rest *= 2;
  if (rest > d || (rest == d && (k & 1) != 0)) ++k;
  if (k == 0) return zero;
  const Integer hidden = Integer(1) << model.mantissa_bits;
  if (k == 2 * hidden) {
    k = hidden;
    ++e;
  }
  uint64_t code = 0;
  if (k < hidden) {
    code = static_cast<uint64_t>(k);
  } else {
    if (e + model.bias >= (1 << model.exponent_bits)) return Overflowed(model, x.negative);
    code = (static_cast<uint64_t>(e + model.bias) << model.mantissa_bits) |
           static_cast<uint64_t>(k - hidden);
  }
  return code > model.max_finite ? Overflowed(model, x.negative) : sign | code;
}

}  // namespace assay::exact_model

#endif  // ASSAY_SPEC_ELEMENT_EXACT_FLOAT_MODEL_H_
