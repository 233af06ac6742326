#include "backends/process/process_backend.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/text/printer.h"

namespace assay {

using Json = nlohmann::json;
using Clock = ChildProcess::Clock;

namespace {

constexpr int kProtocol = 1;
constexpr size_t kLongestHeader = 16 << 20;

Clock::time_point After(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// A member of the wanted type, or the fallback.
std::string StringOf(const Json& object, const char* key, std::string fallback = "") {
  auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : fallback;
}
int64_t IntOf(const Json& object, const char* key, int64_t fallback) {
  auto member = object.find(key);
  return member != object.end() && member->is_number_integer() ? member->get<int64_t>() : fallback;
}

std::optional<std::set<std::string>> WordsOf(const Json& object, const char* key) {
  auto member = object.find(key);
  if (member == object.end() || !member->is_array()) return std::nullopt;
  std::set<std::string> words;
  for (const Json& word : *member) {
    if (word.is_string()) words.insert(word.get<std::string>());
  }
  return words;
}

class ProcessBuffer : public Buffer {
 public:
  explicit ProcessBuffer(Literal literal) : literal_(std::move(literal)) {}
  const Shape& shape() const override { return literal_.shape(); }
  const Literal& literal() const { return literal_; }

 private:
  Literal literal_;
};

absl::StatusCode CodeOfKind(const std::string& kind) {
  if (kind == "invalid") return absl::StatusCode::kInvalidArgument;
  if (kind == "unsupported") return absl::StatusCode::kUnimplemented;
  if (kind == "exhausted") return absl::StatusCode::kResourceExhausted;
  return absl::StatusCode::kAborted;
}

}  // namespace

// A module that the child has compiled; another child compiles it again.
class ProcessExecutable : public Executable {
 public:
  ProcessExecutable(ProcessBackend& backend, const Module& module)
      : backend_(backend),
        text_(PrintModule(module, PrintOptions::Lossless())),
        result_(module.entry()->root()->shape()) {}

  ~ProcessExecutable() override { backend_.Release(handle_, generation_); }

  absl::Status Compile() {
    absl::StatusOr<int64_t> handle = backend_.CompileText(text_, &devices_);
    if (!handle.ok()) return handle.status();
    handle_ = *handle;
    generation_ = backend_.generation_;
    return absl::OkStatus();
  }

  int64_t device_count() const override { return devices_; }

  absl::StatusOr<std::vector<BufferHandle>> Execute(
      absl::Span<const std::vector<const Buffer*>> arguments) override {
    absl::Status status = backend_.EnsureChild();
    if (status.ok() && generation_ != backend_.generation_) status = Compile();
    if (!status.ok()) return status;
    return backend_.Execute(handle_, result_, arguments, &seconds_);
  }
  double last_seconds() const override { return seconds_; }

 private:
  ProcessBackend& backend_;
  const std::string text_;
  const Shape result_;
  int64_t handle_ = 0;
  int64_t generation_ = -1;
  int64_t devices_ = 1;
  double seconds_ = 0;
};

ProcessBackend::ProcessBackend(ProcessOptions options)
    : options_(std::move(options)), name_(absl::StrCat("process:", options_.command)) {}

ProcessBackend::~ProcessBackend() {
  if (child_ != nullptr) (void)child_->Send("{\"type\":\"bye\"}\n", After(1));
  child_ = nullptr;
  std::error_code ignored;
  if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
}

absl::Status ProcessBackend::Refuse(absl::string_view what) {
  absl::Status status = child_->Refuse(what);
  child_ = nullptr;
  return status;
}

absl::StatusOr<std::string> ProcessBackend::ScratchFile() {
  if (scratch_.empty()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      return absl::AbortedError(absl::StrCat("cannot make a folder for payloads at ", pattern));
    }
    scratch_ = pattern;
  }
  return absl::StrCat(scratch_, "/", next_id_++);
}

absl::Status ProcessBackend::EnsureChild() {
  if (child_ != nullptr) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(options_.command);
  if (!child.ok()) return child.status();
  child_ = *std::move(child);
  ++generation_;
  absl::StatusOr<Json> hello =
      Ask({{"type", "hello"}, {"protocol", kProtocol}}, "", options_.start_seconds);
  if (!hello.ok()) return hello.status();
  return ReadHello(*hello);
}

absl::Status ProcessBackend::ReadHello(const Json& hello) {
  if (StringOf(hello, "type") != "hello") {
    return Refuse(absl::StrCat("did not say hello but ", hello.dump().substr(0, 200)));
  }
  const int64_t protocol = IntOf(hello, "protocol", 0);
  if (protocol != kProtocol) {
    return Refuse(absl::StrCat("speaks version ", protocol, " of the protocol, not ", kProtocol));
  }
  capabilities_.name = StringOf(hello, "name", options_.command);
  capabilities_.version = StringOf(hello, "version");
  capabilities_.formats = WordsOf(hello, "formats").value_or(std::set<std::string>());
  capabilities_.operations = WordsOf(hello, "operations");
  capabilities_.types = WordsOf(hello, "types");
  capabilities_.devices = IntOf(hello, "devices", 1);
  if (!capabilities_.formats.contains("hlo-text")) {
    return Refuse("does not read hlo-text, the format that modules are sent in");
  }
  return absl::OkStatus();
}

absl::StatusOr<ProcessCapabilities> ProcessBackend::Capabilities() {
  absl::Status status = EnsureChild();
  if (!status.ok()) return status;
  return capabilities_;
}

absl::StatusOr<Json> ProcessBackend::Ask(Json request, absl::string_view payload, double seconds) {
  const Clock::time_point deadline = After(seconds);
  const int64_t id = next_id_++;
  request["id"] = id;
  if (!payload.empty()) request["payload"] = payload.size();
  absl::Status status = child_->Send(absl::StrCat(request.dump(), "\n"), deadline);
  if (status.ok()) status = child_->Send(payload, deadline);
  absl::StatusOr<std::string> line =
      status.ok() ? child_->ReadLine(kLongestHeader, deadline) : status;
  if (!line.ok()) {
    child_ = nullptr;
    return line.status();
  }
  Json answer = Json::parse(*line, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) {
    return Refuse(absl::StrCat("answered no JSON object but '", line->substr(0, 200), "'"));
  }
  if (IntOf(answer, "id", id) != id) {
    return Refuse(absl::StrCat("answered request ", IntOf(answer, "id", -1), ", not ", id));
  }
  if (StringOf(answer, "type") == "error") {
    return absl::Status(CodeOfKind(StringOf(answer, "kind")),
                        absl::StrCat(capabilities_.name.empty() ? name_ : capabilities_.name, ": ",
                                     StringOf(answer, "message", "error without a message")));
  }
  return answer;
}

absl::Status ProcessBackend::Supports(const Module& module) {
  absl::Status status = EnsureChild();
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
  const int64_t devices = module.replica_count * module.num_partitions;
  if (devices > capabilities_.devices) {
    return absl::UnimplementedError(absl::StrCat(capabilities_.name, " has ", capabilities_.devices,
                                                 " devices, module ", module.name(), " wants ",
                                                 devices));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ProcessBackend::CompileText(const std::string& text, int64_t* devices) {
  absl::StatusOr<Json> answer =
      Ask({{"type", "compile"}, {"format", "hlo-text"}}, text, options_.compile_seconds);
  if (!answer.ok()) return answer.status();
  auto handle = answer->find("handle");
  if (StringOf(*answer, "type") != "compiled" || handle == answer->end() ||
      !handle->is_number_integer()) {
    return Refuse(absl::StrCat("answered a compile request with ", answer->dump().substr(0, 200)));
  }
  *devices = IntOf(*answer, "devices", 1);
  return handle->get<int64_t>();
}

absl::StatusOr<std::unique_ptr<Executable>> ProcessBackend::Compile(const Module& module) {
  absl::Status status = Supports(module);
  if (!status.ok()) return status;
  auto executable = std::make_unique<ProcessExecutable>(*this, module);
  status = executable->Compile();
  if (!status.ok()) return status;
  return executable;
}

absl::StatusOr<Json> ProcessBackend::EncodeLeaf(const Literal& leaf, std::string* payload) {
  Json header = {{"shape", leaf.shape().ToString()}, {"bytes", leaf.byte_size()}};
  const absl::string_view bytes(reinterpret_cast<const char*>(leaf.data()), leaf.byte_size());
  if (leaf.byte_size() <= options_.file_threshold) {
    payload->append(bytes.data(), bytes.size());
    return header;
  }
  absl::StatusOr<std::string> file = ScratchFile();
  if (!file.ok()) return file.status();
  std::ofstream out(*file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) return absl::AbortedError(absl::StrCat("cannot write ", *file));
  header["file"] = *file;
  return header;
}

absl::StatusOr<std::vector<BufferHandle>> ProcessBackend::Execute(
    int64_t handle, const Shape& result, absl::Span<const std::vector<const Buffer*>> arguments,
    double* seconds) {
  Json devices = Json::array();
  std::string payload;
  for (const std::vector<const Buffer*>& device : arguments) {
    Json leaves = Json::array();
    for (const Buffer* buffer : device) {
      for (const Literal& leaf : Flatten(static_cast<const ProcessBuffer*>(buffer)->literal())) {
        absl::StatusOr<Json> header = EncodeLeaf(leaf, &payload);
        if (!header.ok()) return header.status();
        leaves.push_back(*std::move(header));
      }
    }
    devices.push_back(std::move(leaves));
  }
  const Clock::time_point deadline = After(options_.execute_seconds);
  absl::StatusOr<Json> answer =
      Ask({{"type", "execute"}, {"handle", handle}, {"arguments", std::move(devices)}}, payload,
          options_.execute_seconds);
  if (!answer.ok()) return answer.status();
  auto by_device = answer->find("results");
  if (StringOf(*answer, "type") != "result" || by_device == answer->end() ||
      !by_device->is_array() || by_device->size() != arguments.size()) {
    return Refuse(absl::StrCat("answered an execute request with ", answer->dump().substr(0, 200)));
  }
  auto time = answer->find("seconds");
  *seconds = time != answer->end() && time->is_number() ? time->get<double>() : 0;
  std::vector<BufferHandle> results;
  for (const Json& device : *by_device) {
    absl::StatusOr<Literal> value = ReadResult(device, result, deadline);
    if (!value.ok()) return value.status();
    results.push_back(std::make_unique<ProcessBuffer>(*std::move(value)));
  }
  return results;
}

absl::StatusOr<Literal> ProcessBackend::ReadResult(const Json& headers, const Shape& result,
                                                   Clock::time_point deadline) {
  const std::vector<const Shape*> shapes = Leaves(result);
  if (!headers.is_array() || headers.size() != shapes.size()) {
    return Refuse(absl::StrCat("answered with ", headers.size(), " result arrays instead of ",
                               shapes.size()));
  }
  std::vector<Literal> leaves;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::string shape = StringOf(headers[i], "shape");
    if (shape != shapes[i]->ToString()) {
      return Refuse(absl::StrCat("answered with shape '", shape, "' for result array ", i,
                                 ", which is ", shapes[i]->ToString()));
    }
    if (!shapes[i]->is_array()) {
      leaves.push_back(Literal::Token());
      continue;
    }
    absl::StatusOr<Literal> literal = Literal::Create(*shapes[i]);
    if (!literal.ok()) return literal.status();
    absl::Status status = ReadArray(headers[i], &*literal, deadline);
    if (!status.ok()) return status;
    leaves.push_back(*std::move(literal));
  }
  return Unflatten(result, leaves);
}

void ProcessBackend::Release(int64_t handle, int64_t generation) {
  if (child_ == nullptr || generation != generation_) return;
  // Whether the child minds does not matter to anybody.
  (void)Ask({{"type", "release"}, {"handle", handle}}, "", options_.start_seconds);
}

absl::Status ProcessBackend::ReadArray(const Json& header, Literal* literal,
                                       Clock::time_point deadline) {
  const int64_t bytes = literal->byte_size();
  if (IntOf(header, "bytes", -1) != bytes) {
    return Refuse(absl::StrCat("announced ", IntOf(header, "bytes", -1), " bytes for ",
                               literal->shape().ToString(), ", which has ", bytes));
  }
  absl::Span<std::byte> storage(literal->mutable_data(), bytes);
  const std::string file = StringOf(header, "file");
  if (file.empty()) {
    absl::Status status = child_->ReadExactly(storage, deadline);
    if (!status.ok()) child_ = nullptr;
    return status;
  }
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(storage.data()), bytes);
  const bool complete = in.gcount() == bytes && in.peek() == std::ifstream::traits_type::eof();
  std::remove(file.c_str());
  if (!complete) return Refuse(absl::StrCat("did not leave ", bytes, " bytes in ", file));
  return absl::OkStatus();
}

absl::StatusOr<BufferHandle> ProcessBackend::Upload(const Literal& literal) {
  return std::make_unique<ProcessBuffer>(literal);
}

absl::StatusOr<Literal> ProcessBackend::Download(const Buffer& buffer) {
  return static_cast<const ProcessBuffer&>(buffer).literal();
}

}  // namespace assay
