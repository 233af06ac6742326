// What this project knows of each operation, enumeration and structured attribute of StableHLO and
// its neighbours (chlo, func, builtin, sdy, check, and what is left over of mhlo, arith, tensor and
// shape): the rows of dialect_ops.def and dialect_attributes.def, found by name. Both readers, the
// printers and the mapping to HLO are driven by them. Tests: dialect_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_DIALECT_H_
#define ASSAY_SPEC_STABLEHLO_DIALECT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/op_info.h"

namespace assay::stablehlo {

// The kind of value that an attribute of an operation, or a field of a structured attribute, has.
enum class FieldKind : uint8_t {
  kInt64,         // 5 : i64
  kInt32,         // 5 : i32
  kUint32,        // 5 : ui32
  kUint64,        // 5 : ui64
  kFloat32,       // 1.0 : f32
  kFloat64,       // 1.0 : f64
  kBool,          // true, false
  kUnit,          // present or absent
  kString,        // "text"
  kStrings,       // ["text", "other"]
  kSymbol,        // @name
  kSymbols,       // [@a, @b]
  kInts,          // array<i64: 1, 2>
  kBools,         // array<i1: true>
  kDense,         // dense<..> : tensor<..>
  kEnum,          // #stablehlo<precision HIGH>; type_name says which
  kEnums,         // [#stablehlo<precision HIGH>, ..]
  kRecord,        // #stablehlo.gather<..>; type_name says which
  kRecords,       // [#stablehlo.output_operand_alias<..>]
  kDenseOrMesh,   // replica groups: dense<..>, or #stablehlo.replica_group_mesh_axes<..>
  kMeshOrSymbol,  // @mesh, or the record of a mesh
  kDictionary,    // {a = 1 : i64}
  kDictionaries,  // [{a = 1 : i64}, {}]
  kArray,         // [..] of anything
  kType,          // tensor<2xf32>
  kAny,
};

enum class Presence : uint8_t {
  kRequired,
  kOptional,  // absent means the empty or neutral value
  kNewer,     // optional, and not known to StableHLO 1.17
  kDefault,   // absent means default_value
};

struct Field {
  absl::string_view name;
  FieldKind kind = FieldKind::kAny;
  Presence presence = Presence::kRequired;
  absl::string_view type_name;  // of kEnum, kEnums, kRecord, kRecords, and of texts of Shardy
  int64_t default_value = 0;    // of kDefault: the integer, the boolean or the enumeration's number

  bool required() const { return presence == Presence::kRequired; }
};

inline constexpr int kVariadicRegions = -1;
inline constexpr int kNoOpcode = -1;

struct DialectOp {
  absl::string_view name;  // "stablehlo.add"
  // The opcode of HLO that has the same operands, or kNoOpcode where the mapping is not that plain.
  int hlo = kNoOpcode;
  absl::string_view format;  // the pretty form, in the language of dialect_ops.def; "" is generic
  int regions = 0;
  bool isolated = false;          // the regions see no value from outside
  bool sized = false;             // has operandSegmentSizes and resultSegmentSizes as properties
  std::vector<Field> attributes;  // the inherent attributes, sorted by name
  // The row of the StableHLO operation of the same meaning: of mhlo's operations, that of
  // stablehlo; of stablehlo's, the row itself; else null.
  const DialectOp* stablehlo = nullptr;

  std::optional<Opcode> opcode() const {
    return hlo < 0 ? std::nullopt : std::optional(static_cast<Opcode>(hlo));
  }
  absl::string_view dialect() const { return name.substr(0, name.find('.')); }
  absl::string_view short_name() const { return name.substr(name.find('.') + 1); }
  const Field* FindAttribute(absl::string_view attribute) const;  // null when it is not inherent
};

// An enumeration: value i has the number first + i.
struct EnumRow {
  absl::string_view name;  // "stablehlo.precision"
  int64_t first = 0;
  std::vector<absl::string_view> values;

  absl::string_view Name(int64_t number) const;  // "" when there is no such value
  std::optional<int64_t> Number(absl::string_view value) const;
};

// A structured attribute, as an Attribute of the kind kRecord has it.
struct RecordRow {
  absl::string_view name;     // "stablehlo.gather"
  std::vector<Field> fields;  // in the order in which they are printed
};

// Null when there is no such row. FindDialectOp knows every "mhlo." name of a StableHLO operation.
const DialectOp* FindDialectOp(absl::string_view name);
const EnumRow* FindEnum(absl::string_view name);
const RecordRow* FindRecord(absl::string_view name);

// All operations, in the order of the table.
absl::Span<const DialectOp> DialectOps();
// Whether this project knows any operation of a dialect.
bool IsKnownDialect(absl::string_view dialect);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_DIALECT_H_
