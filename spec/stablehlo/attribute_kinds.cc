#include "spec/stablehlo/attribute_kinds.h"

#include <algorithm>

namespace assay::stablehlo {
namespace {

bool IsNumberOf(const Attribute& value, AttributeKind kind, ElementType type) {
  return value.kind == kind && value.type != nullptr && value.type->kind == TypeKind::kScalar &&
         value.type->element == type;
}

bool IsNamed(const Attribute& value, AttributeKind kind, const Field& field) {
  return value.kind == kind && value.name == field.type_name;
}

template <typename Predicate>
bool AreElements(const Attribute& value, Predicate predicate) {
  return value.kind == AttributeKind::kArray &&
         std::all_of(value.elements.begin(), value.elements.end(),
                     [&](const Attribute* element) { return predicate(*element); });
}

bool IsListOf(const Attribute& value, ElementType type) {
  return IsNumberOf(value, AttributeKind::kInts, type);
}

bool IsDense(const Attribute& value) {
  return value.kind == AttributeKind::kDense || value.kind == AttributeKind::kElided;
}

}  // namespace

bool HasKind(const Field& field, const Attribute& value) {
  using enum FieldKind;
  switch (field.kind) {
    case kInt64:
      return value.kind == AttributeKind::kInteger;
    case kInt32:
      return value.kind == AttributeKind::kInteger;
    case kUint32:
    case kUint64:
      return value.kind == AttributeKind::kInteger;
    case kFloat32:
      return IsNumberOf(value, AttributeKind::kFloat, ElementType::kF32);
    case kFloat64:
      return IsNumberOf(value, AttributeKind::kFloat, ElementType::kF64);
    case kBool:
      return value.kind == AttributeKind::kBool;
    case kUnit:
      return value.kind == AttributeKind::kUnit;
    case kString:
      return value.kind == AttributeKind::kString;
    case kSymbol:
      return value.kind == AttributeKind::kSymbol;
    case kSymbols:
      return AreElements(value,
                         [](const Attribute& e) { return e.kind == AttributeKind::kSymbol; });
    case kInts:
      return IsListOf(value, ElementType::kS64);
    case kBools:
      return IsListOf(value, ElementType::kPred);
    case kDense:
      return IsDense(value);
    case kEnum:
      return IsNamed(value, AttributeKind::kEnum, field);
    case kEnums:
      return AreElements(
          value, [&](const Attribute& e) { return IsNamed(e, AttributeKind::kEnum, field); });
    case kRecord:
      return IsNamed(value, AttributeKind::kRecord, field);
    case kRecords:
      return AreElements(
          value, [&](const Attribute& e) { return IsNamed(e, AttributeKind::kRecord, field); });
    case kDenseOrMesh:
      return IsDense(value) || value.kind == AttributeKind::kRecord;
    case kMeshOrSymbol:
      return value.kind == AttributeKind::kSymbol || value.kind == AttributeKind::kRecord;
    case kDictionary:
      return value.kind == AttributeKind::kDictionary;
    case kArray:
      return value.kind == AttributeKind::kArray;
    case kType:
      return value.kind == AttributeKind::kType;
    case kAny:
      return true;
  }
  return false;
}

}  // namespace assay::stablehlo
