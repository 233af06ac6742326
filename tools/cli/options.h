// Options that commands share: where arguments come from, what a run may use, how to report.
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

namespace assay {

struct RunResult;

struct InputOptions {
  std::string inputs;  // a file, "random", or empty
  std::optional<uint64_t> seed;
  std::vector<std::string> ranges;

  void AddTo(CLI::App* app);
  // INVALID_ARGUMENT for options that would do nothing. Load() asks too.
  absl::Status Check() const;
  // Arguments for the module: from the file; else those of the snapshot that the module came from;
  // else random ones, if asked for; a module without parameters needs none.
  absl::StatusOr<std::vector<Literal>> Load(const ModuleFile& file, int64_t max_bytes) const;
  // The same for each device. Random ones are made for `devices`; a file has those of each device,
  // or one list for all, or, of a logical module (no form: FormOf), the tiles of each partition.
  // RESOURCE_EXHAUSTED for more devices than golden runs processes (CheckGrid).
  absl::StatusOr<std::vector<std::vector<Literal>>> LoadByDevice(
      const ModuleFile& file, int64_t max_bytes, int64_t devices,
      std::optional<runtime::ModuleForm> form = std::nullopt) const;
};

// How many processes run the module.
struct GridOptions {
  int64_t replicas = 0;  // 0: what the module says
  int64_t partitions = 0;
  std::string form = "auto";
  void AddTo(CLI::App* app);
  void ApplyTo(Module& module) const;
  std::optional<runtime::ModuleForm> module_form() const;
};

struct BudgetOptions {
  RunBudget budget;
  // `spent`: what becomes of a run that spends one.
  void AddTo(CLI::App* app, const std::string& spent = "exit code 3 when one is spent");
};

// --memory: what a process target may take for its data.
struct TargetMemory {
  int64_t bytes = 0;  // 0: as usual (UsualTargetMemory); -1: no limit
  void AddTo(CLI::App* app);
  // For BackendOptions, where so many targets run at once.
  int64_t Limit(int64_t targets = 1) const;
};

struct OutputOptions {
  bool json = false;
  bool quiet = false;
  void AddTo(CLI::App* app);
  // Where there are no results that could be left out.
  void AddJsonTo(CLI::App* app);
};

// The value of the entry's root on each device from a file with arrays out0, out1, ... (out0.dev1,
// ...); its tokens take none. Of a logical module also from the tiles of each partition.
absl::StatusOr<std::vector<Literal>> ReadResults(const Module& module, const std::string& path,
                                                 std::optional<runtime::ModuleForm> form);

// Finds out before hours of work that a file could not be written.
absl::Status CheckWritable(const std::string& path);

// A module with its place in messages.
absl::StatusOr<ModuleFile> LoadModule(const std::string& path);

// The error with the file in front of its message.
absl::Status InFile(const std::string& path, const absl::Status& status);

// Prints a run of the suite: its report as JSON, or a summary unless nobody wants to read one. The
// exit code says whether it fails.
int PrintRun(const RunResult& run, const OutputOptions& output);

// Prints the message of an error and gives its exit code.
int Fail(const absl::Status& status, const OutputOptions& output);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_OPTIONS_H_
