// `assay diff`: runs a module on two backends with the same arguments and compares the results.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/report/describe.h"
#include "nlohmann/json.hpp"
#include "spec/files/file_io.h"
#include "spec/text/printer.h"
#include "tools/cli/commands.h"
#include "tools/cli/custom_call_options.h"
#include "tools/cli/depth_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/isolated_diff.h"
#include "tools/cli/options.h"
#include "tools/cli/profile_option.h"
#include "tools/cli/program_options.h"
#include "tools/cli/reductions.h"
#include "tools/cli/report.h"

namespace assay::cli {
namespace {

// One implementation, with what it made of the module.
struct Side {
  std::string specification;
  std::string file;       // --save calls its files by this: left, right
  std::string name = {};  // in reports
  std::unique_ptr<Backend> backend = nullptr;
  std::unique_ptr<Executable> executable = nullptr;
  double seconds = 0;
};

struct DiffCommand {
  ProgramOptions program;
  std::string module;
  std::string left = "golden";
  std::string right;
  std::string save;
  ProfileOption profile;
  bool isolate = false;
  std::string html, reduce;
  DepthOptions depth;
  std::string out_subgraph;
  uint64_t max_ulp = 0;
  InputOptions inputs;
  GridOptions grid;
  CustomCallOptions custom_calls;
  BudgetOptions budget;
  TargetMemory memory;
  OutputOptions output;

  int Run() const;

 private:
  absl::Status CheckOptions() const;
  int Isolate(const Module& module, absl::Span<const std::vector<Literal>> arguments,
              const CustomCallRegistry& registry) const;
  absl::Status Prepare(const Module& module, const CustomCallRegistry& registry, Side* side) const;
  absl::StatusOr<std::vector<Literal>> RunSide(absl::Span<const std::vector<Literal>> arguments,
                                               Side* side) const;
  absl::Status SaveCase(const Module& module,
                        absl::Span<const std::vector<Literal>> arguments) const;
  std::string CommandOfSaved() const;
  void Report(const Module& compared, const conformance::Comparison& comparison,
              absl::Span<const Side> sides, absl::Span<const std::vector<Literal>> values) const;
};

// Options that would do nothing are mistakes.
absl::Status DiffCommand::CheckOptions() const {
  if (absl::Status status = inputs.Check(); !status.ok()) return status;
  if (!html.empty()) {
    if (absl::Status status = CheckWritable(html); !status.ok()) return status;
  }
  if (!isolate) {
    const char* useless = !profile.given.empty()  ? "--profile"
                          : depth.given()         ? "--subgraphs or --iterations"
                          : !out_subgraph.empty() ? "--out-subgraph"
                          : !html.empty()         ? "--html"
                          : !reduce.empty()       ? "--reduce"
                                                  : nullptr;
    if (useless == nullptr) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(useless, " does nothing without --isolate"));
  }
  const char* useless = !save.empty()      ? "--save"
                        : left != "golden" ? "--left"
                        : max_ulp > 0      ? "--max-ulp"
                                           : nullptr;
  if (useless == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(useless,
                   " does nothing with --isolate, which judges every instruction against "
                   "the golden one by its bound"));
}

// Everything that can go wrong before the work begins.
absl::Status DiffCommand::Prepare(const Module& module, const CustomCallRegistry& registry,
                                  Side* side) const {
  BackendOptions options;
  options.budget = budget.budget;
  options.custom_calls = &registry;
  options.memory_bytes = memory.Limit(/*targets=*/2);
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(side->specification, options);
  if (!backend.ok()) return backend.status();
  side->backend = *std::move(backend);
  absl::StatusOr<std::unique_ptr<Executable>> executable =
      side->backend->Compile(module, {.form = grid.module_form()});
  if (!executable.ok()) return executable.status();
  side->executable = *std::move(executable);
  side->name = side->backend->display_name();
  return absl::OkStatus();
}

// With --save, what came out is kept at once: the other side may fail.
absl::StatusOr<std::vector<Literal>> DiffCommand::RunSide(
    absl::Span<const std::vector<Literal>> arguments, Side* side) const {
  const absl::StatusOr<std::vector<DeviceOutputs>> outputs = RunOnDevices(
      *side->backend, *side->executable, WithoutFeeds(arguments), /*repeat=*/1, &side->seconds);
  absl::StatusOr<std::vector<Literal>> value;  // an error until it is set
  if (outputs.ok()) {
    value = ResultsOf(*outputs);
  } else {
    value = outputs.status();
  }
  if (save.empty()) return value;
  const std::string path = absl::StrCat(save, "/", side->file);
  const absl::Status saved =
      value.ok()
          ? WriteNpz(path + ".npz", NameByDevice(*value, "out"))
          : WriteFileAtomically(path + ".error.txt", absl::StrCat(value.status().message(), "\n"));
  return value.ok() && !saved.ok() ? saved : value;
}

// The command that does the same with what was saved.
std::string DiffCommand::CommandOfSaved() const {
  std::string text =
      absl::StrCat("assay diff ", conformance::ShellQuoted(save + "/module.hlo"), " --inputs ",
                   conformance::ShellQuoted(save + "/inputs.npz"), " --left ",
                   conformance::ShellQuoted(left), " --right ", conformance::ShellQuoted(right));
  if (max_ulp > 0) absl::StrAppend(&text, " --max-ulp ", max_ulp);
  for (const std::string& library : custom_calls.libraries) {
    absl::StrAppend(&text, " --custom-call-lib ", conformance::ShellQuoted(library));
  }
  for (const std::string& given : custom_calls.files) {
    absl::StrAppend(&text, " --custom-call ", conformance::ShellQuoted(given));
  }
  const RunBudget usual, &used = budget.budget;
  if (used.seconds != usual.seconds) absl::StrAppend(&text, " --budget-seconds ", used.seconds);
  if (used.bytes != usual.bytes) absl::StrAppend(&text, " --budget-bytes ", used.bytes);
  if (used.steps != usual.steps) absl::StrAppend(&text, " --budget-steps ", used.steps);
  if (used.call_depth != usual.call_depth) {
    absl::StrAppend(&text, " --budget-depth ", used.call_depth);
  }
  return text;
}

absl::Status DiffCommand::SaveCase(const Module& module,
                                   absl::Span<const std::vector<Literal>> arguments) const {
  std::error_code error;
  std::filesystem::create_directories(save, error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot make the folder ", save, ": ", error.message()));
  }
  absl::Status status = WriteFileAtomically(absl::StrCat(save, "/module.hlo"),
                                            PrintModule(module, PrintOptions::Lossless()));
  if (!status.ok()) return status;
  // Of an earlier case in the same folder.
  for (const char* result : {"left.npz", "left.error.txt", "right.npz", "right.error.txt"}) {
    std::filesystem::remove(absl::StrCat(save, "/", result), error);
  }
  std::vector<Literal> by_device;
  for (const std::vector<Literal>& device : arguments) by_device.push_back(Literal::Tuple(device));
  return WriteNpz(absl::StrCat(save, "/inputs.npz"), NameByDevice(by_device, "arg"));
}

int DiffCommand::Isolate(const Module& module, absl::Span<const std::vector<Literal>> arguments,
                         const CustomCallRegistry& registry) const {
  Isolation isolation;
  isolation.right = right;
  isolation.profile = profile.For(right);
  isolation.html = html;
  isolation.reduce = reduce;
  isolation.out_subgraph = out_subgraph;
  isolation.depth = depth.depth;
  isolation.budget = budget.budget;
  isolation.memory = memory;
  isolation.custom_calls = &registry;
  isolation.output = output;
  return RunIsolated(module, arguments, isolation);
}

void DiffCommand::Report(const Module& compared, const conformance::Comparison& comparison,
                         absl::Span<const Side> sides,
                         absl::Span<const std::vector<Literal>> values) const {
  if (output.json) {
    nlohmann::json report = {{"module", compared.name()},
                             {"left", left},
                             {"right", right},
                             {"seconds", {{"left", sides[0].seconds}, {"right", sides[1].seconds}}},
                             {"comparison", ReportJson(comparison, max_ulp)}};
    if (!save.empty()) report["saved"] = save;
    std::cout << JsonText(report);
    return;
  }
  if (output.quiet) {
    if (!Accepted(comparison, max_ulp)) std::cout << VerdictText(comparison, max_ulp);
    return;
  }
  std::cout << ReportText(comparison, sides[0].name, sides[1].name, max_ulp);
  if (comparison.agreement == conformance::Agreement::kFloatsDiffer && max_ulp == 0) {
    std::cout << NoClaimText(
        LargestErrorsOf(values[0], values[1]),
        "--isolate --profile P judges every instruction (assay profile list).");
  }
  if (!save.empty()) {
    std::cout << "saved in " << save << "; run it again with:\n  " << CommandOfSaved() << "\n";
  }
}

int DiffCommand::Run() const {
  if (absl::Status status = CheckOptions(); !status.ok()) return Fail(status, output);
  absl::StatusOr<ModuleFile> file = program.Load(module, inputs.inputs);
  if (!file.ok()) return Fail(file.status(), output);
  grid.ApplyTo(*file->module);
  const absl::StatusOr<std::unique_ptr<CustomCallRegistry>> registry =
      custom_calls.Load(*file->module, budget.budget.bytes);
  if (!registry.ok()) return Fail(registry.status(), output);
  if (isolate) {
    const absl::StatusOr<runtime::ProcessPlan> processes = runtime::PlanProcesses(*file->module);
    if (!processes.ok()) return Fail(processes.status(), output);
    absl::StatusOr<std::vector<std::vector<Literal>>> arguments = inputs.LoadByDevice(
        *file, budget.budget.bytes, processes->grid.count() / processes->per_device);
    if (!arguments.ok()) return Fail(arguments.status(), output);
    return Isolate(*file->module, *arguments, **registry);
  }
  Side sides[] = {{left, "left"}, {right, "right"}};
  absl::Status prepared;
  int64_t devices = 1;
  for (Side& side : sides) {
    if (prepared.ok()) prepared = Prepare(*file->module, **registry, &side);
    if (prepared.ok()) devices = std::max(devices, side.executable->device_count());
  }
  absl::StatusOr<std::vector<std::vector<Literal>>> arguments =
      inputs.LoadByDevice(*file, budget.budget.bytes, devices);
  if (!arguments.ok()) return Fail(arguments.status(), output);
  // Before anything runs, and also when it cannot: that is the case one wants to keep.
  if (!save.empty()) {
    absl::Status status = SaveCase(*file->module, *arguments);
    if (!status.ok()) return Fail(status, output);
  }
  if (!prepared.ok()) return Fail(prepared, output);
  std::vector<std::vector<Literal>> values;
  for (Side& side : sides) {
    absl::StatusOr<std::vector<Literal>> value = RunSide(*arguments, &side);
    if (!value.ok()) {
      if (!save.empty()) std::cerr << "saved in " << save << "; " << CommandOfSaved() << "\n";
      return Fail(value.status(), output);
    }
    values.push_back(*std::move(value));
  }
  absl::StatusOr<conformance::Comparison> comparison =
      conformance::CompareByDevice(values[0], values[1]);
  if (!comparison.ok()) {  // of one module: other current sizes
    Fail(absl::InvalidArgumentError(
             absl::StrCat("the results of ", left, " and ", right,
                          " differ in their current sizes: ", comparison.status().message())),
         output);
    return kExitMismatch;
  }
  Report(*file->module, *comparison, sides, values);
  return Accepted(*comparison, max_ulp) ? kExitOk : kExitMismatch;
}

}  // namespace

void AddDiffCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<DiffCommand>();
  CLI::App* sub =
      app.add_subcommand("diff", "Run a module on two backends and compare the results");
  sub->add_option("MODULE", command->module,
                  "StableHLO (text, bytecode, portable artifact), HLO text, HloModuleProto, "
                  "HloProto or HloSnapshot, binary or text, gzip or not; - for standard input. A "
                  "snapshot brings its arguments")
      ->type_name("FILE")
      ->required();
  sub->add_option("--left", command->left, "golden, or process:COMMAND")
      ->type_name("BACKEND")
      ->capture_default_str();
  sub->add_option("--right", command->right, "golden, or process:COMMAND")
      ->type_name("BACKEND")
      ->required();
  command->inputs.AddTo(sub);
  command->program.AddTo(sub);
  command->grid.AddTo(sub);
  command->custom_calls.AddTo(sub);
  sub->add_flag("--isolate", command->isolate,
                "Run every instruction alone on the right backend, on golden operands, then the "
                "whole module, and judge each: exact; correctly rounded; within its derived bound; "
                "allowed by a freedom that the profile grants; a known deviation; not judgeable; "
                "wrong (exit code 1, as where nothing is judged); or not run (the exit code of the "
                "worst failure)");
  command->profile.AddTo(sub);
  command->depth.AddTo(sub);
  sub->add_option("--html", command->html,
                  "With --isolate: gets a page with the graph of the module, each instruction with "
                  "its verdict, values and source")
      ->type_name("FILE");
  AddReduceOption(sub, &command->reduce);
  sub->add_option(
         "--out-subgraph", command->out_subgraph,
         "Writes what is wrong first as a module of its own: module.hlo, inputs.npz (golden "
         "operands) and expected.npz")
      ->type_name("FOLDER");
  sub->add_option("--max-ulp", command->max_ulp,
                  "Accept floats that differ by at most this many ulp")
      ->check(WholeNumber())
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--save", command->save,
                  "Keep module.hlo, inputs.npz, left.npz and right.npz in this folder (of a side "
                  "that fails its error.txt)")
      ->type_name("FOLDER");
  command->memory.AddTo(sub);
  command->budget.AddTo(sub);
  command->output.AddTo(sub);
  sub->footer(
      "Example, where tools/setup --peers has installed XLA:\n"
      "  python=$HOME/.cache/assay/peers/bin/python\n"
      "  assay diff step.hlo --inputs random --save /tmp/step \\\n"
      "      --right \"process:$python tools/peers/xla_cpu.py\"\n"
      "docs/process_backend.md describes how an implementation of yours takes part.");
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay::cli
