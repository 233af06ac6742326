// The container of a bytecode file: its sections, and the tables that number its strings, dialects,
// operation names, attributes, types, resources and properties. Nothing of it is decoded here but
// the tables. Source: MLIR's bytecode format. Tests: bytecode_test.cc, bytecode_errors_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_BYTECODE_FILE_H_
#define ASSAY_SPEC_STABLEHLO_BYTECODE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/stablehlo/byte_reader.h"
#include "spec/stablehlo/bytecode.h"

namespace assay::stablehlo {

struct VhloOp;

// The numbers of sections.
enum class Section : uint8_t {
  kStrings = 0,
  kDialects = 1,
  kEntries = 2,
  kEntryOffsets = 3,
  kIr = 4,
  kResources = 5,
  kResourceOffsets = 6,
  kDialectVersion = 7,
  kProperties = 8,
};
inline constexpr int kSectionCount = 9;

// Whose codes an attribute or type has.
enum class EntryDialect : uint8_t { kBuiltin, kVhlo, kStablehlo, kChlo, kQuant, kSdy, kOther };

struct BytecodeName {
  std::string text;  // "stablehlo.add"
  bool registered = true;
  const VhloOp* vhlo = nullptr;
};

// An attribute or type that is not decoded yet.
struct BytecodeEntry {
  size_t begin = 0;  // in the file
  size_t end = 0;
  EntryDialect dialect = EntryDialect::kOther;
  bool custom = false;  // else text, with its NUL
};

struct BytecodeResource {
  absl::string_view key;
  absl::string_view blob;
  bool has_data = false;
};

struct BytecodeFile {
  absl::string_view bytes;
  bool may_move = false;  // whether constants may be moved within the bytes
  int version = 0;
  absl::string_view producer;
  std::optional<Version> artifact;  // from the producer; only portable artifacts have one
  std::vector<absl::string_view> strings;
  std::vector<absl::string_view> dialects;
  std::vector<BytecodeName> names;
  std::vector<BytecodeEntry> attributes;
  std::vector<BytecodeEntry> types;
  std::vector<absl::string_view> properties;
  std::vector<BytecodeResource> resources;  // of dialects; a handle is an index
  ByteReader ir;
};

// Errors have no file name in front.
absl::StatusOr<BytecodeFile> IndexBytecode(absl::string_view bytes);

// A section's header, and its data; the reader is behind it afterwards. `id` is set.
ByteReader ReadSection(ByteReader& reader, absl::string_view file, uint8_t& id);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_BYTECODE_FILE_H_
