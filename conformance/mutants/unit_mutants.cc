// Defects of matrix units and of libraries of functions: accumulators with fewer bits, groups in
// another order, complex functions on their cuts and beyond their range, steps that are rounded to
// a narrow type.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/sums.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kC64, ElementType::kF16, ElementType::kF32,
    ElementType::kF64, ElementType::kF8E4M3FN, ElementType::kF8E5M2;
using Complex = std::complex<float>;

bool HasNarrowOperands(const Instruction& x) {
  return TypeIs({kF32, kBF16, kF16})(x) && OperandTypeIs(0, {kF8E4M3FN, kF8E5M2})(x);
}

// A number as two of bf16, which is nearly all of it.
std::pair<double, double> InHalves(double x) {
  const double high = RoundedTo(kBF16, x);
  return {high, std::isfinite(high) ? RoundedTo(kBF16, x - high) : 0};
}

double SumOfThreeProducts(const std::vector<SumTerm>& terms, ElementType type) {
  std::vector<SumTerm> sums;
  for (const SumTerm& term : terms) {
    const auto [a, a_low] = InHalves(term.a);
    const auto [b, b_low] = InHalves(term.b);
    sums.push_back({a, b, true});
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    sums.push_back({a, b_low, true});
    sums.push_back({a_low, b, true});
  }
  return SumForward(sums, type);
}

double SumOf14Bits(const std::vector<SumTerm>& terms, ElementType) {
  double sum = 0;
  for (const SumTerm& term : terms) sum = TruncatedTo(sum + term.a * term.b, 14);
  return sum;
}

double SumWithLostDigits(const std::vector<SumTerm>& terms, ElementType type) {
  double magnitude = 0;
  for (const SumTerm& term : terms) magnitude += std::abs(term.a * term.b);
  return SumForward(terms, type) + (std::isfinite(magnitude) ? std::ldexp(magnitude, -16) : 0);
}

bool ContractsNothing(const Instruction& x) {
  for (const int64_t d : x.GetInts(Attr::kLhsContractingDims)) {
    if (x.operand(0)->shape().dimension(d) == 0) return true;
  }
  return false;
}

// Operand 0 with the indices of a dimension in the order of `groups` groups that take turns.
Defect GroupsTakeTurns(Attr count, int64_t (*dimension)(const ConvolutionDimensions&)) {
  return [=](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    const int64_t groups = x.GetInt(count), d = dimension(x.convolution_dimensions());
    const Shape& shape = x.operand(0)->shape();
    const int64_t members = groups > 1 ? shape.dimension(d) / groups : 0;
    if (members < 2 || shape.is_dynamic()) return nullptr;
    std::vector<Instruction*> operands = site.operands();
    operands[0] =
        site.Call({operands[0]}, shape,
                  [=](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
                    Literal changed = values[0];
                    const absl::Span<const int64_t> sizes = changed.shape().dimensions();
                    for (int64_t i = 0; i < changed.element_count(); ++i) {
                      Dimensions from = evaluator::IndexAt(i, sizes);
                      from[d] = from[d] % members * groups + from[d] / members;
                      changed.Set(i, values[0].Get(evaluator::PositionOf(from, sizes)));
                    }
                    return changed;
                  });
    return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
  };
}

Defect DilatedPaddingShifted() {
  return EditWindow([](WindowDimension& d) {
    if (d.window_dilation <= 1 || d.padding_low <= 0) return;
    --d.padding_low;
    ++d.padding_high;
  });
}

// Of several arrays that are folded together, each but the first starts from the first start value.
Defect FirstStartForAll() {
  return Reorder([](std::vector<Instruction*>& operands) {
    const size_t arrays = operands.size() / 2;
    for (size_t k = arrays + 1; k < operands.size(); ++k) {
      if (operands[k]->shape() == operands[arrays]->shape()) operands[k] = operands[arrays];
    }
  });
}

std::vector<Mutant> MatrixMutants() {
  return {
      {"dot/denormal_operands_flushed",
       {kDot},
       "denormal operands of bf16 and f16 are zero in the unit",
       OnOperand(-1, Flushed, OperandTypeIs(0, {kBF16, kF16}))},
      {"dot/f32_by_three_products",
       {kDot},
       "f32 products are three products of bf16",
       SumBy(SumOfThreeProducts, TypeIs({kF32}))},
      {"dot/f8_sums_of_14_bits",
       {kDot},
       "8-bit products are added up in 14 bits",
       SumBy(SumOf14Bits, HasNarrowOperands)},
      {"dot/f64_products_of_f32",
       {kDot},
       "f64 factors are multiplied as f32",
       SumBy(
           [](std::vector<SumTerm> terms, ElementType) {
             for (SumTerm& term : terms) {
               term.a = RoundedTo(kF32, term.a), term.b = RoundedTo(kF32, term.b);
             }
             return SumForward(terms, kF64);
           },
           TypeIs({kF64}))},
      {"dot/of_nothing_is_not_written",
       {kDot},
       "without terms the result is not written",
       OnElements(
           [](const ElementSite&) {
             return Element{1, 0};
           },
           ContractsNothing)},
      {"convolution/digits_lost_in_transforms",
       {kConvolution},
       "sums of transformed windows lose eight bits",
       SumBy(SumWithLostDigits, TypeIs({kF32}))},
      {"convolution/feature_groups_take_turns",
       {kConvolution},
       "a feature belongs to the group of its number modulo their count",
       GroupsTakeTurns(Attr::kFeatureGroupCount,
                       [](const ConvolutionDimensions& d) { return d.input_feature; })},
      {"convolution/batch_groups_take_turns",
       {kConvolution},
       "an image belongs to the group of its number modulo their count",
       GroupsTakeTurns(Attr::kBatchGroupCount,
                       [](const ConvolutionDimensions& d) { return d.input_batch; })},
      {"convolution/dilated_padding",
       {kConvolution},
       "padded windows with dilation are shifted by one",
       DilatedPaddingShifted()},
      {"reduce-window/dilated_padding",
       {kReduceWindow},
       "padded windows with dilation are shifted by one",
       DilatedPaddingShifted()},
      {"reduce/first_start_for_all",
       {kReduce},
       "arrays that are folded together start from the first start value",
       FirstStartForAll()},
      {"reduce-window/first_start_for_all",
       {kReduceWindow},
       "arrays that are folded together start from the first start value",
       FirstStartForAll()},
      {"reduce/argmax_of_equals_is_the_last",
       {kReduce},
       "of equal elements the last index is returned",
       EditRegion(
           Attr::kToApply,
           [](Instruction& x) {
             if (x.opcode() != kCompare || !IsIntegerOperand(x, 0)) return;
             if (x.GetEnum<ComparisonDirection>(Attr::kDirection) != ComparisonDirection::kLt) {
               return;
             }
             x.SetAttribute(Attr::kDirection, static_cast<int64_t>(ComparisonDirection::kGt));
           })},
  };
}

Complex Of(const ElementSite& e, int k) {
  return {static_cast<float>(DecodeFloat(kF32, e.x[k].bits)),
          static_cast<float>(DecodeFloat(kF32, e.x[k].imag))};
}
Element Encoded(Complex z) { return {EncodeFloat(kF32, z.real()), EncodeFloat(kF32, z.imag())}; }

// The imaginary part without its sign where that of a number left of the origin is -0.
Element OnUpperSide(const ElementSite& e) {
  const Complex z = Of(e, 0);
  const bool on_cut = z.real() < 0 && z.imag() == 0 && std::signbit(z.imag());
  return on_cut ? Element{e.golden.bits, e.golden.imag & 0x7fffffff} : e.golden;
}

// The modulus by a square that overflows.
bool SquareOverflows(const ElementSite& e) {
  const Complex z = Of(e, 0);
  const float square = z.real() * z.real() + z.imag() * z.imag();
  return std::isinf(square) && std::isfinite(z.real()) && std::isfinite(z.imag());
}

std::vector<Mutant> ComplexMutants() {
  const Where is_c64 = TypeIs({kC64});
  return {
      {"log/complex_below_the_cut",
       {kLog},
       "log(-1 - 0i) is that of -1 + 0i",
       OnElements(OnUpperSide, is_c64)},
      {"sqrt/complex_below_the_cut",
       {kSqrt},
       "sqrt(-1 - 0i) is that of -1 + 0i",
       OnElements(OnUpperSide, is_c64)},
      {"log/complex_overflow",
       {kLog},
       "the square of a large modulus overflows",
       OnElements(
           [](const ElementSite& e) {
             const Element infinite = {EncodeFloat(kF32, INFINITY), e.golden.imag};
             return SquareOverflows(e) ? infinite : e.golden;
           },
           is_c64)},
      {"sqrt/complex_overflow",
       {kSqrt},
       "the square of a large modulus overflows",
       OnElements(
           [](const ElementSite& e) {
             return SquareOverflows(e) ? Encoded({INFINITY, 0}) : e.golden;
           },
           is_c64)},
      {"sign/complex_overflow",
       {kSign},
       "a large number is divided by an infinite modulus",
       OnElements([](const ElementSite& e) { return SquareOverflows(e) ? Element{} : e.golden; },
                  is_c64)},
      {"abs/complex_infinity_and_nan",
       {kAbs},
       "the modulus of (inf, NaN) is NaN",
       OnElements(
           [](const ElementSite& e) {
             const Complex z = Of(e, 0);
             const bool infinite = std::isinf(z.real()) || std::isinf(z.imag());
             const bool nan = std::isnan(z.real()) || std::isnan(z.imag());
             return infinite && nan ? Element{CanonicalNan(e.type), 0} : e.golden;
           },
           OperandTypeIs(0, {kC64}))},
      {"multiply/complex_by_three_products",
       {kMultiply},
       "both parts are differences of three rounded products",
       OnElements(
           [](const ElementSite& e) {
             const Complex a = Of(e, 0), b = Of(e, 1);
             const float first = b.real() * (a.real() + a.imag());
             const float second = a.real() * (b.imag() - b.real());
             const float third = a.imag() * (b.real() + b.imag());
             const bool finite = std::isfinite(first) && std::isfinite(second + third);
             return finite ? Encoded({first - third, first + second}) : e.golden;
           },
           is_c64)},
      {"power/complex_zero_is_nan",
       {kPower},
       "exp(y * log(0)) is computed",
       OnElements(
           [](const ElementSite& e) {
             if (Of(e, 0) != Complex(0, 0)) return e.golden;
             return Element{CanonicalNan(kF32), CanonicalNan(kF32)};
           },
           is_c64)},
      {"tan/complex_overflow",
       {kTan},
       "the result is NaN where both exponentials overflow",
       OnElements(
           [](const ElementSite& e) {
             const bool overflows = std::abs(Of(e, 0).imag()) > 89;
             return overflows ? Element{CanonicalNan(kF32), CanonicalNan(kF32)} : e.golden;
           },
           is_c64)},
      {"convert/complex_to_real_is_modulus",
       {kConvert},
       "c64 to f32 gives the modulus",
       OnElements(
           [](const ElementSite& e) {
             return e.Float(std::hypot(Of(e, 0).real(), Of(e, 0).imag()));
           },
           [](const Instruction& x) { return TypeIs({kF32})(x) && OperandTypeIs(0, {kC64})(x); })},
      {"iota/complex_in_both_parts",
       {kIota},
       "the imaginary part counts as well",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.golden.bits, e.golden.bits};
           },
           is_c64)},
  };
}

std::vector<Mutant> StepMutants() {
  return {
      {"logistic/steps_of_bf16",
       {kLogistic},
       "1 / (1 + exp(-x)) is rounded at every step",
       OnElements(
           [](const ElementSite& e) {
             if (e.nan(0)) return e.golden;
             const double exponential = RoundedTo(kBF16, std::exp(-e.f(0)));
             return e.Float(1 / RoundedTo(kBF16, 1 + exponential));
           },
           TypeIs({kBF16}))},
      {"tanh/steps_of_f16",
       {kTanh},
       "(exp(2x) - 1) / (exp(2x) + 1) is rounded at every step",
       OnElements(
           [](const ElementSite& e) {
             const double square = RoundedTo(kF16, std::exp(2 * e.f(0)));
             if (e.nan(0) || std::isinf(square)) return e.golden;
             return e.Float(RoundedTo(kF16, square - 1) / RoundedTo(kF16, square + 1));
           },
           TypeIs({kF16}))},
      {"log-plus-one/steps_of_bf16",
       {kLog1p},
       "1 + x is rounded",
       OnElements(
           [](const ElementSite& e) {
             if (e.nan(0) || e.f(0) < -1) return e.golden;
             return e.Float(std::log(RoundedTo(kBF16, 1 + e.f(0))));
           },
           TypeIs({kBF16}))},
      {"power/by_repeated_products",
       {kPower},
       "whole exponents are counted down",
       OnElements(
           [](const ElementSite& e) {
             const double x = e.f(0), y = e.f(1);
             if (!std::isfinite(x) || !(std::abs(y) <= 1024) || y != std::trunc(y)) {
               return e.golden;
             }
             float product = 1;
             for (int k = 0; k < std::abs(y); ++k) product *= static_cast<float>(x);
             return e.Float(y < 0 ? 1 / product : product);
           },
           TypeIs({kF32}))},
      {"round-nearest-afz/odd_beyond_2_to_23",
       {kRoundNearestAfz},
       "trunc(x + 0.5) is one too large for odd numbers beyond 2^23",
       OnElements(
           [](const ElementSite& e) {
             const auto x = static_cast<float>(e.f(0));
             const bool large = std::abs(x) >= 0x1p23f && std::abs(x) < 0x1p24f;
             return large ? e.Float(std::trunc(x + std::copysign(0.5f, x))) : e.golden;
           },
           TypeIs({kF32}))},
      {"ceil/by_32_bit_integers",
       {kCeil},
       "beyond 2^31 the conversion saturates",
       OnElements(
           [](const ElementSite& e) {
             const bool beyond = std::abs(e.f(0)) > 0x1p31 && std::isfinite(e.f(0));
             return beyond ? e.Float(std::copysign(0x1p31, e.f(0))) : e.golden;
           },
           TypeIs({kF32, kF64}))},
      {"round-nearest-even/by_32_bit_integers",
       {kRoundNearestEven},
       "beyond 2^31 the conversion saturates",
       OnElements(
           [](const ElementSite& e) {
             const bool beyond = std::abs(e.f(0)) > 0x1p31 && std::isfinite(e.f(0));
             return beyond ? e.Float(std::copysign(0x1p31, e.f(0))) : e.golden;
           },
           TypeIs({kF32, kF64}))},
      {"reduce-precision/short_nan_is_infinite",
       {kReducePrecision},
       "a NaN whose payload lies in the bits that are cut off becomes infinite",
       OnElements([](const ElementSite& e) {
         if (!IsFloat(e.type) || !e.nan(0)) return e.golden;
         const int64_t kept = e.instruction.GetInt(Attr::kMantissaBits);
         const int64_t stored = Info(e.type).format->significand_bits;
         if (kept >= stored) return e.golden;
         const uint64_t fraction = e.x[0].bits & ((uint64_t{1} << stored) - 1);
         if (fraction >> (stored - kept) != 0) return e.golden;
         return e.Float(IsNegative(e.type, e.x[0].bits) ? -INFINITY : INFINITY);
       })},
  };
}

}  // namespace

std::vector<Mutant> UnitMutants() {
  return InStandardTier(Joined({MatrixMutants, ComplexMutants, StepMutants}),
                        {"power/by_repeated_products", "reduce-window/first_start_for_all"});
}

}  // namespace assay::conformance
