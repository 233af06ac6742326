#include "tools/cli/expected_judgement.h"

#include "absl/strings/str_cat.h"
#include "conformance/diagnose/program_judge.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/profiles/profile.h"
#include "interpreter/interpreter.h"

namespace assay::cli {

absl::StatusOr<conformance::Judgement> JudgeExpected(const ModuleFile& file,
                                                     const RunSetting& setting,
                                                     const std::vector<Literal>& golden,
                                                     const std::vector<Literal>& expected,
                                                     const std::string& profile) {
  const absl::StatusOr<conformance::TargetProfile> target =
      conformance::TargetProfile::Find(profile);
  if (!target.ok()) return target.status();
  const absl::StatusOr<runtime::ProcessPlan> processes =
      runtime::PlanProcesses(*file.module, setting.grid.module_form());
  if (!processes.ok()) return processes.status();
  absl::StatusOr<std::vector<std::vector<Literal>>> arguments = setting.inputs.LoadByDevice(
      file, setting.budget.bytes, processes->grid.count() / processes->per_device);
  if (!arguments.ok()) return arguments.status();
  return conformance::JudgeByInterval(*file.module, *arguments, golden, expected, *target,
                                      setting.budget);
}

std::string JudgementSentence(const conformance::Judgement& judgement, absl::string_view profile,
                              absl::string_view source) {
  if (judgement.verdict == conformance::Verdict::kNotJudgeable) {
    return absl::StrCat("Not judged: ", conformance::InWords(judgement), ".");
  }
  if (judgement.verdict != conformance::Verdict::kWrong) {
    return absl::StrCat("No bug found: profile ", profile, " permits every value of ", source, " (",
                        conformance::InWords(judgement), ").");
  }
  std::string sentence = absl::StrCat("Wrong: ", conformance::InWords(judgement));
  if (const conformance::Evidence* worst = conformance::WorstOf(judgement)) {
    absl::StrAppend(&sentence, ", worst ", conformance::InWords(*worst));
  }
  return absl::StrCat(sentence, ".");
}

}  // namespace assay::cli
