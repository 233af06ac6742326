#include "conformance/runner/case_result.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/runner/json_fields.h"
#include "conformance/runner/result_members.h"

namespace assay::conformance {
namespace {

using Json = nlohmann::json;

constexpr absl::string_view kOutcomeNames[] = {
    "exact",   "correctly rounded", "within bound",  "allowed", "known deviation", "refused",
    "not run", "not supported",     "not judgeable", "wrong",   "flaky",           "failed",
    "invalid"};
static_assert(std::size(kOutcomeNames) == kOutcomes);

constexpr int kFormat = 1;

// Rounds to microseconds, which keeps the JSON short.
double Rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

Json DistanceJson(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

template <typename T>
void AddUnlessEmpty(const char* key, const T& value, Json* json) {
  if (value != T()) (*json)[key] = value;
}
void AddUnlessEmpty(const char* key, const std::optional<double>& value, Json* json) {
  if (value) (*json)[key] = DistanceJson(*value);
}

// Returns the counts by name, without those that are 0.
template <typename Counts, typename NameOf>
void AddCounts(const char* key, const Counts& counts, NameOf name_of, Json* json) {
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) (*json)[key][std::string(name_of(i))] = counts[i];
  }
}

template <typename T>
void AddMembers(const T& of, Json* json) {
  VisitMembers(of,
               [json](const char* key, const auto& value) { AddUnlessEmpty(key, value, json); });
}

template <typename T>
void ReadMembers(const JsonFields& fields, T* of) {
  VisitMembers(*of, [&fields](const char* key, auto& value) { fields.Get(key, &value); });
}

absl::string_view NameOfVerdict(size_t i) { return VerdictName(static_cast<Verdict>(i)); }
absl::string_view NameOfFreedom(size_t i) { return FreedomName(static_cast<Freedom>(i)); }

Json EvidenceJson(const Evidence& evidence) {
  Json json = {{"verdict", std::string(VerdictName(evidence.verdict))},
               {"index", evidence.index},
               {"golden", evidence.golden},
               {"actual", evidence.actual}};
  AddMembers(evidence, &json);
  return json;
}

Json ProbeJson(const ProbeResult& probe) {
  Json json = {{"outcome", std::string(OutcomeName(probe.outcome))}};
  AddMembers(probe, &json);
  if (Json judgement = ToJson(probe.judgement); !judgement.empty()) {
    json["judgement"] = std::move(judgement);
  }
  return json;
}

Evidence ReadEvidence(const JsonFields& fields) {
  Evidence evidence;
  evidence.verdict = fields.Name("verdict", VerdictFromName, Verdict::kWrong);
  fields.Get("index", &evidence.index);
  fields.Get("golden", &evidence.golden);
  fields.Get("actual", &evidence.actual);
  ReadMembers(fields, &evidence);
  return evidence;
}

Judgement ReadJudgement(const JsonFields& fields) {
  Judgement judgement;
  judgement.verdict = fields.Name("verdict", VerdictFromName, Verdict::kExact);
  fields.GetCounts("elements", VerdictFromName, &judgement.counts);
  fields.GetCounts("freedoms", FreedomFromName, &judgement.freedoms);
  std::optional<double> fraction;
  fields.Get("largest_fraction", &fraction);
  judgement.largest_fraction = fraction.value_or(0);
  std::vector<int64_t> histogram;
  fields.Get("histogram", &histogram);
  if (histogram.size() > judgement.histogram.size()) {
    fields.Complain("histogram", "it has more buckets than there are");
    histogram.resize(judgement.histogram.size());
  }
  if (std::any_of(histogram.begin(), histogram.end(), [](int64_t n) { return n < 0; })) {
    fields.Complain("histogram", "counts from 0 up are expected");
  }
  std::copy(histogram.begin(), histogram.end(), judgement.histogram.begin());
  fields.ForEach("evidence", [&judgement](const JsonFields& each) {
    judgement.evidence.push_back(ReadEvidence(each));
  });
  ReadMembers(fields, &judgement);
  return judgement;
}

ProbeResult ReadProbe(const JsonFields& fields) {
  ProbeResult probe;
  probe.outcome = fields.Name("outcome", OutcomeFromName, Outcome::kFailed);
  ReadMembers(fields, &probe);
  fields.Within("judgement", [&probe](const JsonFields& judgement) {
    probe.judgement = ReadJudgement(judgement);
  });
  return probe;
}

CaseResult ReadCase(const JsonFields& fields) {
  CaseResult result;
  fields.Get("id", &result.id);
  if (result.id.empty()) fields.Complain("id", "a case has one");
  result.outcome = fields.Name("outcome", OutcomeFromName, Outcome::kFailed);
  ReadMembers(fields, &result);
  fields.ForEach("probes",
                 [&result](const JsonFields& probe) { result.probes.push_back(ReadProbe(probe)); });
  fields.GetSeconds("target_seconds", &result.target_seconds);
  fields.GetSeconds("golden_seconds", &result.golden_seconds);
  fields.GetSeconds("judge_seconds", &result.judge_seconds);
  return result;
}

RunResult ReadHeader(const JsonFields& fields) {
  RunResult result;
  int64_t format = 0;
  fields.Get("format", &format);
  if (format != kFormat) {
    fields.Complain("format", absl::StrCat("it is ", format, ", and ", kFormat, " can be read"));
  }
  fields.Get("target", &result.target);
  fields.Get("shard", &result.shard);
  fields.Get("shards", &result.shards);
  if (result.shard < 0 || result.shards < 1 || result.shard >= result.shards) {
    fields.Complain("shard", absl::StrCat(result.shard, " of ", result.shards, " is none"));
  }
  fields.GetCount("selected", &result.selected);
  fields.GetCount("repeat", &result.repeat);
  std::optional<double> timeout;
  fields.Get("timeout", &timeout);
  result.timeout = timeout.value_or(kUsualTimeout);
  fields.GetSeconds("seconds", &result.seconds);
  ReadMembers(fields, &result);
  return result;
}

std::string Dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

absl::string_view OutcomeName(Outcome outcome) { return kOutcomeNames[static_cast<int>(outcome)]; }

std::optional<Outcome> OutcomeFromName(absl::string_view name) {
  const auto* found = std::find(std::begin(kOutcomeNames), std::end(kOutcomeNames), name);
  if (found == std::end(kOutcomeNames)) return std::nullopt;
  return static_cast<Outcome>(found - kOutcomeNames);
}

Outcome OutcomeOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kExact:
      return Outcome::kExact;
    case Verdict::kCorrectlyRounded:
      return Outcome::kCorrectlyRounded;
    case Verdict::kWithinBound:
      return Outcome::kWithinBound;
    case Verdict::kAllowed:
      return Outcome::kAllowed;
    case Verdict::kKnownDeviation:
      return Outcome::kKnownDeviation;
    case Verdict::kNotJudgeable:
      return Outcome::kNotJudgeable;
    case Verdict::kWrong:
      return Outcome::kWrong;
  }
  return Outcome::kWrong;
}

bool IsFailure(Outcome outcome) { return outcome >= Outcome::kWrong; }
bool IsPass(Outcome outcome) { return outcome <= Outcome::kRefused; }

std::string Shortened(absl::string_view text, size_t longest) {
  if (text.size() <= longest) return std::string(text);
  size_t end = longest;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return absl::StrCat(text.substr(0, end), " ...");
}

const ProbeResult* CaseResult::FirstDivergence() const {
  const auto found = std::find_if(probes.begin(), probes.end(), [](const ProbeResult& probe) {
    return !probe.name.empty() && IsFailure(probe.outcome);
  });
  return found == probes.end() ? nullptr : &*found;
}

Json ToJson(const Judgement& judgement) {
  Json json = Json::object();
  if (judgement.elements() == 0 && judgement.rule.empty() && judgement.reasons.empty()) return json;
  json["verdict"] = std::string(VerdictName(judgement.verdict));
  AddCounts("elements", judgement.counts, NameOfVerdict, &json);
  AddCounts("freedoms", judgement.freedoms, NameOfFreedom, &json);
  if (judgement.largest_fraction != 0) {
    json["largest_fraction"] = DistanceJson(judgement.largest_fraction);
  }
  std::vector<int64_t> histogram(judgement.histogram.begin(), judgement.histogram.end());
  while (!histogram.empty() && histogram.back() == 0) histogram.pop_back();
  AddUnlessEmpty("histogram", histogram, &json);
  for (const Evidence& each : judgement.evidence) json["evidence"].push_back(EvidenceJson(each));
  AddMembers(judgement, &json);
  return json;
}

Json ToJson(const CaseResult& result) {
  Json json = {{"id", result.id}, {"outcome", std::string(OutcomeName(result.outcome))}};
  AddMembers(result, &json);
  if (const ProbeResult* first = result.FirstDivergence()) json["first_divergence"] = first->name;
  for (const ProbeResult& probe : result.probes) json["probes"].push_back(ProbeJson(probe));
  AddUnlessEmpty("target_seconds", Rounded(result.target_seconds), &json);
  AddUnlessEmpty("golden_seconds", Rounded(result.golden_seconds), &json);
  AddUnlessEmpty("judge_seconds", Rounded(result.judge_seconds), &json);
  return json;
}

Json HeaderToJson(const RunResult& result) {
  Json json = {{"format", kFormat},           {"target", result.target},
               {"shard", result.shard},       {"shards", result.shards},
               {"selected", result.selected}, {"seconds", Rounded(result.seconds)}};
  AddMembers(result, &json);
  if (result.repeat != 1) json["repeat"] = result.repeat;
  if (result.timeout != kUsualTimeout) json["timeout"] = DistanceJson(result.timeout);
  return json;
}

absl::StatusOr<CaseResult> CaseResultFromJson(const Json& json) {
  absl::Status status;
  CaseResult result = ReadCase(JsonFields(json, "", &status));
  if (!status.ok()) return status;
  return result;
}

std::string FormatLine(const CaseResult& result) { return Dumped(ToJson(result)); }

std::string FormatReport(const RunResult& result) {
  std::string text = Dumped(HeaderToJson(result));
  text.pop_back();  // the closing brace
  absl::StrAppend(&text, ",\"cases\":[");
  absl::string_view separator = "\n";
  for (const CaseResult& each : result.cases) {
    absl::StrAppend(&text, std::exchange(separator, ",\n"), FormatLine(each));
  }
  absl::StrAppend(&text, "\n]}\n");
  return text;
}

absl::StatusOr<RunResult> ParseReport(absl::string_view text, absl::string_view where) {
  absl::Status status;
  CaseResults cases;
  std::string member;  // of the outermost object
  // Each case is taken out of the tree as soon as it is complete.
  const auto take_cases = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) member = parsed.get<std::string>();
    if (event != Json::parse_event_t::object_end || depth != 2 || member != "cases") return true;
    cases.push_back(
        ReadCase(JsonFields(parsed, absl::StrCat("cases[", cases.size(), "]"), &status)));
    return false;
  };
  RunResult result;
  try {
    const Json json = Json::parse(text.begin(), text.end(), take_cases);
    result = ReadHeader(JsonFields(json, "", &status));
    if (status.ok() && (!json.contains("cases") || !json["cases"].empty())) {
      status = absl::InvalidArgumentError("cases: an array of objects is expected");
    }
  } catch (const Json::parse_error& error) {
    status = absl::InvalidArgumentError(absl::StrCat("it is not JSON at byte ", error.byte));
  } catch (const Json::exception& error) {
    status = absl::InvalidArgumentError(error.what());
  }
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        where, ": not a report that --report json=FILE has written: ", status.message()));
  }
  result.cases = std::move(cases);
  result.cases.SortById();
  return result;
}

}  // namespace assay::conformance
