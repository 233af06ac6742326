#include "spec/stablehlo/operation_attributes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/stablehlo/byte_reader.h"
#include "spec/stablehlo/plain_properties.h"

namespace assay::stablehlo {

// Equal properties have one blob, and most operations are of few kinds.
absl::StatusOr<OperationAttributes::Properties*> OperationAttributes::Decode(size_t name,
                                                                             const DialectOp* row,
                                                                             uint64_t index) {
  Properties& properties = properties_[index];
  if (properties.name == name) return &properties;
  uint64_t weight = 0;
  absl::StatusOr<AttributeList> list = DecodeBlob(name, row, file_.properties[index], weight);
  if (!list.ok()) return list.status();
  properties = {name, *std::move(list), weight};
  return &properties;
}

absl::StatusOr<const AttributeSet*> OperationAttributes::Join(size_t name,
                                                              const Attribute* dictionary,
                                                              Properties* properties) {
  const AttributeSet*& shared = shared_[{name, dictionary, properties}];
  if (shared != nullptr) return shared;
  absl::StatusOr<const AttributeSet*> merged = Merge(name, dictionary, properties);
  if (!merged.ok()) return merged;
  shared = *merged;
  if (dictionary == nullptr && properties != nullptr) {
    properties->set = shared;
    properties->has_set = true;
  }
  return shared;
}

absl::StatusOr<AttributeList> OperationAttributes::DecodeBlob(size_t name, const DialectOp* row,
                                                              absl::string_view blob,
                                                              uint64_t& weight) {
  const BytecodeName& source = file_.names[name];
  if (source.vhlo == nullptr) return ReadPlainProperties(entries_, source, row, blob, weight);
  ByteReader in(blob, 0, blob.size());
  std::vector<const Attribute*> values;
  for (size_t i = 0; i < source.vhlo->attributes.size(); ++i) {
    const uint64_t index = in.Varint();
    if (!in.ok()) break;
    values.push_back(entries_.GetAttribute(index));
    if (values.back() == nullptr) return entries_.status();
    weight += entries_.attribute_weight(index);
  }
  if (!in.ok() || !in.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the properties of ", source.text, " are invalid"));
  }
  return FromVhlo(program_, *source.vhlo, values);
}

// Attributes of VHLO before 0.15, which had no properties.
absl::StatusOr<AttributeList> OperationAttributes::FromDictionary(
    const VhloOp& op, absl::Span<const NamedAttribute> fields) {
  std::vector<const Attribute*> values(op.attributes.size());
  AttributeList others;
  for (const NamedAttribute& field : fields) {
    auto found = std::find_if(op.attributes.begin(), op.attributes.end(),
                              [&](const VhloAttribute& a) { return a.name == field.name; });
    if (found != op.attributes.end()) {
      values[found - op.attributes.begin()] = field.value;
    } else {
      others.push_back(field);
    }
  }
  absl::StatusOr<AttributeList> list = FromVhlo(program_, op, values);
  if (list.ok()) list->insert(list->end(), others.begin(), others.end());
  return list;
}

absl::StatusOr<const AttributeSet*> OperationAttributes::Merge(size_t name,
                                                               const Attribute* dictionary,
                                                               const Properties* properties) {
  const VhloOp* vhlo = file_.names[name].vhlo;
  AttributeList list;
  if (properties != nullptr) {
    list = properties->attributes;
  } else if (vhlo != nullptr && !vhlo->attributes.empty()) {
    absl::StatusOr<AttributeList> converted = FromDictionary(
        *vhlo, dictionary == nullptr ? absl::Span<const NamedAttribute>() : dictionary->fields);
    if (!converted.ok()) return converted.status();
    list = *std::move(converted);
    dictionary = nullptr;
  }
  if (dictionary != nullptr) {
    list.insert(list.end(), dictionary->fields.begin(), dictionary->fields.end());
  }
  std::sort(list.begin(), list.end(),
            [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; });
  for (size_t i = 1; i < list.size(); ++i) {
    if (list[i - 1].name == list[i].name) {
      return absl::InvalidArgumentError(
          absl::StrCat("the attribute ", list[i].name, " is there twice"));
    }
  }
  return program_.NewAttributes(list);
}

}  // namespace assay::stablehlo
