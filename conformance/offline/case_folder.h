// Cases as plain files, for those who run them where there is no Assay: written by `assay corpus
// export`, brought back with answers and judged by `assay judge`. docs/corpus_format.md, section 5,
// is the contract. Tests: tools/cli/judge_cli_test.py.
#ifndef ASSAY_CONFORMANCE_OFFLINE_CASE_FOLDER_H_
#define ASSAY_CONFORMANCE_OFFLINE_CASE_FOLDER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/diagnose/golden_trace.h"
#include "interpreter/interpreter.h"

namespace assay::conformance {

// Writes module.hlo, inputs.npz and expected.npz into a folder, which is made. By device.
// INVALID_ARGUMENT, naming the file, for what cannot be written.
absl::Status WriteQuestion(const Module& module, absl::Span<const DeviceInputs> inputs,
                           absl::Span<const DeviceOutputs> golden, const std::string& folder);

// What lies beside module.hlo: arrays as .npz; arrays as .bin with question.json (raw_arrays.h); or
// module.mlir, the module as StableHLO, beside .npz.
enum class ExportFormat : uint8_t { kNpz, kRaw, kStablehlo };

// The folder of a probe in that of its case, by its place in MakeProbes.
std::string ProbeFolder(const std::string& folder, size_t number);

// Writes DIR/ID: case.txt, case.json and, of each probe, what WriteQuestion writes: those of the
// instructions and groups of a program in probes/NUMBER. What the format cannot express has an
// unsupported.txt with the reason, which `assay judge` counts as not supported; `inexpressible`
// counts such modules. Errors of MakeProbes and WriteQuestion.
absl::Status ExportCase(const CorpusCase& corpus_case, const std::string& dir,
                        const RunBudget& budget, const TraceDepth& depth = {},
                        ExportFormat format = ExportFormat::kNpz, int64_t* inexpressible = nullptr);

// The depth with which a case below a folder was exported. INVALID_ARGUMENT, naming its case.json,
// where that says none that there is.
absl::StatusOr<TraceDepth> ExportedDepth(const std::string& dir, const std::string& id);

// The cases below a folder, from its case.txt files, sorted by id. INVALID_ARGUMENT where there is
// none, and with file, line and column for one that is not a case or lies in another's folder.
absl::StatusOr<std::vector<CorpusCase>> ImportCases(const std::string& dir);

// A target whose answers are files beside each module.hlo: actual.npz with the outputs, or those of
// raw_arrays.h, or refused.txt (the module is illegal), unsupported.txt, failed.txt, whose first
// line is the reason. Errors by code as of other backends; NOT_FOUND where there is no answer,
// FAILED_PRECONDITION, naming the file, for one that cannot be read or does not fit.
class FolderTarget : public Backend {
 public:
  explicit FolderTarget(std::string dir) : dir_(std::move(dir)) {}

  // The case that is asked for next. Its probes are found by the text of their modules.
  void Enter(const std::string& id);

  absl::string_view name() const override { return "files"; }
  absl::Status Supports(const Module&) override { return absl::OkStatus(); }
  // Only what the files say of the module: its results come from RunSets.
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options = {}) override;
  absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) override;
  absl::StatusOr<Literal> Download(const Buffer& buffer) override;
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override;

 private:
  struct Place {
    std::string folder, module;
  };
  absl::StatusOr<std::string> FindFolder(const Module& module);

  std::string dir_;
  std::vector<Place> places_;  // of the probes of the case
  size_t next_ = 0;            // where the search begins: modules of one text come in their order
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_OFFLINE_CASE_FOLDER_H_
