// The program behind tools/fuzz_score. docs/fuzzing.md shows what it printed.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "fuzz/score/combinations.h"
#include "fuzz/score/score.h"

namespace assay::fuzz {
namespace {

void PrintLines(absl::string_view title, absl::Span<const FuzzScore> group,
                const FuzzScores& scores) {
  constexpr int64_t kSteps[] = {100, 1000, 10000, 30000, 100000, 1000000};
  const auto all = static_cast<int64_t>(group.size());
  std::string line = absl::StrCat(title, ": ");
  std::vector<int64_t> programs;
  for (const FuzzScore& score : group) {
    if (score.program >= 0) programs.push_back(score.program + 1);
  }
  std::sort(programs.begin(), programs.end());
  for (const int64_t step : kSteps) {
    if (step > scores.programs) break;
    const auto until = std::upper_bound(programs.begin(), programs.end(), step) - programs.begin();
    absl::StrAppend(&line, until, " within ", step, " programs, ");
  }
  const auto found = static_cast<int64_t>(programs.size());
  absl::StrAppend(&line, found, " of ", all, " in all");
  if (found > 0) {
    absl::StrAppendFormat(&line, "; half of them within %d programs (%.2f s)", programs[found / 2],
                          static_cast<double>(programs[found / 2]) * scores.seconds_each);
  }
  std::puts(line.c_str());
}

std::string NotFound(const FuzzScore& score) {
  std::string text = absl::StrCat("not found, stood in ", score.shown, " programs");
  if (score.failed > 0) absl::StrAppend(&text, ", refused ", score.failed);
  if (score.crashes > 0) absl::StrAppend(&text, ", crashed at ", score.crashes);
  return text;
}

// Prints the group and returns how many of it are found.
int64_t PrintGroup(absl::string_view title, absl::Span<const FuzzScore> group,
                   const FuzzScores& scores, bool must_be_found, bool list) {
  PrintLines(title, group, scores);
  int64_t found = 0;
  for (const FuzzScore& score : group) {
    const bool is_found = score.program >= 0;
    found += is_found ? 1 : 0;
    if (!list && is_found == must_be_found) continue;
    absl::PrintF(
        "  %-56s %s\n", score.mutant->name,
        is_found ? absl::StrCat("program ", score.program, ": ", score.detail) : NotFound(score));
  }
  return found;
}

// The first words of the lines of a file; empty where there is none.
std::set<std::string> NamesIn(const std::string& path) {
  std::set<std::string> names;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    if (words >> name) names.insert(name);
  }
  return names;
}

struct Choice {
  std::string only;       // a file of names; empty for all mutants
  bool variants = false;  // conforming variants alone
  bool list = false;
};

int Score(const FuzzScoreOptions& options, const Choice& choice) {
  const std::set<std::string> names = NamesIn(choice.only);
  if (!choice.only.empty() && names.empty()) {
    std::fprintf(stderr, "fuzz_score: %s names no mutants\n", choice.only.c_str());
    return 2;
  }
  const auto wanted = [&](const conformance::Mutant& mutant) {
    return (names.empty() || names.contains(mutant.name)) &&
           (!choice.variants || mutant.conforming());
  };
  std::vector<const conformance::Mutant*> defects, combinations, conforming;
  for (const conformance::Mutant& mutant : conformance::Mutants()) {
    if (wanted(mutant)) (mutant.conforming() ? conforming : defects).push_back(&mutant);
  }
  for (const conformance::Mutant& mutant : CombinationMutants()) {
    if (wanted(mutant)) combinations.push_back(&mutant);
  }
  std::vector<const conformance::Mutant*> all = defects;
  all.insert(all.end(), combinations.begin(), combinations.end());
  all.insert(all.end(), conforming.begin(), conforming.end());
  const absl::StatusOr<FuzzScores> scores = ScoreFuzzer(all, options);
  if (!scores.ok()) {
    std::fprintf(stderr, "fuzz_score: %s\n", std::string(scores.status().message()).c_str());
    return 2;
  }
  absl::Span<const FuzzScore> rest = scores->scores;
  const auto next = [&rest](size_t count) {
    const absl::Span<const FuzzScore> own = rest.first(count);
    rest.remove_prefix(count);
    return own;
  };
  if (!choice.variants) {
    PrintGroup("defects of the table", next(defects.size()), *scores, true, choice.list);
    PrintGroup("combinations", next(combinations.size()), *scores, true, choice.list);
  }
  const int64_t accused = PrintGroup("conforming variants accused", next(conforming.size()),
                                     *scores, false, choice.list);
  absl::PrintF("%d programs, %.0f a second on one target\n", scores->programs,
               1 / scores->seconds_each);
  return accused == 0 ? 0 : 1;
}

}  // namespace
}  // namespace assay::fuzz

int main(int argc, char** argv) {
  assay::fuzz::FuzzScoreOptions options;
  assay::fuzz::Choice choice;
  bool good = true;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--programs=")) {
      good &= absl::SimpleAtoi(argument, &options.programs);
    } else if (absl::ConsumePrefix(&argument, "--first=")) {
      good &= absl::SimpleAtoi(argument, &options.first) && options.first >= 0;
    } else if (absl::ConsumePrefix(&argument, "--seconds=")) {
      good &= absl::SimpleAtod(argument, &options.seconds);
    } else if (absl::ConsumePrefix(&argument, "--seed=")) {
      good &= absl::SimpleAtoi(argument, &options.seed);
    } else if (absl::ConsumePrefix(&argument, "--only=")) {
      choice.only = std::string(argument);
    } else if (argument == "--variants") {
      choice.variants = true;
    } else if (argument == "--list") {
      choice.list = true;
    } else {
      good = false;
    }
  }
  if (!good) {
    std::fprintf(
        stderr,
        "usage: fuzz_score [--programs=N] [--first=N] [--seconds=S] [--seed=N] [--only=FILE] "
        "[--variants] [--list]\n");
    return 2;
  }
  return assay::fuzz::Score(options, choice);
}
