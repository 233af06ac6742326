// Wrong rewrites: work that is done in the narrow type it came from, constants that are joined,
// instructions that are taken for earlier ones, contractions and folds in another order.
#include <cmath>
#include <utility>

#include "conformance/mutants/mutant.h"
#include "conformance/mutants/rewrites.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kF32;

bool IsWidening(const Instruction& x) {
  if (!Is(x, kConvert) || !IsArray(x) || !IsArray(*x.operand(0))) return false;
  const ElementType from = x.operand(0)->shape().element_type(), to = x.shape().element_type();
  const bool alike = (IsFloat(from) && IsFloat(to)) || (IsInteger(from) && IsInteger(to));
  return alike && Info(from).bits < Info(to).bits;
}

Shape WithType(const Shape& shape, ElementType type) {
  const auto sizes = shape.dimensions();
  return Shape(type, std::vector<int64_t>(sizes.begin(), sizes.end()));
}

// An earlier instruction of the same opcode, operands and shape, and other attributes.
Instruction* EarlierOne(Site& site) {
  const Instruction& x = site.original();
  for (const auto& each : x.parent()->instructions()) {
    if (each.get() == &x) return nullptr;
    if (each->opcode() != x.opcode() || each->operand_count() != x.operand_count() ||
        !Shape::Compatible(each->shape(), x.shape()) || each->operands() != x.operands()) {
      continue;
    }
    return site.copy_of(*each);
  }
  return nullptr;
}

// f(a, c) < f(b, c) becomes a < b.
Instruction* CompareWithout(Site& site, Opcode f) {
  const Instruction &a = In(site, 0), &b = In(site, 1);
  if (!Is(a, f) || !Is(b, f) || a.operand(1) != b.operand(1) || !IntegerArray(a)) return nullptr;
  return BuildCompare(site, site.original(), DirectionOf(site.original()), Inner(site, 0, 0),
                      Inner(site, 1, 0));
}

std::vector<Mutant> NarrowRewrites() {
  return {
      {"programs/dot_is_done_in_the_narrow_type",
       {kDot},
       "dot(convert(a), convert(b)) becomes convert(dot(a, b))",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 0), &b = In(site, 1);
         if (!IsWidening(a) || !IsWidening(b)) return nullptr;
         const ElementType type = a.operand(0)->shape().element_type();
         if (b.operand(0)->shape().element_type() != type) return nullptr;
         Instruction* dot = Build(
             site, kDot, WithType(ShapeOf(site), type), {Inner(site, 0, 0), Inner(site, 1, 0)},
             [&](Instruction& x) {
               for (const Attr attr : {Attr::kLhsBatchDims, Attr::kRhsBatchDims,
                                       Attr::kLhsContractingDims, Attr::kRhsContractingDims}) {
                 const auto dims = site.original().GetInts(attr);
                 x.SetAttribute(attr, std::vector<int64_t>(dims.begin(), dims.end()));
               }
             });
         return Build(site, kConvert, ShapeOf(site), {dot});
       }},
      {"programs/conversion_there_and_back_is_floor",
       {kConvert},
       "f32 to s32 to f32 becomes floor(x), also for negative x",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kConvert) || !IntegerArray(inner) || !FloatArray(*inner.operand(0)) ||
             !Shape::Compatible(inner.operand(0)->shape(), ShapeOf(site))) {
           return nullptr;
         }
         return Build(site, kFloor, ShapeOf(site), {Inner(site, 0, 0)});
       }},
      {"programs/doubling_adds_to_the_exponent",
       {kMultiply},
       "x * 2 adds 1 to the exponent, also of zeros and denormals",
       [](Site& site) -> Instruction* {
         if (!Uniform(In(site, 1), 2) || ShapeOf(site).element_type() != kF32) return nullptr;
         return site.Call(
             {site.operand(0)}, ShapeOf(site),
             [](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
               Literal changed = values[0];
               for (int64_t i = 0; i < changed.element_count(); ++i) {
                 const uint64_t bits = changed.Get(i).bits;
                 const bool finite = !IsNan(kF32, bits) && !IsInfinity(kF32, bits);
                 changed.Set(i, {finite ? bits + (1u << 23) : bits, 0});
               }
               return changed;
             });
       }},
      {"programs/shift_back_and_there_is_nothing",
       {kShiftLeft},
       "(x >> n) << n becomes x, also where bits are lost",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         const bool shifts = Is(inner, kShiftRightLogical) || Is(inner, kShiftRightArithmetic);
         const std::optional<double> n = UniformValue(In(site, 1));
         if (!shifts || !n || UniformValue(*inner.operand(1)) != n) return nullptr;
         return Inner(site, 0, 0);
       }},
  };
}

std::vector<Mutant> ConstantRewrites() {
  return {
      {"programs/division_by_a_constant_is_a_product",
       {kDivide},
       "x / 3 becomes x * (1 / 3)",
       [](Site& site) -> Instruction* {
         const std::optional<double> c = UniformValue(In(site, 1));
         if (!c || !FloatArray(site.original()) || *c == 0 || !std::isfinite(*c)) return nullptr;
         return Build(site, kMultiply, ShapeOf(site),
                      {site.operand(0), BuildUniform(site, ShapeOf(site), 1 / *c)});
       }},
      {"programs/divisors_are_multiplied_in_their_type",
       {kDivide},
       "(x / a) / b of integers becomes x / (a * b), also where the product wraps",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kDivide) || !IntegerArray(inner)) return nullptr;
         Instruction* product =
             Build(site, kMultiply, ShapeOf(site), {Inner(site, 0, 1), site.operand(1)});
         return Build(site, kDivide, ShapeOf(site), {Inner(site, 0, 0), product});
       }},
      {"programs/common_term_leaves_the_comparison",
       {kCompare},
       "a + c < b + c becomes a < b, also where a sum wraps",
       [](Site& site) -> Instruction* { return CompareWithout(site, kAdd); }},
      {"programs/common_factor_leaves_the_comparison",
       {kCompare},
       "a * c < b * c becomes a < b, also for negative c",
       [](Site& site) -> Instruction* { return CompareWithout(site, kMultiply); }},
      {"programs/successor_is_greater",
       {kCompare},
       "x + 1 > x becomes true, also for the largest integer",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& sum = In(site, 0);
         if (!Is(sum, kAdd) || !IntegerArray(sum) || !Uniform(*sum.operand(1), 1) ||
             sum.operand(0) != x.operand(1) || DirectionOf(x) != ComparisonDirection::kGt) {
           return nullptr;
         }
         return BuildUniform(site, x.shape(), 1);
       }},
      {"programs/common_term_leaves_the_maximum",
       {kMaximum},
       "maximum(a + c, b + c) becomes maximum(a, b) + c, also where a sum wraps",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 0), &b = In(site, 1);
         if (!Is(a, kAdd) || !Is(b, kAdd) || a.operand(1) != b.operand(1) || !IntegerArray(a)) {
           return nullptr;
         }
         return Build(site, kAdd, ShapeOf(site),
                      {Build(site, kMaximum, ShapeOf(site), {Inner(site, 0, 0), Inner(site, 1, 0)}),
                       Inner(site, 0, 1)});
       }},
      {"programs/clamp_between_equals_is_the_bound",
       {kClamp},
       "clamp(a, x, a) becomes a, also where x is NaN",
       [](Site& site) -> Instruction* {
         const std::optional<double> low = UniformValue(In(site, 0));
         if (!low || UniformValue(In(site, 2)) != low) return nullptr;
         return BuildUniform(site, ShapeOf(site), *low);
       }},
      {"programs/subtracted_and_added_cancels",
       {kAdd},
       "(a - b) + b becomes a, also where digits are lost",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!Is(In(site, 0), kSubtract) || In(site, 0).operand(1) != x.operand(1) ||
             !FloatArray(x)) {
           return nullptr;
         }
         return Inner(site, 0, 0);
       }},
      {"programs/power_of_a_constant_is_an_exponential",
       {kPower},
       "power(c, y) becomes exp(y * log(c)) with a rounded logarithm",
       [](Site& site) -> Instruction* {
         const std::optional<double> c = UniformValue(In(site, 0));
         if (!c || !(*c > 0) || !FloatArray(site.original())) return nullptr;
         return Build(site, kExp, ShapeOf(site),
                      {Build(site, kMultiply, ShapeOf(site),
                             {site.operand(1), BuildUniform(site, ShapeOf(site), std::log(*c))})});
       }},
      {"programs/inner_select_is_skipped",
       {kSelect},
       "select(p, x, select(q, y, z)) becomes select(p, x, y)",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 2), kSelect)) return nullptr;
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({site.operand(0), site.operand(1), Inner(site, 2, 1)});
         });
       }},
  };
}

std::vector<Mutant> SharedRewrites() {
  return {
      {"programs/comparisons_are_shared",
       {kCompare},
       "a comparison that differs in its direction alone is taken for an earlier one",
       EarlierOne},
      {"programs/iotas_are_shared",
       {kIota},
       "an iota along another dimension is taken for an earlier one",
       EarlierOne},
      {"programs/slices_are_shared",
       {kSlice},
       "a slice of the same size that starts elsewhere is taken for an earlier one",
       EarlierOne},
      {"programs/transposes_are_shared",
       {kTranspose},
       "a transpose with another permutation is taken for an earlier one",
       EarlierOne},
      {"programs/sorts_are_shared",
       {kSort},
       "a sort with another comparison is taken for an earlier one",
       EarlierOne},
      {"programs/folds_are_shared",
       {kReduce},
       "a reduction by another function or over other dimensions is taken for an earlier one",
       EarlierOne},
  };
}

// A product of three matrices, each contracted with the next.
bool IsChain(const Instruction& x) {
  const auto plain = [](const Instruction& dot) {
    return Is(dot, kDot) && dot.shape().rank() == 2 && dot.GetInts(Attr::kLhsBatchDims).empty() &&
           dot.operand_count() == 2 && dot.operand(0)->shape().rank() == 2 &&
           dot.operand(1)->shape().rank() == 2 && dot.GetInts(Attr::kLhsContractingDims)[0] == 1 &&
           dot.GetInts(Attr::kRhsContractingDims)[0] == 0;
  };
  return plain(x) && plain(*x.operand(0)) && FloatArray(x);
}

std::vector<Mutant> FoldOrders() {
  return {
      {"programs/products_of_matrices_are_regrouped",
       {kDot},
       "dot(dot(a, b), c) becomes dot(a, dot(b, c))",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (!IsChain(x)) return nullptr;
         const auto copy_dims = [&](Instruction& dot) {
           dot.SetAttribute(Attr::kLhsContractingDims, std::vector<int64_t>{1});
           dot.SetAttribute(Attr::kRhsContractingDims, std::vector<int64_t>{0});
         };
         const Shape inner(x.shape().element_type(),
                           {In(site, 0).operand(1)->shape().dimension(0), x.shape().dimension(1)});
         return Build(site, kDot, x.shape(),
                      {Inner(site, 0, 0),
                       Build(site, kDot, inner, {Inner(site, 0, 1), site.operand(1)}, copy_dims)},
                      copy_dims);
       }},
      {"programs/reduce_of_pad_forgets_the_padding",
       {kReduce},
       "a sum of a padded array is the sum of the array, whatever the padding",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() != 2 || !Is(In(site, 0), kPad) || ReducerOf(*x.to_apply()) != kAdd) {
           return nullptr;
         }
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), site.operand(1)});
         });
       }},
      {"programs/concatenated_with_itself_is_repeated",
       {kConcatenate},
       "concatenate(x, x) becomes every element twice",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() != 2 || x.operand(0) != x.operand(1) || x.shape().rank() != 1 ||
             x.shape().is_dynamic()) {
           return nullptr;
         }
         const int64_t size = x.operand(0)->shape().dimension(0);
         Instruction* pairs = Build(
             site, kBroadcast, Shape(x.shape().element_type(), {size, 2}), {site.operand(0)},
             [](Instruction& b) { b.SetAttribute(Attr::kDimensions, std::vector<int64_t>{0}); });
         return Build(site, kReshape, x.shape(), {pairs});
       }},
      {"programs/gather_of_scatter_is_the_updates",
       {kGather},
       "what was scattered and is gathered by the same indices is the updates, also where they "
       "meet",
       [](Site& site) -> Instruction* {
         const Instruction& scatter = In(site, 0);
         if (!Is(scatter, kScatter) || scatter.operand_count() != 3 ||
             scatter.operand(1) != site.original().operand(1) ||
             !Shape::Compatible(scatter.operand(2)->shape(), ShapeOf(site))) {
           return nullptr;
         }
         return Inner(site, 0, 2);
       }},
      {"programs/constant_branch_is_clamped_to_the_first",
       {kConditional},
       "a constant number beyond the branches takes the first",
       [](Site& site) -> Instruction* {
         const Instruction& number = In(site, 0);
         if (!Is(number, kConstant) || !IntegerArray(number)) return nullptr;
         const int64_t branches = site.original().operand_count() - 1;
         const double value = UniformValue(number).value_or(0);
         if (value >= 0 && value < static_cast<double>(branches)) return nullptr;
         std::vector<Instruction*> operands = site.operands();
         operands[0] = BuildUniform(site, number.shape(), 0);
         return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
       }},
      {"programs/second_permute_is_dropped",
       {kCollectivePermute},
       "of two permutations of devices one after the other the first alone is done",
       [](Site& site) -> Instruction* {
         return Is(In(site, 0), kCollectivePermute) ? site.operand(0) : nullptr;
       }},
  };
}

}  // namespace

std::vector<Mutant> CompilerRewrites() {
  return InStandardTier(Joined({NarrowRewrites, ConstantRewrites, SharedRewrites, FoldOrders}),
                        {"programs/doubling_adds_to_the_exponent"});
}

}  // namespace assay::conformance
