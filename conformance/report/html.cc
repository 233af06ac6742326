#include "conformance/report/html.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/report/case_graph.h"
#include "conformance/report/describe.h"
#include "conformance/report/escape.h"

namespace assay::conformance {
namespace {

using Json = nlohmann::json;

// The page's data is rows without names, so that 50,000 cases stay small: data.js has the columns.
// Texts that come again are numbers into one list.
class Texts {
 public:
  Texts() { Number(""); }  // 0 is the empty text

  int64_t Number(const std::string& text) {
    const auto [found, added] = numbers_.emplace(text, numbers_.size());
    if (added) texts_.push_back(text);
    return found->second;
  }
  Json Numbers(const std::vector<std::string>& texts) {
    Json numbers = Json::array();
    for (const std::string& text : texts) numbers.push_back(Number(text));
    return numbers;
  }
  const std::vector<std::string>& all() const { return texts_; }

 private:
  absl::flat_hash_map<std::string, int64_t> numbers_;
  std::vector<std::string> texts_;
};

// Counts without the zeros at the end.
template <typename Counts>
Json Trimmed(const Counts& counts) {
  size_t size = counts.size();
  while (size > 0 && counts[size - 1] == 0) --size;
  return std::vector<int64_t>(counts.begin(), counts.begin() + size);
}

// What is empty at the end of a row need not be there.
Json Row(std::initializer_list<Json> cells) {
  Json row = Json(Json::array_t(cells));
  const auto empty = [](const Json& cell) {
    return cell == 0 || cell == "" || cell.is_null() || (cell.is_array() && cell.empty());
  };
  while (!row.empty() && empty(row.back())) row.erase(row.size() - 1);
  return row;
}

Json Distance(const std::optional<double>& value) {
  return value ? Json(absl::StrFormat("%.6g", *value)) : Json();
}

Json EvidenceRow(const Evidence& evidence, Texts* texts) {
  return Row({static_cast<int>(evidence.verdict), evidence.device, evidence.leaf, evidence.index,
              evidence.golden, evidence.golden_bits, evidence.actual, evidence.actual_bits,
              evidence.operands, Distance(evidence.bound), Distance(evidence.distance),
              texts->Number(evidence.reason), evidence.outfeed ? 1 : 0});
}

std::string NoteOfExecution(const ProbeResult& probe) {
  return absl::StrCat(
      "Execution ", probe.execution, " of the compiled module, ",
      probe.other_arguments ? "with other arguments" : "with the first arguments again",
      probe.message.empty() ? "" : "; ", probe.message);
}

Json ProbeRow(const ProbeResult& probe, Texts* texts) {
  const Judgement& judgement = probe.judgement;
  Json evidence = Json::array();
  for (const Evidence& each : judgement.evidence) evidence.push_back(EvidenceRow(each, texts));
  return Row({texts->Number(probe.name), static_cast<int>(probe.outcome),
              texts->Number(probe.execution > 0 ? NoteOfExecution(probe) : probe.message),
              texts->Number(judgement.rule), Trimmed(judgement.counts), Trimmed(judgement.freedoms),
              judgement.largest_distance, Trimmed(judgement.histogram),
              judgement.largest_fraction > 0 ? Distance(judgement.largest_fraction) : Json(),
              texts->Numbers(judgement.reasons), std::move(evidence),
              texts->Numbers(judgement.deviations), texts->Number(probe.source)});
}

// The graphs of programs that fail, up to a size at which a browser still opens the page at once.
class Graphs {
 public:
  // The number of the graph, from 1; 0 if there is none.
  size_t Number(const CaseResult& result) {
    if (!IsFailure(result.outcome) || bytes_ >= kMostBytes) return 0;
    const std::optional<Json> graph = GraphOfResult(result);
    if (!graph) return 0;
    texts_.push_back(ScriptJson(*graph));
    bytes_ += texts_.back().size();
    return texts_.size();
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  static constexpr size_t kMostBytes = size_t{16} << 20;
  std::vector<std::string> texts_;
  size_t bytes_ = 0;
};

Json CaseRow(const CaseResult& result, Texts* texts, Graphs* graphs) {
  Json probes = Json::array();
  for (const ProbeResult& probe : result.probes) probes.push_back(ProbeRow(probe, texts));
  const std::vector<int64_t> microseconds = {static_cast<int64_t>(result.target_seconds * 1e6),
                                             static_cast<int64_t>(result.golden_seconds * 1e6),
                                             static_cast<int64_t>(result.judge_seconds * 1e6)};
  return Row({result.id, texts->Number(result.op), texts->Number(result.type),
              static_cast<int>(result.outcome), std::move(probes), microseconds,
              texts->Number(result.message), texts->Number(result.waiver), result.text,
              graphs->Number(result)});
}

Json NamesJson() {
  Json outcomes = Json::array(), verdicts = Json::array(), freedoms = Json::array();
  for (int i = 0; i < kOutcomes; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    outcomes.push_back(
        Json::array({std::string(OutcomeName(outcome)), IsPass(outcome)      ? "pass"
                                                        : IsFailure(outcome) ? "failure"
                                                                             : "neither"}));
  }
  for (int i = 0; i < kVerdicts; ++i) {
    verdicts.push_back(std::string(VerdictName(static_cast<Verdict>(i))));
  }
  for (int i = 0; i < kFreedoms; ++i) {
    const auto freedom = static_cast<Freedom>(i);
    freedoms.push_back(
        Json::array({std::string(FreedomName(freedom)), std::string(FreedomMeaning(freedom))}));
  }
  return {{"outcomes", outcomes}, {"verdicts", verdicts}, {"freedoms", freedoms}};
}

// The parts of the template around `marker`.
std::pair<absl::string_view, absl::string_view> SplitAt(absl::string_view text,
                                                        absl::string_view marker) {
  const size_t place = text.find(marker);
  return {text.substr(0, place), text.substr(place + marker.size())};
}

void AppendData(const RunResult& run, std::string* page) {
  Texts texts;
  Graphs graphs;
  absl::StrAppend(page, "{\"run\":", ScriptJson(HeaderToJson(run)),
                  ",\"names\":", ScriptJson(NamesJson()),
                  ",\"command\":", ScriptJson(RepeatCommand(run, "")), ",\"cases\":[");
  absl::string_view separator = "\n";
  for (const CaseResult& each : run.cases) {
    absl::StrAppend(page, std::exchange(separator, ",\n"),
                    ScriptJson(CaseRow(each, &texts, &graphs)));
  }
  absl::StrAppend(page, "\n],\"texts\":", ScriptJson(texts.all()), ",\"graphs\":[",
                  absl::StrJoin(graphs.texts(), ",\n"), "]}");
}

}  // namespace

std::string FormatHtml(const RunResult& run) {
  const auto [head, after_style] = SplitAt(PageTemplate(), "/*style*/");
  const auto [middle, after_data] = SplitAt(after_style, "/*data*/");
  const auto [between, tail] = SplitAt(after_data, "/*script*/");
  std::string page = absl::StrCat(head, PageStyle(), middle);
  AppendData(run, &page);
  absl::StrAppend(&page, between, PageScript(), tail);
  return page;
}

}  // namespace assay::conformance
