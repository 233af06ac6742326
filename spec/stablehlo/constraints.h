// The constraints of StableHLO that neither the readers nor HLO's verifier check: types of operands
// and results, ranges of attributes, arguments and results of regions, axes of shardings. HLO
// allows mixed precision, for example, and StableHLO does not. All operations of the program are
// checked, also those of functions that are not called. What is written from a module is checked,
// too. Private to spec/stablehlo. Test: constraints_test.cc.
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
  // Begins with the name of the constraint: "[pad (C3)] 0 <= interior_padding, found ...".
  std::string message;
};

// The first violation in the order of the program.
std::optional<Violation> FindViolation(const Program& program);

// A constraint of the specification, as constraint_rows.def states it.
struct StatedConstraint {
  absl::string_view operation;  // "pad"
  int number = 0;               // of (C3); 0: the specification has none
  absl::string_view text;
  bool is_evaluated = false;  // from its text
};
absl::Span<const StatedConstraint> StatedConstraints();

// A constraint that does not hold: "C3", "I1" for the type of an input, or "" where the
// specification has no number for it; and what is wrong, or "".
struct Broken {
  std::string constraint;
  std::string why;
};

// The parts of FindViolation.
//
// A constraint on operations of one name. `against` says what is wrong, or "".
struct OperationRule {
  absl::string_view name;
  int number = 0;  // 0: the specification has none
  std::string (*against)(const Operation&);
};
absl::Span<const OperationRule> RegionRules();     // region_constraints.cc
absl::Span<const OperationRule> AttributeRules();  // attribute_constraints.cc
// Attributes that mean the same in all operations (attribute_constraints.cc).
std::string AgainstNamedAttributes(const Operation& operation);
// The types of the operands and results of an operation against its row of operand_types.def
// (operand_types.cc).
Broken AgainstTypes(const Operation& operation);
// Whether an operation may be the one of an async_start's region (region_constraints.cc).
bool MayBeAsynchronous(absl::string_view name);
// Whether one type may stand for the other: the element types are equal, and so are the sizes that
// both know (operand_types.cc).
bool AreCompatible(const Type& a, const Type& b);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_CONSTRAINTS_H_
