#include "conformance/enclosure/unspecified.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "conformance/judge/element_rule.h"
#include "conformance/judge/fold_parts.h"
#include "conformance/judge/order_freedoms.h"
#include "conformance/judge/rounds.h"
#include "conformance/judge/scatter_windows.h"
#include "conformance/judge/start_values.h"
#include "conformance/judge/window_readings.h"
#include "spec/analysis/isolate.h"
#include "spec/analysis/reducer.h"
#include "spec/analysis/sort_key.h"

namespace assay::conformance {
namespace {

using box_internal::Unbind;

ElementRange RangeAt(const Box& box, int64_t element) {
  const int64_t i = box.low.element_count() == 1 ? 0 : element;
  ElementRange range = ElementRange::Of(box.low.element_type(), box.low.Get(i), box.high.Get(i));
  if (box.has_nan()) {
    const Element nan = box.nan.Get(i);
    range.real.nan = nan.bits != 0;
    range.imag.nan = nan.imag != 0;
  }
  return range;
}

bool MayBeNonFinite(const Box& box) {
  for (int64_t i = 0; i < box.low.element_count(); ++i) {
    if (RangeAt(box, i).MayBeNonFinite()) return true;
  }
  return false;
}

std::vector<ElementRange> StartsOf(Boxes operands) {
  std::vector<ElementRange> starts;
  for (const Box& start : operands.subspan(operands.size() / 2)) {
    if (start.low.is_array()) starts.push_back(RangeAt(start, 0));
  }
  return starts;
}

// The start value of a reduction may count again, or padding be folded.
bool FoldsMoreOrLess(const Instruction& instruction, Boxes operands, const TargetProfile& profile) {
  const Opcode opcode = instruction.opcode();
  if (opcode != Opcode::kReduce && opcode != Opcode::kReduceWindow) return false;
  const std::vector<ElementRange> starts = StartsOf(operands);
  if (profile.Admits(DecisionPoint::kReduceStart) && MayCountStart(instruction, starts)) {
    return true;
  }
  return profile.Admits(DecisionPoint::kWindowPadding) &&
         HasOtherWindowReadings(instruction, starts);
}

// Takes a value into an interval.
void Join(const Line& line, uint64_t bits, Ends* ends) {
  if (line.IsNan(bits) != line.IsNan(ends->low)) {
    if (line.IsNan(ends->low)) Unbind(line, ends);
    ends->nan = true;
  } else if (!line.IsNan(bits)) {
    if (line.Ordinal(bits) < line.Ordinal(ends->low)) ends->low = bits;
    if (line.Ordinal(bits) > line.Ordinal(ends->high)) ends->high = bits;
  }
}

// Updates that meet may be applied in any order, and the order counts.
bool DependsOnOrder(const Computation& region) {
  const analysis::ReducerKind kind = analysis::RecogniseReducer(region).kind;
  return kind == analysis::ReducerKind::kOther || kind == analysis::ReducerKind::kArgMinimum ||
         kind == analysis::ReducerKind::kArgMaximum;
}

bool MayHaveNans(const Box& box) {
  for (int64_t i = 0; i < box.low.element_count(); ++i) {
    const ElementRange range = RangeAt(box, i);
    if (range.real.MayBeNan() || (IsComplex(range.type) && range.imag.MayBeNan())) return true;
  }
  return false;
}

// Returns true if the order of elements that the comparator does not distinguish is visible: other
// operands move with the key, or the key is computed from the element. Encloser::Allow handles
// zeros of both signs.
bool ShowsTies(const Instruction& sort) {
  if (sort.operand_count() > 1) return true;
  const std::optional<analysis::SortKey> key = analysis::RecogniseSortKey(*sort.to_apply());
  return !key || key->function != nullptr;
}

// Returns true if the comparator may put an element before itself, and so defines no order.
bool MayTakeEqual(const Computation& comparator) {
  return std::any_of(
      comparator.instructions().begin(), comparator.instructions().end(), [](const auto& step) {
        if (step->opcode() != Opcode::kCompare) return false;
        const auto direction = step->template GetEnum<ComparisonDirection>(Attr::kDirection);
        return direction == ComparisonDirection::kLe || direction == ComparisonDirection::kGe;
      });
}

// Returns true if two elements may be equal when denormals count as zero and different when they do
// not.
bool MayHaveFlushedTies(const Box& keys, const TargetProfile& profile) {
  const ElementType type = keys.low.element_type();
  if (!profile.MayFlushOperands(type)) return false;
  const double normal = SmallestNormal(Info(type).component);
  int64_t small = 0, denormal = 0;
  for (int64_t i = 0; i < keys.low.element_count(); ++i) {
    const ElementRange range = RangeAt(keys, i);
    const auto end = [](const PartRange& part, uint64_t bits) {
      return DecodeFloat(part.type, bits);
    };
    for (const PartRange* part : {&range.real, &range.imag}) {
      if (part == &range.imag && !IsComplex(type)) break;
      const double low = end(*part, part->low), high = end(*part, part->high);
      if (!(low < normal && high > -normal)) continue;
      ++small;
      denormal += low != 0 || high != 0;
    }
  }
  return denormal > 0 && small > 1;
}

// Returns true if any permutation is permitted, also for a stable sort: the comparator compares
// floats with a NaN, or puts an element before itself.
bool IsOpenOrder(const Instruction& sort, Boxes operands) {
  const Computation& comparator = *sort.to_apply();
  if (!sort.GetBool(Attr::kIsStable) && ShowsTies(sort)) return true;
  if (MayTakeEqual(comparator)) return true;
  if (OrdersNans(comparator)) return false;
  const std::set<int64_t> keys = KeysOf(comparator);
  return std::any_of(keys.begin(), keys.end(),
                     [&](int64_t key) { return MayHaveNans(operands[key]); });
}

// A fold that selects may return any of the elements that it treats as equal (structural 5.1).
bool PicksAny(const Instruction& reduce, Boxes operands) {
  switch (analysis::RecogniseReducer(*reduce.to_apply()).kind) {
    case analysis::ReducerKind::kOther:
      return Picks(*reduce.to_apply());
    case analysis::ReducerKind::kArgMinimum:
    case analysis::ReducerKind::kArgMaximum:
      return MayHaveNans(operands[0]);
    default:
      return false;
  }
}

}  // namespace

bool IsUnspecified(const Instruction& instruction, Boxes operands, const TargetProfile& profile) {
  // This follows the judge: the parts into which the fold can be split, and its flat form.
  for (const FoldPart& part : PartsOfFold(instruction)) {
    BoxPointers own;
    for (const int64_t k : part.operands) own.push_back(&operands[k]);
    if (IsUnspecified(*part.module->entry()->root(), Boxes(own), profile)) return true;
  }
  if (const std::unique_ptr<Module> flat = analysis::FlattenRegions(instruction)) {
    return IsUnspecified(*flat->entry()->root(), operands, profile);
  }
  if (instruction.info().accuracy == Accuracy::kRandom ||
      instruction.info().accuracy == Accuracy::kOpaque) {
    return true;
  }
  if (FoldsMoreOrLess(instruction, operands, profile)) return true;
  if (PadsConvolution(instruction) && profile.Admits(DecisionPoint::kConvolutionPadding) &&
      MayBeNonFinite(operands[1])) {
    return true;
  }
  if (SelectionMayDiffer(instruction, profile)) return true;
  if (instruction.opcode() == Opcode::kIota && profile.Admits(DecisionPoint::kZeroScale) &&
      instruction.shape().element_type() == ElementType::kF8E8M0FNU) {
    return true;  // its zeros
  }
  if (instruction.opcode() == Opcode::kScatter && profile.Admits(DecisionPoint::kScatterWindows)) {
    const Box& indices = operands[operands.size() / 2];
    // Unknown indices make the result unconstrained anyway.
    if (indices.is_point() && HasPartialWindows(instruction, indices.low)) return true;
  }
  if (profile.Grants(Freedom::kScatterOrder) && instruction.opcode() == Opcode::kScatter &&
      !instruction.GetBool(Attr::kUniqueIndices)) {
    return DependsOnOrder(*instruction.to_apply());
  }
  const bool folds =
      instruction.opcode() == Opcode::kReduce || instruction.opcode() == Opcode::kReduceWindow;
  if (folds && profile.Grants(Freedom::kReassociation) && PicksAny(instruction, operands)) {
    return true;
  }
  if (instruction.opcode() == Opcode::kSort) {
    for (const int64_t key : KeysOf(*instruction.to_apply())) {
      if (MayHaveFlushedTies(operands[key], profile)) return true;
      if (profile.Grants(Freedom::kNanPayload) && OrdersMadeNans(instruction, profile) &&
          MayHaveNans(operands[key])) {
        return true;
      }
    }
  }
  if (instruction.opcode() == Opcode::kTopK && profile.Grants(Freedom::kNanPayload) &&
      OrdersMadeNans(instruction, profile) && MayHaveNans(operands[0])) {
    return true;
  }
  if (profile.Grants(Freedom::kUnstableOrder)) {
    if (instruction.opcode() == Opcode::kSort) return IsOpenOrder(instruction, operands);
    if (instruction.opcode() == Opcode::kTopK) return !instruction.GetBool(Attr::kIsStable);
  }
  return false;
}

std::optional<Box> MissingStartOf(const Instruction& instruction, Boxes operands,
                                  const TargetProfile& profile) {
  const Opcode opcode = instruction.opcode();
  if ((opcode != Opcode::kReduce && opcode != Opcode::kReduceWindow) || operands.size() != 2 ||
      !profile.Admits(DecisionPoint::kReduceStart)) {
    return std::nullopt;
  }
  const std::unique_ptr<Module> flat = analysis::FlattenRegions(instruction);
  const std::optional<Element> neutral =
      MissingStart(flat == nullptr ? instruction : *flat->entry()->root(), RangeAt(operands[1], 0));
  if (!neutral) return std::nullopt;
  Literal start = Literal::Zeros(operands[1].shape());
  start.Set(0, *neutral);
  return Box::Point(std::move(start));
}

void JoinDecisions(const Instruction& instruction, Boxes operands,
                   absl::Span<const DecisionRule* const> rules, Box* result) {
  if (rules.empty()) return;
  const ElementType type = result->low.element_type();
  bool decided = false;
  std::vector<ElementRange> ranges(operands.size());
  UpdateParts(
      [&](const Line& line, Place place, Ends* ends) {
        for (size_t k = 0; k < operands.size(); ++k)
          ranges[k] = RangeAt(operands[k], place.element);
        const DecisionPlace at{instruction, type, ranges};
        for (const DecisionRule* rule : rules) {
          if (rule->open != nullptr && !rule->open(at)) continue;
          if (rule->readings == nullptr) {
            Unbind(line, ends);
            decided = true;
            return;
          }
          for (const uint64_t end : {ranges[0].real.low, ranges[0].real.high}) {
            for (const uint64_t bits : rule->readings(at, end)) Join(line, bits, ends);
          }
        }
      },
      result);
  if (decided && result->open == nullptr) result->open = &instruction;
}

Literal BitsOfNans(const Literal& values) {
  Literal bits = Literal::Zeros(values.shape());
  const ElementType type = values.element_type(), part = Info(type).component;
  if (!IsFloat(part)) return bits;
  const uint64_t all = ~uint64_t{0} >> (64 - Info(part).bits);
  for (int64_t i = 0; i < values.element_count(); ++i) {
    const Element element = values.Get(i);
    const bool nan = IsNan(part, element.bits) || (IsComplex(type) && IsNan(part, element.imag));
    if (nan) bits.Set(i, {all, IsComplex(type) ? all : 0});
  }
  return bits;
}

void UnconstrainPayloads(const Literal& bits, Box* box) {
  UnconstrainWhere(
      [&](const auto&, Place place, const Ends&) {
        const Element element = bits.Get(place.element);
        return element.bits != 0 || element.imag != 0;
      },
      box);
}

void UnconstrainNanOrder(const Instruction& instruction, Boxes operands,
                         const TargetProfile& profile, Box* result) {
  if (instruction.opcode() != Opcode::kCompare || !profile.Grants(Freedom::kNanPayload) ||
      !OrdersMadeNans(instruction, profile)) {
    return;
  }
  UnconstrainWhere(
      [&](const auto&, Place place, const Ends&) {
        return std::any_of(operands.begin(), operands.end(), [&](const Box& operand) {
          return RangeAt(operand, place.element).real.MayBeNan();
        });
      },
      result);
}

void UnconstrainOverflows(const Instruction& instruction, Boxes operands,
                          const TargetProfile& profile, Box* result) {
  if (!result->low.is_array()) return;
  const ElementType type = result->low.element_type();
  if (!IsFloat(type) || Info(type).format->overflow != Overflow::kNan ||
      instruction.info().accuracy == Accuracy::kExact ||
      !(profile.Grants(Freedom::kExcessPrecision) || profile.Grants(Freedom::kReassociation))) {
    return;
  }
  const bool elementwise = instruction.info().elementwise();
  if (elementwise && ElementRule(instruction, type, profile).strict()) return;
  UnconstrainWhere(
      [&](const auto& line, Place place, const Ends& ends) {
        return line.IsNan(ends.low) &&
               !(elementwise &&
                 std::any_of(operands.begin(), operands.end(), [&](const Box& operand) {
                   return IsNanForCertain(operand, place.element);
                 }));
      },
      result);
}

}  // namespace assay::conformance
