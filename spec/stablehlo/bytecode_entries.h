// The attributes, types and locations of a bytecode file, decoded when they are first asked for.
// VHLO's types and attributes become those of StableHLO here; what depends on the operation that
// has the attribute is the matter of vhlo_values.h. Entries that name each other in a circle, nest
// deeply or stand for more than a million attributes when written out are refused.
// Source: reference stablehlo_format.md 4. Tests: bytecode_test.cc, bytecode_errors_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_BYTECODE_ENTRIES_H_
#define ASSAY_SPEC_STABLEHLO_BYTECODE_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/stablehlo/bytecode_file.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

class BytecodeEntries {
 public:
  // `owner` keeps the file's bytes alive, or is null: then constants are copied. The texts of the
  // file must live as long as the program in either case.
  BytecodeEntries(const BytecodeFile& file, Program& program, std::shared_ptr<const void> owner);

  // Null after an error, which status() has from then on.
  const Attribute* GetAttribute(uint64_t index) {
    return IsDone(attributes_, index) ? attributes_[index].value : GetAttributeAt(index, 0);
  }
  const Type* GetType(uint64_t index) {
    return IsDone(types_, index) ? types_[index].value : GetTypeAt(index, 0);
  }
  // Null for an unknown location, too.
  const Location* GetLocation(uint64_t index) {
    return IsDone(locations_, index) ? locations_[index].value : GetLocationAt(index, 0);
  }

  // Whether an entry has been decoded already.
  bool HasType(uint64_t index) const { return IsDone(types_, index); }
  bool HasLocation(uint64_t index) const { return IsDone(locations_, index); }

  // The number of attributes and types that an entry is written out.
  uint32_t attribute_weight(uint64_t index) const { return attributes_[index].weight; }
  uint32_t type_weight(uint64_t index) const { return types_[index].weight; }

  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  void Fail(absl::Status status);
  void Fail(absl::string_view message) { Fail(absl::InvalidArgumentError(message)); }

  Program& program() { return program_; }
  const BytecodeFile& file() const { return file_; }

 private:
  friend class EntryReader;
  template <typename T>
  struct Slot {
    const T* value = nullptr;
    uint32_t weight = 0;
    bool busy = false;  // being decoded
    bool done = false;
  };

  template <typename T>
  static bool IsDone(const std::vector<Slot<T>>& slots, uint64_t index) {
    return index < slots.size() && slots[index].done;
  }
  const Attribute* GetAttributeAt(uint64_t index, int depth);
  const Type* GetTypeAt(uint64_t index, int depth);
  const Location* GetLocationAt(uint64_t index, int depth);
  template <typename T, typename Decode>
  const T* Resolve(std::vector<Slot<T>>& slots, const std::vector<BytecodeEntry>& entries,
                   uint64_t index, int depth, absl::string_view kind, Decode decode);

  const BytecodeFile& file_;
  Program& program_;
  std::shared_ptr<const void> owner_;
  std::vector<Slot<Attribute>> attributes_;
  std::vector<Slot<Type>> types_;
  std::vector<Slot<Location>> locations_;  // of attributes that are locations
  absl::Status status_;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_BYTECODE_ENTRIES_H_
