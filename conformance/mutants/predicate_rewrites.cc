// Wrong rewrites of comparisons and selections.
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/rewrites.h"

namespace assay::conformance {
using enum Opcode;

std::vector<Mutant> PredicateRewrites() {
  return {
      {"programs/not_of_comparison_is_the_inverse",
       {kNot},
       "not(a < b) becomes a >= b, also for NaN",
       [](Site& site) -> Instruction* {
         const Instruction& compare = In(site, 0);
         if (!Is(compare, kCompare) || !FloatArray(*compare.operand(0))) return nullptr;
         if (DirectionOf(compare) == ComparisonDirection::kEq ||
             DirectionOf(compare) == ComparisonDirection::kNe) {
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
         const ComparisonDirection d = DirectionOf(x);
         const bool holds = d == ComparisonDirection::kEq || d == ComparisonDirection::kLe ||
                            d == ComparisonDirection::kGe;
         return BuildUniform(site, PredOf(x.shape()), holds ? 1 : 0);
       }},
      {"programs/select_is_maximum",
       {kSelect},
       "select(a > b, a, b) becomes maximum(a, b)",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& c = In(site, 0);
         if (!Is(c, kCompare) || DirectionOf(c) != ComparisonDirection::kGt || !FloatArray(x) ||
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
         if (!Is(c, kCompare) || DirectionOf(c) != ComparisonDirection::kEq || !FloatArray(x) ||
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
         if (!Is(c, kCompare) || DirectionOf(c) != ComparisonDirection::kLt || !Is(n, kNegate) ||
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
             DirectionOf(c) == ComparisonDirection::kEq || c.operand(0) != d.operand(0) ||
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
             DirectionOf(site.original()) != ComparisonDirection::kLt) {
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
             !Uniform(In(site, 1), 0) || DirectionOf(site.original()) != ComparisonDirection::kLt) {
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

}  // namespace assay::conformance
