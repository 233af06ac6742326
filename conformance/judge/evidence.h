// The findings of the judge about single elements, and how they are counted and shown as evidence.
// Tests: allowance_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_EVIDENCE_H_
#define ASSAY_CONFORMANCE_JUDGE_EVIDENCE_H_

#include <string>

#include "conformance/judge/bounds.h"
#include "conformance/judge/verdict.h"

namespace assay {

// The finding about an element that differs from the golden value.
struct ElementFinding {
  Verdict verdict = Verdict::kWrong;
  Freedom freedom = Freedom::kNanPayload;  // of kAllowed
  bool measured = false;                   // there is a bound, and a distance to it
  double bound = 0, distance = 0;
  std::string reason;     // why it cannot be judged, or what would have explained it
  std::string deviation;  // of kKnownDeviation: the decision point and its finding

  bool open() const { return verdict >= Verdict::kNotJudgeable; }
};

// Allows the element if the profile grants the permitted deviation, else notes the lack.
void Claim(const TargetProfile& profile, Freedom freedom, ElementFinding* finding);

// Allows the element if the profile admits the decision point. Otherwise notes the known deviation
// that the profile lists there, or that the profile does not admit the point.
void Decide(const TargetProfile& profile, DecisionPoint point, ElementFinding* finding);

// Returns the evidence that is shown for a finding about an element of `golden`, which is leaf
// number `leaf` of the result.
Evidence MakeEvidence(const ElementFinding& finding, const Literal& golden, const Literal& actual,
                      int64_t leaf, int64_t position);

// Counts a finding about an element of `golden`, which is leaf number `leaf` of the result.
void Count(const Subject& subject, const ElementFinding& finding, const Literal& golden,
           const Literal& actual, int64_t leaf, int64_t position, Judgement* judgement);

// Counts a result whose dynamic dimensions have other current sizes than the golden one: it is
// wrong.
void CountOtherSizes(const Literal& golden, const Literal& actual, int64_t leaf,
                     Judgement* judgement);

// Counts elements whose bits are the golden ones.
void CountEqual(bool rounds, int64_t elements, Judgement* judgement);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_EVIDENCE_H_
