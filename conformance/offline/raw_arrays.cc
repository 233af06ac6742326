#include "conformance/offline/raw_arrays.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "spec/files/file_io.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

namespace fs = std::filesystem;
using RawJson = nlohmann::ordered_json;

// A .npy has ten bytes, of which the last two are the size of the rest of its header.
constexpr size_t kNpyFixed = 10;
size_t HeaderOf(absl::string_view npy) {
  return kNpyFixed + static_cast<uint8_t>(npy[8]) + 256 * size_t{static_cast<uint8_t>(npy[9])};
}

RawJson ShapeRow(const Shape& shape) {
  RawJson sizes = RawJson::array();
  for (const int64_t size : shape.dimensions()) sizes.push_back(size);
  return {{"type", std::string(Name(shape.element_type()))}, {"sizes", sizes}};
}

RawJson ShapeJson(const Shape& shape) {
  if (shape.is_array()) return ShapeRow(shape);
  RawJson row = {{"type", shape.is_tuple() ? "tuple" : shape.ToString()}};
  if (!shape.is_tuple()) return row;
  row["elements"] = RawJson::array();
  for (const Shape& each : shape.tuple_shapes()) row["elements"].push_back(ShapeJson(each));
  return row;
}

// "dimensions={1}, to_apply=%f" by name, split at commas outside of brackets and quotes.
RawJson AttributesJson(absl::string_view text) {
  RawJson attributes = RawJson::object();
  int depth = 0;
  bool quoted = false;
  std::string part;
  const auto add = [&] {
    const size_t sign = part.find('=');
    if (sign != std::string::npos) {
      const std::string name(absl::StripAsciiWhitespace(absl::string_view(part).substr(0, sign)));
      attributes[name] = part.substr(sign + 1);
    }
    part.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (!quoted && (c == '(' || c == '{' || c == '[')) ++depth;
    if (!quoted && (c == ')' || c == '}' || c == ']')) --depth;
    if (c == ',' && depth == 0 && !quoted) {
      add();
    } else {
      part += c;
    }
  }
  add();
  return attributes;
}

// What stands behind the operands of a printed instruction.
absl::string_view BehindOperands(absl::string_view text, absl::string_view opcode) {
  size_t at = text.find(absl::StrCat(" ", opcode, "("));
  if (at == absl::string_view::npos) return "";
  int depth = 0;
  bool quoted = false;
  for (at += opcode.size() + 1; at < text.size(); ++at) {
    if (text[at] == '"' && text[at - 1] != '\\') quoted = !quoted;
    if (quoted) continue;
    if (text[at] == '(' || text[at] == '{' || text[at] == '[') ++depth;
    if (text[at] == ')' || text[at] == '}' || text[at] == ']') --depth;
    if (depth == 0) return absl::StripPrefix(text.substr(at + 1), ", ");
  }
  return "";
}

RawJson InstructionJson(const Instruction& instruction) {
  PrintOptions options;
  options.percent = options.metadata = options.backend_config = options.layouts = false;
  options.frontend_attributes = options.control_dependencies = options.async_sugar = false;
  options.original_value = false;
  RawJson operands = RawJson::array();
  for (const Instruction* operand : instruction.operands()) operands.push_back(operand->name());
  RawJson row = {{"name", instruction.name()},
                 {"operation", std::string(Name(instruction.opcode()))},
                 {"shape", ShapeJson(instruction.shape())},
                 {"operands", std::move(operands)}};
  if (instruction.opcode() == Opcode::kParameter) {
    row["parameter"] = instruction.parameter_number();
  } else if (instruction.opcode() == Opcode::kConstant) {
    row["value"] = instruction.literal()->shape().is_array()
                       ? PrintLiteral(*instruction.literal())
                       : PrintTypedLiteral(*instruction.literal());
  } else {
    row["attributes"] = AttributesJson(
        BehindOperands(PrintInstruction(instruction, options), Name(instruction.opcode())));
  }
  return row;
}

RawJson ComputationJson(const Computation& computation) {
  RawJson instructions = RawJson::array();
  for (const auto& each : computation.instructions()) {
    instructions.push_back(InstructionJson(*each));
  }
  return {{"name", computation.name()},
          {"root", computation.root()->name()},
          {"instructions", std::move(instructions)}};
}

absl::Status WriteBytes(const std::string& path, absl::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be written"));
}

RawJson ArrayRow(const NamedLiteral& array, absl::string_view file) {
  RawJson row = {{"name", array.name}, {"file", std::string(file)}};
  row.update(ShapeRow(array.value.shape()));
  row["bytes"] = RawBytes(array.value).size();
  return row;
}

absl::StatusOr<RawJson> ReadQuestion(const std::string& folder) {
  const std::string path = folder + "/question.json";
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  RawJson json = RawJson::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("results") || !json["results"].is_array()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": it has no list of results"));
  }
  for (const RawJson& row : json["results"]) {
    const auto has = [&](const char* name) { return row.contains(name) && row[name].is_string(); };
    if (!row.is_object() || !has("name") || !has("answer") || !has("shape")) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": a result has no name, answer or shape"));
    }
  }
  return json;
}

// A name of a file beside question.json, not a path that leads elsewhere.
std::string AnswerPath(const std::string& folder, const RawJson& row) {
  return absl::StrCat(folder, "/", fs::path(row["answer"].get<std::string>()).filename().string());
}

absl::StatusOr<NamedLiteral> ReadRawArray(const std::string& folder, const RawJson& row) {
  const std::string path = AnswerPath(folder, row);
  const absl::StatusOr<Shape> shape = ParseShape(row["shape"].get<std::string>());
  if (!shape.ok()) return shape.status();
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error) return absl::NotFoundError(absl::StrCat("no answer: ", path, " is missing"));
  if (!shape->is_array() || shape->is_dynamic()) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, "/question.json: ", shape->ToString(), " is not an array"));
  }
  // Nothing is allocated that the file does not hold.
  const absl::StatusOr<Literal> zeros = Literal::Create(*shape, static_cast<int64_t>(size));
  if (!zeros.ok() || RawBytes(*zeros).size() != size) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": it has ", size, " bytes, which is not the size of a ", shape->ToString()));
  }
  const absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<Literal> value = FromRawBytes(*shape, *bytes);
  if (!value.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", value.status().message()));
  }
  return NamedLiteral{row["name"].get<std::string>(), *std::move(value)};
}

}  // namespace

std::string RawBytes(const Literal& array) {
  const std::string npy = FormatNpy(array);
  return npy.substr(HeaderOf(npy));
}

absl::StatusOr<Literal> FromRawBytes(const Shape& shape, absl::string_view bytes) {
  const std::string zero = FormatNpy(Literal::Zeros(shape));
  const ElementType type = shape.element_type();
  return ParseNpy(absl::StrCat(zero.substr(0, HeaderOf(zero)), bytes),
                  NumpyLacks(type) ? Name(type) : "", shape.ToString());
}

absl::Status WriteRawQuestion(const Module& module, absl::Span<const NamedLiteral> arguments,
                              absl::Span<const NamedLiteral> results, const std::string& folder) {
  for (const Shape* leaf : Leaves(module.entry()->root()->shape())) {
    if (leaf->is_dynamic()) {
      return absl::UnimplementedError(
          absl::StrCat("a result of shape ", leaf->ToString(), " has no fixed number of bytes"));
    }
  }
  const Instruction& root = *module.entry()->root();
  RawJson json = {{"operation", std::string(Name(root.opcode()))},
                  {"attributes", RawJson::object()},
                  {"arguments", RawJson::array()},
                  {"results", RawJson::array()},
                  {"entry", module.entry()->name()},
                  {"computations", RawJson::array()}};
  absl::Status status;
  for (const NamedLiteral& each : arguments) {
    const std::string file = each.name + ".bin";
    json["arguments"].push_back(ArrayRow(each, file));
    if (status.ok()) status = WriteBytes(absl::StrCat(folder, "/", file), RawBytes(each.value));
  }
  for (const NamedLiteral& each : results) {
    const std::string file = absl::StrCat("expected_", each.name, ".bin");
    RawJson row = ArrayRow(each, file);
    row["answer"] = each.name + ".bin";
    row["shape"] = each.value.shape().ToString();
    json["results"].push_back(std::move(row));
    if (status.ok()) status = WriteBytes(absl::StrCat(folder, "/", file), RawBytes(each.value));
  }
  for (const auto& each : module.computations()) {
    json["computations"].push_back(ComputationJson(*each));
  }
  const RawJson of_root = InstructionJson(root);
  if (of_root.contains("attributes")) json["attributes"] = of_root["attributes"];
  if (!status.ok()) return status;
  return WriteBytes(folder + "/question.json", json.dump(1) + "\n");
}

bool HasRawAnswer(const std::string& folder) {
  return fs::exists(folder + "/out0.bin") || fs::exists(folder + "/out0.dev0.bin") ||
         fs::exists(folder + "/outfeed0.bin") || fs::exists(folder + "/outfeed0.dev0.bin");
}

absl::StatusOr<std::vector<NamedLiteral>> ReadRawAnswer(const std::string& folder) {
  const absl::StatusOr<RawJson> question = ReadQuestion(folder);
  if (!question.ok()) return question.status();
  std::vector<NamedLiteral> arrays;
  for (const RawJson& row : (*question)["results"]) {
    absl::StatusOr<NamedLiteral> array = ReadRawArray(folder, row);
    if (!array.ok()) return array.status();
    arrays.push_back(*std::move(array));
  }
  return arrays;
}

}  // namespace assay::conformance
