#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/enclosure/enclosure.h"
#include "conformance/enclosure/moved_nans.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/comparison.h"
#include "conformance/judge/evidence.h"
#include "conformance/judge/given_nans.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

// Returns true if the unconstrained value is a decision (an order, a position, an iteration, a
// truth value or an integer) and not the value of a float function.
bool Decides(const Instruction& instruction) {
  const Family family = instruction.info().family;
  if (family == Family::kControl || family == Family::kIndexing ||
      instruction.opcode() == Opcode::kSort) {
    return true;
  }
  const Shape& shape = instruction.shape();
  return shape.is_tuple() ||
         (shape.is_array() && !IsFloat(shape.element_type()) && !IsComplex(shape.element_type()));
}

// Judges one leaf of the result.
class LeafJudge {
 public:
  LeafJudge(const Box& box, const Literal& golden, const Literal& actual, int64_t leaf, bool drawn,
            Judgement* judgement)
      : box_(box),
        golden_(golden),
        actual_(actual),
        type_(golden.element_type()),
        part_(Info(type_).component),
        line_(part_),
        leaf_(leaf),
        drawn_(drawn),
        judgement_(*judgement) {}

  void Run() {
    for (int64_t i = 0; i < golden_.element_count(); ++i) {
      const Element wanted = golden_.Get(i), got = actual_.Get(i);
      const Element nan = box_.has_nan() ? box_.nan.Get(i) : Element{};
      const Element low = box_.low.Get(i), high = box_.high.Get(i);
      const Element given = box_.given.is_array() ? box_.given.Get(i) : Element{};
      Verdict verdict = OfPart(wanted.bits, got.bits, {low.bits, high.bits, nan.bits != 0},
                               static_cast<NanMark>(given.bits));
      if (IsComplex(type_)) {
        verdict =
            std::max(verdict, OfPart(wanted.imag, got.imag, {low.imag, high.imag, nan.imag != 0},
                                     static_cast<NanMark>(given.imag)));
      }
      ++judgement_.counts[static_cast<int>(verdict)];
      if (verdict == Verdict::kAllowed) {
        ++judgement_.freedoms[static_cast<int>(Freedom::kNanPayload)];
      }
      judgement_.verdict = std::max(judgement_.verdict, verdict);
      if (verdict == Verdict::kNotJudgeable) AddReason();
      if (verdict >= Verdict::kNotJudgeable) AddEvidence(verdict, i, low, high);
    }
  }

 private:
  // `given` says what is known of the golden part if it is a NaN.
  Verdict OfPart(uint64_t wanted, uint64_t got, const Ends& ends, NanMark given) {
    const auto& [low, high, nan] = ends;
    if (IsFloat(part_) && !IsNan(part_, wanted) && !IsNan(part_, got)) {
      const uint64_t distance = UlpDistance(part_, wanted, got);
      judgement_.largest_distance = std::max(judgement_.largest_distance, distance);
      ++judgement_.histogram[UlpBucket(distance)];
    }
    const bool nans = line_.IsNan(wanted) && line_.IsNan(got);
    if (nans && !IsKnownNan(wanted, got, given)) return Verdict::kWrong;
    if (wanted == got) {
      return low == high && !nan ? Verdict::kExact : Verdict::kCorrectlyRounded;
    }
    if (nans) return Verdict::kAllowed;  // kNanPayload
    if (line_.IsNan(low)) return Verdict::kWrong;
    const bool everything =
        line_.Ordinal(low) == line_.least() && line_.Ordinal(high) == line_.greatest();
    const bool unknown = !drawn_ && (IsFloat(part_) ? everything : low != high);
    if (line_.IsNan(got)) {
      if (!nan) return Verdict::kWrong;
      return unknown ? Verdict::kNotJudgeable : Verdict::kWithinBound;
    }
    const int64_t ordinal = line_.Ordinal(got);
    if (ordinal < line_.Ordinal(low) || ordinal > line_.Ordinal(high)) {
      return Verdict::kWrong;
    }
    if (unknown) return Verdict::kNotJudgeable;
    TakeFraction(wanted, got, low, high);
    return Verdict::kWithinBound;
  }

  bool IsKnownNan(uint64_t wanted, uint64_t got, NanMark given) const {
    switch (given) {
      case NanMark::kUnknown:
        return true;
      case NanMark::kBits:
        return IsMovedNan(part_, wanted, got, /*loses_payload=*/false);
      case NanMark::kSign:
        return IsNegative(part_, wanted) == IsNegative(part_, got);
    }
    return true;
  }

  void TakeFraction(uint64_t wanted, uint64_t got, uint64_t low, uint64_t high) {
    const double exact = DecodeFloat(part_, wanted), value = DecodeFloat(part_, got);
    const double reach =
        value < exact ? exact - DecodeFloat(part_, low) : DecodeFloat(part_, high) - exact;
    if (!(reach > 0) || !std::isfinite(reach)) return;
    judgement_.largest_fraction =
        std::max(judgement_.largest_fraction, std::fabs(value - exact) / reach);
  }

  void AddReason() {
    const std::string reason =
        box_.open == nullptr ? "nothing follows from the intervals of what it is computed from"
        : Decides(*box_.open)
            ? absl::StrCat("a decision lies inside the interval at ", box_.open->Describe())
            : absl::StrCat("nothing follows from the intervals of the operands of ",
                           box_.open->Describe());
    auto& reasons = judgement_.reasons;
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(reason);
    }
  }

  void AddEvidence(Verdict verdict, int64_t position, Element low, Element high) {
    // What is wrong stands before what is not judgeable, and takes its place where there is no
    // room.
    auto& kept = judgement_.evidence;
    const auto place =
        std::find_if(kept.begin(), kept.end(),
                     [verdict](const Evidence& each) { return each.verdict < verdict; }) -
        kept.begin();
    if (place >= kShownEvidence) return;
    if (kept.size() == kShownEvidence) kept.pop_back();
    ElementFinding finding;
    finding.verdict = verdict;
    const std::string first = PrintElement(type_, low), last = PrintElement(type_, high);
    finding.reason = first == last
                         ? absl::StrCat("the only conforming value is ", first)
                         : absl::StrCat("a conforming value lies between ", first, " and ", last);
    kept.insert(kept.begin() + place, MakeEvidence(finding, golden_, actual_, leaf_, position));
  }

  const Box& box_;
  const Literal& golden_;
  const Literal& actual_;
  const ElementType type_, part_;
  const Line line_;
  const int64_t leaf_;
  const bool drawn_;
  Judgement& judgement_;
};

// The part of a box within the current sizes of its array.
Box ValidPart(const Box& box) {
  Box valid = box;
  valid.low = ValidBox(box.low);
  valid.high = ValidBox(box.high);
  if (box.has_nan()) valid.nan = ValidBox(box.nan);
  valid.given = {};
  return valid;
}

// Current sizes are judged where the encloser knows them; it does not where they follow from an
// interval.
void JudgeDynamicLeaf(const Box& box, const Literal& golden, const Literal& actual, int64_t leaf,
                      Judgement* judgement) {
  if (box.low.current_sizes() != golden.current_sizes()) {
    judgement->verdict = std::max(judgement->verdict, Verdict::kNotJudgeable);
    judgement->counts[static_cast<int>(Verdict::kNotJudgeable)] += golden.element_count();
    judgement->reasons.push_back("a current size follows from an interval");
    return;
  }
  if (golden.current_sizes() == actual.current_sizes()) {
    LeafJudge(ValidPart(box), ValidBox(golden), ValidBox(actual), leaf, /*drawn=*/false, judgement)
        .Run();
    return;
  }
  CountOtherSizes(golden, actual, leaf, judgement);
}

}  // namespace

absl::StatusOr<Judgement> JudgeWhole(const BoxTree& enclosure, const Literal& golden,
                                     const Literal& actual, absl::Span<const int64_t> drawn) {
  if (!Shape::Compatible(golden.shape(), actual.shape())) {
    return absl::InvalidArgumentError(absl::StrCat("a result of shape ", actual.shape().ToString(),
                                                   " where ", golden.shape().ToString(),
                                                   " is wanted"));
  }
  BoxPointers boxes;
  enclosure.AppendLeaves(&boxes);
  const std::vector<Literal> wanted = Flatten(golden), got = Flatten(actual);
  Judgement judgement;
  judgement.rule = "interval of the program";
  for (size_t leaf = 0; leaf < wanted.size(); ++leaf) {
    if (!wanted[leaf].is_array()) continue;
    if (wanted[leaf].shape().is_dynamic()) {
      JudgeDynamicLeaf(*boxes[leaf], wanted[leaf], got[leaf], static_cast<int64_t>(leaf),
                       &judgement);
      continue;
    }
    const auto number = static_cast<int64_t>(leaf);
    const bool is_drawn = std::find(drawn.begin(), drawn.end(), number) != drawn.end();
    LeafJudge(*boxes[leaf], wanted[leaf], got[leaf], number, is_drawn, &judgement).Run();
  }
  return judgement;
}

}  // namespace assay::conformance
