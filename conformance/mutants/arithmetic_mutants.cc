// Defects of arithmetic on floats and complex numbers: zeros, NaNs, denormals, rounding.
#include <complex>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {
namespace {

using enum Opcode;

double PartOf(const ElementSite& e, int k, bool imaginary) {
  const ElementType part = Info(e.types[k]).component;
  return DecodeFloat(part, imaginary ? e.x[k].imag : e.x[k].bits);
}

std::complex<double> ComplexOf(const ElementSite& e, int k) {
  return {PartOf(e, k, false), PartOf(e, k, true)};
}

Element ComplexElement(const ElementSite& e, double real, double imaginary) {
  const ElementType part = Info(e.type).component;
  return {EncodeFloat(part, real), EncodeFloat(part, imaginary)};
}

// Results that are zero become +0.
Defect PositiveZeros() {
  return OnElements([](const ElementSite& e) { return NegativeZeroLost(e.type, e.golden); },
                    FloatResult());
}

Defect FlushesResults() {
  return OnElements([](const ElementSite& e) { return Flushed(e.type, e.golden); }, FloatResult());
}

// Exact on doubles, rounded first to `via`, then to the type of the result.
Defect RoundsVia(ElementType via, double (*exact)(double, double), Where where) {
  return OnElements(
      [via, exact](const ElementSite& e) {
        if (!std::isfinite(e.f(0)) || !std::isfinite(e.f(1))) return e.golden;
        return e.Float(RoundedTo(via, exact(e.f(0), e.f(1))));
      },
      std::move(where));
}

// Truncates instead of rounding to nearest; the exact value is a double's for narrow types.
Defect Truncates(double (*exact)(double, double), std::initializer_list<ElementType> types) {
  return OnElements(
      [exact](const ElementSite& e) {
        const double value = exact(e.f(0), e.f(1));
        if (!std::isfinite(value) || !std::isfinite(e.result()) ||
            std::abs(value) < DecodeFloat(e.type, MinNormal(e.type))) {
          return e.golden;
        }
        return e.Float(TruncatedTo(value, Info(e.type).format->precision()));
      },
      TypeIs(types));
}

double Plus(double a, double b) { return a + b; }
double Times(double a, double b) { return a * b; }

// z / w by the schoolbook formula in the type's own range.
Element NaiveQuotient(const ElementSite& e) {
  const ElementType part = Info(e.type).component;
  const auto in_range = [part](double x) { return RoundedTo(part, x); };
  const std::complex<double> z = ComplexOf(e, 0), w = ComplexOf(e, 1);
  const double norm = in_range(in_range(w.real() * w.real()) + in_range(w.imag() * w.imag()));
  const double real = in_range(z.real() * w.real() + z.imag() * w.imag()) / norm;
  const double imag = in_range(z.imag() * w.real() - z.real() * w.imag()) / norm;
  return ComplexElement(e, real, imag);
}

Where ComplexOperand() {
  return [](const Instruction& x) { return IsComplex(x.operand(0)->shape().element_type()); };
}

std::vector<Mutant> SumMutants() {
  return {
      {"add/negative_zero_lost",
       {kAdd},
       "-0 + -0 gives +0: the sum starts from +0",
       PositiveZeros()},
      {"add/denormal_results_flushed", {kAdd}, "denormal sums become zero", FlushesResults()},
      {"add/denormal_operands_are_zero",
       {kAdd},
       "denormal operands are read as zero",
       OnOperand(-1, Flushed, FloatResult())},
      {"add/bf16_truncated",
       {kAdd},
       "bf16 and f16 sums are truncated, not rounded to nearest",
       Truncates(Plus, {ElementType::kBF16, ElementType::kF16})},
      {"add/float8_rounded_twice",
       {kAdd},
       "8-bit sums are rounded to bf16 first",
       RoundsVia(ElementType::kBF16, Plus,
                 TypeIs({ElementType::kF8E4M3, ElementType::kF8E4M3FN, ElementType::kF8E3M4}))},
      {"add/complex_imaginary_of_lhs",
       {kAdd},
       "the imaginary part of the right operand is dropped",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.golden.bits, e.x[0].imag};
           },
           ComplexResult())},
      {"add/last_lane_not_computed",
       {kAdd},
       "the remainder of a vector loop over 8 lanes is lost",
       OnElements([](const ElementSite& e) {
         const int64_t count = e.instruction.shape().element_count();
         return e.position >= count - count % 8 && count > 8 ? e.x[0] : e.golden;
       })},
      {"add/infinities_cancel",
       {kAdd},
       "inf + -inf gives 0, not NaN",
       OnElements(
           [](const ElementSite& e) {
             return std::isinf(e.f(0)) && std::isinf(e.f(1)) && e.f(0) != e.f(1) ? e.Float(0)
                                                                                 : e.golden;
           },
           FloatResult())},
      {"subtract/operands_exchanged",
       {kSubtract},
       "b - a is computed instead of a - b",
       Reorder([](std::vector<Instruction*>& x) { std::swap(x[0], x[1]); })},
      {"subtract/exact_zero_is_negative",
       {kSubtract},
       "x - x gives -0",
       OnElements([](const ElementSite& e) { return e.f(0) == e.f(1) ? e.Float(-0.0) : e.golden; },
                  TypeIs({ElementType::kF32, ElementType::kF64, ElementType::kF16}))},
      {"subtract/denormal_difference_flushed",
       {kSubtract},
       "gradual underflow is missing",
       FlushesResults()},
      {"subtract/by_one_ulp_in_f64",
       {kSubtract},
       "f64 differences are computed in f32",
       OnElements(
           [](const ElementSite& e) { return e.Float(RoundedTo(ElementType::kF32, e.result())); },
           TypeIs({ElementType::kF64}))},
  };
}

std::vector<Mutant> ProductMutants() {
  return {
      {"multiply/zero_times_infinity_is_zero",
       {kMultiply},
       "0 * inf gives 0, not NaN",
       OnElements(
           [](const ElementSite& e) {
             const bool zero = e.f(0) == 0 || e.f(1) == 0;
             return zero && !e.nan(0) && !e.nan(1) ? e.Float(0) : e.golden;
           },
           FloatResult())},
      {"multiply/sign_of_zero_lost", {kMultiply}, "-1 * 0 gives +0", PositiveZeros()},
      {"multiply/denormal_results_flushed",
       {kMultiply},
       "denormal products become zero",
       FlushesResults()},
      {"multiply/bf16_truncated",
       {kMultiply},
       "bf16 products are truncated",
       Truncates(Times, {ElementType::kBF16})},
      {"multiply/overflow_saturates",
       {kMultiply},
       "overflow gives the largest number, not inf",
       OnElements(
           [](const ElementSite& e) {
             const bool overflow =
                 std::isinf(e.result()) && std::isfinite(e.f(0)) && std::isfinite(e.f(1));
             const double most = DecodeFloat(e.type, MaxFinite(e.type));
             return overflow ? e.Float(std::copysign(most, e.result())) : e.golden;
           },
           FloatResult())},
      {"multiply/complex_by_conjugate",
       {kMultiply},
       "the right operand is conjugated",
       OnElements(
           [](const ElementSite& e) {
             const std::complex<double> z = ComplexOf(e, 0), w = ComplexOf(e, 1);
             return ComplexElement(e, z.real() * w.real() + z.imag() * w.imag(),
                                   z.imag() * w.real() - z.real() * w.imag());
           },
           ComplexResult())},
      {"divide/by_reciprocal",
       {kDivide},
       "x / y is x times the rounded 1 / y",
       OnElements(
           [](const ElementSite& e) {
             const double reciprocal = RoundedTo(e.type, 1 / e.f(1));
             const bool tame = std::isnormal(reciprocal) && std::isnormal(e.f(0));
             return tame ? e.Float(e.f(0) * reciprocal) : e.golden;
           },
           TypeIs({ElementType::kF32, ElementType::kBF16, ElementType::kF16}))},
      {"divide/by_negative_zero_is_positive",
       {kDivide},
       "1 / -0 gives +inf",
       OnElements(
           [](const ElementSite& e) {
             return e.f(1) == 0 && std::isinf(e.result()) ? e.Float(std::abs(e.result()))
                                                          : e.golden;
           },
           FloatResult())},
      {"divide/zero_by_zero_is_zero",
       {kDivide},
       "0 / 0 gives 0, not NaN",
       OnElements(
           [](const ElementSite& e) { return e.f(0) == 0 && e.f(1) == 0 ? e.Float(0) : e.golden; },
           FloatResult())},
      {"divide/complex_without_scaling",
       {kDivide},
       "|w|^2 of the divisor overflows and underflows",
       OnElements(NaiveQuotient, ComplexResult())},
      {"remainder/takes_sign_of_divisor",
       {kRemainder},
       "the remainder takes the sign of the divisor, as in Python",
       OnElements(
           [](const ElementSite& e) {
             const double r = e.result(), y = e.f(1);
             return r != 0 && std::isfinite(y) && std::signbit(r) != std::signbit(y)
                        ? e.Float(r + y)
                        : e.golden;
           },
           FloatResult())},
      {"remainder/of_infinite_divisor_is_nan",
       {kRemainder},
       "x rem inf gives NaN, not x",
       OnElements(
           [](const ElementSite& e) {
             return std::isinf(e.f(1)) && std::isfinite(e.f(0)) ? Element{CanonicalNan(e.type), 0}
                                                                : e.golden;
           },
           TypeIs({ElementType::kF32, ElementType::kF64}))},
      {"remainder/by_rounded_quotient",
       {kRemainder},
       "x - y * trunc(x / y) is computed in the type itself",
       OnElements(
           [](const ElementSite& e) {
             const double x = e.f(0), y = e.f(1);
             if (!std::isfinite(e.result()) || !std::isfinite(y)) return e.golden;
             const double quotient = std::trunc(RoundedTo(e.type, x / y));
             return e.Float(x - RoundedTo(e.type, y * quotient));
           },
           TypeIs({ElementType::kF32, ElementType::kBF16}))},
  };
}

std::vector<Mutant> SignMutants() {
  return {
      {"abs/sign_of_zero_kept",
       {kAbs},
       "abs(-0) gives -0: done as x < 0 ? -x : x",
       OnElements([](const ElementSite& e) { return e.f(0) == 0 ? e.x[0] : e.golden; },
                  TypeIs({ElementType::kF32, ElementType::kF64, ElementType::kBF16}))},
      {"abs/sign_of_nan_kept",
       {kAbs},
       "abs of a negative NaN is negative: done as x < 0 ? -x : x",
       OnElements(
           [](const ElementSite& e) { return e.nan(0) ? e.x[0] : e.golden; },
           TypeIs({ElementType::kF16, ElementType::kBF16, ElementType::kF32, ElementType::kF64}))},
      {"abs/complex_without_scaling",
       {kAbs},
       "|z| overflows in its squares",
       OnElements(
           [](const ElementSite& e) {
             const std::complex<double> z = ComplexOf(e, 0);
             const double squares =
                 RoundedTo(e.type, z.real() * z.real()) + RoundedTo(e.type, z.imag() * z.imag());
             return e.Float(std::sqrt(RoundedTo(e.type, squares)));
           },
           ComplexOperand())},
      {"abs/complex_is_real_part",
       {kAbs},
       "|z| leaves the imaginary part out",
       OnElements([](const ElementSite& e) { return e.Float(std::abs(PartOf(e, 0, false))); },
                  ComplexOperand())},
      {"negate/subtracts_from_zero",
       {kNegate},
       "0 - x is computed: the negation of +0 is +0",
       PositiveZeros()},
      {"negate/sign_of_nan_kept",
       {kNegate},
       "the negation of a NaN is the NaN: done as 0 - x",
       OnElements(
           [](const ElementSite& e) { return e.nan(0) ? e.x[0] : e.golden; },
           TypeIs({ElementType::kF16, ElementType::kBF16, ElementType::kF32, ElementType::kF64}))},
      {"negate/complex_is_conjugate",
       {kNegate},
       "only the imaginary part changes its sign",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.x[0].bits, e.golden.imag};
           },
           ComplexResult())},
      {"sign/of_nan_is_zero",
       {kSign},
       "sign(NaN) gives 0",
       OnElements([](const ElementSite& e) { return e.nan(0) ? e.Float(0) : e.golden; },
                  FloatResult())},
      {"sign/of_zero_is_one",
       {kSign},
       "sign(0) gives 1: done by copysign",
       OnElements(
           [](const ElementSite& e) {
             return e.f(0) == 0 ? e.Float(std::copysign(1.0, e.f(0))) : e.golden;
           },
           FloatResult())},
      {"sign/complex_by_parts",
       {kSign},
       "the sign of each part is returned instead of z / |z|",
       OnElements(
           [](const ElementSite& e) {
             const auto sign = [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; };
             return ComplexElement(e, sign(PartOf(e, 0, false)), sign(PartOf(e, 0, true)));
           },
           ComplexResult())},
      {"complex/parts_exchanged",
       {kComplex},
       "complex(re, im) makes im + i re",
       Reorder([](std::vector<Instruction*>& x) { std::swap(x[0], x[1]); })},
      {"real/takes_imaginary_part",
       {kReal},
       "real(z) gives the imaginary part",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.x[0].imag, 0};
           },
           ComplexOperand())},
      {"imag/of_conjugate",
       {kImag},
       "imag(z) has the wrong sign",
       OnElements([](const ElementSite& e) { return e.Float(-e.result()); }, ComplexOperand())},
      {"imag/of_real_is_itself",
       {kImag},
       "imag of a real number gives the number",
       OnElements(
           [](const ElementSite& e) { return e.x[0]; },
           [](const Instruction& x) { return IsFloat(x.operand(0)->shape().element_type()); })},
  };
}

}  // namespace

std::vector<Mutant> ArithmeticMutants() {
  return Joined({SumMutants, ProductMutants, SignMutants});
}

}  // namespace assay::conformance
