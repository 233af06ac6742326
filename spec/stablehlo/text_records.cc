// Enumerations and structured attributes, driven by the rows of dialect_attributes.def, and the
// values of attributes as pretty forms spell them.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/stablehlo/text_reader.h"

namespace assay::stablehlo {
namespace {

ElementType ElementOfField(FieldKind kind) {
  switch (kind) {
    case FieldKind::kInt32:
      return ElementType::kS32;
    case FieldKind::kUint32:
      return ElementType::kU32;
    case FieldKind::kUint64:
      return ElementType::kU64;
    case FieldKind::kFloat32:
      return ElementType::kF32;
    case FieldKind::kFloat64:
      return ElementType::kF64;
    default:
      return ElementType::kS64;
  }
}

}  // namespace

bool TextReader::ReadEnumWord(const EnumRow& row, const Attribute*& out) {
  if (!lexer_.Is(kBareId)) return FailExpected(absl::StrCat("a value of ", row.name));
  const std::optional<int64_t> number = row.Number(lexer_.spelling());
  if (!number.has_value()) {
    return Fail(absl::StrCat("expected one of ", absl::StrJoin(row.values, ", "), ", found '",
                             lexer_.spelling(), "'"));
  }
  lexer_.Next();
  Attribute* value = New(AttributeKind::kEnum);
  value->name = row.name;
  value->text = row.Name(*number);
  value->integer = *number;
  out = value;
  return true;
}

// "[a, b]" of enumerations or records.
bool TextReader::ReadFieldItems(const Field& field, const Attribute*& out) {
  Attribute* list = New(AttributeKind::kArray);
  out = list;
  if (!Expect('[', "'[' before a list")) return false;
  Field item = field;
  item.kind = field.kind == FieldKind::kEnums ? FieldKind::kEnum : FieldKind::kRecord;
  return ReadItems(']', "values", [&] {
    const Attribute* element;
    // Lists of records may name their type: [#stablehlo.axis_ref<..>].
    if (lexer_.Is(kHashId) ? !ReadAttribute(element) : !ReadField(item, element)) return false;
    list->elements.push_back(element);
    return true;
  });
}

bool TextReader::ReadFieldNumber(const Field& field, const Attribute*& out) {
  const Type* type = program_.Scalar(ElementOfField(field.kind));
  if (field.kind == FieldKind::kFloat32 || field.kind == FieldKind::kFloat64) {
    Attribute* value = New(AttributeKind::kFloat);
    value->type = type;
    out = value;
    const bool negative = lexer_.Eat('-');
    return ReadFloatBits(*type, negative, value->integer);
  }
  if (field.kind == FieldKind::kUint64) {
    uint64_t value;
    if (!ReadUnsigned(value)) return false;
    out = NewInteger(static_cast<int64_t>(value), type);
    return true;
  }
  int64_t value;
  if (!ReadInteger(value)) return false;
  out = NewInteger(value, type);
  return true;
}

bool TextReader::ReadField(const Field& field, const Attribute*& out) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  switch (field.kind) {
    case FieldKind::kInt64:
    case FieldKind::kInt32:
    case FieldKind::kUint32:
    case FieldKind::kUint64:
    case FieldKind::kFloat32:
    case FieldKind::kFloat64:
      return ReadFieldNumber(field, out);
    case FieldKind::kBool: {
      bool value;
      if (!ReadBoolean(value)) return false;
      out = NewBool(value);
      return true;
    }
    case FieldKind::kInts:
    case FieldKind::kBools: {
      if (!lexer_.Is('[')) return ReadAttribute(out);
      if (field.kind == FieldKind::kBools) return ReadReversal(out);
      std::vector<int64_t> values;
      if (!ReadIntegerList(values)) return false;
      out = NewInts(std::move(values), program_.Scalar(ElementOfField(field.kind)));
      return true;
    }
    case FieldKind::kString: {
      absl::string_view text;
      if (!ReadString(text)) return false;
      out = NewString(text);
      return true;
    }
    case FieldKind::kType: {
      const Type* value;
      if (!ReadType(value)) return false;
      out = NewTypeAttribute(value);
      return true;
    }
    case FieldKind::kEnum:
      if (lexer_.Is(kHashId)) return ReadAttribute(out);
      return ReadEnumWord(*FindEnum(field.type_name), out);
    case FieldKind::kEnums:
    case FieldKind::kRecords:
      return ReadFieldItems(field, out);
    case FieldKind::kRecord:
      if (lexer_.Is(kHashId)) return ReadAttribute(out);
      return ReadRecord(*FindRecord(field.type_name), out);
    case FieldKind::kAny:
      if (!field.type_name.empty() && !lexer_.Is(kHashId)) return ReadShardyText(field, out);
      return ReadAttribute(out);
    default:
      return ReadAttribute(out);
  }
}

bool TextReader::ReadRecord(const RecordRow& row, const Attribute*& out) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  if (absl::StartsWith(row.name, "sdy.")) return ReadSdyRecord(row, out);
  if (row.name == "stablehlo.sub_axis_info") return ReadSubAxis(row, out);
  if (row.name == "stablehlo.conv") {
    const bool angled = lexer_.Eat('<');
    if (angled && lexer_.EatWord("raw")) return ReadRecordFields(row, out);
    return ReadConvolutionNumbers(row, out) && (!angled || Expect('>', "'>' after the dimensions"));
  }
  if (!Expect('<', absl::StrCat("'<' before the fields of ", row.name))) return false;
  return ReadRecordFields(row, out);
}

// "name = value, name = value>": in any order.
bool TextReader::ReadRecordFields(const RecordRow& row, const Attribute*& out) {
  const char* at = lexer_.token().begin;
  std::vector<NamedAttribute> fields;
  if (!ReadItems('>', "fields", [&] {
        // MLIR allows a comma behind the last field.
        if (!fields.empty() && lexer_.Is('>')) return true;
        const absl::string_view name = lexer_.spelling();
        const auto field =
            std::find_if(row.fields.begin(), row.fields.end(),
                         [&](const Field& candidate) { return candidate.name == name; });
        if (!lexer_.Is(kBareId) || field == row.fields.end()) {
          std::vector<absl::string_view> names;
          for (const Field& known : row.fields) names.push_back(known.name);
          return FailExpected(
              absl::StrCat("a field of ", row.name, " (", absl::StrJoin(names, ", "), ")"));
        }
        for (const NamedAttribute& other : fields) {
          if (other.name == name)
            return Fail(absl::StrCat("the field '", name, "' is given twice"));
        }
        lexer_.Next();
        NamedAttribute value;
        value.name = field->name;
        if (!Expect('=', "'=' after the name of the field") || !ReadField(*field, value.value)) {
          return false;
        }
        fields.push_back(value);
        return true;
      })) {
    return false;
  }
  for (const Field& field : row.fields) {
    const bool given = std::any_of(fields.begin(), fields.end(), [&](const NamedAttribute& value) {
      return value.name == field.name;
    });
    if (!given && field.required()) {
      return FailAt(at, absl::StrCat(row.name, " needs the field '", field.name, "'"));
    }
  }
  out = FinishRecord(row, std::move(fields));
  return true;
}

// A record of these fields; lists that are absent are empty, numbers have their defaults. Fields of
// other kinds stay absent.
const Attribute* TextReader::FinishRecord(const RecordRow& row,
                                          std::vector<NamedAttribute> fields) {
  Attribute* record = New(AttributeKind::kRecord);
  record->name = row.name;
  for (const Field& field : row.fields) {
    const bool given = std::any_of(fields.begin(), fields.end(), [&](const NamedAttribute& value) {
      return value.name == field.name;
    });
    if (given) continue;
    const Attribute* value = nullptr;
    if (field.kind == FieldKind::kInts && !absl::StartsWith(row.name, "sdy.")) {
      value = NewInts({}, program_.Scalar(ElementType::kS64));
    } else if (field.kind == FieldKind::kInt64 && field.presence == Presence::kDefault) {
      value = NewInteger(field.default_value, program_.Scalar(ElementType::kS64));
    } else if (field.kind == FieldKind::kFloat64 && field.presence == Presence::kDefault) {
      Attribute* zero = New(AttributeKind::kFloat);
      zero->type = program_.Scalar(ElementType::kF64);
      value = zero;
    } else if (field.kind == FieldKind::kEnum && field.presence == Presence::kDefault) {
      const EnumRow* names = FindEnum(field.type_name);
      Attribute* word = New(AttributeKind::kEnum);
      word->name = names->name;
      word->integer = field.default_value;
      word->text = names->Name(field.default_value);
      value = word;
    }
    if (value != nullptr) fields.push_back({field.name, value});
  }
  std::sort(fields.begin(), fields.end(),
            [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; });
  record->fields = std::move(fields);
  return record;
}

// "<4, ?>" or "<bounds = [4, ?]>".
bool TextReader::ReadBounds(Attribute& record) {
  if (!Expect('<', "'<' before the bounds")) return false;
  const bool named = lexer_.EatWord("bounds");
  if (named && (!Expect('=', "'=' after 'bounds'") || !Expect('[', "'[' before the bounds"))) {
    return false;
  }
  std::vector<int64_t> bounds;
  if (!ReadItems(named ? ']' : '>', "bounds", [&] {
        int64_t bound = kDynamic;
        if (!lexer_.Eat('?') && !ReadInteger(bound)) return false;
        bounds.push_back(bound);
        return true;
      })) {
    return false;
  }
  record.fields.push_back(
      {"bounds", NewInts(std::move(bounds), program_.Scalar(ElementType::kS64))});
  return !named || Expect('>', "'>' after the bounds");
}

// "(2)4"
bool TextReader::ReadSubAxis(const RecordRow& row, const Attribute*& out) {
  int64_t pre_size, size;
  if (!Expect('(', "'(' before the size of what precedes the part of the axis") ||
      !ReadInteger(pre_size) || !Expect(')', "')' after it") || !ReadInteger(size)) {
    return false;
  }
  const Type* type = program_.Scalar(ElementType::kS64);
  out = FinishRecord(row,
                     {{"pre_size", NewInteger(pre_size, type)}, {"size", NewInteger(size, type)}});
  return true;
}

// One list of "[b, 0, 1, f]": numbers[0] is where `first` stands, numbers[1] where `second` does.
bool TextReader::ReadRoles(absl::string_view first, absl::string_view second, int64_t numbers[2],
                           std::vector<int64_t>& spatial) {
  const char* at = lexer_.token().begin;
  if (!Expect('[', "'[' before the roles of the dimensions")) return false;
  numbers[0] = numbers[1] = -1;
  std::vector<std::pair<int64_t, int64_t>> found;  // spatial number, position
  int64_t position = 0;
  if (!ReadItems(']', "roles", [&] {
        const int64_t here = position++;
        if (lexer_.Is(kInteger)) {
          int64_t number;
          if (!ReadInteger(number)) return false;
          found.push_back({number, here});
          return true;
        }
        if (lexer_.Eat('?')) return true;
        const int which = lexer_.IsWord(first) ? 0 : lexer_.IsWord(second) ? 1 : -1;
        if (which < 0) {
          return FailExpected(absl::StrCat("'", first, "', '", second,
                                           "', '?' or the number of a spatial dimension"));
        }
        if (numbers[which] >= 0) return Fail("this role is given twice");
        numbers[which] = here;
        lexer_.Next();
        return true;
      })) {
    return false;
  }
  if (numbers[0] < 0 || numbers[1] < 0) {
    return FailAt(at, absl::StrCat("the roles must name '", first, "' and '", second, "'"));
  }
  std::sort(found.begin(), found.end());
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].first != static_cast<int64_t>(i)) {
      return FailAt(at, absl::StrCat("the spatial dimensions must be numbered from 0, each once; ",
                                     i, " is missing"));
    }
    spatial.push_back(found[i].second);
  }
  return true;
}

// "[b, 0, f]x[0, i, o]->[b, 0, f]"
bool TextReader::ReadConvolutionNumbers(const RecordRow& row, const Attribute*& out) {
  static constexpr struct {
    absl::string_view first, second, first_field, second_field, spatial_field;
  } kLists[] = {
      {"b", "f", "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"},
      {"i", "o", "kernel_input_feature_dimension", "kernel_output_feature_dimension",
       "kernel_spatial_dimensions"},
      {"b", "f", "output_batch_dimension", "output_feature_dimension",
       "output_spatial_dimensions"}};
  const Type* type = program_.Scalar(ElementType::kS64);
  std::vector<NamedAttribute> fields;
  for (int i = 0; i < 3; ++i) {
    if (i == 1 && !lexer_.EatWord("x")) return FailExpected("'x' between the lists of roles");
    if (i == 2 && !Expect(kArrow, "'->' between the lists of roles")) return false;
    int64_t numbers[2];
    std::vector<int64_t> spatial;
    if (!ReadRoles(kLists[i].first, kLists[i].second, numbers, spatial)) return false;
    fields.push_back({kLists[i].first_field, NewInteger(numbers[0], type)});
    fields.push_back({kLists[i].second_field, NewInteger(numbers[1], type)});
    fields.push_back({kLists[i].spatial_field, NewInts(std::move(spatial), type)});
  }
  out = FinishRecord(row, std::move(fields));
  return true;
}

}  // namespace assay::stablehlo
