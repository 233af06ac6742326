// `assay triage`: a folder of modules that differ, sorted by why.
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/diagnose/triage.h"
#include "conformance/inputs/random_inputs.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/runner/case_result.h"
#include "nlohmann/json.hpp"
#include "runtime/module_form.h"
#include "tools/cli/commands.h"
#include "tools/cli/depth_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/module_files.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay {
namespace {

constexpr int kShownModules = 5;  // of a group, in the text

struct TriageCommand {
  std::vector<std::string> arguments;
  std::string target;
  std::string profile = "xla-cpu";
  uint64_t seed = 1;
  BudgetOptions budget;
  TargetMemory memory;
  DepthOptions depth;
  OutputOptions output;

  TriageCommand() { budget.budget.seconds = kUsualTimeout; }
  int Run() const;

 private:
  // One for each stored result, or one for what the target returns. `random` counts the modules
  // that have no arguments of their own and run on random ones.
  std::vector<TriageEntry> EntriesOf(const std::string& path, Backend* backend,
                                     const TargetProfile& target_profile, int64_t* random) const;
  // The same, but what does not fit into memory is broken alone.
  std::vector<TriageEntry> WithinMemory(const std::string& path, Backend* backend,
                                        const TargetProfile& target_profile, int64_t* random) const;
};

// What stands beside X.hlo is called X.inputs.npz, X.expected.npz, X.actual.npz.
std::string Beside(const std::string& path, absl::string_view what) {
  absl::string_view stem = path;
  absl::ConsumeSuffix(&stem, ".gz");
  for (absl::string_view suffix :
       {".hlo", ".txt", ".pbtxt", ".textproto", ".pb", ".mlir", ".mlirbc", ".bc"}) {
    if (absl::ConsumeSuffix(&stem, suffix)) break;
  }
  return absl::StrCat(stem, ".", what, ".npz");
}

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

TriageEntry Broken(const std::string& name, const absl::Status& status) {
  TriageEntry entry;
  entry.name = name;
  entry.triage_class = status.code() == absl::StatusCode::kUnimplemented ? TriageClass::kUnsupported
                                                                         : TriageClass::kBroken;
  entry.kind = std::string(TriageClassName(entry.triage_class));
  entry.detail = ForPeople(status.message());
  return entry;
}

std::vector<TriageEntry> TriageCommand::EntriesOf(const std::string& path, Backend* backend,
                                                  const TargetProfile& target_profile,
                                                  int64_t* random) const {
  absl::StatusOr<ModuleFile> file = OpenModuleFile(path);
  if (!file.ok()) return {Broken(path, file.status())};
  std::vector<std::pair<std::string, std::string>> stored;  // name, file
  for (absl::string_view what : {"expected", "actual"}) {
    const std::string results = Beside(path, what);
    if (Exists(results)) stored.emplace_back(absl::StrCat(path, " (", what, ")"), results);
  }
  InputOptions inputs;
  if (Exists(Beside(path, "inputs"))) {
    inputs.inputs = Beside(path, "inputs");
  } else if (stored.empty() && file->arguments.empty()) {
    inputs.inputs = "random";
    inputs.seed = seed;
    *random += file->module->entry()->parameters().empty() ? 0 : 1;
  } else if (file->arguments.empty() && !file->module->entry()->parameters().empty()) {
    return {Broken(
        path, absl::InvalidArgumentError(absl::StrCat(Beside(path, "inputs"), " is missing")))};
  }
  const absl::StatusOr<runtime::ProcessPlan> processes = runtime::PlanProcesses(*file->module);
  if (!processes.ok()) return {Broken(path, processes.status())};
  auto loaded = inputs.LoadByDevice(*file, budget.budget.bytes,
                                    processes->grid.count() / processes->per_device);
  if (!loaded.ok()) return {Broken(path, loaded.status())};
  TriageInput input{path, file->module.get(), *std::move(loaded), {}};
  std::vector<TriageEntry> entries;
  if (backend != nullptr) {
    entries.push_back(Triage(input, backend, target_profile, budget.budget, depth.depth));
    return entries;
  }
  for (const auto& [name, results] : stored) {
    auto actual = ReadResults(*file->module, results, std::nullopt);
    if (!actual.ok()) {
      entries.push_back(Broken(name, actual.status()));
      continue;
    }
    input.name = name;
    input.actual = *std::move(actual);
    entries.push_back(Triage(input, nullptr, target_profile, budget.budget));
  }
  if (stored.empty() && file->result) {
    input.actual = std::vector<Literal>{*file->result};
    entries.push_back(Triage(input, nullptr, target_profile, budget.budget));
  }
  if (entries.empty()) {
    entries.push_back(Broken(path, absl::InvalidArgumentError(absl::StrCat(
                                       "there is no --target, and no ", Beside(path, "actual")))));
  }
  return entries;
}

std::vector<TriageEntry> TriageCommand::WithinMemory(const std::string& path, Backend* backend,
                                                     const TargetProfile& target_profile,
                                                     int64_t* random) const {
  try {
    return EntriesOf(path, backend, target_profile, random);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {  // a size beyond what Abseil and the library can hold
  }
  return {Broken(path, absl::ResourceExhaustedError("there is not enough memory for it"))};
}

std::string Heading(const TriageGroup& group) {
  std::string heading = absl::StrCat(TriageClassName(group.triage_class));
  if (!group.operation.empty()) absl::StrAppend(&heading, ": ", group.operation);
  if (!group.kind.empty() && group.kind != TriageClassName(group.triage_class)) {
    absl::StrAppend(&heading, ", ", group.kind);
  }
  return heading;
}

void PrintText(const std::vector<TriageGroup>& groups) {
  for (const TriageGroup& group : groups) {
    const auto count = static_cast<int>(group.entries.size());
    std::cout << Heading(group) << " (" << count << ")\n";
    if (group.triage_class == TriageClass::kEqual) continue;
    for (int i = 0; i < std::min(count, kShownModules); ++i) {
      const TriageEntry& entry = group.entries[i];
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

// What the run comes to. Groups are ordered by severity.
std::string ClosingSentence(int64_t judged, int64_t failing, const std::vector<TriageGroup>& groups,
                            const std::string& profile) {
  if (failing > 0) {
    return absl::StrCat(Counted(failing, "result"), failing == 1 ? " is" : " are",
                        " wrong or missing; look first at ", Heading(groups.front()), ".");
  }
  if (judged == 0) return "No module was judged, which counts as a failure.";
  return absl::StrCat(
      "No bug found: ",
      judged == 1 ? "the only result that was judged is"
                  : absl::StrCat("all ", WithCommas(judged), " results that were judged are"),
      " what profile ", profile, " permits.");
}

nlohmann::json ToJson(const std::vector<TriageGroup>& groups) {
  nlohmann::json list = nlohmann::json::array();
  for (const TriageGroup& group : groups) {
    nlohmann::json modules = nlohmann::json::array();
    for (const TriageEntry& entry : group.entries) {
      modules.push_back({{"name", entry.name},
                         {"instructions", entry.instructions},
                         {"instruction", entry.instruction},
                         {"source", entry.source},
                         {"detail", ForPeople(entry.detail)}});
    }
    list.push_back({{"class", TriageClassName(group.triage_class)},
                    {"operation", group.operation},
                    {"kind", group.kind},
                    {"modules", std::move(modules)}});
  }
  return list;
}

int TriageCommand::Run() const {
  if (target.empty() && depth.given()) {
    return Fail(
        absl::InvalidArgumentError("--subgraphs or --iterations does nothing without --target"),
        output);
  }
  auto target_profile = TargetProfile::Find(profile);
  if (!target_profile.ok()) return Fail(target_profile.status(), output);
  auto files = ModuleFiles(arguments);
  if (!files.ok()) return Fail(files.status(), output);
  if (files->empty()) return Fail(NoModules(), output);
  std::unique_ptr<Backend> backend;
  if (!target.empty()) {
    BackendOptions options;
    options.budget = budget.budget;
    options.memory_bytes = memory.Limit();
    auto made = MakeBackend(target, options);
    if (!made.ok()) return Fail(made.status(), output);
    backend = *std::move(made);
  }
  std::vector<TriageEntry> entries;
  std::array<int64_t, kTriageClasses> counts{};
  int64_t random = 0;
  for (const std::string& path : *files) {
    for (TriageEntry& entry : WithinMemory(path, backend.get(), *target_profile, &random)) {
      ++counts[static_cast<int>(entry.triage_class)];
      entries.push_back(std::move(entry));
    }
  }
  const std::vector<TriageGroup> groups = GroupEntries(std::move(entries));
  int64_t judged = 0, results = 0;
  for (int i = 0; i < kTriageClasses; ++i) {
    judged += IsJudged(static_cast<TriageClass>(i)) ? counts[i] : 0;
    results += counts[i];
  }
  const bool fails = counts[static_cast<int>(TriageClass::kWrong)] > 0 ||
                     counts[static_cast<int>(TriageClass::kFailed)] > 0 || judged == 0;
  nlohmann::json by_class;
  std::string summary = absl::StrCat(files->size(), files->size() == 1 ? " module" : " modules");
  for (int i = 0; i < kTriageClasses; ++i) {
    const absl::string_view name = TriageClassName(static_cast<TriageClass>(i));
    by_class[std::string(name)] = counts[i];
    if (counts[i] > 0) absl::StrAppend(&summary, ", ", counts[i], " ", name);
  }
  if (output.json) {
    const nlohmann::json report = {
        {"modules", files->size()},          {"judged", judged},
        {"random_inputs", random},           {"fails", fails},
        {"profile", target_profile->name()}, {"classes", std::move(by_class)},
        {"groups", ToJson(groups)}};
    std::cout << JsonText(report);
  } else {
    if (!output.quiet) {
      std::cout << "judged: " << judged << " of " << results << "\n";
      PrintText(groups);
    }
    std::cout << summary << "\n";
    if (random > 0) {
      std::cout << Counted(random, "module") << " ran on random inputs (--seed " << seed << ")\n";
    }
    const int64_t failing = counts[static_cast<int>(TriageClass::kWrong)] +
                            counts[static_cast<int>(TriageClass::kFailed)];
    std::cout << Wrapped(ClosingSentence(judged, failing, groups, profile), TextWidth(), 0) << "\n";
  }
  return fails ? kExitMismatch : kExitOk;
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
  sub->add_option("--profile", command->profile, "What the target may do (docs/profiles.md)")
      ->capture_default_str();
  sub->add_option("--seed", command->seed, "Of random inputs, where a module has none")
      ->capture_default_str();
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

}  // namespace assay
