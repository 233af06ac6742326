// `assay diff`: runs a module on two backends with the same arguments and compares the results.
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/diagnose/instruction_report.h"
#include "nlohmann/json.hpp"
#include "spec/text/printer.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"

namespace assay {
namespace {

struct DiffCommand {
  std::string module;
  std::string left = "golden";
  std::string right;
  std::string save;
  bool isolate = false;
  uint64_t max_ulp = 0;
  InputOptions inputs;
  BudgetOptions budget;
  OutputOptions output;

  int Run() const;

 private:
  int Isolate(const Module& module, const std::vector<Literal>& arguments) const;
  absl::StatusOr<Literal> RunSide(const std::string& backend, const Module& module,
                                  const std::vector<Literal>& arguments) const;
  absl::Status Save(const Module& module, const std::vector<Literal>& arguments,
                    const Literal& left_value, const Literal& right_value) const;
};

absl::StatusOr<Literal> DiffCommand::RunSide(const std::string& backend, const Module& module,
                                             const std::vector<Literal>& arguments) const {
  absl::StatusOr<std::unique_ptr<Backend>> target = MakeBackend(backend, budget.budget);
  if (!target.ok()) return target.status();
  return RunOnce(**target, module, arguments);
}

absl::Status DiffCommand::Save(const Module& module, const std::vector<Literal>& arguments,
                               const Literal& left_value, const Literal& right_value) const {
  std::error_code error;
  std::filesystem::create_directories(save, error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot make the folder ", save, ": ", error.message()));
  }
  absl::Status status = WriteFileAtomically(absl::StrCat(save, "/module.hlo"),
                                            PrintModule(module, PrintOptions::Lossless()));
  if (!status.ok()) return status;
  status =
      WriteNpz(absl::StrCat(save, "/inputs.npz"), NameLeaves(Literal::Tuple(arguments), "arg"));
  if (!status.ok()) return status;
  status = WriteNpz(absl::StrCat(save, "/left.npz"), NameLeaves(left_value, "out"));
  if (!status.ok()) return status;
  return WriteNpz(absl::StrCat(save, "/right.npz"), NameLeaves(right_value, "out"));
}

nlohmann::json VerdictJson(const InstructionVerdict& verdict) {
  nlohmann::json entry = {{"instruction", verdict.instruction->name()},
                          {"opcode", std::string(Name(verdict.instruction->opcode()))},
                          {"shape", verdict.instruction->shape().ToString()}};
  if (!verdict.status.ok()) {
    entry["not_run"] = std::string(verdict.status.message());
    return entry;
  }
  const Judgement& judgement = verdict.judgement;
  entry["verdict"] = std::string(ExplanationName(judgement.worst));
  entry["rule"] = judgement.rule;
  entry["largest_fraction_of_bound"] = judgement.largest_fraction;
  entry["largest_distance"] = judgement.largest_distance;
  for (int each = 0; each < kExplanations; ++each) {
    entry["elements"][std::string(ExplanationName(static_cast<Explanation>(each)))] =
        judgement.counts[each];
  }
  if (!judgement.first_unexplained.empty()) entry["unexplained"] = judgement.first_unexplained;
  return entry;
}

void PrintVerdict(const InstructionVerdict& verdict) {
  const Judgement& judgement = verdict.judgement;
  if (verdict.status.ok() && judgement.worst == Explanation::kEqual) return;
  absl::PrintF("  %-28s %-22s ", verdict.instruction->name(), Name(verdict.instruction->opcode()));
  if (!verdict.status.ok()) {
    std::cout << "not run: " << verdict.status.message() << "\n";
    return;
  }
  std::cout << ExplanationName(judgement.worst);
  if (judgement.counts[static_cast<int>(Explanation::kWithin)] > 0) {
    absl::PrintF(" (%.3f of %s, up to %d ulp)", judgement.largest_fraction, judgement.rule,
                 judgement.largest_distance);
  }
  if (!judgement.first_unexplained.empty()) std::cout << ": " << judgement.first_unexplained;
  std::cout << "\n";
}

int DiffCommand::Isolate(const Module& module, const std::vector<Literal>& arguments) const {
  absl::StatusOr<std::unique_ptr<Backend>> target = MakeBackend(right, budget.budget);
  if (!target.ok()) return Fail(target.status(), output);
  absl::StatusOr<std::vector<InstructionVerdict>> verdicts =
      ReportInstructions(module, arguments, **target, budget.budget);
  if (!verdicts.ok()) return Fail(verdicts.status(), output);
  int64_t by_explanation[kExplanations] = {};
  int64_t not_run = 0;
  nlohmann::json list = nlohmann::json::array();
  for (const InstructionVerdict& verdict : *verdicts) {
    if (verdict.status.ok()) {
      ++by_explanation[static_cast<int>(verdict.judgement.worst)];
    } else {
      ++not_run;
    }
    if (output.json) {
      list.push_back(VerdictJson(verdict));
    } else if (!output.quiet) {
      PrintVerdict(verdict);
    }
  }
  const int64_t unexplained = by_explanation[static_cast<int>(Explanation::kUnexplained)];
  if (output.json) {
    const nlohmann::json report = {{"module", module.name()},
                                   {"right", right},
                                   {"instructions", std::move(list)},
                                   {"unexplained", unexplained},
                                   {"not_run", not_run}};
    std::cout << report.dump(2) << "\n";
  } else if (!output.quiet) {
    absl::PrintF(
        "%d instructions: %d equal, %d within bound, %d differ in the sign of zero, "
        "%d flush denormals, %d take another freedom, %d UNEXPLAINED, %d not run\n",
        verdicts->size(), by_explanation[0], by_explanation[1], by_explanation[2],
        by_explanation[3], by_explanation[4], unexplained, not_run);
  }
  return unexplained == 0 ? kExitOk : kExitMismatch;
}

int DiffCommand::Run() const {
  absl::StatusOr<ModuleFile> file = LoadModule(module);
  if (!file.ok()) return Fail(file.status(), output);
  absl::StatusOr<std::vector<Literal>> arguments = inputs.Load(*file, budget.budget.bytes);
  if (!arguments.ok()) return Fail(arguments.status(), output);
  if (isolate) return Isolate(*file->module, *arguments);
  absl::StatusOr<Literal> left_value = RunSide(left, *file->module, *arguments);
  if (!left_value.ok()) return Fail(left_value.status(), output);
  absl::StatusOr<Literal> right_value = RunSide(right, *file->module, *arguments);
  if (!right_value.ok()) return Fail(right_value.status(), output);
  if (!save.empty()) {
    absl::Status status = Save(*file->module, *arguments, *left_value, *right_value);
    if (!status.ok()) return Fail(status, output);
  }
  absl::StatusOr<Comparison> comparison = Compare(*left_value, *right_value);
  if (!comparison.ok()) return Fail(comparison.status(), output);
  if (output.json) {
    nlohmann::json report = {{"module", file->module->name()},
                             {"left", left},
                             {"right", right},
                             {"comparison", ReportJson(*comparison, max_ulp)}};
    if (!save.empty()) report["saved"] = save;
    std::cout << report.dump(2) << "\n";
  } else if (!output.quiet) {
    std::cout << ReportText(*comparison, "left", "right", max_ulp);
    if (!save.empty()) {
      std::cout << "saved in " << save << "; run it again with: assay diff " << save
                << "/module.hlo --inputs " << save << "/inputs.npz --left '" << left
                << "' --right '" << right << "'\n";
    }
  }
  return Accepted(*comparison, max_ulp) ? kExitOk : kExitMismatch;
}

}  // namespace

void AddDiffCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<DiffCommand>();
  CLI::App* sub =
      app.add_subcommand("diff", "Run a module on two backends and compare the results");
  sub->add_option("MODULE", command->module, "As for assay run")->required();
  sub->add_option("--left", command->left, "golden, or process:COMMAND")->capture_default_str();
  sub->add_option("--right", command->right, "golden, or process:COMMAND")->required();
  command->inputs.AddTo(sub);
  sub->add_flag(
      "--isolate", command->isolate,
      "Run every instruction alone on the right backend, on golden operands, and judge it: "
      "equal, within its derived bound, denormals flushed, or unexplained (exit code 1)");
  sub->add_option("--max-ulp", command->max_ulp,
                  "Accept floats that differ by at most this many ulp")
      ->capture_default_str();
  sub->add_option("--save", command->save,
                  "Keep module.hlo, inputs.npz, left.npz and right.npz in this folder");
  command->budget.AddTo(sub);
  command->output.AddTo(sub);
  sub->footer(
      "Example:\n"
      "  assay diff step.hlo --inputs random --left golden \\\n"
      "      --right \"process:python3 tools/peers/xla_cpu.py\" --save /tmp/step");
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay
