// Writes portable artifacts: operations, then the tables that they have made, as a bytecode file.
// Operations of StableHLO become VHLO's, with its types. Those of Shardy (sdy) keep builtin's
// types, and a cast stands behind a value of one kind that an operation of the other kind uses.
// Source: reference stablehlo_format.md 3 and 5. Tests: artifact_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/artifact_entries.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/bytecode_file.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/to_vhlo.h"

namespace assay::stablehlo {
namespace {

// The deepest nesting of regions, as readers have it.
constexpr int kMaxWrittenDepth = 256;

// The version of the bytecode that readers of a StableHLO version know.
int BytecodeVersion(Version version) {
  if (version < Version{0, 10, 0}) return 0;
  if (version < Version{0, 12, 0}) return 1;
  if (version < Version{0, 14, 0}) return 3;
  if (version < Version{0, 15, 0}) return 4;
  return kNewestBytecodeVersion;
}

void AppendSection(Section id, absl::string_view data, ByteWriter& out) {
  out.Byte(static_cast<uint8_t>(id));
  out.Blob(data);
}

class ArtifactWriter {
 public:
  explicit ArtifactWriter(Version version)
      : version_(BytecodeVersion(version)), entries_(version) {}

  absl::StatusOr<std::string> Write(const Program& program);

 private:
  // The numbers of the values that an operation may use.
  struct Scope {
    absl::flat_hash_map<const Value*, uint64_t> numbers;
    absl::flat_hash_map<const Value*, uint64_t> casts;  // of the casts behind values
    uint64_t size = 0;
  };

  absl::Status WriteOperation(const Operation& op, Scope& scope, int depth, ByteWriter& out);
  absl::Status WriteParts(const Operation& op, Scope& scope, ByteWriter& out);
  absl::Status WriteRegions(const Operation& op, Scope& scope, int depth, ByteWriter& out);
  absl::Status WriteRegion(const Region& region, Scope& scope, int depth, ByteWriter& out);
  absl::Status WriteBlock(const Block& block, Scope& scope, int depth, ByteWriter& out);
  absl::Status WriteTypes(ValueRange values, Spelling spelling, ByteWriter& out);
  absl::Status WriteOperands(const Operation& op, Scope& scope, ByteWriter& out);
  // Finds the values that operations of both kinds use.
  void FindCasts(const Region& region, bool in_shardy);
  Spelling SpellingOf(const Value* value) const;
  absl::Status WriteCasts(ValueRange values, Scope& scope, ByteWriter& out);
  void NumberValues(ValueRange values, Scope& scope);
  // The names and numbers of the operation's inherent attributes, then of the others.
  absl::Status Attributes(const Operation& op, const VhloOp* vhlo,
                          std::vector<std::pair<absl::string_view, uint64_t>>& inherent,
                          std::vector<std::pair<absl::string_view, uint64_t>>& others);
  absl::Status WriteAttributes(const Operation& op, const VhloOp* vhlo, uint8_t& mask,
                               ByteWriter& parts);
  absl::StatusOr<const VhloOp*> VhloFor(const Operation& op) const;
  uint64_t NameNumber(absl::string_view dialect, absl::string_view name);
  std::string Strings();
  std::string Dialects();
  std::string Offsets();

  int version_;
  ArtifactEntries entries_;
  absl::flat_hash_set<const Value*> shardy_values_;  // of Shardy's operations and their regions
  absl::flat_hash_set<const Value*> cast_values_;    // that operations of both kinds use
  NumberedTexts names_;                              // "vhlo add_v1"
  NumberedTexts properties_;                         // the blobs
};

template <typename Visit>
void ForEachValue(const Block& block, Visit visit) {
  for (const Value* argument : block.arguments) visit(argument);
  for (const Operation* op : block.operations) {
    for (const Value* result : op->results()) visit(result);
  }
}

// Whether an operation stays one of the dialect sdy, and has builtin's types.
bool IsShardyOp(const Operation& op) { return IsShardy(op.name()); }

void ArtifactWriter::FindCasts(const Region& region, bool in_shardy) {
  for (const Block* block : region.blocks()) {
    if (in_shardy) shardy_values_.insert(block->arguments.begin(), block->arguments.end());
    for (const Operation* op : block->operations) {
      const bool is_shardy = IsShardyOp(*op);
      if (is_shardy) shardy_values_.insert(op->results().begin(), op->results().end());
      for (const Value* operand : op->operands()) {
        if (shardy_values_.contains(operand) != is_shardy) cast_values_.insert(operand);
      }
      for (const Region& inner : op->regions()) FindCasts(inner, is_shardy);
    }
  }
}

Spelling ArtifactWriter::SpellingOf(const Value* value) const {
  return shardy_values_.contains(value) ? Spelling::kBuiltin : Spelling::kVhlo;
}

// What a value is to operations of the other kind, behind its definition.
absl::Status ArtifactWriter::WriteCasts(ValueRange values, Scope& scope, ByteWriter& out) {
  for (const Value* value : values) {
    if (!cast_values_.contains(value)) continue;
    const Spelling to = SpellingOf(value) == Spelling::kVhlo ? Spelling::kBuiltin : Spelling::kVhlo;
    const absl::StatusOr<uint64_t> type = entries_.TypeNumber(*value->type(), to);
    if (!type.ok()) return type.status();
    const absl::StatusOr<uint64_t> location = entries_.LocationNumber(nullptr);
    if (!location.ok()) return location.status();
    out.Varint(NameNumber("builtin", "unrealized_conversion_cast"));
    out.Byte(0x02 | 0x04);
    out.Varint(*location);
    for (const uint64_t number : {uint64_t{1}, *type, uint64_t{1}, scope.numbers.at(value)}) {
      out.Varint(number);
    }
  }
  return absl::OkStatus();
}

uint64_t ArtifactWriter::NameNumber(absl::string_view dialect, absl::string_view name) {
  entries_.dialects().Number(dialect);
  entries_.strings().Number(dialect);
  entries_.strings().Number(name);
  return names_.Number(absl::StrCat(dialect, " ", name));
}

absl::Status ArtifactWriter::Attributes(
    const Operation& op, const VhloOp* vhlo,
    std::vector<std::pair<absl::string_view, uint64_t>>& inherent,
    std::vector<std::pair<absl::string_view, uint64_t>>& others) {
  if (vhlo != nullptr) {
    absl::StatusOr<std::vector<uint64_t>> numbers = ToVhlo(op, *vhlo, entries_);
    if (!numbers.ok()) return numbers.status();
    for (size_t i = 0; i < numbers->size(); ++i) {
      inherent.emplace_back(vhlo->attributes[i].name, (*numbers)[i]);
    }
  }
  // The module, Shardy's operations and their attributes have builtin's spelling.
  const Spelling spelling = vhlo != nullptr ? Spelling::kVhlo : Spelling::kBuiltin;
  for (const NamedAttribute& attribute : op.attributes()) {
    const bool is_inherent =
        op.row() != nullptr && op.row()->FindAttribute(attribute.name) != nullptr;
    if (is_inherent && vhlo != nullptr) continue;
    absl::StatusOr<uint64_t> number = entries_.AttributeNumber(*attribute.value, spelling);
    if (!number.ok()) return number.status();
    (is_inherent ? inherent : others).emplace_back(attribute.name, *number);
  }
  return absl::OkStatus();
}

absl::Status ArtifactWriter::WriteAttributes(const Operation& op, const VhloOp* vhlo, uint8_t& mask,
                                             ByteWriter& parts) {
  std::vector<std::pair<absl::string_view, uint64_t>> inherent, others;
  if (absl::Status status = Attributes(op, vhlo, inherent, others); !status.ok()) return status;
  const bool has_properties = version_ >= 5;
  if (!has_properties) others.insert(others.end(), inherent.begin(), inherent.end());
  if (!others.empty()) {
    mask |= 0x01;
    parts.Varint(entries_.DictionaryNumber(others, Spelling::kBuiltin));
  }
  ByteWriter blob;
  if (vhlo != nullptr) {
    for (const auto& [name, number] : inherent) blob.Varint(number);
  } else {
    for (const Field& field : op.row()->attributes) {
      const auto found = std::find_if(inherent.begin(), inherent.end(),
                                      [&](const auto& one) { return one.first == field.name; });
      const bool given = found != inherent.end();
      if (field.required() && !given) {
        return absl::InvalidArgumentError(
            absl::StrCat("the attribute ", field.name, " is missing"));
      }
      if (field.required()) {
        blob.Varint(found->second);
      } else {
        blob.VarintWithFlag(given ? found->second : 0, given);
      }
    }
  }
  if (has_properties && !blob.bytes().empty()) {
    mask |= 0x40;
    parts.Varint(properties_.Number(blob.bytes()));
  }
  return absl::OkStatus();
}

absl::Status ArtifactWriter::WriteTypes(ValueRange values, Spelling spelling, ByteWriter& out) {
  out.Varint(values.size());
  for (const Value* value : values) {
    absl::StatusOr<uint64_t> type = entries_.TypeNumber(*value->type(), spelling);
    if (!type.ok()) return type.status();
    out.Varint(*type);
  }
  return absl::OkStatus();
}

absl::Status ArtifactWriter::WriteOperands(const Operation& op, Scope& scope, ByteWriter& out) {
  const Spelling spelling = IsShardyOp(op) ? Spelling::kBuiltin : Spelling::kVhlo;
  out.Varint(op.operands().size());
  for (const Value* operand : op.operands()) {
    const auto& numbers = SpellingOf(operand) == spelling ? scope.numbers : scope.casts;
    const auto number = numbers.find(operand);
    if (number == numbers.end()) {
      return absl::InvalidArgumentError("an operand is a value that is not defined before");
    }
    out.Varint(number->second);
  }
  return absl::OkStatus();
}

absl::Status ArtifactWriter::WriteBlock(const Block& block, Scope& scope, int depth,
                                        ByteWriter& out) {
  const bool has_arguments = !block.arguments.empty();
  size_t casts = 0;
  if (!cast_values_.empty()) {
    ForEachValue(block, [&](const Value* value) { casts += cast_values_.count(value); });
  }
  out.VarintWithFlag(block.operations.size() + casts, has_arguments);
  if (has_arguments) {
    out.Varint(block.arguments.size());
    for (const Value* argument : block.arguments) {
      absl::StatusOr<uint64_t> type = entries_.TypeNumber(*argument->type(), SpellingOf(argument));
      if (!type.ok()) return type.status();
      absl::StatusOr<uint64_t> location = entries_.LocationNumber(argument->location());
      if (!location.ok()) return location.status();
      if (version_ >= 4) {
        out.VarintWithFlag(*type, true);
      } else {
        out.Varint(*type);
      }
      out.Varint(*location);
    }
    if (version_ >= 3) out.Byte(0);
    absl::Status status = WriteCasts(block.arguments, scope, out);
    if (!status.ok()) return status;
  }
  for (const Operation* op : block.operations) {
    absl::Status status = WriteOperation(*op, scope, depth, out);
    if (status.ok()) status = WriteCasts(op->results(), scope, out);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Casts follow the values that an argument list or an operation defines.
void ArtifactWriter::NumberValues(ValueRange values, Scope& scope) {
  for (const Value* value : values) scope.numbers[value] = scope.size++;
  if (cast_values_.empty()) return;
  for (const Value* value : values) {
    if (cast_values_.contains(value)) scope.casts[value] = scope.size++;
  }
}

// Numbers all values of the region itself, then writes it. What is nested comes behind them.
absl::Status ArtifactWriter::WriteRegion(const Region& region, Scope& scope, int depth,
                                         ByteWriter& out) {
  out.Varint(region.blocks().size());
  if (region.blocks().empty()) return absl::OkStatus();
  const uint64_t first = scope.size;
  for (const Block* block : region.blocks()) {
    NumberValues(block->arguments, scope);
    for (const Operation* op : block->operations) NumberValues(op->results(), scope);
  }
  out.Varint(scope.size - first);
  for (const Block* block : region.blocks()) {
    if (absl::Status status = WriteBlock(*block, scope, depth, out); !status.ok()) return status;
  }
  for (const Block* block : region.blocks()) {
    ForEachValue(*block, [&](const Value* value) {
      scope.numbers.erase(value);
      scope.casts.erase(value);
    });
  }
  scope.size = first;
  return absl::OkStatus();
}

absl::Status ArtifactWriter::WriteRegions(const Operation& op, Scope& scope, int depth,
                                          ByteWriter& out) {
  const bool isolated = op.row() != nullptr && op.row()->isolated;
  out.VarintWithFlag(op.regions().size(), isolated);
  Scope own;
  ByteWriter section;
  const bool in_section = isolated && version_ >= 2;
  for (const Region& region : op.regions()) {
    absl::Status status =
        WriteRegion(region, isolated ? own : scope, depth + 1, in_section ? section : out);
    if (!status.ok()) return status;
  }
  if (in_section) AppendSection(Section::kIr, section.bytes(), out);
  return absl::OkStatus();
}

// Null for the operations that are not VHLO's: the module and those of Shardy.
absl::StatusOr<const VhloOp*> ArtifactWriter::VhloFor(const Operation& op) const {
  if (op.name() == "builtin.module") return nullptr;
  if (!IsShardyOp(op) || op.row() == nullptr) return VhloOpFor(op, entries_);
  if (entries_.version() < kFirstWithOtherDialects) {
    return absl::UnimplementedError(absl::StrCat(op.name(), " cannot be said in StableHLO ",
                                                 entries_.version().ToString(), ", but from ",
                                                 kFirstWithOtherDialects.ToString(), " on"));
  }
  return nullptr;
}

absl::Status ArtifactWriter::WriteParts(const Operation& op, Scope& scope, ByteWriter& out) {
  const absl::StatusOr<const VhloOp*> found = VhloFor(op);
  if (!found.ok()) return found.status();
  const VhloOp* const vhlo = *found;
  uint8_t mask = 0;
  ByteWriter parts;
  if (absl::Status status = WriteAttributes(op, vhlo, mask, parts); !status.ok()) return status;
  if (!op.results().empty()) {
    mask |= 0x02;
    if (absl::Status status =
            WriteTypes(op.results(), IsShardyOp(op) ? Spelling::kBuiltin : Spelling::kVhlo, parts);
        !status.ok())
      return status;
  }
  if (!op.operands().empty()) {
    mask |= 0x04;
    if (absl::Status status = WriteOperands(op, scope, parts); !status.ok()) return status;
  }
  if (!op.regions().empty()) mask |= 0x10;
  absl::StatusOr<uint64_t> location = entries_.LocationNumber(op.location);
  if (!location.ok()) return location.status();
  const absl::string_view name = vhlo == nullptr ? op.name() : absl::string_view(vhlo->name);
  const size_t dot = name.find('.');
  out.Varint(NameNumber(name.substr(0, dot), name.substr(dot + 1)));
  out.Byte(mask);
  out.Varint(*location);
  out.Bytes(parts.bytes());
  return absl::OkStatus();
}

absl::Status ArtifactWriter::WriteOperation(const Operation& op, Scope& scope, int depth,
                                            ByteWriter& out) {
  if (depth > kMaxWrittenDepth) {
    return absl::InvalidArgumentError("regions are nested too deeply");
  }
  if (absl::Status status = WriteParts(op, scope, out); !status.ok()) {
    return absl::Status(status.code(), absl::StrCat(op.Describe(), ": ", status.message()));
  }
  return op.regions().empty() ? absl::OkStatus() : WriteRegions(op, scope, depth, out);
}

std::string ArtifactWriter::Strings() {
  const std::vector<std::string>& texts = entries_.strings().texts();
  ByteWriter out;
  out.Varint(texts.size());
  for (size_t i = texts.size(); i-- > 0;) out.Varint(texts[i].size() + 1);
  for (const std::string& text : texts) {
    out.Bytes(text);
    out.Byte(0);
  }
  return std::move(out).Release();
}

// Dialects are numbered as they were met; names stand in groups of one dialect.
std::string ArtifactWriter::Dialects() {
  const std::vector<std::string>& dialects = entries_.dialects().texts();
  const std::vector<std::string>& names = names_.texts();
  ByteWriter out;
  out.Varint(dialects.size());
  for (const std::string& dialect : dialects) {
    const uint64_t text = entries_.strings().Number(dialect);
    out.Varint(version_ >= 1 ? text << 1 : text);
  }
  if (version_ >= 4) out.Varint(names.size());
  for (size_t i = 0; i < names.size();) {
    const std::string dialect = names[i].substr(0, names[i].find(' '));
    size_t end = i;
    while (end < names.size() && names[end].substr(0, names[end].find(' ')) == dialect) ++end;
    out.Varint(entries_.dialects().Number(dialect));
    out.Varint(end - i);
    for (; i < end; ++i) {
      const uint64_t text = entries_.strings().Number(names[i].substr(dialect.size() + 1));
      out.Varint(version_ >= 5 ? text << 1 | 1 : text);
    }
  }
  return std::move(out).Release();
}

std::string ArtifactWriter::Offsets() {
  ByteWriter out;
  out.Varint(entries_.attributes().size());
  out.Varint(entries_.types().size());
  for (const auto* entries : {&entries_.attributes(), &entries_.types()}) {
    for (size_t i = 0; i < entries->size();) {
      const uint64_t dialect = (*entries)[i].dialect;
      size_t end = i;
      while (end < entries->size() && (*entries)[end].dialect == dialect) ++end;
      out.Varint(dialect);
      out.Varint(end - i);
      for (; i < end; ++i) {
        const ArtifactEntry& entry = (*entries)[i];
        out.VarintWithFlag(entry.head.size() + entry.blob.size(), !entry.is_text);
      }
    }
  }
  return std::move(out).Release();
}

absl::StatusOr<std::string> ArtifactWriter::Write(const Program& program) {
  entries_.dialects().Number("builtin");
  entries_.dialects().Number("vhlo");
  ByteWriter ir;
  ir.VarintWithFlag(1, false);
  for (const Region& region : program.module->regions()) FindCasts(region, /*in_shardy=*/false);
  Scope scope;
  absl::Status status = WriteOperation(*program.module, scope, 0, ir);
  if (!status.ok()) return status;
  for (const std::string& dialect : entries_.dialects().texts()) entries_.strings().Number(dialect);

  ByteWriter out;
  out.Bytes(absl::string_view("\x4d\x4c\xef\x52", 4));
  out.Varint(static_cast<uint64_t>(version_));
  out.Bytes(absl::StrCat("StableHLO_v", entries_.version().ToString()));
  out.Byte(0);
  AppendSection(Section::kDialects, Dialects(), out);
  AppendSection(Section::kEntryOffsets, Offsets(), out);
  uint64_t size = 0;
  for (const auto* entries : {&entries_.attributes(), &entries_.types()}) {
    for (const ArtifactEntry& entry : *entries) size += entry.head.size() + entry.blob.size();
  }
  out.Byte(static_cast<uint8_t>(Section::kEntries));
  out.Varint(size);
  out.Reserve(size + ir.bytes().size());
  for (const auto* entries : {&entries_.attributes(), &entries_.types()}) {
    for (const ArtifactEntry& entry : *entries) {
      out.Bytes(entry.head);
      out.Bytes(entry.blob);
    }
  }
  AppendSection(Section::kIr, ir.bytes(), out);
  AppendSection(Section::kStrings, Strings(), out);
  if (version_ >= 5) {
    ByteWriter properties;
    properties.Varint(properties_.texts().size());
    for (const std::string& blob : properties_.texts()) properties.Blob(blob);
    AppendSection(Section::kProperties, properties.bytes(), out);
  }
  return std::move(out).Release();
}

}  // namespace

absl::StatusOr<std::string> WriteArtifact(const Program& program, Version version) {
  if (version < kOldestVersion || version > kNewestVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("artifacts are written for the versions ", kOldestVersion.ToString(), " to ",
                     kNewestVersion.ToString(), ", not for ", version.ToString()));
  }
  return ArtifactWriter(version).Write(program);
}

}  // namespace assay::stablehlo
