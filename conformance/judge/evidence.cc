#include "conformance/judge/evidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/judge/gathered_elements.h"
#include "spec/ir/row_major.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

std::string Bits(ElementType type, Element element) {
  const int digits = std::max(1, Info(Info(type).component).bits / 4);
  const auto word = [digits](uint64_t bits) { return absl::StrFormat("0x%0*x", digits, bits); };
  return IsComplex(type) ? absl::StrCat(word(element.bits), ", ", word(element.imag))
                         : word(element.bits);
}

// Steps between the two, of complex elements of the farther part; none: one is a NaN.
std::optional<uint64_t> Steps(ElementType type, Element golden, Element actual) {
  const ElementType part = Info(type).component;
  if (!IsFloat(part) || IsNan(part, golden.bits) || IsNan(part, actual.bits)) return std::nullopt;
  uint64_t steps = UlpDistance(part, golden.bits, actual.bits);
  if (IsComplex(type) && !IsNan(part, golden.imag) && !IsNan(part, actual.imag)) {
    steps = std::max(steps, UlpDistance(part, golden.imag, actual.imag));
  }
  return steps;
}

std::string SizesText(const Literal& literal) {
  return absl::StrCat("sizes [", absl::StrJoin(literal.current_sizes(), ","), "]");
}

}  // namespace

Evidence MakeEvidence(const ElementFinding& finding, const Literal& golden, const Literal& actual,
                      int64_t leaf, int64_t position) {
  const ElementType type = golden.element_type();
  const Element wanted = golden.Get(position), got = actual.Get(position);
  Evidence evidence;
  evidence.verdict = finding.verdict;
  evidence.leaf = leaf;
  evidence.position = position;
  const Dimensions index = RowMajorIndex(position, golden.shape().dimensions());
  evidence.index.assign(index.begin(), index.end());
  evidence.golden = PrintElement(type, wanted);
  evidence.actual = PrintElement(type, got);
  evidence.golden_bits = Bits(type, wanted);
  evidence.actual_bits = Bits(type, got);
  if (finding.measured) {
    evidence.bound = finding.bound;
    if (std::isfinite(finding.distance)) evidence.distance = finding.distance;
  }
  evidence.reason = finding.reason;
  return evidence;
}

void Claim(const TargetProfile& profile, Freedom freedom, ElementFinding* finding) {
  if (profile.Grants(freedom)) {
    finding->verdict = Verdict::kAllowed;
    finding->freedom = freedom;
    finding->reason.clear();
  } else if (finding->reason.empty()) {
    finding->reason = absl::StrCat("needs the permitted deviation ", FreedomName(freedom),
                                   ", which ", profile.name(), " does not grant");
  }
}

void Decide(const TargetProfile& profile, DecisionPoint point, ElementFinding* finding) {
  if (const std::string* known = profile.KnownDeviation(point)) {
    finding->verdict = Verdict::kKnownDeviation;
    finding->deviation = absl::StrCat(DecisionPointName(point), " (", *known, ")");
    finding->reason.clear();
  } else if (profile.Admits(point)) {
    Claim(profile, Freedom::kImplementationDefined, finding);
  } else {
    finding->reason =
        absl::StrCat("decides ", DecisionPointName(point), " (", DecisionPointMeaning(point),
                     "), which ", profile.name(), " does not admit");
  }
}

void CountOtherSizes(const Literal& golden, const Literal& actual, int64_t leaf,
                     Judgement* judgement) {
  judgement->verdict = Verdict::kWrong;
  ++judgement->counts[static_cast<int>(Verdict::kWrong)];
  Evidence evidence;
  evidence.leaf = leaf;
  evidence.golden = SizesText(golden);
  evidence.actual = SizesText(actual);
  evidence.reason = "the current sizes of dynamic dimensions differ";
  judgement->evidence.push_back(std::move(evidence));
}

void CountEqual(bool rounds, int64_t elements, Judgement* judgement) {
  if (elements == 0) return;
  const Verdict verdict = rounds ? Verdict::kCorrectlyRounded : Verdict::kExact;
  judgement->counts[static_cast<int>(verdict)] += elements;
  judgement->histogram[0] += elements;
  judgement->verdict = std::max(judgement->verdict, verdict);
}

void Count(const Subject& subject, const ElementFinding& finding, const Literal& golden,
           const Literal& actual, int64_t leaf, int64_t position, Judgement* judgement) {
  ++judgement->counts[static_cast<int>(finding.verdict)];
  judgement->verdict = std::max(judgement->verdict, finding.verdict);
  if (finding.verdict == Verdict::kAllowed) {
    ++judgement->freedoms[static_cast<int>(finding.freedom)];
  }
  if (finding.verdict == Verdict::kKnownDeviation &&
      std::find(judgement->deviations.begin(), judgement->deviations.end(), finding.deviation) ==
          judgement->deviations.end()) {
    judgement->deviations.push_back(finding.deviation);
  }
  // A permitted deviation may explain an element beyond its bound.
  if (!finding.open() && finding.measured && finding.bound > 0 &&
      (finding.verdict == Verdict::kWithinBound || finding.distance <= finding.bound)) {
    judgement->largest_fraction =
        std::max(judgement->largest_fraction, finding.distance / finding.bound);
  }
  const std::optional<uint64_t> steps =
      Steps(golden.element_type(), golden.Get(position), actual.Get(position));
  if (steps) {
    judgement->largest_distance = std::max(judgement->largest_distance, *steps);
    ++judgement->histogram[UlpBucket(*steps)];
  }
  if (!finding.open()) return;
  const double excess =
      Excess(finding.verdict, finding.measured ? std::optional(finding.bound) : std::nullopt,
             finding.measured ? std::optional(finding.distance) : std::nullopt);
  if (KeepsEvidence(excess, *judgement)) {
    Evidence evidence = MakeEvidence(finding, golden, actual, leaf, position);
    if (subject.instruction.info().elementwise()) {
      for (const Literal& operand : subject.operands) {
        evidence.operands.push_back(
            PrintElement(operand.element_type(), OperandElement(operand, position)));
      }
    }
    KeepEvidence(std::move(evidence), judgement);
  }
  if (finding.verdict == Verdict::kNotJudgeable &&
      std::find(judgement->reasons.begin(), judgement->reasons.end(), finding.reason) ==
          judgement->reasons.end()) {
    judgement->reasons.push_back(finding.reason);
  }
}

}  // namespace assay::conformance
