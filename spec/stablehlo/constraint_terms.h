// Constraints as the StableHLO specification writes them, evaluated on an operation:
// "0 <= dimensions < rank(operand)". Private to spec/stablehlo. Test: constraints_test.cc.
//
// A term is a number, a list of numbers, a truth value, a type, an element type or the name of an
// enumeration's value. Lists are compared element by element, a number with each element of a list.
// What is not known (dynamic sizes, attributes that are absent) fulfils every comparison.
//
//   constraint := or [`=>` constraint]         or  := and {`or` and}
//   and        := comparison {`and` comparison}
//   comparison := sum {(`=` | `!=` | `<` | `<=`) sum}, each with its neighbour
//   sum        := product {(`+` | `-`) product}
//   product    := factor {(`*` | `/` | `%`) factor}
//   factor     := number | `-` number | name[`...`] | function `(` sum {`,` sum} `)` | `(` or `)`
//
// A name is an operand's (INPUTS of constraint_rows.def), `result`, `results`, `result_1`, an
// attribute, a field of a structured attribute, or, in capitals, a value of an enumeration.
#ifndef ASSAY_SPEC_STABLEHLO_CONSTRAINT_TERMS_H_
#define ASSAY_SPEC_STABLEHLO_CONSTRAINT_TERMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// Names of operands: those of any number share what the others leave.
struct InputName {
  absl::string_view name;
  bool variadic = false;
};

// A parsed constraint, or a part of one.
struct ConstraintTerm {
  // Of a number, a name, a call or an operator: "3", "operand", "rank", "<=".
  enum class Kind : uint8_t { kNumber, kName, kEach, kCall, kOperator };
  Kind kind = Kind::kNumber;
  absl::string_view word;
  absl::string_view text;  // all of it
  int64_t number = 0;
  std::vector<ConstraintTerm> parts;
};

// The text must be a constraint: the rows are the project's own.
ConstraintTerm ParseConstraint(absl::string_view text);

// What the operation has where it breaks the constraint: "dimensions is [2], rank(operand) is 2".
// "" where it keeps it.
std::string AgainstConstraint(const ConstraintTerm& constraint,
                              const std::vector<InputName>& inputs, const Operation& operation);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_CONSTRAINT_TERMS_H_
