// `assay mutants`: lists the mutants and conforming variants that are targets
// (conformance/mutants), and scores the suite on them.
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "conformance/corpus/corpus.h"
#include "conformance/mutants/score.h"
#include "nlohmann/json.hpp"
#include "tools/cli/case_selection.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

struct MutantsCommand {
  std::string names = "*";
  std::string profile;
  bool markdown = false, score = false;
  CaseSelection selection;
  BudgetOptions budget;
  OutputOptions output;

  int List() const;
  int Score() const;
  std::vector<const conformance::Mutant*> Chosen() const;
  // Without those that only the cases of a larger tier show.
  std::vector<const conformance::Mutant*> Shown() const;
};

std::vector<const conformance::Mutant*> MutantsCommand::Chosen() const {
  std::vector<const conformance::Mutant*> chosen;
  for (const conformance::Mutant& mutant : conformance::Mutants()) {
    const bool is_named = conformance::GlobMatches(names, mutant.name) ||
                          conformance::GlobMatches(names, mutant.target());
    if (is_named) chosen.push_back(&mutant);
  }
  return chosen;
}

std::vector<const conformance::Mutant*> MutantsCommand::Shown() const {
  std::vector<const conformance::Mutant*> shown = Chosen();
  std::erase_if(shown, [this](const conformance::Mutant* mutant) {
    return mutant->tier > selection.filter.tier;
  });
  return shown;
}

absl::Status NoSuchMutant(const std::string& names) {
  return absl::InvalidArgumentError(
      absl::StrCat("no name of a mutant matches '", names,
                   "'; `assay mutants` lists all; docs/fuzzing.md names those of "
                   "combination/ and history/, which are targets, too"));
}

nlohmann::json MutantJson(const conformance::Mutant& mutant) {
  nlohmann::json operations = nlohmann::json::array();
  for (Opcode opcode : mutant.opcodes) operations.push_back(std::string(Name(opcode)));
  nlohmann::json json = {
      {"target", mutant.target()}, {"operations", operations}, {"description", mutant.description}};
  if (mutant.conforming()) json["profile"] = mutant.profile;
  return json;
}

std::string Cell(const std::string& text) { return absl::StrReplaceAll(text, {{"|", "\\|"}}); }

// The tables of docs/mutants.md.
void PrintMarkdown() {
  std::cout << "| defect | what is wrong |\n|---|---|\n";
  for (const conformance::Mutant& mutant : conformance::Mutants()) {
    if (!mutant.conforming()) {
      std::cout << "| `" << mutant.target() << "` | " << Cell(mutant.description) << " |\n";
    }
  }
  std::cout << "\n| conforming variant | what it does | legal under |\n|---|---|---|\n";
  for (const conformance::Mutant& mutant : conformance::Mutants()) {
    if (mutant.conforming()) {
      std::cout << "| `" << mutant.target() << "` | " << Cell(mutant.description) << " | "
                << mutant.profile << " |\n";
    }
  }
}

int MutantsCommand::List() const {
  if (markdown) {
    PrintMarkdown();
    return kExitOk;
  }
  if (Chosen().empty()) return Fail(NoSuchMutant(names), output);
  nlohmann::json list = nlohmann::json::array();
  for (const conformance::Mutant* mutant : Chosen()) {
    if (output.json) {
      list.push_back(MutantJson(*mutant));
      continue;
    }
    std::cout << absl::StreamFormat(
        "%-42s %s%s\n", mutant->target(), mutant->description,
        mutant->conforming() ? absl::StrCat(" (legal under ", mutant->profile, ")") : "");
  }
  if (output.json) std::cout << JsonText(list);
  return kExitOk;
}

std::vector<const conformance::Mutant*> ConformingOf(
    std::vector<const conformance::Mutant*> mutants) {
  std::erase_if(mutants, [](const conformance::Mutant* mutant) {
    return !mutant->conforming() || mutant->profile == "golden";
  });
  return mutants;
}

// Whether there is an answer to expect: another profile than golden's and its own may or may not
// allow what a conforming variant does.
bool IsRated(const conformance::MutantScore& score) {
  return !score.mutant->conforming() || score.profile == "golden" ||
         score.profile == score.mutant->profile;
}

// As it should be: a defect is found, a conforming variant is not accused under its profile, but is
// seen by golden's.
bool IsRight(const conformance::MutantScore& score) {
  if (!score.broken.empty()) return false;
  if (!IsRated(score)) return true;
  const bool legal = score.mutant->profile == score.profile;
  return score.caught() == (!score.mutant->conforming() || (score.profile == "golden" && !legal));
}

nlohmann::json ScoreJson(const conformance::MutantScore& score) {
  nlohmann::json json = MutantJson(*score.mutant);
  json["judged_by"] = score.profile;
  if (IsRated(score)) json["right"] = IsRight(score);
  json["cases"] = score.cases;
  if (score.caught()) json["caught_by"] = score.caught_by;
  if (score.caught()) json["reason"] = score.reason;
  if (!score.broken.empty()) json["broken"] = score.broken;
  return json;
}

void PrintScore(const conformance::MutantScore& score) {
  const std::string said = !score.broken.empty() ? absl::StrCat("does not run: ", score.broken)
                           : score.caught()      ? absl::StrCat(score.caught_by, ": ", score.reason)
                                            : absl::StrCat("silent in ", score.cases, " cases");
  const std::string mark = !IsRight(score)  ? Coloured(Colour::kRed, "WRONG")
                           : IsRated(score) ? Coloured(Colour::kGreen, "ok   ")
                                            : "-    ";
  std::cout << mark << absl::StrFormat(" %-56s %s\n", score.mutant->target(), Printable(said));
}

void PrintTotals(const std::vector<conformance::MutantScore>& scores) {
  int64_t defects = 0, found = 0, conforming = 0, accused = 0, visible = 0, seen = 0;
  for (const conformance::MutantScore& score : scores) {
    if (!score.mutant->conforming()) {
      ++defects, found += IsRight(score);
    } else if (score.profile == "golden" && score.mutant->profile != "golden") {
      ++visible, seen += score.caught();
    } else if (IsRated(score)) {
      ++conforming, accused += score.caught();
    }
  }
  if (defects > 0) {
    std::cout << absl::StreamFormat("%d of %d defects found (%.1f%%)\n", found, defects,
                                    100.0 * found / defects);
  }
  if (conforming > 0)
    std::cout << absl::StreamFormat("%d of %d conforming variants accused\n", accused, conforming);
  if (visible > 0)
    std::cout << absl::StreamFormat("%d of %d of them seen by profile golden\n", seen, visible);
}

int MutantsCommand::Score() const {
  if (Chosen().empty()) return Fail(NoSuchMutant(names), output);
  if (Shown().empty()) {
    return Fail(
        absl::InvalidArgumentError("these mutants show in a larger tier alone: --tier standard"),
        output);
  }
  const absl::StatusOr<std::vector<conformance::CorpusCase>> cases = selection.Load();
  if (!cases.ok()) return Fail(cases.status(), output);
  Progress progress(!output.json && !output.quiet);
  conformance::ScoreOptions options;
  options.budget = budget.budget;
  options.profile = profile;
  options.progress = [&](int64_t done, int64_t all) {
    if (done % 50 == 0) progress.Show(absl::StrCat(done, " of ", all, " cases"));
  };
  absl::StatusOr<std::vector<conformance::MutantScore>> scores =
      conformance::ScoreMutants(Shown(), *cases, options);
  if (scores.ok() && profile.empty()) {
    // Conforming variants once more: what is legal is to be seen all the same.
    options.profile = "golden";
    auto seen = conformance::ScoreMutants(ConformingOf(Shown()), *cases, options);
    if (!seen.ok()) scores = seen.status();
    if (seen.ok()) scores->insert(scores->end(), seen->begin(), seen->end());
  }
  progress.Clear();
  if (!scores.ok()) return Fail(scores.status(), output);
  int64_t wrong = 0;
  nlohmann::json list = nlohmann::json::array();
  for (const conformance::MutantScore& score : *scores) {
    const bool right = IsRight(score);
    wrong += !right;
    if (output.json) list.push_back(ScoreJson(score));
    if (!output.json && (!output.quiet || !right)) PrintScore(score);
  }
  if (output.json) {
    std::cout << JsonText(list);
  } else {
    PrintTotals(*scores);
  }
  return wrong == 0 ? kExitOk : kExitMismatch;
}

}  // namespace

void AddMutantsCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<MutantsCommand>();
  CLI::App* sub =
      app.add_subcommand("mutants",
                         "The targets mutant:NAME, golden with a defect made on purpose, and "
                         "conforming:NAME, golden in a form "
                         "that is legal under a profile; they test the suite itself");
  sub->add_option("--names", command->names,
                  "Those whose name matches, e.g. 'pad/*' or 'conforming:*'")
      ->type_name("GLOB");
  sub->add_flag("--markdown", command->markdown, "The tables of docs/mutants.md");
  sub->add_flag("--score", command->score,
                "Runs each on the cases of its operations until one is judged wrong: every defect "
                "must be found, no conforming variant accused (exit code 1)");
  sub->add_option("--profile", command->profile,
                  "With --score: by which to judge (default: golden for defects, for a conforming "
                  "variant the profile that allows it)")
      ->type_name("NAME");
  command->selection.filter.tier = conformance::Tier::kQuick;
  command->selection.AddTo(sub, /*filtered=*/true);
  command->budget.AddTo(sub, "a case that spends one is not run");
  command->output.AddTo(sub);
  sub->callback(
      [command, exit_code] { *exit_code = command->score ? command->Score() : command->List(); });
}

}  // namespace assay::cli
