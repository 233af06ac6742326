// Options that commands share: the source of arguments, budgets, and reports. Tests:
// run_cli_test.py, show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_OPTIONS_H_
#define ASSAY_TOOLS_CLI_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/factory/factory.h"
#include "interpreter/interpreter.h"
#include "runtime/module_form.h"
#include "spec/arrays/arrays.h"
#include "spec/proto/module_file.h"
#include "tools/cli/backend_table.h"
#include "tools/cli/terminal.h"

namespace assay::conformance {
struct RunResult;
}  // namespace assay::conformance

namespace assay::cli {

struct InputOptions {
  std::string inputs;  // a file, "random", or empty
  std::optional<uint64_t> seed;
  std::vector<std::string> ranges;

  void AddTo(CLI::App* app);
  // Returns INVALID_ARGUMENT for options without effect. Load() calls it too.
  absl::Status Check() const;
  // Returns arguments for the module: from the file, otherwise from the module's snapshot,
  // otherwise random ones if requested. A module without parameters needs none.
  absl::StatusOr<std::vector<Literal>> Load(const ModuleFile& file, int64_t max_bytes) const;
  // Returns arguments for each device. Random arguments are made for `devices`. A file has
  // arguments for each device, one list for all, or, for a logical module (FormOf if no form is
  // given), the tiles of each partition. Returns RESOURCE_EXHAUSTED for more devices than golden
  // supports (CheckGrid).
  absl::StatusOr<std::vector<std::vector<Literal>>> LoadByDevice(
      const ModuleFile& file, int64_t max_bytes, int64_t devices,
      std::optional<runtime::ModuleForm> form = std::nullopt) const;
};

// The numbers of replicas and partitions of a run.
struct GridOptions {
  int64_t replicas = 0;  // 0 for the module's own count
  int64_t partitions = 0;
  std::string form = "auto";
  void AddTo(CLI::App* app);
  void ApplyTo(Module& module) const;
  std::optional<runtime::ModuleForm> module_form() const;
};

struct BudgetOptions {
  RunBudget budget;
  // `spent` tells what happens to a run that exhausts a budget.
  void AddTo(CLI::App* app, const std::string& spent = "exit code 3 when one is spent");
};

// The option --memory: the memory limit of a process target.
struct TargetMemory {
  int64_t bytes = 0;  // 0 for the default (UsualTargetMemory), -1 for no limit
  void AddTo(CLI::App* app);
  // Returns the limit for BackendOptions if `targets` run in parallel.
  int64_t Limit(int64_t targets = 1) const;
};

struct OutputOptions {
  bool json = false;
  bool quiet = false;
  void AddTo(CLI::App* app);
  // Adds only --json, for commands whose results cannot be omitted.
  void AddJsonTo(CLI::App* app);
};

// Reads the value of the entry's root on each device from a file with arrays out0, out1, ...
// (out0.dev1, ...); tokens have no array. For a logical module the file may also have the tiles of
// each partition.
absl::StatusOr<std::vector<Literal>> ReadResults(const Module& module, const std::string& path,
                                                 std::optional<runtime::ModuleForm> form);

// Returns an error if the file cannot be written, to report it before a long run.
absl::Status CheckWritable(const std::string& path);

// Loads a module, with its place for messages.
absl::StatusOr<ModuleFile> LoadModule(const std::string& path);

// Returns the error with the file's name before its message.
absl::Status InFile(const std::string& path, const absl::Status& status);

// Prints a run of the suite: its report as JSON, or a summary unless --quiet. The exit code tells
// if it fails.
int PrintRun(const conformance::RunResult& run, const OutputOptions& output);

// Prints the message of an error and returns its exit code.
int Fail(const absl::Status& status, const OutputOptions& output);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_OPTIONS_H_
