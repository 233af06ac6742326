#include "backends/executable.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/entry.h"

namespace assay {
namespace {

// An argument in messages: its parameter, and which leaf of it where there are several.
std::string Describe(const Module& module, size_t argument, size_t device) {
  size_t leaf = argument;
  for (const Instruction* parameter : module.entry()->parameters()) {
    const size_t leaves = Leaves(parameter->shape()).size();
    if (leaf < leaves) {
      return absl::StrCat("the argument of ", parameter->Describe(),
                          leaves == 1 ? "" : absl::StrCat(", leaf ", leaf), " on device ", device);
    }
    leaf -= leaves;
  }
  return absl::StrCat("argument ", argument, " on device ", device);
}

// A donated buffer is one argument only: its storage becomes that of a result.
absl::Status CheckDonated(const Module& module, const ExecuteInputs& inputs, size_t device) {
  absl::flat_hash_map<const Buffer*, int> uses;
  for (const Argument& argument : inputs.arguments) ++uses[argument.buffer()];
  for (size_t i = 0; i < inputs.arguments.size(); ++i) {
    const Argument& argument = inputs.arguments[i];
    if (argument.donated() == nullptr || uses[argument.buffer()] == 1) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(Describe(module, i, device), " is donated, and also another argument"));
  }
  return absl::OkStatus();
}

// `is_placed`: each buffer must lie on the device.
absl::Status CheckDevice(const Module& module, const ExecuteInputs& inputs, size_t device,
                         bool is_placed) {
  size_t leaves = 0;
  for (const Instruction* parameter : module.entry()->parameters()) {
    leaves += Leaves(parameter->shape()).size();
  }
  if (inputs.arguments.size() != leaves) {
    return absl::InvalidArgumentError(absl::StrCat(
        "module ", module.name(), " takes ", leaves, " arrays or tokens on each device, ",
        inputs.arguments.size(), " were given on device ", device));
  }
  bool has_donated = false;
  for (size_t i = 0; i < leaves; ++i) {
    const Buffer& buffer = *inputs.arguments[i].buffer();
    has_donated |= inputs.arguments[i].donated() != nullptr;
    if (buffer.is_deleted()) {
      return absl::FailedPreconditionError(absl::StrCat(
          Describe(module, i, device), " was deleted: it has been donated to an execution"));
    }
    if (is_placed && buffer.device() != static_cast<int64_t>(device)) {
      return absl::InvalidArgumentError(
          absl::StrCat(Describe(module, i, device), " lies on device ", buffer.device()));
    }
  }
  return has_donated ? CheckDonated(module, inputs, device) : absl::OkStatus();
}

absl::Status CheckInputs(const Executable& executable, absl::Span<const ExecuteInputs> inputs) {
  // A backend refuses another number of devices in its own words; donated buffers would be gone.
  const bool is_placed = static_cast<int64_t>(inputs.size()) == executable.device_count();
  for (size_t d = 0; d < inputs.size(); ++d) {
    for (const Argument& argument : inputs[d].arguments) {
      if (is_placed || argument.donated() == nullptr) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("buffers are donated on ", inputs.size(), " devices; module ",
                       executable.module().name(), " runs on ", executable.device_count()));
    }
    absl::Status status = CheckDevice(executable.module(), inputs[d], d, is_placed);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

class EndedExecution : public Execution {
 public:
  explicit EndedExecution(absl::StatusOr<ExecuteResults> results) : results_(std::move(results)) {}
  absl::StatusOr<ExecuteResults> Await() override { return std::move(results_); }

 private:
  absl::StatusOr<ExecuteResults> results_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Execution>> Executable::Start(
    absl::Span<const ExecuteInputs> inputs) {
  if (absl::Status status = CheckEntry(module_); !status.ok()) return status;
  if (absl::Status status = CheckInputs(*this, inputs); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<Execution>> execution = Launch(inputs);
  for (const ExecuteInputs& device : inputs) {
    for (const Argument& argument : device.arguments) {
      if (argument.donated() != nullptr) argument.donated()->Delete();
    }
  }
  return execution;
}

absl::StatusOr<ExecuteResults> Executable::Execute(absl::Span<const ExecuteInputs> inputs) {
  const absl::StatusOr<std::unique_ptr<Execution>> execution = Start(inputs);
  if (!execution.ok()) return execution.status();
  return (*execution)->Await();
}

absl::StatusOr<std::unique_ptr<Execution>> SynchronousExecutable::Launch(
    absl::Span<const ExecuteInputs> inputs) {
  return std::make_unique<EndedExecution>(RunNow(inputs));
}

}  // namespace assay
