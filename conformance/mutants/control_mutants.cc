// Defects of calls, loops, branches, tuples and asynchronous operations.
#include <algorithm>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// Another branch index (or predicate) reaches the conditional.
Defect OnBranchIndex(int64_t (*defect)(int64_t index, int64_t branches)) {
  return [defect](Site& site) -> Instruction* {
    const Instruction& original = site.original();
    const auto branches = static_cast<int64_t>(original.called_computations().size());
    std::vector<Instruction*> operands = site.operands();
    operands[0] =
        site.Call({operands[0]}, original.operand(0)->shape(),
                  [defect, branches](const Instruction&, absl::Span<const Literal> values,
                                     const CustomCall&) {
                    const ElementType type = values[0].element_type();
                    const uint64_t bits = values[0].Get(0).bits;
                    const int64_t index =
                        IsPred(type) ? static_cast<int64_t>(bits) : DecodeSigned(type, bits);
                    const int64_t other = defect(index, branches);
                    return Literal::Scalar(
                        type, {IsPred(type) ? static_cast<uint64_t>(other & 1)
                                            : EncodeInteger(type, static_cast<uint64_t>(other)),
                               0});
                  });
    return site.Edited([&](Instruction& x) { x.set_operands(operands); });
  };
}

Instruction* CallOf(Site& site, Attr callee, Instruction* argument) {
  Computation* body = site.EditedCallee(callee, [](Instruction&) {});
  return site.Make(kCall, body->root()->shape(), {argument},
                   [&](Instruction& x) { x.SetAttribute(Attr::kToApply, body); });
}

std::vector<Mutant> FlowMutants() {
  return {
      {"while/one_turn_too_many",
       {kWhile},
       "the body runs once more when the condition is false",
       [](Site& site) { return CallOf(site, Attr::kBody, site.Unchanged()); }},
      {"while/body_before_condition",
       {kWhile},
       "the condition is asked after the first iteration",
       [](Site& site) -> Instruction* {
         Instruction* turned = CallOf(site, Attr::kBody, site.operand(0));
         return site.Edited([&](Instruction& x) { x.set_operands({turned}); });
       }},
      {"while/never_entered", {kWhile}, "the initial value comes back", Forward(0)},
      {"while/second_value_stale",
       {kWhile},
       "the second element is that of the start",
       OnResult([](const Instruction&, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
         const std::vector<Literal> initial = Flatten(operands[0]);
         if (leaves->size() > 1) (*leaves)[1] = initial[1];
       })},
      {"while/equal_ends_a_turn_late",
       {kWhile},
       "LT in conditions is taken for LE",
       EditRegion(
           Attr::kCondition,
           [](Instruction& x) {
             if (x.opcode() != kCompare ||
                 x.GetEnum<ComparisonDirection>(Attr::kDirection) != ComparisonDirection::kLt) {
               return;
             }
             x.SetAttribute(Attr::kDirection, static_cast<int64_t>(ComparisonDirection::kLe));
           })},
      {"conditional/index_wraps",
       {kConditional},
       "an index beyond the branches wraps around",
       OnBranchIndex([](int64_t index, int64_t n) { return ((index % n) + n) % n; })},
      {"conditional/beyond_takes_first",
       {kConditional},
       "an index beyond the branches takes the first",
       OnBranchIndex([](int64_t index, int64_t n) { return index < 0 || index >= n ? 0 : index; })},
      {"conditional/negative_takes_first",
       {kConditional},
       "a negative index is clamped to 0",
       OnBranchIndex([](int64_t index, int64_t) { return std::max<int64_t>(index, 0); })},
      {"conditional/branches_exchanged",
       {kConditional},
       "true and false, first and last branch are exchanged",
       OnBranchIndex(
           [](int64_t index, int64_t n) { return n - 1 - std::clamp<int64_t>(index, 0, n - 1); })},
      {"call/returns_argument", {kCall}, "the call is inlined away", Forward(0)},
      {"call/applied_twice",
       {kCall},
       "the callee runs twice on its way",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() != 1 || !Shape::Compatible(x.operand(0)->shape(), x.shape())) {
           return nullptr;
         }
         return CallOf(site, Attr::kToApply, site.Unchanged());
       }},
      {"fusion/output_is_input", {kFusion}, "the fused kernel writes nothing", Forward(0)},
      {"fusion/last_element_missing",
       {kFusion},
       "the last lane of the fused loop is not written",
       OnElements([](const ElementSite& e) {
         return e.position + 1 == e.instruction.shape().element_count() ? Element{} : e.golden;
       })},
      {"tuple/elements_exchanged",
       {kTuple},
       "elements of the same shape are exchanged",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         for (size_t i = 0; i < leaves->size(); ++i) {
           for (size_t k = i + 1; k < leaves->size(); ++k) {
             if (Shape::Compatible((*leaves)[i].shape(), (*leaves)[k].shape())) {
               std::swap((*leaves)[i], (*leaves)[k]);
               return;
             }
           }
         }
       })},
      {"tuple/last_element_zero",
       {kTuple},
       "the last pointer of the table is not set",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         if (!leaves->empty() && leaves->back().is_array()) {
           leaves->back() = Literal::Zeros(leaves->back().shape());
         }
       })},
      {"get-tuple-element/index_off_by_one",
       {kGetTupleElement},
       "the next element of the same shape",
       Edit([](Instruction& x) {
         const int64_t count = static_cast<int64_t>(x.operand(0)->shape().tuple_shapes().size());
         for (int64_t k = 1; k < count; ++k) {
           const int64_t other = (x.GetInt(Attr::kIndex) + k) % count;
           if (!Shape::Compatible(x.operand(0)->shape().tuple_shape(other), x.shape())) continue;
           x.SetAttribute(Attr::kIndex, other);
           return;
         }
       })},
  };
}

// The value that an asynchronous operation got, in the place of what it yields.
Defect StaleBuffer() {
  return [](Site& site) -> Instruction* {
    const Instruction* start = site.original().operand(0);
    while (start->opcode() == kAsyncUpdate) start = start->operand(0);
    if (start->operand_count() == 0) return nullptr;
    const Instruction& given = *start->operand(0);
    if (!Shape::Compatible(given.shape(), site.original().shape())) return nullptr;
    site.Unchanged();  // it ends, but its result is not used
    return site.copy_of(given);
  };
}

// Nothing but the result is asked for: a start may have no user beside its done.
Defect NotWritten() {
  return [](Site& site) -> Instruction* {
    const Shape& shape = site.original().shape();
    if (shape.is_dynamic()) return nullptr;
    return site.Call({site.Unchanged()}, shape,
                     [](const Instruction& original, absl::Span<const Literal> values,
                        const CustomCall&) -> absl::StatusOr<Literal> {
                       std::vector<Literal> leaves = Flatten(values[0]);
                       Literal& first = leaves.front();
                       if (first.is_array()) first = Literal::Zeros(first.shape());
                       return Unflatten(original.shape(), leaves);
                     });
  };
}

std::vector<Mutant> AsyncMutants() {
  return {
      {"async-done/stale_buffer",
       {kAsyncDone},
       "the buffer is read before the operation wrote it",
       StaleBuffer()},
      {"all-reduce-done/stale_buffer",
       {kAllReduceDone},
       "the buffer is read before the sum is there",
       StaleBuffer()},
      {"collective-permute-done/stale_buffer",
       {kCollectivePermuteDone},
       "the buffer is read before the neighbour's value is there",
       StaleBuffer()},
      {"all-gather-done/not_written",
       {kAllGatherDone},
       "the buffer is read before it is filled",
       NotWritten()},
      {"copy-done/not_written", {kCopyDone}, "the copy is read before it is made", NotWritten()},
      {"recv-done/not_written",
       {kRecvDone},
       "the buffer is read before the data has come",
       NotWritten()},
      {"opt-barrier/not_written",
       {kOptimizationBarrier},
       "the value behind the barrier is not the one before",
       NotWritten()},
      {"add-dependency/not_written",
       {kAddDependency},
       "the value is lost with the token",
       NotWritten()},
      {"domain/not_written", {kDomain}, "the value is lost at the border", NotWritten()},
  };
}

}  // namespace

std::vector<Mutant> ControlMutants() { return Joined({FlowMutants, AsyncMutants}); }

}  // namespace assay::conformance
