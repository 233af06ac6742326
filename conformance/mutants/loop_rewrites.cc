// Loops counted wrongly, carried values exchanged, buffers written too early.
#include <algorithm>

#include "conformance/mutants/mutant.h"
#include "conformance/mutants/rewrites.h"

namespace assay::conformance {
using enum Opcode;

std::vector<Mutant> LoopRewrites() {
  return {
      {"programs/trip_count_is_rounded_down",
       {kWhile},
       "a loop whose bound is not reached exactly runs once too few times",
       [](Site& site) -> Instruction* {
         const std::optional<CountedLoop> loop = MatchCountedLoop(site.original());
         if (!loop || !loop->Iterations()) return nullptr;
         const int64_t count = std::max<int64_t>((loop->to - loop->from) / loop->step, 0);
         const bool ends = loop->direction == ComparisonDirection::kLe ||
                           loop->direction == ComparisonDirection::kGe;
         if (loop->direction == ComparisonDirection::kNe ||
             loop->direction == ComparisonDirection::kEq || count > 64) {
           return nullptr;
         }
         return BuildUnrolled(site, ends ? count + (loop->from <= loop->to) : count);
       }},
      {"programs/at_most_is_taken_for_less",
       {kWhile},
       "a condition i <= n is counted as i < n",
       [](Site& site) -> Instruction* {
         std::optional<CountedLoop> loop = MatchCountedLoop(site.original());
         if (!loop || loop->direction != ComparisonDirection::kLe) return nullptr;
         loop->direction = ComparisonDirection::kLt;
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
             loop->direction != ComparisonDirection::kLt) {
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

}  // namespace assay::conformance
