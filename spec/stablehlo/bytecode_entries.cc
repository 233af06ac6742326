#include "spec/stablehlo/bytecode_entries.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/stablehlo/entry_reader.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

// A number without an entry, which locations of unknown place have.
uint64_t PeekCode(const BytecodeFile& file, const BytecodeEntry& entry) {
  return ByteReader(file.bytes, entry.begin, entry.end).Varint();
}

bool IsLocation(const BytecodeFile& file, const BytecodeEntry& entry) {
  return entry.dialect == EntryDialect::kBuiltin && entry.custom &&
         IsLocationCode(PeekCode(file, entry));
}

// The assembly text of an entry, with its NUL behind it.
absl::string_view TextOf(EntryReader& in) {
  const absl::string_view text = in.CString();
  if (in.ok() && !in.empty()) in.Fail("there is data behind its text");
  return text;
}

const Attribute* DecodeAttribute(EntryReader& in, const BytecodeEntry& entry, uint64_t index) {
  if (!entry.custom) {
    const absl::string_view text = TextOf(in);
    if (!in.ok()) return nullptr;
    absl::StatusOr<const Attribute*> parsed = ParseAttribute(in.program(), text);
    if (parsed.ok()) return *parsed;
    in.entries().Fail(parsed.status());
    return nullptr;
  }
  if (IsLocation(in.entries().file(), entry)) {
    Attribute* attribute = in.New(AttributeKind::kLocation);
    attribute->location = in.entries().GetLocation(index);
    in.Bytes(in.left());
    return attribute;
  }
  switch (entry.dialect) {
    case EntryDialect::kBuiltin:
      return DecodeBuiltinAttribute(in);
    case EntryDialect::kVhlo:
      return DecodeVhloAttribute(in);
    case EntryDialect::kStablehlo:
      return DecodeStablehloAttribute(in);
    case EntryDialect::kChlo:
      return DecodeChloAttribute(in);
    case EntryDialect::kSdy:
      return DecodeSdyAttribute(in);
    default:
      in.Fail("its dialect is unknown");
      return nullptr;
  }
}

const Type* DecodeType(EntryReader& in, const BytecodeEntry& entry) {
  if (!entry.custom) {
    const absl::string_view text = TextOf(in);
    if (!in.ok()) return nullptr;
    absl::StatusOr<const Type*> parsed = ParseType(in.program(), text);
    if (parsed.ok()) return *parsed;
    in.entries().Fail(parsed.status());
    return nullptr;
  }
  switch (entry.dialect) {
    case EntryDialect::kBuiltin:
      return DecodeBuiltinType(in);
    case EntryDialect::kVhlo:
      return DecodeVhloType(in);
    case EntryDialect::kStablehlo:
      return DecodeStablehloType(in);
    case EntryDialect::kQuant:
      return DecodeQuantType(in);
    default:
      in.Fail("its dialect is unknown");
      return nullptr;
  }
}

}  // namespace

BytecodeEntries::BytecodeEntries(const BytecodeFile& file, Program& program,
                                 std::shared_ptr<const void> owner)
    : file_(file),
      program_(program),
      owner_(std::move(owner)),
      attributes_(file.attributes.size()),
      types_(file.types.size()) {}

void BytecodeEntries::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

template <typename T, typename Decode>
const T* BytecodeEntries::Resolve(std::vector<Slot<T>>& slots,
                                  const std::vector<BytecodeEntry>& entries, uint64_t index,
                                  int depth, absl::string_view kind, Decode decode) {
  if (index >= slots.size()) {
    Fail(absl::StrCat("there is no ", kind, " with the number ", index));
    return nullptr;
  }
  Slot<T>& slot = slots[index];
  if (slot.done) return slot.value;
  if (slot.busy || depth > kMaxEntryDepth) {
    Fail(
        absl::StrCat(kind, " ", index, slot.busy ? " is part of itself" : " is nested too deeply"));
  }
  if (!ok()) return nullptr;
  slot.busy = true;
  EntryReader in(*this, entries[index], depth);
  const T* value = decode(in, entries[index]);
  if (in.ok() && !in.empty()) in.Fail("there is data behind it");
  slot.busy = false;
  if (!in.ok()) Fail(in.status(absl::StrCat(kind, " ", index)));
  if (!ok()) return nullptr;
  slot.value = value;
  slot.weight = in.weight();
  slot.done = true;
  return value;
}

const Attribute* BytecodeEntries::GetAttributeAt(uint64_t index, int depth) {
  return Resolve(attributes_, file_.attributes, index, depth, "attribute",
                 [&](EntryReader& in, const BytecodeEntry& entry) {
                   return DecodeAttribute(in, entry, index);
                 });
}

const Type* BytecodeEntries::GetTypeAt(uint64_t index, int depth) {
  return Resolve(types_, file_.types, index, depth, "type", DecodeType);
}

const Location* BytecodeEntries::GetLocationAt(uint64_t index, int depth) {
  if (locations_.empty()) locations_.resize(attributes_.size());
  // Calls may nest as deeply as a program's stack; what is beyond is of no use to anybody.
  if (depth > kMaxEntryDepth) return nullptr;
  return Resolve(locations_, file_.attributes, index, depth, "location",
                 [&](EntryReader& in, const BytecodeEntry& entry) -> const Location* {
                   if (!IsLocation(file_, entry)) {
                     in.Fail("it is no location");
                     return nullptr;
                   }
                   return DecodeLocation(in, in.Varint());
                 });
}

}  // namespace assay::stablehlo
