#include "tools/cli/options.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/golden/golden_backend.h"
#include "backends/process/process_backend.h"
#include "conformance/inputs/random_inputs.h"
#include "nlohmann/json.hpp"
#include "tools/cli/exit_code.h"

namespace assay {

void InputOptions::AddTo(CLI::App* app) {
  app->add_option("--inputs", inputs,
                  "Arguments: a .npz (arg0, arg1, ...), .npy or literal text file, or 'random'. "
                  "Default: those of a snapshot");
  app->add_option("--seed", seed, "Seed of random arguments")->capture_default_str();
  app->add_option(
         "--range", ranges,
         "Range of random values of a parameter, NAME=LOW:HIGH (a parameter's name or argN)")
      ->take_all();
}

absl::StatusOr<std::vector<Literal>> InputOptions::Load(const ModuleFile& file,
                                                        int64_t max_bytes) const {
  const Module& module = *file.module;
  if (inputs == "random") {
    RandomInputOptions options;
    options.seed = seed;
    if (max_bytes >= 0) options.max_bytes = max_bytes;
    for (const std::string& range : ranges) {
      absl::Status status = ParseRange(range, &options.ranges);
      if (!status.ok()) return status;
    }
    return RandomInputs(module, options);
  }
  if (!ranges.empty()) {
    return absl::InvalidArgumentError("--range is for random arguments: add --inputs random");
  }
  if (!inputs.empty()) {
    absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadArrays(inputs);
    if (!arrays.ok()) return arrays.status();
    absl::StatusOr<std::vector<std::vector<Literal>>> by_device =
        ToArguments(module, *std::move(arrays));
    if (!by_device.ok()) return by_device.status();
    return std::move(by_device->front());
  }
  if (!file.arguments.empty()) return file.arguments;
  const size_t parameters = module.entry()->parameters().size();
  if (parameters == 0) return std::vector<Literal>();
  return absl::InvalidArgumentError(
      absl::StrCat("module ", module.name(), " takes ", parameters,
                   " arguments: give them with --inputs FILE.npz, or ask for --inputs random"));
}

absl::StatusOr<Literal> ToResult(const Module& module, std::vector<NamedLiteral> arrays) {
  // Files without names call their arrays arg0, arg1, ...
  for (NamedLiteral& array : arrays) {
    if (absl::StartsWith(array.name, "arg")) array.name.replace(0, 3, "out");
  }
  absl::StatusOr<std::vector<std::vector<Literal>>> by_device = ByDevice(std::move(arrays), "out");
  if (!by_device.ok()) return by_device.status();
  const Shape& shape = module.entry()->root()->shape();
  const std::vector<const Shape*> leaves = Leaves(shape);
  const std::vector<Literal>& values = by_device->front();
  if (values.size() != leaves.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the module gives ", leaves.size(), " arrays, ",
                                                   values.size(), " are expected"));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (Shape::Compatible(*leaves[i], values[i].shape())) continue;
    return absl::InvalidArgumentError(absl::StrCat("out", i, " is ", leaves[i]->ToString(),
                                                   " in the module, but ",
                                                   values[i].shape().ToString(), " is expected"));
  }
  return Unflatten(shape, values);
}

void BudgetOptions::AddTo(CLI::App* app) {
  constexpr char kGroup[] = "Budgets (exit code 3 when one is spent; -1: unlimited)";
  app->add_option("--budget-seconds", budget.seconds, "Wall time of one evaluation")
      ->capture_default_str()
      ->group(kGroup);
  app->add_option("--budget-bytes", budget.bytes, "Live values, arguments included")
      ->capture_default_str()
      ->group(kGroup);
  app->add_option("--budget-steps", budget.steps, "Element operations")
      ->capture_default_str()
      ->group(kGroup);
  app->add_option("--budget-depth", budget.call_depth,
                  "Calls, loops and branches inside each other")
      ->capture_default_str()
      ->group(kGroup);
}

void OutputOptions::AddTo(CLI::App* app) {
  app->add_flag("--json", json, "Print one JSON object instead of text");
  app->add_flag("--quiet,-q", quiet, "Print no results, only what went wrong");
}

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const std::string& specification,
                                                     const RunBudget& budget,
                                                     const BackendOptions& options) {
  if (specification == "golden") {
    GoldenOptions golden;
    golden.plan.straight = options.straight;
    golden.plan.observed = options.observed;
    golden.run.budget = budget;
    golden.run.observers = options.observers;
    return std::make_unique<GoldenBackend>(golden);
  }
  constexpr absl::string_view kProcess = "process:";
  if (absl::StartsWith(specification, kProcess) && specification.size() > kProcess.size()) {
    ProcessOptions process;
    process.command = specification.substr(kProcess.size());
    if (budget.seconds >= 0) process.execute_seconds = budget.seconds;
    return std::make_unique<ProcessBackend>(process);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", specification, "' is no backend; there are 'golden' and 'process:COMMAND'"));
}

absl::StatusOr<ModuleFile> LoadModule(const std::string& path) {
  absl::StatusOr<ModuleFile> file = OpenModuleFile(path);
  if (!file.ok()) return file.status();
  if (file->module->entry() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": the module has no entry computation"));
  }
  return file;
}

int Fail(const absl::Status& status, const OutputOptions& output) {
  const ExitCode code = ExitCodeOf(status);
  if (output.json) {
    const nlohmann::json error = {{"error", std::string(status.message())},
                                  {"status", absl::StatusCodeToString(status.code())},
                                  {"exit_code", static_cast<int>(code)}};
    std::cout << error.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  }
  std::cerr << "assay: " << status.message() << "\n";
  return code;
}

}  // namespace assay
