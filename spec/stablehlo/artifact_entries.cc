#include "spec/stablehlo/artifact_entries.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/dense_bytes.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

// Longer blobs are not compared with each other: constants that are one attribute have one number
// in any case.
constexpr size_t kMaxComparedBlob = 1024;

// The bits of a number of this width, as the format has them.
void AppendBits(int64_t bits, int width, ByteWriter& out) {
  if (width <= 8) {
    out.Byte(static_cast<uint8_t>(bits));
  } else {
    const int shift = 64 - width;
    out.SignedVarint(static_cast<int64_t>(static_cast<uint64_t>(bits) << shift) >> shift);
  }
}

int WidthOf(const Type& type) {
  switch (type.kind) {
    case TypeKind::kScalar:
      return Info(type.element).bits;
    case TypeKind::kInteger:
      return static_cast<int>(type.width);
    case TypeKind::kTf32:
      return 19;
    default:
      return 64;
  }
}

// Truth values as bits, the lowest first.
std::string Pack(const Attribute& dense) {
  if (dense.is_splat || dense.byte_count == 1) {
    return std::string(1, dense.bytes[0] == std::byte{0} ? '\0' : '\xff');
  }
  std::string packed((dense.byte_count + 7) / 8, '\0');
  for (int64_t i = 0; i < dense.byte_count; ++i) {
    if (dense.bytes[i] != std::byte{0}) packed[i / 8] |= static_cast<char>(1 << (i % 8));
  }
  return packed;
}

// The codes of VHLO's enumerations; 0 for others.
uint64_t EnumCode(absl::string_view name) {
  if (name == "stablehlo.comparison_direction") return 3;
  if (name == "stablehlo.comparison_type") return 4;
  if (name == "stablehlo.custom_call_api_version") return 5;
  if (name == "stablehlo.fft_type") return 7;
  if (name == "stablehlo.precision") return 11;
  if (name == "stablehlo.rng_algorithm") return 12;
  if (name == "stablehlo.rng_distribution") return 13;
  if (name == "stablehlo.transpose") return 16;
  if (name == "stablehlo.result_accuracy_mode") return 19;
  return 0;
}

int64_t NumberField(const Attribute& record, absl::string_view name) {
  const Attribute* field = record.Find(name);
  return field == nullptr ? 0 : field->integer;
}

}  // namespace

void AppendInts(const Attribute* list, ByteWriter& out) {
  if (list == nullptr) return out.Varint(0);
  out.Varint(list->ints.size());
  for (int64_t value : list->ints) out.SignedVarint(value);
}

uint64_t NumberedTexts::Number(absl::string_view text) {
  auto [found, added] = numbers_.try_emplace(text, texts_.size());
  if (added) texts_.emplace_back(text);
  return found->second;
}

absl::Status ArtifactEntries::Newer(absl::string_view what) const {
  return absl::UnimplementedError(
      absl::StrCat(what, " cannot be said in StableHLO ", version_.ToString()));
}

uint64_t ArtifactEntries::Add(Table& table, Spelling spelling, ByteWriter head,
                              absl::string_view blob) {
  const absl::string_view name = spelling == Spelling::kVhlo ? "vhlo" : "builtin";
  const uint64_t dialect = dialects_.Number(name);
  uint64_t number = table.entries.size();
  if (blob.size() <= kMaxComparedBlob) {
    auto [found, added] =
        table.numbers.try_emplace(absl::StrCat(name, ":", head.bytes(), blob), number);
    if (!added) return found->second;
  }
  table.entries.push_back({dialect, std::move(head).Release(), blob});
  return number;
}

uint64_t ArtifactEntries::BoolNumber(bool value) {
  ByteWriter head;
  head.Varint(2);
  head.Varint(value ? 1 : 0);
  return Add(attributes_, Spelling::kVhlo, std::move(head));
}

uint64_t ArtifactEntries::StringNumber(absl::string_view text, Spelling spelling) {
  ByteWriter head;
  head.Varint(spelling == Spelling::kVhlo ? 14 : 2);
  head.Varint(strings_.Number(text));
  return Add(attributes_, spelling, std::move(head));
}

uint64_t ArtifactEntries::EnumNumber(uint64_t code, int64_t value) {
  ByteWriter head;
  head.Varint(code);
  head.Varint(static_cast<uint64_t>(value));
  return Add(attributes_, Spelling::kVhlo, std::move(head));
}

uint64_t ArtifactEntries::ArrayNumber(const std::vector<uint64_t>& elements, Spelling spelling) {
  ByteWriter head;
  head.Varint(spelling == Spelling::kVhlo ? 1 : 0);
  head.Varint(elements.size());
  for (uint64_t element : elements) head.Varint(element);
  return Add(attributes_, spelling, std::move(head));
}

uint64_t ArtifactEntries::TypeAttributeNumber(uint64_t type) {
  ByteWriter head;
  head.Varint(17);
  head.Varint(type);
  return Add(attributes_, Spelling::kVhlo, std::move(head));
}

uint64_t ArtifactEntries::DictionaryNumber(
    const std::vector<std::pair<absl::string_view, uint64_t>>& fields, Spelling spelling) {
  ByteWriter head;
  head.Varint(spelling == Spelling::kVhlo ? 6 : 1);
  head.Varint(fields.size());
  for (const auto& [name, value] : fields) {
    head.Varint(StringNumber(name, spelling));
    head.Varint(value);
  }
  return Add(attributes_, spelling, std::move(head));
}

uint64_t ArtifactEntries::IntegerNumber(int64_t value, ElementType element) {
  Type type;
  type.kind = TypeKind::kScalar;
  type.element = element;
  ByteWriter head;
  head.Varint(9);
  head.Varint(*EncodeVhloType(type));
  head.SignedVarint(value);
  return Add(attributes_, Spelling::kVhlo, std::move(head));
}

absl::StatusOr<uint64_t> ArtifactEntries::TensorNumber(absl::Span<const int64_t> shape,
                                                       absl::Span<const int64_t> values,
                                                       ElementType element) {
  absl::StatusOr<uint64_t> scalar = EncodeScalar(element, Spelling::kVhlo);
  if (!scalar.ok()) return scalar;
  ByteWriter type;
  type.Varint(20);
  type.Varint(shape.size());
  for (int64_t size : shape) type.SignedVarint(size);
  type.Varint(*scalar);
  std::string blob;
  const bool is_splat =
      values.size() > 1 &&
      std::all_of(values.begin(), values.end(), [&](int64_t value) { return value == values[0]; });
  if (element == ElementType::kPred) {
    blob.assign(is_splat ? 1 : (values.size() + 7) / 8, '\0');
    for (size_t i = 0; i < values.size() && !is_splat; ++i) {
      if (values[i] != 0) blob[i / 8] |= static_cast<char>(1 << (i % 8));
    }
    if ((is_splat || values.size() == 1) && values[0] != 0) blob[0] = '\xff';
  } else {
    const size_t count = is_splat ? 1 : values.size();
    blob.assign(reinterpret_cast<const char*>(values.data()), 8 * count);
  }
  ByteWriter head;
  head.Varint(15);
  head.Varint(Add(types_, Spelling::kVhlo, std::move(type)));
  head.Blob(blob);
  return Add(attributes_, Spelling::kVhlo, std::move(head));
}

uint64_t ArtifactEntries::NoneTypeNumber() {
  ByteWriter none;
  none.Varint(33);
  return TypeAttributeNumber(Add(types_, Spelling::kVhlo, std::move(none)));
}

uint64_t ArtifactEntries::DefaultAccuracyNumber() {
  ByteWriter head;
  head.Varint(20);
  for (int i = 0; i < 3; ++i) head.SignedVarint(0);
  head.Varint(EnumNumber(EnumCode("stablehlo.result_accuracy_mode"), 0));
  return Add(attributes_, Spelling::kVhlo, std::move(head));
}

absl::StatusOr<uint64_t> ArtifactEntries::AttributeNumber(const Attribute& attribute,
                                                          Spelling spelling) {
  const Key key = {&attribute, spelling};
  auto found = attribute_numbers_.find(key);
  if (found != attribute_numbers_.end()) return found->second;
  const bool is_shardy =
      (attribute.kind == AttributeKind::kRecord && IsShardy(attribute.name)) ||
      (attribute.kind == AttributeKind::kOpaque && absl::StartsWith(attribute.text, "#") &&
       IsShardy(attribute.text.substr(1)));
  absl::StatusOr<uint64_t> number = is_shardy                     ? EncodeShardy(attribute)
                                    : spelling == Spelling::kVhlo ? EncodeVhlo(attribute)
                                                                  : EncodeBuiltin(attribute);
  if (number.ok()) attribute_numbers_[key] = *number;
  return number;
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeNumber(const Attribute& attribute, uint64_t code,
                                                       Spelling spelling) {
  absl::StatusOr<uint64_t> type = TypeNumber(*attribute.type, spelling);
  if (!type.ok()) return type;
  ByteWriter head;
  head.Varint(code);
  head.Varint(*type);
  AppendBits(attribute.integer, WidthOf(*attribute.type), head);
  return Add(attributes_, spelling, std::move(head));
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeDense(const Attribute& attribute, uint64_t code,
                                                      Spelling spelling) {
  absl::StatusOr<uint64_t> type = TypeNumber(*attribute.type, spelling);
  if (!type.ok()) return type;
  ByteWriter head;
  head.Varint(code);
  head.Varint(*type);
  if (attribute.type->element_type() == ElementType::kPred) {
    // MLIR's truth values have no splat without elements.
    const bool empty = attribute.byte_count == 0 || DenseElementCount(*attribute.type) == 0;
    head.Blob(empty ? std::string() : Pack(attribute));
    return Add(attributes_, spelling, std::move(head));
  }
  const absl::string_view blob(reinterpret_cast<const char*>(attribute.bytes.get()),
                               static_cast<size_t>(attribute.byte_count));
  head.Varint(blob.size());
  return Add(attributes_, spelling, std::move(head), blob);
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeIntsAsTensor(const Attribute& attribute) {
  const ElementType element = attribute.type->element_type();
  // VHLO has no form for arrays of other numbers: MLIR's own writer leaves them to builtin.
  if (element != ElementType::kS64 && element != ElementType::kPred) {
    return EncodeBuiltin(attribute);
  }
  return TensorNumber({static_cast<int64_t>(attribute.ints.size())}, attribute.ints, element);
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeList(const Attribute& attribute,
                                                     Spelling spelling) {
  if (attribute.kind == AttributeKind::kArray) {
    std::vector<uint64_t> elements;
    for (const Attribute* element : attribute.elements) {
      absl::StatusOr<uint64_t> number = AttributeNumber(*element, spelling);
      if (!number.ok()) return number;
      elements.push_back(*number);
    }
    return ArrayNumber(elements, spelling);
  }
  std::vector<std::pair<absl::string_view, uint64_t>> fields;
  for (const NamedAttribute& field : attribute.fields) {
    absl::StatusOr<uint64_t> number = AttributeNumber(*field.value, spelling);
    if (!number.ok()) return number;
    fields.emplace_back(field.name, *number);
  }
  return DictionaryNumber(fields, spelling);
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeRecord(const Attribute& record) {
  ByteWriter head;
  auto reference = [&](absl::string_view name) -> absl::Status {
    const Attribute* field = record.Find(name);
    if (field == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(record.name, " has no ", name));
    }
    absl::StatusOr<uint64_t> number = AttributeNumber(*field, Spelling::kVhlo);
    if (number.ok()) head.Varint(*number);
    return number.status();
  };
  absl::Status status;
  if (record.name == "stablehlo.output_operand_alias") {
    head.Varint(10);
    AppendInts(record.Find("output_tuple_indices"), head);
    head.SignedVarint(NumberField(record, "operand_index"));
    AppendInts(record.Find("operand_tuple_indices"), head);
  } else if (record.name == "stablehlo.result_accuracy") {
    head.Varint(20);
    head.SignedVarint(NumberField(record, "atol"));
    head.SignedVarint(NumberField(record, "rtol"));
    head.SignedVarint(NumberField(record, "ulps"));
    head.Varint(
        EnumNumber(EnumCode("stablehlo.result_accuracy_mode"), NumberField(record, "mode")));
  } else if (version_ < Version{1, 16, 0}) {
    return Newer(absl::StrCat("the attribute #", record.name));
  } else if (record.name == "stablehlo.sub_axis_info") {
    head.Varint(21);
    head.SignedVarint(NumberField(record, "pre_size"));
    head.SignedVarint(NumberField(record, "size"));
  } else if (record.name == "stablehlo.axis_ref") {
    head.Varint(22);
    status = reference("name");
    const bool has_part = record.Find("sub_axis_info") != nullptr;
    head.Varint(has_part ? 1 : 0);
    if (status.ok() && has_part) status = reference("sub_axis_info");
  } else if (record.name == "stablehlo.replica_group_mesh_axes") {
    head.Varint(23);
    status = reference("mesh");
    if (status.ok()) status = reference("axes");
  } else if (record.name == "stablehlo.mesh_axis") {
    head.Varint(24);
    status = reference("name");
    head.SignedVarint(NumberField(record, "size"));
  } else if (record.name == "stablehlo.mesh") {
    head.Varint(25);
    status = reference("axes");
    const Attribute* ids = record.Find("device_ids");
    if (status.ok() && ids != nullptr) {
      absl::StatusOr<uint64_t> number = AttributeNumber(*ids, Spelling::kVhlo);
      status = number.status();
      if (number.ok()) head.VarintWithFlag(*number, true);
    } else {
      head.VarintWithFlag(0, false);
    }
  } else {
    return Newer(absl::StrCat("the attribute #", record.name));
  }
  if (!status.ok()) return status;
  return Add(attributes_, Spelling::kVhlo, std::move(head));
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeVhlo(const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kBool:
      return BoolNumber(attribute.integer != 0);
    case AttributeKind::kInteger:
      return EncodeNumber(attribute, 9, Spelling::kVhlo);
    case AttributeKind::kFloat:
      return EncodeNumber(attribute, 8, Spelling::kVhlo);
    case AttributeKind::kString:
      if (attribute.type != nullptr) break;  // VHLO has no strings with a type
      return StringNumber(attribute.text, Spelling::kVhlo);
    case AttributeKind::kSymbol:
      return StringNumber(attribute.text, Spelling::kVhlo);
    case AttributeKind::kType: {
      absl::StatusOr<uint64_t> type = TypeNumber(*attribute.type, Spelling::kVhlo);
      return type.ok() ? absl::StatusOr<uint64_t>(TypeAttributeNumber(*type)) : type;
    }
    case AttributeKind::kArray:
    case AttributeKind::kDictionary:
      return EncodeList(attribute, Spelling::kVhlo);
    case AttributeKind::kInts:
      return EncodeIntsAsTensor(attribute);
    case AttributeKind::kDense:
      return EncodeDense(attribute, 15, Spelling::kVhlo);
    case AttributeKind::kEnum:
      if (EnumCode(attribute.name) == 0) break;
      return EnumNumber(EnumCode(attribute.name), attribute.integer);
    case AttributeKind::kRecord:
      return EncodeRecord(attribute);
    default:
      break;
  }
  return Newer(absl::StrCat("the attribute ", PrintAttribute(attribute)));
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeBuiltin(const Attribute& attribute) {
  ByteWriter head;
  switch (attribute.kind) {
    case AttributeKind::kUnit:
      head.Varint(7);
      break;
    case AttributeKind::kBool: {
      Type i1;
      i1.kind = TypeKind::kScalar;
      i1.element = ElementType::kPred;
      head.Varint(8);
      head.Varint(*EncodeBuiltinType(i1));
      head.Byte(attribute.integer != 0 ? 1 : 0);
      break;
    }
    case AttributeKind::kInteger:
      return EncodeNumber(attribute, 8, Spelling::kBuiltin);
    case AttributeKind::kFloat:
      return EncodeNumber(attribute, 9, Spelling::kBuiltin);
    case AttributeKind::kString: {
      if (attribute.type == nullptr) return StringNumber(attribute.text, Spelling::kBuiltin);
      absl::StatusOr<uint64_t> type = TypeNumber(*attribute.type, Spelling::kBuiltin);
      if (!type.ok()) return type;
      head.Varint(3);
      head.Varint(strings_.Number(attribute.text));
      head.Varint(*type);
      break;
    }
    case AttributeKind::kSymbol:
      if (absl::StrContains(attribute.text, "::")) {
        return Newer(absl::StrCat("the nested symbol @", attribute.text));
      }
      head.Varint(4);
      head.Varint(StringNumber(attribute.text, Spelling::kBuiltin));
      break;
    case AttributeKind::kType: {
      absl::StatusOr<uint64_t> type = TypeNumber(*attribute.type, Spelling::kBuiltin);
      if (!type.ok()) return type;
      head.Varint(6);
      head.Varint(*type);
      break;
    }
    case AttributeKind::kArray:
    case AttributeKind::kDictionary:
      return EncodeList(attribute, Spelling::kBuiltin);
    case AttributeKind::kDense:
      return EncodeDense(attribute, 18, Spelling::kBuiltin);
    case AttributeKind::kInts: {
      absl::StatusOr<uint64_t> type = TypeNumber(*attribute.type, Spelling::kBuiltin);
      if (!type.ok()) return type;
      const int64_t size = DenseElementBytes(*attribute.type);
      std::string blob;
      for (int64_t value : attribute.ints) {
        blob.append(reinterpret_cast<const char*>(&value), static_cast<size_t>(size));
      }
      head.Varint(17);
      head.Varint(*type);
      head.Varint(attribute.ints.size());
      head.Blob(blob);
      break;
    }
    default:
      return Newer(absl::StrCat("the attribute ", PrintAttribute(attribute)));
  }
  return Add(attributes_, Spelling::kBuiltin, std::move(head));
}

absl::StatusOr<uint64_t> ArtifactEntries::LocationNumber(const Location* location) {
  static const auto* const unknown = new Location();
  if (location == nullptr) location = unknown;
  auto found = location_numbers_.find(location);
  if (found != location_numbers_.end()) return found->second;
  absl::StatusOr<uint64_t> number = EncodeLocation(*location);
  if (number.ok()) location_numbers_[location] = *number;
  return number;
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeLocation(const Location& location) {
  ByteWriter head;
  std::vector<uint64_t> children;
  for (const Location* child : location.children) {
    absl::StatusOr<uint64_t> number = LocationNumber(child);
    if (!number.ok()) return number;
    children.push_back(*number);
  }
  // Places that end somewhere are newer than most versions.
  const bool has_end = location.end_column > 0 && version_ >= Version{1, 10, 0};
  switch (location.kind) {
    case Location::Kind::kUnknown:
      head.Varint(15);
      break;
    case Location::Kind::kFile:
      head.Varint(has_end ? 22 : 11);
      head.Varint(StringNumber(location.text, Spelling::kBuiltin));
      if (has_end) head.Varint(4);
      head.Varint(static_cast<uint64_t>(location.line));
      head.Varint(static_cast<uint64_t>(location.column));
      if (has_end) {
        head.Varint(static_cast<uint64_t>(location.end_line));
        head.Varint(static_cast<uint64_t>(location.end_column));
      }
      break;
    case Location::Kind::kName: {
      head.Varint(14);
      head.Varint(StringNumber(location.text, Spelling::kBuiltin));
      absl::StatusOr<uint64_t> unknown = LocationNumber(nullptr);
      if (!unknown.ok()) return unknown;
      head.Varint(children.empty() ? *unknown : children[0]);
      break;
    }
    case Location::Kind::kCallSite:
      head.Varint(10);
      for (uint64_t child : children) head.Varint(child);
      break;
    case Location::Kind::kFused:
      head.Varint(12);
      head.Varint(children.size());
      for (uint64_t child : children) head.Varint(child);
      break;
  }
  return Add(attributes_, Spelling::kBuiltin, std::move(head));
}

}  // namespace assay::stablehlo
