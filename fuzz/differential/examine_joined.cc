// Several programs in one module, told apart again where the module fails. Tests: examiner_test.cc.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "fuzz/differential/examiner.h"

namespace assay::fuzz {

std::vector<Examination> Examiner::ExamineJoined(absl::Span<const ProgramToJoin> programs,
                                                 int64_t turn) {
  std::vector<Examination> results(programs.size());
  std::vector<size_t> joined;
  for (size_t k = 0; k < programs.size(); ++k) {
    const ProgramToJoin& program = programs[k];
    const auto own_turn = turn + static_cast<int64_t>(k);
    if (!ExamineReference(*program.module, program.inputs, own_turn, &results[k])) continue;
    if (target_ == nullptr) continue;
    if (const std::optional<std::string> reason = profile_.Unsupported(*program.module)) {
      results[k].outcome = Outcome::kUnsupported;
      results[k].detail = *reason;
    } else if (refused_.Expects(*program.module)) {
      AskAlone(program, &results[k]);
    } else {
      joined.push_back(k);
    }
  }
  if (!joined.empty()) AskJoined(programs, joined, &results);
  return results;
}

void Examiner::AskAlone(const ProgramToJoin& program, Examination* result) {
  *result = AskTarget(*program.module, program.inputs);
  const bool ran = !result->actual.empty();
  if (ran || result->outcome != Outcome::kOverBudget) refused_.Add(*program.module, ran);
}

void Examiner::AskJoined(absl::Span<const ProgramToJoin> programs, absl::Span<const size_t> which,
                         std::vector<Examination>* results) {
  if (which.size() == 1) {
    AskAlone(programs[which[0]], &(*results)[which[0]]);
    return;
  }
  absl::Status failure;
  if (RunJoined(programs, which, results, &failure)) return;
  const size_t half = which.size() / 2;
  AskJoined(programs, which.first(half), results);
  AskJoined(programs, which.subspan(half), results);
  if (absl::IsUnimplemented(failure) || absl::IsResourceExhausted(failure)) return;
  // Many programs may take too long where none does.
  if (absl::StrContains(failure.message(), "did not answer in time")) return;
  for (const size_t k : which) {
    const Examination& own = (*results)[k];
    if (own.actual.empty() || own.outcome == Outcome::kFinding) return;
  }
  // Every program is right without the others.
  std::vector<Examination> again = *results;
  if (RunJoined(programs, which, &again, &failure)) return;
  Examination& first = (*results)[which[0]];
  first.outcome = Outcome::kFinding;
  first.signature = {FindingKind::kCrash, OperationOf(*programs[which[0]].module, 0),
                     WithoutNumbers(failure.message()), "joined"};
  first.detail = std::string(failure.message());
}

bool Examiner::RunJoined(absl::Span<const ProgramToJoin> programs, absl::Span<const size_t> which,
                         std::vector<Examination>* results, absl::Status* failure) {
  std::vector<ProgramToJoin> chosen;
  for (const size_t k : which) chosen.push_back(programs[k]);
  const JoinedPrograms all = JoinPrograms(chosen);
  InputSets sets;
  sets.sets = {all.inputs};
  sets.order = {0};
  *failure = target_->Supports(*all.module);
  if (!failure->ok()) return false;
  const absl::StatusOr<ModuleRun> run = target_->RunSets(*all.module, sets);
  *failure = run.status();
  if (!run.ok()) return false;
  for (size_t i = 0; i < which.size(); ++i) {
    const ProgramToJoin& program = chosen[i];
    Examination& result = (*results)[which[i]];
    refused_.Add(*program.module, /*ran=*/true);
    result.actual = {{run->outputs[0][0].result.element(static_cast<int64_t>(i)), {}}};
    JudgeTarget(*program.module, program.inputs, /*localize=*/false, &result);
    if (result.outcome != Outcome::kFinding) continue;
    Examination alone = AskTarget(*program.module, program.inputs);
    if (alone.outcome == Outcome::kFinding) {
      result = std::move(alone);
    } else {
      result.signature.relation = "joined";
    }
  }
  return true;
}

}  // namespace assay::fuzz
