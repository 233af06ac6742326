// Attributes and types of the dialects stablehlo, chlo and quant in plain bytecode, by their codes.
// Source: reference stablehlo_format.md 4. Tests: bytecode_test.cc.
#include <utility>

#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/entry_reader.h"

namespace assay::stablehlo {
namespace {

absl::string_view StablehloEnum(uint64_t code) {
  switch (code) {
    case 2:
      return "stablehlo.comparison_direction";
    case 3:
      return "stablehlo.comparison_type";
    case 6:
      return "stablehlo.fft_type";
    case 8:
      return "stablehlo.precision";
    case 9:
      return "stablehlo.rng_algorithm";
    case 10:
      return "stablehlo.rng_distribution";
    case 12:
      return "stablehlo.transpose";
    case 16:
      return "stablehlo.result_accuracy_mode";
    default:
      return "";
  }
}

// The records whose fields are, in the order of their rows, signed numbers, lists of them, and
// truth values.
absl::string_view PlainRecord(uint64_t code) {
  switch (code) {
    case 1:
      return "stablehlo.channel_handle";
    case 4:
      return "stablehlo.conv";
    case 5:
      return "stablehlo.dot";
    case 7:
      return "stablehlo.gather";
    case 11:
      return "stablehlo.scatter";
    case 14:
      return "stablehlo.output_operand_alias";
    case 15:
      return "stablehlo.dot_algorithm";
    case 17:
      return "stablehlo.result_accuracy";
    case 19:
      return "stablehlo.sub_axis_info";
    default:
      return "";
  }
}

const Attribute* TypeAttribute(EntryReader& in, const Type* type) {
  Attribute* attribute = in.New(AttributeKind::kType);
  attribute->type = type;
  return attribute;
}

const Attribute* DecodeField(EntryReader& in, const Field& field) {
  switch (field.kind) {
    case FieldKind::kInts:
      return in.IntsAttribute(in.Ints());
    case FieldKind::kInt64:
      return in.IntegerAttribute(in.SignedVarint());
    case FieldKind::kFloat64:
      return in.DoubleAttribute();
    case FieldKind::kBool:
      return in.BoolAttribute(in.Bool());
    case FieldKind::kType:
      return TypeAttribute(in, in.Typ());
    default:
      return in.Attr();
  }
}

const Attribute* DecodePlainRecord(EntryReader& in, absl::string_view name) {
  std::vector<NamedAttribute> fields;
  for (const Field& field : FindRecord(name)->fields) {
    fields.push_back({field.name, DecodeField(in, field)});
  }
  return in.Record(name, std::move(fields));
}

const Attribute* ArrayOf(EntryReader& in, std::vector<const Attribute*> elements) {
  Attribute* array = in.New(AttributeKind::kArray);
  array->elements = std::move(elements);
  return array;
}

const Attribute* DecodeMesh(EntryReader& in, uint64_t code) {
  switch (code) {
    case 18: {
      const Attribute* mesh = in.Attr();
      const Attribute* axes = ArrayOf(in, in.Attrs());
      return in.Record("stablehlo.replica_group_mesh_axes", {{"mesh", mesh}, {"axes", axes}});
    }
    case 20: {
      const Attribute* name = in.StringAttribute(in.String());
      const Attribute* part = in.Bool() ? in.Attr() : nullptr;
      return in.Record("stablehlo.axis_ref", {{"name", name}, {"sub_axis_info", part}});
    }
    case 21: {
      const Attribute* name = in.StringAttribute(in.String());
      const Attribute* size = in.IntegerAttribute(in.SignedVarint());
      return in.Record("stablehlo.mesh_axis", {{"name", name}, {"size", size}});
    }
    default: {
      const Attribute* axes = in.Attr();
      const Attribute* ids = in.Bool() ? in.Attr() : nullptr;
      return in.Record("stablehlo.mesh", {{"axes", axes}, {"device_ids", ids}});
    }
  }
}

}  // namespace

const Attribute* DecodeStablehloAttribute(EntryReader& in) {
  const uint64_t code = in.Varint();
  if (const absl::string_view name = StablehloEnum(code); !name.empty()) {
    return in.EnumAttribute(name);
  }
  if (const absl::string_view name = PlainRecord(code); !name.empty()) {
    return DecodePlainRecord(in, name);
  }
  switch (code) {
    case 13: {
      Attribute* bounds = in.New(AttributeKind::kRecord);
      bounds->name = "stablehlo.bounds";
      bounds->fields = {{"bounds", in.IntsAttribute(in.Ints())}};
      return bounds;
    }
    case 18:
    case 20:
    case 21:
    case 22:
      return DecodeMesh(in, code);
    default:
      in.Fail("an unknown StableHLO attribute");
      return nullptr;
  }
}

const Type* DecodeStablehloType(EntryReader& in) {
  switch (in.Varint()) {
    case 0:
      return PlainType(in, TypeKind::kToken);
    case 1:
      return ListType(in, TypeKind::kFuture, in.Types());
    default:
      in.Fail("an unknown StableHLO type");
      return nullptr;
  }
}

const Attribute* DecodeChloAttribute(EntryReader& in) {
  switch (in.Varint()) {
    case 0:
      return in.EnumAttribute("chlo.comparison_direction");
    case 1:
      return in.EnumAttribute("chlo.comparison_type");
    default:
      in.Fail("an unknown CHLO attribute");
      return nullptr;
  }
}

const Type* DecodeQuantType(EntryReader& in) {
  const uint64_t code = in.Varint();
  if (code == 4 || code == 5) return QuantizedType(in, /*per_axis=*/code == 5);
  in.Fail("an unknown quantised type");
  return nullptr;
}

}  // namespace assay::stablehlo
