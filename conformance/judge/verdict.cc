#include "conformance/judge/verdict.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace assay::conformance {
namespace {

constexpr absl::string_view kVerdictNames[] = {"exact",   "correctly rounded", "within bound",
                                               "allowed", "known deviation",   "not judgeable",
                                               "wrong"};
static_assert(std::size(kVerdictNames) == kVerdicts);

struct FreedomRow {
  absl::string_view name, meaning;
};
constexpr FreedomRow kFreedomRows[] = {
#define FREEDOM(enumerator, name, meaning) {name, meaning},
#include "conformance/judge/freedoms.def"
#undef FREEDOM
};

// Adds the texts that `all` does not have yet.
void AddEach(const std::vector<std::string>& texts, std::vector<std::string>* all) {
  for (const std::string& text : texts) {
    if (std::find(all->begin(), all->end(), text) == all->end()) all->push_back(text);
  }
}

}  // namespace

absl::string_view VerdictName(Verdict verdict) { return kVerdictNames[static_cast<int>(verdict)]; }

std::optional<Verdict> VerdictFromName(absl::string_view name) {
  const auto* found = std::find(std::begin(kVerdictNames), std::end(kVerdictNames), name);
  if (found == std::end(kVerdictNames)) return std::nullopt;
  return static_cast<Verdict>(found - kVerdictNames);
}

absl::string_view FreedomName(Freedom freedom) {
  return kFreedomRows[static_cast<int>(freedom)].name;
}

absl::string_view FreedomMeaning(Freedom freedom) {
  return kFreedomRows[static_cast<int>(freedom)].meaning;
}

std::optional<Freedom> FreedomFromName(absl::string_view name) {
  for (int i = 0; i < kFreedoms; ++i) {
    if (kFreedomRows[i].name == name) return static_cast<Freedom>(i);
  }
  return std::nullopt;
}

int64_t Judgement::elements() const {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

void Judgement::Merge(const Judgement& other) {
  verdict = std::max(verdict, other.verdict);
  for (int i = 0; i < kVerdicts; ++i) counts[i] += other.counts[i];
  for (int i = 0; i < kFreedoms; ++i) freedoms[i] += other.freedoms[i];
  for (int i = 0; i < kUlpBuckets; ++i) histogram[i] += other.histogram[i];
  largest_fraction = std::max(largest_fraction, other.largest_fraction);
  largest_distance = std::max(largest_distance, other.largest_distance);
  if (rule.empty()) {
    rule = other.rule;
  } else if (rule.find(other.rule) == std::string::npos) {
    rule += ", " + other.rule;
  }
  for (const Evidence& each : other.evidence) KeepEvidence(each, this);
  AddEach(other.reasons, &reasons);
  AddEach(other.deviations, &deviations);
}

double Excess(Verdict verdict, std::optional<double> bound, std::optional<double> distance) {
  if (verdict != Verdict::kWrong) return 0;
  if (!bound || *bound == 0 || !distance || !std::isfinite(*distance)) return HUGE_VAL;
  return *distance / *bound;
}

double Excess(const Evidence& evidence) {
  return Excess(evidence.verdict, evidence.bound, evidence.distance);
}

bool KeepsEvidence(double excess, const Judgement& judgement) {
  return judgement.evidence.size() < kShownEvidence ||
         std::all_of(judgement.evidence.begin(), judgement.evidence.end(),
                     [excess](const Evidence& each) { return Excess(each) < excess; });
}

void KeepEvidence(Evidence evidence, Judgement* judgement) {
  if (!KeepsEvidence(Excess(evidence), *judgement)) return;
  if (judgement->evidence.size() == kShownEvidence) judgement->evidence.pop_back();
  judgement->evidence.push_back(std::move(evidence));
}

}  // namespace assay::conformance
