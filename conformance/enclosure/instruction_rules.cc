#include "conformance/enclosure/instruction_rules.h"

#include <algorithm>
#include <cmath>

#include "conformance/enclosure/kept_types.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/order_freedoms.h"
#include "conformance/judge/rounds.h"

namespace assay {
namespace {

ElementType PartType(const Box& box) { return Info(box.low.element_type()).component; }

// The largest absolute value that an element may have.
double SizeOf(const Box& box, int64_t i) {
  const ElementType part = PartType(box);
  const auto size = [part](uint64_t low, uint64_t high) {
    return std::max(std::fabs(DecodeFloat(part, low)), std::fabs(DecodeFloat(part, high)));
  };
  const Element low = box.low.Get(i), high = box.high.Get(i);
  const double real = size(low.bits, high.bits);
  return IsComplex(box.low.element_type()) ? std::hypot(real, size(low.imag, high.imag)) : real;
}

// Of complex values: so many ulps of their absolute value, twice because they may lie below a
// power of two.
std::vector<double> Normwise(double ulps, const Box& box) {
  std::vector<double> radii(box.low.element_count(), 0.0);
  if (ulps == 0) return radii;
  for (int64_t i = 0; i < box.low.element_count(); ++i) {
    radii[i] = 2 * (ulps + 0.5) * UlpOf(PartType(box), SizeOf(box, i));
  }
  return radii;
}

// What the instruction's own result_accuracy allows around exact values, which lie within half a
// unit of golden's.
std::vector<double> Tolerated(const ElementRule& rule, const Box& box) {
  std::vector<double> radii(box.low.element_count(), 0.0);
  for (int64_t i = 0; i < box.low.element_count(); ++i) {
    const double unit = UlpOf(PartType(box), SizeOf(box, i));
    radii[i] = rule.BoundAt(SizeOf(box, i) + unit) + unit;
  }
  return radii;
}

bool OverflowsToNan(const Shape& leaf) {
  return leaf.is_array() && IsFloat(leaf.element_type()) &&
         Info(leaf.element_type()).format->overflow == Overflow::kNan;
}

// Operands of the type, or what it is kept in.
bool FlushesOperands(ElementType type, const TargetProfile& profile) {
  if (!IsRounded(type)) return false;
  return profile.MayFlushOperands(type) ||
         (IsKept(type) && profile.MayFlushOperands(ElementType::kF32));
}

// A sort whose keys may be zeros of either sign, which are equal but in the total order.
bool MayTakeEitherZero(const Instruction& instruction, const TargetProfile& profile) {
  return instruction.opcode() == Opcode::kSort && profile.Grants(Freedom::kUnstableOrder) &&
         !instruction.GetBool(Attr::kIsStable) && !OrdersNans(*instruction.to_apply());
}

// Sums that are zero are exact, however wide they are kept: no sum underflows.
bool Adds(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kAdd || instruction.opcode() == Opcode::kSubtract ||
         (instruction.info().family != Family::kContraction &&
          FoldKind(instruction) == ReducerKind::kAdd);
}

}  // namespace

InstructionRules::InstructionRules(const Instruction& instruction, const TargetProfile& profile)
    : instruction_(instruction),
      profile_(profile),
      may_flush_(MayFlush(instruction)),
      type_(instruction.shape().element_type()) {
  const OpInfo& info = instruction.info();
  // Elementwise operations and moves leave elements to the target one by one.
  may_be_unspecified_ = info.accuracy == Accuracy::kRandom || info.accuracy == Accuracy::kOpaque ||
                        !(info.elementwise() || info.family == Family::kMovement) ||
                        instruction.opcode() == Opcode::kIota;
  for (const Instruction* operand : instruction.operands()) {
    for (const Shape* leaf : Leaves(operand->shape())) {
      if (may_flush_ && leaf->is_array() && FlushesOperands(leaf->element_type(), profile)) {
        flushes_operands_ = true;
      }
    }
  }
  for (const Shape* leaf : Leaves(instruction.shape())) {
    if (OverflowsToNan(*leaf)) may_overflow_to_nan_ = true;
  }
  if (info.elementwise()) {
    if (info.accuracy == Accuracy::kFunction || info.accuracy == Accuracy::kRounded) {
      rule_.emplace(instruction, type_, profile);
    }
    const ElementType operand =
        instruction.operand_count() > 0 ? instruction.operand(0)->shape().element_type() : type_;
    for (const DecisionRule& rule : DecisionRules()) {
      if (instruction.operand_count() > 0 && rule.concerns(instruction, operand, type_) &&
          profile.Admits(rule.point)) {
        decisions_.push_back(&rule);
      }
    }
  }
  if (instruction.shape().is_array()) slack_ = FindSlack(type_);
}

Slack InstructionRules::FindSlack(ElementType type) const {
  Slack slack;
  if (!IsFloat(type) && !IsComplex(type)) return slack;
  // Golden is within half a unit of the exact value, and so is the last rounding of a type of 8
  // bits, which is computed in a wider one: its budget is a small part of a unit.
  if (rule_ && !rule_->has_tolerance() && !IsComplex(type) && rule_->budget().ulps > 0) {
    constexpr double kMostUnits = 0x1p60;  // more than any type has values on one side
    slack.units =
        Info(type).bits < 16
            ? 1
            : static_cast<int64_t>(std::min(std::ceil(rule_->budget().ulps + 0.5), kMostUnits));
  }
  slack.zeros = (profile_.Grants(Freedom::kSignedZero) && may_flush_) ||
                MayTakeEitherZero(instruction_, profile_);
  if (instruction_.info().accuracy != Accuracy::kExact) {
    if (profile_.Grants(Freedom::kExcessPrecision) ||
        (profile_.Grants(Freedom::kContraction) && instruction_.opcode() == Opcode::kMultiply)) {
      ++slack.units;
    }
  }
  slack.exact_zeros = Adds(instruction_);
  slack.flushed = profile_.MayFlushResults(Info(type).component) && may_flush_;
  slack.rounded = true;
  return slack;
}

void InstructionRules::WidenByRule(Box* box) const {
  const double absolute = rule_->budget().absolute;
  if (rule_->has_tolerance()) return WidenByRadii(Tolerated(*rule_, *box), box);
  if (IsComplex(type_)) WidenByRadii(Normwise(rule_->budget().ulps, *box), box);
  if (absolute != 0) {
    WidenByRadii(std::vector<double>(box->low.element_count(), absolute), box);
  }
}

void InstructionRules::Widen(Box* box) const {
  if (rule_) WidenByRule(box);
  const ElementType type = box->low.element_type();
  const Slack slack = type == type_ ? slack_ : FindSlack(type);
  if (slack.units > 0 || slack.zeros || slack.flushed) Loosen(slack, box);
}

}  // namespace assay
