// What the judge says: a verdict for each element, and of many elements the worst. A verdict is a
// proof, so it comes with what it rests on: the rule and its bound, or the freedom that produces
// the value. Tests: verdict_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_VERDICT_H_
#define ASSAY_CONFORMANCE_JUDGE_VERDICT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/judge/comparison.h"

namespace assay {

// In the order from best to worst: the verdict of several elements is the greatest of theirs.
enum class Verdict : uint8_t {
  kExact,             // the golden bits, of an operation that rounds nothing
  kCorrectlyRounded,  // the golden bits, of one that rounds
  kWithinBound,       // not further from the exact value than the rule allows
  kAllowed,           // a value that a named freedom can produce, where it is granted
  kKnownDeviation,    // a value that the profile lists as a known deviation, with its finding
  kNotJudgeable,      // nothing follows from the rule; the reason says why
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

// An element that is wrong or cannot be judged, as a person needs to see it.
struct Evidence {
  Verdict verdict = Verdict::kWrong;
  int64_t device = 0;
  bool outfeed = false;  // of what the device has fed out, not of its result
  int64_t leaf = 0;      // which array of the result, or of the outfeed
  int64_t position = 0;  // in row-major order
  std::vector<int64_t> index;
  std::string golden, actual;            // in decimal, as HLO text has it
  std::string golden_bits, actual_bits;  // "0x7fc00000"; complex: "0x..., 0x..."
  std::vector<std::string> operands;     // of elementwise operations: the elements it comes from
  std::optional<double> bound;           // the largest distance allowed, absolute; none: exact
  std::optional<double> distance;        // absolute; none where it is no number
  std::string reason;  // why it cannot be judged, or which freedom was asked for and is not granted
};
inline constexpr int kShownEvidence = 16;

struct Judgement {
  Verdict verdict = Verdict::kExact;
  std::array<int64_t, kVerdicts> counts{};       // elements by verdict
  std::array<int64_t, kFreedoms> freedoms{};     // the allowed ones by freedom
  double largest_fraction = 0;                   // of its bound, over the elements inside one
  uint64_t largest_distance = 0;                 // in ulp, over all elements that have one
  std::array<int64_t, kUlpBuckets> histogram{};  // elements by distance in ulp
  std::string rule;                  // "n u sum|terms|", "7 ulp", "exact"; of several leaves all
  std::vector<Evidence> evidence;    // the first kShownEvidence, the worst among them
  std::vector<std::string> reasons;  // why elements cannot be judged, each reason once
  // The known deviations that elements show, each once: "P-2 (FINDING)".
  std::vector<std::string> deviations;

  int64_t elements() const;
  // Joins the other: sums, maxima, evidence as KeepEvidence does.
  void Merge(const Judgement& other);
};

// How far a wrong element is beyond its bound: a multiple of the bound; infinite where there is
// none, or the distance is not a finite number; 0 of elements that are not wrong.
double Excess(Verdict verdict, std::optional<double> bound, std::optional<double> distance);
double Excess(const Evidence& evidence);

// Keeps the evidence if there is room. Where there is none, a wrong element that is worse than all
// others takes the last place, so that the worst is always shown. KeepsEvidence says beforehand
// whether an element so far beyond its bound is kept: evidence is made of texts.
bool KeepsEvidence(double excess, const Judgement& judgement);
void KeepEvidence(Evidence evidence, Judgement* judgement);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_VERDICT_H_
