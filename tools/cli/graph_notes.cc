#include "tools/cli/graph_notes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/judge/verdict_text.h"
#include "spec/files/file_io.h"
#include "tools/cli/report.h"

namespace assay::cli {
namespace {

constexpr size_t kLongestValue = 300;

void AddJudgementRows(const conformance::Judgement& judgement, conformance::NodeNote* note) {
  note->outcome = std::string(conformance::VerdictName(judgement.verdict));
  note->rows.emplace_back("verdict", conformance::InWords(judgement));
  const conformance::Evidence* worst = conformance::WorstOf(judgement);
  if (worst == nullptr && !judgement.evidence.empty()) worst = &judgement.evidence.front();
  if (worst != nullptr) {
    note->rows.emplace_back(
        judgement.verdict == conformance::Verdict::kWrong ? "worst element" : "element",
        conformance::InWords(*worst));
  }
  for (const std::string& deviation : judgement.deviations) {
    note->rows.emplace_back("known deviation", deviation);
  }
}

// Not run is worse than anything that passes, and wrong is worst.
int Badness(const conformance::InstructionVerdict& verdict) {
  if (!verdict.status.ok()) return conformance::kVerdicts;
  const auto rank = static_cast<int>(verdict.judgement.verdict);
  return verdict.is_wrong() ? conformance::kVerdicts + 1 : rank;
}

}  // namespace

void GraphNotes::Take(const conformance::InstructionVerdict& verdict,
                      const conformance::Excerpt& excerpt) {
  const std::string& name = verdict.last().name();
  if (verdict.is_wrong() && first_wrong_.empty()) first_wrong_ = name;
  const int badness = Badness(verdict);
  const auto [known, is_new] = badness_.emplace(name, badness);
  if (!is_new && known->second >= badness) return;
  known->second = badness;
  conformance::NodeNote note;
  if (verdict.is_group() || verdict.iteration > 1) note.rows.emplace_back("asked as", verdict.name);
  if (verdict.status.ok()) {
    AddJudgementRows(verdict.judgement, &note);
  } else {
    note.outcome = "not run";
    note.rows.emplace_back("why", std::string(verdict.status.message()));
  }
  note.rows.emplace_back("golden value", BriefLiteral(excerpt.golden, kLongestValue));
  for (size_t i = 0; i < excerpt.arguments.size(); ++i) {
    note.rows.emplace_back(absl::StrCat("operand ", i),
                           BriefLiteral(excerpt.arguments[i], kLongestValue));
  }
  notes_[name] = std::move(note);
}

void GraphNotes::TakeWhole(const Module& module, const conformance::WholeVerdict& whole) {
  if (!whole.status.ok()) return;
  const std::string root = module.entry()->root()->name();
  conformance::NodeNote& note = notes_[root];
  note.rows.emplace_back("whole program", conformance::InWords(whole.judgement));
  if (whole.is_wrong() && first_wrong_.empty()) {
    AddJudgementRows(whole.judgement, &note);
    first_wrong_ = root;
  }
}

nlohmann::json GraphNotes::Data(const Module& module, const std::string& title,
                                const std::string& summary) const {
  return conformance::GraphData(module, {title, summary, first_wrong_}, notes_);
}

std::string GraphNotes::Page(const Module& module, const std::string& title,
                             const std::string& summary) const {
  return conformance::GraphPage(Data(module, title, summary));
}

absl::Status GraphNotes::Write(const Module& module, const conformance::WholeVerdict& whole,
                               const std::string& title, const std::string& summary,
                               const std::string& path) {
  TakeWhole(module, whole);
  return WriteFileAtomically(path, Page(module, title, summary));
}

}  // namespace assay::cli
