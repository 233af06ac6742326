// An implementation under test in C++17, with nothing but the standard library and POSIX: a program
// says which operations it has, and this header speaks the protocol (docs/process_backend.md),
// reads modules in HLO text and runs them instruction by instruction.
//
//   assay_target::Target target("mine", "1.0");
//   target.Binary<float>("add", [](float a, float b) { return a + b; });
//   target.Operation("reverse", {"f32", "s32"}, MyReverse);
//   return target.Serve();
//
// `assay test --target "process:./mine"` then asks it. What was not registered is refused as not
// supported and counted. Arrays are row-major and little-endian; a type narrower than a byte takes
// one byte for each element. docs/example_cpp is a complete project.
// Tests: target_header_test.cc, tools/checks/install_test.sh.
#ifndef ASSAY_TARGET_H_
#define ASSAY_TARGET_H_

#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay_target {

// Thrown by an operation: the module is legal, but not supported.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Thrown by an operation: the module or an argument is illegal.
struct Invalid : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// f32[2,3]
struct Shape {
  std::string type;
  std::vector<int64_t> sizes;

  int64_t count() const {
    int64_t product = 1;
    for (const int64_t size : sizes) product *= size;
    return product;
  }
  std::string ToString() const {
    std::string text = type + "[";
    for (size_t i = 0; i < sizes.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(sizes[i]);
    return text + "]";
  }
};

// The bytes of an element in an array.
inline size_t BytesOf(const std::string& type) {
  if (type == "c128") return 16;
  if (type == "c64" || type == "f64" || type == "s64" || type == "u64") return 8;
  if (type == "f32" || type == "s32" || type == "u32") return 4;
  if (type == "f16" || type == "bf16" || type == "s16" || type == "u16") return 2;
  return type == "token" ? 0 : 1;
}

struct Array {
  Shape shape;
  std::vector<unsigned char> bytes;

  int64_t count() const { return shape.count(); }
  // The elements as those of type T. Throws Unsupported if the array has elements of another size,
  // or others than the floats of type T (pairs of them for complex numbers): a dot of bf16 may have
  // a result of f32.
  template <class T>
  T* as() {
    CheckElementsAre<T>();
    return reinterpret_cast<T*>(bytes.data());
  }
  template <class T>
  const T* as() const {
    CheckElementsAre<T>();
    return reinterpret_cast<const T*>(bytes.data());
  }

 private:
  template <class T>
  void CheckElementsAre() const {
    const std::string& type = shape.type;
    bool are = sizeof(T) == BytesOf(type) || (sizeof(T) == 1 && !std::is_same<T, bool>::value);
    if (std::is_same<T, float>::value) are = type == "f32" || type == "c64";
    if (std::is_same<T, double>::value) are = type == "f64" || type == "c128";
    if (!are) throw Unsupported("an array of " + type + " where another element type is read");
  }
};

struct Computation;

// %r = f32[2]{0} reduce(%x, %init), dimensions={1}, to_apply=%f
struct Instruction {
  std::string name, opcode;
  std::vector<Shape> shapes;  // one; of a tuple those of its elements
  bool is_tuple = false;
  std::vector<std::string> operands;                       // names; of a parameter its number
  std::map<std::string, std::string> attributes;           // "dimensions": "{1}"
  std::map<std::string, const Computation*> computations;  // "to_apply"

  const Shape& shape() const { return shapes.front(); }
  // The numbers of an attribute such as {1,2}; empty if it is absent.
  std::vector<int64_t> Numbers(const std::string& attribute) const {
    std::vector<int64_t> numbers;
    const auto found = attributes.find(attribute);
    if (found == attributes.end()) return numbers;
    const char* at = found->second.c_str();
    while (*at != 0) {
      if (std::isdigit(static_cast<unsigned char>(*at)) || *at == '-') {
        char* end = nullptr;
        numbers.push_back(std::strtoll(at, &end, 10));
        at = end > at ? end : at + 1;
      } else {
        ++at;
      }
    }
    return numbers;
  }
};

struct Computation {
  std::string name;
  std::vector<Instruction> instructions;
  size_t root = 0;
  const Instruction& root_instruction() const { return instructions[root]; }
};

template <class T>
const char* TypeName() {
  if (std::is_same<T, float>::value) return "f32";
  if (std::is_same<T, double>::value) return "f64";
  if (std::is_same<T, int8_t>::value) return "s8";
  if (std::is_same<T, int16_t>::value) return "s16";
  if (std::is_same<T, int32_t>::value) return "s32";
  if (std::is_same<T, int64_t>::value) return "s64";
  if (std::is_same<T, uint8_t>::value) return "u8";
  if (std::is_same<T, uint16_t>::value) return "u16";
  if (std::is_same<T, uint32_t>::value) return "u32";
  if (std::is_same<T, uint64_t>::value) return "u64";
  if (std::is_same<T, bool>::value) return "pred";
  return "";
}

namespace internal {

// Thrown where Assay has closed the channel.
struct Closed {};

// A value of JSON: what requests consist of.
struct Json {
  enum Kind { kNull, kNumber, kText, kList, kObject } kind = kNull;
  double number = 0;
  std::string text;
  std::vector<Json> list;
  std::map<std::string, Json> object;

  bool Has(const std::string& name) const { return object.count(name) > 0; }
  const Json& operator[](const std::string& name) const {
    static const Json none;
    const auto found = object.find(name);
    return found == object.end() ? none : found->second;
  }
  int64_t whole() const { return static_cast<int64_t>(number); }
};

class JsonReader {
 public:
  explicit JsonReader(const std::string& text) : at_(text.c_str()), end_(at_ + text.size()) {}
  Json Read(int depth = 0) {
    Skip();
    Json value;
    if (depth > 64 || at_ == end_) throw Invalid("a request is not JSON");
    if (*at_ == '{' || *at_ == '[') {
      ReadMembers(depth, &value);
    } else if (*at_ == '"') {
      value.kind = Json::kText;
      value.text = Text();
    } else if (*at_ == 't' || *at_ == 'f' || *at_ == 'n') {
      value.kind = *at_ == 'n' ? Json::kNull : Json::kNumber;
      value.number = *at_ == 't';
      while (at_ != end_ && std::isalpha(static_cast<unsigned char>(*at_))) ++at_;
    } else {
      char* after = nullptr;
      value.kind = Json::kNumber;
      value.number = std::strtod(at_, &after);
      if (after == at_) throw Invalid("a request is not JSON");
      at_ = after;
    }
    return value;
  }

 private:
  void ReadMembers(int depth, Json* value) {
    const bool object = *at_++ == '{';
    const char close = object ? '}' : ']';
    value->kind = object ? Json::kObject : Json::kList;
    for (Skip(); at_ != end_ && *at_ != close; Skip()) {
      if (*at_ == ',') {
        ++at_;
        continue;
      }
      if (!object) {
        value->list.push_back(Read(depth + 1));
        continue;
      }
      if (*at_ != '"') throw Invalid("a request is not JSON");
      const std::string name = Text();
      Skip();
      if (at_ == end_ || *at_++ != ':') throw Invalid("a request is not JSON");
      value->object[name] = Read(depth + 1);
    }
    if (at_ == end_) throw Invalid("a request is not JSON");
    ++at_;
  }
  std::string Text() {
    std::string text;
    for (++at_; at_ != end_ && *at_ != '"'; ++at_) {
      if (*at_ == '\\' && at_ + 1 != end_) ++at_;  // no text that matters here has other escapes
      text += *at_;
    }
    if (at_ != end_) ++at_;
    return text;
  }
  void Skip() {
    while (at_ != end_ && std::isspace(static_cast<unsigned char>(*at_))) ++at_;
  }
  const char* at_;
  const char* end_;
};

inline std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + "\"";
}

// HLO text as Assay writes it.
class ModuleReader {
 public:
  explicit ModuleReader(const std::string& text) : text_(text) {}

  // By name; the entry is called "".
  std::map<std::string, Computation> Read() {
    std::map<std::string, Computation> computations;
    Computation* open = nullptr;
    size_t begin = 0;
    for (size_t end = 0; begin < text_.size(); begin = end + 1) {
      end = text_.find('\n', begin);
      if (end == std::string::npos) end = text_.size();
      const std::string line = Trimmed(WithoutComments(text_.substr(begin, end - begin)));
      if (line.empty() || line.rfind("HloModule", 0) == 0) continue;
      if (line == "}") {
        open = nullptr;
      } else if (open == nullptr && line.back() == '{') {
        const bool entry = line.rfind("ENTRY ", 0) == 0;
        const std::string name = Word(line, entry ? 6 : 0);
        open = &computations[entry ? "" : name];
        open->name = name;
      } else if (open != nullptr) {
        ReadInstruction(line, open);
      }
    }
    for (auto& each : computations) {
      for (Instruction& instruction : each.second.instructions) Link(computations, &instruction);
    }
    if (computations.count("") == 0) throw Invalid("the module has no ENTRY");
    return computations;
  }

 private:
  static std::string Trimmed(const std::string& text) {
    const size_t from = text.find_first_not_of(" \t\r"), to = text.find_last_not_of(" \t\r");
    return from == std::string::npos ? "" : text.substr(from, to - from + 1);
  }
  // The line without the comments that number long lists: `%a, /*index=5*/%b`.
  static std::string WithoutComments(const std::string& line) {
    std::string text;
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
      const size_t end =
          quoted || line.compare(i, 2, "/*") != 0 ? std::string::npos : line.find("*/", i + 2);
      if (end == std::string::npos) {
        text += line[i];
      } else {
        i = end + 1;
      }
    }
    return text;
  }
  // A name without its %.
  static std::string Word(const std::string& line, size_t from) {
    if (from < line.size() && line[from] == '%') ++from;
    return line.substr(from, line.find_first_of(" (,)={", from) - from);
  }
  // Parts at commas outside of brackets and quotes.
  static std::vector<std::string> Parts(const std::string& text) {
    std::vector<std::string> parts;
    int depth = 0;
    bool quoted = false;
    std::string part;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
      if (!quoted && (c == '(' || c == '{' || c == '[')) ++depth;
      if (!quoted && (c == ')' || c == '}' || c == ']')) --depth;
      if (c == ',' && depth == 0 && !quoted) {
        parts.push_back(Trimmed(part));
        part.clear();
      } else {
        part += c;
      }
    }
    if (!Trimmed(part).empty()) parts.push_back(Trimmed(part));
    return parts;
  }
  // The end of the bracket that opens at `from`.
  static size_t Close(const std::string& text, size_t from) {
    int depth = 0;
    bool quoted = false;
    for (size_t i = from; i < text.size(); ++i) {
      if (text[i] == '"' && text[i - 1] != '\\') quoted = !quoted;
      if (quoted) continue;
      if (text[i] == '(' || text[i] == '{' || text[i] == '[') ++depth;
      if (text[i] == ')' || text[i] == '}' || text[i] == ']') --depth;
      if (depth == 0) return i;
    }
    throw Invalid("a bracket is not closed: " + text.substr(0, 80));
  }
  static Shape ReadShape(const std::string& text) {
    Shape shape;
    const size_t open = text.find('['), close = text.find(']');
    if (open == std::string::npos || close == std::string::npos) {
      throw Unsupported("a value of shape " + text);
    }
    shape.type = text.substr(0, open);
    for (const std::string& size : Parts(text.substr(open + 1, close - open - 1))) {
      if (size.find('<') != std::string::npos) throw Unsupported("dynamic dimensions");
      shape.sizes.push_back(std::strtoll(size.c_str(), nullptr, 10));
    }
    return shape;
  }
  static void ReadInstruction(std::string line, Computation* computation) {
    Instruction instruction;
    if (line.rfind("ROOT ", 0) == 0) {
      computation->root = computation->instructions.size();
      line = line.substr(5);
    }
    const size_t equals = line.find(" = ");
    if (equals == std::string::npos) throw Invalid("not an instruction: " + line.substr(0, 80));
    instruction.name = Word(line, 0);
    size_t at = equals + 3;
    if (line[at] == '(') {
      const size_t close = Close(line, at);
      instruction.is_tuple = true;
      for (const std::string& each : Parts(line.substr(at + 1, close - at - 1))) {
        if (each[0] == '(') throw Unsupported("nested tuples");
        instruction.shapes.push_back(ReadShape(each));
      }
      at = close + 2;
    } else {
      const size_t blank = line.find(' ', at);
      instruction.shapes.push_back(ReadShape(line.substr(at, blank - at)));
      at = blank + 1;
    }
    const size_t open = line.find('(', at);
    if (open == std::string::npos) throw Invalid("not an instruction: " + line.substr(0, 80));
    instruction.opcode = line.substr(at, open - at);
    const size_t close = Close(line, open);
    const std::string inside = line.substr(open + 1, close - open - 1);
    if (instruction.opcode == "constant") {
      instruction.operands = {inside};
    } else {
      for (const std::string& each : Parts(inside)) instruction.operands.push_back(Word(each, 0));
    }
    for (const std::string& each : Parts(line.substr(close + 1))) {
      const size_t sign = each.find('=');
      if (sign != std::string::npos) {
        instruction.attributes[each.substr(0, sign)] = each.substr(sign + 1);
      }
    }
    computation->instructions.push_back(std::move(instruction));
  }
  static void Link(const std::map<std::string, Computation>& computations,
                   Instruction* instruction) {
    for (const auto& attribute : instruction->attributes) {
      if (attribute.second.empty() || attribute.second[0] != '%') continue;
      const auto found = computations.find(Word(attribute.second, 0));
      if (found != computations.end()) instruction->computations[attribute.first] = &found->second;
    }
  }
  const std::string& text_;
};

[[noreturn]] inline void RefuseConstant(const char* at) {
  throw Unsupported("a constant with " + std::string(at).substr(0, 12));
}

// Reads "nan", "-nan" or "nan(0x1)", where the number is the whole significand, as bits of T. A
// signalling NaN stays one, which std::strtof would make quiet. Returns the end, or null for
// numbers.
template <class T>
const char* ReadNan(const char* at, T* out) {
  using Bits = typename std::conditional<sizeof(T) == 4, uint32_t, uint64_t>::type;
  const int significand = sizeof(T) == 4 ? 23 : 52;
  const Bits field = (Bits{1} << significand) - 1;
  const char* const begin = at;
  const bool negative = *at == '-';
  if (negative) ++at;
  if (std::strncmp(at, "nan", 3) != 0) return nullptr;
  at += 3;
  Bits payload = Bits{1} << (significand - 1);
  if (*at == '(') {
    char* end = nullptr;
    payload = static_cast<Bits>(std::strtoull(at + 1, &end, 16)) & field;
    if (payload == 0 || *end != ')') RefuseConstant(begin);
    at = end + 1;
  }
  const Bits sign = Bits{negative} << (8 * sizeof(T) - 1);
  const Bits exponent = static_cast<Bits>(~field) & ~(Bits{1} << (8 * sizeof(T) - 1));
  const Bits bits = sign | exponent | payload;
  std::memcpy(out, &bits, sizeof(T));
  return at;
}

// The elements of a constant: numbers, true, false, nan and inf between braces and commas.
template <class T>
void ReadElements(const std::string& text, Array* array) {
  T* out = array->as<T>();
  const int64_t count = array->count();
  int64_t done = 0;
  const char* at = text.c_str();
  while (*at != 0 && done < count) {
    if (std::strchr("{}, ", *at) != nullptr) {
      ++at;
      continue;
    }
    char* end = nullptr;
    if (std::strncmp(at, "true", 4) == 0 || std::strncmp(at, "false", 5) == 0) {
      out[done++] = static_cast<T>(*at == 't');
      at += *at == 't' ? 4 : 5;
      continue;
    }
    if (!std::is_integral<T>::value) {
      if (const char* after = ReadNan(at, &out[done])) {
        at = after;
        ++done;
        continue;
      }
    }
    if (std::is_integral<T>::value) {
      out[done++] = *at == '-' ? static_cast<T>(std::strtoll(at, &end, 10))
                               : static_cast<T>(std::strtoull(at, &end, 10));
    } else if (sizeof(T) == 4) {
      out[done++] = static_cast<T>(std::strtof(at, &end));
    } else {
      out[done++] = static_cast<T>(std::strtod(at, &end));
    }
    if (end == at || *end == '(') RefuseConstant(at);
    at = end;
  }
  if (done != count) throw Unsupported("a constant whose elements are elided");
}

inline void ReadConstant(const std::string& text, Array* array) {
  const std::string& type = array->shape.type;
  if (type == "f32") return ReadElements<float>(text, array);
  if (type == "f64") return ReadElements<double>(text, array);
  if (type == "s8") return ReadElements<int8_t>(text, array);
  if (type == "s16") return ReadElements<int16_t>(text, array);
  if (type == "s32") return ReadElements<int32_t>(text, array);
  if (type == "s64") return ReadElements<int64_t>(text, array);
  if (type == "u8" || type == "pred") return ReadElements<uint8_t>(text, array);
  if (type == "u16") return ReadElements<uint16_t>(text, array);
  if (type == "u32") return ReadElements<uint32_t>(text, array);
  if (type == "u64") return ReadElements<uint64_t>(text, array);
  throw Unsupported("constants of type " + type);
}

}  // namespace internal

class Target {
 public:
  using Operands = std::vector<const Array*>;
  // The result has its shape and bytes of zero; a function of a tuple gets its first element alone.
  using Function = std::function<void(const Instruction&, const Operands&, Array*)>;

  Target(std::string name, std::string version)
      : name_(std::move(name)), version_(std::move(version)) {}

  // An operation on arrays whose result has one of these element types. Operands may have others,
  // such as the bf16 factors of a dot into f32: `as` refuses them where it reads another type.
  Target& Operation(const std::string& opcode, const std::vector<std::string>& types,
                    const Function& function) {
    for (const std::string& type : types) {
      functions_[{opcode, type}] = function;
      types_.insert(type);
    }
    opcodes_.insert(opcode);
    return *this;
  }
  // An element type that operands have and no result.
  Target& Type(const std::string& type) {
    types_.insert(type);
    return *this;
  }

  // Elementwise operations, of the element type that T is.
  template <class T, class F>
  Target& Unary(const std::string& opcode, F f) {
    return Operation(opcode, {TypeName<T>()},
                     [f](const Instruction&, const Operands& in, Array* out) {
                       const T* x = in[0]->template as<T>();
                       T* y = out->template as<T>();
                       for (int64_t i = 0; i < out->count(); ++i) y[i] = f(x[i]);
                     });
  }
  template <class T, class F>
  Target& Binary(const std::string& opcode, F f) {
    return Operation(opcode, {TypeName<T>()},
                     [f](const Instruction&, const Operands& in, Array* out) {
                       const T* a = in[0]->template as<T>();
                       const T* b = in[1]->template as<T>();
                       T* y = out->template as<T>();
                       for (int64_t i = 0; i < out->count(); ++i) y[i] = f(a[i], b[i]);
                     });
  }

  // Answers requests until Assay says bye; the exit status of the program.
  int Serve() {
    const char* in = std::getenv("ASSAY_REQUEST_FD");
    const char* out = std::getenv("ASSAY_RESPONSE_FD");
    if (in == nullptr || out == nullptr) {
      std::fprintf(stderr, "%s is started by Assay: assay test --target \"process:COMMAND\"\n",
                   name_.c_str());
      return 2;
    }
    requests_ = fdopen(std::atoi(in), "rb");
    responses_ = fdopen(std::atoi(out), "wb");
    if (requests_ == nullptr || responses_ == nullptr) return 1;
    std::string line;
    while (ReadLine(&line)) {
      try {
        const internal::Json request = internal::JsonReader(line).Read();
        if (request["type"].text == "bye") return 0;
        Handle(request);
      } catch (const internal::Closed&) {
        return 1;  // the channel is closed
      }
    }
    return 0;
  }

 private:
  using Json = internal::Json;
  using Computations = std::map<std::string, Computation>;
  using Values = std::map<std::string, std::vector<Array>>;
  using Arrays = std::vector<Array>;

  bool ReadLine(std::string* line) {
    line->clear();
    for (int c = std::fgetc(requests_); c != EOF; c = std::fgetc(requests_)) {
      if (c == '\n') return true;
      *line += static_cast<char>(c);
    }
    return false;
  }
  std::string ReadBytes(int64_t count) {
    std::string bytes(static_cast<size_t>(count), '\0');
    if (std::fread(&bytes[0], 1, bytes.size(), requests_) != bytes.size()) {
      throw internal::Closed();
    }
    return bytes;
  }
  void Answer(const std::string& members, const std::string& payload = "") {
    std::string message = "{" + members + ",\"payload\":" + std::to_string(payload.size()) + "}\n";
    message += payload;
    std::fwrite(message.data(), 1, message.size(), responses_);
    std::fflush(responses_);
  }

  void Handle(const Json& request) {
    const std::string& type = request["type"].text;
    const std::string id = "\"id\":" + std::to_string(request["id"].whole()) + ",";
    const char* kind = "internal";
    std::string message;
    try {
      if (type == "hello") return Answer(id + Hello());
      if (type == "compile") {
        modules_[next_] = Compile(ReadBytes(request["payload"].whole()));
        Answer(id + "\"type\":\"compiled\",\"handle\":" + std::to_string(next_));
        ++next_;
        return;
      }
      if (type == "execute") {
        const std::vector<Arrays> sets = {ReadArguments(request)};
        const auto found = modules_.find(request["handle"].whole());
        if (found == modules_.end()) throw Invalid("there is no module with this handle");
        return Execute(id, found->second, sets, {0});
      }
      if (type == "run") return RunWhole(id, request);
      if (type == "release") {
        modules_.erase(request["handle"].whole());
        return Answer(id + "\"type\":\"released\"");
      }
      throw Unsupported("unknown request " + type);
    } catch (const internal::Closed&) {
      throw;
    } catch (const Unsupported& error) {
      kind = "unsupported";
      message = error.what();
    } catch (const Invalid& error) {
      kind = "invalid";
      message = error.what();
    } catch (const std::bad_alloc&) {
      kind = "exhausted";
      message = "out of memory";
    } catch (const std::exception& error) {
      message = error.what();
    }
    Answer(id + "\"type\":\"error\",\"kind\":\"" + kind +
           "\",\"message\":" + internal::Quoted(message));
  }

  std::string Hello() const {
    std::string opcodes = "\"parameter\",\"constant\",\"tuple\",\"get-tuple-element\"";
    for (const std::string& each : opcodes_) opcodes += "," + internal::Quoted(each);
    std::string types;
    for (const std::string& each : types_) {
      types += (types.empty() ? "" : ",") + internal::Quoted(each);
    }
    return "\"type\":\"hello\",\"protocol\":4,\"name\":" + internal::Quoted(name_) +
           ",\"version\":" + internal::Quoted(version_) +
           ",\"formats\":[\"hlo-text\"],\"feeds\":false,\"operations\":[" + opcodes +
           "],\"types\":[" + types + "]";
  }

  static bool IsBuiltIn(const std::string& opcode) {
    return opcode == "parameter" || opcode == "constant" || opcode == "tuple" ||
           opcode == "get-tuple-element";
  }

  const Function& Find(const Instruction& instruction) const {
    const auto found = functions_.find({instruction.opcode, instruction.shape().type});
    if (found == functions_.end()) {
      throw Unsupported(instruction.opcode + " of " + instruction.shape().type);
    }
    return found->second;
  }

  Computations Compile(const std::string& text) const {
    Computations computations = internal::ModuleReader(text).Read();
    for (const Instruction& each : computations[""].instructions) {
      if (each.opcode == "constant" && each.is_tuple) throw Unsupported("a constant tuple");
      if (IsBuiltIn(each.opcode)) continue;
      if (each.is_tuple) throw Unsupported(each.opcode + " with a tuple for a result");
      Find(each);
    }
    return computations;
  }

  Arrays ReadArguments(const Json& set) {
    Arrays arguments;
    if (set["arguments"].list.size() > 1) throw Unsupported("several devices");
    for (const Json& device : set["arguments"].list) {
      for (const Json& leaf : device.list) {
        Array array;
        const std::string& text = leaf["shape"].text;
        const size_t open = text.find('[');
        array.shape.type = text.substr(0, open);
        Instruction sizes;
        sizes.attributes["sizes"] = text.substr(open);
        array.shape.sizes = sizes.Numbers("sizes");
        const std::string bytes =
            leaf.Has("file") ? ReadFile(leaf) : ReadBytes(leaf["bytes"].whole());
        array.bytes.assign(bytes.begin(), bytes.end());
        arguments.push_back(std::move(array));
      }
    }
    return arguments;
  }
  // Of arrays over 64 MiB.
  static std::string ReadFile(const Json& leaf) {
    std::string bytes(static_cast<size_t>(leaf["bytes"].whole()), '\0');
    std::FILE* file = std::fopen(leaf["file"].text.c_str(), "rb");
    const bool read =
        file != nullptr && std::fread(&bytes[0], 1, bytes.size(), file) == bytes.size();
    if (file != nullptr) std::fclose(file);
    if (!read) throw Invalid("a file of arguments cannot be read");
    std::remove(leaf["file"].text.c_str());
    return bytes;
  }

  // Compiles, executes and forgets a module. All of the payload is read before an error is.
  void RunWhole(const std::string& id, const Json& request) {
    const std::string text = ReadBytes(request["module"].whole());
    int64_t rest = request["payload"].whole() - static_cast<int64_t>(text.size());
    std::vector<Arrays> sets;
    std::exception_ptr error;
    Computations computations;
    try {
      computations = Compile(text);
      for (const Json& set : request["sets"].list) {
        if (set["arguments"].list.size() > 1) throw Unsupported("several devices");
      }
    } catch (...) {
      error = std::current_exception();
    }
    if (error != nullptr) {
      ReadBytes(rest);
      std::rethrow_exception(error);
    }
    for (const Json& set : request["sets"].list) sets.push_back(ReadArguments(set));
    std::vector<size_t> order;
    for (const Json& number : request["executions"].list) {
      order.push_back(static_cast<size_t>(number.whole()));
    }
    Execute(id, computations, sets, order);
  }

  void Execute(const std::string& id, const Computations& computations,
               const std::vector<Arrays>& sets, const std::vector<size_t>& order) const {
    std::string headers, payload;
    double fastest = -1;
    for (const size_t number : order) {
      const auto start = std::chrono::steady_clock::now();
      const Arrays results = Evaluate(computations.at(""), sets.at(number));
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      if (fastest < 0 || seconds.count() < fastest) fastest = seconds.count();
      std::string row;
      for (const Array& each : results) {
        row += (row.empty() ? "" : ",") + std::string("{\"shape\":\"") + each.shape.ToString() +
               "\",\"bytes\":" + std::to_string(each.bytes.size()) + "}";
        payload.append(each.bytes.begin(), each.bytes.end());
      }
      headers += (headers.empty() ? "[" : ",[") + row + "]";
    }
    const_cast<Target*>(this)->Answer(
        id + "\"type\":\"result\",\"seconds\":" + std::to_string(fastest) + ",\"results\":[" +
            headers + "]",
        payload);
  }

  // Instructions in order; each operand precedes its user.
  Arrays Evaluate(const Computation& entry, const Arrays& arguments) const {
    Values values;
    std::map<int64_t, const Instruction*> parameters;
    for (const Instruction& each : entry.instructions) {
      if (each.opcode == "parameter") parameters[std::atoll(each.operands[0].c_str())] = &each;
    }
    size_t leaf = 0;
    for (const auto& each : parameters) {
      for (size_t i = 0; i < each.second->shapes.size(); ++i) {
        values[each.second->name].push_back(arguments.at(leaf++));
      }
    }
    for (const Instruction& each : entry.instructions) {
      if (each.opcode != "parameter") values[each.name] = EvaluateOne(each, values);
    }
    return values[entry.root_instruction().name];
  }

  Arrays EvaluateOne(const Instruction& instruction, const Values& values) const {
    const auto value = [&](size_t i) -> const Arrays& {
      const auto found = values.find(instruction.operands.at(i));
      if (found == values.end()) {
        throw Invalid("no instruction before " + instruction.name +
                      " has the name of its operand " + instruction.operands[i]);
      }
      return found->second;
    };
    Arrays result;
    if (instruction.opcode == "tuple") {
      for (size_t i = 0; i < instruction.operands.size(); ++i) result.push_back(value(i).at(0));
    } else if (instruction.opcode == "get-tuple-element") {
      result.push_back(value(0).at(static_cast<size_t>(instruction.Numbers("index").at(0))));
    } else {
      result.emplace_back();
      result[0].shape = instruction.shape();
      result[0].bytes.resize(static_cast<size_t>(instruction.shape().count()) *
                             BytesOf(instruction.shape().type));
      if (instruction.opcode == "constant") {
        internal::ReadConstant(instruction.operands[0], &result[0]);
      } else {
        Operands operands;
        for (size_t i = 0; i < instruction.operands.size(); ++i) {
          operands.push_back(&value(i).at(0));
        }
        Find(instruction)(instruction, operands, &result[0]);
      }
    }
    return result;
  }

  std::string name_, version_;
  std::map<std::pair<std::string, std::string>, Function> functions_;
  std::set<std::string> opcodes_, types_;
  std::FILE* requests_ = nullptr;
  std::FILE* responses_ = nullptr;
  std::map<int64_t, Computations> modules_;
  int64_t next_ = 1;
};

}  // namespace assay_target

#endif  // ASSAY_TARGET_H_
