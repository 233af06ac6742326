#include "spec/stablehlo/plain_properties.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/stablehlo/attribute_checks.h"

namespace assay::stablehlo {
namespace {

struct RawProperty {
  const Field* field;
  uint64_t attribute;
};

// The numbers of operands or results in each segment.
std::optional<std::vector<int64_t>> ReadSegments(ByteReader& in) {
  const uint64_t bits = in.Varint();
  const uint64_t count = bits >> 1;
  std::vector<int64_t> sizes;
  if ((bits & 1) == 0) {
    if (count > in.left()) return std::nullopt;
    for (uint64_t i = 0; i < count; ++i) sizes.push_back(static_cast<int64_t>(in.Varint()));
    return sizes;
  }
  // Few are not zero: their indices are in the low bits.
  const uint64_t index_bits = in.Varint();
  if (index_bits > 8 || count > in.left()) return std::nullopt;
  sizes.resize(2);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t packed = in.Varint();
    const uint64_t index = packed & ((uint64_t{1} << index_bits) - 1);
    if (index >= sizes.size()) return std::nullopt;
    sizes[index] = static_cast<int64_t>(packed >> index_bits);
  }
  return sizes;
}

// Whether writers of other versions do not have the field.
bool MayLack(const Field& field) {
  return field.presence == Presence::kNewer || field.name == "no_inline";
}

class PlainReader {
 public:
  PlainReader(BytecodeEntries& entries, const DialectOp& row, absl::string_view blob)
      : entries_(entries), row_(row), blob_(blob) {}

  // With the fields that other versions lack where `with` has a bit for each, in order. Optional
  // attributes at the end that nobody here knows may follow where they are absent.
  bool Try(unsigned with, bool more_are_absent = false) {
    raw_.clear();
    ByteReader in(blob_, 0, blob_.size());
    unsigned bit = 1;
    for (const Field& field : row_.attributes) {
      if (MayLack(field)) {
        const bool there = (with & bit) != 0;
        bit <<= 1;
        if (!there) continue;
      }
      uint64_t index = in.Varint();
      if (!field.required()) {
        const bool present = (index & 1) != 0;
        index >>= 1;
        if (!present) {
          if (index != 0) return false;
          continue;
        }
      }
      if (index >= entries_.file().attributes.size()) return false;
      raw_.push_back({&field, index});
    }
    if (row_.sized) {
      for (auto* sizes : {&operand_sizes_, &result_sizes_}) {
        std::optional<std::vector<int64_t>> read = ReadSegments(in);
        if (!read.has_value()) return false;
        *sizes = *std::move(read);
      }
    }
    while (more_are_absent && in.ok() && !in.empty()) {
      if (in.Varint() != 0) return false;
    }
    return in.ok() && in.empty();
  }

  unsigned alternatives() const {
    unsigned count = 1;
    for (const Field& field : row_.attributes) count <<= MayLack(field) ? 1 : 0;
    return count;
  }

  absl::StatusOr<AttributeList> Attributes(uint64_t& weight) {
    AttributeList list;
    for (const RawProperty& raw : raw_) {
      const Attribute* value = entries_.GetAttribute(raw.attribute);
      if (value == nullptr) return entries_.status();
      value = AsFieldKind(entries_.program(), *raw.field, value);
      if (value == nullptr) {
        return absl::InvalidArgumentError(absl::StrCat("the attribute ", raw.field->name, " of ",
                                                       row_.name, " is not ",
                                                       DescribeKind(*raw.field)));
      }
      weight += entries_.attribute_weight(raw.attribute);
      list.push_back({raw.field->name, value});
    }
    if (row_.sized) {
      list.push_back({"operandSegmentSizes", Sizes(operand_sizes_)});
      list.push_back({"resultSegmentSizes", Sizes(result_sizes_)});
    }
    return list;
  }

 private:
  const Attribute* Sizes(const std::vector<int64_t>& sizes) {
    Attribute* attribute = entries_.program().NewAttribute(AttributeKind::kInts);
    attribute->type = entries_.program().Scalar(ElementType::kS32);
    attribute->ints = sizes;
    return attribute;
  }

  BytecodeEntries& entries_;
  const DialectOp& row_;
  absl::string_view blob_;
  std::vector<RawProperty> raw_;
  std::vector<int64_t> operand_sizes_;
  std::vector<int64_t> result_sizes_;
};

// Of an operation that the writer did not know: one dictionary.
absl::StatusOr<AttributeList> ReadUnregistered(BytecodeEntries& entries, const BytecodeName& name,
                                               absl::string_view blob, uint64_t& weight) {
  ByteReader in(blob, 0, blob.size());
  const uint64_t index = in.Varint();
  if (!in.ok() || !in.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the properties of ", name.text, " are invalid"));
  }
  const Attribute* dictionary = entries.GetAttribute(index);
  if (dictionary == nullptr) return entries.status();
  if (dictionary->kind != AttributeKind::kDictionary) {
    return absl::InvalidArgumentError(
        absl::StrCat("the properties of ", name.text, " are no dictionary"));
  }
  weight += entries.attribute_weight(index);
  return AttributeList(dictionary->fields.begin(), dictionary->fields.end());
}

}  // namespace

absl::StatusOr<AttributeList> ReadPlainProperties(BytecodeEntries& entries,
                                                  const BytecodeName& name, const DialectOp* row,
                                                  absl::string_view blob, uint64_t& weight) {
  if (!name.registered) return ReadUnregistered(entries, name, blob, weight);
  if (row == nullptr) {
    return absl::UnimplementedError(absl::StrCat(
        "the operation ", name.text, " is unknown, so that its properties cannot be read"));
  }
  PlainReader reader(entries, *row, blob);
  for (unsigned with = reader.alternatives(); with-- > 0;) {
    if (reader.Try(with)) return reader.Attributes(weight);
  }
  if (reader.Try(reader.alternatives() - 1, true)) return reader.Attributes(weight);
  return absl::InvalidArgumentError(
      absl::StrCat("the properties of ", name.text, " are not those of a version that is known"));
}

}  // namespace assay::stablehlo
