#include "spec/stablehlo/print_attributes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/element/element.h"
#include "spec/stablehlo/float_text.h"
#include "spec/stablehlo/scalar_types.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/text_lexer.h"

namespace assay::stablehlo {
namespace {

// More elements than this are written as their bytes.
constexpr int64_t kMostListed = 100;

bool IsBool(const Type* type) {
  return type != nullptr && type->kind == TypeKind::kScalar && IsPred(type->element);
}

bool IsFloating(const Type* type) {
  return type != nullptr && type->kind == TypeKind::kScalar && IsFloat(type->element);
}

int64_t IntegerOf(const Attribute& record, absl::string_view field) {
  const Attribute* value = record.Find(field);
  return value == nullptr ? 0 : value->integer;
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
    if (IsBareName(part)) {
      absl::StrAppend(&out_, part);
    } else {
      AppendString(part);
    }
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
      out_.push_back('[');
      for (size_t i = 0; i < attribute.elements.size(); ++i) {
        if (i > 0) out_.append(", ");
        Append(*attribute.elements[i]);
      }
      out_.push_back(']');
      return;
    case AttributeKind::kDictionary:
      AppendDictionary(attribute.fields);
      return;
    case AttributeKind::kInts:
      out_.append("array<");
      Append(*attribute.type);
      for (size_t i = 0; i < attribute.ints.size(); ++i) {
        out_.append(i == 0 ? ": " : ", ");
        const auto bits = static_cast<uint64_t>(attribute.ints[i]);
        if (IsBool(attribute.type)) {
          out_.append(bits != 0 ? "true" : "false");
        } else if (IsFloating(attribute.type)) {
          AppendFloatText(attribute.type->element, bits, out_);
        } else {
          absl::StrAppend(&out_, attribute.ints[i]);
        }
      }
      out_.push_back('>');
      return;
    case AttributeKind::kDense:
      AppendDense(attribute);
      break;
    case AttributeKind::kElided:
      out_.append("dense_resource<");
      if (IsBareName(attribute.text)) {
        absl::StrAppend(&out_, attribute.text);
      } else {
        AppendString(attribute.text);
      }
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

void AttributePrinter::AppendDictionary(absl::Span<const NamedAttribute> fields) {
  out_.push_back('{');
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out_.append(", ");
    if (IsBareName(fields[i].name)) {
      absl::StrAppend(&out_, fields[i].name);
    } else {
      AppendString(fields[i].name);
    }
    if (fields[i].value->kind == AttributeKind::kUnit) continue;
    out_.append(" = ");
    Append(*fields[i].value);
  }
  out_.push_back('}');
}

// Constants.

void AttributePrinter::AppendNumber(ElementType element, uint64_t bits) {
  if (IsFloat(element)) {
    AppendFloatText(element, bits, out_);
  } else if (IsPred(element)) {
    out_.append(bits != 0 ? "true" : "false");
  } else if (IsSigned(element)) {
    absl::StrAppend(&out_, DecodeSigned(element, bits));
  } else {
    absl::StrAppend(&out_, DecodeUnsigned(element, bits));
  }
}

void AttributePrinter::AppendElement(const Attribute& dense, ElementType element, int64_t index) {
  const Element value = LoadElement(element, dense.bytes.get(), index);
  if (!IsComplex(element)) return AppendNumber(element, value.bits);
  const ElementType part = Info(element).component;
  out_.push_back('(');
  AppendNumber(part, value.bits);
  out_.push_back(',');
  AppendNumber(part, value.imag);
  out_.push_back(')');
}

void AttributePrinter::AppendNested(const Attribute& dense, ElementType element, size_t depth,
                                    int64_t& next) {
  const std::vector<int64_t>& sizes = dense.type->dimensions;
  if (depth == sizes.size()) return AppendElement(dense, element, next++);
  out_.push_back('[');
  for (int64_t i = 0; i < sizes[depth]; ++i) {
    if (i > 0) out_.append(", ");
    AppendNested(dense, element, depth + 1, next);
  }
  out_.push_back(']');
}

void AttributePrinter::AppendHex(const Attribute& dense) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  out_.append("\"0x");
  size_t at = out_.size();
  out_.resize(at + 2 * dense.byte_count);
  for (int64_t i = 0; i < dense.byte_count; ++i) {
    const auto byte = static_cast<unsigned char>(dense.bytes[i]);
    out_[at++] = kDigits[byte >> 4];
    out_[at++] = kDigits[byte & 15];
  }
  out_.push_back('"');
}

void AttributePrinter::AppendDense(const Attribute& dense) {
  const ElementType element =
      dense.type->types.empty() ? ElementType::kInvalid : StorageElement(*dense.type->types[0]);
  out_.append("dense<");
  if (element != ElementType::kInvalid && dense.byte_count > 0) {
    const int64_t count = dense.byte_count / Info(element).storage_bytes;
    if (dense.is_splat) {
      AppendElement(dense, element, 0);
    } else if (count > kMostListed) {
      AppendHex(dense);
    } else {
      int64_t next = 0;
      AppendNested(dense, element, 0, next);
    }
  }
  out_.push_back('>');
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
  if (record.name == "sdy.manual_axes") {
    out_.append("#sdy<manual_axes");
    AppendRecordBody(record);
    out_.push_back('>');
    return;
  }
  AppendName(record.name);
  AppendRecordBody(record);
}

void AttributePrinter::AppendInts(absl::Span<const int64_t> ints, bool booleans) {
  out_.push_back('[');
  for (size_t i = 0; i < ints.size(); ++i) {
    if (i > 0) out_.append(", ");
    if (booleans) {
      out_.append(ints[i] != 0 ? "true" : "false");
    } else if (ints[i] == kDynamic) {
      out_.push_back('?');
    } else {
      absl::StrAppend(&out_, ints[i]);
    }
  }
  out_.push_back(']');
}

void AttributePrinter::AppendRecordBody(const Attribute& record) {
  if (absl::StartsWith(record.name, "sdy.")) return AppendSdy(record);
  if (record.name == "stablehlo.bounds") {
    const size_t open = out_.size();
    AppendInts(IntsOf(record, "bounds"), false);
    out_[open] = '<';
    out_.back() = '>';
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

// Shardy.

void AttributePrinter::AppendSdyItems(absl::string_view open, const Attribute* items,
                                      absl::string_view close) {
  absl::StrAppend(&out_, open);
  for (size_t i = 0; items != nullptr && i < items->elements.size(); ++i) {
    if (i > 0) out_.append(", ");
    const Attribute& item = *items->elements[i];
    if (item.kind == AttributeKind::kString) {
      AppendString(item.text);
    } else {
      AppendSdy(item);
    }
  }
  absl::StrAppend(&out_, close);
}

void AttributePrinter::AppendSdy(const Attribute& record) {
  const absl::string_view name = record.name.substr(4);
  const Attribute* named = record.Find("name");
  if (name == "mesh") {
    AppendSdyItems("<[", record.Find("axes"), "]");
    if (const Attribute* ids = record.Find("device_ids"); ids != nullptr && !ids->ints.empty()) {
      out_.append(", device_ids=");
      AppendInts(ids->ints, false);
    }
    out_.push_back('>');
  } else if (name == "mesh_axis") {
    AppendString(named->text);
    absl::StrAppend(&out_, "=", IntegerOf(record, "size"));
  } else if (name == "axis_ref") {
    AppendString(named->text);
    if (const Attribute* part = record.Find("sub_axis_info"); part != nullptr) {
      out_.push_back(':');
      AppendSdy(*part);
    }
  } else if (name == "sub_axis_info") {
    absl::StrAppend(&out_, "(", IntegerOf(record, "pre_size"), ")", IntegerOf(record, "size"));
  } else if (name == "dimension_sharding") {
    const Attribute* axes = record.Find("axes");
    AppendSdyItems("{", axes, "");
    if (IntegerOf(record, "is_closed") == 0) {
      out_.append(axes == nullptr || axes->elements.empty() ? "?" : ", ?");
    }
    out_.push_back('}');
    if (const Attribute* priority = record.Find("priority"); priority != nullptr) {
      absl::StrAppend(&out_, "p", priority->integer);
    }
  } else if (name == "sharding") {
    out_.push_back('<');
    const Attribute* mesh = record.Find("mesh");
    if (mesh->kind == AttributeKind::kSymbol) {
      AppendSymbol(mesh->text);
    } else {
      out_.append("mesh");
      AppendSdy(*mesh);
    }
    AppendSdyItems(", [", record.Find("dimensions"), "]");
    for (const absl::string_view field : {"replicated", "unreduced"}) {
      const Attribute* axes = record.Find(field);
      if (axes == nullptr || axes->elements.empty()) continue;
      AppendSdyItems(absl::StrCat(", ", field, "={"), axes, "}");
    }
    out_.push_back('>');
  } else if (name == "sharding_per_value") {
    AppendSdyItems("<[", record.Find("shardings"), "]>");
  } else if (name == "manual_axes") {
    AppendSdyItems("{", record.Find("axes"), "}");
  }
}

// Types.

void AttributePrinter::AppendDimensions(const Type& type) {
  for (const int64_t size : type.dimensions) {
    if (size == kDynamic) {
      out_.append("?x");
    } else {
      absl::StrAppend(&out_, size, "x");
    }
  }
}

void AttributePrinter::Append(const Type& type) {
  switch (type.kind) {
    case TypeKind::kScalar:
      absl::StrAppend(&out_, ScalarName(type.element));
      return;
    case TypeKind::kInteger:
    case TypeKind::kQuantized:
    case TypeKind::kOpaque:
      out_.append(type.text);
      return;
    case TypeKind::kIndex:
      out_.append("index");
      return;
    case TypeKind::kTf32:
      out_.append("tf32");
      return;
    case TypeKind::kNone:
      out_.append("none");
      return;
    case TypeKind::kTensor:
    case TypeKind::kUnranked:
    case TypeKind::kMemref:
      out_.append(type.kind == TypeKind::kMemref ? "memref<" : "tensor<");
      if (type.kind == TypeKind::kUnranked) out_.append("*x");
      AppendDimensions(type);
      Append(*type.types[0]);
      if (!type.bounds.empty()) {
        out_.append(mhlo_ ? ", #mhlo.bounds" : ", #stablehlo.bounds");
        const size_t open = out_.size();
        AppendInts(type.bounds, false);
        out_[open] = '<';
        out_.back() = '>';
      } else if (type.encoding != nullptr) {
        out_.append(", ");
        Append(*type.encoding);
      } else if (!type.text.empty()) {
        absl::StrAppend(&out_, ", ", type.text);
      }
      out_.push_back('>');
      return;
    case TypeKind::kToken:
      out_.append(mhlo_ ? "!mhlo.token" : "!stablehlo.token");
      return;
    case TypeKind::kTuple:
    case TypeKind::kFuture:
      out_.append(type.kind == TypeKind::kTuple ? "tuple<" : "!stablehlo.future<");
      for (size_t i = 0; i < type.types.size(); ++i) {
        if (i > 0) out_.append(", ");
        Append(*type.types[i]);
      }
      out_.push_back('>');
      return;
    case TypeKind::kFunction:
      AppendTypeList(type.inputs());
      out_.append(" -> ");
      AppendResultTypes(type.results());
      return;
  }
}

void AttributePrinter::AppendTypeList(absl::Span<const Type* const> types) {
  out_.push_back('(');
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0) out_.append(", ");
    Append(*types[i]);
  }
  out_.push_back(')');
}

void AttributePrinter::AppendResultTypes(absl::Span<const Type* const> types) {
  if (types.size() == 1 && types[0]->kind != TypeKind::kFunction) return Append(*types[0]);
  AppendTypeList(types);
}

// Locations.

void AttributePrinter::AppendLocation(const Location& location,
                                      absl::FunctionRef<std::string(const Location*)> child) {
  switch (location.kind) {
    case Location::Kind::kUnknown:
      out_.append("unknown");
      return;
    case Location::Kind::kFile:
      AppendString(location.text);
      absl::StrAppend(&out_, ":", location.line, ":", location.column);
      if (location.end_column == 0) return;
      out_.append(" to ");
      if (location.end_line != location.line) absl::StrAppend(&out_, location.end_line);
      absl::StrAppend(&out_, ":", location.end_column);
      return;
    case Location::Kind::kName:
      AppendString(location.text);
      if (!location.children.empty()) absl::StrAppend(&out_, "(", child(location.children[0]), ")");
      return;
    case Location::Kind::kCallSite: {
      const auto part = [&](size_t i) {
        return child(i < location.children.size() ? location.children[i] : nullptr);
      };
      absl::StrAppend(&out_, "callsite(", part(0), " at ", part(1), ")");
      return;
    }
    case Location::Kind::kFused:
      out_.append("fused[");
      for (size_t i = 0; i < location.children.size(); ++i) {
        absl::StrAppend(&out_, i > 0 ? ", " : "", child(location.children[i]));
      }
      out_.push_back(']');
      return;
  }
}

void AttributePrinter::AppendWholeLocation(const Location* location, int depth) {
  // Locations share parts, and a reader may have made long chains of them.
  constexpr int kDeepest = 100;
  if (location == nullptr || depth == kDeepest) {
    out_.append("unknown");
    return;
  }
  AppendLocation(*location, [depth](const Location* child) {
    std::string text;
    AttributePrinter(text).AppendWholeLocation(child, depth + 1);
    return text;
  });
}

std::string PrintAttribute(const Attribute& attribute) {
  std::string out;
  AttributePrinter(out).Append(attribute);
  return out;
}

std::string PrintType(const Type& type) {
  std::string out;
  AttributePrinter(out).Append(type);
  return out;
}

}  // namespace assay::stablehlo
