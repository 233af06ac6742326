#include "tools/cli/triage_graphs.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/report/graph_page.h"

namespace assay::cli {
namespace {

constexpr size_t kMostGraphBytes = size_t{32} << 20;

bool IsDrawn(conformance::TriageClass triage_class) {
  return triage_class == conformance::TriageClass::kWrong ||
         triage_class == conformance::TriageClass::kFailed ||
         triage_class == conformance::TriageClass::kNotJudgeable;
}

std::string SentenceOf(const conformance::TriageEntry& entry) {
  std::string text(conformance::TriageClassName(entry.triage_class));
  if (!entry.operation.empty()) absl::StrAppend(&text, ": ", entry.operation);
  if (!entry.instruction.empty()) absl::StrAppend(&text, ", ", entry.instruction);
  if (!entry.source.empty()) absl::StrAppend(&text, " (", entry.source, ")");
  if (!entry.detail.empty()) absl::StrAppend(&text, ", ", entry.detail);
  return text + ".";
}

}  // namespace

void TriageGraphs::TakeInstruction(const conformance::InstructionVerdict& verdict,
                                   const conformance::Excerpt& excerpt) {
  notes_.Take(verdict, excerpt);
}

void TriageGraphs::TakeWhole(const conformance::WholeVerdict& whole) { whole_ = whole; }

void TriageGraphs::TakeEntry(const conformance::TriageInput& input,
                             const conformance::TriageEntry& entry) {
  GraphNotes notes = std::exchange(notes_, {});
  const std::optional<conformance::WholeVerdict> whole = std::exchange(whole_, std::nullopt);
  if (!IsDrawn(entry.triage_class) || bytes_ >= kMostGraphBytes) return;
  if (whole) notes.TakeWhole(*input.module, *whole);
  nlohmann::json data = notes.Data(*input.module, entry.name, SentenceOf(entry));
  bytes_ += data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).size();
  graphs_[entry.name] = std::move(data);
}

std::string TriageGraphs::Page(const TriageRun& run, const std::string& title,
                               const std::string& summary) {
  std::vector<conformance::GraphGroup> groups;
  for (const conformance::TriageGroup& group : run.groups) {
    if (group.triage_class == conformance::TriageClass::kEqual) continue;
    conformance::GraphGroup listed{
        absl::StrCat(Heading(group), " (", conformance::WithCommas(group.entries.size()), ")"), {}};
    for (const conformance::TriageEntry& entry : group.entries) {
      conformance::ListedGraph graph;
      graph.title = entry.name;
      graph.summary = SentenceOf(entry);
      graph.note =
          entry.instructions > 0 ? conformance::Counted(entry.instructions, "instruction") : "";
      if (!entry.instruction.empty()) absl::StrAppend(&graph.note, ", %", entry.instruction);
      if (!entry.source.empty()) absl::StrAppend(&graph.note, " (", entry.source, ")");
      const auto found = graphs_.find(entry.name);
      if (found != graphs_.end()) graph.data = std::move(found->second);
      listed.modules.push_back(std::move(graph));
    }
    groups.push_back(std::move(listed));
  }
  return conformance::GraphListPage(title, summary, std::move(groups));
}

}  // namespace assay::cli
