// Combination mutants that are rules of an algebraic simplifier whose condition is missing or whose
// result is wrong. They were written after the generator's variations and without regard to them,
// so that they show what it finds beyond what it was written for.
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "fuzz/score/combinations.h"
#include "fuzz/score/rewrite_parts.h"

namespace assay::fuzz {
namespace {

using conformance::Build;
using conformance::BuildCompare;
using conformance::Composed;
using conformance::DimensionsOf;
using conformance::DirectionOf;
using conformance::FloatArray;
using conformance::In;
using conformance::Inner;
using conformance::IntegerArray;
using conformance::Is;
using conformance::Mutant;
using conformance::ReducerOf;
using conformance::ShapeOf;
using conformance::Site;
using enum Opcode;

// A unary operation of the shape of its operand.
Instruction* Put(Site& site, Opcode opcode, Instruction* operand) {
  return operand == nullptr ? nullptr : Build(site, opcode, operand->shape(), {operand});
}

std::vector<Mutant> Movements() {
  return {
      {"combination/concatenate_of_broadcasts_is_one_broadcast",
       {kConcatenate},
       "a concatenation of broadcast scalars is a broadcast of the first one",
       [](Site& site) -> Instruction* {
         for (const Instruction* each : site.original().operands()) {
           if (!Is(*each, kBroadcast) || each->operand(0)->shape().rank() != 0) return nullptr;
         }
         return BuildDimensions(site, kBroadcast, ShapeOf(site), Inner(site, 0, 0), {});
       }},
      {"combination/slice_of_broadcast_begins_anywhere",
       {kSlice},
       "a slice of a broadcast is taken from its beginning",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kBroadcast)) return nullptr;
         return site.Edited([](Instruction& x) {
           Slices slices = x.slices();
           for (SliceRange& range : slices) range.limit -= range.start, range.start = 0;
           x.SetAttribute(Attr::kSlice, slices);
         });
       }},
      {"combination/slice_of_iota_is_iota",
       {kSlice},
       "a slice of an iota counts from zero",
       [](Site& site) -> Instruction* {
         const Instruction& numbers = In(site, 0);
         if (!Is(numbers, kIota)) return nullptr;
         return Build(site, kIota, ShapeOf(site), {}, [&](Instruction& x) {
           x.SetAttribute(Attr::kIotaDimension, numbers.GetInt(Attr::kIotaDimension));
         });
       }},
      {"combination/outer_value_fills_both_pads",
       {kPad},
       "the padding of a padding has the outer value everywhere",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kPad)) return nullptr;
         Instruction* const filled =
             Build(site, kPad, inner.shape(), {Inner(site, 0, 0), site.operand(1)},
                   [&](Instruction& x) { x.SetAttribute(Attr::kPadding, inner.padding()); });
         return On(site, {filled, site.operand(1)});
       }},
      {"combination/transpose_of_broadcast_is_composed_backwards",
       {kTranspose},
       "a transpose of a broadcast maps its dimensions by the permutation, not by its inverse",
       [](Site& site) -> Instruction* {
         const Instruction& spread = In(site, 0);
         if (!Is(spread, kBroadcast)) return nullptr;
         return BuildDimensions(site, kBroadcast, ShapeOf(site), Inner(site, 0, 0),
                                Composed(DimensionsOf(site.original()), DimensionsOf(spread)));
       }},
      {"combination/updates_of_the_same_places_are_the_last",
       {kScatter},
       "of two scatters to the same indices the first is left out, whatever combines them",
       [](Site& site) -> Instruction* {
         const Instruction &x = site.original(), &inner = In(site, 0);
         if (x.operand_count() != 3 || !Is(inner, kScatter) || inner.operand_count() != 3 ||
             inner.operand(1) != x.operand(1)) {
           return nullptr;
         }
         return On(site, {Inner(site, 0, 0), site.operand(1), site.operand(2)});
       }},
      {"combination/dot_of_reversed_factors_is_of_the_factors",
       {kDot},
       "reversed factors of a dot are taken as they are, whichever dimensions are reversed",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kReverse) || !Is(In(site, 1), kReverse)) return nullptr;
         return On(site, {Inner(site, 0, 0), Inner(site, 1, 0)});
       }},
  };
}

std::vector<Mutant> Folds() {
  return {
      {"combination/reduce_of_slice_is_of_the_whole",
       {kReduce},
       "a reduction of a slice reduces what the slice is taken from",
       [](Site& site) -> Instruction* {
         if (site.original().operand_count() != 2 || !Is(In(site, 0), kSlice)) return nullptr;
         return On(site, {Inner(site, 0, 0), site.operand(1)});
       }},
      {"combination/maximum_of_negated_is_the_negated_maximum",
       {kReduce},
       "the maximum of negated values is the negated maximum",
       [](Site& site) -> Instruction* {
         if (!Reduces(site, kMaximum, kNegate)) return nullptr;
         return Put(site, kNegate, On(site, {Inner(site, 0, 0), site.operand(1)}));
       }},
      {"combination/sum_of_sums_starts_twice",
       {kReduce},
       "the sum of a + b is the sum of a plus that of b, each with the start value",
       [](Site& site) -> Instruction* {
         if (!Reduces(site, kAdd, kAdd)) return nullptr;
         return Build(site, kAdd, ShapeOf(site),
                      {On(site, {Inner(site, 0, 0), site.operand(1)}),
                       On(site, {Inner(site, 0, 1), site.operand(1)})});
       }},
  };
}

std::vector<Mutant> Elementwise() {
  return {
      {"combination/comparison_of_negated_keeps_its_direction",
       {kCompare},
       "-x < y becomes x < -y",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kNegate) || IsComplex(In(site, 0).shape().element_type())) {
           return nullptr;
         }
         return On(site, {Inner(site, 0, 0), Put(site, kNegate, site.operand(1))});
       }},
      {"combination/middle_of_three_maxima_is_dropped",
       {kMaximum},
       "max(max(a, b), c) becomes max(a, c)",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kMaximum)) return nullptr;
         return On(site, {Inner(site, 0, 0), site.operand(1)});
       }},
      {"combination/powers_of_one_base_add_exponents",
       {kMultiply},
       "x^a x^b becomes x^(a + b)",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 0), &b = In(site, 1);
         if (!Is(a, kPower) || !Is(b, kPower) || a.operand(0) != b.operand(0)) return nullptr;
         return Build(site, kPower, ShapeOf(site),
                      {Inner(site, 0, 0),
                       Build(site, kAdd, ShapeOf(site), {Inner(site, 0, 1), Inner(site, 1, 1)})});
       }},
      {"combination/remainder_of_sum_drops_the_divisor",
       {kRemainder},
       "(x + y) rem y becomes x rem y",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kAdd) || In(site, 0).operand(1) != &In(site, 1)) return nullptr;
         return On(site, {Inner(site, 0, 0), site.operand(1)});
       }},
      {"combination/quotient_of_sum_is_distributed",
       {kDivide},
       "(a + b) / c of integers becomes a / c + b / c",
       [](Site& site) -> Instruction* {
         if (!IntegerArray(site.original()) || !Is(In(site, 0), kAdd)) return nullptr;
         return Build(site, kAdd, ShapeOf(site),
                      {On(site, {Inner(site, 0, 0), site.operand(1)}),
                       On(site, {Inner(site, 0, 1), site.operand(1)})});
       }},
      {"combination/shift_right_of_sum_is_distributed",
       {kShiftRightLogical, kShiftRightArithmetic},
       "(a + b) >> c becomes (a >> c) + (b >> c)",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kAdd)) return nullptr;
         return Build(site, kAdd, ShapeOf(site),
                      {On(site, {Inner(site, 0, 0), site.operand(1)}),
                       On(site, {Inner(site, 0, 1), site.operand(1)})});
       }},
      {"combination/negated_and_keeps_the_and",
       {kNot},
       "not (a and b) becomes not a and not b",
       [](Site& site) -> Instruction* {
         return Is(In(site, 0), kAnd) ? Distributed(site, kAnd) : nullptr;
       }},
      {"combination/negation_enters_one_arm",
       {kNegate},
       "-select(p, a, b) becomes select(p, -a, b)",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kSelect)) return nullptr;
         return Build(site, kSelect, ShapeOf(site),
                      {Inner(site, 0, 0), On(site, {Inner(site, 0, 1)}), Inner(site, 0, 2)});
       }},
      {"combination/clamp_of_negated_keeps_its_bounds",
       {kClamp},
       "clamp(low, -x, high) becomes -clamp(low, x, high)",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 1), kNegate)) return nullptr;
         return Put(site, kNegate, On(site, {site.operand(0), Inner(site, 1, 0), site.operand(2)}));
       }},
      {"combination/floor_of_sum_is_the_sum_of_floors",
       {kFloor},
       "floor(a + b) becomes floor(a) + floor(b)",
       [](Site& site) -> Instruction* {
         return Is(In(site, 0), kAdd) ? Distributed(site, kAdd) : nullptr;
       }},
      {"combination/ceil_of_negated_is_the_negated_ceil",
       {kCeil},
       "ceil(-x) becomes -ceil(x)",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kNegate)) return nullptr;
         return Put(site, kNegate, On(site, {Inner(site, 0, 0)}));
       }},
      {"combination/padded_summands_have_the_first_value",
       {kAdd},
       "the sum of two arrays that are padded alike is padded with the first value",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 0), &b = In(site, 1);
         if (!Is(a, kPad) || !Is(b, kPad) || !(a.padding() == b.padding()) ||
             !Shape::Compatible(a.operand(0)->shape(), b.operand(0)->shape())) {
           return nullptr;
         }
         Instruction* const sum =
             Build(site, kAdd, a.operand(0)->shape(), {Inner(site, 0, 0), Inner(site, 1, 0)});
         return Build(site, kPad, ShapeOf(site), {sum, Inner(site, 0, 1)},
                      [&](Instruction& x) { x.SetAttribute(Attr::kPadding, a.padding()); });
       }},
      {"combination/broadcasts_of_one_shape_have_one_mapping",
       {kAdd, kMultiply, kMaximum, kSubtract},
       "an operation on two broadcasts of one shape is done before the first one",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 0), &b = In(site, 1);
         if (!Is(a, kBroadcast) || !Is(b, kBroadcast) || a.operand(0)->shape().rank() == 0 ||
             !Shape::Compatible(a.operand(0)->shape(), b.operand(0)->shape())) {
           return nullptr;
         }
         Instruction* const before = Build(site, site.original().opcode(), a.operand(0)->shape(),
                                           {Inner(site, 0, 0), Inner(site, 1, 0)});
         return BuildDimensions(site, kBroadcast, ShapeOf(site), before, DimensionsOf(a));
       }},
      {"combination/selected_value_tells_the_predicate",
       {kCompare},
       "select(p, a, b) == a becomes p, also where a and b are equal",
       [](Site& site) -> Instruction* {
         const Instruction& chosen = In(site, 0);
         if (!Is(chosen, kSelect) || chosen.operand(1) != &In(site, 1) ||
             DirectionOf(site.original()) != ComparisonDirection::kEq ||
             chosen.operand(0)->shape().rank() != ShapeOf(site).rank()) {
           return nullptr;
         }
         return Inner(site, 0, 0);
       }},
      {"combination/precision_of_a_narrow_type_is_enough",
       {kReducePrecision},
       "reduce-precision behind a conversion from a type of fewer digits is left out",
       [](Site& site) -> Instruction* {
         const Instruction& wide = In(site, 0);
         if (!Is(wide, kConvert) || !FloatArray(*wide.operand(0))) return nullptr;
         const int64_t digits =
             Info(wide.operand(0)->shape().element_type()).format->significand_bits;
         return digits <= site.original().GetInt(Attr::kMantissaBits) ? site.operand(0) : nullptr;
       }},
  };
}

}  // namespace

std::vector<Mutant> SimplifierCombinations() {
  return conformance::Joined({Movements, Folds, Elementwise});
}

}  // namespace assay::fuzz
