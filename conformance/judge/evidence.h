// The findings of the judge about single elements, and how they are counted and shown as evidence.
// Tests: allowance_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_EVIDENCE_H_
#define ASSAY_CONFORMANCE_JUDGE_EVIDENCE_H_

#include <string>

#include "conformance/judge/bounds.h"
#include "conformance/judge/verdict.h"

namespace assay::conformance {

// The finding about an element that differs from the golden value.
struct ElementFinding {
  Verdict verdict = Verdict::kWrong;
  Freedom freedom = Freedom::kNanPayload;  // set if the verdict is kAllowed
  bool measured = false;                   // true if `bound` and `distance` are set
  double bound = 0, distance = 0;
  std::string reason;  // why it is inconclusive, or which deviation would have explained it
  // set if the verdict is kKnownDeviation: the decision point and its finding
  std::string deviation;

  bool open() const { return verdict >= Verdict::kNotJudgeable; }
};

// Sets the verdict kAllowed if the profile grants the deviation; otherwise the reason names the
// deviation that is not granted.
void Claim(const TargetProfile& profile, Freedom freedom, ElementFinding* finding);

// Sets the verdict kAllowed if the profile admits the decision point, or kKnownDeviation if the
// profile lists the point as one. Otherwise the reason says that the profile does not admit it.
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

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_EVIDENCE_H_
