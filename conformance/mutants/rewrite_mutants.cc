// Wrong rewrites of programs: simplifications that hold for real numbers but not for these types,
// attributes composed in the wrong order, loops counted wrongly, buffers written too early. Each
// shows in no instruction alone. Legal rewrites, which nothing may accuse, stand at the end.
#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/rewrites.h"

namespace assay {
namespace {

using enum Opcode;
using Direction = ComparisonDirection;

bool IsArray(const Instruction& x) { return x.shape().is_array() && !x.shape().is_dynamic(); }
bool FloatArray(const Instruction& x) { return IsArray(x) && IsFloat(x.shape().element_type()); }
bool IntegerArray(const Instruction& x) {
  return IsArray(x) && IsInteger(x.shape().element_type());
}
bool SignedArray(const Instruction& x) {
  return IntegerArray(x) && IsSigned(x.shape().element_type());
}
bool Uniform(const Instruction& x, double value) {
  const std::optional<double> found = UniformValue(x);
  return found && *found == value;
}
bool PowerOfTwo(double value) {
  int exponent = 0;
  return value > 1 && std::frexp(value, &exponent) == 0.5;
}
const Instruction& In(const Site& site, int64_t k) { return *site.original().operand(k); }
// The copy of operand `j` of operand `k`.
Instruction* Inner(const Site& site, int64_t k, int64_t j) {
  return site.copy_of(*In(site, k).operand(j));
}
const Shape& ShapeOf(const Site& site) { return site.original().shape(); }

std::vector<Mutant> WrongPredicates() {
  return {
      {"programs/not_of_comparison_is_the_inverse",
       {kNot},
       "not(a < b) becomes a >= b, also for NaN",
       [](Site& site) -> Instruction* {
         const Instruction& compare = In(site, 0);
         if (!Is(compare, kCompare) || !FloatArray(*compare.operand(0))) return nullptr;
         if (DirectionOf(compare) == Direction::kEq || DirectionOf(compare) == Direction::kNe) {
           return nullptr;
         }
         return BuildCompare(site, compare, Inverted(DirectionOf(compare)), Inner(site, 0, 0),
                             Inner(site, 0, 1));
       }},
      {"programs/comparison_with_itself_is_known",
       {kCompare},
       "x == x becomes true, also for NaN",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand(0) != x.operand(1) || !FloatArray(*x.operand(0))) return nullptr;
         const Direction d = DirectionOf(x);
         const bool holds = d == Direction::kEq || d == Direction::kLe || d == Direction::kGe;
         return BuildUniform(site, PredOf(x.shape()), holds ? 1 : 0);
       }},
      {"programs/select_is_maximum",
       {kSelect},
       "select(a > b, a, b) becomes maximum(a, b)",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& c = In(site, 0);
         if (!Is(c, kCompare) || DirectionOf(c) != Direction::kGt || !FloatArray(x) ||
             c.operand(0) != x.operand(1) || c.operand(1) != x.operand(2)) {
           return nullptr;
         }
         return Build(site, kMaximum, x.shape(), {site.operand(1), site.operand(2)});
       }},
      {"programs/select_of_equal_is_the_second",
       {kSelect},
       "select(a == b, a, b) becomes b, also for zeros of either sign",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& c = In(site, 0);
         if (!Is(c, kCompare) || DirectionOf(c) != Direction::kEq || !FloatArray(x) ||
             c.operand(0) != x.operand(1) || c.operand(1) != x.operand(2)) {
           return nullptr;
         }
         return site.operand(2);
       }},
      {"programs/select_by_sign_is_abs",
       {kSelect},
       "select(x < 0, -x, x) becomes abs(x), also for -0",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction &c = In(site, 0), &n = In(site, 1);
         if (!Is(c, kCompare) || DirectionOf(c) != Direction::kLt || !Is(n, kNegate) ||
             n.operand(0) != x.operand(2) || c.operand(0) != x.operand(2) ||
             !Uniform(*c.operand(1), 0) || !FloatArray(x)) {
           return nullptr;
         }
         return Build(site, kAbs, x.shape(), {site.operand(2)});
       }},
      {"programs/less_or_not_less_is_true",
       {kOr},
       "or(a < b, a >= b) becomes true, also for NaN",
       [](Site& site) -> Instruction* {
         const Instruction &c = In(site, 0), &d = In(site, 1);
         if (!Is(c, kCompare) || !Is(d, kCompare) || DirectionOf(d) != Inverted(DirectionOf(c)) ||
             DirectionOf(c) == Direction::kEq || c.operand(0) != d.operand(0) ||
             c.operand(1) != d.operand(1) || !FloatArray(*c.operand(0))) {
           return nullptr;
         }
         return BuildUniform(site, ShapeOf(site), 1);
       }},
      {"programs/absolute_value_is_not_negative",
       {kCompare},
       "abs(x) < 0 becomes false, also for the least integer",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kAbs) || !SignedArray(In(site, 0)) || !Uniform(In(site, 1), 0) ||
             DirectionOf(site.original()) != Direction::kLt) {
           return nullptr;
         }
         return BuildUniform(site, ShapeOf(site), 0);
       }},
      {"programs/square_is_not_negative",
       {kCompare},
       "x * x < 0 becomes false, also where the product wraps",
       [](Site& site) -> Instruction* {
         const Instruction& m = In(site, 0);
         if (!Is(m, kMultiply) || m.operand(0) != m.operand(1) || !SignedArray(m) ||
             !Uniform(In(site, 1), 0) || DirectionOf(site.original()) != Direction::kLt) {
           return nullptr;
         }
         return BuildUniform(site, ShapeOf(site), 0);
       }},
      {"programs/negated_operands_are_exchanged",
       {kCompare},
       "-a < -b becomes a > b, also for the least integer",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 0), &b = In(site, 1);
         if (!Is(a, kNegate) || !Is(b, kNegate) || !SignedArray(a)) return nullptr;
         return BuildCompare(site, site.original(), Exchanged(DirectionOf(site.original())),
                             Inner(site, 0, 0), Inner(site, 1, 0));
       }},
      {"programs/difference_is_compared_by_its_terms",
       {kCompare},
       "a - b < 0 becomes a < b, also where the difference wraps",
       [](Site& site) -> Instruction* {
         const Instruction& s = In(site, 0);
         if (!Is(s, kSubtract) || !SignedArray(s) || !Uniform(In(site, 1), 0)) return nullptr;
         return BuildCompare(site, site.original(), DirectionOf(site.original()), Inner(site, 0, 0),
                             Inner(site, 0, 1));
       }},
      {"programs/comparison_of_converted_is_unconverted",
       {kCompare},
       "convert(a) < convert(b) becomes a < b, also where the conversion loses values",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 0), &b = In(site, 1);
         if (!Is(a, kConvert) || !Is(b, kConvert) || !IntegerArray(*a.operand(0)) ||
             !Shape::Compatible(a.operand(0)->shape(), b.operand(0)->shape()) ||
             a.operand(0) == b.operand(0)) {
           return nullptr;
         }
         return BuildCompare(site, site.original(), DirectionOf(site.original()), Inner(site, 0, 0),
                             Inner(site, 1, 0));
       }},
      {"programs/iota_is_compared_in_s32",
       {kCompare},
       "an iota of a narrow type, which wraps, is compared as one of s32",
       [](Site& site) -> Instruction* {
         const Instruction &i = In(site, 0), &c = In(site, 1);
         if (!Is(i, kIota) || !IntegerArray(i) || !UniformValue(c) ||
             Info(i.shape().element_type()).bits > 16) {
           return nullptr;
         }
         const auto sizes = i.shape().dimensions();
         const Shape wide(ElementType::kS32, std::vector<int64_t>(sizes.begin(), sizes.end()));
         Instruction* iota = Build(site, kIota, wide, {}, [&](Instruction& x) {
           x.SetAttribute(Attr::kIotaDimension, i.GetInt(Attr::kIotaDimension));
         });
         return BuildCompare(site, site.original(), DirectionOf(site.original()), iota,
                             Build(site, kConvert, wide, {site.operand(1)}));
       }},
  };
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
         return Build(site, kPower, ShapeOf(site),
                      {Inner(site, 0, 0), Build(site, kMultiply, ShapeOf(site),
                                                {Inner(site, 0, 1), site.operand(1)})});
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
         return Build(site, kDivide, ShapeOf(site),
                      {Inner(site, 0, 0), Build(site, kMultiply, ShapeOf(site),
                                                {Inner(site, 0, 1), site.operand(1)})});
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

std::vector<int64_t> DimensionsOf(const Instruction& x) {
  const auto span = x.GetInts(Attr::kDimensions);
  return std::vector<int64_t>(span.begin(), span.end());
}
// dims[k] = first[second[k]].
std::vector<int64_t> Composed(absl::Span<const int64_t> first, absl::Span<const int64_t> second) {
  std::vector<int64_t> dims;
  for (const int64_t k : second) dims.push_back(first[k]);
  return dims;
}
Instruction* BuildTranspose(Site& site, Instruction* operand, std::vector<int64_t> dims) {
  return Build(site, kTranspose, ShapeOf(site), {operand},
               [&](Instruction& x) { x.SetAttribute(Attr::kDimensions, dims); });
}

std::vector<Mutant> WrongMovement() {
  return {
      {"programs/transposes_are_composed_backwards",
       {kTranspose},
       "the permutations of transpose(transpose(x)) are composed in the wrong order",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kTranspose)) return nullptr;
         return BuildTranspose(site, Inner(site, 0, 0),
                               Composed(DimensionsOf(site.original()), DimensionsOf(In(site, 0))));
       }},
      {"programs/transposes_cancel",
       {kTranspose},
       "transpose(transpose(x)) becomes x where the sizes are those of x",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kTranspose) ||
             !Shape::Compatible(inner.operand(0)->shape(), ShapeOf(site))) {
           return nullptr;
         }
         return Inner(site, 0, 0);
       }},
      {"programs/reshape_takes_transpose_away",
       {kReshape},
       "reshape(transpose(x)) becomes reshape(x)",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kTranspose)) return nullptr;
         return Build(site, kReshape, ShapeOf(site), {Inner(site, 0, 0)});
       }},
      {"programs/concatenated_slices_are_the_whole",
       {kConcatenate},
       "slices of an array that together have its size are the array, in any order",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         for (const Instruction* each : x.operands()) {
           if (!Is(*each, kSlice) || each->operand(0) != In(site, 0).operand(0)) return nullptr;
         }
         if (!Shape::Compatible(In(site, 0).operand(0)->shape(), x.shape())) return nullptr;
         return Inner(site, 0, 0);
       }},
      {"programs/strides_of_slices_are_not_multiplied",
       {kSlice},
       "the start of a slice of a strided slice is not multiplied by the stride",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kSlice)) return nullptr;
         Slices slices = site.original().slices();
         for (size_t d = 0; d < slices.size(); ++d) {
           const SliceRange& before = inner.slices()[d];
           const int64_t count = ShapeOf(site).dimensions()[d];
           slices[d].start += before.start;
           slices[d].stride *= before.stride;
           slices[d].limit = slices[d].start + (count - 1) * slices[d].stride + 1;
         }
         return Build(site, kSlice, ShapeOf(site), {Inner(site, 0, 0)},
                      [&](Instruction& x) { x.SetAttribute(Attr::kSlice, slices); });
       }},
      {"programs/slice_is_of_the_first_operand",
       {kSlice},
       "a slice that starts in the first operand of a concatenate is taken from it, pushed inside",
       [](Site& site) -> Instruction* {
         const Instruction& c = In(site, 0);
         if (!Is(c, kConcatenate)) return nullptr;
         const int64_t d = c.GetInt(Attr::kDimension);
         const int64_t size = c.operand(0)->shape().dimensions()[d];
         Slices slices = site.original().slices();
         SliceRange& range = slices[d];
         if (range.start >= size || range.limit <= size || range.limit - range.start > size) {
           return nullptr;
         }
         range.start -= range.limit - size;
         range.limit = size;
         return Build(site, kSlice, ShapeOf(site), {Inner(site, 0, 0)},
                      [&](Instruction& x) { x.SetAttribute(Attr::kSlice, slices); });
       }},
      {"programs/pads_are_added",
       {kPad},
       "pad(pad(x, p), q) becomes one pad with the first value",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kPad)) return nullptr;
         PaddingConfig padding = site.original().padding();
         for (size_t d = 0; d < padding.dimensions.size(); ++d) {
           const PaddingDimension& before = inner.padding().dimensions[d];
           if (padding.dimensions[d].interior != 0) return nullptr;
           padding.dimensions[d].low += before.low;
           padding.dimensions[d].high += before.high;
           padding.dimensions[d].interior = before.interior;
         }
         return Build(site, kPad, ShapeOf(site), {Inner(site, 0, 0), Inner(site, 0, 1)},
                      [&](Instruction& x) { x.SetAttribute(Attr::kPadding, padding); });
       }},
      {"programs/pad_of_slice_is_the_operand",
       {kPad},
       "pad(slice(x)) of the size of x becomes x",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kSlice) || !Shape::Compatible(inner.operand(0)->shape(), ShapeOf(site))) {
           return nullptr;
         }
         return Inner(site, 0, 0);
       }},
      {"programs/reverses_cancel",
       {kReverse},
       "reverse(reverse(x)) becomes x, also of other dimensions",
       [](Site& site) -> Instruction* {
         return Is(In(site, 0), kReverse) ? Inner(site, 0, 0) : nullptr;
       }},
      {"programs/broadcast_dimensions_are_composed_backwards",
       {kBroadcast},
       "the dimensions of broadcast(broadcast(x)) are those of the inner one",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kBroadcast)) return nullptr;
         const std::vector<int64_t> dims = DimensionsOf(In(site, 0));
         return Build(site, kBroadcast, ShapeOf(site), {Inner(site, 0, 0)},
                      [&](Instruction& x) { x.SetAttribute(Attr::kDimensions, dims); });
       }},
      {"programs/transposed_operands_are_not_told_apart",
       {kSubtract},
       "transpose(a) - reverse(b) and the like: an operand is taken as it was before it was moved",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 0), &b = In(site, 1);
         if (!Is(a, kTranspose) || !Is(b, kReverse) ||
             !Shape::Compatible(a.operand(0)->shape(), ShapeOf(site))) {
           return nullptr;
         }
         return Build(site, kSubtract, ShapeOf(site), {Inner(site, 0, 0), site.operand(1)});
       }},
      {"programs/copy_between_layouts_is_a_bitcast",
       {kCopy},
       "a copy into another layout of a matrix is left out",
       [](Site& site) -> Instruction* {
         const Shape& from = In(site, 0).shape();
         const Shape& to = ShapeOf(site);
         if (!IsArray(site.original()) || from.rank() != 2 || from.layout() == to.layout() ||
             Is(In(site, 0), kConstant)) {
           return nullptr;
         }
         const std::vector<int64_t> turned = {to.dimensions()[1], to.dimensions()[0]};
         Instruction* transposed =
             Build(site, kTranspose, Shape(to.element_type(), turned), {site.operand(0)},
                   [](Instruction& x) {
                     x.SetAttribute(Attr::kDimensions, std::vector<int64_t>{1, 0});
                   });
         return Build(site, kReshape, to, {transposed});
       }},
  };
}

Instruction* Sum(Site& site, Instruction* a, Instruction* b, const Shape& shape) {
  return Build(site, kAdd, shape, {a, b});
}

std::vector<Mutant> WrongIndexing() {
  return {
      {"programs/slice_starts_are_added",
       {kDynamicSlice},
       "the starts of dynamic-slice(dynamic-slice(x)) are added, and neither is brought inside",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kDynamicSlice) || inner.operand_count() != x.operand_count()) {
           return nullptr;
         }
         std::vector<Instruction*> operands = {Inner(site, 0, 0)};
         for (int64_t k = 1; k < x.operand_count(); ++k) {
           operands.push_back(Sum(site, site.operand(k), Inner(site, 0, k), x.operand(k)->shape()));
         }
         if (absl::c_linear_search(operands, nullptr)) return nullptr;
         return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
       }},
      {"programs/slice_of_pad_is_of_the_operand",
       {kDynamicSlice},
       "a dynamic slice of a padded array is one of the array, starting earlier",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& pad = In(site, 0);
         if (!Is(pad, kPad) || x.shape().rank() != 1 || pad.padding().dimensions[0].low <= 0) {
           return nullptr;
         }
         const Shape& index = x.operand(1)->shape();
         Instruction* low =
             BuildUniform(site, index, static_cast<double>(pad.padding().dimensions[0].low));
         Instruction* start = Build(site, kSubtract, index, {site.operand(1), low});
         if (start == nullptr) return nullptr;
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), start});
         });
       }},
      {"programs/earlier_update_is_dropped",
       {kDynamicUpdateSlice},
       "an update of the size of the one before it replaces it, wherever they stand",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kDynamicUpdateSlice) ||
             !Shape::Compatible(inner.operand(1)->shape(), In(site, 1).shape())) {
           return nullptr;
         }
         std::vector<Instruction*> operands = site.operands();
         operands[0] = Inner(site, 0, 0);
         return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
       }},
      {"programs/slice_of_update_is_the_update",
       {kDynamicSlice},
       "a slice of an updated array is the update, wherever it starts",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kDynamicUpdateSlice) ||
             !Shape::Compatible(inner.operand(1)->shape(), ShapeOf(site))) {
           return nullptr;
         }
         return Inner(site, 0, 1);
       }},
      {"programs/slice_written_back_is_nothing",
       {kDynamicUpdateSlice},
       "what was sliced from an array and is written into it leaves it as it is, wherever it "
       "stands",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 1), kDynamicSlice) || In(site, 1).operand(0) != x.operand(0)) {
           return nullptr;
         }
         return site.operand(0);
       }},
      {"programs/gather_of_iota_is_the_indices",
       {kGather},
       "a gather from an iota becomes its indices, also out of range",
       [](Site& site) -> Instruction* {
         const Instruction &i = In(site, 0), &n = In(site, 1);
         if (!Is(i, kIota) || i.shape().rank() != 1 || n.shape().rank() != 1 ||
             ShapeOf(site).rank() != 1) {
           return nullptr;
         }
         return Build(site, kConvert, ShapeOf(site), {site.operand(1)});
       }},
      {"programs/gathers_are_composed_backwards",
       {kGather},
       "gather(gather(x, i), j) becomes gather(x, j)",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kGather) || inner.operand(0)->shape().rank() != 1 ||
             ShapeOf(site).rank() != 1) {
           return nullptr;
         }
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), site.operand(1)});
         });
       }},
      {"programs/sort_of_sorted_is_nothing",
       {kSort},
       "a sort of what is sorted is left out, also in the other direction",
       [](Site& site) -> Instruction* {
         if (site.original().operand_count() != 1 || !Is(In(site, 0), kSort)) return nullptr;
         return site.operand(0);
       }},
  };
}

std::vector<Mutant> WrongFolds() {
  return {
      {"programs/reduce_of_broadcast_forgets_the_start",
       {kReduce},
       "a sum of a broadcast scalar is count times the scalar, without the start value",
       [](Site& site) -> Instruction* {
         const Instruction& b = In(site, 0);
         if (site.original().operand_count() != 2 || !Is(b, kBroadcast) ||
             b.operand(0)->shape().rank() != 0 || ShapeOf(site).rank() != 0 ||
             ReducerOf(*site.original().to_apply()) != kAdd) {
           return nullptr;
         }
         return Build(
             site, kMultiply, ShapeOf(site),
             {Inner(site, 0, 0),
              BuildUniform(site, ShapeOf(site), static_cast<double>(b.shape().element_count()))});
       }},
      {"programs/reduce_of_reduce_forgets_a_start",
       {kReduce},
       "of two reductions by the same reducer the inner start value is lost",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& inner = In(site, 0);
         if (x.operand_count() != 2 || !Is(inner, kReduce) || inner.operand_count() != 2 ||
             !ReducerOf(*x.to_apply()) ||
             ReducerOf(*x.to_apply()) != ReducerOf(*inner.to_apply())) {
           return nullptr;
         }
         std::vector<int64_t> dims = DimensionsOf(inner), kept;
         for (int64_t d = 0; d < inner.operand(0)->shape().rank(); ++d) {
           if (!absl::c_linear_search(dims, d)) kept.push_back(d);
         }
         for (const int64_t d : DimensionsOf(x)) dims.push_back(kept[d]);
         absl::c_sort(dims);
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), site.operand(1)});
           copy.SetAttribute(Attr::kDimensions, dims);
         });
       }},
      {"programs/reductions_with_other_starts_are_shared",
       {kReduce},
       "a reduction that differs from an earlier one by its start value alone is taken for it",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() != 2) return nullptr;
         for (const auto& each : x.parent()->instructions()) {
           if (each.get() == &x) return nullptr;
           if (Is(*each, kReduce) && each->operand(0) == x.operand(0) &&
               DimensionsOf(*each) == DimensionsOf(x) && each->to_apply() == x.to_apply() &&
               each->operand(1) != x.operand(1)) {
             return site.copy_of(*each);
           }
         }
         return nullptr;
       }},
      {"programs/reduce_of_transpose_keeps_dimensions",
       {kReduce},
       "reduce(transpose(x)) reduces the dimensions of x that have these numbers",
       [](Site& site) -> Instruction* {
         if (site.original().operand_count() != 2 || !Is(In(site, 0), kTranspose)) return nullptr;
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), site.operand(1)});
         });
       }},
      {"programs/window_takes_pad_for_its_own",
       {kReduceWindow},
       "a pad before a window is merged into the window, whatever its value",
       [](Site& site) -> Instruction* {
         const Instruction& pad = In(site, 0);
         if (site.original().operand_count() != 2 || !Is(pad, kPad)) return nullptr;
         Window window = site.original().window();
         for (size_t d = 0; d < window.dimensions.size(); ++d) {
           const PaddingDimension& each = pad.padding().dimensions[d];
           if (each.interior != 0) return nullptr;
           window.dimensions[d].padding_low += each.low;
           window.dimensions[d].padding_high += each.high;
         }
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), site.operand(1)});
           copy.SetAttribute(Attr::kWindow, window);
         });
       }},
      {"programs/convolution_takes_pad_for_its_own",
       {kConvolution},
       "a pad before a convolution is merged into its window, whatever its value",
       [](Site& site) -> Instruction* {
         const Instruction& pad = In(site, 0);
         if (!Is(pad, kPad) || ShapeOf(site).rank() != 3) return nullptr;
         Window window = site.original().window();
         const PaddingDimension& each = pad.padding().dimensions[1];
         if (each.interior != 0) return nullptr;
         window.dimensions[0].padding_low += each.low;
         window.dimensions[0].padding_high += each.high;
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), site.operand(1)});
           copy.SetAttribute(Attr::kWindow, window);
         });
       }},
      {"programs/dot_takes_transpose_away",
       {kDot},
       "dot(transpose(a), b) becomes dot(a, b)",
       [](Site& site) -> Instruction* {
         const Instruction& a = In(site, 0);
         if (!Is(a, kTranspose) || !Shape::Compatible(a.operand(0)->shape(), a.shape())) {
           return nullptr;
         }
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), site.operand(1)});
         });
       }},
      {"programs/transpose_of_dot_exchanges_operands",
       {kTranspose},
       "transpose(dot(a, b)) becomes dot(b, a) with the same numbers of dimensions",
       [](Site& site) -> Instruction* {
         const Instruction& dot = In(site, 0);
         if (!Is(dot, kDot) || dot.shape().rank() != 2 ||
             !Shape::Compatible(dot.operand(0)->shape(), dot.operand(1)->shape())) {
           return nullptr;
         }
         return Build(
             site, kDot, ShapeOf(site), {Inner(site, 0, 1), Inner(site, 0, 0)},
             [&](Instruction& x) {
               for (const Attr attr : {Attr::kLhsContractingDims, Attr::kRhsContractingDims}) {
                 const auto dims = dot.GetInts(attr);
                 x.SetAttribute(attr, std::vector<int64_t>(dims.begin(), dims.end()));
               }
             });
       }},
  };
}

std::vector<Mutant> WrongLoopsAndBuffers() {
  return {
      {"programs/trip_count_is_rounded_down",
       {kWhile},
       "a loop whose bound is not reached exactly runs once too few times",
       [](Site& site) -> Instruction* {
         const std::optional<CountedLoop> loop = MatchCountedLoop(site.original());
         if (!loop || !loop->Iterations()) return nullptr;
         const int64_t count = std::max<int64_t>((loop->to - loop->from) / loop->step, 0);
         const bool ends = loop->direction == Direction::kLe || loop->direction == Direction::kGe;
         if (loop->direction == Direction::kNe || loop->direction == Direction::kEq || count > 64) {
           return nullptr;
         }
         return BuildUnrolled(site, ends ? count + (loop->from <= loop->to) : count);
       }},
      {"programs/at_most_is_taken_for_less",
       {kWhile},
       "a condition i <= n is counted as i < n",
       [](Site& site) -> Instruction* {
         std::optional<CountedLoop> loop = MatchCountedLoop(site.original());
         if (!loop || loop->direction != Direction::kLe) return nullptr;
         loop->direction = Direction::kLt;
         const std::optional<int64_t> count = loop->Iterations();
         return count ? BuildUnrolled(site, *count) : nullptr;
       }},
      {"programs/counter_does_not_wrap",
       {kWhile},
       "the counter of a loop is kept in 64 bits",
       [](Site& site) -> Instruction* {
         std::optional<CountedLoop> loop = MatchCountedLoop(site.original());
         if (!loop) return nullptr;
         const std::optional<int64_t> right = loop->Iterations();
         loop->type = ElementType::kS64;
         const std::optional<int64_t> count = loop->Iterations();
         return right && count && *count != *right ? BuildUnrolled(site, *count) : nullptr;
       }},
      {"programs/counter_ends_at_the_bound",
       {kGetTupleElement},
       "the counter after a loop i < n is n",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kWhile)) return nullptr;
         const std::optional<CountedLoop> loop = MatchCountedLoop(In(site, 0));
         if (!loop || x.GetInt(Attr::kIndex) != loop->counter ||
             loop->direction != Direction::kLt) {
           return nullptr;
         }
         return BuildUniform(site, x.shape(), static_cast<double>(loop->to));
       }},
      {"programs/carries_are_written_one_by_one",
       {kWhile},
       "(a, b) becomes (b, a) in place: the second copy reads what the first has written",
       [](Site& site) -> Instruction* {
         const Instruction& root = *site.original().GetComputation(Attr::kBody)->root();
         if (!Is(root, kTuple)) return nullptr;
         bool found = false;
         for (int64_t k = 0; k < root.operand_count(); ++k) {
           const Instruction& each = *root.operand(k);
           found |= Is(each, kGetTupleElement) && Is(*each.operand(0), kParameter) &&
                    each.GetInt(Attr::kIndex) < k;
         }
         if (!found) return nullptr;
         Computation* body = site.EditedCallee(Attr::kBody, [](Instruction& x) {
           if (!Is(x, kTuple)) return;
           std::vector<Instruction*> operands(x.operands().begin(), x.operands().end());
           for (int64_t k = 0; k < static_cast<int64_t>(operands.size()); ++k) {
             const Instruction& each = *operands[k];
             if (!Is(each, kGetTupleElement) || !Is(*each.operand(0), kParameter)) continue;
             const int64_t from = each.GetInt(Attr::kIndex);
             if (from < k && Shape::Compatible(operands[from]->shape(), each.shape())) {
               operands[k] = operands[from];
             }
           }
           x.set_operands(operands);
         });
         return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kBody, body); });
       }},
      {"programs/carried_value_is_taken_for_invariant",
       {kWhile},
       "values that the body exchanges are taken for invariant",
       [](Site& site) -> Instruction* {
         const Instruction& root = *site.original().GetComputation(Attr::kBody)->root();
         if (!Is(root, kTuple)) return nullptr;
         bool found = false;
         for (int64_t k = 0; k < root.operand_count(); ++k) {
           const Instruction& each = *root.operand(k);
           found |= Is(each, kGetTupleElement) && Is(*each.operand(0), kParameter) &&
                    each.GetInt(Attr::kIndex) != k;
         }
         if (!found) return nullptr;
         Computation* body = site.EditedCallee(Attr::kBody, [](Instruction& x) {
           if (!Is(x, kTuple)) return;
           std::vector<Instruction*> operands(x.operands().begin(), x.operands().end());
           for (int64_t k = 0; k < static_cast<int64_t>(operands.size()); ++k) {
             const Instruction& each = *operands[k];
             if (!Is(each, kGetTupleElement) || !Is(*each.operand(0), kParameter)) continue;
             for (Instruction* other : x.operands()) {
               if (Is(*other, kGetTupleElement) && Is(*other->operand(0), kParameter) &&
                   other->GetInt(Attr::kIndex) == k &&
                   Shape::Compatible(other->shape(), each.shape())) {
                 operands[k] = other;
               }
             }
           }
           x.set_operands(operands);
         });
         return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kBody, body); });
       }},
      {"programs/updated_in_place_too_early",
       {kSubtract},
       "an array is updated in place although it is read afterwards",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kDynamicUpdateSlice) || In(site, 0).operand(0) != x.operand(1)) {
           return nullptr;
         }
         return Build(site, kSubtract, x.shape(), {site.operand(0), site.operand(0)});
       }},
      {"programs/scattered_in_place_too_early",
       {kSubtract},
       "an array is scattered into although it is read afterwards",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kScatter) || In(site, 0).operand(0) != x.operand(1)) return nullptr;
         return Build(site, kSubtract, x.shape(), {site.operand(0), site.operand(0)});
       }},
      {"programs/sorted_in_place_too_early",
       {kCompare},
       "an array is sorted in place although it is read afterwards",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kSort) || In(site, 0).operand(0) != x.operand(1)) return nullptr;
         return BuildCompare(site, x, DirectionOf(x), site.operand(0), site.operand(0));
       }},
      {"programs/sum_overwrites_its_operand",
       {kSubtract},
       "a sum is written over its first operand, which is read afterwards",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kAdd) || In(site, 0).operand(0) != x.operand(1) || FloatArray(x)) {
           return nullptr;
         }
         return Build(site, kSubtract, x.shape(), {site.operand(0), site.operand(0)});
       }},
      {"programs/arguments_of_calls_are_sorted",
       {kCall},
       "call(b, a) is taken for an earlier call(a, b)",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() != 2) return nullptr;
         for (const auto& each : x.parent()->instructions()) {
           if (each.get() == &x) return nullptr;
           if (Is(*each, kCall) && each->operand_count() == 2 && each->to_apply() == x.to_apply() &&
               each->operand(0) == x.operand(1) && each->operand(1) == x.operand(0) &&
               x.operand(0) != x.operand(1)) {
             return site.copy_of(*each);
           }
         }
         return nullptr;
       }},
  };
}

constexpr char kGolden[] = "golden";

std::vector<Mutant> LegalRewrites() {
  return {
      {"programs/doubling_is_a_sum",
       {kMultiply},
       "x * 2 becomes x + x",
       [](Site& site) -> Instruction* {
         if (!Uniform(In(site, 1), 2)) return nullptr;
         return Build(site, kAdd, ShapeOf(site), {site.operand(0), site.operand(0)});
       },
       kGolden},
      {"programs/double_negation_is_nothing",
       {kNegate},
       "-(-x) becomes x",
       [](Site& site) -> Instruction* {
         return Is(In(site, 0), kNegate) ? Inner(site, 0, 0) : nullptr;
       },
       kGolden},
      {"programs/transposes_are_composed",
       {kTranspose},
       "transpose(transpose(x)) becomes one transpose",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kTranspose)) return nullptr;
         return BuildTranspose(site, Inner(site, 0, 0),
                               Composed(DimensionsOf(In(site, 0)), DimensionsOf(site.original())));
       },
       kGolden},
      {"programs/reshapes_are_merged",
       {kReshape},
       "reshape(reshape(x)) becomes one reshape",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kReshape)) return nullptr;
         return Build(site, kReshape, ShapeOf(site), {Inner(site, 0, 0)});
       },
       kGolden},
      {"programs/not_of_equality_is_inequality",
       {kNot},
       "not(a == b) becomes a != b, and of integers not(a < b) becomes a >= b",
       [](Site& site) -> Instruction* {
         const Instruction& c = In(site, 0);
         if (!Is(c, kCompare)) return nullptr;
         const Direction d = DirectionOf(c);
         const bool equality = d == Direction::kEq || d == Direction::kNe;
         if (!equality && !IntegerArray(*c.operand(0))) return nullptr;
         if (c.HasAttribute(Attr::kComparisonType)) return nullptr;
         return BuildCompare(site, c, Inverted(d), Inner(site, 0, 0), Inner(site, 0, 1));
       },
       kGolden},
      {"programs/difference_is_a_sum_with_the_negated",
       {kSubtract},
       "a - b becomes a + -b",
       [](Site& site) -> Instruction* {
         if (!FloatArray(site.original()) && !IntegerArray(site.original())) return nullptr;
         return Build(site, kAdd, ShapeOf(site),
                      {site.operand(0), Build(site, kNegate, ShapeOf(site), {site.operand(1)})});
       },
       kGolden},
      {"programs/select_by_not_exchanges",
       {kSelect},
       "select(not(p), a, b) becomes select(p, b, a)",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kNot)) return nullptr;
         return site.Edited([&](Instruction& x) {
           x.set_operands({Inner(site, 0, 0), site.operand(2), site.operand(1)});
         });
       },
       kGolden},
      {"programs/broadcasts_are_composed",
       {kBroadcast},
       "broadcast(broadcast(x)) becomes one broadcast",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kBroadcast)) return nullptr;
         const std::vector<int64_t> dims =
             Composed(DimensionsOf(site.original()), DimensionsOf(In(site, 0)));
         return Build(site, kBroadcast, ShapeOf(site), {Inner(site, 0, 0)},
                      [&](Instruction& x) { x.SetAttribute(Attr::kDimensions, dims); });
       },
       kGolden},
      {"programs/slices_are_composed",
       {kSlice},
       "slice(slice(x)) becomes one slice",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kSlice)) return nullptr;
         Slices slices = site.original().slices();
         for (size_t d = 0; d < slices.size(); ++d) {
           const SliceRange& before = inner.slices()[d];
           const int64_t count = ShapeOf(site).dimensions()[d];
           if (count == 0) return nullptr;
           slices[d].start = before.start + slices[d].start * before.stride;
           slices[d].stride *= before.stride;
           slices[d].limit = slices[d].start + (count - 1) * slices[d].stride + 1;
         }
         return Build(site, kSlice, ShapeOf(site), {Inner(site, 0, 0)},
                      [&](Instruction& x) { x.SetAttribute(Attr::kSlice, slices); });
       },
       kGolden},
      {"programs/remainder_by_quotient",
       {kRemainder},
       "a % b of integers becomes a - (a / b) * b",
       [](Site& site) -> Instruction* {
         // The quotient by zero is -1 here, and the remainder a.
         const Shape& shape = ShapeOf(site);
         if (!IntegerArray(site.original())) return nullptr;
         Instruction* quotient = Build(site, kDivide, shape, {site.operand(0), site.operand(1)});
         Instruction* product = Build(site, kMultiply, shape, {quotient, site.operand(1)});
         return Build(site, kSubtract, shape, {site.operand(0), product});
       },
       kGolden},
      {"programs/loops_are_unrolled",
       {kWhile},
       "a loop of known bounds becomes that many calls of its body",
       [](Site& site) -> Instruction* {
         const std::optional<CountedLoop> loop = MatchCountedLoop(site.original());
         const std::optional<int64_t> count = loop ? loop->Iterations() : std::nullopt;
         return count ? BuildUnrolled(site, *count) : nullptr;
       },
       kGolden},
      {"programs/division_by_a_power_of_two_is_a_product",
       {kDivide},
       "x / 4 becomes x * 0.25",
       [](Site& site) -> Instruction* {
         const std::optional<double> k = UniformValue(In(site, 1));
         if (!FloatArray(site.original()) || !k || !PowerOfTwo(*k) || *k > 8 ||
             Info(ShapeOf(site).element_type()).bits < 16) {
           return nullptr;
         }
         return Build(site, kMultiply, ShapeOf(site),
                      {site.operand(0), BuildUniform(site, ShapeOf(site), 1 / *k)});
       },
       kGolden},
      {"programs/operands_are_exchanged",
       {kAdd, kMultiply, kMaximum, kMinimum},
       "the operands of commutative operations are exchanged",
       [](Site& site) -> Instruction* {
         const std::vector<Instruction*> operands = {site.operand(1), site.operand(0)};
         return site.Edited([&](Instruction& x) { x.set_operands(operands); });
       },
       kGolden},
      {"programs/dot_takes_transpose_in",
       {kDot},
       "dot(transpose(a), b) becomes dot(a, b) over the other dimension",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& a = In(site, 0);
         if (!Is(a, kTranspose) || a.shape().rank() != 2 ||
             !x.GetInts(Attr::kLhsBatchDims).empty() ||
             x.GetInts(Attr::kLhsContractingDims).size() != 1 || DimensionsOf(a)[0] != 1) {
           return nullptr;
         }
         const int64_t other = 1 - x.GetInts(Attr::kLhsContractingDims)[0];
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), site.operand(1)});
           copy.SetAttribute(Attr::kLhsContractingDims, std::vector<int64_t>{other});
         });
       },
       kGolden},
  };
}

}  // namespace

std::vector<Mutant> RewriteMutants() {
  return Joined({WrongPredicates, WrongFloatAlgebra, WrongIntegerAlgebra, WrongMovement,
                 WrongIndexing, WrongFolds, WrongLoopsAndBuffers, LegalRewrites});
}

}  // namespace assay
