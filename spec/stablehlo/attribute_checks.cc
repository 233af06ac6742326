#include "spec/stablehlo/attribute_checks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "spec/element/element.h"

namespace assay::stablehlo {
namespace {

bool IsScalar(const Attribute& value, AttributeKind kind, ElementType element) {
  return value.kind == kind && value.type != nullptr && value.type->kind == TypeKind::kScalar &&
         value.type->element == element;
}

bool IsInts(const Attribute& value, ElementType element) {
  return value.kind == AttributeKind::kInts && value.type != nullptr &&
         value.type->element == element;
}

bool AllOf(const Attribute& value, AttributeKind kind, absl::string_view name) {
  return value.kind == AttributeKind::kArray &&
         std::all_of(value.elements.begin(), value.elements.end(), [&](const Attribute* element) {
           return element->kind == kind && (name.empty() || element->name == name);
         });
}

// CHLO and mhlo have enumerations of the same names and numbers.
bool SameName(absl::string_view given, absl::string_view wanted) {
  return given == wanted || given.substr(given.find('.')) == wanted.substr(wanted.find('.'));
}

bool HasKind(const Field& field, const Attribute& value) {
  switch (field.kind) {
    case FieldKind::kInt64:
      return IsScalar(value, AttributeKind::kInteger, ElementType::kS64);
    case FieldKind::kInt32:
      return IsScalar(value, AttributeKind::kInteger, ElementType::kS32);
    case FieldKind::kUint32:
      return IsScalar(value, AttributeKind::kInteger, ElementType::kU32);
    case FieldKind::kUint64:
      return IsScalar(value, AttributeKind::kInteger, ElementType::kU64);
    case FieldKind::kFloat32:
      return IsScalar(value, AttributeKind::kFloat, ElementType::kF32);
    case FieldKind::kFloat64:
      return IsScalar(value, AttributeKind::kFloat, ElementType::kF64);
    case FieldKind::kBool:
      return value.kind == AttributeKind::kBool;
    case FieldKind::kUnit:
      return value.kind == AttributeKind::kUnit;
    case FieldKind::kString:
      return value.kind == AttributeKind::kString;
    case FieldKind::kStrings:
      return AllOf(value, AttributeKind::kString, "");
    case FieldKind::kSymbol:
      return value.kind == AttributeKind::kSymbol;
    case FieldKind::kSymbols:
      return AllOf(value, AttributeKind::kSymbol, "");
    case FieldKind::kInts:
      return IsInts(value, ElementType::kS64);
    case FieldKind::kBools:
      return IsInts(value, ElementType::kPred);
    case FieldKind::kDense:
      return value.kind == AttributeKind::kDense || value.kind == AttributeKind::kElided ||
             (value.kind == AttributeKind::kOpaque && value.type != nullptr);
    case FieldKind::kEnum:
      return value.kind == AttributeKind::kEnum && SameName(value.name, field.type_name);
    case FieldKind::kEnums:
      return value.kind == AttributeKind::kArray &&
             std::all_of(value.elements.begin(), value.elements.end(), [&](const Attribute* one) {
               return one->kind == AttributeKind::kEnum && SameName(one->name, field.type_name);
             });
    case FieldKind::kRecord:
      return value.kind == AttributeKind::kRecord && SameName(value.name, field.type_name);
    case FieldKind::kRecords:
      return AllOf(value, AttributeKind::kRecord, field.type_name);
    case FieldKind::kDenseOrMesh:
      return value.kind == AttributeKind::kDense ||
             (value.kind == AttributeKind::kRecord &&
              value.name == "stablehlo.replica_group_mesh_axes");
    case FieldKind::kMeshOrSymbol:
      return value.kind == AttributeKind::kSymbol ||
             (value.kind == AttributeKind::kRecord &&
              (value.name == "sdy.mesh" || value.name == "stablehlo.mesh"));
    case FieldKind::kDictionary:
      return value.kind == AttributeKind::kDictionary;
    case FieldKind::kDictionaries:
      return AllOf(value, AttributeKind::kDictionary, "");
    case FieldKind::kArray:
      return value.kind == AttributeKind::kArray;
    case FieldKind::kType:
      return value.kind == AttributeKind::kType;
    case FieldKind::kAny:
      return true;
  }
  return false;
}

}  // namespace

const Attribute* AsFieldKind(Program& program, const Field& field, const Attribute* value) {
  if (HasKind(field, *value)) return value;
  const ElementType element =
      field.kind == FieldKind::kBools ? ElementType::kPred : ElementType::kS64;
  const bool lists = field.kind == FieldKind::kInts || field.kind == FieldKind::kBools;
  // What StableHLO 0.x had as dense<[1, 2]> : tensor<2xi64>.
  if (!lists || value->kind != AttributeKind::kDense || value->type->dimensions.size() != 1 ||
      value->type->element_type() != element) {
    return nullptr;
  }
  const int64_t count = value->type->dimensions[0];
  constexpr int64_t kLongest = 4096;  // no shape has so many dimensions
  if (count > kLongest) return nullptr;
  Attribute* list = program.NewAttribute(AttributeKind::kInts);
  list->type = program.Scalar(element);
  for (int64_t i = 0; i < count; ++i) {
    const Element one = LoadElement(element, value->bytes.get(), value->is_splat ? 0 : i);
    list->ints.push_back(static_cast<int64_t>(one.bits));
  }
  return list;
}

std::string DescribeKind(const Field& field) {
  switch (field.kind) {
    case FieldKind::kInt64:
      return "a 64-bit integer";
    case FieldKind::kInt32:
      return "a 32-bit integer";
    case FieldKind::kUint32:
      return "an unsigned 32-bit integer";
    case FieldKind::kUint64:
      return "an unsigned 64-bit integer";
    case FieldKind::kFloat32:
      return "an f32";
    case FieldKind::kFloat64:
      return "an f64";
    case FieldKind::kBool:
      return "true or false";
    case FieldKind::kUnit:
      return "a name without a value";
    case FieldKind::kString:
      return "a string";
    case FieldKind::kStrings:
      return "a list of strings";
    case FieldKind::kSymbol:
      return "a symbol";
    case FieldKind::kSymbols:
      return "a list of symbols";
    case FieldKind::kInts:
      return "a list of 64-bit integers (array<i64: 1, 2>)";
    case FieldKind::kBools:
      return "a list of booleans (array<i1: true, false>)";
    case FieldKind::kDense:
      return "the elements of a tensor";
    case FieldKind::kEnum:
    case FieldKind::kRecord:
      return absl::StrCat("#", field.type_name);
    case FieldKind::kEnums:
    case FieldKind::kRecords:
      return absl::StrCat("a list of #", field.type_name);
    case FieldKind::kDenseOrMesh:
      return "the elements of a tensor, or axes of a mesh";
    case FieldKind::kMeshOrSymbol:
      return "a mesh or its symbol";
    case FieldKind::kDictionary:
      return "a dictionary";
    case FieldKind::kDictionaries:
      return "a list of dictionaries";
    case FieldKind::kArray:
      return "a list";
    case FieldKind::kType:
      return "a type";
    case FieldKind::kAny:
      return "an attribute";
  }
  return {};
}

}  // namespace assay::stablehlo
