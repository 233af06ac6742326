#include "conformance/runner/case_result.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/runner/json_fields.h"

namespace assay {
namespace {

using Json = nlohmann::json;

constexpr absl::string_view kOutcomeNames[] = {
    "exact",         "correctly rounded", "within bound", "allowed", "refused", "not run",
    "not supported", "not judgeable",     "wrong",        "flaky",   "failed",  "invalid"};
static_assert(std::size(kOutcomeNames) == kOutcomes);

constexpr int kFormat = 1;

// Microseconds are enough of a time, and short.
double Rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

Json DistanceJson(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

template <typename T>
void AddUnlessEmpty(const char* key, const T& value, Json* json) {
  if (value != T()) (*json)[key] = value;
}

// Counts by name; those that are 0 are left out.
template <typename Counts, typename NameOf>
void AddCounts(const char* key, const Counts& counts, NameOf name_of, Json* json) {
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) (*json)[key][std::string(name_of(i))] = counts[i];
  }
}

absl::string_view NameOfVerdict(size_t i) { return VerdictName(static_cast<Verdict>(i)); }
absl::string_view NameOfFreedom(size_t i) { return FreedomName(static_cast<Freedom>(i)); }

Json EvidenceJson(const Evidence& evidence) {
  Json json = {{"verdict", std::string(VerdictName(evidence.verdict))},
               {"index", evidence.index},
               {"golden", evidence.golden},
               {"actual", evidence.actual}};
  AddUnlessEmpty("device", evidence.device, &json);
  AddUnlessEmpty("leaf", evidence.leaf, &json);
  AddUnlessEmpty("position", evidence.position, &json);
  AddUnlessEmpty("golden_bits", evidence.golden_bits, &json);
  AddUnlessEmpty("actual_bits", evidence.actual_bits, &json);
  AddUnlessEmpty("operands", evidence.operands, &json);
  if (evidence.bound) json["bound"] = DistanceJson(*evidence.bound);
  if (evidence.distance) json["distance"] = DistanceJson(*evidence.distance);
  AddUnlessEmpty("reason", evidence.reason, &json);
  return json;
}

Json ProbeJson(const ProbeResult& probe) {
  Json json = {{"outcome", std::string(OutcomeName(probe.outcome))}};
  AddUnlessEmpty("name", probe.name, &json);
  AddUnlessEmpty("message", probe.message, &json);
  if (Json judgement = ToJson(probe.judgement); !judgement.empty()) {
    json["judgement"] = std::move(judgement);
  }
  return json;
}

Evidence ReadEvidence(const JsonFields& fields) {
  Evidence evidence;
  evidence.verdict = fields.Name("verdict", VerdictFromName, Verdict::kWrong);
  fields.Get("device", &evidence.device);
  fields.Get("leaf", &evidence.leaf);
  fields.Get("position", &evidence.position);
  fields.Get("index", &evidence.index);
  fields.Get("golden", &evidence.golden);
  fields.Get("actual", &evidence.actual);
  fields.Get("golden_bits", &evidence.golden_bits);
  fields.Get("actual_bits", &evidence.actual_bits);
  fields.Get("operands", &evidence.operands);
  fields.Get("bound", &evidence.bound);
  fields.Get("distance", &evidence.distance);
  fields.Get("reason", &evidence.reason);
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
  fields.Get("largest_distance", &judgement.largest_distance);
  std::vector<int64_t> histogram;
  fields.Get("histogram", &histogram);
  if (histogram.size() > judgement.histogram.size()) {
    fields.Complain("histogram", "it has more buckets than there are");
    histogram.resize(judgement.histogram.size());
  }
  std::copy(histogram.begin(), histogram.end(), judgement.histogram.begin());
  fields.Get("rule", &judgement.rule);
  fields.ForEach("evidence", [&judgement](const JsonFields& each) {
    judgement.evidence.push_back(ReadEvidence(each));
  });
  fields.Get("reasons", &judgement.reasons);
  return judgement;
}

ProbeResult ReadProbe(const JsonFields& fields) {
  ProbeResult probe;
  fields.Get("name", &probe.name);
  probe.outcome = fields.Name("outcome", OutcomeFromName, Outcome::kFailed);
  fields.Get("message", &probe.message);
  fields.Within("judgement", [&probe](const JsonFields& judgement) {
    probe.judgement = ReadJudgement(judgement);
  });
  return probe;
}

CaseResult ReadCase(const JsonFields& fields) {
  CaseResult result;
  fields.Get("id", &result.id);
  if (result.id.empty()) fields.Complain("id", "a case has one");
  fields.Get("hash", &result.hash);
  fields.Get("op", &result.op);
  fields.Get("type", &result.type);
  result.outcome = fields.Name("outcome", OutcomeFromName, Outcome::kFailed);
  fields.Get("message", &result.message);
  fields.Get("waiver", &result.waiver);
  fields.Get("text", &result.text);
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
  fields.Get("target_version", &result.target_version);
  fields.Get("profile", &result.profile);
  fields.Get("tier", &result.tier);
  fields.Get("filter", &result.filter);
  fields.Get("case_files", &result.case_files);
  fields.Get("profile_differences", &result.profile_differences);
  fields.Get("corpus", &result.corpus);
  fields.Get("shard", &result.shard);
  fields.Get("shards", &result.shards);
  if (result.shard < 0 || result.shards < 1 || result.shard >= result.shards) {
    fields.Complain("shard", absl::StrCat(result.shard, " of ", result.shards, " is none"));
  }
  fields.Get("selected", &result.selected);
  fields.Get("interrupted", &result.interrupted);
  fields.Get("started", &result.started);
  fields.GetSeconds("seconds", &result.seconds);
  fields.Get("complaints", &result.complaints);
  return result;
}

void SortCases(std::vector<CaseResult>* cases) {
  std::sort(cases->begin(), cases->end(),
            [](const CaseResult& a, const CaseResult& b) { return a.id < b.id; });
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
    case Verdict::kNotJudgeable:
      return Outcome::kNotJudgeable;
    case Verdict::kWrong:
      return Outcome::kWrong;
  }
  return Outcome::kWrong;
}

bool IsFailure(Outcome outcome) { return outcome >= Outcome::kWrong; }
bool IsPass(Outcome outcome) { return outcome <= Outcome::kRefused; }

Json ToJson(const Judgement& judgement) {
  Json json = Json::object();
  if (judgement.elements() == 0 && judgement.rule.empty() && judgement.reasons.empty()) return json;
  json["verdict"] = std::string(VerdictName(judgement.verdict));
  AddCounts("elements", judgement.counts, NameOfVerdict, &json);
  AddCounts("freedoms", judgement.freedoms, NameOfFreedom, &json);
  if (judgement.largest_fraction != 0) {
    json["largest_fraction"] = DistanceJson(judgement.largest_fraction);
  }
  AddUnlessEmpty("largest_distance", judgement.largest_distance, &json);
  std::vector<int64_t> histogram(judgement.histogram.begin(), judgement.histogram.end());
  while (!histogram.empty() && histogram.back() == 0) histogram.pop_back();
  AddUnlessEmpty("histogram", histogram, &json);
  AddUnlessEmpty("rule", judgement.rule, &json);
  for (const Evidence& each : judgement.evidence) json["evidence"].push_back(EvidenceJson(each));
  AddUnlessEmpty("reasons", judgement.reasons, &json);
  return json;
}

Json ToJson(const CaseResult& result) {
  Json json = {{"id", result.id}, {"outcome", std::string(OutcomeName(result.outcome))}};
  AddUnlessEmpty("hash", result.hash, &json);
  AddUnlessEmpty("op", result.op, &json);
  AddUnlessEmpty("type", result.type, &json);
  AddUnlessEmpty("message", result.message, &json);
  AddUnlessEmpty("waiver", result.waiver, &json);
  AddUnlessEmpty("text", result.text, &json);
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
  AddUnlessEmpty("target_version", result.target_version, &json);
  AddUnlessEmpty("profile", result.profile, &json);
  AddUnlessEmpty("tier", result.tier, &json);
  AddUnlessEmpty("filter", result.filter, &json);
  AddUnlessEmpty("case_files", result.case_files, &json);
  AddUnlessEmpty("profile_differences", result.profile_differences, &json);
  AddUnlessEmpty("corpus", result.corpus, &json);
  AddUnlessEmpty("interrupted", result.interrupted, &json);
  AddUnlessEmpty("started", result.started, &json);
  AddUnlessEmpty("complaints", result.complaints, &json);
  return json;
}

Json ToJson(const RunResult& result) {
  Json json = HeaderToJson(result);
  json["cases"] = Json::array();
  for (const CaseResult& each : result.cases) json["cases"].push_back(ToJson(each));
  return json;
}

absl::StatusOr<CaseResult> CaseResultFromJson(const Json& json) {
  absl::Status status;
  CaseResult result = ReadCase(JsonFields(json, "", &status));
  if (!status.ok()) return status;
  return result;
}

absl::StatusOr<RunResult> RunResultFromJson(const Json& json) {
  absl::Status status;
  const JsonFields fields(json, "", &status);
  RunResult result = ReadHeader(fields);
  fields.ForEach("cases",
                 [&result](const JsonFields& each) { result.cases.push_back(ReadCase(each)); });
  if (!status.ok()) return status;
  SortCases(&result.cases);
  return result;
}

std::string FormatLine(const CaseResult& result) { return Dumped(ToJson(result)); }

std::string FormatReport(const RunResult& result) {
  std::string text = Dumped(HeaderToJson(result));
  text.pop_back();  // the closing brace
  absl::StrAppend(&text, ",\"cases\":[");
  for (size_t i = 0; i < result.cases.size(); ++i) {
    absl::StrAppend(&text, i > 0 ? ",\n" : "\n", FormatLine(result.cases[i]));
  }
  absl::StrAppend(&text, "\n]}\n");
  return text;
}

absl::StatusOr<RunResult> ParseReport(absl::string_view text, absl::string_view where) {
  absl::Status status;
  std::vector<CaseResult> cases;
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
  } catch (const Json::exception& error) {
    status = absl::InvalidArgumentError(error.what());
  }
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": no report of a run: ", status.message()));
  }
  result.cases = std::move(cases);
  SortCases(&result.cases);
  return result;
}

}  // namespace assay
