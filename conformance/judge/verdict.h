// The verdicts of the judge: one for each element, and the worst of them for an array. A verdict is
// a proof, so it comes with its grounds: the rule and its bound, or the permitted deviation that
// produces the value. Tests: verdict_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_VERDICT_H_
#define ASSAY_CONFORMANCE_JUDGE_VERDICT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/judge/comparison.h"

namespace assay::conformance {

// The order is from best to worst. The verdict of several elements is the greatest of their
// verdicts.
enum class Verdict : uint8_t {
  kExact,             // the golden bits; the operation does not round
  kCorrectlyRounded,  // the golden bits; the operation rounds
  kWithinBound,       // the distance from the exact value is within the bound of the rule
  kAllowed,           // a value that a permitted deviation of the profile produces
  kKnownDeviation,    // a value that the profile lists as a known deviation, with its finding
  kNotJudgeable,      // inconclusive: the rule decides nothing; the reason says why
  kWrong
};
inline constexpr int kVerdicts = 7;
absl::string_view VerdictName(Verdict verdict);  // "correctly rounded"
std::optional<Verdict> VerdictFromName(absl::string_view name);

enum class Freedom : uint8_t {
#define FREEDOM(enumerator, ...) enumerator,
#include "conformance/judge/freedoms.def"
#undef FREEDOM
};
inline constexpr int kFreedoms = 0
#define FREEDOM(...) +1
#include "conformance/judge/freedoms.def"
#undef FREEDOM
    ;
absl::string_view FreedomName(Freedom freedom);  // "signed_zero"
absl::string_view FreedomMeaning(Freedom freedom);
std::optional<Freedom> FreedomFromName(absl::string_view name);

// An element that is wrong or inconclusive, with the values that a person needs to see.
struct Evidence {
  Verdict verdict = Verdict::kWrong;
  int64_t device = 0;
  bool outfeed = false;  // true if the element is of the outfeed, not of the result
  int64_t leaf = 0;      // which array of the result, or of the outfeed
  int64_t position = 0;  // in row-major order
  std::vector<int64_t> index;
  std::string golden, actual;            // in decimal, as HLO text has it
  std::string golden_bits, actual_bits;  // "0x7fc00000"; complex: "0x..., 0x..."
  std::vector<std::string> operands;     // for elementwise operations, the operands' elements
  // the largest permitted absolute distance; none if the value must be exact
  std::optional<double> bound;
  std::optional<double> distance;  // the absolute distance; none if it is not a number
  // why it is inconclusive, or which deviation would explain it but is not permitted
  std::string reason;
};
inline constexpr int kShownEvidence = 16;

struct Judgement {
  Verdict verdict = Verdict::kExact;
  std::array<int64_t, kVerdicts> counts{};  // the number of elements by verdict
  // the number of allowed elements by permitted deviation
  std::array<int64_t, kFreedoms> freedoms{};
  // the largest distance divided by its bound, over elements within their bound
  double largest_fraction = 0;
  uint64_t largest_distance = 0;                 // in ulp, over all elements that have one
  std::array<int64_t, kUlpBuckets> histogram{};  // elements by distance in ulp
  std::string rule;                  // "n u sum|terms|", "7 ulp", "exact"; the rules of all leaves
  std::vector<Evidence> evidence;    // the first kShownEvidence, the worst among them
  std::vector<std::string> reasons;  // why elements are inconclusive; each reason once
  // The known deviations that elements show, each once: "P-2 (FINDING)".
  std::vector<std::string> deviations;

  int64_t elements() const;
  // Joins the other: sums, maxima, evidence as KeepEvidence does.
  void Merge(const Judgement& other);
};

// Returns the distance of a wrong element as a multiple of its bound: infinity if it has no bound
// or no finite distance, 0 if the element is not wrong.
double Excess(Verdict verdict, std::optional<double> bound, std::optional<double> distance);
double Excess(const Evidence& evidence);

// KeepEvidence adds the evidence if there is room. Otherwise a wrong element that is worse than all
// others replaces the last one, so that the worst is always shown. KeepsEvidence tells beforehand
// whether an element with this Excess would be kept, because making the texts of evidence is
// expensive.
bool KeepsEvidence(double excess, const Judgement& judgement);
void KeepEvidence(Evidence evidence, Judgement* judgement);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_VERDICT_H_
