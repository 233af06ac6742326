#include "fuzz/campaign/report.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/report/escape.h"

namespace assay::fuzz {
namespace {

using Json = nlohmann::json;

Json GroupJson(const FindingGroup& group) {
  return {{"signature", group.signature.Text()},
          {"kind", FindingKindName(group.signature.kind)},
          {"operation", group.signature.operation},
          {"error", group.signature.error},
          {"relation", group.signature.relation},
          {"detail", group.detail},
          {"program", group.program},
          {"count", group.count},
          {"instructions", group.instructions},
          {"seconds", group.seconds},
          {"folder", group.folder}};
}

std::optional<FindingGroup> GroupOf(const Json& json) {
  FindingGroup group;
  const std::optional<FindingKind> kind = FindingKindFromName(json.at("kind").get<std::string>());
  if (!kind) return std::nullopt;
  group.signature = {*kind, json.at("operation"), json.at("error"), json.at("relation")};
  group.detail = json.at("detail");
  group.program = json.at("program");
  group.count = json.at("count");
  group.instructions = json.at("instructions");
  group.seconds = json.at("seconds");
  group.folder = json.at("folder");
  return group;
}

Json IdentityJson(const CampaignIdentity& identity) {
  Json json = {{"target", identity.target},
               {"profile", identity.profile},
               {"operations", identity.operations},
               {"types", identity.types},
               {"seed", identity.seed}};
  if (!identity.seeds.empty()) json["seeds"] = identity.seeds;
  if (!identity.shard.empty()) json["shard"] = identity.shard;
  return json;
}

std::optional<CampaignResult> ResultOf(const Json& json, const CampaignIdentity& identity) {
  if (json.at("campaign") != IdentityJson(identity)) return std::nullopt;
  CampaignResult result;
  result.programs = json.at("programs");
  result.instructions = json.at("instructions");
  result.seconds = json.at("seconds");
  result.illegal = json.value("illegal", int64_t{0});
  for (int k = 0; k < kOutcomes; ++k) {
    result.counts[k] = json.at("outcomes").at(std::string(OutcomeName(static_cast<Outcome>(k))));
  }
  result.operations = json.at("operations").get<std::map<std::string, int64_t>>();
  const Json relations = json.value("relations", Json::object());
  for (const auto& [name, counts] : relations.items()) {
    result.relations[name] = {counts.at("asked"), counts.at("broken")};
  }
  result.not_supported = json.at("not_supported").get<std::map<std::string, int64_t>>();
  for (const Json& each : json.at("findings")) {
    std::optional<FindingGroup> group = GroupOf(each);
    if (!group) return std::nullopt;
    result.groups.push_back(*std::move(group));
  }
  return result;
}

std::string TableRow(std::initializer_list<std::string> cells, absl::string_view tag = "td") {
  std::string row = "<tr>";
  for (const std::string& cell : cells) {
    absl::StrAppend(&row, "<", tag, ">", conformance::XmlEscaped(cell), "</", tag, ">");
  }
  return row + "</tr>\n";
}

// A section of the page; none where there is nothing to show.
std::string Section(absl::string_view title, std::initializer_list<std::string> head,
                    const std::string& rows) {
  if (rows.empty()) return "";
  return absl::StrCat("<h2>", title, "</h2>\n<table>", TableRow(head, "th"), rows, "</table>\n");
}

std::string CountRows(const std::map<std::string, int64_t>& counts) {
  std::string rows;
  for (const auto& [name, count] : counts) {
    absl::StrAppend(&rows, TableRow({name, conformance::WithCommas(count)}));
  }
  return rows;
}

std::string RelationRows(const CampaignResult& result) {
  std::string rows;
  for (const auto& [name, count] : result.relations) {
    absl::StrAppend(&rows, TableRow({name, conformance::WithCommas(count.asked),
                                     conformance::WithCommas(count.broken)}));
  }
  return rows;
}

std::string OutcomeRows(const CampaignResult& result) {
  std::string rows;
  for (int k = 0; k < kOutcomes; ++k) {
    if (result.counts[k] == 0) continue;
    absl::StrAppend(&rows, TableRow({std::string(OutcomeName(static_cast<Outcome>(k))),
                                     conformance::WithCommas(result.counts[k])}));
  }
  return rows;
}

std::string FindingRows(const CampaignResult& result) {
  std::string rows;
  for (const FindingGroup& group : result.groups) {
    absl::StrAppend(
        &rows,
        TableRow({group.signature.Text(), conformance::WithCommas(group.count),
                  absl::StrFormat("program %d, after %.1f s", group.program, group.seconds),
                  group.instructions > 0 ? conformance::Counted(group.instructions, "instruction")
                                         : "not reduced",
                  group.detail, group.folder.empty() ? "none (--out)" : group.folder}));
  }
  return rows;
}

int64_t CountOf(const CampaignResult& result, Outcome outcome) {
  return result.counts[static_cast<size_t>(outcome)];
}

constexpr char kStyle[] =
    "body{font:15px system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;"
    "color:#222;background:#fff}table{border-collapse:collapse;width:100%;margin:1em 0}"
    "td,th{border-bottom:1px solid #ccc;padding:.3em .6em;text-align:left;vertical-align:top}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}td,th{border-color:#444}"
    "}";

}  // namespace

Json CampaignJson(const CampaignIdentity& identity, const CampaignResult& result) {
  Json findings = Json::array(), outcomes = Json::object(), relations = Json::object();
  for (const FindingGroup& group : result.groups) findings.push_back(GroupJson(group));
  for (int k = 0; k < kOutcomes; ++k) {
    outcomes[std::string(OutcomeName(static_cast<Outcome>(k)))] = result.counts[k];
  }
  for (const auto& [name, count] : result.relations) {
    relations[name] = {{"asked", count.asked}, {"broken", count.broken}};
  }
  return {{"campaign", IdentityJson(identity)},  {"programs", result.programs},
          {"instructions", result.instructions}, {"seconds", result.seconds},
          {"interrupted", result.interrupted},   {"illegal", result.illegal},
          {"outcomes", std::move(outcomes)},     {"operations", result.operations},
          {"relations", std::move(relations)},   {"not_supported", result.not_supported},
          {"findings", std::move(findings)}};
}

absl::StatusOr<CampaignResult> ParseCampaign(absl::string_view text, const std::string& name,
                                             const CampaignIdentity& identity) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": this is no JSON"));
  }
  try {
    std::optional<CampaignResult> result = ResultOf(json, identity);
    if (!result) {
      return absl::InvalidArgumentError(
          absl::StrCat(name,
                       ": this is the report of another campaign (target, profile, seed, "
                       "operations and types must be the same)"));
    }
    return *std::move(result);
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": this is no report of `assay fuzz`: ", error.what()));
  }
}

bool HasJudged(const CampaignResult& result) {
  return CountOf(result, Outcome::kAgrees) + CountOf(result, Outcome::kFinding) > 0;
}

std::string ClosingSentence(const CampaignResult& result) {
  const int64_t agree = CountOf(result, Outcome::kAgrees);
  const int64_t unsupported = CountOf(result, Outcome::kUnsupported);
  std::string why;
  const auto most =
      std::max_element(result.not_supported.begin(), result.not_supported.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != result.not_supported.end()) {
    why = absl::StrCat(", most often because of this: ", most->first);
  }
  if (result.programs == 0) {
    return "Nothing was judged: no program ran. --seconds and --programs say how long to run.";
  }
  if (!HasJudged(result)) {
    const int64_t over = CountOf(result, Outcome::kOverBudget);
    return absl::StrCat(
        "Nothing was judged: of ", conformance::Counted(result.programs, "program"), " ",
        conformance::WithCommas(unsupported), " are not supported", why,
        over > 0 ? absl::StrCat("; ", conformance::WithCommas(over),
                                " took more time or memory than they may (--timeout, --memory)")
                 : "",
        ". --ops and --types say what programs consist of.");
  }
  if (!result.groups.empty()) {
    return absl::StrCat(
        conformance::Counted(static_cast<int64_t>(result.groups.size()), "signature"),
        result.groups.size() == 1 ? " was found: " : " were found, the first is ",
        result.groups.front().signature.Text(), ".");
  }
  const int64_t inconclusive = CountOf(result, Outcome::kInconclusive);
  return absl::StrCat(
      "No bug found in ", conformance::Counted(agree, "program"),
      inconclusive > 0 ? absl::StrCat("; ", conformance::WithCommas(inconclusive), " inconclusive")
                       : "",
      unsupported > 0
          ? absl::StrCat("; ", conformance::Counted(unsupported, "other"), " did not run", why)
          : "",
      ".");
}

std::string CampaignHtml(const CampaignIdentity& identity, const CampaignResult& result) {
  const std::string title = absl::StrCat("Fuzzing of ", conformance::XmlEscaped(identity.target));
  return absl::StrCat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", title,
      "</title><style>", kStyle, "</style></head><body>\n<h1>", title, "</h1>\n<p><strong>",
      conformance::XmlEscaped(ClosingSentence(result)), "</strong></p>\n<p>Profile ",
      conformance::XmlEscaped(identity.profile), ", seed ", identity.seed, ": ",
      conformance::Counted(result.programs, "program"), " with ",
      conformance::Counted(result.instructions, "instruction"),
      absl::StrFormat(" in %.1f seconds.</p>\n", result.seconds),
      Section(
          "Findings",
          {"signature", "programs", "first found in", "reduced to", "first wrong value", "folder"},
          FindingRows(result)),
      Section("Outcomes", {"outcome", "programs"}, OutcomeRows(result)),
      Section("Equivalent programs that were asked for, too", {"relation", "programs", "broken"},
              RelationRows(result)),
      Section("Reasons why programs did not run", {"reason", "programs"},
              CountRows(result.not_supported)),
      Section("Operations", {"operation", "instructions"}, CountRows(result.operations)),
      "</body></html>\n");
}

}  // namespace assay::fuzz
