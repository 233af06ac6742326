// The .npy format, versions 1 to 3. The header is a Python dictionary of three known keys. Test:
// arrays_test.cc.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "spec/arrays/arrays.h"

namespace assay {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";

struct NumpyType {
  absl::string_view code;  // kind and size
  ElementType type;
};
constexpr NumpyType kTypes[] = {
    {"b1", ElementType::kPred}, {"i1", ElementType::kS8},   {"i2", ElementType::kS16},
    {"i4", ElementType::kS32},  {"i8", ElementType::kS64},  {"u1", ElementType::kU8},
    {"u2", ElementType::kU16},  {"u4", ElementType::kU32},  {"u8", ElementType::kU64},
    {"f2", ElementType::kF16},  {"f4", ElementType::kF32},  {"f8", ElementType::kF64},
    {"c8", ElementType::kC64},  {"c16", ElementType::kC128}};

const NumpyType* FindCode(absl::string_view code) {
  for (const NumpyType& row : kTypes) {
    if (row.code == code) return &row;
  }
  return nullptr;
}
const NumpyType* FindType(ElementType type) {
  for (const NumpyType& row : kTypes) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// Just enough Python: {'key': value, ...} with strings, True and False, and tuples of integers.
class HeaderParser {
 public:
  explicit HeaderParser(absl::string_view text) : text_(text) {}

  bool Parse(Header* header) {
    if (!Eat('{')) return false;
    bool has_descr = false, has_order = false, has_shape = false;
    while (!Eat('}')) {
      std::string key;
      if (!String(&key) || !Eat(':')) return false;
      bool good = false;
      if (key == "descr") good = has_descr = String(&header->descr);
      if (key == "fortran_order") good = has_order = Bool(&header->fortran_order);
      if (key == "shape") good = has_shape = Tuple(&header->shape);
      if (!good) return false;
      if (!Eat(',') && !Peek('}')) return false;
    }
    return has_descr && has_order && has_shape;
  }

 private:
  void SkipBlanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool Peek(char c) {
    SkipBlanks();
    return !text_.empty() && text_[0] == c;
  }
  bool Eat(char c) {
    if (!Peek(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool String(std::string* value) {
    SkipBlanks();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return false;
    const size_t end = text_.find(text_[0], 1);
    if (end == absl::string_view::npos) return false;
    *value = std::string(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return true;
  }
  bool Bool(bool* value) {
    SkipBlanks();
    *value = absl::ConsumePrefix(&text_, "True");
    return *value || absl::ConsumePrefix(&text_, "False");
  }
  bool Tuple(std::vector<int64_t>* values) {
    if (!Eat('(')) return false;
    while (!Eat(')')) {
      SkipBlanks();
      size_t digits = 0;
      while (digits < text_.size() && std::isdigit(static_cast<unsigned char>(text_[digits]))) {
        ++digits;
      }
      int64_t value;
      if (!absl::SimpleAtoi(text_.substr(0, digits), &value)) return false;
      text_.remove_prefix(digits);
      absl::ConsumePrefix(&text_, "L");  // Python 2
      values->push_back(value);
      if (!Eat(',') && !Peek(')')) return false;
    }
    return true;
  }

  absl::string_view text_;
};

// Splits the content; `data` gets what follows the header.
absl::StatusOr<Header> ParseHeader(absl::string_view content, absl::string_view* data) {
  const auto error = [](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("not a good .npy: ", what));
  };
  if (!absl::StartsWith(content, kMagic)) return error("it does not begin with \\x93NUMPY");
  const size_t length_bytes = content.size() > 6 && content[6] == 1 ? 2 : 4;
  if (content.size() < 8 + length_bytes) return error("it ends in its header");
  if (content[6] < 1 || content[6] > 3) return error("its version is not 1, 2 or 3");
  uint32_t length = 0;
  std::memcpy(&length, content.data() + 8, length_bytes);
  content.remove_prefix(8 + length_bytes);
  if (length > content.size()) return error("it ends in its header");
  Header header;
  if (!HeaderParser(content.substr(0, length)).Parse(&header)) {
    return error("its header is not a dictionary of descr, fortran_order and shape");
  }
  *data = content.substr(length);
  return header;
}

// bfloat16 -> bf16, float8_e4m3fn -> f8e4m3fn, int4 -> s4, uint4 -> u4: the names of ml_dtypes.
std::optional<ElementType> TypeFromMlName(absl::string_view name) {
  std::string word;
  for (char c : name) {
    if (c != '_') word.push_back(c);
  }
  constexpr std::pair<absl::string_view, absl::string_view> kPrefixes[] = {
      {"bfloat", "bf"}, {"float", "f"}, {"uint", "u"}, {"int", "s"}};
  for (const auto& [long_form, short_form] : kPrefixes) {
    if (absl::StartsWith(word, long_form)) {
      return ElementTypeFromName(absl::StrCat(short_form, word.substr(long_form.size())));
    }
  }
  return std::nullopt;
}

constexpr absl::string_view kNameTheType =
    "; a type that numpy lacks is named after an @ in the member's name (arg0@bf16)";

struct Stored {
  ElementType type;
  bool big_endian = false;
  bool untyped = false;
};

absl::StatusOr<Stored> StoredType(const std::string& descr, absl::string_view type_name) {
  absl::string_view code = descr;
  const bool has_order = !code.empty() && absl::StrContains("<>|=", code.substr(0, 1));
  const bool big_endian = has_order && code[0] == '>';
  if (has_order) code.remove_prefix(1);
  if (code == "f1") code = "V1";  // numpy writes ml_dtypes' float8_e5m2 so, but cannot read it
  const NumpyType* plain = FindCode(code == "?" ? "b1" : code);
  std::optional<ElementType> named = TypeFromMlName(code);
  if (type_name.empty()) {
    if (plain != nullptr) return Stored{plain->type, big_endian};
    if (named && IsArray(*named)) return Stored{*named, big_endian};
    if (code == "V1") return Stored{ElementType::kU8, big_endian, true};
    if (code == "V2") return Stored{ElementType::kU16, big_endian, true};
    if (code == "O") {
      return absl::InvalidArgumentError(
          "it holds Python objects (numpy type object), not numbers; numpy.asarray(x, dtype) gives "
          "them a type");
    }
    return absl::InvalidArgumentError(absl::StrCat("the numpy type ", descr, " is not known",
                                                   code.substr(0, 1) == "V" ? kNameTheType : ""));
  }
  std::optional<ElementType> type = ElementTypeFromName(type_name);
  if (!type || !IsArray(*type)) {
    return absl::InvalidArgumentError(absl::StrCat("@", type_name, " is not an element type"));
  }
  int64_t size = plain != nullptr ? Info(plain->type).storage_bytes : 0;
  if (plain == nullptr && code.substr(0, 1) == "V" && !absl::SimpleAtoi(code.substr(1), &size)) {
    size = 0;
  }
  const bool raw = plain == nullptr || IsInteger(plain->type) || plain->type == *type;
  if ((named && *named == *type) || (raw && size == Info(*type).storage_bytes)) {
    return Stored{*type, big_endian};
  }
  return absl::InvalidArgumentError(absl::StrCat("the numpy type ", descr, " cannot hold the ",
                                                 Info(*type).storage_bytes, " bytes of a @",
                                                 type_name));
}

void SwapBytes(ElementType type, int64_t byte_count, std::byte* data) {
  const int64_t size = Info(Info(type).component).storage_bytes;
  for (int64_t i = 0; i < byte_count; i += size) std::reverse(data + i, data + i + size);
}

// From the order in which the first dimension varies fastest.
void CopyFortranOrder(const Shape& shape, absl::string_view data, std::byte* out) {
  const int64_t size = Info(shape.element_type()).storage_bytes;
  const Dimensions strides = RowMajorStrides(shape.dimensions());
  Dimensions position(shape.rank(), 0);
  int64_t logical = 0;
  for (size_t at = 0; at < data.size(); at += size) {
    std::memcpy(out + logical * size, data.data() + at, size);
    for (int64_t d = 0; d < shape.rank(); ++d) {
      logical += strides[d];
      if (++position[d] < shape.dimension(d)) break;
      logical -= strides[d] * shape.dimension(d);
      position[d] = 0;
    }
  }
}

// Storing an element drops surplus bits and makes a pred 0 or 1.
void Normalise(Literal* array) {
  const ElementType type = array->element_type();
  if (Info(type).bits >= 8) return;
  std::byte* data = array->mutable_data();
  for (int64_t i = 0; i < array->element_count(); ++i) {
    if (IsPred(type)) {
      data[i] = std::byte{data[i] != std::byte{0}};
    } else {
      StoreElement(type, LoadElement(type, data, i), data, i);
    }
  }
}

absl::StatusOr<Literal> Parse(absl::string_view content, absl::string_view type_name,
                              int64_t max_bytes, bool* untyped) {
  absl::string_view data;
  absl::StatusOr<Header> header = ParseHeader(content, &data);
  if (!header.ok()) return header.status();
  absl::StatusOr<Stored> stored = StoredType(header->descr, type_name);
  if (!stored.ok()) return stored.status();
  if (stored->untyped && untyped == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the numpy type ", header->descr, " is not known", kNameTheType));
  }
  if (untyped != nullptr) *untyped = stored->untyped;
  Shape shape(stored->type, header->shape);
  shape.FillLayouts();
  absl::StatusOr<int64_t> bytes = shape.ByteSize();
  if (!bytes.ok()) return bytes.status();
  if (*bytes != static_cast<int64_t>(data.size())) {
    return absl::InvalidArgumentError(absl::StrCat("the shape ", shape.ToString(), " takes ",
                                                   *bytes, " bytes, there are ", data.size()));
  }
  absl::StatusOr<Literal> array = Literal::Create(shape, max_bytes);
  if (!array.ok() || *bytes == 0) return array;
  if (header->fortran_order) {
    CopyFortranOrder(shape, data, array->mutable_data());
  } else {
    std::memcpy(array->mutable_data(), data.data(), data.size());
  }
  if (stored->big_endian) SwapBytes(stored->type, *bytes, array->mutable_data());
  Normalise(&*array);
  return array;
}

}  // namespace

absl::StatusOr<Literal> ParseNpy(absl::string_view content, absl::string_view type_name,
                                 absl::string_view name, int64_t max_bytes, bool* untyped) {
  absl::StatusOr<Literal> array = Parse(content, type_name, max_bytes, untyped);
  if (array.ok()) return array;
  return absl::Status(array.status().code(), absl::StrCat(name, ": ", array.status().message()));
}

bool NumpyLacks(ElementType type) { return FindType(type) == nullptr; }

Literal WithType(const Literal& untyped, ElementType type) {
  Shape shape = untyped.shape();
  shape.set_element_type(type);
  Literal array = Literal::Zeros(shape);
  if (array.byte_size() > 0) {
    std::memcpy(array.mutable_data(), untyped.data(), static_cast<size_t>(array.byte_size()));
  }
  Normalise(&array);
  return array;
}

std::string MemberName(absl::string_view name, ElementType type) {
  if (FindType(type) != nullptr) return std::string(name);
  return absl::StrCat(name, "@", Name(type));
}

std::string FormatNpy(const Literal& array) {
  const ElementType type = array.element_type();
  const int storage = Info(type).storage_bytes;
  const NumpyType* plain = FindType(type);
  const std::string code = plain != nullptr ? std::string(plain->code) : absl::StrCat("u", storage);
  const absl::Span<const int64_t> sizes = array.shape().dimensions();
  std::string header = absl::StrCat(
      "{'descr': '", storage == 1 ? "|" : "<", code, "', 'fortran_order': False, 'shape': (",
      absl::StrJoin(sizes, ", "), sizes.size() == 1 ? ",)" : ")", ", }");
  // Magic, version, length and header end on a multiple of 64 bytes.
  constexpr size_t kPrefix = 10;
  constexpr size_t kAlignment = 64;
  header.append((kAlignment - (kPrefix + header.size() + 1) % kAlignment) % kAlignment, ' ');
  header.push_back('\n');
  std::string content(kMagic);
  content.append(
      {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)});
  content.append(header);
  content.append(reinterpret_cast<const char*>(array.data()), array.byte_size());
  return content;
}

}  // namespace assay
