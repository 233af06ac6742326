// The operations of VHLO: the rows of vhlo_ops.def, bound to those of dialect_ops.def.
// Tests: vhlo_table_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_VHLO_TABLE_H_
#define ASSAY_SPEC_STABLEHLO_VHLO_TABLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/dialect.h"

namespace assay::stablehlo {

struct VhloAttribute {
  std::string name;
  // StableHLO's attribute; null where it has none.
  const Field* target = nullptr;
  // The field of the target that this is, where the target is a record that VHLO takes apart.
  const Field* part = nullptr;
};

struct VhloOp {
  std::string name;  // "vhlo.add_v1"
  const DialectOp* row = nullptr;
  Version first;
  Version last;
  std::vector<VhloAttribute> attributes;  // sorted by name
};

// Null when there is none. FindVhloOp takes the name of VHLO with its version; the other one takes
// the name of StableHLO (or "func.func", "func.call"; all returns are "stablehlo.return") and the
// version of StableHLO.
const VhloOp* FindVhloOp(absl::string_view name);
const VhloOp* FindVhloOp(absl::string_view stablehlo_name, Version version);
// All of them in the order of the table.
absl::Span<const VhloOp> VhloOps();

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_VHLO_TABLE_H_
