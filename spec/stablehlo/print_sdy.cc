// Shardy's attributes: meshes, axes and shardings. text_sdy.cc reads them.
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/print_attributes.h"

namespace assay::stablehlo {

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

}  // namespace assay::stablehlo
