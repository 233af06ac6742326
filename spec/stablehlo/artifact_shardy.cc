// Attributes of the dialect sdy (Shardy) in artifacts: the counterpart of sdy_entries.cc. What the
// tree keeps as text is written as text, which bytecode allows.
// Source: reference stablehlo_format.md 4. Tests: artifact_test.cc.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/artifact_entries.h"

namespace assay::stablehlo {
namespace {

using ShardyKind = ArtifactEntries::ShardyKind;

struct ShardyField {
  ShardyKind kind;
  absl::string_view name;
};

// A record, its code in bytecode, and its fields as they follow the code.
struct ShardyRow {
  absl::string_view name;
  uint64_t code;
  std::vector<ShardyField> fields;
};

// Shardings and lists of them have a second code for those that are unreduced over some axes.
constexpr uint64_t kUnreducedCodes = 9;
constexpr uint64_t kSharding = 6;

const ShardyRow* FindShardyRow(absl::string_view name) {
  using enum ArtifactEntries::ShardyKind;
  static const auto* const rows = new std::vector<ShardyRow>{
      {"sdy.manual_axes", 0, {{kList, "axes"}}},
      {"sdy.mesh_axis", 1, {{kString, "name"}, {kNumber, "size"}}},
      {"sdy.mesh", 2, {{kList, "axes"}, {kNumbers, "device_ids"}}},
      {"sdy.sub_axis_info", 3, {{kNumber, "pre_size"}, {kNumber, "size"}}},
      {"sdy.axis_ref", 4, {{kString, "name"}, {kMayAttribute, "sub_axis_info"}}},
      {"sdy.dimension_sharding",
       5,
       {{kList, "axes"}, {kBool, "is_closed"}, {kMayNumber, "priority"}}},
      {"sdy.sharding",
       kSharding,
       {{kAttribute, "mesh"}, {kList, "dimensions"}, {kList, "replicated"}}},
      {"sdy.sharding_per_value", 7, {{kList, "shardings"}}},
  };
  const auto found = std::find_if(rows->begin(), rows->end(),
                                  [&](const ShardyRow& row) { return row.name == name; });
  return found == rows->end() ? nullptr : &*found;
}

bool IsUnreduced(const Attribute* sharding) {
  const Attribute* const axes = sharding->Find("unreduced");
  return axes != nullptr && !axes->elements.empty();
}

bool HasUnreduced(const Attribute& record) {
  const Attribute* const list = record.Find("shardings");
  return IsUnreduced(&record) ||
         (list != nullptr &&
          std::any_of(list->elements.begin(), list->elements.end(), IsUnreduced));
}

}  // namespace

bool IsShardy(absl::string_view name) {
  return absl::StartsWith(name, "sdy.") || absl::StartsWith(name, "sdy<");
}

uint64_t ArtifactEntries::AddOther(Table& table, absl::string_view dialect, ByteWriter head,
                                   bool is_text) {
  const uint64_t dialect_number = dialects_.Number(dialect);
  auto [found, added] = table.numbers.try_emplace(
      absl::StrCat(dialect, is_text ? " text:" : ":", head.bytes()), table.entries.size());
  if (added) table.entries.push_back({dialect_number, std::move(head).Release(), {}, is_text});
  return found->second;
}

absl::Status ArtifactEntries::AppendShardyList(const Attribute* list, ByteWriter& head) {
  head.Varint(list == nullptr ? 0 : list->elements.size());
  if (list == nullptr) return absl::OkStatus();
  for (const Attribute* element : list->elements) {
    const absl::StatusOr<uint64_t> number = AttributeNumber(*element, Spelling::kBuiltin);
    if (!number.ok()) return number.status();
    head.Varint(*number);
  }
  return absl::OkStatus();
}

absl::Status ArtifactEntries::AppendShardyField(ShardyKind kind, const Attribute* value,
                                                ByteWriter& head) {
  const int64_t integer = value == nullptr ? 0 : value->integer;
  uint64_t number = 0;
  if (value != nullptr && (kind == ShardyKind::kAttribute || kind == ShardyKind::kMayAttribute)) {
    const absl::StatusOr<uint64_t> encoded = AttributeNumber(*value, Spelling::kBuiltin);
    if (!encoded.ok()) return encoded.status();
    number = *encoded;
  }
  switch (kind) {
    case ShardyKind::kString:
      head.Varint(strings_.Number(value == nullptr ? "" : value->text));
      break;
    case ShardyKind::kNumber:
      head.SignedVarint(integer);
      break;
    case ShardyKind::kMayNumber:
      head.VarintWithFlag(static_cast<uint64_t>(integer), value != nullptr);
      break;
    case ShardyKind::kBool:
      head.Byte(integer != 0 ? 1 : 0);
      break;
    case ShardyKind::kNumbers:
      AppendInts(value, head);
      break;
    case ShardyKind::kAttribute:
      head.Varint(number);
      break;
    case ShardyKind::kMayAttribute:
      head.VarintWithFlag(number, value != nullptr);
      break;
    case ShardyKind::kList:
      return AppendShardyList(value, head);
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeShardy(const Attribute& attribute) {
  if (version_ < kFirstWithOtherDialects) return Newer("an attribute of the dialect sdy");
  ByteWriter head;
  if (attribute.kind == AttributeKind::kOpaque) {
    head.Bytes(attribute.text);
    head.Byte(0);
    return AddOther(attributes_, "sdy", std::move(head), /*is_text=*/true);
  }
  const ShardyRow* const row = FindShardyRow(attribute.name);
  if (row == nullptr) return Newer(absl::StrCat("the attribute #", attribute.name));
  const bool unreduced = HasUnreduced(attribute);
  head.Varint(unreduced ? row->code + kUnreducedCodes : row->code);
  for (const ShardyField& field : row->fields) {
    absl::Status status = AppendShardyField(field.kind, attribute.Find(field.name), head);
    if (!status.ok()) return status;
  }
  if (row->code == kSharding && unreduced) {
    absl::Status status = AppendShardyList(attribute.Find("unreduced"), head);
    if (!status.ok()) return status;
  }
  return AddOther(attributes_, "sdy", std::move(head));
}

}  // namespace assay::stablehlo
