#include "conformance/report/compare.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/report/describe.h"
#include "conformance/report/escape.h"

namespace assay::conformance {
namespace {

constexpr size_t kShownChanges = 10;  // of each list, on a terminal
constexpr absl::string_view kAbsent = "absent";

enum class CaseKind { kPasses, kFails, kNotJudged };

CaseKind CaseKindOf(const std::optional<CaseResult>& result) {
  if (!result || (!IsPass(result->outcome) && !IsFailure(result->outcome))) {
    return CaseKind::kNotJudged;
  }
  return IsPass(result->outcome) ? CaseKind::kPasses : CaseKind::kFails;
}

CaseChange ChangeOf(const std::optional<CaseResult>& before,
                    const std::optional<CaseResult>& after) {
  const CaseResult& known = after ? *after : *before;
  CaseChange change;
  change.id = known.id;
  change.op = known.op.empty() ? "program" : known.op;
  change.type = known.type;
  change.before = std::string(before ? OutcomeName(before->outcome) : kAbsent);
  change.after = std::string(after ? OutcomeName(after->outcome) : kAbsent);
  if (after && IsFailure(after->outcome)) {
    change.headline = Headline(*after);
  } else if (before && IsFailure(before->outcome)) {
    change.headline = Headline(*before);
  }
  return change;
}

void Take(const std::optional<CaseResult>& before, const std::optional<CaseResult>& after,
          RunComparison* comparison) {
  const CaseKind was = CaseKindOf(before), is = CaseKindOf(after);
  if (was == is) {
    comparison->same += before && after;
    comparison->still_failing += is == CaseKind::kFails;
    return;
  }
  std::vector<CaseChange>& list = is == CaseKind::kFails       ? comparison->regressions
                                  : is == CaseKind::kNotJudged ? comparison->lost_coverage
                                  : was == CaseKind::kFails    ? comparison->fixes
                                                               : comparison->new_coverage;
  list.push_back(ChangeOf(before, after));
}

// "dot f32 3, add s8 1": most first.
std::string ByOperation(const std::vector<CaseChange>& changes) {
  std::map<std::string, int64_t> counts;
  for (const CaseChange& change : changes) {
    ++counts[change.type.empty() ? change.op : absl::StrCat(change.op, " ", change.type)];
  }
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [name, count] : counts) sorted.emplace_back(-count, name);
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (size_t i = 0; i < std::min(sorted.size(), kShownChanges); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", sorted[i].second, " ", -sorted[i].first);
  }
  if (sorted.size() > kShownChanges) {
    absl::StrAppend(&text, ", and ", sorted.size() - kShownChanges, " more");
  }
  return text;
}

// The lists with what each is called, the worst first.
std::vector<std::pair<absl::string_view, const std::vector<CaseChange>*>> Lists(
    const RunComparison& comparison) {
  return {{"regressions", &comparison.regressions},
          {"lost coverage", &comparison.lost_coverage},
          {"fixes", &comparison.fixes},
          {"new coverage", &comparison.new_coverage}};
}

std::string ClosingSentence(const RunComparison& comparison) {
  const auto cases = [](const std::vector<CaseChange>& list) {
    return Counted(static_cast<int64_t>(list.size()), "case");
  };
  if (!comparison.regressions.empty()) {
    return absl::StrCat(cases(comparison.regressions),
                        comparison.regressions.size() == 1 ? " fails that" : " fail that",
                        " did not fail before.");
  }
  if (!comparison.lost_coverage.empty()) {
    return absl::StrCat(
        "No case fails that did not fail before, but ", cases(comparison.lost_coverage),
        comparison.lost_coverage.size() == 1 ? " is" : " are", " no longer judged.");
  }
  return absl::StrCat("No regression: ", cases(comparison.fixes), " mended, ",
                      WithCommas(comparison.still_failing), " still failing.");
}

}  // namespace

RunComparison CompareRuns(const RunResult& before, const RunResult& after) {
  absl::flat_hash_map<absl::string_view, size_t> places;
  for (size_t i = 0; i < before.cases.size(); ++i) places[before.cases.IdOf(i)] = i;
  RunComparison comparison;
  for (const CaseResult& result : after.cases) {
    const auto found = places.find(result.id);
    if (found == places.end()) {
      Take(std::nullopt, result, &comparison);
    } else {
      Take(before.cases[found->second], result, &comparison);
      places.erase(found);
    }
  }
  for (const auto& [id, place] : places) Take(before.cases[place], std::nullopt, &comparison);
  for (auto* list : {&comparison.regressions, &comparison.fixes, &comparison.lost_coverage,
                     &comparison.new_coverage}) {
    std::sort(list->begin(), list->end(),
              [](const CaseChange& a, const CaseChange& b) { return a.id < b.id; });
  }
  return comparison;
}

std::string FormatComparison(const RunComparison& comparison) {
  std::string text;
  for (const auto& [name, list] : Lists(comparison)) {
    if (list->empty()) continue;
    absl::StrAppend(&text, name, ": ", WithCommas(static_cast<int64_t>(list->size())), " (",
                    ByOperation(*list), ")\n");
    for (size_t i = 0; i < std::min(list->size(), kShownChanges); ++i) {
      const CaseChange& change = (*list)[i];
      absl::StrAppend(&text, "  ", change.id, ": ", change.before, ", now ", change.after,
                      change.headline.empty() ? "" : "; ", change.headline, "\n");
    }
    if (list->size() > kShownChanges) {
      absl::StrAppend(&text, "  and ", list->size() - kShownChanges, " more\n");
    }
  }
  absl::StrAppend(&text, WithCommas(comparison.same), " cases as before\n");
  return absl::StrCat(text, ClosingSentence(comparison), "\n");
}

nlohmann::json ToJson(const RunComparison& comparison) {
  nlohmann::json json = {{"same", comparison.same},
                         {"still_failing", comparison.still_failing},
                         {"worse", comparison.worse()}};
  const std::pair<const char*, const std::vector<CaseChange>*> lists[] = {
      {"regressions", &comparison.regressions},
      {"lost_coverage", &comparison.lost_coverage},
      {"fixes", &comparison.fixes},
      {"new_coverage", &comparison.new_coverage}};
  for (const auto& [name, list] : lists) {
    json[name] = nlohmann::json::array();
    for (const CaseChange& change : *list) {
      nlohmann::json entry = {{"id", change.id},
                              {"op", change.op},
                              {"type", change.type},
                              {"before", change.before},
                              {"after", change.after}};
      if (!change.headline.empty()) entry["headline"] = change.headline;
      json[name].push_back(std::move(entry));
    }
  }
  return json;
}

std::string ComparisonHtml(const RunComparison& comparison, const std::string& before,
                           const std::string& after) {
  std::string page = absl::StrCat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<title>Assay: two runs compared</title>\n<style>\n"
      ":root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }\n"
      "body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }\n"
      "table { border-collapse: collapse; width: 100%; }\n"
      "th, td { text-align: left; vertical-align: top; padding: .2rem .6rem;"
      " border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }\n"
      "td:first-child { font-family: monospace; overflow-wrap: anywhere; }\n"
      "th:last-child { width: 42%; }\n"
      "</style></head><body>\n<h1>Two runs compared</h1>\n<p>",
      XmlEscaped(before), " &rarr; ", XmlEscaped(after), "</p>\n<p><strong>",
      XmlEscaped(ClosingSentence(comparison)), "</strong> ", WithCommas(comparison.same),
      " cases are as before.</p>\n");
  for (const auto& [name, list] : Lists(comparison)) {
    absl::StrAppend(&page, "<h2>", WithCommas(static_cast<int64_t>(list->size())), " ", name,
                    "</h2>\n");
    if (list->empty()) continue;
    absl::StrAppend(&page, "<p>", XmlEscaped(ByOperation(*list)),
                    "</p>\n<table><tr><th>case</th><th>before</th><th>after</th>"
                    "<th>what is wrong</th></tr>\n");
    for (const CaseChange& change : *list) {
      absl::StrAppend(&page, "<tr><td>", XmlEscaped(change.id), "</td><td>",
                      XmlEscaped(change.before), "</td><td>", XmlEscaped(change.after), "</td><td>",
                      XmlEscaped(change.headline), "</td></tr>\n");
    }
    absl::StrAppend(&page, "</table>\n");
  }
  return absl::StrCat(page, "</body></html>\n");
}

}  // namespace assay::conformance
