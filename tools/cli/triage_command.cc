// `assay triage`: a folder of modules that differ, sorted by why.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/runner/case_result.h"
#include "nlohmann/json.hpp"
#include "spec/files/file_io.h"
#include "tools/cli/commands.h"
#include "tools/cli/depth_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/module_files.h"
#include "tools/cli/options.h"
#include "tools/cli/profile_option.h"
#include "tools/cli/reductions.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"
#include "tools/cli/triage_files.h"
#include "tools/cli/triage_graphs.h"

namespace assay::cli {
namespace {

constexpr int kShownModules = 5;  // of a group, in the text

struct TriageCommand {
  std::vector<std::string> arguments;
  std::string target;
  ProfileOption profile_option;
  std::string html, reduce;
  uint64_t seed = 1;
  BudgetOptions budget;
  TargetMemory memory;
  DepthOptions depth;
  OutputOptions output;

  TriageCommand() { budget.budget.seconds = conformance::kUsualTimeout; }
  int Run() const;
  void Print(const TriageRun& run, const std::string& profile_name,
             const std::string& closing) const;
};

void PrintText(const std::vector<conformance::TriageGroup>& groups) {
  for (const conformance::TriageGroup& group : groups) {
    const auto count = static_cast<int>(group.entries.size());
    std::cout << Heading(group) << " (" << count << ")\n";
    if (group.triage_class == conformance::TriageClass::kEqual) continue;
    for (int i = 0; i < std::min(count, kShownModules); ++i) {
      const conformance::TriageEntry& entry = group.entries[i];
      std::cout << "  " << entry.name;
      if (entry.instructions > 0) std::cout << ", " << entry.instructions << " instructions";
      if (!entry.instruction.empty()) std::cout << ", %" << entry.instruction;
      if (!entry.source.empty()) std::cout << " (" << entry.source << ")";
      std::cout << "\n";
      if (!entry.detail.empty()) std::cout << "    " << ForPeople(entry.detail) << "\n";
    }
    if (count > kShownModules) {
      std::cout << "  and " << count - kShownModules << " more, which --json names\n";
    }
  }
}

void TriageCommand::Print(const TriageRun& run, const std::string& profile_name,
                          const std::string& closing) const {
  if (output.json) {
    std::cout << JsonText(TriageJson(run, profile_name));
    return;
  }
  if (!output.quiet) {
    std::cout << "judged: " << run.judged << " of " << run.results << "\n";
    PrintText(run.groups);
  }
  std::cout << run.Counts() << "\n";
  if (run.random > 0) {
    std::cout << conformance::Counted(run.random, "module") << " ran on random inputs (--seed "
              << seed << ")\n";
  }
  std::cout << Wrapped(closing, TextWidth(), 0) << "\n";
}

int TriageCommand::Run() const {
  if (target.empty() && (depth.given() || !reduce.empty())) {
    return Fail(absl::InvalidArgumentError(
                    absl::StrCat(reduce.empty() ? "--subgraphs or --iterations" : "--reduce",
                                 " does nothing without --target")),
                output);
  }
  const std::string profile = profile_option.For(target);
  auto target_profile = conformance::TargetProfile::Find(profile);
  if (!target_profile.ok()) return Fail(target_profile.status(), output);
  if (absl::Status status = CheckExist(arguments); !status.ok()) return Fail(status, output);
  auto files = ModuleFiles(arguments);
  if (!files.ok()) return Fail(files.status(), output);
  if (files->empty()) return Fail(NoModules(arguments), output);
  std::unique_ptr<Backend> backend;
  if (!target.empty()) {
    BackendOptions options;
    options.budget = budget.budget;
    options.memory_bytes = memory.Limit();
    auto made = MakeBackend(target, options);
    if (!made.ok()) return Fail(made.status(), output);
    backend = *std::move(made);
  }
  TriageQuestion question;
  question.target = backend.get();
  question.profile = &*target_profile;
  question.seed = seed;
  question.budget = budget.budget;
  question.depth = depth.depth;
  TriageGraphs graphs;
  Reductions reductions(reduce, backend.get(), *target_profile, budget.budget, target, profile);
  ReducingObserver reducing(&reductions, html.empty() ? nullptr : &graphs);
  if (!html.empty()) {
    if (absl::Status status = CheckWritable(html); !status.ok()) return Fail(status, output);
    question.observer = &graphs;
  }
  if (reductions.wanted()) question.observer = &reducing;
  Progress progress(!output.json && !output.quiet);
  question.progress = [&](size_t done, const std::string& path) {
    progress.Show(absl::StrCat(conformance::WithCommas(done), " of ",
                               conformance::Counted(files->size(), "module"), ", now ", path));
  };
  const TriageRun run = TriageFiles(*files, question);
  progress.Clear();
  const std::string closing = ClosingSentence(run, profile);
  if (!html.empty()) {
    const std::string title = absl::StrCat("Triage of ", conformance::Counted(run.files, "module"),
                                           target.empty() ? "" : absl::StrCat(" on ", target));
    const absl::Status status = WriteFileAtomically(html, graphs.Page(run, title, closing));
    if (!status.ok()) return Fail(status, output);
  }
  Print(run, target_profile->name(), closing);
  return run.fails() ? kExitMismatch : kExitOk;
}

}  // namespace

void AddTriageCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<TriageCommand>();
  CLI::App* sub = app.add_subcommand("triage", "Sort modules that differ by what goes wrong first");
  AddModuleFilesTo(sub, "FOLDER", &command->arguments);
  sub->add_option("--target", command->target,
                  "Asks this implementation (golden, process:COMMAND, or a mutant of golden) for "
                  "each instruction alone and for the whole module; without it the stored results "
                  "are judged");
  command->profile_option.AddTo(sub);
  sub->add_option("--seed", command->seed,
                  "The seed of random inputs, for modules that have no inputs")
      ->capture_default_str();
  sub->add_option(
         "--html", command->html,
         "Writes a page with all groups, and with the graph of each module that is wrong, "
         "fails or is not judgeable: every instruction with its verdict, values and source")
      ->type_name("FILE");
  AddReduceOption(sub, &command->reduce);
  command->depth.AddTo(sub);
  command->memory.AddTo(sub);
  command->budget.AddTo(sub, "a module that spends one is broken");
  command->output.AddTo(sub);
  sub->footer(
      "Beside X.hlo lie X.inputs.npz and what implementations returned: X.expected.npz,\n"
      "X.actual.npz; a snapshot has both. Where a program is wrong and none of its instructions "
      "alone,\n"
      "a target is asked for groups of up to 4 and for 3 iterations of loops as well. Modules with "
      "the same first wrong operation and\n"
      "the same kind of error stand together, the smallest first. Exit code 1 when something\n"
      "is wrong or fails, or nothing was judged; what is broken or missing is named and counted.\n"
      "Examples:\n"
      "  assay triage dumps/ --target \"process:python3 mine.py\" --profile gpu\n"
      "  assay triage stored/ --json");
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay::cli
