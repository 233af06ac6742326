// Wrong rewrites of reductions, windows, convolutions and dots beside movements.
#include "absl/algorithm/container.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/rewrites.h"

namespace assay::conformance {
using enum Opcode;

std::vector<Mutant> FoldRewrites() {
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
      {"programs/least_of_greatest_is_one_reduction",
       {kReduce},
       "a minimum over maxima is one reduction by minimum over all dimensions",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& inner = In(site, 0);
         if (x.operand_count() != 2 || !Is(inner, kReduce) || inner.operand_count() != 2 ||
             x.shape().rank() != 0 || ReducerOf(*x.to_apply()) != kMinimum ||
             ReducerOf(*inner.to_apply()) != kMaximum) {
           return nullptr;
         }
         std::vector<int64_t> dims(inner.operand(0)->shape().rank());
         absl::c_iota(dims, 0);
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

}  // namespace assay::conformance
