// An implementation of a few operations as a process for Assay (docs/process_backend.md): what a
// stranger writes to have a backend checked. It reads HLO text with Assay's parser and adds,
// subtracts, multiplies, divides and negates f32 arrays, and feeds them in and out; the root may be
// a tuple of them. Test: backends/process/process_test.cc.
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

struct Arrays {
  std::vector<Floats> of_module;  // the arguments; the root's
  std::vector<Floats> of_queue;   // what infeeds take; what outfeeds give
};

Arrays Run(const assay::Module& module, const Arrays& inputs) {
  Arrays outputs;
  size_t taken = 0;
  std::map<const Instruction*, Floats> values;
  for (const auto& instruction : module.entry()->instructions()) {
    auto in = [&](int i) -> const Floats& { return values[instruction->operand(i)]; };
    Floats& out = values[instruction.get()];
    switch (instruction->opcode()) {
      case Opcode::kParameter:
        out = inputs.of_module[instruction->parameter_number()];
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
      case Opcode::kInfeed:
        out = inputs.of_queue.at(taken++);  // the array stands for the pair of it and a token
        break;
      case Opcode::kGetTupleElement:
        out = in(0);
        break;
      case Opcode::kOutfeed:
        outputs.of_queue.push_back(in(0));
        break;
      case Opcode::kAfterAll:
      case Opcode::kTuple:
        break;
      default:  // kNegate: Assay sends nothing that hello does not list
        out = Combine(in(0), in(0), [](float x, float) { return -x; });
    }
  }
  const Instruction* root = module.entry()->root();
  if (root->opcode() != Opcode::kTuple) {
    outputs.of_module = {values[root]};
  } else {
    for (const Instruction* each : root->operands()) outputs.of_module.push_back(values[each]);
  }
  return outputs;
}

// Whether it feeds tuples, which is too much for an example.
bool FeedsTuples(const assay::Module& module) {
  for (const auto& each : module.entry()->instructions()) {
    const bool in = each->opcode() == Opcode::kInfeed, out = each->opcode() == Opcode::kOutfeed;
    if (in && !each->shape().tuple_shapes()[0].is_array()) return true;
    if (out && !each->operand(0)->shape().is_array()) return true;
  }
  return false;
}

// The module, or null: then the error has been answered.
std::unique_ptr<assay::Module> Compile(const json& request, size_t bytes) {
  auto module = assay::ParseModule(ReadBytes(bytes));
  json error = {{"id", request["id"]}, {"type", "error"}};
  if (!module.ok()) {
    error.update({{"kind", "invalid"}, {"message", std::string(module.status().message())}});
  } else if (FeedsTuples(**module)) {
    error.update({{"kind", "unsupported"}, {"message", "infeeds and outfeeds of tuples"}});
  } else {
    return *std::move(module);
  }
  Answer(error);
  return nullptr;
}

std::vector<Floats> ReadArrays(const json& leaves) {
  std::vector<Floats> arrays;
  for (const json& leaf : leaves) {
    const std::string bytes = ReadArray(leaf);
    arrays.emplace_back(bytes.size() / sizeof(float));
    std::memcpy(arrays.back().data(), bytes.data(), bytes.size());
  }
  return arrays;
}

// Of the one device.
Arrays ReadInputs(const json& request) {
  Arrays inputs;
  inputs.of_module = ReadArrays(request["arguments"][0]);
  if (request.contains("infeed")) inputs.of_queue = ReadArrays(request["infeed"][0]);
  return inputs;
}

// The headers of arrays of these shapes.
json Append(const std::vector<Floats>& arrays, const std::vector<const assay::Shape*>& shapes,
            std::string* payload) {
  json headers = json::array();
  for (size_t i = 0; i < arrays.size(); ++i) {
    const size_t bytes = shapes[i]->is_array() ? arrays[i].size() * sizeof(float) : 0;
    headers.push_back({{"shape", shapes[i]->ToString()}, {"bytes", bytes}});
    payload->append(reinterpret_cast<const char*>(arrays[i].data()), bytes);
  }
  return headers;
}

// Each execution takes the inputs of one set.
void Execute(const json& request, const assay::Module& module, const std::vector<Arrays>& sets,
             const std::vector<size_t>& executions) {
  std::vector<const assay::Shape*> fed;  // by the outfeeds, in order
  for (const auto& each : module.entry()->instructions()) {
    if (each->opcode() == Opcode::kOutfeed) fed.push_back(&each->operand(0)->shape());
  }
  json results = json::array(), outfeed = json::array();
  std::string payload, fed_out;  // what is fed out follows the results of all executions
  for (const size_t set : executions) {
    const Arrays outputs = Run(module, sets[set]);
    results.push_back(Append(outputs.of_module, Leaves(module.entry()->root()->shape()), &payload));
    outfeed.push_back(Append(outputs.of_queue, fed, &fed_out));
  }
  Answer({{"id", request["id"]},
          {"type", "result"},
          {"seconds", 0.0},
          {"results", results},
          {"outfeed", outfeed}},
         payload + fed_out);
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
                    {"protocol", 4},
                    {"name", "example"},
                    {"version", "1"},
                    {"formats", {"hlo-text"}},
                    {"operations",
                     {"parameter", "add", "subtract", "multiply", "divide", "negate", "tuple",
                      "infeed", "outfeed", "after-all", "get-tuple-element"}},
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
      Execute(request, *modules.at(request["handle"]), {ReadInputs(request)}, {0});
    } else if (type == "run") {  // compile, execute and release in one
      const auto module = Compile(request, request["module"]);
      std::vector<Arrays> sets;
      for (const json& set : request["sets"]) sets.push_back(ReadInputs(set));
      if (module != nullptr) Execute(request, *module, sets, request["executions"]);
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
