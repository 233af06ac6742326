#include "conformance/enclosure/instruction_encloser.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/batch_norm.h"
#include "conformance/enclosure/elementwise.h"
#include "conformance/enclosure/excess_precision.h"
#include "conformance/enclosure/folds.h"
#include "conformance/enclosure/linear_algebra.h"
#include "conformance/enclosure/open_indices.h"
#include "conformance/enclosure/random_boxes.h"
#include "conformance/enclosure/unspecified.h"
#include "conformance/judge/batch_norm_errors.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/residuals.h"
#include "conformance/judge/rounds.h"

namespace assay::conformance {
namespace {

bool ArePoints(Boxes boxes) {
  return std::all_of(boxes.begin(), boxes.end(),
                     [](const Box& box) { return box.shape().is_token() || box.is_point(); });
}

// Returns true for unconstrained values, such as those of a custom reducer in any order.
bool IsUnknown(const std::vector<double>& radii) {
  return !radii.empty() &&
         std::all_of(radii.begin(), radii.end(), [](double x) { return !(x < kInfinity); });
}

LiteralPointers Lows(Boxes operands) {
  LiteralPointers lows;
  for (const Box& operand : operands) lows.push_back(&operand.low);
  return lows;
}

absl::Status CheckStatic(const Instruction& instruction, Boxes operands) {
  for (const Box& operand : operands) {
    if (operand.low.is_array() && operand.shape().is_dynamic()) {
      return absl::UnimplementedError(
          absl::StrCat("no enclosure of dynamic sizes: ", instruction.Describe()));
    }
  }
  return absl::OkStatus();
}

// A truth value or an integer that is not known is a decision inside an interval: of the
// instruction that compared or converted floats.
void MarkOpen(const Instruction& instruction, Boxes operands, Box* box) {
  const ElementType type = box->low.element_type();
  if (IsFloat(type) || IsComplex(type) || box->is_point()) return;
  const bool earlier = std::any_of(operands.begin(), operands.end(),
                                   [](const Box& operand) { return operand.open != nullptr; });
  if (!earlier && !Literal::BitEqual(box->low, box->high)) box->open = &instruction;
}

// Returns true if an instruction moves elements unchanged from array operands into one array.
bool MovesArrays(const Instruction& instruction) {
  const Family family = instruction.info().family;
  return instruction.shape().is_array() && !ReadsBits(instruction) &&
         (family == Family::kMovement ||
          (family == Family::kIndexing && instruction.opcode() != Opcode::kScatter));
}

// Stores the same elements with another shape.
void Reshape(const Instruction& reshape, const Box& operand, Box* box) {
  box->low = operand.low.WithShape(reshape.shape());
  box->high = operand.high.WithShape(reshape.shape());
  if (operand.has_nan()) box->nan = operand.nan.WithShape(reshape.shape());
}

}  // namespace

PreparedInstruction::PreparedInstruction(const Instruction& of, const TargetProfile& profile,
                                         GoldenInstructions* goldens)
    : instruction(of), rules(of, profile), golden(&goldens->Of(of)) {
  // Where excess precision is granted, the box is of f32 anyway (excess_precision_encloser.h).
  if (!rules.is_narrow_function() || profile.Grants(Freedom::kExcessPrecision)) return;
  module = F32Form(of);
  in_f32 = std::make_unique<PreparedInstruction>(*module->entry()->root(), profile, goldens);
}

bool GivesOneArray(const Instruction& instruction) {
  return instruction.info().elementwise() || MovesArrays(instruction);
}

absl::Status InstructionEncloser::OneResult(const PreparedInstruction& prepared, Boxes boxes,
                                            Box* result) {
  const Instruction& instruction = prepared.instruction;
  if (prepared.rules.may_be_unspecified() && IsUnspecified(instruction, boxes, profile_)) {
    *result = Box::Anything(instruction.shape(), &instruction);
    return absl::OkStatus();
  }
  absl::Status status = OneByRule(prepared, boxes, result);
  if (!status.ok()) return status;
  UnconstrainNanOrder(instruction, boxes, profile_, result);
  if (prepared.rules.may_overflow_to_nan()) {
    UnconstrainOverflows(instruction, boxes, profile_, result);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Box>> InstructionEncloser::Results(const PreparedInstruction& prepared,
                                                              Boxes boxes) {
  const Instruction& instruction = prepared.instruction;
  if (GivesOneArray(instruction)) {
    std::vector<Box> results(1);
    absl::Status status = OneResult(prepared, boxes, results.data());
    if (!status.ok()) return status;
    return results;
  }
  if (std::optional<Box> drawn = RangeOfRandom(instruction, boxes)) {
    return std::vector<Box>{*std::move(drawn)};
  }
  if (IsUnspecified(instruction, boxes, profile_)) return AnythingOf(instruction);
  absl::StatusOr<std::vector<Box>> results = ByRule(prepared, boxes);
  if (!results.ok()) return results;
  if (const std::optional<Box> start = MissingStartOf(instruction, boxes, profile_)) {
    const BoxPointers without = {&boxes[0], &*start};
    const absl::StatusOr<std::vector<Box>> others = ByRule(prepared, Boxes(without));
    if (!others.ok()) return others;
    JoinNumbers((*others)[0], &(*results)[0]);
  }
  for (Box& result : *results) UnconstrainOverflows(instruction, boxes, profile_, &result);
  return results;
}

absl::Status InstructionEncloser::OneByRule(const PreparedInstruction& prepared, Boxes boxes,
                                            Box* result) {
  return prepared.instruction.info().elementwise() ? Elementwise(prepared, boxes, result)
                                                   : Move(prepared, boxes, result);
}

absl::StatusOr<std::vector<Box>> InstructionEncloser::ByRule(const PreparedInstruction& prepared,
                                                             Boxes boxes) {
  if (GivesOneArray(prepared.instruction)) {
    std::vector<Box> results(1);
    absl::Status status = OneByRule(prepared, boxes, results.data());
    if (!status.ok()) return status;
    return results;
  }
  return ArePoints(boxes) && !HasResidual(prepared.instruction.opcode()) ? OfPoints(prepared, boxes)
                                                                         : OfBoxes(prepared, boxes);
}

// The golden value, and around it what the profile allows of this instruction alone.
absl::StatusOr<std::vector<Box>> InstructionEncloser::OfPoints(const PreparedInstruction& prepared,
                                                               Boxes operands) {
  const Instruction& instruction = prepared.instruction;
  std::vector<Literal> points;
  for (const Box& operand : operands) points.push_back(operand.low);
  Literal golden;
  absl::Status status = golden_.EvaluateAt(prepared.golden, Lows(operands), &golden);
  if (!status.ok()) return status;
  std::vector<Box> boxes;
  const std::vector<Literal> leaves = Flatten(golden);
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    Box box = Box::Point(leaves[leaf]);
    if (leaves[leaf].is_array()) {
      const absl::StatusOr<Reach> reach = radii_.About(instruction, points, leaf, leaves[leaf]);
      if (!reach.ok()) return reach.status();
      if (IsUnknown(reach->radii)) {
        boxes.push_back(Box::Anything(leaves[leaf].shape(), &instruction));
        continue;
      }
      status = WidenPoint(instruction, points, *reach, &box);
      if (!status.ok()) return status;
      prepared.rules.Widen(&box);
      if (instruction.opcode() == Opcode::kFft && profile_.Grants(Freedom::kReassociation)) {
        UnconstrainNonFiniteBlocks(instruction, points[0], &box);
      }
      if (ReadsBits(instruction) && profile_.Grants(Freedom::kNanPayload) &&
          points[0].element_type() != leaves[leaf].element_type()) {
        const absl::StatusOr<Literal> bits = golden_.Evaluate(instruction, {BitsOfNans(points[0])});
        if (!bits.ok()) return bits.status();
        UnconstrainPayloads(*bits, &box);
      }
    }
    boxes.push_back(std::move(box));
  }
  return boxes;
}

// Around the golden value of operands, or around the exact one of sums that are kept in a wider
// type and rounded.
absl::Status InstructionEncloser::WidenPoint(const Instruction& instruction,
                                             absl::Span<const Literal> operands, const Reach& reach,
                                             Box* box) const {
  if (!reach.unrounded.empty()) {
    const absl::StatusOr<ExactSums> exact = radii_.Exact(instruction, operands);
    if (!exact.ok()) return exact.status();
    if (!exact->values.empty()) {
      JoinRoundedSums(*exact, *exact, reach.unrounded, reach.unrounded, box);
      return absl::OkStatus();
    }
  }
  if (!reach.radii.empty()) WidenByRadii(reach.radii, box);
  return absl::OkStatus();
}

absl::Status InstructionEncloser::Elementwise(const PreparedInstruction& prepared, Boxes operands,
                                              Box* box) {
  const auto evaluate = [this, golden = prepared.golden](absl::Span<const Literal* const> values,
                                                         Literal* value) {
    return golden_.EvaluateAt(golden, values, value);
  };
  absl::Status status = ArePoints(operands)
                            ? AtValues(prepared, operands, box)
                            : EncloseElementwise(prepared.instruction, operands, evaluate, box);
  if (!status.ok()) return status;
  const bool special = prepared.rules.HasSpecialPoints(operands);
  const Box exact = special ? *box : Box();
  if (prepared.in_f32 != nullptr) {
    status = JoinNarrowFunction(prepared, operands, box);
    if (!status.ok()) return status;
  }
  prepared.rules.Widen(box);
  if (special) prepared.rules.KeepSpecialPoints(operands, exact, box);
  prepared.rules.KeepInfinities(operands, box);
  prepared.rules.KeepRange(box);
  JoinDecisions(prepared.instruction, operands, prepared.rules.decisions(), box);
  MarkOpen(prepared.instruction, operands, box);
  return absl::OkStatus();
}

// Joins what the function gives in f32, widened by its budget there and by that of the type in
// which it is computed, and rounded once.
absl::Status InstructionEncloser::JoinNarrowFunction(const PreparedInstruction& prepared,
                                                     Boxes operands, Box* box) {
  std::vector<Box> wide;
  for (const Box& operand : operands) wide.push_back(InF32(operand));
  BoxPointers pointers;
  for (const Box& each : wide) pointers.push_back(&each);
  Box kept;
  absl::Status status = OneResult(*prepared.in_f32, Boxes(pointers), &kept);
  if (!status.ok()) return status;
  WidenByNarrowBudget(*prepared.rules.element_rule(), &kept);
  JoinNumbers(RoundedOnce(prepared.instruction.shape().element_type(), profile_, kept), box);
  return absl::OkStatus();
}

// Computes the golden array of operands that are points.
absl::Status InstructionEncloser::AtValues(const PreparedInstruction& prepared, Boxes operands,
                                           Box* box) {
  absl::Status status = golden_.EvaluateAt(prepared.golden, Lows(operands), &box->low);
  box->high = box->low;
  return status;
}

absl::StatusOr<std::vector<Box>> InstructionEncloser::OfBoxes(const PreparedInstruction& prepared,
                                                              Boxes operands) {
  const Instruction& instruction = prepared.instruction;
  absl::Status status = CheckStatic(instruction, operands);
  if (!status.ok()) return status;
  auto evaluate = [&](absl::Span<const Literal> values) {
    return golden_.Evaluate(instruction, values);
  };
  switch (instruction.info().family) {
    case Family::kMovement: {
      std::vector<Box> boxes(1);
      status = Move(prepared, operands, boxes.data());
      if (!status.ok()) return status;
      return boxes;
    }
    case Family::kControl:
    case Family::kRandom:
      return AnythingOf(instruction);
    default:
      break;
  }
  if (IsBatchNorm(instruction.opcode())) {
    std::vector<Box> boxes = EncloseBatchNorm(instruction, operands, profile_);
    for (Box& box : boxes) prepared.rules.Widen(&box);
    return boxes;
  }
  FoldContext context{
      evaluate,
      [&](absl::Span<const Literal> values) {
        return golden_.EvaluateSums(instruction, SumType(instruction), values);
      },
      [&](absl::Span<const Literal> values) {
        return radii_.WithinMagnitudes(instruction, values);
      },
      [&](absl::Span<const Literal> values, const Literal& golden) {
        return radii_.About(instruction, values, 0, golden);
      },
      [&](const Literal& golden, absl::Span<const double> terms,
          absl::Span<const double> magnitudes) {
        SumReach reach =
            SumReachOfFacts({instruction, {&golden, 1}, golden_.evaluate_module(), profile_},
                            golden, terms, magnitudes);
        return Reach{std::move(reach.from_golden), std::move(reach.unrounded)};
      },
      [&](absl::Span<const Literal> values) { return radii_.Exact(instruction, values); }};
  absl::StatusOr<std::vector<Box>> boxes =
      instruction.info().family == Family::kLinearAlgebra
          ? EncloseLinearAlgebra(instruction, operands, profile_, context)
          : EncloseFold(instruction, operands, context);
  if (!boxes.ok()) return boxes;
  for (Box& box : *boxes) prepared.rules.Widen(&box);
  return boxes;
}

// Moves move both ends, and where NaNs may be.
absl::Status InstructionEncloser::Move(const PreparedInstruction& prepared, Boxes operands,
                                       Box* box) {
  const Instruction& instruction = prepared.instruction;
  box->flushed = !operands.empty();
  bool has_nans = false;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (IsIndex(instruction, k)) {
      if (operands[k].is_point()) continue;
      return MoveSomewhere(prepared, operands, box);
    }
    // A bitcast makes denormals of integers.
    box->flushed = box->flushed && operands[k].flushed &&
                   operands[k].low.element_type() == instruction.shape().element_type();
    has_nans = has_nans || operands[k].has_nan();
  }
  if (instruction.opcode() == Opcode::kReshape && !operands[0].shape().is_dynamic() &&
      !instruction.shape().is_dynamic()) {
    Reshape(instruction, operands[0], box);
    return absl::OkStatus();
  }
  if (ArePoints(operands)) return AtValues(prepared, operands, box);
  absl::Status status = CheckStatic(instruction, operands);
  if (!status.ok()) return status;
  const ElementType type = operands[0].low.element_type();
  if (type != instruction.shape().element_type() && ReadsBits(instruction)) {
    *box = Box::Anything(instruction.shape(), &instruction);
    return absl::OkStatus();
  }
  status = golden_.EvaluateAt(prepared.golden, Lows(operands), &box->low);
  if (!status.ok()) return status;
  LiteralPointers highs;
  for (const Box& operand : operands) highs.push_back(&operand.high);
  status = golden_.EvaluateAt(prepared.golden, highs, &box->high);
  if (!status.ok() || !has_nans || box->low.element_type() != type) return status;
  std::vector<Literal> nans;
  for (size_t k = 0; k < operands.size(); ++k) {
    nans.push_back(IsIndex(instruction, k) ? operands[k].low
                   : operands[k].has_nan() ? operands[k].nan
                                           : Literal::Zeros(operands[k].shape()));
  }
  absl::StatusOr<Literal> nan = golden_.Evaluate(instruction, nans);
  if (nan.ok()) box->nan = *std::move(nan);
  return nan.status();
}

// The hull over the places where a slice may start.
absl::Status InstructionEncloser::MoveSomewhere(const PreparedInstruction& prepared, Boxes operands,
                                                Box* box) {
  const Instruction& instruction = prepared.instruction;
  if (absl::Status status = CheckStatic(instruction, operands); !status.ok()) return status;
  std::vector<Box> moved;
  for (const std::vector<Box>& choice : PossibleIndices(instruction, operands)) {
    BoxPointers boxes;
    for (const Box& each : choice) boxes.push_back(&each);
    absl::Status status = meter_.Charge(instruction, instruction.shape().element_count());
    if (!status.ok()) return status;
    status = Move(prepared, Boxes(boxes), &moved.emplace_back());
    if (!status.ok()) return status;
  }
  BoxPointers boxes;
  for (const Box& each : moved) boxes.push_back(&each);
  *box = moved.empty() ? Box::Anything(instruction.shape(), &instruction) : HullOfBoxes(boxes);
  return absl::OkStatus();
}

}  // namespace assay::conformance
