// The program behind tools/fuzz_score. docs/fuzzing.md shows what it printed.
#include <algorithm>
#include <cstdio>
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

void PrintLines(absl::string_view title, const FuzzScores& scores) {
  constexpr int64_t kSteps[] = {100, 1000, 10000, 100000, 1000000};
  const auto all = static_cast<int64_t>(scores.scores.size());
  std::string line = absl::StrCat(title, ": ");
  std::vector<int64_t> programs;
  for (const FuzzScore& score : scores.scores) {
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

int Score(const FuzzScoreOptions& options, bool list) {
  std::vector<const Mutant*> defects, combinations, conforming;
  for (const Mutant& mutant : Mutants()) {
    (mutant.conforming() ? conforming : defects).push_back(&mutant);
  }
  for (const Mutant& mutant : CombinationMutants()) combinations.push_back(&mutant);
  struct Group {
    const char* title;
    const std::vector<const Mutant*>& mutants;
    bool must_be_found;
  };
  int accused = 0;
  for (const Group& group :
       {Group{"defects of the table", defects, true}, Group{"combinations", combinations, true},
        Group{"conforming variants accused", conforming, false}}) {
    const absl::StatusOr<FuzzScores> scores = ScoreFuzzer(group.mutants, options);
    if (!scores.ok()) {
      std::fprintf(stderr, "fuzz_score: %s\n", std::string(scores.status().message()).c_str());
      return 2;
    }
    PrintLines(group.title, *scores);
    for (const FuzzScore& score : scores->scores) {
      const bool found = score.program >= 0;
      if (!group.must_be_found && found) ++accused;
      if (list || found != group.must_be_found) {
        absl::PrintF("  %-56s %s\n", score.mutant->name,
                     found ? absl::StrCat("program ", score.program, ": ", score.detail)
                           : absl::StrCat("not found, stood in ", score.shown, " programs",
                                          score.crashes > 0 ? ", made for others" : ""));
      }
    }
    absl::PrintF("  %d programs, %.0f a second on one target\n", scores->programs,
                 1 / scores->seconds_each);
  }
  return accused == 0 ? 0 : 1;
}

}  // namespace
}  // namespace assay::fuzz

int main(int argc, char** argv) {
  assay::fuzz::FuzzScoreOptions options;
  bool list = false, good = true;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--programs=")) {
      good &= absl::SimpleAtoi(argument, &options.programs);
    } else if (absl::ConsumePrefix(&argument, "--seconds=")) {
      good &= absl::SimpleAtod(argument, &options.seconds);
    } else if (absl::ConsumePrefix(&argument, "--seed=")) {
      good &= absl::SimpleAtoi(argument, &options.seed);
    } else if (argument == "--list") {
      list = true;
    } else {
      good = false;
    }
  }
  if (!good) {
    std::fprintf(
        stderr,
        "usage: fuzz_score [--programs=N] [--seconds=S of each group] [--seed=N] [--list]\n");
    return 2;
  }
  return assay::fuzz::Score(options, list);
}
