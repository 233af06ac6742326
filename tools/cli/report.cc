#include "tools/cli/report.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/judge/verdict_text.h"
#include "nlohmann/json.hpp"
#include "spec/text/printer.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

bool IsFloatArray(const conformance::ArrayComparison& array) {
  return array.shape.is_array() &&
         (IsFloat(array.shape.element_type()) || IsComplex(array.shape.element_type()));
}

std::string Place(const std::vector<int64_t>& index) {
  return absl::StrCat("[", absl::StrJoin(index, ","), "]");
}

// Distances beyond this say no more than "far": numbers of opposite signs are billions of ulp
// apart.
constexpr uint64_t kMostUlps = 1'000'000;

std::string UlpText(uint64_t distance) {
  return distance > kMostUlps
             ? absl::StrCat("more than ", conformance::WithCommas(kMostUlps), " ulp")
             : absl::StrCat(conformance::WithCommas(static_cast<int64_t>(distance)), " ulp");
}

std::string HowFloatsDiffer(uint64_t largest_distance) {
  return largest_distance == 0
             ? "floats differ in the sign of zeros"
             : absl::StrCat("floats differ by ", largest_distance > kMostUlps ? "" : "up to ",
                            UlpText(largest_distance));
}

std::string AgreementText(const conformance::ArrayComparison& array, uint64_t max_ulp) {
  switch (array.agreement) {
    case conformance::Agreement::kEqual:
      return Coloured(Colour::kGreen, "equal");
    case conformance::Agreement::kFloatsDiffer:
      if (Accepted(array, max_ulp)) {
        return Coloured(Colour::kGreen, absl::StrCat("within ", max_ulp, " ulp"));
      }
      return Coloured(Colour::kYellow, HowFloatsDiffer(array.largest_distance));
    case conformance::Agreement::kMismatch:
      return Coloured(Colour::kRed, "MISMATCH");
  }
  return "";
}

// "elements by distance in ulp: 212 at 0, 1 at 17-32, 2 at 1025-2048".
std::string Histogram(const conformance::ArrayComparison& array) {
  std::vector<std::string> buckets;
  for (int bucket = 0; bucket < conformance::kUlpBuckets; ++bucket) {
    const int64_t count = array.histogram[bucket];
    if (count > 0) {
      buckets.push_back(
          absl::StrCat(conformance::WithCommas(count), " at ", conformance::UlpBucketName(bucket)));
    }
  }
  return absl::StrCat("    elements by distance", IsFloatArray(array) ? " in ulp" : "", ": ",
                      absl::StrJoin(buckets, ", "), "\n");
}

void AppendPlace(absl::string_view what, const conformance::ElementDifference& difference,
                 absl::string_view left, absl::string_view right, std::string* text) {
  absl::StrAppend(text, "    ", what, " at ", Place(difference.index), ": ", difference.left,
                  " in ", left, ", ", difference.right, " in ", right, "\n");
}

void AppendArray(const std::string& name, const conformance::ArrayComparison& array,
                 absl::string_view left, absl::string_view right, uint64_t max_ulp,
                 std::string* text) {
  absl::StrAppend(text, "  ", Coloured(Colour::kBold, name), " ", array.shape.ToString(), ": ",
                  AgreementText(array, max_ulp), " (", conformance::WithCommas(array.equal), " of ",
                  conformance::Counted(array.elements, "element"), " equal)\n");
  if (array.nan_both + array.nan_left_only + array.nan_right_only > 0) {
    absl::StrAppend(text, "    NaN: ", array.nan_both, " in both, ", array.nan_left_only,
                    " only in ", left, ", ", array.nan_right_only, " only in ", right, "\n");
  }
  if (array.infinity_differs > 0) {
    absl::StrAppend(text, "    infinities against other values: ", array.infinity_differs, "\n");
  }
  if (array.zero_sign_differs > 0) {
    absl::StrAppend(text, "    zeros of different sign: ", array.zero_sign_differs, "\n");
  }
  if (array.agreement == conformance::Agreement::kEqual) return;
  if (array.first_special) {
    AppendPlace("first mismatch", *array.first_special, left, right, text);
  }
  if (!array.first_special || array.first->index != array.first_special->index) {
    AppendPlace("first difference", *array.first, left, right, text);
  }
  if (array.largest) {
    AppendPlace(absl::StrCat("largest distance: ", IsFloatArray(array)
                                                       ? UlpText(array.largest_distance)
                                                       : absl::StrCat(array.largest_distance)),
                *array.largest, left, right, text);
    absl::StrAppend(text, Histogram(array));
  }
}

// The arrays of a comparison with their names, out0, out1, ...: tokens among the leaves have none.
std::vector<std::pair<std::string, const conformance::ArrayComparison*>> NamedArrays(
    const conformance::Comparison& comparison) {
  std::vector<std::pair<std::string, const conformance::ArrayComparison*>> named;
  for (const conformance::ArrayComparison& array : comparison.arrays) {
    if (array.shape.is_array()) named.emplace_back("", &array);
  }
  const size_t each = std::max<size_t>(1, named.size() / comparison.devices);
  for (size_t i = 0; i < named.size(); ++i) {
    named[i].first = absl::StrCat("out", i % each);
    if (comparison.devices > 1) absl::StrAppend(&named[i].first, ".dev", i / each);
  }
  return named;
}

}  // namespace

std::string ArraysText(absl::Span<const NamedLiteral> arrays) {
  constexpr size_t kLongest = 400;
  std::string text;
  for (const NamedLiteral& array : arrays) {
    absl::StrAppend(&text, array.name, " = ", BriefLiteral(array.value, kLongest), "\n");
  }
  return text;
}

nlohmann::json ArraysJson(absl::Span<const NamedLiteral> arrays) {
  nlohmann::json list = nlohmann::json::array();
  for (const NamedLiteral& array : arrays) {
    nlohmann::json entry = {{"name", array.name}, {"shape", array.value.shape().ToString()}};
    constexpr int64_t kShown = 1000;  // elements; files have them all
    if (array.value.is_array() && array.value.element_count() <= kShown) {
      entry["value"] = PrintLiteral(array.value);
    } else {
      entry["elided"] = true;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string JsonText(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

bool Accepted(const conformance::ArrayComparison& array, uint64_t max_ulp) {
  return array.agreement == conformance::Agreement::kEqual ||
         (array.agreement == conformance::Agreement::kFloatsDiffer && max_ulp > 0 &&
          array.largest_distance <= max_ulp);
}

bool Accepted(const conformance::Comparison& comparison, uint64_t max_ulp) {
  return std::all_of(
      comparison.arrays.begin(), comparison.arrays.end(),
      [&](const conformance::ArrayComparison& array) { return Accepted(array, max_ulp); });
}

namespace {

void AddErrors(ElementType type, uint64_t left, uint64_t right, LargestErrors* errors) {
  const double a = DecodeFloat(type, left), b = DecodeFloat(type, right);
  if (!std::isfinite(a) || !std::isfinite(b) || a == b) return;
  const double error = std::abs(a - b);
  errors->absolute = std::max(errors->absolute, error);
  // Halved: the difference of the largest numbers of f64 may overflow.
  const double relative = 2 * std::abs(a / 2 - b / 2) / std::max(std::abs(a), std::abs(b));
  errors->relative = std::max(errors->relative, relative);
}

void AddErrors(const Literal& left, const Literal& right, LargestErrors* errors) {
  if (left.is_tuple()) {
    for (size_t i = 0; i < left.elements().size(); ++i) {
      AddErrors(left.element(i), right.element(i), errors);
    }
    return;
  }
  if (!left.is_array()) return;
  const ElementType type = left.element_type();
  if (!IsFloat(type) && !IsComplex(type)) return;
  const ElementType part = IsComplex(type) ? Info(type).component : type;
  for (int64_t i = 0; i < left.element_count(); ++i) {
    const Element a = left.Get(i), b = right.Get(i);
    AddErrors(part, a.bits, b.bits, errors);
    if (IsComplex(type)) AddErrors(part, a.imag, b.imag, errors);
  }
}

}  // namespace

LargestErrors LargestErrorsOf(absl::Span<const Literal> left, absl::Span<const Literal> right) {
  LargestErrors errors;
  for (size_t i = 0; i < left.size(); ++i) {
    AddErrors(ValidBox(left[i]), ValidBox(right[i]), &errors);
  }
  return errors;
}

std::string NoClaimText(const LargestErrors& errors, absl::string_view how_to_judge) {
  return absl::StrCat(
      absl::StrFormat(
          "Largest absolute error %.4g, largest relative error %.4g. Nothing is claimed "
          "of whether that is rounding or a bug: ",
          errors.absolute, errors.relative),
      how_to_judge, "\n");
}

std::string ReportText(const conformance::Comparison& comparison, absl::string_view left,
                       absl::string_view right, uint64_t max_ulp) {
  std::string text = absl::StrCat(left, " against ", right, ":\n");
  // Lists of many arrays are folded: what is equal is counted, and so is what differs beyond the
  // first few.
  constexpr size_t kShownEqual = 3, kShownDifferent = 8;
  std::vector<std::pair<std::string, const conformance::ArrayComparison*>> equal, different;
  const auto named = NamedArrays(comparison);
  for (const auto& each : named) {
    (each.second->agreement == conformance::Agreement::kEqual ? equal : different).push_back(each);
  }
  const bool fold = equal.size() > kShownEqual;
  size_t shown = 0;
  for (const auto& [name, array] : named) {
    const bool is_equal = array->agreement == conformance::Agreement::kEqual;
    if (is_equal ? fold : shown++ >= kShownDifferent) continue;
    AppendArray(name, *array, left, right, max_ulp, &text);
  }
  if (different.size() > kShownDifferent) {
    absl::StrAppend(&text, "  and ",
                    conformance::Counted(different.size() - kShownDifferent, "output"),
                    " more with differences, which --json lists\n");
  }
  if (fold) absl::StrAppend(&text, "  ", conformance::Counted(equal.size(), "output"), " equal\n");
  return text + VerdictText(comparison, max_ulp);
}

std::string VerdictText(const conformance::Comparison& comparison, uint64_t max_ulp) {
  int64_t elements = 0, equal = 0;
  for (const conformance::ArrayComparison& array : comparison.arrays) {
    elements += array.elements;
    equal += array.equal;
  }
  std::string verdict;
  if (comparison.agreement == conformance::Agreement::kEqual) {
    verdict = Coloured(Colour::kGreen, "equal in every element");
  } else if (comparison.agreement == conformance::Agreement::kMismatch) {
    verdict = Coloured(Colour::kRed, "MISMATCH in integers, truth values, infinities or NaNs");
  } else {
    verdict = Coloured(Accepted(comparison, max_ulp) ? Colour::kGreen : Colour::kYellow,
                       absl::StrCat(HowFloatsDiffer(comparison.largest_distance),
                                    "; integers, truth values, infinities and NaNs agree"));
  }
  return absl::StrCat("verdict: ", verdict, " (", conformance::WithCommas(equal), " of ",
                      conformance::Counted(elements, "element"), " equal)\n");
}

nlohmann::json ReportJson(const conformance::Comparison& comparison, uint64_t max_ulp) {
  nlohmann::json outputs = nlohmann::json::array();
  for (const auto& [name, each] : NamedArrays(comparison)) {
    const conformance::ArrayComparison& array = *each;
    nlohmann::json histogram = nlohmann::json::object();
    for (int bucket = 0; bucket < conformance::kUlpBuckets; ++bucket) {
      if (array.histogram[bucket] > 0)
        histogram[conformance::UlpBucketName(bucket)] = array.histogram[bucket];
    }
    nlohmann::json output = {{"name", name},
                             {"shape", array.shape.ToString()},
                             {"elements", array.elements},
                             {"equal", array.equal},
                             {"nan_both", array.nan_both},
                             {"nan_left_only", array.nan_left_only},
                             {"nan_right_only", array.nan_right_only},
                             {"infinity_differs", array.infinity_differs},
                             {"zero_sign_differs", array.zero_sign_differs},
                             {"largest_distance", array.largest_distance},
                             {"histogram", histogram},
                             {"verdict", std::string(conformance::AgreementName(array.agreement))},
                             {"accepted", Accepted(array, max_ulp)}};
    for (const auto& [key, difference] : {std::pair("first", &array.first),
                                          {"first_mismatch", &array.first_special},
                                          {"largest", &array.largest}}) {
      if (!*difference) continue;
      output[key] = {{"at", (*difference)->index},
                     {"left", (*difference)->left},
                     {"right", (*difference)->right}};
    }
    outputs.push_back(std::move(output));
  }
  return {{"verdict", std::string(conformance::AgreementName(comparison.agreement))},
          {"accepted", Accepted(comparison, max_ulp)},
          {"largest_distance", comparison.largest_distance},
          {"outputs", std::move(outputs)}};
}

std::string BriefLiteral(const Literal& literal, size_t longest) {
  std::string text;
  const auto limit = static_cast<int64_t>(longest);
  if (!literal.is_array() || literal.element_count() <= limit) {
    text = PrintTypedLiteral(literal);
  } else {
    // The first elements in an array of as many dimensions: its text begins in the same way, and
    // every element takes three characters.
    Dimensions sizes(literal.shape().dimensions().begin(), literal.shape().dimensions().end());
    int64_t kept = 1;
    for (size_t d = sizes.size(); d-- > 0; kept *= sizes[d]) {
      sizes[d] = std::min(sizes[d], std::max<int64_t>(1, limit / kept));
    }
    absl::StatusOr<Literal> beginning = Literal::Create(Shape(literal.element_type(), sizes));
    if (!beginning.ok()) return literal.shape().ToString();
    for (int64_t i = 0; i < kept; ++i) beginning->Set(i, literal.Get(i));
    text = absl::StrCat(literal.shape().ToString(true), " ", PrintLiteral(*beginning));
  }
  return text.size() > longest ? absl::StrCat(text.substr(0, longest), " ...") : text;
}

}  // namespace assay::cli
