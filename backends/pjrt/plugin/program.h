// A compiled program: a module, the placement of its values on devices, and the backend that runs
// it. Tests: plugin_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_PROGRAM_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "backends/pjrt/plugin/client.h"
#include "backends/pjrt/plugin/python_callback.h"
#include "backends/pjrt/sharding/global_shapes.h"

namespace assay::pjrt {

// The input of a compilation.
struct ProgramSource {
  std::string code;
  std::string format;   // "mlir" or "hlo"
  std::string options;  // serialised CompileOptions
};

// The host's options that Assay uses.
struct ProgramOptions {
  int64_t replicas = 1;
  int64_t partitions = 1;
  bool global_shapes = false;  // true if the host asks for partitioning of the module
  // By result, or one entry for all: true if the host leaves its sharding to the compiler.
  std::vector<bool> free_results;
  // The device of each replica * partitions + partition. Empty for a program of one device, which
  // may run on any.
  std::vector<int64_t> device_ids;
  std::string backend;
  runtime::RunBudget budget;
  uint64_t seed = 0;
};

class Program {
 public:
  // Compiles a program. Returns INVALID_ARGUMENT for an illegal program or illegal options, and
  // UNIMPLEMENTED for unsupported ones.
  static absl::StatusOr<std::shared_ptr<Program>> Compile(const PJRT_Client& client,
                                                          ProgramSource source);

  const ProgramSource& source() const { return source_; }
  const ProgramOptions& options() const { return options_; }
  const Module& module() const { return *module_; }
  int64_t device_count() const { return options_.replicas * options_.partitions; }
  // The shapes of the arguments and results on every device. A result has a layout where the
  // program says one.
  const std::vector<Shape>& arguments() const { return arguments_; }
  const std::vector<Shape>& results() const { return results_; }
  // Set for a program on global shapes with several partitions.
  const std::optional<GlobalShapes>& global() const { return global_; }
  // By argument: true if the program may reuse its storage.
  const std::vector<bool>& donated() const { return donated_; }
  // By argument and by result: the kind of its memory.
  const std::vector<std::string>& argument_memories() const { return argument_memories_; }
  const std::vector<std::string>& result_memories() const { return result_memories_; }
  const std::string& fingerprint() const { return fingerprint_; }
  // True if the program takes less time than starting it on another thread.
  bool is_small() const { return is_small_; }

  // Runs the program. Arguments, which have the shapes above, and results are by device.
  absl::StatusOr<std::vector<std::vector<Literal>>> Run(
      std::vector<std::vector<Literal>> arguments);

  // Returns the serialised module with its configuration (format hlo_with_config).
  absl::StatusOr<std::string> Optimized() const;

  // The numbers of element operations and of bytes that the entry reads and writes, for cost
  // analyses.
  double operations() const { return operations_; }
  double bytes_accessed() const { return bytes_accessed_; }

 private:
  Program() = default;
  absl::Status ReadOptions(const PJRT_Client& client);
  absl::Status ReadModule();
  absl::Status PlaceBorder();
  void PlaceMemories();
  void FindDonated();
  absl::Status MakeExecutable(const PJRT_Client& client);
  absl::Status MakeSums();
  void CountCosts();
  absl::StatusOr<std::vector<DeviceOutputs>> RunBackend(
      const std::vector<std::vector<Literal>>& arguments);
  // Returns, for each replica, the global values of which its partitions hold tiles.
  absl::StatusOr<std::vector<std::vector<Literal>>> Joined(
      const std::vector<std::vector<Literal>>& arguments);
  absl::StatusOr<Literal> JoinedArgument(size_t i, absl::Span<const Literal> tiles);
  absl::StatusOr<std::vector<std::vector<Literal>>> Cut(
      const std::vector<DeviceOutputs>& outputs) const;

  ProgramSource source_;
  ProgramOptions options_;
  std::unique_ptr<Module> module_;
  std::vector<Shape> arguments_, results_;
  std::optional<GlobalShapes> global_;
  std::vector<bool> donated_;
  std::vector<std::string> argument_memories_, result_memories_;
  std::string fingerprint_;
  bool is_small_ = false;
  double operations_ = 0, bytes_accessed_ = 0;
  std::optional<CallbackUses> callback_uses_;
  CustomCallRegistry custom_calls_;
  // By argument: the module that adds the values of an unreduced one; null for others.
  std::vector<std::unique_ptr<Module>> sums_;
  // One execution at a time.
  std::mutex mutex_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Executable> executable_;
};

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_PROGRAM_H_
