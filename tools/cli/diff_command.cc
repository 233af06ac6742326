// `assay diff`: runs a module on two backends with the same arguments and compares the results.
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
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
  uint64_t max_ulp = 0;
  InputOptions inputs;
  BudgetOptions budget;
  OutputOptions output;

  int Run() const;

 private:
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

int DiffCommand::Run() const {
  absl::StatusOr<ModuleFile> file = LoadModule(module);
  if (!file.ok()) return Fail(file.status(), output);
  absl::StatusOr<std::vector<Literal>> arguments = inputs.Load(*file, budget.budget.bytes);
  if (!arguments.ok()) return Fail(arguments.status(), output);
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
