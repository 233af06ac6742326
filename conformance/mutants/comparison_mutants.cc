// Defects of comparisons and selections: NaN, order of zeros, bounds.
#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {
namespace {

using enum Opcode;

Where Direction(ComparisonDirection direction) {
  return [direction](const Instruction& x) {
    return x.GetEnum<ComparisonDirection>(Attr::kDirection) == direction;
  };
}

bool IsTotalOrder(const Instruction& x) {
  return x.FindInt(Attr::kComparisonType) == static_cast<int64_t>(ComparisonType::kTotalOrder);
}

bool AnyNan(const ElementSite& e) { return e.nan(0) || e.nan(1); }

// The other operand where one is NaN.
Defect NanSwallowed() {
  return OnElements(
      [](const ElementSite& e) { return e.nan(0)   ? e.x[1]
                                        : e.nan(1) ? e.x[0]
                                                   : e.golden; },
      FloatResult());
}

Defect DirectionBecomes(ComparisonDirection from, ComparisonDirection to) {
  return Edit([from, to](Instruction& x) {
    if (x.GetEnum<ComparisonDirection>(Attr::kDirection) == from) {
      x.SetAttribute(Attr::kDirection, static_cast<int64_t>(to));
    }
  });
}

std::vector<Mutant> CompareMutants() {
  return {
      {"compare/nan_equals_itself",
       {kCompare},
       "NaN EQ NaN gives true: bits are compared",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.x[0] == e.x[1] || e.golden.bits != 0, 0};
           },
           Direction(ComparisonDirection::kEq))},
      {"compare/ne_is_ordered",
       {kCompare},
       "NaN NE 1 gives false",
       OnElements([](const ElementSite& e) { return AnyNan(e) ? Element{} : e.golden; },
                  Direction(ComparisonDirection::kNe))},
      {"compare/ge_is_not_lt",
       {kCompare},
       "NaN GE 1 gives true: computed as not LT",
       OnElements(
           [](const ElementSite& e) {
             return AnyNan(e) ? Element{1, 0} : e.golden;
           },
           Direction(ComparisonDirection::kGe))},
      {"compare/le_as_lt",
       {kCompare},
       "equal numbers are not LE",
       DirectionBecomes(ComparisonDirection::kLe, ComparisonDirection::kLt)},
      {"compare/gt_as_ge",
       {kCompare},
       "equal numbers are GT",
       DirectionBecomes(ComparisonDirection::kGt, ComparisonDirection::kGe)},
      {"compare/zeros_differ",
       {kCompare},
       "-0 EQ +0 gives false: bits are compared",
       OnElements([](const ElementSite& e) { return e.x[0] == e.x[1] ? e.golden : Element{}; },
                  [](const Instruction& x) {
                    return Direction(ComparisonDirection::kEq)(x) &&
                           IsFloat(x.operand(0)->shape().element_type()) && !IsTotalOrder(x);
                  })},
      {"compare/unsigned_as_signed",
       {kCompare},
       "u8 200 LT 100 gives true",
       OnElements(
           [](const ElementSite& e) {
             const int shift = 64 - Info(e.types[0]).bits;
             const auto value = [&](int k) { return static_cast<int64_t>(e.u(k) << shift); };
             return Element{value(0) < value(1), 0};
           },
           [](const Instruction& x) {
             return Direction(ComparisonDirection::kLt)(x) &&
                    IsUnsigned(x.operand(0)->shape().element_type());
           })},
      {"compare/total_order_ignored",
       {kCompare},
       "TOTALORDER is taken for FLOAT: -0 LT +0 is false",
       Edit([](Instruction& x) {
         if (IsTotalOrder(x)) x.EraseAttribute(Attr::kComparisonType);
       })},
      {"compare/complex_real_parts_alone",
       {kCompare},
       "(1,2) EQ (1,3) gives true",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.x[0].bits == e.x[1].bits, 0};
           },
           [](const Instruction& x) {
             return Direction(ComparisonDirection::kEq)(x) &&
                    IsComplex(x.operand(0)->shape().element_type());
           })},
      {"compare/denormals_equal_zero",
       {kCompare},
       "denormal operands are read as zero",
       OnOperand(-1, Flushed)},
      {"is-finite/nan_is_finite",
       {kIsFinite},
       "NaN counts as finite",
       OnElements([](const ElementSite& e) {
         return Element{e.nan(0) || e.golden.bits != 0, 0};
       })},
      {"is-finite/largest_is_not_finite",
       {kIsFinite},
       "the largest number counts as infinite",
       OnElements([](const ElementSite& e) {
         const bool largest = std::abs(e.f(0)) == DecodeFloat(e.types[0], MaxFinite(e.types[0]));
         return largest ? Element{} : e.golden;
       })},
  };
}

std::vector<Mutant> SelectMutants() {
  return {
      {"maximum/nan_swallowed", {kMaximum}, "max(1, NaN) gives 1", NanSwallowed()},
      {"minimum/nan_swallowed", {kMinimum}, "min(1, NaN) gives 1", NanSwallowed()},
      {"maximum/nan_on_the_right_swallowed",
       {kMaximum},
       "x > y ? x : y drops a NaN on the left",
       OnElements([](const ElementSite& e) { return e.nan(0) && !e.nan(1) ? e.x[1] : e.golden; },
                  FloatResult())},
      {"minimum/is_maximum",
       {kMinimum},
       "the comparison is the wrong way round",
       [](Site& site) { return site.Make(kMaximum, site.original().shape(), site.operands()); }},
      {"minimum/least_scale_is_nan",
       {kMinimum},
       "the least f8e8m0fnu, a denormal of f32, becomes NaN",
       OnElements(
           [](const ElementSite& e) {
             return e.golden.bits == 0 ? Element{CanonicalNan(e.type), 0} : e.golden;
           },
           TypeIs({ElementType::kF8E8M0FNU}))},
      {"minimum/denormals_equal_zero",
       {kMinimum},
       "denormals are flushed on their way",
       OnElements([](const ElementSite& e) { return Flushed(e.type, e.golden); }, FloatResult())},
      {"maximum/by_bits",
       {kMaximum},
       "negative floats compare by their bits",
       OnElements(
           [](const ElementSite& e) {
             const bool negative = e.f(0) < 0 && e.f(1) < 0;
             return negative ? (e.f(0) < e.f(1) ? e.x[0] : e.x[1]) : e.golden;
           },
           FloatResult())},
      {"clamp/bounds_exchanged",
       {kClamp},
       "clamp(max, x, min) is computed",
       Reorder([](std::vector<Instruction*>& x) { std::swap(x[0], x[2]); })},
      {"clamp/lower_bound_last",
       {kClamp},
       "with min > max the result is min, not max",
       OnElements(
           [](const ElementSite& e) {
             const bool crossed = IsFloat(e.type) ? e.f(0) > e.f(2) : e.i(0) > e.i(2);
             return crossed && !e.nan(1) && !e.nan(0) && !e.nan(2) ? e.x[0] : e.golden;
           },
           [](const Instruction& x) {
             return IsFloat(x.shape().element_type()) || IsSigned(x.shape().element_type());
           })},
      {"clamp/nan_becomes_bound",
       {kClamp},
       "a NaN comes out as the lower bound",
       OnElements([](const ElementSite& e) { return e.nan(1) ? e.x[0] : e.golden; },
                  FloatResult())},
      {"clamp/upper_bound_ignored",
       {kClamp},
       "only the lower bound counts",
       OnElements(
           [](const ElementSite& e) {
             const bool above = IsFloat(e.type) ? e.f(1) > e.f(2) : e.i(1) > e.i(2);
             return above ? e.x[1] : e.golden;
           },
           [](const Instruction& x) {
             return IsFloat(x.shape().element_type()) || IsSigned(x.shape().element_type());
           })},
      {"clamp/unsigned_bounds_as_signed",
       {kClamp},
       "a large unsigned bound counts as negative",
       OnElements(
           [](const ElementSite& e) { return e.u(2) >> (e.bits() - 1) != 0 ? e.x[2] : e.golden; },
           [](const Instruction& x) { return IsUnsigned(x.shape().element_type()); })},
      {"select/operands_exchanged",
       {kSelect},
       "true takes the second value",
       Reorder([](std::vector<Instruction*>& x) { std::swap(x[1], x[2]); })},
      {"select/first_predicate_for_all",
       {kSelect},
       "one predicate decides for the whole array",
       OnResult([](const Instruction&, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
         if (operands[0].element_count() > 0) {
           leaves->front() = operands[operands[0].Get(0).bits != 0 ? 1 : 2];
         }
       })},
      {"select/blends_bits",
       {kSelect},
       "a NaN not chosen shows: computed as p * a + (1 - p) * b",
       OnElements(
           [](const ElementSite& e) {
             const int other = e.x[0].bits != 0 ? 2 : 1;
             return e.nan(other) || std::isinf(e.f(other)) ? Element{CanonicalNan(e.type), 0}
                                                           : e.golden;
           },
           FloatResult())},
  };
}

}  // namespace

std::vector<Mutant> ComparisonMutants() { return Joined({CompareMutants, SelectMutants}); }

}  // namespace assay::conformance
