// See module_format.h. The messages differ in depth: HloModuleProto holds computations (field 3)
// that hold instructions (2) that have an opcode (2); HloProto and HloUnoptimizedSnapshot hold a
// module in field 1, HloSnapshot an HloProto. Test: module_file_test.cc.
#include "spec/proto/module_format.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace assay {
namespace {

constexpr int kVarint = 0;
constexpr int kLengthDelimited = 2;

struct WireField {
  int64_t number = 0;
  int wire_type = 0;
  absl::string_view bytes;  // of a length-delimited field; cut short where the content ends
};

// Reads field by field; stops at the end and at the first byte that cannot be.
class WireReader {
 public:
  explicit WireReader(absl::string_view bytes) : bytes_(bytes) {}

  bool Next(WireField* field) {
    uint64_t tag;
    if (bytes_.empty() || !Varint(&tag) || (tag >> 3) == 0) return false;
    field->number = static_cast<int64_t>(tag >> 3);
    field->wire_type = static_cast<int>(tag & 7);
    field->bytes = {};
    uint64_t value;
    switch (field->wire_type) {
      case kVarint:
        return Varint(&value);
      case 1:
        return Skip(8);
      case kLengthDelimited:
        if (!Varint(&value)) return false;
        field->bytes = bytes_.substr(0, value);
        bytes_.remove_prefix(field->bytes.size());
        return true;
      case 5:
        return Skip(4);
      default:
        return false;
    }
  }

 private:
  bool Varint(uint64_t* value) {
    *value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (bytes_.empty()) return false;
      const uint8_t byte = static_cast<uint8_t>(bytes_[0]);
      bytes_.remove_prefix(1);
      if (shift < 64) *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return true;
    }
    return false;
  }
  bool Skip(size_t count) {
    if (bytes_.size() < count) return false;
    bytes_.remove_prefix(count);
    return true;
  }

  absl::string_view bytes_;
};

// Whether a field of that number holds something that passes the test; the first one decides.
template <typename Test>
bool FirstHas(absl::string_view message, int64_t number, Test test) {
  WireReader reader(message);
  WireField field;
  while (reader.Next(&field)) {
    if (field.number == number) {
      return field.wire_type == kLengthDelimited && test(field.bytes);
    }
  }
  return false;
}

bool IsOpcode(absl::string_view word) {
  if (word.empty() || word.size() > 64) return false;
  for (char c : word) {
    if (!absl::ascii_islower(c) && !absl::ascii_isdigit(c) && c != '-' && c != '_') return false;
  }
  return true;
}
bool IsInstruction(absl::string_view message) { return FirstHas(message, 2, IsOpcode); }
bool IsComputation(absl::string_view message) { return FirstHas(message, 2, IsInstruction); }
bool IsModule(absl::string_view message) { return FirstHas(message, 3, IsComputation); }
bool HoldsModule(absl::string_view message) { return FirstHas(message, 1, IsModule); }
bool HoldsHloProto(absl::string_view message) { return FirstHas(message, 1, HoldsModule); }

// Beside its module, HloUnoptimizedSnapshot has inputs in field 2, which HloProto reserves, and a
// version number in field 3, where HloProto has a message.
bool HasSnapshotFields(absl::string_view message) {
  WireReader reader(message);
  WireField field;
  while (reader.Next(&field)) {
    if (field.number == 2) return true;
    if (field.number == 3) return field.wire_type == kVarint;
  }
  return false;
}

// The names of the fields at the top level of a text proto, in order; and whether the content has
// the form of one. HLO text is told by '=' where a field has ':' or '{'.
class TextProtoScanner {
 public:
  explicit TextProtoScanner(absl::string_view text) : text_(text) {}

  bool Scan(std::set<std::string>* fields) {
    int depth = 0;
    bool any = false;
    while (SkipBlanks()) {
      const char c = text_[at_];
      if (absl::ascii_isalpha(c) || c == '_') {
        const std::string word = Word();
        const bool follows = SkipBlanks();
        const char next = follows ? text_[at_] : '\0';
        if (next == '=') return false;
        if (next != ':' && next != '{' && next != '<') {
          // The value of an enumeration or a boolean follows a field's colon.
          if (!after_colon_ && !in_list_) return false;
        } else if (depth == 0) {
          fields->insert(word);
        }
        any = true;
        after_colon_ = false;
        continue;
      }
      if (IsInNumber(c)) {
        while (at_ < text_.size() && IsInNumber(text_[at_])) ++at_;
        continue;
      }
      if (c == '[') in_list_ = after_colon_;
      if (c == ']') in_list_ = false;
      after_colon_ = c == ':';
      if (c == '"' || c == '\'') {
        if (!SkipString(c)) break;
        continue;
      }
      if (c == '{' || c == '<') ++depth;
      if (c == '}' || c == '>') --depth;
      ++at_;
    }
    return any;
  }

 private:
  bool SkipBlanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (absl::ascii_isspace(text_[at_])) {
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }
  std::string Word() {
    const size_t start = at_;
    while (at_ < text_.size() && (absl::ascii_isalnum(text_[at_]) || text_[at_] == '_')) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  // "-1.5e+20f", "-inf", "0x1f": no names.
  static bool IsInNumber(char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '+';
  }
  bool SkipString(char quote) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return true;
      }
    }
    return false;
  }

  absl::string_view text_;
  size_t at_ = 0;
  bool after_colon_ = false;
  bool in_list_ = false;
};

}  // namespace

std::optional<ModuleFormat> BinaryFormat(absl::string_view content) {
  if (IsModule(content)) return ModuleFormat::kModuleProto;
  if (HoldsModule(content)) {
    return HasSnapshotFields(content) ? ModuleFormat::kUnoptimizedSnapshot
                                      : ModuleFormat::kHloProto;
  }
  if (HoldsHloProto(content)) return ModuleFormat::kSnapshot;
  return std::nullopt;
}

std::optional<ModuleFormat> TextProtoFormat(absl::string_view content) {
  std::set<std::string> fields;
  if (!TextProtoScanner(content).Scan(&fields)) return std::nullopt;
  if (fields.count("hlo") > 0) return ModuleFormat::kSnapshot;
  if (fields.count("hlo_module") > 0) {
    return fields.count("partitions") + fields.count("version") > 0
               ? ModuleFormat::kUnoptimizedSnapshot
               : ModuleFormat::kHloProto;
  }
  if (fields.count("computations") > 0) return ModuleFormat::kModuleProto;
  return std::nullopt;
}

bool LooksLikeText(absl::string_view content) {
  for (char c : content.substr(0, 4096)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (control && !absl::ascii_isspace(c)) return false;
  }
  return true;
}

}  // namespace assay
