// The attributes of the operations of a bytecode file: what their properties and their dictionaries
// say, with VHLO's attributes as those of StableHLO. Operations that say the same share one set.
// Source: reference stablehlo_format.md 4. Tests: bytecode_test.cc, bytecode_errors_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_OPERATION_ATTRIBUTES_H_
#define ASSAY_SPEC_STABLEHLO_OPERATION_ATTRIBUTES_H_

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/stablehlo/bytecode_entries.h"
#include "spec/stablehlo/bytecode_file.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/tree.h"
#include "spec/stablehlo/vhlo_values.h"

namespace assay::stablehlo {

// A name is the number of an operation's name in the file.
class OperationAttributes {
 public:
  // The attributes that one blob of properties has for the operations of one name.
  struct Properties {
    size_t name = SIZE_MAX;
    AttributeList attributes;
    uint64_t weight = 0;
    // The set of operations that have these properties and no dictionary, once it has been made.
    const AttributeSet* set = nullptr;
    bool has_set = false;
  };

  // The three must outlive this.
  OperationAttributes(const BytecodeFile& file, BytecodeEntries& entries, Program& program)
      : file_(file), entries_(entries), program_(program), properties_(file.properties.size()) {}

  bool HasProperties(uint64_t index) const {
    return index < properties_.size() && file_.version >= 5;
  }
  // The properties of an operation, if the last one that had them was of the same name; else null.
  const Properties* Find(size_t name, uint64_t index) const {
    if (!HasProperties(index) || properties_[index].name != name) return nullptr;
    return &properties_[index];
  }
  // The same, decoded if need be. Requires HasProperties(index).
  absl::StatusOr<Properties*> Decode(size_t name, const DialectOp* row, uint64_t index);
  // All attributes of an operation. Either source may be null. INVALID_ARGUMENT if an attribute is
  // there twice.
  absl::StatusOr<const AttributeSet*> Join(size_t name, const Attribute* dictionary,
                                           Properties* properties);

 private:
  absl::StatusOr<AttributeList> DecodeBlob(size_t name, const DialectOp* row,
                                           absl::string_view blob, uint64_t& weight);
  absl::StatusOr<AttributeList> FromDictionary(const VhloOp& op,
                                               absl::Span<const NamedAttribute> fields);
  absl::StatusOr<const AttributeSet*> Merge(size_t name, const Attribute* dictionary,
                                            const Properties* properties);

  const BytecodeFile& file_;
  BytecodeEntries& entries_;
  Program& program_;
  std::vector<Properties> properties_;
  absl::flat_hash_map<std::tuple<size_t, const Attribute*, const Properties*>, const AttributeSet*>
      shared_;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_OPERATION_ATTRIBUTES_H_
