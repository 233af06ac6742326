// Wrong rewrites of movements and of indexing: attributes composed in the wrong order.
#include <cmath>

#include "absl/algorithm/container.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/rewrites.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// Replaces the NaNs of a movement of moved elements: by the canonical NaN, or by those of the other
// sign.
Instruction* WithOtherNans(Site& site, bool canonical) {
  if (!FloatArray(site.original()) || In(site, 0).info().family != Family::kMovement) {
    return nullptr;
  }
  Instruction* const moved = site.Unchanged();
  Instruction* const is_nan =
      BuildCompare(site, site.original(), ComparisonDirection::kNe, moved, moved);
  Instruction* const other = canonical ? BuildUniform(site, ShapeOf(site), std::nan(""))
                                       : Build(site, kNegate, ShapeOf(site), {moved});
  return Build(site, kSelect, ShapeOf(site), {is_nan, other, moved});
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
      {"programs/moved_nans_become_canonical",
       {kReshape, kReverse, kSlice, kTranspose},
       "NaNs that are moved twice lose their sign and payload",
       [](Site& site) { return WithOtherNans(site, /*canonical=*/true); }},
      {"programs/moved_nans_change_sign",
       {kReshape, kReverse, kSlice, kTranspose},
       "NaNs that are moved twice get the other sign",
       [](Site& site) { return WithOtherNans(site, /*canonical=*/false); }},
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

}  // namespace

std::vector<Mutant> MovementRewrites() { return Joined({WrongMovement, WrongIndexing}); }

}  // namespace assay::conformance
