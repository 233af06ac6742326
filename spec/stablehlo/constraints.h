// The constraints of StableHLO that neither the readers nor HLO's verifier check: types of operands
// and results, ranges of attributes, arguments and results of regions, axes of shardings. HLO
// allows mixed precision, for example, and StableHLO does not. All operations of the program are
// checked, also those of functions that are not called. Private to spec/stablehlo. Test:
// constraints_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_CONSTRAINTS_H_
#define ASSAY_SPEC_STABLEHLO_CONSTRAINTS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

struct Violation {
  const Operation* operation = nullptr;
  std::string message;
};

// The first violation in the order of the program.
std::optional<Violation> FindViolation(const Program& program);

// The parts of FindViolation return what is wrong, or "".
//
// A constraint on operations of one name.
struct OperationRule {
  absl::string_view name;
  std::string (*against)(const Operation&);
};
absl::Span<const OperationRule> RegionRules();     // region_constraints.cc
absl::Span<const OperationRule> AttributeRules();  // attribute_constraints.cc
// Attributes that mean the same in all operations (attribute_constraints.cc).
std::string AgainstNamedAttributes(const Operation& operation);
// The types of the operands and results of an operation against its row of operand_types.def
// (operand_types.cc).
std::string AgainstTypes(const Operation& operation);
// Whether an operation may be the one of an async_start's region (region_constraints.cc).
bool MayBeAsynchronous(absl::string_view name);
// Whether one type may stand for the other: the element types are equal, and so are the sizes that
// both know (operand_types.cc).
bool AreCompatible(const Type& a, const Type& b);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_CONSTRAINTS_H_
