#include "spec/stablehlo/to_vhlo.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace assay::stablehlo {
namespace {

constexpr uint64_t kApiVersion = 5;
constexpr uint64_t kPrecision = 11;

// The lowest version that has an operation, for messages.
const VhloOp* FirstVhloOp(absl::string_view name) {
  const VhloOp* first = nullptr;
  for (const VhloOp& op : VhloOps()) {
    if (op.row->name == name && (first == nullptr || op.first < first->first)) first = &op;
  }
  return first;
}

bool IsReturn(const Operation& op) { return op.name() == "func.return"; }

// Whether a record's field says nothing.
bool IsNeutral(const Attribute& value) {
  return (value.kind == AttributeKind::kInts && value.ints.empty()) ||
         (value.kind == AttributeKind::kInteger && value.integer == 0);
}

// Returns true if all elements of a list of enumerations have their first value.
bool IsZero(const Attribute& list) {
  return std::all_of(list.elements.begin(), list.elements.end(),
                     [](const Attribute* element) { return element->integer == 0; });
}

// The window's rank, by which the defaults of strides and the like are long.
int64_t WindowRank(const Operation& op) {
  if (const Attribute* numbers = op.Find("dimension_numbers"); numbers != nullptr) {
    const Attribute* spatial = numbers->Find("input_spatial_dimensions");
    return spatial == nullptr ? 0 : static_cast<int64_t>(spatial->ints.size());
  }
  if (const Attribute* window = op.Find("window_dimensions"); window != nullptr) {
    return static_cast<int64_t>(window->ints.size());
  }
  return op.operands().empty() ? 0
                               : static_cast<int64_t>(op.operands()[0]->type()->dimensions.size());
}

// Returns true for a call of XLA's foreign functions, whose configuration is a dictionary.
bool IsTypedCall(const Operation& op) {
  const Attribute* version = op.Find("api_version");
  return version != nullptr && version->integer == 4;
}

class ToVhloConverter {
 public:
  ToVhloConverter(const Operation& op, const VhloOp& vhlo, ArtifactEntries& entries)
      : op_(op), vhlo_(vhlo), entries_(entries) {}

  absl::StatusOr<std::vector<uint64_t>> Convert() {
    if (absl::Status status = CheckAllSaid(); !status.ok()) return status;
    std::vector<uint64_t> numbers;
    for (const VhloAttribute& attribute : vhlo_.attributes) {
      absl::StatusOr<uint64_t> number = One(attribute);
      if (!number.ok()) return number.status();
      numbers.push_back(*number);
    }
    return numbers;
  }

 private:
  absl::StatusOr<uint64_t> One(const VhloAttribute& attribute) {
    if (attribute.target == nullptr) return Pairs(WindowRank(op_));  // padding of dynamic_conv_v1
    const Attribute* value = op_.Find(attribute.target->name);
    if (attribute.part != nullptr) return Part(*attribute.target, *attribute.part, value);
    return value == nullptr ? Default(*attribute.target) : Value(*attribute.target, *value);
  }

  absl::StatusOr<uint64_t> Value(const Field& field, const Attribute& value) {
    if (field.kind == FieldKind::kUnit) return entries_.BoolNumber(true);
    // No precision, or one for both operands, is said by the default, as which it is read.
    if (field.kind == FieldKind::kEnums && IsZero(value)) return Default(field);
    if (field.name == "api_version") return entries_.EnumNumber(kApiVersion, value.integer);
    if (field.name == "backend_config" && value.kind == AttributeKind::kDictionary) {
      if (absl::Status status = CheckDictionaryConfig(); !status.ok()) return status;
    }
    return entries_.AttributeNumber(value, Spelling::kVhlo);
  }

  absl::Status CheckDictionaryConfig() {
    return entries_.version() < Version{1, 3, 0}
               ? entries_.Newer("a backend_config that is a dictionary")
               : absl::OkStatus();
  }

  // A field of a record that VHLO takes apart.
  absl::StatusOr<uint64_t> Part(const Field& target, const Field& part, const Attribute* record) {
    const Attribute* value = record == nullptr ? nullptr : record->Find(part.name);
    if (value != nullptr && part.kind == FieldKind::kInts && value->kind != AttributeKind::kInts) {
      return absl::InvalidArgumentError(
          absl::StrCat("the field ", part.name, " must be a list of integers"));
    }
    if (value != nullptr) return entries_.AttributeNumber(*value, Spelling::kVhlo);
    if (record == nullptr && target.name == "algorithm") return entries_.NoneTypeNumber();
    if (record == nullptr && target.required()) return Missing(target);
    if (part.kind == FieldKind::kInts) return Ints({}, ElementType::kS64);
    if (part.kind == FieldKind::kBool) return entries_.BoolNumber(false);
    return entries_.IntegerNumber(0);
  }

  absl::Status Missing(const Field& field) {
    return absl::InvalidArgumentError(absl::StrCat("the attribute ", field.name, " is missing"));
  }

  absl::StatusOr<uint64_t> Ints(std::vector<int64_t> values, ElementType element) {
    return entries_.TensorNumber({static_cast<int64_t>(values.size())}, values, element);
  }
  // N x 2 zeros.
  absl::StatusOr<uint64_t> Pairs(int64_t rank) {
    return entries_.TensorNumber({rank, 2}, std::vector<int64_t>(2 * rank, 0), ElementType::kS64);
  }

  absl::StatusOr<uint64_t> Default(const Field& field) {
    if (field.required()) return Missing(field);
    switch (field.kind) {
      case FieldKind::kUnit:
        return entries_.BoolNumber(false);
      case FieldKind::kBool:
        return entries_.BoolNumber(field.default_value != 0);
      case FieldKind::kInt64:
        return entries_.IntegerNumber(field.default_value);
      case FieldKind::kInt32:
        if (field.name == "api_version") {
          return entries_.EnumNumber(kApiVersion, field.default_value);
        }
        return entries_.IntegerNumber(field.default_value, ElementType::kS32);
      case FieldKind::kEnum:
        return entries_.EnumNumber(4, field.default_value);  // compare_type alone has one
      case FieldKind::kAny:                                  // backend_config
        if (IsTypedCall(op_)) {
          if (absl::Status status = CheckDictionaryConfig(); !status.ok()) return status;
          return entries_.DictionaryNumber({}, Spelling::kVhlo);
        }
        return entries_.StringNumber("", Spelling::kVhlo);
      case FieldKind::kString:
        return entries_.StringNumber("", Spelling::kVhlo);
      case FieldKind::kArray:
      case FieldKind::kDictionaries:
      case FieldKind::kStrings:
      case FieldKind::kSymbols:
      case FieldKind::kRecords:
        return entries_.ArrayNumber({}, Spelling::kVhlo);
      case FieldKind::kDictionary:
        return entries_.DictionaryNumber({}, Spelling::kVhlo);
      case FieldKind::kInts:
        if (absl::StartsWith(field.name, "known_")) return Ints({}, ElementType::kS64);
        return Ints(std::vector<int64_t>(WindowRank(op_), 1), ElementType::kS64);
      case FieldKind::kBools:
        return Ints(std::vector<int64_t>(WindowRank(op_), 0), ElementType::kPred);
      case FieldKind::kDense:
        return field.name == "padding" ? Pairs(WindowRank(op_)) : Ints({}, ElementType::kS64);
      case FieldKind::kEnums: {
        const uint64_t precision = entries_.EnumNumber(kPrecision, 0);
        return entries_.ArrayNumber({precision, precision}, Spelling::kVhlo);
      }
      case FieldKind::kRecord:
        return entries_.DefaultAccuracyNumber();
      default:
        return Missing(field);
    }
  }

  // Whether VHLO's operation has a place for all that is inherent.
  absl::Status CheckAllSaid() {
    for (const NamedAttribute& attribute : op_.attributes()) {
      const Field* field = op_.row()->FindAttribute(attribute.name);
      if (field == nullptr) continue;
      bool whole = false;
      std::vector<absl::string_view> parts;
      for (const VhloAttribute& vhlo : vhlo_.attributes) {
        if (vhlo.target != field) continue;
        whole = whole || vhlo.part == nullptr;
        if (vhlo.part != nullptr) parts.push_back(vhlo.part->name);
      }
      if (whole) continue;
      if (parts.empty()) {
        if (IsNothing(*field, *attribute.value)) continue;
        return entries_.Newer(absl::StrCat("the attribute ", attribute.name));
      }
      for (const NamedAttribute& part : attribute.value->fields) {
        const bool said = std::find(parts.begin(), parts.end(), part.name) != parts.end();
        // The type of a collective's channel has no place in any version.
        if (said || part.name == "type" || IsNeutral(*part.value)) continue;
        return entries_.Newer(absl::StrCat(part.name, " of the attribute ", attribute.name));
      }
    }
    return absl::OkStatus();
  }

  static bool IsNothing(const Field& field, const Attribute& value) {
    if (field.required()) return false;
    switch (value.kind) {
      case AttributeKind::kArray:
        return value.elements.empty();
      case AttributeKind::kRecord:
        return std::all_of(value.fields.begin(), value.fields.end(),
                           [](const NamedAttribute& part) { return part.value->integer == 0; });
      case AttributeKind::kDense:
        return value.byte_count == 0;
      case AttributeKind::kBool:
        return value.integer == field.default_value;
      default:
        return false;
    }
  }

  const Operation& op_;
  const VhloOp& vhlo_;
  ArtifactEntries& entries_;
};

// Reductions whose values have a wider type than what they reduce.
bool Widens(const Operation& op) {
  constexpr absl::string_view kReductions[] = {
      "stablehlo.all_reduce",    "stablehlo.reduce",  "stablehlo.reduce_scatter",
      "stablehlo.reduce_window", "stablehlo.scatter", "stablehlo.select_and_scatter"};
  if (std::find(std::begin(kReductions), std::end(kReductions), op.name()) ==
          std::end(kReductions) ||
      op.operands().empty() || op.regions().empty() || op.regions().back().blocks().empty()) {
    return false;
  }
  const ValueRange arguments = op.regions().back().blocks()[0]->arguments;
  return !arguments.empty() &&
         arguments[0]->type()->element_type() != op.operands()[0]->type()->element_type();
}

}  // namespace

absl::StatusOr<const VhloOp*> VhloOpFor(const Operation& op, const ArtifactEntries& entries) {
  const absl::string_view name = IsReturn(op) ? "stablehlo.return" : op.name();
  const Version version = entries.version();
  const VhloOp* vhlo = FindVhloOp(name, version);
  if (vhlo == nullptr) {
    const VhloOp* first = FirstVhloOp(name);
    if (first == nullptr) return entries.Newer(op.name());
    return absl::UnimplementedError(absl::StrCat(op.name(), " cannot be said in StableHLO ",
                                                 version.ToString(), ", but from ",
                                                 first->first.ToString(), " on"));
  }
  const bool single = vhlo->name == "vhlo.all_gather_v1" || vhlo->name == "vhlo.all_reduce_v1" ||
                      vhlo->name == "vhlo.all_to_all_v1" ||
                      vhlo->name == "vhlo.collective_broadcast_v1";
  if (single && op.operands().size() != 1) {
    return entries.Newer(absl::StrCat(op.name(), " of ", op.operands().size(), " operands"));
  }
  if (vhlo->name == "vhlo.composite_v1" && !op.regions().empty()) {
    return entries.Newer(absl::StrCat(op.name(), " with regions"));
  }
  if (version < Version{0, 17, 0} && Widens(op)) {
    return entries.Newer(absl::StrCat(op.name(), " that widens its values"));
  }
  return vhlo;
}

absl::StatusOr<std::vector<uint64_t>> ToVhlo(const Operation& op, const VhloOp& vhlo,
                                             ArtifactEntries& entries) {
  return ToVhloConverter(op, vhlo, entries).Convert();
}

}  // namespace assay::stablehlo
