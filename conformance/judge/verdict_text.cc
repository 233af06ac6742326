#include "conformance/judge/verdict_text.h"

#include <cmath>
#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace assay::conformance {
namespace {

// Larger distances are not shown in ulp.
constexpr uint64_t kMostUlps = 1'000'000;

// Returns the finite real number in the text, if it is one.
std::optional<double> Number(absl::string_view text) {
  double value;
  if (!absl::SimpleAtod(text, &value) || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Returns the share as text, with "all 1,024" for "1,024 of 1,024".
std::string Share(int64_t count, int64_t all) {
  if (count == all) {
    return all == 1 ? "the only element is"
                    : absl::StrCat("all ", WithCommas(all), " elements are");
  }
  return absl::StrCat(WithCommas(count), " of ", WithCommas(all), " elements ",
                      count == 1 ? "is" : "are");
}

std::string Times(double factor) {
  return factor < 1000  ? absl::StrFormat("%.3g", factor)
         : factor < 1e9 ? WithCommas(std::llround(factor))
                        : absl::StrFormat("%.2e", factor);
}

// Returns true if the values are zeros of either sign or differ in bits alone.
bool IsSameNumber(const Evidence& evidence) {
  const std::optional<double> golden = Number(evidence.golden), actual = Number(evidence.actual);
  // Complex numbers with infinite parts have no distance, so they are compared as text.
  return golden && actual ? *golden == *actual : evidence.golden == evidence.actual;
}

// Returns the absolute and relative error as text; empty if the numbers are not finite and real.
std::string ErrorInWords(const Evidence& evidence) {
  const std::optional<double> golden = Number(evidence.golden), actual = Number(evidence.actual);
  std::optional<double> error = evidence.distance;
  if (!error && golden && actual) error = std::fabs(*actual - *golden);
  if (!error) return "";
  if (*error == 0) return IsSameNumber(evidence) ? ", the same number with other bits" : "";
  std::string text = absl::StrFormat(", error %.4g", *error);
  if (golden && *golden != 0) {
    absl::StrAppendFormat(&text, " (relative %.4g)", *error / std::fabs(*golden));
  }
  return text;
}

}  // namespace

std::string WithCommas(int64_t count) {
  std::string digits = absl::StrCat(count);
  const size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string Counted(int64_t count, absl::string_view singular) {
  return absl::StrCat(WithCommas(count), " ", singular, count == 1 ? "" : "s");
}

const Evidence* WorstOf(const Judgement& judgement) {
  const Evidence* worst = nullptr;
  for (const Evidence& each : judgement.evidence) {
    if (each.verdict != Verdict::kWrong) continue;
    // If no error is permitted, a different number is worse than the same number with different
    // bits.
    const bool worse =
        worst == nullptr || Excess(each) > Excess(*worst) ||
        (Excess(each) == Excess(*worst) && IsSameNumber(*worst) && !IsSameNumber(each));
    if (worse) worst = &each;
  }
  return worst;
}

std::string InWords(const Evidence& evidence) {
  std::string text = absl::StrCat("[", absl::StrJoin(evidence.index, ","), "]");
  if (evidence.outfeed) absl::StrAppend(&text, " of outfeed ", evidence.leaf);
  if (!evidence.outfeed && evidence.leaf > 0) absl::StrAppend(&text, " of result ", evidence.leaf);
  if (evidence.device > 0) absl::StrAppend(&text, " on device ", evidence.device);
  const auto add = [&text](absl::string_view what, absl::string_view value,
                           absl::string_view bits) {
    absl::StrAppend(&text, what, value);
    if (!bits.empty()) absl::StrAppend(&text, " (", bits, ")");
  };
  add(": actual ", evidence.actual, evidence.actual_bits);
  add(", golden ", evidence.golden, evidence.golden_bits);
  if (!evidence.operands.empty()) {
    absl::StrAppend(&text, evidence.operands.size() > 1 ? ", operands " : ", operand ",
                    absl::StrJoin(evidence.operands, " and "));
  }
  absl::StrAppend(&text, ErrorInWords(evidence));
  if (evidence.bound && evidence.distance && *evidence.distance > 0) {
    if (*evidence.bound > 0) {
      absl::StrAppend(&text, ", ", Times(*evidence.distance / *evidence.bound), " times its bound");
    } else {
      absl::StrAppend(&text, ", where no error is permitted");
    }
  }
  if (!evidence.reason.empty()) absl::StrAppend(&text, "; ", evidence.reason);
  return text;
}

std::string InWords(const Judgement& judgement) {
  const int64_t count = judgement.counts[static_cast<int>(judgement.verdict)];
  const std::string verdict = judgement.verdict != Verdict::kKnownDeviation
                                  ? std::string(VerdictName(judgement.verdict))
                              : count == 1 ? "a known deviation"
                                           : "known deviations";
  std::string text = absl::StrCat(Share(count, judgement.elements()), " ", verdict);
  std::string separator = " by ";
  for (int each = 0; each < kFreedoms; ++each) {
    if (judgement.freedoms[each] == 0 || judgement.verdict != Verdict::kAllowed) continue;
    absl::StrAppend(&text, separator, FreedomName(static_cast<Freedom>(each)));
    separator = ", ";
  }
  std::vector<std::string> parts;
  if (!judgement.rule.empty()) parts.push_back(absl::StrCat("rule: ", judgement.rule));
  // The largest fraction is that of elements inside their bounds, so it says nothing about wrong
  // ones.
  if (judgement.verdict != Verdict::kWrong) {
    if (judgement.largest_fraction > 0) {
      parts.push_back(absl::StrFormat("at most %.3g of the bound", judgement.largest_fraction));
    }
    if (judgement.largest_distance > 0 && judgement.largest_distance <= kMostUlps) {
      parts.push_back(absl::StrCat("at most ", WithCommas(judgement.largest_distance), " ulp"));
    }
  }
  if (!parts.empty()) absl::StrAppend(&text, " (", absl::StrJoin(parts, "; "), ")");
  return text;
}

}  // namespace assay::conformance
