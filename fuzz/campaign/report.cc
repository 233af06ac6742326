#include "fuzz/campaign/report.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

constexpr char kStyle[] =
    "body{font:15px system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;"
    "color:#222;background:#fff}table{border-collapse:collapse;width:100%;margin:1em 0}"
    "td,th{border-bottom:1px solid #ccc;padding:.3em .6em;text-align:left;vertical-align:top}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}td,th{border-color:#444}"
    "}";

}  // namespace

Json CampaignJson(const CampaignIdentity& identity, const CampaignResult& result) {
  Json findings = Json::array(), outcomes = Json::object();
  for (const FindingGroup& group : result.groups) findings.push_back(GroupJson(group));
  for (int k = 0; k < kOutcomes; ++k) {
    outcomes[std::string(OutcomeName(static_cast<Outcome>(k)))] = result.counts[k];
  }
  return {{"campaign", IdentityJson(identity)},    {"programs", result.programs},
          {"instructions", result.instructions},   {"seconds", result.seconds},
          {"interrupted", result.interrupted},     {"illegal", result.illegal},
          {"outcomes", std::move(outcomes)},       {"operations", result.operations},
          {"not_supported", result.not_supported}, {"findings", std::move(findings)}};
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

std::string CampaignHtml(const CampaignIdentity& identity, const CampaignResult& result) {
  std::string page = absl::StrCat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<title>Fuzzing of ",
      conformance::XmlEscaped(identity.target), "</title><style>", kStyle,
      "</style></head><body>\n<h1>", conformance::XmlEscaped(identity.target), "</h1>\n<p>Profile ",
      conformance::XmlEscaped(identity.profile), ", seed ", identity.seed, ": ", result.programs,
      " programs with ", result.instructions,
      absl::StrFormat(" instructions in %.1f seconds.</p>\n", result.seconds));
  absl::StrAppend(&page, "<h2>Outcomes</h2>\n<table>", TableRow({"outcome", "programs"}, "th"));
  for (int k = 0; k < kOutcomes; ++k) {
    absl::StrAppend(&page, TableRow({std::string(OutcomeName(static_cast<Outcome>(k))),
                                     absl::StrCat(result.counts[k])}));
  }
  absl::StrAppend(
      &page, "</table>\n<h2>Findings</h2>\n<table>",
      TableRow({"signature", "programs", "first", "instructions", "detail", "folder"}, "th"));
  for (const FindingGroup& group : result.groups) {
    absl::StrAppend(&page,
                    TableRow({group.signature.Text(), absl::StrCat(group.count),
                              absl::StrCat("program ", group.program,
                                           absl::StrFormat(", %.1f s", group.seconds)),
                              absl::StrCat(group.instructions), group.detail, group.folder}));
  }
  absl::StrAppend(&page, "</table>\n<h2>Not supported</h2>\n<table>",
                  TableRow({"reason", "programs"}, "th"));
  for (const auto& [reason, count] : result.not_supported) {
    absl::StrAppend(&page, TableRow({reason, absl::StrCat(count)}));
  }
  absl::StrAppend(&page, "</table>\n<h2>Operations</h2>\n<table>",
                  TableRow({"operation", "instructions"}, "th"));
  for (const auto& [name, count] : result.operations) {
    absl::StrAppend(&page, TableRow({name, absl::StrCat(count)}));
  }
  return page + "</table>\n</body></html>\n";
}

}  // namespace assay::fuzz
