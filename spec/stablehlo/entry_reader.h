// The cursor over one attribute or type of a bytecode file, with what its fields may refer to.
#ifndef ASSAY_SPEC_STABLEHLO_ENTRY_READER_H_
#define ASSAY_SPEC_STABLEHLO_ENTRY_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/stablehlo/byte_reader.h"
#include "spec/stablehlo/bytecode_entries.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// The deepest nesting of attributes and types.
inline constexpr int kMaxEntryDepth = 200;
// The most attributes and types that one of them may stand for when it is written out.
inline constexpr uint32_t kMaxEntryWeight = 1 << 20;

class EntryReader : public ByteReader {
 public:
  EntryReader(BytecodeEntries& entries, const BytecodeEntry& entry, int depth)
      : ByteReader(entries.file().bytes, entry.begin, entry.end),
        entries_(entries),
        begin_(position()),
        depth_(depth) {}

  // References. Null, and an error, when there is no such thing.
  const Attribute* Attr() { return AttrAt(Varint()); }
  const Attribute* AttrAt(uint64_t index);
  // Null when it is absent; not an error.
  const Attribute* OptionalAttr();
  const Type* Typ();
  const Location* Loc();
  absl::string_view String();
  // An attribute that is a string, and its text.
  absl::string_view StringAttr();

  std::vector<const Attribute*> Attrs();
  std::vector<const Type*> Types();
  std::vector<int64_t> Ints();  // a list of signed integers
  bool Bool();                  // a byte, which VHLO does not have

  // Bits of `width`, as the format has integers of a known width; sign-extended.
  int64_t Bits(int width);
  // The value of an integer of this type, as Attribute has it.
  int64_t Integer(const Type* type);
  // The bits of a float of this type.
  int64_t FloatBits(const Type* type);

  // New attributes.
  Program& program() { return entries_.program(); }
  Attribute* New(AttributeKind kind) { return program().NewAttribute(kind); }
  const Attribute* IntsAttribute(std::vector<int64_t> ints);
  const Attribute* IntegerAttribute(int64_t value, const Type* type = nullptr);  // null: i64
  const Attribute* BoolAttribute(bool value);
  const Attribute* StringAttribute(absl::string_view text);
  const Attribute* FloatAttribute(const Type* type);
  const Attribute* DoubleAttribute();  // a field of f64
  const Attribute* EnumAttribute(absl::string_view name);
  // A dictionary of names and values, two attributes each.
  const Attribute* DictionaryAttribute();
  // A record's fields in the order of its row, without those that have the value that absence
  // means.
  const Attribute* Record(absl::string_view name, std::vector<NamedAttribute> fields);
  // A dense constant of the type from the bytes of a blob; null, and an error, where they do not
  // fit.
  const Attribute* Dense(const Type* type, absl::string_view blob);

  // The number of attributes and types that this one stands for, itself included.
  uint32_t weight() const { return weight_; }

  BytecodeEntries& entries() { return entries_; }

 private:
  void AddWeight(uint32_t weight);

  // The blob, moved to where it is aligned if it stands in this entry and may be moved.
  absl::string_view Aligned(absl::string_view blob) const;

  BytecodeEntries& entries_;
  const char* begin_;  // of the entry
  int depth_;
  uint32_t weight_ = 1;
};

// Decode an entry by the codes of its dialect, the code included. Null, and an error in the reader,
// for unknown codes.
const Attribute* DecodeBuiltinAttribute(EntryReader& in);
const Type* DecodeBuiltinType(EntryReader& in);
const Attribute* DecodeVhloAttribute(EntryReader& in);
const Type* DecodeVhloType(EntryReader& in);
const Attribute* DecodeStablehloAttribute(EntryReader& in);
const Type* DecodeStablehloType(EntryReader& in);
const Attribute* DecodeChloAttribute(EntryReader& in);
const Attribute* DecodeSdyAttribute(EntryReader& in);
const Type* DecodeQuantType(EntryReader& in);
// Whether the code is one of builtin's locations.
bool IsLocationCode(uint64_t code);
// A location; children that nest too deeply are unknown. The code is read already.
const Location* DecodeLocation(EntryReader& in, uint64_t code);

// Types that several dialects have under codes of their own.
const Type* TensorType(EntryReader& in, std::vector<int64_t> dimensions, const Type* element,
                       const Attribute* encoding);
const Type* ListType(EntryReader& in, TypeKind kind, std::vector<const Type*> types);
const Type* FunctionType(EntryReader& in, std::vector<const Type*> inputs,
                         const std::vector<const Type*>& results);
const Type* PlainType(EntryReader& in, TypeKind kind);
const Type* OpaqueType(EntryReader& in, absl::string_view text);
const Type* MemrefType(EntryReader& in, std::vector<int64_t> dimensions, const Type* element);
const Type* QuantizedType(EntryReader& in, bool per_axis);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_ENTRY_READER_H_
