// Attributes of every kind, enumerations and records. Constants, Shardy's attributes, types and
// locations stand in print_constants.cc, print_sdy.cc, print_types.cc and print_locations.cc.
#include "spec/stablehlo/print_attributes.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/element/element.h"
#include "spec/stablehlo/float_text.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/text_lexer.h"

namespace assay::stablehlo {
namespace {

bool IsBool(const Type* type) {
  return type != nullptr && type->kind == TypeKind::kScalar && IsPred(type->element);
}

bool IsFloating(const Type* type) {
  return type != nullptr && type->kind == TypeKind::kScalar && IsFloat(type->element);
}

absl::Span<const int64_t> IntsOf(const Attribute& record, absl::string_view field) {
  const Attribute* value = record.Find(field);
  if (value == nullptr) return {};
  return value->ints;
}

// Of records that say nothing with a field of its default, whether a field is left out.
bool IsSilent(const RecordRow& row, const Field& field, const Attribute& value) {
  if (field.required() || row.name == "stablehlo.output_operand_alias") return false;
  if (field.kind == FieldKind::kInts) return value.ints.empty();
  return field.presence == Presence::kDefault && field.kind != FieldKind::kEnum &&
         value.integer == field.default_value;
}

}  // namespace

int64_t IntegerOf(const Attribute& record, absl::string_view field) {
  const Attribute* value = record.Find(field);
  return value == nullptr ? 0 : value->integer;
}

bool IsBareName(absl::string_view name) {
  if (name.empty() ||
      (!absl::ascii_isalpha(static_cast<unsigned char>(name[0])) && name[0] != '_')) {
    return false;
  }
  return std::all_of(name.begin(), name.end(), IsNameCharacter);
}

void AttributePrinter::AppendString(absl::string_view text) {
  out_.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out_.append("\\\\");
    } else if (byte >= 0x20 && byte < 0x7f && c != '"') {
      out_.push_back(c);
    } else {
      constexpr char kDigits[] = "0123456789ABCDEF";
      out_.push_back('\\');
      out_.push_back(kDigits[byte >> 4]);
      out_.push_back(kDigits[byte & 15]);
    }
  }
  out_.push_back('"');
}

void AttributePrinter::AppendNameOrString(absl::string_view name) {
  if (IsBareName(name)) {
    absl::StrAppend(&out_, name);
  } else {
    AppendString(name);
  }
}

void AttributePrinter::AppendSymbol(absl::string_view symbol) {
  if (symbol.empty()) {  // which has no parts for StrSplit
    out_.append("@\"\"");
    return;
  }
  bool first = true;
  for (absl::string_view part : absl::StrSplit(symbol, "::")) {
    if (!first) out_.append("::");
    first = false;
    out_.push_back('@');
    AppendNameOrString(part);
  }
}

void AttributePrinter::Append(const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kUnit:
      out_.append("unit");
      return;
    case AttributeKind::kBool:
      out_.append(attribute.integer != 0 ? "true" : "false");
      return;
    case AttributeKind::kInteger:
      if (attribute.type != nullptr && attribute.type->kind == TypeKind::kScalar) {
        AppendNumber(attribute.type->element,
                     EncodeInteger(attribute.type->element, attribute.integer));
      } else {
        absl::StrAppend(&out_, attribute.integer);
      }
      break;
    case AttributeKind::kFloat:
      AppendFloatText(attribute.type->element, static_cast<uint64_t>(attribute.integer), out_);
      break;
    case AttributeKind::kString:
      AppendString(attribute.text);
      break;
    case AttributeKind::kSymbol:
      AppendSymbol(attribute.text);
      return;
    case AttributeKind::kType:
      Append(*attribute.type);
      return;
    case AttributeKind::kArray:
      AppendArray(attribute);
      return;
    case AttributeKind::kDictionary:
      AppendDictionary(attribute.fields);
      return;
    case AttributeKind::kInts:
      AppendTypedArray(attribute);
      return;
    case AttributeKind::kDense:
      AppendDense(attribute);
      break;
    case AttributeKind::kElided:
      out_.append("dense_resource<");
      AppendNameOrString(attribute.text);
      out_.push_back('>');
      break;
    case AttributeKind::kEnum:
      AppendEnum(attribute);
      return;
    case AttributeKind::kRecord:
      AppendRecord(attribute);
      return;
    case AttributeKind::kLocation:
      out_.append("loc(");
      AppendWholeLocation(attribute.location);
      out_.push_back(')');
      return;
    case AttributeKind::kOpaque:
      absl::StrAppend(&out_, attribute.text);
      return;
  }
  if (attribute.type != nullptr) {
    out_.append(" : ");
    Append(*attribute.type);
  }
}

void AttributePrinter::AppendArray(const Attribute& array) {
  out_.push_back('[');
  for (size_t i = 0; i < array.elements.size(); ++i) {
    if (i > 0) out_.append(", ");
    Append(*array.elements[i]);
  }
  out_.push_back(']');
}

void AttributePrinter::AppendTypedArray(const Attribute& array) {
  out_.append("array<");
  Append(*array.type);
  for (size_t i = 0; i < array.ints.size(); ++i) {
    out_.append(i == 0 ? ": " : ", ");
    const auto bits = static_cast<uint64_t>(array.ints[i]);
    if (IsBool(array.type)) {
      out_.append(bits != 0 ? "true" : "false");
    } else if (IsFloating(array.type)) {
      AppendFloatText(array.type->element, bits, out_);
    } else {
      absl::StrAppend(&out_, array.ints[i]);
    }
  }
  out_.push_back('>');
}

void AttributePrinter::AppendDictionary(absl::Span<const NamedAttribute> fields) {
  out_.push_back('{');
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out_.append(", ");
    AppendNameOrString(fields[i].name);
    if (fields[i].value->kind == AttributeKind::kUnit) continue;
    out_.append(" = ");
    Append(*fields[i].value);
  }
  out_.push_back('}');
}

// Enumerations and records.

void AttributePrinter::AppendName(absl::string_view name) {
  out_.push_back('#');
  if (mhlo_ && absl::StartsWith(name, "stablehlo.")) {
    absl::StrAppend(&out_, "mhlo", name.substr(9));
  } else {
    absl::StrAppend(&out_, name);
  }
}

void AttributePrinter::AppendEnum(const Attribute& value) {
  const size_t dot = value.name.find('.');
  if (value.name == "stablehlo.result_accuracy_mode") {
    AppendName(value.name);
    absl::StrAppend(&out_, "<", value.text, ">");
    return;
  }
  AppendName(value.name);
  out_[out_.size() - (value.name.size() - dot)] = '<';
  absl::StrAppend(&out_, " ", value.text, ">");
}

void AttributePrinter::AppendRecord(const Attribute& record) {
  const size_t start = out_.size();
  AppendName(record.name);
  const size_t body = out_.size();
  AppendRecordBody(record);
  if (out_.size() > body && out_[body] == '<') return;
  // What has no brackets of its own is written in those of the dialect: #sdy<mesh_axis"x"=4>.
  out_[out_.find('.', start)] = '<';
  out_.push_back('>');
}

void AttributePrinter::AppendInts(absl::Span<const int64_t> ints, bool booleans) {
  out_.push_back('[');
  for (size_t i = 0; i < ints.size(); ++i) {
    if (i > 0) out_.append(", ");
    if (booleans) {
      out_.append(ints[i] != 0 ? "true" : "false");
    } else {
      absl::StrAppend(&out_, ints[i]);
    }
  }
  out_.push_back(']');
}

void AttributePrinter::AppendBounds(absl::Span<const int64_t> bounds) {
  out_.push_back('<');
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (i > 0) out_.append(", ");
    if (bounds[i] == kDynamic) {
      out_.push_back('?');
    } else {
      absl::StrAppend(&out_, bounds[i]);
    }
  }
  out_.push_back('>');
}

void AttributePrinter::AppendRecordBody(const Attribute& record) {
  if (absl::StartsWith(record.name, "sdy.")) return AppendSdy(record);
  if (record.name == "stablehlo.bounds") {
    AppendBounds(IntsOf(record, "bounds"));
  } else if (record.name == "stablehlo.conv") {
    out_.push_back('<');
    AppendConvolutionNumbers(record);
    out_.push_back('>');
  } else if (record.name == "stablehlo.sub_axis_info") {
    absl::StrAppend(&out_, "(", IntegerOf(record, "pre_size"), ")", IntegerOf(record, "size"));
  } else if (const RecordRow* row = FindRecord(record.name); row != nullptr) {
    AppendFields(record, *row);
  }
}

void AttributePrinter::AppendFields(const Attribute& record, const RecordRow& row) {
  out_.push_back('<');
  bool first = true;
  for (const Field& field : row.fields) {
    const Attribute* value = record.Find(field.name);
    if (value == nullptr || IsSilent(row, field, *value)) continue;
    if (!first) out_.append(", ");
    first = false;
    absl::StrAppend(&out_, field.name, " = ");
    if (field.kind == FieldKind::kEnum) {
      Append(*value);
    } else {
      AppendField(field, *value);
    }
  }
  out_.push_back('>');
}

void AttributePrinter::AppendList(const Attribute& list, const Field& field) {
  out_.push_back('[');
  for (size_t i = 0; i < list.elements.size(); ++i) {
    if (i > 0) out_.append(", ");
    const Attribute& element = *list.elements[i];
    if (field.kind == FieldKind::kEnums) {
      absl::StrAppend(&out_, element.text);
    } else if (field.type_name == "stablehlo.axis_ref") {
      Append(element);
    } else {
      AppendRecordBody(element);
    }
  }
  out_.push_back(']');
}

void AttributePrinter::AppendField(const Field& field, const Attribute& value) {
  switch (field.kind) {
    case FieldKind::kInt64:
    case FieldKind::kInt32:
      absl::StrAppend(&out_, value.integer);
      return;
    case FieldKind::kUint32:
    case FieldKind::kUint64:
      absl::StrAppend(&out_, static_cast<uint64_t>(value.integer));
      return;
    case FieldKind::kFloat32:
    case FieldKind::kFloat64:
      AppendFloatText(value.type->element, static_cast<uint64_t>(value.integer), out_);
      return;
    case FieldKind::kInts:
    case FieldKind::kBools:
      AppendInts(value.ints, field.kind == FieldKind::kBools);
      return;
    case FieldKind::kEnum:
      absl::StrAppend(&out_, value.text);
      return;
    case FieldKind::kEnums:
    case FieldKind::kRecords:
      AppendList(value, field);
      return;
    case FieldKind::kRecord:
      if (field.type_name == "stablehlo.conv") {
        AppendConvolutionNumbers(value);
      } else {
        AppendRecordBody(value);
      }
      return;
    case FieldKind::kAny: {
      const std::string frame = absl::StrCat("#sdy<", field.type_name);
      absl::string_view text = value.text;
      if (!field.type_name.empty() && value.kind == AttributeKind::kOpaque &&
          absl::ConsumePrefix(&text, frame) && absl::ConsumeSuffix(&text, ">")) {
        absl::StrAppend(&out_, text);
        return;
      }
      Append(value);
      return;
    }
    default:
      Append(value);
  }
}

// "[b, 0, f]x[0, i, o]->[b, 0, f]"
void AttributePrinter::AppendConvolutionNumbers(const Attribute& record) {
  const auto append = [&](char first, absl::string_view first_field, char second,
                          absl::string_view second_field, absl::string_view spatial_field) {
    const absl::Span<const int64_t> spatial = IntsOf(record, spatial_field);
    const int64_t numbers[2] = {IntegerOf(record, first_field), IntegerOf(record, second_field)};
    int64_t rank = std::max(numbers[0], numbers[1]) + 1;
    for (const int64_t dimension : spatial) rank = std::max(rank, dimension + 1);
    // The verifier refuses numbers that are not a permutation; here they must only end.
    constexpr int64_t kLargest = 1000;
    out_.push_back('[');
    for (int64_t i = 0; i < std::min(rank, kLargest); ++i) {
      if (i > 0) out_.append(", ");
      const auto* it = std::find(spatial.begin(), spatial.end(), i);
      if (i == numbers[0]) {
        out_.push_back(first);
      } else if (i == numbers[1]) {
        out_.push_back(second);
      } else if (it != spatial.end()) {
        absl::StrAppend(&out_, it - spatial.begin());
      } else {
        out_.push_back('?');
      }
    }
    out_.push_back(']');
  };
  append('b', "input_batch_dimension", 'f', "input_feature_dimension", "input_spatial_dimensions");
  out_.push_back('x');
  append('i', "kernel_input_feature_dimension", 'o', "kernel_output_feature_dimension",
         "kernel_spatial_dimensions");
  out_.append("->");
  append('b', "output_batch_dimension", 'f', "output_feature_dimension",
         "output_spatial_dimensions");
}

std::string PrintAttribute(const Attribute& attribute) {
  std::string out;
  AttributePrinter(out).Append(attribute);
  return out;
}

}  // namespace assay::stablehlo
