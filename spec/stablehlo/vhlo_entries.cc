// Attributes and types of VHLO, by their codes in bytecode, as those of StableHLO.
// Source: reference stablehlo_format.md 4. Tests: bytecode_test.cc.
#include <utility>

#include "spec/stablehlo/entry_reader.h"

namespace assay::stablehlo {
namespace {

// The types without fields, by code; kInvalid for other codes.
ElementType VhloScalar(uint64_t code) {
  using enum ElementType;
  constexpr ElementType kTable[] = {
      kPred,       kInvalid,       kBF16,    kF16,        kF32,      kF64,      // 0
      kF8E4M3FN,   kF8E5M2,        kInvalid, kInvalid,    kS4,       kS8,       // 6
      kS16,        kS32,           kS64,     kU4,         kU8,       kU16,      // 12
      kU32,        kU64,           kInvalid, kInvalid,    kInvalid,  kInvalid,  // 18
      kInvalid,    kInvalid,       kInvalid, kF8E4M3FNUZ,                       // 24
      kF8E5M2FNUZ, kF8E4M3B11FNUZ, kInvalid, kS2,         kU2,       kInvalid,  // 28
      kInvalid,    kF8E4M3,        kF8E3M4,  kF4E2M1FN,   kF6E2M3FN,            // 34
      kF6E3M2FN,   kF8E8M0FNU};                                                 // 39
  return code < std::size(kTable) ? kTable[code] : kInvalid;
}

// The names of enumerations by the codes of their attributes; empty for other codes.
absl::string_view VhloEnum(uint64_t code) {
  switch (code) {
    case 3:
      return "stablehlo.comparison_direction";
    case 4:
      return "stablehlo.comparison_type";
    case 7:
      return "stablehlo.fft_type";
    case 11:
      return "stablehlo.precision";
    case 12:
      return "stablehlo.rng_algorithm";
    case 13:
      return "stablehlo.rng_distribution";
    case 16:
      return "stablehlo.transpose";
    case 19:
      return "stablehlo.result_accuracy_mode";
    default:
      return "";
  }
}

bool VhloBool(EntryReader& in) {
  const uint64_t value = in.Varint();
  if (value > 1) in.Fail("a truth value is neither 0 nor 1");
  return value == 1;
}

const Attribute* DecodeVhloNumber(EntryReader& in, uint64_t code) {
  constexpr uint64_t kFloat = 8;
  const Type* type = in.Typ();
  if (code == kFloat) return in.FloatAttribute(type);
  const int64_t value = in.Integer(type);
  if (!in.ok()) return nullptr;
  if (type == in.program().Scalar(ElementType::kPred)) return in.BoolAttribute(value != 0);
  return in.IntegerAttribute(value, type);
}

// A symbol where VHLO has a string.
const Attribute* SymbolOrRecord(EntryReader& in, const Attribute* attribute) {
  if (attribute == nullptr || attribute->kind != AttributeKind::kString) return attribute;
  Attribute* symbol = in.New(AttributeKind::kSymbol);
  symbol->text = attribute->text;
  return symbol;
}

const Attribute* DecodeMeshAttribute(EntryReader& in, uint64_t code) {
  switch (code) {
    case 21: {
      const Attribute* pre_size = in.IntegerAttribute(in.SignedVarint());
      const Attribute* size = in.IntegerAttribute(in.SignedVarint());
      return in.Record("stablehlo.sub_axis_info", {{"pre_size", pre_size}, {"size", size}});
    }
    case 22: {
      const Attribute* name = in.Attr();
      const Attribute* part = VhloBool(in) ? in.Attr() : nullptr;
      return in.Record("stablehlo.axis_ref", {{"name", name}, {"sub_axis_info", part}});
    }
    case 23: {
      const Attribute* mesh = SymbolOrRecord(in, in.Attr());
      return in.Record("stablehlo.replica_group_mesh_axes", {{"mesh", mesh}, {"axes", in.Attr()}});
    }
    case 24: {
      const Attribute* name = in.Attr();
      const Attribute* size = in.IntegerAttribute(in.SignedVarint());
      return in.Record("stablehlo.mesh_axis", {{"name", name}, {"size", size}});
    }
    default: {
      const Attribute* axes = in.Attr();
      return in.Record("stablehlo.mesh", {{"axes", axes}, {"device_ids", in.OptionalAttr()}});
    }
  }
}

const Attribute* DecodeOperandAlias(EntryReader& in) {
  const Attribute* output = in.IntsAttribute(in.Ints());
  const Attribute* index = in.IntegerAttribute(in.SignedVarint());
  const Attribute* operand = in.IntsAttribute(in.Ints());
  return in.Record("stablehlo.output_operand_alias", {{"output_tuple_indices", output},
                                                      {"operand_index", index},
                                                      {"operand_tuple_indices", operand}});
}

const Attribute* DecodeBounds(EntryReader& in) {
  Attribute* bounds = in.New(AttributeKind::kRecord);
  bounds->name = "stablehlo.bounds";
  bounds->fields = {{"bounds", in.IntsAttribute(in.Ints())}};
  return bounds;
}

const Attribute* DecodeAccuracy(EntryReader& in) {
  const Attribute* atol = in.DoubleAttribute();
  const Attribute* rtol = in.DoubleAttribute();
  const Attribute* ulps = in.IntegerAttribute(in.SignedVarint());
  return in.Record("stablehlo.result_accuracy",
                   {{"atol", atol}, {"rtol", rtol}, {"ulps", ulps}, {"mode", in.Attr()}});
}

}  // namespace

const Attribute* DecodeVhloAttribute(EntryReader& in) {
  const uint64_t code = in.Varint();
  if (const absl::string_view name = VhloEnum(code); !name.empty()) return in.EnumAttribute(name);
  switch (code) {
    case 1: {
      Attribute* array = in.New(AttributeKind::kArray);
      array->elements = in.Attrs();
      return array;
    }
    case 2:
      return in.BoolAttribute(VhloBool(in));
    case 5: {  // StableHLO has the number itself
      const uint64_t number = in.Varint();
      if (number > 4) in.Fail("an enumeration has no such value");
      return in.IntegerAttribute(static_cast<int64_t>(number),
                                 in.program().Scalar(ElementType::kS32));
    }
    case 6:
      return in.DictionaryAttribute();
    case 8:
    case 9:
      return DecodeVhloNumber(in, code);
    case 10:
      return DecodeOperandAlias(in);
    case 14:
      return in.StringAttribute(in.String());
    case 15: {
      const Type* type = in.Typ();
      return in.Dense(type, in.Blob());
    }
    case 17: {
      Attribute* attribute = in.New(AttributeKind::kType);
      attribute->type = in.Typ();
      return attribute;
    }
    case 18:
      return DecodeBounds(in);
    case 20:
      return DecodeAccuracy(in);
    case 21:
    case 22:
    case 23:
    case 24:
    case 25:
      return DecodeMeshAttribute(in, code);
    default:
      in.Fail("an unknown VHLO attribute");
      return nullptr;
  }
}

const Type* DecodeVhloType(EntryReader& in) {
  const uint64_t code = in.Varint();
  if (!in.ok()) return nullptr;
  if (const ElementType element = VhloScalar(code); element != ElementType::kInvalid) {
    return in.program().Scalar(element);
  }
  switch (code) {
    case 1: {
      const Type* part = in.Typ();
      return ListType(in, TypeKind::kScalar, {part});
    }
    case 8: {
      std::vector<const Type*> inputs = in.Types();
      return FunctionType(in, std::move(inputs), in.Types());
    }
    case 9:
      return PlainType(in, TypeKind::kIndex);
    case 20: {
      std::vector<int64_t> dimensions = in.Ints();
      return TensorType(in, std::move(dimensions), in.Typ(), nullptr);
    }
    case 21: {
      const Attribute* encoding = in.Attr();
      std::vector<int64_t> dimensions = in.Ints();
      return TensorType(in, std::move(dimensions), in.Typ(), encoding);
    }
    case 22:
      return PlainType(in, TypeKind::kToken);
    case 23:
      return ListType(in, TypeKind::kTuple, in.Types());
    case 24:
    case 30:
      return QuantizedType(in, /*per_axis=*/code == 30);
    case 25:
      return ListType(in, TypeKind::kUnranked, {in.Typ()});
    case 26:
      return OpaqueType(in, "!shape.witness");
    case 33:
      return PlainType(in, TypeKind::kNone);
    case 34:
      return PlainType(in, TypeKind::kTf32);
    case 41: {
      std::vector<int64_t> dimensions = in.Ints();
      return MemrefType(in, std::move(dimensions), in.Typ());
    }
    case 42:
      return ListType(in, TypeKind::kFuture, in.Types());
    default:
      in.Fail("an unknown VHLO type");
      return nullptr;
  }
}

}  // namespace assay::stablehlo
