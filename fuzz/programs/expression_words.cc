// Words of expressions (expression.h): rows of the table, and random ones.
#include <string>

#include "absl/strings/str_cat.h"
#include "fuzz/programs/expression.h"
#include "fuzz/programs/expression_forms.h"

namespace assay::fuzz {
namespace {

// Words of Expression for one operation on x, y, z, a number or a selection.
std::string OneOperation(Choices& choices, bool is_float) {
  static constexpr const char* kUnary[] = {"negate",    "abs",    "sign", "back narrow",
                                           "back wide", "negate", "abs",  "turn"};
  static constexpr const char* kOfFloats[] = {"exponential", "log",  "sqrt", "floor",
                                              "ceil",        "tanh", "rsqrt"};
  static constexpr const char* kOfIntegers[] = {"not", "popcnt", "not", "count-leading-zeros"};
  static constexpr const char* kBinary[] = {"add",     "subtract", "multiply",  "divide",
                                            "maximum", "minimum",  "remainder", "power",
                                            "add",     "subtract"};
  static constexpr const char* kBits[] = {
      "shift-left", "shift-right-logical", "shift-right-arithmetic", "and", "or", "xor"};
  static constexpr const char* kLeaves[] = {"x", "y", "x", "z", "1", "x", "y", "-1", "2", "3"};
  static constexpr const char* kPredicates[] = {"p", "lt x y", "eq x y", "ge x 0"};
  const char* const a = choices.Of(kLeaves);
  const char* const b = choices.Of(kLeaves);
  switch (choices.Below(8)) {
    case 0:
      return absl::StrCat(choices.Of(kUnary), " ", a);
    case 1:
      return absl::StrCat(is_float ? choices.Of(kOfFloats) : choices.Of(kOfIntegers), " ", a);
    case 2:
      return absl::StrCat("select ", choices.Of(kPredicates), " ", a, " ", b);
    case 3:
      if (!is_float) return absl::StrCat(choices.Of(kBits), " ", a, " ", b);
      return absl::StrCat("clamp -1 ", a, " ", b);
    default:
      return absl::StrCat(choices.Of(kBinary), " ", a, " ", b);
  }
}

}  // namespace

absl::string_view TableForm(Choices& choices, bool is_float) {
  const bool other = choices.OneIn(4);
  return is_float != other ? choices.Of(kFloatForms) : choices.Of(kIntegerForms);
}

std::string JoinedForm(Choices& choices, bool is_float) {
  static constexpr const char* kJoins[] = {
      "maximum", "minimum", "subtract", "add", "multiply", "divide",   "remainder",
      "lt",      "le",      "gt",       "ge",  "eq",       "ne",       "select p",
      "and",     "or",      "xor",      "add", "multiply", "subtract", "atan2"};
  static constexpr const char* kLeaves[] = {"x", "x", "y", "x", "3", "x", "y", "5"};
  const char* const join = choices.Of(kJoins);
  const std::string first = OneOperation(choices, is_float);
  const std::string second =
      choices.OneIn(2) ? OneOperation(choices, is_float) : std::string(choices.Of(kLeaves));
  const bool exchanged = choices.OneIn(3);
  return absl::StrCat(join, " ", exchanged ? second : first, " ", exchanged ? first : second);
}

std::string FunctionForm(Choices& choices, bool is_float) {
  static constexpr const char* kOfFloats[] = {"abs",  "sqrt",  "log",    "exponential",
                                              "sign", "rsqrt", "negate", "tanh"};
  static constexpr const char* kOfIntegers[] = {"abs", "negate", "sign",   "not",
                                                "abs", "sign",   "popcnt", "negate"};
  static constexpr const char* kFloatSteps[] = {"multiply", "add",      "power",
                                                "divide",   "multiply", "subtract"};
  static constexpr const char* kIntegerSteps[] = {"multiply", "add",       "subtract",
                                                  "divide",   "remainder", "and"};
  static constexpr const char* kJoins[] = {"divide", "subtract", "ne", "eq",
                                           "lt",     "multiply", "ge", "maximum"};
  static constexpr const char* kLeaves[] = {"x", "y", "2", "x"};
  const auto function = [&] { return is_float ? choices.Of(kOfFloats) : choices.Of(kOfIntegers); };
  const char* const outer = function();
  const char* const join = choices.Of(kJoins);
  const int64_t kind = choices.Below(3);
  if (kind == 0) return absl::StrCat(join, " ", outer, " x ", outer, " y");
  const char* const step = is_float ? choices.Of(kFloatSteps) : choices.Of(kIntegerSteps);
  const char* const other = choices.Of(kLeaves);
  const bool exchanged = choices.OneIn(2);
  const std::string combination =
      absl::StrCat(step, " ", exchanged ? other : "x", " ", exchanged ? "x" : other);
  if (kind == 1) return absl::StrCat(outer, " ", function(), " ", combination);
  const char* const beside = choices.OneIn(2) ? other : "x";
  return absl::StrCat(join, " ", outer, " ", combination, " ", outer, " ", beside);
}

}  // namespace assay::fuzz
