// The tables of dialect.h, made of the rows of dialect_ops.def and dialect_attributes.def.
#include "spec/stablehlo/dialect.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace assay::stablehlo {
namespace {

// A count of regions; of isolated ones as ISOLATED(count).
struct Regions {
  int count;
  bool isolated = false;
  Regions(int count, bool isolated = false)  // NOLINT: a literal in the table
      : count(count), isolated(isolated) {}
};

Field Need(absl::string_view name, FieldKind kind) {
  return {name, kind, Presence::kRequired, {}, 0};
}
Field May(absl::string_view name, FieldKind kind) {
  return {name, kind, Presence::kOptional, {}, 0};
}
Field Newer(absl::string_view name, FieldKind kind) {
  return {name, kind, Presence::kNewer, {}, 0};
}
Field Or(absl::string_view name, FieldKind kind, int64_t value) {
  return {name, kind, Presence::kDefault, {}, value};
}
// What is kept as the text #sdy<TYPE..>, and is written without "#sdy<TYPE" and ">" in pretty
// forms.
Field ShardyNeed(absl::string_view name, absl::string_view type) {
  return {name, FieldKind::kAny, Presence::kRequired, type, 0};
}
Field EnumNeed(absl::string_view name, absl::string_view type) {
  return {name, FieldKind::kEnum, Presence::kRequired, type, 0};
}
Field EnumOr(absl::string_view name, absl::string_view type, int64_t value) {
  return {name, FieldKind::kEnum, Presence::kDefault, type, value};
}
Field EnumsMay(absl::string_view name, absl::string_view type) {
  return {name, FieldKind::kEnums, Presence::kOptional, type, 0};
}
Field RecordNeed(absl::string_view name, absl::string_view type) {
  return {name, FieldKind::kRecord, Presence::kRequired, type, 0};
}
Field RecordMay(absl::string_view name, absl::string_view type) {
  return {name, FieldKind::kRecord, Presence::kOptional, type, 0};
}
Field RecordsNeed(absl::string_view name, absl::string_view type) {
  return {name, FieldKind::kRecords, Presence::kRequired, type, 0};
}
Field RecordsMay(absl::string_view name, absl::string_view type) {
  return {name, FieldKind::kRecords, Presence::kOptional, type, 0};
}

struct Tables {
  std::deque<std::string> names;  // of the rows that mhlo takes over from stablehlo
  std::vector<DialectOp> ops;
  std::vector<EnumRow> enums;
  std::vector<RecordRow> records;
  absl::flat_hash_map<absl::string_view, const DialectOp*> op_by_name;
  absl::flat_hash_map<absl::string_view, const EnumRow*> enum_by_name;
  absl::flat_hash_map<absl::string_view, const RecordRow*> record_by_name;
  absl::flat_hash_set<absl::string_view> dialects;

  Tables();
  void AddOp(absl::string_view name, int hlo, absl::string_view format, Regions regions,
             std::vector<Field> attributes);
  void AddMhlo();
};

void Tables::AddOp(absl::string_view name, int hlo, absl::string_view format, Regions regions,
                   std::vector<Field> attributes) {
  DialectOp op;
  op.name = name;
  op.hlo = hlo;
  op.format = format;
  op.regions = regions.count;
  op.isolated = regions.isolated;
  op.sized = op.short_name() == "scan";
  op.attributes = std::move(attributes);
  ops.push_back(std::move(op));
}

// Adds a row of mhlo for each of stablehlo whose name mhlo does not have of its own.
void Tables::AddMhlo() {
  absl::flat_hash_set<absl::string_view> own;
  for (const DialectOp& op : ops) {
    if (op.dialect() == "mhlo") own.insert(op.short_name());
  }
  const size_t count = ops.size();
  for (size_t i = 0; i < count; ++i) {
    if (ops[i].dialect() != "stablehlo" || own.contains(ops[i].short_name())) continue;
    DialectOp copy = ops[i];
    copy.name = names.emplace_back(absl::StrCat("mhlo.", copy.short_name()));
    ops.push_back(std::move(copy));
  }
}

Tables::Tables() {
  using enum FieldKind;
  const auto ISOLATED = [](int count) { return Regions(count, true); };
#define DIALECT_OP(name, hlo, format, regions, ...) \
  AddOp(name, OpcodeColumn::hlo, format, regions, {__VA_ARGS__});
  struct OpcodeColumn {
    enum : int {
      kNone = kNoOpcode,
#define OP(enumerator, ...) enumerator = static_cast<int>(Opcode::enumerator),
#include "spec/op_catalogue.def"
#undef OP
    };
  };
#include "spec/stablehlo/dialect_ops.def"
#undef DIALECT_OP
#define ENUM(name, first, ...) enums.push_back({name, first, {__VA_ARGS__}});
#define RECORD(name, ...) records.push_back({name, {__VA_ARGS__}});
#include "spec/stablehlo/dialect_attributes.def"
#undef ENUM
#undef RECORD
  AddMhlo();
  for (const DialectOp& op : ops) {
    op_by_name[op.name] = &op;
    dialects.insert(op.dialect());
  }
  for (DialectOp& op : ops) {
    if (op.dialect() == "stablehlo") op.stablehlo = &op;
    if (op.dialect() != "mhlo") continue;
    const auto it =
        op_by_name.find(names.emplace_back(absl::StrCat("stablehlo.", op.short_name())));
    if (it != op_by_name.end()) op.stablehlo = it->second;
  }
  for (const EnumRow& row : enums) enum_by_name[row.name] = &row;
  for (const RecordRow& row : records) record_by_name[row.name] = &row;
}

const Tables& TheTables() {
  static const Tables* const tables = new Tables;
  return *tables;
}

template <typename Map>
typename Map::mapped_type FindRow(const Map& map, absl::string_view name) {
  const auto it = map.find(name);
  return it == map.end() ? nullptr : it->second;
}

}  // namespace

const Field* DialectOp::FindAttribute(absl::string_view attribute) const {
  for (const Field& field : attributes) {
    if (field.name == attribute) return &field;
  }
  return nullptr;
}

absl::string_view EnumRow::Name(int64_t number) const {
  if (number < first || number - first >= static_cast<int64_t>(values.size())) return {};
  return values[number - first];
}

std::optional<int64_t> EnumRow::Number(absl::string_view value) const {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == value) return first + static_cast<int64_t>(i);
  }
  return std::nullopt;
}

const DialectOp* FindDialectOp(absl::string_view name) {
  return FindRow(TheTables().op_by_name, name);
}

const EnumRow* FindEnum(absl::string_view name) { return FindRow(TheTables().enum_by_name, name); }

const RecordRow* FindRecord(absl::string_view name) {
  return FindRow(TheTables().record_by_name, name);
}

absl::Span<const DialectOp> DialectOps() { return TheTables().ops; }

bool IsKnownDialect(absl::string_view dialect) { return TheTables().dialects.contains(dialect); }

}  // namespace assay::stablehlo
