#include "tools/cli/triage_files.h"

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/judge/verdict_text.h"
#include "nlohmann/json.hpp"
#include "runtime/module_form.h"
#include "tools/cli/options.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

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

conformance::TriageEntry Broken(const std::string& name, const absl::Status& status) {
  conformance::TriageEntry entry;
  entry.name = name;
  entry.triage_class = status.code() == absl::StatusCode::kUnimplemented
                           ? conformance::TriageClass::kUnsupported
                           : conformance::TriageClass::kBroken;
  entry.kind = std::string(conformance::TriageClassName(entry.triage_class));
  entry.detail = ForPeople(status.message());
  return entry;
}

// One for each stored result, or one for what the target returns.
std::vector<conformance::TriageEntry> EntriesOf(const std::string& path,
                                                const TriageQuestion& question, int64_t* random) {
  const conformance::TargetProfile& profile = *question.profile;
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
    inputs.seed = question.seed;
    if (question.target != nullptr) *random += file->module->entry()->parameters().empty() ? 0 : 1;
  } else if (file->arguments.empty() && !file->module->entry()->parameters().empty()) {
    return {Broken(
        path, absl::InvalidArgumentError(absl::StrCat(Beside(path, "inputs"), " is missing")))};
  }
  const absl::StatusOr<runtime::ProcessPlan> processes = runtime::PlanProcesses(*file->module);
  if (!processes.ok()) return {Broken(path, processes.status())};
  auto loaded = inputs.LoadByDevice(*file, question.budget.bytes,
                                    processes->grid.count() / processes->per_device);
  if (!loaded.ok()) return {Broken(path, loaded.status())};
  conformance::TriageInput input{path, file->module.get(), *std::move(loaded), {}};
  std::vector<conformance::TriageEntry> entries;
  if (question.target != nullptr) {
    entries.push_back(conformance::Triage(input, question.target, profile, question.budget,
                                          question.depth, question.observer));
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
    entries.push_back(
        conformance::Triage(input, nullptr, profile, question.budget, {}, question.observer));
  }
  if (stored.empty() && file->result) {
    input.actual = std::vector<Literal>{*file->result};
    entries.push_back(
        conformance::Triage(input, nullptr, profile, question.budget, {}, question.observer));
  }
  if (entries.empty()) {
    entries.push_back(Broken(path, absl::InvalidArgumentError(absl::StrCat(
                                       "there is no --target, and no ", Beside(path, "actual")))));
  }
  return entries;
}

// The same, but what does not fit into memory is broken alone.
std::vector<conformance::TriageEntry> WithinMemory(const std::string& path,
                                                   const TriageQuestion& question,
                                                   int64_t* random) {
  try {
    return EntriesOf(path, question, random);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {  // a size beyond what Abseil and the library can hold
  }
  return {Broken(path, absl::ResourceExhaustedError("there is not enough memory for it"))};
}

nlohmann::json GroupsJson(const std::vector<conformance::TriageGroup>& groups) {
  nlohmann::json list = nlohmann::json::array();
  for (const conformance::TriageGroup& group : groups) {
    nlohmann::json modules = nlohmann::json::array();
    for (const conformance::TriageEntry& entry : group.entries) {
      modules.push_back({{"name", entry.name},
                         {"instructions", entry.instructions},
                         {"instruction", entry.instruction},
                         {"source", entry.source},
                         {"detail", ForPeople(entry.detail)}});
    }
    list.push_back({{"class", conformance::TriageClassName(group.triage_class)},
                    {"operation", group.operation},
                    {"kind", group.kind},
                    {"modules", std::move(modules)}});
  }
  return list;
}

}  // namespace

int64_t TriageRun::failing() const {
  return counts[static_cast<int>(conformance::TriageClass::kWrong)] +
         counts[static_cast<int>(conformance::TriageClass::kFailed)];
}

bool TriageRun::fails() const { return failing() > 0 || judged == 0; }

std::string TriageRun::Counts() const {
  std::string text = absl::StrCat(files, files == 1 ? " module" : " modules");
  for (int i = 0; i < conformance::kTriageClasses; ++i) {
    if (counts[i] == 0) continue;
    absl::StrAppend(&text, ", ", counts[i], " ",
                    conformance::TriageClassName(static_cast<conformance::TriageClass>(i)));
  }
  return text;
}

TriageRun TriageFiles(absl::Span<const std::string> files, const TriageQuestion& question) {
  TriageRun run;
  run.files = files.size();
  std::vector<conformance::TriageEntry> entries;
  for (const std::string& path : files) {
    if (question.progress) question.progress(&path - files.data(), path);
    for (conformance::TriageEntry& entry : WithinMemory(path, question, &run.random)) {
      ++run.counts[static_cast<int>(entry.triage_class)];
      ++run.results;
      run.judged += conformance::IsJudged(entry.triage_class);
      entries.push_back(std::move(entry));
    }
  }
  run.groups = conformance::GroupEntries(std::move(entries));
  return run;
}

std::string Heading(const conformance::TriageGroup& group) {
  std::string heading = absl::StrCat(conformance::TriageClassName(group.triage_class));
  if (!group.operation.empty()) absl::StrAppend(&heading, ": ", group.operation);
  if (!group.kind.empty() && group.kind != conformance::TriageClassName(group.triage_class)) {
    absl::StrAppend(&heading, ", ", group.kind);
  }
  return heading;
}

// Groups are ordered by severity.
std::string ClosingSentence(const TriageRun& run, const std::string& profile) {
  const int64_t failing = run.failing(), judged = run.judged;
  if (failing > 0) {
    const conformance::TriageEntry& first = run.groups.front().entries.front();
    std::string text =
        absl::StrCat(conformance::Counted(failing, "result"), failing == 1 ? " is" : " are",
                     " wrong or missing; look first at ", first.name, ": ");
    if (!first.instruction.empty()) absl::StrAppend(&text, first.instruction);
    if (!first.source.empty()) absl::StrAppend(&text, " (", first.source, ")");
    if (!first.instruction.empty() && !first.detail.empty()) absl::StrAppend(&text, ", ");
    return absl::StrCat(text, ForPeople(first.detail), ".");
  }
  if (judged == 0) return "No module was judged, which counts as a failure.";
  return absl::StrCat("No bug found: ",
                      judged == 1 ? "the only result that was judged is"
                                  : absl::StrCat("all ", conformance::WithCommas(judged),
                                                 " results that were judged are"),
                      " what profile ", profile, " permits.");
}

nlohmann::json TriageJson(const TriageRun& run, const std::string& profile) {
  nlohmann::json by_class;
  for (int i = 0; i < conformance::kTriageClasses; ++i) {
    by_class[std::string(conformance::TriageClassName(static_cast<conformance::TriageClass>(i)))] =
        run.counts[i];
  }
  return {{"modules", run.files},
          {"random_inputs", run.random},
          {"judged", run.judged},
          {"fails", run.fails()},
          {"profile", profile},
          {"classes", std::move(by_class)},
          {"groups", GroupsJson(run.groups)}};
}

}  // namespace assay::cli
