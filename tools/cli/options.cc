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
#include "backends/golden/golden_backend.h"
#include "backends/process/machine_memory.h"
#include "conformance/inputs/random_inputs.h"
#include "conformance/mutants/mutant_backend.h"
#include "conformance/report/describe.h"
#include "nlohmann/json.hpp"
#include "spec/text/printer.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay {

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

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

absl::Status InputOptions::Check() const {
  if (inputs == "random" || (!seed && ranges.empty())) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(seed ? "--seed" : "--range", " is for random arguments: add --inputs random"));
}

namespace {

// On so many devices the tiles of a value may lie.
int64_t TilesOfValues(const Module& module, std::optional<runtime::ModuleForm> form) {
  return form.value_or(runtime::FormOf(module)) == runtime::ModuleForm::kLogical
             ? runtime::PartitionsOf(module)
             : 1;
}

// Each device has numbers of its own.
absl::StatusOr<std::vector<std::vector<Literal>>> RandomByDevice(const Module& module,
                                                                 RandomInputOptions options,
                                                                 int64_t devices) {
  std::vector<std::vector<Literal>> by_device;
  options.max_bytes /= std::max<int64_t>(devices, 1);
  options.grid = {module.replica_count, module.num_partitions};
  if (options.grid.count() != devices) options.grid = {devices, 1};
  for (int64_t device = 0; device < devices; ++device) {
    options.process = {0, options.grid.ReplicaOf(device), options.grid.PartitionOf(device)};
    absl::StatusOr<std::vector<Literal>> arguments = RandomInputs(module, options);
    if (absl::IsResourceExhausted(arguments.status())) {
      return absl::ResourceExhaustedError(
          absl::StrCat(arguments.status().message(), " (--budget-bytes)"));
    }
    if (!arguments.ok()) return arguments.status();
    by_device.push_back(*std::move(arguments));
  }
  return by_device;
}

}  // namespace

absl::StatusOr<std::vector<Literal>> InputOptions::Load(const ModuleFile& file,
                                                        int64_t max_bytes) const {
  absl::StatusOr<std::vector<std::vector<Literal>>> by_device = LoadByDevice(file, max_bytes, 1);
  if (!by_device.ok()) return by_device.status();
  if (by_device->size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("arguments for ", by_device->size(), " devices, where one is meant"));
  }
  return std::move(by_device->front());
}

absl::StatusOr<std::vector<std::vector<Literal>>> InputOptions::LoadByDevice(
    const ModuleFile& file, int64_t max_bytes, int64_t devices,
    std::optional<runtime::ModuleForm> form) const {
  using ByDevice = std::vector<std::vector<Literal>>;
  const Module& module = *file.module;
  // What is the same for all devices takes memory for each.
  if (absl::Status status = CheckGrid({devices, 1}); !status.ok()) return status;
  if (inputs == "random") {
    RandomInputOptions options;
    options.seed = seed.value_or(0);
    if (max_bytes >= 0) options.max_bytes = max_bytes;
    for (const std::string& range : ranges) {
      absl::Status status = ParseRange(range, &options.ranges);
      if (!status.ok()) return status;
    }
    return RandomByDevice(module, options, devices);
  }
  if (absl::Status status = Check(); !status.ok()) return status;
  if (!inputs.empty()) {
    absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadArrays(inputs);
    if (!arrays.ok()) return arrays.status();
    absl::StatusOr<ByDevice> by_device =
        ToArguments(module, *std::move(arrays), TilesOfValues(module, form));
    if (!by_device.ok()) return InFile(inputs, by_device.status());
    if (by_device->size() == 1) by_device->resize(devices, by_device->front());
    if (static_cast<int64_t>(by_device->size()) != devices) {
      return absl::InvalidArgumentError(absl::StrCat(inputs, ": arguments for ", by_device->size(),
                                                     " devices, but the module ", "runs on ",
                                                     devices, ": see --replicas and --partitions"));
    }
    return by_device;
  }
  if (static_cast<int64_t>(file.device_arguments.size()) == devices) return file.device_arguments;
  if (!file.arguments.empty()) return ByDevice(devices, file.arguments);
  const size_t parameters = module.entry()->parameters().size();
  if (parameters == 0) return ByDevice(devices);
  return absl::InvalidArgumentError(
      absl::StrCat("module ", module.name(), " takes ", parameters,
                   " arguments: give them with --inputs FILE.npz, or ask for --inputs random"));
}

absl::StatusOr<std::vector<Literal>> ReadResults(const Module& module, const std::string& path,
                                                 std::optional<runtime::ModuleForm> form) {
  absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadArrays(path, kDefaultMaxArrayBytes, "out");
  if (!arrays.ok()) return arrays.status();
  absl::StatusOr<std::vector<Literal>> results =
      ToResults(module, *std::move(arrays), TilesOfValues(module, form));
  return results.ok() ? results : InFile(path, results.status());
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

std::string BriefLiteral(const Literal& literal, size_t longest) {
  std::string text;
  const auto limit = static_cast<int64_t>(longest);
  if (!literal.is_array() || literal.element_count() <= limit) {
    text = PrintTypedLiteral(literal);
  } else {
    // The first elements in an array of as many dimensions: its text begins in the same way, and
    // every element takes three characters.
    Dimensions sizes(literal.shape().dimensions().begin(), literal.shape().dimensions().end());
    int64_t kept = 1;
    for (size_t d = sizes.size(); d-- > 0; kept *= sizes[d]) {
      sizes[d] = std::min(sizes[d], std::max<int64_t>(1, limit / kept));
    }
    absl::StatusOr<Literal> beginning = Literal::Create(Shape(literal.element_type(), sizes));
    if (!beginning.ok()) return literal.shape().ToString();
    for (int64_t i = 0; i < kept; ++i) beginning->Set(i, literal.Get(i));
    text = absl::StrCat(literal.shape().ToString(true), " ", PrintLiteral(*beginning));
  }
  return text.size() > longest ? absl::StrCat(text.substr(0, longest), " ...") : text;
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
  return bytes > 0 ? bytes : UsualTargetMemory(targets);
}

void OutputOptions::AddJsonTo(CLI::App* app) {
  app->add_flag("--json", json, "Print JSON instead of text");
}

void OutputOptions::AddTo(CLI::App* app) {
  AddJsonTo(app);
  app->add_flag("--quiet,-q", quiet, "Print no results, only what went wrong");
}

namespace {

// The line of the table for targets that begin with this prefix.
BackendKind MutantKind(const std::string& prefix, const std::string& help) {
  return {prefix, "NAME", help,
          [prefix](absl::string_view name,
                   const BackendOptions& options) -> absl::StatusOr<std::unique_ptr<Backend>> {
            const absl::StatusOr<const Mutant*> mutant = FindMutant(absl::StrCat(prefix, name));
            if (!mutant.ok()) return mutant.status();
            BackendOptions offered;  // BackendCapabilities::features of mutants
            offered.budget = options.budget;
            offered.custom_calls = options.custom_calls;
            return std::make_unique<MutantBackend>(**mutant, GoldenOptionsOf(offered));
          }};
}

}  // namespace

const std::vector<BackendKind>& AllBackends() {
  static const auto& kinds = *[] {
    auto* all = new std::vector<BackendKind>(BuiltInBackends());
    all->push_back(MutantKind("mutant:", "golden with a defect: assay mutants"));
    all->push_back(MutantKind("conforming:", "a conforming variant of golden: assay mutants"));
    return all;
  }();
  return kinds;
}

std::string BackendHelp() {
  std::vector<std::string> lines;
  for (const BackendKind& kind : AllBackends()) {
    lines.push_back(absl::StrCat(kind.usage(), " (", kind.help, ")"));
  }
  return absl::StrJoin(lines, ", ");
}

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const std::string& specification,
                                                     const BackendOptions& options) {
  return MakeBackend(AllBackends(), specification, options);
}

absl::StatusOr<ModuleFile> LoadModule(const std::string& path) {
  absl::StatusOr<ModuleFile> file = OpenModuleFile(path);
  if (!file.ok()) return file.status();
  if (file->module->entry() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": the module has no entry computation"));
  }
  return file;
}

std::string ForPeople(absl::string_view message) {
  constexpr size_t kBeginning = 1500, kEnd = 500;
  if (message.size() <= kBeginning + kEnd + 100) return Printable(message);
  return Printable(absl::StrCat(message.substr(0, kBeginning), " [... ",
                                message.size() - kBeginning - kEnd, " bytes ...] ",
                                message.substr(message.size() - kEnd)));
}

int PrintRun(const RunResult& run, const OutputOptions& output) {
  const bool fails = RunFails(run);
  if (output.json) {
    std::cout << FormatReport(run);
  } else if (!output.quiet || fails) {
    std::cout << Printable(FormatSummary(run));
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
  std::cerr << "assay: " << message << "\n";
  return code;
}

}  // namespace assay
