// Defects of sorting and top-k: direction, ties, NaNs, what is carried along.
#include <algorithm>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// Every leaf of the result from the end, along the last dimension.
Defect OrderReversed() {
  return OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                     const CustomCall&) {
    for (Literal& leaf : *leaves) {
      const absl::Span<const int64_t> sizes = leaf.shape().dimensions();
      if (sizes.empty()) return;
      const Literal right = leaf;
      for (int64_t i = 0; i < leaf.element_count(); ++i) {
        Dimensions from = evaluator::IndexAt(i, sizes);
        from.back() = sizes.back() - 1 - from.back();
        leaf.Set(i, right.Get(evaluator::PositionOf(from, sizes)));
      }
    }
  });
}

// Operands reversed, sorted stably: equal keys come in reverse order.
Defect UnstableOrder(Where where) {
  return [where = std::move(where)](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    if (!where(x)) return nullptr;
    std::vector<Instruction*> operands;
    for (int64_t k = 0; k < x.operand_count(); ++k) {
      const std::vector<int64_t> dimensions = {x.GetInt(Attr::kDimension)};
      operands.push_back(site.Make(
          kReverse, x.operand(k)->shape(), {site.operand(k)},
          [&](Instruction& reverse) { reverse.SetAttribute(Attr::kDimensions, dimensions); }));
      if (operands.back() == nullptr) return nullptr;
    }
    return site.Edited([&](Instruction& copy) {
      copy.set_operands(operands);
      copy.SetAttribute(Attr::kIsStable, true);
    });
  };
}

// The compare in the region gets other attributes.
Defect EditComparator(void (*edit)(Instruction&)) {
  return EditRegion(Attr::kToApply, [edit](Instruction& x) {
    if (x.opcode() == kCompare) edit(x);
  });
}

}  // namespace

std::vector<Mutant> OrderMutants() {
  return {
      {"sort/wrong_direction",
       {kSort},
       "ascending and descending are exchanged",
       SwapParameters(Attr::kToApply)},
      {"sort/stable_is_unstable",
       {kSort},
       "is_stable is ignored: ties come in reverse order",
       UnstableOrder([](const Instruction& x) { return x.GetBool(Attr::kIsStable); })},
      {"sort/values_not_moved",
       {kSort},
       "only the keys are sorted, the values stay",
       OnResult(
           [](const Instruction&, absl::Span<const Literal> operands, std::vector<Literal>* leaves,
              const CustomCall&) {
             for (size_t k = 1; k < leaves->size(); ++k) (*leaves)[k] = operands[k];
           },
           [](const Instruction& x) { return x.operand_count() > 1; })},
      {"sort/other_dimension",
       {kSort},
       "the dimension before is sorted instead",
       Edit([](Instruction& x) {
         const int64_t d = x.GetInt(Attr::kDimension);
         x.SetAttribute(Attr::kDimension, d == 0 ? x.shape().rank() - 1 : d - 1);
       })},
      {"sort/comparator_is_total_order",
       {kSort},
       "a FLOAT comparator is made total: -0 comes before +0",
       EditComparator([](Instruction& x) {
         if (!IsFloat(x.operand(0)->shape().element_type())) return;
         x.SetAttribute(Attr::kComparisonType, static_cast<int64_t>(ComparisonType::kTotalOrder));
       })},
      {"sort/total_order_ignored",
       {kSort},
       "NaNs stay where they are met",
       EditComparator([](Instruction& x) { x.EraseAttribute(Attr::kComparisonType); })},
      {"sort/last_element_not_sorted",
       {kSort},
       "the loop ends one early",
       OnResult([](const Instruction& x, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         const int64_t d = x.GetInt(Attr::kDimension);
         for (Literal& leaf : *leaves) {
           const absl::Span<const int64_t> sizes = leaf.shape().dimensions();
           if (sizes[d] < 3) continue;
           for (int64_t i = 0; i < leaf.element_count(); ++i) {
             Dimensions from = evaluator::IndexAt(i, sizes);
             if (from[d] + 1 != sizes[d]) continue;
             --from[d];
             const int64_t before = evaluator::PositionOf(from, sizes);
             const Element moved = leaf.Get(i);
             leaf.Set(i, leaf.Get(before));
             leaf.Set(before, moved);
           }
         }
       })},
      {"sort/second_key_ignored",
       {kSort},
       "of two keys only the first is compared",
       [](Site& site) -> Instruction* {
         const Computation& compare = *site.original().to_apply();
         for (const auto& x : compare.instructions()) {
           if (x->opcode() != kCompare || x->operand(0)->opcode() != kParameter) continue;
           if (x.get() == compare.root()) return nullptr;
           Computation* region = site.EditedCallee(Attr::kToApply, [](Instruction&) {});
           region->set_root(region->instruction(x->index()));
           return site.Edited([&](Instruction& y) { y.SetAttribute(Attr::kToApply, region); });
         }
         return nullptr;
       }},
      {"topk/smallest",
       {kTopK},
       "the smallest k are returned instead of the largest",
       Edit([](Instruction& x) { x.SetAttribute(Attr::kLargest, !x.GetBool(Attr::kLargest)); })},
      {"topk/ascending", {kTopK}, "the k largest come in ascending order", OrderReversed()},
      {"topk/indices_of_chunk",
       {kTopK},
       "indices count from the beginning of a chunk of 4",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         Literal& indices = leaves->back();
         for (int64_t i = 0; i < indices.element_count(); ++i) {
           indices.Set(i, {indices.Get(i).bits % 4, 0});
         }
       })},
      {"topk/ties_by_greater_index",
       {kTopK},
       "of equal values the last ones are taken first",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Shape& shape = x.operand(0)->shape();
         if (shape.is_dynamic() || shape.rank() == 0) return nullptr;
         const std::vector<int64_t> dimensions = {shape.rank() - 1};
         Instruction* reversed = site.Make(
             kReverse, shape, {site.operand(0)},
             [&](Instruction& reverse) { reverse.SetAttribute(Attr::kDimensions, dimensions); });
         Instruction* top = site.Edited([&](Instruction& copy) { copy.set_operands({reversed}); });
         if (top == nullptr) return nullptr;
         const int64_t size = shape.dimensions().back();
         return site.Call({top}, x.shape(),
                          [size](const Instruction& original, absl::Span<const Literal> values,
                                 const CustomCall&) {
                            std::vector<Literal> leaves = Flatten(values[0]);
                            Literal& indices = leaves[1];
                            for (int64_t i = 0; i < indices.element_count(); ++i) {
                              indices.Set(i, {size - 1 - indices.Get(i).bits, 0});
                            }
                            return Unflatten(original.shape(), leaves);
                          });
       }},
      {"topk/nan_last",
       {kTopK},
       "NaNs count as the smallest",
       OnOperand(0,
                 [](ElementType type, Element x) {
                   return IsFloat(type) && IsNan(type, x.bits) ? Element{Lowest(type), 0} : x;
                 })},
  };
}

}  // namespace assay::conformance
