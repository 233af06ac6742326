#include "spec/stablehlo/scalar_types.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

namespace assay::stablehlo {
namespace {

constexpr std::pair<absl::string_view, ElementType> kScalarNames[] = {
    {"i1", ElementType::kPred},
    {"i2", ElementType::kS2},
    {"i4", ElementType::kS4},
    {"i8", ElementType::kS8},
    {"i16", ElementType::kS16},
    {"i32", ElementType::kS32},
    {"i64", ElementType::kS64},
    {"ui1", ElementType::kU1},
    {"ui2", ElementType::kU2},
    {"ui4", ElementType::kU4},
    {"ui8", ElementType::kU8},
    {"ui16", ElementType::kU16},
    {"ui32", ElementType::kU32},
    {"ui64", ElementType::kU64},
    {"f4E2M1FN", ElementType::kF4E2M1FN},
    {"f6E2M3FN", ElementType::kF6E2M3FN},
    {"f6E3M2FN", ElementType::kF6E3M2FN},
    {"f8E3M4", ElementType::kF8E3M4},
    {"f8E4M3", ElementType::kF8E4M3},
    {"f8E4M3FN", ElementType::kF8E4M3FN},
    {"f8E4M3FNUZ", ElementType::kF8E4M3FNUZ},
    {"f8E4M3B11FNUZ", ElementType::kF8E4M3B11FNUZ},
    {"f8E5M2", ElementType::kF8E5M2},
    {"f8E5M2FNUZ", ElementType::kF8E5M2FNUZ},
    {"f8E8M0FNU", ElementType::kF8E8M0FNU},
    {"f16", ElementType::kF16},
    {"bf16", ElementType::kBF16},
    {"f32", ElementType::kF32},
    {"f64", ElementType::kF64},
    {"complex<f32>", ElementType::kC64},
    {"complex<f64>", ElementType::kC128}};

// Of "i17", "ui3", "si32" the width; 0 for other names.
uint32_t IntegerWidth(absl::string_view name) {
  if (absl::StartsWith(name, "si") || absl::StartsWith(name, "ui")) name.remove_prefix(1);
  uint32_t width;
  if (name.size() < 2 || name[0] != 'i' || name[1] == '0' || name[1] == '+' ||
      !absl::SimpleAtoi(name.substr(1), &width) || width > (1u << 24)) {
    return 0;
  }
  return width;
}

}  // namespace

std::optional<Type> ScalarType(absl::string_view name) {
  static const auto* by_name = new absl::flat_hash_map<absl::string_view, ElementType>(
      std::begin(kScalarNames), std::end(kScalarNames));
  Type type;
  const auto it = by_name->find(name);
  if (it != by_name->end() && !IsComplex(it->second)) {
    type.kind = TypeKind::kScalar;
    type.element = it->second;
  } else if (name == "index") {
    type.kind = TypeKind::kIndex;
  } else if (name == "tf32") {
    type.kind = TypeKind::kTf32;
  } else if (name == "none") {
    type.kind = TypeKind::kNone;
  } else if (name == "f80" || name == "f128") {
    type.kind = TypeKind::kOpaque;
    type.text = std::string(name);
  } else if (const uint32_t width = IntegerWidth(name); width > 0) {
    type.kind = TypeKind::kInteger;
    type.width = width;
    type.text = std::string(name);
  } else {
    return std::nullopt;
  }
  return type;
}

absl::string_view ScalarName(ElementType element) {
  for (const auto& [name, type] : kScalarNames) {
    if (type == element) return name;
  }
  return {};
}

ElementType StorageElement(const Type& element) {
  if (element.kind == TypeKind::kScalar) return element.element;
  if (element.kind == TypeKind::kQuantized) return element.types[0]->element;
  return element.kind == TypeKind::kIndex ? ElementType::kS64 : ElementType::kInvalid;
}

}  // namespace assay::stablehlo
