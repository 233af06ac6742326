// Combination mutants that depend on the graph around an instruction: how many users a producer
// has, what stands two instructions away, what a loop carries, what computes an index or a start
// value. They were written after the idioms and without regard to them.
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "fuzz/score/combinations.h"
#include "fuzz/score/rewrite_parts.h"

namespace assay::fuzz {
namespace {

using conformance::Build;
using conformance::BuildCompare;
using conformance::BuildUniform;
using conformance::DirectionOf;
using conformance::In;
using conformance::Inner;
using conformance::IntegerArray;
using conformance::Inverted;
using conformance::Is;
using conformance::IsArray;
using conformance::Mutant;
using conformance::ShapeOf;
using conformance::Site;
using enum Opcode;

int64_t UsesOf(const Instruction& producer) {
  int64_t uses = 0;
  for (const auto& each : producer.parent()->instructions()) {
    uses += absl::c_count(each->operands(), &producer);
  }
  return uses;
}

// Returns true for what is neither an input nor a constant.
bool IsComputed(const Instruction& x) {
  return !Is(x, kParameter) && !Is(x, kConstant) && !Is(x, kGetTupleElement);
}

// Operand `k` of the instruction replaced.
Instruction* WithOperand(Site& site, size_t k, Instruction* operand) {
  std::vector<Instruction*> operands = site.operands();
  operands[k] = operand;
  return On(site, operands);
}

// Operand `k` with its elements in the other order.
Instruction* Turned(Site& site, int64_t k) {
  const Shape& shape = In(site, k).shape();
  if (!shape.is_array() || shape.is_dynamic() || shape.element_count() < 2) return nullptr;
  return site.Call({site.operand(k)}, shape,
                   [](const Instruction&, absl::Span<const Literal> values,
                      const CustomCall&) -> absl::StatusOr<Literal> {
                     Literal turned = values[0];
                     const int64_t count = turned.element_count();
                     for (int64_t i = 0; i < count; ++i)
                       turned.Set(i, values[0].Get(count - 1 - i));
                     return turned;
                   });
}

// The result with its first element in the place of the last.
Instruction* WithoutTail(Site& site) {
  const Shape& shape = ShapeOf(site);
  if (!shape.is_array() || shape.is_dynamic() || shape.element_count() < 2) return nullptr;
  return site.Call({site.Unchanged()}, shape,
                   [](const Instruction&, absl::Span<const Literal> values,
                      const CustomCall&) -> absl::StatusOr<Literal> {
                     Literal changed = values[0];
                     changed.Set(changed.element_count() - 1, changed.Get(0));
                     return changed;
                   });
}

// Returns true if the instruction is a broadcast of a reduction of `array`.
bool IsFoldOf(const Instruction& x, const Instruction& array) {
  return Is(x, kBroadcast) && Is(*x.operand(0), kReduce) && x.operand(0)->operand(0) == &array;
}

std::vector<Mutant> Users() {
  return {
      {"combination/shared_difference_is_turned_for_its_second_user",
       {kAdd, kMultiply, kMaximum, kMinimum},
       "a difference with two users is computed again for one of them with its operands exchanged",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 1), kSubtract) || UsesOf(In(site, 1)) < 2) return nullptr;
         return WithOperand(
             site, 1,
             Build(site, kSubtract, ShapeOf(site), {Inner(site, 1, 1), Inner(site, 1, 0)}));
       }},
      {"combination/shared_product_is_overwritten",
       {kAdd, kSubtract},
       "a product with two users is overwritten by one of its factors before the second one reads",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kMultiply) || UsesOf(In(site, 0)) < 2) return nullptr;
         return WithOperand(site, 0, Inner(site, 0, 0));
       }},
      {"combination/arms_that_share_an_operand_are_one",
       {kSelect},
       "two arms of a select that share an operand are taken for the same value",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 1), &b = In(site, 2);
         if (a.operand_count() == 0 || b.operand_count() == 0 || &a == &b) return nullptr;
         return a.operand(0) == b.operand(0) ? WithOperand(site, 2, site.operand(1)) : nullptr;
       }},
      {"combination/repeated_operand_of_concatenate_is_its_neighbour",
       {kConcatenate},
       "an array that is concatenated twice stands for the one between",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() < 3 || x.operand(0) != x.operand(2) ||
             x.operand(0) == x.operand(1) ||
             !Shape::Compatible(x.operand(0)->shape(), x.operand(1)->shape())) {
           return nullptr;
         }
         return WithOperand(site, 2, site.operand(1));
       }},
      {"combination/common_factor_is_taken_out_once",
       {kAdd},
       "a b + a c becomes a b + a b",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 0), &b = In(site, 1);
         if (!Is(a, kMultiply) || !Is(b, kMultiply) || &a == &b) return nullptr;
         return a.operand(0) == b.operand(0) ? WithOperand(site, 1, site.operand(0)) : nullptr;
       }},
      {"combination/update_reads_the_array_that_it_changes",
       {kDynamicUpdateSlice},
       "an update that is made of the array itself is read after the array is written",
       [](Site& site) -> Instruction* {
         const Instruction& update = In(site, 1);
         return update.operand_count() > 0 && update.operand(0) == &In(site, 0) ? WithoutTail(site)
                                                                                : nullptr;
       }},
  };
}

std::vector<Mutant> Chains() {
  return {
      {"combination/bitcast_between_fusions_is_turned",
       {kFusion},
       "a bitcast or reshape between two fusions reads the first one from its end",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         for (int64_t k = 0; k < x.operand_count(); ++k) {
           const Instruction& between = In(site, k);
           if ((Is(between, kBitcast) || Is(between, kReshape) || Is(between, kTranspose)) &&
               Is(*between.operand(0), kFusion)) {
             Instruction* const turned = Turned(site, k);
             return turned == nullptr ? nullptr : WithOperand(site, static_cast<size_t>(k), turned);
           }
         }
         return nullptr;
       }},
      {"combination/rows_of_a_transposed_product_lose_their_tail",
       {kReduce},
       "the reduction of a transposed product of matrices misses the last row",
       [](Site& site) -> Instruction* {
         return Is(In(site, 0), kTranspose) && Is(*In(site, 0).operand(0), kDot) ? WithoutTail(site)
                                                                                 : nullptr;
       }},
      {"combination/difference_from_the_fold_repeats_a_lane",
       {kSubtract},
       "an array minus its own reduction repeats a lane",
       [](Site& site) -> Instruction* {
         return IsFoldOf(In(site, 1), In(site, 0)) ? WithoutTail(site) : nullptr;
       }},
      {"combination/quotient_by_the_fold_is_of_the_fold",
       {kDivide},
       "an array divided by its own reduction has its operands exchanged",
       [](Site& site) -> Instruction* {
         if (!IsFoldOf(In(site, 1), In(site, 0))) return nullptr;
         return On(site, {site.operand(1), site.operand(0)});
       }},
      {"combination/product_of_a_transposed_product_is_not_transposed",
       {kDot},
       "a transpose between two products of square matrices is dropped",
       [](Site& site) -> Instruction* {
         for (const int64_t k : {0, 1}) {
           const Instruction& between = In(site, k);
           if (!Is(between, kTranspose) || !Is(*between.operand(0), kDot)) continue;
           return Shape::Compatible(between.shape(), between.operand(0)->shape())
                      ? WithOperand(site, static_cast<size_t>(k), Inner(site, k, 0))
                      : nullptr;
         }
         return nullptr;
       }},
      {"combination/one_of_many_is_not_equal",
       {kCompare},
       "a comparison of a broadcast value with an iota has the opposite direction",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kBroadcast) || !Is(In(site, 1), kIota)) return nullptr;
         return BuildCompare(site, site.original(), Inverted(DirectionOf(site.original())),
                             site.operand(0), site.operand(1));
       }},
      {"combination/rounded_value_is_truncated",
       {kConvert},
       "a rounding before a conversion to integers is dropped",
       [](Site& site) -> Instruction* {
         const Instruction& rounding = In(site, 0);
         if (!IntegerArray(site.original()) ||
             !(Is(rounding, kFloor) || Is(rounding, kCeil) || Is(rounding, kRoundNearestAfz) ||
               Is(rounding, kRoundNearestEven))) {
           return nullptr;
         }
         return On(site, {Inner(site, 0, 0)});
       }},
      {"combination/maximum_with_the_negated_is_the_value",
       {kMaximum},
       "max(x, -x) becomes x",
       [](Site& site) -> Instruction* {
         const Instruction& negated = In(site, 1);
         return Is(negated, kNegate) && negated.operand(0) == &In(site, 0) ? site.operand(0)
                                                                           : nullptr;
       }},
      {"combination/slices_with_a_gap_are_joined",
       {kConcatenate},
       "two slices of one array are taken for one slice, whatever lies between them",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() != 2 || !Is(In(site, 0), kSlice) || !Is(In(site, 1), kSlice) ||
             In(site, 0).operand(0) != In(site, 1).operand(0)) {
           return nullptr;
         }
         const auto d = static_cast<size_t>(x.GetInt(Attr::kDimension));
         Slices joined = In(site, 0).slices();
         joined[d].limit = joined[d].start + ShapeOf(site).dimension(static_cast<int64_t>(d));
         joined[d].stride = 1;
         return Build(site, kSlice, ShapeOf(site), {Inner(site, 0, 0)},
                      [&](Instruction& made) { made.SetAttribute(Attr::kSlice, joined); });
       }},
      {"combination/scatter_of_gathered_updates_is_nothing",
       {kScatter},
       "updates that were gathered by the same indices are taken to be there already",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() != 3 || !Is(In(site, 2), kGather) ||
             In(site, 2).operand(1) != x.operand(1)) {
           return nullptr;
         }
         return site.operand(0);
       }},
      {"combination/keys_behind_a_gather_are_turned",
       {kSort},
       "a sort of several arrays reads the one that was gathered from its end",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         for (int64_t k = 0; k < x.operand_count() && x.operand_count() > 1; ++k) {
           if (Is(In(site, k), kGather)) {
             Instruction* const turned = Turned(site, k);
             return turned == nullptr ? nullptr : WithOperand(site, static_cast<size_t>(k), turned);
           }
         }
         return nullptr;
       }},
  };
}

std::vector<Mutant> Inputs() {
  return {
      {"combination/computed_start_of_a_sum_is_dropped",
       {kReduce},
       "a start value that is computed is taken for zero",
       [](Site& site) -> Instruction* {
         if (site.original().operand_count() != 2 || !IsComputed(In(site, 1)) ||
             !IsArray(In(site, 1))) {
           return nullptr;
         }
         return WithOperand(site, 1, BuildUniform(site, In(site, 1).shape(), 0));
       }},
      {"combination/computed_padding_is_zero",
       {kPad},
       "a padding value that is computed is taken for zero",
       [](Site& site) -> Instruction* {
         if (!IsComputed(In(site, 1))) return nullptr;
         return WithOperand(site, 1, BuildUniform(site, In(site, 1).shape(), 0));
       }},
      {"combination/start_of_a_slice_is_not_added",
       {kDynamicSlice, kDynamicUpdateSlice},
       "a start index that is a sum or a product is taken for its first operand",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         for (int64_t k = 1; k < x.operand_count(); ++k) {
           const Instruction& start = In(site, k);
           if (start.shape().rank() == 0 && (Is(start, kAdd) || Is(start, kMultiply))) {
             return WithOperand(site, static_cast<size_t>(k), Inner(site, k, 0));
           }
         }
         return nullptr;
       }},
      {"combination/computed_branch_is_the_other",
       {kConditional},
       "a predicate that is computed by a comparison chooses the other branch",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kCompare)) return nullptr;
         return WithOperand(site, 0, Build(site, kNot, In(site, 0).shape(), {site.operand(0)}));
       }},
      {"combination/bounds_of_clamp_that_are_computed_are_exchanged",
       {kClamp},
       "bounds of clamp that are both computed are exchanged",
       [](Site& site) -> Instruction* {
         if (!IsComputed(In(site, 0)) || !IsComputed(In(site, 2)) ||
             !Shape::Compatible(In(site, 0).shape(), In(site, 2).shape())) {
           return nullptr;
         }
         return On(site, {site.operand(2), site.operand(1), site.operand(0)});
       }},
  };
}

std::vector<Mutant> Loops() {
  return {
      {"combination/condition_that_reads_an_array_is_false",
       {kWhile},
       "a loop whose condition reads an array that it carries does not run",
       [](Site& site) -> Instruction* {
         const Computation& condition = *site.original().GetComputation(Attr::kCondition);
         const bool reads = absl::c_any_of(condition.instructions(), [](const auto& each) {
           return Is(*each, kGetTupleElement) && each->shape().is_array() &&
                  each->shape().rank() > 0;
         });
         return reads ? site.operand(0) : nullptr;
       }},
      {"combination/carried_arrays_of_one_shape_share_a_buffer",
       {kGetTupleElement},
       "of two arrays of one shape that a loop carries both are the first",
       [](Site& site) -> Instruction* {
         const Instruction& loop = In(site, 0);
         if (!Is(loop, kWhile) || !ShapeOf(site).is_array() || ShapeOf(site).rank() == 0) {
           return nullptr;
         }
         for (int64_t k = 0; k < site.original().GetInt(Attr::kIndex); ++k) {
           if (!Shape::Compatible(loop.shape().tuple_shape(k), ShapeOf(site))) continue;
           return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kIndex, k); });
         }
         return nullptr;
       }},
      {"combination/call_in_a_called_computation_exchanges_arguments",
       {kCall},
       "a call inside another computation than the entry exchanges its first two arguments",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.parent() == x.parent()->parent()->entry() || x.operand_count() < 2 ||
             x.operand(0) == x.operand(1) ||
             !Shape::Compatible(x.operand(0)->shape(), x.operand(1)->shape())) {
           return nullptr;
         }
         std::vector<Instruction*> operands = site.operands();
         std::swap(operands[0], operands[1]);
         return On(site, operands);
       }},
  };
}

}  // namespace

std::vector<Mutant> GraphCombinations() {
  return conformance::Joined({Users, Chains, Inputs, Loops});
}

}  // namespace assay::fuzz
