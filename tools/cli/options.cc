#include "tools/cli/options.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/process/machine_memory.h"
#include "conformance/report/describe.h"
#include "nlohmann/json.hpp"
#include "spec/text/printer.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay::cli {

void InputOptions::AddTo(CLI::App* app) {
  app->add_option("--inputs", inputs,
                  "Arguments: a .npz (arg0, arg1, ...), .npy or literal text file (f32[2] {1, 2}, "
                  "one to a line), or 'random'. Default: those of a snapshot")
      ->type_name("FILE");
  app->add_option("--seed", seed, "Seed of random arguments (0 if not given)")
      ->check(WholeNumber())
      ->type_name("N");
  app->add_option(
         "--range", ranges,
         "Range of random values of a parameter, NAME=LOW:HIGH (a parameter's name or argN)")
      ->type_name("RANGE")
      ->take_all();
}

absl::Status CheckWritable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  std::string problem;
  if (fs::is_directory(path, ignored)) {
    problem = "it is a folder";
  } else if (!fs::is_directory(folder, ignored)) {
    problem = absl::StrCat("there is no folder ", folder.string());
  } else if (fs::is_regular_file(path, ignored) || !fs::exists(path, ignored)) {
    // What is written lies beside it first.
    if (access(folder.c_str(), W_OK) != 0) problem = std::strerror(errno);
  } else if (access(path.c_str(), W_OK) != 0) {
    problem = std::strerror(errno);
  }
  if (problem.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be written: ", problem));
}

void GridOptions::AddTo(CLI::App* app) {
  app->add_option("--replicas", replicas, "Replicas that run the module (default: what it says)")
      ->check(PositiveCount())
      ->type_name("N");
  app->add_option("--partitions", partitions,
                  "Partitions that run the module (default: what it says)")
      ->check(PositiveCount())
      ->type_name("N");
  app->add_option("--module-form", form,
                  "Golden: with several partitions, whether the module is the program of each "
                  "(partitioned) or one on global shapes (logical); auto: as its shardings and "
                  "collectives tell")
      ->check(CLI::IsMember({"auto", "partitioned", "logical"}))
      ->capture_default_str();
}

std::optional<runtime::ModuleForm> GridOptions::module_form() const {
  if (form == "auto") return std::nullopt;
  return form == "logical" ? runtime::ModuleForm::kLogical : runtime::ModuleForm::kPartitioned;
}

void GridOptions::ApplyTo(Module& module) const {
  if (replicas > 0) module.replica_count = replicas;
  if (partitions > 0) module.num_partitions = partitions;
}

void BudgetOptions::AddTo(CLI::App* app, const std::string& spent) {
  const std::string group = absl::StrCat("Budgets (", spent, "; -1: unlimited)");
  const auto add = [&](const char* name, auto& limit, const char* description,
                       const CLI::Validator& validator) {
    app->add_option(name, limit, description)
        ->transform(validator)
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
  };
  add("--budget-seconds", budget.seconds,
      "Wall time of one evaluation, and of an answer of another implementation", BudgetSeconds());
  add("--budget-bytes", budget.bytes, "Live values, arguments and what the host feeds included",
      BudgetCount());
  add("--budget-elements", budget.elements, "Elements of one value", BudgetCount());
  add("--budget-steps", budget.steps, "Element operations", BudgetCount());
  add("--budget-depth", budget.call_depth, "Calls, loops and branches inside each other",
      BudgetCount());
  app->add_option("--threads", budget.threads,
                  "That compute together; no result depends on it (default: one for each "
                  "processor, 16 at most)")
      ->check(PositiveCount())
      ->type_name("N");
}

void TargetMemory::AddTo(CLI::App* app) {
  app->add_option("--memory", bytes,
                  "Bytes that a process target may take for its data; -1: no limit (default: three "
                  "quarters of the memory of the machine or the control group, divided by the "
                  "targets that run at once)")
      ->check(BudgetCount())
      ->type_name("BYTES");
}

int64_t TargetMemory::Limit(int64_t targets) const {
  if (bytes < 0) return 0;
  return bytes > 0 ? bytes : process::UsualTargetMemory(targets);
}

void OutputOptions::AddJsonTo(CLI::App* app) {
  app->add_flag("--json", json, "Print JSON instead of text");
}

void OutputOptions::AddTo(CLI::App* app) {
  AddJsonTo(app);
  app->add_flag("--quiet,-q", quiet, "Print no results, only what went wrong");
}

absl::StatusOr<ModuleFile> LoadModule(const std::string& path) {
  absl::StatusOr<ModuleFile> file = OpenModuleFile(path);
  if (!file.ok()) return file.status();
  if (file->module->entry() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": the module has no entry computation"));
  }
  return file;
}

int PrintRun(const conformance::RunResult& run, const OutputOptions& output) {
  const bool fails = conformance::RunFails(run);
  if (output.json) {
    std::cout << conformance::FormatReport(run);
  } else if (!output.quiet || fails) {
    std::cout << Printable(conformance::FormatSummary(run));
  }
  return fails ? kExitMismatch : kExitOk;
}

int Fail(const absl::Status& status, const OutputOptions& output) {
  const ExitCode code = ExitCodeOf(status);
  const std::string message = ForPeople(status.message());
  if (output.json) {
    const nlohmann::json error = {{"error", message},
                                  {"status", absl::StatusCodeToString(status.code())},
                                  {"exit_code", static_cast<int>(code)}};
    std::cout << JsonText(error);
  }
  std::cerr << WrappedLines(absl::StrCat("assay: ", message), TextWidth()) << "\n";
  return code;
}

}  // namespace assay::cli
