#include "tools/cli/together_run.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tools/cli/exit_code.h"
#include "tools/cli/report.h"

namespace assay::cli {
namespace {

// Files, plans and arguments of all programs.
struct Loaded {
  std::vector<ModuleFile> files;
  std::vector<std::unique_ptr<PlannedModule>> plans;
  std::vector<Program> programs;
  std::vector<ProcessGrid> grids;
};

absl::Status CheckCount(absl::string_view option, size_t given, size_t modules) {
  if (given == 0 || given == modules) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(option, " is given ", given, " times for ", modules, " modules"));
}

absl::Status CheckOptions(const TogetherRun& run) {
  const size_t modules = run.modules.size();
  absl::Status status = CheckCount("--inputs", run.options.inputs.size(), modules);
  if (status.ok()) status = CheckCount("--out", run.options.outs.size(), modules);
  if (status.ok()) status = CheckCount("--expect", run.options.expects.size(), modules);
  if (status.ok()) status = run.feeds.Check(modules);
  for (const std::string& out : run.options.outs) {
    if (status.ok()) status = CheckWritable(out);
  }
  return status;
}

absl::Status LoadProgram(const TogetherRun& run, size_t number, Loaded* loaded) {
  absl::StatusOr<ModuleFile> file = LoadModule(run.modules[number]);
  if (!file.ok()) return file.status();
  run.grid.ApplyTo(*file->module);
  WarnOfFeedOrder(*file->module);
  PlanOptions options;
  options.straight = run.straight;
  options.seconds = run.budget.seconds;
  absl::StatusOr<std::unique_ptr<PlannedModule>> plan =
      PlannedModule::Create(*file->module, options);
  if (!plan.ok()) return plan.status();
  Program program;
  program.module = plan->get();
  program.grid = {file->module->replica_count, file->module->num_partitions};
  if (absl::Status status = CheckGrid(program.grid); !status.ok()) return status;
  InputOptions inputs = run.inputs;
  inputs.inputs = run.options.inputs.empty() ? "" : run.options.inputs[number];
  if (inputs.inputs != "random") {
    inputs.seed.reset();
    inputs.ranges.clear();
  }
  // A module without parameters ignores what stands in its place.
  if (file->module->entry()->parameters().empty()) inputs = {};
  absl::StatusOr<std::vector<std::vector<Literal>>> arguments = inputs.LoadByDevice(
      *file, run.budget.bytes, program.grid.count(), runtime::ModuleForm::kPartitioned);
  if (!arguments.ok()) return arguments.status();
  program.arguments = *std::move(arguments);
  loaded->grids.push_back(program.grid);
  loaded->programs.push_back(std::move(program));
  loaded->plans.push_back(*std::move(plan));
  loaded->files.push_back(*std::move(file));
  return absl::OkStatus();
}

// "consumer", or "program 1 (consumer)" where another is called so too.
std::string NameOf(const Loaded& loaded, size_t number) {
  const std::string& name = loaded.files[number].module->name();
  const auto called_so =
      std::count_if(loaded.files.begin(), loaded.files.end(),
                    [&](const ModuleFile& file) { return file.module->name() == name; });
  return called_so == 1 ? name : absl::StrCat("program ", number, " (", name, ")");
}

absl::Status Save(const TogetherRun& run, const Loaded& loaded, const runtime::QueueHost& host,
                  const std::vector<std::vector<Literal>>& results) {
  for (size_t i = 0; i < run.options.outs.size(); ++i) {
    absl::Status status = WriteNpz(run.options.outs[i], NameByDevice(results[i], "out"));
    if (!status.ok()) return status;
  }
  return run.feeds.Save(loaded.grids, host);
}

// Prints what one program gave, or adds it to the report; whether it is as expected.
absl::StatusOr<bool> ReportProgram(const TogetherRun& run, const Loaded& loaded, size_t number,
                                   const std::vector<Literal>& results,
                                   const std::vector<NamedLiteral>& outfed,
                                   nlohmann::json* report) {
  const std::string name = NameOf(loaded, number);
  const std::vector<NamedLiteral> named = NameByDevice(results, "out");
  nlohmann::json entry = {{"module", loaded.files[number].module->name()}};
  bool accepted = true;
  std::string text;
  if (!run.options.expects.empty()) {
    absl::StatusOr<std::vector<Literal>> expected =
        ReadResults(*loaded.files[number].module, run.options.expects[number],
                    runtime::ModuleForm::kPartitioned);
    if (!expected.ok()) return expected.status();
    absl::StatusOr<conformance::Comparison> comparison =
        conformance::CompareByDevice(results, *expected);
    if (!comparison.ok()) return comparison.status();
    accepted = Accepted(*comparison, run.max_ulp);
    entry["comparison"] = ReportJson(*comparison, run.max_ulp);
    text = run.output.quiet ? VerdictText(*comparison, run.max_ulp)
                            : ReportText(*comparison, "golden", "expected", run.max_ulp);
  } else if (run.options.outs.empty()) {
    text = ArraysText(named);
  }
  if (run.output.json) {
    if (!run.output.quiet) entry["results"] = ArraysJson(named);
    if (!run.output.quiet && !outfed.empty()) entry["outfeed"] = ArraysJson(outfed);
    report->push_back(std::move(entry));
  } else if (!run.output.quiet || !accepted) {
    if (run.feeds.outfeed.size() <= number && !run.output.quiet) text += ArraysText(outfed);
    if (!text.empty()) std::cout << name << ":\n" << text;
  }
  return accepted;
}

}  // namespace

absl::Status TogetherOptions::CheckAlone() const {
  for (const auto& [name, given] : {std::pair("--inputs", inputs.size()),
                                    {"--out", outs.size()},
                                    {"--expect", expects.size()}}) {
    if (given <= 1) continue;
    return absl::InvalidArgumentError(absl::StrCat(name, " is given ", given, " times"));
  }
  return absl::OkStatus();
}

int RunTogether(const TogetherRun& run) {
  if (absl::Status status = CheckOptions(run); !status.ok()) return Fail(status, run.output);
  Loaded loaded;
  for (size_t i = 0; i < run.modules.size(); ++i) {
    absl::Status status = LoadProgram(run, i, &loaded);
    if (!status.ok()) return Fail(status, run.output);
  }
  runtime::QueueHost host;
  if (absl::Status fed = run.feeds.Load(loaded.grids, run.budget.bytes, &host); !fed.ok()) {
    return Fail(fed, run.output);
  }
  RunOptions options;
  options.budget = run.budget;
  options.host = &host;
  options.random_seed = run.rng_seed;
  options.sends_wait = run.sends_wait;
  absl::StatusOr<std::vector<std::vector<Literal>>> results = RunPrograms(loaded.programs, options);
  if (!results.ok()) return Fail(results.status(), run.output);
  WarnOfUnusedFeeds(host);
  if (absl::Status saved = Save(run, loaded, host, *results); !saved.ok()) {
    return Fail(saved, run.output);
  }
  nlohmann::json report = nlohmann::json::array();
  bool accepted = true;
  for (size_t i = 0; i < results->size(); ++i) {
    absl::StatusOr<bool> as_expected =
        ReportProgram(run, loaded, i, (*results)[i],
                      NameOutfeeds(host, static_cast<int64_t>(i), loaded.grids[i]), &report);
    if (!as_expected.ok()) return Fail(as_expected.status(), run.output);
    accepted &= *as_expected;
  }
  if (run.output.json) std::cout << JsonText(nlohmann::json{{"programs", report}});
  return accepted ? kExitOk : kExitMismatch;
}

}  // namespace assay::cli
