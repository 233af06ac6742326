#include "spec/stablehlo/entry_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "spec/element/element_type.h"
#include "spec/stablehlo/attribute_checks.h"
#include "spec/stablehlo/dense_bytes.h"
#include "spec/stablehlo/dialect.h"

namespace assay::stablehlo {
namespace {

// The width of integers of this type; 0 for other types.
int IntegerWidth(const Type* type) {
  switch (type->kind) {
    case TypeKind::kScalar:
      return IsFloat(type->element) || IsComplex(type->element) ? 0 : Info(type->element).bits;
    case TypeKind::kInteger:
      return static_cast<int>(type->width);
    case TypeKind::kIndex:
      return 64;
    default:
      return 0;
  }
}

// Whether leaving the field away says the same.
bool IsAbsent(const Field& field, const Attribute* value) {
  if (value == nullptr) return true;
  switch (field.presence) {
    case Presence::kRequired:
      return false;
    case Presence::kDefault:  // modes are spelled in any case
      return field.kind != FieldKind::kEnum && value->integer == field.default_value;
    default:
      return (value->kind == AttributeKind::kInts && value->ints.empty()) ||
             (value->kind == AttributeKind::kArray && value->elements.empty());
  }
}

}  // namespace

void EntryReader::AddWeight(uint32_t weight) {
  weight_ = std::min(weight_ + weight, kMaxEntryWeight + 1);
  if (weight_ > kMaxEntryWeight) Fail("it stands for more than a million attributes");
}

const Attribute* EntryReader::AttrAt(uint64_t index) {
  if (!ok()) return nullptr;
  const Attribute* attribute = entries_.GetAttributeAt(index, depth_ + 1);
  if (attribute == nullptr) {
    Fail("an attribute that it names is invalid");
  } else {
    AddWeight(entries_.attribute_weight(index));
  }
  return attribute;
}

const Attribute* EntryReader::OptionalAttr() {
  const uint64_t bits = Varint();
  return (bits & 1) != 0 ? AttrAt(bits >> 1) : nullptr;
}

const Type* EntryReader::Typ() {
  const uint64_t index = Varint();
  if (!ok()) return nullptr;
  const Type* type = entries_.GetTypeAt(index, depth_ + 1);
  if (type == nullptr) {
    Fail("a type that it names is invalid");
  } else {
    AddWeight(entries_.type_weight(index));
  }
  return type;
}

const Location* EntryReader::Loc() {
  const uint64_t index = Varint();
  if (!ok()) return nullptr;
  const Location* location = entries_.GetLocationAt(index, depth_ + 1);
  if (!entries_.ok()) {
    Fail("a location that it names is invalid");
  } else if (location != nullptr) {
    AddWeight(entries_.locations_[index].weight);
  }
  return location;
}

absl::string_view EntryReader::String() {
  const uint64_t index = Varint();
  const std::vector<absl::string_view>& strings = entries_.file().strings;
  if (index < strings.size()) return ok() ? strings[index] : absl::string_view();
  Fail("there is no string with this number");
  return absl::string_view();
}

absl::string_view EntryReader::StringAttr() {
  const Attribute* attribute = Attr();
  if (attribute == nullptr) return absl::string_view();
  if (attribute->kind != AttributeKind::kString) {
    Fail("a string is expected");
    return absl::string_view();
  }
  return attribute->text;
}

std::vector<const Attribute*> EntryReader::Attrs() {
  const size_t count = Count();
  std::vector<const Attribute*> attributes;
  attributes.reserve(count);
  for (size_t i = 0; ok() && i < count; ++i) attributes.push_back(Attr());
  return attributes;
}

std::vector<const Type*> EntryReader::Types() {
  const size_t count = Count();
  std::vector<const Type*> types;
  types.reserve(count);
  for (size_t i = 0; ok() && i < count; ++i) types.push_back(Typ());
  return types;
}

std::vector<int64_t> EntryReader::Ints() {
  std::vector<int64_t> ints(Count());
  for (int64_t& value : ints) value = SignedVarint();
  return ints;
}

bool EntryReader::Bool() {
  const uint64_t value = Byte();
  if (value > 1) Fail("a truth value is neither 0 nor 1");
  return value == 1;
}

int64_t EntryReader::Bits(int width) {
  if (width <= 0 || width > 64) {
    Fail("numbers of more than 64 bits are not supported");
    return 0;
  }
  const uint64_t bits = width <= 8 ? Byte() : static_cast<uint64_t>(SignedVarint());
  const int shift = 64 - width;
  return static_cast<int64_t>(bits << shift) >> shift;
}

int64_t EntryReader::Integer(const Type* type) {
  if (type == nullptr) return 0;
  const int width = IntegerWidth(type);
  if (width == 0) {
    Fail("the type of an integer is not an integer type");
    return 0;
  }
  const int64_t value = Bits(width);
  const bool is_unsigned =
      type->kind == TypeKind::kScalar && (IsUnsigned(type->element) || IsPred(type->element));
  if (!is_unsigned || width == 64) return value;
  return value & ((int64_t{1} << width) - 1);
}

int64_t EntryReader::FloatBits(const Type* type) {
  if (type == nullptr) return 0;
  const bool is_tf32 = type->kind == TypeKind::kTf32;
  if (!is_tf32 && (type->kind != TypeKind::kScalar || !IsFloat(type->element))) {
    Fail("the type of a floating-point number is not supported");
    return 0;
  }
  const int width = is_tf32 ? 19 : Info(type->element).bits;
  const int64_t bits = Bits(width);
  return width == 64 ? bits : bits & ((int64_t{1} << width) - 1);
}

const Attribute* EntryReader::IntsAttribute(std::vector<int64_t> ints) {
  Attribute* attribute = New(AttributeKind::kInts);
  attribute->type = program().Scalar(ElementType::kS64);
  attribute->ints = std::move(ints);
  return attribute;
}

const Attribute* EntryReader::IntegerAttribute(int64_t value, const Type* type) {
  Attribute* attribute = New(AttributeKind::kInteger);
  attribute->type = type != nullptr ? type : program().Scalar(ElementType::kS64);
  attribute->integer = value;
  return attribute;
}

const Attribute* EntryReader::BoolAttribute(bool value) {
  Attribute* attribute = New(AttributeKind::kBool);
  attribute->integer = value ? 1 : 0;
  return attribute;
}

const Attribute* EntryReader::StringAttribute(absl::string_view text) {
  Attribute* attribute = New(AttributeKind::kString);
  attribute->text = text;
  return attribute;
}

const Attribute* EntryReader::FloatAttribute(const Type* type) {
  Attribute* attribute = New(AttributeKind::kFloat);
  attribute->type = type;
  attribute->integer = FloatBits(type);
  return attribute;
}

const Attribute* EntryReader::DoubleAttribute() {
  return FloatAttribute(program().Scalar(ElementType::kF64));
}

const Attribute* EntryReader::EnumAttribute(absl::string_view name) {
  const uint64_t number = Varint();
  const EnumRow* row = FindEnum(name);
  const absl::string_view text = number < 64 ? row->Name(static_cast<int64_t>(number)) : "";
  if (text.empty()) {
    Fail("an enumeration has no such value");
    return nullptr;
  }
  Attribute* attribute = New(AttributeKind::kEnum);
  attribute->name = row->name;
  attribute->text = text;
  attribute->integer = static_cast<int64_t>(number);
  return attribute;
}

const Attribute* EntryReader::DictionaryAttribute() {
  Attribute* dictionary = New(AttributeKind::kDictionary);
  const size_t count = Count();
  dictionary->fields.reserve(count);
  for (size_t i = 0; ok() && i < count; ++i) {
    const absl::string_view name = StringAttr();
    dictionary->fields.push_back({name, Attr()});
  }
  auto by_name = [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; };
  std::sort(dictionary->fields.begin(), dictionary->fields.end(), by_name);
  for (size_t i = 1; i < dictionary->fields.size(); ++i) {
    if (dictionary->fields[i - 1].name == dictionary->fields[i].name) {
      Fail("a dictionary has a name twice");
    }
  }
  return dictionary;
}

const Attribute* EntryReader::Record(absl::string_view name, std::vector<NamedAttribute> fields) {
  if (!ok()) return nullptr;  // lists may have holes
  const RecordRow* row = FindRecord(name);
  Attribute* record = New(AttributeKind::kRecord);
  record->name = row->name;
  for (const Field& field : row->fields) {
    for (const NamedAttribute& given : fields) {
      if (given.name != field.name || IsAbsent(field, given.value)) continue;
      const Attribute* value =
          given.value == nullptr ? nullptr : AsFieldKind(program(), field, given.value);
      if (value == nullptr) {
        Fail("a field of a structured attribute is missing or of the wrong kind");
        return record;
      }
      record->fields.push_back({field.name, value});
    }
  }
  return record;
}

absl::string_view EntryReader::Aligned(absl::string_view blob) const {
  constexpr size_t kSmallestMoved = 65536;  // copies of smaller ones cost little
  constexpr uintptr_t kAlignment = 8;
  const size_t shift = reinterpret_cast<uintptr_t>(blob.data()) % kAlignment;
  // Numbers of four bytes and less need fewer bytes in front of them.
  const size_t least = shift % 4;
  // Blobs of resources stand elsewhere, and several entries may name them.
  const bool is_own = blob.data() >= begin_ && blob.data() + blob.size() == position();
  if (!entries_.file().may_move || blob.size() < kSmallestMoved || !is_own) return blob;
  const auto room = static_cast<size_t>(blob.data() - begin_);
  const size_t moved = shift <= room ? shift : least;
  if (moved == 0 || moved > room) return blob;
  char* const to = const_cast<char*>(blob.data()) - moved;
  std::memmove(to, blob.data(), blob.size());
  return absl::string_view(to, blob.size());
}

const Attribute* EntryReader::Dense(const Type* type, absl::string_view blob) {
  if (!ok() || type == nullptr) return nullptr;
  Attribute* dense = New(AttributeKind::kDense);
  dense->type = type;
  if (const char* error = FillDense(*type, Aligned(blob), entries_.owner_, *dense);
      error != nullptr) {
    Fail(error);
    return nullptr;
  }
  return dense;
}

}  // namespace assay::stablehlo
