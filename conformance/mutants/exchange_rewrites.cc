// Wrong rewrites that exchange two operations of which one must change with the other: starts,
// orders, start values, rounding.
#include "absl/algorithm/container.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/rewrites.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// The second array in the opposite order of its groups, which are those of equal sorted keys.
absl::StatusOr<Literal> InGroups(const Instruction&, absl::Span<const Literal> values,
                                 const CustomCall&) {
  const Literal& keys = values[0];
  Literal exchanged = values[1];
  const int64_t count = keys.element_count();
  for (int64_t end = count; end > 0;) {
    int64_t begin = end - 1;
    while (begin > 0 && keys.Get(begin - 1).bits == keys.Get(begin).bits) --begin;
    for (int64_t i = begin; i < end; ++i) exchanged.Set(count - end + i - begin, values[1].Get(i));
    end = begin;
  }
  return exchanged;
}

std::vector<Mutant> NumberRewrites() {
  return {
      {"programs/conversion_drops_floor",
       {kConvert},
       "convert(floor(x)) to integers becomes convert(x), also for negative x",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kFloor) || !IntegerArray(site.original())) return nullptr;
         return Build(site, kConvert, ShapeOf(site), {Inner(site, 0, 0)});
       }},
      {"programs/fraction_is_a_remainder",
       {kSubtract},
       "x - floor(x) becomes x rem 1, also for negative x",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 1), kFloor) || In(site, 1).operand(0) != &In(site, 0)) return nullptr;
         return Build(site, kRemainder, ShapeOf(site),
                      {site.operand(0), BuildUniform(site, ShapeOf(site), 1)});
       }},
      {"programs/shifts_are_added_in_their_width",
       {kShiftLeft},
       "(x << a) << b becomes x << ((a + b) mod width)",
       [](Site& site) -> Instruction* {
         const std::optional<double> outer = UniformValue(In(site, 1));
         if (!Is(In(site, 0), kShiftLeft) || !outer) return nullptr;
         const std::optional<double> inner = UniformValue(*In(site, 0).operand(1));
         const int64_t width = Info(ShapeOf(site).element_type()).bits;
         if (!inner || *inner >= width || *outer >= width) return nullptr;
         const auto sum = static_cast<int64_t>(*inner + *outer) % width;
         return Build(
             site, kShiftLeft, ShapeOf(site),
             {Inner(site, 0, 0), BuildUniform(site, ShapeOf(site), static_cast<double>(sum))});
       }},
      {"programs/times_inverse_root_is_root",
       {kMultiply},
       "x * rsqrt(x) becomes sqrt(x), also for zeros and infinities",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 1), kRsqrt) || In(site, 1).operand(0) != &In(site, 0)) return nullptr;
         return Build(site, kSqrt, ShapeOf(site), {site.operand(0)});
       }},
      {"programs/log_of_product_is_a_sum",
       {kLog},
       "log(a * b) becomes log(a) + log(b), also for negative numbers",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kMultiply) || !FloatArray(site.original())) return nullptr;
         return Build(site, kAdd, ShapeOf(site),
                      {Build(site, kLog, ShapeOf(site), {Inner(site, 0, 0)}),
                       Build(site, kLog, ShapeOf(site), {Inner(site, 0, 1)})});
       }},
      {"programs/maximum_of_minimum_is_clamp",
       {kMaximum},
       "maximum(minimum(x, high), low) becomes clamp(low, x, high), also for low > high",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kMinimum) || !IsArray(site.original())) return nullptr;
         return Build(site, kClamp, ShapeOf(site),
                      {site.operand(1), Inner(site, 0, 0), Inner(site, 0, 1)});
       }},
      {"programs/maximum_with_zero_is_select",
       {kMaximum},
       "maximum(x, 0) becomes select(x > 0, x, 0), also for NaN",
       [](Site& site) -> Instruction* {
         if (!FloatArray(site.original()) || !Uniform(In(site, 1), 0)) return nullptr;
         Instruction* const positive = Build(
             site, kCompare, PredOf(ShapeOf(site)), {site.operand(0), site.operand(1)},
             [](Instruction& x) {
               x.SetAttribute(Attr::kDirection, static_cast<int64_t>(ComparisonDirection::kGt));
             });
         return Build(site, kSelect, ShapeOf(site), {positive, site.operand(0), site.operand(1)});
       }},
  };
}

std::vector<Mutant> PlaceRewrites() {
  return {
      {"programs/slice_of_reverse_keeps_starts",
       {kSlice},
       "slice(reverse(x)) becomes reverse(slice(x)) with the same starts",
       [](Site& site) -> Instruction* {
         const Instruction& reverse = In(site, 0);
         if (!Is(reverse, kReverse)) return nullptr;
         Instruction* const slice =
             Build(site, kSlice, ShapeOf(site), {Inner(site, 0, 0)}, [&](Instruction& x) {
               x.SetAttribute(Attr::kSlice, Slices(site.original().slices()));
             });
         return Build(site, kReverse, ShapeOf(site), {slice}, [&](Instruction& x) {
           x.SetAttribute(Attr::kDimensions, DimensionsOf(reverse));
         });
       }},
      {"programs/slice_of_transpose_keeps_starts",
       {kSlice},
       "slice(transpose(x)) becomes transpose(slice(x)) with the starts in their old order",
       [](Site& site) -> Instruction* {
         const Instruction& transpose = In(site, 0);
         if (!Is(transpose, kTranspose)) return nullptr;
         const std::vector<int64_t> dims = DimensionsOf(transpose);
         const Slices slices = site.original().slices();
         std::vector<int64_t> sizes(dims.size());
         for (size_t d = 0; d < dims.size(); ++d) {
           const int64_t before = transpose.operand(0)->shape().dimension(static_cast<int64_t>(d));
           if (slices[d].limit > before) return nullptr;
           sizes[d] = (slices[d].limit - slices[d].start + slices[d].stride - 1) / slices[d].stride;
         }
         Instruction* const slice =
             Build(site, kSlice, Shape(ShapeOf(site).element_type(), sizes), {Inner(site, 0, 0)},
                   [&](Instruction& x) { x.SetAttribute(Attr::kSlice, slices); });
         return slice == nullptr ? nullptr : BuildTranspose(site, slice, dims);
       }},
      {"programs/reverse_of_concatenate_keeps_order",
       {kReverse},
       "reverse(concatenate(a, b)) becomes concatenate(reverse(a), reverse(b))",
       [](Site& site) -> Instruction* {
         const Instruction& whole = In(site, 0);
         const std::vector<int64_t> dims = DimensionsOf(site.original());
         if (!Is(whole, kConcatenate)) return nullptr;
         std::vector<Instruction*> parts;
         for (int64_t k = 0; k < whole.operand_count(); ++k) {
           parts.push_back(Build(site, kReverse, whole.operand(k)->shape(), {Inner(site, 0, k)},
                                 [&](Instruction& x) { x.SetAttribute(Attr::kDimensions, dims); }));
         }
         return Build(site, kConcatenate, ShapeOf(site), parts, [&](Instruction& x) {
           x.SetAttribute(Attr::kDimension, whole.GetInt(Attr::kDimension));
         });
       }},
      {"programs/constant_start_is_not_clamped",
       {kDynamicSlice},
       "a dynamic slice of an iota at a start is the iota plus the start, also beyond the end",
       [](Site& site) -> Instruction* {
         const Instruction& iota = In(site, 0);
         if (!Is(iota, kIota) || iota.shape().rank() != 1 || !IntegerArray(site.original()) ||
             In(site, 1).shape().element_type() != ShapeOf(site).element_type()) {
           return nullptr;
         }
         Instruction* const small = Build(site, kIota, ShapeOf(site), {}, [](Instruction& x) {
           x.SetAttribute(Attr::kIotaDimension, int64_t{0});
         });
         Instruction* const start = Build(
             site, kBroadcast, ShapeOf(site), {site.operand(1)},
             [](Instruction& x) { x.SetAttribute(Attr::kDimensions, std::vector<int64_t>()); });
         return Build(site, kAdd, ShapeOf(site), {small, start});
       }},
      {"programs/reverse_of_sorted_is_descending",
       {kReverse},
       "reverse(sort(x)) becomes a sort with the comparison exchanged, also where keys are equal",
       [](Site& site) -> Instruction* {
         const Instruction& leaf = In(site, 0);
         if (!Is(leaf, kGetTupleElement) || !Is(*leaf.operand(0), kSort)) return nullptr;
         const Instruction& sort = *leaf.operand(0);
         if (sort.operand_count() != 2 || leaf.shape().rank() != 1) return nullptr;
         Instruction* const keys =
             Build(site, kGetTupleElement, sort.operand(0)->shape(), {site.copy_of(sort)},
                   [](Instruction& x) { x.SetAttribute(Attr::kIndex, int64_t{0}); });
         return site.Call({keys, site.operand(0)}, ShapeOf(site), InGroups);
       }},
  };
}

std::vector<Mutant> ReductionRewrites() {
  return {
      {"programs/start_counts_in_both_halves",
       {kReduce},
       "reduce(concatenate(a, b)) becomes reduce(a) + reduce(b), each from the start value",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& whole = In(site, 0);
         if (x.operand_count() != 2 || !Is(whole, kConcatenate) || !ReducerOf(*x.to_apply()) ||
             !absl::c_linear_search(DimensionsOf(x), whole.GetInt(Attr::kDimension))) {
           return nullptr;
         }
         Instruction* sum = nullptr;
         for (int64_t k = 0; k < whole.operand_count(); ++k) {
           Instruction* const part = site.Edited([&](Instruction& copy) {
             copy.set_operands({Inner(site, 0, k), site.operand(1)});
           });
           sum = sum == nullptr
                     ? part
                     : Build(site, *ReducerOf(*x.to_apply()), ShapeOf(site), {sum, part});
         }
         return sum;
       }},
      {"programs/factor_leaves_the_reduction",
       {kReduce},
       "reduce(x * c) becomes reduce(x) * c, start value and all",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& product = In(site, 0);
         if (x.operand_count() != 2 || !Is(product, kMultiply) ||
             ReducerOf(*x.to_apply()) != kAdd || !UniformValue(*product.operand(1))) {
           return nullptr;
         }
         Instruction* const sum = site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), site.operand(1)});
         });
         return Build(site, kMultiply, ShapeOf(site),
                      {sum, BuildUniform(site, ShapeOf(site), *UniformValue(*product.operand(1)))});
       }},
      {"programs/negated_maximum_keeps_start",
       {kNegate},
       "-reduce(x, maximum) becomes reduce(-x, minimum) from the same start value",
       [](Site& site) -> Instruction* {
         const Instruction& reduce = In(site, 0);
         if (!Is(reduce, kReduce) || reduce.operand_count() != 2 ||
             ReducerOf(*reduce.to_apply()) != kMaximum) {
           return nullptr;
         }
         Instruction* start = Inner(site, 0, 1);
         if (ShapeOf(site).rank() > 0) {
           start = Build(site, kBroadcast, ShapeOf(site), {start}, [](Instruction& x) {
             x.SetAttribute(Attr::kDimensions, std::vector<int64_t>());
           });
         }
         // As if the reduction by minimum began with the start value of the maximum.
         return Build(site, kMinimum, ShapeOf(site), {site.Unchanged(), start});
       }},
      {"programs/all_reduce_of_uniform_is_itself",
       {kAllReduce},
       "an all-reduce of a constant is the constant, whatever the number of devices",
       [](Site& site) -> Instruction* {
         if (site.original().operand_count() != 1 || !UniformValue(In(site, 0))) return nullptr;
         return site.operand(0);
       }},
  };
}

}  // namespace

std::vector<Mutant> ExchangeRewrites() {
  return InStandardTier(
      Joined({NumberRewrites, PlaceRewrites, ReductionRewrites}),
      {"programs/factor_leaves_the_reduction", "programs/shifts_are_added_in_their_width",
       "programs/slice_of_transpose_keeps_starts"});
}

}  // namespace assay::conformance
