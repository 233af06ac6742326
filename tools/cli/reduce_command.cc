// `assay reduce`: the smallest module with the same finding. docs/fuzzing.md is the user's page.
// Test: fuzz_cli_test.py.
#include <atomic>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/reduce/reduction.h"
#include "nlohmann/json.hpp"
#include "runtime/module_form.h"
#include "spec/text/printer.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/module_files.h"
#include "tools/cli/options.h"
#include "tools/cli/profile_option.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

std::atomic<bool> reduction_stops = false;

// The first signal ends the search, so that the smallest module so far is written; the second one
// ends the process.
extern "C" void StopReducing(int number) {
  if (reduction_stops.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

struct ReduceCommand {
  std::vector<std::string> arguments;
  InputOptions inputs;
  std::string target;
  ProfileOption profile_option;
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
  absl::StatusOr<fuzz::Reduction> Reduce(const Module& module,
                                         absl::Span<const DeviceInputs> values,
                                         fuzz::ReductionOptions options,
                                         const std::string& profile) const;
  int Report(const fuzz::ReducedModule& reduced, const fuzz::Examination& last,
             int64_t before) const;
};

int ReduceCommand::Report(const fuzz::ReducedModule& reduced, const fuzz::Examination& last,
                          int64_t before) const {
  const int64_t after = reduced.module->instruction_count();
  if (output.json) {
    const nlohmann::json json = {
        {"signature", last.signature.Text()},
        {"detail", last.detail},
        {"instructions_before", before},
        {"instructions", after},
        {"questions", reduced.questions},
        {"folder", out},
        {"complete", reduced.complete},
        {"module", PrintModule(*reduced.module, PrintOptions::Complete())}};
    std::cout << JsonText(json);
    return kExitMismatch;
  }
  std::cout << Coloured(Colour::kRed, Printable(last.signature.Text())) << "\n  "
            << Printable(last.detail) << "\n"
            << before << " instructions, reduced to " << after << " with " << reduced.questions
            << " questions\n";
  if (!output.quiet) std::cout << "\n" << PrintModule(*reduced.module, PrintOptions::Complete());
  if (!out.empty()) std::cout << "\n" << out << "\n";
  if (!reduced.complete) {
    std::cout << "The reduction did not end (--seconds, --questions or a signal)"
              << (out.empty() ? "; with --out it could go on.\n"
                              : "; the same command goes on where it was.\n");
  }
  return kExitMismatch;
}

absl::StatusOr<fuzz::Reduction> ReduceCommand::Reduce(const Module& module,
                                                      absl::Span<const DeviceInputs> values,
                                                      fuzz::ReductionOptions options,
                                                      const std::string& profile) const {
  if (!out.empty()) options.answers = absl::StrCat(out, "/answers.txt");
  options.identity = absl::StrCat(target, "\n", profile, "\n", keep, "\n", tries, " ", needs);
  Progress progress(!output.json && !output.quiet);
  bool said = false;
  options.progress = [&](const fuzz::ReductionProgress& now) {
    if (now.known > 0 && now.known < now.questions && !std::exchange(said, true)) {
      progress.Clear();
      std::cerr << "assay: goes on behind " << now.known << " questions of an earlier run\n";
    }
    progress.Show(absl::StrFormat("%d questions; %d instructions, %d elements, %d bytes",
                                  now.questions, now.instructions, now.elements, now.bytes));
  };
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, StopReducing);
  return fuzz::ReduceFinding(module, values, options);
}

int ReduceCommand::Run() const {
  std::optional<fuzz::FindingKind> wanted;
  if (!keep.empty()) {
    wanted = fuzz::FindingKindFromName(keep);
    if (!wanted || *wanted == fuzz::FindingKind::kReference) {
      return Fail(absl::InvalidArgumentError(absl::StrCat(
                      "--keep is wrong, crash, hang, refused, unstable or leak, not '", keep, "'")),
                  output);
    }
  }
  const std::string profile = profile_option.For(target);
  const absl::StatusOr<conformance::TargetProfile> target_profile =
      conformance::TargetProfile::Find(profile);
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
  if (needs > tries) {
    return Fail(absl::InvalidArgumentError("--needs is at most --tries"), output);
  }
  fuzz::ReductionOptions options;
  options.target = backend->get();
  options.profile = &*target_profile;
  options.budget = budget;
  options.keep = wanted;
  options.limits = {questions, seconds, &reduction_stops};
  options.tries = tries;
  options.needs = needs;
  const absl::StatusOr<fuzz::Reduction> reduction =
      Reduce(*file->module, WithoutFeeds(*values), std::move(options), profile);
  if (!reduction.ok()) return Fail(reduction.status(), output);
  if (!out.empty()) {
    const absl::Status status =
        fuzz::WriteReduction(*reduction, target, profile, arguments[0], out);
    if (!status.ok()) return Fail(status, output);
  }
  return Report(reduction->reduced, reduction->last, file->module->instruction_count());
}

}  // namespace

void AddReduceCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<ReduceCommand>();
  CLI::App* sub = app.add_subcommand(
      "reduce",
      "The smallest module on which a target is wrong, crashes, hangs or refuses as it "
      "does on this one (docs/fuzzing.md)");
  sub->add_option("MODULE", command->arguments,
                  "StableHLO, HLO text, HloModuleProto, HloProto or HloSnapshot")
      ->required()
      ->expected(1);
  command->inputs.AddTo(sub);
  sub->add_option("--target", command->target, BackendHelp())->required()->type_name("TARGET");
  command->profile_option.AddTo(sub);
  sub->add_option("--keep", command->keep,
                  "What the module must go on showing: wrong, crash, hang, refused, unstable or "
                  "leak (default: what it shows)")
      ->type_name("KIND");
  sub->add_option("--out", command->out,
                  "Writes the module, its values, the result, a case and a program for XLA; a "
                  "reduction that was cut off goes on there")
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

}  // namespace assay::cli
