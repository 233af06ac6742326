// An implementation of a few operations as a process for Assay (docs/process_backend.md): what a
// stranger writes to have a backend checked. It reads HLO text with Assay's parser and adds,
// subtracts, multiplies, divides and negates f32 arrays; the root may be a tuple of them. Test:
// backends/process/process_test.cc.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "spec/text/parser.h"

namespace {

using assay::Instruction;
using assay::Opcode;
using nlohmann::json;
using Floats = std::vector<float>;

std::FILE* requests;
std::FILE* responses;

std::string ReadBytes(size_t count) {
  std::string bytes(count, '\0');
  if (std::fread(bytes.data(), 1, count, requests) != count) std::exit(1);
  return bytes;
}

// The bytes of a large array come in a file, which is ours to delete.
std::string ReadArray(const json& leaf) {
  if (!leaf.contains("file")) return ReadBytes(leaf["bytes"]);
  const std::string path = leaf["file"];
  std::ifstream in(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (bytes.size() != leaf["bytes"]) std::exit(1);
  std::remove(path.c_str());
  return bytes;
}

void Answer(json header, const std::string& payload = "") {
  if (!payload.empty()) header["payload"] = payload.size();
  const std::string line = header.dump() + "\n" + payload;
  std::fwrite(line.data(), 1, line.size(), responses);
  std::fflush(responses);
}

Floats Combine(const Floats& a, const Floats& b, const std::function<float(float, float)>& f) {
  Floats result(a.size());
  for (size_t i = 0; i < a.size(); ++i) result[i] = f(a[i], b[i]);
  return result;
}

// The arrays of the root.
std::vector<Floats> Run(const assay::Module& module, const std::vector<Floats>& arguments) {
  std::map<const Instruction*, Floats> values;
  for (const auto& instruction : module.entry()->instructions()) {
    auto in = [&](int i) -> const Floats& { return values[instruction->operand(i)]; };
    Floats& out = values[instruction.get()];
    switch (instruction->opcode()) {
      case Opcode::kParameter:
        out = arguments[instruction->parameter_number()];
        break;
      case Opcode::kAdd:
        out = Combine(in(0), in(1), std::plus<float>());
        break;
      case Opcode::kSubtract:
        out = Combine(in(0), in(1), std::minus<float>());
        break;
      case Opcode::kMultiply:
        out = Combine(in(0), in(1), std::multiplies<float>());
        break;
      case Opcode::kDivide:
        out = Combine(in(0), in(1), std::divides<float>());
        break;
      case Opcode::kTuple:
        break;
      default:  // kNegate: Assay sends nothing that hello does not list
        out = Combine(in(0), in(0), [](float x, float) { return -x; });
    }
  }
  const Instruction* root = module.entry()->root();
  if (root->opcode() != Opcode::kTuple) return {values[root]};
  std::vector<Floats> results;
  for (const Instruction* each : root->operands()) results.push_back(values[each]);
  return results;
}

// The module, or null: then the error has been answered.
std::unique_ptr<assay::Module> Compile(const json& request, size_t bytes) {
  auto module = assay::ParseModule(ReadBytes(bytes));
  if (module.ok()) return *std::move(module);
  Answer({{"id", request["id"]},
          {"type", "error"},
          {"kind", "invalid"},
          {"message", std::string(module.status().message())}});
  return nullptr;
}

std::vector<Floats> ReadArguments(const json& request) {
  std::vector<Floats> arguments;
  for (const json& leaf : request["arguments"][0]) {
    const std::string bytes = ReadArray(leaf);
    arguments.emplace_back(bytes.size() / sizeof(float));
    std::memcpy(arguments.back().data(), bytes.data(), bytes.size());
  }
  return arguments;
}

void Execute(const json& request, const assay::Module& module, const std::vector<Floats>& arguments,
             int repeat) {
  json results = json::array();
  std::string payload;
  for (int i = 0; i < repeat; ++i) {
    const std::vector<const assay::Shape*> shapes = Leaves(module.entry()->root()->shape());
    json arrays = json::array();
    for (const Floats& result : Run(module, arguments)) {
      const size_t bytes = result.size() * sizeof(float);
      arrays.push_back({{"shape", shapes[arrays.size()]->ToString()}, {"bytes", bytes}});
      payload.append(reinterpret_cast<const char*>(result.data()), bytes);
    }
    results.push_back(std::move(arrays));
  }
  Answer({{"id", request["id"]}, {"type", "result"}, {"seconds", 0.0}, {"results", results}},
         payload);
}

}  // namespace

int main() {
  requests = fdopen(std::atoi(std::getenv("ASSAY_REQUEST_FD")), "rb");
  responses = fdopen(std::atoi(std::getenv("ASSAY_RESPONSE_FD")), "wb");
  std::map<int, std::unique_ptr<assay::Module>> modules;
  int next_handle = 1;
  char* line = nullptr;
  size_t capacity = 0;
  while (getline(&line, &capacity, requests) > 0) {
    const json request = json::parse(line);
    const std::string type = request["type"];
    json reply = {{"id", request.value("id", 0)}};
    if (type == "hello") {
      reply.update({{"type", "hello"},
                    {"protocol", 2},
                    {"name", "example"},
                    {"version", "1"},
                    {"formats", {"hlo-text"}},
                    {"operations",
                     {"parameter", "add", "subtract", "multiply", "divide", "negate", "tuple"}},
                    {"types", {"f32"}}});
      Answer(reply);
    } else if (type == "compile") {
      if (auto module = Compile(request, request["payload"])) {
        const int handle = next_handle++;
        modules[handle] = std::move(module);
        reply.update({{"type", "compiled"}, {"handle", handle}});
        Answer(reply);
      }
    } else if (type == "execute") {
      Execute(request, *modules.at(request["handle"]), ReadArguments(request), 1);
    } else if (type == "run") {  // compile, execute and release in one
      const auto module = Compile(request, request["module"]);
      const std::vector<Floats> arguments = ReadArguments(request);
      if (module != nullptr) Execute(request, *module, arguments, request["repeat"]);
    } else if (type == "release") {
      modules.erase(request["handle"].get<int>());
      reply["type"] = "released";
      Answer(reply);
    } else {
      break;  // bye
    }
  }
  std::free(line);
  return 0;
}
