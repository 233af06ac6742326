// Wrong rewrites of arithmetic: simplifications that hold for real numbers, but not for these
// types.
#include <cmath>

#include "conformance/mutants/mutant.h"
#include "conformance/mutants/rewrites.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// f(f(a, b), c) becomes f(a, b * c).
Instruction* BuildWithProduct(Site& site, Opcode f) {
  Instruction* const product =
      Build(site, kMultiply, ShapeOf(site), {Inner(site, 0, 1), site.operand(1)});
  return Build(site, f, ShapeOf(site), {Inner(site, 0, 0), product});
}

std::vector<Mutant> WrongFloatAlgebra() {
  return {
      {"programs/times_zero_is_zero",
       {kMultiply},
       "x * 0 becomes 0, also for NaN, infinities and negative numbers",
       [](Site& site) -> Instruction* {
         if (!FloatArray(site.original())) return nullptr;
         for (const int k : {0, 1}) {
           if (Uniform(In(site, k), 0)) return BuildUniform(site, ShapeOf(site), 0);
         }
         return nullptr;
       }},
      {"programs/plus_zero_is_the_operand",
       {kAdd},
       "x + 0 becomes x, also for -0",
       [](Site& site) -> Instruction* {
         if (!FloatArray(site.original())) return nullptr;
         const std::optional<double> zero = UniformValue(In(site, 1));
         return zero && *zero == 0 && !std::signbit(*zero) ? site.operand(0) : nullptr;
       }},
      {"programs/zero_minus_is_negate",
       {kSubtract},
       "0 - x becomes -x, also for zeros",
       [](Site& site) -> Instruction* {
         const std::optional<double> zero = UniformValue(In(site, 0));
         if (!FloatArray(site.original()) || !zero || *zero != 0 || std::signbit(*zero)) {
           return nullptr;
         }
         return Build(site, kNegate, ShapeOf(site), {site.operand(1)});
       }},
      {"programs/negated_difference_is_exchanged",
       {kNegate},
       "-(a - b) becomes b - a, also where both are equal",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kSubtract) || !FloatArray(site.original())) return nullptr;
         return Build(site, kSubtract, ShapeOf(site), {Inner(site, 0, 1), Inner(site, 0, 0)});
       }},
      {"programs/difference_with_itself_is_zero",
       {kSubtract},
       "x - x becomes 0, also for NaN and infinities",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!FloatArray(x) || x.operand(0) != x.operand(1)) return nullptr;
         return BuildUniform(site, x.shape(), 0);
       }},
      {"programs/quotient_with_itself_is_one",
       {kDivide},
       "x / x becomes 1, also for zeros, NaN and infinities",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!FloatArray(x) || x.operand(0) != x.operand(1)) return nullptr;
         return BuildUniform(site, x.shape(), 1);
       }},
      {"programs/log_of_exponential_is_the_operand",
       {kLog},
       "log(exp(x)) becomes x, also beyond the range",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kExp) || !FloatArray(site.original())) return nullptr;
         return Inner(site, 0, 0);
       }},
      {"programs/exponential_of_log_is_the_operand",
       {kExp},
       "exp(log(x)) becomes x, also for negative numbers",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kLog) || !FloatArray(site.original())) return nullptr;
         return Inner(site, 0, 0);
       }},
      {"programs/modulus_of_a_real_number_is_the_number",
       {kAbs},
       "abs(complex(x, 0)) becomes x, also where x is negative",
       [](Site& site) -> Instruction* {
         const Instruction& x = In(site, 0);
         return Is(x, kComplex) && Uniform(*x.operand(1), 0) ? Inner(site, 0, 0) : nullptr;
       }},
      {"programs/root_of_square_is_abs",
       {kSqrt},
       "sqrt(x * x) becomes abs(x), also where the square overflows",
       [](Site& site) -> Instruction* {
         const Instruction& m = In(site, 0);
         if (!Is(m, kMultiply) || m.operand(0) != m.operand(1) || !FloatArray(m)) return nullptr;
         return Build(site, kAbs, ShapeOf(site), {Inner(site, 0, 0)});
       }},
      {"programs/square_of_root_is_the_operand",
       {kMultiply},
       "sqrt(x) * sqrt(x) becomes x, also for negative numbers",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand(0) != x.operand(1) || !Is(In(site, 0), kSqrt) || !FloatArray(x)) {
           return nullptr;
         }
         return Inner(site, 0, 0);
       }},
      {"programs/product_of_roots_is_root_of_product",
       {kMultiply},
       "sqrt(a) * sqrt(b) becomes sqrt(a * b), also for two negative numbers",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kSqrt) || !Is(In(site, 1), kSqrt) || x.operand(0) == x.operand(1) ||
             !FloatArray(x)) {
           return nullptr;
         }
         return Build(site, kSqrt, x.shape(),
                      {Build(site, kMultiply, x.shape(), {Inner(site, 0, 0), Inner(site, 1, 0)})});
       }},
      {"programs/power_of_a_half_is_root",
       {kPower},
       "power(x, 0.5) becomes sqrt(x), also for -inf and -0",
       [](Site& site) -> Instruction* {
         if (!Uniform(In(site, 1), 0.5) || !FloatArray(site.original())) return nullptr;
         return Build(site, kSqrt, ShapeOf(site), {site.operand(0)});
       }},
      {"programs/power_of_power_multiplies_exponents",
       {kPower},
       "power(power(a, b), c) becomes power(a, b * c), also for negative a",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kPower) || !FloatArray(site.original())) return nullptr;
         return BuildWithProduct(site, kPower);
       }},
      {"programs/product_of_exponentials_adds_exponents",
       {kMultiply},
       "exp(a) * exp(b) becomes exp(a + b), also where a factor overflows",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kExp) || !Is(In(site, 1), kExp) || !FloatArray(x)) return nullptr;
         return Build(site, kExp, x.shape(),
                      {Build(site, kAdd, x.shape(), {Inner(site, 0, 0), Inner(site, 1, 0)})});
       }},
      {"programs/quotient_of_quotient_multiplies_divisors",
       {kDivide},
       "(a / b) / c becomes a / (b * c), also where the product overflows",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kDivide) || !FloatArray(site.original())) return nullptr;
         return BuildWithProduct(site, kDivide);
       }},
      {"programs/division_by_quotient_multiplies",
       {kDivide},
       "a / (b / c) becomes (a * c) / b, also where the product overflows",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 1), kDivide) || !FloatArray(site.original())) return nullptr;
         return Build(site, kDivide, ShapeOf(site),
                      {Build(site, kMultiply, ShapeOf(site), {site.operand(0), Inner(site, 1, 1)}),
                       Inner(site, 1, 0)});
       }},
      {"programs/factors_are_multiplied_first",
       {kMultiply},
       "(x * c1) * c2 becomes x * (c1 * c2), also where x * c1 overflows",
       [](Site& site) -> Instruction* {
         const Instruction& m = In(site, 0);
         if (!Is(m, kMultiply) || !UniformValue(*m.operand(1)) || !UniformValue(In(site, 1)) ||
             !FloatArray(m)) {
           return nullptr;
         }
         return Build(site, kMultiply, ShapeOf(site),
                      {Inner(site, 0, 0), Build(site, kMultiply, ShapeOf(site),
                                                {Inner(site, 0, 1), site.operand(1)})});
       }},
      {"programs/added_and_subtracted_cancels",
       {kSubtract},
       "(a + b) - b becomes a, also where digits are lost",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kAdd) || In(site, 0).operand(1) != x.operand(1) || !FloatArray(x)) {
           return nullptr;
         }
         return Inner(site, 0, 0);
       }},
      {"programs/common_factor_is_taken_out",
       {kAdd},
       "a * b + a * c becomes a * (b + c), also where the sum overflows",
       [](Site& site) -> Instruction* {
         const Instruction &p = In(site, 0), &q = In(site, 1);
         if (!Is(p, kMultiply) || !Is(q, kMultiply) || p.operand(0) != q.operand(0) ||
             !FloatArray(p)) {
           return nullptr;
         }
         return Build(site, kMultiply, ShapeOf(site),
                      {Inner(site, 0, 0),
                       Build(site, kAdd, ShapeOf(site), {Inner(site, 0, 1), Inner(site, 1, 1)})});
       }},
      {"programs/mask_is_select",
       {kMultiply},
       "convert(p) * x becomes select(p, x, 0), also for NaN and infinities",
       [](Site& site) -> Instruction* {
         const Instruction& m = In(site, 0);
         if (!Is(m, kConvert) || !IsPred(m.operand(0)->shape().element_type()) ||
             !FloatArray(site.original())) {
           return nullptr;
         }
         return Build(site, kSelect, ShapeOf(site),
                      {Inner(site, 0, 0), site.operand(1), BuildUniform(site, ShapeOf(site), 0)});
       }},
      {"programs/angle_of_zeros_is_nan",
       {kAtan2},
       "atan2 of two values that are xor(c, c) is folded to NaN",
       [](Site& site) -> Instruction* {
         for (const int k : {0, 1}) {
           const Instruction& x = In(site, k);
           if (!Is(x, kConvert) || !Is(*x.operand(0), kXor)) return nullptr;
         }
         return BuildUniform(site, ShapeOf(site), std::nan(""));
       }},
      {"programs/clamp_is_maximum_of_minimum",
       {kClamp},
       "clamp(a, x, b) becomes maximum(minimum(x, b), a), also where a > b",
       [](Site& site) -> Instruction* {
         const Shape& shape = ShapeOf(site);
         const std::optional<double> low = UniformValue(In(site, 0)),
                                     high = UniformValue(In(site, 2));
         if (!low || !high) return nullptr;
         return Build(
             site, kMaximum, shape,
             {Build(site, kMinimum, shape, {site.operand(1), BuildUniform(site, shape, *high)}),
              BuildUniform(site, shape, *low)});
       }},
      {"programs/clamp_of_clamp_meets",
       {kClamp},
       "clamp(c, clamp(a, x, b), d) becomes clamp(max(a, c), x, min(b, d)), also where these cross",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 1);
         if (!Is(inner, kClamp) || In(site, 0).shape().rank() != 0 ||
             inner.operand(0)->shape().rank() != 0) {
           return nullptr;
         }
         const Shape& scalar = In(site, 0).shape();
         return Build(site, kClamp, ShapeOf(site),
                      {Build(site, kMaximum, scalar, {site.operand(0), Inner(site, 1, 0)}),
                       Inner(site, 1, 1),
                       Build(site, kMinimum, scalar, {site.operand(2), Inner(site, 1, 2)})});
       }},
      {"programs/maximum_of_minimum_is_absorbed",
       {kMaximum},
       "maximum(minimum(a, b), a) becomes a, also where b is NaN",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kMinimum) || In(site, 0).operand(0) != x.operand(1) ||
             !FloatArray(x)) {
           return nullptr;
         }
         return site.operand(1);
       }},
      {"programs/precision_is_reduced_once",
       {kReducePrecision},
       "of two reductions of precision the second alone is done",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kReducePrecision)) return nullptr;
         return site.Edited([&](Instruction& x) { x.set_operands({Inner(site, 0, 0)}); });
       }},
  };
}

std::vector<Mutant> WrongIntegerAlgebra() {
  return {
      {"programs/remainder_is_a_mask",
       {kRemainder},
       "x % 8 becomes x & 7, also for negative x",
       [](Site& site) -> Instruction* {
         const std::optional<double> k = UniformValue(In(site, 1));
         if (!SignedArray(site.original()) || !k || !PowerOfTwo(*k)) return nullptr;
         return Build(site, kAnd, ShapeOf(site),
                      {site.operand(0), BuildUniform(site, ShapeOf(site), *k - 1)});
       }},
      {"programs/division_is_a_shift",
       {kDivide},
       "x / 8 becomes x >> 3, also for negative x",
       [](Site& site) -> Instruction* {
         const std::optional<double> k = UniformValue(In(site, 1));
         if (!SignedArray(site.original()) || !k || !PowerOfTwo(*k)) return nullptr;
         return Build(site, kShiftRightArithmetic, ShapeOf(site),
                      {site.operand(0), BuildUniform(site, ShapeOf(site), std::log2(*k))});
       }},
      {"programs/shift_there_and_back_is_nothing",
       {kShiftRightArithmetic, kShiftRightLogical},
       "(x << n) >> n becomes x, also where bits are lost",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kShiftLeft) || In(site, 0).operand(1) != x.operand(1)) return nullptr;
         return Inner(site, 0, 0);
       }},
      {"programs/multiplied_and_divided_cancels",
       {kDivide},
       "(x * 4) / 4 becomes x, also where the product wraps",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kMultiply) || In(site, 0).operand(1) != x.operand(1) ||
             !IntegerArray(x) || Uniform(In(site, 1), 0)) {
           return nullptr;
         }
         return Inner(site, 0, 0);
       }},
      {"programs/conversion_there_and_back_is_nothing",
       {kConvert},
       "s32 to s8 to s32, and the like, becomes nothing",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kConvert) ||
             !Shape::Compatible(inner.operand(0)->shape(), site.original().shape())) {
           return nullptr;
         }
         return Inner(site, 0, 0);
       }},
      {"programs/conversions_are_merged",
       {kConvert},
       "a to b to c becomes a to c, also where b holds less",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kConvert) ||
             Shape::Compatible(inner.operand(0)->shape(), site.original().shape())) {
           return nullptr;
         }
         return site.Edited([&](Instruction& x) { x.set_operands({Inner(site, 0, 0)}); });
       }},
      {"programs/division_is_done_in_the_narrow_type",
       {kConvert},
       "convert(convert(a) / convert(b)) becomes a / b in the narrow type",
       [](Site& site) -> Instruction* {
         const Instruction& q = In(site, 0);
         if (!Is(q, kDivide) || !Is(*q.operand(0), kConvert) || !Is(*q.operand(1), kConvert) ||
             !IntegerArray(q)) {
           return nullptr;
         }
         const Instruction &a = *q.operand(0)->operand(0), &b = *q.operand(1)->operand(0);
         if (!Shape::Compatible(a.shape(), ShapeOf(site)) ||
             !Shape::Compatible(b.shape(), ShapeOf(site))) {
           return nullptr;
         }
         return Build(site, kDivide, ShapeOf(site), {site.copy_of(a), site.copy_of(b)});
       }},
      {"programs/shift_is_done_in_the_narrow_type",
       {kConvert},
       "convert((convert(a) + convert(b)) >> 1) loses the carry",
       [](Site& site) -> Instruction* {
         const Instruction& s = In(site, 0);
         if (!Is(s, kShiftRightArithmetic) || !Is(*s.operand(0), kAdd)) return nullptr;
         const Instruction& sum = *s.operand(0);
         if (!Is(*sum.operand(0), kConvert) || !Is(*sum.operand(1), kConvert)) return nullptr;
         const Instruction &a = *sum.operand(0)->operand(0), &b = *sum.operand(1)->operand(0);
         if (!Shape::Compatible(a.shape(), ShapeOf(site)) ||
             !Shape::Compatible(b.shape(), ShapeOf(site))) {
           return nullptr;
         }
         Instruction* narrow = Build(site, kAdd, ShapeOf(site), {site.copy_of(a), site.copy_of(b)});
         return Build(site, kShiftRightArithmetic, ShapeOf(site),
                      {narrow, Build(site, kConvert, ShapeOf(site), {Inner(site, 0, 1)})});
       }},
  };
}

}  // namespace

std::vector<Mutant> AlgebraRewrites() { return Joined({WrongFloatAlgebra, WrongIntegerAlgebra}); }

}  // namespace assay::conformance
