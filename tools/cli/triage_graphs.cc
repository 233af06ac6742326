#include "tools/cli/triage_graphs.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/report/graph_page.h"

namespace assay {
namespace {

constexpr size_t kMostGraphBytes = size_t{32} << 20;

bool IsDrawn(TriageClass triage_class) {
  return triage_class == TriageClass::kWrong || triage_class == TriageClass::kFailed ||
         triage_class == TriageClass::kNotJudgeable;
}

std::string SentenceOf(const TriageEntry& entry) {
  std::string text(TriageClassName(entry.triage_class));
  if (!entry.operation.empty()) absl::StrAppend(&text, ": ", entry.operation);
  if (!entry.instruction.empty()) absl::StrAppend(&text, ", ", entry.instruction);
  if (!entry.source.empty()) absl::StrAppend(&text, " (", entry.source, ")");
  if (!entry.detail.empty()) absl::StrAppend(&text, ", ", entry.detail);
  return text + ".";
}

}  // namespace

void TriageGraphs::TakeInstruction(const InstructionVerdict& verdict, const Excerpt& excerpt) {
  notes_.Take(verdict, excerpt);
}

void TriageGraphs::TakeWhole(const WholeVerdict& whole) { whole_ = whole; }

void TriageGraphs::TakeEntry(const TriageInput& input, const TriageEntry& entry) {
  GraphNotes notes = std::exchange(notes_, {});
  const std::optional<WholeVerdict> whole = std::exchange(whole_, std::nullopt);
  if (!IsDrawn(entry.triage_class) || bytes_ >= kMostGraphBytes) return;
  if (whole) notes.TakeWhole(*input.module, *whole);
  nlohmann::json data = notes.Data(*input.module, entry.name, SentenceOf(entry));
  bytes_ += data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).size();
  graphs_[entry.name] = std::move(data);
}

std::string TriageGraphs::Page(const TriageRun& run, const std::string& title,
                               const std::string& summary) {
  std::vector<GraphGroup> groups;
  for (const TriageGroup& group : run.groups) {
    if (group.triage_class == TriageClass::kEqual) continue;
    GraphGroup listed{absl::StrCat(Heading(group), " (", WithCommas(group.entries.size()), ")"),
                      {}};
    for (const TriageEntry& entry : group.entries) {
      ListedGraph graph;
      graph.title = entry.name;
      graph.summary = SentenceOf(entry);
      graph.note = entry.instructions > 0 ? Counted(entry.instructions, "instruction") : "";
      if (!entry.instruction.empty()) absl::StrAppend(&graph.note, ", %", entry.instruction);
      if (!entry.source.empty()) absl::StrAppend(&graph.note, " (", entry.source, ")");
      const auto found = graphs_.find(entry.name);
      if (found != graphs_.end()) graph.data = std::move(found->second);
      listed.modules.push_back(std::move(graph));
    }
    groups.push_back(std::move(listed));
  }
  return GraphListPage(title, summary, std::move(groups));
}

}  // namespace assay
