// Properties of operations that are not VHLO: their inherent attributes in alphabetical order, as
// the writer's own tables had them. Which fields there are depends on the writer's version, and is
// told by which of the versions takes the bytes exactly.
// Source: reference stablehlo_format.md 3.3 and 3.5. Tests: bytecode_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_PLAIN_PROPERTIES_H_
#define ASSAY_SPEC_STABLEHLO_PLAIN_PROPERTIES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "spec/stablehlo/bytecode_entries.h"
#include "spec/stablehlo/bytecode_file.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/vhlo_values.h"

namespace assay::stablehlo {

// The attributes in a blob. `row` is null for operations that nobody here knows, which are readable
// only where the writer knew them neither. Adds the attributes' weight to `weight`.
absl::StatusOr<AttributeList> ReadPlainProperties(BytecodeEntries& entries,
                                                  const BytecodeName& name, const DialectOp* row,
                                                  absl::string_view blob, uint64_t& weight);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_PLAIN_PROPERTIES_H_
