// The strings, attributes, types and locations of an artifact that is being written, numbered as
// they are first needed. Equal ones have one number.
// Source: reference stablehlo_format.md 3.2 and 4. Tests: artifact_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_ARTIFACT_ENTRIES_H_
#define ASSAY_SPEC_STABLEHLO_ARTIFACT_ENTRIES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/stablehlo/byte_writer.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// Numbers texts, and dialects, in the order of their first use.
class NumberedTexts {
 public:
  uint64_t Number(absl::string_view text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  absl::flat_hash_map<std::string, uint64_t> numbers_;
  std::vector<std::string> texts_;
};

// Whose codes an attribute or type is written with.
enum class Spelling { kBuiltin, kVhlo };

// The list of numbers of an attribute; none where it is null.
void AppendInts(const Attribute* list, ByteWriter& out);
// Whether a name, or the text of an attribute behind its '#', is of Shardy's dialect.
bool IsShardy(absl::string_view name);

// An attribute or type: `head`, then `blob`, which is part of the program.
struct ArtifactEntry {
  uint64_t dialect = 0;
  std::string head;
  absl::string_view blob;
  bool is_text = false;  // whether it is the text of an attribute, not its code and fields
};

class ArtifactEntries {
 public:
  explicit ArtifactEntries(Version version) : version_(version) {}

  // Numbers. UNIMPLEMENTED for what the version does not have.
  absl::StatusOr<uint64_t> AttributeNumber(const Attribute& attribute, Spelling spelling);
  absl::StatusOr<uint64_t> TypeNumber(const Type& type, Spelling spelling);
  absl::StatusOr<uint64_t> LocationNumber(const Location* location);  // null: unknown

  // Attributes that StableHLO's programs do not have in this form.
  uint64_t BoolNumber(bool value);
  uint64_t IntegerNumber(int64_t value, ElementType element = ElementType::kS64);
  uint64_t StringNumber(absl::string_view text, Spelling spelling);
  uint64_t EnumNumber(uint64_t code, int64_t value);
  uint64_t ArrayNumber(const std::vector<uint64_t>& elements, Spelling spelling);
  uint64_t TypeAttributeNumber(uint64_t type);
  // A dictionary of names and attribute numbers.
  uint64_t DictionaryNumber(const std::vector<std::pair<absl::string_view, uint64_t>>& fields,
                            Spelling spelling);
  // A tensor of i64 or i1 of this shape.
  absl::StatusOr<uint64_t> TensorNumber(absl::Span<const int64_t> shape,
                                        absl::Span<const int64_t> values, ElementType element);
  uint64_t NoneTypeNumber();
  uint64_t DefaultAccuracyNumber();

  Version version() const { return version_; }
  NumberedTexts& strings() { return strings_; }
  NumberedTexts& dialects() { return dialects_; }
  const std::vector<ArtifactEntry>& attributes() const { return attributes_.entries; }
  const std::vector<ArtifactEntry>& types() const { return types_.entries; }

  // An error that names the version.
  absl::Status Newer(absl::string_view what) const;

  // How bytecode has the fields of Shardy's records. "May": the field may be missing.
  enum class ShardyKind {
    kString,
    kNumber,
    kMayNumber,
    kBool,
    kNumbers,
    kAttribute,
    kMayAttribute,
    kList,  // of attributes
  };

 private:
  struct Table {
    std::vector<ArtifactEntry> entries;
    absl::flat_hash_map<std::string, uint64_t> numbers;  // of dialect and head
  };
  using Key = std::pair<const void*, Spelling>;

  uint64_t Add(Table& table, Spelling spelling, ByteWriter head, absl::string_view blob = {});
  // An attribute or type of another dialect.
  uint64_t AddOther(Table& table, absl::string_view dialect, ByteWriter head, bool is_text = false);
  absl::StatusOr<uint64_t> EncodeVhlo(const Attribute& attribute);
  absl::StatusOr<uint64_t> EncodeBuiltin(const Attribute& attribute);
  absl::StatusOr<uint64_t> EncodeRecord(const Attribute& record);
  // Shardy's attributes (artifact_shardy.cc).
  absl::StatusOr<uint64_t> EncodeShardy(const Attribute& attribute);
  absl::Status AppendShardyField(ShardyKind kind, const Attribute* value, ByteWriter& head);
  absl::Status AppendShardyList(const Attribute* list, ByteWriter& head);
  absl::StatusOr<uint64_t> EncodeNumber(const Attribute& attribute, uint64_t code,
                                        Spelling spelling);
  absl::StatusOr<uint64_t> EncodeDense(const Attribute& attribute, uint64_t code,
                                       Spelling spelling);
  absl::StatusOr<uint64_t> EncodeIntsAsTensor(const Attribute& attribute);
  absl::StatusOr<uint64_t> EncodeList(const Attribute& attribute, Spelling spelling);
  absl::StatusOr<uint64_t> EncodeVhloType(const Type& type);
  absl::StatusOr<uint64_t> EncodeVhloArray(const Type& type);
  absl::StatusOr<uint64_t> EncodeBuiltinType(const Type& type);
  absl::StatusOr<uint64_t> EncodeScalar(ElementType element, Spelling spelling);
  absl::StatusOr<uint64_t> EncodeQuantized(const Type& type);
  absl::StatusOr<uint64_t> EncodeLocation(const Location& location);
  absl::Status AddTypes(absl::Span<const Type* const> types, Spelling spelling, ByteWriter& head);

  Version version_;
  NumberedTexts strings_;
  NumberedTexts dialects_;
  Table attributes_;
  Table types_;
  absl::flat_hash_map<Key, uint64_t> attribute_numbers_;
  absl::flat_hash_map<Key, uint64_t> type_numbers_;
  absl::flat_hash_map<const Location*, uint64_t> location_numbers_;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_ARTIFACT_ENTRIES_H_
