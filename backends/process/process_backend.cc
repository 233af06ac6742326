#include "backends/process/process_backend.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/host_buffer.h"
#include "backends/process/cleanup.h"
#include "backends/process/message.h"
#include "backends/process/server.h"
#include "spec/ir/entry.h"
#include "spec/nearest_name.h"
#include "spec/proto/module_file.h"
#include "spec/stablehlo/from_module.h"
#include "spec/stablehlo/text.h"
#include "spec/text/printer.h"

namespace assay::process {

using Json = nlohmann::json;
using Clock = ChildProcess::Clock;

namespace {

// 1 has no request `run`, 2 no queues, 3 neither current sizes nor several sets of inputs.
constexpr int64_t kProtocol = kProcessProtocol;
constexpr size_t kLongestHeader = 16 << 20;
constexpr int64_t kLongestSkip = 1 << 20;  // payload of an answer that should have none
constexpr size_t kLongestExcerpt = 200;
constexpr size_t kLongestMessage = 4096;  // of an error; reports keep it
constexpr double kGraceSeconds = 1;       // to end after bye

Clock::time_point After(double seconds) {
  constexpr double kNever = 1e8;  // more than three years, and within the clock's range
  if (seconds < 0 || seconds > kNever) return Clock::time_point::max();
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

bool HasFeeds(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Opcode opcode = instruction->opcode();
      if (opcode == Opcode::kInfeed || opcode == Opcode::kOutfeed) return true;
    }
  }
  return false;
}

// An array that goes in or comes out and whose current size the values decide; null: there is none.
const Shape* FindDynamicInterface(const Module& module) {
  const auto find = [](const Shape& shape) -> const Shape* {
    for (const Shape* leaf : Leaves(shape)) {
      if (leaf->is_array() && leaf->is_dynamic()) return leaf;
    }
    return nullptr;
  };
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (const Shape* shape = find(parameter->shape())) return shape;
  }
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      const Shape* shape = each->opcode() == Opcode::kInfeed    ? find(each->shape())
                           : each->opcode() == Opcode::kOutfeed ? find(each->operand(0)->shape())
                                                                : nullptr;
      if (shape != nullptr) return shape;
    }
  }
  return find(module.entry()->root()->shape());
}

// What every request with a module says of it beside its text: a HloModuleProto has no counts.
void AddCounts(const Module& module, Json* request) {
  (*request)["replicas"] = module.replica_count;
  (*request)["partitions"] = module.num_partitions;
}

}  // namespace

// A module that the child has compiled; another child compiles it again.
class ProcessExecutable : public SynchronousExecutable {
 public:
  ProcessExecutable(ProcessBackend& backend, const Module& module, const CompileOptions& options)
      : SynchronousExecutable(module), backend_(backend), options_(options) {}

  ~ProcessExecutable() override { backend_.Release(handle_, generation_); }

  absl::Status Compile() {
    absl::StatusOr<int64_t> handle = backend_.CompileModule(module(), options_, &devices_);
    if (!handle.ok()) return handle.status();
    handle_ = *handle;
    generation_ = backend_.generation_;
    return absl::OkStatus();
  }

  int64_t device_count() const override { return devices_; }

 protected:
  absl::StatusOr<ExecuteResults> RunNow(absl::Span<const ExecuteInputs> inputs) override {
    absl::Status status = backend_.EnsureChild();
    if (status.ok() && generation_ != backend_.generation_) status = Compile();
    if (!status.ok()) return status;
    return backend_.Execute(handle_, module(), inputs);
  }

 private:
  ProcessBackend& backend_;
  const CompileOptions options_;
  int64_t handle_ = 0;
  int64_t generation_ = -1;
  int64_t devices_ = 1;
};

ProcessBackend::ProcessBackend(ProcessOptions options)
    : options_(std::move(options)),
      name_(options_.name.empty() ? absl::StrCat("process:", options_.command) : options_.name) {}

ProcessBackend::~ProcessBackend() {
  if (child_ != nullptr) child_->Finish("{\"type\":\"bye\"}\n", After(kGraceSeconds));
  child_ = nullptr;
  if (scratch_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(scratch_, ignored);
  ForgetFolder(scratch_);
}

absl::Status ProcessBackend::Refuse(absl::string_view what) {
  absl::Status status = child_->Refuse(what);
  child_ = nullptr;
  return status;
}

bool ProcessBackend::EnsureNothingUnread() {
  const std::optional<int64_t> id = std::exchange(unread_release_, std::nullopt);
  // Whatever the answer says; a child that has none is gone afterwards.
  if (child_ != nullptr && id) (void)ReadAnswer(*id, After(options_.start_seconds));
  return child_ != nullptr;
}

absl::Status ProcessBackend::EnsureChild() {
  if (EnsureNothingUnread()) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<ChildProcess>> child =
      ChildProcess::Start(options_.command, options_.memory_bytes,
                          options_.name.empty() ? options_.command : options_.name);
  if (!child.ok()) return child.status();
  child_ = *std::move(child);
  ++generation_;
  absl::StatusOr<Json> hello =
      Ask({{"type", "hello"}, {"protocol", kProtocol}}, "", options_.start_seconds);
  absl::Status status = hello.ok() ? ReadHello(*hello) : hello.status();
  // Whatever it answers instead: it does not start.
  if (!hello.ok() && !absl::IsAborted(status)) {
    status = absl::AbortedError(absl::StrCat("the target does not start: ", status.message()));
  }
  if (!status.ok()) child_ = nullptr;  // one that refused is asked again the next time
  return status;
}

absl::Status ProcessBackend::ReadHello(const Json& hello) {
  if (StringOf(hello, "type") != "hello") {
    return Refuse(absl::StrCat("did not say hello but ", excerpt_));
  }
  for (const char* key : {"protocol", "devices"}) {
    if (hello.contains(key) && !hello[key].is_number_integer()) {
      return Refuse(
          absl::StrCat("says hello with a ", key, " that is not a whole number: ", excerpt_));
    }
  }
  const int64_t protocol = IntOf(hello, "protocol", 0);
  if (protocol < 1 || protocol > kProtocol) {
    return Refuse(absl::StrCat("speaks version ", protocol, " of the protocol, not one up to ",
                               kProtocol, ", which docs/process_backend.md describes"));
  }
  for (const char* key : {"feeds", "executes_again", "executes_at_once", "dynamic_sizes"}) {
    if (protocol > 3 && hello.contains(key) && !hello[key].is_boolean()) {
      return Refuse(
          absl::StrCat("says hello with ", key, " that is neither true nor false: ", excerpt_));
    }
  }
  for (const char* key : {"operations", "types"}) {
    if (absl::Status status = CheckNames(hello, key); !status.ok()) return status;
  }
  capabilities_.protocol = protocol;
  // They stand in every message.
  capabilities_.name = CutText(StringOf(hello, "name", options_.command), kLongestExcerpt);
  capabilities_.version = CutText(StringOf(hello, "version"), kLongestExcerpt);
  capabilities_.formats = WordsOf(hello, "formats").value_or(std::set<std::string>());
  capabilities_.operations = WordsOf(hello, "operations");
  capabilities_.types = WordsOf(hello, "types");
  capabilities_.devices = IntOf(hello, "devices", 1);
  capabilities_.feeds = protocol == 3 || (protocol > 3 && BoolOf(hello, "feeds", true));
  capabilities_.executes_again = protocol <= 3 || BoolOf(hello, "executes_again", true);
  capabilities_.executes_at_once = protocol > 3 && BoolOf(hello, "executes_at_once", false);
  capabilities_.dynamic_sizes = protocol > 3 && BoolOf(hello, "dynamic_sizes", false);
  const auto reads = [this](const char* format) { return capabilities_.formats.contains(format); };
  if (!reads("hlo-text") && !reads("hlo-proto") && !reads("stablehlo")) {
    return Refuse(
        "reads none of hlo-text, hlo-proto and stablehlo, the formats that modules are sent in");
  }
  return absl::OkStatus();
}

absl::Status ProcessBackend::CheckNames(const Json& hello, const char* key) {
  const auto list = hello.find(key);
  if (list == hello.end() || list->is_null()) return absl::OkStatus();
  if (!list->is_array()) return Refuse(absl::StrCat("declares ", key, " that are not a list"));
  const bool operations = absl::string_view(key) == "operations";
  constexpr size_t kShown = 5;
  std::vector<std::string> unknown;
  size_t more = 0;
  for (const Json& each : *list) {
    if (!each.is_string()) return Refuse(absl::StrCat("declares ", key, " that are not names"));
    const auto& name = each.get_ref<const std::string&>();
    const bool known =
        operations ? OpcodeFromName(name).has_value() : ElementTypeFromName(name).has_value();
    if (known) continue;
    if (unknown.size() == kShown) {
      ++more;
      continue;
    }
    const std::string meant = operations ? NearestOpcodeName(name) : NearestTypeName(name);
    unknown.push_back(absl::StrCat("'", CutText(name, kLongestExcerpt), "'", DidYouMean(meant)));
  }
  if (unknown.empty()) return absl::OkStatus();
  return Refuse(absl::StrCat("declares ", key, " that do not exist: ", absl::StrJoin(unknown, ", "),
                             more > 0 ? absl::StrCat(", and ", more, " more") : "",
                             operations ? " (`assay ops` lists those that exist)" : ""));
}

absl::StatusOr<ProcessCapabilities> ProcessBackend::Capabilities() {
  absl::Status status = EnsureChild();
  if (!status.ok()) return status;
  return capabilities_;
}

std::string ProcessBackend::display_name() {
  if (!EnsureChild().ok()) return name_;
  return absl::StrCat(capabilities_.name, capabilities_.version.empty() ? "" : " ",
                      capabilities_.version);
}

absl::StatusOr<Json> ProcessBackend::Ask(Json request, absl::string_view payload, double seconds) {
  const Clock::time_point deadline = After(seconds);
  const int64_t id = next_id_++;
  absl::Status status = SendRequest(std::move(request), payload, id, deadline);
  if (!status.ok()) return status;
  return ReadAnswer(id, deadline);
}

absl::Status ProcessBackend::SendRequest(Json request, absl::string_view payload, int64_t id,
                                         Clock::time_point deadline) {
  request["id"] = id;
  if (!payload.empty()) request["payload"] = payload.size();
  absl::Status status = child_->Send(absl::StrCat(request.dump(), "\n"), deadline);
  if (status.ok()) status = child_->Send(payload, deadline);
  if (!status.ok()) child_ = nullptr;
  return status;
}

absl::StatusOr<Json> ProcessBackend::ReadAnswer(int64_t id, Clock::time_point deadline) {
  absl::StatusOr<std::string> line = child_->ReadLine(kLongestHeader, deadline);
  if (!line.ok()) {
    child_ = nullptr;
    return line.status();
  }
  // Not answer.dump(): it goes down the stack as deep as the child likes.
  excerpt_ = line->substr(0, kLongestExcerpt);
  Json answer = Json::parse(*line, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) {
    return Refuse(absl::StrCat("answered no JSON object but '", excerpt_, "'"));
  }
  auto answered = answer.find("id");
  if (answered == answer.end() || !answered->is_number_integer()) {
    return Refuse(absl::StrCat("answered request ", id, " without an id: ", excerpt_));
  }
  if (answered->get<int64_t>() != id) {
    return Refuse(absl::StrCat("answered request ", answered->get<int64_t>(), ", not ", id));
  }
  const std::string type = StringOf(answer, "type");
  if (type == "result") return answer;
  absl::Status status = SkipPayload(answer, deadline);
  if (!status.ok()) return status;
  if (type == "error") {
    const std::string message = StringOf(answer, "message", "error without a message");
    return absl::Status(CodeOfKind(StringOf(answer, "kind")),
                        absl::StrCat(capabilities_.name.empty() ? name_ : capabilities_.name, ": ",
                                     CutText(message, kLongestMessage)));
  }
  return answer;
}

absl::Status ProcessBackend::SkipPayload(const Json& answer, Clock::time_point deadline) {
  const int64_t bytes = IntOf(answer, "payload", 0);
  if (bytes == 0) return absl::OkStatus();
  if (bytes < 0 || bytes > kLongestSkip) {
    return Refuse(absl::StrCat("announced a payload of ", bytes, " bytes with ", excerpt_));
  }
  std::vector<std::byte> skipped(bytes);
  absl::Status status = child_->ReadExactly(absl::MakeSpan(skipped), deadline);
  if (!status.ok()) child_ = nullptr;
  return status;
}

absl::Status ProcessBackend::Supports(const Module& module) {
  absl::Status status = CheckEntry(module);
  if (status.ok()) status = EnsureChild();
  if (!status.ok()) return status;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const std::string opcode(Name(instruction->opcode()));
      if (capabilities_.operations && !capabilities_.operations->contains(opcode)) {
        return absl::UnimplementedError(absl::StrCat(capabilities_.name, " does not support ",
                                                     opcode, ": ", instruction->Describe()));
      }
      if (!capabilities_.types) continue;
      for (const Shape* leaf : Leaves(instruction->shape())) {
        if (!leaf->is_array()) continue;
        const std::string type(Name(leaf->element_type()));
        if (capabilities_.types->contains(type)) continue;
        return absl::UnimplementedError(absl::StrCat(capabilities_.name, " does not support ", type,
                                                     ": ", instruction->Describe()));
      }
    }
  }
  if (!capabilities_.feeds && HasFeeds(module)) {
    if (capabilities_.protocol > 3) {
      return absl::UnimplementedError(
          absl::StrCat(capabilities_.name, " does not support infeeds and outfeeds"));
    }
    return absl::UnimplementedError(
        absl::StrCat(capabilities_.name, " speaks version ", capabilities_.protocol,
                     " of the protocol, which has no infeeds and outfeeds"));
  }
  const Shape* dynamic = capabilities_.dynamic_sizes ? nullptr : FindDynamicInterface(module);
  if (dynamic != nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(capabilities_.name,
                     capabilities_.protocol > 3
                         ? " does not say that it handles current sizes (`dynamic_sizes`)"
                         : absl::StrCat(" speaks version ", capabilities_.protocol,
                                        " of the protocol, which carries no current sizes"),
                     ": an array that goes in or comes out is ", dynamic->ToString()));
  }
  if (module.replica_count < 1 || module.num_partitions < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("module ", module.name(), " has ", module.replica_count, " replicas and ",
                     module.num_partitions, " partitions; a run needs one of each"));
  }
  int64_t devices = 0;
  if (__builtin_mul_overflow(module.replica_count, module.num_partitions, &devices) ||
      devices > capabilities_.devices) {
    return absl::UnimplementedError(absl::StrCat(
        capabilities_.name, " has ", capabilities_.devices, " devices, module ", module.name(),
        " wants ", module.replica_count, " replicas of ", module.num_partitions, " partitions"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ProcessBackend::EncodeModule(const Module& module, Json* request) {
  if (capabilities_.formats.contains("hlo-text")) {
    (*request)["format"] = "hlo-text";
    return PrintModule(module, PrintOptions::Lossless());
  }
  if (capabilities_.formats.contains("hlo-proto")) {
    (*request)["format"] = "hlo-proto";
    return SerializeModule(module, ModuleFormat::kModuleProto);
  }
  // What cannot be said in StableHLO is not a failure of the target: UNIMPLEMENTED, by name.
  (*request)["format"] = "stablehlo";
  const absl::StatusOr<std::unique_ptr<stablehlo::Program>> program = stablehlo::FromModule(module);
  if (!program.ok()) return program.status();
  return PrintText(**program, stablehlo::PrintForm::kPretty);
}

absl::StatusOr<int64_t> ProcessBackend::CompileModule(const Module& module,
                                                      const CompileOptions& options,
                                                      int64_t* devices) {
  Json request = {{"type", "compile"}};
  absl::StatusOr<std::string> content = EncodeModule(module, &request);
  if (!content.ok()) return content.status();
  AddCounts(module, &request);
  const double seconds = options.seconds < 0 ? options_.compile_seconds : options.seconds;
  absl::StatusOr<Json> answer = Ask(std::move(request), *content, seconds);
  if (!answer.ok()) return answer.status();
  auto handle = answer->find("handle");
  if (StringOf(*answer, "type") != "compiled" || handle == answer->end() ||
      !handle->is_number_integer()) {
    return Refuse(absl::StrCat("answered a compile request with ", excerpt_));
  }
  const int64_t most =
      module.replica_count * module.num_partitions;  // Supports() knows that it fits
  const auto count = answer->find("devices");
  *devices = count == answer->end() ? 1 : IntOf(*answer, "devices", 0);
  if (*devices < 1 || *devices > most) {
    return Refuse(absl::StrCat("compiled a module for a number of devices that is not one of 1 to ",
                               most, ": ", excerpt_));
  }
  return handle->get<int64_t>();
}

absl::StatusOr<std::unique_ptr<Executable>> ProcessBackend::Compile(const Module& module,
                                                                    const CompileOptions& options) {
  absl::Status status = Supports(module);
  if (!status.ok()) return status;
  auto executable = std::make_unique<ProcessExecutable>(*this, module, options);
  status = executable->Compile();
  if (!status.ok()) return status;
  return executable;
}

absl::StatusOr<ExecuteResults> ProcessBackend::Execute(int64_t handle, const Module& module,
                                                       absl::Span<const ExecuteInputs> inputs) {
  std::vector<std::vector<const Literal*>> literals;
  std::vector<absl::Span<const Literal>> queues;
  for (const ExecuteInputs& device : inputs) {
    literals.emplace_back();
    for (const Argument& argument : device.arguments) {
      literals.back().push_back(&HostBuffer::ValueOf(*argument.buffer()));
    }
    queues.push_back(device.infeed);
  }
  std::string payload;
  Json request = {{"type", "execute"}, {"handle", handle}};
  absl::Status status = EncodeInputs(literals, queues, &request, &payload);
  if (!status.ok()) return status;
  ExecuteResults results;
  absl::StatusOr<std::vector<DeviceOutputs>> outputs =
      AskForOutputs(std::move(request), payload, module, inputs.size(), options_.execute_seconds,
                    &results.seconds);
  if (!outputs.ok()) return outputs.status();
  for (DeviceOutputs& each : *outputs) {
    const auto device = static_cast<int64_t>(results.devices.size());
    results.devices.push_back({HostBuffersOf(each.result, device), std::move(each.outfeed)});
  }
  return results;
}

absl::StatusOr<ModuleRun> ProcessBackend::RunSets(const Module& module, const InputSets& inputs) {
  absl::Status status = Supports(module);
  if (!status.ok()) return status;
  const bool has_sets = capabilities_.protocol > 3;
  if (capabilities_.protocol < 2 || (!has_sets && inputs.sets.size() > 1)) {
    return Backend::RunSets(module, inputs);
  }
  Json request = {{"type", "run"}};
  absl::StatusOr<std::string> payload = EncodeModule(module, &request);
  if (!payload.ok()) return payload.status();
  AddCounts(module, &request);
  request["module"] = payload->size();
  for (const absl::Span<const DeviceInputs> devices : inputs.sets) {
    std::vector<std::vector<const Literal*>> literals;
    std::vector<absl::Span<const Literal>> queues;
    for (const DeviceInputs& device : devices) {
      literals.emplace_back();
      for (const Literal& argument : device.arguments) literals.back().push_back(&argument);
      queues.push_back(device.infeed);
    }
    Json* set = has_sets ? &request["sets"].emplace_back(Json::object()) : &request;
    status = EncodeInputs(literals, queues, set, &*payload);
    if (!status.ok()) return status;
  }
  if (has_sets) {
    request["executions"] = inputs.order;
    if (capabilities_.executes_at_once && inputs.at_once > 1) request["at_once"] = inputs.at_once;
  } else {
    request["repeat"] = inputs.order.size();
  }
  const size_t devices = inputs.sets.front().size();
  ModuleRun run;
  absl::StatusOr<std::vector<DeviceOutputs>> outputs =
      AskForOutputs(std::move(request), *payload, module, inputs.order.size() * devices,
                    options_.run_seconds, &run.seconds);
  if (!outputs.ok()) return outputs.status();
  for (auto next = outputs->begin(); next != outputs->end();
       next += static_cast<ptrdiff_t>(devices)) {
    run.outputs.emplace_back(std::make_move_iterator(next),
                             std::make_move_iterator(next + static_cast<ptrdiff_t>(devices)));
  }
  return run;
}

absl::StatusOr<std::vector<DeviceOutputs>> ProcessBackend::AskForOutputs(Json request,
                                                                         absl::string_view payload,
                                                                         const Module& module,
                                                                         size_t count, double limit,
                                                                         double* seconds) {
  const Shape& result = module.entry()->root()->shape();
  const std::string type = request["type"];
  const Clock::time_point deadline = After(limit);
  absl::StatusOr<Json> answer = Ask(std::move(request), payload, limit);
  if (!answer.ok()) return answer.status();
  auto lists = answer->find("results");
  if (StringOf(*answer, "type") != "result" || lists == answer->end() || !lists->is_array() ||
      lists->size() != count) {
    return Refuse(absl::StrCat("answered ", type == "run" ? "a run" : "an execute",
                               " request with ", excerpt_));
  }
  for (const Json& headers : *lists) {
    absl::Status status = CheckHeaders(headers, result);
    if (!status.ok()) return status;
  }
  const Json none = Json::array();
  const auto queues = answer->find("outfeed");
  const Json& fed_out = queues == answer->end() ? none : *queues;  // a copy goes down the stack
  if (absl::Status status = CheckOutfeeds(fed_out, module, count); !status.ok()) return status;
  const int64_t payload_bytes = IntOf(*answer, "payload", 0);
  const int64_t array_bytes = InlineBytes(*lists) + InlineBytes(fed_out);
  if (payload_bytes != array_bytes) {
    return Refuse(absl::StrCat("announced a payload of ", payload_bytes, " bytes for arrays of ",
                               array_bytes));
  }
  auto time = answer->find("seconds");
  *seconds = time != answer->end() && time->is_number() ? time->get<double>() : 0;
  std::vector<DeviceOutputs> outputs;
  for (const Json& headers : *lists) {
    absl::StatusOr<Literal> value = ReadResult(headers, result, deadline);
    if (!value.ok()) return value.status();
    outputs.push_back({*std::move(value), {}});
  }
  for (size_t i = 0; i < fed_out.size(); ++i) {
    absl::StatusOr<std::vector<Literal>> queue = ReadOutfeed(fed_out[i], module, deadline);
    if (!queue.ok()) return queue.status();
    outputs[i].outfeed = *std::move(queue);
  }
  return outputs;
}

void ProcessBackend::Release(int64_t handle, int64_t generation) {
  if (!EnsureNothingUnread() || generation != generation_) return;
  // Nobody waits for the answer: it is read before the next request.
  const int64_t id = next_id_++;
  if (SendRequest({{"type", "release"}, {"handle", handle}}, "", id, After(kGraceSeconds)).ok()) {
    unread_release_ = id;
  }
}

absl::StatusOr<BufferHandle> ProcessBackend::Upload(const Literal& array, int64_t device) {
  return UploadToHost(array, device, capabilities_.devices);
}

absl::StatusOr<Literal> ProcessBackend::Download(const Buffer& buffer) {
  return DownloadFromHost(buffer);
}

}  // namespace assay::process
