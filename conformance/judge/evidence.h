// What the judge found about one element, and how it is counted and shown.
// Tests: allowance_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_EVIDENCE_H_
#define ASSAY_CONFORMANCE_JUDGE_EVIDENCE_H_

#include <string>

#include "conformance/judge/bounds.h"
#include "conformance/judge/verdict.h"

namespace assay {

// Of an element that is not the golden one.
struct ElementFinding {
  Verdict verdict = Verdict::kWrong;
  Freedom freedom = Freedom::kNanPayload;  // of kAllowed
  bool measured = false;                   // there is a bound, and a distance to it
  double bound = 0, distance = 0;
  std::string reason;     // why it cannot be judged, or what would have explained it
  std::string deviation;  // of kKnownDeviation: the decision point and its finding

  bool open() const { return verdict >= Verdict::kNotJudgeable; }
};

// Allows what the freedom can produce if the profile grants it, else says that it does not.
void Claim(const TargetProfile& profile, Freedom freedom, ElementFinding* finding);

// Allows what a decision point leaves open if the profile admits the point, or notes the known
// deviation if the profile lists one there, else says that the profile does not admit the point.
void Decide(const TargetProfile& profile, DecisionPoint point, ElementFinding* finding);

// What is shown of a finding about an element of `golden`, an array that is leaf `leaf` of the
// result.
Evidence MakeEvidence(const ElementFinding& finding, const Literal& golden, const Literal& actual,
                      int64_t leaf, int64_t position);

// Counts a finding about an element of `golden`, an array that is leaf `leaf` of the result.
void Count(const Subject& subject, const ElementFinding& finding, const Literal& golden,
           const Literal& actual, int64_t leaf, int64_t position, Judgement* judgement);

// Counts elements that have the golden bits.
void CountEqual(bool rounds, int64_t elements, Judgement* judgement);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_EVIDENCE_H_
