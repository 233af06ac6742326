// The values of constraints, and the functions and operators on them. Private to spec/stablehlo.
// Test: constraints_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_CONSTRAINT_FUNCTIONS_H_
#define ASSAY_SPEC_STABLEHLO_CONSTRAINT_FUNCTIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/element/element_type.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// The value of a term. A number that is not known is kDynamic. `truth` is false only of what is
// known to be false.
struct TermValue {
  enum class Kind : uint8_t { kUnknown, kMissing, kNumber, kList, kTruth, kWord, kType, kElement };
  Kind kind = Kind::kUnknown;
  std::vector<int64_t> numbers;  // of kNumber and kList
  bool truth = true;
  absl::string_view word;
  const Type* type = nullptr;  // of kType; of a kList that is a dense constant
  ElementType element = ElementType::kInvalid;

  static TermValue Number(int64_t number);
  static TermValue List(std::vector<int64_t> numbers);
  static TermValue Truth(bool truth);
  static TermValue Word(absl::string_view word);
  static TermValue OfType(const Type& type);
  static TermValue Element(ElementType element);
  static TermValue Missing();

  bool is_numbers() const { return kind == Kind::kNumber || kind == Kind::kList; }
  // "" of what is not known.
  std::string Print() const;
};

// A comparison, or arithmetic on numbers and lists.
TermValue Combine(absl::string_view op, const TermValue& a, const TermValue& b);
// A function of the notation.
TermValue Call(absl::string_view function, absl::Span<const TermValue> arguments);
// Whether the function reads operands, results or types, so that its value is worth printing.
bool IsAboutValues(absl::string_view function);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_CONSTRAINT_FUNCTIONS_H_
