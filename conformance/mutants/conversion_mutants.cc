// Defects of conversions between element types.
#include <algorithm>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kC128, ElementType::kC64, ElementType::kF16,
    ElementType::kF32, ElementType::kF4E2M1FN, ElementType::kF64, ElementType::kF8E3M4,
    ElementType::kF8E4M3, ElementType::kF8E4M3B11FNUZ, ElementType::kF8E4M3FN,
    ElementType::kF8E4M3FNUZ, ElementType::kF8E5M2, ElementType::kF8E5M2FNUZ,
    ElementType::kF8E8M0FNU, ElementType::kPred, ElementType::kS16, ElementType::kS32,
    ElementType::kS4, ElementType::kS64, ElementType::kS8, ElementType::kU16, ElementType::kU32,
    ElementType::kU64, ElementType::kU8;

Where FloatToInteger() {
  return [](const Instruction& x) {
    return IsInteger(x.shape().element_type()) && IsFloat(x.operand(0)->shape().element_type());
  };
}
Where FloatToFloat(std::initializer_list<ElementType> to) {
  return [to = TypeIs(to)](const Instruction& x) {
    return to(x) && IsFloat(x.operand(0)->shape().element_type()) &&
           x.operand(0)->shape().element_type() != x.shape().element_type();
  };
}
Where FromTo(ElementType from, std::initializer_list<ElementType> to) {
  return [from = OperandTypeIs(0, {from}), to = TypeIs(to)](const Instruction& x) {
    return from(x) && to(x);
  };
}
Where FromInteger(std::initializer_list<ElementType> to) {
  return [to = TypeIs(to)](const Instruction& x) { return IsIntegerOperand(x, 0) && to(x); };
}

double MostOf(ElementType type) { return DecodeFloat(type, MaxFinite(type)); }

Defect OverflowSaturates(ElementType to) {
  return OnElements(
      [](const ElementSite& e) {
        const double x = e.f(0);
        const bool overflow = std::isfinite(x) && !std::isfinite(e.result());
        return overflow ? e.Float(std::copysign(MostOf(e.type), x)) : e.golden;
      },
      FloatToFloat({to}));
}

std::vector<Mutant> ToIntegerMutants() {
  return {
      {"convert/float_to_integer_wraps",
       {kConvert},
       "300.0 to s8 gives 44, not 127",
       OnElements(
           [](const ElementSite& e) {
             return std::abs(e.f(0)) < 0x1p62 ? e.Integer(static_cast<int64_t>(e.f(0))) : e.golden;
           },
           FloatToInteger())},
      {"convert/nan_to_least_integer",
       {kConvert},
       "NaN gives INT_MIN, not 0, as cvttss2si does",
       OnElements(
           [](const ElementSite& e) { return e.nan(0) ? e.Integer(MinSigned(e.type)) : e.golden; },
           [](const Instruction& x) {
             return IsSigned(x.shape().element_type()) && FloatToInteger()(x);
           })},
      {"convert/float_to_integer_rounds",
       {kConvert},
       "0.75 gives 1: rounded, not truncated",
       OnElements(
           [](const ElementSite& e) {
             if (!(std::abs(e.f(0)) < 0x1p53)) return e.golden;
             const double rounded = std::nearbyint(e.f(0));
             return e.Integer(SaturatedTo(e.type, static_cast<__int128>(rounded)));
           },
           FloatToInteger())},
      {"convert/negative_to_unsigned_wraps",
       {kConvert},
       "-1.0 to unsigned gives all ones, not 0",
       OnElements(
           [](const ElementSite& e) {
             return e.f(0) < 0 && e.f(0) > -0x1p31 ? e.Integer(static_cast<int64_t>(e.f(0)))
                                                   : e.golden;
           },
           [](const Instruction& x) {
             return IsUnsigned(x.shape().element_type()) && FloatToInteger()(x);
           })},
      {"convert/infinity_to_integer_is_zero",
       {kConvert},
       "inf gives 0, not the largest integer",
       OnElements([](const ElementSite& e) { return std::isinf(e.f(0)) ? Element{} : e.golden; },
                  FloatToInteger())},
      {"convert/to_pred_by_lowest_bit",
       {kConvert},
       "2 gives false",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.x[0].bits & 1, 0};
           },
           FromInteger({kPred}))},
      {"convert/to_pred_by_integer_part",
       {kConvert},
       "0.5 gives false",
       OnElements(
           [](const ElementSite& e) {
             return Element{!(std::abs(e.f(0)) < 1), 0};
           },
           [](const Instruction& x) {
             return IsPred(x.shape().element_type()) &&
                    IsFloat(x.operand(0)->shape().element_type());
           })},
      {"convert/s4_sign_lost",
       {kConvert},
       "-1 of s4 widens to 15",
       OnElements([](const ElementSite& e) { return e.Integer(static_cast<int64_t>(e.x[0].bits)); },
                  FromTo(kS4, {kS8, kS16, kS32, kS64}))},
      {"convert/unsigned_sign_extended",
       {kConvert},
       "255 of u8 widens to -1",
       OnElements([](const ElementSite& e) { return e.Integer(static_cast<int8_t>(e.x[0].bits)); },
                  FromTo(kU8, {kS16, kS32, kS64, kU16, kU32, kU64}))},
      {"convert/narrowing_saturates",
       {kConvert},
       "300 of s32 to s8 gives 127, not 44",
       OnElements([](const ElementSite& e) { return e.Integer(SaturatedTo(e.type, e.i(0))); },
                  [](const Instruction& x) {
                    return IsSigned(x.operand(0)->shape().element_type()) &&
                           IsInteger(x.shape().element_type());
                  })},
  };
}

std::vector<Mutant> ToFloatMutants() {
  return {
      {"convert/bf16_truncates",
       {kConvert},
       "f32 to bf16 drops the low half",
       OnElements(
           [](const ElementSite& e) {
             return e.nan(0) ? e.golden : Element{e.x[0].bits >> 16, 0};
           },
           FromTo(kF32, {kBF16}))},
      {"convert/bf16_ties_away",
       {kConvert},
       "ties go away from zero: 0x8000 is added",
       OnElements(
           [](const ElementSite& e) {
             return std::isfinite(e.f(0)) ? Element{(e.x[0].bits + 0x8000) >> 16, 0} : e.golden;
           },
           FromTo(kF32, {kBF16}))},
      {"convert/bf16_nan_becomes_infinity",
       {kConvert},
       "a NaN with low payload bits turns into inf",
       OnElements(
           [](const ElementSite& e) {
             return e.nan(0) ? Element{Infinity(kBF16), 0} : e.golden;
           },
           FromTo(kF32, {kBF16}))},
      {"convert/f64_to_float8_by_f16",
       {kConvert},
       "f64 to 8 bits is rounded to f16 first",
       OnElements(
           [](const ElementSite& e) {
             return std::isfinite(e.f(0)) ? e.Float(RoundedTo(kF16, e.f(0))) : e.golden;
           },
           FromTo(kF64, {kF8E5M2, kF8E4M3FN, kF8E4M3, kF8E3M4, kF8E5M2FNUZ}))},
      {"convert/s64_to_f32_by_truncation",
       {kConvert},
       "the low bits of large integers are cut off",
       OnElements(
           [](const ElementSite& e) {
             const double cut = TruncatedTo(static_cast<double>(e.i(0) & ~int64_t{0x3ff}), 24);
             return std::abs(static_cast<double>(e.i(0))) > 0x1p40 ? e.Float(cut) : e.golden;
           },
           FromTo(kS64, {kF32}))},
      {"convert/u64_as_signed",
       {kConvert},
       "2^63 turns negative",
       OnElements(
           [](const ElementSite& e) {
             return e.x[0].bits >> 63 != 0
                        ? e.Float(static_cast<double>(static_cast<int64_t>(e.x[0].bits)))
                        : e.golden;
           },
           FromTo(kU64, {kF32, kF64, kBF16}))},
      {"convert/fnuz_negative_zero_is_nan",
       {kConvert},
       "-0 becomes 0x80, the NaN of the type",
       OnElements(
           [](const ElementSite& e) {
             return e.f(0) == 0 && std::signbit(e.f(0)) ? Element{0x80, 0} : e.golden;
           },
           FloatToFloat({kF8E4M3FNUZ, kF8E5M2FNUZ, kF8E4M3B11FNUZ}))},
      {"convert/fnuz_with_bias_of_fn",
       {kConvert},
       "numbers come out half as large",
       OnElements(
           [](const ElementSite& e) {
             return std::isfinite(e.f(0)) ? e.Float(e.f(0) / 2) : e.golden;
           },
           FloatToFloat({kF8E4M3FNUZ}))},
      {"convert/f8e4m3fn_saturates",
       {kConvert},
       "500 gives 448, not NaN",
       OverflowSaturates(kF8E4M3FN)},
      {"convert/f8e5m2_saturates",
       {kConvert},
       "overflow gives 57344, not inf",
       OverflowSaturates(kF8E5M2)},
      {"convert/f8e4m3b11fnuz_infinity_saturates",
       {kConvert},
       "inf gives the largest number",
       OnElements(
           [](const ElementSite& e) {
             return std::isinf(e.f(0)) ? e.Float(std::copysign(MostOf(e.type), e.f(0))) : e.golden;
           },
           FloatToFloat({kF8E4M3B11FNUZ}))},
      {"convert/f4e2m1fn_overflow_wraps",
       {kConvert},
       "8 gives 0, not 6",
       OnElements([](const ElementSite& e) { return std::abs(e.f(0)) > 7 ? Element{} : e.golden; },
                  FloatToFloat({kF4E2M1FN}))},
      {"convert/f8e8m0fnu_rounds_down",
       {kConvert},
       "the exponent alone is taken: 1.9 gives 1",
       OnElements(
           [](const ElementSite& e) {
             return std::isfinite(e.f(0)) && e.f(0) >= 0x1p-126
                        ? e.Float(std::exp2(std::floor(std::log2(e.f(0)))))
                        : e.golden;
           },
           FloatToFloat({kF8E8M0FNU}))},
      {"convert/denormal_results_flushed",
       {kConvert},
       "denormals of f16 and 8 bits become zero",
       OnElements([](const ElementSite& e) { return Flushed(e.type, e.golden); },
                  FloatToFloat({kF16, kF8E5M2, kF8E4M3FN, kF8E4M3}))},
      {"convert/denormals_not_renormalised",
       {kConvert},
       "denormals of f16 and 8 bits widen to zero",
       OnOperand(0, Flushed, FloatToFloat({kF32, kF64}))},
      {"convert/sign_of_zero_lost",
       {kConvert},
       "-0 becomes +0",
       OnElements([](const ElementSite& e) { return NegativeZeroLost(e.type, e.golden); },
                  FloatToFloat({kF32, kF64, kF16, kBF16}))},
      {"convert/complex_to_imaginary_zero_lost",
       {kConvert},
       "c128 to c64 drops the imaginary part",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.golden.bits, 0};
           },
           FromTo(kC128, {kC64}))},
      {"convert/real_to_both_parts",
       {kConvert},
       "f32 to c64 puts the number into both parts",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.golden.bits, e.golden.bits};
           },
           [](const Instruction& x) {
             return IsComplex(x.shape().element_type()) &&
                    IsFloat(x.operand(0)->shape().element_type());
           })},
  };
}

std::vector<Mutant> PrecisionMutants() {
  return {
      {"reduce-precision/truncates",
       {kReducePrecision},
       "the surplus bits are cut off",
       OnElements([](const ElementSite& e) {
         const int64_t bits = e.instruction.GetInt(Attr::kMantissaBits) + 1;
         const bool tame = std::isfinite(e.f(0)) && std::isfinite(e.result()) && e.result() != 0;
         return tame ? e.Float(TruncatedTo(e.f(0), static_cast<int>(bits))) : e.golden;
       })},
      {"reduce-precision/keeps_exponent_range",
       {kReducePrecision},
       "what overflows the smaller exponent stays finite",
       OnElements([](const ElementSite& e) {
         const int64_t bits = e.instruction.GetInt(Attr::kMantissaBits) + 1;
         const bool overflow = std::isfinite(e.f(0)) && !std::isfinite(e.result());
         return overflow ? e.Float(TruncatedTo(e.f(0), static_cast<int>(bits))) : e.golden;
       })},
      {"reduce-precision/sign_of_zero_lost",
       {kReducePrecision},
       "underflow gives +0",
       OnElements([](const ElementSite& e) { return NegativeZeroLost(e.type, e.golden); })},
      {"reduce-precision/bits_exchanged",
       {kReducePrecision},
       "exponent_bits and mantissa_bits are taken for each other",
       Edit([](Instruction& x) {
         const int64_t exponent = x.GetInt(Attr::kExponentBits);
         x.SetAttribute(Attr::kExponentBits, std::max<int64_t>(x.GetInt(Attr::kMantissaBits), 1));
         x.SetAttribute(Attr::kMantissaBits, exponent);
       })},
      {"stochastic-convert/ignores_random_bits",
       {kStochasticConvert},
       "it always truncates",
       OnOperand(1,
                 [](ElementType type, Element) {
                   return Element{MaxUnsigned(type), 0};
                 })},
      {"stochastic-convert/always_away",
       {kStochasticConvert},
       "it always rounds away",
       OnOperand(1, [](ElementType, Element) { return Element{}; })},
      {"bitcast-convert/high_part_first",
       {kBitcastConvert},
       "the parts of a wide element are big-endian",
       OnResult(
           [](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
              const CustomCall&) {
             Literal& out = leaves->front();
             const int64_t parts = out.shape().dimensions().back();
             Literal in = out;
             for (int64_t i = 0; i < out.element_count(); ++i) {
               out.Set(i, in.Get(i - i % parts + parts - 1 - i % parts));
             }
           },
           [](const Instruction& x) { return x.shape().rank() > x.operand(0)->shape().rank(); })},
      {"bitcast-convert/converts_values",
       {kBitcastConvert},
       "the value is converted, not the bits",
       [](Site& site) { return site.Make(kConvert, site.original().shape(), site.operands()); }},
      {"bitcast-convert/nan_is_quieted",
       {kBitcastConvert},
       "signalling NaNs change on their way",
       OnElements([](const ElementSite& e) {
         if (!IsFloat(e.type) || !IsNan(e.type, e.golden.bits)) return e.golden;
         return Element{CanonicalNan(e.type), 0};
       })},
  };
}

}  // namespace

std::vector<Mutant> ConversionMutants() {
  return Joined({ToIntegerMutants, ToFloatMutants, PrecisionMutants});
}

}  // namespace assay::conformance
