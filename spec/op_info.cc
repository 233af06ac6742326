#include "spec/op_info.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

using Use = AttributeUse;
constexpr Use Need(Attr a) { return {a, true, Use::Print::kAlways, false, 0}; }
constexpr Use May(Attr a) { return {a, false, Use::Print::kWhenSet, false, 0}; }
constexpr Use Or(Attr a, int64_t value) { return {a, false, Use::Print::kWhenSet, true, value}; }
constexpr Use Show(Attr a, int64_t value) { return {a, false, Use::Print::kAlways, true, value}; }
constexpr Use Empty(Attr a) { return {a, false, Use::Print::kWhenSet, true, 0}; }
constexpr Use ShowAlways(Attr a) { return {a, false, Use::Print::kAlways, true, 0}; }
constexpr Use Drop(Attr a) { return {a, false, Use::Print::kNever, false, 0}; }

// One array of attribute uses per operation, then the table of rows that points into them.
template <typename... Uses>
constexpr std::array<Use, sizeof...(Uses)> Schema(Uses... uses) {
  return {uses...};
}

#define OP(enumerator, name, arity, family, accuracy, types, shape, ...) \
  constexpr auto enumerator##Schema = [] {                               \
    using enum Attr;                                                     \
    return Schema(__VA_ARGS__);                                          \
  }();
#include "spec/op_catalogue.def"
#undef OP

constexpr bool kInfer = true;
constexpr bool kWrite = false;

const std::array<OpInfo, kOpcodeCount>& Rows() {
  using enum Accuracy;
  static const auto* const rows = new std::array<OpInfo, kOpcodeCount>{{
#define OP(enumerator, name, arity, family, accuracy, types, shape, ...) \
  {Opcode::enumerator,                                                   \
   name,                                                                 \
   arity,                                                                \
   Family::family,                                                       \
   Accuracy::accuracy,                                                   \
   TypeSet(types),                                                       \
   shape,                                                                \
   absl::MakeConstSpan(enumerator##Schema.data(), enumerator##Schema.size())},
#include "spec/op_catalogue.def"
#undef OP
  }};
  return *rows;
}

}  // namespace

bool TypeSet::Contains(ElementType type) const {
  switch (Info(type).element_class) {
    case ElementClass::kPred:
      return pred;
    case ElementClass::kSigned:
      return is_signed;
    case ElementClass::kUnsigned:
      return is_unsigned;
    case ElementClass::kFloat:
      return is_float;
    case ElementClass::kComplex:
      return is_complex;
    case ElementClass::kNone:
      return others;
  }
  return false;
}

const OpInfo& Info(Opcode opcode) { return Rows()[static_cast<size_t>(opcode)]; }

absl::Span<const OpInfo> Catalogue() { return Rows(); }

std::optional<Opcode> OpcodeFromName(absl::string_view name) {
  const auto& rows = Rows();
  auto row = std::lower_bound(
      rows.begin(), rows.end(), name,
      [](const OpInfo& info, absl::string_view wanted) { return info.name < wanted; });
  if (row == rows.end() || row->name != name) return std::nullopt;
  return row->opcode;
}

const AttributeUse* OpInfo::FindAttribute(absl::string_view text_name) const {
  for (const AttributeUse& use : attributes) {
    if (Info(use.attr).name == text_name) return &use;
  }
  return nullptr;
}

const AttributeUse* OpInfo::FindAttribute(Attr attr) const {
  for (const AttributeUse& use : attributes) {
    if (use.attr == attr) return &use;
  }
  return nullptr;
}

}  // namespace assay
