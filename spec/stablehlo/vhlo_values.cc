#include "spec/stablehlo/vhlo_values.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/attribute_checks.h"
#include "spec/stablehlo/dense_bytes.h"

namespace assay::stablehlo {
namespace {

// Lists of dimensions are short; a splat could claim any length.
constexpr int64_t kMaxListLength = 8192;

absl::Status Unexpected(const VhloOp& op, absl::string_view attribute, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("the attribute ", attribute, " of ", op.name, " is not ", what));
}

// The elements of a constant of i64 or i1; nullopt for other constants.
std::optional<std::vector<int64_t>> DenseInts(const Attribute& dense) {
  const std::optional<int64_t> count = DenseElementCount(*dense.type);
  if (!count.has_value() || *count > kMaxListLength) return std::nullopt;
  const ElementType element = dense.type->element_type();
  if (element != ElementType::kS64 && element != ElementType::kPred) return std::nullopt;
  std::vector<int64_t> ints(*count);
  for (int64_t i = 0; i < *count; ++i) {
    const int64_t at = dense.is_splat ? 0 : i;
    if (element == ElementType::kPred) {
      ints[i] = static_cast<int64_t>(dense.bytes[at]);
    } else {
      std::memcpy(&ints[i], dense.bytes.get() + 8 * at, 8);
    }
  }
  return ints;
}

// An empty list, which a window of no dimensions has, is kept.
bool AreAll(const Attribute& value, int64_t number) {
  std::vector<int64_t> ints = value.ints;
  if (value.kind == AttributeKind::kDense) ints = DenseInts(value).value_or(std::vector{~number});
  return !ints.empty() &&
         std::all_of(ints.begin(), ints.end(), [&](int64_t n) { return n == number; });
}

// Converts one operation's attributes.
class FromVhloConverter {
 public:
  FromVhloConverter(Program& program, const VhloOp& op) : program_(program), op_(op) {}

  absl::StatusOr<AttributeList> Convert(absl::Span<const Attribute* const> values);

 private:
  absl::StatusOr<const Attribute*> Value(const Field& field, const Attribute* value);
  absl::StatusOr<const Attribute*> Checked(const Field& field, const Attribute* value);
  absl::StatusOr<const Attribute*> Symbols(const Field& field, const Attribute* value);
  absl::Status AddPart(const VhloAttribute& attribute, const Attribute* value);
  void AddRecord(const Field& target, AttributeList& list);
  const Attribute* Symbol(const Attribute& string);

  Program& program_;
  const VhloOp& op_;
  // Records in the making: their attributes, and the fields that were met.
  absl::InlinedVector<std::pair<const Field*, std::vector<NamedAttribute>>, 2> records_;
};

const Attribute* FromVhloConverter::Symbol(const Attribute& string) {
  Attribute* symbol = program_.NewAttribute(AttributeKind::kSymbol);
  symbol->text = string.text;
  return symbol;
}

absl::StatusOr<const Attribute*> FromVhloConverter::Symbols(const Field& field,
                                                            const Attribute* value) {
  if (value->kind != AttributeKind::kArray) return Unexpected(op_, field.name, "a list");
  Attribute* array = program_.NewAttribute(AttributeKind::kArray);
  for (const Attribute* element : value->elements) {
    if (element->kind != AttributeKind::kString)
      return Unexpected(op_, field.name, "a list of names");
    array->elements.push_back(Symbol(*element));
  }
  return array;
}

absl::StatusOr<const Attribute*> FromVhloConverter::Value(const Field& field,
                                                          const Attribute* value) {
  switch (field.kind) {
    case FieldKind::kSymbol:
      if (value->kind != AttributeKind::kString) return Unexpected(op_, field.name, "a name");
      return Symbol(*value);
    case FieldKind::kSymbols:
      return Symbols(field, value);
    case FieldKind::kUnit:
      if (value->kind != AttributeKind::kBool) return Unexpected(op_, field.name, "true or false");
      return program_.NewAttribute(AttributeKind::kUnit);
    default:
      return value;
  }
}

absl::StatusOr<const Attribute*> FromVhloConverter::Checked(const Field& field,
                                                            const Attribute* value) {
  absl::StatusOr<const Attribute*> converted = Value(field, value);
  if (!converted.ok()) return converted;
  const Attribute* checked = AsFieldKind(program_, field, *converted);
  if (checked == nullptr) return Unexpected(op_, field.name, DescribeKind(field));
  return checked;
}

absl::Status FromVhloConverter::AddPart(const VhloAttribute& attribute, const Attribute* value) {
  absl::StatusOr<const Attribute*> converted = Checked(*attribute.part, value);
  if (!converted.ok()) return converted.status();
  auto* record = std::find_if(records_.begin(), records_.end(),
                              [&](const auto& r) { return r.first == attribute.target; });
  if (record == records_.end()) {
    records_.emplace_back(attribute.target, std::vector<NamedAttribute>());
    record = records_.end() - 1;
  }
  record->second.push_back({attribute.part->name, *converted});
  return absl::OkStatus();
}

bool IsNoneType(const Attribute* value) {
  return value != nullptr && value->kind == AttributeKind::kType &&
         value->type->kind == TypeKind::kNone;
}

// Makes a record of its parts, in the order of its row; those with the value that absence means
// are left away. A whole record may be absent, too: a channel without number, no algorithm.
void FromVhloConverter::AddRecord(const Field& target, AttributeList& list) {
  const std::vector<NamedAttribute>& parts =
      std::find_if(records_.begin(), records_.end(), [&](const auto& r) {
        return r.first == &target;
      })->second;
  auto part = [&](absl::string_view name) -> const Attribute* {
    for (const NamedAttribute& p : parts) {
      if (p.name == name) return p.value;
    }
    return nullptr;
  };
  const bool optional = !target.required();
  if (optional && target.name == "algorithm" && IsNoneType(part("lhs_precision_type"))) return;
  if (optional && target.name == "channel_handle" &&
      (part("handle") == nullptr || part("handle")->integer == 0)) {
    return;
  }
  const RecordRow* row = FindRecord(target.type_name);
  Attribute* record = program_.NewAttribute(AttributeKind::kRecord);
  record->name = row->name;
  for (const Field& field : row->fields) {
    const Attribute* value = part(field.name);
    if (value == nullptr && field.required() && field.kind == FieldKind::kInt64) {
      Attribute* zero = program_.NewAttribute(AttributeKind::kInteger);
      zero->type = program_.Scalar(ElementType::kS64);
      value = zero;
    }
    if (value == nullptr) continue;
    const bool is_default = field.presence == Presence::kDefault &&
                            value->kind == AttributeKind::kInteger &&
                            value->integer == field.default_value;
    const bool is_empty = field.presence == Presence::kOptional &&
                          value->kind == AttributeKind::kInts && value->ints.empty();
    if (!is_default && !is_empty) record->fields.push_back({field.name, value});
  }
  list.push_back({target.name, record});
}

// Whether StableHLO says the same without the attribute. `value` is VHLO's.
bool IsDefault(const Field& field, const Attribute& value) {
  switch (field.kind) {
    case FieldKind::kUnit:
      return value.kind == AttributeKind::kBool && value.integer == 0;
    case FieldKind::kBool:
    case FieldKind::kInt64:
    case FieldKind::kInt32:
    case FieldKind::kEnum:
      return field.presence == Presence::kDefault && value.integer == field.default_value;
    case FieldKind::kString:
      return field.name == "sym_visibility" && value.text.empty();
    case FieldKind::kAny:  // backend_config
      return !field.required() && value.text.empty() && value.fields.empty() &&
             (value.kind == AttributeKind::kString || value.kind == AttributeKind::kDictionary);
    case FieldKind::kArray:
    case FieldKind::kDictionaries:
    case FieldKind::kStrings:
    case FieldKind::kSymbols:
    case FieldKind::kRecords:
      return !field.required() && value.kind == AttributeKind::kArray && value.elements.empty();
    case FieldKind::kDictionary:
      return !field.required() && value.fields.empty();
    case FieldKind::kInts:
      if (field.required()) return false;
      // Lists of dimensions are absent when they are empty; strides and dilations when all are 1.
      return absl::StartsWith(field.name, "known_") ? value.byte_count == 0 : AreAll(value, 1);
    case FieldKind::kBools:
      return !field.required() && AreAll(value, 0);
    case FieldKind::kDense:
      if (field.required()) return false;
      return field.name == "padding" ? AreAll(value, 0) : value.byte_count == 0;
    case FieldKind::kEnums:  // precisions
      return !field.required() &&
             std::all_of(value.elements.begin(), value.elements.end(),
                         [](const Attribute* element) { return element->integer == 0; });
    case FieldKind::kRecord:
      return !field.required() &&
             std::all_of(value.fields.begin(), value.fields.end(),
                         [](const NamedAttribute& part) { return part.value->integer == 0; });
    default:
      return false;
  }
}

absl::StatusOr<AttributeList> FromVhloConverter::Convert(
    absl::Span<const Attribute* const> values) {
  AttributeList list;
  bool has_layouts = false;
  for (size_t i = 0; i < values.size(); ++i) {
    has_layouts = has_layouts || (values[i] != nullptr && !values[i]->elements.empty() &&
                                  absl::EndsWith(op_.attributes[i].name, "_layouts"));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const VhloAttribute& attribute = op_.attributes[i];
    const Attribute* value = values[i];
    if (value == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(op_.name, " has no attribute ", attribute.name));
    }
    if (attribute.target == nullptr) continue;
    const Field& target = *attribute.target;
    // An algorithm that is absent has types where there would be numbers.
    if (attribute.part != nullptr) {
      const bool absent = target.name == "algorithm" && IsNoneType(value);
      if (absent && attribute.part->kind != FieldKind::kType) continue;
      if (absl::Status status = AddPart(attribute, value); !status.ok()) return status;
      continue;
    }
    const bool is_layout = absl::EndsWith(attribute.name, "_layouts");
    if (is_layout ? !has_layouts : IsDefault(target, *value)) continue;
    absl::StatusOr<const Attribute*> converted = Checked(target, value);
    if (!converted.ok()) return converted.status();
    list.push_back({target.name, *converted});
  }
  for (const auto& [target, parts] : records_) AddRecord(*target, list);
  return list;
}

}  // namespace

absl::StatusOr<AttributeList> FromVhlo(Program& program, const VhloOp& op,
                                       absl::Span<const Attribute* const> values) {
  return FromVhloConverter(program, op).Convert(values);
}

}  // namespace assay::stablehlo
