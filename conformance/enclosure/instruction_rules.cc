#include "conformance/enclosure/instruction_rules.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "conformance/enclosure/excess_precision.h"
#include "conformance/enclosure/interval.h"
#include "conformance/enclosure/word_loops.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/order_freedoms.h"
#include "conformance/judge/rounds.h"

namespace assay::conformance {
namespace {

ElementType PartType(const Box& box) { return Info(box.low.element_type()).component; }

// The largest absolute value that an element may have, or the largest number if that is infinite:
// all beyond have its unit.
double SizeOf(const Box& box, int64_t i) {
  const ElementType part = PartType(box);
  const auto size = [part](uint64_t low, uint64_t high) {
    return std::max(std::fabs(DecodeFloat(part, low)), std::fabs(DecodeFloat(part, high)));
  };
  const Element low = box.low.Get(i), high = box.high.Get(i);
  const double real = size(low.bits, high.bits);
  const bool complex = IsComplex(box.low.element_type());
  return std::min(complex ? std::hypot(real, size(low.imag, high.imag)) : real,
                  DecodeFloat(part, MaxFinite(part)));
}

// What a rule allows around exact values, each part of which lies within half a unit of golden's.
// An exact value may lie past a power of two that golden's does not reach.
std::vector<double> RadiiOfRule(const ElementRule& rule, const Box& box) {
  std::vector<double> radii(box.low.element_count(), 0.0);
  for (int64_t i = 0; i < box.low.element_count(); ++i) {
    const double size = SizeOf(box, i), unit = UlpOf(PartType(box), size);
    radii[i] = rule.BoundAt(size + unit) + unit / 2;
  }
  return radii;
}

// The least natural logarithm of |f| + 1 of an exponential on an element's intervals; minus
// infinity if the intervals do not tell.
double LeastLogarithm(Opcode opcode, const Interval& x, const Interval& y) {
  switch (opcode) {
    case Opcode::kExp:
    case Opcode::kExpm1:
      return x.low;
    case Opcode::kCosh:
    case Opcode::kSinh:
      return x.least_magnitude() - std::numbers::ln2;
    case Opcode::kPower:
      return x.low > 0 ? (y * Logarithm(x)).low : -kInfinity;
    default:
      return -kInfinity;
  }
}

bool IsExponential(Opcode opcode) {
  return LeastLogarithm(opcode, Interval::Point(1), Interval::Point(1)) > -kInfinity;
}

// The natural logarithm of exact values from which on nothing finite is within the rule's reach,
// rounded upwards.
double OverflowLogarithm(const ElementRule& rule, ElementType type) {
  const double largest = DecodeFloat(type, MaxFinite(type));
  const double reach = (rule.BoundAt(largest) + 2 * UlpOf(type, largest) + 1) / largest;
  return (std::log(largest) + std::log1p(reach)) * (1 + 0x1p-50);
}

// The interval of a float element; one element stands for all.
Interval IntervalOf(const Box& box, int64_t element) {
  const int64_t i = box.low.element_count() == 1 ? 0 : element;
  const ElementType type = box.low.element_type();
  return {DecodeFloat(type, box.low.Get(i).bits), DecodeFloat(type, box.high.Get(i).bits)};
}

bool OverflowsToNan(const Shape& leaf) {
  return leaf.is_array() && IsFloat(leaf.element_type()) &&
         Info(leaf.element_type()).format->overflow == Overflow::kNan;
}

// Operands of the type, or what it is kept in.
bool FlushesOperands(ElementType type, const TargetProfile& profile) {
  if (!IsRounded(type)) return false;
  return profile.MayFlushOperands(type) ||
         (IsEnclosedInF32(type) && profile.MayFlushOperands(ElementType::kF32));
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
          evaluator::FoldKind(instruction) == analysis::ReducerKind::kAdd);
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
    // The sign of a complex number is a quotient.
    if (info.accuracy == Accuracy::kFunction || info.accuracy == Accuracy::kRounded ||
        (instruction.opcode() == Opcode::kSign && IsComplex(type_))) {
      rule_.emplace(instruction, type_, profile);
      is_narrow_function_ = IsEnclosedInF32(type_) && !rule_->strict();
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
  keeps_infinities_ = rule_ && slack_.units > 0 && IsFloat(type_) &&
                      (instruction.operand_count() == 1 || IsExponential(instruction.opcode())) &&
                      Info(type_).format->has_infinity && HasBudgetInUnits() &&
                      !profile.Grants(Freedom::kExcessPrecision);
}

Slack InstructionRules::FindSlack(ElementType type) const {
  Slack slack;
  if (!IsFloat(type) && !IsComplex(type)) return slack;
  // Golden is within half a unit of the exact value. Below a power of two there are twice as many
  // values: a part of a unit counts as one. Functions of 8 bits are computed in a wider type.
  if (rule_ && HasBudgetInUnits() && !is_narrow_function_) {
    constexpr double kMostUnits = 0x1p60;  // more than any type has values on one side
    slack.units = static_cast<int64_t>(std::min(std::ceil(rule_->budget().ulps), kMostUnits));
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

bool InstructionRules::HasBudgetInUnits() const {
  return !rule_->has_tolerance() && !IsComplex(type_) && rule_->budget().absolute == 0;
}

void InstructionRules::WidenByRule(Box* box) const {
  if (rule_->strict() || is_narrow_function_ || HasBudgetInUnits()) return;
  WidenByRadii(RadiiOfRule(*rule_, *box), box);
}

bool InstructionRules::HasSpecialPoints(Boxes operands) const {
  if (!rule_ || rule_->strict() || !IsFloat(type_) || operands.size() != 1) return false;
  const Literal& values = operands[0].low;
  const Opcode opcode = instruction_.opcode();
  if (!IsFloat(values.element_type()) || !HasSpecialPoint(opcode)) return false;
  std::vector<double> points(values.element_count());
  DecodeFloats(values.element_type(), values.data(), values.element_count(), points.data());
  return std::any_of(points.begin(), points.end(), [opcode](double point) {
    return (point == 0 || point == 1) && IsSpecialPoint(opcode, point);
  });
}

void InstructionRules::KeepSpecialPoints(Boxes operands, const Box& exact, Box* box) const {
  const Literal &lows = operands[0].low, &highs = operands[0].high;
  UpdateParts(
      [&](const auto& line, Place place, Ends* ends) {
        const uint64_t operand = lows.Get(place.element).bits;
        if (operand != highs.Get(place.element).bits ||
            !IsSpecialPoint(instruction_.opcode(), DecodeFloat(lows.element_type(), operand))) {
          return;
        }
        ends->low = exact.low.Get(place.element).bits;
        ends->high = exact.high.Get(place.element).bits;
        if (!slack_.zeros || !line.signed_zero()) return;
        if (ends->low == 0) ends->low = line.Bits(-1);
        if (ends->high == line.Bits(-1)) ends->high = 0;
      },
      box);
}

void InstructionRules::KeepRange(Box* box) const {
  if (!rule_ || rule_->strict() || !IsFloat(type_) || rule_->is_of_complex()) return;
  const FunctionRange range = RangeOf(instruction_.opcode(), type_);
  if (!range.bounded()) return;
  const Extent extent = ExtentOf(*box);
  const Line& all = Line::Of(type_);
  const auto value = [&](int64_t place) { return DecodeFloat(type_, all.Bits(place)); };
  if (!extent.nan && extent.least > all.least() && extent.greatest < all.greatest() &&
      value(extent.least) >= range.low && value(extent.greatest) <= range.high) {
    return;
  }
  UpdateParts(
      [&](const auto& line, Place, Ends* ends) {
        const bool unbounded =
            line.Ordinal(ends->low) <= line.least() && line.Ordinal(ends->high) >= line.greatest();
        if (line.IsNan(ends->low) || unbounded) return;
        if (DecodeFloat(line.type(), ends->low) < range.low) {
          ends->low = range.low == 0 && line.signed_zero() ? line.Bits(-1)
                                                           : EncodeFloat(line.type(), range.low);
        }
        if (!(DecodeFloat(line.type(), ends->high) > range.high)) return;
        const uint64_t nearest = EncodeFloat(line.type(), range.high);
        const bool beyond = DecodeFloat(line.type(), nearest) > range.high;
        ends->high = beyond ? line.Bits(line.Ordinal(nearest) - 1) : nearest;
      },
      box);
}

void InstructionRules::KeepInfinities(Boxes operands, Box* box) const {
  if (!keeps_infinities_ || !IsFloat(operands[0].low.element_type())) return;
  const Extent extent = ExtentOf(*box);
  const Line& all = Line::Of(type_);
  if (!extent.nan && extent.least > all.least() && extent.greatest < all.greatest()) return;
  const double beyond = OverflowLogarithm(*rule_, type_);
  UpdateParts(
      [&](const auto& line, Place place, Ends* ends) {
        if (line.IsNan(ends->low)) return;
        const Interval x = IntervalOf(operands[0], place.element);
        const Interval y = operands.size() > 1 ? IntervalOf(operands[1], place.element) : x;
        // Only an exponential overflows. In all other functions an infinite value is exact: of one
        // number, not of zeros of both signs.
        const bool is_infinite =
            IsExponential(instruction_.opcode())
                ? LeastLogarithm(instruction_.opcode(), x, y) > beyond
                : x.low == x.high && std::signbit(x.low) == std::signbit(x.high);
        if (!is_infinite) return;
        if (line.Ordinal(ends->high) == line.greatest()) ends->low = ends->high;
        if (line.Ordinal(ends->low) == line.least()) ends->high = ends->low;
      },
      box);
}

void InstructionRules::Widen(Box* box) const {
  if (rule_) WidenByRule(box);
  const ElementType type = box->low.element_type();
  const Slack slack = type == type_ ? slack_ : FindSlack(type);
  if (slack.units > 0 || slack.zeros || slack.flushed) Loosen(slack, box);
}

}  // namespace assay::conformance
