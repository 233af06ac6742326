#include "backends/process/server.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backends/process/message.h"
#include "nlohmann/json.hpp"
#include "spec/ir/entry.h"
#include "spec/proto/module_file.h"
#include "spec/text/parser.h"

namespace assay::process {
namespace {

using Json = nlohmann::json;

constexpr size_t kFileThreshold = size_t{64} << 20;  // larger arrays of results travel as files

const char* KindOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
      return "invalid";
    case absl::StatusCode::kUnimplemented:
      return "unsupported";
    case absl::StatusCode::kResourceExhausted:
      return "exhausted";
    default:
      return "internal";
  }
}

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the request has no ", what, " that fits"));
}

const Json& Member(const Json& object, const char* key) {
  static const Json none;
  const auto member = object.find(key);
  return member == object.end() ? none : *member;
}

// The arrays that follow a request, taken in order.
class Payload {
 public:
  explicit Payload(std::string bytes) : bytes_(std::move(bytes)) {}

  absl::StatusOr<std::string> Take(int64_t count) {
    if (count < 0 || static_cast<size_t>(count) > bytes_.size() - next_) {
      return Malformed("payload");
    }
    std::string taken = bytes_.substr(next_, static_cast<size_t>(count));
    next_ += static_cast<size_t>(count);
    return taken;
  }

  // The array of a header; `shape` is that of the module, or null where the header alone says it.
  absl::StatusOr<Literal> TakeArray(const Json& header, const Shape* shape) {
    const std::string text = StringOf(header, "shape");
    if (shape != nullptr && shape->is_token()) return Literal::Token();
    absl::StatusOr<Shape> own = shape != nullptr ? absl::StatusOr<Shape>(*shape) : ParseShape(text);
    if (!own.ok()) return own.status();
    if (!own->is_array() || own->ToString() != text) return Malformed("array");
    absl::StatusOr<Literal> array = Literal::Create(*own);
    if (!array.ok()) return array.status();
    absl::StatusOr<std::string> bytes = TakeBytes(header);
    if (!bytes.ok()) return bytes.status();
    if (static_cast<int64_t>(bytes->size()) != array->byte_size()) return Malformed("array");
    std::memcpy(array->mutable_data(), bytes->data(), bytes->size());
    const Json& sizes = Member(header, "sizes");
    for (int64_t d = 0; sizes.is_array() && d < own->rank(); ++d) {
      if (!own->is_dynamic_dimension(d)) continue;
      const auto place = static_cast<size_t>(d);
      const bool has = place < sizes.size() && sizes[place].is_number_integer();
      const int64_t size = has ? sizes[place].get<int64_t>() : -1;
      if (size < 0 || size > own->dimensions()[place]) return Malformed("sizes");
      array->set_dynamic_size(d, size);
    }
    return array;
  }

 private:
  absl::StatusOr<std::string> TakeBytes(const Json& header) {
    const std::string path = StringOf(header, "file");
    if (path.empty()) return Take(IntOf(header, "bytes", -1));
    std::ifstream in(path, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    std::remove(path.c_str());
    return bytes;
  }

  std::string bytes_;
  size_t next_ = 0;
};

class Server {
 public:
  // Without a backend only AnswerWith may be called.
  Server(Backend* backend, const ServerOptions& options, std::FILE* in, std::FILE* out)
      : backend_(backend), options_(options), in_(in), out_(out) {}

  // Answers one request with an error.
  void AnswerWith(const absl::Status& error) {
    std::string line;
    if (ReadLine(&line)) SendError(error, Json::parse(line, nullptr, /*allow_exceptions=*/false));
  }

  absl::Status Run() {
    std::string line;
    while (ReadLine(&line)) {
      const Json request = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (!request.is_object()) return absl::InvalidArgumentError("a request is no JSON object");
      if (StringOf(request, "type") == "bye") return absl::OkStatus();
      absl::StatusOr<Payload> payload = ReadPayload(request);
      if (!payload.ok()) return payload.status();
      const absl::Status status = Answer(request, *payload);
      if (!status.ok()) SendError(status, request);
    }
    return absl::OkStatus();
  }

 private:
  struct Compiled {
    std::unique_ptr<Module> module;
    std::unique_ptr<Executable> executable;
  };

  bool ReadLine(std::string* line) {
    line->clear();
    int c = 0;
    while ((c = std::fgetc(in_)) != EOF && c != '\n') line->push_back(static_cast<char>(c));
    return c != EOF;
  }

  absl::StatusOr<Payload> ReadPayload(const Json& request) {
    const int64_t count = IntOf(request, "payload", 0);
    if (count < 0) return Malformed("payload");
    std::string bytes(static_cast<size_t>(count), '\0');
    if (std::fread(bytes.data(), 1, bytes.size(), in_) != bytes.size()) return Malformed("payload");
    return Payload(std::move(bytes));
  }

  void SendError(const absl::Status& error, const Json& request) {
    Send({{"type", "error"}, {"kind", KindOf(error)}, {"message", std::string(error.message())}},
         request);
  }

  void Send(Json answer, const Json& request, const std::string& payload = "") {
    answer["id"] = IntOf(request, "id", 0);
    if (!payload.empty()) answer["payload"] = payload.size();
    const std::string line =
        answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" + payload;
    std::fwrite(line.data(), 1, line.size(), out_);
    std::fflush(out_);
  }

  absl::Status Answer(const Json& request, Payload& payload) {
    const std::string type = StringOf(request, "type");
    if (type == "hello") return Hello(request);
    if (type == "compile") return Compile(request, payload);
    if (type == "execute") return Execute(request, payload);
    if (type == "run") return RunAll(request, payload);
    if (type == "release") {
      compiled_.erase(IntOf(request, "handle", 0));
      Send({{"type", "released"}}, request);
      return absl::OkStatus();
    }
    return absl::UnimplementedError(absl::StrCat("unknown request ", type));
  }

  absl::Status Hello(const Json& request) {
    const int64_t protocol = std::min(options_.protocol, IntOf(request, "protocol", 1));
    Json hello = {{"type", "hello"},
                  {"protocol", protocol},
                  {"name", options_.name},
                  {"version", options_.version},
                  {"formats", {"hlo-text", "hlo-proto"}},
                  {"devices", options_.devices},
                  {"feeds", options_.feeds},
                  {"executes_at_once", backend_->capabilities().executes_at_once},
                  {"dynamic_sizes", options_.dynamic_sizes}};
    if (options_.types) hello["types"] = *options_.types;
    Send(std::move(hello), request);
    return absl::OkStatus();
  }

  // The module of a request, which is the next of its payload.
  absl::StatusOr<std::unique_ptr<Module>> TakeModule(const Json& request, int64_t bytes,
                                                     Payload& payload) {
    absl::StatusOr<std::string> content = payload.Take(bytes);
    if (!content.ok()) return content.status();
    absl::StatusOr<std::unique_ptr<Module>> module;
    if (StringOf(request, "format") == "hlo-text") {
      module = ParseModule(*content);
    } else {
      absl::StatusOr<ModuleFile> file = ParseModuleFile(*content, "module");
      if (!file.ok()) return file.status();
      module = std::move(file->module);
    }
    if (!module.ok()) return module;
    if (absl::Status status = CheckEntry(**module); !status.ok()) return status;
    (*module)->replica_count = IntOf(request, "replicas", (*module)->replica_count);
    (*module)->num_partitions = IntOf(request, "partitions", (*module)->num_partitions);
    if (options_.check) {
      if (absl::Status status = options_.check(**module); !status.ok()) return status;
    }
    return module;
  }

  absl::Status Compile(const Json& request, Payload& payload) {
    Compiled compiled;
    absl::StatusOr<std::unique_ptr<Module>> module =
        TakeModule(request, IntOf(request, "payload", 0), payload);
    if (!module.ok()) return module.status();
    compiled.module = *std::move(module);
    absl::StatusOr<std::unique_ptr<Executable>> executable = backend_->Compile(*compiled.module);
    if (!executable.ok()) return executable.status();
    compiled.executable = *std::move(executable);
    const int64_t devices = compiled.executable->device_count();
    compiled_[next_handle_] = std::move(compiled);
    Send({{"type", "compiled"}, {"handle", next_handle_++}, {"devices", devices}}, request);
    return absl::OkStatus();
  }

  absl::Status Execute(const Json& request, Payload& payload) {
    const auto compiled = compiled_.find(IntOf(request, "handle", 0));
    if (compiled == compiled_.end()) return Malformed("handle");
    absl::StatusOr<std::vector<DeviceInputs>> inputs =
        TakeInputs(request, *compiled->second.module, payload);
    if (!inputs.ok()) return inputs.status();
    ModuleRun run;
    absl::StatusOr<std::vector<DeviceOutputs>> outputs =
        RunOnDevices(*backend_, *compiled->second.executable, *inputs, /*repeat=*/1, &run.seconds);
    if (!outputs.ok()) return outputs.status();
    run.outputs.push_back(*std::move(outputs));
    return SendResults(run, request);
  }

  absl::Status RunAll(const Json& request, Payload& payload) {
    const absl::StatusOr<std::unique_ptr<Module>> module =
        TakeModule(request, IntOf(request, "module", -1), payload);
    if (!module.ok()) return module.status();
    const Json one_set = Json::array({request});
    const Json& sets = request.contains("sets") ? request["sets"] : one_set;
    if (!sets.is_array() || sets.empty()) return Malformed("sets");
    std::vector<std::vector<DeviceInputs>> inputs;
    for (const Json& set : sets) {
      absl::StatusOr<std::vector<DeviceInputs>> own = TakeInputs(set, **module, payload);
      if (!own.ok()) return own.status();
      inputs.push_back(*std::move(own));
    }
    InputSets in_order;
    in_order.sets.assign(inputs.begin(), inputs.end());
    const Json& order = Member(request, "executions");
    for (const Json& each : order.is_array() ? order : Json::array()) {
      if (!each.is_number_unsigned() || each.get<size_t>() >= inputs.size()) {
        return Malformed("executions");
      }
      in_order.order.push_back(each.get<size_t>());
    }
    if (in_order.order.empty()) {
      in_order.order.assign(static_cast<size_t>(std::max<int64_t>(1, IntOf(request, "repeat", 1))),
                            0);
    }
    in_order.at_once = static_cast<size_t>(std::max<int64_t>(0, IntOf(request, "at_once", 0)));
    const absl::StatusOr<ModuleRun> run = backend_->RunSets(**module, in_order);
    if (!run.ok()) return run.status();
    return SendResults(*run, request);
  }

  // By device.
  absl::StatusOr<std::vector<DeviceInputs>> TakeInputs(const Json& set, const Module& module,
                                                       Payload& payload) {
    const Json &arguments = Member(set, "arguments"), &infeed = Member(set, "infeed");
    if (!arguments.is_array()) return Malformed("arguments");
    std::vector<DeviceInputs> inputs(arguments.size());
    for (size_t d = 0; d < inputs.size(); ++d) {
      size_t next = 0;
      for (const Instruction* parameter : module.entry()->parameters()) {
        std::vector<Literal> leaves;
        for (const Shape* shape : Leaves(parameter->shape())) {
          if (!arguments[d].is_array() || next >= arguments[d].size())
            return Malformed("arguments");
          absl::StatusOr<Literal> leaf = payload.TakeArray(arguments[d][next++], shape);
          if (!leaf.ok()) return leaf.status();
          leaves.push_back(*std::move(leaf));
        }
        inputs[d].arguments.push_back(Unflatten(parameter->shape(), leaves));
      }
      if (next != arguments[d].size()) return Malformed("arguments");
    }
    if (!infeed.is_array()) return inputs;
    if (infeed.size() != inputs.size()) return Malformed("infeed");
    for (size_t d = 0; d < inputs.size(); ++d) {
      if (!infeed[d].is_array()) return Malformed("infeed");
      for (const Json& header : infeed[d]) {
        absl::StatusOr<Literal> array = payload.TakeArray(header, nullptr);
        if (!array.ok()) return array.status();
        inputs[d].infeed.push_back(*std::move(array));
      }
    }
    return inputs;
  }

  absl::StatusOr<Json> Encode(const Literal& array, std::string* payload) {
    Json header = {{"shape", array.shape().ToString()}, {"bytes", array.byte_size()}};
    if (array.is_array() && array.shape().is_dynamic()) {
      for (const int64_t size : array.current_sizes()) header["sizes"].push_back(size);
    }
    const absl::string_view bytes(reinterpret_cast<const char*>(array.data()),
                                  static_cast<size_t>(array.byte_size()));
    if (bytes.size() <= kFileThreshold) {
      payload->append(bytes.data(), bytes.size());
      return header;
    }
    std::string path = "/tmp/assay-result-XXXXXX";
    const int file = mkstemp(path.data());
    if (file < 0) return absl::InternalError(absl::StrCat("cannot make a file like ", path));
    close(file);
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) return absl::InternalError(absl::StrCat("cannot write ", path));
    header["file"] = path;
    return header;
  }

  absl::StatusOr<Json> EncodeAll(absl::Span<const Literal> arrays, std::string* payload) {
    Json headers = Json::array();
    for (const Literal& array : arrays) {
      absl::StatusOr<Json> header = Encode(array, payload);
      if (!header.ok()) return header.status();
      headers.push_back(*std::move(header));
    }
    return headers;
  }

  absl::Status SendResults(const ModuleRun& run, const Json& request) {
    Json results = Json::array(), outfeed = Json::array();
    std::string payload, fed_out;  // what is fed out follows the results of all executions
    for (const std::vector<DeviceOutputs>& devices : run.outputs) {
      for (const DeviceOutputs& device : devices) {
        absl::StatusOr<Json> own = EncodeAll(Flatten(device.result), &payload);
        if (!own.ok()) return own.status();
        results.push_back(*std::move(own));
        own = EncodeAll(device.outfeed, &fed_out);
        if (!own.ok()) return own.status();
        outfeed.push_back(*std::move(own));
      }
    }
    Send({{"type", "result"},
          {"seconds", run.seconds},
          {"results", std::move(results)},
          {"outfeed", std::move(outfeed)}},
         request, payload + fed_out);
    return absl::OkStatus();
  }

  Backend* const backend_;
  const ServerOptions options_;
  std::FILE* in_;
  std::FILE* out_;
  std::map<int64_t, Compiled> compiled_;
  int64_t next_handle_ = 1;
};

// The streams of a channel.
absl::Status WithStreams(int request_fd, int response_fd,
                         const std::function<absl::Status(std::FILE*, std::FILE*)>& serve) {
  std::FILE* in = fdopen(request_fd, "rb");
  std::FILE* out = fdopen(response_fd, "wb");
  if (in == nullptr || out == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("descriptors ", request_fd, " and ", response_fd, " are not open"));
  }
  const absl::Status status = serve(in, out);
  std::fclose(in);
  std::fclose(out);
  return status;
}

}  // namespace

absl::Status Serve(Backend& backend, const ServerOptions& options, int request_fd,
                   int response_fd) {
  return WithStreams(request_fd, response_fd, [&](std::FILE* in, std::FILE* out) {
    return Server(&backend, options, in, out).Run();
  });
}

absl::Status ServeError(const absl::Status& error, int request_fd, int response_fd) {
  return WithStreams(request_fd, response_fd, [&](std::FILE* in, std::FILE* out) {
    Server(nullptr, {}, in, out).AnswerWith(error);
    return absl::OkStatus();
  });
}

absl::StatusOr<int> DescriptorOf(const char* variable, absl::string_view program) {
  const char* text = std::getenv(variable);
  int number = -1;
  if (text != nullptr && absl::SimpleAtoi(text, &number) && number >= 0) return number;
  return absl::InvalidArgumentError(
      absl::StrCat(variable, " names no descriptor: ", program, " is started by another Assay"));
}

}  // namespace assay::process
