// Combination mutants that are wrong rewrites of programs: common subexpressions that are not the
// same, and operations that are moved through others by a rule that does not hold.
#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "fuzz/score/combinations.h"
#include "fuzz/score/rewrite_parts.h"

namespace assay::fuzz {
namespace {

using conformance::Build;
using conformance::BuildUniform;
using conformance::Defect;
using conformance::DimensionsOf;
using conformance::DirectionOf;
using conformance::FloatArray;
using conformance::In;
using conformance::Inner;
using conformance::IntegerArray;
using conformance::Is;
using conformance::Mutant;
using conformance::ShapeOf;
using conformance::SignedArray;
using conformance::Site;
using conformance::Uniform;
using conformance::UniformValue;
using enum Opcode;

bool SameAttributes(const Instruction& a, const Instruction& b) {
  const auto entries = a.attributes().entries();
  return entries.size() == b.attributes().entries().size() &&
         absl::c_all_of(entries, [&](const auto& entry) {
           const AttributeValue* other = b.attributes().Find(entry.first);
           return other != nullptr && *other == entry.second;
         });
}

// Returns the copy of the first earlier instruction of the computation that `is_taken` accepts.
template <typename Predicate>
Instruction* Earlier(Site& site, Predicate is_taken) {
  const Instruction& x = site.original();
  for (const auto& each : x.parent()->instructions()) {
    if (each.get() == &x) return nullptr;
    if (each->opcode() == x.opcode() && Shape::Compatible(each->shape(), x.shape()) &&
        is_taken(*each)) {
      return site.copy_of(*each);
    }
  }
  return nullptr;
}

// An earlier instruction of the same operands with other attributes is taken for this one.
Instruction* SharedDespiteAttributes(Site& site) {
  const Instruction& x = site.original();
  return Earlier(site, [&](const Instruction& each) {
    return std::equal(each.operands().begin(), each.operands().end(), x.operands().begin(),
                      x.operands().end()) &&
           !SameAttributes(each, x);
  });
}

// An earlier instruction of the same operands in the other order is taken for this one.
Instruction* SharedDespiteOrder(Site& site) {
  const Instruction& x = site.original();
  if (x.operand_count() != 2 || x.operand(0) == x.operand(1)) return nullptr;
  return Earlier(site, [&](const Instruction& each) {
    return each.operand_count() == 2 && each.operand(0) == x.operand(1) &&
           each.operand(1) == x.operand(0) && SameAttributes(each, x);
  });
}

int BitsOf(const Instruction& x) { return Info(x.shape().element_type()).bits; }

std::vector<Mutant> Sharing() {
  std::vector<Mutant> mutants;
  for (const Opcode opcode :
       {kSlice, kTranspose, kReverse, kCompare, kReduce, kIota, kPad, kSort, kBroadcast, kFft, kDot,
        kReducePrecision, kReduceWindow, kGather, kMap, kConvolution}) {
    mutants.push_back({absl::StrCat("combination/", Name(opcode), "_shared_despite_attributes"),
                       {opcode},
                       "an earlier instruction that differs by its attributes alone is taken",
                       SharedDespiteAttributes});
  }
  for (const Opcode opcode : {kSubtract, kDivide, kPower, kConcatenate, kAtan2, kRemainder,
                              kShiftLeft, kDot, kComplex, kCompare}) {
    mutants.push_back({absl::StrCat("combination/", Name(opcode), "_shared_despite_order"),
                       {opcode},
                       "an earlier instruction of the same operands, exchanged, is taken",
                       SharedDespiteOrder});
  }
  return mutants;
}

std::vector<Mutant> MovedThroughMovements() {
  return {
      {"combination/reverse_of_concatenate_keeps_the_order",
       {kReverse},
       "reverse is applied to the operands of a concatenation, which stay in their order",
       [](Site& site) -> Instruction* {
         const Instruction& joined = In(site, 0);
         if (!Is(joined, kConcatenate)) return nullptr;
         const int64_t dimension = joined.GetInt(Attr::kDimension);
         const std::vector<int64_t> dims = DimensionsOf(site.original());
         if (!absl::c_linear_search(dims, dimension)) return nullptr;
         std::vector<Instruction*> parts;
         for (int64_t k = 0; k < joined.operand_count(); ++k) {
           parts.push_back(BuildDimensions(site, kReverse, joined.operand(k)->shape(),
                                           Inner(site, 0, k), dims));
         }
         return Build(site, kConcatenate, ShapeOf(site), parts,
                      [&](Instruction& x) { x.SetAttribute(Attr::kDimension, dimension); });
       }},
      {"combination/slice_of_reverse_keeps_its_bounds",
       {kSlice},
       "a slice of a reverse is the reverse of the same slice",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kReverse)) return nullptr;
         return BuildDimensions(site, kReverse, ShapeOf(site), On(site, {Inner(site, 0, 0)}),
                                DimensionsOf(In(site, 0)));
       }},
      {"combination/slice_of_transpose_keeps_its_bounds",
       {kSlice},
       "a slice of a transpose is the same slice of its operand",
       [](Site& site) -> Instruction* {
         const Instruction& moved = In(site, 0);
         if (!Is(moved, kTranspose) ||
             !Shape::Compatible(moved.operand(0)->shape(), moved.shape())) {
           return nullptr;
         }
         return On(site, {Inner(site, 0, 0)});
       }},
      {"combination/pad_of_uniform_is_uniform",
       {kPad},
       "padding an array of one value with another gives the first everywhere",
       [](Site& site) -> Instruction* {
         const std::optional<double> value = UniformValue(In(site, 0));
         if (!value || Uniform(In(site, 1), *value)) return nullptr;
         return BuildUniform(site, ShapeOf(site), *value);
       }},
      {"combination/transpose_of_reshape_is_reshape",
       {kTranspose},
       "a transpose of a reshape is taken for another reshape",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kReshape)) return nullptr;
         return Build(site, kReshape, ShapeOf(site), {Inner(site, 0, 0)});
       }},
      {"combination/scatter_into_uniform_starts_from_zero",
       {kScatter},
       "what a scatter is applied to is taken for zero where it is one value",
       [](Site& site) -> Instruction* {
         if (site.original().operand_count() != 3) return nullptr;
         const std::optional<double> value = UniformValue(In(site, 0));
         if (!value || *value == 0) return nullptr;
         Instruction* const zeros = BuildUniform(site, In(site, 0).shape(), 0);
         return On(site, {zeros, site.operand(1), site.operand(2)});
       }},
      {"combination/sort_of_reverse_is_sort",
       {kSort},
       "a stable sort of several reversed arrays is that of the arrays",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() < 2) return nullptr;
         std::vector<Instruction*> operands;
         for (int64_t k = 0; k < x.operand_count(); ++k) {
           if (!Is(In(site, k), kReverse)) return nullptr;
           operands.push_back(Inner(site, k, 0));
         }
         return On(site, operands);
       }},
      {"combination/slice_of_iota_is_not_clamped",
       {kDynamicSlice},
       "a dynamic slice of an iota is an iota from the start, which is not clamped",
       [](Site& site) -> Instruction* {
         const Instruction& numbers = In(site, 0);
         if (!Is(numbers, kIota) || numbers.shape().rank() != 1) return nullptr;
         const Shape scalar(ShapeOf(site).element_type(), {});
         Instruction* const from = In(site, 1).shape().element_type() == scalar.element_type()
                                       ? site.operand(1)
                                       : Build(site, kConvert, scalar, {site.operand(1)});
         Instruction* const count = Build(site, kIota, ShapeOf(site), {}, [](Instruction& x) {
           x.SetAttribute(Attr::kIotaDimension, int64_t{0});
         });
         return Build(site, kAdd, ShapeOf(site),
                      {count, BuildDimensions(site, kBroadcast, ShapeOf(site), from, {})});
       }},
      {"combination/calls_of_one_computation_are_shared",
       {kCall},
       "calls that agree in their first argument are taken for one",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() < 2) return nullptr;
         return Earlier(site, [&](const Instruction& each) {
           return each.to_apply() == x.to_apply() && each.operand(0) == x.operand(0) &&
                  !absl::c_equal(each.operands(), x.operands());
         });
       }},
  };
}

std::vector<Mutant> MovedThroughFolds() {
  return {
      {"combination/reduce_of_concatenate_starts_twice",
       {kReduce},
       "the sum of a concatenation is that of the sums, each with the start value",
       [](Site& site) -> Instruction* {
         const Instruction& joined = In(site, 0);
         if (!Reduces(site, kAdd, kConcatenate) || joined.operand_count() != 2 ||
             !absl::c_linear_search(DimensionsOf(site.original()),
                                    joined.GetInt(Attr::kDimension))) {
           return nullptr;
         }
         return Build(site, kAdd, ShapeOf(site),
                      {On(site, {Inner(site, 0, 0), site.operand(1)}),
                       On(site, {Inner(site, 0, 1), site.operand(1)})});
       }},
      {"combination/reduce_of_pad_is_of_the_operand",
       {kReduce},
       "padding does not count in a reduction",
       [](Site& site) -> Instruction* {
         const Instruction& padded = In(site, 0);
         if (site.original().operand_count() != 2 || !Is(padded, kPad)) return nullptr;
         return On(site, {Inner(site, 0, 0), site.operand(1)});
       }},
      {"combination/sum_of_negated_is_negated_with_its_start",
       {kReduce},
       "the sum of negated values is the negated sum, the start value with it",
       [](Site& site) -> Instruction* {
         if (!Reduces(site, kAdd, kNegate)) return nullptr;
         return Build(site, kNegate, ShapeOf(site),
                      {On(site, {Inner(site, 0, 0), site.operand(1)})});
       }},
      {"combination/sum_of_broadcast_factor_keeps_the_start",
       {kReduce},
       "a scalar factor is taken out of a sum, and scales the start value",
       [](Site& site) -> Instruction* {
         const Instruction& product = In(site, 0);
         if (!Reduces(site, kAdd, kMultiply) || !Is(*product.operand(1), kBroadcast)) {
           return nullptr;
         }
         const Instruction& factor = *product.operand(1)->operand(0);
         if (factor.shape().rank() != 0) return nullptr;
         Instruction* const sum = On(site, {Inner(site, 0, 0), site.operand(1)});
         Instruction* const scale =
             ShapeOf(site).rank() == 0
                 ? site.copy_of(factor)
                 : BuildDimensions(site, kBroadcast, ShapeOf(site), site.copy_of(factor), {});
         return Build(site, kMultiply, ShapeOf(site), {sum, scale});
       }},
  };
}

std::vector<Mutant> MovedThroughArithmetic() {
  std::vector<Mutant> mutants = {
      {"combination/abs_of_product_of_integers",
       {kAbs},
       "|a b| becomes |a| |b|, also where the product wraps",
       [](Site& site) -> Instruction* {
         if (!SignedArray(site.original()) || !Is(In(site, 0), kMultiply)) return nullptr;
         return Distributed(site, kMultiply);
       }},
      {"combination/maximum_with_successor",
       {kMaximum},
       "max(x + c, x) becomes x + c for c > 0, also where the sum wraps",
       [](Site& site) -> Instruction* {
         if (!SignedArray(site.original())) return nullptr;
         for (const int64_t k : {0, 1}) {
           const Instruction& sum = In(site, k);
           if (!Is(sum, kAdd) || sum.operand(0) != &In(site, 1 - k)) continue;
           const std::optional<double> added = UniformValue(*sum.operand(1));
           if (added && *added > 0) return site.operand(k);
         }
         return nullptr;
       }},
      {"combination/common_summand_is_cancelled",
       {kCompare},
       "a + c < b + c becomes a < b, also where the sums wrap",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 0), &b = In(site, 1);
         if (!Is(a, kAdd) || !Is(b, kAdd) || a.operand(1) != b.operand(1) || !IntegerArray(a)) {
           return nullptr;
         }
         return On(site, {Inner(site, 0, 0), Inner(site, 1, 0)});
       }},
      {"combination/difference_is_zero_is_equality",
       {kCompare},
       "a - b == 0 becomes a == b, also for infinities",
       [](Site& site) -> Instruction* {
         const Instruction& difference = In(site, 0);
         if (!Is(difference, kSubtract) || !FloatArray(difference) || !Uniform(In(site, 1), 0)) {
           return nullptr;
         }
         return On(site, {Inner(site, 0, 0), Inner(site, 0, 1)});
       }},
      {"combination/select_of_select_takes_the_other_arm",
       {kSelect},
       "select(p, select(p, a, b), c) becomes select(p, b, c)",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 1);
         if (!Is(inner, kSelect) || inner.operand(0) != &In(site, 0)) return nullptr;
         return On(site, {site.operand(0), Inner(site, 1, 2), site.operand(2)});
       }},
      {"combination/select_of_select_joins_predicates",
       {kSelect},
       "select(p, select(q, a, b), c) becomes select(p and q, a, c)",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 1);
         if (!Is(inner, kSelect) || inner.operand(2) == &In(site, 2) ||
             !Shape::Compatible(inner.operand(0)->shape(), In(site, 0).shape())) {
           return nullptr;
         }
         Instruction* const both =
             Build(site, kAnd, In(site, 0).shape(), {site.operand(0), Inner(site, 1, 0)});
         return On(site, {both, Inner(site, 1, 1), site.operand(2)});
       }},
      {"combination/conversion_is_moved_into_maximum",
       {kConvert},
       "a maximum or minimum of integers is narrowed before, also where they do not fit",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if ((!Is(inner, kMaximum) && !Is(inner, kMinimum)) || !IntegerArray(inner) ||
             !IntegerArray(site.original()) || BitsOf(site.original()) >= BitsOf(inner)) {
           return nullptr;
         }
         return Distributed(site, inner.opcode());
       }},
      {"combination/widening_is_moved_into_arithmetic",
       {kConvert},
       "a sum, difference or product of integers is widened before, and wraps no more",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if ((!Is(inner, kAdd) && !Is(inner, kMultiply) && !Is(inner, kSubtract)) ||
             !IntegerArray(inner) || !IntegerArray(site.original()) ||
             BitsOf(site.original()) <= BitsOf(inner)) {
           return nullptr;
         }
         return Distributed(site, inner.opcode());
       }},
      {"combination/log_of_product_is_sum",
       {kLog},
       "log(a b) becomes log(a) + log(b), also of negative factors",
       [](Site& site) -> Instruction* {
         if (!FloatArray(site.original()) || !Is(In(site, 0), kMultiply)) return nullptr;
         return Distributed(site, kAdd);
       }},
      {"combination/finite_result_has_finite_operands",
       {kIsFinite},
       "a product or sum is taken for finite where its operands are, also where it overflows",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if ((!Is(inner, kMultiply) && !Is(inner, kAdd)) || !FloatArray(inner)) return nullptr;
         return Distributed(site, kAnd);
       }},
      {"combination/part_of_product_is_product_of_parts",
       {kReal, kImag},
       "real(a b) becomes real(a) real(b)",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kMultiply) || !IsComplex(In(site, 0).shape().element_type())) {
           return nullptr;
         }
         return Distributed(site, kMultiply);
       }},
      {"combination/quotient_of_exponentials_is_of_the_difference",
       {kDivide},
       "exp(a) / exp(b) becomes exp(a - b), also where both overflow",
       [](Site& site) -> Instruction* {
         if (!FloatArray(site.original()) || !Is(In(site, 0), kExp) || !Is(In(site, 1), kExp)) {
           return nullptr;
         }
         return Build(
             site, kExp, ShapeOf(site),
             {Build(site, kSubtract, ShapeOf(site), {Inner(site, 0, 0), Inner(site, 1, 0)})});
       }},
      {"combination/remainder_of_negated_is_not_negative",
       {kRemainder},
       "-x rem y becomes x rem y",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kNegate)) return nullptr;
         return On(site, {Inner(site, 0, 0), site.operand(1)});
       }},
      {"combination/imaginary_part_is_the_real_one",
       {kImag},
       "imag(complex(a, b)) becomes a",
       [](Site& site) -> Instruction* {
         return Is(In(site, 0), kComplex) ? Inner(site, 0, 0) : nullptr;
       }},
      {"combination/predicate_becomes_minus_one",
       {kConvert},
       "a comparison that is converted to integers is all ones where it holds",
       [](Site& site) -> Instruction* {
         if (!SignedArray(site.original()) || !Is(In(site, 0), kCompare)) return nullptr;
         return Build(site, kNegate, ShapeOf(site), {site.Unchanged()});
       }},
      {"combination/conversion_rounds_for_itself",
       {kConvert},
       "floor, ceil and rounding in front of a conversion to integers are left out",
       [](Site& site) -> Instruction* {
         const Instruction& rounded = In(site, 0);
         if (!IntegerArray(site.original()) ||
             (!Is(rounded, kFloor) && !Is(rounded, kCeil) && !Is(rounded, kRoundNearestEven) &&
              !Is(rounded, kRoundNearestAfz))) {
           return nullptr;
         }
         return On(site, {Inner(site, 0, 0)});
       }},
      {"combination/distance_of_integers_does_not_wrap",
       {kAbs},
       "|a - b| becomes max(a, b) - min(a, b), also where the difference wraps",
       [](Site& site) -> Instruction* {
         if (!SignedArray(site.original()) || !Is(In(site, 0), kSubtract)) return nullptr;
         const Shape& shape = ShapeOf(site);
         Instruction *const a = Inner(site, 0, 0), *const b = Inner(site, 0, 1);
         return Build(site, kSubtract, shape,
                      {Build(site, kMaximum, shape, {a, b}), Build(site, kMinimum, shape, {a, b})});
       }},
      {"combination/second_of_two_comparisons_is_dropped",
       {kAnd},
       "of two comparisons that share an operand the first is kept",
       [](Site& site) -> Instruction* {
         const Instruction &p = In(site, 0), &q = In(site, 1);
         if (!Is(p, kCompare) || !Is(q, kCompare) || &p == &q) return nullptr;
         const bool shared = absl::c_any_of(p.operands(), [&](const Instruction* each) {
           return absl::c_linear_search(q.operands(), each);
         });
         return shared ? site.operand(0) : nullptr;
       }},
      {"combination/later_update_hides_an_earlier_one",
       {kDynamicUpdateSlice},
       "of two updates the first is left out",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kDynamicUpdateSlice)) return nullptr;
         std::vector<Instruction*> operands = site.operands();
         operands[0] = Inner(site, 0, 0);
         return On(site, operands);
       }},
  };
  for (const auto& [opcode, other] : {std::pair(kMaximum, kMinimum), {kMinimum, kMaximum}}) {
    mutants.push_back({absl::StrCat("combination/", Name(opcode), "_of_negated_integers"),
                       {opcode},
                       "the negations of both operands are taken out, also of the least integer",
                       [other = other](Site& site) -> Instruction* {
                         if (!SignedArray(site.original()) || !Is(In(site, 0), kNegate) ||
                             !Is(In(site, 1), kNegate)) {
                           return nullptr;
                         }
                         return Build(site, kNegate, ShapeOf(site),
                                      {Build(site, other, ShapeOf(site),
                                             {Inner(site, 0, 0), Inner(site, 1, 0)})});
                       }});
  }
  return mutants;
}

}  // namespace

std::vector<Mutant> RewriteCombinations() {
  return conformance::Joined(
      {Sharing, MovedThroughMovements, MovedThroughFolds, MovedThroughArithmetic});
}

}  // namespace assay::fuzz
