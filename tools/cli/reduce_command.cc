// `assay reduce`: the smallest module with the same finding. docs/fuzzing.md is the user's page.
// Test: fuzz_cli_test.py.
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/reduce/artifacts.h"
#include "fuzz/reduce/reducer.h"
#include "nlohmann/json.hpp"
#include "runtime/module_form.h"
#include "spec/text/printer.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/module_files.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay {
namespace {

struct ReduceCommand {
  std::vector<std::string> arguments;
  InputOptions inputs;
  std::string target;
  std::string profile = "golden";
  std::string keep;
  std::string out;
  int64_t questions = 1000;
  int64_t tries = 1, needs = 1;
  double seconds = 300;
  double timeout = 20;
  TargetMemory memory;
  OutputOptions output;

  int Run() const;

 private:
  int Report(const fuzz::ReducedModule& reduced, const fuzz::Examination& last,
             int64_t before) const;
};

int ReduceCommand::Report(const fuzz::ReducedModule& reduced, const fuzz::Examination& last,
                          int64_t before) const {
  const int64_t after = reduced.module->instruction_count();
  if (output.json) {
    const nlohmann::json json = {{"signature", last.signature.Text()},    {"detail", last.detail},
                                 {"instructions_before", before},         {"instructions", after},
                                 {"questions", reduced.questions},        {"folder", out},
                                 {"module", PrintModule(*reduced.module)}};
    std::cout << JsonText(json);
    return kExitMismatch;
  }
  std::cout << Coloured(Colour::kRed, Printable(last.signature.Text())) << "\n  "
            << Printable(last.detail) << "\n"
            << before << " instructions, reduced to " << after << " with " << reduced.questions
            << " questions\n";
  if (!output.quiet) std::cout << "\n" << PrintModule(*reduced.module);
  if (!out.empty()) std::cout << "\n" << out << "\n";
  return kExitMismatch;
}

int ReduceCommand::Run() const {
  std::optional<fuzz::FindingKind> wanted;
  if (!keep.empty()) {
    wanted = fuzz::FindingKindFromName(keep);
    if (!wanted || *wanted == fuzz::FindingKind::kReference) {
      return Fail(absl::InvalidArgumentError(absl::StrCat(
                      "--keep is wrong, crash, hang, refused or unstable, not '", keep, "'")),
                  output);
    }
  }
  const absl::StatusOr<TargetProfile> target_profile = TargetProfile::Find(profile);
  if (!target_profile.ok()) return Fail(target_profile.status(), output);
  absl::StatusOr<ModuleFile> file = LoadModule(arguments[0]);
  if (!file.ok()) return Fail(file.status(), output);
  const absl::StatusOr<runtime::ProcessPlan> processes = runtime::PlanProcesses(*file->module);
  if (!processes.ok()) return Fail(processes.status(), output);
  RunBudget budget;
  budget.seconds = timeout;
  auto values =
      inputs.LoadByDevice(*file, budget.bytes, processes->grid.count() / processes->per_device);
  if (!values.ok()) return Fail(values.status(), output);
  BackendOptions backend_options;
  backend_options.budget.seconds = timeout;
  backend_options.memory_bytes = memory.Limit();
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(target, backend_options);
  if (!backend.ok()) return Fail(backend.status(), output);
  fuzz::ExaminerOptions options;
  options.budget = budget;
  options.ways = options.relations = false;
  options.repeat = wanted == fuzz::FindingKind::kUnstable;
  fuzz::Examiner examiner(backend->get(), *target_profile, options);
  const std::vector<DeviceInputs> whole = WithoutFeeds(*values);
  if (needs > tries) {
    return Fail(absl::InvalidArgumentError("--needs is at most --tries"), output);
  }
  fuzz::Examination first;
  bool shows = false;
  for (int64_t left = tries; left > 0 && !shows; --left) {
    first = examiner.AskTarget(*file->module, whole);
    shows =
        first.outcome == fuzz::Outcome::kFinding && (!wanted || first.signature.kind == *wanted);
  }
  if (!shows) {
    return Fail(absl::FailedPreconditionError(absl::StrCat(
                    "the module shows nothing to keep: the target ",
                    first.outcome == fuzz::Outcome::kFinding ? first.signature.Text()
                                                             : fuzz::OutcomeName(first.outcome),
                    first.detail.empty() ? "" : ", ", first.detail)),
                output);
  }
  // A target that fails now and then is asked several times.
  const auto keeps = [&](const Module& module, absl::Span<const DeviceInputs> candidate) {
    int64_t shown = 0;
    for (int64_t left = tries; left > 0 && shown < needs && shown + left >= needs; --left) {
      const fuzz::Examination found = examiner.AskTarget(module, candidate);
      shown += found.outcome == fuzz::Outcome::kFinding &&
                       found.signature.kind == first.signature.kind &&
                       found.signature.error == first.signature.error
                   ? 1
                   : 0;
    }
    return shown >= needs;
  };
  const fuzz::ReducedModule reduced =
      fuzz::ReduceModule(*file->module, whole, keeps, {questions, seconds});
  const fuzz::Examination last = examiner.AskTarget(*reduced.module, reduced.inputs);
  if (!out.empty()) {
    fuzz::FindingFolder folder;
    folder.module = reduced.module.get();
    folder.inputs = reduced.inputs;
    folder.examination = &last;
    folder.target = target;
    folder.profile = profile;
    folder.origin = arguments[0];
    const absl::Status status = fuzz::WriteFindingFolder(folder, out);
    if (!status.ok()) return Fail(status, output);
  }
  return Report(reduced, last, file->module->instruction_count());
}

}  // namespace

void AddReduceCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<ReduceCommand>();
  CLI::App* sub = app.add_subcommand(
      "reduce",
      "The smallest module on which a target is wrong, crashes, hangs or refuses as it "
      "does on this one (docs/fuzzing.md)");
  sub->add_option("MODULE", command->arguments, "HLO text, HloModuleProto, HloProto or HloSnapshot")
      ->required()
      ->expected(1);
  command->inputs.AddTo(sub);
  sub->add_option("--target", command->target, BackendHelp())->required()->type_name("TARGET");
  sub->add_option("--profile", command->profile,
                  "What the target may do: a built-in profile or a .textproto file")
      ->type_name("PROFILE")
      ->capture_default_str();
  sub->add_option("--keep", command->keep,
                  "What the module must go on showing: wrong, crash, hang, refused or unstable "
                  "(default: what it shows)")
      ->type_name("KIND");
  sub->add_option("--out", command->out,
                  "Gets the module, its values, what came, a case and a program for XLA")
      ->type_name("DIR");
  sub->add_option("--questions", command->questions, "How often the target is asked, at most")
      ->check(PositiveCount())
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--tries", command->tries,
                  "How often a target that fails now and then is asked of each module")
      ->check(PositiveCount())
      ->type_name("M")
      ->capture_default_str();
  sub->add_option("--needs", command->needs, "How many of the tries must show the finding")
      ->check(PositiveCount())
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--seconds", command->seconds, "How long to go on; -1: no limit")
      ->transform(BudgetSeconds())
      ->type_name("S")
      ->capture_default_str();
  sub->add_option("--timeout", command->timeout, "Seconds that the target may take for a question")
      ->transform(BudgetSeconds())
      ->type_name("S")
      ->capture_default_str();
  command->memory.AddTo(sub);
  command->output.AddTo(sub);
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay
