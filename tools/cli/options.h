// Options that commands share: where arguments come from, what a run may use, how to report.
#ifndef ASSAY_TOOLS_CLI_OPTIONS_H_
#define ASSAY_TOOLS_CLI_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "interpreter/interpreter.h"
#include "spec/proto/module_file.h"
#include "tools/io/arrays.h"

namespace assay {

struct InputOptions {
  std::string inputs;  // a file, "random", or empty
  uint64_t seed = 0;
  std::vector<std::string> ranges;

  void AddTo(CLI::App* app);
  // Arguments for the module: from the file; else those of the snapshot that the module came from;
  // else random ones, if asked for; a module without parameters needs none.
  absl::StatusOr<std::vector<Literal>> Load(const ModuleFile& file, int64_t max_bytes) const;
};

struct BudgetOptions {
  RunBudget budget;
  void AddTo(CLI::App* app);
};

struct OutputOptions {
  bool json = false;
  bool quiet = false;
  void AddTo(CLI::App* app);
};

// The value of the entry's root from arrays out0, out1, ... (its leaves); the only array of a .npy
// or text file counts as out0.
absl::StatusOr<Literal> ToResult(const Module& module, std::vector<NamedLiteral> arrays);

// "golden", or "process:COMMAND".
struct BackendOptions {
  bool straight = false;  // golden: definitions alone
  bool observed = false;  // golden: plan for observers
  std::vector<Observer*> observers;
};
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const std::string& specification,
                                                     const RunBudget& budget,
                                                     const BackendOptions& options = {});

// A module with its place in messages.
absl::StatusOr<ModuleFile> LoadModule(const std::string& path);

// Prints the message of an error and gives its exit code.
int Fail(const absl::Status& status, const OutputOptions& output);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_OPTIONS_H_
