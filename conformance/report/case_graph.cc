#include "conformance/report/case_graph.h"

#include <map>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/corpus/case_reader.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/report/describe.h"
#include "conformance/report/graph_page.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

// The instruction at which a sub-test is noted: of a group the last member; of the whole program
// the root.
std::string NotedAt(const ProbeResult& probe, const Module& module) {
  const size_t last = probe.name.rfind('+');
  std::string name = last == std::string::npos ? probe.name : probe.name.substr(last + 1);
  name = name.substr(0, name.find('@'));  // without the iteration of a loop
  return name.empty() ? module.entry()->root()->name() : name;
}

}  // namespace

std::optional<nlohmann::json> CaseGraph(absl::string_view module_text, const CaseResult& result) {
  if (result.probes.size() < 2) return std::nullopt;
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(module_text);
  if (!module.ok()) return std::nullopt;
  const ProbeResult* first = result.FirstDivergence();
  std::map<std::string, NodeNote> notes;
  for (const ProbeResult& probe : result.probes) {
    NodeNote& note = notes[NotedAt(probe, **module)];
    // What the whole program inherits does not colour its root.
    const bool inherited = probe.name.empty() && first != nullptr;
    if (!inherited && (note.outcome.empty() || IsFailure(probe.outcome))) {
      note.outcome = std::string(OutcomeName(probe.outcome));
    }
    const std::string asked = probe.name.empty() ? "whole program" : probe.name;
    note.rows.emplace_back(asked, probe.message.empty() ? InWords(probe.judgement) : probe.message);
    if (const Evidence* worst = WorstOf(probe.judgement)) {
      note.rows.emplace_back("worst element", InWords(*worst));
    }
  }
  return GraphData(**module,
                   {result.id, absl::StrCat(OutcomeName(result.outcome), ". ", Headline(result)),
                    first == nullptr ? "" : NotedAt(*first, **module)},
                   notes);
}

std::optional<nlohmann::json> GraphOfResult(const CaseResult& result) {
  if (result.text.empty() || result.probes.size() < 2) return std::nullopt;
  const absl::StatusOr<std::vector<CorpusCase>> cases = ReadCases(result.text, result.id);
  if (!cases.ok() || cases->size() != 1) return std::nullopt;
  return CaseGraph(cases->front().module, result);
}

}  // namespace assay::conformance
