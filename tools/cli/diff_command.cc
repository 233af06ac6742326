// `assay diff`: runs a module on two backends with the same arguments and compares the results.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "conformance/diagnose/instruction_report.h"
#include "nlohmann/json.hpp"
#include "spec/text/printer.h"
#include "tools/cli/commands.h"
#include "tools/cli/custom_call_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay {
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

// Of --isolate: most of those who compare compare with XLA.
constexpr char kUsualProfile[] = "xla-cpu";

struct DiffCommand {
  std::string module;
  std::string left = "golden";
  std::string right;
  std::string save;
  std::string profile = kUsualProfile;
  bool isolate = false;
  uint64_t max_ulp = 0;
  InputOptions inputs;
  GridOptions grid;
  CustomCallOptions custom_calls;
  BudgetOptions budget;
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
};

// Options that would do nothing are mistakes.
absl::Status DiffCommand::CheckOptions() const {
  if (absl::Status status = inputs.Check(); !status.ok()) return status;
  if (!isolate) {
    return profile == kUsualProfile
               ? absl::OkStatus()
               : absl::InvalidArgumentError("--profile does nothing without --isolate");
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
  options.custom_calls = &registry;
  options.form = grid.module_form();
  absl::StatusOr<std::unique_ptr<Backend>> backend =
      MakeBackend(side->specification, budget.budget, options);
  if (!backend.ok()) return backend.status();
  side->backend = *std::move(backend);
  absl::StatusOr<std::unique_ptr<Executable>> executable = side->backend->Compile(module);
  if (!executable.ok()) return executable.status();
  side->executable = *std::move(executable);
  side->name = DisplayName(*side->backend);
  return absl::OkStatus();
}

// With --save, what came out is kept at once: the other side may fail.
absl::StatusOr<std::vector<Literal>> DiffCommand::RunSide(
    absl::Span<const std::vector<Literal>> arguments, Side* side) const {
  absl::StatusOr<std::vector<Literal>> value =
      RunOnDevices(*side->backend, *side->executable, arguments, /*repeat=*/1, &side->seconds);
  if (save.empty()) return value;
  const std::string path = absl::StrCat(save, "/", side->file);
  const absl::Status saved =
      value.ok()
          ? WriteNpz(path + ".npz", NameByDevice(*value, "out"))
          : WriteFileAtomically(path + ".error.txt", absl::StrCat(value.status().message(), "\n"));
  return value.ok() && !saved.ok() ? saved : value;
}

// A word for a POSIX shell.
std::string Quoted(absl::string_view word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+=./:,@%") == absl::string_view::npos;
  if (plain) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

// The command that does the same with what was saved.
std::string DiffCommand::CommandOfSaved() const {
  std::string text = absl::StrCat("assay diff ", Quoted(save + "/module.hlo"), " --inputs ",
                                  Quoted(save + "/inputs.npz"), " --left ", Quoted(left),
                                  " --right ", Quoted(right));
  if (max_ulp > 0) absl::StrAppend(&text, " --max-ulp ", max_ulp);
  for (const std::string& library : custom_calls.libraries) {
    absl::StrAppend(&text, " --custom-call-lib ", Quoted(library));
  }
  for (const std::string& given : custom_calls.files) {
    absl::StrAppend(&text, " --custom-call ", Quoted(given));
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

nlohmann::json VerdictJson(const InstructionVerdict& verdict) {
  nlohmann::json entry = {{"instruction", verdict.instruction->name()},
                          {"opcode", std::string(Name(verdict.instruction->opcode()))},
                          {"shape", verdict.instruction->shape().ToString()}};
  if (!verdict.status.ok()) {
    entry["not_run"] = std::string(verdict.status.message());
    entry["status"] = absl::StatusCodeToString(verdict.status.code());
    return entry;
  }
  const Judgement& judgement = verdict.judgement;
  entry["verdict"] = std::string(VerdictName(judgement.verdict));
  entry["rule"] = judgement.rule;
  entry["largest_fraction_of_bound"] = judgement.largest_fraction;
  entry["largest_distance"] = judgement.largest_distance;
  for (int each = 0; each < kVerdicts; ++each) {
    entry["elements"][std::string(VerdictName(static_cast<Verdict>(each)))] =
        judgement.counts[each];
  }
  for (int each = 0; each < kFreedoms; ++each) {
    if (judgement.freedoms[each] == 0) continue;
    entry["freedoms"][std::string(FreedomName(static_cast<Freedom>(each)))] =
        judgement.freedoms[each];
  }
  for (const Evidence& element : judgement.evidence) {
    entry["evidence"].push_back({{"verdict", std::string(VerdictName(element.verdict))},
                                 {"leaf", element.leaf},
                                 {"position", element.position},
                                 {"golden", element.golden},
                                 {"actual", element.actual},
                                 {"reason", element.reason}});
  }
  return entry;
}

void PrintVerdict(const InstructionVerdict& verdict) {
  const Judgement& judgement = verdict.judgement;
  if (verdict.status.ok() && judgement.verdict <= Verdict::kCorrectlyRounded) return;
  absl::PrintF("  %-28s %-22s ", verdict.instruction->name(), Name(verdict.instruction->opcode()));
  if (!verdict.status.ok()) {
    std::cout << "not run: " << Printable(verdict.status.message()) << "\n";
    return;
  }
  const bool wrong = judgement.verdict == Verdict::kWrong;
  std::cout << Coloured(wrong ? Colour::kRed : Colour::kGreen, VerdictName(judgement.verdict));
  std::string separator = " by ";
  for (int each = 0; each < kFreedoms; ++each) {
    if (judgement.freedoms[each] == 0) continue;
    std::cout << separator << FreedomName(static_cast<Freedom>(each));
    separator = ", ";
  }
  if (judgement.largest_fraction > 0) {
    absl::PrintF(" (%.3f of %s, up to %d ulp)", judgement.largest_fraction, judgement.rule,
                 judgement.largest_distance);
  }
  if (!judgement.evidence.empty()) {
    const Evidence& first = judgement.evidence.front();
    std::cout << ": element " << first.position << ": golden " << first.golden << ", actual "
              << first.actual;
    if (!first.reason.empty()) std::cout << ", " << first.reason;
  }
  std::cout << "\n";
}

// All verdicts together.
struct Verdicts {
  int64_t counts[kVerdicts] = {};  // of the instructions that ran
  int64_t not_run = 0;
  // A mismatch where something is wrong; else that of the worst failure to run.
  ExitCode exit_code = kExitOk;

  int64_t Count(Verdict verdict) const { return counts[static_cast<int>(verdict)]; }
  const char* Word() const {
    if (exit_code == kExitOk) return "right";
    return exit_code == kExitMismatch ? "wrong" : "not run";
  }
};

Verdicts Summarise(absl::Span<const InstructionVerdict> verdicts) {
  Verdicts summary;
  ExitCode failure = kExitOk;
  for (const InstructionVerdict& verdict : verdicts) {
    if (verdict.status.ok()) {
      ++summary.counts[static_cast<int>(verdict.judgement.verdict)];
      continue;
    }
    ++summary.not_run;
    // What the other implementation does not support is the mildest.
    const ExitCode code = ExitCodeOf(verdict.status);
    if (failure == kExitOk || failure == kExitUnsupported) {
      failure = code;
    } else if (code != kExitUnsupported) {
      failure = std::max(failure, code);
    }
  }
  summary.exit_code = summary.Count(Verdict::kWrong) > 0 ? kExitMismatch : failure;
  return summary;
}

int DiffCommand::Isolate(const Module& module, absl::Span<const std::vector<Literal>> arguments,
                         const CustomCallRegistry& registry) const {
  absl::StatusOr<TargetProfile> judged_by = TargetProfile::Find(profile);
  if (!judged_by.ok())
    return Fail(absl::InvalidArgumentError(judged_by.status().message()), output);
  BackendOptions options;
  options.custom_calls = &registry;
  absl::StatusOr<std::unique_ptr<Backend>> target = MakeBackend(right, budget.budget, options);
  if (!target.ok()) return Fail(target.status(), output);
  Progress progress(!output.json && !output.quiet);
  int64_t judged = 0;
  const auto observe = [&](const InstructionVerdict& verdict) {
    if (output.json || output.quiet) return;
    progress.Clear();
    PrintVerdict(verdict);
    progress.Show(absl::StrCat(++judged, " instructions judged, last ", verdict.instruction->name(),
                               " (", Name(verdict.instruction->opcode()), ")"));
  };
  absl::StatusOr<std::vector<InstructionVerdict>> verdicts = ReportInstructions(
      module, arguments, **target, *judged_by, budget.budget, observe, &registry);
  progress.Clear();
  if (!verdicts.ok()) return Fail(verdicts.status(), output);
  const Verdicts summary = Summarise(*verdicts);
  if (output.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const InstructionVerdict& verdict : *verdicts) list.push_back(VerdictJson(verdict));
    const nlohmann::json report = {{"module", module.name()},
                                   {"left", left},
                                   {"right", right},
                                   {"verdict", summary.Word()},
                                   {"instructions", std::move(list)},
                                   {"profile", profile},
                                   {"wrong", summary.Count(Verdict::kWrong)},
                                   {"not_judgeable", summary.Count(Verdict::kNotJudgeable)},
                                   {"not_run", summary.not_run}};
    std::cout << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  } else if (!output.quiet) {
    absl::PrintF(
        "%d instructions judged by %s: %d exact, %d correctly rounded, %d within bound, "
        "%d allowed, %d not judgeable, %d wrong, %d not run\n",
        verdicts->size(), profile, summary.Count(Verdict::kExact),
        summary.Count(Verdict::kCorrectlyRounded), summary.Count(Verdict::kWithinBound),
        summary.Count(Verdict::kAllowed), summary.Count(Verdict::kNotJudgeable),
        summary.Count(Verdict::kWrong), summary.not_run);
  }
  return summary.exit_code;
}

int DiffCommand::Run() const {
  if (absl::Status status = CheckOptions(); !status.ok()) return Fail(status, output);
  absl::StatusOr<ModuleFile> file = LoadModule(module);
  if (!file.ok()) return Fail(file.status(), output);
  grid.ApplyTo(*file->module);
  const absl::StatusOr<std::unique_ptr<CustomCallRegistry>> registry =
      custom_calls.Load(*file->module, budget.budget.bytes);
  if (!registry.ok()) return Fail(registry.status(), output);
  if (isolate) {
    const absl::StatusOr<ProcessPlan> processes = PlanProcesses(*file->module);
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
  absl::StatusOr<Comparison> comparison = CompareByDevice(values[0], values[1]);
  if (!comparison.ok()) return Fail(comparison.status(), output);
  const bool accepted = Accepted(*comparison, max_ulp);
  if (output.json) {
    nlohmann::json report = {{"module", file->module->name()},
                             {"left", left},
                             {"right", right},
                             {"seconds", {{"left", sides[0].seconds}, {"right", sides[1].seconds}}},
                             {"comparison", ReportJson(*comparison, max_ulp)}};
    if (!save.empty()) report["saved"] = save;
    std::cout << report.dump(2) << "\n";
  } else if (output.quiet) {
    if (!accepted) std::cout << VerdictText(*comparison, max_ulp);
  } else {
    std::cout << ReportText(*comparison, sides[0].name, sides[1].name, max_ulp);
    if (!save.empty()) {
      std::cout << "saved in " << save << "; run it again with:\n  " << CommandOfSaved() << "\n";
    }
  }
  return accepted ? kExitOk : kExitMismatch;
}

}  // namespace

void AddDiffCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<DiffCommand>();
  CLI::App* sub =
      app.add_subcommand("diff", "Run a module on two backends and compare the results");
  sub->add_option("MODULE", command->module,
                  "HLO text, HloModuleProto, HloProto or HloSnapshot, binary or text, gzip or not; "
                  "- for standard input. A snapshot brings its arguments")
      ->type_name("FILE")
      ->required();
  sub->add_option("--left", command->left, "golden, or process:COMMAND")
      ->type_name("BACKEND")
      ->capture_default_str();
  sub->add_option("--right", command->right, "golden, or process:COMMAND")
      ->type_name("BACKEND")
      ->required();
  command->inputs.AddTo(sub);
  command->grid.AddTo(sub);
  command->custom_calls.AddTo(sub);
  sub->add_flag("--isolate", command->isolate,
                "Run every instruction alone on the right backend, on golden operands, and judge "
                "it: exact; correctly rounded; within its derived bound; allowed by a freedom "
                "that the profile grants; not judgeable; wrong (exit code 1); or not run (the exit "
                "code of the worst failure)");
  sub->add_option("--profile", command->profile,
                  "What the right backend may do (docs/profiles.md): golden, cpu-strict, xla-cpu, "
                  "gpu, tpu-like, opencl-full, opencl-embedded, or a file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  sub->add_option("--max-ulp", command->max_ulp,
                  "Accept floats that differ by at most this many ulp")
      ->check(WholeNumber())
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--save", command->save,
                  "Keep module.hlo, inputs.npz, left.npz and right.npz in this folder (of a side "
                  "that fails its error.txt)")
      ->type_name("FOLDER");
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

}  // namespace assay
