#include "conformance/offline/case_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/corpus/case_json.h"
#include "conformance/corpus/case_reader.h"
#include "conformance/corpus/corpus.h"
#include "conformance/offline/raw_arrays.h"
#include "conformance/runner/json_fields.h"
#include "conformance/runner/probe.h"
#include "spec/arrays/arrays.h"
#include "spec/files/file_io.h"
#include "spec/stablehlo/from_module.h"
#include "spec/stablehlo/text.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

namespace fs = std::filesystem;

absl::Status WriteText(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be written"));
}

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(folder, ": ", error.message()));
}

// The first line of a small file; none where there is no such file.
std::optional<std::string> FirstLine(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::string line;
  std::getline(file, line);
  return line.substr(0, 1000);
}

// What the files beside a module say instead of results.
absl::Status StatedAt(const std::string& folder) {
  if (const auto why = FirstLine(folder + "/refused.txt")) return absl::InvalidArgumentError(*why);
  if (const auto why = FirstLine(folder + "/unsupported.txt")) {
    return absl::UnimplementedError(*why);
  }
  if (const auto why = FirstLine(folder + "/failed.txt")) return absl::InternalError(*why);
  return absl::OkStatus();
}

// Nothing to run: a module that the files do not refuse.
class Taken : public SynchronousExecutable {
 public:
  using SynchronousExecutable::SynchronousExecutable;

 protected:
  absl::StatusOr<ExecuteResults> RunNow(absl::Span<const ExecuteInputs>) override {
    return absl::UnimplementedError("answers in files are read by RunSets");
  }
};

// Arrays of the module itself, and of the devices' queues.
std::vector<NamedLiteral> NameDevices(absl::Span<const Literal> values, absl::string_view prefix,
                                      absl::Span<const std::vector<Literal>> queues,
                                      absl::string_view queue_prefix) {
  std::vector<NamedLiteral> arrays = NameByDevice(values, prefix);
  for (NamedLiteral& array : NameQueues(queues, queue_prefix)) arrays.push_back(std::move(array));
  return arrays;
}

struct Question {
  std::vector<NamedLiteral> inputs, outputs;
};

Question QuestionOf(absl::Span<const DeviceInputs> inputs, absl::Span<const DeviceOutputs> golden) {
  std::vector<Literal> arguments;
  std::vector<std::vector<Literal>> infeeds, outfeeds;
  for (const DeviceInputs& own : inputs) {
    arguments.push_back(Literal::Tuple(own.arguments));
    infeeds.push_back(own.infeed);
  }
  for (const DeviceOutputs& own : golden) outfeeds.push_back(own.outfeed);
  return {NameDevices(arguments, "arg", infeeds, "infeed"),
          NameDevices(ResultsOf(golden), "out", outfeeds, "outfeed")};
}

// module.mlir beside the rest. UNIMPLEMENTED for what StableHLO does not have.
absl::Status WriteStablehlo(const Module& module, const std::string& folder) {
  const absl::StatusOr<std::unique_ptr<stablehlo::Program>> program = stablehlo::FromModule(module);
  if (!program.ok()) return program.status();
  return WriteText(folder + "/module.mlir", PrintText(**program, stablehlo::PrintForm::kPretty));
}

// A sub-test in its format. UNIMPLEMENTED for what the format cannot express.
absl::Status WriteProbe(const Probe& probe, ExportFormat format, const std::string& folder) {
  if (format != ExportFormat::kRaw) {
    const absl::Status status = WriteQuestion(*probe.module, probe.inputs, probe.golden, folder);
    if (!status.ok() || format == ExportFormat::kNpz) return status;
    return WriteStablehlo(*probe.module, folder);
  }
  absl::Status status = MakeFolder(folder);
  if (status.ok())
    status =
        WriteText(folder + "/module.hlo", PrintModule(*probe.module, PrintOptions::Complete()));
  if (!status.ok()) return status;
  const Question question = QuestionOf(probe.inputs, probe.golden);
  return WriteRawQuestion(*probe.module, question.inputs, question.outputs, folder);
}

// Leaves a note for `assay judge` if the format cannot express something.
absl::Status NoteInexpressible(const absl::Status& status, const std::string& folder,
                               int64_t* inexpressible) {
  const std::string path = folder + "/unsupported.txt";
  constexpr absl::string_view kNote = "not expressible in this format: ";
  if (status.ok()) {  // an earlier export in another format may have left one
    const auto line = FirstLine(path);
    std::error_code ignored;
    if (line && absl::StartsWith(*line, kNote)) fs::remove(path, ignored);
  }
  if (!absl::IsUnimplemented(status)) return status;
  if (inexpressible != nullptr) ++*inexpressible;
  return WriteText(path, absl::StrCat(kNote, status.message(), "\n"));
}

// What the devices have given, of arrays out0, ... and outfeed0, ...
absl::StatusOr<std::vector<DeviceOutputs>> ToOutputs(const Module& module,
                                                     std::vector<NamedLiteral> arrays,
                                                     size_t devices) {
  const auto is_queued = [](const NamedLiteral& array) {
    return absl::StartsWith(array.name, "outfeed");
  };
  const auto queued = std::stable_partition(
      arrays.begin(), arrays.end(), [&](const NamedLiteral& array) { return !is_queued(array); });
  std::vector<NamedLiteral> fed(std::make_move_iterator(queued),
                                std::make_move_iterator(arrays.end()));
  arrays.erase(queued, arrays.end());
  // A result of tokens alone is named on no device.
  const bool named = !arrays.empty();
  absl::StatusOr<std::vector<Literal>> results = ToResults(module, std::move(arrays));
  if (!results.ok()) return results.status();
  if (!named) results->resize(devices, Literal(results->front()));
  if (results->size() != devices) {
    return absl::FailedPreconditionError(
        absl::StrCat("results of ", results->size(), " devices, but ", devices, " run"));
  }
  absl::StatusOr<std::vector<std::vector<Literal>>> queues =
      ToQueues(std::move(fed), "outfeed", static_cast<int64_t>(devices));
  if (!queues.ok()) return queues.status();
  std::vector<DeviceOutputs> outputs;
  for (size_t d = 0; d < devices; ++d) {
    outputs.push_back({std::move((*results)[d]), std::move((*queues)[d])});
  }
  return outputs;
}

}  // namespace

absl::Status WriteQuestion(const Module& module, absl::Span<const DeviceInputs> inputs,
                           absl::Span<const DeviceOutputs> golden, const std::string& folder) {
  if (absl::Status status = MakeFolder(folder); !status.ok()) return status;
  const Question question = QuestionOf(inputs, golden);
  absl::Status status =
      WriteText(folder + "/module.hlo", PrintModule(module, PrintOptions::Complete()));
  if (status.ok()) status = WriteNpz(folder + "/inputs.npz", question.inputs);
  if (status.ok()) status = WriteNpz(folder + "/expected.npz", question.outputs);
  return status;
}

std::string ProbeFolder(const std::string& folder, size_t number) {
  return number == 0 ? folder : absl::StrCat(folder, absl::StrFormat("/probes/%04d", number));
}

absl::Status ExportCase(const CorpusCase& corpus_case, const std::string& dir,
                        const RunBudget& budget, const TraceDepth& depth, ExportFormat format,
                        int64_t* inexpressible) {
  const std::string folder = absl::StrCat(dir, "/", corpus_case.id);
  absl::Status status = MakeFolder(folder);
  if (status.ok()) status = WriteText(folder + "/case.txt", FormatCase(corpus_case));
  nlohmann::json json = CaseJson(corpus_case);
  if (!status.ok()) return status;
  if (corpus_case.expect == CorpusCase::Expect::kRefused) {
    status = WriteText(folder + "/module.hlo", corpus_case.module);
  } else {
    const absl::StatusOr<std::vector<Probe>> probes =
        MakeProbes(corpus_case, budget, {false, depth});
    if (!probes.ok()) return probes.status();
    for (size_t i = 0; i < probes->size() && status.ok(); ++i) {
      const Probe& probe = (*probes)[i];
      const std::string own = ProbeFolder(folder, i);
      status = NoteInexpressible(WriteProbe(probe, format, own), own, inexpressible);
      if (i > 0) json["probes"].push_back(probe.name);
    }
    if (depth.subgraphs > 0) json["subgraphs"] = depth.subgraphs;
    if (depth.iterations > 1) json["turns"] = depth.iterations;
  }
  if (!status.ok()) return status;
  return WriteText(folder + "/case.json", json.dump(2) + "\n");
}

absl::StatusOr<TraceDepth> ExportedDepth(const std::string& dir, const std::string& id) {
  const std::string path = absl::StrCat(dir, "/", id, "/case.json");
  TraceDepth depth;
  if (!fs::exists(path)) return depth;
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  absl::Status status;
  const JsonFields fields(json, "", &status);
  fields.Get("subgraphs", &depth.subgraphs);
  fields.Get("turns", &depth.iterations);
  if (status.ok()) status = CheckDepth(depth);
  if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", status.message()));
  return depth;
}

absl::StatusOr<std::vector<CorpusCase>> ImportCases(const std::string& dir) {
  std::vector<CorpusCase> cases;
  std::error_code error;
  fs::recursive_directory_iterator files(dir, error);
  for (; !error && files != fs::recursive_directory_iterator(); files.increment(error)) {
    const fs::path& path = files->path();
    if (path.filename() != "case.txt") continue;
    const absl::StatusOr<std::string> text = ReadFile(path.string());
    if (!text.ok()) return text.status();
    absl::StatusOr<std::vector<CorpusCase>> read = ReadCases(*text, path.string());
    if (!read.ok()) return read.status();
    const std::string folder = path.parent_path().lexically_relative(dir).generic_string();
    for (CorpusCase& each : *read) {
      if (each.id != folder) {
        return absl::InvalidArgumentError(
            absl::StrCat(each.where, ": case ", each.id, " lies in the folder ", folder,
                         "; the folder that `assay corpus export` wrote is wanted"));
      }
      cases.push_back(std::move(each));
    }
  }
  if (error) return absl::InvalidArgumentError(absl::StrCat(dir, ": ", error.message()));
  if (cases.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(dir, ": there is no case.txt of `assay corpus export` below"));
  }
  if (absl::Status status = SortById(&cases); !status.ok()) return status;
  return cases;
}

void FolderTarget::Enter(const std::string& id) {
  places_.clear();
  next_ = 0;
  const std::string folder = absl::StrCat(dir_, "/", id);
  for (size_t i = 0;; ++i) {
    Place place{ProbeFolder(folder, i), ""};
    const absl::StatusOr<std::string> text = ReadFile(place.folder + "/module.hlo");
    if (!text.ok()) break;
    place.module = *text;
    places_.push_back(std::move(place));
  }
}

absl::StatusOr<std::string> FolderTarget::FindFolder(const Module& module) {
  const std::string text = PrintModule(module, PrintOptions::Complete());
  for (size_t i = 0; i < places_.size(); ++i) {
    const size_t at = (next_ + i) % places_.size();
    if (places_[at].module != text) continue;
    next_ = at + 1;
    return places_[at].folder;
  }
  return absl::NotFoundError("its module.hlo is missing or has changed");
}

// Only modules that are to be refused are compiled and not run: their text stands as it is.
absl::StatusOr<std::unique_ptr<Executable>> FolderTarget::Compile(const Module& module,
                                                                  const CompileOptions&) {
  if (places_.empty()) return absl::NotFoundError("there is no module.hlo");
  const std::string& folder = places_.front().folder;
  const absl::Status stated = StatedAt(folder);
  if (!stated.ok()) return stated;
  if (fs::exists(folder + "/actual.npz") || HasRawAnswer(folder)) {
    return std::make_unique<Taken>(module);
  }
  return absl::NotFoundError(
      absl::StrCat("no answer: ", folder, " has no actual.npz, out0.bin or refused.txt"));
}

absl::StatusOr<BufferHandle> FolderTarget::Upload(const Literal&, int64_t) {
  return absl::UnimplementedError("answers in files take no buffers");
}

absl::StatusOr<Literal> FolderTarget::Download(const Buffer&) {
  return absl::UnimplementedError("answers in files have no buffers");
}

// A module has one answer: to the first set of inputs, whatever the number of executions.
absl::StatusOr<ModuleRun> FolderTarget::RunSets(const Module& module, const InputSets& inputs) {
  const absl::StatusOr<std::string> folder = FindFolder(module);
  if (!folder.ok()) return folder.status();
  if (absl::Status stated = StatedAt(*folder); !stated.ok()) return stated;
  const bool raw = fs::exists(*folder + "/question.json") && !fs::exists(*folder + "/actual.npz");
  const std::string path = *folder + (raw ? "/question.json" : "/actual.npz");
  if (!fs::exists(path)) {
    return absl::NotFoundError(absl::StrCat("no answer: ", path, " is missing"));
  }
  absl::StatusOr<std::vector<NamedLiteral>> arrays =
      raw ? ReadRawAnswer(*folder) : ReadArrays(path, kDefaultMaxArrayBytes, "out");
  const auto unfit = [&](const absl::Status& status) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": ", status.message()));
  };
  if (absl::IsNotFound(arrays.status())) return arrays.status();
  if (!arrays.ok()) return absl::FailedPreconditionError(arrays.status().message());
  absl::StatusOr<std::vector<DeviceOutputs>> outputs =
      ToOutputs(module, *std::move(arrays), inputs.sets.front().size());
  if (!outputs.ok()) return unfit(outputs.status());
  ModuleRun run;
  run.outputs.assign(inputs.order.size(), *std::move(outputs));
  return run;
}

}  // namespace assay::conformance
