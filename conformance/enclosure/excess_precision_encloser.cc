#include "conformance/enclosure/excess_precision_encloser.h"

#include <utility>

#include "conformance/enclosure/excess_precision.h"
#include "conformance/enclosure/folds.h"
#include "conformance/enclosure/radii.h"
#include "conformance/enclosure/unspecified.h"
#include "conformance/judge/rounds.h"
#include "evaluator/facts/widened_fold.h"

namespace assay::conformance {

absl::StatusOr<std::vector<Box>> ExcessPrecisionEncloser::Results(
    const PreparedInstruction& prepared, F32Instruction* form, BoxPointers leaves) {
  const Instruction& instruction = prepared.instruction;
  std::vector<Box> narrow, flushed;
  BoxPointers narrow_leaves;
  narrow.reserve(leaves.size());  // so that boxes stay where they are
  flushed.reserve(leaves.size());
  bool holds = true, is_static = true;
  for (const Instruction* operand : instruction.operands()) {
    for (const Shape* shape : Leaves(operand->shape())) {
      const Box*& leaf = leaves[narrow.size()];
      NarrowBox box{*leaf, true};
      if (shape->is_array() && IsEnclosedInF32(shape->element_type())) {
        const ElementType type = shape->element_type();
        if (prepared.rules.may_flush() && profile_.MayFlushOperands(type)) {
          flushed.push_back(*leaf);
          JoinFlushed(type, &flushed.back());
          leaf = &flushed.back();
        }
        box = Around(type, *leaf);
      }
      holds = holds && box.holds;
      is_static = is_static && !(shape->is_array() && shape->is_dynamic());
      narrow.push_back(std::move(box.box));
      narrow_leaves.push_back(&narrow.back());
    }
  }
  if (!HasF32Form(instruction) || !is_static) {
    if (!holds) return AnythingOf(instruction);
    return encloser_.Results(prepared, Boxes(narrow_leaves));
  }
  if (IsUnspecified(instruction, Boxes(narrow_leaves), profile_)) return AnythingOf(instruction);
  const PreparedInstruction& wide = FormOf(instruction, form);
  absl::StatusOr<std::vector<Box>> results =
      evaluator::FoldKind(instruction) == analysis::ReducerKind::kAdd
          ? SumsInF32(instruction, wide, Boxes(leaves))
          : encloser_.ByRule(wide, Boxes(leaves));
  if (!results.ok()) return results;
  const std::vector<const Shape*> shapes = Leaves(instruction.shape());
  for (size_t leaf = 0; leaf < results->size(); ++leaf) {
    Box& box = (*results)[leaf];
    if (shapes[leaf]->is_array()) {
      Narrow(prepared, *shapes[leaf], Boxes(narrow_leaves), &box);
      UnconstrainNanOrder(instruction, Boxes(narrow_leaves), profile_, &box);
    }
    if (box.open == &wide.instruction) box.open = &instruction;  // which outlives it
  }
  return results;
}

const PreparedInstruction& ExcessPrecisionEncloser::FormOf(const Instruction& instruction,
                                                           F32Instruction* form) {
  if (form->prepared == nullptr) {
    form->module = F32Form(instruction);
    form->prepared =
        std::make_unique<PreparedInstruction>(*form->module->entry()->root(), profile_, &golden_);
  }
  return *form->prepared;
}

// What comes to a result in f32: what its function is budgeted in its own type, what it may be
// narrowed to, and the decisions that there are in its type.
void ExcessPrecisionEncloser::Narrow(const PreparedInstruction& prepared, const Shape& shape,
                                     Boxes operands, Box* box) const {
  const Instruction& instruction = prepared.instruction;
  const ElementType type = shape.element_type();
  const bool elementwise = instruction.info().elementwise();
  const auto take_in_decisions = [&](Box* into) {
    JoinDecisions(instruction, operands, prepared.rules.decisions(), into);
  };
  if (!IsEnclosedInF32(type)) {
    if (elementwise) take_in_decisions(box);
    return;
  }
  if (prepared.rules.element_rule()) WidenByNarrowBudget(*prepared.rules.element_rule(), box);
  if (Moves(instruction) && instruction.opcode() != Opcode::kIota) return;
  JoinNarrowed(type, profile_, box);
  if (!elementwise) return;
  const BoxTree narrowed = Returned(shape, profile_, BoxTree::Of(*box));
  Box decided = narrowed.box();
  take_in_decisions(&decided);
  JoinDifferences(narrowed.box(), decided, box);
}

absl::StatusOr<std::vector<Box>> ExcessPrecisionEncloser::SumsInF32(
    const Instruction& instruction, const PreparedInstruction& prepared, Boxes operands) {
  const Instruction& form = prepared.instruction;
  SumRadii found;
  const auto within = [&]() -> absl::StatusOr<Reach> {
    absl::StatusOr<SumRadii> radii =
        radii_.OfF32Sums(instruction, form, AllMagnitudes(form, operands));
    if (!radii.ok()) return radii.status();
    found = *std::move(radii);
    return Reach{found.radii, {}};
  };
  const FoldContext context{
      [&](absl::Span<const Literal> values) { return golden_.Evaluate(form, values); },
      [&](absl::Span<const Literal> values) {
        return golden_.EvaluateSums(form, SumType(form), values);
      },
      [&](absl::Span<const Literal>) { return within(); },
      // An error of narrow types is not far from the sum: that of the largest magnitudes counts.
      [&](absl::Span<const Literal>, const Literal&) { return within(); },
      [&](const Literal& sizes, absl::Span<const double> terms,
          absl::Span<const double> magnitudes) {
        found = radii_.OfF32Facts(instruction, form, sizes, terms, magnitudes);
        return Reach{found.radii, {}};
      },
      nullptr};
  absl::StatusOr<std::vector<Box>> boxes = EncloseFold(form, operands, context);
  if (!boxes.ok()) return boxes;
  Box& box = (*boxes)[0];
  prepared.rules.Widen(&box);
  if (IsEnclosedInF32(instruction.shape().element_type())) {
    JoinOverflows(instruction.shape().element_type(), found.overflows, &box);
  }
  return boxes;
}

}  // namespace assay::conformance
