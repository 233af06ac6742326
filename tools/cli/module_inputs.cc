// Where the arguments and results of a module come from: InputOptions::Load and ReadResults of
// options.h.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/inputs/random_inputs.h"
#include "conformance/judge/verdict_text.h"
#include "tools/cli/options.h"

namespace assay::cli {

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
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
absl::StatusOr<std::vector<std::vector<Literal>>> RandomByDevice(
    const Module& module, conformance::RandomInputOptions options, int64_t devices) {
  std::vector<std::vector<Literal>> by_device;
  options.max_bytes /= std::max<int64_t>(devices, 1);
  options.grid = {module.replica_count, module.num_partitions};
  if (options.grid.count() != devices) options.grid = {devices, 1};
  for (int64_t device = 0; device < devices; ++device) {
    options.process = {0, options.grid.ReplicaOf(device), options.grid.PartitionOf(device)};
    absl::StatusOr<std::vector<Literal>> arguments = conformance::RandomInputs(module, options);
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
    conformance::RandomInputOptions options;
    options.seed = seed.value_or(0);
    if (max_bytes >= 0) options.max_bytes = max_bytes;
    for (const std::string& range : ranges) {
      absl::Status status = conformance::ParseRange(range, &options.ranges);
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
      absl::StrCat("module ", module.name(), " takes ",
                   conformance::Counted(static_cast<int64_t>(parameters), "argument"),
                   ": give them with --inputs FILE.npz, or ask for --inputs random"));
}

absl::StatusOr<std::vector<Literal>> ReadResults(const Module& module, const std::string& path,
                                                 std::optional<runtime::ModuleForm> form) {
  absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadArrays(path, kDefaultMaxArrayBytes, "out");
  if (!arrays.ok()) return arrays.status();
  absl::StatusOr<std::vector<Literal>> results =
      ToResults(module, *std::move(arrays), TilesOfValues(module, form));
  return results.ok() ? results : InFile(path, results.status());
}

}  // namespace assay::cli
