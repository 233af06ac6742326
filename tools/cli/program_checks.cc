#include "tools/cli/program_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/element/element.h"
#include "spec/text/printer.h"

namespace assay::cli {
namespace {

using stablehlo::Check;

// Steps between two floats on the number line of their type; the largest number where one of them
// is not finite and the other is something else.
uint64_t UlpDifference(ElementType type, uint64_t a, uint64_t b) {
  if (a == b || (IsNan(type, a) && IsNan(type, b))) return 0;
  const auto finite = [&](uint64_t x) { return !IsNan(type, x) && !IsInfinity(type, x); };
  if (!finite(a) || !finite(b)) return std::numeric_limits<uint64_t>::max();
  const __int128 distance = __int128{FloatOrdinal(type, a)} - FloatOrdinal(type, b);
  return static_cast<uint64_t>(distance < 0 ? -distance : distance);
}

// Whether two real patterns are as the check wants them.
bool Holds(const Check& check, ElementType type, uint64_t a, uint64_t b) {
  if (!IsFloat(type)) return a == b;
  const bool nan = IsNan(type, a) || IsNan(type, b);
  const bool both_nan = IsNan(type, a) && IsNan(type, b);
  switch (check.kind) {
    case Check::Kind::kEqual:
      return nan ? both_nan : DecodeFloat(type, a) == DecodeFloat(type, b);
    case Check::Kind::kAlmostEqual: {
      const double x = DecodeFloat(type, a), y = DecodeFloat(type, b);
      if (nan) return both_nan;
      return x == y ||
             (std::isfinite(x) && std::isfinite(y) && std::fabs(x - y) <= check.tolerance);
    }
    case Check::Kind::kClose: {
      const uint64_t ulps = UlpDifference(type, a, b);
      return ulps <= check.max_ulps && ulps >= check.min_ulps;
    }
  }
  return false;
}

std::string ElementText(const Literal& array, int64_t i) {
  Literal scalar = Literal::Zeros(Shape::Scalar(array.element_type()));
  scalar.Set(0, array.Get(i));
  return PrintLiteral(scalar);
}

std::string Problem(const Check& check, const Literal& actual, const Literal& expected) {
  if (!actual.is_array() || !expected.is_array() ||
      !Shape::Compatible(actual.shape(), expected.shape()) ||
      actual.element_count() != expected.element_count()) {
    return absl::StrCat("the value is ", actual.shape().ToString(), ", expected is ",
                        expected.shape().ToString());
  }
  const ElementType type = actual.element_type();
  const ElementType part = IsComplex(type) ? Info(type).component : type;
  int64_t wrong = 0, first = -1;
  for (int64_t i = 0; i < actual.element_count(); ++i) {
    const Element a = actual.Get(i), b = expected.Get(i);
    if (Holds(check, part, a.bits, b.bits) &&
        (!IsComplex(type) || Holds(check, part, a.imag, b.imag))) {
      continue;
    }
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return "";
  std::vector<int64_t> index;
  int64_t rest = first;
  for (const int64_t stride : RowMajorStrides(actual.shape().dimensions())) {
    index.push_back(rest / stride);
    rest %= stride;
  }
  std::string text =
      absl::StrCat("element [", absl::StrJoin(index, ","), "] is ", ElementText(actual, first),
                   ", expected is ", ElementText(expected, first));
  if (check.kind == Check::Kind::kClose && IsFloat(part)) {
    const Element a = actual.Get(first), b = expected.Get(first);
    uint64_t ulps = UlpDifference(part, a.bits, b.bits);
    if (IsComplex(type)) ulps = std::max(ulps, UlpDifference(part, a.imag, b.imag));
    absl::StrAppend(&text, ", ", ulps, " ulp away where ", check.min_ulps, " to ", check.max_ulps,
                    " are allowed");
  } else if (check.kind == Check::Kind::kAlmostEqual) {
    absl::StrAppend(&text, " within ", check.tolerance);
  }
  return absl::StrCat(text, "; ", wrong, " of ", actual.element_count(), " elements differ");
}

// Whether the root of the entry is a tuple of outputs rather than the only one.
bool HasTuple(const ModuleFile& file) {
  return file.result_count != 1 || (!file.checks.empty() && file.device_arguments.empty());
}

const Literal* OutputOf(const ModuleFile& file, const Literal& value, int64_t i) {
  if (!HasTuple(file)) return i == 0 ? &value : nullptr;
  const bool there = value.is_tuple() && i < static_cast<int64_t>(value.elements().size());
  return there ? &value.element(i) : nullptr;
}

}  // namespace

absl::StatusOr<std::vector<CheckResult>> RunChecks(const ModuleFile& file,
                                                   absl::Span<const Literal> values) {
  std::vector<CheckResult> results;
  for (const Check& check : file.checks) {
    // Without a device of its own a check holds on every device.
    const bool parallel = !file.device_arguments.empty();
    for (size_t device = 0; device < values.size(); ++device) {
      if (parallel && static_cast<int64_t>(device) != check.device) continue;
      const Literal* actual = OutputOf(file, values[device], check.actual_output);
      const Literal* expected =
          check.expected ? &*check.expected : OutputOf(file, values[device], check.expected_output);
      if (actual == nullptr || expected == nullptr) {
        return absl::InternalError(absl::StrCat(check.place, ": there is no such output"));
      }
      CheckResult result = {check.place, Problem(check, *actual, *expected)};
      if (values.size() > 1) absl::StrAppend(&result.place, " on device ", device);
      results.push_back(std::move(result));
    }
  }
  return results;
}

std::vector<Literal> WithoutCheckValues(const ModuleFile& file, std::vector<Literal> values) {
  if (file.checks.empty() || !file.device_arguments.empty()) return values;
  for (Literal& value : values) {
    if (!value.is_tuple()) continue;
    std::vector<Literal> elements = std::move(value).ReleaseElements();
    elements.resize(std::min<size_t>(elements.size(), file.result_count));
    value = elements.size() == 1 ? std::move(elements[0]) : Literal::Tuple(std::move(elements));
  }
  return values;
}

}  // namespace assay::cli
