// Targets that end the run with FAILED_PRECONDITION when their operands are not as they should be:
// check.* of the StableHLO suite, and shape_assertion. Tests: backends/factory/custom_call_test.cc.
#include <cmath>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/custom_calls/attributes.h"
#include "runtime/custom_calls/targets.h"

namespace assay::runtime::custom_calls {
namespace {

constexpr int64_t kShown = 16;  // elements of a value in a message

std::string ElementText(ElementType type, Element value) {
  if (IsFloat(type)) return absl::StrCat(DecodeFloat(type, value.bits));
  if (IsComplex(type)) {
    const ElementType part = Info(type).component;
    return absl::StrCat("(", DecodeFloat(part, value.bits), ", ", DecodeFloat(part, value.imag),
                        ")");
  }
  return IsSigned(type) ? absl::StrCat(DecodeSigned(type, value.bits))
                        : absl::StrCat(DecodeUnsigned(type, value.bits));
}

std::string Brief(const Literal& value) {
  std::string text = absl::StrCat(value.shape().ToString(), " {");
  for (int64_t i = 0; i < std::min(kShown, value.element_count()); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", ElementText(value.element_type(), value.Get(i)));
  }
  return absl::StrCat(text, value.element_count() > kShown ? ", ...}" : "}");
}

// Whether two real patterns of the type are as near as asked for.
using Near = std::function<bool(ElementType, uint64_t, uint64_t)>;

absl::StatusOr<Literal> Expect(const CustomCall& call, const Literal& actual,
                               const Literal& expected, const Near& near) {
  if (!actual.is_array() || !Shape::Compatible(actual.shape(), expected.shape())) {
    return BadCall(call, absl::StrCat("the shapes ", actual.shape().ToString(), " and ",
                                      expected.shape().ToString(), " differ"));
  }
  const ElementType type = actual.element_type();
  const ElementType part = IsComplex(type) ? Info(type).component : type;
  for (int64_t i = 0; i < actual.element_count(); ++i) {
    const Element a = actual.Get(i), b = expected.Get(i);
    if (near(part, a.bits, b.bits) && (!IsComplex(type) || near(part, a.imag, b.imag))) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        call.instruction.GetString(Attr::kCustomCallTarget), " fails: element ", i, " is ",
        ElementText(type, a), ", expected is ", ElementText(type, b), "; actual ", Brief(actual),
        ", expected ", Brief(expected), ": ", call.instruction.Describe()));
  }
  return Unflatten(call.instruction.shape(), {});
}

bool Equal(ElementType type, uint64_t a, uint64_t b) {
  if (!IsFloat(type)) return a == b;
  return IsNan(type, a) ? IsNan(type, b) : DecodeFloat(type, a) == DecodeFloat(type, b);
}

// (actual, expected) -> ().
absl::StatusOr<Literal> ExpectWith(const CustomCall& call, const Near& near) {
  if (call.instruction.shape().leaf_count() > 0) return BadCall(call, "the result must be ()");
  if (absl::Status status = WantOperands(call, 2); !status.ok()) return status;
  return Expect(call, call.operands[0], call.operands[1], near);
}

absl::StatusOr<Literal> ExpectEqual(const CustomCall& call) { return ExpectWith(call, Equal); }

// Both operands of a float type and within so many values of each other.
absl::StatusOr<Literal> ExpectClose(const CustomCall& call) {
  const CallAttributes attributes = CallAttributes::Of(call.instruction);
  const int64_t least = attributes.Int("min_ulp_difference", 0);
  const int64_t most = attributes.Int("max_ulp_difference", 0);
  return ExpectWith(call, [=](ElementType type, uint64_t a, uint64_t b) {
    if (!IsFloat(type)) return a == b && least == 0;
    if (IsNan(type, a) || IsNan(type, b)) return IsNan(type, a) && IsNan(type, b) && least == 0;
    if (IsInfinity(type, a) || IsInfinity(type, b)) return a == b && least == 0;
    const __int128 distance = __int128{FloatOrdinal(type, a)} - FloatOrdinal(type, b);
    const __int128 ulps = distance < 0 ? -distance : distance;
    return least <= ulps && ulps <= most;
  });
}

absl::StatusOr<Literal> ExpectAlmostEqual(const CustomCall& call) {
  constexpr double kTolerance = 1e-4;
  const double tolerance = CallAttributes::Of(call.instruction).Float("tolerance", kTolerance);
  return ExpectWith(call, [=](ElementType type, uint64_t a, uint64_t b) {
    if (!IsFloat(type) || Equal(type, a, b)) return Equal(type, a, b);
    return std::fabs(DecodeFloat(type, a) - DecodeFloat(type, b)) <= tolerance;
  });
}

// (condition, numbers...): the message has {0}, {1}, ... for the numbers.
absl::StatusOr<Literal> AssertShape(const CustomCall& call) {
  if (call.operands.empty() ||
      !Shape::Compatible(call.operands[0].shape(), Shape::Scalar(ElementType::kPred))) {
    return BadCall(call, "the first operand must be pred[]");
  }
  if (call.instruction.shape().leaf_count() > 0) return BadCall(call, "the result must be ()");
  if (call.operands[0].Get(0).bits != 0) return Unflatten(call.instruction.shape(), {});
  std::vector<std::pair<std::string, std::string>> numbers;
  for (size_t i = 1; i < call.operands.size(); ++i) {
    const Literal& number = call.operands[i];
    if (!number.shape().is_scalar()) return BadCall(call, "the numbers must be scalars");
    numbers.emplace_back(absl::StrCat("{", i - 1, "}"),
                         ElementText(number.element_type(), number.Get(0)));
  }
  const CallAttributes attributes = CallAttributes::Of(call.instruction);
  return absl::FailedPreconditionError(
      absl::StrCat("shape_assertion fails: ",
                   absl::StrReplaceAll(attributes.String("error_message", "(no message)"), numbers),
                   ": ", call.instruction.Describe()));
}

}  // namespace

Targets AssertionTargets() {
  return {{"check.expect_eq", ExpectEqual},
          {"check.expect_eq_const", ExpectEqual},
          {"check.expect_close", ExpectClose},
          {"check.expect_almost_eq", ExpectAlmostEqual},
          {"check.expect_almost_eq_const", ExpectAlmostEqual},
          {"shape_assertion", AssertShape}};
}

}  // namespace assay::runtime::custom_calls
