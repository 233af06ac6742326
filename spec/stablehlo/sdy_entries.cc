// Attributes of the dialect sdy (Shardy), by their codes in bytecode. What the tree has no record
// for is kept as the text that MLIR prints. Source: reference stablehlo_format.md 2 and 4.
// Tests: bytecode_test.cc.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "spec/stablehlo/entry_reader.h"

namespace assay::stablehlo {
namespace {

const Attribute* SdyArray(EntryReader& in) {
  Attribute* array = in.New(AttributeKind::kArray);
  array->elements = in.Attrs();
  return array;
}

const Attribute* DecodeSdyMesh(EntryReader& in) {
  const Attribute* axes = SdyArray(in);
  const Attribute* ids = in.IntsAttribute(in.Ints());
  return in.Record("sdy.mesh", {{"axes", axes}, {"device_ids", ids}});
}

const Attribute* DecodeDimensionSharding(EntryReader& in) {
  const Attribute* axes = SdyArray(in);
  const Attribute* closed = in.BoolAttribute(in.Bool());
  const uint64_t bits = in.Varint();
  const Attribute* priority =
      (bits & 1) != 0 ? in.IntegerAttribute(static_cast<int64_t>(bits >> 1)) : nullptr;
  return in.Record("sdy.dimension_sharding",
                   {{"axes", axes}, {"is_closed", closed}, {"priority", priority}});
}

const Attribute* DecodeSharding(EntryReader& in, uint64_t code) {
  const Attribute* mesh = in.Attr();
  const Attribute* dimensions = SdyArray(in);
  const Attribute* replicated = SdyArray(in);
  const Attribute* unreduced = code == 6 ? nullptr : SdyArray(in);
  if (code == 17 && in.SignedVarint() != 0) {
    in.Fail("shardings that are reduced other than by addition are not supported");
  }
  return in.Record("sdy.sharding", {{"mesh", mesh},
                                    {"dimensions", dimensions},
                                    {"replicated", replicated},
                                    {"unreduced", unreduced}});
}

const Attribute* DecodeAxisRef(EntryReader& in) {
  const Attribute* name = in.StringAttribute(in.String());
  return in.Record("sdy.axis_ref", {{"name", name}, {"sub_axis_info", in.OptionalAttr()}});
}

const Attribute* SdyText(EntryReader& in, absl::string_view text) {
  Attribute* attribute = in.New(AttributeKind::kOpaque);
  attribute->text = in.program().Intern(text);
  return attribute;
}

// The text of a list's elements, which are texts.
std::string Texts(EntryReader& in, absl::string_view separator) {
  std::string text;
  bool first = true;
  for (const Attribute* attribute : in.Attrs()) {
    if (attribute == nullptr) break;
    if (!std::exchange(first, false)) absl::StrAppend(&text, separator);
    absl::StrAppend(&text, attribute->text);
  }
  return text;
}

// "a" or "a":(1)2.
std::string AxisText(const Attribute& axis) {
  const Attribute* name = axis.Find("name");
  const Attribute* part = axis.Find("sub_axis_info");
  std::string text = absl::StrCat("\"", name == nullptr ? "" : name->text, "\"");
  if (part == nullptr) return text;
  const Attribute* pre_size = part->Find("pre_size");
  const Attribute* size = part->Find("size");
  if (pre_size == nullptr || size == nullptr) return text;
  return absl::StrCat(text, ":(", pre_size->integer, ")", size->integer);
}

// {"a", "b"}.
std::string AxesText(EntryReader& in) {
  std::string text = "{";
  for (const Attribute* axis : in.Attrs()) {
    if (axis == nullptr) break;
    absl::StrAppend(&text, text.size() > 1 ? ", " : "", AxisText(*axis));
  }
  return text + "}";
}

constexpr absl::string_view kAxisList = "#sdy<axis_ref_list";

absl::string_view WithoutFrame(absl::string_view text, absl::string_view begin) {
  return absl::ConsumePrefix(&text, begin) && absl::ConsumeSuffix(&text, ">") ? text : "";
}

// The symbol of a factor: i, j, ..., z, z_1, z_2, ...
std::string FactorText(int64_t factor) {
  constexpr int64_t kLetters = 'z' - 'i';
  if (factor >= 0 && factor <= kLetters) return std::string(1, static_cast<char>('i' + factor));
  return absl::StrCat("z_", factor - kLetters);
}

std::string FactorsText(const std::vector<int64_t>& factors, absl::string_view separator) {
  return absl::StrJoin(factors, separator, [](std::string* out, int64_t factor) {
    absl::StrAppend(out, FactorText(factor));
  });
}

const Attribute* DecodeRule(EntryReader& in) {
  const std::vector<int64_t> sizes = in.Ints();
  const std::string operands = Texts(in, ", ");
  std::string text =
      absl::StrCat("#sdy.op_sharding_rule<(", operands, ")->(", Texts(in, ", "), ") {");
  for (size_t i = 0; i < sizes.size(); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", FactorText(static_cast<int64_t>(i)), "=", sizes[i]);
  }
  text += "}";
  for (const char* kind : {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
    const std::vector<int64_t> factors = in.Ints();
    if (factors.empty()) continue;
    absl::StrAppend(&text, " ", kind, "={", FactorsText(factors, ", "), "}");
  }
  absl::StrAppend(&text, in.Bool() ? ", custom>" : ">");
  return SdyText(in, text);
}

// What is kept as text.
const Attribute* DecodeSdyRest(EntryReader& in, uint64_t code) {
  switch (code) {
    case 8:
      return SdyText(in, FactorsText(in.Ints(), ""));
    case 9:
      return SdyText(in, absl::StrCat("[", Texts(in, ", "), "]"));
    case 10:
      return DecodeRule(in);
    case 11:
      return SdyText(in, absl::StrCat(kAxisList, AxesText(in), ">"));
    case 12: {
      std::string text = "#sdy<list_of_axis_ref_lists[";
      const std::vector<const Attribute*> lists = in.Attrs();
      for (size_t i = 0; in.ok() && i < lists.size(); ++i) {
        absl::StrAppend(&text, i > 0 ? ", " : "", WithoutFrame(lists[i]->text, kAxisList));
      }
      return SdyText(in, text + "]>");
    }
    case 13: {
      const std::string axes = AxesText(in);
      const int64_t from = in.SignedVarint();
      return SdyText(in, absl::StrCat(axes, ": ", from, "->", in.SignedVarint()));
    }
    case 14:
      return SdyText(in, absl::StrCat("#sdy<all_to_all_param_list[", Texts(in, ", "), "]>"));
    default:
      in.Fail("an unknown Shardy attribute");
      return nullptr;
  }
}

}  // namespace

const Attribute* DecodeSdyAttribute(EntryReader& in) {
  const uint64_t code = in.Varint();
  switch (code) {
    case 0:
      return in.Record("sdy.manual_axes", {{"axes", SdyArray(in)}});
    case 1: {
      const Attribute* name = in.StringAttribute(in.String());
      const Attribute* size = in.IntegerAttribute(in.SignedVarint());
      return in.Record("sdy.mesh_axis", {{"name", name}, {"size", size}});
    }
    case 2:
      return DecodeSdyMesh(in);
    case 3: {
      const Attribute* pre_size = in.IntegerAttribute(in.SignedVarint());
      const Attribute* size = in.IntegerAttribute(in.SignedVarint());
      return in.Record("sdy.sub_axis_info", {{"pre_size", pre_size}, {"size", size}});
    }
    case 4:
      return DecodeAxisRef(in);
    case 5:
      return DecodeDimensionSharding(in);
    case 6:
    case 15:
    case 17:
      return DecodeSharding(in, code);
    case 7:
    case 16:
      return in.Record("sdy.sharding_per_value", {{"shardings", SdyArray(in)}});
    default:
      return DecodeSdyRest(in, code);
  }
}

}  // namespace assay::stablehlo
