#include "spec/stablehlo/bytecode_file.h"

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/stablehlo/vhlo_table.h"

namespace assay::stablehlo {
namespace {

constexpr absl::string_view kMagic("\x4d\x4c\xef\x52", 4);

struct Sections {
  std::array<ByteReader, kSectionCount> data;
  std::array<bool, kSectionCount> present = {};

  ByteReader& operator[](Section section) { return data[static_cast<int>(section)]; }
  bool Has(Section section) const { return present[static_cast<int>(section)]; }
};

absl::string_view SectionName(int id) {
  constexpr absl::string_view kNames[kSectionCount] = {
      "strings",   "dialects",  "attributes and types", "offsets of attributes and types",
      "IR",        "resources", "offsets of resources", "dialect versions",
      "properties"};
  return kNames[id];
}

absl::StatusOr<Sections> FindSections(ByteReader& reader, absl::string_view file) {
  Sections sections;
  while (reader.ok() && !reader.empty()) {
    uint8_t id = 0;
    const ByteReader data = ReadSection(reader, file, id);
    if (!reader.ok()) break;
    if (id >= kSectionCount) {
      return absl::InvalidArgumentError(absl::StrCat("there is no section with the number ", id));
    }
    if (sections.present[id]) {
      return absl::InvalidArgumentError(
          absl::StrCat("there are two sections for ", SectionName(id)));
    }
    sections.present[id] = true;
    sections.data[id] = data;
  }
  if (!reader.ok()) return reader.status("sections");
  for (int id = 0; id <= static_cast<int>(Section::kIr); ++id) {
    if (!sections.present[id]) {
      return absl::InvalidArgumentError(
          absl::StrCat("the section for ", SectionName(id), " is missing"));
    }
  }
  return sections;
}

// Lengths stand in front, that of the last string first; the texts follow in order.
absl::Status ReadStrings(ByteReader reader, std::vector<absl::string_view>& strings) {
  const size_t count = reader.Count();
  std::vector<uint64_t> sizes(count);
  for (size_t i = count; i-- > 0;) sizes[i] = reader.Varint();
  strings.reserve(count);
  for (uint64_t size : sizes) {
    const absl::string_view text = reader.Bytes(size);
    if (!reader.ok()) break;
    if (text.empty() || text.back() != 0) {
      reader.Fail("a string has no terminating null character");
      break;
    }
    strings.push_back(text.substr(0, text.size() - 1));
  }
  if (reader.ok() && !reader.empty()) reader.Fail("there is data behind the last string");
  return reader.status("strings");
}

absl::string_view StringAt(ByteReader& reader, const BytecodeFile& file, uint64_t index) {
  if (index < file.strings.size()) return file.strings[index];
  reader.Fail("there is no string with this number");
  return absl::string_view();
}

// The letters of identifiers; names come from files that may hold anything.
bool IsName(absl::string_view name) {
  for (char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '.' && c != '$' && c != '-') return false;
  }
  return !name.empty();
}

void ReadOperationNames(ByteReader& reader, BytecodeFile& file) {
  if (file.version >= 4) reader.Count();
  while (reader.ok() && !reader.empty()) {
    const uint64_t dialect = reader.Varint();
    if (dialect >= file.dialects.size()) return reader.Fail("there is no dialect with this number");
    for (size_t count = reader.Count(); reader.ok() && count > 0; --count) {
      const uint64_t bits = reader.Varint();
      const bool registered = file.version < 5 || (bits & 1) != 0;
      const absl::string_view name = StringAt(reader, file, file.version < 5 ? bits : bits >> 1);
      BytecodeName full;
      full.registered = registered;
      full.text = std::string(file.dialects[dialect]);
      if (!name.empty()) absl::StrAppend(&full.text, ".", name);
      if (reader.ok() && !IsName(full.text)) reader.Fail("an operation's name is no identifier");
      full.vhlo = FindVhloOp(full.text);
      file.names.push_back(std::move(full));
    }
  }
}

absl::Status ReadDialects(ByteReader reader, BytecodeFile& file) {
  for (size_t count = reader.Count(); reader.ok() && count > 0; --count) {
    uint64_t name = reader.Varint();
    bool versioned = false;
    if (file.version >= 1) {
      versioned = (name & 1) != 0;
      name >>= 1;
    }
    file.dialects.push_back(StringAt(reader, file, name));
    if (reader.ok() && !IsName(file.dialects.back())) {
      reader.Fail("a dialect's name is no identifier");
    }
    if (!versioned) continue;
    uint8_t id = 0;
    ReadSection(reader, file.bytes, id);
    if (reader.ok() && id != static_cast<uint8_t>(Section::kDialectVersion)) {
      reader.Fail("a dialect's version is missing");
    }
  }
  ReadOperationNames(reader, file);
  return reader.status("dialects");
}

EntryDialect DialectOf(absl::string_view name) {
  if (name == "builtin") return EntryDialect::kBuiltin;
  if (name == "vhlo") return EntryDialect::kVhlo;
  if (name == "stablehlo") return EntryDialect::kStablehlo;
  if (name == "chlo") return EntryDialect::kChlo;
  if (name == "quant") return EntryDialect::kQuant;
  if (name == "sdy") return EntryDialect::kSdy;
  return EntryDialect::kOther;
}

// One group after the other, each of one dialect. `at` is where the next entry begins.
void ReadOffsets(ByteReader& reader, const BytecodeFile& file, size_t count, size_t end, size_t& at,
                 std::vector<BytecodeEntry>& entries) {
  entries.reserve(count);
  while (reader.ok() && entries.size() < count) {
    const uint64_t dialect = reader.Varint();
    if (dialect >= file.dialects.size()) return reader.Fail("there is no dialect with this number");
    const size_t in_group = reader.Count();
    if (in_group > count - entries.size())
      return reader.Fail("there are more entries than announced");
    for (size_t i = 0; reader.ok() && i < in_group; ++i) {
      const uint64_t bits = reader.Varint();
      if (bits >> 1 > end - at) return reader.Fail("an attribute or type is beyond its section");
      entries.push_back({at, at + (bits >> 1), DialectOf(file.dialects[dialect]), (bits & 1) != 0});
      at += bits >> 1;
    }
  }
}

absl::Status ReadEntryTable(ByteReader reader, const ByteReader& data, BytecodeFile& file) {
  const size_t attributes = reader.Count();
  const size_t types = reader.Count();
  size_t at = data.offset();
  const size_t end = at + data.left();
  ReadOffsets(reader, file, attributes, end, at, file.attributes);
  ReadOffsets(reader, file, types, end, at, file.types);
  if (reader.ok() && !reader.empty()) reader.Fail("there is data behind the last entry");
  return reader.status("offsets of attributes and types");
}

// One resource's value, of which only blobs are kept.
void ReadResource(ByteReader& reader, absl::string_view file, uint64_t size, uint8_t kind,
                  BytecodeResource& resource) {
  const size_t begin = reader.offset();
  const absl::string_view bytes = reader.Bytes(size);
  if (!reader.ok() || size == 0 || kind != 0) return;
  ByteReader value(file, begin, begin + bytes.size());
  const uint64_t alignment = value.Varint();
  const uint64_t blob_size = value.Varint();
  value.AlignTo(alignment);
  resource.blob = value.Bytes(blob_size);
  resource.has_data = true;
  if (value.ok() && !value.empty()) value.Fail("there is data behind a resource");
  if (!value.ok()) reader.Fail(value.error());
}

absl::Status ReadResources(ByteReader offsets, ByteReader data, BytecodeFile& file) {
  auto read_group = [&](bool keep) {
    for (size_t count = offsets.Count(); offsets.ok() && count > 0; --count) {
      BytecodeResource resource;
      resource.key = StringAt(offsets, file, offsets.Varint());
      const uint64_t size = offsets.Varint();
      const uint8_t kind = offsets.Byte();
      if (kind > 2) offsets.Fail("a resource is of an unknown kind");
      if (!offsets.ok()) return;
      ReadResource(data, file.bytes, size, kind, resource);
      if (keep) file.resources.push_back(resource);
    }
  };
  for (size_t groups = offsets.Count(); offsets.ok() && groups > 0; --groups) {
    StringAt(offsets, file, offsets.Varint());
    read_group(false);
  }
  while (offsets.ok() && data.ok() && !offsets.empty()) {
    if (offsets.Varint() >= file.dialects.size()) {
      offsets.Fail("there is no dialect with this number");
    }
    read_group(true);
  }
  if (!offsets.ok()) return offsets.status("offsets of resources");
  return data.status("resources");
}

absl::Status ReadProperties(ByteReader reader, BytecodeFile& file) {
  const size_t count = reader.Count();
  file.properties.reserve(count);
  for (size_t i = 0; reader.ok() && i < count; ++i) file.properties.push_back(reader.Blob());
  if (reader.ok() && !reader.empty()) reader.Fail("there is data behind the last properties");
  return reader.status("properties");
}

absl::Status ReadTables(Sections& sections, BytecodeFile& file) {
  absl::Status status = ReadStrings(sections[Section::kStrings], file.strings);
  if (status.ok()) status = ReadDialects(sections[Section::kDialects], file);
  if (status.ok()) {
    status = ReadEntryTable(sections[Section::kEntryOffsets], sections[Section::kEntries], file);
  }
  if (status.ok() && sections.Has(Section::kResourceOffsets)) {
    // Without data there may be declarations only, which take none.
    status =
        ReadResources(sections[Section::kResourceOffsets], sections[Section::kResources], file);
  }
  if (status.ok() && sections.Has(Section::kProperties)) {
    status = ReadProperties(sections[Section::kProperties], file);
  }
  return status;
}

absl::Status CheckVersions(const BytecodeFile& file) {
  if (file.version > kNewestBytecodeVersion) {
    return absl::UnimplementedError(absl::StrCat("bytecode version ", file.version,
                                                 " is newer than the newest known one, ",
                                                 kNewestBytecodeVersion));
  }
  if (file.artifact.has_value() && *file.artifact > kNewestVersion) {
    return absl::UnimplementedError(absl::StrCat("StableHLO version ", file.artifact->ToString(),
                                                 " is newer than the newest known one, ",
                                                 kNewestVersion.ToString()));
  }
  return absl::OkStatus();
}

std::optional<Version> VersionOfProducer(absl::string_view producer) {
  if (!absl::ConsumePrefix(&producer, "StableHLO_v")) return std::nullopt;
  return Version::Parse(producer);
}

}  // namespace

std::string Version::ToString() const { return absl::StrCat(major, ".", minor, ".", patch); }

std::optional<Version> Version::Parse(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  Version version;
  int* const fields[] = {&version.major, &version.minor, &version.patch};
  if (parts.size() != 3) return std::nullopt;
  for (int i = 0; i < 3; ++i) {
    if (parts[i].empty() || !absl::ascii_isdigit(parts[i][0]) ||
        !absl::SimpleAtoi(parts[i], fields[i])) {
      return std::nullopt;
    }
  }
  return version;
}

bool LooksLikeBytecode(absl::string_view bytes) { return bytes.substr(0, 4) == kMagic; }

std::optional<Version> ArtifactVersion(absl::string_view bytes) {
  if (!LooksLikeBytecode(bytes)) return std::nullopt;
  ByteReader reader(bytes, kMagic.size(), bytes.size());
  reader.Varint();
  return VersionOfProducer(reader.CString());
}

ByteReader ReadSection(ByteReader& reader, absl::string_view file, uint8_t& id) {
  constexpr uint8_t kAligned = 0x80;
  id = reader.Byte();
  const uint64_t size = reader.Varint();
  if ((id & kAligned) != 0) {
    id &= ~kAligned;
    const uint64_t alignment = reader.Varint();
    if (reader.ok()) reader.AlignTo(alignment);
  }
  const size_t begin = reader.offset();
  const absl::string_view data = reader.Bytes(size);
  if (!reader.ok()) return ByteReader();
  return ByteReader(file, begin, begin + data.size());
}

absl::StatusOr<BytecodeFile> IndexBytecode(absl::string_view bytes) {
  if (!LooksLikeBytecode(bytes)) return absl::InvalidArgumentError("this is no MLIR bytecode");
  BytecodeFile file;
  file.bytes = bytes;
  ByteReader reader(bytes, kMagic.size(), bytes.size());
  const uint64_t version = reader.Varint();
  file.version = static_cast<int>(std::min<uint64_t>(version, INT32_MAX));
  file.producer = reader.CString();
  if (!reader.ok()) return reader.status("header");
  file.artifact = VersionOfProducer(file.producer);
  if (absl::Status status = CheckVersions(file); !status.ok()) return status;
  absl::StatusOr<Sections> sections = FindSections(reader, bytes);
  if (!sections.ok()) return sections.status();
  if (absl::Status status = ReadTables(*sections, file); !status.ok()) return status;
  file.ir = (*sections)[Section::kIr];
  return file;
}

}  // namespace assay::stablehlo
